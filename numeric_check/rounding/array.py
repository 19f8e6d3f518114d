"""Arrays of `Rounded` elements with the dtype that the library would give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from numeric_check.rounding import distinct, roots, turns
from numeric_check.rounding.cells import ELSEWHERE, GROWING, TURNING
from numeric_check.rounding.element import Model, Rounded, number
from numeric_check.rounding.formats import INTEGER, REAL_OF, DType, dtype_of, promoted
from numeric_check.rounding.majorant import NONE, ONE
from numeric_check.rounding.planes import RoundedPlanes
from numeric_check.text_proof.exact_element import BranchOnValue, LeavesTheRing


class Device(str):
    """The one device there is; its kind is asked for by its `type`."""

    __slots__ = ()
    type = "rounding"


DEVICE = Device("rounding")
Operation = Callable[[Model, Rounded, Rounded, str], Rounded]


class RoundedArray:
    """What emitted texts do to arrays of either library, every rounding accounted for.

    weak  arrays without axes give way to the dtype of arrays with axes, as PyTorch's do
    """

    __slots__ = ("data", "dtype", "model", "weak")
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __hash__ = None  # type: ignore[assignment]
    device = DEVICE

    def __init__(self, data: Any, dtype: str, model: Model, *, weak: bool = False) -> None:
        self.data = np.asarray(data, dtype=object)
        self.dtype = DType(dtype)
        self.model = model
        self.weak = weak

    def like(self, data: Any, dtype: str | None = None) -> RoundedArray:
        """Other elements of the same kind of array."""
        return RoundedArray(data, dtype or self.dtype.name, self.model, weak=self.weak)

    # -- shape ------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.data.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.data.ndim

    def unsqueeze(self, dim: int) -> RoundedArray:
        """A new axis of size 1."""
        return self.like(np.expand_dims(self.data, dim))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> RoundedArray:
        """Join axes start … end."""
        start, end = start_dim % self.ndim, end_dim % self.ndim
        shape = (*self.shape[:start], -1, *self.shape[end + 1 :])
        return self.like(self.data.reshape(shape))

    def unflatten(self, dim: int, sizes: Sequence[int]) -> RoundedArray:
        """Split one axis, in the same memory."""
        place = dim % self.ndim
        return self.like(self.data.reshape((*self.shape[:place], *sizes, *self.shape[place + 1 :])))

    def stride(self) -> tuple[int, ...]:
        """Distances of neighbours along the axes, counted in elements."""
        return tuple(step // self.data.itemsize for step in self.data.strides)

    def transpose(self, first: int, second: int) -> RoundedArray:
        """Exchange two axes."""
        return self.like(np.swapaxes(self.data, first, second))

    swapaxes = transpose

    @property
    def T(self) -> RoundedArray:
        """Axes in the opposite order."""
        return self.like(self.data.T)

    def repeat_interleave(self, times: int, dim: int) -> RoundedArray:
        """Every element of an axis so many times."""
        return self.like(np.repeat(self.data, times, axis=dim))

    def flip(self, *dims: int) -> RoundedArray:
        """Reverse axes; a copy, as in PyTorch."""
        return self.like(np.flip(self.data, dims).copy())

    def expand(self, *shape: Any) -> RoundedArray:
        """Broadcast; −1 keeps an axis."""
        sizes = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else list(shape)
        own = [1] * (len(sizes) - self.ndim) + list(self.shape)
        full = [o if s == -1 else s for s, o in zip(sizes, own, strict=True)]
        return self.like(np.broadcast_to(self.data, full))

    def reshape(self, *shape: Any) -> RoundedArray:
        """Another shape of the same elements."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return self.like(self.data.reshape(tuple(sizes)))

    def new_tensor(self, values: Any) -> RoundedArray:
        """Values as a tensor of the same dtype."""
        return self._brought(values).cast(self.dtype.name)

    def copy(self) -> RoundedArray:
        """The same elements in a new array."""
        return self.like(self.data.copy())

    def clone(self, **_: Any) -> RoundedArray:
        """PyTorch's copy."""
        return self.copy()

    def view(self, dtype: Any) -> Any:
        """The same memory as complex numbers, two neighbours each, or as it is."""
        name = getattr(dtype, "name", None)
        if name == self.dtype.name:
            return self
        if REAL_OF.get(name or "") != self.dtype.name:
            raise LeavesTheRing(f"the text views {self.dtype.name} as {name or dtype}")
        return RoundedPlanes(self.unflatten(-1, (-1, 2)))

    def split(self, size: int, dim: int = 0) -> list[RoundedArray]:
        """PyTorch's parts of one size along an axis, the last one shorter where it has to be."""
        cuts = range(size, self.shape[dim], size)
        return [self.like(part) for part in np.split(self.data, cuts, axis=dim)]

    def new_zeros(self, shape: Sequence[int]) -> RoundedArray:
        """Zeros of the same dtype."""
        return self.like(np.zeros(tuple(shape), dtype=object))

    def joined_with(self, other: RoundedArray, axis: int) -> RoundedArray:
        """Both arrays, of one dtype, broadcast and one after the other along an axis of size 1."""
        return self.like(np.concatenate(np.broadcast_arrays(self.data, other.data), axis=axis))

    def __getitem__(self, index: Any) -> RoundedArray:
        return self.like(self.data[_plain_index(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        source = self._brought(value).cast(self.dtype.name)
        self.data[_plain_index(index)] = source.data

    # -- casts ------------------------------------------------------------------------------------

    def is_floating_point(self) -> bool:
        """PyTorch's question."""
        return self.dtype.is_floating_point

    def cast(self, dtype: str) -> RoundedArray:
        """Every element rounded to a format."""
        if dtype == INTEGER:
            return self.like(_each(self.data, turns.as_integer), dtype)
        model = self.model
        return self.like(self._each(lambda x: model.rounded(self._lifted(x), dtype)), dtype)

    def _any_fixed(self, data: Any) -> bool:
        elements = distinct.distinct_of(data) if self.model.shares else data.flat
        return any(isinstance(x, turns.FixedPoint) for x in elements)

    def _each(self, function: Callable[[Any], Any]) -> Any:
        def one(x: Any) -> Any:
            return x if x is ELSEWHERE else function(x)

        return (distinct.each if self.model.shares else _each)(self.data, one)

    def _lifted(self, x: Any) -> Rounded:
        """An element; numbers of the text as the constants that they stand for."""
        cell = self.model.cell
        if cell is None or not cell.constants or isinstance(x, (Rounded, turns.FixedPoint)):
            return _lifted(x)
        own = number(x)
        return cell.constants.get(own.value.get(ONE, NONE), own)

    def astype(self, dtype: Any, *, copy: bool = True) -> RoundedArray:
        """NumPy's cast; with copy=False an array that has the dtype is returned itself."""
        name = dtype_of(dtype)
        return self if name == self.dtype.name and not copy else self.cast(name)

    def to(self, *arguments: Any, **named: Any) -> RoundedArray:
        """PyTorch's cast and move."""
        for value in (*arguments, *named.values()):
            if value is not DEVICE and value is not None:
                dtype = value.dtype if isinstance(value, RoundedArray) else value
                return self.astype(dtype, copy=False)
        return self

    def float(self) -> RoundedArray:
        """Cast to float32."""
        return self.cast("float32")

    def double(self) -> RoundedArray:
        """Cast to float64."""
        return self.cast("float64")

    def half(self) -> RoundedArray:
        """Cast to float16."""
        return self.cast("float16")

    # -- arithmetic -------------------------------------------------------------------------------

    def _brought(self, other: Any) -> RoundedArray:
        if isinstance(other, RoundedArray):
            return other
        if isinstance(other, (np.ndarray, np.generic)):
            return self.like(np.asarray(other).astype(object), dtype_of(other.dtype))
        return self.like(np.asarray(other, dtype=object), INTEGER)

    def _with(self, other: Any, operation: Operation, *, swapped: bool = False) -> RoundedArray:
        right = self._brought(other)
        dtype = self._result_dtype(right)
        model = self.model
        a, b = (right, self) if swapped else (self, right)
        if self._any_fixed(a.data) or self._any_fixed(b.data):
            fixed = turns.OPERATIONS.get(operation.__name__.strip("_"))
            if fixed is None:
                raise LeavesTheRing("the text divides fixed-point turns")
            pair = np.frompyfunc(lambda x, y: fixed(model, x, y), 2, 1)
            return self.like(np.asarray(pair(a.data, b.data), dtype=object), dtype)
        if dtype == INTEGER:
            raise LeavesTheRing("the text computes with integers")

        def one(x: Any, y: Any) -> Any:
            if x is ELSEWHERE or y is ELSEWHERE:
                return ELSEWHERE
            left, second = (model.rounded(self._lifted(z), dtype) for z in (x, y))
            return operation(model, left, second, dtype)

        if model.shares:
            return self.like(distinct.pairs(a.data, b.data, one), dtype)
        return self.like(np.frompyfunc(one, 2, 1)(a.data, b.data), dtype)

    def _result_dtype(self, other: RoundedArray) -> str:
        mine, theirs = self.dtype.name, other.dtype.name
        if self.weak and INTEGER not in (mine, theirs) and bool(self.ndim) != bool(other.ndim):
            return mine if self.ndim else theirs
        result = promoted(mine, theirs)
        mixed = INTEGER in (mine, theirs) and mine != theirs
        integers = self if mine == INTEGER else other
        if mixed and not self.weak and integers.ndim:
            return "float64"
        return result

    def __add__(self, other: Any) -> RoundedArray:
        return self._with(other, _add)

    __radd__ = __add__

    def __iadd__(self, other: Any) -> RoundedArray:
        """Into the same memory, rounded to the dtype that it has."""
        self[...] = self + other
        return self

    def __sub__(self, other: Any) -> RoundedArray:
        return self._with(other, _subtract)

    def __rsub__(self, other: Any) -> RoundedArray:
        return self._with(other, _subtract, swapped=True)

    def __mul__(self, other: Any) -> RoundedArray:
        return self._with(other, _multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> RoundedArray:
        return self._with(other, _divide)

    def __rtruediv__(self, other: Any) -> RoundedArray:
        return self._with(other, _divide, swapped=True)

    def __pow__(self, exponent: Any) -> RoundedArray:
        if not isinstance(exponent, int) or not 1 <= exponent <= 64:
            raise LeavesTheRing(f"the text raises to the power {exponent!r}")
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __rpow__(self, base: Any) -> RoundedArray:
        """A number to the power of constants, rounded as the real library does: a constant."""
        exponents = [_lifted(x).constant for x in self.data.flat]
        known = [float(x) for x in exponents if x is not None]
        if not isinstance(base, float) or len(known) < len(exponents):
            raise LeavesTheRing("the text raises to a power that is no constant")
        found = np.power(base, np.array(known))
        return self.like(found.reshape(self.shape).astype(object))

    def __neg__(self) -> RoundedArray:
        return self.like(self._each(lambda x: -x))

    def __pos__(self) -> RoundedArray:
        return self

    def __matmul__(self, other: Any) -> RoundedArray:
        right = self._brought(other)
        dtype, model = self._result_dtype(right), self.model
        a, b = self.cast(dtype).data, right.cast(dtype).data

        def of(row: list[Any], column: list[Any]) -> Rounded:
            return model.dot(row, column, dtype)

        if model.shares:
            return self.like(distinct.products(a, b, of), dtype)
        dot = np.frompyfunc(of, 2, 1)
        rows, columns = _as_lists(a), _as_lists(np.swapaxes(b, -1, -2))
        products = dot(rows[..., :, None], columns[..., None, :])
        return self.like(model.new_stage(np.asarray(products, dtype=object)), dtype)

    def sum(self, axis: int | None = None, *, dim: int | None = None) -> RoundedArray:
        """The sum along one axis, in any order."""
        place = axis if dim is None else dim
        if place is None:
            raise LeavesTheRing("the text sums over all axes")
        dtype, model = self.dtype.name, self.model
        rows = _as_lists(np.moveaxis(self.data, place, -1))
        return self.like(_each(rows, lambda row: model.sum([_lifted(x) for x in row], dtype)))

    # -- functions --------------------------------------------------------------------------------

    def cos(self) -> RoundedArray:
        """cos, element by element."""
        return self._function(lambda model, x, dtype: model.cos(x, dtype))

    def sin(self) -> RoundedArray:
        """sin, element by element."""
        return self._function(lambda model, x, dtype: model.sin(x, dtype))

    def exp(self) -> RoundedArray:
        """exp, element by element."""
        return self._function(lambda model, x, dtype: model.exp(x, dtype))

    def sqrt(self) -> RoundedArray:
        """√, element by element."""
        return self._function(roots.sqrt)

    def floor(self) -> RoundedArray:
        """The whole part, element by element."""
        return self.like(_each(self.data, lambda x: turns.floor(self.model, x)))

    def _function(self, function: Callable[[Model, Rounded, str], Any]) -> RoundedArray:
        dtype, model = self.dtype.name, self.model
        return self.like(self._each(lambda x: function(model, self._lifted(x), dtype)))

    # -- what has no answer ------------------------------------------------------------------------

    def _compare(self, other: object) -> Any:
        raise BranchOnValue("the text compares values that depend on the position or the input")

    __eq__ = __ne__ = _compare

    def __gt__(self, other: object) -> Any:
        """Squares u²D beyond a threshold, where the text is executed cell by cell."""
        if self.model.cell is None or not isinstance(other, (int, float)):
            return self._compare(other)
        return self.model.cell.compared(self.model, self.data, GROWING, float(other))

    def __lt__(self, other: object) -> Any:
        """Squares below the negative of a threshold."""
        if self.model.cell is None or not isinstance(other, (int, float)):
            return self._compare(other)
        return self.model.cell.compared(self.model, self.data, TURNING, -float(other))

    def __le__(self, other: object) -> Any:
        """As `<`: cells reach beyond a threshold on either side."""
        return self < other

    def __ge__(self, other: object) -> Any:
        """True where a lag that is not negative is compared with 0; else as `>`."""
        if _is_zero(other) and all(self.model.is_not_negative(x) for x in self.data.flat):
            return True
        return self > other

    def clamp(self, *, min: Any = None) -> RoundedArray:
        """The same where a lag that is not negative is kept from being negative."""
        if self >= min:
            return self
        raise LeavesTheRing("the text keeps a value above another one")

    def __bool__(self) -> bool:
        raise BranchOnValue("the text asks whether an array is true")

    def addcmul_(self, first: RoundedArray, second: RoundedArray) -> RoundedArray:
        """Add a product in place."""
        self += first * second
        return self

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses the array method {name}")


def _is_zero(x: object) -> bool:
    return isinstance(x, (int, float)) and x == 0


def _add(model: Model, a: Rounded, b: Rounded, dtype: str) -> Rounded:
    return model.add(a, b, dtype)


def _subtract(model: Model, a: Rounded, b: Rounded, dtype: str) -> Rounded:
    return model.add(a, -b, dtype)


def _multiply(model: Model, a: Rounded, b: Rounded, dtype: str) -> Rounded:
    return model.multiply(a, b, dtype)


def _divide(model: Model, a: Rounded, b: Rounded, dtype: str) -> Rounded:
    return roots.divide(model, a, b, dtype)


def _lifted(x: Any) -> Rounded:
    if x is ELSEWHERE:
        raise LeavesTheRing("the text sums over blocks that branch")
    if isinstance(x, turns.FixedPoint):
        raise LeavesTheRing("the text uses fixed-point turns other than as an angle")
    return x if isinstance(x, Rounded) else number(x)


def _each(data: Any, function: Callable[[Any], Any]) -> Any:
    return np.asarray(np.frompyfunc(function, 1, 1)(data), dtype=object)


def _plain_index(index: Any) -> Any:
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(p.data.astype(int) if isinstance(p, RoundedArray) else p for p in parts)


def _as_lists(data: Any) -> Any:
    """The last axis as lists, one element each."""
    result = np.empty(data.shape[:-1], dtype=object)
    for place in np.ndindex(result.shape):
        result[place] = list(data[place])
    return result
