"""Real Jordan form of rational matrices: planted structure comes back, X·P = P·J exactly."""

from __future__ import annotations

from collections import Counter

import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat
from hypothesis import given, settings

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import from_fmpq, multiply
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from tests.strategies import Planted, planted


def expected_blocks(sizes: dict[tuple[str, str], list[int]]) -> Counter[tuple[str, str, int]]:
    """(real part, imaginary part, chain length) of every real Jordan block."""
    found: Counter[tuple[str, str, int]] = Counter()
    for (centre, discriminant), chains in sizes.items():
        a, d = parse(centre), int(discriminant)
        for chain in chains:
            if d == 0:
                found[str(a), "0", chain] += 1
            elif d < 0:
                found[str(a), str(square_root(Scalar.rational(-d))), chain] += 1
            else:
                root = square_root(Scalar.rational(d))
                found[str(a + root), "0", chain] += 1
                found[str(a - root), "0", chain] += 1
    return found


@given(planted())
@settings(max_examples=80, deadline=None)
def test_planted_structure_is_found(example: Planted) -> None:
    generator = Generator.from_matrix(from_fmpq(example.matrix))
    (case,) = real_jordan_form(generator).cases
    found = Counter(
        {
            (str(b.eigenvalue), str(b.imaginary_part), b.chain_length): b.multiplicity
            for b in case.structure
        }
    )
    assert found == expected_blocks(example.sizes)


@given(planted(max_dimension=6))
@settings(max_examples=30, deadline=None)
def test_closed_form_agrees_with_ball_exponential(example: Planted) -> None:
    generator = Generator.from_matrix(from_fmpq(example.matrix))
    closed = exponential(generator).matrix()
    n = len(closed)
    with precision(256):
        lag = fmpq(37, 100)
        reference = arb_mat(
            [[arb(example.matrix[i, j] * lag) for j in range(n)] for i in range(n)]
        ).exp()
        for i in range(n):
            for j in range(n):
                value = closed[i][j].ball({"t": arb(lag)})
                assert value.real.overlaps(reference[i, j])
                assert value.real.rad() < 1e-30


ROOT2 = "sqrt(2)"


@pytest.mark.parametrize(
    ("rows", "blocks"),
    [
        # public reports, right values: see the file's docstring for each kind
        ([[1, 1, 1, 0], [-2, -1, 0, -1], [0, 0, -1, -1], [0, 0, 2, 1]], {("0", "1", 2): 1}),
        ([[1, -1], [1, 1]], {("1", "1", 1): 1}),
        ([[0, 3, 0], [0, -5, 0], [0, 2, 0]], {("0", "0", 1): 2, ("-5", "0", 1): 1}),
        ([[0, 0], [0, 0]], {("0", "0", 1): 2}),
        ([[0, 1], [1, 0]], {("1", "0", 1): 1, ("-1", "0", 1): 1}),
        ([[2, 1], [0, 2]], {("2", "0", 2): 1}),
        ([["sqrt(5+2*sqrt(6))", 1], [0, "sqrt(2)+sqrt(3)"]], {("sqrt(2) + sqrt(3)", "0", 2): 1}),
        (
            [
                [0, "-sqrt(2)*(1+sqrt(2))", 0, 0],
                ["sqrt(2)*(1+sqrt(2))", 0, 0, 0],
                [0, 0, 0, "-2-sqrt(2)"],
                [0, 0, "2+sqrt(2)", 0],
            ],
            {("0", "2 + sqrt(2)", 1): 2},
        ),
    ],
)
def test_matrices_that_other_systems_get_wrong(
    rows: list[list[str | int]], blocks: dict[tuple[str, str, int], int]
) -> None:
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    assert {
        (str(b.eigenvalue), str(b.imaginary_part), b.chain_length): b.multiplicity
        for b in case.structure
    } == blocks


def test_a_jordan_block_of_thirty_is_one_block() -> None:
    rows = [[2 if i == j else int(j == i + 1) for j in range(30)] for i in range(30)]
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    assert [(str(b.eigenvalue), b.chain_length) for b in case.structure] == [("2", 30)]


@pytest.mark.parametrize(
    ("coefficients", "signs"),
    [
        ([-1, -1, 0, 0, 0], [1, -1, 1]),  # x^5 - x - 1
        ([1, 0, 0, 0], [-1, 1]),  # x^4 + 1
        ([2, 0, 3, 0, 1, 0], None),
        ([1, -3, 0], [-1, 1, 1]),  # three real roots, casus irreducibilis
    ],
)
def test_high_degree_structure_is_exact(coefficients: list[int], signs: list[int] | None) -> None:
    n = len(coefficients)
    rows = [[int(j == i - 1) for j in range(n)] for i in range(n)]
    for i in range(n):
        rows[i][n - 1] -= coefficients[i]
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    assert sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in case.structure) == n
    if signs is not None:
        assert [b.real_part_sign for b in case.structure] == signs


def test_purely_imaginary_roots_of_high_degree_are_recognised() -> None:
    # x^4 + 24 x^2 + 81: skew, all four roots on the imaginary axis, irreducible over Q
    rows = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [-81, 0, -24, 0]]
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    assert [b.family for b in case.structure] == ["rotation", "rotation"]
    assert case.components is None


@given(planted(max_dimension=6))
@settings(max_examples=30, deadline=None)
def test_similarity_is_exact(example: Planted) -> None:
    (case,) = real_jordan_form(Generator.from_matrix(from_fmpq(example.matrix))).cases
    for form in case.components or ():
        columns = multiply(form.matrix, form.basis)
        start = 0
        for block in form.blocks:
            width = block.dimension
            part = tuple(row[start : start + width] for row in form.basis)
            image = multiply(part, block.generator)
            assert tuple(row[start : start + width] for row in columns) == image
            start += width


@pytest.mark.parametrize("sign", [1, -1])
def test_a_root_that_would_need_a_large_factorisation_stays_implicit(sign: int) -> None:
    """√(p·q) for two large primes: the structure is exact all the same, without a basis."""
    product = ((1 << 89) - 1) * ((1 << 107) - 1)
    (case,) = real_jordan_form(Generator.from_matrix([[0, sign * product], [1, 0]])).cases
    assert case.components is None
    families = [b.family for b in case.structure]
    assert families == (["decay", "growth"] if sign > 0 else ["rotation"])
    assert [b.multiplicity for b in case.structure] == [1] * len(families)


def test_square_roots_of_long_numbers_stay_implicit() -> None:
    """The discriminant of this binary64 matrix has no prime factors in reach."""
    rows = [[fmpq(*x.as_integer_ratio()) for x in row] for row in ((0.1, 1e9 / 7), (1 / 3e9, 1e-9))]
    (case,) = real_jordan_form(Generator(2, None, from_fmpq(fmpq_mat(rows)))).cases
    assert case.components is None
    assert [b.family for b in case.structure] == ["decay", "growth"]
    low, high = (b.eigenvalue for b in case.structure)
    assert abs(float(low.enclosure.real) + 0.173873) < 1e-5
    assert abs(float(high.enclosure.real) - 0.273873) < 1e-5
