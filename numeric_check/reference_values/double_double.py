"""Arrays of unevaluated sums high + low of two binary64 numbers: about 106 bits.

They carry midpoints of balls into NumPy, so that an error of one unit in the last place of
binary64 can still be measured to a hundredth of a unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb

Array = npt.NDArray[np.float64]

MULTIPLICATION_ERROR = 2.0**-100
"""Relative error of `multiply`: the dropped low·low term and three roundings of 2⁻⁵³·2⁻⁵³ each."""

_SPLITTER = 2.0**27 + 1.0


@dataclass(frozen=True)
class DoubleDouble:
    """high + low with |low| ≤ ulp(high)/2, elementwise."""

    high: Array
    low: Array

    @classmethod
    def from_balls(cls, balls: Sequence[arb], shape: tuple[int, ...]) -> DoubleDouble:
        """Midpoints; values beyond the range of binary64, or of balls, become infinite."""
        high = np.array([float(x) if x.is_finite() else np.inf for x in balls], dtype=np.float64)
        low = np.array(
            [
                float(x.mid() - h) if np.isfinite(h) else 0.0
                for x, h in zip(balls, high.tolist(), strict=True)
            ],
            dtype=np.float64,
        )
        return cls(high.reshape(shape), low.reshape(shape))

    def __getitem__(self, index: Any) -> DoubleDouble:
        return DoubleDouble(self.high[index], self.low[index])

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, -self.low)

    def transpose_last(self) -> DoubleDouble:
        """Exchange the last two axes."""
        return DoubleDouble(self.high.swapaxes(-1, -2), self.low.swapaxes(-1, -2))

    def subtracted_from(self, value: Array) -> Array:
        """value − (high + low), rounded once where value is near high."""
        with np.errstate(all="ignore"):
            result: Array = (value - self.high) - self.low
        return result


def multiply(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """a·b with relative error below `MULTIPLICATION_ERROR`, wherever the product is normal.

    Dekker's product on mantissas in [1/2, 1), so that splitting cannot overflow.
    """
    with np.errstate(all="ignore"):
        x, p = np.frexp(a.high)
        y, q = np.frexp(b.high)
        x_low, y_low = np.ldexp(a.low, -p), np.ldexp(b.low, -q)
        product = x * y
        x1, x2 = _split(x)
        y1, y2 = _split(y)
        error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2
        error = error + (x * y_low + x_low * y)
        high = product + error
        low = error - (high - product)
        scaled = DoubleDouble(np.ldexp(high, p + q), np.ldexp(low, p + q))
    return scaled


def _split(x: Array) -> tuple[Array, Array]:
    scaled = _SPLITTER * x
    upper = scaled - (scaled - x)
    return upper, x - upper


def add(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """a + b; the error is below 2⁻¹⁰⁰·(|a| + |b|), Knuth's exact sum of the high parts."""
    with np.errstate(all="ignore"):
        total = a.high + b.high
        virtual = total - a.high
        error = (a.high - (total - virtual)) + (b.high - virtual) + (a.low + b.low)
        high = total + error
        return DoubleDouble(high, error - (high - total))


def contract(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """Σ_k a[..., i, k]·b[..., k, j], leading axes broadcast."""
    total: DoubleDouble | None = None
    for k in range(a.high.shape[-1]):
        term = multiply(a[..., :, k, None], b[..., None, k, :])
        total = term if total is None else add(total, term)
    if total is None:
        raise ValueError("expected at least one term")
    return total
