"""The law `precision`: constants are float64, arithmetic with x is in the compute dtype.

The text is run with two sizes of the batch of x while every operation on arrays is noted with the
dtype and the shape of its result. What has another shape the second time carries x: a cast that is
missing or too wide shows there, where no error would. (A size alone would not tell: HEADS, or the
number of blocks of one kind, may be any.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.laws.comparing import Twice
from numeric_check.laws.form_calls import offered
from numeric_check.laws.subject import MAPS, Subject
from numeric_check.reference_values.tolerance import FORMATS

LAW = "precision"
BATCHES = (5, 7)
"""Sizes of the leading axis of x, one for each run."""
POSITIONS = (0.0, 1.0, 2.5)
TABLES = ("float32", "float64")
"""Dtypes of tables that `turn` is tried with."""
ROUNDED = 1.0 + 2.0**-20
"""One rounding, of numbers that are themselves rounded in a wider format."""
ARITHMETIC = frozenset({
    "mul", "add", "sub", "rsub", "div", "addcmul", "addcmul_", "mul_", "add_", "sub_", "bmm", "mm",
    "matmul", "multiply", "subtract", "divide", "true_divide", "neg", "negative",
})  # fmt: skip
PRODUCTS = frozenset({"bmm", "mm", "matmul"})
"""Products with a basis, and those of texts for the array API, are in float64."""
COPIES = frozenset({"clone", "_to_copy", "copy_", "contiguous"})
PLANES: Mapping[str, str] = {"complex64": "float32", "complex128": "float64"}


def check_precision(subject: Subject) -> None:
    """What the docstring of the file says under Precision."""
    law = Twice(subject, LAW, subject.dtypes[0])
    for name, value in subject.kernel.constants().items():
        law.holds(
            f"the constant {name} is {value.dtype}, expected float64, or int64 for channels",
            str(value.dtype).removeprefix("torch.") in ("float64", "int64"),
        )
    names = [*MAPS.values(), *(["rotate"] if subject.kernel.has("rotate") else [])]
    names += ["chunkwise"] if offered(subject) else []
    exact_products = subject.plan.basis is not None or subject.kernel.target == "array-api"
    for dtype in subject.dtypes:
        for name in names:
            for operation, found in _noted(subject, name, dtype):
                allowed = {FORMATS[dtype].compute}
                if exact_products and operation in PRODUCTS:
                    allowed.add("float64")
                law.holds(
                    f"{name} of {dtype} computes {operation} in {found}, expected "
                    f"{' or '.join(sorted(allowed))}",
                    found in allowed,
                )
    if subject.kernel.has("turn"):
        _check_mixtures(law)
    if subject.kernel.has("turn_into") and subject.kernel.target == "torch":
        _check_copies(law)


def _noted(subject: Subject, name: str, dtype: str) -> list[tuple[str, str]]:
    """The arithmetic of one call on arrays that carry x, with the dtype of each result."""
    first, second = (_arithmetic(subject, name, dtype, batch) for batch in BATCHES)
    if [step[:2] for step in first] == [step[:2] for step in second]:
        carrying = [one[:2] for one, other in zip(first, second, strict=True) if one != other]
    else:  # a text that computes otherwise for another batch: whatever has its size
        carrying = [s[:2] for b, run in zip(BATCHES, (first, second), strict=True)
                    for s in run if b in s[2]]  # fmt: skip
    return list(dict.fromkeys(carrying))


Step = tuple[str, str, tuple[int, ...]]
"""An operation, with the dtype and the shape of its result."""


def _arithmetic(subject: Subject, name: str, dtype: str, batch: int) -> list[Step]:
    """All arithmetic of one call on `batch` rows."""
    heads = () if subject.heads == 1 else (subject.heads,)
    shape = (batch, *heads, len(POSITIONS), subject.dimension)
    drawn = np.random.default_rng(subject.seed).standard_normal(shape).astype(DTYPE_OF[dtype])
    kernel = subject.kernel
    values = () if name == "rotate" else subject.values
    vectors = 3 if name == "chunkwise" else 1
    noted: list[Step] = []
    place = np.array(POSITIONS)
    try:
        if kernel.library == "torch":
            with _watching(noted):
                kernel.raw(name)(*[kernel.bring(drawn)] * vectors, kernel.bring(place), *values)
        elif kernel.target == "numpy":
            function = _watched(kernel, noted)[name]
            function(*[_Watched.of(drawn, noted)] * vectors, place, *values)
    except Exception:  # what a text refuses is for the law `runs`
        return []
    return noted


@contextmanager
def _watching(noted: list[Step], names: frozenset[str] = ARITHMETIC) -> Iterator[None]:
    """Notes the operations of PyTorch with these names."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            name = function.overloadpacket.__name__
            if name in names and hasattr(result, "dtype"):
                dtype = str(result.dtype).removeprefix("torch.")
                noted.append((name, PLANES.get(dtype, dtype), tuple(result.shape)))
            return result

    with Watch():
        yield


