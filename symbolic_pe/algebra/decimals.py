"""Decimal text of exact numbers, rounded to the side on which a bound stays a bound."""

from __future__ import annotations

from decimal import Decimal

from flint import fmpq


def decimal_bound(x: fmpq, *, upwards: bool, digits: int = 6) -> str:
    """A decimal number next to x ≥ 0 that is certainly not below it, or not above it.

    >>> decimal_bound(fmpq(1, 3), upwards=False, digits=3), decimal_bound(fmpq(1, 3), upwards=True)
    ('0.333', '0.333334')
    """
    if x == 0:
        return "0"
    exponent = len(str(int(x.p))) - len(str(int(x.q)))
    if x < fmpq(10) ** exponent:
        exponent -= 1
    scaled = x / fmpq(10) ** (exponent - digits + 1)
    mantissa = int(scaled.ceil() if upwards else scaled.floor())
    number = Decimal(mantissa).scaleb(exponent - digits + 1).normalize()
    return format(number, "f") if -5 <= exponent < 12 else f"{number:e}"
