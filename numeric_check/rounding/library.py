"""The parts of NumPy and PyTorch that emitted texts use, on arrays of rounded elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.rounding.array import RoundedArray
from numeric_check.rounding.cells import Branch
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.formats import (
    INTEGER,
    REAL_OF,
    DType,
    complex_of,
    dtype_of,
    promoted,
)
from numeric_check.rounding.planes import RoundedPlanes, joined
from numeric_check.text_proof.exact_element import LeavesTheRing


class RoundingLibrary:
    """Stands for the module while a text runs; anything else raises `LeavesTheRing`."""

    float64, float32, float16, bfloat16 = map(DType, ("float64", "float32", "float16", "bfloat16"))
    int64 = DType(INTEGER)
    complex64, complex128 = map(DType, ("complex64", "complex128"))
    name = ""
    weak = False
    default = "float64"
    identity: Any = None
    """The row that stands for all rows of the identity, where a text asks for one."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def functions(self) -> Mapping[str, Any]:
        """What stands for functions that a text imports."""
        return {}

    def array_of(self, data: Any, dtype: str) -> RoundedArray:
        """Elements as an array of this library."""
        return RoundedArray(data, dtype, self.model, weak=self.weak)

    def brought(self, value: Any) -> RoundedArray:
        """Numbers, nested lists and elements as an array."""
        if isinstance(value, RoundedArray):
            return value
        if isinstance(value, Rounded):
            cell = np.empty((), dtype=object)
            cell[()] = value
            return self.array_of(cell, "float64")
        plain = np.asarray(value)
        dtype = INTEGER if plain.dtype.kind in "biu" else self.default
        return self.array_of(plain.astype(object), dtype)

    def lift(self, value: Any) -> RoundedArray:
        """A constant of the text, computed by the real library."""
        plain = value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)
        return self.array_of(plain.astype(object), dtype_of(plain.dtype))

    def cos(self, value: Any) -> RoundedArray:
        """cos, element by element."""
        return self.brought(value).cos()

    def sin(self, value: Any) -> RoundedArray:
        """sin, element by element."""
        return self.brought(value).sin()

    def exp(self, value: Any) -> RoundedArray:
        """exp, element by element."""
        return self.brought(value).exp()

    def sqrt(self, value: Any) -> RoundedArray:
        """√, element by element."""
        return self.brought(value).sqrt()

    def floor(self, value: Any) -> RoundedArray:
        """The whole part, element by element."""
        return self.brought(value).floor()

    def ones_like(self, value: RoundedArray, **_: Any) -> RoundedArray:
        """Ones."""
        return value.like(np.ones(value.shape, dtype=object))

    def eye(self, size: int, **_: Any) -> RoundedArray:
        """One row for all rows of the identity: what is done to it is done to each of them."""
        if self.identity is None or len(self.identity) != size:
            raise LeavesTheRing(f"the text uses {self.name}.eye")
        return self.array_of(np.broadcast_to(self.identity, (size, size)), "float64")

    def tril(self, value: RoundedArray) -> RoundedArray:
        """Zeros above the diagonal of the last two axes."""
        below = np.tril(np.ones(value.shape[-2:], dtype=bool))
        return value.like(np.where(below, value.data, 0))

    def zeros_like(self, value: RoundedArray) -> RoundedArray:
        """Zeros."""
        return value.like(np.zeros(value.shape, dtype=object))

    def zeros(self, shape: Sequence[int], dtype: Any = None, device: Any = None) -> RoundedArray:
        """Zeros of a dtype."""
        name = self.default if dtype is None else dtype_of(dtype)
        return self.array_of(np.zeros(tuple(shape), dtype=object), name)

    def multiply(self, first: Any, second: Any, *, out: Any = None) -> Any:
        """A product, into `out` when it is given."""
        product = first * second
        if out is None:
            return product
        out[...] = product
        return out

    def maximum(self, first: RoundedArray, bound: Any) -> RoundedArray:
        """The same where a lag that is not negative is kept from being negative."""
        return first.clamp(min=bound)

    def where(self, condition: Any, first: Any, second: Any) -> RoundedArray:
        """`first` or `second`, where that is known; or as in the cell of a block."""
        if isinstance(condition, (int, float)):
            return self._picked((first, second) if condition else (second, first))
        if isinstance(condition, Branch) and self.model.cell is not None:
            one, other = self.brought(first), self.brought(second)
            chosen = self.model.cell.chosen(condition, one.data, other.data)
            return self.array_of(chosen, self._dtype_of_both((first, one), (second, other)))
        raise LeavesTheRing("the text chooses by values")

    def _picked(self, pair: tuple[Any, Any]) -> RoundedArray:
        """The first of two; in the place of truth values it is what it is where none holds."""
        if isinstance(pair[1], Branch):
            return self.where(replace(pair[1], kinds=()), pair[0], pair[0])
        one, other = (self.brought(x) for x in pair)
        shape = np.broadcast_shapes(one.shape, other.shape)
        dtype = self._dtype_of_both((pair[0], one), (pair[1], other))
        return self.array_of(np.broadcast_to(one.data, shape), dtype)

    @staticmethod
    def _dtype_of_both(*pairs: tuple[Any, RoundedArray]) -> str:
        """Plain numbers give way to arrays."""
        arrays = [x.dtype.name for given, x in pairs if not isinstance(given, (int, float))]
        names = arrays or [x.dtype.name for _, x in pairs]
        return promoted(names[0], names[-1])

    def _joined(self, arrays: Sequence[Any], join: Callable[[list[Any]], Any]) -> RoundedArray:
        parts = [self.brought(a) for a in arrays]
        dtype = parts[0].dtype.name
        for part in parts[1:]:
            dtype = promoted(dtype, part.dtype.name)
        if dtype == INTEGER:
            return self.array_of(join([p.data for p in parts]), dtype)
        return self.array_of(join([p.cast(dtype).data for p in parts]), dtype)

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses {self.name}.{name}")


