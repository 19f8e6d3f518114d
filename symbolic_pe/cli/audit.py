"""`audit`: the report for people and the record for machines."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numeric_check.audit.finding import EXIT_CODES, AuditReport
from numeric_check.audit.report.pages import html, markdown
from numeric_check.audit.report.pictures import pictures
from numeric_check.audit.report.terminal import audit_text
from symbolic_pe.cli.audit_records import AuditRecord, FindingRecord
from symbolic_pe.cli.json_text import to_text
from symbolic_pe.errors import AuditError
from symbolic_pe.whole_files import write_files

SIGNIFICANT = 4
SECTION = "known"


@dataclass(frozen=True)
class Request:
    """What the command line asked for."""

    subject: str | None
    adapter: Path | None
    against: str | None
    stated: Mapping[str, Any]
    known: bool = False
    page: Path | None = None


def run_audit(
    request: Request, output: Path | None, progress: Callable[[str], None], *, as_json: bool
) -> tuple[str, int]:
    """The text to print and the exit code."""
    from numeric_check.audit import audit

    if request.known:
        return _known(request, output, as_json=as_json)
    if request.page is not None:
        raise AuditError("--page: expected --known beside it, whose table it is for")
    given = request.adapter if request.adapter is not None else request.subject
    if given is None:
        raise AuditError(
            "expected MODULE:ATTRIBUTE, such as my_model.py:apply_rotary, or --adapter FILE, "
            "or --known"
        )
    with redirect_stdout(sys.stderr):  # what the subject prints is no part of the product
        report = audit(
            given, against=request.against, progress=progress,
            beside=request.subject if request.adapter is not None else None, **request.stated,
        )  # fmt: skip
    record = to_text(audit_record(report))
    if output is not None:
        drawn = pictures(report)
        files = {f"{name}.svg": text for name, text in drawn.items()}
        files |= {"audit.json": record, "audit.md": markdown(report, drawn)}
        write_files(output, {**files, "audit.html": html(report, drawn)})
        progress(f"wrote {output}/audit.html")
    return record if as_json else audit_text(report), report.exit_code


def _known(request: Request, output: Path | None, *, as_json: bool) -> tuple[str, int]:
    """Every known package that is installed: one table, then what was found."""
    from numeric_check.audit.front import Options
    from numeric_check.audit.known import known_entries
    from symbolic_pe.cli.known import audit_each, known_page, known_record, known_text
    from symbolic_pe.cli.pages import check_section, write_section

    given = {"MODULE:ATTRIBUTE": request.subject, "--adapter": request.adapter, "-o": output}
    given |= {"--against": request.against}
    default = Options()
    given |= {
        f"--{name}": value
        for name, value in request.stated.items()
        if value != getattr(default, name)
    }
    stated = [name for name, value in given.items() if value is not None]
    if stated:
        raise AuditError(
            f"--known audits what is installed as it is; give no {stated[0]} beside it"
        )
    if request.page is not None:
        if as_json:
            raise AuditError("give one of --page and --json")
        check_section(request.page, SECTION)
    results = audit_each(list(known_entries()))
    refuted = any(r.report is not None and r.report.refuted for r in results)
    text = to_text(known_record(results)) if as_json else known_text(results)
    if request.page is not None:
        write_section(request.page, SECTION, known_page(results))
        text = ""
    if refuted:
        return text, EXIT_CODES["refuted"]
    open_ = any(r.report is None or r.report.verdict == "undecided" for r in results)
    return text, EXIT_CODES["undecided" if open_ else "consistent"]


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
