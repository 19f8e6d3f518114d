"""`symbolic-pe audit` as a person and as a script see it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text

FAULTY = "examples/rope_with_a_fault.py:rotary"
GOOD = "examples/rope_with_a_fault.py:repaired"
BIAS = """
import numpy as np
def alibi(t, s):
    slopes = 2.0 ** -np.arange(1, 9)
    return -slopes[:, None, None] * (t[:, None] - s[None])
"""


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["audit", *arguments])


def record(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads(schema_text("audit")))
    return document, result.exit_code


def test_what_a_newcomer_reads() -> None:
    result = run(FAULTY, "--dim", "16")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[3:5] == [
        "  REFUTED: something is wrong",
        "  it is RoPE: 8 planes, layout half, frequencies 10000^(-2j/16)",
    ]
    assert "positions are rounded to bfloat16" in result.stdout
    assert "see it: python -c" in result.stdout
    assert "A black box is never proved" in result.stdout
    assert all(len(line) <= 96 for line in lines if "see it" not in line)


def test_acquitted_and_equivalent() -> None:
    document, code = record(GOOD, "--against", "rope:dim=16,layout=interleaved")
    assert code == 0
    assert document["verdict"] == "consistent"
    (against,) = (f for f in document["findings"] if f["question"] == "against")
    assert against["verdict"] == "equivalent"
    assert against["numbers"]["permutation"][:4] == [0, 2, 4, 6]
    assert run(GOOD, "--against", "rope:dim=16", "--strict").exit_code == 1


def test_refuted_findings_have_witness_and_line() -> None:
    document, code = record(FAULTY, "--dim", "8")
    assert code == 1
    for finding in document["findings"]:
        if finding["verdict"] == "refuted":
            assert finding["witness"]
            assert finding["reproduce"].startswith("python -c ")


def test_the_same_answer_twice() -> None:
    assert run(FAULTY, "--dim", "8", "--json").stdout == run(FAULTY, "--dim", "8", "--json").stdout


def test_files_with_pictures(tmp_path: Path) -> None:
    assert run(FAULTY, "--dim", "8", "-o", str(tmp_path / "out")).exit_code == 1
    found = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert found == [
        "audit.html", "audit.json", "audit.md", "drift.svg", "errors.svg", "spectrum.svg",
    ]  # fmt: skip
    for name in ("drift", "errors", "spectrum"):
        tree = ElementTree.parse(tmp_path / "out" / f"{name}.svg")
        assert len(list(tree.iter())) > 10
    page = (tmp_path / "out" / "audit.html").read_text()
    assert page.count("<svg") == 3
    assert "<script" not in page
    assert "![Drift" in (tmp_path / "out" / "audit.md").read_text()


def test_a_bias(tmp_path: Path) -> None:
    path = tmp_path / "bias.py"
    path.write_text(BIAS)
    result = run(f"{path}:alibi", "--kind", "bias", "--against", "alibi:heads=8")
    assert result.exit_code == 0
    assert "it is a linear bias of 8 heads: alibi:heads=8" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected MODULE:ATTRIBUTE"),
        (["nowhere"], "expected module:attribute"),
        (["nowhere.py:f"], "no such file"),
        ([GOOD, "--against", "ropes"], "unknown encoding 'ropes'"),
        ([GOOD, "--against", "alibi"], "audit the bias with --kind bias"),
        ([GOOD, "--dim", "7", "--against", "rope:dim=8"], "write an adapter"),
        ([GOOD, "--dim", "16", "--against", "rope:dim=8"], "8 channels, the subject has 16"),
        ([GOOD, "--against", "examples/axial.toml"], "positions (n, 2), a column for each axis"),
        ([GOOD, "--kind", "table"], "expected a callable f(positions)"),
        ([GOOD, "--library", "mxnet"], "expected one of numpy, torch, jax"),
        (["--adapter", "none.toml"], "no such file"),
        ([GOOD, "--known"], "give no MODULE:ATTRIBUTE"),
    ],
)
def test_misuse(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_check_takes_several_files(tmp_path: Path) -> None:
    paths = []
    for spec in ("rope:dim=4", "nope:dim=4"):
        path = tmp_path / f"{spec[:4]}_numpy.py"
        assert CliRunner().invoke(cli, ["emit", spec, "-o", str(path)]).exit_code == 0
        paths.append(path)
    arguments = ["check", *map(str, paths)]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    document = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)
    assert [c["verdict"] for c in document["checks"]] == ["holds", "holds"]
    paths[0].write_text(paths[0].read_text().replace("np.cos(", "-np.cos("))
    assert CliRunner().invoke(cli, arguments).exit_code == 1


def test_an_interrupted_command_decided_nothing(tmp_path: Path) -> None:
    """Exit code 1 would say refuted."""
    source = tmp_path / "stopped.py"
    source.write_text("def rotary(x, positions):\n    raise KeyboardInterrupt\n")
    result = run(f"{source}:rotary")
    assert result.exit_code == 130
    assert result.stdout == ""
