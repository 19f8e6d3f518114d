"""One number spelled in two ways is one eigenvalue; numbers that only look equal are two."""

from __future__ import annotations

import pytest

from symbolic_pe import from_document, prove
from symbolic_pe.algebra.matrix import apply
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.proof.claim import Outcome
from tests.opinions import real_form

SQUARE_ROOTS = [
    [0, "-sqrt(2)*(1+sqrt(2))", 0, 0],
    ["sqrt(2)*(1+sqrt(2))", 0, 0, 0],
    [0, 0, 0, "-2-sqrt(2)"],
    [0, 0, "2+sqrt(2)", 0],
]


def structure(rows: list[list[str | int]]) -> list[tuple[str, str, int, int]]:
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    return [
        (str(b.eigenvalue), str(b.imaginary_part), b.chain_length, b.multiplicity)
        for b in case.structure
    ]


def test_equal_frequencies_are_one_pair_twice() -> None:
    """Found beside sympy#28793, where the basis is singular without a warning."""
    assert structure(SQUARE_ROOTS) == [("0", "2 + sqrt(2)", 1, 2)]


@pytest.mark.parametrize(
    "spelling", ["sqrt(5+2*sqrt(6))", "sqrt(3)+sqrt(2)", "1/(sqrt(3)-sqrt(2))"]
)
def test_equal_surds_make_one_chain(spelling: str) -> None:
    assert structure([[spelling, 1], [0, "sqrt(2)+sqrt(3)"]]) == [("sqrt(2) + sqrt(3)", "0", 2, 1)]


def test_closed_form_of_the_surd_chain() -> None:
    closed = exponential(
        Generator.from_matrix([["sqrt(5+2*sqrt(6))", 1], [0, "sqrt(2)+sqrt(3)"]])
    ).matrix()
    rate = "exp((sqrt(2) + sqrt(3))*t)"
    assert apply(str, closed) == ((rate, f"t*{rate}"), ("0", rate))


@pytest.mark.parametrize("one", ["cosh(1)^2-sinh(1)^2", "exp(3)*exp(-3)", "log(6)-log(2)-log(3)+1"])
def test_an_identity_of_functions_is_recognised(one: str) -> None:
    """cos(1)^2 + sin(1)^2 in the report; cosh and sinh are in the grammar."""
    assert structure([[one, 1], [0, 1]]) == [("1", "0", 2, 1)]


def test_negative_twin_nearly_equal_numbers_are_two() -> None:
    """√2 + √3 and a fraction that agrees with it to 31 digits."""
    near = "3146264369941972342329135065715/1000000000000000000000000000000"
    assert [b[2:] for b in structure([[near, 1], [0, "sqrt(2)+sqrt(3)"]])] == [(1, 1), (1, 1)]


def test_opposite_signs_of_one_frequency_are_one_pair() -> None:
    """sympy#28793 reduced: i·w with w spelled twice; orientation does not make it another."""
    rows: list[list[str | int]] = [
        [0, "pi*sqrt(2)*(1+sqrt(2))/2", 0, 0],
        ["-pi*sqrt(2)*(1+sqrt(2))/2", 0, 0, 0],
        [0, 0, 0, "-pi-pi*sqrt(2)/2"],
        [0, 0, "pi+pi*sqrt(2)/2", 0],
    ]
    assert structure(rows) == [("0", "pi + 1/2*pi*sqrt(2)", 1, 2)]


def test_one_eigenvalue_in_two_spellings_inside_a_coupled_matrix() -> None:
    """sympy#28793 reduced to 4 × 4, times i: four rotations, without a chain.

    w = π + π·√2/2 is double, but its two planes lie in different components and are listed apart.
    """
    w, p = "pi*sqrt(2)*(1+sqrt(2))/2", "-pi/2"
    imaginary = [[w, p, "0", "0"], [p, w, "0", p], ["0", "0", w, "0"], ["0", p, "0", w]]
    rows = real_form([["0"] * 4 for _ in range(4)], imaginary)
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    assert {(b.family, b.chain_length) for b in case.structure} == {("rotation", 1)}
    assert sum(b.multiplicity for b in case.structure) == 4
    assert case.growth.all == "bounded"
    assert prove(from_document({"matrix": rows})).outcome is Outcome.PROVED


def test_a_root_of_a_parameter_beside_the_parameter_itself() -> None:
    """On a case w is written as sqrt(w)^2, and the laws substitute it under the root."""
    matrix = [["0", "sqrt(2)*w"], ["-sqrt(w)/(1+w)", "pi"]]
    encoding = from_document({"matrix": matrix, "parameters": {"w": "positive"}})
    assert prove(encoding).outcome is Outcome.PROVED
