"""Kernels for eigenvalues of degree 3 or more: an exact rational generator next to X."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.matrix import block_diagonal, identity, multiply
from symbolic_pe.cli.main import cli
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.nearby import nearby_form

CUBIC = [["0", "0", "2"], ["1", "0", "0"], ["0", "1", "0"]]
QUINTIC = [
    ["0", "0", "0", "0", "1"],
    ["1", "0", "0", "0", "1"],
    ["0", "1", "0", "0", "0"],
    ["0", "0", "1", "0", "0"],
    ["0", "0", "0", "1", "0"],
]
SKEW = [
    ["0", "1", "2", "3"],
    ["-1", "0", "1", "5"],
    ["-2", "-1", "0", "1"],
    ["-3", "-5", "-1", "0"],
]


@pytest.mark.parametrize("rows", [CUBIC, QUINTIC])
def test_the_nearby_generator_is_exact_and_near(rows: list[list[str]]) -> None:
    matrix = Generator.from_matrix(rows).matrix
    form = nearby_form(matrix)
    jordan = block_diagonal([b.generator for b in form.blocks])
    assert multiply(form.matrix, form.basis) == multiply(form.basis, jordan)
    assert multiply(form.basis, form.inverse_basis) == identity(len(matrix))
    distance = max(
        abs((a - b).rational_value())
        for x, y in zip(form.matrix, matrix, strict=True)
        for a, b in zip(x, y, strict=True)
    )
    assert distance == form.distance
    assert 0 < distance < fmpq(1, 10**28)


@given(st.lists(st.integers(-5, 5), min_size=16, max_size=16))
@settings(max_examples=25, deadline=None)
def test_random_integer_matrices(entries: list[int]) -> None:
    rows = [entries[4 * i : 4 * i + 4] for i in range(4)]
    try:
        form = nearby_form(Generator.from_matrix(rows).matrix)
    except NotYetCovered:
        return  # repeated eigenvalues: the message says so
    assert form.distance < fmpq(1, 10**20)


def test_repeated_eigenvalues_and_large_dimensions_are_named() -> None:
    double = [["0"] * 6 for _ in range(6)]
    for block in (0, 3):
        for i, row in enumerate(CUBIC):
            for j, x in enumerate(row):
                double[block + i][block + j] = x
        if block == 0:
            for i in range(3):
                double[i][3 + i] = "1"
    with pytest.raises(NotYetCovered, match="repeated"):
        nearby_form(Generator.from_matrix(double).matrix)
    large = [[int(j == i - 1) for j in range(17)] for i in range(17)]
    with pytest.raises(NotYetCovered, match="at most 16"):
        nearby_form(Generator.from_matrix(large).matrix)


@pytest.mark.parametrize(
    "rows",
    [
        CUBIC,
        QUINTIC,
        [
            ["0", "1", "2", "3"],
            ["-1", "0", "1", "5"],
            ["-2", "-1", "0", "1"],
            ["-3", "-5", "-1", "0"],
        ],
    ],
    ids=["cubic", "quintic", "skew"],
)
def test_the_main_job_end_to_end(rows: list[list[str]], tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"matrix": rows}))
    out = tmp_path / "out"
    runner = CliRunner()
    built = runner.invoke(cli, ["build", str(spec), "-o", str(out), "--target", "numpy"])
    assert built.exit_code == 0, built.output
    assert "entry by entry" in built.stdout
    assert "proved by exact execution" in built.stdout
    assert runner.invoke(cli, ["recheck", str(out / "certificate.json")]).exit_code == 0
    assert runner.invoke(cli, ["check", str(out / "spec_numpy.py")]).exit_code == 0


@pytest.mark.parametrize(
    ("u", "reason"),
    [
        ("1e300 1e-300", "need 1994 bits over their common denominator"),
        ("1e300 1", "leave the range of binary64"),
        ("1e400 1", "leave the range of binary64"),
    ],
)
def test_entries_of_very_different_sizes_are_refused_for_what_they_are(u: str, reason: str) -> None:
    """The eigenvalue is 0, so nothing has degree 3."""
    encoding = catalogue("grape-a", {"form": "lift", "dim": 2, "u": u})
    with pytest.raises(NotYetCovered, match=reason):
        plan_kernel(encoding)


def test_a_temperature_that_is_no_number_of_binary64_is_refused() -> None:
    with pytest.raises(SpecificationError, match="outside the normal range"):
        plan_kernel(catalogue("yarn", {"dim": 8, "attention_factor": "1e400"}))
