"""How far the coordinates that realise a bias may be off, in each dtype.

A kernel with an additive bias appends coordinates q_a(u_q), k_a(u_k) to queries and keys, with
q_aᵀk_a = bias(t − s). They hold positions in the dtype of x, and cancel: the loss is absolute,

    |q̂_aᵀk̂_a − bias(t − s)| ≤ B(|u|),     |u| the larger of |t − c| and |s − c|,

before the products are rounded, which is up to the attention kernel. On integer positions a
multiple m·u^k is exact while (odd part of m)·|u|^k ≤ 2^p, p the bits of the dtype.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import DTYPES, FORMATS
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.blocks import FORMS, MAPS
from numeric_check.rounding.bound import COVERS_NO_MORE, run_side
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.formula import formula
from numeric_check.rounding.majorant import NO_INPUT, Majorant
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered, SpecificationError

BITS = 160
FURTHEST = 2**52
LOGIT_TOLERANCE = 2.0**-7
"""Absolute error of a logit that `safe` allows unless told otherwise.

An attention weight then changes by a factor of at most e^τ, by 0.8 %: what storing it in bfloat16
costs."""
PAIRS = 5


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

    Raises `NotYetCovered` for kernels without such coordinates, for biases that are no
    polynomials, and for what `rounding_bound` does not cover.
    """
    if not plan.augmentations:
        raise NotYetCovered("the kernel appends no coordinates")
    limit = LOGIT_TOLERANCE if tolerance is None else tolerance
    if not (limit > 0 and math.isfinite(limit)):
        raise SpecificationError(f"tolerance: expected a positive number, got {tolerance}")
    if dtype not in DTYPES:
        raise SpecificationError(f"dtype: expected one of {', '.join(DTYPES)}, got {dtype!r}")
    domain = plan.encoding.domain.max_position
    reach = domain
    if _error(kernel, plan, dtype, domain) is None:  # a coordinate would overflow
        reach = _largest(lambda u: _error(kernel, plan, dtype, u) is not None, domain)

    def inside(u: int) -> bool:
        found = _error(kernel, plan, dtype, u)
        return found is not None and upward.value(found, float(u)) <= limit

    error = _error(kernel, plan, dtype, reach) if reach else None
    safe = _largest(inside, FURTHEST)
    return BiasBound(dtype, float(reach), error or upward.NOTHING, limit, safe)


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
    limit = int(bound.reach)
    whole = {0, 1, limit, *(2**k + o for k in range(1, 53) for o in (-1, 0, 1))}
    positions = sorted(t for t in whole if t <= limit)
    positions += [-t for t in positions[1:]]
    shape = (len(positions), plan.dimension)
    x = np.zeros(shape if plan.heads == 1 else (plan.heads, *shape), DTYPE_OF[bound.dtype])
    query, key = (
        function(x, np.array(positions)).astype(np.float64)[..., plan.dimension :]
        for function in (kernel.transform_query, kernel.transform_key)
    )
    query, key = (a.reshape(plan.heads, len(positions), -1) for a in (query, key))
    if not (np.isfinite(query).all() and np.isfinite(key).all()):
        return math.inf
    worst = 0.0
    for head, added in enumerate(plan.augmentations):
        for i, t in enumerate(positions):
            for j in range(i % PAIRS, len(positions), PAIRS):
                s = positions[j]
                pairs = zip(query[head, i], key[head, j], strict=True)
                product = sum((exact_number(a) * exact_number(b) for a, b in pairs), fmpq(0))
                with precision(BITS):
                    exact = added.bias.ball({"t": arb(t - s)}, {}).real
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


