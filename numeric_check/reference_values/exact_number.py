"""Numbers taken exactly: a float is the dyadic rational that it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from symbolic_pe.errors import SpecificationError

Number = int | float | Fraction


def exact_number(value: Any) -> fmpq:
    """The rational number that an int, Fraction, `fmpq`, float or NumPy scalar is.

    >>> exact_number(0.1) == fmpq(1, 10)
    False
    >>> exact_number(0.375)
    3/8
    """
    if isinstance(value, fmpq):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            raise SpecificationError(f"expected a finite number, got {value!r}")
        return fmpq(*value.as_integer_ratio())
    if isinstance(value, (int, Fraction)):
        return fmpq(value.numerator, value.denominator)
    raise SpecificationError(f"expected an int, Fraction or float, got {type(value).__name__}")


def parameter_balls(parameters: Mapping[str, Any] | None) -> dict[str, arb]:
    """Parameter values as balls, at the current precision (exact for floats at 64 bits or more)."""
    return {name: arb(exact_number(value)) for name, value in (parameters or {}).items()}
