"""What a number of a text of several axes is at any position: a form, or a function of one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from flint import fmpq

from numeric_check.text_proof.exact_element import LeavesTheRing

LINEAR, WAVE, EXP = "a position", "a wave", "an exponential"


@dataclass(frozen=True)
class Dependence:
    """A linear form Σ wₐpₐ + Σ vₐcₐ, or a function of it, for all positions p and references c.

    kind  the form itself, cosines and sines of it, or exp of it
    form  the exact coefficients w and v
    """

    kind: str
    form: tuple[fmpq, ...]

    @classmethod
    def coordinate(cls, place: int, count: int) -> Self:
        """One of the coordinates."""
        return cls(LINEAR, tuple(fmpq(int(i == place)) for i in range(count)))

    def __neg__(self) -> Dependence:
        return self.times(fmpq(-1))

    def times(self, c: fmpq) -> Dependence:
        """Of c·(the number); a function keeps its argument."""
        if self.kind != LINEAR:
            return self
        return replace(self, form=tuple(c * w for w in self.form))

    def plus(self, other: Dependence) -> Dependence:
        """Of a sum. Raises `LeavesTheRing` unless it is a form or a wave of one angle again."""
        if self.kind != other.kind or self.kind == EXP:
            raise LeavesTheRing(f"an edited text adds {other.kind} to {self.kind}")
        if self.kind == LINEAR:
            pairs = zip(self.form, other.form, strict=True)
            return replace(self, form=tuple(a + b for a, b in pairs))
        if other.form not in (self.form, tuple(-w for w in self.form)):
            raise LeavesTheRing("an edited text adds waves of two angles")
        return self


__all__ = ["EXP", "LINEAR", "WAVE", "Dependence"]
