"""Dtypes as a lattice, and how accurate the functions of an array library are taken to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import KernelError

LIBRARY_ULPS: Mapping[str, float] = MappingProxyType(
    {"float64": 1.0, "float32": 4.0, "bfloat16": 4.0, "float16": 4.0}
)
"""Assumed: exp, sin, cos, log and powers are within this many units in the last place.

Emitted texts use them in float64 only; the others are there so that an edited text has a bound.
`library_error` measures the assumption."""

_CONTAINS = {
    "float64": {"float64", "float32", "bfloat16", "float16"},
    "float32": {"float32", "bfloat16", "float16"},
    "bfloat16": {"bfloat16"},
    "float16": {"float16"},
}
_WIDTH = ("float16", "bfloat16", "float32", "float64")
INTEGER = "int64"
REAL_OF: Mapping[str, str] = MappingProxyType({"complex64": "float32", "complex128": "float64"})
"""The dtype of the real and the imaginary parts."""
BITS = 128


@dataclass(frozen=True)
class DType:
    """Stands for a dtype of the library while a text runs."""

    name: str

    @property
    def kind(self) -> str:
        """NumPy's letter: `f` floating point (`V` for bfloat16), `i` integers, `c` complex."""
        if self.name in REAL_OF:
            return "c"
        return {INTEGER: "i", "bfloat16": "V"}.get(self.name, "f")

    @property
    def is_floating_point(self) -> bool:
        """PyTorch's question."""
        return self.name != INTEGER and self.name not in REAL_OF


def dtype_of(value: Any) -> str:
    """The name of a dtype, a stand-in or the library's own."""
    name = value.name if isinstance(value, DType) else str(value).rsplit(".", 1)[-1]
    if name in FORMATS:
        return name
    if name.startswith(("int", "uint", "bool")):
        return INTEGER
    raise KernelError(f"expected a dtype of {', '.join(FORMATS)}, got {value!r}")


def complex_of(real: str) -> str:
    """The complex dtype with parts of a dtype. Raises `KernelError` where libraries have none."""
    for name, part in REAL_OF.items():
        if part == real:
            return name
    raise KernelError(
        f"complex numbers: expected parts of {', '.join(REAL_OF.values())}, got {real}"
    )


def contains(wide: str, narrow: str) -> bool:
    """Whether every number of the narrow format is one of the wide format."""
    return narrow in _CONTAINS[wide]


def promoted(a: str, b: str) -> str:
    """The smallest format that contains both, as NumPy (with ml_dtypes) and PyTorch promote."""
    if b in (a, INTEGER):
        return a
    if a == INTEGER:
        return b
    wide, narrow = sorted((a, b), key=_WIDTH.index, reverse=True)
    return wide if contains(wide, narrow) else "float32"


def holds(dtype: str, x: fmpq) -> bool:
    """Whether a rational is a normal number of the format, so that rounding keeps it."""
    format_ = FORMATS[dtype]
    numerator, denominator = abs(int(x.p)), int(x.q)
    if not numerator:
        return True
    if denominator & (denominator - 1):
        return False
    odd = numerator >> ((numerator & -numerator).bit_length() - 1)
    in_range = numerator * fmpq(1, denominator) >= exact_number(format_.smallest_normal)
    small = numerator * fmpq(1, denominator) <= exact_number(format_.largest)
    return bool(odd.bit_length() <= format_.precision and in_range and small)


def relative_error_of_library(dtype: str) -> float:
    """One unit in the last place is at most 2u of the value."""
    return LIBRARY_ULPS[dtype] * 2.0 * FORMATS[dtype].unit_roundoff


def library_error(
    function: Callable[[Any], Any],
    name: str,
    arguments: Sequence[float],
    dtype: str = "float64",
    *others: float,
) -> tuple[float, float]:
    """The largest error of a function over some arguments, in units in the last place.

    name    `exp`, `sin`, `cos`, `log`, or `__pow__` with the exponent in `others`

    Returns (units, the argument), measured against balls. Arguments are of the dtype, and so are
    results; subnormal results are left out.

    >>> units, _ = library_error(np.sin, "sin", [1.0, 0.5, 1e6])
    >>> units <= LIBRARY_ULPS["float64"]
    True
    """
    format_ = FORMATS[dtype]
    found = [float(y) for y in function(np.asarray(arguments, dtype=np.dtype(dtype)))]
    worst = (0.0, 0.0)
    for x, y in zip(arguments, found, strict=True):
        with precision(BITS):
            more = [arb(exact_number(float(y))) for y in others]
            exact = getattr(arb(exact_number(float(x))), name)(*more)
            if not abs(exact) >= format_.smallest_normal or not abs(exact) <= format_.largest:
                continue
            # exponent of the binade that holds the true value
            exponent = int(np.frexp(float(abs(exact)))[1])
            unit = arb(2) ** (exponent - format_.precision)
            units = float(abs(arb(exact_number(y)) - exact) / unit)
        if units > worst[0]:
            worst = units, float(x)
    return worst
