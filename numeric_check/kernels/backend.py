"""Carrying NumPy arrays to the array library of a kernel and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import ml_dtypes
import numpy as np
import numpy.typing as npt

from symbolic_pe.errors import KernelError

AnyArray = npt.NDArray[Any]


class Backend(Protocol):
    """One array library."""

    @property
    def name(self) -> str:
        """Name of the target."""
        ...

    def library_objects(self) -> Sequence[object]:
        """Objects whose attributes the classes of a text may not shadow."""
        ...

    def bring(self, array: AnyArray) -> Any:
        """A NumPy array as one of the library's, with the same values and dtype."""
        ...

    def fetch(self, value: Any) -> AnyArray:
        """The opposite way. Raises `KernelError` for what is not an array."""
        ...

    def run(self, call: Callable[[], Any]) -> Any:
        """Make one call with the library set up for small arrays."""
        ...

    def is_module_class(self, value: object) -> bool:
        """Whether this is a class of the library's trainable modules."""
        ...


class NumpyBackend:
    """NumPy; bfloat16 through ml_dtypes."""

    name = "numpy"

    def library_objects(self) -> Sequence[object]:
        """NumPy, math and an array."""
        import math

        return (np, math, np.zeros(1), np.float64(0), np.dtype(np.float64), "", [], {}, 0, 0.0)

    def bring(self, array: AnyArray) -> AnyArray:
        """A copy: what a kernel writes into its input does not reach the caller."""
        return array.copy()

    def fetch(self, value: Any) -> AnyArray:
        """The array itself; NumPy scalars count as arrays of no axes."""
        if not isinstance(value, (np.ndarray, np.generic)):
            raise KernelError(f"expected an array, got {type(value).__name__}")
        return np.asarray(value)

    def run(self, call: Callable[[], Any]) -> Any:
        """Overflow outside the served window is not worth a warning."""
        with np.errstate(all="ignore"):
            return call()

    def is_module_class(self, value: object) -> bool:
        """NumPy has none."""
        return False


class TorchBackend:
    """PyTorch on the CPU; bfloat16 goes through float32, which is exact."""

    name = "torch"

    def __init__(self) -> None:
        try:
            import torch
        except ImportError:
            raise KernelError(
                "this kernel needs PyTorch, which is not installed; install symbolic-pe[torch]"
            ) from None
        self._torch: Any = torch

    def library_objects(self) -> Sequence[object]:
        """PyTorch's modules, a tensor, and an empty module."""
        import math

        torch = self._torch
        return (
            torch,
            torch.nn,
            torch.nn.functional,
            torch.nn.Module(),
            torch.zeros(1),
            torch.float32,
            math,
            "",
            [],
            {},
            0,
            0.0,
        )

    def bring(self, array: AnyArray) -> Any:
        """A tensor that owns its memory, where PyTorch aligns it: sums depend on alignment."""
        if array.dtype == ml_dtypes.bfloat16:
            return self._torch.from_numpy(array.astype(np.float32)).to(self._torch.bfloat16)
        return self._torch.from_numpy(array.copy()).clone()

    def fetch(self, value: Any) -> AnyArray:
        """A NumPy array with the dtype of the tensor."""
        if not isinstance(value, self._torch.Tensor):
            raise KernelError(f"expected a tensor, got {type(value).__name__}")
        tensor = value.detach().cpu()
        if tensor.dtype == self._torch.bfloat16:
            result: AnyArray = tensor.to(self._torch.float32).numpy().astype(ml_dtypes.bfloat16)
            return result
        plain: AnyArray = tensor.numpy()
        return plain

    def run(self, call: Callable[[], Any]) -> Any:
        """One thread: on small arrays, and on a busy machine, waking others costs far more."""
        threads = self._torch.get_num_threads()
        self._torch.set_num_threads(1)
        try:
            return call()
        finally:
            self._torch.set_num_threads(threads)

    def is_module_class(self, value: object) -> bool:
        """A subclass of nn.Module."""
        return isinstance(value, type) and issubclass(value, self._torch.nn.Module)


def backend_for(target: str) -> Backend:
    """The backend of a target; imports its library."""
    return TorchBackend() if target == "torch" else NumpyBackend()
