"""Rigorous bounds of the rounding errors of emitted kernels, by running their text."""

from numeric_check.rounding.bound import BlockBound, KernelBound, rounding_bound
from numeric_check.rounding.formats import LIBRARY_ULPS, library_error
from numeric_check.rounding.formula import default_tolerance

__all__ = [
    "LIBRARY_ULPS",
    "BlockBound",
    "KernelBound",
    "default_tolerance",
    "library_error",
    "rounding_bound",
]
