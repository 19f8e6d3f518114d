"""The first lag at which κ(m) = Σ w_k e^{a_k m} cos(mθ_k) is negative, with both signs certified.

Many lags at once in float64, with an error bound that rests on IEEE 754 alone:

  * frequencies are integers F_k with |F_k/2⁶⁴ − θ_k/2π| ≤ 2⁻⁶⁵ turns, so that m·F_k mod 2⁶⁴ is
    exact and off by at most m·2⁻⁶⁵ turns;
  * the top 12 bits of the phase choose an entry of a table of correctly rounded cosines and sines;
    the other 52 are exact in float64, and two short Taylor polynomials do the rest;
  * decay factors are products of three table entries.

Signs of lags whose value is not clear of the bound are decided by balls, and exact zeros by
algebra.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from symbolic_pe.algebra.scalar import DECISION_PRECISIONS, precision
from symbolic_pe.errors import Undecided
from symbolic_pe.spectrum.kernel import Component, PositionalKernel
from symbolic_pe.spectrum.zeros import is_exact_zero, sign_period

Array = NDArray[Any]

UNIT = 2.0**-53
TABLE_BITS = 12
CHUNK = 1 << 14
BLOCK = 1 << 7
DEFAULT_LIMIT = 1 << 20
CLEAR = 192
"""Bits at which a kernel that still contains 0 is asked for an exact zero."""


@dataclass(frozen=True)
class Window:
    """The first lag m ≥ 1 with κ(m) < 0.

    lag      the lag, or None when there is none up to `limit`
    value    enclosure of κ at the lag
    before   enclosure of κ one lag before; no lag before is negative
    limit    how far was looked
    reason   why there is none at any lag, where that is proved
    zero     the first lag on the way where κ is exactly 0, decided by algebra
    """

    lag: int | None
    value: arb | None
    before: arb | None
    limit: int
    reason: str = ""
    zero: int | None = None


def first_negative_lag(kernel: PositionalKernel, limit: int = DEFAULT_LIMIT) -> Window:
    """Look from lag 1 to `limit`, and no further than one period.

    Raises `Undecided` when the sign of one lag on the way is not decided.
    """
    never = _never(kernel)
    if never:
        return Window(None, None, None, limit, never)
    cycle = sign_period(kernel)
    last = limit if cycle is None else min(limit, cycle)
    zero: int | None = None
    for lags, values, errors in chunks(kernel, last):
        for index in np.flatnonzero(values <= errors):
            lag = int(lags[index])
            value = sign_or_zero(kernel, lag)
            if value is None:
                zero = zero or lag
            elif value < 0:
                with precision(128):
                    before = arb(0) if zero == lag - 1 else kernel.value(lag - 1)
                    return Window(lag, value, before, limit, zero=zero)
    reason = (
        f"signs repeat every {cycle} lags, and none of these is negative" if last == cycle else ""
    )
    return Window(None, None, None, limit, reason, zero)


def _never(kernel: PositionalKernel) -> str:
    """Why κ is nowhere negative, where one line shows it."""
    turning = [c for c in kernel.components if c.turns]
    if not turning:
        return "nothing turns: every term is positive at every lag"
    steady = [c for c in kernel.components if not c.turns]
    lasting = [s for s in steady if all(_lasts(s, c) for c in turning)]
    mass = sum((s.mass for s in lasting), start=fmpq(0))
    if mass >= fmpq(1, 2):
        return (
            f"what does not turn has mass {mass} >= 1/2 and fades no faster, and the rest is at "
            "least minus its own mass"
        )
    return ""


def _lasts(steady: Component, turning: Component) -> bool:
    """Whether the rate of the first is at least that of the second."""
    if steady.rate.text == turning.rate.text:
        return True
    with precision(128):
        return bool(steady.rate.enclosure() >= turning.rate.enclosure())


def kernel_sign(kernel: PositionalKernel, lag: int) -> arb:
    """κ(m) as a ball that excludes 0. Raises `Undecided`."""
    for bits in DECISION_PRECISIONS:
        with precision(bits):
            value = kernel.value(lag)
            if not value.contains(0):
                return value
    raise Undecided(f"the sign of the kernel at lag {lag}: 0 to {DECISION_PRECISIONS[-1]} bits")


def sign_or_zero(kernel: PositionalKernel, lag: int) -> arb | None:
    """κ(m) as a ball that excludes 0, or None where it is 0. Raises `Undecided`."""
    with precision(CLEAR):
        value = kernel.value(lag)
    if not value.contains(0):
        return value
    try:
        zero = is_exact_zero(kernel, lag)
    except Undecided as unknown:
        try:
            return kernel_sign(kernel, lag)
        except Undecided as error:
            raise Undecided(f"{error}, and algebra does not decide it: {unknown}") from None
    return None if zero else kernel_sign(kernel, lag)


def chunks(kernel: PositionalKernel, limit: int) -> Iterator[tuple[Array, Array, Array]]:
    """Lags 1 … limit in order, κ(m)·e^{−am} for the slowest rate a, and bounds of the errors."""
    evaluator = Evaluator.of(kernel)
    for start in range(1, limit + 1, CHUNK):
        lags = np.arange(start, min(start + CHUNK, limit + 1), dtype=np.uint64)
        yield lags, *evaluator.values(lags)


@dataclass(frozen=True)
class Evaluator:
    """Fixed-point turns, weights and scaled rates of Σ w_k e^{a_k m} cos(mθ_k)."""

    turns: tuple[int, ...]
    weights: tuple[float, ...]
    rates: tuple[arb | None, ...]

    @classmethod
    def of(cls, kernel: PositionalKernel) -> Evaluator:
        """With the largest rate taken out, which changes no sign."""
        with precision(256):
            parts = kernel.components
            rates = [c.rate.enclosure() if c.rate_sign else arb(0) for c in parts]
            slowest = max(range(len(parts)), key=lambda i: float(rates[i].mid()))
            same = [c.rate.text == parts[slowest].rate.text for c in parts]
            return cls(
                tuple(fixed_point(c.frequency.enclosure()) if c.turns else 0 for c in parts),
                tuple(int(c.mass.p) / int(c.mass.q) for c in parts),
                tuple(
                    None if equal else rate - rates[slowest]
                    for equal, rate in zip(same, rates, strict=True)
                ),
            )

    def values(self, lags: Array) -> tuple[Array, Array]:
        """The sum at every lag, and a bound of its error."""
        total = np.zeros(len(lags))
        for turns, weight, rate in zip(self.turns, self.weights, self.rates, strict=True):
            term = weight * cosines(np.uint64(turns) * lags)
            if rate is not None:
                term *= _decay(rate, lags)
            total += term
        return total, self.error(lags)

    def error(self, lags: Array) -> Array:
        """2⁻⁴⁹ of a cosine, 2π·m·2⁻⁶⁵ of its phase, and the roundings of P weights and sums."""
        rounding = 2.0**-49 + (2 * len(self.turns) + 16) * UNIT
        bound: Array = rounding * 1.01 + lags.astype(np.float64) * 2.0**-62
        return bound


def fixed_point(frequency: arb) -> int:
    """The integer F in [0, 2⁶⁴) nearest to 2⁶⁴·θ/2π modulo 2⁶⁴."""
    scaled = frequency / (2 * arb.pi()) * (1 << 64)
    return int((scaled.mid() + arb(fmpq(1, 2))).floor().unique_fmpz()) % (1 << 64)


@lru_cache(maxsize=1)
def _table() -> tuple[Array, Array]:
    """cos and sin of 2πk/4096, correctly rounded but for ties of the last ball."""
    with precision(128):
        pairs = [arb.sin_cos_pi_fmpq(fmpq(2 * k, 1 << TABLE_BITS)) for k in range(1 << TABLE_BITS)]
        return (
            np.array([float(c.mid()) for _, c in pairs]),
            np.array([float(s.mid()) for s, _ in pairs]),
        )


def cosines(phases: Array) -> Array:
    """cos(2π·p/2⁶⁴) of integer phases, within 2⁻⁴⁹.

    With δ < 2π/4096 the series leave δ⁶/720 and δ⁷/5040, below 2⁻⁶⁵; the table, δ and a dozen
    operations of size at most 1 are each off by at most one unit roundoff 2⁻⁵³.
    """
    cosine, sine = _table()
    index = (phases >> np.uint64(64 - TABLE_BITS)).astype(np.intp)
    rest = phases & np.uint64((1 << (64 - TABLE_BITS)) - 1)
    delta = rest.astype(np.float64) * (2 * np.pi * 2.0**-64)
    square = delta * delta
    small = delta * (1.0 - square * (1 / 6 - square * (1 / 120)))
    fall = square * (0.5 - square * (1 / 24))
    c = cosine[index]
    found: Array = c - (c * fall + sine[index] * small)
    return found


def _decay(rate: arb, lags: Array) -> Array:
    """e^{am} for a < 0 as a product of three correctly rounded factors."""
    low, middle, high = _decay_tables(rate, int(lags[-1]))
    integers = lags.astype(np.int64)
    found: Array = (
        low[integers % BLOCK]
        * middle[integers // BLOCK % BLOCK]
        * high[integers // (BLOCK * BLOCK)]
    )
    return found


def _decay_tables(rate: arb, largest: int) -> tuple[Array, Array, Array]:
    with precision(128):
        return (
            _exponentials(rate, BLOCK),
            _exponentials(rate * BLOCK, BLOCK),
            _exponentials(rate * BLOCK * BLOCK, largest // (BLOCK * BLOCK) + 1),
        )


def _exponentials(rate: arb, count: int) -> Array:
    return np.array([float((rate * j).exp().mid()) for j in range(count)])


def weights_of(numbers: Sequence[float]) -> list[fmpq]:
    """Measured weights as the dyadic rationals that they are."""
    return [fmpq(*float(x).as_integer_ratio()) for x in numbers]
