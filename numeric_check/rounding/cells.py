"""Where the text of a 2×2 block with parameters branches: by the square q = u²D.

It compares q with ±1 and computes exponentials (q > 1), waves (q < −1) or series. So it is executed
three times, once a cell, with each comparison answered as there. The computed q may be on the other
side of a threshold than the exact one, so the cells overlap by what q is off. In a cell

    growing, turning   √|D| is a symbol r, exactly; r·|u| is at least √(0.9·threshold), so that
                       1/r ≤ |u|/√(0.9·threshold), or less where the box of parameters says so
    near               q is a symbol with |q| ≤ 1.1·threshold
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from flint import arb, fmpq

from numeric_check.rounding import majorant, upward
from numeric_check.rounding.coefficient import BITS, Box, Coefficient, exact_scalar
from numeric_check.rounding.majorant import NO_INPUT, ONE, ZERO, Root, Term
from numeric_check.text_proof.exact_element import BranchOnValue, LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision

GROWING, NEAR, TURNING = "growing", "near", "turning"
CELLS = (NEAR, GROWING, TURNING)
BLUR = 0.1
"""What a computed square may be off from the exact one at a threshold, as part of it."""
SQUARE = Term(NO_INPUT, 2, ZERO, None)


@dataclass
class Cell:
    """Answers of one cell, and the symbols that it made.

    kind        one of `CELLS`
    thresholds  of the squares that were compared, by discriminant: above, and below 0
    roots       by discriminant: the symbol and what bounds its inverse
    squares     by discriminant: the symbol of the square
    """

    kind: str
    box: Box
    thresholds: dict[Scalar, dict[str, float]] = field(default_factory=dict)
    roots: dict[Scalar, tuple[Coefficient, Root]] = field(default_factory=dict)
    squares: dict[Scalar, Coefficient] = field(default_factory=dict)

    def compared(self, model: Any, squares: Any, kind: str, threshold: float) -> Branch:
        """Squares with a threshold: `growing` above it, `turning` below its negative."""
        if not threshold > 0:
            raise BranchOnValue("the text compares a square with what is not beyond 0")
        for x in squares.flat:
            self.thresholds.setdefault(self._discriminant(model, x, threshold), {})[kind] = (
                threshold
            )
        return Branch((kind,), squares)

    def _discriminant(self, model: Any, x: Any, threshold: float) -> Scalar:
        value = getattr(x, "value", {})
        if value.keys() != {SQUARE}:
            raise BranchOnValue("the text compares values that depend on the position or the input")
        away = majorant.size(x.error, model.reach).constant
        moved = upward.value(x.relative, model.reach)
        if upward.plus(away, 2.0 * threshold * moved) > BLUR * threshold:
            raise LeavesTheRing("the discriminant is not known well enough so far from the origin")
        return exact_scalar(value[SQUARE])

    def chosen(self, condition: Branch, first: Any, second: Any) -> Any:
        """What `where` returns in this cell; squares become symbols where they are small."""
        if self.kind in condition.kinds:
            return first
        if self.kind == NEAR and getattr(second, "data", None) is condition.compared:
            small = [self._small(x) for x in second.data.flat]
            data = second.data.copy()
            for index, x in enumerate(small):
                data.flat[index] = x
            return second.like(data)
        return second

    def _small(self, x: Any) -> Any:
        discriminant = exact_scalar(x.value[SQUARE])
        known = self.thresholds.get(discriminant, {})
        if set(known) != {GROWING, TURNING}:
            raise LeavesTheRing("the text takes a square as small that it did not compare")
        if discriminant not in self.squares:
            ends = -known[TURNING] * (1 + BLUR), known[GROWING] * (1 + BLUR)
            name = f"_q{len(self.squares)}"
            self.squares[discriminant] = self.box.symbol(name, *ends)
        return replace(x, value={ONE: self.squares[discriminant]}, fits=None)

    def root(self, argument: fmpq | Coefficient) -> tuple[Coefficient, Root]:
        """√ of ±D that was compared. Raises `LeavesTheRing` for others."""
        exact = exact_scalar(argument)
        sign = {GROWING: 1, TURNING: -1}.get(self.kind, 0)
        discriminant = exact if sign > 0 else -exact
        threshold = self.thresholds.get(discriminant, {}).get(self.kind)
        if threshold is None:
            raise LeavesTheRing("the text takes the root of what it did not compare")
        if discriminant not in self.roots:
            self.roots[discriminant] = self._new_root(exact, threshold)
        return self.roots[discriminant]

    def as_root(self, x: Coefficient) -> tuple[Root | None, fmpq | Coefficient]:
        """(r, m) for x = m·r with a number m, else (None, x)."""
        for symbol, root in self.roots.values():
            factor = x.scalar / symbol.scalar
            if factor.is_rational():
                return root, factor.rational_value()
        return None, x

    def _new_root(self, size: Scalar, threshold: float) -> tuple[Coefficient, Root]:
        ball = self.box.ball(size)
        high = max(0.0, float(ball.upper()))
        low = max(0.0, float(ball.lower()))
        most = math.nextafter(math.sqrt(math.nextafter(high, math.inf)), math.inf)
        least = math.nextafter(math.sqrt(math.nextafter(low, 0.0)), 0.0) if low else 0.0
        name = f"_r{len(self.roots)}"
        symbol = self.box.symbol(name, least, most)
        if least > 0.0:
            return symbol, Root(name, upward.up(1.0 / least), 0)
        inverse = upward.up(1.0 / math.sqrt((1.0 - BLUR) * threshold))
        return symbol, Root(name, inverse, 1)


@dataclass(frozen=True)
class Branch:
    """A condition on squares: true in the cells of these kinds."""

    kinds: tuple[str, ...]
    compared: Any

    def __or__(self, other: object) -> Branch:
        if not isinstance(other, Branch) or other.compared is not self.compared:
            raise BranchOnValue("the text joins conditions on different values")
        return Branch((*self.kinds, *other.kinds), self.compared)

    def __bool__(self) -> bool:
        raise BranchOnValue("the text asks whether an array is true")


def possible(ball: arb, kind: str) -> bool:
    """Whether a discriminant in this ball can be in a cell for some u."""
    if kind == NEAR:
        return True
    return bool(float(ball.upper()) > 0) if kind == GROWING else bool(float(ball.lower()) < 0)


def near_reach(ball: arb, reach: float) -> float:
    """The largest |u| with u²|D| ≤ 1 + 2·BLUR, or the reach."""
    with precision(BITS):
        least = float(abs(ball).lower())
    if not least > 0:
        return reach
    return min(reach, upward.up(math.sqrt((1 + 2 * BLUR) / least)))


__all__ = [
    "CELLS",
    "GROWING",
    "NEAR",
    "TURNING",
    "Branch",
    "Cell",
    "Root",
    "near_reach",
    "possible",
]
