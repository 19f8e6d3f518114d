"""Where eigenvalues meet for some parameters, that is a case of its own, with its closed form."""

from __future__ import annotations

from itertools import permutations

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe import from_document, prove
from symbolic_pe.algebra.matrix import apply
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.proof.claim import Outcome
from tests.jordan.points import matching
from tests.opinions import (
    case_at,
    check_closed_form_at,
    check_structure_at,
    closed_form_at,
    real_form,
)

GENERAL = Generator.from_matrix(
    [["u0", "u1"], ["u2", "u3"]], dict.fromkeys(["u0", "u1", "u2", "u3"], "real")
)
TRIANGULAR = Generator.from_matrix([["lam", "1"], ["0", "mu"]], {"lam": "real", "mu": "real"})
OSCILLATOR = Generator.from_matrix([["0", "1"], ["-w^2", "-2*a"]], {"w": "positive", "a": "real"})
COMPANION = Generator.from_matrix([["x", "y"], ["1", "0"]], {"x": "real", "y": "real"})
KINETICS = Generator.from_matrix(
    [["0", "k3", "0"], ["0", "-(k2+k3)", "0"], ["0", "k2", "0"]], {"k2": "real", "k3": "real"}
)
small = st.builds(fmpq, st.integers(-2, 2), st.integers(1, 2))


def numbers(**values: int | fmpq) -> dict[str, fmpq]:
    return {name: fmpq(value) for name, value in values.items()}


def test_the_generic_formula_is_not_used_at_a_degenerate_point() -> None:
    """A question on Stack Overflow: substituting u = (1, 0, 0, −1) gave diag(0, 1/e)."""
    closed = closed_form_at(GENERAL, numbers(u0=1, u1=0, u2=0, u3=-1))
    assert apply(str, closed) == (("exp(t)", "0"), ("0", "exp(-t)"))


@given(small, small, small, small)
@settings(max_examples=25, deadline=None)
def test_every_point_of_the_general_matrix(a: fmpq, b: fmpq, c: fmpq, d: fmpq) -> None:
    point = dict(zip(["u0", "u1", "u2", "u3"], (a, b, c, d), strict=True))
    check_closed_form_at(GENERAL, point)


def test_a_divided_difference_becomes_a_derivative() -> None:
    assert apply(str, closed_form_at(TRIANGULAR, numbers(lam=3, mu=3))) == (
        ("exp(3*t)", "t*exp(3*t)"),
        ("0", "exp(3*t)"),
    )
    assert case_at(TRIANGULAR, numbers(lam=3, mu=2)).structure[0].chain_length == 1


@pytest.mark.parametrize("a", [fmpq(1), fmpq(-1), fmpq(5, 3)])
def test_critical_damping(a: fmpq) -> None:
    """e^{−at}·[[1 + at, t], [−a²t, 1 − at]] at |a| = w."""
    case = case_at(OSCILLATOR, {"w": abs(a), "a": a})
    assert [(b.chain_length, b.multiplicity) for b in case.structure] == [(2, 1)]
    check_closed_form_at(OSCILLATOR, {"w": abs(a), "a": a})


@given(small, small)
@settings(max_examples=30, deadline=None)
def test_every_damping(w: fmpq, a: fmpq) -> None:
    point = {"w": abs(w) + fmpq(1, 2), "a": a}
    check_structure_at(OSCILLATOR, point)
    check_closed_form_at(OSCILLATOR, point)


@given(small, small)
@settings(max_examples=30, deadline=None)
def test_a_companion_matrix_with_two_symbols(x: fmpq, y: fmpq) -> None:
    """sympy#21585, first example."""
    check_structure_at(COMPANION, {"x": x, "y": y})
    check_closed_form_at(COMPANION, {"x": x, "y": y})


@given(small, small)
@settings(max_examples=30, deadline=None)
def test_two_rates_that_may_cancel(k2: fmpq, k3: fmpq) -> None:
    """sympy#14312: with positive rates 0 is double and semisimple; with k3 = −k2 it is not."""
    check_structure_at(KINETICS, {"k2": k2, "k3": k3})


def test_two_positive_rates() -> None:
    case = case_at(KINETICS, numbers(k2=1, k3=2))
    assert {(str(b.eigenvalue), b.chain_length, b.multiplicity) for b in case.structure} == {
        ("0", 1, 2),
        ("-k2 - k3", 1, 1),
    }


def test_a_rotation_of_unknown_sign_has_three_cases() -> None:
    """pytorch#196592 is about this matrix; here it is [[cos, −sin], [sin, cos]] in every case."""
    closed = exponential(Generator.from_matrix([["0", "-th"], ["th", "0"]], {"th": "real"}))
    texts = {str(case.case.cell.conditions()): apply(str, case.matrix()) for case in closed.cases}
    rotation = (("cos(th*t)", "-sin(th*t)"), ("sin(th*t)", "cos(th*t)"))
    assert len(texts) == 3
    assert texts["['th = 0']"] == (("1", "0"), ("0", "1"))
    assert texts["['th > 0']"] == rotation


# -- factors of degree 3 and 4 -----------------------------------------------------------------