def _error(kernel: Kernel, plan: KernelPlan, dtype: str, reach: int) -> Polynomial | None:
    """B for |u| ≤ reach, the largest over the heads; None where a coordinate would overflow."""
    model = Model(float(reach), integers=plan.encoding.domain.time == "integer")
    d = plan.dimension
    try:
        with np.errstate(all="ignore"):
            query, key = (run_side(kernel, plan, dtype, side, model)[:, d:] for side in FORMS[MAPS])
        sizes = [model.size(x).constant for row in (*query, *key) for x in row]
        if max(sizes, default=0.0) > FORMATS[dtype].largest:
            return None
        largest: Polynomial = upward.NOTHING
        for head in range(plan.heads):
            found = _of_head(plan, head, list(query[head]), list(key[head]))
            largest = upward.largest(largest, found)
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no bound of the bias: {error}") from None
    return largest


def _of_head(
    plan: KernelPlan, head: int, query: Sequence[Rounded], key: Sequence[Rounded]
) -> Polynomial:
    total: Polynomial = upward.NOTHING
    for q, k in zip(query, key, strict=True):
        q_size, k_size = (_polynomial(majorant.of_value(x.value)) for x in (q, k))
        q_away, k_away = (_away(x) for x in (q, k))
        for a, b in ((q_size, k_away), (q_away, k_size), (q_away, k_away)):
            total = upward.add(total, _product(a, b))
    return upward.add(total, _constants_away(plan.augmentations[head].bias, query, key))


def _constants_away(
    bias: ExponentialPolynomial, query: Sequence[Rounded], key: Sequence[Rounded]
) -> Polynomial:
    """The bias of the constants in the text against the declared one, at lags up to 2|u|.

    Coefficient by coefficient.
    """
    found = _of_lag(query, key)
    away: Polynomial = upward.NOTHING
    with precision(BITS):
        declared: dict[int, arb] = {}
        for key_, c in bias.terms.items():
            if any(not e.is_zero() for e in key_.exponents) or c.im.terms:
                raise LeavesTheRing("the bias has waves or exponentials")
            declared[key_.powers[0]] = c.re.ball({})
        for power in {*found, *declared}:
            difference = declared.get(power, arb(0)) - arb(found.get(power, fmpq(0)))
            size = upward.times(upward.above(difference), upward.power(2.0, power))
            away = upward.add(away, upward.shift((size,), power))
    return away


def _of_lag(query: Sequence[Rounded], key: Sequence[Rounded]) -> dict[int, fmpq]:
    """The polynomial b with Σ qᵢ(u)·kᵢ(v) = b(u − v), for the constants in the text.

    The coefficient of u^i·v^j is (−1)^j·binomial(i + j, j) times that of b.
    """
    joint: dict[tuple[int, int], fmpq] = {}
    for q, k in zip(query, key, strict=True):
        for (term, c), (other, d) in itertools.product(q.value.items(), k.value.items()):
            place = (term.power, other.power)
            joint[place] = joint.get(place, fmpq(0)) + c * d
    found = {i: c for (i, j), c in joint.items() if j == 0}
    degree = max((i + j for i, j in joint), default=0)
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            expected = found.get(i + j, fmpq(0)) * math.comb(i + j, j) * (-1) ** j
            if joint.get((i, j), fmpq(0)) != expected:
                raise LeavesTheRing("the coordinates are no function of the lag")
    return found


def _away(x: Rounded) -> Polynomial:
    constant = (x.tiny,) if x.tiny else upward.NOTHING
    return upward.add(_polynomial(x.absolute()), constant)


def _polynomial(a: Majorant) -> Polynomial:
    total: Polynomial = upward.NOTHING
    for term, c in a.items():
        if term.input != NO_INPUT or term.rate != majorant.ZERO or term.wave is not None:
            raise LeavesTheRing("a coordinate is no polynomial in the position")
        total = upward.add(total, upward.shift((c,), term.power))
    return total


def _product(p: Polynomial, q: Polynomial) -> Polynomial:
    total: Polynomial = upward.NOTHING
    for power, c in enumerate(p):
        total = upward.add(total, upward.shift(upward.scale(q, c), power))
    return total


__all__ = ["LOGIT_TOLERANCE", "BiasBound", "bias_bound", "measure_bias"]
