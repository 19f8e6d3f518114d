"""Rational enclosures: a disc of the complex plane that certainly contains the number.

Centres and radii are whole multiples of UNIT; every rounding is added to the radius. A function
refuses what it has no enclosure of.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

BITS = 256
UNIT = Fraction(1, 2**BITS)
TERMS = 64  # of the exponential series on |z| <= 1; the rest is at most 2/64! < UNIT
HALF_TERMS = 84  # of the series of artanh on |z| <= 1/3; the rest is at most 3^-168/168 < UNIT
MAX_ARGUMENT = 8192  # |z| in exp(z), for its speed
MAX_BITS = 2**17  # of a power, or under a logarithm


class CertificateError(ValueError):
    """The document is no certificate, or states something that is not shown; says where."""


def require(holds: bool, message: str) -> None:
    """Refuse what is not so."""
    if not holds:
        raise CertificateError(message)


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

    def __floordiv__(self, n: int) -> Ball:
        """A ball around z/n; both roundings lose less than 1."""
        return Ball(self.re // n, self.im // n, self.radius // n + 3)

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


def power(x: Ball, exponent: Fraction | int) -> Ball:
    """x^exponent; of positive numbers unless the exponent is 0, 1, 2, …"""
    low, high = x.ends
    whole = exponent.denominator == 1
    require((whole and exponent >= 0) or low > 0, "the base of a power may not be positive")
    if not whole:
        return exp(log(x) * exact(exponent))
    if exponent < 0:
        x, exponent = between(1 / high, 1 / low), -exponent
    require(x.size.bit_length() * exponent <= MAX_BITS, "a power is too large")
    result, n = exact(1), int(exponent)
    while n:
        if n & 1:
            result = result * x
        x, n = x * x, n >> 1
    return result


def exp(z: Ball) -> Ball:
    """exp(z) = exp(z/2^n)^(2^n), the inner one by its series with |z/2^n| <= 1."""
    require(z.size <= MAX_ARGUMENT << BITS, "an exponential of what is too large")
    halvings = (z.size >> BITS).bit_length()
    small = z // 2**halvings
    total, term = Ball(0, 0, 1), exact(1)
    for k in range(1, TERMS + 1):
        total, term = total + term, term * small // k
    for _ in range(halvings):
        total = total * total
    return total


def _artanh(z: Ball) -> Ball:
    """z + z³/3 + z⁵/5 + … for |z| <= 1/3."""
    total, term, square = Ball(0, 0, 1), z, z * z
    for k in range(HALF_TERMS):
        total, term = total + term // (2 * k + 1), term * square
    return total


def log(x: Ball) -> Ball:
    """It increases, and log(m·2^k) = 2·artanh((m − 1)/(m + 1)) + 2k·artanh(1/3)."""
    right = x.ends[0] > 0 and x.size.bit_length() <= MAX_BITS
    require(right, "a logarithm of what is too large, or not shown to be positive")
    found = []
    for end in x.ends:
        k = end.numerator.bit_length() - end.denominator.bit_length()
        m = end / Fraction(2) ** k  # from 1/2 to 2
        rest = exact(k) * _artanh(exact(Fraction(1, 3)))
        found.append(exact(2) * (_artanh(exact((m - 1) / (m + 1))) + rest))
    return between(found[0].ends[0], found[1].ends[1])


def cos(x: Ball) -> Ball:
    """The real part of exp(ix), for real x."""
    turned = exp(Ball(0, x.re, x.radius))
    return Ball(turned.re, 0, turned.radius)


def pi() -> Ball:
    """16·arctan(1/5) − 4·arctan(1/239), with artanh(iy) = i·arctan(y)."""
    parts = ((16, Fraction(1, 5)), (-4, Fraction(1, 239)))
    first, last = (exact(c) * _artanh(Ball(0, exact(y).re, 1)) for c, y in parts)
    return Ball((first + last).im, 0, (first + last).radius)
