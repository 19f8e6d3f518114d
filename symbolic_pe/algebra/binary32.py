"""Exact numbers rounded to the nearest number of float32, as a checkpoint stores them."""

from __future__ import annotations

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.errors import SpecificationError, Undecided

DIGITS = 24
LOWEST, HIGHEST = -126, 127
"""Exponents of normal numbers."""
BITS = (128, 256, 512, 1024, 4096)


def nearest_binary32(x: Scalar) -> fmpq:
    """x rounded to 24 binary digits, ties to even: the nearest normal number of float32.

    >>> nearest_binary32(Scalar.rational(fmpq(1, 10)))
    13421773/134217728

    Raises `SpecificationError` outside the normal range 2^-126 to 2^128, `Undecided` for a number
    that 4096 bits do not tell from the middle of two neighbours.
    """
    if x.is_rational():
        return _rounded(x.rational_value())
    for bits in BITS:
        with precision(bits):
            ball = x.ball({})
            ends = {_rounded(_rational(end)) for end in (ball.lower(), ball.upper())}
        if len(ends) == 1:
            return ends.pop()
    raise Undecided(f"which number of float32 is nearest to {x}")


def _rational(x: arb) -> fmpq:
    mantissa, exponent = x.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _rounded(q: fmpq) -> fmpq:
    if q == 0:
        return q
    exponent = int(q.p).bit_length() - int(q.q).bit_length()
    if abs(q) < fmpq(2) ** exponent:
        exponent -= 1
    unit = fmpq(2) ** (exponent - DIGITS + 1)
    scaled = q / unit
    whole = int(scaled.floor())
    half = scaled - whole - fmpq(1, 2)
    value = (whole + (1 if half > 0 or (half == 0 and whole % 2) else 0)) * unit
    if not fmpq(2) ** LOWEST <= abs(value) < fmpq(2) ** (HIGHEST + 1):
        raise SpecificationError(
            f"a normal number of float32 was expected, got {int(q.p) / int(q.q):.3g}"
        )
    return value


__all__ = ["nearest_binary32"]
