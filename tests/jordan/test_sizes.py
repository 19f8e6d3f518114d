"""Dimension 64 in the ordinary tests, 128 in the slow set: right, proved, and in bounded time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import combinations
from typing import TypeVar

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import ImplicitEigenvalue
from symbolic_pe.jordan.rational import primary_structure
from tests.strategies import block_sum, chain_of, companion

CLOSED_AND_PROVED = 0.3
WITH_BASIS = 0.5
DENSE_CLOSED = 0.1
"""CPU seconds at dimension 64, the best of three. An idle machine needs a fifth or less."""
AT_128 = 5.0

T = TypeVar("T")
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


def timed(run: Callable[[], T], repeats: int) -> tuple[T, float]:
    times = []
    for _ in range(repeats):
        started = time.process_time()
        result = run()
        times.append(time.process_time() - started)
    return result, min(times)


def check(matrix: Matrix, repeats: int = 3) -> tuple[float, float, float]:
    """Seconds of the closed form, of its proof, and of structure with basis."""
    x, expected = matrix
    form, closed = timed(lambda: primary_exponential(x), repeats)
    proved, proof = timed(form.is_proved, repeats)
    assert proved
    generator = Generator.from_matrix(from_fmpq(x))
    (case,), structure = timed(lambda: real_jordan_form(generator).cases, repeats)
    if expected is not None:
        assert {tuple(p.factor.coeffs()): p.sizes for p in primary_structure(x)} == expected
        assert case.components is not None
    dimension = sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in case.structure)
    assert dimension == x.nrows()
    return closed, proof, structure


@pytest.mark.parametrize("kind", STRUCTURED)
def test_hidden_structure_of_dimension_64(kind: str) -> None:
    closed, proof, structure = check(STRUCTURED[kind](64))
    assert closed + proof < CLOSED_AND_PROVED
    assert structure < WITH_BASIS


@pytest.mark.parametrize("kind", WHOLE)
def test_irreducible_matrices_of_dimension_64(kind: str) -> None:
    closed, proof, structure = check(WHOLE[kind](64))
    assert closed < DENSE_CLOSED
    assert closed + proof < CLOSED_AND_PROVED
    assert structure < WITH_BASIS


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
    closed, proof, structure = check({**STRUCTURED, **WHOLE}[kind](n), repeats=1)
    assert closed + proof + structure < AT_128


def test_negative_twin_one_changed_entry_has_another_structure() -> None:
    x, expected = nilpotent(64)
    x[63, 0] += 1
    found = {tuple(p.factor.coeffs()): p.sizes for p in primary_structure(x)}
    assert found != expected
