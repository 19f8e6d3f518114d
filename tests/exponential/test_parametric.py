"""Closed forms of parametric matrices, case by case and in one formula, against Arb."""

from __future__ import annotations

from functools import cache
from math import factorial

import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe import from_document, prove
from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import scalar_matrix
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.sampling import holds_at, sample_point
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.exponential.parametric import ParametricExponential, parametric_exponential
from symbolic_pe.exponential.primary import evaluate_at, laws_hold
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import RealJordanForm
from symbolic_pe.jordan.rational_entries import with_rational_entries
from symbolic_pe.proof.claim import Outcome
from tests.jordan.points import shape

MATRICES = {
    "oscillator": [["0", "1"], ["-a^2", "-2*a*b"]],
    "cubic": [["0", "0", "-c"], ["1", "0", "-b"], ["0", "1", "-a"]],
    "triangular": [["a", "1", "0"], ["0", "b", "1"], ["0", "0", "c"]],
    "rotations": [["0", "-c", "b"], ["c", "0", "-a"], ["-b", "a", "0"]],
    "symmetric": [["a", "b", "0"], ["b", "0", "c"], ["0", "c", "-a"]],
}
TIME = fmpq(37, 100)
small = st.builds(fmpq, st.integers(-2, 2), st.sampled_from([1, 1, 2]))


def generator_of(name: str) -> Generator:
    return Generator.from_matrix(MATRICES[name], dict.fromkeys("abc", "real"))


@cache
def form_of(name: str) -> RealJordanForm:
    return real_jordan_form(generator_of(name))


def at(polynomial: Polynomial, point: dict[str, fmpq]) -> fmpq_poly:
    return fmpq_poly([c.at(point) for c in polynomial.coeffs()])


def value(form: ParametricExponential, x: fmpq_mat, point: dict[str, fmpq]) -> arb_mat:
    """Σ t^j/j!·φ_c(t)·M_{j,c} at a point; φ_c(t) is the entry (0, c) of exp(t·companion)."""
    n = x.nrows()
    total = arb_mat(n, n)
    for part in form.parts:
        p = at(part.factor, point)
        d = p.degree()
        companion = arb_mat(d, d)
        for i in range(d):
            if i + 1 < d:
                companion[i, i + 1] = 1
            companion[d - 1, i] = arb(-p[i])
        functions = (companion * arb(TIME)).exp()
        for j, row in enumerate(part.coefficients):
            for c, polynomial in enumerate(row):
                weight = arb(TIME) ** j / factorial(j) * functions[0, c]
                m = evaluate_at(at(polynomial, point), x)
                total += arb_mat([[arb(e) * weight for e in r] for r in m.tolist()])
    return total


def check(form: ParametricExponential, x: fmpq_mat, point: dict[str, fmpq]) -> None:
    with precision(200):
        expected = arb_mat([[arb(e) * arb(TIME) for e in row] for row in x.tolist()]).exp()
        found = value(form, x, point)
        for left, right in zip(found.entries(), expected.entries(), strict=True):
            assert left.overlaps(right)
            assert (left - right).rad() < 1e-30


@pytest.mark.parametrize("name", MATRICES)
@given(small, small, small)
@settings(max_examples=40, deadline=None)
def test_the_closed_form_of_a_case_is_the_exponential(name: str, a: fmpq, b: fmpq, c: fmpq) -> None:
    """On the case that holds, and in the one formula that holds everywhere."""
    point = {"a": a, "b": b, "c": c}
    scalars = {n: Scalar.rational(v) for n, v in point.items()}
    generator = generator_of(name)
    rows = [[e.substitute(scalars).rational_value() for e in row] for row in generator.matrix]
    x = fmpq_mat(rows)
    check(parametric_exponential(generator.matrix), x, point)
    (case,) = [k for k in form_of(name).cases if holds_at(k.cell, scalars)]
    check(parametric_exponential(generator.matrix, case.cell), x, point)


@pytest.mark.parametrize("name", MATRICES)
def test_every_case_is_proved_and_a_changed_coefficient_is_not(name: str) -> None:
    generator = generator_of(name)
    for case in form_of(name).cases:
        form = parametric_exponential(generator.matrix, case.cell)
        assert form.is_proved()
    changed = form.parts[0].coefficients[0][0] + Polynomial([RationalFunction(1)])
    broken = type(form.parts[0])(
        form.parts[0].factor,
        form.parts[0].exponent,
        ((changed, *form.parts[0].coefficients[0][1:]), *form.parts[0].coefficients[1:]),
    )
    assert not laws_hold(form.modulus, (broken, *form.parts[1:]))


