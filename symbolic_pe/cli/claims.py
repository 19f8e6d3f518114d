"""Claims as people and machines see them; light, so that known verdicts are told quickly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from symbolic_pe.decision import Claim, Outcome

MARKS = {Outcome.PROVED: "proved", Outcome.REFUTED: "REFUTED", Outcome.UNDECIDED: "undecided"}
Answer = Literal["proved", "refuted", "undecided"]


class ClaimRecord(msgspec.Struct, frozen=True):
    """One claim and what was decided of it."""

    name: str
    verdict: Answer
    statement: str
    witness: str | None
    reason: str


class ProofRecord(msgspec.Struct, frozen=True):
    """Output of `prove --json`."""

    name: str
    claims: list[ClaimRecord]


def claim_record(claim: Claim) -> ClaimRecord:
    """From the value to the published record."""
    return ClaimRecord(
        claim.name, claim.verdict.value, claim.statement, claim.witness, claim.reason
    )


def claim_of(record: ClaimRecord) -> Claim:
    """From the published record to the value."""
    return Claim(
        record.name, Outcome(record.verdict), record.statement, record.reason, record.witness
    )


def claims_text(claims: Sequence[Claim]) -> str:
    """One line a claim; witness and reason where they matter."""
    width = max(len(c.name) for c in claims)
    lines = []
    for claim in claims:
        lines.append(f"  {MARKS[claim.verdict]:<9}  {claim.name:<{width}}  {claim.statement}")
        if claim.verdict is not Outcome.PROVED:
            if claim.witness:
                lines.append(f"             witness: {claim.witness}")
            if claim.reason:
                lines.append(f"             {claim.reason}")
    return "\n".join(lines)
