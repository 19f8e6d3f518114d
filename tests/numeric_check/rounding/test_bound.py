"""Measured errors lie inside the bound; the bound is near, follows the text, and can fail."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric_check.kernels.kernel import Kernel, compile_kernel
from numeric_check.reference_values.tolerance import DTYPES, FORMATS
from numeric_check.rounding import (
    KernelBound,
    judge,
    measure,
    rounding_bound,
    safe_position,
    search,
)
from numeric_check.rounding.bound import served_reach
from numeric_check.rounding.measured import standard_positions
from symbolic_pe.algebra.scalar import ZERO
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.emit.source import emit
from symbolic_pe.encodings.catalogue import catalogue, own_kernels
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.generators.block import Block
from tests.emit.by_hand import ENCODINGS
from tests.emit.reference import built
from tests.numeric_check.test_reference import encoding_of, generator_of
from tests.strategies import blocks

TARGETS = ("numpy", "torch")
SMALL = {"rope": {"dim": 16}, "retnet": {"dim": 16, "heads": 4}, "jordan-rope": {"dim": 12}}
NUMERIC = [name for name in ENCODINGS if not plan_kernel(built(name)).parameters]
HALVES = "rope with halves"
ALL = [*NUMERIC, *(f"catalogue:{name}" for name in own_kernels()), HALVES]


@functools.cache
def planned(name: str) -> KernelPlan:
    return plan_kernel(encoding(name))


def encoding(name: str) -> Encoding:
    if name == HALVES:
        return catalogue("rope", {"dim": 16, "layout": "half"})
    if name.startswith("catalogue:"):
        entry = name.removeprefix("catalogue:")
        return catalogue(entry, SMALL.get(entry, {}))
    return built(name)


@functools.cache
def text_of(name: str, target: str) -> str:
    return emit(
        planned(name), target, command="symbolic-pe build", certificate_digest="sha256:0"
    ).text


def kernel_of(name: str, target: str, *edits: tuple[str, str]) -> Kernel:
    text = text_of(name, target)
    for pattern, replacement in edits:
        text, count = re.subn(pattern, replacement, text, flags=re.S)
        assert count, f"{pattern!r} no longer applies"
    return compile_kernel(text)


# -- inside ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ALL)
def test_measured_errors_lie_inside(name: str, target: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, dtype)
    assert measure(kernel, plan, bound).ratio <= 1.0


@pytest.mark.parametrize("rate", ["-8", "-57/5", "-19"])
def test_references_keep_displacements_within_the_reach(rate: str) -> None:
    """Steep decay in float16, whose range ends before |position - reference| = 1."""
    plan = plan_kernel(from_document({"blocks": [{"rate": rate, "repeat": 8}]}))
    text = emit(plan, "numpy", command="x", certificate_digest="sha256:0").text
    kernel = compile_kernel(text)
    bound = rounding_bound(kernel, plan, "float16")
    assert bound.reach < 1.0
    assert measure(kernel, plan, bound).ratio <= 1.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_errors_lie_inside_far_beyond_the_domain(dtype: str) -> None:
    kernel, plan = kernel_of("rope", "torch"), planned("rope")
    bound = rounding_bound(kernel, plan, dtype, reach=2.0**45)
    assert {2**40 - 1, 2**40 + 1, -(2**44)} <= set(standard_positions(bound.reach))
    assert measure(kernel, plan, bound).ratio <= 1.0


def test_positions_are_powers_of_two_and_their_neighbours() -> None:
    found = standard_positions(2.0**20)
    expected = {0, 1} | {2**k + o for k in range(1, 20) for o in (-1, 0, 1)} | {2**20}
    assert expected <= set(found)
    assert any(not float(t).is_integer() for t in found)
    assert max(map(abs, found)) <= 2**20


STABLE = ["catalogue:retnet", "catalogue:decay", "uniform-damped", "retention"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STABLE)
def test_rotate_is_bounded_over_the_whole_domain(name: str, target: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, dtype, form="rotate")
    assert (bound.reach, bound.limited_by) == (2.0**20, "domain")
    assert rounding_bound(kernel, plan, dtype).limited_by == "range"
    assert measure(kernel, plan, bound).ratio <= 1.0


def test_a_rotate_that_decays_leaves_its_bound() -> None:
    name = "catalogue:retnet"
    plan, right = planned(name), kernel_of(name, "numpy")
    wrong = kernel_of(name, "numpy", (r"position, 0\.0, 0\)", "position, 0.0, 1)"))
    bound = rounding_bound(right, plan, "bfloat16", form="rotate")
    assert measure(wrong, plan, bound).ratio > 1.0
    own = rounding_bound(wrong, plan, "bfloat16", form="rotate", reach=1000.0)
    assert own.epsilon(1000.0) > 1.0


def test_an_error_that_grows_where_a_block_has_no_entry_is_in_the_bound() -> None:
    """(fl32(e^{u/2}) − e^{u/2})·x₁ in the output of channel 0, of a chain that does not grow."""
    plan = plan_kernel(from_document({"blocks": [{"chain_length": 2, "shear": "1/4"}]}))
    text = emit(plan, "numpy", command="", certificate_digest="sha256:0").text
    right = "    result[..., :] = links[..., 0]\n"
    lost = "(grown.astype(np.float32).astype(np.float64) - grown)"
    wrong = f"    grown = np.exp(0.5 * u)\n    result[..., :1] += {lost} * wide[..., 1:]\n"
    assert right in text
    kernel = compile_kernel(text.replace(right, right + wrong))
    for reach in (20.0, 60.0):
        bound = rounding_bound(kernel, plan, "float64", reach=reach)
        assert 0.01 < measure(kernel, plan, bound).ratio <= 1.0


@settings(max_examples=15, deadline=None)
@given(st.lists(blocks(max_chain=4), min_size=1, max_size=3), st.sampled_from(DTYPES))
def test_errors_of_any_blocks_lie_inside(parts: list[Block], dtype: str) -> None:
    plan = plan_kernel(encoding_of(generator_of(parts)))
    text = emit(plan, "numpy", command="", certificate_digest="sha256:0").text
    kernel = compile_kernel(text)
    assert measure(kernel, plan, rounding_bound(kernel, plan, dtype)).ratio <= 1.0


# -- near -----------------------------------------------------------------------------------------

SINGLE = {
    "rotation": ("rope", {"dim": 2}),
    "decay": ("decay", {"dim": 1}),
    "damped rotation": ("xpos", {"dim": 2}),
    "chain of planes": ("jordan-rope", {"dim": 4}),
}
WITHIN = 8.0
"""The search has to come within this factor of the bound."""


def single(name: str) -> tuple[Kernel, KernelPlan]:
    if name == "shear":
        plan = plan_kernel(encoding_of(generator_of([Block(ZERO, ZERO, 2)])))
    else:
        entry, settings_ = SINGLE[name]
        plan = plan_kernel(catalogue(entry, settings_))
    kernel = compile_kernel(emit(plan, "numpy", command="", certificate_digest="sha256:0"))
    return kernel, plan


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*SINGLE, "shear"])
def test_a_search_comes_near_the_bound_of_one_block(name: str, dtype: str) -> None:
    kernel, plan = single(name)
    bound = rounding_bound(kernel, plan, dtype)
    found = search(kernel, plan, bound, positions=standard_positions(bound.reach)[:48])
    assert 1.0 / WITHIN <= found.ratio <= 1.0


# -- the text decides -----------------------------------------------------------------------------

FAULTS = {
    "angles in float32": (
        "rope", "torch", r"angle = u \* THETA\.to\(u\.device\)",
        "angle = (u * THETA.to(u.device)).to(torch.float32)",
    ),
    "angles in float32, NumPy": (
        "rope", "numpy", r"angle = u \* THETA", "angle = (u * THETA).astype(np.float32)",
    ),
    "positions in float32": (
        "rope", "numpy", r"np\.asarray\(position, np\.float64\)",
        "np.asarray(position, np.float32)",
    ),
    "frequencies in float32": (
        "rope", "numpy", r"u \* THETA", "u * THETA.astype(np.float32)",
    ),
    "tables in bfloat16": (
        "rope", "torch", r"\(angle\)\.to\(dtype\)", "(angle).to(torch.bfloat16).to(dtype)",
    ),
    "tables in float16": (
        "rope", "numpy", r"\.astype\(dtype\)", ".astype(np.float16).astype(dtype)",
    ),
    "products in the dtype of x": (
        "catalogue:grape-m", "torch", r"torch\.promote_types\(x\.dtype, torch\.float32\)",
        "x.dtype",
    ),
    "exponents in float32": (
        "decay", "torch", r"torch\.exp\(side \* RATE \* u\)",
        "torch.exp((side * RATE * u).to(torch.float32))",
    ),
    "weights in bfloat16": (
        "polynomial", "torch", r"\(side \* u\)\.to\(compute\)", "(side * u).to(torch.bfloat16)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_precision_leaves_the_bound_of_the_right_text(fault: str) -> None:
    """And its own bound, which is larger, holds."""
    name, target, pattern, replacement = FAULTS[fault]
    plan = planned(name)
    dtype = "bfloat16" if fault == "products in the dtype of x" else "float32"
    right = rounding_bound(kernel_of(name, target), plan, dtype)
    faulty = kernel_of(name, target, (pattern, replacement))
    own = rounding_bound(faulty, plan, dtype)
    assert measure(faulty, plan, right).ratio > 1.0
    assert measure(faulty, plan, own).ratio <= 1.0
    assert own.epsilon(own.reach) > right.epsilon(own.reach)


def test_a_wrong_constant_is_in_the_bound() -> None:
    """‖X̂ − X‖ is part of ε, so that a text with another base has a bound that holds."""
    plan = planned("rope")
    wrong = kernel_of("rope", "numpy", (r"10000\.0", "10000.001"))
    bound = rounding_bound(wrong, plan, "float64")
    assert bound.epsilon(2.0**20) > 1e-4
    assert 1e-6 < measure(wrong, plan, bound).ratio <= 1.0
    right = rounding_bound(kernel_of("rope", "numpy"), plan, "float64")
    assert measure(wrong, plan, right).ratio > 1.0


def test_more_exact_arithmetic_does_not_widen_the_bound() -> None:
    plan = planned("rope")
    double = kernel_of("rope", "numpy", (r"np\.result_type\(np.*?, np\.float32\)", "np.float64"))
    usual = rounding_bound(kernel_of("rope", "numpy"), plan, "float32")
    better = rounding_bound(double, plan, "float32")
    assert better.epsilon(0.0) < usual.epsilon(0.0) / 2
    assert measure(double, plan, better).ratio <= 1.0


def test_products_fused_with_sums_lie_inside() -> None:
    """Each plane as fl(c·x − fl(s·y)) with an exact first product, as fused operations give it."""
    plan = planned("rope")
    fused = kernel_of(
        "rope",
        "numpy",
        (
            r"turned = \(planes.*?\.view\(compute\)",
            "a, b, c, d = planes.real, planes.imag, table.real, table.imag\n"
            "    wide = c.astype(np.float64)\n"
            "    parts = (wide * a - d * b, wide * b + d * a)\n"
            "    turned = np.stack(parts, axis=-1).astype(compute).reshape(x.shape)",
        ),
    )
    bound = rounding_bound(kernel_of("rope", "numpy"), plan, "float32")
    assert measure(fused, plan, bound).ratio <= 1.0


# -- form -----------------------------------------------------------------------------------------


def test_the_terms_of_a_rotation_are_what_they_should_be() -> None:
    """float32: table, product and sum, 2√2 + 1; output: one rounding; angle: √2·|θu|·2⁻⁵³."""
    plan = plan_kernel(catalogue("rope", {"dim": 2}))
    kernel = compile_kernel(emit(plan, "numpy", command="", certificate_digest="sha256:0"))
    single_ = rounding_bound(kernel, plan, "float32").relative
    u = FORMATS["float32"].unit_roundoff
    assert 2 * 2**0.5 + 1 < single_[0] / u < (2 * 2**0.5 + 1) * 1.001
    assert 2**0.5 <= single_[1] * 2.0**53 < 2**0.5 * 1.001
    half = rounding_bound(kernel, plan, "bfloat16").relative
    assert 1.0 < half[0] * 2.0**8 < 1.001


def test_every_block_has_its_own_formula() -> None:
    plan = planned("rope")
    bound = rounding_bound(kernel_of("rope", "numpy"), plan, "float64")
    assert len(bound.blocks) == 2 * sum(len(g.slots[0]) for g in plan.groups)
    slopes = [b.relative[1] for b in bound.blocks if b.side == "query"]
    assert min(slopes) < max(slopes) / 100
    for b in bound.blocks:
        whole = zip(b.relative, bound.relative, strict=False)
        assert all(c <= largest for c, largest in whole)


def test_the_reach_is_cut_where_the_range_ends() -> None:
    plan = planned("decay")
    kernel = kernel_of("decay", "numpy")
    bound = rounding_bound(kernel, plan, "float16")
    assert bound.limited_by == "range"
    assert bound.reach == served_reach(plan, "float16", 2.0**20) < 250
    with pytest.raises(SpecificationError, match="larger reach"):
        bound.epsilon(1000.0)
    assert rounding_bound(kernel, plan, "float64", reach=100.0).limited_by == "domain"


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_that_leave_float64_on_the_way_have_no_bound(dtype: str) -> None:
    """A factor that is taken back is exact up to where the number between is infinite."""
    size = {"float64": 10, "float32": 935}[dtype]
    factor = f"2.0**{size} * 2.0**-{size}"
    edit = (r"np\.exp\(side \* RATE \* u\)", f"np.exp(side * RATE * u) * {factor}")
    kernel, plan = kernel_of("catalogue:xpos", "numpy", edit), planned("catalogue:xpos")
    whole = rounding_bound(kernel_of("catalogue:xpos", "numpy"), plan, dtype)
    with np.errstate(all="ignore"):
        assert measure(kernel, plan, whole).ratio == np.inf
    with pytest.raises(NotYetCovered, match="leave the range of a format that it computes in"):
        rounding_bound(kernel, plan, dtype)
    near = rounding_bound(kernel, plan, dtype, reach=whole.reach / 2)
    assert measure(kernel, plan, near).ratio <= 1.0


def test_the_identity_has_no_error() -> None:
    bound = rounding_bound(kernel_of("nope", "torch"), planned("nope"), "bfloat16")
    assert (bound.formula, bound.absolute) == ("0", 0.0)


# -- parameters -----------------------------------------------------------------------------------


LEARNED = {
    "learned-rates": {"x": 0.03, "w": 0.7, "lambda": 0.01},
    "learned-heads": {"a": 0.01, "b": 0.3},
    "learned-slopes": {"m": 0.5, "w": 0.7},
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", list(LEARNED))
def test_errors_lie_inside_at_the_values_of_parameters(name: str, target: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, dtype, parameters=LEARNED[name])
    assert bound.parameters == LEARNED[name]
    found = measure(kernel, plan, bound)
    assert 0.1 < found.ratio <= 1.0, "inside, and not by far"
    assert safe_position(kernel, plan, bound).position


def test_larger_values_end_the_range_earlier() -> None:
    kernel, plan = kernel_of("learned-heads", "numpy"), planned("learned-heads")
    near, far = (
        rounding_bound(kernel, plan, "float32", parameters={"a": 2.0, "b": b}).reach
        for b in (8.0, 4.0)
    )
    assert near * 2 == pytest.approx(far)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"rate = np.stack\(\[-a, -b", "rate = np.stack([-a, -a"),
        (r"angle = u \* theta", "angle = -u * theta"),
        (r"scale \* wide", "scale * scale * wide"),
    ],
)
def test_another_map_of_the_parameters_has_no_bound_that_holds(
    pattern: str, replacement: str
) -> None:
    plan = planned("learned-heads")
    kernel = kernel_of("learned-heads", "numpy", (pattern, replacement))
    honest = kernel_of("learned-heads", "numpy")
    values = LEARNED["learned-heads"]
    known = rounding_bound(honest, plan, "float32", parameters=values)
    assert measure(kernel, plan, known).ratio > 1.0
    try:
        found = rounding_bound(kernel, plan, "float32", parameters=values)
    except NotYetCovered:
        return
    assert found.epsilon(10.0) > 1000 * known.epsilon(10.0)


def test_refused_parameters() -> None:
    kernel, plan = kernel_of("learned-heads", "numpy"), planned("learned-heads")
    for values in ({}, {"a": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": -1.0, "b": 1.0}):
        with pytest.raises(SpecificationError, match="parameters: expected"):
            rounding_bound(kernel, plan, "float32", parameters=values)
    with pytest.raises(SpecificationError, match="finite"):
        rounding_bound(kernel, plan, "float32", parameters={"a": float("nan"), "b": 1.0})


# -- refusals -------------------------------------------------------------------------------------


def test_refusals() -> None:
    plan, kernel = planned("rope"), kernel_of("rope", "numpy")
    with pytest.raises(SpecificationError, match="expected one of float64"):
        rounding_bound(kernel, plan, "float8")
    for reach in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(SpecificationError, match="reach"):
            rounding_bound(kernel, plan, "float32", reach=reach)
    with pytest.raises(SpecificationError, match="form"):
        rounding_bound(kernel, plan, "float32", form="shear")
    for form in ("rotate", "decay"):
        with pytest.raises(NotYetCovered, match=form):
            rounding_bound(kernel, plan, "float32", form=form)


OUTSIDE = {
    "branches on values": (r"angle = u \* THETA", "angle = u * THETA\n    if angle[0]: pass"),
    "takes cos of an input": (r"le\(position, reference, d", "le(x[..., 0], reference, d"),
    "squares its input": (r"planes \* table", "planes * planes * table"),
    "reads another block": (r"\.view\(plane\)", ".view(plane)[..., :1]"),
    "turns the other way": (r"angle = u \* THETA", "angle = -u * THETA"),
    "takes the sine for the cosine": (r"np\.cos\(angle\)", "np.sin(angle)"),
    "has another layout": (r"ascontiguousarray\(x,", "ascontiguousarray(x[..., ::-1],"),
    "doubles the result": (r"return turned\.", "return (turned + turned)."),
    "has no such function": (r"np\.cos\(angle\)", "np.tan(angle)"),
    "forgets the reference": (r" - reference\)", ")"),
    "reads what was not written": (r"return turned\.", "return (turned + np.empty_like(turned))."),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_texts_outside_the_model_are_undecided(name: str) -> None:
    kernel = kernel_of("rope", "numpy", OUTSIDE[name])
    with pytest.raises(NotYetCovered):
        rounding_bound(kernel, planned("rope"), "float32")
    assert judge(kernel, planned("rope"), dtypes=["float32"]).verdict == "undecided"


def test_a_chain_that_is_not_the_exponential_is_undecided() -> None:
    name = "long-jordan-rope"
    for edit in ((r"weight / k \*", "weight * k *"), (r"side \* SHEAR", "SHEAR")):
        kernel = kernel_of(name, "numpy", edit)
        with pytest.raises(NotYetCovered, match=r"in A\(u\)"):
            rounding_bound(kernel, planned(name), "float32")


def test_a_bound_that_is_too_small_is_refuted() -> None:
    from dataclasses import replace

    plan, kernel = planned("rope"), kernel_of("rope", "numpy")
    bound = rounding_bound(kernel, plan, "bfloat16")

    def shrunk(factor: float) -> KernelBound:
        parts = [
            replace(b, relative=tuple(c * factor for c in b.relative), absolute=0.0)
            for b in bound.blocks
        ]
        return replace(bound, blocks=tuple(parts))

    assert measure(kernel, plan, shrunk(1.0)).ratio <= 1.0
    assert measure(kernel, plan, shrunk(0.5)).ratio > 1.0


def test_a_kernel_with_nan_is_refuted() -> None:
    plan = planned("rope")
    bound = rounding_bound(kernel_of("rope", "numpy"), plan, "float32")
    broken = kernel_of("rope", "numpy", (r"return turned\.", "return (turned * np.nan)."))
    assert measure(broken, plan, bound).ratio == np.inf
