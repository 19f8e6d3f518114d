"""Learned generators on the command line: arrays as SPEC, nearness, snapping."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result
from flint import fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text

COMMAND = re.compile(r"^    symbolic-pe (.+)$", re.M)
HOW_TO = Path(__file__).parents[2] / "docs/how-to/learned-generators.md"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def output(command: str, *arguments: str) -> Any:
    result = run(command, *arguments, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads(schema_text(command)))
    return document


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("X.npy", np.array([[0.0, 1.0], [-1.0, -1.9]]))
    np.save("heads.npy", np.array([[[0, 1], [-1, -0.25]], [[0, 1], [-4, -0.5]]], dtype="float32"))
    np.save("skew.npy", np.array([[0.0, -0.3], [0.3000001, 0.0]]))
    np.savez("weights.npz", generator=np.array([[-0.5, 0.0], [0.0, -0.25]]), bias=np.zeros(2))
    np.save("long.npy", np.array([[-0.3141592653589793, 1.4142135623730951], [0.57721, 0.6931e-9]]))
    np.save("dense.npy", np.random.default_rng(1).normal(size=(64, 64)))
    return tmp_path


def exact(rows: list[list[str]]) -> fmpq_mat:
    return fmpq_mat(
        [[fmpq(*map(int, x.split("/"))) if "/" in x else fmpq(int(x)) for x in r] for r in rows]
    )


@pytest.mark.parametrize(
    "spec", ["X.npy", "heads.npy", "weights.npz", "weights.npz:generator", "long.npy"]
)
def test_arrays_are_built_and_the_result_is_checked_from_its_text(spec: str, folder: Path) -> None:
    record = output("build", spec, "-o", "out", "--target", "numpy")
    assert record["outcome"] == "proved"
    (kernel,) = record["kernels"].values()
    assert output("check", f"out/{kernel}")["verdict"] == "holds"
    assert run("prove", spec).exit_code == 0


def test_the_header_carries_the_entries_exactly(folder: Path) -> None:
    text = run("emit", "X.npy").stdout
    damping = Fraction(-1.9)
    assert f"{damping.numerator}/{damping.denominator}" in text


def test_nearness_is_stated_for_arrays_without_being_asked(folder: Path) -> None:
    (head,) = output("classify", "X.npy")["nearness"]
    (item,) = head["eigenvalues"]
    assert item["verdict"] == "simple"
    lower, upper = float(item["simple_within"]), float(item["witness"]["spectral"])
    assert 0.04 < lower <= 0.05 <= upper + 1e-9 < 0.051
    assert run("classify", "X.npy").stdout.count("meets its conjugate") == 1
    assert output("classify", "rope:dim=4")["nearness"] is None
    assert len(output("classify", "rope:dim=4", "--nearness")["nearness"][0]["eigenvalues"]) == 2


def test_the_witness_in_json_can_be_verified_by_hand(folder: Path) -> None:
    (head,) = output("classify", "X.npy")["nearness"]
    witness = head["eigenvalues"][0]["witness"]
    near, basis, block = (exact(witness[k]) for k in ("matrix", "basis", "block"))
    assert near * basis == basis * block
    p = fmpq_poly(near.charpoly())
    assert p.gcd(p.derivative()).degree() == 1
    change = near - exact([["0", "1"], ["-1", str(Fraction(-1.9))]])
    size = sum((e * e for e in change.entries()), start=fmpq(0))
    assert size <= fmpq(*Fraction(witness["frobenius"]).as_integer_ratio()) ** 2


def test_every_head_has_its_nearness(folder: Path) -> None:
    heads = output("classify", "heads.npy")["nearness"]
    assert [h["head"] for h in heads] == [0, 1]
    assert all(h["eigenvalues"] for h in heads)


def test_large_dense_arrays_are_answered_without_their_nearness(folder: Path) -> None:
    result = run("classify", "dense.npy")
    assert result.exit_code == 0
    assert "undecided: nearness to another Jordan type in dimension 64" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 200
    assert run("classify", "dense.npy", "--nearness").exit_code == 3


def test_nearness_with_parameters_is_undecided(folder: Path) -> None:
    Path("w.json").write_text('{"matrix": [["0", "w"], ["1", "0"]], "parameters": {"w": "real"}}')
    result = run("classify", "w.json", "--nearness")
    assert result.exit_code == 3
    assert "without parameters" in result.stderr


# -- snapping ---------------------------------------------------------------------------------


def test_snap_to_skew_states_the_exact_perturbation(folder: Path) -> None:
    record = output("classify", "skew.npy", "--snap", "skew")
    (change,) = record["snapped"]
    half = (Fraction(0.3000001) - Fraction(0.3)) / 2
    assert Fraction(change["largest_entry"]) == half
    assert Fraction(change["frobenius_squared"]) == 2 * half**2
    assert Fraction(change["frobenius"]) ** 2 >= 2 * half**2
    assert [b["family"] for b in record["cases"][0]["blocks"]] == ["rotation"]


def test_a_snapped_build_is_proved_about_what_it_emits(folder: Path) -> None:
    record = output("build", "X.npy", "--snap", "defective", "--snap-within", "0.06", "-o", "out")
    assert record["classification"]["cases"][0]["blocks"][0]["chain_length"] == 2
    assert record["classification"]["snapped"][0]["met"]
    assert output("check", "out/x_numpy.py")["verdict"] == "holds"
    assert "Snapped generator" in Path("out/report.md").read_text()
    assert "--snap defective --snap-within 0.06" in Path("out/x_numpy.py").read_text()


def test_without_snapping_the_same_build_is_another(folder: Path) -> None:
    """The negative twin: X itself is not defective."""
    blocks = output("classify", "X.npy")["cases"][0]["blocks"]
    assert [b["chain_length"] for b in blocks] == [1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["X.npy", "--snap", "odd"], 2, "expected one of skew"),
        (["X.npy", "--snap", "defective"], 2, "needs a distance"),
        (["X.npy", "--snap-within", "1"], 2, "belongs to --snap defective"),
        (["X.npy", "--snap", "skew", "--snap-within", "1"], 2, "belongs to defective"),
        (["X.npy", "--snap", "defective", "--snap-within", "0"], 2, "positive rational"),
        (["X.npy", "--snap", "defective", "--snap-within", "0.01"], 2, "the nearest that was"),
        (["alibi", "--snap", "skew"], 2, "constant coordinates"),
        (["dense.npy", "--snap", "neutral"], 3, "dimension at most 16"),
        (["dense.npy", "--snap", "defective", "--snap-within", "1"], 3, "dimension 64"),
        (["missing.npy"], 2, "no such file"),
        (["weights.npz:none"], 2, "no array 'none'"),
    ],
)
def test_refusals(arguments: list[str], code: int, message: str, folder: Path) -> None:
    result = run("classify", *arguments)
    assert result.exit_code == code
    assert message in result.stderr


def test_the_commands_of_the_how_to_run(folder: Path) -> None:
    commands = COMMAND.findall(HOW_TO.read_text())
    assert len(commands) >= 5
    for command in commands:
        result = run(*command.split())
        assert result.exit_code == 0, (command, result.output)
