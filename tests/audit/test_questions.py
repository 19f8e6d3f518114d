"""Names of questions: one table, which reports, the schema and the reference page agree with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from numeric_check.audit import audit, questions
from symbolic_pe.cli.audit_records import QUESTION
from symbolic_pe.cli.pages import check_section, write_section
from tests.audit import faulty_module as faulty
from tests.audit import maps as m

REPORTS = {
    "a pair of maps": lambda: audit(m.rope(), dimension=8, against="rope:dim=8,layout=half"),
    "maps with several axes, each axis": lambda: audit(faulty.axial, axes=2, dimension=8),
    "a score": lambda: audit(
        lambda q, k, t, s: m.rope()(q, t) @ m.rope()(k, s).T,
        kind="score", against="rope:dim=8,layout=half",
    ),
    "a bias": lambda: audit(
        lambda t, s: -(0.5 ** (1 + faulty.np.arange(8)))[:, None, None] * (t[:, None] - s[None]),
        kind="bias", against="alibi:heads=8",
    ),
    "a table": lambda: audit(faulty.sines, kind="table"),
}  # fmt: skip
ELSEWHERE = {"path {}", "gradient", "clock", "vmap", "compile", "export"}
"""Asked of adapters that offer paths, and of PyTorch and JAX."""


def test_the_schema_has_the_names() -> None:
    assert questions.pattern() == QUESTION
    for good in ("relative", "axis 1 precision float32", "path decode", "packed = padded"):
        assert re.match(QUESTION, good)
    for bad in ("precision int8", "axis relative", "order", "calls", "relative "):
        assert not re.match(QUESTION, bad)


@pytest.mark.parametrize("kind", REPORTS)
def test_reports_ask_what_the_table_says(kind: str) -> None:
    report = REPORTS[kind]()
    names = [f.question for f in report.findings]
    assert len(set(names)) == len(names)
    assert all(re.match(QUESTION, name) for name in names)
    prefix = "axis 0 " if "each axis" in kind else ""
    for question in questions.ASKED[kind]:
        for dtype in ("float32", "bfloat16") if "{}" in question.name else ("",):
            if question.name not in ELSEWHERE:
                assert prefix + question.of(dtype).name in names


def test_what_is_asked_of_axes_together() -> None:
    report = REPORTS["maps with several axes, each axis"]()
    names = {f.question for f in report.findings}
    together = {q.name for q in questions.TOGETHER} - ELSEWHERE - {"against"}
    assert together <= names
    assert report.exit_code == 0


def test_a_failing_call_leaves_its_question_undecided_by_name() -> None:
    def f(x: Any, positions: Any) -> Any:
        if list(positions[:4]) == [0, 0, 0, 0]:
            raise RuntimeError("no padding")
        return m.rope()(x, positions)

    finding = audit(f, dimension=8).of("packed = padded")
    assert finding.verdict == "undecided"
    assert finding.statement == questions.PACKED.statement


def test_the_reference_page_lists_them(request: pytest.FixtureRequest) -> None:
    page = Path("docs/reference/audit.md")
    if request.config.getoption("--update-golden"):
        write_section(page, "questions", questions.page())
    before, after = check_section(page, "questions")
    assert page.read_text() == before + questions.page() + after
