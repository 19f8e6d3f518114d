"""What every question about a pair of maps receives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.recovery import Recovered
from numeric_check.audit.subject import MapSubject
from symbolic_pe.encodings.encoding import Encoding

UNSEEN_FREQUENCY = float(np.pi)
"""For channels without a generator: the most that one step can turn unseen."""


@dataclass(frozen=True)
class Context:
    """A subject, its matrices, the generator found in them, and what was declared.

    gain    the declared c² of F(t)ᵀG(t) = c²I, or None
    strict  the weights are given: layouts and orientations must be the declared ones
    deep    also ask what takes long (compilers)
    """

    subject: MapSubject
    measured: Measurement
    recovered: Recovered
    declared: Encoding | None = None
    gain: float | None = None
    strict: bool = False
    deep: bool = False

    def anew(self) -> Context:
        """The same with a subject that has no history, where one can be made."""
        return replace(self, subject=self.subject.anew())

    def speed(self, group: Sequence[int]) -> tuple[float, float]:
        """The largest frequency and rate of a group of channels."""
        return self._speeds.get(tuple(group), (UNSEEN_FREQUENCY, 0.0))

    @cached_property
    def _speeds(self) -> dict[tuple[int, ...], tuple[float, float]]:
        return {p.channels: (p.frequency, p.rate) for p in self.recovered.parts}

    def tolerance(self, group: Sequence[int], *positions: int) -> float:
        """ε at these positions, added up; relative to the norms of the maps."""
        frequency, rate = self.speed(group)
        at = np.array(positions, dtype=np.float64)
        found: Array = self.recovered.arithmetic.tolerance(at, frequency, rate, len(group))
        return float(found.sum())
