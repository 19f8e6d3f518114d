"""Planes as complex numbers, on rounded elements.

A text may take two neighbouring channels a, b as the complex number a + ib. Here these are pairs on
a last axis of an array of `Rounded` elements, in the memory that they are a view of. A product

    (a + ib)·(c + id) = (ac − bd) + i(ad + bc)

rounds both products and their sum. A library that fuses a product with the sum omits one of these
roundings, so the bound covers it as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numeric_check.rounding.formats import REAL_OF, DType, complex_of
from numeric_check.text_proof.exact_element import BranchOnValue, LeavesTheRing

if TYPE_CHECKING:
    from numeric_check.rounding.array import RoundedArray


class RoundedPlanes:
    """Complex numbers; `pairs` has their real and imaginary parts on its last axis, of size 2."""

    __slots__ = ("pairs",)
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, pairs: RoundedArray) -> None:
        if pairs.shape[-1:] != (2,):
            raise LeavesTheRing(f"the text takes an array of shape {pairs.shape} as complex pairs")
        complex_of(pairs.dtype.name)
        self.pairs = pairs

    @property
    def dtype(self) -> DType:
        """complex64 or complex128."""
        return DType(complex_of(self.pairs.dtype.name))

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.pairs.shape[:-1]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def real(self) -> RoundedArray:
        """The real parts, in the same memory."""
        return self.pairs[..., 0]

    @property
    def imag(self) -> RoundedArray:
        """The imaginary parts, in the same memory."""
        return self.pairs[..., 1]

    def __mul__(self, other: Any) -> RoundedPlanes:
        if not isinstance(other, RoundedPlanes):
            raise LeavesTheRing("the text multiplies complex planes with what is none")
        a, b, c, d = self.real, self.imag, other.real, other.imag
        return joined(a * c - b * d, a * d + b * c)

    def __getitem__(self, index: Any) -> RoundedPlanes:
        parts = index if isinstance(index, tuple) else (index,)
        if any(part is Ellipsis for part in parts):
            parts = (*parts, slice(None))  # what the ellipsis stands for ends before the pairs
        return RoundedPlanes(self.pairs[parts])

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, RoundedPlanes):
            raise LeavesTheRing("the text writes into complex planes what is none")
        self[index].pairs[...] = value.pairs

    def astype(self, dtype: Any, *, copy: bool = True) -> RoundedPlanes:
        """NumPy's cast, to another complex dtype."""
        return RoundedPlanes(self.pairs.astype(DType(_real_dtype(dtype)), copy=copy))

    def view(self, dtype: Any) -> Any:
        """The channels again, real and imaginary parts in turn."""
        if getattr(dtype, "name", None) == self.dtype.name:
            return self
        *outer, inner, _ = self.pairs.shape
        return self.pairs.reshape(*outer, 2 * inner).view(dtype)

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses {name} of complex planes")

    def _compare(self, other: object) -> Any:
        raise BranchOnValue("the text compares values that depend on the position or the input")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compare

    def __bool__(self) -> bool:
        raise BranchOnValue("the text asks whether complex planes are true")


def joined(real: RoundedArray, imaginary: RoundedArray) -> RoundedPlanes:
    """re + i·im, from arrays of one dtype."""
    if real.dtype != imaginary.dtype:
        raise LeavesTheRing(f"the text joins {real.dtype.name} and {imaginary.dtype.name} parts")
    pairs = real.unsqueeze(-1).joined_with(imaginary.unsqueeze(-1), axis=-1)
    return RoundedPlanes(pairs)


def _real_dtype(dtype: Any) -> str:
    name = str(getattr(dtype, "name", dtype))
    if name not in REAL_OF:
        raise LeavesTheRing(f"the text casts complex planes to {name}")
    return REAL_OF[name]


__all__ = ["RoundedPlanes", "joined"]
