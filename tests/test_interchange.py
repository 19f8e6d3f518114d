"""The door to SymPy, both ways; SymPy as a second opinion on small matrices."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from sympy.solvers.ode.systems import matrix_exp

from symbolic_pe import exponential, from_sympy, to_sympy
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import ExpressionError, OutsideTheRing, SpecificationError
from symbolic_pe.generators.generator import Generator
from tests.strategies import Planted, planted, scalars

t = sympy.Symbol("t", real=True)


@given(scalars())
@settings(max_examples=50)
def test_scalars_survive_the_round_trip(x: Scalar) -> None:
    matrix = sympy.Matrix([[to_sympy(x)]])
    assert from_sympy(matrix).matrix[0][0] == x


def test_assumptions_are_taken_over() -> None:
    w = sympy.Symbol("w", positive=True)
    z = sympy.Symbol("z", real=True)
    n = sympy.Symbol("n", nonzero=True)
    generator = from_sympy(sympy.Matrix([[0, 1], [-(w**2), -2 * z * w + 0 * n]]))
    assert dict(generator.assumptions.declared) == {"w": "positive", "z": "real"}
    assert (
        generator.matrix
        == Generator.from_matrix(
            [["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"}
        ).matrix
    )


def test_functions_and_constants() -> None:
    q = sympy.Symbol("q", real=True)
    rows = [[sympy.cosh(q / 3), sympy.exp(-q)], [sympy.sqrt(5 + 2 * sympy.sqrt(6)), sympy.pi]]
    matrix = from_sympy(sympy.Matrix(rows)).matrix
    assert matrix[0][0] == parse("cosh(q/3)", {"q"})
    assert matrix[1][0] == parse("sqrt(2) + sqrt(3)")
    assert matrix[1][1] == parse("pi")


@pytest.mark.parametrize(
    "entry",
    [sympy.Float("0.1"), sympy.I, sympy.sin(1), sympy.Symbol("a") ** sympy.Symbol("b"), sympy.oo],
)
def test_what_is_not_exact_and_real_is_refused(entry: sympy.Expr) -> None:
    with pytest.raises((SpecificationError, OutsideTheRing, ExpressionError)):
        from_sympy(sympy.Matrix([[entry]]))


def test_division_by_what_may_vanish_is_refused() -> None:
    w = sympy.Symbol("w", real=True)
    with pytest.raises(SpecificationError, match="may be 0"):
        from_sympy(sympy.Matrix([[1 / w]]))


@given(planted(max_dimension=4))
@settings(max_examples=8, deadline=None)
def test_closed_form_agrees_with_sympy(example: Planted) -> None:
    generator = Generator.from_matrix(from_fmpq(example.matrix))
    ours = to_sympy(exponential(generator).matrix())
    theirs = matrix_exp(to_sympy(generator), t)
    point = {t: sympy.Rational(37, 100)}
    for a, b in zip(ours.subs(point), theirs.subs(point), strict=True):
        assert abs(sympy.N(a - b, 40)) < sympy.Float("1e-25") * (1 + abs(sympy.N(a, 40)))


def test_real_functions_come_out_real() -> None:
    damped = exponential(Generator.from_matrix([["-1", "-2"], ["2", "-1"]])).matrix()
    assert to_sympy(damped) == sympy.Matrix(
        [
            [sympy.exp(-t) * sympy.cos(2 * t), -sympy.exp(-t) * sympy.sin(2 * t)],
            [sympy.exp(-t) * sympy.sin(2 * t), sympy.exp(-t) * sympy.cos(2 * t)],
        ]
    )
    assert not to_sympy(damped).has(sympy.I)
