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
from numeric_check.audit.sweep import Odd, Swept
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
    scans   blocks at every position of a long run, perhaps at every few beyond; none for a score
    swept   what one vector has shown at every position, or None
    explanation  what explains that no generator fits, in words, or ""
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
    swept: Swept | None = None
    explanation: str = ""

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

    @property
    def odd(self) -> tuple[Odd, ...]:
        """Positions at which a sweep found a failure that begins there."""
        return () if self.swept is None else self.swept.odd

    def losses(self, groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
        """ε(t) = constant + slope·|t| of each group."""
        pairs = [self._loss(tuple(g)) for g in groups]
        return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])

    def _loss(self, group: tuple[int, ...]) -> tuple[float, float]:
        if group not in self._losses:
            frequency, rate = self.speed(group)
            self._losses[group] = self.recovered.arithmetic.loss(frequency, rate, len(group))
        return self._losses[group]

    @cached_property
    def _losses(self) -> dict[tuple[int, ...], tuple[float, float]]:
        return {}

    def tolerances(self, groups: Sequence[Sequence[int]], *positions: int) -> Array:
        """ε at these positions, added up, of each group; relative to the norms of the maps."""
        constants, slopes = self.losses(groups)
        result: Array = len(positions) * constants + slopes * float(sum(map(abs, positions)))
        return result

    def tolerance(self, group: Sequence[int], *positions: int) -> float:
        """The same of one group."""
        return float(self.tolerances([group], *positions)[0])
