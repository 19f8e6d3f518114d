"""Arrays of errors with their scales and tolerances; where the worst is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.laws.result import Evidence, Ledger, Where
from numeric_check.reference_values.double_double import Array

Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]
Index = tuple[int, ...]


def worst_row(column: Array) -> int:
    """Where a column of differences is largest; NaN is larger than any number."""
    return int(np.argmax(np.where(np.isnan(column), np.inf, np.abs(column))))


def column_norms(x: Array) -> Array:
    """2-norms over the last axis but one, scaled so that squares cannot overflow."""
    largest = np.abs(x).max(axis=-2, keepdims=True)
    divisor = np.where((largest > 0.0) & np.isfinite(largest), largest, 1.0)
    scaled = x / divisor
    norms: Array = divisor[..., 0, :] * np.sqrt((scaled * scaled).sum(axis=-2))
    return norms


@dataclass(frozen=True)
class Comparison:
    """error against tolerance where `inside`; `scale` is what relative errors are relative to."""

    error: Array
    scale: Array
    tolerance: Array
    inside: Mask

    @classmethod
    def of(cls, error: Array, scale: Array, tolerance: Array, inside: Mask) -> Comparison:
        """Broadcast to the shape of the error; NaN becomes infinite."""
        return cls(
            np.where(np.isnan(error), np.inf, error),
            np.broadcast_to(scale, error.shape),
            np.broadcast_to(tolerance, error.shape),
            np.broadcast_to(inside, error.shape),
        )

    def worst(self) -> Index | None:
        """Index of the largest error/tolerance inside the window."""
        return self._largest(self.tolerance)

    def largest(self) -> Index | None:
        """Index of the largest error/scale inside the window."""
        return self._largest(np.where(self.scale > 0.0, self.scale, np.inf))

    def _largest(self, divisor: Array) -> Index | None:
        if not self.error.size:
            return None
        ratio = np.where(self.error == 0.0, 0.0, self.error / divisor)
        ratio = np.where(np.isinf(self.error), np.inf, ratio)
        ratio = np.where(self.inside, ratio, -1.0)
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
        return None if ratio[index] < 0.0 else index

    def record(
        self, ledger: Ledger, law: str, dtype: str, evidence: Callable[[Index], Evidence]
    ) -> None:
        """Enter the worst case into the ledger."""
        index = self.worst()
        if index is not None:
            ledger.record(
                law,
                dtype,
                float(self.error[index]),
                float(self.tolerance[index]),
                lambda: evidence(index),
            )

    def record_relative(
        self, ledger: Ledger, kind: str, dtype: str, where: Callable[[Index], Where]
    ) -> None:
        """Enter the largest relative error into the summary."""
        index = self.largest()
        if index is not None and self.scale[index] > 0.0:
            ledger.relative(
                kind,
                dtype,
                float(self.error[index] / self.scale[index]),
                float(self.tolerance[index] / self.scale[index]),
                lambda: where(index),
            )
