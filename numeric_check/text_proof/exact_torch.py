"""The part of PyTorch that emitted texts use, on object arrays of exact elements.

`ExactTorch` stands for the module, `ExactTensor` for its tensors. Dtypes and devices are tokens:
casts keep exact elements, which is what exact execution means. Anything else raises
`LeavesTheRing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_choice import (
    clipped,
    compared,
    exact_cell,
    exact_identity,
    integers,
    larger,
    plain_index,
    smaller,
    taken,
    where,
)
from numeric_check.text_proof.exact_element import Exact, LeavesTheRing, Modular
from numeric_check.text_proof.exact_phase import INT64
from numeric_check.text_proof.exact_planes import COMPLEX, ExactPlanes


class _Device(str):
    """A token for a device."""

    type = "exact"


DEVICE = _Device("exact")
FLOATS = ("float64", "float32", "float16", "bfloat16")


class ExactTensor:
    """An object array with the tensor methods that emitted texts call."""

    __slots__ = ("data", "spacing")
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Any, spacing: int = 1) -> None:
        self.data = np.asarray(data, dtype=object)
        self.spacing = spacing

    dtype = "float64"
    device = DEVICE
    requires_grad = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.data.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.data.ndim

    def is_floating_point(self) -> bool:
        """Exact elements stand for real numbers."""
        return True

    def to(self, *given: Any, **named: Any) -> ExactTensor:
        """Casts and moves keep the elements, but casts to integers, which wrap."""
        if any(x == INT64 for x in (*given, *named.values())):
            return ExactTensor(integers(self.data))
        return self

    def unsqueeze(self, dim: int) -> ExactTensor:
        """A new axis of size 1."""
        return ExactTensor(np.expand_dims(self.data, dim))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> ExactTensor:
        """Join axes start … end."""
        start, end = start_dim % self.ndim, end_dim % self.ndim
        shape = (*self.shape[:start], -1, *self.shape[end + 1 :])
        return ExactTensor(self.data.reshape(shape))

    def repeat_interleave(self, repeats: int, dim: int) -> ExactTensor:
        """Every entry of an axis several times, one after the other."""
        return ExactTensor(np.repeat(self.data, repeats, axis=dim))

    def transpose(self, first: int, second: int) -> ExactTensor:
        """Exchange two axes."""
        return ExactTensor(np.swapaxes(self.data, first, second))

    def flip(self, *dims: int) -> ExactTensor:
        """Reverse axes; a copy, as in PyTorch."""
        return ExactTensor(np.flip(self.data, dims).copy())

    def unflatten(self, dim: int, sizes: Sequence[int]) -> ExactTensor:
        """Split one axis; the same memory, as splitting an axis always is."""
        place = dim % self.ndim
        shape = (*self.shape[:place], *sizes, *self.shape[place + 1 :])
        return ExactTensor(self.data.reshape(shape), self.spacing)

    def stride(self) -> tuple[int, ...]:
        """Strides of a tensor that is laid out row by row, `spacing` places for every element."""
        return tuple(self.spacing * int(np.prod(self.shape[i + 1 :])) for i in range(self.ndim))

    def clone(self, **_: Any) -> ExactTensor:
        """A copy."""
        return ExactTensor(self.data.copy())

    def addcmul_(self, first: ExactTensor, second: ExactTensor) -> ExactTensor:
        """Add a product in place."""
        self.data[...] = self.data + first.data * second.data
        return self

    def expand(self, *shape: Any) -> ExactTensor:
        """Broadcast; −1 keeps an axis."""
        sizes = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else list(shape)
        own = [1] * (len(sizes) - self.ndim) + list(self.shape)
        full = [o if s == -1 else s for s, o in zip(sizes, own, strict=True)]
        return ExactTensor(np.broadcast_to(self.data, full))

    def reshape(self, *shape: Any) -> ExactTensor:
        """Another shape of the same elements."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return ExactTensor(self.data.reshape(tuple(sizes)))

    def sum(self, dim: int) -> ExactTensor:
        """Sum along one axis."""
        return ExactTensor(np.sum(self.data, axis=dim))

    def new_tensor(self, values: Any) -> ExactTensor:
        """Values as a tensor."""
        return ExactTensor(_plain(values))

    def new_zeros(self, shape: Sequence[int]) -> ExactTensor:
        """Zeros."""
        return ExactTensor(np.zeros(tuple(shape), dtype=object))

    def split(self, size: int, dim: int = 0) -> tuple[ExactTensor, ...]:
        """Pieces of `size` along an axis, the last one shorter."""
        bounds = range(size, self.shape[dim], size)
        return tuple(ExactTensor(part) for part in np.split(self.data, bounds, axis=dim))

    def __iter__(self) -> Iterator[ExactTensor]:
        """The parts along the first axis."""
        return (ExactTensor(part) for part in self.data)

    def cos(self) -> ExactTensor:
        """cos, element by element."""
        return _each(self, "cos")

    def sin(self) -> ExactTensor:
        """sin, element by element."""
        return _each(self, "sin")

    def exp(self) -> ExactTensor:
        """exp, element by element."""
        return _each(self, "exp")

    def sqrt(self) -> ExactTensor:
        """The square root, element by element."""
        return _each(self, "sqrt")

    def log(self) -> ExactTensor:
        """The logarithm, element by element."""
        return _each(self, "log")

    def clamp(self, min: Any = None, max: Any = None) -> ExactTensor:
        """The elements, moved to the nearer bound where they are outside."""
        low, high = (None if x is None else _plain(x) for x in (min, max))
        return ExactTensor(clipped(self.data, low, high))

    def __gt__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: compared(a, b, ">"))

    def __ge__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: compared(a, b, ">="))

    def __lt__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: compared(a, b, "<"))

    def __le__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: compared(a, b, "<="))

    def __or__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a | b)

    def __and__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a & b)

    def __invert__(self) -> ExactTensor:
        return ExactTensor(~self.data)

    def __getitem__(self, index: Any) -> ExactTensor:
        parts = index if isinstance(index, tuple) else (index,)
        return ExactTensor(taken(self.data, tuple(_index(part) for part in parts)))

    def __setitem__(self, index: Any, value: Any) -> None:
        parts = index if isinstance(index, tuple) else (index,)
        self.data[tuple(plain_index(_index(part)) for part in parts)] = _plain(value)

    @property
    def T(self) -> ExactTensor:
        """The transposed matrix."""
        return ExactTensor(self.data.T)

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> ExactTensor:
        right = other.data if isinstance(other, ExactTensor) else other
        return ExactTensor(operation(self.data, right))

    def __add__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: b / a)

    def __pow__(self, exponent: Any) -> ExactTensor:
        return self._with(exponent, lambda a, b: a**b)

    def __rpow__(self, base: Any) -> ExactTensor:
        return self._with(base, lambda exponent, b: b**exponent)

    def __neg__(self) -> ExactTensor:
        return ExactTensor(-self.data)

    def __abs__(self) -> ExactTensor:
        return ExactTensor(abs(self.data))

    def __matmul__(self, other: Any) -> ExactTensor:
        return self._with(other, lambda a, b: a @ b)

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses the tensor method {name}")


