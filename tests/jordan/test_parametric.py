"""Case trees of larger parametric matrices: exclusive, exhaustive, right at sampled points."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe import from_document, prove
from symbolic_pe.algebra.linear_feasibility import Inequality, is_feasible
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.proof.claim import Outcome
from tests.jordan.points import check_at, families

TRIANGULAR = [["a", "1", "0"], ["0", "b", "1"], ["0", "0", "c"]]
HAT = [["0", "-c", "b"], ["c", "0", "-a"], ["-b", "a", "0"]]
COMPLEX_CHAIN = [
    ["a", "-b", "1", "0"],
    ["b", "a", "0", "1"],
    ["0", "0", "a", "-b"],
    ["0", "0", "b", "a"],
]
COUPLED = [
    ["0", "1", "0", "0"],
    ["-2*w^2", "0", "w^2", "0"],
    ["0", "0", "0", "1"],
    ["w^2", "0", "-2*w^2", "0"],
]
KINETICS = [["-k1", "0", "0"], ["k1", "-k2", "0"], ["0", "k2", "0"]]
HIDDEN_ZEROS = [["a", "k", "0"], ["0", "a", "0"], ["0", "m", "a"]]

small = st.builds(fmpq, st.integers(-2, 2))
positive = st.builds(fmpq, st.integers(1, 3), st.integers(1, 2))


@given(small, small, small)
@settings(max_examples=40, deadline=None)
def test_triangular_matrix_with_coinciding_eigenvalues(a: fmpq, b: fmpq, c: fmpq) -> None:
    check_at(TRIANGULAR, dict.fromkeys("abc", "real"), {"a": a, "b": b, "c": c})


@given(positive, small, small)
@settings(max_examples=20, deadline=None)
def test_rotation_of_space(a: fmpq, b: fmpq, c: fmpq) -> None:
    check_at(HAT, {"a": "positive", "b": "real", "c": "real"}, {"a": a, "b": b, "c": c})


@given(small, positive)
@settings(max_examples=10, deadline=None)
def test_complex_chain(a: fmpq, b: fmpq) -> None:
    check_at(COMPLEX_CHAIN, {"a": "real", "b": "positive"}, {"a": a, "b": b})


@given(small, small, small)
@settings(max_examples=30, deadline=None)
def test_ranks_that_depend_on_entries(a: fmpq, k: fmpq, m: fmpq) -> None:
    check_at(HIDDEN_ZEROS, dict.fromkeys("akm", "real"), {"a": a, "k": k, "m": m})


@given(positive, positive)
@settings(max_examples=20, deadline=None)
def test_two_step_kinetics(k1: fmpq, k2: fmpq) -> None:
    check_at(KINETICS, {"k1": "positive", "k2": "positive"}, {"k1": k1, "k2": k2})


def test_coupled_oscillators_have_one_case_with_two_frequencies() -> None:
    (case,) = real_jordan_form(Generator.from_matrix(COUPLED, {"w": "positive"})).cases
    assert {str(b.imaginary_part) for b in case.structure} == {"w", "w*sqrt(3)"}
    assert case.growth.all == "bounded"


def test_the_zero_vector_of_a_rotation_is_its_own_case() -> None:
    cases = real_jordan_form(Generator.from_matrix(HAT, dict.fromkeys("abc", "real"))).cases
    still = [c for c in cases if families(c) == ["constant"] * 3]
    assert [c.cell.conditions() for c in still] == [["a = 0", "b = 0", "c = 0"]]


def test_empty_cells_are_removed() -> None:
    """a < b < c < a is impossible: thirteen weak orders of three numbers remain."""
    cases = real_jordan_form(
        Generator.from_matrix(TRIANGULAR, dict.fromkeys("abc", "negative"))
    ).cases
    assert len(cases) == 13
    assert not any(c.possibly_empty for c in cases)


@pytest.mark.parametrize(
    "rows", [TRIANGULAR, HAT, HIDDEN_ZEROS], ids=["triangular", "hat", "zeros"]
)
def test_closed_form_is_proved_in_every_case(rows: list[list[str]]) -> None:
    names = sorted({c for row in rows for x in row for c in x if c.isalpha()})
    proof = prove(from_document({"matrix": rows, "parameters": dict.fromkeys(names, "real")}))
    assert proof.outcome is Outcome.PROVED
    assert "annihilates X" in proof.claims[0].reason


def test_cubic_factors_with_parameters_are_named() -> None:
    companion = [["0", "0", "-p"], ["1", "0", "-q"], ["0", "1", "-r"]]
    with pytest.raises(NotYetCovered, match="degree 3"):
        real_jordan_form(Generator.from_matrix(companion, dict.fromkeys("pqr", "real")))


# -- what it stands on --------------------------------------------------------------------------


def test_polynomials_over_parameters_divide_and_have_gcds() -> None:
    w = RationalFunction.symbol("w")
    one = RationalFunction(1)
    p = Polynomial([-w * w, RationalFunction(0), one])  # x^2 - w^2
    q = Polynomial([w, one])  # x + w
    quotient, rest = divmod(p, q)
    assert rest == 0
    assert quotient == Polynomial([-w, one])
    g, u, v = p.xgcd(Polynomial([one, one]))
    assert u * p + v * Polynomial([one, one]) == g == Polynomial([1])


@pytest.mark.parametrize(
    ("system", "feasible"),
    [
        ([({"x": 1}, 0), ({"x": -1}, 0)], False),  # x > 0, -x > 0
        ([({"x": 1}, 0), ({"x": -1}, 1)], True),  # 0 < x < 1
        ([({"x": 1, "y": -1}, 0), ({"y": 1, "z": -1}, 0), ({"z": 1, "x": -1}, 0)], False),
        ([({"x": 1, "y": -1}, 0), ({"y": 1, "z": -1}, 0)], True),
        ([({}, -1)], False),
        ([], True),
    ],
)
def test_linear_feasibility(system: list[tuple[dict[str, int], int]], feasible: bool) -> None:
    strict = [
        Inequality({n: fmpq(c) for n, c in coefficients.items()}, fmpq(b), True)
        for coefficients, b in system
    ]
    assert is_feasible(strict) is feasible


def test_weak_inequalities_touch() -> None:
    low = Inequality({"x": fmpq(1)}, fmpq(0), False)
    high = Inequality({"x": fmpq(-1)}, fmpq(0), False)
    assert is_feasible([low, high])
    assert not is_feasible([low, Inequality({"x": fmpq(-1)}, fmpq(0), True)])
