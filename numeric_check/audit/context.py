"""What every question about a pair of maps receives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.recovery import Recovered
from numeric_check.audit.scan import Scan
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
    clock   positions are real numbers that may be learned
    scans   blocks at every position of a long run, and at every few beyond; none for a score
    """

    subject: MapSubject
    measured: Measurement
    recovered: Recovered
    declared: Encoding | None = None
    gain: float | None = None
    strict: bool = False
    deep: bool = False
    clock: bool = False
    scans: tuple[Scan, ...] = ()

    def anew(self) -> Context:
        """The same with a subject that has no history, where one can be made."""
        return replace(self, subject=self.subject.anew())

    def speed(self, group: Sequence[int]) -> tuple[float, float]:
        """The largest frequency and rate of a group of channels."""
        return self._speeds.get(tuple(group), (UNSEEN_FREQUENCY, 0.0))

    @cached_property
    def _speeds(self) -> dict[tuple[int, ...], tuple[float, float]]:
        return {p.channels: (p.frequency, p.rate) for p in self.recovered.parts}

    @property
    def scan(self) -> Scan:
        """Blocks at every position of a long run."""
        return self.scans[0]

    def losses(self, groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
        """ε(t) = constant + slope·|t| of each group."""
        pairs = [self.tolerances(g, [np.array([0.0, 1.0])]) for g in groups]
        constants = np.array([p[0] for p in pairs])
        return constants, np.array([p[1] for p in pairs]) - constants

    def tolerances(self, group: Sequence[int], positions: Sequence[Array]) -> Array:
        """ε at arrays of positions, added up; relative to the norms of the maps."""
        frequency, rate = self.speed(group)
        arithmetic, size = self.recovered.arithmetic, len(group)
        found = [arithmetic.tolerance(at, frequency, rate, size) for at in positions]
        result: Array = np.sum(found, axis=0)
        return result

    def tolerance(self, group: Sequence[int], *positions: int) -> float:
        """ε at these positions, added up; relative to the norms of the maps."""
        return float(
            self.tolerances(group, [np.array([p], dtype=np.float64) for p in positions])[0]
        )
