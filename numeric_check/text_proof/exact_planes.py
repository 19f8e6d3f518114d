"""Planes as complex numbers, on exact elements.

A text may take two neighbouring channels a, b as the complex number a + ib. On exact elements this
is a pair of real arrays with the product of complex numbers; reading and writing go to the array
that the planes are a view of, as in NumPy and PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_choice import compared, integers, taken
from numeric_check.text_proof.exact_element import LeavesTheRing

COMPLEX = "complex"
"""Stands for the complex dtypes: what is exact has no precision."""


class ExactPlanes:
    """re + i·im, two object arrays of one shape; `wrap` makes them arrays of the text's library."""

    __slots__ = ("im", "re", "wrap")
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __hash__ = None  # type: ignore[assignment]

    dtype = COMPLEX
    requires_grad = False

    def __init__(self, re: Any, im: Any, wrap: Callable[[Any], Any]) -> None:
        self.re = re
        self.im = im
        self.wrap = wrap

    @property
    def real(self) -> Any:
        """The real parts."""
        return self.wrap(self.re)

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return self.wrap(self.im)

    def __mul__(self, other: Any) -> ExactPlanes:
        if not isinstance(other, ExactPlanes):
            raise LeavesTheRing("the text multiplies complex planes with what is none")
        a, b, c, d = self.re, self.im, other.re, other.im
        return ExactPlanes(a * c - b * d, b * c + a * d, self.wrap)

    def __getitem__(self, index: Any) -> ExactPlanes:
        return ExactPlanes(self.re[index], self.im[index], self.wrap)

    def take(self, other: ExactPlanes) -> ExactPlanes:
        """Write these values into the array that this is a view of."""
        self.re[...] = other.re
        self.im[...] = other.im
        return self

    def pairs(self) -> Any:
        """The parts side by side on a last axis."""
        return self.wrap(np.stack((self.re, self.im), axis=-1))

    def astype(self, dtype: Any, **_: Any) -> ExactPlanes:
        """Complex dtypes are one."""
        if dtype is not COMPLEX:
            raise LeavesTheRing(f"the text casts complex planes to {dtype}")
        return self

    def view(self, dtype: Any) -> Any:
        """The channels again, real and imaginary parts in turn."""
        if dtype is COMPLEX:
            return self
        pairs = self.pairs()
        return pairs.reshape(*pairs.shape[:-2], 2 * pairs.shape[-2])

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses {name} of complex planes")


class ExactArray(np.ndarray[Any, Any]):
    """An object array that can be viewed as planes."""

    def view(self, dtype: Any = None, *_: Any, **__: Any) -> Any:
        """The same memory as planes, or as itself."""
        if dtype is COMPLEX:
            return ExactPlanes(self[..., 0::2], self[..., 1::2], exact_array)
        return self

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """Casts keep the elements, but to integers, which wrap."""
        if dtype is np.int64:
            return exact_array(integers(self))
        return super().astype(dtype)

    def __getitem__(self, index: Any) -> Any:
        """Entries by exact integers are picked on every cell."""
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, np.ndarray) and part.dtype.hasobject for part in parts):
            return exact_array(taken(np.asarray(self), index))
        return super().__getitem__(index)

    def __array_wrap__(self, array: Any, *_: Any) -> Any:
        """A single element stays an array, as a number of NumPy has its indexing."""
        return exact_array(array)

    def __gt__(self, other: Any) -> Any:
        return compared(self, other, ">")

    def __ge__(self, other: Any) -> Any:
        return compared(self, other, ">=")

    def __lt__(self, other: Any) -> Any:
        return compared(self, other, "<")

    def __le__(self, other: Any) -> Any:
        return compared(self, other, "<=")


def exact_array(value: Any) -> Any:
    """A value as an array of exact elements, in the same memory when it is one."""
    return np.asarray(value, dtype=object).view(ExactArray)


__all__ = ["COMPLEX", "ExactArray", "ExactPlanes", "exact_array"]
