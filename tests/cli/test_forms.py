"""classify and prove on [step] and [[axes]]: records by schema, text, exit codes, refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def record(schema: str, *arguments: str) -> Any:
    document = json.loads(run(*arguments, "--json").stdout)
    jsonschema.validate(document, json.loads(schema_text(schema)))
    return document


def spec(tmp_path: Path, document: object) -> str:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(document))
    return str(path)


def step(tmp_path: Path, rows: object) -> str:
    return spec(tmp_path, {"step": {"matrix": rows}})


def test_a_step_with_a_generator() -> None:
    found = record("classify-step", "classify", "examples/negative-step.toml")
    assert (found["invertible"], found["positions"]) == (True, "all integers")
    assert found["generator"]["matrix"] == [["log(2)", "-pi"], ["pi", "log(2)"]]
    assert found["generator"]["about"][0][1] == "-3.1415926535897932385"
    assert found["generator"]["unique"] is False
    (block,) = found["blocks"]
    assert (block["eigenvalue"], block["multiplicity"], block["angle"]["text"]) == ("-2", 2, "pi")
    result = run("classify", "examples/negative-step.toml")
    assert result.exit_code == 0
    assert 'X = [["log(2)", "-pi"], ["pi", "log(2)"]]' in result.stdout
    assert "is another for integer k" in result.stdout
    assert run("prove", "examples/negative-step.toml").exit_code == 0


def test_a_step_without_one_is_decided_all_the_same() -> None:
    found = record("classify-step", "classify", "examples/no-generator.toml")
    assert (found["has_real_generator"], found["generator"]) == (False, None)
    result = run("classify", "examples/no-generator.toml")
    assert result.exit_code == 0
    assert "no real generator: the negative eigenvalue -1 has 1 Jordan block of size 2" in (
        result.stdout
    )
    proof = record("prove", "prove", "examples/no-generator.toml")
    assert proof["claims"][-1]["name"] == "generator"
    assert "size 2" in proof["claims"][-1]["witness"]
    assert run("prove", "examples/no-generator.toml").exit_code == 1


def test_a_singular_step(tmp_path: Path) -> None:
    path = step(tmp_path, [[0, 1], [0, 0]])
    found = record("classify-step", "classify", path)
    assert (found["invertible"], found["positions"]) == (False, "n >= 0")
    assert found["blocks"][0]["log_modulus"] is None
    assert "semigroup on n >= 0 only" in run("classify", path).stdout
    assert run("prove", path).exit_code == 1


def test_a_step_outside_the_ring_has_balls(tmp_path: Path) -> None:
    path = step(tmp_path, [[1, -2], [2, 1]])
    found = record("classify-step", "classify", path)
    assert found["generator"]["matrix"] is None
    coefficients = [s["coefficient"] for s in found["generator"]["summands"]]
    assert [(c["text"], c["exact"]) for c in coefficients] == [
        ("1/2*log(5)", True),
        ("1/2*arg(1 + 2*I)", False),
    ]
    assert found["generator"]["about"][1][0] == "1.1071487177940905030"
    assert "1/2*arg(1 + 2*I) = 0.5535743588970452515" in run("classify", path).stdout
    assert run("prove", path).exit_code == 0


def test_entries_that_balls_cannot_tell_from_zero_say_so(tmp_path: Path) -> None:
    cycle = [[int(i == (j + 1) % 5) for j in range(5)] for i in range(5)]
    about = record("classify-step", "classify", step(tmp_path, cycle))["generator"]["about"]
    for i, row in enumerate(about):
        assert [x.startswith("0 +- ") for x in row] == [i == j for j in range(5)]


def test_a_step_that_is_not_covered_is_undecided(tmp_path: Path) -> None:
    path = step(tmp_path, [["sqrt(2)", 0, 0], [0, 1, 0], [0, 0, 1]])
    for command in ("classify", "prove"):
        result = run(command, path)
        assert result.exit_code == 3
        assert "not all rational" in result.output


@pytest.mark.parametrize("example", ["negative-step", "no-generator"])
def test_what_needs_one_generator_refuses(example: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for arguments in (["build", "-o", str(out)], ["emit"]):
        command, *rest = arguments
        result = run(command, f"examples/{example}.toml", *rest)
        assert result.exit_code == 3
        assert "is emitted for" in result.stderr
        assert result.stdout == ""
    assert not out.exists()


def test_axes_that_do_not_commute_are_neither_built_nor_emitted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for arguments in (["build", "-o", str(out)], ["emit"]):
        command, *rest = arguments
        result = run(command, "examples/not-commuting.toml", *rest)
        assert result.exit_code == 1
        assert "commutators is refuted" in result.output
    assert not out.exists()


def test_the_suggested_generator_builds(tmp_path: Path) -> None:
    refusal = run("build", "examples/negative-step.toml", "-o", str(tmp_path / "a")).stderr
    matrix = json.loads(refusal.split("matrix = ", maxsplit=1)[1])
    path = spec(tmp_path, {"matrix": matrix})
    result = run("build", path, "-o", str(tmp_path / "b"), "--target", "numpy")
    assert result.exit_code == 0, result.output


def test_axes() -> None:
    found = record("classify-axes", "classify", "examples/axial.toml")
    assert (found["axes"], found["commuting"], found["witness"]) == (["row", "column"], True, None)
    frequencies = [
        [a["frequency"]["text"] for a in block["axes"]]
        for component in found["components"]
        for block in component["blocks"]
    ]
    assert frequencies == [["1", "0"], ["1/100", "0"], ["0", "1"], ["0", "1/100"]]
    assert [c["channels"] for c in found["components"]] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    result = run("classify", "examples/axial.toml")
    assert result.exit_code == 0
    assert "they commute, a group of R^2" in result.stdout
    assert run("prove", "examples/axial.toml").exit_code == 0


def test_axes_that_do_not_commute() -> None:
    found = record("classify-axes", "classify", "examples/not-commuting.toml")
    assert (found["commuting"], found["components"]) == (False, [])
    assert "entry -1 at row 0, column 1" in found["witness"]
    result = run("classify", "examples/not-commuting.toml")
    assert result.exit_code == 0
    assert "they do not commute" in result.stdout
    refuted = run("prove", "examples/not-commuting.toml")
    assert refuted.exit_code == 1
    assert "at p = 1 along x, q = 1 along y" in refuted.stdout
    assert record("prove", "prove", "examples/not-commuting.toml")["name"] == "not-commuting"


def test_a_hidden_family(tmp_path: Path) -> None:
    x = [["0", "-1", "0", "0"], ["1", "0", "0", "0"], ["0", "0", "0", "-1"], ["0", "0", "1", "0"]]
    y = [["1", "0", "1", "-1"], ["0", "1", "1", "1"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]]
    path = spec(tmp_path, {"axes": [{"matrix": x}, {"matrix": y}]})
    found = record("classify-axes", "classify", path)
    (component,) = found["components"]
    (block,) = component["blocks"]
    assert (block["kind"], block["dimension"], block["degree"]) == ("complex", 4, 1)
    assert [a["chain_lengths"] for a in block["axes"]] == [[1, 1], [2]]
    assert "2 x plane, polynomial of degree 1" in run("classify", path).stdout


def test_axes_whose_joint_structure_is_not_covered(tmp_path: Path) -> None:
    x = [["sqrt(2)", 1, 0], [0, "sqrt(2)", 2], [0, 0, "sqrt(3)"]]
    path = spec(tmp_path, {"axes": [{"matrix": x}, {"matrix": x}]})
    result = run("classify", path)
    assert result.exit_code == 3
    assert "give the axes as blocks" in result.stderr
    assert run("prove", path).exit_code == 0


def test_several_specifications_of_all_forms() -> None:
    result = run("prove", "rope:dim=4", "examples/axial.toml", "examples/no-generator.toml")
    assert result.exit_code == 1
    headings = [line for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert headings == ["rope: proved", "axial: proved", "no-generator: refuted"]


@pytest.mark.parametrize(
    "document",
    [
        {"step": {"matrix": [["1", "0"], ["0"]]}},
        {"step": {"matrix": "1"}},
        {"axes": [{"matrix": [["1"]]}, {"blocks": [{"frequency": "1"}]}]},
        {"axes": [{"matrix": [["w"]]}]},
        {"axes": [], "step": {"matrix": [["1"]]}},
    ],
)
def test_bad_input_exits_with_two(document: object, tmp_path: Path) -> None:
    for command in ("classify", "prove", "emit"):
        result = run(command, spec(tmp_path, document))
        assert result.exit_code == 2, result.output
        assert result.stderr.startswith("error: ")


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    cycle = [[int(i == (j + 1) % 5) for j in range(5)] for i in range(5)]
    path = spec(tmp_path, {"axes": [{"matrix": cycle}, {"matrix": cycle}]})
    (tmp_path / "b").mkdir()
    other = step(tmp_path / "b", cycle)
    for name in (path, other):
        texts = {
            subprocess.run(
                [sys.executable, "-m", "symbolic_pe", "classify", name, "--json"],
                env={**os.environ, "PYTHONHASHSEED": seed},
                check=True,
                capture_output=True,
            ).stdout
            for seed in ("0", "1")
        }
        assert len(texts) == 1
