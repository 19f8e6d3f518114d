"""Rounding bounds on the command line: in the record, the report, the header, and `check`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text
from symbolic_pe.emit.source import EmittedKernel, body_is_intact, with_header_lines


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("rope")
    assert run("build", "rope:dim=8", "-o", str(out)).exit_code == 0
    return out


def checked(path: Path) -> tuple[int, Any]:
    result = run("check", str(path), "--json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads(schema_text("check")))
    return result.exit_code, document


def test_the_record_answers_up_to_which_position(folder: Path) -> None:
    record = json.loads((folder / "report.json").read_text())
    for target in ("numpy", "torch"):
        bounds = record["bounds"][target]
        assert bounds["verdict"] == "holds"
        assert "one unit in the last place" in bounds["reason"]
        for dtype, roundings in (("bfloat16", 2.0**-8), ("float16", 2.0**-11)):
            found = bounds["dtypes"][dtype]
            assert 1.0 < found["coefficients"][0] / roundings < 1.001
            assert 0.5 < found["measured"] <= 1.0
            assert found["reach"] == 2**20
            assert found["safe_position"] > 2**40
            assert found["safe_limited_by"] == "tolerance"
            assert found["tolerance"] == 2 * roundings


def test_the_report_and_the_output_say_so(tmp_path: Path) -> None:
    result = run("build", "decay:dim=4", "-o", str(tmp_path), "--target", "numpy")
    line = next(x for x in result.stdout.splitlines() if "bfloat16  eps" in x)
    assert "eps = 1.001*2^-8 + 0.03126*2^-53*|u|; eps <= 7.8e-03 to |u| = 2728" in line
    report = (tmp_path / "report.md").read_text()
    assert "## Rounding bounds" in report
    assert re.search(r"\| numpy \| bfloat16 \| `1\.001\*2\^-8 .* \| 2728 \(range\) \|", report)


def test_the_header_states_the_bound_and_the_body_stays(folder: Path) -> None:
    text = (folder / "rope_torch.py").read_text()
    assert body_is_intact(text)
    assert re.search(
        r"^# bfloat16:    eps = 1\.1\*2\^-8 \+ 1\.5\*2\^-53\*\|u\|, eta = ", text, re.M
    )
    assert checked(folder / "rope_torch.py")[0] == 0


def test_a_header_that_states_too_little_is_refuted(folder: Path, tmp_path: Path) -> None:
    text = (folder / "rope_torch.py").read_text()
    path = tmp_path / "rope_torch.py"
    path.write_text(text.replace("eps = 1.1*2^-8", "eps = 1.0*2^-9"))
    code, record = checked(path)
    assert code == 1
    assert any("the header states" in line for line in record["failures"])
    # without statements there is nothing to refute
    path.write_text(re.sub(r"^# (error|b?float\d+): .*\n", "", text, flags=re.M))
    assert checked(path)[0] == 0


def test_an_edit_of_precision_shows_in_the_bound(folder: Path, tmp_path: Path) -> None:
    text = (folder / "rope_torch.py").read_text()
    edited = text.replace(
        "angle = u * THETA.to(u.device)", "angle = (u * THETA.to(u.device)).float()"
    )
    assert edited != text
    path = tmp_path / "rope_torch.py"
    path.write_text(edited)
    code, record = checked(path)
    assert code == 1
    found = record["bounds"]["dtypes"]["bfloat16"]
    assert 10_000 < found["safe_position"] < 200_000
    assert found["measured"] <= 1.0


def test_parameters_are_bounded_over_their_box(tmp_path: Path) -> None:
    spec = "examples/damped-oscillator.toml"
    result = run("build", spec, "-o", str(tmp_path), "--target", "numpy", "--json")
    bounds = json.loads(result.stdout)["bounds"]["numpy"]
    assert bounds["verdict"] == "holds"
    assert bounds["parameters"] == {"w": [0.0, 4.0], "z": [-4.0, 4.0]}
    assert bounds["dtypes"]["bfloat16"]["formula"].startswith("1.005*2^-8 + ")
    text = (tmp_path / "damped_oscillator_numpy.py").read_text()
    assert "for w in [0, 4], z in [-4, 4], wherever the maps stay in range" in text
    assert checked(tmp_path / "damped_oscillator_numpy.py")[0] == 0


def test_header_lines_are_comments() -> None:
    kernel = EmittedKernel("numpy", "a.py", "# body: x\nimport numpy\n", "x")
    for wrong in ("import os", "# a\nimport os"):
        with pytest.raises(ValueError, match="comment"):
            with_header_lines(kernel, [wrong])
