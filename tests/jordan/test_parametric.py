"""Case trees of larger parametric matrices: exclusive, exhaustive, right at sampled points."""

from __future__ import annotations

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symbolic_pe import from_document, prove
from symbolic_pe.algebra.linear_feasibility import Inequality, is_feasible
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.budget import Budget
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


CUBIC = [["0", "0", "-c"], ["1", "0", "-b"], ["0", "1", "-a"]]
QUARTIC = [
    ["0", "0", "0", "-d"],
    ["1", "0", "0", "-c"],
    ["0", "1", "0", "-b"],
    ["0", "0", "1", "-a"],
]


def test_every_case_of_the_cubic_companion_has_a_point() -> None:
    """37 cells, each shown not to be empty; the triple root is a chain of length 3."""
    cases = real_jordan_form(Generator.from_matrix(CUBIC, dict.fromkeys("abc", "real"))).cases
    assert len(cases) == 37
    assert not any(c.possibly_empty or c.undecided for c in cases)
    triple = [c for c in cases if [b.chain_length for b in c.structure] == [3]]
    assert {c.structure[0].family for c in triple} == {
        "growth-polynomial",
        "polynomial",
        "decay-polynomial",
    }
    names = {str(b.eigenvalue) for c in cases for b in c.structure}
    assert "root(x^3 + a*x^2 + b*x + c, 0)" in names


roots = st.lists(
    st.one_of(
        st.tuples(small),
        st.tuples(small, st.builds(fmpq, st.integers(1, 3), st.integers(1, 2))),
    ),
    min_size=1,
    max_size=4,
)


def coefficients(planted: list[tuple[fmpq, ...]], degree: int) -> list[fmpq]:
    """Π (x − r) and Π ((x − a)² + b²) over planted roots, used again until the degree is full."""
    p = fmpq_poly([1])
    for root in planted * degree:
        factor = fmpq_poly([-root[0], 1])
        if len(root) == 2:
            factor = factor * factor + fmpq_poly([root[1] * root[1]])
        if p.degree() + factor.degree() <= degree:
            p *= factor
    while p.degree() < degree:
        p *= fmpq_poly([1, 1])
    return [p[k] for k in range(degree)]


@given(roots)
@settings(max_examples=150, deadline=None)
def test_cubic_companion_with_planted_roots(planted: list[tuple[fmpq, ...]]) -> None:
    c, b, a = coefficients(planted, 3)
    check_at(CUBIC, dict.fromkeys("abc", "real"), {"a": a, "b": b, "c": c})


@pytest.mark.slow
@given(roots)
@settings(max_examples=400, deadline=None)
def test_quartic_companion_with_planted_roots(planted: list[tuple[fmpq, ...]]) -> None:
    d, c, b, a = coefficients(planted, 4)
    check_at(QUARTIC, dict.fromkeys("abcd", "real"), {"a": a, "b": b, "c": c, "d": d})


GENERAL = [[f"x{i}{j}" for j in range(3)] for i in range(3)]
entries_of_three = st.lists(st.builds(fmpq, st.integers(-2, 2)), min_size=9, max_size=9)


@st.composite
def structured(draw: st.DrawFn) -> list[list[fmpq]]:
    """3×3 with a planted Jordan form, hidden by a shear and a permutation."""
    a, b = draw(small), draw(small)
    kind = draw(st.integers(0, 5))
    one, zero = fmpq(1), fmpq(0)
    rows = [
        [[a, one, zero], [zero, a, one], [zero, zero, a]],
        [[a, one, zero], [zero, a, zero], [zero, zero, a]],
        [[a, zero, zero], [zero, a, zero], [zero, zero, a]],
        [[a, one, zero], [zero, a, zero], [zero, zero, b]],
        [[a, zero, zero], [zero, a, zero], [zero, zero, b]],
        [[a, -one, zero], [one, a, zero], [zero, zero, b]],
    ][kind]
    p = fmpq_mat([[1, draw(st.integers(-1, 1)), 0], [0, 1, draw(st.integers(-1, 1))], [0, 0, 1]])
    hidden = p * fmpq_mat(rows) * p.inv()
    order = draw(st.permutations(range(3)))
    return [[hidden[i, j] for j in order] for i in order]


@pytest.mark.slow
def test_the_general_three_by_three_is_decided_in_less_than_two_hundred_cells() -> None:
    names = [x for row in GENERAL for x in row]
    form = real_jordan_form(Generator.from_matrix(GENERAL, dict.fromkeys(names, "real")))
    assert not form.undecided
    assert len(form.cases) < 200


@pytest.mark.slow
@given(st.one_of(entries_of_three.map(lambda x: [x[:3], x[3:6], x[6:]]), structured()))
@settings(max_examples=400, deadline=None)
def test_general_three_by_three_with_nine_parameters(rows: list[list[fmpq]]) -> None:
    point = {GENERAL[i][j]: rows[i][j] for i in range(3) for j in range(3)}
    check_at(GENERAL, dict.fromkeys(point, "real"), point)


THREE_PARAMETERS = {
    "symmetric": [["a", "b", "0"], ["b", "0", "c"], ["0", "c", "-a"]],
    "circulant": [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]],
    "mixed": [["a", "b", "1"], ["1", "0", "c"], ["b", "0", "a"]],
    "repeated": [["a", "b", "b"], ["c", "a", "c"], ["b", "c", "a"]],
}


@pytest.mark.parametrize("name", THREE_PARAMETERS)
@given(small, small, small)
@settings(max_examples=60, deadline=None)
def test_three_by_three_with_three_parameters(name: str, a: fmpq, b: fmpq, c: fmpq) -> None:
    point = {"a": a, "b": b, "c": c}
    check_at(THREE_PARAMETERS[name], dict.fromkeys("abc", "real"), point)


