"""Bounds of `recurrent_step`: they hold, follow the text, and need a map that multiplies."""

from __future__ import annotations

import pytest

from numeric_check.rounding import causal_bound, judge, measure_causal
from numeric_check.rounding.bound import rounding_bound
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.test_bound import TARGETS, kernel_of, planned

SUMS = ["decay", "retention", "different-heads", "jordan-rope", "catalogue:retnet"]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", SUMS)
def test_measured_errors_lie_inside(name: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    bound = causal_bound(kernel, plan, dtype)
    assert bound.limit > 1000
    assert 1 / 100 < measure_causal(kernel, plan, bound) <= 1.0


@pytest.mark.parametrize("target", TARGETS)
def test_a_step_costs_its_map_and_a_sum(target: str) -> None:
    """A decay is off by two roundings, and adding one key is another; d products at the end."""
    kernel, plan = kernel_of("decay", target), planned("decay")
    bound = causal_bound(kernel, plan, "float32")
    assert bound.formula.startswith("7.001*2^-24 + 3.0")
    own = rounding_bound(kernel, plan, "float32").epsilon(bound.gap)
    assert own + 2.0**-24 <= bound.error[1] <= 1.05 * (own + 2.0**-24)
    short = causal_bound(kernel, plan, "bfloat16")
    assert short.formula.startswith("1.001*2^-8 + 3.0")
    assert short.error[1] < 2.0**-20, "the state is float32"


EDIT = (r"state = kept \+", "state = kept.astype(np.float16).astype(compute) +")


def test_one_rounding_more_is_in_the_bound_and_leaves_the_other_one() -> None:
    plan = planned("decay")
    known = causal_bound(kernel_of("decay", "numpy"), plan, "float32")
    faulty = kernel_of("decay", "numpy", EDIT)
    own = causal_bound(faulty, plan, "float32")
    assert own.error[1] > 100 * known.error[1]


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"kept = _transform\(", "kept = state * _transform("),
        (r"kept = _transform\(", "kept = np.exp(-step) * _transform("),
        (r"return \(state \* query\)\.sum\(axis=-1\)", "return (state * query)"),
    ],
)
def test_texts_that_are_no_sum_have_no_bound(pattern: str, replacement: str) -> None:
    kernel = kernel_of("decay", "numpy", (pattern, replacement))
    with pytest.raises(NotYetCovered):
        causal_bound(kernel, planned("decay"), "float32")


def test_refusals() -> None:
    with pytest.raises(NotYetCovered):
        causal_bound(kernel_of("rope", "numpy"), planned("rope"), "float32")


def test_learned_rates_are_bounded_over_their_box() -> None:
    bound = causal_bound(kernel_of("learned-heads", "torch"), planned("learned-heads"), "float32")
    assert set(bound.box) == {"a", "b"}
    assert bound.limit > 1000


def test_bounds_are_stated() -> None:
    found = judge(kernel_of("decay", "numpy"), planned("decay"), dtypes=["bfloat16"])
    assert found.verdict == "holds"
    honest = found.causal["bfloat16"].bound.stated
    assert not found.false_statements({"recurrent_step bfloat16": honest})
    for old, new in (("1.1*2^-8", "1.0*2^-9"), ("n <= ", "n <= 9"), ("*n", "*n^2")):
        assert found.false_statements({"recurrent_step bfloat16": honest.replace(old, new)})
    assert 0.1 < found.causal["bfloat16"].measured <= 1.0
    assert any(line.startswith("# recurrent_step bfloat16: eps = 1.1*2^-8") for line in (
        found.header_lines()
    ))  # fmt: skip
