"""What was decided: three outcomes, a decision with its evidence, a claim with its statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Outcome(StrEnum):
    """Three answers exist."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Decision:
    """What was decided of one step.

    evidence  what was computed, by name: both sides, ranks, enclosures; texts, numbers, functions,
              matrices (rows), lists, or `Shown`. A page writes mathematics for what is no text.
    witness   exact numbers at which the statement fails, when it is refuted
    """

    outcome: Outcome
    evidence: Mapping[str, object] = field(default_factory=dict)
    witness: str | None = None

    def __post_init__(self) -> None:
        if self.outcome is Outcome.REFUTED and not self.witness:
            raise ValueError("a refutation needs a witness, got none")


def holds(truth: bool, witness: str = "the two sides differ", **evidence: object) -> Decision:
    """Proved if true, else refuted with the witness."""
    if truth:
        return Decision(Outcome.PROVED, evidence)
    return Decision(Outcome.REFUTED, evidence, witness)


@dataclass(frozen=True)
class Claim:
    """One statement, its outcome, a witness when refuted, and how or why.

    statement  the equation that was decided
    witness    numbers that anyone can evaluate by hand, for a refutation
    reason     the argument for a proof; what is missing for an undecided claim
    """

    name: str
    verdict: Outcome
    statement: str
    reason: str
    witness: str | None = None


def outcome_of(claims: Iterable[Claim]) -> Outcome:
    """Refuted if any claim is; undecided if any is and none is refuted; else proved."""
    verdicts = {c.verdict for c in claims}
    for worst in (Outcome.REFUTED, Outcome.UNDECIDED):
        if worst in verdicts:
            return worst
    return Outcome.PROVED
