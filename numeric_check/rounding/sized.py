"""A number of a text of positions: how far it is off, relative to a size of it.

    |v̂ − v| ≤ ε(N)·S(v)      for all positions of magnitude at most N ≤ reach

S is the value with the terms of sums in absolute value, 1 + |log y| for log y, and 1 for cos and
sin. ε, the range and the ratio of S to |v| are about all positions and all learned numbers; the
value, a ball, and S are those at the positions and learned numbers at which the text is executed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flint import arb

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding import upward
from numeric_check.rounding.formats import INTEGER, relative_error_of_library
from numeric_check.rounding.upward import NOTHING, Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing

EXACT_TO = 2.0**53
"""Whole numbers up to here are numbers of float64."""
UNKNOWN = math.inf
NO_BOUND = "the text computes with whole numbers that have no bound"


@dataclass(frozen=True, slots=True)
class Sized:
    """See the module.

    error      ε, a polynomial in N
    low, high  the range of the value
    ratio      the largest S/|v|; 1 where nothing cancels, ∞ where it is not known
    bound      S as a polynomial in N, where it is known for all learned numbers
    whole      a whole number, exactly
    role       `query` or `key` for a position of a bias as it is given
    """

    value: arb
    size: float
    error: Polynomial = NOTHING
    low: float = -math.inf
    high: float = math.inf
    ratio: float = UNKNOWN
    bound: Polynomial | None = None
    whole: bool = False
    role: str = ""

    @property
    def exact(self) -> bool:
        """Whether the number that the text has is the value."""
        return not any(self.error)

    def __neg__(self) -> Sized:
        return replace(self, value=-self.value, low=-self.high, high=-self.low, role="")


def constant(x: object, exact: arb | None = None) -> Sized:
    """A number that stands in the text, in place of an exact one where that is known."""
    held = arb(exact_number(x))
    value = held if exact is None else exact
    size = upward.above(value)
    away = upward.above(held - value) if exact is not None else 0.0
    if away:
        least = upward.down(upward.down(float(abs(value).lower())))
        away = upward.up(away / least) if least else math.inf
    error = (away,) if away else NOTHING
    low, high = float(value.lower()), float(value.upper())
    low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    if exact is None:
        low = high = float(x)  # type: ignore[arg-type]
    whole = exact_number(x).q == 1 and not away and size < EXACT_TO
    return Sized(value, size, error, low, high, 1.0, (size,), whole)


def learned(x: object, *, positive: bool) -> Sized:
    """A learned number of float64."""
    value = arb(exact_number(x))
    return Sized(value, upward.above(value), low=0.0 if positive else -math.inf, ratio=1.0)


def place(x: object, *, whole: bool, role: str = "") -> Sized:
    """A position."""
    value = arb(exact_number(x))
    size = upward.above(value)
    return Sized(value, size, ratio=1.0, bound=(0.0, 1.0), whole=whole, role=role)


def of_all(picked: Sized, entries: Sequence[Sized]) -> Sized:
    """An entry that was picked, with what holds of every one that may be."""
    error: Polynomial = NOTHING
    bound: Polynomial | None = NOTHING
    for x in entries:
        error = upward.largest(error, x.error)
        bound = None if bound is None or x.bound is None else upward.largest(bound, x.bound)
    return replace(
        picked,
        error=error,
        low=min(x.low for x in entries),
        high=max(x.high for x in entries),
        ratio=max(x.ratio for x in entries),
        bound=bound,
        whole=all(x.whole for x in entries),
    )


@dataclass(frozen=True)
class SizedModel:
    """Arithmetic with every rounding, for positions of magnitude at most `reach`.

    later  a difference of two positions is not negative
    """

    reach: float
    later: bool = False

    def rounded(self, a: Sized, dtype: str) -> Sized:
        """One rounding to nearest, apart from underflow."""
        u = FORMATS[dtype].unit_roundoff
        return replace(a, error=upward.add(a.error, (upward.times(u, self._grown(a.error)),)))

    def _grown(self, p: Polynomial) -> float:
        return upward.plus(1.0, upward.value(p, self.reach))

    def largest(self, a: Sized) -> float:
        """ε at the reach."""
        return upward.value(a.error, self.reach)

    # -- arithmetic -------------------------------------------------------------------------------

    def add(self, a: Sized, b: Sized, dtype: str) -> Sized:
        """fl(â + b̂): of exact numbers, relative to their sum."""
        value = a.value + b.value
        bound = None if a.bound is None or b.bound is None else upward.add(a.bound, b.bound)
        low, high = _up_or_down(a.low + b.low, -1), _up_or_down(a.high + b.high, 1)
        if a.exact and b.exact:
            found = Sized(value, upward.above(value), NOTHING, low, high, 1.0, bound)
            return self._whole_or_rounded(found, a.whole and b.whole, dtype)
        same_sign = min(a.low, b.low) >= 0 or max(a.high, b.high) <= 0
        ratio = max(a.ratio, b.ratio) if same_sign else UNKNOWN
        size, error = upward.plus(a.size, b.size), upward.largest(a.error, b.error)
        return self.rounded(Sized(value, size, error, low, high, ratio, bound), dtype)

    def subtract(self, a: Sized, b: Sized, dtype: str) -> Sized:
        """fl(â − b̂); of two positions, not negative where the text is about later queries."""
        found = self.add(a, -b, dtype)
        if self.later and (a.role, b.role) == ("query", "key") and a.exact and b.exact:
            value = found.value if a.value >= b.value else arb(0)  # nobody reads those before
            return replace(found, value=value, size=upward.above(value), low=0.0)
        return found

    def multiply(self, a: Sized, b: Sized, dtype: str) -> Sized:
        """fl(â·b̂)."""
        value, size = a.value * b.value, upward.times(a.size, b.size)
        bound = None if a.bound is None or b.bound is None else upward.product(a.bound, b.bound)
        error = upward.add(upward.scale(a.error, self._grown(b.error)), b.error)
        corners = [_corner(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = _up_or_down(min(corners), -1), _up_or_down(max(corners), 1)
        ratio = upward.times(a.ratio, b.ratio)
        found = Sized(value, size, error, low, high, ratio, bound)
        return self._whole_or_rounded(found, a.whole and b.whole, dtype)

    def _whole_or_rounded(self, a: Sized, whole: bool, dtype: str) -> Sized:
        """A sum or product of whole numbers is one, and exact where float64 holds all of them."""
        if whole and self._holds(a.bound, dtype):
            return replace(a, whole=True)
        if dtype == INTEGER:
            raise LeavesTheRing(NO_BOUND)
        return self.rounded(a, dtype)

    def _holds(self, bound: Polynomial | None, dtype: str) -> bool:
        """Whether whole numbers of that size are numbers of the dtype."""
        largest = math.inf if bound is None else upward.value(bound, self.reach)
        return dtype in ("float64", INTEGER) and largest <= EXACT_TO

    def divide(self, a: Sized, b: Sized, dtype: str) -> Sized:
        """fl(â/b̂), where the divisor keeps away from 0: it is off by δ of itself."""
        if b.low <= 0.0 <= b.high:
            raise LeavesTheRing("the text divides by what may be 0")
        away, factor = self._relatively(b, "divides")
        error = upward.scale(upward.add(a.error, away), factor)
        size = upward.up(a.size / upward.down(float(abs(b.value).lower())))
        least = min(abs(b.low), abs(b.high))
        bound = None if a.bound is None else upward.scale(a.bound, upward.up(1.0 / least))
        ratio = a.ratio
        low, high = (0.0, math.inf) if min(a.low, b.low) >= 0 else (-math.inf, math.inf)
        return self.rounded(Sized(a.value / b.value, size, error, low, high, ratio, bound), dtype)

    def _relatively(self, a: Sized, verb: str) -> tuple[Polynomial, float]:
        """δ with â = a(1 + δ), and 1/(1 − δ)."""
        if not math.isfinite(a.ratio) and not a.exact:
            raise LeavesTheRing(f"the text {verb} by what may be off by more than it is")
        away = upward.scale(a.error, a.ratio) if not a.exact else NOTHING
        worst = upward.value(away, self.reach)
        if worst >= 0.5:
            raise LeavesTheRing(f"the text {verb} by what may be off by half of it")
        return away, upward.up(1.0 / upward.down(1.0 - worst))

    def sum(self, parts: Sequence[Sized], dtype: str) -> Sized:
        """Σ âᵢ in any order; of whole numbers, exactly."""
        first, *others = parts
        value, size, error, bound = first.value, first.size, first.error, first.bound
        for x in others:
            value, size = value + x.value, upward.plus(size, x.size)
            error = upward.largest(error, x.error)
            bound = None if bound is None or x.bound is None else upward.add(bound, x.bound)
        if all(x.whole for x in parts) and self._holds(bound, dtype):
            return Sized(value, size, bound=bound, ratio=1.0, whole=True)
        if dtype == INTEGER:
            raise LeavesTheRing(NO_BOUND)
        ratio = max(x.ratio for x in parts) if min(x.low for x in parts) >= 0 else UNKNOWN
        once = upward.plus(1.0, FORMATS[dtype].unit_roundoff)
        growth = upward.plus(upward.power(once, len(parts) - 1), -1.0)
        error = upward.add(error, (upward.times(growth, self._grown(error)),))
        return Sized(value, size, error, ratio=ratio, bound=bound)

    # -- choices ----------------------------------------------------------------------------------

    def larger(self, a: Sized, b: Sized) -> Sized:
        """max(â, b̂), which is off by no more than one of them."""
        if b.high <= a.low and b.exact:
            return a
        first = a.value if a.value >= b.value else b.value
        joined = self.either(a, b)
        exact = a.exact and b.exact
        size = upward.above(first) if exact else max(a.size, b.size)
        low, high = max(a.low, b.low), max(a.high, b.high)
        ratio = 1.0 if exact else UNKNOWN
        whole = a.whole and b.whole
        return replace(joined, value=first, size=size, low=low, high=high, ratio=ratio, whole=whole)

    def either(self, a: Sized, b: Sized) -> Sized:
        """The first one, with what holds of both."""
        bound = None if a.bound is None or b.bound is None else upward.largest(a.bound, b.bound)
        error = upward.largest(a.error, b.error)
        return Sized(
            a.value,
            a.size,
            error,
            min(a.low, b.low),
            max(a.high, b.high),
            max(a.ratio, b.ratio),
            bound,
            a.whole and b.whole,
        )

    def magnitude(self, a: Sized) -> Sized:
        """|â|."""
        high = max(abs(a.low), abs(a.high))
        return replace(a, value=abs(a.value), low=0.0, high=high, role="")

    def compared(self, a: Sized, b: Sized, holds: Callable[[arb, arb], bool]) -> Sized:
        """1 or 0. Only exact numbers are compared: others may lie on the other side."""
        if not (a.exact and b.exact):
            raise LeavesTheRing("the text compares numbers that are rounded")
        found = constant(1 if holds(a.value, b.value) else 0)
        return replace(found, low=0.0, high=1.0, bound=(1.0,))  # elsewhere it may be the other one

    def floor(self, a: Sized) -> Sized:
        """⌊a⌋ of an exact number that is not negative."""
        if not a.exact or a.low < 0.0:
            raise LeavesTheRing("the text takes the whole part of what is rounded or negative")
        found = a.value.floor()
        return Sized(found, upward.above(found), ratio=1.0, bound=a.bound, whole=True)

    # -- functions --------------------------------------------------------------------------------

    def log(self, a: Sized, dtype: str) -> Sized:
        """fl(log â): log(a(1 + δ)) is off by δ/(1 − δ)."""
        if not a.low > 0.0:
            raise LeavesTheRing("the text takes the logarithm of what may be 0 or negative")
        away, factor = self._relatively(a, "takes the logarithm of and measures")
        value = a.value.log()
        size = upward.plus(1.0, upward.above(value))
        low = math.log(a.low)
        low -= 2.0**-50 * (1.0 + abs(low))
        high = math.inf
        if math.isfinite(a.high):
            high = math.log(a.high)
            high += 2.0**-50 * (1.0 + abs(high))
        ratio = upward.up(1.0 + upward.up(1.0 / low)) if low > 0.0 else UNKNOWN
        found = Sized(value, size, upward.scale(away, factor), low, high, ratio)
        return self._from_library(found, dtype)

    def wave(self, a: Sized, dtype: str, part: str) -> Sized:
        """fl(cos â) or fl(sin â): off by what the angle is."""
        if a.bound is None:
            raise LeavesTheRing(f"the text takes {part} of what has no bound")
        error = upward.product(a.error, a.bound)
        found = Sized(getattr(a.value, part)(), 1.0, error, -1.0, 1.0, UNKNOWN, (1.0,))
        return self._from_library(found, dtype)

    def power(self, a: Sized, exponent: Sized, dtype: str) -> Sized:
        """fl(a^p) of exact numbers that are not negative."""
        if not (a.exact and exponent.exact) or a.low < 0.0:
            raise LeavesTheRing("the text raises numbers that are rounded, or negative")
        value = a.value**exponent.value if a.value != 0 else arb(0)
        found = Sized(value, upward.above(value), low=0.0, ratio=1.0)
        return self._from_library(found, dtype)

    def _from_library(self, a: Sized, dtype: str) -> Sized:
        own = relative_error_of_library(dtype)
        return replace(a, error=upward.add(a.error, (upward.times(own, self._grown(a.error)),)))


def _up_or_down(x: float, side: int) -> float:
    if not math.isfinite(x) or x == 0.0:
        return x
    return math.nextafter(x, side * math.inf)


def _corner(x: float, y: float) -> float:
    return 0.0 if 0.0 in (x, y) else x * y


__all__ = ["Sized", "SizedModel", "constant", "learned", "of_all", "place"]