class RoundingNumPy(RoundingLibrary):
    """NumPy; bfloat16 through ml_dtypes."""

    name = "numpy"
    newaxis = None

    def asarray(self, value: Any, dtype: Any = None) -> RoundedArray:
        """A value as an array, rounded to a dtype."""
        found = self.brought(value)
        return found if dtype is None else found.astype(dtype, copy=False)

    array = asarray
    ascontiguousarray = asarray

    def result_type(self, *dtypes: Any) -> DType:
        """Promotion of dtypes; that of the parts, where one of them is complex."""
        names = [d.name if isinstance(d, DType) else dtype_of(d) for d in dtypes]
        parts = [REAL_OF.get(name, name) for name in names]
        result = parts[0]
        for other in parts[1:]:
            result = promoted(result, other)
        return DType(result if parts == names else complex_of(result))

    def arange(self, *bounds: int) -> Any:
        """Consecutive integers, and what a text computes of them: constants of the library."""
        return np.arange(*bounds)

    def empty_like(self, value: RoundedArray) -> RoundedArray:
        """An array to be filled: an element that is read before is no number."""
        return value.like(np.full(value.shape, None, dtype=object))

    def broadcast_to(self, value: Any, shape: Any) -> RoundedArray:
        """Repeat along axes of size 1."""
        found = self.brought(value)
        return found.like(np.broadcast_to(found.data, shape))

    def swapaxes(self, value: RoundedArray, first: int, second: int) -> RoundedArray:
        """Exchange two axes."""
        return value.transpose(first, second)

    def repeat(self, value: RoundedArray, times: int, axis: int) -> RoundedArray:
        """Every element of an axis so many times."""
        return value.repeat_interleave(times, axis)

    def flip(self, value: RoundedArray, axis: int) -> RoundedArray:
        """Reverse an axis, in the same memory."""
        return value.like(np.flip(value.data, axis))

    def split(self, value: RoundedArray, cuts: Sequence[int], axis: int = 0) -> list[RoundedArray]:
        """Parts of an axis between some places."""
        return [value.like(part) for part in np.split(value.data, cuts, axis=axis)]

    def concatenate(self, arrays: Sequence[Any], axis: int = 0) -> RoundedArray:
        """Join along an axis."""
        return self._joined(arrays, lambda parts: np.concatenate(parts, axis=axis))

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> RoundedArray:
        """Join along a new axis."""
        return self._joined(arrays, lambda parts: np.stack(parts, axis=axis))


