"""The kernel benchmark: every form is checked before it is timed; tables; sections of pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from numeric_check.bench import kernels, measure
from numeric_check.bench.measure import Request, Row
from numeric_check.bench.rotary_forms import Form
from symbolic_pe.cli.main import cli
from symbolic_pe.cli.pages import check_section, write_section
from symbolic_pe.errors import SpecificationError

SMALL = Request((1, 2, 4, 8), "float32", False, 0.01, ("eager",))


def test_every_form_is_the_rotation_and_ours_is_the_most_exact(tmp_path: Path) -> None:
    found = [r for r in measure.rows(SMALL, tmp_path) if r.ratio is not None]
    names = {(r.name, r.layout) for r in found}
    assert {("ours torch turn", "half"), ("ours NumPy turn_into", "interleaved")} <= names
    assert any(r.name.startswith("Hugging Face") for r in found)
    assert all(r.ratio > 0 and r.low <= r.ratio <= r.high for r in found)
    assert all(r.error < 5e-7 for r in found if r.name.startswith("ours"))
    assert {r.memory for r in found} == {"fresh", "given"}


def test_backward_measures_what_has_gradients(tmp_path: Path) -> None:
    asked = Request((1, 2, 4, 8), "float32", True, 0.01, ("eager",))
    names = {r.name for r in measure.rows(asked, tmp_path) if r.ratio is not None}
    assert "ours torch turn" in names
    assert not any("turn_into" in n or "NumPy" in n for n in names)


def test_negative_twin_a_form_that_turns_the_wrong_way_is_not_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Form("identity", "half", lambda x: lambda y: y)
    monkeypatch.setattr(measure, "forms", lambda directory, first: iter([right]))
    (row,) = measure.rows(SMALL, tmp_path)
    assert row.ratio is None
    assert "differs from the rotation" in row.note


def test_tables_show_what_was_measured_and_say_what_was_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answers(requests, heap, progress):
        yield {"about": {"pinned": 3}}
        for request in requests:
            record = kernels.asdict(request)
            row = Row("ours", "half", "eager", "fresh", 2.0 if request.backward else 1.25, 1.2, 1.3,
                      7.0, 1e-7, least=1.1)  # fmt: skip
            yield {"request": record, "row": kernels.asdict(row)}
            row = Row("other", "", "", "", None, 0, 0, 0, 0, "No module named 'other'")
            yield {"request": record, "row": kernels.asdict(row)}

    monkeypatch.setattr(kernels, "_answers", answers)
    text = kernels.table(1.0, lambda message: None)
    assert "| ours | half | eager | fresh | 1.10, 1.25 (1.20–1.30) |" in text
    assert "2.00 (1.20–1.30) | 1.60 |" in text
    assert "- other float32: not measured (No module named 'other')" in text
    assert "pinned to one core" in text


def test_a_section_of_a_page_is_replaced_and_the_rest_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin kernels -->\nold\n<!-- end kernels -->\nb\n")
    write_section(page, "kernels", "new\n")
    write_section(page, "kernels", "newer\n")
    assert page.read_text() == "a\n<!-- begin kernels -->\nnewer\n<!-- end kernels -->\nb\n"
    for text in ("nothing", "<!-- end kernels -->\n<!-- begin kernels -->\n"):
        page.write_text(text)
        with pytest.raises(SpecificationError, match="expected one section"):
            check_section(page, "kernels")


def test_a_page_without_the_section_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["bench", "kernels", "--page", str(tmp_path / "none.md")])
    assert result.exit_code == 2
    assert "cannot be read" in result.output
