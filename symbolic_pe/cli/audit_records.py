"""What `audit --json` prints: the published records."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

QUESTION = (
    r"^(axis [0-9]+ )?("
    r"additive|against|clock|closed|columns|compile|distinct|"
    r"distinct (float64|float32|bfloat16|float16)|dtype|export|far positions|finite|frequencies|"
    r"gain|generator|gradient|group law|history|inputs|layout|linear|negative positions|offset|"
    r"packed = padded|path .+|position|position dtype|precision|"
    r"precision (float64|float32|bfloat16|float16)|prefill = decode|range|relative|"
    r"rows|sign|slope|text|two instances|views|vmap"
    r")$"
)
"""What `numeric_check.audit.questions.pattern` says, written out: records import no arrays."""
Question = Annotated[str, msgspec.Meta(pattern=QUESTION)]
"""A name of the reference page."""


class FindingRecord(msgspec.Struct, frozen=True):
    """One question; numbers that are infinite are given as texts in `numbers` and as null here."""

    question: Question
    verdict: Literal["refuted", "undecided", "equivalent", "consistent", "not asked"]
    statement: str
    detail: str
    witness: str
    error: float | None
    tolerance: float | None
    reproduce: str
    numbers: dict[str, Any]


class AuditRecord(msgspec.Struct, frozen=True):
    """Output of `audit --json`."""

    subject: str
    verdict: Literal["refuted", "undecided", "consistent"]
    summary: str
    conditions: dict[str, Any]
    findings: list[FindingRecord]


class KnownRecord(msgspec.Struct, frozen=True):
    """One row of `audit --known --json`."""

    name: str
    package: str
    version: str
    against: str
    verdict: str
    summary: str
    refuted: dict[Question, str]
    equivalent: dict[Question, str]
    reproduce: dict[Question, str]


class KnownTableRecord(msgspec.Struct, frozen=True):
    """Output of `audit --known --json`."""

    encodings: list[KnownRecord]