class RoundingTorch(RoundingLibrary):
    """PyTorch."""

    name, weak, default = "torch", True, "float32"
    contiguous_format = "contiguous"

    @property
    def amp(self) -> RoundingTorch:
        """Where it is asked for autocast."""
        return self

    def is_autocast_available(self, _: str) -> bool:
        """On every device that products are bounded for."""
        return True

    def autocast(self, _: str, *, enabled: bool) -> AbstractContextManager[None]:
        """Turned off; what it does when it is on has no bound."""
        if enabled:
            raise LeavesTheRing("the text turns autocast on")
        return nullcontext()

    def promote_types(self, a: Any, b: Any) -> DType:
        """Promotion of dtypes."""
        return DType(promoted(dtype_of(a), dtype_of(b)))

    def as_tensor(self, value: Any, dtype: Any = None, device: Any = None) -> RoundedArray:
        """A value as a tensor, rounded to a dtype."""
        found = self.brought(value)
        return found if dtype is None else found.cast(dtype_of(dtype))

    tensor = as_tensor

    def complex(self, real: RoundedArray, imag: RoundedArray) -> RoundedPlanes:
        """re + i·im."""
        return joined(real, imag)

    def view_as_complex(self, value: RoundedArray) -> RoundedPlanes:
        """Pairs on the last axis as complex numbers, in the same memory."""
        return RoundedPlanes(value)

    def view_as_real(self, value: RoundedPlanes) -> RoundedArray:
        """The opposite."""
        return value.pairs

    mul = RoundingLibrary.multiply

    def addcmul(
        self, value: RoundedArray, first: RoundedArray, second: RoundedArray
    ) -> RoundedArray:
        """value + first·second; the roundings of a fused operation are among these."""
        return value + first * second

    def cat(self, tensors: Sequence[Any], dim: int = 0) -> RoundedArray:
        """Join along an axis."""
        return self._joined(tensors, lambda parts: np.concatenate(parts, axis=dim))

    def stack(self, tensors: Sequence[Any], dim: int = 0) -> RoundedArray:
        """Join along a new axis."""
        return self._joined(tensors, lambda parts: np.stack(parts, axis=dim))

    def arange(self, *bounds: int, dtype: Any = None, device: Any = None) -> RoundedArray:
        """Consecutive integers."""
        found = self.array_of(np.arange(*bounds).astype(object), INTEGER)
        return found if dtype is None else found.cast(dtype_of(dtype))


class RoundingStandard(RoundingNumPy):
    """The array API standard, as far as texts of several axes use it."""

    name = "xp"

    @property
    def functions(self) -> Mapping[str, Any]:
        """The library itself, for any array."""
        return {"array_namespace": lambda *_: self, "device": lambda _: None}

    def asarray(self, value: Any, dtype: Any = None, device: Any = None) -> RoundedArray:
        """A value as an array, rounded to a dtype."""
        return super().asarray(value, dtype)

    def astype(self, value: RoundedArray, dtype: Any, **_: Any) -> RoundedArray:
        """Every element rounded to a dtype."""
        return value.astype(dtype, copy=False)

    def isdtype(self, *_: Any) -> bool:
        """Elements are neither truth values nor integers."""
        return False

    def expand_dims(self, value: RoundedArray, axis: int) -> RoundedArray:
        """A new axis of size 1."""
        return value.unsqueeze(axis)

    def reshape(self, value: RoundedArray, shape: Sequence[int]) -> RoundedArray:
        """Another shape of the same elements."""
        return value.reshape(tuple(shape))

    def matrix_transpose(self, value: RoundedArray) -> RoundedArray:
        """Exchange the last two axes."""
        return value.transpose(-1, -2)

    def sum(self, value: RoundedArray, axis: int) -> RoundedArray:
        """The sum along one axis, in any order."""
        return value.sum(axis=axis)

    concat = RoundingNumPy.concatenate

    def take(self, value: RoundedArray, indices: RoundedArray, axis: int) -> RoundedArray:
        """Entries of one axis."""
        return value.like(np.take(value.data, indices.data.astype(int), axis=axis))


LIBRARIES: Mapping[str, type[RoundingLibrary]] = {
    "numpy": RoundingNumPy,
    "torch": RoundingTorch,
    "array-api": RoundingStandard,
}
