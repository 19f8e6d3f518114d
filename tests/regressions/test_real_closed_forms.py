"""Real X, real closed form: cos, sin, exp and powers of t, finite at t = 0, no I, no 1/t."""

from __future__ import annotations

import pytest
from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import apply, identity, to_fmpq
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.integer_step import integer_step
from tests.opinions import check_exponential, check_real_form, real_form

Rows = list[list[str | int]]


def texts(rows: Rows) -> tuple[tuple[str, ...], ...]:
    return apply(str, exponential(Generator.from_matrix(rows)).matrix())


DEFECTIVE_PAIR: Rows = [[1, 1, 1, 0], [-2, -1, 0, -1], [0, 0, -1, -1], [0, 0, 2, 1]]
REAL: dict[str, Rows] = {
    "sympy#15858": DEFECTIVE_PAIR,
    "sympy#14330": [[1, -1], [1, 1]],
    "sympy#10124": [[0, -1, 0], [1, 0, 0], [0, 0, 0]],
    "sympy#10220": [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]],
    "sagemath/sage#40786": [[0, 0], [0, 0]],
    "sagemath/sage#41317": [[0, 1], [1, 0]],
    "alkahest-cas/alkahest#370, a": [[0, 1], [0, 0]],
    "alkahest-cas/alkahest#370, b": [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
    "alkahest-cas/alkahest#370, c": [[3, 1, 0, 0], [0, 3, 0, 0], [0, 0, 3, 1], [0, 0, 0, 3]],
}


@pytest.mark.parametrize("name", REAL)
def test_value_and_identity_at_zero(name: str) -> None:
    generator = Generator.from_matrix(REAL[name])
    check_exponential(to_fmpq(generator.matrix))
    check_real_form(generator)
    closed = exponential(generator).matrix()
    n = generator.dimension
    zero = tuple(tuple(f.at_zero().re for f in row) for row in closed)
    assert zero == identity(n)
    assert not any("I" in str(f) or "/t" in str(f) for row in closed for f in row)


def test_a_defective_pair_on_the_imaginary_axis() -> None:
    """gnu-octave/symbolic#922 as well: t·cos t and t·sin t, without a division by t."""
    (case,) = real_jordan_form(Generator.from_matrix(DEFECTIVE_PAIR)).cases
    assert [(str(b.imaginary_part), b.chain_length) for b in case.structure] == [("1", 2)]
    assert texts(DEFECTIVE_PAIR)[2][2:] == ("cos(t) - sin(t)", "-sin(t)")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [[1, -1], [1, 1]],
            (("exp(t)*cos(t)", "-exp(t)*sin(t)"), ("exp(t)*sin(t)", "exp(t)*cos(t)")),
        ),
        ([[0, 0], [0, 0]], (("1", "0"), ("0", "1"))),
        ([[2, 1], [0, 2]], (("exp(2*t)", "t*exp(2*t)"), ("0", "exp(2*t)"))),
        ([[0, 1], [0, 0]], (("1", "t"), ("0", "1"))),
    ],
)
def test_small_closed_forms(rows: Rows, expected: tuple[tuple[str, ...], ...]) -> None:
    assert texts(rows) == expected


def test_every_power_of_a_long_chain_is_there() -> None:
    """alkahest-cas/alkahest#370 lost the corner: row 0 is e^{2t}·(1, t, t²/2)."""
    assert texts([[2, 1, 0], [0, 2, 1], [0, 0, 2]])[0] == (
        "exp(2*t)",
        "t*exp(2*t)",
        "1/2*t^2*exp(2*t)",
    )


def test_the_exponential_of_a_diagonal_matrix_is_diagonal() -> None:
    """Maxima bugs 2684 and 2688: entrywise exponentials, with 1 off the diagonal."""
    assert texts([["2", 0, 0], [0, "log(3)", 0], [0, 0, "-pi"]]) == (
        ("exp(2*t)", "0", "0"),
        ("0", "exp(log(3)*t)", "0"),
        ("0", "0", "exp(-pi*t)"),
    )


def test_complex_scalars_turn() -> None:
    """Maxima bug 2596: exp(iπ) = −1, as the rotation by π."""
    assert texts(real_form([["0"]], [["pi"]])) == (
        ("cos(pi*t)", "-sin(pi*t)"),
        ("sin(pi*t)", "cos(pi*t)"),
    )


@pytest.mark.parametrize(
    "imaginary",
    [
        [["1", "2", "3"], ["3", "2", "0"], ["1", "2", "1"]],  # Maxima bug 2596
        [
            ["-3", "0", "0", "0"],
            ["0", "-1", "-2", "0"],
            ["0", "-2", "-2", "0"],
            ["0", "0", "0", "-4"],
        ],
        [["1", "2"], ["-1", "3"]],  # pytorch#48299
    ],
    ids=["maxima-2596", "sympy#19210", "pytorch#48299"],
)
def test_purely_imaginary_matrices(imaginary: list[list[str]]) -> None:
    n = len(imaginary)
    generator = Generator.from_matrix(real_form([["0"] * n for _ in range(n)], imaginary))
    check_exponential(to_fmpq(generator.matrix))


@pytest.mark.parametrize("width", [8, 16, 32])
def test_rotary_planes_of_the_half_split_layout(width: int) -> None:
    """Planes (j, j + d/2): every plane is a component of its own, whatever the width."""
    half = width // 2
    names = [f"w{j}" for j in range(half)]
    rows = [["0"] * width for _ in range(width)]
    for j, name in enumerate(names):
        rows[j][j + half], rows[j + half][j] = f"-{name}", name
    (case,) = exponential(Generator.from_matrix(rows, dict.fromkeys(names, "positive"))).cases
    closed = case.matrix()
    for j, name in enumerate(names):
        assert str(closed[j][j]) == f"cos({name}*t)"
        assert str(closed[j][j + half]) == f"-sin({name}*t)"


def test_a_chain_of_thirty_with_a_symbol() -> None:
    """sympy#17213: as one block, the entries are t^k/k!·e^{λt}."""
    block = Block(Scalar.symbol("l"), ZERO, 30)
    generator = Generator.from_blocks(
        [PlacedBlock(block, tuple(range(30)))], Assumptions.declare({"l": "real"})
    )
    cases = exponential(generator).cases
    assert [c.case.structure[0].chain_length for c in cases] == [30] * 3
    assert str(cases[0].matrix()[0][3]) == "1/6*t^3*exp(l*t)"


@pytest.mark.parametrize(
    ("rows", "exists"),
    [
        ([["-1", "0"], ["0", "-1"]], True),  # the rotation by π has the real logarithm πJ
        ([["-1", "0"], ["0", "1"]], False),
        ([["-1", "1"], ["0", "-1"]], False),
        ([["0", "-1"], ["1", "0"]], True),
    ],
)
def test_a_real_logarithm_exists_or_not(rows: list[list[str]], exists: bool) -> None:
    """A half turn has a real generator though its logarithm by eigenvalues is complex."""
    step = integer_step(Generator.from_matrix(rows).matrix)
    assert step.has_real_generator is exists


def test_the_generator_of_a_half_turn() -> None:
    closed = exponential(Generator.from_matrix([["0", "-pi"], ["pi", "0"]])).matrix()
    assert apply(str, closed)[0] == ("cos(pi*t)", "-sin(pi*t)")
    value = closed[0][0].ball({"t": fmpq(1)})
    assert value.real.contains(-1)
