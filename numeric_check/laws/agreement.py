"""How far an emitted text is from exact values: the worst place that was tried."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Agreement:
    """The largest error beside its tolerance, for one target and dtype, and where it is."""

    target: str
    dtype: str
    verdict: Literal["consistent", "refuted"]
    error: float
    tolerance: float
    where: str

    def line(self) -> str:
        """For people."""
        return (
            f"{self.target} {self.dtype}: {self.verdict}: error {self.error:.1e}, tolerance "
            f"{self.tolerance:.1e}, {self.where}"
        )


@dataclass
class Worst:
    """Keeps the error that is largest relative to its tolerance."""

    ratio: float = -1.0
    error: float = 0.0
    tolerance: float = 0.0
    where: str = ""

    def record(self, error: float, tolerance: float, where: str) -> None:
        """Take one error into account; what is no number is infinitely wrong."""
        error = error if math.isfinite(error) else math.inf
        if error / tolerance > self.ratio:
            self.ratio, self.error = error / tolerance, error
            self.tolerance, self.where = tolerance, where

    def agreement(self, target: str, dtype: str) -> Agreement:
        """The verdict."""
        verdict: Literal["consistent", "refuted"] = "consistent" if self.ratio <= 1 else "refuted"
        return Agreement(target, dtype, verdict, self.error, self.tolerance, self.where)
