"""Polynomials in one variable over Q(symbols), with the operations of `flint.fmpq_poly`.

Only what primary decomposition needs: + − ·, division with remainder, extended Euclid, derivative.
Code written for `fmpq_poly` runs on both.
"""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.rational_function import ZERO, RationalFunction

Coefficient = RationalFunction | int


class Polynomial:
    """Σ cᵢxⁱ with coefficients from degree 0 up; immutable.

    >>> p = Polynomial([1, 2, 1])
    >>> q, r = divmod(p, Polynomial([1, 1]))
    >>> q == Polynomial([1, 1]), r == 0
    (True, True)
    """

    __slots__ = ("_coefficients",)

    def __init__(self, coefficients: Sequence[Coefficient]):
        found = [
            c if isinstance(c, RationalFunction) else RationalFunction(c) for c in coefficients
        ]
        while found and found[-1].is_zero():
            found.pop()
        self._coefficients = tuple(found)

    def degree(self) -> int:
        """−1 for 0."""
        return len(self._coefficients) - 1

    def coeffs(self) -> list[RationalFunction]:
        """Coefficients from degree 0 up."""
        return list(self._coefficients)

    def leading_coefficient(self) -> RationalFunction:
        """The coefficient of the highest power; 0 for 0."""
        return self._coefficients[-1] if self._coefficients else ZERO

    def __getitem__(self, index: int) -> RationalFunction:
        return self._coefficients[index] if 0 <= index < len(self._coefficients) else ZERO

    def __eq__(self, other: object) -> bool:
        if other == 0 and not isinstance(other, Polynomial):
            return not self._coefficients
        return isinstance(other, Polynomial) and self._coefficients == other._coefficients

    def __hash__(self) -> int:
        return hash(self._coefficients)

    def __add__(self, other: Polynomial) -> Polynomial:
        size = max(len(self._coefficients), len(other._coefficients))
        return Polynomial([self[i] + other[i] for i in range(size)])

    def __neg__(self) -> Polynomial:
        return Polynomial([-c for c in self._coefficients])

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + (-other)

    def __mul__(self, other: Polynomial | RationalFunction) -> Polynomial:
        if isinstance(other, RationalFunction):
            return Polynomial([c * other for c in self._coefficients])
        out = [ZERO] * max(len(self._coefficients) + len(other._coefficients) - 1, 0)
        for i, a in enumerate(self._coefficients):
            if not a.is_zero():
                for j, b in enumerate(other._coefficients):
                    out[i + j] = out[i + j] + a * b
        return Polynomial(out)

    def __rmul__(self, other: RationalFunction) -> Polynomial:
        return self * other

    def __truediv__(self, other: RationalFunction) -> Polynomial:
        return self * other.inverse()

    def __pow__(self, exponent: int) -> Polynomial:
        result = Polynomial([1])
        for _ in range(exponent):
            result = result * self
        return result

    def __divmod__(self, other: Polynomial) -> tuple[Polynomial, Polynomial]:
        inverse = other.leading_coefficient().inverse()
        rest = list(self._coefficients)
        quotient = [ZERO] * max(len(rest) - other.degree(), 0)
        for shift in range(len(quotient) - 1, -1, -1):
            factor = rest[shift + other.degree()] * inverse
            quotient[shift] = factor
            if not factor.is_zero():
                for i, c in enumerate(other._coefficients):
                    rest[shift + i] = rest[shift + i] - factor * c
        return Polynomial(quotient), Polynomial(rest[: max(other.degree(), 0)])

    def __floordiv__(self, other: Polynomial) -> Polynomial:
        return divmod(self, other)[0]

    def __mod__(self, other: Polynomial) -> Polynomial:
        return divmod(self, other)[1]

    def derivative(self) -> Polynomial:
        """d/dx."""
        return Polynomial(
            [c * RationalFunction(i) for i, c in enumerate(self._coefficients) if i > 0]
        )

    def xgcd(self, other: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial]:
        """(g, u, v) with u·self + v·other = g, g monic."""
        r0, r1 = self, other
        u0, u1 = Polynomial([1]), Polynomial([])
        v0, v1 = Polynomial([]), Polynomial([1])
        while r1 != 0:
            quotient, rest = divmod(r0, r1)
            r0, r1 = r1, rest
            u0, u1 = u1, u0 - quotient * u1
            v0, v1 = v1, v0 - quotient * v1
        scale = r0.leading_coefficient().inverse()
        return r0 * scale, u0 * scale, v0 * scale
