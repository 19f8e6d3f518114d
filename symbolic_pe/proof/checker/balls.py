"""Rational enclosures: a disc of the complex plane that certainly contains the number.

Centres and radii are whole multiples of UNIT; every rounding is added to the radius.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

BITS = 256
UNIT = Fraction(1, 2**BITS)
TERMS = 64  # of the exponential series on |z| <= 1; the rest is at most 2/64! < UNIT
MAX_ARGUMENT = 2048  # |z| in exp(z), for its speed


@dataclass(frozen=True)
class Ball:
    """Every z with |z − (re + i·im)·UNIT| <= radius·UNIT."""

    re: int
    im: int = 0
    radius: int = 0

    @property
    def size(self) -> int:
        """A bound of |z|, in units."""
        return abs(self.re) + abs(self.im) + self.radius

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Bounds of the real part."""
        return (self.re - self.radius) * UNIT, (self.re + self.radius) * UNIT

    def __add__(self, other: Ball) -> Ball:
        return Ball(self.re + other.re, self.im + other.im, self.radius + other.radius)

    def __mul__(self, other: Ball) -> Ball:
        """|xy − ab| <= |a||y − b| + |x − a||y| for the centres a, b; shifts lose less than 1."""
        re = (self.re * other.re - self.im * other.im) >> BITS
        im = (self.re * other.im + self.im * other.re) >> BITS
        spread = (abs(self.re) + abs(self.im)) * other.radius + self.radius * other.size
        return Ball(re, im, (spread >> BITS) + 3)

    def avoids(self, other: Ball) -> bool:
        """Whether the two balls certainly have no number in common."""
        apart = max(abs(self.re - other.re), abs(self.im - other.im))
        return apart > self.radius + other.radius


def between(low: Fraction, high: Fraction) -> Ball:
    """A ball that contains the real numbers from low to high."""
    first, last = floor(low / UNIT), ceil(high / UNIT)
    return Ball((first + last) // 2, 0, (last - first + 1) // 2)


def exact(x: Fraction | int) -> Ball:
    """A ball around a rational number."""
    return between(Fraction(x), Fraction(x))


def power(x: Ball, exponent: int) -> Ball:
    """x^exponent; a negative exponent needs a ball of positive numbers."""
    if exponent < 0:
        low, high = x.ends
        x, exponent = between(1 / high, 1 / low), -exponent
    result = exact(1)
    while exponent:
        if exponent & 1:
            result = result * x
        x, exponent = x * x, exponent >> 1
    return result


def exp(z: Ball) -> Ball:
    """exp(z) = exp(z/2^n)^(2^n), the inner one by its series with |z/2^n| <= 1."""
    halvings = (z.size >> BITS).bit_length()
    small = z * exact(Fraction(1, 2**halvings))
    total, term = Ball(0, 0, 1), exact(1)
    for k in range(1, TERMS + 1):
        total, term = total + term, term * small * exact(Fraction(1, k))
    for _ in range(halvings):
        total = total * total
    return total
