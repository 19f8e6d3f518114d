"""What an audit answers: one finding for each question, with numbers and a line that repeats it.

A black box is never proved. `consistent` means: within a stated tolerance at the stated positions;
`equivalent`: not the declared convention, but the same scores after a change that is named and
proved; `refuted`: a witness fails, and anyone can evaluate it; `undecided`: the reason why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Overall = Literal["refuted", "undecided", "consistent"]
EXIT_CODES: Mapping[Overall, int] = {"consistent": 0, "refuted": 1, "undecided": 3}


class Verdict(StrEnum):
    """The four answers about a black box, and what was not asked."""

    REFUTED = "refuted"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    CONSISTENT = "consistent"
    SKIPPED = "not asked"


@dataclass(frozen=True)
class Finding:
    """One question and its answer.

    question   a short name, unique within a report
    statement  what was asked, as an equation or a sentence
    detail     the answer in words and numbers
    witness    where it fails, for `refuted`: positions, entries, both values
    error, tolerance  the measured worst case and what the arithmetic may lose there
    reproduce  one line to paste into a shell
    numbers    what machines read: plain data
    """

    question: str
    verdict: Verdict
    statement: str
    detail: str = ""
    witness: str = ""
    error: float | None = None
    tolerance: float | None = None
    reproduce: str = ""
    numbers: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditReport:
    """Every finding about one subject."""

    subject: str
    summary: str
    findings: tuple[Finding, ...]
    conditions: Mapping[str, object] = field(default_factory=dict)

    @property
    def verdict(self) -> Overall:
        """`refuted` if one finding is, else `undecided` if one is, else `consistent`."""
        found = {f.verdict for f in self.findings}
        if Verdict.REFUTED in found:
            return "refuted"
        return "undecided" if Verdict.UNDECIDED in found else "consistent"

    @property
    def cause(self) -> str:
        """What explains a refuted finding, where one says so; else ""."""
        named = [str(f.numbers["cause"]) for f in self.refuted if f.numbers.get("cause")]
        return named[0] if named else ""

    @property
    def exit_code(self) -> int:
        """0 consistent, 1 refuted, 3 undecided."""
        return EXIT_CODES[self.verdict]

    def of(self, question: str) -> Finding:
        """The finding with this name; raises `KeyError`."""
        for finding in self.findings:
            if finding.question == question:
                return finding
        raise KeyError(question)

    @property
    def refuted(self) -> tuple[Finding, ...]:
        """The findings that refute."""
        return tuple(f for f in self.findings if f.verdict is Verdict.REFUTED)


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Refuted, undecided, equivalent, consistent, not asked; in the given order within each."""
    order = {verdict: i for i, verdict in enumerate(Verdict)}
    return sorted(findings, key=lambda f: order[f.verdict])