def rank_two(n: int) -> list[list[str]]:
    """a·bᵀ − b·aᵀ with symbolic vectors."""
    return [
        ["0" if i == j else f"a{i}*b{j} - a{j}*b{i}" for j in range(1, n + 1)]
        for i in range(1, n + 1)
    ]


@pytest.mark.parametrize("n", [3, 4, 8])
def test_rank_two_skew_generators_turn_one_plane_or_are_zero(n: int) -> None:
    names = [f"{v}{i}" for v in "ab" for i in range(1, n + 1)]
    cases = real_jordan_form(Generator.from_matrix(rank_two(n), dict.fromkeys(names, "real"))).cases
    assert sorted(sorted(families(c)) for c in cases) == [
        ["constant"] * n,
        ["constant"] * (n - 2) + ["rotation"],
    ]
    assert not any(c.possibly_empty for c in cases)


def test_undamped_chains_of_oscillators_only_rotate() -> None:
    chain = [
        ["0", "0", "1", "0"],
        ["0", "0", "0", "1"],
        ["-k - m", "m", "0", "0"],
        ["m", "-l - m", "0", "0"],
    ]
    (case,) = real_jordan_form(Generator.from_matrix(chain, dict.fromkeys("klm", "positive"))).cases
    assert families(case) == ["rotation", "rotation"]


def test_damped_chains_of_oscillators_decay_in_every_case() -> None:
    damped = [
        ["0", "0", "1", "0"],
        ["0", "0", "0", "1"],
        ["-k - m", "m", "-c", "0"],
        ["m", "-k - m", "0", "-c"],
    ]
    cases = real_jordan_form(Generator.from_matrix(damped, dict.fromkeys("kmc", "positive"))).cases
    assert not any(c.undecided for c in cases)
    assert {c.growth.causal for c in cases} == {"decaying"}


COMPARTMENTS = [["-k - p", "q", "0"], ["p", "-q - r", "s"], ["0", "r", "-s"]]


@given(positive, positive, positive, positive, positive)
@settings(max_examples=40, deadline=None)
def test_compartments_in_a_row_decay(k: fmpq, p: fmpq, q: fmpq, r: fmpq, s: fmpq) -> None:
    """Pharmacokinetic exchange with elimination: real rates, found as such from the entries."""
    point = {"k": k, "p": p, "q": q, "r": r, "s": s}
    check_at(COMPARTMENTS, dict.fromkeys(point, "positive"), point)


NARROW = {
    "equation of degree 3": ([["0", "a^3-2"], ["1", "0"]], {"a": "real"}),
    "defective on an equation": ([["1", "b"], ["-b^2", "0"]], {"b": "real"}),
    "root of two": ([["-a", "b^2-2"], ["0", "b"]], {"a": "positive", "b": "real"}),
    "root of a sum of roots": ([["a^2-2", "1"], ["a+1", "0"]], {"a": "real"}),
    "closed bounds": ([["0", "b+1"], ["b", "a+1"]], {"a": "nonnegative", "b": "negative"}),
    "poles": ([["1/a-1/b", "1/a"], ["-1/b", "a-b"]], {"a": "nonzero", "b": "nonzero"}),
    "shifted bounds": (
        [["0", "1", "0"], ["0", "0", "1"], ["1", "a-1", "2*a+1"]],
        {"a": "real"},
    ),
    "quartic": (
        [
            ["0", "1", "0", "0"],
            ["0", "0", "1", "0"],
            ["0", "0", "0", "1"],
            ["a-1", "1", "2", "a-2"],
        ],
        {"a": "real"},
    ),
}


@pytest.mark.parametrize("name", NARROW)
@given(small, small)
@settings(max_examples=40, deadline=None)
def test_narrow_places(name: str, a: fmpq, b: fmpq) -> None:
    """Equations that no parameter solves, thresholds that are roots, closed and shifted bounds."""
    rows, parameters = NARROW[name]
    allowed = {"nonnegative": a >= 0, "positive": a > 0}.get(parameters.get("a", ""), True)
    allowed &= parameters.get("b") != "negative" or b < 0
    allowed &= all(x != 0 for n, x in (("a", a), ("b", b)) if parameters.get(n) == "nonzero")
    assume(allowed)
    check_at(rows, parameters, {n: x for n, x in (("a", a), ("b", b)) if n in parameters})


def test_no_narrow_place_is_left_undecided() -> None:
    for rows, parameters in NARROW.values():
        assert not real_jordan_form(Generator.from_matrix(rows, parameters)).undecided


def test_more_cases_than_the_limit_leave_the_rest_undecided() -> None:
    names = [f"x{i}" for i in range(10)]
    rows = [[names[i] if i == j else "0" for j in range(10)] for i in range(10)]
    form = real_jordan_form(Generator.from_matrix(rows, dict.fromkeys(names, "real")))
    assert "more than 4096 cases" in form.undecided
    assert sum(not case.undecided for case in form.cases) >= 4096


def test_a_spent_budget_leaves_cells_undecided_with_the_reason() -> None:
    generator = Generator.from_matrix(QUARTIC, dict.fromkeys("abcd", "real"))
    with pytest.raises(NotYetCovered, match="budget of 0 s"):
        real_jordan_form(generator, Budget.of(0))
    partial = real_jordan_form(generator, Budget.of(0.4))
    assert "budget of 0.4 s" in partial.undecided
    assert any(not case.undecided for case in partial.cases)


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
