"""Intervals of real numbers with exact bounds: what is assumed of one parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import arb, fmpq, fmpq_poly, fmpz_poly

from symbolic_pe.algebra.scalar import ZERO, Scalar, precision

ROOT_BITS = 1024
"""Precision at which roots of degree 3 or more are told from the bounds of an interval."""


@dataclass(frozen=True)
class Interval:
    """Real numbers between two bounds; None is unbounded; `closed` includes the bound."""

    low: Scalar | None = None
    high: Scalar | None = None
    low_closed: bool = False
    high_closed: bool = False

    def sign_of_difference(self, point: Scalar) -> int | None:
        """Sign of x − point for every x in the interval, or None when it varies."""
        low = None if self.low is None else (self.low - point).sign()
        high = None if self.high is None else (self.high - point).sign()
        if low == 0 and high == 0:
            return 0
        if low is not None and (low > 0 or (low == 0 and not self.low_closed)):
            return 1
        if high is not None and (high < 0 or (high == 0 and not self.high_closed)):
            return -1
        return None

    def weak_sign_of_difference(self, point: Scalar) -> int | None:
        """1 when x ≥ point on the whole interval, −1 when x ≤ point, None when both occur."""
        if self.low is not None and (self.low - point).sign() >= 0:
            return 1
        if self.high is not None and (self.high - point).sign() <= 0:
            return -1
        return None

    def sign_of_polynomial(self, coefficients: Sequence[fmpq]) -> int | None:
        """Sign of an irreducible polynomial of degree ≥ 3 on the interval, or None if it varies.

        Its real roots are isolated by certified balls; a root that no precision tells from a bound
        counts as inside, so that nothing is claimed.
        """
        polynomial = fmpq_poly(list(coefficients))
        if any(self._may_hold(root) for root in real_root_balls(polynomial)):
            return None
        return 1 if polynomial(self._rational_point()) > 0 else -1

    def _may_hold(self, root: arb) -> bool:
        """False when a ball lies outside for certain."""
        with precision(ROOT_BITS):
            low = None if self.low is None else root - self.low.ball({})
            high = None if self.high is None else self.high.ball({}) - root
            return not ((low is not None and low < 0) or (high is not None and high < 0))

    def _rational_point(self) -> fmpq:
        """A rational number inside, for intervals wider than the precision of balls."""
        with precision(ROOT_BITS):
            low = None if self.low is None else self.low.ball({}).mid().fmpq()
            high = None if self.high is None else self.high.ball({}).mid().fmpq()
        if low is not None and high is not None:
            return (low + high) / 2
        if low is not None:
            return low + 1
        return fmpq(0) if high is None else high - 1

    def contains(self, point: Scalar) -> bool:
        """Whether a number lies in the interval."""
        for bound, closed, sign in (
            (self.low, self.low_closed, 1),
            (self.high, self.high_closed, -1),
        ):
            if bound is None:
                continue
            difference = (point - bound).sign() * sign
            if difference < 0 or (difference == 0 and not closed):
                return False
        return True

    def side(self, point: Scalar, sign: int) -> Interval | None:
        """The part with sign(x − point) = sign, or None when it is empty."""
        if (known := self.sign_of_difference(point)) is not None:
            return self if known == sign else None
        if sign == 0:
            return Interval(point, point, True, True)
        if sign > 0:
            part = replace(self, low=point, low_closed=False)
        else:
            part = replace(self, high=point, high_closed=False)
        if part.low is not None and part.high is not None and (part.high - part.low).sign() <= 0:
            return None
        return part

    def closed_side(self, point: Scalar, sign: int) -> Interval | None:
        """The part with sign·(x − point) ≥ 0, or None when it is empty."""
        strict = self.side(point, sign)
        if strict is None:
            return self.side(point, 0)
        if not self.contains(point):
            return strict
        return replace(strict, low_closed=True) if sign > 0 else replace(strict, high_closed=True)

    def describe(self, name: str) -> list[str]:
        """Conditions as text."""
        low, high = self.low, self.high
        if low is not None and high is not None:
            if low == high:
                return [f"{name} = {low}"]
            left = "<=" if self.low_closed else "<"
            right = "<=" if self.high_closed else "<"
            return [f"{low} {left} {name} {right} {high}"]
        if low is not None:
            return [f"{name} {'>=' if self.low_closed else '>'} {low}"]
        if high is not None:
            return [f"{name} {'<=' if self.high_closed else '<'} {high}"]
        return []

    def samples(self) -> list[Scalar]:
        """A few points inside."""
        offsets = [fmpq(2), fmpq(7, 5), fmpq(1, 3), fmpq(23, 7), fmpq(1, 11), fmpq(12), fmpq(5, 2)]
        if self.low is not None and self.high is not None:
            if self.low == self.high:
                return [self.low]
            width = self.high - self.low
            return [
                self.low + width * Scalar.rational(w)
                for w in (fmpq(1, 2), fmpq(1, 5), fmpq(9, 11), fmpq(2, 7))
            ]
        if self.low is not None:
            return [self.low + Scalar.rational(w) for w in offsets]
        if self.high is not None:
            return [self.high - Scalar.rational(w) for w in offsets]
        return [Scalar.rational(s * w) for w in offsets for s in (1, -1)] + [ZERO]


def real_root_balls(polynomial: fmpq_poly) -> list[arb]:
    """Certified enclosures of the real roots of a squarefree polynomial, ascending."""
    with precision(ROOT_BITS):
        roots = [r.real for r, _ in fmpz_poly(polynomial.numer()).complex_roots() if r.imag == 0]
    return sorted(roots, key=lambda r: r.mid().fmpq())
