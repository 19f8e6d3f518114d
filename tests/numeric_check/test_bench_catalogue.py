"""The survey of the catalogue: one line per encoding, target and dtype."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from numeric_check.bench import catalogue
from numeric_check.bench.catalogue import Cell, Survey, markdown, survey
from symbolic_pe.cli.main import cli
from symbolic_pe.errors import SpecificationError

TINY = (1, 1, 4)


@pytest.fixture(scope="module")
def found() -> Survey:
    return survey(["decay", "alibi"], targets=["numpy", "array-api"], shape=TINY, budget=0.001)


def test_every_dtype_has_a_line_with_proof_bound_error_and_time(found: Survey) -> None:
    lines = {(c.encoding, c.target, c.dtype): c for c in found.cells}
    cell = lines["decay", "numpy", "bfloat16"]
    assert cell.text == "proved"
    assert {"transform_query", "transform_key", "operator"} <= set(cell.functions)
    assert cell.bound.startswith("1.001*2^-8")
    assert cell.measured is not None
    assert 0.0 < cell.measured <= 1.0
    assert cell.ratio is not None
    assert cell.quartiles[0] <= cell.ratio <= cell.quartiles[1]
    assert {c.dtype for c in found.cells if c.target == "numpy"} == {
        "float64", "float32", "bfloat16", "float16",
    }  # fmt: skip


def test_other_functions_and_what_is_no_group_have_lines_of_their_own(found: Survey) -> None:
    lines = {(b.encoding, b.target, b.function, b.dtype): b for b in found.beside}
    for key in (
        ("decay", "numpy", "chunkwise", "bfloat16"),
        ("decay", "numpy", "operator", "float64"),
        ("decay", "array-api", "recurrent_step", "float32"),
    ):
        assert lines[key].bound
        assert lines[key].text == "proved"
        assert lines[key].measured is None or 0.0 < lines[key].measured <= 1.0
    (kerple,) = survey(["kerple"], targets=["numpy"]).beside
    assert (kerple.function, kerple.text) == ("bias", "proved")
    assert 0.0 < (kerple.measured or 0.0) <= 1.0
    rows = [x for x in markdown(found).splitlines() if x.startswith("| decay | numpy | chunkwise")]
    assert len(rows) == 4
    assert all(row.replace("\\|", "").count("|") == 9 for row in rows)
    assert replace(lines[key], measured=1.5).refuted


def test_what_is_missing_says_why(found: Survey) -> None:
    text = markdown(found)
    assert "alibi, array-api: not emitted" in text
    assert any(line.startswith("| decay | array-api") for line in text.splitlines())
    rows = [
        line
        for line in text.splitlines()
        if line.startswith("| decay | numpy | ") and "maps," in line
    ]
    assert len(rows) == 4
    assert all(line.replace("\\|", "").count("|") == 9 for line in rows), "bars are escaped"


def test_negative_twin_an_error_beyond_its_bound_is_refuted(found: Survey) -> None:
    assert not found.refuted
    assert Cell("a", "numpy", "float32", measured=1.5).refuted
    assert Cell("a", "numpy", "float32", text="refuted").refuted
    assert replace(found, cells=(Cell("a", "numpy", "float32", measured=1.5),)).refuted


def test_unknown_names_are_refused() -> None:
    with pytest.raises(SpecificationError, match="unknown encoding 'rop', target 'fortran'"):
        survey(["rop"], targets=["fortran"])


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Survey) -> None:
    seen = []

    def given(names: object, **named: object) -> Survey:
        seen.append((names, named["shape"]))
        return found

    monkeypatch.setattr(catalogue, "survey", given)
    runner = CliRunner()
    result = runner.invoke(cli, ["bench", "catalogue", "decay", "--shape", "1,2,16", "--json"])
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["cells"]) == len(found.cells)
    assert seen == [(("decay",), (1, 2, 16))]
    for bad in ("1,2", "0,1,1", "a,b,c", "1,1,9999999999"):
        assert runner.invoke(cli, ["bench", "catalogue", "--shape", bad]).exit_code == 2
    page = tmp_path / "page.md"
    page.write_text("<!-- begin catalogue -->\n<!-- end catalogue -->\n")
    assert runner.invoke(cli, ["bench", "catalogue", "-o", str(page)]).exit_code == 0
    assert "| decay | numpy |" in page.read_text()
    bad_cell = replace(found, cells=(Cell("a", "numpy", "float32", measured=2.0),))
    monkeypatch.setattr(catalogue, "survey", lambda *_, **__: bad_cell)
    assert runner.invoke(cli, ["bench", "catalogue"]).exit_code == 1