def test_hyperbolic_entries_are_written_in_one_exponential() -> None:
    """sympy#15169: 4·cosh(q/3)³ − 3·cosh(q/3) is cosh q, so 0 is an eigenvalue, once."""
    rows = [
        ["-2*cosh(q/3)", "exp(-q)", "1"],
        ["exp(q)", "-2*cosh(q/3)", "1"],
        ["1", "1", "-2*cosh(q/3)"],
    ]
    generator = Generator.from_matrix(rows, {"q": "real"})
    cases = real_jordan_form(generator).cases
    conditions = {c.cell.conditions()[0]: sorted(b.family for b in c.structure) for c in cases}
    assert conditions == {
        "0 < exp(1/3*q) < 1": ["constant", "damped-rotation"],
        "exp(1/3*q) = 1": ["constant", "decay"],
        "exp(1/3*q) > 1": ["constant", "damped-rotation"],
    }
    matrix = with_rational_entries(generator).matrix
    assert all(parametric_exponential(matrix, c.cell).is_proved() for c in cases)


SPELLINGS = [
    ("sqrt(2)*(1 + sqrt(2))", "2 + sqrt(2)"),
    ("sqrt(5 + 2*sqrt(6))", "sqrt(2) + sqrt(3)"),
    ("sqrt(3 + 2*sqrt(2))", "1 + sqrt(2)"),
]


@pytest.mark.parametrize(("first", "second"), SPELLINGS)
def test_two_spellings_of_one_number_are_one_eigenvalue(first: str, second: str) -> None:
    chain = [[first, "1", "0"], ["0", second, "1"], ["0", "0", second]]
    (case,) = real_jordan_form(Generator.from_matrix(chain)).cases
    assert [(b.chain_length, b.multiplicity) for b in case.structure] == [(3, 1)]
    turns = [
        ["0", f"-({first})", "1", "0"],
        [first, "0", "0", "1"],
        ["0", "0", "0", f"-({second})"],
        ["0", "0", second, "0"],
    ]
    (case,) = real_jordan_form(Generator.from_matrix(turns)).cases
    assert [(b.family, b.chain_length) for b in case.structure] == [("rotation-polynomial", 2)]
    near = [[first, "1", "0"], ["0", second, "1"], ["0", "0", f"{second} + 1/10^30"]]
    (case,) = real_jordan_form(Generator.from_matrix(near)).cases
    assert sorted(b.chain_length for b in case.structure) == [1, 2]


def test_algebraic_entries_with_a_cubic_eigenvalue_are_classified_and_proved() -> None:
    rows = [["0", "-sqrt(2)", "1"], ["1", "0", "-1"], ["-1", "1", "sqrt(3)"]]
    generator = Generator.from_matrix(rows)
    (case,) = real_jordan_form(generator).cases
    assert [b.family for b in case.structure] == ["growth", "growing-rotation"]
    assert "sqrt(6)" in str(case.structure[0].eigenvalue)
    form = parametric_exponential(generator.matrix, case.cell)
    assert form.is_proved()
    assert "sqrt(6)" in str(form)


ROOTS = {
    "a root of a parameter": ([["0", "sqrt(w)", "1"], ["-1", "0", "w"], ["0", "1", "0"]], "w"),
    "a root of a difference": ([["sqrt(1-z)", "1", "0"], ["0", "z", "1"], ["0", "0", "0"]], "z"),
    "a root of a number": ([["sqrt(2)*v", "1", "0"], ["0", "v", "1"], ["0", "0", "2"]], "v"),
}


@pytest.mark.parametrize("name", ROOTS)
def test_roots_and_parameters_together_are_classified_and_proved(name: str) -> None:
    """At squares of rationals the matrix is rational; its structure is that of the case."""
    rows, parameter = ROOTS[name]
    declared = {"w": "positive", "z": "between 0 and 1", "v": "real"}[parameter]
    generator = Generator.from_matrix(rows, {parameter: declared})
    cases = real_jordan_form(generator).cases
    assert not any(c.undecided for c in cases)
    matrix = with_rational_entries(generator).matrix
    assert all(parametric_exponential(matrix, c.cell).is_proved() for c in cases)
    points = {
        "w": ["1", "4", "9/4", "1/9"],
        "z": ["3/4", "5/9", "9/25"],
        "v": ["0", "1", "2", "-3"],
    }
    for text in points[parameter]:
        value = Scalar.rational(fmpq(*map(int, (text + "/1").split("/")[:2])))
        (case,) = [c for c in cases if holds_at(c.cell, {parameter: value})]
        at_point = [[x.substitute({parameter: value}) for x in row] for row in generator.matrix]
        (exact,) = real_jordan_form(
            Generator(3, None, scalar_matrix(at_point), Assumptions())
        ).cases
        assert shape(case.structure) == shape(exact.structure)


