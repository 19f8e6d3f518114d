"""Where the text of a 2×2 block with parameters branches: by the square q = u²D.

It compares q with ±1 and computes exponentials (q > 1), waves (q < −1) or series. So it is executed
once for each discriminant D and each way to branch, with every comparison answered as there. What
was chosen by another square is `ELSEWHERE`: nothing is known of it, and no block may read it. So k
independent blocks cost 3k executions and not 3^k, and that they are independent is decided.

The computed q may be on the other side of a threshold than the exact one, so the cells overlap by
what q is off. In a cell

    growing, turning   √|D| is a symbol r, exactly, or a number; r·|u| is at least
                       √(0.9·threshold), so that 1/r ≤ |u|/√(0.9·threshold), or less where the
                       box of parameters says so
    near               q is a symbol with |q| ≤ 1.1·threshold, or 0

A discriminant without parameters has a sign, which is decided: then it turns, or grows, or neither.
"""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.rounding import majorant, upward
from numeric_check.rounding.coefficient import BITS, Box, exact_scalar
from numeric_check.rounding.constants import Constants
from numeric_check.rounding.element import Rounded
from numeric_check.rounding.majorant import NO_INPUT, ONE, ZERO, Number, Root, Term
from numeric_check.text_proof.exact_element import BranchOnValue, LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision

GROWING, NEAR, TURNING = "growing", "near", "turning"
CELLS = (NEAR, GROWING, TURNING)
BLUR = 0.1
"""What a computed square may be off from the exact one at a threshold, as part of it."""
USUAL = 1.0
"""The threshold of emitted texts."""
SQUARE = Term(NO_INPUT, 2, ZERO, None)


class Elsewhere:
    """What is not known here, as a text chose it by another square, or will not choose it.

    Whatever is computed of it is the same.
    """

    __slots__ = ()

    def __neg__(self) -> Elsewhere:
        return self


ELSEWHERE = Elsewhere()


@dataclass
class Cell:
    """Answers of one cell of one discriminant, and the symbols that it made.

    kind          one of `CELLS`
    discriminant  D; without one every square is another's
    constants     of the encoding, that a text writes as numbers of float64
    thresholds    that its square was compared with: above, and below 0
    """

    kind: str
    box: Box
    discriminant: Scalar | None = None
    constants: Constants = field(default_factory=dict)
    thresholds: dict[str, float] = field(default_factory=dict)
    _root: tuple[Number, Root | None] | None = None
    _square: Number | None = None

    @property
    def threshold(self) -> float:
        """The largest one."""
        return max(self.thresholds.values(), default=USUAL)

    def forget(self) -> None:
        """The symbols, for another execution with the thresholds that are known by now."""
        self._root = self._square = None

    # -- comparisons ------------------------------------------------------------------------------

    def compared(self, model: Any, squares: Any, kind: str, threshold: float) -> Branch:
        """Squares with a threshold: `growing` above it, `turning` below its negative."""
        if not threshold > 0:
            raise BranchOnValue("the text compares a square with what is not beyond 0")
        own = np.zeros(squares.shape, dtype=bool)
        for place, x in np.ndenumerate(squares):
            if not self._owns(x):
                continue
            self._decide_known(model, x, threshold)
            if self.thresholds.setdefault(kind, threshold) != threshold:
                raise LeavesTheRing("the text compares a square with two thresholds")
            own[place] = True
        return Branch((kind,), squares, own)

    def _owns(self, x: Any) -> bool:
        """Whether this is u²D. Raises `BranchOnValue` for what is no square at all."""
        if x is ELSEWHERE:
            return False
        if not _is_nought(x) and (not isinstance(x, Rounded) or x.value.keys() != {SQUARE}):
            raise BranchOnValue("the text compares values that depend on the position or the input")
        found = fmpq(0) if _is_nought(x) else x.value[SQUARE]
        return self.discriminant == exact_scalar(found)

    @staticmethod
    def _decide_known(model: Any, x: Any, threshold: float) -> None:
        if _is_nought(x):
            return
        away = majorant.size(x.error, model.reach).constant
        moved = upward.value(x.relative, model.reach)
        if not upward.plus(away, 2.0 * threshold * moved) <= BLUR * threshold:
            raise LeavesTheRing("the discriminant is not known well enough so far from the origin")

    def chosen(self, condition: Branch, first: Any, second: Any) -> Any:
        """What `where` returns in this cell; squares become symbols where they are small.

        first, second  arrays of elements; the result has the shape of both and of the condition
        """
        squares = condition.compared
        shape = np.broadcast_shapes(first.shape, second.shape, squares.shape)
        holds = self.kind in condition.kinds
        small = not holds and self.kind == NEAR and second is squares
        found = np.broadcast_to(first if holds else second, shape).copy()
        found[~np.broadcast_to(condition.own, shape)] = ELSEWHERE
        if small:
            found[...] = np.frompyfunc(self._small, 1, 1)(found)
        return found

    def _small(self, x: Any) -> Any:
        if x is ELSEWHERE:
            return x
        if set(self.thresholds) != {GROWING, TURNING}:
            raise LeavesTheRing("the text takes a square as small that it did not compare")
        return x if _is_nought(x) else replace(x, value={ONE: self.square}, fits=None)

    # -- symbols ----------------------------------------------------------------------------------

    @property
    def square(self) -> Number:
        """q where it is small."""
        if self._square is None:
            assert self.discriminant is not None
            kinds = kinds_of(self.discriminant, self.box)
            low, high = (
                self.thresholds.get(kind, USUAL) * (1 + BLUR) if kind in kinds else 0.0
                for kind in (TURNING, GROWING)
            )
            zero = self.discriminant.is_zero()
            self._square = fmpq(0) if zero else self.box.symbol("_q", -low, high)
        return self._square

    def root(self, argument: Number) -> tuple[Number, Root | None]:
        """√ of ±D that was compared. Raises `LeavesTheRing` for others."""
        exact = exact_scalar(argument)
        if self.kind == NEAR or self.kind not in self.thresholds:
            raise LeavesTheRing("the text takes the root of what it did not compare")
        if (exact if self.kind == GROWING else -exact) != self.discriminant:
            raise LeavesTheRing("the text takes the root of what is no discriminant")
        return self.own_root

    @property
    def own_root(self) -> tuple[Number, Root | None]:
        """√|D|, and what bounds its inverse where it is a symbol."""
        if self._root is None:
            assert self.discriminant is not None
            size = self.discriminant if self.kind == GROWING else -self.discriminant
            self._root = self._new_root(size)
        return self._root

    def as_root(self, x: Number) -> tuple[Root | None, Number]:
        """(r, m) for x = m·r with a number m, else (None, x)."""
        if self._root is not None and self._root[1] is not None:
            factor = exact_scalar(x) / exact_scalar(self._root[0])
            if factor.is_rational():
                return self._root[1], factor.rational_value()
        return None, x

    def _new_root(self, size: Scalar) -> tuple[Number, Root | None]:
        known = size.is_rational() and _rational_root(size.rational_value())
        if known:
            return known, None
        ball = self.box.ball(size)
        high = max(0.0, float(ball.upper()))
        low = max(0.0, float(ball.lower()))
        most = math.nextafter(math.sqrt(math.nextafter(high, math.inf)), math.inf)
        least = math.nextafter(math.sqrt(math.nextafter(low, 0.0)), 0.0) if low else 0.0
        symbol = self.box.symbol("_r", least, most)
        if least > 0.0:
            return symbol, Root("_r", upward.up(1.0 / least), 0)
        threshold = self.thresholds.get(self.kind, USUAL)
        return symbol, Root("_r", upward.up(1.0 / math.sqrt((1.0 - BLUR) * threshold)), 1)