class ShortTensor(ExactTensor):
    """The same in bfloat16, for functions that take nothing else."""

    __slots__ = ()
    dtype = "bfloat16"


class ExactIndex(ExactTensor):
    """An index that picks an element; where it enters arithmetic it is a symbol."""

    __slots__ = ("place",)

    def __init__(self, place: int, symbol: Any) -> None:
        super().__init__(_plain(symbol))
        self.place = place


def _index(part: Any) -> Any:
    if isinstance(part, ExactIndex):
        return part.place
    return part.data if isinstance(part, ExactTensor) else part


def _plain(value: Any) -> Any:
    """Nested lists, numbers, tensors and exact elements as an object array."""
    if isinstance(value, ExactTensor):
        return value.data
    if isinstance(value, Exact):
        cell = np.empty((), dtype=object)
        cell[()] = value
        return cell
    return np.asarray(value, dtype=object)


class _Precision:
    """Stands for `torch.amp`."""

    def __init__(self, available: bool) -> None:
        self._available = available

    def is_autocast_available(self, _: str) -> bool:
        """Texts have a branch for either answer."""
        return self._available


class ExactTorch:
    """Stands for the module `torch` while a text runs, on a device with or without autocast."""

    float64, float32, float16, bfloat16 = FLOATS
    int64 = INT64
    complex64 = COMPLEX
    contiguous_format = "contiguous"

    def __init__(self, *, autocast: bool = True) -> None:
        self.amp = _Precision(autocast)

    def promote_types(self, *_: Any) -> str:
        """The compute dtype: a token."""
        return "float64"

    def as_tensor(self, value: Any, **_: Any) -> ExactTensor:
        """A value as a tensor; one number is exact from here on."""
        return ExactTensor(_plain(exact_cell(value)))

    tensor = as_tensor

    def cat(self, tensors: Sequence[Any], dim: int = 0) -> ExactTensor:
        """Join along an axis."""
        return ExactTensor(np.concatenate([_plain(t) for t in tensors], axis=dim))

    def stack(self, tensors: Sequence[Any], dim: int = 0) -> ExactTensor:
        """Join along a new axis."""
        return ExactTensor(np.stack([_plain(t) for t in tensors], axis=dim))

    def complex(self, real: ExactTensor, imaginary: ExactTensor) -> ExactPlanes:
        """re + i·im."""
        return ExactPlanes(real.data, imaginary.data, ExactTensor)

    def view_as_complex(self, value: ExactTensor) -> ExactPlanes:
        """Pairs on the last axis as complex numbers, in the same memory."""
        return ExactPlanes(value.data[..., 0], value.data[..., 1], ExactTensor)

    def view_as_real(self, value: ExactPlanes) -> Any:
        """The opposite."""
        return value.pairs()

    def mul(self, first: Any, second: Any, out: Any = None) -> Any:
        """A product, into `out` when it is given."""
        product = first * second
        if out is None:
            return product
        if isinstance(out, ExactPlanes):
            return out.take(product)
        out.data[...] = product.data
        return out

    def addcmul(self, value: ExactTensor, first: ExactTensor, second: ExactTensor) -> ExactTensor:
        """value + first·second."""
        return value + first * second

    def tril(self, value: ExactTensor) -> ExactTensor:
        """Entries above the diagonal become 0."""
        return ExactTensor(np.tril(value.data))

    def autocast(self, *_: Any, **__: Any) -> AbstractContextManager[None]:
        """What is exact has no precision that could be lowered."""
        return nullcontext()

    def ones_like(self, value: Any, **_: Any) -> ExactTensor:
        """Ones."""
        return ExactTensor(np.ones(_plain(value).shape, dtype=object))

    def zeros_like(self, value: Any, **_: Any) -> ExactTensor:
        """Zeros."""
        return ExactTensor(np.zeros(_plain(value).shape, dtype=object))

    def where(self, condition: Any, first: Any, second: Any) -> ExactTensor:
        """`first` where the condition holds, else `second`; both branches are kept."""
        return ExactTensor(where(_plain(condition), _plain(first), _plain(second)))

    def maximum(self, first: Any, second: Any) -> ExactTensor:
        """The larger of two, element by element."""
        return ExactTensor(larger(_plain(first), _plain(second)))

    def minimum(self, first: Any, second: Any) -> ExactTensor:
        """The smaller of two, element by element."""
        return ExactTensor(smaller(_plain(first), _plain(second)))

    def clip(self, value: ExactTensor, min: Any = None, max: Any = None) -> ExactTensor:
        """The nearest numbers between two bounds, of which either may be None."""
        return value.clamp(min, max)

    clamp = clip

    def sum(self, value: ExactTensor, dim: int) -> ExactTensor:
        """Sum along one axis."""
        return value.sum(dim)

    def abs(self, value: ExactTensor) -> ExactTensor:
        """The magnitude, element by element."""
        return abs(value)

    def sqrt(self, value: ExactTensor) -> ExactTensor:
        """The square root, element by element."""
        return value.sqrt()

    def log1p(self, value: ExactTensor) -> ExactTensor:
        """ln(1 + x), element by element."""
        return _each(value, "log1p")

    def log(self, value: ExactTensor) -> ExactTensor:
        """The logarithm, element by element."""
        return value.log()

    def eye(self, size: int, **_: Any) -> ExactTensor:
        """The identity."""
        return ExactTensor(exact_identity(size))

    def arange(self, *bounds: int, **_: Any) -> ExactTensor:
        """Consecutive integers."""
        return ExactTensor(np.arange(*bounds).astype(object))

    def cos(self, value: ExactTensor) -> ExactTensor:
        """cos, element by element."""
        return _each(value, "cos")

    def sin(self, value: ExactTensor) -> ExactTensor:
        """sin, element by element."""
        return _each(value, "sin")

    def exp(self, value: ExactTensor) -> ExactTensor:
        """exp, element by element."""
        return _each(value, "exp")

    def floor(self, value: ExactTensor) -> ExactTensor:
        """The whole part, element by element."""
        return _each(value, "__floor__")

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses torch.{name}")


class ExactModules:
    """Stands for `torch.nn` while a module is made and run: it has parameters only."""

    def Parameter(self, value: ExactTensor) -> ExactTensor:
        """A parameter is its value."""
        return value


def _each(value: ExactTensor, function: str) -> ExactTensor:
    result = np.empty(value.shape, dtype=object)
    for place, element in np.ndenumerate(value.data):
        known = element if isinstance(element, Modular) else Exact.of(element)
        result[place] = getattr(known, function)()
    return ExactTensor(result)


def lifted(value: Any) -> Any:
    """A constant of the text, computed by PyTorch, as exact elements."""
    return ExactTensor(value.detach().numpy().astype(object))
