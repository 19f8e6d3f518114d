"""Adapters for known packages; those that are not installed are left out."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from numeric_check.audit import audit
from numeric_check.audit.known import Known, known_entries
from numeric_check.audit.known.registry import MODULES
from symbolic_pe.cli.known import HEADINGS
from symbolic_pe.cli.main import cli

EVERY = [
    entry
    for module in MODULES
    for entry in importlib.import_module(f"numeric_check.audit.known.{module}").ENTRIES
]
RIGHT = ("transformers: Llama", "transformers: GPT-NeoX, a quarter turns", "transformers: GPT-J",
         "transformers: Gemma 3, full attention", "transformers: Bloom ALiBi, 6 heads",
         "transformers: MPT ALiBi, 6 heads", "x-transformers: rotary",
         "x-transformers: ALiBi, 6 heads", "torchtune: rotary")  # fmt: skip


def entry(name: str) -> Known:
    found = {e.name: e for e in known_entries()}
    if name not in found:
        pytest.skip(f"{name} is not installed")
    return found[name]


def test_names_are_one_each() -> None:
    assert len({e.name for e in EVERY}) == len(EVERY)


def test_what_is_not_installed_is_left_out() -> None:
    absent = Known("nobody: nothing", "nobody-has-this", lambda: pytest.fail("was made"))
    assert not absent.installed
    assert absent.version == ""


@pytest.mark.parametrize("name", RIGHT)
def test_right_ones_are_acquitted(name: str) -> None:
    known = entry(name)
    report = audit(known.make(), against=known.against)
    assert report.refuted == ()
    assert report.of("against").verdict == "consistent"


def test_positions_in_the_dtype_of_the_query() -> None:
    known = entry("rotary-embedding-torch, no cache")
    if known.version != "0.9.1":
        pytest.skip("a finding about version 0.9.1")
    report = audit(known.make(), against=known.against)
    assert "positions are rounded to bfloat16" in report.of("precision bfloat16").detail
    assert report.of("distinct bfloat16").verdict == "refuted"
    assert report.of("precision float32").verdict == "consistent"
    cached = entry("rotary-embedding-torch")
    assert audit(cached.make()).of("history").verdict == "refuted"


def test_one_rotation_by_matrix_exp() -> None:
    known = entry("torch: matrix_exp of one plane")
    if not known.version.startswith("2.13.0"):
        pytest.skip("a finding about version 2.13.0")
    finding = audit(known.make()).of("precision float32")
    assert finding.verdict == "refuted"
    assert "when it is called alone" in finding.detail
    assert finding.error == pytest.approx(2.5e-5, rel=0.1)


def test_a_table_that_does_not_know_the_base() -> None:
    known = entry("equinox: rotary")
    report = audit(known.make())
    assert report.of("relative").verdict == "consistent"
    if known.version == "0.13.8":
        assert report.of("two instances").verdict == "refuted"


def test_retention() -> None:
    known = entry("torchscale: RetNet, head 7")
    report = audit(known.make(), against=known.against)
    assert report.refuted == ()
    assert report.of("against").verdict == "consistent"


def test_the_page_is_in_the_form_that_the_command_writes() -> None:
    """One row for each encoding there is, with a version, and a line for what is refuted."""
    page = Path("docs/reference/audit.md").read_text()
    section = page.partition("<!-- begin known -->\n")[2].partition("<!-- end known -->")[0]
    head, rule, *rest = section.splitlines()
    assert head == f"| {' | '.join(HEADINGS)} |"
    assert rule == "|---|---|---|---|"
    rows = [line.split(" | ") for line in rest if line.startswith("| ")]
    names = [row[0].removeprefix("| ") for row in rows]
    assert names == [e.name for e in EVERY]
    assert all(row[1] and row[2] in ("consistent", "REFUTED") for row in rows)
    refuted = [n for n, row in zip(names, rows, strict=True) if row[2] == "REFUTED"]
    told = [line for line in rest if line.endswith(":") and line.startswith(tuple(refuted))]
    assert len(told) == len(refuted) == section.count("python -c ")


def test_a_page_is_written_with_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [e for e in EVERY if e.name == "torch: matrix_exp of one plane"]
    monkeypatch.setattr("numeric_check.audit.known.known_entries", lambda: iter(chosen))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin known -->\nold\n<!-- end known -->\nafter\n")
    result = CliRunner().invoke(cli, ["audit", "--known", "--page", str(page)])
    assert result.exit_code in (0, 1)
    text = page.read_text()
    head = f"| {' | '.join(HEADINGS)} |\n|---|---|---|---|\n"
    assert text.startswith(f"before\n<!-- begin known -->\n{head}")
    assert text.endswith("<!-- end known -->\nafter\n")
    assert "| torch: matrix_exp of one plane | " in text
    assert "old" not in text
