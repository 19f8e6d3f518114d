"""The report for people: what it is, what is wrong and how to see it, what holds."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from numeric_check.audit.finding import AuditReport, Finding, Verdict
from numeric_check.audit.libraries import DTYPES

MARKS = {
    Verdict.REFUTED: "REFUTED",
    Verdict.UNDECIDED: "undecided",
    Verdict.EQUIVALENT: "equivalent",
    Verdict.CONSISTENT: "consistent",
    Verdict.SKIPPED: "not asked",
}
HEADLINES = {
    "refuted": "REFUTED: something is wrong",
    "undecided": "nothing wrong was found, but not everything could be decided",
    "consistent": "nothing wrong was found",
}
WIDTH = 96


def audit_text(report: AuditReport) -> str:
    """What a person reads: what it is, what is wrong and how to see it, what holds."""
    lines = [report.subject, f"  {how(report)}", "", f"  {HEADLINES[report.verdict]}"]
    lines += _wrapped(f"it is {report.summary}", "  ")
    if report.cause:
        lines += _wrapped(f"what explains it: {report.cause}", "  ")
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.EQUIVALENT):
        chosen = [f for f in report.findings if f.verdict is verdict]
        for finding, others in alike(chosen):
            lines += ["", *_in_full(finding)]
            if others:
                names = ", ".join(f.question for f in others)
                lines += _wrapped(f"the same: {names}", " " * 13)
    holds = [f for f in report.findings if f.verdict is Verdict.CONSISTENT]
    if holds:
        lines += ["", "  what holds, at the positions that were tried"]
        width = max(len(f.question) for f in holds)
        for finding in holds:
            lines += _hanging(f"    {finding.question:<{width}}  ", finding.detail)
    lines += _not_asked(report)
    lines += ["", *_wrapped(caution(report), "  ")]
    return "\n".join(lines) + "\n"


def alike(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Findings, each with those about other dtypes that say the same of the same positions."""
    groups: list[tuple[Finding, list[Finding]]] = []
    for finding in findings:
        home = next((others for first, others in groups if _same(first, finding)), None)
        if home is None:
            groups.append((finding, []))
        else:
            home.append(finding)
    return groups


def _same(one: Finding, other: Finding) -> bool:
    family, _, dtype = one.question.rpartition(" ")
    of_dtype = dtype in DTYPES and other.question.rpartition(" ")[0] == family
    return of_dtype and other.question.rpartition(" ")[2] in DTYPES and one.detail == other.detail


def findings_text(findings: Sequence[Finding]) -> str:
    """Some findings in full, as failing tests show them."""
    return "\n".join(line for f in findings for line in _in_full(f))


def how(report: AuditReport) -> str:
    """The library, the channels and the way of calling, in words."""
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
    start = f"  {MARKS[finding.verdict]:<10} "
    lines = _hanging(start, f"{finding.question}: {finding.statement}")
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


def caution(report: AuditReport) -> str:
    """What was measured, and that it is no proof."""
    count = report.conditions.get("measured_positions")
    positions = report.conditions.get("positions")
    where = ""
    if isinstance(positions, Sequence) and count:
        where = f" at {count} positions from {positions[0]} to {positions[1]}"
        scanned = report.conditions.get("scanned_positions")
        near = report.conditions.get("every_pair_below")
        if scanned:
            where += f", and in runs over every position below {scanned}"
        swept = report.conditions.get("swept_positions")
        if swept:
            where += f", of one vector at every position below {swept}"
        if near:
            where += f", and at every pair of positions below {near}"
        if "each_beside" in report.conditions:
            where += ", of each position beside the first key and beside the last query"
        every_few = report.conditions.get("every_few", [])
        assert isinstance(every_few, list)
        where += "".join(f", and at every {step}th up to {last}" for step, last in every_few)
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
