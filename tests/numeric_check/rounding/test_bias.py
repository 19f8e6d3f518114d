"""Coordinates that realise a bias: what they lose, and how far they are exact."""

from __future__ import annotations

import pytest

from numeric_check.kernels.kernel import compile_kernel
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import bias_bound, judge, measure_bias
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.emit.source import emit
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.errors import NotYetCovered, SpecificationError
from tests.numeric_check.rounding.test_bound import TARGETS, kernel_of, planned

POLYNOMIAL = ["alibi", "alibi-3", "quadratic", "rope-alibi", "two-slopes"]
EXACT_TO = {"float64": 2**52 - 1, "float32": 2**24, "bfloat16": 2**8, "float16": 2**11}
"""Integers that a format holds, each p of 2^p; the search for float64 ends below 2^52."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", POLYNOMIAL)
def test_measured_errors_lie_inside(name: str, target: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = bias_bound(kernel, plan, dtype)
    assert measure_bias(kernel, plan, bound) <= 1.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_slopes_that_are_powers_of_two_are_exact_as_far_as_integers_are(dtype: str) -> None:
    kernel, plan = kernel_of("alibi", "torch"), planned("alibi")
    assert bias_bound(kernel, plan, dtype).safe == EXACT_TO[dtype]


def test_other_slopes_are_safe_nowhere_near_that_far() -> None:
    """Twelve heads have slopes 2^(−8h/12), rounded to the dtype: the error grows with |u|."""
    plan = plan_kernel(catalogue("alibi", {"dim": 4, "heads": 12}))
    text = emit(plan, "numpy", command="", certificate_digest="sha256:0").text
    kernel = compile_kernel(text)
    found = {dtype: bias_bound(kernel, plan, dtype) for dtype in DTYPES}
    assert found["bfloat16"].safe < 8
    assert 10_000 < found["float32"].safe < 2**20
    assert found["bfloat16"].formula.endswith("*2^-8*|u|")
    for bound in found.values():
        assert 0.1 < measure_bias(kernel, plan, bound) <= 1.0


def test_the_reach_ends_where_a_coordinate_overflows() -> None:
    kernel, plan = kernel_of("alibi", "numpy"), planned("alibi")
    assert bias_bound(kernel, plan, "float16").reach <= 65504
    assert bias_bound(kernel, plan, "bfloat16").reach == 2**20


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_coordinates_with_waves_lie_inside(target: str, dtype: str) -> None:
    plan = plan_kernel(catalogue("sandwich", {"dim": 6, "heads": 2}))
    text = emit(plan, target, command="", certificate_digest="sha256:0").text
    kernel = compile_kernel(text)
    bound = bias_bound(kernel, plan, dtype)
    assert 1 / 128 < measure_bias(kernel, plan, bound) <= 1.0, "of 128 products, all at once"
    assert (bound.safe > 2**20) == (dtype in {"float64", "float32"})


def test_coordinates_that_are_no_function_of_the_lag_have_no_bound() -> None:
    """Waves that turn the other way, and an exponential that does not cancel."""
    plan = planned("sandwich")
    for edit in (
        (r"-np\.sin\(BIAS_FREQUENCY \* u\)", "np.sin(BIAS_FREQUENCY * u)"),
        (r"np\.exp\(1 / 999 \* u\)", "np.exp(1 / 998 * u)"),
    ):
        with pytest.raises(NotYetCovered, match="function of the lag"):
            bias_bound(kernel_of("sandwich", "numpy", edit), plan, "float32")


def test_a_fault_of_precision_leaves_the_bound() -> None:
    kernel, plan = kernel_of("alibi", "numpy"), planned("alibi")
    edit = (r"axis=-1\)\.astype\(x\.dtype\)", "axis=-1).astype(np.float16).astype(x.dtype)")
    faulty = kernel_of("alibi", "numpy", edit)
    right = bias_bound(kernel, plan, "float32")
    own = bias_bound(faulty, plan, "float32")
    assert not any(right.error)
    assert measure_bias(faulty, plan, right) > 1.0
    assert own.safe < right.safe


def test_a_wrong_slope_is_in_the_bound() -> None:
    plan = planned("alibi-3")
    wrong = kernel_of("alibi-3", "numpy", (r"(SLOPE = .*?)\n\n", r"\1\nSLOPE = SLOPE * 1.001\n\n"))
    bound = bias_bound(wrong, plan, "float64")
    assert bound.safe < 2**12
    assert 1e-3 < measure_bias(wrong, plan, bound) <= 1.0


def test_refusals() -> None:
    with pytest.raises(NotYetCovered, match="appends no coordinates"):
        bias_bound(kernel_of("rope", "numpy"), planned("rope"), "float32")
    kernel, plan = kernel_of("alibi", "numpy"), planned("alibi")
    wrong = kernel_of("alibi", "numpy", (r"_append\(x, -u,", "_append(x, u,"))
    with pytest.raises(NotYetCovered, match="function of the lag"):
        bias_bound(wrong, plan, "float32")
    with pytest.raises(SpecificationError, match="dtype"):
        bias_bound(kernel, plan, "int8")
    with pytest.raises(SpecificationError, match="tolerance"):
        bias_bound(kernel, plan, "float32", tolerance=float("nan"))


def test_judged() -> None:
    found = judge(kernel_of("alibi", "numpy"), planned("alibi"), dtypes=["bfloat16"])
    assert found.verdict == "holds"
    assert found.bias["bfloat16"].bound.safe == 256
