"""Bounds of `operator`: every row of every block, near what is measured, and following the text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from numeric_check.rounding import KernelBound, judge, measure, rounding_bound
from numeric_check.rounding.blocks import OPERATOR
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.test_bound import HALVES, TARGETS, kernel_of, planned

BOUNDED = [HALVES, "decay", "retention", "jordan-rope", "menagerie", "menagerie-turns"]


def smaller(bound: KernelBound, factor: float) -> KernelBound:
    def less(p: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(c / factor for c in p)

    blocks = tuple(replace(b, relative=less(b.relative)) for b in bound.blocks)
    return replace(bound, relative=less(bound.relative), blocks=blocks)


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
    plan = planned("menagerie")
    known = rounding_bound(kernel_of("menagerie", "numpy"), plan, "float64", form=OPERATOR)
    faulty = kernel_of("menagerie", "numpy", EDIT)
    found = rounding_bound(faulty, plan, "float64", form=OPERATOR)
    assert found.relative[1] > 1e6 * known.relative[1]
    assert measure(faulty, plan, known).ratio > 1.0
    assert measure(faulty, plan, found).ratio <= 1.0


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


def test_a_basis_has_no_bound_and_the_reason_is_named() -> None:
    found = judge(kernel_of("dense", "numpy"), planned("dense"), dtypes=["float64"])
    assert found.verdict == "holds"
    assert "operator is not bounded" in found.reason
    assert OPERATOR not in found.of_lag


def test_bounds_are_stated() -> None:
    found = judge(kernel_of("decay", "numpy"), planned("decay"), dtypes=["float64"])
    (line,) = [x for x in found.header_lines() if x.startswith("# operator float64:")]
    stated = line.removeprefix("# operator float64:").strip()
    assert not found.false_statements({"operator float64": stated})
    assert found.false_statements({"operator float64": stated.replace("eps = 3.2", "eps = 2.2")})
