"""Assertions for tests: the audit with an exception in place of a report.

assert_relative(my_rope)
assert_implements(my_rope, "rope:dim=128,layout=half")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from numeric_check.audit import questions as q
from numeric_check.audit.finding import AuditReport, Verdict
from numeric_check.audit.front import audit
from numeric_check.audit.questions import Question
from numeric_check.audit.report.terminal import findings_text
from numeric_check.audit.subject import Subject
from symbolic_pe.encodings.forms import Specification
from symbolic_pe.errors import AuditError

RELATIVE: Mapping[str, tuple[Question, ...]] = {
    "maps": (
        q.LINEAR, q.POSITION, q.RELATIVE, q.GROUP_LAW, q.PREFILL, q.PACKED, q.HISTORY,
    ),
    "axes": (
        q.LINEAR, q.POSITION, q.RELATIVE, q.GROUP_LAW, q.JOINT, q.PREFILL, q.PACKED, q.HISTORY,
    ),
    "score": (q.BILINEAR, q.SCORE_RELATIVE, q.SCORE_PREFILL),
    "bias": (q.FINITE_BIAS, q.BIAS_RELATIVE, q.BIAS_PREFILL),
}  # fmt: skip
"""What a score that depends on t − s only, in every call, comes down to, for each kind."""

Given = str | Path | Subject | Callable[..., Any]


def assert_relative(subject: Given, **stated: Any) -> AuditReport:
    """Fail unless the score of a callable depends on t − s only, however it is called.

    `stated` are the options of `audit`, such as key, dimension or kind. Returns the report.
    Raises `AuditError` for an absolute table: added to x, none makes the score relative.
    """
    __tracebackhide__ = True
    report = audit(subject, **stated)
    kind = str(report.conditions["kind"])
    if kind not in RELATIVE:
        raise AuditError(
            f"{report.subject}: expected maps, a score or a bias, got an absolute table; added to "
            "x it makes no relative score, whatever it is (audit says whether it is closed)"
        )
    names = {asked.name for asked in RELATIVE[kind]}
    return _checked(report, lambda question: _without_axis(question) in names)


def _without_axis(question: str) -> str:
    """`axis 0 relative` is about `relative`."""
    first, _, rest = question.partition(" ")
    return rest.partition(" ")[2] if first == "axis" else question


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
