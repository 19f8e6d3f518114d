"""Arrays of `Sized` elements, and the parts of array libraries that texts of positions use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from flint import arb

from numeric_check.rounding.formats import INTEGER, DType, dtype_of, promoted
from numeric_check.rounding.sized import Sized, SizedModel, constant, of_all
from numeric_check.text_proof.exact_element import BranchOnValue, LeavesTheRing


class SizedArray:
    """What texts of positions do to arrays; shapes are NumPy's."""

    __slots__ = ("data", "dtype", "model")
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __hash__ = None  # type: ignore[assignment]
    device = "rounding"

    def __init__(self, data: Any, dtype: str, model: SizedModel) -> None:
        self.data = np.asarray(data, dtype=object)
        self.dtype = DType(dtype)
        self.model = model

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.data.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.data.ndim

    def like(self, data: Any, dtype: str | None = None) -> SizedArray:
        """Other elements of the same kind of array."""
        return SizedArray(data, dtype or self.dtype.name, self.model)

    def __getitem__(self, index: Any) -> SizedArray:
        parts = index if isinstance(index, tuple) else (index,)
        found = self.data[tuple(_numbers(p) for p in parts)]
        chosen = any(isinstance(p, SizedArray) for p in parts)
        return self.of_all(found) if chosen else self.like(found)

    def of_all(self, picked: Any) -> SizedArray:
        """Entries picked at computed places: what holds of each has to hold of all."""
        entries = list(self.data.flat)
        return self.like(_each(lambda x: of_all(x, entries), picked))

    def astype(self, dtype: Any, **_: Any) -> SizedArray:
        """Every element rounded to a dtype, or its whole part."""
        name, model = dtype_of(dtype), self.model
        if name == INTEGER:
            return self.like(_each(lambda x: x if x.whole else model.floor(x), self.data), name)
        if name == self.dtype.name:
            return self
        if self.dtype.name == INTEGER or promoted(name, self.dtype.name) == name:
            return self.like(self.data, name)
        return self.like(_each(lambda x: model.rounded(x, name), self.data), name)

    def to(self, *given: Any) -> SizedArray:
        """PyTorch's cast and move."""
        casts = [value for value in given if value != self.device]
        return self.astype(*casts) if casts else self

    # -- arithmetic -------------------------------------------------------------------------------

    def brought(self, other: Any) -> SizedArray:
        """Numbers of the text as an array that gives way to any dtype."""
        if isinstance(other, SizedArray):
            return other
        return self.like(_each(constant, np.asarray(other, dtype=object)), INTEGER)

    def _with(
        self, other: Any, operation: Callable[..., Sized], *, swapped: bool = False
    ) -> SizedArray:
        right = self.brought(other)
        dtype = promoted(self.dtype.name, right.dtype.name)
        a, b = (right, self) if swapped else (self, right)
        return self.like(_each(lambda x, y: operation(x, y, dtype), a.data, b.data), dtype)

    def __add__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.add)

    __radd__ = __add__

    def __sub__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.subtract)

    def __rsub__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.subtract, swapped=True)

    def __mul__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.divide)

    def __rtruediv__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.divide, swapped=True)

    def __pow__(self, other: Any) -> SizedArray:
        return self._with(other, self.model.power)

    def __neg__(self) -> SizedArray:
        return self.like(_each(lambda x: -x, self.data))

    # -- comparisons ------------------------------------------------------------------------------

    def _compared(self, other: Any, holds: Callable[[arb, arb], bool]) -> SizedArray:
        right, model = self.brought(other), self.model
        found = _each(lambda x, y: model.compared(x, y, holds), self.data, right.data)
        return self.like(found, INTEGER)

    def __lt__(self, other: Any) -> SizedArray:
        return self._compared(other, lambda x, y: bool(x < y))

    def __le__(self, other: Any) -> SizedArray:
        return self._compared(other, lambda x, y: bool(x <= y))

    def __gt__(self, other: Any) -> SizedArray:
        return self._compared(other, lambda x, y: bool(x > y))

    def __ge__(self, other: Any) -> SizedArray:
        return self._compared(other, lambda x, y: bool(x >= y))

    def __bool__(self) -> bool:
        raise BranchOnValue("the text asks whether an array is true")

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses the array method {name}")


