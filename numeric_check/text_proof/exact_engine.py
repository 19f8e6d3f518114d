"""The libraries of the targets, with exact elements in place of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_choice import (
    clipped,
    exact_cell,
    exact_identity,
    integers,
    larger,
    smaller,
    taken,
    where,
)
from numeric_check.text_proof.exact_element import Exact, Modular
from numeric_check.text_proof.exact_phase import INT64
from numeric_check.text_proof.exact_planes import COMPLEX, ExactPlanes, exact_array
from numeric_check.text_proof.exact_torch import ExactModules, ExactTensor, ExactTorch, lifted
from symbolic_pe.errors import KernelError


class _ExactLibrary:
    """NumPy with every dtype replaced by `object`, so that casts keep exact elements."""

    float64 = float32 = float16 = object
    complex64 = complex128 = COMPLEX

    def eye(self, size: int) -> Any:
        """The identity, of exact elements."""
        return exact_array(exact_identity(size))

    def asarray(self, value: Any, *_: Any, **__: Any) -> Any:
        """A value as an array of exact elements; one number is exact from here on."""
        return exact_array(exact_cell(value))

    ascontiguousarray = asarray

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        """Join along a new axis."""
        return exact_array(np.stack(arrays, axis=axis))

    def result_type(self, *kinds: Any) -> Any:
        """Complex when one of them is."""
        return COMPLEX if any(kind is COMPLEX for kind in kinds) else object

    def multiply(self, first: Any, second: Any, out: Any = None) -> Any:
        """A product, into `out` when it is given."""
        if not isinstance(first, ExactPlanes):
            return np.multiply(first, second, out=out)
        product = first * second
        return product if out is None else out.take(product)

    def cos(self, value: Any) -> Any:
        """cos, element by element, of numbers among the elements too."""
        return np.cos(_elements(value))

    def sin(self, value: Any) -> Any:
        """The same for sin."""
        return np.sin(_elements(value))

    def exp(self, value: Any) -> Any:
        """The same for exp."""
        return np.exp(_elements(value))

    def log(self, value: Any) -> Any:
        """The same for log."""
        return np.log(_elements(value))

    def clip(self, value: Any, low: Any, high: Any) -> Any:
        """The nearest numbers between two bounds, of which either may be None."""
        return exact_array(clipped(value, low, high))

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        """`first` where the condition holds, else `second`; both branches are kept."""
        return exact_array(where(condition, first, second))

    def maximum(self, first: Any, second: Any) -> Any:
        """The larger of two, element by element."""
        return exact_array(larger(first, second))

    def minimum(self, first: Any, second: Any) -> Any:
        """The smaller of two, element by element."""
        return exact_array(smaller(first, second))

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if isinstance(value, ModuleType):
            raise KernelError(f"the text uses numpy.{name}")
        return value


def _elements(value: Any) -> Any:
    """Every number as an exact element: NumPy asks elements for their `cos`, `sin`, `exp`."""
    return exact_array(
        np.frompyfunc(lambda x: x if isinstance(x, Modular) else Exact.of(x), 1, 1)(value)
    )


@dataclass(frozen=True)
class Engine:
    """How a text of one target runs on exact elements.

    scatter    brings an array whose memory has gaps, where texts can ask for that
    functions  what stands for functions that a text imports
    """

    library: Any
    bring: Callable[[Any], Any]
    scatter: Callable[[Any], Any] | None
    fetch: Callable[[Any], Any]
    lift: Callable[[Any], Any]
    functions: Mapping[str, Any] = field(default_factory=dict)


class _ExactStandard(_ExactLibrary):
    """The functions of the array API standard on object arrays."""

    def eye(self, size: int, **_: Any) -> Any:
        """The identity."""
        return exact_array(exact_identity(size))

    def zeros(self, shape: tuple[int, ...], **_: Any) -> Any:
        """Zeros."""
        return exact_array(np.zeros(shape, dtype=object))

    int64 = INT64

    def astype(self, value: Any, dtype: Any, **_: Any) -> Any:
        """Casts keep the elements, but to integers, which wrap."""
        return exact_array(integers(value)) if dtype == INT64 else value

    def take(self, value: Any, indices: Any, axis: int) -> Any:
        """Entries of one axis, by numbers or by exact integers."""
        before = (slice(None),) * (axis % value.ndim)
        return exact_array(taken(np.asarray(value), (*before, np.asarray(indices))))

    def sum(self, value: Any, axis: int) -> Any:
        """The sum along one axis."""
        return exact_array(np.sum(value, axis=axis))

    def isdtype(self, *_: Any) -> bool:
        """Exact elements are neither truth values nor integers."""
        return False


_STANDARD = _ExactStandard()
ENGINES: Mapping[str, Engine] = {
    "numpy": Engine(
        _ExactLibrary(),
        lambda x: exact_array(x.copy()),
        None,
        lambda x: np.asarray(x, dtype=object),
        lambda x: x,
    ),
    "torch": Engine(
        ExactTorch(),
        lambda x: ExactTensor(x.copy()),
        lambda x: ExactTensor(x.copy(), spacing=2),
        lambda x: x.data,
        lifted,
        {"nn": ExactModules()},
    ),
    "array-api": Engine(
        _STANDARD,
        lambda x: exact_array(x.copy()),
        None,
        lambda x: np.asarray(x, dtype=object),
        lambda x: x,
        {"array_namespace": lambda *_: _STANDARD, "device": lambda _: None},
    ),
}


__all__ = ["ENGINES", "Engine"]
