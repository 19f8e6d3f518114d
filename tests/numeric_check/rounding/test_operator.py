"""Bounds of `operator`: every row of every block, near what is measured, and following the text."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from numeric_check.kernels.kernel import compile_kernel
from numeric_check.rounding import judge, measure, rounding_bound
from numeric_check.rounding.blocks import OPERATOR, WHOLE
from numeric_check.rounding.element import Model
from numeric_check.rounding.measured_operator import measured_whole
from numeric_check.rounding.running import run_operator
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.emit.source import emit
from symbolic_pe.encodings.encoding import Encoding, Head
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.generator import Generator
from tests.numeric_check.rounding.comparisons import bounds_of_an_edit, smaller
from tests.numeric_check.rounding.test_bound import HALVES, TARGETS, kernel_of, planned

BOUNDED = [HALVES, "decay", "retention", "jordan-rope", "menagerie", "menagerie-turns"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", BOUNDED)
def test_measured_errors_lie_inside_and_an_eighth_is_left(name: str, target: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    assert 1 / 8 < measure(kernel, plan, bound).ratio <= 1.0
    assert measure(kernel, plan, smaller(bound, 8)).ratio > 1.0


def test_products_with_0_and_1_of_the_identity_are_in_no_bound_twice() -> None:
    """The lag is not subtracted from, so an angle is rounded once and not twice."""
    kernel, plan = kernel_of(HALVES, "numpy"), planned(HALVES)
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    maps = rounding_bound(kernel, plan, "float64")
    assert bound.relative[0] <= maps.relative[0]
    assert bound.relative[1] < 0.5 * maps.relative[1]


def test_parameters_lie_in_their_box() -> None:
    kernel, plan = kernel_of("learned-heads", "torch"), planned("learned-heads")
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    assert set(bound.box) == {"a", "b"}
    assert 0.0 < measure(kernel, plan, bound).ratio <= 1.0


@pytest.mark.slow
def test_parametric_blocks_are_bounded_cell_by_cell() -> None:
    kernel, plan = kernel_of("oscillator", "numpy"), planned("oscillator")
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    assert 0.0 < measure(kernel, plan, bound).ratio <= 1.0


EDIT = (r"angle = (-?u \* \w+)", r"angle = (\1).astype(np.float32)")


def test_angles_in_float32_make_the_bound_larger_and_leave_the_other_one() -> None:
    known, found = bounds_of_an_edit("menagerie", EDIT, "float64", OPERATOR)
    assert found.relative[1] > 1e6 * known.relative[1]


@pytest.mark.parametrize(
    "result",
    [
        "transform_query(identity, lag).swapaxes(-1, -2)",
        "transform_query(identity, -lag)",
        "transform_query(2.0 * identity, lag)",
    ],
)
def test_texts_that_return_another_matrix_have_no_bound(result: str) -> None:
    edit = (r"return transform_query\(identity, lag\)", f"return {result}")
    with pytest.raises(NotYetCovered):
        rounding_bound(kernel_of(HALVES, "numpy", edit), planned(HALVES), "float64", form=OPERATOR)


# -- with a basis ---------------------------------------------------------------------------------

IN_A_BASIS = ["dense", "dense-heads", "catalogue:hope-hyperbolic"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", IN_A_BASIS)
def test_rows_of_the_whole_matrix_lie_inside_and_a_quarter_is_left(name: str, target: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    assert {b.group for b in bound.blocks} == {WHOLE}
    assert 1 / 4 < measured_whole(kernel, plan, bound, step=1).ratio <= 1.0


def test_a_quarter_of_the_bound_of_a_whole_matrix_is_left() -> None:
    kernel, plan = kernel_of("dense", "numpy"), planned("dense")
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    assert measured_whole(kernel, plan, smaller(bound, 4), step=1).ratio > 1.0


def hidden(seed: int, n: int = 5) -> KernelPlan:
    """Planes, chains and decays in a basis of whole numbers with a long inverse."""
    random = Random(seed)
    inner, basis = fmpq_mat(n, n), fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])
    for i in range(n):
        inner[i, i] = fmpq(random.randint(-2, 1), 8)
    inner[0, 0], inner[0, 1], inner[1, 0], inner[1, 1] = (fmpq(x, 7) for x in (-1, -3, 3, -1))
    inner[n - 2, n - 2] = inner[n - 1, n - 1]
    inner[n - 2, n - 1] = fmpq(random.choice([1, 3]))
    for _ in range(2 * n):
        i, j = random.sample(range(n), 2)
        step = fmpq_mat([[int(a == b) for b in range(n)] for a in range(n)])
        step[i, j] = random.choice([-1, 1, 2])
        basis = basis * step
    matrix = basis * inner * basis.inv()
    rows = [[str(matrix[i, j]) for j in range(n)] for i in range(n)]
    return plan_kernel(Encoding("hidden", (Head(Generator.from_matrix(rows, {})),)))


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(x, marks=pytest.mark.slow) for x in range(2, 9))]
)
def test_rows_lie_inside_whatever_the_basis(seed: int) -> None:
    plan = hidden(seed)
    assert plan.basis is not None
    kernel = compile_kernel(emit(plan, "numpy", command="", certificate_digest="x").text)
    bound = rounding_bound(kernel, plan, "float64", form=OPERATOR)
    assert 0.0 < measured_whole(kernel, plan, bound).ratio <= 1.0


def test_a_run_of_rows_refuses_a_basis() -> None:
    kernel, plan = kernel_of("dense", "numpy"), planned("dense")
    with pytest.raises(LeavesTheRing, match="a product of two maps"):
        run_operator(kernel, plan, Model(100.0))


PRODUCT = r"return query @ np\.swapaxes\(key, -1, -2\)"
CAST = "query.astype(np.float32).astype(np.float64) @ np.swapaxes(key, -1, -2)"
TENTH = "(0.1 * key).astype(np.float32).astype(np.float64)"


@pytest.mark.parametrize(
    "edit",
    [
        (PRODUCT, f"return 10.0 * query @ np.swapaxes({TENTH}, -1, -2)"),
        (r"angle = (-?u \* \w+)", r"angle = (\1).astype(np.float32)"),
        (r"np\.exp\((.*?)\)", r"np.exp((\1).astype(np.float32).astype(np.float64))"),
    ],
)
def test_one_cast_makes_the_bound_larger_and_leaves_the_other_one(edit: tuple[str, str]) -> None:
    known, found = bounds_of_an_edit("dense", edit, "float64", OPERATOR, measured_whole)
    assert found.epsilon(100.0) > 1e3 * known.epsilon(100.0)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ((PRODUCT, "return query @ key"), "another matrix"),
        ((PRODUCT, "return 2.0 * query @ np.swapaxes(key, -1, -2)"), "another matrix"),
        ((r"transform_query\(identity, lag\)", "transform_query(identity, -lag)"), "a rate"),
        ((r"transform_key\(identity, 0\.0\)", "transform_key(identity, 1.0)"), "no multiple"),
        ((r"RATE_3 = -0\.25", "RATE_3 = -0.2500001"), "a rate or a frequency"),
        ((r"\[1\.0, 0\.0, 0\.0, 0\.0, 1\.0\]", "[1.0, 1e-9, 0.0, 0.0, 1.0]"), "another matrix"),
        ((r"angle = -u \* OMEGA", "angle = u * OMEGA"), "another matrix"),
    ],
)
def test_texts_that_form_another_product_have_no_bound(edit: tuple[str, str], reason: str) -> None:
    with pytest.raises(NotYetCovered, match=reason):
        rounding_bound(
            kernel_of("dense", "numpy", edit), planned("dense"), "float64", form=OPERATOR
        )


SHORT = "(query.astype(np.float32) @ np.swapaxes(key.astype(np.float32), -1, -2))"


@pytest.mark.parametrize("product", [CAST, f"{SHORT}.astype(np.float64)"])
def test_a_cast_that_may_overflow_has_no_finite_bound(product: str) -> None:
    """Rows of F(u) reach e^462; in float32 they end at e^88."""
    kernel, plan = kernel_of("dense", "numpy", (PRODUCT, f"return {product}")), planned("dense")
    with pytest.raises(NotYetCovered, match="leave the range of a format that it computes in"):
        rounding_bound(kernel, plan, "float64", form=OPERATOR)
    judged = judge(kernel, plan, dtypes=["float64"])
    assert (judged.verdict, judged.of_lag) == ("holds", {})
    assert "operator is not bounded: no finite bound" in judged.reason
    near = rounding_bound(kernel, plan, "float64", form=OPERATOR, reach=128.0)
    assert 0.01 < measured_whole(kernel, plan, near, step=1).ratio <= 1.0


@pytest.mark.parametrize("reach", [160.0, 165.0, 167.5, 170.0])
def test_sums_of_products_in_float32_may_overflow(reach: float) -> None:
    """At 167.5 every entry of the factors is in the range of float32, and one of A(u) is not."""
    edit = (PRODUCT, f"return {SHORT}.astype(np.float64)")
    kernel, plan = kernel_of("dense", "numpy", edit), planned("dense")
    with np.errstate(all="ignore"):
        finite = all(np.isfinite(kernel.operator(u)).all() for u in (reach, -reach))
    try:
        bound = rounding_bound(kernel, plan, "float64", form=OPERATOR, reach=reach)
    except NotYetCovered as error:
        assert "no finite bound" in str(error)
        assert reach > 160.0
    else:
        assert finite
        assert bound.epsilon(reach) < 1.0


def test_the_reach_leaves_room_for_both_products() -> None:
    """Entries of A(u) are e^u times entries of P and P⁻¹: none is infinite within the reach."""
    plan = planned("dense")
    bound = rounding_bound(kernel_of("dense", "numpy"), plan, "float64", form=OPERATOR)
    maps = rounding_bound(kernel_of("dense", "numpy"), plan, "float64")
    assert bound.limited_by == "range"
    assert 0.9 * maps.reach < bound.reach < maps.reach


def test_a_basis_has_a_law_of_its_own() -> None:
    found = judge(kernel_of("dense", "numpy"), planned("dense"), dtypes=["float64"])
    assert found.verdict == "holds"
    assert "not bounded" not in found.reason
    assert "eps ||exp(u K)|| + eta for every row of operator(u)" in found.header_lines()[0]
    stated = found.of_lag[OPERATOR]["float64"].stated
    assert not found.false_statements({"operator float64": stated})
    smaller_one = stated.replace("eps = ", "eps = 0.000")
    assert found.false_statements({"operator float64": smaller_one})


def test_bounds_are_stated() -> None:
    found = judge(kernel_of("decay", "numpy"), planned("decay"), dtypes=["float64"])
    (line,) = [x for x in found.header_lines() if x.startswith("# operator float64:")]
    stated = line.removeprefix("# operator float64:").strip()
    assert not found.false_statements({"operator float64": stated})
    assert found.false_statements({"operator float64": stated.replace("eps = 3.2", "eps = 2.2")})
