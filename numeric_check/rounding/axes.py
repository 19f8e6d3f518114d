"""Rounding bounds of kernels of several axes: one-axis bounds along rays p = u·n.

Along a ray a kernel of several axes is one of one axis, with the generator Σ nₐXₐ, so its text
runs on the elements of `bound`. With nₐ = ±1, or ±2^k where frequencies would cancel, a bound there
holds for all positions with

    |pₐ − cₐ| ≤ |u| for every axis a.

A text that is the emitted one combines positions in one product of matrices alone, whose errors are
majorants over |nₐ|, and takes exp, cos and sin of it at once. There only e^{Σ pₐaₐ} depends on
signs: a ray is run for every pattern of signs, or for many axes for those that the rates of a
channel have.

Of a text that was edited, what is lost is convex in p and so largest at a corner, where every
number is a linear form of the pₐ or a function of one; `linear_forms` refuses any other text, and
none has a bound that has many axes or shears. Two corners could hide that constants of two axes are
off in opposite directions: so Σₐ |nₐ|·‖X̂ₐ − Xₐ‖ is added, with the X̂ₐ that exact execution reads
off the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel, body_digest
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import upward
from numeric_check.rounding.axes_operator import measured_columns, operator_along
from numeric_check.rounding.axes_ray import RayKernel, combined, plan_along
from numeric_check.rounding.axes_shears import ShearedRay
from numeric_check.rounding.blocks import OPERATOR
from numeric_check.rounding.bound import KernelBound, rounding_bound
from numeric_check.rounding.judged import (
    ASSUMED,
    HOLDS,
    REFUTED,
    UNDECIDED,
    DtypeBound,
    KernelBounds,
)
from numeric_check.rounding.measured import Measurement, measure
from numeric_check.rounding.safe import SafePosition, safe_within
from numeric_check.text_proof.axes_proof import decide_axes, generator_of
from numeric_check.text_proof.exact_engine import ENGINES
from numeric_check.text_proof.exact_input import DOES_NOT_RUN, Refuted
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.axes import AxesPlan, emit_axes
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import KernelError, NotYetCovered, SymbolicPEError

BITS = 160
LAW = (
    "||y - A x|| <= eps ||A|| ||x|| + eta for every block A(p), |u| the largest "
    "|position - reference| of all axes"
)
MAX_RAYS = 16


@dataclass(frozen=True)
class Ray:
    """One ray with the kernel and the plan of one axis along it."""

    kernel: RayKernel
    plan: KernelPlan
    away: Mapping[int, float] = field(default_factory=dict)

    def bound(self, dtype: str, reach: float | None = None) -> KernelBound:
        """The bound of the maps for |pₐ − cₐ| ≤ |u|."""
        return self._with_constants(rounding_bound(self.kernel, self.plan, dtype, reach=reach))

    def operator_bound(self, reach: float | None = None) -> KernelBound:
        """That of A(p) itself, for |pₐ| ≤ |u|."""
        return self._with_constants(operator_along(self.kernel, self.plan, reach))

    def _with_constants(self, found: KernelBound) -> KernelBound:
        """What constants of the axes may be off in directions that differ."""
        blocks = []
        relative: upward.Polynomial = upward.NOTHING
        for b in found.blocks:
            group = self.plan.groups[b.group]
            assert isinstance(group, BlockGroup)
            away = self.away.get(group.slots[0][b.block], 0.0)
            own = b.relative
            if away:
                moved = upward.exponential_minus_one((0.0, away), found.reach)
                grown = upward.plus(1.0, upward.value(moved, found.reach))
                own = upward.folded(upward.add(upward.scale(own, grown), moved), found.reach)
            blocks.append(replace(b, relative=own))
            relative = upward.largest(relative, own)
        return replace(found, relative=relative, blocks=tuple(blocks))

    def measured(self, kernel: RayKernel, bound: KernelBound) -> Measurement:
        """The worst error of a text against the bound, along the ray."""
        return measure(kernel, self.plan, bound)


def judge_axes(kernel: Kernel, plan: AxesPlan, *, dtypes: Sequence[str] = DTYPES) -> KernelBounds:
    """Bound a text of several axes in every dtype and measure that its errors lie inside.

    `undecided` with the reason where rounded elements do not cover the text.
    """
    try:
        rays = list(rays_of(kernel, plan))
        found = {dtype: _judged(rays, dtype) for dtype in dtypes}
    except Refuted as difference:
        return KernelBounds(UNDECIDED, f"the text is refuted: {difference}")
    except (SymbolicPEError, *DOES_NOT_RUN) as error:
        return KernelBounds(UNDECIDED, str(error))
    operator, missing = _operator(rays)
    bounds = KernelBounds(HOLDS, ASSUMED + missing, found, of_lag=operator, law=LAW)
    return replace(bounds, verdict=REFUTED) if bounds.failures else bounds


def _operator(rays: Sequence[Ray | ShearedRay]) -> tuple[dict[str, dict[str, DtypeBound]], str]:
    """The bound of the matrix A(p), or why there is none."""
    plain = [ray for ray in rays if isinstance(ray, Ray)]
    if len(plain) < len(rays):
        return {}, "; operator is not bounded: shears along several axes"
    try:
        bounds = [ray.operator_bound() for ray in plain]
        worst = max(
            (measured_columns(r.kernel, r.plan, b) for r, b in zip(plain, bounds, strict=True)),
            key=lambda m: m.ratio,
        )
        safes = [
            safe_within(b, None, ray.operator_bound) for ray, b in zip(plain, bounds, strict=True)
        ]
    except (NotYetCovered, KernelError) as error:
        return {}, f"; operator is not bounded: {error}"
    return {OPERATOR: {"float64": DtypeBound(_joined(bounds), _shortest(safes), worst)}}, ""


def rays_of(kernel: Kernel, plan: AxesPlan) -> Iterator[Ray | ShearedRay]:
    """The rays whose bounds together hold for all positions."""
    engine = ENGINES[kernel.target]
    names = kernel.on_library(engine.library, engine.lift, engine.functions)
    rates = decide_axes(engine, names, plan).rates
    axes = len(plan.rates)
    corners, edited = 1 << (axes - 1) <= MAX_RAYS, not _as_emitted(kernel, plan)
    if edited and (plan.shears or not corners):
        what = "whose blocks shear" if plan.shears else f"of {axes} axes"
        raise NotYetCovered(
            f"a text that was edited, {what}; edited ones are bounded up to "
            f"{MAX_RAYS.bit_length()} axes whose blocks turn or decay"
        )
    for weights in _corners(plan) if corners else _patterns(plan):
        if plan.shears:
            yield ShearedRay.of(kernel, plan, weights, rates)
            continue
        ray = RayKernel.of(kernel, plan, weights, edited=edited)
        yield Ray(ray, plan_along(plan, weights), _away(plan, rates, weights))


def _as_emitted(kernel: Kernel, plan: AxesPlan) -> bool:
    emitted = emit_axes(plan, kernel.target, command="").text
    return bool(body_digest(kernel.text) == body_digest(emitted))


def _corners(plan: AxesPlan) -> list[tuple[int, ...]]:
    """Weights for every pattern of signs; the bound of a ray holds for both signs of u."""
    rest = product((1, -1), repeat=len(plan.rates) - 1)
    return [_without_cancelling(plan, (1, *signs)) for signs in rest]


def _patterns(plan: AxesPlan) -> list[tuple[int, ...]]:
    """Weights for every pattern of signs that the rates of a channel have; one at least."""
    axes = len(plan.rates)
    signs = {
        tuple(-1 if row[i].sign() < 0 else 1 for row in plan.rates)
        for i in range(len(plan.rates[0]))
        if len({row[i].sign() for row in plan.rates} - {0}) > 1
    }
    wanted = sorted({_leading(x) for x in signs} | {(1,) * axes})
    if len(wanted) > MAX_RAYS:
        raise NotYetCovered(f"rates with more than {MAX_RAYS} patterns of signs")
    return [_without_cancelling(plan, pattern) for pattern in wanted]


def _leading(signs: tuple[int, ...]) -> tuple[int, ...]:
    """The bound of a ray holds for both signs of u."""
    return signs if signs[0] > 0 else tuple(-x for x in signs)


def _without_cancelling(plan: AxesPlan, signs: tuple[int, ...]) -> tuple[int, ...]:
    """The pattern, or some axes by 2 or 4, so that no plane that turns stands still on the ray."""
    for sizes in product((1, 2, 4), repeat=min(len(signs), 4)):
        full = (*sizes, *[1] * (len(signs) - len(sizes)))
        weights = tuple(s * k for s, k in zip(signs, full, strict=True))
        if not any(
            combined(column, weights).is_zero()
            for column in zip(*plan.frequencies, strict=True)
            if any(not x.is_zero() for x in column)
        ):
            return weights
    raise NotYetCovered("frequencies that cancel along every ray")


def _away(
    plan: AxesPlan, rates: Sequence[Mapping[tuple[int, int], fmpq]], weights: Sequence[int]
) -> dict[int, float]:
    """Σₐ |nₐ|·‖X̂ₐ − Xₐ‖ of every block, by its first channel."""
    first = {second: first for first, second in plan.planes}
    found: dict[int, float] = {}
    with precision(BITS):
        for axis, (rate, weight) in enumerate(zip(rates, weights, strict=True)):
            exact = generator_of(plan, axis)
            for i, j in {*rate, *exact}:
                if i > j and first.get(i) == j:
                    continue  # θ once; the diagonal is its own
                x = exact.get((i, j), Scalar.rational(0)).ball({})
                distance = upward.above(arb(rate.get((i, j), fmpq(0))) - x)
                channel = first.get(i, i)
                size = upward.times(float(abs(weight)), distance)
                found[channel] = upward.plus(found.get(channel, 0.0), size)
    return {channel: x for channel, x in found.items() if x}


def _judged(rays: Sequence[Ray | ShearedRay], dtype: str) -> DtypeBound:
    """The worst of all rays."""
    bounds = [ray.bound(dtype) for ray in rays]
    measured = [ray.measured(ray.kernel, b) for ray, b in zip(rays, bounds, strict=True)]
    safes = [
        safe_within(bound, None, partial(ray.bound, dtype))
        for ray, bound in zip(rays, bounds, strict=True)
    ]
    return DtypeBound(_joined(bounds), _shortest(safes), max(measured, key=lambda m: m.ratio))


def _joined(bounds: Sequence[KernelBound]) -> KernelBound:
    """One that is above those of all rays."""
    whole = bounds[0]
    for bound in bounds[1:]:
        shorter = min(whole, bound, key=lambda b: b.reach)
        whole = replace(
            shorter,
            relative=upward.largest(whole.relative, bound.relative),
            absolute=max(whole.absolute, bound.absolute),
            blocks=(*whole.blocks, *bound.blocks),
        )
    return whole


def _shortest(safes: Sequence[SafePosition]) -> SafePosition:
    return min(safes, key=lambda s: -1 if s.position is None else s.position)


__all__ = ["LAW", "Ray", "judge_axes", "rays_of"]
