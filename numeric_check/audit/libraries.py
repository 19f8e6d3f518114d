"""Arrays of the subject's library, made from NumPy arrays and read back, with chosen dtypes."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import ml_dtypes
import numpy as np
import numpy.typing as npt

from symbolic_pe.errors import AuditError

Array = npt.NDArray[np.float64]
DTYPES = ("float64", "float32", "bfloat16", "float16")
LIBRARIES = ("numpy", "torch", "jax")


class Library(Protocol):
    """One array library."""

    @property
    def name(self) -> str:
        """`numpy`, `torch` or `jax`."""
        ...

    def floats(self, values: Array, dtype: str) -> Any:
        """Values rounded once to a floating dtype."""
        ...

    def positions(self, values: npt.NDArray[Any], dtype: str) -> Any:
        """Positions, as integers or as floats."""
        ...

    def fetch(self, value: Any) -> tuple[Array, str]:
        """The values in float64 (exact) and the name of the dtype.

        Raises `AuditError` for what is not an array.
        """
        ...


class NumpyLibrary:
    """NumPy; bfloat16 through ml_dtypes."""

    name = "numpy"

    def floats(self, values: Array, dtype: str) -> Any:
        """An array that the subject may write into."""
        with np.errstate(over="ignore"):
            return np.array(values, dtype=_numpy_dtype(dtype), order="C")

    def positions(self, values: npt.NDArray[Any], dtype: str) -> Any:
        """The same."""
        return np.array(values, dtype=_numpy_dtype(dtype), order="C")

    def fetch(self, value: Any) -> tuple[Array, str]:
        """NumPy scalars count as arrays of no axes."""
        if not isinstance(value, (np.ndarray, np.generic)):
            raise AuditError(f"expected a NumPy array back, got {_kind(value)}")
        array = np.asarray(value)
        return _real(array), array.dtype.name


class TorchLibrary:
    """PyTorch on the CPU."""

    name = "torch"

    def __init__(self) -> None:
        self._torch: Any = _import("torch", "torch")

    def floats(self, values: Array, dtype: str) -> Any:
        """Rounded once: from float64 straight to the dtype."""
        exact = np.array(values, dtype=np.float64, order="C")
        return self._torch.from_numpy(exact).to(self._dtype(dtype))

    def positions(self, values: npt.NDArray[Any], dtype: str) -> Any:
        """Integers exactly; floats rounded once."""
        return self._torch.from_numpy(np.array(values)).to(self._dtype(dtype))

    def fetch(self, value: Any) -> tuple[Array, str]:
        """A detached copy."""
        if not isinstance(value, self._torch.Tensor):
            raise AuditError(f"expected a PyTorch tensor back, got {_kind(value)}")
        if value.is_complex():
            raise AuditError("expected real numbers back, got complex ones")
        name = str(value.dtype).removeprefix("torch.")
        return value.detach().to(self._torch.float64).cpu().numpy().copy(), name

    def _dtype(self, name: str) -> Any:
        return getattr(self._torch, name)


class JaxLibrary:
    """JAX; float64 exists only where jax_enable_x64 is set."""

    name = "jax"

    def __init__(self) -> None:
        self._numpy: Any = _import("jax.numpy", "jax")

    def floats(self, values: Array, dtype: str) -> Any:
        """Rounded once by NumPy."""
        with np.errstate(over="ignore"):
            return self._numpy.asarray(np.array(values, dtype=_numpy_dtype(dtype), order="C"))

    def positions(self, values: npt.NDArray[Any], dtype: str) -> Any:
        """64-bit integers become 32-bit ones unless jax_enable_x64 is set."""
        return self._numpy.asarray(np.array(values, dtype=_numpy_dtype(dtype), order="C"))

    def fetch(self, value: Any) -> tuple[Array, str]:
        """Through NumPy."""
        if not hasattr(value, "dtype") or not hasattr(value, "shape"):
            raise AuditError(f"expected a JAX array back, got {_kind(value)}")
        array = np.asarray(value)
        return _real(array), array.dtype.name


@contextmanager
def single_thread(library: Library) -> Iterator[None]:
    """One thread of PyTorch: on small arrays waking others costs far more than it saves."""
    if not isinstance(library, TorchLibrary):
        yield
        return
    torch = _import("torch", "torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def library_named(name: str) -> Library:
    """The library; imports it. Raises `AuditError` when it is unknown or not installed."""
    known: Mapping[str, type[Any]] = {
        "numpy": NumpyLibrary,
        "torch": TorchLibrary,
        "jax": JaxLibrary,
    }
    if name not in known:
        raise AuditError(f"library: expected one of {', '.join(LIBRARIES)}, got {name!r}")
    library: Library = known[name]()
    return library


def library_of(thing: object) -> str:
    """Which library the code of a callable uses: its own modules, else its globals, else NumPy.

    >>> library_of(library_of)
    'numpy'
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(getattr(thing, "__self__", thing), torch.nn.Module):
        return "torch"
    names = _names(thing)
    for library in ("torch", "jax"):
        if library in names:
            return library
    return "numpy"


def _names(thing: object) -> set[str]:
    """Top-level names of the modules that a callable's globals refer to."""
    for candidate in (thing, vars(type(thing)).get("__call__")):
        function = getattr(candidate, "__func__", candidate)
        function = getattr(function, "__wrapped__", function)
        scope = getattr(function, "__globals__", None)
        if scope is not None and not str(scope.get("__name__")).startswith("torch."):
            return _modules(scope)
    module = sys.modules.get(type(thing).__module__)
    return _modules(vars(module)) if module is not None else set()


def _modules(scope: Mapping[str, Any]) -> set[str]:
    values = list(scope.values())
    found = {v.__name__.partition(".")[0] for v in values if isinstance(v, types.ModuleType)}
    return found | {str(getattr(v, "__module__", "")).partition(".")[0] for v in values}


def _numpy_dtype(name: str) -> Any:
    return ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)


def _real(array: npt.NDArray[Any]) -> Array:
    if array.dtype.kind == "c":
        raise AuditError("expected real numbers back, got complex ones")
    if array.dtype.kind == "O":
        raise AuditError("expected numbers back, got Python objects")
    return np.array(array, dtype=np.float64)


def _kind(value: object) -> str:
    module = type(value).__module__
    name = type(value).__name__
    return name if module == "builtins" else f"{module}.{name}"


def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise AuditError(
            f"the subject needs {package}, which is not installed; install it beside symbolic-pe"
        ) from None
