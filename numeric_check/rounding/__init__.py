"""Rigorous bounds of the rounding errors of emitted kernels, by running their text."""

from numeric_check.rounding.bound import BlockBound, KernelBound, rounding_bound
from numeric_check.rounding.formats import LIBRARY_ULPS, library_error
from numeric_check.rounding.formula import default_tolerance
from numeric_check.rounding.judged import DtypeBound, KernelBounds, judge
from numeric_check.rounding.measured import Measurement, measure, search
from numeric_check.rounding.safe import SafePosition, safe_position

__all__ = [
    "LIBRARY_ULPS",
    "BlockBound",
    "DtypeBound",
    "KernelBound",
    "KernelBounds",
    "Measurement",
    "SafePosition",
    "default_tolerance",
    "judge",
    "library_error",
    "measure",
    "rounding_bound",
    "safe_position",
    "search",
]