class SizedLibrary:
    """Stands for any of the array libraries while a text runs."""

    float64, float32, float16, bfloat16 = map(DType, ("float64", "float32", "float16", "bfloat16"))
    int64 = DType(INTEGER)

    def __init__(self, model: SizedModel) -> None:
        self.model = model

    @property
    def functions(self) -> Mapping[str, Any]:
        """What stands for functions that a text imports."""
        return {"array_namespace": lambda *_: self, "device": lambda _: None}

    def lift(self, value: Any) -> SizedArray:
        """A constant of the text, as it is."""
        plain = value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)
        return self.array(plain, dtype_of(plain.dtype))

    def array(self, numbers: Any, dtype: str = "float64") -> SizedArray:
        """Numbers of the text."""
        data = _each(constant, np.asarray(numbers).astype(object))
        return SizedArray(data, dtype, self.model)

    def asarray(self, value: Any, dtype: Any = None, device: Any = None) -> SizedArray:
        """A value as an array of a dtype."""
        found = value if isinstance(value, SizedArray) else self.array(value)
        return found if dtype is None else found.astype(dtype)

    def astype(self, value: SizedArray, dtype: Any) -> SizedArray:
        """The cast of the array API."""
        return value.astype(dtype)

    def abs(self, value: SizedArray) -> SizedArray:
        """|value|."""
        return value.like(_each(self.model.magnitude, value.data))

    def log(self, value: SizedArray) -> SizedArray:
        """The natural logarithm."""
        name = value.dtype.name
        return value.like(_each(lambda x: self.model.log(x, name), value.data))

    def cos(self, value: SizedArray) -> SizedArray:
        """cos."""
        return self._wave(value, "cos")

    def sin(self, value: SizedArray) -> SizedArray:
        """sin."""
        return self._wave(value, "sin")

    def _wave(self, value: SizedArray, part: str) -> SizedArray:
        name = value.dtype.name
        return value.like(_each(lambda x: self.model.wave(x, name, part), value.data))

    def maximum(self, first: SizedArray, second: Any) -> SizedArray:
        """The larger one, element by element."""
        other = first.brought(second)
        dtype = promoted(first.dtype.name, other.dtype.name)
        return first.like(_each(self.model.larger, first.data, other.data), dtype)

    def clip(self, value: SizedArray, low: Any, high: Any) -> SizedArray:
        """Kept from being below a bound."""
        if high is not None:
            raise LeavesTheRing("the text keeps values below a bound")
        return self.maximum(value, low)

    def where(self, condition: SizedArray, first: SizedArray, second: Any) -> SizedArray:
        """The first where a condition holds; off by no more than one of the two."""
        other, either = first.brought(second), self.model.either
        dtype = promoted(first.dtype.name, other.dtype.name)

        def chosen(holds: Sized, one: Sized, two: Sized) -> Sized:
            return either(one, two) if holds.value != 0 else either(two, one)

        return first.like(_each(chosen, condition.data, first.data, other.data), dtype)

    def sum(self, value: SizedArray, axis: int) -> SizedArray:
        """The sum along the last axis, in any order."""
        if axis != -1:
            raise LeavesTheRing("the text sums over another axis than the last")
        found = np.empty(value.shape[:-1], dtype=object)
        for place in np.ndindex(*found.shape):
            found[place] = self.model.sum(list(value.data[place]), value.dtype.name)
        return value.like(found)

    def concatenate(self, arrays: Sequence[SizedArray], axis: int) -> SizedArray:
        """Join along an axis."""
        return arrays[0].like(np.concatenate([x.data for x in arrays], axis=axis))

    cat = concat = concatenate

    def stack(self, arrays: Sequence[SizedArray], axis: int) -> SizedArray:
        """Join along a new axis."""
        return arrays[0].like(np.stack([x.data for x in arrays], axis=axis))

    def take(self, value: SizedArray, index: SizedArray, axis: int) -> SizedArray:
        """Entries of one axis."""
        return value.of_all(np.take(value.data, _numbers(index), axis=axis))

    def reshape(self, value: SizedArray, shape: Sequence[int]) -> SizedArray:
        """Another shape of the same elements."""
        return value.like(value.data.reshape(tuple(shape)))

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses the function {name}")


def _each(function: Callable[..., Any], *arrays: Any) -> Any:
    found = np.frompyfunc(function, len(arrays), 1)(*arrays)
    return np.asarray(found, dtype=object)


def _numbers(index: Any) -> Any:
    """Whole numbers, exactly, in place of an array of them."""
    if not isinstance(index, SizedArray):
        return index
    if not all(x.whole for x in index.data.flat):
        raise LeavesTheRing("the text picks entries at numbers that are rounded")
    plain = [int(x.value.unique_fmpz()) for x in index.data.flat]
    return np.array(plain, dtype=np.int64).reshape(index.shape)


__all__ = ["SizedArray", "SizedLibrary"]
