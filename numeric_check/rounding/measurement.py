"""The worst place that was measured, and the positions where errors are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.rounding.blocks import FORMS, MAPS, WHOLE

Number = int | float
POWERS = 53
FRACTIONS = (1 / 3, 0.1, 12.125, 1000.7, 65536.3)
SLACK = 1.0 + 2.0**-40
"""For forming the bound itself, and the exact values to 2⁻⁹⁰, in float64."""
STEP = 3
"""Of the standard positions every third for `operator`, which takes lags one by one."""


@dataclass(frozen=True)
class Measurement:
    """The place where an error is largest against its bound.

    ratio  error/bound; above 1 the bound is refuted
    """

    ratio: float
    error: float
    bound: float
    side: str
    dtype: str
    position: float
    reference: float
    head: int
    group: int
    block: int
    vector: tuple[float, ...]

    def __str__(self) -> str:
        name = f"transform_{self.side}" if self.side in FORMS[MAPS] else self.side
        place = f"block {self.block} of group {self.group}"
        if self.group == WHOLE:
            place = f"row {self.vector.index(1.0)}"
        return (
            f"{name} ({self.dtype}) at position {self.position:g}, reference "
            f"{self.reference:g}, head {self.head}, {place}: "
            f"error {self.error:.3g}, bound {self.bound:.3g}"
        )


def standard_positions(reach: float) -> list[Number]:
    """0, 1, 2^k and its neighbours, fractions, both signs, and the edge of the reach."""
    found: list[Number] = [0, 1, *FRACTIONS]
    for k in range(1, POWERS):
        found += [2**k - 1, 2**k, 2**k + 1]
    edge = int(reach)
    found += [edge, edge - 1, edge // 2, 0.999 * reach]
    inside = [t for t in dict.fromkeys(found) if abs(t) <= reach]
    return [*inside, *(-t for t in inside if t)]


def ratio_of(error: Any, limit: Any) -> Any:
    """error/limit, entry by entry: 0 without an error, ∞ for one that is not finite."""
    with np.errstate(all="ignore"):
        ratio = np.where(np.asarray(error) == 0.0, 0.0, np.asarray(error) / limit)
    return np.where(np.isfinite(error) & np.isfinite(ratio), ratio, np.inf)


__all__ = ["SLACK", "STEP", "Measurement", "Number", "ratio_of", "standard_positions"]
