"""Error bounds as formulas: ε(|u|) = Σ_p c_p·|u|^p, written in units of unit roundoffs."""

from __future__ import annotations

import math

from numeric_check.rounding import upward
from numeric_check.tolerance import FORMATS

DIGITS = 4
ANGLES = 2.0**-53
"""Unit of the coefficients of |u|: angles and exponents are formed in float64."""

OUTPUT_ROUNDINGS = 2.0
COMPUTE_ROUNDINGS = 16.0


def default_tolerance(dtype: str) -> float:
    """τ = max(2·u_o, 16·2⁻²⁴): what `safe_position` allows unless told otherwise.

    Twice the rounding of the output, so that the position costs no more than storing the result
    does, and never finer than sixteen roundings of single precision, which is what a kernel that
    computes in float32 spends on tables, products and sums.

    >>> default_tolerance("bfloat16") == 2**-7
    True
    """
    single = FORMATS["float32"].unit_roundoff
    return max(OUTPUT_ROUNDINGS * FORMATS[dtype].unit_roundoff, COMPUTE_ROUNDINGS * single)


def formula(p: upward.Polynomial, dtype: str, variable: str = "|u|") -> str:
    """A polynomial with every coefficient rounded upwards to four digits.

    >>> formula((2.0**-8, 3 * 2.0**-53), "bfloat16")
    '1.000*2^-8 + 3.000*2^-53*|u|'
    """
    parts = []
    for power, c in enumerate(p):
        if not c:
            continue
        unit = FORMATS[dtype].unit_roundoff if power == 0 else ANGLES
        text = f"{_written(c / unit)}*2^{math.frexp(unit)[1] - 1}"
        if power:
            text += f"*{variable}" + (f"^{power}" if power > 1 else "")
        parts.append(text)
    return " + ".join(parts) or "0"


def _written(x: float) -> str:
    """At least x, with `DIGITS` significant digits."""
    if not math.isfinite(x):
        return "inf"
    exponent = math.floor(math.log10(x)) - (DIGITS - 1)
    rounded = math.ceil(x / 10.0**exponent * (1 - 2**-50)) * 10.0**exponent
    text = f"{rounded:.{max(0, -exponent)}f}" if -8 < exponent < 8 else f"{rounded:.{DIGITS - 1}e}"
    return text


def largest_within(p: upward.Polynomial, tolerance: float, reach: float) -> float:
    """The largest whole |u| ≤ reach with p(|u|) ≤ tolerance; −1 when even 0 is beyond it."""
    if upward.value(p, 0.0) > tolerance:
        return -1.0
    low, high = 0, int(reach)
    if upward.value(p, float(high)) <= tolerance:
        return float(high)
    while high - low > 1:
        middle = (low + high) // 2
        if upward.value(p, float(middle)) <= tolerance:
            low = middle
        else:
            high = middle
    return float(low)
