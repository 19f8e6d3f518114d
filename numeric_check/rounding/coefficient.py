"""Exact functions of the parameters as coefficients, and upper bounds of them over a box.

The exact value of a number of a running text has rational coefficients. Where a kernel has run-time
parameters they are elements of Q(parameters, …), and whatever needs a size takes the supremum over
the box that the parameters lie in, by ball arithmetic. Two more symbols occur (see `cells`): a root
r = √|D| of a discriminant, and a square q = u²D where it is small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import arb, fmpq

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.algebra.symbols import symbol_ball

BITS = 128
Interval = tuple[float, float]
Monomial = tuple[tuple[str, int], ...]


@dataclass
class Box:
    """Where the parameters lie, and every other symbol that coefficients have.

    window  e^{a·u} stays within e^{±window} for every rate a of the kernel: where it stays in the
            range of the dtype
    factors whether majorants keep coefficients that may vanish (see `majorant.of_value`)
    """

    window: float
    values: dict[str, arb] = field(default_factory=dict)
    factors: bool = True

    @classmethod
    def of(cls, intervals: Mapping[str, Interval], window: float) -> Box:
        """Closed intervals, one for each parameter."""
        with precision(BITS):
            return cls(window, {name: between(*ends) for name, ends in intervals.items()})

    def parameter(self, name: str) -> Coefficient:
        """A parameter, exactly."""
        return Coefficient(Scalar.symbol(name), self)

    def symbol(self, name: str, low: float, high: float) -> Coefficient:
        """Another symbol, somewhere between two numbers."""
        with precision(BITS):
            self.values[name] = between(low, high)
        return Coefficient(Scalar.symbol(name), self)

    def ball(self, x: Scalar) -> arb:
        """Encloses a function over the box; unlike `Scalar.ball`, of values of either sign.

        Monomials of one kind are added before they are enclosed, so that near constants cancel.
        """
        with precision(BITS):
            total = arb(0)
            sums: dict[Monomial, arb] = {}
            for radical, coefficient in x.terms.items():
                part = arb(1)
                for atom, exponent in radical:
                    root = self._element(atom.value).root(int(exponent.q))
                    part *= power(root, int(exponent.p))
                top, bottom = coefficient.split()
                if not bottom.is_constant():
                    total += part * self._element(coefficient)
                    continue
                part /= arb(bottom.constant())
                for names, c in top.numerator_terms():
                    own, constant = [], part * arb(c)
                    for name, exponent in names.items():
                        if name in self.values:
                            own.append((name, int(exponent)))
                        else:
                            constant *= power(symbol_ball(name, self.values), int(exponent))
                    key = tuple(sorted(own))
                    sums[key] = sums.get(key, arb(0)) + constant
            for key, c in sums.items():
                total += c * self._monomial(key)
            return total

    def _monomial(self, key: Monomial) -> arb:
        value = arb(1)
        for name, exponent in key:
            value *= power(self.values[name], exponent)
        return value

    def _element(self, x: RationalFunction) -> arb:
        if x.is_constant():
            return arb(x.constant())
        top, bottom = (self._polynomial(part) for part in x.split())
        return top / bottom

    def _polynomial(self, x: RationalFunction) -> arb:
        total = arb(0)
        for monomial, coefficient in x.numerator_terms():
            part = arb(coefficient)
            for name, exponent in monomial.items():
                part *= power(symbol_ball(name, self.values), int(exponent))
            total += part
        return total


def between(low: float, high: float) -> arb:
    """A ball around an interval; a point is kept as it is."""
    return arb(low) if low == high else between_balls(arb(low), arb(high))


def between_balls(low: arb, high: arb) -> arb:
    """A ball around everything between two points."""
    middle = ((low + high) / 2).mid()
    return arb(middle, max((high - middle).upper(), (middle - low).upper()))


def power(x: arb, n: int) -> arb:
    """x^n by products: Arb's own power is by logarithms where x is no point."""
    if n < 0:
        return 1 / power(x, -n)
    if n % 2:
        return x * power(x, n - 1)
    if n == 0:
        return arb(1)
    square = x * x
    if float(square.lower()) < 0:  # the values of a square are not
        square = between_balls(arb(0), square.upper())
    return square if n == 2 else power(square, n // 2)


@dataclass(frozen=True, eq=False)
class Coefficient:
    """An element of Q(parameters); with numbers it computes as they do."""

    scalar: Scalar
    box: Box

    def _lifted(self, other: Any) -> Scalar | None:
        if isinstance(other, Coefficient):
            return other.scalar
        return Scalar.rational(other) if isinstance(other, (int, fmpq)) else None

    def _made(self, scalar: Scalar) -> Any:
        return scalar.rational_value() if scalar.is_rational() else Coefficient(scalar, self.box)

    def __add__(self, other: Any) -> Any:
        x = self._lifted(other)
        return NotImplemented if x is None else self._made(self.scalar + x)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        x = self._lifted(other)
        return NotImplemented if x is None else self._made(self.scalar * x)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self._made(-self.scalar)

    def __sub__(self, other: Any) -> Any:
        x = self._lifted(other)
        return NotImplemented if x is None else self._made(self.scalar - x)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        x = self._lifted(other)
        return NotImplemented if x is None else self._made(self.scalar / x)

    def __rtruediv__(self, other: Any) -> Any:
        x = self._lifted(other)
        return NotImplemented if x is None else self._made(x / self.scalar)

    def __abs__(self) -> Any:
        """±itself: one of both, the same for either. Its sign may change within the box."""
        return -self if str(self.scalar).startswith("-") else self

    def __eq__(self, other: object) -> bool:
        x = self._lifted(other)
        return x is not None and self.scalar == x

    def __hash__(self) -> int:
        return hash(self.scalar)

    def ball(self) -> arb:
        """Encloses its values."""
        return self.box.ball(self.scalar)


def exact_scalar(x: fmpq | Coefficient) -> Scalar:
    """Either kind of coefficient as a scalar."""
    return x.scalar if isinstance(x, Coefficient) else Scalar.rational(x)


__all__ = ["Box", "Coefficient", "Interval", "between", "exact_scalar"]
