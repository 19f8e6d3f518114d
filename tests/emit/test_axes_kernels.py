"""Kernels of several axes: printed, formatted, run, compared with the exact exponential."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from numeric_check.kernels.kernel import compile_kernel
from numeric_check.laws.axes_kernel import (
    REQUIRED,
    check_axes_kernel,
    exact_operator,
    positions_of,
)
from numeric_check.text_proof.prove import TextProof, prove_text
from symbolic_pe.cli.main import cli
from symbolic_pe.emit.axes import emit_axes, plan_axes
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.catalogue import catalogue_form, entries
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.forms import from_any_document
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.commuting import NotCommuting

SMALL: dict[str, dict[str, object]] = {
    "axial": {"dim": 8},
    "rope-mixed": {"dim": 8, "layout": "half"},
    "m-rope": {"dim": 16, "sections": "2 3 3"},
    "hope-hybrid": {"dim": 12, "spatial": 4},
    "string": {},
    "comrope": {},
    "gla": {"dim": 4},
}
DOCUMENTS: dict[str, list[dict[str, object]]] = {
    "damped": [
        {"blocks": [{"rate": "-1/8", "frequency": "1"}, {"rate": "-1/2"}]},
        {"blocks": [{"rate": "1/16", "frequency": "-1/3"}, {"rate": "-1"}]},
    ],
    # turns and decays in a basis that is not orthogonal
    "tilted": [
        {"matrix": [[-1, 2, 0], [-1, -2, 0], [0, 0, -1]]},
        {"matrix": [[1, 2, 0], [-1, 0, 0], [0, 0, "1/2"]]},
    ],
    # turns only, and not skew
    "ellipse": [{"matrix": [[1, -2], [1, -1]]}, {"matrix": [["1/3", "-2/3"], ["1/3", "-1/3"]]}],
    # 2^(1/3), which has a plane and a line
    "cubic": [
        {"matrix": [[0, 1, 0], [0, 0, 1], [2, 0, 0]]},
        {"matrix": [[0, 0, 1], [2, 0, 0], [0, 2, 0]]},
    ],
    # two slopes that share a row, as of ALiBi in the plane
    "slopes": [
        {"matrix": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]},
        {"matrix": [[0, 0, "1/3"], [0, 0, 0], [0, 0, 0]]},
    ],
    # N and 2 N^2, a polynomial of degree 3
    "square": [
        {"matrix": [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]},
        {"matrix": [[0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0]]},
    ],
    "jordan": [
        {"blocks": [{"rate": "-1/8", "frequency": "1", "chain_length": 2, "shear": "1/4"}]},
        {"blocks": [{"rate": "1/16", "frequency": "-1/2", "chain_length": 2, "shear": "-1/3"}]},
    ],
    "defective": [
        {"matrix": [[1, 1, 0], [-1, 3, 0], [0, 0, -1]]},
        {"matrix": [[0, "1/2", 0], ["-1/2", 1, 0], [0, 0, "1/2"]]},
    ],
}
NAMES = [*SMALL, *DOCUMENTS]


def form(name: str) -> SeveralAxes:
    if name in DOCUMENTS:
        found = from_any_document({"axes": DOCUMENTS[name]}, name)
    else:
        found = catalogue_form(name, SMALL[name])
    assert isinstance(found, SeveralAxes)
    return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def proof(name: str, text: str) -> TextProof:
    return prove_text(compile_kernel(text, required=REQUIRED), plan_axes(form(name)))


def test_every_commuting_entry_has_a_specimen() -> None:
    names = {n for n, e in entries().items() if e.verdict is Verdict.COMMUTING}
    assert names | {"gla"} == set(SMALL)


@pytest.mark.parametrize("target", ["numpy", "torch", "array-api"])
@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_the_exponential(name: str, target: str, tmp_path: Path) -> None:
    found = form(name)
    kernel = emit_axes(plan_axes(found), target, command="symbolic-pe build x")
    for check in check_axes_kernel(plan_axes(found), kernel):
        assert check.verdict == "consistent", check.line()
    decided = proof(name, kernel.text)
    assert decided.verdict == "proved", decided.reason
    assert decided.executed == {"operator", "transform_key", "transform_query"}
    path = tmp_path / kernel.filename
    path.write_text(kernel.text)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("axial", "cosine * first - sine * second", "cosine * first + sine * second"),
        ("axial", "0.1]", "0.1000001]"),
        ("m-rope", "FIRST = ", "FIRST = 0 * "),
        ("string", "turned @ BASIS", "turned @ BASIS.T"),
        ("hope-hybrid", "-lag[None, :]", "lag[None, :]"),
        ("gla", "reference, -1.0)", "reference, 1.0)"),
        ("gla", "RATE = -0.0625", "RATE = -0.0626"),
        ("comrope", "blocks @ BASIS", "blocks @ BASIS.T"),
        ("ellipse", "position, BASIS)", "position, INVERSE_BASIS)"),
        ("tilted", "BASIS if sign > 0", "BASIS if sign < 0"),
        ("square", "range(DEGREE, 0, -1)", "range(DEGREE, 1, -1)"),
        ("jordan", "return x + sum(parts)", "return x - sum(parts)"),
        ("damped", "sign * (elapsed", "(elapsed"),
    ],
)
def test_planted_faults_are_found(name: str, right: str, wrong: str, target: str) -> None:
    text = emit_axes(plan_axes(form(name)), target, command="").text
    if right not in text:
        pytest.skip(f"{right!r} is written in another way for {target}")
    verdicts = [
        c.verdict for c in check_axes_kernel(plan_axes(form(name)), text.replace(right, wrong))
    ]
    assert "refuted" in verdicts
    assert proof(name, text.replace(right, wrong)).verdict == "refuted"


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("name", "right", "wrong", "reason"),
    [
        ("axial", "elapsed @", "elapsed[:1] @", "more than its position"),
        ("damped", " - reference", "", "more than its position: on c"),
        ("damped", " - reference", " + reference", "position: on c"),
        ("damped", "elapsed @ FREQUENCY", "elapsed**2 @ FREQUENCY", "cos"),
        (
            "string",
            "second = turned[..., ",
            "second = 2 * turned[..., ",
            "position 0, row 0, column 0: the text has 1.26",
        ),
        ("comrope", "turned = x", "turned = x * x", "linear"),
    ],
)
def test_an_edit_is_refuted_with_its_place(
    name: str, right: str, wrong: str, reason: str, target: str
) -> None:
    text = emit_axes(plan_axes(form(name)), target, command="").text
    assert right in text
    decided = proof(name, text.replace(right, wrong))
    outside = "undecided" if reason == "cos" else "refuted"  # no linear form: not executed
    assert decided.verdict == outside, decided.reason
    assert re.search(reason, decided.reason), decided.reason


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("axial", "cosine * first - sine * second", "-second * sine + first * cosine"),
        ("damped", "sign * (elapsed", "(elapsed * sign"),
        ("string", "elapsed @ FREQUENCY", "(elapsed / 2) @ (2.0 * FREQUENCY)"),
    ],
)
def test_a_harmless_rewrite_stays_proved(name: str, right: str, wrong: str, target: str) -> None:
    text = emit_axes(plan_axes(form(name)), target, command="").text
    text = text.replace("FREQUENCY.to(x.device)", "FREQUENCY")
    assert right in text
    decided = proof(name, text.replace(right, wrong))
    assert decided.verdict == "proved", decided.reason


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("axial", "[1, 0, 3, 2,", "[1, 0, 3, 3,"),
        ("axial", "-0.1, 0.1]", "-0.1, 0.11]"),
        ("string", "xp.matrix_transpose(key)", "key"),
        ("gla", "(i == j)", "(i >= j)"),
        ("damped", "growth, wide) * result", "growth, wide) + result"),
    ],
)
def test_planted_faults_are_found_in_standard_texts(name: str, right: str, wrong: str) -> None:
    text = emit_axes(plan_axes(form(name)), "array-api", command="").text
    assert right in text
    assert proof(name, text.replace(right, wrong)).verdict == "refuted"


@pytest.mark.parametrize("name", NAMES)
def test_the_standard_text_runs_on_strict_arrays_and_on_torch(name: str) -> None:
    strict = pytest.importorskip("array_api_strict")
    found = form(name)
    text = emit_axes(plan_axes(found), "array-api", command="").text
    names: dict[str, Any] = {}
    exec(compile(text, "text", "exec"), names)
    p = np.linspace(-2.0, 2.0, len(found.axes))
    exact = exact_operator(found, p)
    assert np.abs(np.asarray(names["operator"](strict.asarray(p))) - exact).max() < 1e-13
    kernel = compile_kernel(text, library="torch", required=REQUIRED)
    assert np.abs(kernel.call("operator", p) - exact).max() < 1e-13


def test_the_reference_is_the_rotation() -> None:
    found = form("axial")
    operator = exact_operator(found, (2.0, 3.0))
    angle = np.array([2.0, 0.2, 3.0, 0.3])
    assert np.allclose(operator[0::2, 1::2].diagonal(), np.sin(angle), atol=1e-15)
    assert len(positions_of(2)) == len(set(positions_of(2)))


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([[[0, 1], [0, 0]], [[0, 0], [1, 0]]], "do not commute"),
        ([[["1 + sqrt(2)", 1], [0, 0]]], "no rational multiples of one number"),
    ],
)
def test_what_has_no_common_basis_is_refused(axes: list[Any], message: str) -> None:
    found = from_any_document({"axes": [{"matrix": x} for x in axes]})
    assert isinstance(found, SeveralAxes)
    with pytest.raises((NotYetCovered, NotCommuting), match=message):
        plan_axes(found)


def test_parameters_are_refused() -> None:
    document = {"parameters": {"w": "positive"}, "axes": [{"blocks": [{"frequency": "w"}]}]}
    found = from_any_document(document)
    assert isinstance(found, SeveralAxes)
    with pytest.raises(NotYetCovered, match="parameters"):
        plan_axes(found)


def test_build_and_check_of_axes(tmp_path: Path) -> None:
    built = run("build", "axial:dim=8", "-o", str(tmp_path), "--target", "numpy", "--json")
    assert built.exit_code == 0
    record = json.loads(built.stdout)
    assert record["outcome"] == "proved"
    assert record["checks"]["numpy float64"]["verdict"] == "consistent"
    path = tmp_path / "axial_numpy.py"
    assert run("check", str(path)).exit_code == 0
    path.write_text(path.read_text().replace("sine * first + cosine", "sine * first - cosine"))
    assert run("check", str(path)).exit_code == 1
    path.write_text(path.read_text().replace("sine * first - cosine", "first * sine + cosine"))
    assert run("check", str(path)).exit_code == 0
    path.write_text(path.read_text().replace("x.dtype, np.float32", "x.dtype, np.float16"))
    assert run("check", str(path)).exit_code in (1, 3)
    assert {p.name for p in tmp_path.iterdir()} == {
        "axial_numpy.py",
        "certificate.json",
        "report.json",
    }
    assert run("recheck", str(tmp_path / "certificate.json")).exit_code == 0
    assert record["certificate"] in path.read_text()
    assert record["texts"]["numpy"]["verdict"] == "proved"
    path.write_text(path.read_text().replace(record["certificate"], "sha256:" + "0" * 64))
    assert "emit the file again" in run("check", str(path)).stdout
    emitted = run("emit", "examples/axial.toml")
    assert emitted.exit_code == 0
    path.write_text(emitted.stdout)
    assert run("check", str(path)).exit_code == 0


def test_axes_that_do_not_commute_are_not_built(tmp_path: Path) -> None:
    built = run("build", "liere", "-o", str(tmp_path / "out"))
    assert built.exit_code == 1
    assert "commutators is refuted" in built.stdout
    assert not (tmp_path / "out").exists()
    assert run("prove", "liere").exit_code == 1


def test_text_positions_turn_as_rope_does() -> None:
    """X_t + X_h + X_w of M-RoPE is the generator of RoPE."""
    axes = form("m-rope").axes
    rope = catalogue_form("rope", {"dim": 16, "base": 1000000, "layout": "half"})
    assert not isinstance(rope, SeveralAxes)
    expected = rope.heads[0].generator.matrix  # type: ignore[union-attr]
    for i, row in enumerate(expected):
        for j, x in enumerate(row):
            assert axes[0].matrix[i][j] + axes[1].matrix[i][j] + axes[2].matrix[i][j] == x
