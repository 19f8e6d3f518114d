"""Error bounds as formulas: ε(|u|) = Σ_p c_p·|u|^p, written in units of unit roundoffs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding import upward

if TYPE_CHECKING:
    from numeric_check.rounding.bound import KernelBound

DIGITS = 4
STATED_DIGITS = 2
MARGIN = 1.05
"""What a statement in a file leaves for constants that another machine rounds otherwise."""
ANGLES = 2.0**-53
"""Unit of the coefficients of |u|: angles and exponents are formed in float64."""

SMALLEST = 2.0**-1022
NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,24})?(?:e[+-]?[0-9]{1,3})?"
PART = re.compile(
    rf"(?P<factor>{NUMBER})\*2\^(?P<exponent>-[0-9]{{1,4}})"
    r"(?P<variable>\*\|u\|(?:\^(?P<power>[0-9]{1,2}))?)?"
)
STATEMENT = re.compile(
    rf"eps = (?P<eps>[^,]{{1,2000}}), eta = (?P<eta>{NUMBER}), \|u\| <= (?P<reach>[0-9]{{1,17}})"
)
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


def formula(p: upward.Polynomial, dtype: str, *, digits: int = DIGITS, unit: float = ANGLES) -> str:
    """A polynomial with every coefficient rounded upwards, to four digits unless told otherwise.

    The constant is in units of the roundoff of the dtype, the others in units of `unit`.

    >>> formula((2.0**-8, 3 * 2.0**-53), "bfloat16")
    '1.000*2^-8 + 3.000*2^-53*|u|'
    """
    parts = []
    for power, c in enumerate(p):
        if not c:
            continue
        own = FORMATS[dtype].unit_roundoff if power == 0 else unit
        text = f"{_written(c / own, digits)}*2^{math.frexp(own)[1] - 1}"
        if power:
            text += "*|u|" + (f"^{power}" if power > 1 else "")
        parts.append(text)
    return " + ".join(parts) or "0"


def _written(x: float, digits: int) -> str:
    """At least x, with so many significant digits."""
    if not math.isfinite(x):
        return "inf"
    exponent = math.floor(math.log10(x)) - (digits - 1)
    rounded = math.ceil(x / 10.0**exponent * (1 - 2**-50)) * 10.0**exponent
    text = f"{rounded:.{max(0, -exponent)}f}" if -8 < exponent < 8 else f"{rounded:.{digits - 1}e}"
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


def stated_formula(p: upward.Polynomial, dtype: str) -> str:
    """A polynomial as a file states it, with a margin."""
    return formula(upward.scale(p, MARGIN), dtype, digits=STATED_DIGITS)


def stated_number(x: float) -> str:
    """A number as a file states it, with a margin; the smallest normal number at least."""
    return _written(max(upward.times(x, MARGIN), SMALLEST), STATED_DIGITS) if x else "0"


def states_at_least(statement: str, bound: KernelBound) -> bool:
    """Whether a statement written by `stated_formula` and `stated_number` is implied by a bound."""
    match = STATEMENT.fullmatch(statement.strip())
    if match is None or int(match["reach"]) > bound.reach:
        return False
    stated = coefficients(match["eps"])
    if stated is None:
        return False
    powers = max(len(bound.relative), *(k + 1 for k in stated), 1)
    found = (*bound.relative, *(0.0,) * (powers - len(bound.relative)))
    within = all(c <= stated.get(k, 0.0) for k, c in enumerate(found))
    return within and bound.absolute <= float(match["eta"])


def coefficients(text: str) -> dict[int, float] | None:
    """The coefficients of a formula, or None when it is none."""
    if text == "0":
        return {0: 0.0}
    found: dict[int, float] = {}
    for part in text.split(" + "):
        match = PART.fullmatch(part)
        if match is None:
            return None
        power = int(match["power"] or 1) if match["variable"] else 0
        found[power] = float(match["factor"]) * 2.0 ** int(match["exponent"])
    return found
