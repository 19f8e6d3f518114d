"""exp(tX) of any rational matrix, in Q[x] modulo the minimal polynomial."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpq_poly
from hypothesis import given, settings

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.exponential.primary import PrimaryExponential, primary_exponential
from tests.strategies import Planted, planted

SUITE = json.loads(Path("numeric_check/bench/data/matrix_suite.json").read_text())
RATIONAL = [entry for entry in SUITE if not entry["syms"]]
LAG = fmpq(37, 100)


def matrix_of(entry: dict[str, Any]) -> fmpq_mat:
    return fmpq_mat(
        [[fmpq(*map(int, (x + "/1").split("/")[:2])) for x in row] for row in entry["A"]]
    )


def reference(x: fmpq_mat, t: fmpq, bits: int) -> arb_mat:
    with precision(bits):
        return arb_mat([[arb(entry * t) for entry in row] for row in x.tolist()]).exp()


def agrees(form: PrimaryExponential, t: fmpq) -> bool:
    value = form.ball(t, 200)
    expected = reference(form.matrix, t, 512)
    n = form.matrix.nrows()
    return all(
        value[i, j].overlaps(expected[i, j]) and value[i, j].rad() < 1e-15
        for i in range(n)
        for j in range(n)
    )


@pytest.mark.parametrize("entry", RATIONAL, ids=lambda e: e["name"])
def test_every_rational_matrix_of_the_suite_is_proved(entry: dict[str, Any]) -> None:
    assert primary_exponential(matrix_of(entry)).is_proved()


@pytest.mark.parametrize("entry", [e for e in RATIONAL if e["n"] <= 10], ids=lambda e: e["name"])
def test_values_agree_with_the_ball_exponential(entry: dict[str, Any]) -> None:
    assert agrees(primary_exponential(matrix_of(entry)), LAG)


@given(planted())
@settings(max_examples=40, deadline=None)
def test_planted_matrices(example: Planted) -> None:
    form = primary_exponential(example.matrix)
    assert form.is_proved()
    assert agrees(form, fmpq(-5, 7))


@pytest.mark.parametrize("name", ["comp5_jord2_10", "mixed_6", "nilp_4", "comp8_8"])
def test_negative_twin_one_changed_coefficient_is_refuted(name: str) -> None:
    form = primary_exponential(matrix_of(next(e for e in RATIONAL if e["name"] == name)))
    for index, part in enumerate(form.parts):
        for j in range(part.exponent):
            for c in range(part.degree):
                rows = [list(row) for row in part.coefficients]
                rows[j][c] = rows[j][c] + fmpq_poly([0, 1])
                changed = replace(part, coefficients=tuple(tuple(r) for r in rows))
                parts = (*form.parts[:index], changed, *form.parts[index + 1 :])
                assert not replace(form, parts=parts).is_proved()


def test_a_wrong_minimal_polynomial_is_refuted() -> None:
    form = primary_exponential(fmpq_mat([[1, 1], [0, 1]]))
    short = replace(form, minimal_polynomial=fmpq_poly([-1, 1]))
    assert not short.is_proved()


def test_degree_twenty_four_and_a_double_block() -> None:
    n = 24
    rows = [[int(j == i - 1) for j in range(n)] for i in range(n)]
    rows[0][-1], rows[1][-1] = 2, 2  # x^24 - 2x - 2, irreducible by Eisenstein
    companion = fmpq_mat(rows)
    form = primary_exponential(companion)
    assert form.is_proved()
    assert [(p.degree, p.exponent) for p in form.parts] == [(24, 1)]
    double = fmpq_mat(2 * n, 2 * n)
    for i in range(n):
        for j in range(n):
            double[i, j] = double[n + i, n + j] = companion[i, j]
        double[i, n + i] = 1
    assert [(p.degree, p.exponent) for p in primary_exponential(double).parts] == [(24, 2)]
    assert primary_exponential(double).is_proved()


def test_large_entries_have_the_right_minimal_polynomial() -> None:
    """FLINT's own minimal polynomial of this matrix is wrong (python-flint 0.9.0)."""
    form = primary_exponential(fmpq_mat([[10**20 + 39, 0], [0, fmpq(1, 10**40 + 1)]]))
    assert form.is_proved()
    assert sorted(part.factor[0] for part in form.parts) == [-(10**20) - 39, -fmpq(1, 10**40 + 1)]