HIGHER: dict[str, tuple[list[list[str]], str]] = {
    "sympy#17732": (
        [
            ["-D", "G", "0", "G"],
            ["G", "w", "G", "0"],
            ["0", "-G", "D", "-G"],
            ["-G", "0", "-G", "-w"],
        ],
        "D G w",
    ),
    "sympy#21585": (
        [["-y1-a1", "-y0", "0"], ["1", "-a1", "-k"], ["0", "1", "-a1"]],
        "a1 y0 y1 k",
    ),
    "JuliaSymbolics/Symbolics.jl#690": (
        [["-a", "b", "0"], ["1", "c", "-a"], ["0", "1", "0"]],
        "a b c",
    ),
}
GENERATORS = {
    name: Generator.from_matrix(rows, dict.fromkeys(symbols.split(), "real"))
    for name, (rows, symbols) in HIGHER.items()
}


@pytest.mark.parametrize("name", HIGHER)
@given(st.lists(small, min_size=4, max_size=4))
@settings(max_examples=12, deadline=None)
def test_higher_factors_with_symbols(name: str, values: list[fmpq]) -> None:
    symbols = HIGHER[name][1].split()
    point = dict(zip(symbols, values[: len(symbols)], strict=True))
    check_structure_at(GENERATORS[name], point)


@pytest.mark.parametrize("name", HIGHER)
def test_higher_factors_are_proved(name: str) -> None:
    rows, symbols = HIGHER[name]
    document = {"matrix": rows, "parameters": dict.fromkeys(symbols.split(), "real")}
    assert prove(from_document(document)).outcome is Outcome.PROVED


# -- many symbols: sympy#26821 and sympy#19887 ------------------------------------------------


def two_synapses(a: str, b: str, d: str, e: str) -> list[list[str]]:
    """Two critically damped pairs that drive a third state: five of the seven states there."""
    return [
        ["0", "1", "0", "0", "0"],
        [f"-1/{a}^2", f"-2/{a}", "0", "0", "0"],
        ["0", "0", "0", "1", "0"],
        ["0", "0", f"-1/{b}^2", f"-2/{b}", "0"],
        [f"1/{d}", "0", f"1/{d}", "0", f"-1/{e}"],
    ]


def three_synapses(a: str, b: str, c: str, d: str, e: str) -> list[list[str]]:
    """The seven states of the report."""
    return [
        ["0", "1", "0", "0", "0", "0", "0"],
        [f"-1/{a}^2", f"-2/{a}", "0", "0", "0", "0", "0"],
        ["0", "0", "0", "1", "0", "0", "0"],
        ["0", "0", f"-1/{b}^2", f"-2/{b}", "0", "0", "0"],
        ["0", "0", "0", "0", "0", "1", "0"],
        ["0", "0", "0", "0", f"-1/{c}^2", f"-2/{c}", "0"],
        [f"1/{d}", "0", f"1/{d}", "0", f"1/{d}", "0", f"-1/{e}"],
    ]


@pytest.mark.parametrize("names", [("a", "b", "d", "e"), ("Tau_in", "Tau_ex", "C_m", "Tau")])
def test_the_answer_does_not_depend_on_the_names(names: tuple[str, ...]) -> None:
    rows, declared = two_synapses(*names), dict.fromkeys(names, "positive")
    generator = Generator.from_matrix(rows, declared)
    for values in ((1, 2, 3, 5), (2, 2, 3, 5), (2, 2, 1, 2), (1, 2, 1, 2), (1, 2, 1, 1)):
        check_structure_at(generator, dict(zip(names, map(fmpq, values), strict=True)))
    assert prove(from_document({"matrix": rows, "parameters": declared})).outcome is Outcome.PROVED


@pytest.mark.slow
@pytest.mark.parametrize("names", [tuple("abcde"), ("Tau_in", "Tau_ex", "Tau_gap", "C_m", "Tau")])
def test_seven_states(names: tuple[str, ...]) -> None:
    rows, declared = three_synapses(*names), dict.fromkeys(names, "positive")
    proof = prove(from_document({"matrix": rows, "parameters": declared}))
    assert proof.outcome is Outcome.PROVED
    cases = tuple(case for _, case in proof.cases)
    for values in [*permutations((1, 2, 3)), (1, 1, 2), (2, 2, 2), (1, 2, 2)]:
        for e in (1, 2, 7):
            point = dict(zip(names, map(fmpq, (*values, 1, e)), strict=True))
            (case,) = matching(cases, point)
            total = sum(b.chain_length * b.multiplicity for b in case.structure)
            assert total == 7
            # a pair in resonance with the membrane adds the third state to its chain
            longest = max(b.chain_length for b in case.structure)
            assert longest == (3 if e in values else 2)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n"), [(3, 8), (8, 8), (3, 3)])
def test_a_kronecker_like_sum_with_roots_of_parameters(m: int, n: int) -> None:
    """sympy#19565: couplings mu·sqrt(m + 1) beside rates g; at squares the matrix is rational."""
    down, up = "mu*sqrt(m+1)", "mu*sqrt(n+1)"
    rates = [["g", "0", "0", "0"], ["0", "g/2", "0", "0"], ["0", "0", "g/2", "0"]]
    rows = real_form(
        [*rates, ["0", "0", "0", "g/2"]],
        [
            ["0", f"-{down}", up, "0"],
            [f"-{down}", "0", "0", up],
            [up, "0", "0", f"-{down}"],
            ["0", up, f"-{down}", "0"],
        ],
    )
    generator = Generator.from_matrix(rows, dict.fromkeys(["g", "mu", "m", "n"], "positive"))
    check_structure_at(generator, numbers(g=2, mu=1, m=m, n=n))
