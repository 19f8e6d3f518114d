"""Real generators of integer steps: exp(X) = B, exactly and by balls; planted steps, and twins."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest
from flint import acb, acb_mat, arb, fmpq, fmpq_mat, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import from_fmpq, scalar_matrix
from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.errors import NotYetCovered, SymbolicPEError
from symbolic_pe.exponential.real_logarithm import (
    RealLogarithm,
    eigenvalue_logarithm,
    real_logarithm,
)
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.integer_step import integer_step
from tests.strategies import block_sum, unimodular

Rows = list[list[str | int]]


def logarithm(rows: Rows) -> RealLogarithm:
    return real_logarithm(integer_step(Generator.from_matrix(rows).matrix))


def confirm(found: RealLogarithm) -> None:
    assert found.is_proved()
    assert found.confirmed_radius() < 1e-15


@pytest.mark.parametrize(
    ("rows", "generator"),
    [
        ([[1]], [["0"]]),
        ([["2/7"]], [["log(2/7)"]]),
        ([[0, -1], [1, 0]], [["0", "-pi/2"], ["pi/2", "0"]]),
        ([[-1, 0], [0, -1]], [["0", "-pi"], ["pi", "0"]]),
        ([[1, -1], [1, 1]], [["log(2)/2", "-pi/4"], ["pi/4", "log(2)/2"]]),
        ([[2, 1, 0], [0, 2, 1], [0, 0, 2]], None),
        ([[0, -1], [1, 1]], None),
        ([["sqrt(3)/2", "-1/2"], ["1/2", "sqrt(3)/2"]], [["0", "-pi/6"], ["pi/6", "0"]]),
        ([["-sqrt(2)", 0], [0, "-sqrt(2)"]], [["log(2)/2", "-pi"], ["pi", "log(2)/2"]]),
        ([["sqrt(2)", 1], [0, "sqrt(2)"]], [["log(2)/2", "sqrt(2)/2"], ["0", "log(2)/2"]]),
        ([["sqrt(2)"]], [["log(2)/2"]]),
    ],
)
def test_generators_in_the_ring(rows: Rows, generator: list[list[str]] | None) -> None:
    found = logarithm(rows)
    confirm(found)
    assert found.matrix is not None
    if generator is not None:
        assert found.matrix == scalar_matrix([[parse(x) for x in row] for row in generator])


def test_a_jordan_block_has_the_finite_series() -> None:
    found = logarithm([[2, 1, 0], [0, 2, 1], [0, 0, 2]])
    assert found.matrix is not None
    assert [str(x) for x in found.matrix[0]] == ["log(2)", "1/2", "-1/8"]
    assert found.unique


@pytest.mark.parametrize(
    "rows",
    [
        [[-1, 1, 0, 0], [0, -1, 0, 0], [0, 0, -1, 1], [0, 0, 0, -1]],
        [[-1 if i == j else 0 for j in range(4)] for i in range(4)],
        [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        # x^2 - 2 twice: sqrt(2) and -sqrt(2), the second turned by pi
        [[0, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0]],
    ],
)
def test_larger_generators_in_the_ring(rows: Rows) -> None:
    found = logarithm(rows)
    confirm(found)
    assert found.matrix is not None
    assert not found.unique


CYCLE5 = [[int(i == (j + 1) % 5) for j in range(5)] for i in range(5)]


def doubled(coefficients: list[int]) -> Rows:
    """Two companion matrices of one monic polynomial."""
    n = len(coefficients)
    cell = [
        [int(i == j + 1) if j < n - 1 else -coefficients[i] for j in range(n)] for i in range(n)
    ]
    return [[*row, *[0] * n] for row in cell] + [[*[0] * n, *row] for row in cell]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([[1, -2], [2, 1]], "arg(1 + 2*I)"),
        ([[1, 1], [1, 2]], "log("),
        (CYCLE5, "sum(log(x)"),
        # x^3 + 2 twice: one negative root, its pair turned by pi
        (doubled([2, 0, 0]), "[x < 0]"),
        ([[10**20 + 39, 0], [0, f"1/{10**40 + 1}"]], "log("),
        ([["sqrt(2)", -1], [1, "sqrt(2)"]], "arg(sqrt(2) + I)"),
        # discriminants of more digits than are factored: the roots stay roots
        ([[10**20, 1], [3, 1]], "sum(log(x)"),
        ([[10**20, -7], [10**40 + 1, 3]], "arg("),
        (doubled([10**20 - 3, 10**20 + 1]), "sum(log(x)"),
        (doubled([-(10**20) - 3, 10**20 + 1]), "[x < 0]"),
    ],
)
def test_generators_outside_the_ring_are_balls(rows: Rows, text: str) -> None:
    found = logarithm(rows)
    confirm(found)
    assert found.matrix is None
    assert any(text in s.coefficient.text for s in found.summands)


@pytest.mark.parametrize(
    "rows",
    [[[1, 2], [-3, 5]], [[3, 1, 0], [1, 4, 1], [0, -1, 2]], [[0, -1, 2], [1, 0, 1], [0, 0, 3]]],
)
def test_principal_values_agree_with_another_algorithm(rows: Rows) -> None:
    with mpmath.workdps(40):
        expected = mpmath.logm(mpmath.matrix(rows))
        with precision(256):
            found = logarithm(rows).ball()
        for i in range(len(rows)):
            for j in range(len(rows)):
                value = mpmath.mpf(found[i, j].str(35, radius=False))
                assert abs(value - expected[i, j]) < mpmath.mpf(10) ** -30


def test_imaginary_parts_are_principal() -> None:
    """(−π, π] for every eigenvalue of X, also for the pairs of negative ones."""
    rows = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, -3, 0], [0, 0, 0, -3]]
    with precision(128):
        ball = logarithm(rows).ball()
        values = acb_mat([[acb(x) for x in row] for row in ball.tolist()]).eig()
        sizes = sorted(float(abs(v.imag).mid()) for v in values)
    assert sizes == pytest.approx([1.5707963, 1.5707963, 3.1415926, 3.1415926], abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "unique"),
    [
        ([[2, 0], [0, 3]], True),
        ([[2, 0], [0, 2]], False),
        ([[2, 1], [0, 2]], True),
        ([[2, 1, 0], [0, 2, 0], [0, 0, 2]], True),
        ([[0, -1], [1, 0]], False),
        ([["sqrt(2)", 0], [0, "sqrt(2)"]], False),
        ([["sqrt(2)", 1], [0, "sqrt(2)"]], True),
    ],
)
def test_uniqueness(rows: Rows, unique: bool) -> None:
    assert logarithm(rows).unique is unique


def test_another_generator_where_it_is_not_unique() -> None:
    """X + 2πK with K² = −1, KX = XK."""
    found = logarithm([[2, 0], [0, 2]])
    turned = parse("2*pi")
    rotation = ((parse("0"), parse("-1")), (ONE, parse("0")))
    extra = replace(found.summands[0], coefficient=RealNumber.of(turned), matrix=rotation)
    confirm(replace(found, summands=(*found.summands, extra)))


def test_the_ball_is_small_beside_small_entries() -> None:
    assert logarithm([[f"1/{10**40}", 0], [0, 10**40]]).confirmed_radius() < 1e-58


def test_no_generator_no_logarithm() -> None:
    step = integer_step(Generator.from_matrix([["-1", "1"], ["0", "-1"]]).matrix)
    with pytest.raises(ValueError, match="size 2"):
        real_logarithm(step)


def test_a_changed_logarithm_is_caught() -> None:
    found = logarithm([[-2, 0], [0, -2]])
    first, *rest = found.summands
    worse = replace(first, coefficient=RealNumber.of(parse("log(2) + 1e-9")))
    with pytest.raises(SymbolicPEError, match="does not contain"):
        replace(found, summands=(worse, *rest)).confirmed_radius()
    (turn,) = found.turns
    assert not replace(found, turns=(replace(turn, rotation=turn.idempotent),)).is_proved()
    assert found.closed is not None
    other = replace(found.closed, minimal_polynomial=fmpq_poly([3, 1]))
    assert not replace(found, closed=other).is_proved()


def test_a_step_of_many_roots_beyond_the_ring_is_not_covered() -> None:
    with pytest.raises(NotYetCovered, match="root of a sum"):
        logarithm([["1+sqrt(2)", "1+sqrt(3)"], [1, "1"]])


# -- planted steps ----------------------------------------------------------------------------


@st.composite
def steps(draw: st.DrawFn) -> tuple[fmpq_mat, bool]:
    """B = hidden blocks, with the answer of the criterion known by planting."""
    cells: list[list[list[fmpq]]] = []
    negative: dict[tuple[fmpq, int], int] = {}
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["negative", "negative pair", "positive", "complex"]))
        size = draw(st.integers(1, 2))
        value = fmpq(draw(st.integers(1, 3)), draw(st.integers(1, 2)))
        if kind == "complex":
            cells.append([[value, fmpq(-2)], [fmpq(1), value]])
            continue
        count = 2 if kind == "negative pair" else 1
        if kind != "positive":
            value = -value
            negative[value, size] = negative.get((value, size), 0) + count
        for _ in range(count):
            cells.append(
                [
                    [value if i == j else fmpq(int(j == i + 1)) for j in range(size)]
                    for i in range(size)
                ]
            )
    b = block_sum(cells)
    hidden = draw(unimodular(b.nrows()))
    return hidden * b * hidden.inv(), all(n % 2 == 0 for n in negative.values())


@given(steps())
@settings(max_examples=40, deadline=None)
def test_planted_steps(example: tuple[fmpq_mat, bool]) -> None:
    b, expected = example
    step = integer_step(from_fmpq(b))
    assert step.has_real_generator is expected
    if expected:
        confirm(real_logarithm(step))


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_pairs_of_negative_roots_of_any_degree(data: st.DataObject) -> None:
    """Companion matrices of random cubics, twice each, hidden: ℓ, h and K together."""
    c = data.draw(st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(lambda c: c[0] != 0))
    cell = Generator.from_matrix(doubled(c)).matrix
    b = fmpq_mat([[x.rational_value() for x in row] for row in cell])
    hidden = data.draw(unimodular(6))
    step = integer_step(from_fmpq(hidden * b * hidden.inv()))
    assert step.has_real_generator
    confirm(real_logarithm(step))


def test_a_pair_of_negative_roots_only_is_turned_as_a_whole() -> None:
    found = logarithm(doubled([10**20 - 3, 10**20 + 1]))
    assert found.summands[0].coefficient.text == "pi"
    assert not any("[x < 0]" in s.coefficient.text for s in found.summands)


def test_logarithms_of_eigenvalues() -> None:
    step = integer_step(Generator.from_matrix(CYCLE5).matrix)
    found = [tuple(x.text for x in eigenvalue_logarithm(b)) for b in step.structure]
    assert found == [("0", "0"), ("0", "4/5*pi"), ("0", "2/5*pi")]
    for block, (_, turn) in zip(step.structure, found, strict=True):
        with precision(128):
            exact = parse(turn).ball({})
            assert eigenvalue_logarithm(block)[1].enclosure().overlaps(exact)
    (block,) = integer_step(Generator.from_matrix([[3, -4], [4, 3]]).matrix).structure
    size, turn = eigenvalue_logarithm(block)
    assert (size.text, turn.text) == ("log(5)", "arg(3 + 4*I)")
    assert turn.decimal(10) == "0.9272952180"
    with precision(128):
        assert turn.enclosure().overlaps((arb(4) / 3).atan())
    assert isinstance(size.exact, Scalar)