class _Watched(np.ndarray[Any, Any]):
    """A NumPy array that notes the operations it takes part in."""

    noted: list[Step]

    @classmethod
    def of(cls, array: Any, noted: list[Step]) -> _Watched:
        """The same numbers, watched."""
        made = array.view(cls)
        made.noted = noted
        result: _Watched = made
        return result

    def __array_finalize__(self, source: Any) -> None:
        self.noted = getattr(source, "noted", [])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [np.asarray(x) if isinstance(x, _Watched) else x for x in inputs]
        out = named.get("out")
        if out is not None:
            named["out"] = tuple(np.asarray(x) if isinstance(x, _Watched) else x for x in out)
        result = getattr(ufunc, method)(*plain, **named)
        if ufunc.__name__ in ARITHMETIC:
            dtype = str(result.dtype)
            self.noted.append((ufunc.__name__, PLANES.get(dtype, dtype), np.shape(result)))
        return _Watched.of(np.asarray(result), self.noted)


class _WatchedNumPy:
    """NumPy, keeping watched arrays watched."""

    def __init__(self, noted: list[Step]) -> None:
        self._noted = noted

    def asarray(self, value: Any, dtype: Any = None) -> Any:
        """As an array, watched when the value is."""
        return np.asanyarray(value, dtype)

    def ascontiguousarray(self, value: Any, dtype: Any = None) -> Any:
        """In memory without gaps, watched when the value is."""
        plain = np.ascontiguousarray(value, dtype)
        return _Watched.of(plain, self._noted) if isinstance(value, _Watched) else plain

    def stack(self, arrays: Any, axis: int = 0) -> Any:
        """Joined along a new axis, and watched: NumPy forgets by whom."""
        return _Watched.of(np.stack([np.asarray(x) for x in arrays], axis=axis), self._noted)

    def concatenate(self, arrays: Any, axis: int = 0) -> Any:
        """Joined along an axis, likewise."""
        return _Watched.of(np.concatenate([np.asarray(x) for x in arrays], axis=axis), self._noted)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _watched(kernel: Kernel, noted: list[Step]) -> Mapping[str, Any]:
    return kernel.on_library(_WatchedNumPy(noted), lambda value: value)


def _check_mixtures(law: Twice) -> None:
    """turn(x, table) of two dtypes computes in the wider, and rounds once to that of x."""
    subject, kernel = law.subject, law.subject.kernel
    shape = (BATCHES[0], *subject.shape()[:-2], len(POSITIONS), subject.dimension)
    drawn = np.random.default_rng(subject.seed).standard_normal(shape)
    place = kernel.bring(np.array(POSITIONS))
    for dtype in subject.dtypes:
        short = drawn.astype(DTYPE_OF[dtype])
        for of_table in TABLES:
            wide = "float64" if "float64" in (dtype, of_table) else "float32"
            given, exact = kernel.bring(short), kernel.bring(short.astype(DTYPE_OF[wide]))
            kind = kernel.bring(np.zeros(1, DTYPE_OF[of_table])).dtype
            note = f"turn of {dtype} by a table of {of_table}"
            try:
                table = kernel.raw("rotary_table")(place, dtype=kind)
                found, whole = (
                    kernel.fetch(kernel.raw("turn")(x, table)).astype(np.float64)
                    for x in (given, exact)
                )
            except Exception as error:
                law.refute(f"{note} raised {error}")
                continue
            unit, least = FORMATS[dtype].unit_roundoff, FORMATS[dtype].smallest
            rounded = np.abs(found - whole) <= ROUNDED * unit * np.abs(whole) + least
            unmoved = found[..., 0, :] == short[..., 0, :].astype(np.float64)  # at position 0
            law.holds(f"{note} is not in {wide}", bool(np.all(rounded) and np.all(unmoved)))


def _check_copies(law: Twice) -> None:
    """turn_into reads and writes memory once: x without gaps is not copied."""
    subject = law.subject
    kernel = subject.kernel
    x = kernel.bring(np.ones((BATCHES[0], *subject.shape())))
    try:
        table = kernel.raw("rotary_table")(kernel.bring(np.array([1.0])), dtype=x.dtype)
        noted: list[Step] = []
        with _watching(noted, COPIES):
            kernel.raw("turn_into")(x.clone(), x, table)
    except Exception as error:
        law.refute(f"turn_into raised {error}")
        return
    law.holds(f"turn_into copies x without gaps: {noted}", len(noted) == 1)  # x.clone() above


__all__ = ["check_precision"]
