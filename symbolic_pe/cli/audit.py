"""`audit`: the report for people and the record for machines."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from numeric_check.audit.finding import AuditReport, Finding, Verdict
from symbolic_pe.cli.output import to_text
from symbolic_pe.errors import AuditError

MARKS = {
    Verdict.REFUTED: "REFUTED",
    Verdict.UNDECIDED: "undecided",
    Verdict.EQUIVALENT: "equivalent",
    Verdict.CONSISTENT: "consistent",
    Verdict.SKIPPED: "not asked",
}
HEADLINES = {
    "refuted": "something is wrong",
    "undecided": "nothing wrong was found, but not everything could be decided",
    "consistent": "nothing wrong was found",
}
WIDTH = 96
SIGNIFICANT = 4


class FindingRecord(msgspec.Struct, frozen=True):
    """One question; numbers that are infinite are given as texts in `numbers` and as null here."""

    question: str
    verdict: str
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
    verdict: str
    summary: str
    conditions: dict[str, Any]
    findings: list[FindingRecord]


@dataclass(frozen=True)
class Request:
    """What the command line asked for."""

    subject: str | None
    adapter: Path | None
    against: str | None
    stated: Mapping[str, Any]
    known: bool = False


def run_audit(
    request: Request, output: Path | None, progress: Callable[[str], None], *, as_json: bool
) -> tuple[str, int]:
    """The text to print and the exit code."""
    from numeric_check.audit import audit

    if request.known:
        return _known(request, progress, as_json=as_json)
    given = request.adapter if request.adapter is not None else request.subject
    if given is None:
        raise AuditError(
            "expected MODULE:ATTRIBUTE, such as my_model.py:apply_rotary, or --adapter FILE, "
            "or --known"
        )
    report = audit(
        given, against=request.against, progress=progress,
        beside=request.subject if request.adapter is not None else None, **request.stated,
    )  # fmt: skip
    text = to_text(audit_record(report)) if as_json else audit_text(report)
    return text, report.exit_code


def _known(request: Request, progress: Callable[[str], None], *, as_json: bool) -> tuple[str, int]:
    """Every known package that is installed: one table, then what was found."""
    from numeric_check.audit import audit
    from numeric_check.audit.known import known_entries
    from symbolic_pe.cli.known import KnownResult, known_record, known_text

    if request.subject is not None or request.adapter is not None:
        raise AuditError("--known audits what is installed; give no MODULE:ATTRIBUTE beside it")
    results = []
    for entry in known_entries():
        progress(entry.name)
        try:
            report = audit(entry.make(), against=entry.against or None, gain=entry.gain)
        except Exception as error:  # the package is not ours: importing it may raise anything
            first = (str(error).strip() or "no message").splitlines()[0]
            results.append(KnownResult(entry, None, f"{type(error).__name__}: {first}"))
        else:
            results.append(KnownResult(entry, report, ""))
    refuted = any(r.report is not None and r.report.refuted for r in results)
    text = to_text(known_record(results)) if as_json else known_text(results)
    return text, 1 if refuted else 0


def audit_record(report: AuditReport) -> AuditRecord:
    """From the value to the published record."""
    return AuditRecord(
        report.subject,
        report.verdict,
        report.summary,
        dict(report.conditions),
        [
            FindingRecord(
                f.question,
                f.verdict.value,
                f.statement,
                f.detail,
                f.witness,
                _finite(f.error),
                _finite(f.tolerance),
                f.reproduce,
                dict(f.numbers),
            )
            for f in report.findings
        ],
    )


def _finite(value: float | None) -> float | None:
    """Four digits: the rest differs from machine to machine."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT}g}")


def audit_text(report: AuditReport) -> str:
    """What a person reads: what it is, what is wrong and how to see it, what holds."""
    lines = [report.subject, f"  {_how(report)}", "", f"  {HEADLINES[report.verdict]}"]
    lines += _wrapped(f"it is {report.summary}", "  ")
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.EQUIVALENT):
        chosen = [f for f in report.findings if f.verdict is verdict]
        for finding in chosen:
            lines += ["", *_in_full(finding)]
    holds = [f for f in report.findings if f.verdict is Verdict.CONSISTENT]
    if holds:
        lines += ["", "  what holds, at the positions that were tried"]
        width = max(len(f.question) for f in holds)
        for finding in holds:
            lines += _hanging(f"    {finding.question:<{width}}  ", finding.detail)
    lines += _not_asked(report)
    lines += ["", *_wrapped(_caution(report), "  ")]
    return "\n".join(lines) + "\n"


def _how(report: AuditReport) -> str:
    c = report.conditions
    names = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX"}
    parts = [names.get(str(c.get("library")), str(c.get("library", "")))]
    if "dimension" in c:
        parts.append(f"{c['dimension']} channels")
    if "x" in c:
        parts.append(f"called with x {c['x']}")
    if "one_map" in c:
        parts.append("one map for q and k" if c["one_map"] else "two maps, for q and for k")
    return ", ".join(p for p in parts if p)


def _in_full(finding: Finding) -> list[str]:
    lines = [f"  {MARKS[finding.verdict]:<10} {finding.question}: {finding.statement}"]
    for text in (finding.detail, finding.witness):
        if text:
            lines += _wrapped(text, " " * 13)
    if finding.reproduce and finding.verdict is Verdict.REFUTED:
        lines.append(f"             see it: {finding.reproduce}")
    return lines


def _not_asked(report: AuditReport) -> list[str]:
    skipped = [f for f in report.findings if f.verdict is Verdict.SKIPPED]
    if not skipped:
        return []
    lines = ["", "  not asked"]
    width = max(len(f.question) for f in skipped)
    for finding in skipped:
        lines += _hanging(f"    {finding.question:<{width}}  ", finding.detail)
    return lines


def _caution(report: AuditReport) -> str:
    count = report.conditions.get("measured_positions")
    positions = report.conditions.get("positions")
    where = ""
    if isinstance(positions, Sequence) and count:
        where = f" at {count} positions from {positions[0]} to {positions[1]} and their scans"
    text = f"A black box is never proved: this is what was measured{where}."
    refused = report.conditions.get("refused")
    return f"{text} Beyond: {refused}." if refused else text


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _hanging(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    ) or [start.rstrip()]