@dataclass(frozen=True)
class Branch:
    """A condition on squares: true in the cells of these kinds.

    own  which of them are those of the discriminant of the cell
    """

    kinds: tuple[str, ...]
    compared: Any
    own: Any

    def __or__(self, other: object) -> Branch:
        return self._joined(other, {*self.kinds, *self._kinds(other)})

    def __and__(self, other: object) -> Branch:
        return self._joined(other, {*self.kinds} & {*self._kinds(other)})

    def _kinds(self, other: object) -> tuple[str, ...]:
        if not isinstance(other, Branch) or other.compared is not self.compared:
            raise BranchOnValue("the text joins conditions on different values")
        return other.kinds

    def _joined(self, other: object, kinds: Set[str]) -> Branch:
        return Branch(tuple(k for k in CELLS if k in kinds), self.compared, self.own)

    def __bool__(self) -> bool:
        raise BranchOnValue("the text asks whether an array is true")


def _is_nought(x: Any) -> bool:
    return x.constant == 0 if isinstance(x, Rounded) else bool(x == 0)


def _rational_root(x: fmpq) -> fmpq | None:
    """√x where it is rational."""
    p, q = math.isqrt(int(x.p)), math.isqrt(int(x.q))
    found = fmpq(p, q)
    return found if found * found == x else None


def kinds_of(discriminant: Scalar, box: Box) -> tuple[str, ...]:
    """The cells that a discriminant can be in for some u; that of a number has a sign."""
    if not discriminant.parameters():
        return (NEAR, *{1: (GROWING,), -1: (TURNING,)}.get(discriminant.sign(), ()))
    ball = box.ball(discriminant)
    never = {GROWING: ball <= 0, TURNING: ball >= 0}
    return tuple(kind for kind in CELLS if not never.get(kind))


def near_reach(ball: arb, reach: float, threshold: float = USUAL) -> float:
    """The largest |u| with u²|D| ≤ (1 + 2·BLUR)·threshold, or the reach."""
    with precision(BITS):
        least = float(abs(ball).lower())
    if not least > 0:
        return reach
    return min(reach, upward.up(math.sqrt((1 + 2 * BLUR) * threshold / least)))


__all__ = [
    "CELLS",
    "ELSEWHERE",
    "GROWING",
    "NEAR",
    "TURNING",
    "Branch",
    "Cell",
    "Root",
    "kinds_of",
    "near_reach",
]
