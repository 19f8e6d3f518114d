"""Arithmetic of errors relative to sums of magnitudes, for the texts of causal sums.

Of a number that carries query, key, value or state nothing is known but its error relative to the
sum of the sizes of what it was added up from: of a product errors multiply, of a sum the larger one
counts, and every rounding adds its own. Positions are t and s, one for all; what is subtracted is a
lag u, and numbers without an input, such as e^{au}, are executed as in any other text. A factor
e^{au} has to be that of a rate of the encoding, and how far its constant is off is its error too.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from flint import arb, fmpq

from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding import upward
from numeric_check.rounding.element import EXACT_POSITIONS, Model, Rounded, number, position
from numeric_check.rounding.majorant import LINEAR, NO_INPUT, ZERO, Term, number_of
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision

UNIT = {Term(0, 0, ZERO, None): fmpq(1)}
"""The value of every element that carries an input: nothing but its error is known."""
NOUGHT = number(0)
PLACE = position()
CHANNELS = 5
"""Size of the axis that stands for all channels; no run of positions has it."""
CLOSE = 2.0**-40
"""How far a rate of the text may be from one of the encoding, relative to 1 + |a|."""
BITS = 192


@dataclass(frozen=True)
class SumModel(Model):
    """See the module.

    rates     those that e^{a·lag} may have; without any the text takes no exponential
    channels  how many an axis of `CHANNELS` stands for
    """

    rates: tuple[Scalar, ...] = ()
    channels: int = CHANNELS
    known: dict[Any, Any] = field(default_factory=dict)
    shares: bool = True

    def data(self, error: float, dtype: str) -> Rounded:
        """A number of a format that is off by ε of the sum of its magnitudes, one object."""
        if not math.isfinite(error):
            raise LeavesTheRing("a number of the text may overflow")
        key = error, dtype
        if key not in self.known:
            self.known[key] = Rounded(UNIT, {}, (error,) if error else (), 0.0, dtype)
        found: Rounded = self.known[key]
        return found

    def new_stage(self, products: Any) -> Any:
        """Products of the input are no inputs of their own here."""
        return products

    def rounded(self, a: Rounded, dtype: str, *, flushes: bool = False) -> Rounded:
        """(1 + ε)(1 + u) − 1, unless the format holds the number."""
        own = super().rounded(a, dtype, flushes=flushes)
        if own is a or not carries_data(a):
            return own
        return self.data(once_more(self.error(a), dtype), dtype)

    def multiply(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """(1 + ε)(1 + ε′)(1 + u) − 1."""
        if 0 in (a.constant, b.constant):
            return NOUGHT
        if not (carries_data(a) or carries_data(b)):
            return super().multiply(a, b, dtype)
        return self.data(once_more(both(self.error(a), self.error(b)), dtype), dtype)

    def add(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """The larger one, once more; t − s is a lag, rounded once."""
        for one, other in ((a, b), (b, a)):
            if one.constant == 0:
                return self.rounded(other, dtype)
        if _is_place(a) and _is_place(-b) and dtype == EXACT_POSITIONS:
            return Rounded({LINEAR: fmpq(1)}, {}, (FORMATS[dtype].unit_roundoff,), 0.0, dtype)
        if any(t.input < NO_INPUT for x in (a, b) for t in x.value):
            raise LeavesTheRing("the text adds positions other than to form a lag")
        if not (carries_data(a) or carries_data(b)):
            return super().add(a, b, dtype)
        return self.data(once_more(max(self.error(a), self.error(b)), dtype), dtype)

    def sum(self, parts: list[Rounded], dtype: str) -> Rounded:
        """The largest one, through all sums but one, in any order."""
        objects = {id(p): p for p in parts}
        counted = Counter(map(id, parts))
        return self._summed([(objects[p], n) for p, n in counted.items()], len(parts), dtype)

    def dot(self, a: list[Rounded], b: list[Rounded], dtype: str) -> Rounded:
        """Σ âᵢb̂ᵢ in any order of summation, with or without fused operations."""
        objects = {id(x): x for x in (*a, *b)}
        counted = Counter(zip(map(id, a), map(id, b), strict=True))
        parts = [(self.multiply(objects[p], objects[q], dtype), n) for (p, q), n in counted.items()]
        return self._summed(parts, len(a), dtype)

    def _summed(self, parts: list[tuple[Rounded, int]], given: int, dtype: str) -> Rounded:
        """Numbers with how often each occurs, of so many that were given."""
        parts = [(p, n) for p, n in parts if p.constant != 0]
        if not parts:
            return NOUGHT
        if not all(carries_data(p) for p, _ in parts):
            raise LeavesTheRing("the text sums what is neither query, key, value nor state")
        count = self.channels if given == CHANNELS else sum(n for _, n in parts)
        largest = max(self.error(p) for p, _ in parts)
        once = upward.plus(1.0, FORMATS[dtype].unit_roundoff)
        growth = upward.plus(upward.power(once, count - 1), -1.0)
        return self.data(both(largest, growth) if growth else largest, dtype)

    def divide(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """No sum divides."""
        raise LeavesTheRing("the text divides")

    def exp(self, a: Rounded, dtype: str) -> Rounded:
        """e^{a·lag}, where the encoding has one rate for every channel."""
        if not self.rates or carries_data(a):
            raise LeavesTheRing("the text takes an exponential beside its map")
        return super().exp(a, dtype)

    def cos(self, a: Rounded, dtype: str) -> Rounded:
        """Waves are those of the map."""
        raise LeavesTheRing("the text takes a wave beside its map")

    sin = cos

    # -- errors -----------------------------------------------------------------------------------

    def error(self, a: Rounded) -> float:
        """ε of a number, at the largest lag."""
        if carries_data(a):
            return a.relative[0] if a.relative else 0.0
        if a.constant is not None:
            return 0.0
        key = "factor", id(a)
        if key not in self.known:  # kept beside it, so that no other object gets its name
            self.known[key] = self._error_of_factor(a), a
        found: float = self.known[key][0]
        return found

    def _error_of_factor(self, a: Rounded) -> float:
        if len(a.value) != 1 or a.error or a.tiny:
            raise LeavesTheRing("the text multiplies by what is no power of e")
        ((term, c),) = a.value.items()
        plain = term.input == NO_INPUT and not term.power and term.wave is None
        if c != 1 or not plain or not self.rates:
            raise LeavesTheRing("the text multiplies by what is no power of e")
        rate = number_of(term.rate)
        with precision(BITS):
            away, size = min(
                (upward.above(arb(rate) - r.ball({})), abs(r.to_float())) for r in self.rates
            )
        if away > CLOSE * (1.0 + size):
            raise LeavesTheRing("the text decays at another rate than the encoding")
        moved = upward.exponential_minus_one((0.0, away), self.reach) if away else upward.NOTHING
        return both(upward.value(a.relative, self.reach), upward.value(moved, self.reach))


def carries_data(a: Rounded) -> bool:
    """Whether this is a sum of queries, keys, values or states."""
    return a.value is UNIT or a.value == UNIT


def _is_place(a: Rounded) -> bool:
    return a.value == PLACE.value and not (a.error or a.relative or a.tiny)


def both(a: float, b: float) -> float:
    """(1 + a)(1 + b) − 1."""
    return upward.plus(upward.plus(a, b), upward.times(a, b))


def once_more(a: float, dtype: str) -> float:
    """One rounding more."""
    return both(a, FORMATS[dtype].unit_roundoff)


__all__ = ["CHANNELS", "PLACE", "SumModel", "both", "carries_data", "once_more"]
