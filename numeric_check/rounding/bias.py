"""How far the coordinates that realise a bias may be off, in each dtype.

A kernel with an additive bias appends coordinates q_a(u_q), k_a(u_k) to queries and keys, with
q_aᵀk_a = bias(t − s). They hold positions in the dtype of x, and cancel: the loss is absolute,

    |q̂_aᵀk̂_a − bias(t − s)| ≤ B(|u|),     |u| the larger of |t − c| and |s − c|,

before the products are rounded, which is up to the attention kernel. On integer positions a
multiple m·u^k is exact while (odd part of m)·|u|^k ≤ 2^p, p the bits of the dtype. Waves are
rounded wherever they are; e^{au} counts with its largest value up to the reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import DTYPES, FORMATS, window_exponent
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.blocks import FORMS, MAPS
from numeric_check.rounding.bound import COVERS_NO_MORE
from numeric_check.rounding.box_bounds import parameter
from numeric_check.rounding.coefficient import Box
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.formula import formula, largest_within
from numeric_check.rounding.lag_forms import BiasBalls, absolutely_away, bias_terms
from numeric_check.rounding.lag_products import of_lag
from numeric_check.rounding.majorant import NO_INPUT, Majorant
from numeric_check.rounding.parameters import declared_box, exact_values, points_in
from numeric_check.rounding.running import run_side
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.terms import RealTerm
from symbolic_pe.errors import NotYetCovered, SpecificationError

BITS = 160
FURTHEST = 2**52
LOGIT_TOLERANCE = 2.0**-7
"""Absolute error of a logit that `safe` allows unless told otherwise.

