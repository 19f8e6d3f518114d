"""Dimension 64 in the ordinary tests, 96 and 128 in the slow set: right and proved.

How fast is measured beside a peer by `symbolic-pe bench exact`.
"""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import ImplicitEigenvalue
from symbolic_pe.jordan.rational import primary_structure
from tests.strategies import block_sum, chain_of, companion

Matrix = tuple[fmpq_mat, dict[tuple[fmpq, ...], tuple[int, ...]] | None]


def hidden(pieces: list[tuple[list[int], int]], seed: int) -> Matrix:
    """Chains over irreducible factors (coefficients from degree 0 up), hidden."""
    rng = random.Random(seed)
    matrix = block_sum([chain_of(companion(fmpq_poly(f)), length) for f, length in pieces])
    n = matrix.nrows()
    rows = fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])
    for _ in range(2 * n):
        i, j = rng.sample(range(n), 2)
        sign = rng.choice([-1, 1])
        for k in range(n):
            rows[i, k] += sign * rows[j, k]
    sizes: dict[tuple[fmpq, ...], list[int]] = {}
    for f, length in pieces:
        sizes.setdefault(tuple(map(fmpq, f)), []).append(length)
    expected = {f: tuple(sorted(found, reverse=True)) for f, found in sizes.items()}
    return rows * matrix * rows.inv(), expected


def rotations(n: int) -> Matrix:
    return hidden([([k * k, 0, 1], 1) for k in range(1, n // 2 + 1)], n)


def nilpotent(n: int) -> Matrix:
    return hidden([([0, 1], n)], n)


def mixed(n: int) -> Matrix:
    unit = n // 16
    return hidden(
        [
            ([0, 1], 4 * unit),
            ([0, 1], unit),
            ([1, 0, 1], unit),
            ([2, 2, 1], unit),
            ([2, 2, 1], unit),
            ([3, 1], 3 * unit),
            ([-2, 0, 1], unit),
        ],
        n,
    )


def dense(n: int) -> Matrix:
    rng = random.Random(n)
    return fmpq_mat([[rng.randint(-5, 5) for _ in range(n)] for _ in range(n)]), None


def skew(n: int) -> Matrix:
    rng = random.Random(n)
    matrix = fmpq_mat(n, n)
    for i, j in combinations(range(n), 2):
        matrix[i, j] = rng.randint(-3, 3)
        matrix[j, i] = -matrix[i, j]
    return matrix, None


STRUCTURED = {"rotations": rotations, "nilpotent": nilpotent, "mixed": mixed}
WHOLE = {"dense": dense, "skew": skew}


def check(matrix: Matrix) -> None:
    """The closed form is proved, and structure and basis are the planted ones."""
    x, expected = matrix
    assert primary_exponential(x).is_proved()
    (case,) = real_jordan_form(Generator.from_matrix(from_fmpq(x))).cases
    if expected is not None:
        assert {tuple(p.factor.coeffs()): p.sizes for p in primary_structure(x)} == expected
        assert case.components is not None
    dimension = sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in case.structure)
    assert dimension == x.nrows()


@pytest.mark.parametrize("kind", STRUCTURED)
def test_hidden_structure_of_dimension_64(kind: str) -> None:
    check(STRUCTURED[kind](64))


@pytest.mark.parametrize("kind", WHOLE)
def test_irreducible_matrices_of_dimension_64(kind: str) -> None:
    check(WHOLE[kind](64))


def test_a_large_skew_matrix_has_only_rotations() -> None:
    """All 32 real parts are 0: decided, though no ball can show it."""
    x, _ = skew(64)
    (case,) = real_jordan_form(Generator.from_matrix(from_fmpq(x))).cases
    assert all(isinstance(b.eigenvalue, ImplicitEigenvalue) for b in case.structure)
    assert {b.family for b in case.structure} == {"rotation"}


@pytest.mark.slow
@pytest.mark.parametrize("n", [96, 128])
@pytest.mark.parametrize("kind", [*STRUCTURED, *WHOLE])
def test_dimensions_96_and_128(kind: str, n: int) -> None:
    check({**STRUCTURED, **WHOLE}[kind](n))


def test_negative_twin_one_changed_entry_has_another_structure() -> None:
    x, expected = nilpotent(64)
    x[63, 0] += 1
    found = {tuple(p.factor.coeffs()): p.sizes for p in primary_structure(x)}
    assert found != expected
