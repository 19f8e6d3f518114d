"""`audit --known`: one table over the known packages that are installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass

from numeric_check.audit.finding import AuditReport, Verdict
from numeric_check.audit.known import Known
from numeric_check.audit.raised import described
from symbolic_pe.cli.audit_records import KnownRecord, KnownTableRecord
from symbolic_pe.cli.workers import processes, progress_of, results

HEADINGS = ("encoding", "version", "verdict", "what it is, and what was found")


@dataclass(frozen=True)
class KnownResult:
    """One row: the report, or why there is none."""

    known: Known
    report: AuditReport | None
    problem: str


def audit_each(entries: Sequence[Known]) -> list[KnownResult]:
    """The result of each, in their order; as many at a time as there are cores.

    What takes longest begins first, so that no core waits for it at the end.
    """
    ordered = sorted(entries, key=lambda entry: -entry.cost)
    jobs = {entry.name: None for entry in ordered}
    found: dict[str, tuple[AuditReport | None, str]] = {}
    with progress_of(len(jobs), "auditing") as advance:
        for name, result in results(_audited, jobs, processes(0, len(jobs))):
            advance(name)
            found[name] = result
    return [KnownResult(entry, *found[entry.name]) for entry in entries]


def _audited(name: str, _: None) -> tuple[AuditReport | None, str]:
    """Runs in a worker: the report, or why there is none."""
    from numeric_check.audit import audit
    from numeric_check.audit.known import known_named

    try:
        with redirect_stdout(sys.stderr):  # what a package prints is no part of the product
            entry = known_named(name)
            return audit(entry.make(), against=entry.against or None, gain=entry.gain), ""
    except Exception as error:  # the package is not ours: importing it may raise anything
        return None, described(error)


def known_record(rows: Sequence[KnownResult]) -> KnownTableRecord:
    """From the values to the published record."""
    return KnownTableRecord([_record(r) for r in rows])


def _record(result: KnownResult) -> KnownRecord:
    known, report = result.known, result.report
    findings = () if report is None else report.findings
    return KnownRecord(
        known.name,
        known.package,
        known.version,
        known.against,
        "undecided" if report is None else report.verdict,
        result.problem if report is None else report.summary,
        {f.question: f.witness for f in findings if f.verdict is Verdict.REFUTED},
        {f.question: f.detail for f in findings if f.verdict is Verdict.EQUIVALENT},
        {f.question: f.reproduce for f in findings if f.reproduce and f.witness},
    )


def known_text(results: Sequence[KnownResult]) -> str:
    """A Markdown table, then the first witness of every finding with its line."""
    if not results:
        return (
            "none of the known packages is installed; "
            "pip install 'symbolic-pe[audit-known]' brings those of PyTorch\n"
        )
    rows = [_row(r) for r in results]
    widths = [max(len(row[i]) for row in [HEADINGS, *rows]) for i in range(3)]
    lines = _table(rows, widths)
    for result in results:
        lines += _findings(result)
    return "\n".join(lines) + "\n"


def known_page(results: Sequence[KnownResult]) -> str:
    """The same for a page: the table, then what is wrong and the line that shows it."""
    lines = _table([_row(r, told=True) for r in results], [0, 0, 0])
    for result in results:
        if result.report is None or not result.report.refuted:
            continue
        first = next((f for f in result.report.refuted if f.reproduce), result.report.refuted[0])
        lines += ["", f"{result.known.name}, `{first.question}`: {first.witness}:", ""]
        lines += ["```sh", first.reproduce, "```"]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[tuple[str, str, str, str]], widths: Sequence[int]) -> list[str]:
    rule = "|" + "|".join("-" * max(3, w + 2) for w in widths) + "|---|"
    return [_line(HEADINGS, widths), rule, *(_line(row, widths) for row in rows)]


def _row(result: KnownResult, *, told: bool = False) -> tuple[str, str, str, str]:
    """With `told` the first finding in words, else the names of all."""
    known, report = result.known, result.report
    if report is None:
        return known.name, known.version, "undecided", result.problem
    words = report.summary
    if report.refuted:
        wrong = ", ".join(f.question for f in report.refuted)
        words += f"; wrong: {wrong}"
        if told:
            words += f". {_told(report)}"
    verdict = "REFUTED" if report.refuted else report.verdict
    return known.name, known.version, verdict, words.replace("|", "\\|")


def _told(report: AuditReport) -> str:
    """The finding that says most: one with a cause, else the first."""
    named = [f for f in report.refuted if "rounded to" in f.detail]
    finding = (named or list(report.refuted))[0]
    return f"`{finding.question}`: {finding.detail}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [f"{c:<{w}}" for c, w in zip(cells, widths, strict=False)]
    return "| " + " | ".join([*padded, cells[3]]) + " |"


def _findings(result: KnownResult) -> list[str]:
    """The findings of one encoding; those with one cause are told once."""
    if result.report is None or not result.report.refuted:
        return []
    lines = ["", f"{result.known.name} {result.known.version}"]
    told: set[str] = set()
    for finding in result.report.refuted:
        if finding.witness in told:
            continue
        told.add(finding.witness)
        lines.append(f"- {finding.question}: {finding.detail}. Witness: {finding.witness}")
    first = next((f.reproduce for f in result.report.refuted if f.reproduce), "")
    return [*lines, f"  see it: {first}"] if first else lines
