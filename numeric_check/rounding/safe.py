"""Up to which position a kernel is safe: where its bound passes a tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding.blocks import SCORE
from numeric_check.rounding.bound import KernelBound, rounding_bound
from numeric_check.rounding.formula import default_tolerance, largest_within
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered, SpecificationError

ADDED = 2.0
HORIZON = 2.0**52
"""Positions beyond are not all numbers of float64 to the unit, so no answer goes further."""
NEARER = (2.0**40, 2.0**32, 2.0**24)


@dataclass(frozen=True)
class SafePosition:
    """ε(|u|) ≤ tolerance for every whole |u| up to `position`.

    position    None when not even 0 is within the tolerance
    limited_by  `tolerance`, `range` (the maps would leave the range of the dtype), `domain` (no
                bound beyond the declared one is as good) or `horizon`
    """

    dtype: str
    tolerance: float
    position: int | None
    limited_by: str

    def __str__(self) -> str:
        bound = f"(error at most {_power(self.tolerance)} of a block)"
        if self.position is None:
            return f"{self.dtype}: safe nowhere {bound}"
        why = {
            "tolerance": "",
            "range": ", the range of the dtype",
            "domain": ", the domain",
            "horizon": " and beyond",
        }
        return f"{self.dtype}: safe to {self.position}{why[self.limited_by]} {bound}"


def safe_position(
    kernel: Kernel, plan: KernelPlan, bound: KernelBound, tolerance: float | None = None
) -> SafePosition:
    """The largest |position − reference| at which every block keeps ε ≤ τ.

    τ is `default_tolerance` unless given, and twice that for `score_mod`, which adds two rounded
    numbers. Where the bound of the domain leaves room, the text is bounded again up to `HORIZON`,
    so the answer may lie beyond the declared domain.

    >>> from numeric_check.kernels.kernel import compile_kernel
    >>> from symbolic_pe.emit.plan import plan_kernel
    >>> from symbolic_pe.encodings.catalogue import catalogue
    >>> from symbolic_pe.production import emit
    >>> encoding = catalogue("rope", {"dim": 4})
    >>> kernel, plan = compile_kernel(emit(encoding)), plan_kernel(encoding)
    >>> found = safe_position(kernel, plan, rounding_bound(kernel, plan, "float32"))
    >>> found.limited_by, found.position > 2**20
    ('tolerance', True)

    Raises `SpecificationError` for a tolerance that is no positive number, and what
    `rounding_bound` raises.
    """
    return safe_within(bound, tolerance, lambda reach: _further(kernel, plan, bound, reach))


def safe_within(
    bound: KernelBound, tolerance: float | None, again: Callable[[float], KernelBound]
) -> SafePosition:
    """The same, where `again` bounds the text up to another reach."""
    limit = default_tolerance(bound.dtype) if tolerance is None else tolerance
    if bound.form == SCORE and tolerance is None:
        limit *= ADDED
    if not (limit > 0 and math.isfinite(limit)):
        raise SpecificationError(f"tolerance: expected a positive number, got {tolerance}")
    found, beyond = _within(bound, limit), "horizon"
    if found >= math.floor(bound.reach) and bound.limited_by == "domain":
        known = bound, found
        for reach in (HORIZON, *NEARER):
            try:
                bound = again(max(reach, bound.reach))
            except NotYetCovered:
                continue
            found = _within(bound, limit)
            if found >= known[1]:
                break
        else:
            bound, found = known
            beyond = "domain"
    if found < 0:
        return SafePosition(bound.dtype, limit, None, "tolerance")
    reason = "tolerance"
    if found >= math.floor(bound.reach):
        reason = "range" if bound.limited_by == "range" else beyond
    return SafePosition(bound.dtype, limit, int(found), reason)


def _further(kernel: Kernel, plan: KernelPlan, bound: KernelBound, far: float) -> KernelBound:
    """The bound up to a reach, or as far as the discriminants of parametric blocks are known."""
    for reach in (far, *NEARER) if plan.parameters else (far,):
        try:
            return rounding_bound(
                kernel,
                plan,
                bound.dtype,
                reach=max(reach, bound.reach),
                form=bound.form,
                parameters=bound.box or bound.parameters,
            )
        except NotYetCovered:
            if not plan.parameters:
                raise
    return bound


def _within(bound: KernelBound, limit: float) -> float:
    polynomials = dict.fromkeys(b.relative for b in bound.blocks)
    return min((largest_within(p, limit, bound.reach) for p in polynomials), default=bound.reach)


def _power(x: float) -> str:
    mantissa, exponent = math.frexp(x)
    return f"2^{exponent - 1}" if mantissa == 0.5 else f"{x:.3g}"


__all__ = ["HORIZON", "SafePosition", "safe_position", "safe_within"]
