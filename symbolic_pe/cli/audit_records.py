"""What `audit --json` prints: the published records."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class FindingRecord(msgspec.Struct, frozen=True):
    """One question; numbers that are infinite are given as texts in `numbers` and as null here."""

    question: str
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
    refuted: dict[str, str]
    equivalent: dict[str, str]
    reproduce: dict[str, str]


class KnownTableRecord(msgspec.Struct, frozen=True):
    """Output of `audit --known --json`."""

    encodings: list[KnownRecord]
