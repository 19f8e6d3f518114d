"""Bounds of `decay`: they hold, they are near, and an edited text has another one."""

from __future__ import annotations

import pytest

from numeric_check import compile_kernel
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import judge, measure, rounding_bound, safe_position
from numeric_check.rounding.bound import KernelBound
from symbolic_pe import plan_kernel, read_specification
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import emit
from symbolic_pe.errors import NotYetCovered

RETNET = "retnet:dim=2,heads=2"


def made(spec: str, target: str, old: str = "", new: str = "") -> tuple[object, KernelPlan]:
    plan = plan_kernel(read_specification(spec))
    text = emit(plan, target, command="x", certificate_digest="sha256:0").text
    assert old in text, old
    return compile_kernel(text.replace(old, new), target), plan


def bounded(dtype: str, old: str = "", new: str = "") -> KernelBound:
    kernel, plan = made(RETNET, "torch", old, new)
    return rounding_bound(kernel, plan, dtype, form="decay")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("spec", [RETNET, "decay:dim=2", "decay:dim=2,rate=30"])
def test_measured_errors_are_inside_and_near(spec: str, dtype: str) -> None:
    kernel, plan = made(spec, "torch")
    bound = rounding_bound(kernel, plan, dtype, form="decay")
    found = measure(kernel, plan, bound)
    assert 1 / 8 < found.ratio <= 1.0
    assert bound.limited_by == "domain"


def test_the_rounding_of_the_result_and_of_the_exponent_are_stated() -> None:
    """One rounding to bfloat16; at distance the exponent, formed in float64, and its rate."""
    bound = bounded("bfloat16")
    assert bound.formula.startswith("1.001*2^-8 + ")
    kernel, plan = made(RETNET, "torch")
    safe = safe_position(kernel, plan, bound)
    assert safe.limited_by == "tolerance"
    assert safe.position is not None
    assert safe.position > 2**40


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lag.clamp(min=0.0))", "lag.clamp(min=0.0).float())"),
        ("RATE = torch", "RATE = 1.000001 * torch"),
    ],
)
def test_an_edited_text_has_a_larger_bound(old: str, new: str) -> None:
    """A lag in float32, and another rate."""
    own, other = bounded("float32"), bounded("float32", old, new)
    assert other.relative[1] > 1000 * own.relative[1]


def test_a_text_that_asks_for_another_sign_has_no_bound() -> None:
    for old, new in (
        ("lag >= 0", "lag >= 1"),
        ("lag >= 0", "-lag >= 0"),
        ("factor, 0.0", "lag, 0.0"),
    ):
        with pytest.raises(NotYetCovered):
            bounded("float32", old, new)


def test_bounds_are_judged_and_stated() -> None:
    kernel, plan = made("decay:dim=2", "torch")
    found = judge(kernel, plan, dtypes=("float32",))
    assert found.verdict == "holds"
    lines = found.header_lines()
    assert "decay, u the lag" in lines[0]
    assert any(line.startswith("# decay float32: eps = 1.1*2^-24") for line in lines)
    header = {"decay float32": "eps = 1.0*2^-30, eta = 0, |u| <= 1"}
    assert found.false_statements(header)
    kernel, plan = made("decay:dim=2", "numpy")
    assert set(judge(kernel, plan).of_lag["decay"]) == {"float64"}
    kernel, plan = made("rope:dim=2", "torch")
    with pytest.raises(NotYetCovered):
        rounding_bound(kernel, plan, "float32", form="decay")