An attention weight then changes by a factor of at most e^τ, by 0.8 %: what storing it in bfloat16
costs."""
PAIRS, FEW = 5, 4
"""Every fifth pair of positions is measured, fewer where there are more than four coordinates."""


@dataclass(frozen=True)
class BiasBound:
    """The bound of one dtype.

    reach  the largest position of the domain, or less where a coordinate would overflow
    error  B, for |u| ≤ reach
    safe   the largest |u| at which B keeps the tolerance; 0 when only the reference does
    """

    dtype: str
    reach: float
    error: Polynomial
    tolerance: float
    safe: int

    @property
    def formula(self) -> str:
        """B as text, coefficients rounded upwards, in units of the roundoff of the dtype."""
        return formula(self.error, self.dtype, unit=FORMATS[self.dtype].unit_roundoff)


def bias_bound(
    kernel: Kernel, plan: KernelPlan, dtype: str, *, tolerance: float | None = None
) -> BiasBound:
    """Bound what the appended coordinates lose, and say how far they are safe.

    The tolerance is an absolute error of a logit, by default `LOGIT_TOLERANCE`.

    >>> from numeric_check.kernels.kernel import compile_kernel
    >>> from symbolic_pe.emit.plan import plan_kernel
    >>> from symbolic_pe.encodings.catalogue import catalogue
    >>> from symbolic_pe.production import emit
    >>> encoding = catalogue("alibi", {"dim": 4, "heads": 2})
    >>> kernel, plan = compile_kernel(emit(encoding)), plan_kernel(encoding)
    >>> bias_bound(kernel, plan, "bfloat16").safe
    256

    Parameters lie in their `declared_box`. Raises `NotYetCovered` for kernels without such
    coordinates, and for what `rounding_bound` does not cover.
    """
    if not plan.augmentations:
        raise NotYetCovered("the kernel appends no coordinates")
    limit = LOGIT_TOLERANCE if tolerance is None else tolerance
    if not (limit > 0 and math.isfinite(limit)):
        raise SpecificationError(f"tolerance: expected a positive number, got {tolerance}")
    if dtype not in DTYPES:
        raise SpecificationError(f"dtype: expected one of {', '.join(DTYPES)}, got {dtype!r}")
    terms = bias_terms(plan)
    domain = plan.encoding.domain.max_position
    reach = domain
    if _error(kernel, plan, terms, dtype, domain) is None:  # a coordinate would overflow
        reach = _largest(lambda u: _error(kernel, plan, terms, dtype, u) is not None, domain)

    def inside(u: int) -> bool:
        found = _error(kernel, plan, terms, dtype, u)
        return found is not None and upward.value(found, float(u)) <= limit

    error = _error(kernel, plan, terms, dtype, reach) if reach else None
    far = _error(kernel, plan, terms, dtype, FURTHEST) if _is_almost_periodic(terms) else None
    if far is not None:  # one bound serves every reach
        safe = max(0, int(largest_within(far, limit, float(FURTHEST))))
    else:
        safe = _largest(inside, FURTHEST)
    return BiasBound(dtype, float(reach), error or upward.NOTHING, limit, safe)


def _is_almost_periodic(terms: Sequence[Sequence[RealTerm]]) -> bool:
    """Whether there are neither powers of the position nor exponentials, but waves."""
    flat = [t for head in terms for t in head]
    return any(t.wave for t in flat) and not any(t.power or not t.rate.is_zero() for t in flat)


def _largest(holds: Callable[[int], bool], high: int) -> int:
    """The largest number below `high` up to which a property holds; 0 when it does not at 1."""
    low = 0
    while high - low > 1:
        middle = _between(low, high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def measure_bias(kernel: Kernel, plan: KernelPlan, bound: BiasBound) -> float:
    """The largest measured error of the appended coordinates over B; above 1, B is refuted.

    The products of the coordinates are summed exactly, so nothing but the coordinates is measured.
    """
    values = points_in(plan, declared_box(plan))[0] if plan.parameters else {}
    given = [values[name] for name in plan.parameters]
    limit = int(bound.reach)
    whole = {0, 1, limit, *(2**k + o for k in range(1, 53) for o in (-1, 0, 1))}
    positions = sorted(t for t in whole if t <= limit)
    positions += [-t for t in positions[1:]]
    shape = (len(positions), plan.dimension)
    x = np.zeros(shape if plan.heads == 1 else (plan.heads, *shape), DTYPE_OF[bound.dtype])
    query, key = (
        function(x, np.array(positions), *given).astype(np.float64)[..., plan.dimension :]
        for function in (kernel.transform_query, kernel.transform_key)
    )
    query, key = (a.reshape(plan.heads, len(positions), -1) for a in (query, key))
    if not (np.isfinite(query).all() and np.isfinite(key).all()):
        return math.inf
    worst = 0.0
    step = PAIRS * max(1, query.shape[-1] // FEW)
    for head, terms in enumerate(bias_terms(plan, exact_values(values))):
        with precision(BITS):
            balls = BiasBalls(terms)
        for i, t in enumerate(positions):
            for j in range(i % step, len(positions), step):
                s = positions[j]
                pairs = zip(query[head, i], key[head, j], strict=True)
                product = sum((exact_number(a) * exact_number(b) for a, b in pairs), fmpq(0))
                with precision(BITS):
                    exact, _ = balls.at(fmpq(t - s))
                    error = upward.above(arb(product) - exact)
                allowed = upward.value(bound.error, float(max(abs(t), abs(s))))
                rounding = float(2.0**-BITS) * float(abs(exact) + 1)  # of the ball itself
                if error > rounding:
                    worst = max(worst, error / allowed if allowed else math.inf)
    return worst


def _between(low: int, high: int) -> int:
    """Halve the number of digits first: answers differ by many orders of magnitude."""
    if high > 4 * max(low, 1):
        return 1 << ((low.bit_length() + high.bit_length()) // 2)
    return (low + high) // 2


def _error(
    kernel: Kernel,
    plan: KernelPlan,
    terms: Sequence[Sequence[RealTerm]],
    dtype: str,
    reach: int,
) -> Polynomial | None:
    """B for |u| ≤ reach, the largest over the heads; None where a coordinate would overflow."""
    model = Model(float(reach), integers=plan.encoding.domain.time == "integer")
    d = plan.dimension
    box = Box.of(declared_box(plan), window_exponent(FORMATS[dtype]))
    given = [parameter(name, box) for name in plan.parameters]
    try:
        with np.errstate(all="ignore"):
            query, key = (
                run_side(kernel, plan, dtype, side, model, *given)[:, d:] for side in FORMS[MAPS]
            )
        sizes = [model.size(x).constant for row in (*query, *key) for x in row]
        if max(sizes, default=0.0) > FORMATS[dtype].largest:
            return None
        largest: Polynomial = upward.NOTHING
        for head in range(plan.heads):
            found = _of_head((terms[head], box), list(query[head]), list(key[head]), float(reach))
            largest = upward.largest(largest, found)
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no bound of the bias: {error}") from None
    return largest


def _of_head(
    declared: tuple[Sequence[RealTerm], Box],
    query: Sequence[Rounded],
    key: Sequence[Rounded],
    reach: float,
) -> Polynomial:
    total: Polynomial = upward.NOTHING
    for q, k in zip(query, key, strict=True):
        q_size, k_size = (_polynomial(majorant.of_value(x.value), reach) for x in (q, k))
        q_away, k_away = (_away(x, reach) for x in (q, k))
        for a, b in ((q_size, k_away), (q_away, k_size), (q_away, k_away)):
            total = upward.add(total, upward.product(a, b))
    found = of_lag(query, key)
    return upward.add(total, absolutely_away(found, declared, 2.0, reach))


def _away(x: Rounded, reach: float) -> Polynomial:
    constant = (x.tiny,) if x.tiny else upward.NOTHING
    return upward.add(_polynomial(x.absolute(), reach), constant)


def _polynomial(a: Majorant, reach: float) -> Polynomial:
    """Above a for |u| ≤ reach; waves are at most 1, and exponentials what they are there."""
    total: Polynomial = upward.NOTHING
    for given, weight in a.items():
        term, c = majorant.plain(given, weight)
        if term.input != NO_INPUT:
            raise LeavesTheRing("a coordinate depends on the input")
        grown = upward.exponential(majorant.largest_exponent(term.rate, reach))
        size = c if term.rate == majorant.ZERO else upward.times(c, grown)
        total = upward.add(total, upward.shift((size,), term.power))
    return total


__all__ = ["LOGIT_TOLERANCE", "BiasBound", "bias_bound", "measure_bias"]
