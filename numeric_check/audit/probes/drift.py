"""How far scores at two pairs of positions with one lag are apart, on groups of channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit.context import Context
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norms
from numeric_check.audit.shrinking import Pair

LEAST = 2.0**-100
"""Norms below count as this."""


@dataclass(frozen=True)
class Drift:
    """How far two pairs with one lag are apart, on one group of channels."""

    moved: Pair
    base: Pair
    channels: tuple[int, int]
    values: tuple[float, float]
    error: float
    tolerance: float
    calls: tuple[int, ...] = ()

    @property
    def ratio(self) -> float:
        """Error in units of what is allowed."""
        return self.error / self.tolerance if np.isfinite(self.error) else float("inf")

    @property
    def size(self) -> tuple[int, Pair]:
        """Smaller pairs are better witnesses."""
        return sum(self.moved) + sum(self.base), self.moved

    def __str__(self) -> str:
        (t, s), (u, v), (i, j) = self.moved, self.base, self.channels
        return (
            f"channels ({i}, {j}): the score at positions ({t}, {s}) is {self.values[0]:.6g}, at "
            f"({u}, {v}) {self.values[1]:.6g}, with the same lag {t - s}; drift {self.error:.2g}"
        )


def worst_of(
    context: Context,
    pairs: tuple[Pair, Pair],
    sides: Sequence[tuple[Array, Array]],
    groups: npt.NDArray[np.int64],
) -> Iterator[Drift]:
    """The group that drifts most; groups that overflow are another question."""
    with np.errstate(all="ignore"):
        there, here = (np.swapaxes(f, 1, 2) @ g for f, g in sides)
        size = sum(norms(f) * norms(g) for f, g in sides)
        error = norms(there - here)
    allowed = context.tolerances(groups.tolist(), *pairs[0], *pairs[1])
    allowed = allowed * np.maximum(size, LEAST)
    ratio = np.where(np.isfinite(size), np.nan_to_num(error / allowed, nan=np.inf), -1.0)
    worst = int(ratio.argmax())
    if ratio[worst] < 0:
        return
    gap = np.abs(there[worst] - here[worst])
    i, j = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    channels = int(groups[worst][i]), int(groups[worst][j])
    values = float(there[worst, i, j]), float(here[worst, i, j])
    yield Drift(*pairs, channels, values, float(error[worst]), float(allowed[worst]))
