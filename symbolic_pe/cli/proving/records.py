"""What is decided of one specification, what is remembered of it, and what `prove --json` prints.

This module is light: verdicts that are known are told without importing the exact core.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from symbolic_pe.cli.claims import ClaimRecord, claim_of
from symbolic_pe.decision import outcome_of
from symbolic_pe.proof.rocq.document import RocqFile

Verdict = Literal["proved", "refuted", "undecided", "error"]


class Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was decided of one specification.

    undecided       why there are no claims, where nothing could be decided
    error           what is wrong with the input; `internal` when the fault is ours
    certificate     canonical JSON that the independent checker accepted, or why there is none
    rocq            the file for Rocq where one was asked for, or why there is none
    budget_ended    a larger budget might decide more, so it is not remembered
    """

    name: str = ""
    claims: list[ClaimRecord] = []
    undecided: str = ""
    error: str = ""
    internal: bool = False
    certificate: str = ""
    no_certificate: str = ""
    rocq: RocqFile | None = None
    no_rocq: str = ""
    budget_ended: bool = False

    @property
    def verdict(self) -> Verdict:
        """The worst of the claims; `error` for bad input."""
        if self.error:
            return "error"
        if self.undecided:
            return "undecided"
        return outcome_of(map(claim_of, self.claims)).value

    @property
    def may_be_remembered(self) -> bool:
        """Decided by the content alone: not by a budget, and not by what could be read."""
        return not (self.error or self.budget_ended)


class SpecificationRecord(msgspec.Struct, frozen=True):
    """One specification: `message` says why there are no claims.

    `certificate` is the digest of its certificate; where it is null, `no_certificate` says why.
    """

    spec: str
    verdict: Verdict
    name: str
    claims: list[ClaimRecord]
    message: str
    certificate: str | None
    no_certificate: str


class LeftAloneRecord(msgspec.Struct, frozen=True):
    """A file or directory that was not judged, and why."""

    path: str
    reason: str


class TotalsRecord(msgspec.Struct, frozen=True):
    """How many specifications have which verdict."""

    proved: int
    refuted: int
    undecided: int
    error: int


class ProvedManyRecord(msgspec.Struct, frozen=True):
    """Output of `prove --json` for a directory or for more than one SPEC."""

    verdict: Verdict
    totals: TotalsRecord
    specifications: list[SpecificationRecord]
    left_alone: list[LeftAloneRecord]


def specification_record(label: str, judged: Judged) -> SpecificationRecord:
    """From the value to the published record."""
    digest = None
    if judged.certificate:
        digest = msgspec.json.decode(judged.certificate, type=_Digest).digest
    return SpecificationRecord(
        label,
        judged.verdict,
        judged.name,
        list(judged.claims),
        judged.error or judged.undecided,
        digest,
        judged.no_certificate,
    )


def totals(judged: list[Judged]) -> TotalsRecord:
    """Counted by verdict."""
    verdicts = [j.verdict for j in judged]
    return TotalsRecord(*(verdicts.count(v) for v in ("proved", "refuted", "undecided", "error")))


def worst(found: TotalsRecord) -> Verdict:
    """Bad input first, then what is refuted, then what is undecided."""
    if found.error:
        return "error"
    return "refuted" if found.refuted else "undecided" if found.undecided else "proved"


class _Digest(msgspec.Struct):
    digest: str


__all__ = [
    "Judged",
    "LeftAloneRecord",
    "ProvedManyRecord",
    "SpecificationRecord",
    "TotalsRecord",
    "Verdict",
    "specification_record",
    "totals",
    "worst",
]
