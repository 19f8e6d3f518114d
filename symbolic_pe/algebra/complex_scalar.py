"""Complex numbers x + iy with exact real and imaginary parts."""

from __future__ import annotations

from dataclasses import dataclass

from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar


@dataclass(frozen=True, slots=True)
class ComplexScalar:
    """re + i·im with `Scalar` parts."""

    re: Scalar
    im: Scalar = ZERO

    def __add__(self, other: ComplexScalar) -> ComplexScalar:
        return ComplexScalar(self.re + other.re, self.im + other.im)

    def __neg__(self) -> ComplexScalar:
        return ComplexScalar(-self.re, -self.im)

    def __sub__(self, other: ComplexScalar) -> ComplexScalar:
        return self + (-other)

    def __mul__(self, other: ComplexScalar) -> ComplexScalar:
        if self.im.is_zero() and other.im.is_zero():
            return ComplexScalar(self.re * other.re)
        return ComplexScalar(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def is_zero(self) -> bool:
        """True when both normal forms are 0."""
        return self.re.is_zero() and self.im.is_zero()

    def vanishes(self) -> bool:
        """Decide re = im = 0; raises `Undecided`."""
        return self.re.vanishes() and self.im.vanishes()

    def __str__(self) -> str:
        if self.im.is_zero():
            return str(self.re)
        imaginary = f"I*({self.im})"
        return imaginary if self.re.is_zero() else f"{self.re} + {imaginary}"


C_ZERO = ComplexScalar(ZERO)
C_ONE = ComplexScalar(ONE)