BELOW_ONE = [
    # what decays for every admissible value, by a relation between symbols and parameters
    (["1-exp(q/2)", "-2*cosh(q/3)", "-1"], {"q": "positive"}, Outcome.PROVED),
    (["1-exp(q/2)", "-2*cosh(q/3)", "-1"], {"q": "real"}, Outcome.REFUTED),
    (["1+q/2-exp(q/2)", "-2", "-3"], {"q": "positive"}, Outcome.UNDECIDED),
    (["sqrt(w)-sqrt(w+1)", "-2", "-3"], {"w": "positive"}, Outcome.UNDECIDED),
    (["sqrt(w+1)-2*sqrt(w)", "-2", "-3"], {"w": "positive"}, Outcome.REFUTED),
    (["-sqrt(a^2+b^2)", "-2", "-3-b"], {"a": "positive", "b": "positive"}, Outcome.PROVED),
]


@pytest.mark.parametrize(("diagonal", "parameters", "verdict"), BELOW_ONE)
def test_points_of_cases_keep_what_their_symbols_stand_for(
    diagonal: list[str], parameters: dict[str, str], verdict: Outcome
) -> None:
    """No witness has exp(q/6) = 1/2 for q = 2; without a relation in reach, undecided."""
    rows = [
        [d if i == j else str(int(j == i + 1)) for j in range(3)] for i, d in enumerate(diagonal)
    ]
    document = {"matrix": rows, "parameters": parameters, "claims": ["bounded-causal"]}
    claim = next(c for c in prove(from_document(document)).claims if c.name == "bounded-causal")
    assert claim.verdict is verdict
    form = real_jordan_form(Generator.from_matrix(rows, parameters))
    for case in form.cases:
        if case.possibly_empty or (point := sample_point(case.cell)) is None:
            continue
        for name, definition in case.cell.definitions.items():
            assert (definition.substitute(point) - point[name]).is_zero()


def mixed_chains(blocks: int, coupling: str) -> Generator:
    """C on the diagonal, C + coupling·I above: the root −coupling of x² − 2 has no chain."""
    companion = [["0", "2"], ["1", "0"]]
    above = [[coupling, "2"], ["1", coupling]]
    zero = [["0", "0"], ["0", "0"]]
    grid = [
        [companion if i == j else above if j == i + 1 else zero for j in range(blocks)]
        for i in range(blocks)
    ]
    rows = [[x for part in row for x in part[k]] for row in grid for k in (0, 1)]
    return Generator.from_matrix(rows, {} if "sqrt" in coupling else {"w": "real"})


@pytest.mark.parametrize("blocks", [2, 3, 4])
def test_roots_of_one_factor_may_have_different_chains(blocks: int) -> None:
    """x² − 2 is irreducible over the rationals; its roots are not alike for coupling √2."""
    (case,) = real_jordan_form(mixed_chains(blocks, "sqrt(2)")).cases
    found = {str(b.eigenvalue): (b.chain_length, b.multiplicity) for b in case.structure}
    assert found == {"sqrt(2)": (blocks, 1), "-sqrt(2)": (1, blocks)}
    assert parametric_exponential(mixed_chains(blocks, "sqrt(2)").matrix, case.cell).is_proved()
    (alike,) = real_jordan_form(mixed_chains(blocks, "sqrt(3)")).cases
    assert {(b.chain_length, b.multiplicity) for b in alike.structure} == {(blocks, 1)}


@pytest.mark.parametrize("blocks", [2, 3])
def test_different_chains_at_the_values_of_a_parameter_that_allow_it(blocks: int) -> None:
    form = real_jordan_form(mixed_chains(blocks, "w"))
    assert not form.undecided
    for value, chains in (("sqrt(2)", {1, blocks}), ("-sqrt(2)", {1, blocks}), ("1", {blocks})):
        point = {"w": parse(value)}
        (case,) = [c for c in form.cases if holds_at(c.cell, point)]
        assert {b.chain_length for b in case.structure} == chains
