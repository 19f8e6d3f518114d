"""LaTeX of printed values says what the value says, and nothing else is called a formula."""

from __future__ import annotations

import pytest

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.expression import parse
from symbolic_pe.proof.evidence import Shown, plain
from symbolic_pe.render.evidence import shown
from symbolic_pe.render.mathematics import formula, tex

WRITTEN = {
    "-m*t - m*s": "-m t - m s",
    "a - (b - c)": "a - (b - c)",
    "a + -b": "a + (-b)",
    "(a - b)*(c + d)": "(a - b) (c + d)",
    "2*3*x": r"2 \cdot 3 x",
    "x/(a + b)": r"\frac{x}{a + b}",
    "(-a)^2": "(-a)^{2}",
    "-a^2": "-a^{2}",
    "2^(1/2)": "2^{1/2}",
    "root(x^3 - 2, 1)": r"\operatorname{root}(x^{3} - 2, 1)",
    "sqrt(2)*theta_j": r"\sqrt{2} \theta_{j}",
    "log(1 - 2^(-5 - h))": r"\log(1 - 2^{-5 - h})",
    "w12*sin(pi*t)": r"w_{12} \sin(\pi t)",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_formulas(text: str) -> None:
    assert formula(text) == WRITTEN[text]


def test_a_quotient_in_an_exponent_is_not_read_as_another() -> None:
    """e^{1/32 t} would be read as e^{1/(32t)}."""
    assert formula("exp(-1/32*t)") == "e^{-t/32}"
    assert formula("exp(3/4*t*w)") == "e^{3 t w/4}"
    assert formula("2^(-8*h/3)") == "2^{-8 h/3}"


@pytest.mark.parametrize(
    "text",
    ["holds; m", "x**2", "f(a, b=1)", "a if b else c", "lambda*t", "'x'", "[1]", "a < b", ""],
)
def test_what_is_not_in_the_grammar_is_no_formula(text: str) -> None:
    assert formula(text) is None


def test_exact_values_print_themselves() -> None:
    lag = ExponentialPolynomial.variable("t")
    value = parse("2^(-1/3)*3/4", values={})
    assert tex(((value, lag), (0, -1))) == (
        r"\begin{pmatrix} " + str(formula(str(value))).replace("frac", "tfrac") + r" & t \\ 0 & -1"
        r" \end{pmatrix}"
    )


def test_evidence_is_shown_as_what_it_is() -> None:
    assert shown(Shown("norm <= 1", r"\|A\| \le 1")) == r"$\|A\| \le 1$"
    assert shown({"rank": 2, "sides": (1, 2)}) == r"rank ↦ $2$; sides ↦ $\left(1,\; 2\right)$"
    assert shown("a < b") == "`a < b`"
    assert shown(False) == "no"
    assert shown(()) == "none"


def test_records_hold_one_text_for_rows_of_any_type() -> None:
    assert plain(((1, 0), (0, 1))) == plain([[1, 0], [0, 1]]) == "[[1, 0], [0, 1]]"
    assert plain(Shown("x", "y")) == "x"
