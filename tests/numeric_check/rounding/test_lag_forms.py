"""Bounds of `bias` and `score_mod`: they hold, they are near, an edited text has another."""

from __future__ import annotations

import pytest

from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import judge, measure, rounding_bound, safe_position
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.test_bound import LEARNED, kernel_of, planned

BIASED = ["alibi", "alibi-3", "quadratic", "rope-alibi", "two-slopes", "sandwich-heads"]
FORMS = ["bias", "score_mod"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*BIASED, "learned-slopes", "catalogue:fox"])
def test_measured_errors_lie_inside_and_near(name: str, form: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, "torch"), planned(name)
    bound = rounding_bound(kernel, plan, dtype, form=form, parameters=LEARNED.get(name))
    found = measure(kernel, plan, bound)
    exact = form == "bias" and dtype == "float64"  # slopes may be powers of two
    assert (0.0 if exact else 1 / 16) <= found.ratio <= 1.0
    if name != "sandwich-heads":  # one term
        assert exact or found.ratio > 1 / 8
    assert safe_position(kernel, plan, bound).position


@pytest.mark.parametrize("name", BIASED)
def test_numpy_returns_float64(name: str) -> None:
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    bound = rounding_bound(kernel, plan, "float64", form="bias")
    assert measure(kernel, plan, bound).ratio <= 1.0
    for form, dtype in (("bias", "float32"), ("score_mod", "float64")):
        with pytest.raises(NotYetCovered, match="offered"):
            rounding_bound(kernel, plan, dtype, form=form)


def test_what_a_bias_costs_is_one_rounding_at_every_lag() -> None:
    kernel, plan = kernel_of("alibi", "torch"), planned("alibi")
    bound = rounding_bound(kernel, plan, "bfloat16", form="bias")
    assert bound.formula == "1.001*2^-8"
    score = rounding_bound(kernel, plan, "float32", form="score_mod")
    assert score.formula == "2.001*2^-24"
    assert safe_position(kernel, plan, bound).limited_by == "horizon"


EDITS = {
    "a lag in float32": (
        r"\(-SLOPE\.to\(lag\.device\) \* lag\)",
        "(-SLOPE * lag.float().double())",
    ),
    "another slope": (r"-SLOPE\.to\(lag\.device\) \* lag", "-1.0001 * SLOPE * lag"),
    "one rounding more": (r"\* lag\)\.to\(dtype\)", "* lag).to(torch.bfloat16).to(dtype)"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_bias_has_a_larger_bound_and_leaves_the_other_one(name: str) -> None:
    plan, honest = planned("alibi"), kernel_of("alibi", "torch")
    known = rounding_bound(honest, plan, "float64", form="bias")
    kernel = kernel_of("alibi", "torch", EDITS[name])
    own = rounding_bound(kernel, plan, "float64", form="bias")
    assert own.epsilon(1000.5) > 1000 * known.epsilon(1000.5)
    assert measure(kernel, plan, own).ratio <= 1.0 < measure(kernel, plan, known).ratio


def test_a_score_that_is_rounded_has_another_bound() -> None:
    plan = planned("alibi")
    edit = (r"return score \+ value\.to\(score\.dtype\)", "return score + value.half().float()")
    kernel = kernel_of("alibi", "torch", edit)
    own = rounding_bound(kernel, plan, "float32", form="score_mod", reach=1000.0)
    known = rounding_bound(kernel_of("alibi", "torch"), plan, "float32", form="score_mod")
    assert own.epsilon(5.0) > 1000 * known.epsilon(5.0)


@pytest.mark.parametrize(
    ("name", "pattern", "replacement"),
    [
        ("alibi", r"-SLOPE\.to\(lag\.device\) \* lag", "SLOPE * lag * lag"),
        ("alibi", r"-SLOPE\.to\(lag\.device\) \* lag", "SLOPE * torch.sin(lag)"),
        ("sandwich-heads", r"return value\.to\(dtype\)", "return (value + lag).to(dtype)"),
    ],
)
def test_another_function_has_no_bound(name: str, pattern: str, replacement: str) -> None:
    kernel = kernel_of(name, "torch", (pattern, replacement))
    with pytest.raises(NotYetCovered):
        rounding_bound(kernel, planned(name), "float32", form="bias")


def test_the_sign_of_a_bias_is_in_the_bound() -> None:
    edit = (r"-SLOPE\.to\(lag\.device\) \* lag", "SLOPE * lag")
    bound = rounding_bound(
        kernel_of("alibi", "torch", edit), planned("alibi"), "float32", form="bias"
    )
    assert bound.epsilon(0.0) >= 2.0


def test_bounds_are_judged_and_stated() -> None:
    found = judge(kernel_of("alibi", "torch"), planned("alibi"), dtypes=["float32"])
    assert found.verdict == "holds"
    lines = found.header_lines()
    assert "|b|_+" in lines[0]
    assert any(line.startswith("# bias float32: eps = 1.1*2^-24") for line in lines)
    assert any(line.startswith("# score_mod float32: eps = 2.2*2^-24") for line in lines)
    header = {"bias float32": "eps = 1.0*2^-30, eta = 0, |u| <= 1"}
    assert found.false_statements(header)
