"""How far a dtype is safe; bounds as text, and statements in headers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numeric_check import compile_kernel
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import (
    KernelBounds,
    default_tolerance,
    judge,
    measure,
    rounding_bound,
    safe_position,
    upward,
)
from numeric_check.rounding.formula import (
    formula,
    largest_within,
    stated_formula,
    stated_number,
    states_at_least,
)
from numeric_check.rounding.safe import HORIZON
from symbolic_pe.errors import SpecificationError
from tests.numeric_check.rounding.test_bound import kernel_of, planned

POSITIVE = st.floats(min_value=1e-300, max_value=1e140)


@given(POSITIVE, POSITIVE)
def test_upper_bounds_are_upper(a: float, b: float) -> None:
    assert Fraction(upward.plus(a, b)) >= Fraction(a) + Fraction(b)
    assert Fraction(upward.times(a, b)) >= Fraction(a) * Fraction(b)


@given(st.lists(st.floats(min_value=0.0, max_value=1e6), max_size=4), st.floats(0.0, 1e3))
def test_polynomials_are_evaluated_upwards(p: list[float], u: float) -> None:
    exact = sum((Fraction(c) * Fraction(u) ** k for k, c in enumerate(p)), Fraction(0))
    assert Fraction(upward.value(tuple(p), u)) >= exact
    folded = upward.folded(tuple(p), 1e3)
    assert Fraction(upward.value(folded, u)) * (1 + Fraction(1, 2**40)) >= exact


def test_tolerances() -> None:
    assert default_tolerance("bfloat16") == 2.0**-7
    assert default_tolerance("float16") == 2.0**-10
    assert default_tolerance("float32") == default_tolerance("float64") == 2.0**-20


@pytest.mark.parametrize("dtype", DTYPES)
def test_rotations_are_safe_far_beyond_the_domain(dtype: str) -> None:
    kernel, plan = kernel_of("rope", "numpy"), planned("rope")
    found = safe_position(kernel, plan, rounding_bound(kernel, plan, dtype))
    assert found.limited_by == "tolerance"
    assert found.position is not None
    assert found.position > 2**30
    # the answer is the last one: there the bound keeps the tolerance, one further it does not
    far = rounding_bound(kernel, plan, dtype, reach=HORIZON)
    here, next_ = (
        max(upward.value(b.relative, float(found.position + k)) for b in far.blocks) for k in (0, 1)
    )
    assert here <= found.tolerance < next_


def test_what_float32_angles_cost() -> None:
    """Angles that lose digits are safe to a few thousand positions only, as people find out."""
    plan = planned("rope")
    edit = (
        r"angle = u \* THETA\.to\(u\.device\)",
        "angle = (u * THETA.to(u.device)).to(torch.float32)",
    )
    faulty, right = kernel_of("rope", "torch", edit), kernel_of("rope", "torch")
    safe = [
        safe_position(k, plan, rounding_bound(k, plan, "bfloat16")).position
        for k in (faulty, right)
    ]
    assert safe[0] is not None
    assert safe[1] is not None
    assert 10_000 < safe[0] < 200_000
    assert safe[1] > 10**12


def test_decays_are_safe_to_the_end_of_their_range() -> None:
    kernel, plan = kernel_of("decay", "torch"), planned("decay")
    found = safe_position(kernel, plan, rounding_bound(kernel, plan, "bfloat16"))
    assert (found.position, found.limited_by) == (2728, "range")
    assert "safe to 2728, the range of the dtype" in str(found)


def test_a_tolerance_below_the_output_rounding_is_safe_nowhere() -> None:
    kernel, plan = kernel_of("rope", "torch"), planned("rope")
    bound = rounding_bound(kernel, plan, "bfloat16")
    assert safe_position(kernel, plan, bound, 2.0**-9).position is None
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(SpecificationError, match="tolerance"):
            safe_position(kernel, plan, bound, wrong)


def test_the_largest_within() -> None:
    assert largest_within((1.0, 1.0), 11.5, 100.0) == 10.0
    assert largest_within((1.0, 1.0), 1000.0, 100.0) == 100.0
    assert largest_within((1.0,), 0.5, 100.0) == -1.0
    assert largest_within((), 0.5, 100.0) == 100.0


def test_formulas_round_upwards() -> None:
    assert formula((2.0**-24 * 3.8291,), "float32") == "3.830*2^-24"
    assert formula((0.0, 2.0**-53 * 1.41421356), "float32") == "1.415*2^-53*|u|"
    assert formula((0.0, 0.0, 2.0**-53), "float32") == "1.000*2^-53*|u|^2"
    assert formula((), "float32") == "0"
    assert formula((2.0**-24 * 1.5e12,), "float32") == "1.500e+12*2^-24"


@pytest.mark.parametrize("name", ["rope", "decay", "polynomial", "dense", "nope", "long-chain"])
def test_what_a_file_states_is_at_least_the_bound(name: str) -> None:
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    for dtype in DTYPES:
        bound = rounding_bound(kernel, plan, dtype)
        eps, eta = stated_formula(bound.relative, dtype), stated_number(bound.absolute)
        stated = f"eps = {eps}, eta = {eta}, |u| <= {int(bound.reach)}"
        assert states_at_least(stated, bound)
        further = f"eps = {eps}, eta = {eta}, |u| <= {int(bound.reach) + 1}"
        assert not states_at_least(further, bound)
        if bound.relative:
            assert not states_at_least(f"eps = 0, eta = {eta}, |u| <= 1", bound)
    for wrong in (
        "",
        "eps = 1",
        "eps = x, eta = 0, |u| <= 1",
        "eps = 1*2^-9*|v|, eta = 0, |u| <= 1",
    ):
        assert not states_at_least(wrong, bound)


def test_a_kernel_is_judged() -> None:
    kernel, plan = kernel_of("rope", "torch"), planned("rope")
    found = judge(kernel, plan, dtypes=["bfloat16"])
    assert found.verdict == "holds"
    assert found.failures == []
    lines = found.header_lines()
    assert lines[1].startswith("# bfloat16:    eps = 1.1*2^-8 + 1.5*2^-53*|u|, eta = ")
    assert found.false_statements({"bfloat16": found.dtypes["bfloat16"].stated}) == []
    lower = found.dtypes["bfloat16"].stated.replace("1.1*2^-8", "1.0*2^-9")
    (line,) = found.false_statements({"bfloat16": lower})
    assert "states" in line


def test_what_nothing_bears_out_is_named() -> None:
    found = judge(kernel_of("rope", "torch"), planned("rope"), dtypes=["bfloat16"])
    (line,) = found.false_statements({"single": found.dtypes["bfloat16"].stated})
    assert "single" in line
    (line,) = found.false_statements({"error": "none at all"})
    assert "the law 'none at all'" in line


def test_bounds_of_two_texts_are_compared() -> None:
    kernel, plan = kernel_of("rope", "torch"), planned("rope")
    emitted = judge(kernel, plan, dtypes=["float32"])
    assert emitted.larger_than(emitted) == []
    rounded = kernel.text.replace(
        "angle = u * THETA.to(u.device)", "angle = (u * THETA.to(u.device)).float()"
    )
    assert rounded != kernel.text
    lines = judge(compile_kernel(rounded), plan, dtypes=["float32"]).larger_than(emitted)
    assert any("for float32, but the bound of this text is" in line for line in lines)
    unknown = KernelBounds("undecided", "not run")
    assert any(
        "the emitted text has a bound for float32" in x for x in unknown.larger_than(emitted)
    )


def test_coordinates_of_a_bias_are_compared() -> None:
    kernel, plan = kernel_of("alibi", "numpy"), planned("alibi")
    emitted = judge(kernel, plan, dtypes=["float32"])
    assert emitted.bias
    assert emitted.larger_than(emitted) == []
    own = emitted.bias["float32"]
    longer = replace(own, bound=replace(own.bound, error=(*own.bound.error, 1.0)))
    for worse in ({}, {"float32": longer}):
        (line,) = replace(emitted, bias=worse).larger_than(emitted)
        assert "realise the bias (float32)" in line


def test_a_measurement_names_its_place() -> None:
    kernel, plan = kernel_of("rope", "numpy"), planned("rope")
    found = measure(kernel, plan, rounding_bound(kernel, plan, "float16"))
    assert re_found(str(found), "transform_", "(float16) at position", "error", "bound")
    assert len(found.vector) == plan.dimension
    assert np.isfinite(found.error)


def re_found(text: str, *parts: str) -> bool:
    return all(part in text for part in parts)
