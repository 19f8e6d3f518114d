"""A claim about an encoding and what was decided of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Three answers exist."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


CLAIM_NAMES = (
    "initial-condition",
    "derivative",
    "homomorphism",
    "relativity",
    "closed-form",
    "augmentation",
    "orthogonality",
    "bounded-causal",
    "bounded-all",
    "inverses",
    "generator",
    "commutators",
    "permutation",
    "conjugation",
    "scores",
)


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
