"""Assertions for tests: the audit with an exception in place of a report.

assert_relative(my_rope)
assert_implements(my_rope, "rope:dim=128,layout=half")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numeric_check.audit.finding import AuditReport, Verdict
from numeric_check.audit.front import audit
from numeric_check.audit.report.terminal import findings_text
from numeric_check.audit.subject import Subject
from symbolic_pe.encodings.forms import Specification

RELATIVE = ("linear", "position", "relative", "group law", "prefill = decode", "packed = padded")
"""What a score that depends on t − s only, in every call, comes down to."""

Given = str | Path | Subject | Callable[..., Any]


def assert_relative(subject: Given, **stated: Any) -> AuditReport:
    """Fail unless the score of a callable depends on t − s only, however it is called.

    `stated` are the options of `audit`, such as key, dimension or kind. Returns the report.
    """
    __tracebackhide__ = True
    report = audit(subject, **stated)
    return _checked(report, lambda question: question.endswith(RELATIVE))


def assert_implements(subject: Given, spec: str | Specification, **stated: Any) -> AuditReport:
    """Fail unless a callable is the encoding of `spec`, at every position and in every dtype.

    Another layout or orientation is accepted as equivalent, unless strict=True.
    """
    __tracebackhide__ = True
    return _checked(audit(subject, against=spec, **stated), lambda _: True)


def _checked(report: AuditReport, chosen: Callable[[str], bool]) -> AuditReport:
    __tracebackhide__ = True
    failing = [
        f
        for f in report.findings
        if chosen(f.question) and f.verdict in (Verdict.REFUTED, Verdict.UNDECIDED)
    ]
    if failing:
        raise AssertionError(f"{report.subject} is {report.summary}\n{findings_text(failing)}")
    return report


__all__: Sequence[str] = ("assert_implements", "assert_relative")
