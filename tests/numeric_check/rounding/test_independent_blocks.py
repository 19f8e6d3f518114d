"""Bounds of 2×2 blocks that branch, beside other blocks: each of them by its own discriminant."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb

from numeric_check.kernels.kernel import Kernel, compile_kernel
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import (
    KernelBound,
    causal_bound,
    chunkwise_bound,
    measure,
    measure_causal,
    measure_chunkwise,
    rounding_bound,
    search,
)
from numeric_check.rounding.box_bounds import cells_over, range_at
from numeric_check.rounding.measured import Bench
from numeric_check.rounding.parameters import declared_box
from numeric_check.rounding.sum_maps import SumMaps
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.plan import KernelPlan, MatrixGroup, plan_kernel
from symbolic_pe.emit.source import emit
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.test_bound import TARGETS

Rows = list[list[str]]
OSCILLATOR: Rows = [["0", "1"], ["-w^2", "-2*z*w"]]
OTHER: Rows = [["0", "1"], ["-v^2", "-2*y*v"]]
PLANE: Rows = [["0", "-1"], ["1", "0"]]
SLOW_PLANE: Rows = [["0", "-1/10"], ["1/10", "0"]]
DAMPED_PLANE: Rows = [["-1/20", "-10000^(-1/4)"], ["10000^(-1/4)", "-1/20"]]
LEARNED_DAMPING: Rows = [["-w", "-1/10"], ["1/10", "-w"]]
CONFLUENT: Rows = [["-w", "1/3"], ["0", "-w"]]
HYPERBOLIC: Rows = [["0", "1/3"], ["1/3", "0"]]
SKEWED: Rows = [["0", "-sqrt(2)*w^2"], ["1", "-pi*z"]]
FAMILIES: dict[str, list[Rows]] = {
    "plane": [OSCILLATOR, PLANE],
    "slow-plane": [OSCILLATOR, SLOW_PLANE],
    "damped-plane": [OSCILLATOR, DAMPED_PLANE],
    "decay": [OSCILLATOR, [["-1/20"]]],
    "two": [OSCILLATOR, OTHER, PLANE],
    "learned-damping": [LEARNED_DAMPING],
    "confluent": [CONFLUENT],
    "hyperbolic": [OSCILLATOR, HYPERBOLIC],
    "irrational": [SKEWED],
}
POINTS = {
    "turning": {"w": 0.25, "z": 0.5, "v": 1.0, "y": 1.5},
    "growing": {"w": 0.25, "z": 1.5, "v": 1.0, "y": 0.5},
    "critical": {"w": 0.25, "z": 1.0, "v": 1.0, "y": -1.0 + 2.0**-40},
}


def slowly(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


def beside(blocks: list[Rows]) -> Rows:
    n = sum(len(block) for block in blocks)
    rows, start = [["0"] * n for _ in range(n)], 0
    for block in blocks:
        for i, row in enumerate(block):
            rows[start + i][start : start + len(row)] = row
        start += len(block)
    return rows


def plan_of(blocks: list[Rows]) -> KernelPlan:
    text = str(blocks)
    names = [x for x in ("w", "z", "v", "y") if re.search(rf"\b{x}\b", text)]
    declared = {x: "positive" if x in "wv" else "real" for x in names}
    document = {"parameters": declared, "generator": {"matrix": beside(blocks)}}
    return plan_kernel(from_document({"encoding": {"name": "beside"}, **document}))


@functools.cache
def planned(name: str) -> KernelPlan:
    return plan_of(FAMILIES[name])


@functools.cache
def text_of(name: str, target: str) -> str:
    return emit(planned(name), target, command="x", certificate_digest="sha256:0").text


def kernel_of(name: str, target: str, *edits: tuple[str, str]) -> Kernel:
    text = text_of(name, target)
    for before, after in edits:
        assert before in text, f"{before!r} no longer applies"
        text = text.replace(before, after)
    return compile_kernel(text)


def point(name: str, place: str) -> dict[str, float]:
    return {x: POINTS[place][x] for x in planned(name).parameters}


# -- inside ---------------------------------------------------------------------------------------


QUICK = {("slow-plane", "numpy", "bfloat16"), ("two", "torch", "float32"),
         ("confluent", "numpy", "float16"), ("hyperbolic", "torch", "bfloat16"),
         ("irrational", "numpy", "float64")}  # fmt: skip
EVERY = [
    pytest.param(*case, marks=[] if case in QUICK else pytest.mark.slow)
    for case in product(FAMILIES, TARGETS, DTYPES)
]


@pytest.mark.parametrize(("name", "target", "dtype"), EVERY)
def test_errors_lie_inside_over_the_declared_box(name: str, target: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, dtype)
    assert set(bound.box) == set(plan.parameters)
    assert 0.0 < measure(kernel, plan, bound).ratio <= 1.0
    assert len(bound.blocks) == 2 * len(FAMILIES[name])


@pytest.mark.parametrize("dtype", ["bfloat16", *(slowly(x) for x in DTYPES[:2])])
@pytest.mark.parametrize("place", ["critical", *(slowly(x) for x in POINTS if x != "critical")])
def test_errors_are_inside_and_near_at_values(place: str, dtype: str) -> None:
    kernel, plan = kernel_of("two", "numpy"), planned("two")
    bound = rounding_bound(kernel, plan, dtype, parameters=point("two", place))
    places = [bound.reach * x for x in (0.001, 0.03, 0.3, 0.7, 0.99)]
    found = search(kernel, plan, bound, positions=places, rounds=3)
    assert (1 / 40 if dtype == "float64" else 1 / 8) < found.ratio <= 1.0
    smaller = smaller_bound(bound, 40.0)
    assert search(kernel, plan, smaller, positions=places, rounds=1).ratio > 1.0


def smaller_bound(bound: KernelBound, factor: float) -> KernelBound:
    blocks = tuple(
        replace(b, relative=tuple(c / factor for c in b.relative), absolute=0.0)
        for b in bound.blocks
    )
    return replace(bound, blocks=blocks)


@pytest.mark.parametrize("name", ["slow-plane", slowly("damped-plane")])
def test_the_bound_of_a_plane_does_not_know_the_oscillator_beside_it(name: str) -> None:
    kernel, plan = kernel_of(name, "numpy"), planned(name)
    wide = rounding_bound(kernel, plan, "float64")
    narrow = rounding_bound(kernel, plan, "float64", parameters={"w": (0.1, 0.2), "z": (0.0, 0.5)})
    planes = [[b.relative for b in found.blocks if b.group == 1] for found in (wide, narrow)]
    assert planes[0] == planes[1]
    assert max(planes[0][0]) < 2.0**-46
    assert narrow.epsilon(100.0) < wide.epsilon(100.0) / 100


def test_a_kernel_takes_parameters_that_differ_over_heads() -> None:
    """Broadcast over a leading axis, every head is rounded as with its own numbers."""
    plan = plan_of([OSCILLATOR])
    kernel = compile_kernel(emit(plan, "numpy", command="x", certificate_digest="sha256:0").text)
    values = [POINTS[place] for place in POINTS]
    w, z = (np.array([v[n] for v in values])[:, None, None] for n in "wz")
    x = np.random.default_rng(3).standard_normal((len(values), 5, 2)).astype(np.float32)
    t = np.array([0.0, 0.3, 1.0, 7.5, 30.0])
    heads = kernel.transform_query(x, t, w, z)
    for head, v in enumerate(values):
        assert np.array_equal(heads[head], kernel.transform_query(x[head], t, v["w"], v["z"]))


@pytest.mark.parametrize("name", ["confluent", "learned-damping"])
def test_a_discriminant_without_parameters_is_a_number_of_float64(name: str) -> None:
    """PyTorch would choose between two plain numbers in float32, and the frequency with them."""
    plan = planned(name)
    kernel, other = (kernel_of(name, target) for target in ("torch", "numpy"))
    bound = rounding_bound(kernel, plan, "float64")
    assert bound.formula == rounding_bound(other, plan, "float64").formula
    square = "0" if name == "confluent" else "DISCRIMINANT"
    plain = kernel_of(name, "torch", (f"u.new_tensor({square})", square))
    own = rounding_bound(plain, plan, "float64")
    assert measure(plain, plan, own).ratio <= 1.0
    if name == "learned-damping":
        assert own.epsilon(1000.0) > 1e6 * bound.epsilon(1000.0)
        assert measure(plain, plan, bound).ratio > 1.0


def test_rows_of_the_operator_are_bounded_beside_others() -> None:
    kernel, plan = kernel_of("two", "numpy"), planned("two")
    bound = rounding_bound(kernel, plan, "float64", form="operator")
    assert len(bound.blocks) == 3
    assert 0.0 < measure(kernel, plan, bound).ratio <= 1.0


def test_heads_that_are_cases_have_no_kernel_and_say_so() -> None:
    document = {
        "encoding": {"name": "heads"},
        "parameters": {"w": "positive", "z": "real"},
        "generator": {"matrices": [OSCILLATOR, [["0", "2"], ["-w^2", "-z*w"]]]},
    }
    with pytest.raises(NotYetCovered, match="2 heads with matrices of parameters"):
        plan_kernel(from_document(document))


# -- cost -----------------------------------------------------------------------------------------


def test_independent_blocks_cost_a_sum_of_cells_and_no_product() -> None:
    blocks = [[["0", "1"], [f"-{k}*w^2", f"-2*z*w-{k}*y"]] for k in range(1, 9)]
    plan = plan_of([*blocks, PLANE, [["-w"]]])
    cells = list(cells_over(plan, declared_box(plan), "float32"))
    assert len(cells) == 3 * len(blocks) + 2 + 1
    assert [c.kind for c in cells if c.discriminant == Scalar.rational(-1)] == ["near", "turning"]


def test_a_discriminant_that_is_a_number_has_one_sign() -> None:
    def kinds(name: str, **box: tuple[float, float]) -> list[list[str]]:
        plan = planned(name)
        found: dict[Any, list[str]] = {}
        for cell in cells_over(plan, declared_box(plan) | box, "float32"):
            if cell.discriminant is not None:
                found.setdefault(cell.discriminant, []).append(cell.kind)
        return list(found.values())

    assert kinds("hyperbolic") == [["near", "growing", "turning"], ["near", "growing"]]
    assert kinds("confluent") == [["near"]]
    assert kinds("plane", w=(1.0, 1.1), z=(3.0, 4.0))[0] == ["near", "growing"]
    assert kinds("plane", w=(1.0, 1.1), z=(0.0, 0.5))[0] == ["near", "turning"]


# -- edits ----------------------------------------------------------------------------------------

THRESHOLDS = "square > 1.0, square < -1.0"
SMALL = "np.where(growing | turning, 0.0, square)"
EVEN_AND_ODD = "even, odd = _even_and_odd(side * u, centre, discriminant)"
OTHER_MAPS = [
    ("(first - second) / (2 * rate)", "(second - first) / (2 * rate)"),
    slowly(("np.sin(frequency * u) / frequency", "np.sin(-frequency * u) / frequency")),
    ("odd = 1.0 + small * odd", "odd = 1.0 - small * odd"),
    slowly(("-1 / 100", "-1.001 / 100")),
    slowly(("-0.1]", "-0.1001]")),
    ("-0.1]", "-0.10000000000001]"),
    slowly((EVEN_AND_ODD, f"{EVEN_AND_ODD}\n    even = even + 0.0 * even[..., ::-1]")),
    slowly((EVEN_AND_ODD, f"{EVEN_AND_ODD}\n    odd = odd + odd[..., :1] - odd[..., :1]")),
    ("np.where(growing, discriminant, 1.0)", "np.where(turning, -discriminant, 2.0)"),
    slowly((SMALL, "np.where(growing | turning, square, 0.0)")),
    slowly((THRESHOLDS, "square > 1.0, square < -0.0")),
    slowly((THRESHOLDS, "square > 1.0, u * discriminant < -1.0")),
]


@functools.cache
def known_bound() -> KernelBound:
    return rounding_bound(kernel_of("slow-plane", "numpy"), planned("slow-plane"), "float64")


@pytest.mark.parametrize("edit", OTHER_MAPS)
def test_another_map_in_one_branch_has_no_bound_that_holds(edit: tuple[str, str]) -> None:
    plan = planned("slow-plane")
    try:
        found = rounding_bound(kernel_of("slow-plane", "numpy", edit), plan, "float64")
    except NotYetCovered:
        return
    known = known_bound()
    assert found.epsilon(10.0) > 1000 * known.epsilon(10.0)


SAME_MAPS = [
    (THRESHOLDS, "square >= 1.0, square <= -1.0"),
    ("np.where(growing, discriminant, 1.0)", "np.where(growing, discriminant, 1.5)"),
    slowly((SMALL, "np.where(0.0, growing | turning, square)")),
    slowly((SMALL, "np.where(growing & turning, 0.0, square)")),
    slowly(("np.where(growing, 0.0, u)", "np.where(False, growing, u)")),
]


@pytest.mark.parametrize("edit", SAME_MAPS)
def test_what_is_chosen_nowhere_is_in_no_bound(edit: tuple[str, str]) -> None:
    plan = planned("slow-plane")
    found = rounding_bound(kernel_of("slow-plane", "numpy", edit), plan, "float64")
    known = known_bound()
    assert found.epsilon(10.0) == pytest.approx(known.epsilon(10.0), rel=1e-6)


COARSER = [
    ("np.cos(frequency * u)", "np.cos((frequency * u).astype(np.float32))", "turning"),
    slowly("small * even /", "small.astype(np.float32) * even /", "turning"),
    slowly("small * odd /", "small.astype(np.float32) * odd /", "growing"),
    slowly("np.exp((centre - rate) * reach)",
           "np.exp(((centre - rate) * reach).astype(np.float32))", "growing"),
    ("2 * rate)", "2 * rate.astype(np.float32))", "growing"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "place"), COARSER)
def test_a_coarser_dtype_in_one_branch_is_in_the_bound(before: str, after: str, place: str) -> None:
    plan, values = planned("slow-plane"), point("slow-plane", place)
    known = rounding_bound(
        kernel_of("slow-plane", "numpy"), plan, "float64", parameters=values, reach=8.0
    )
    edited = kernel_of("slow-plane", "numpy", (before, after))
    try:
        own = rounding_bound(edited, plan, "float64", parameters=values, reach=8.0)
    except NotYetCovered:
        return
    assert own.epsilon(7.0) > 10_000 * known.epsilon(7.0)
    assert measure(edited, plan, own).ratio <= 1.0
    assert measure(edited, plan, known).ratio > 1.0


MOVED = [
    ("square > 64.0, square < -64.0", "turning"),
    slowly("square > 64.0, square < -64.0", "growing"),
    slowly("square > 1.0, square < -9.0", "turning"),
    slowly("square > 2.0, square < -1.0", "growing"),
    ("square > 1e-6, square < -1e-6", "growing"),
    slowly("square > 1.0, square < -0.01", "turning"),
]


@pytest.mark.parametrize(("moved", "place"), MOVED)
def test_where_a_threshold_is_moved_the_bound_moves_with_it(moved: str, place: str) -> None:
    """Around the thresholds, also those that no emitted text has."""
    plan, values = planned("slow-plane"), point("slow-plane", place)
    edited = kernel_of("slow-plane", "numpy", (THRESHOLDS, moved))
    bound = rounding_bound(edited, plan, "float64", parameters=values)
    near = [x * r for x in (0.1, 0.999, 1.001, 1.4, 2.9, 3.1, 7.9, 8.1) for r in (10.0, 4.6, 3.6)]
    found = search(edited, plan, bound, positions=near, rounds=2)
    assert 0.0 < found.ratio <= 1.0
    known = rounding_bound(kernel_of("slow-plane", "numpy"), plan, "float64", parameters=values)
    if "64" in moved or "9" in moved:
        assert bound.epsilon(50.0) > 1000 * known.epsilon(50.0)
        assert search(edited, plan, known, positions=near, rounds=2).ratio > 1.0


# -- an adversary ---------------------------------------------------------------------------------


def drawn(name: str, random: Random) -> float:
    """Dampings near confluence; frequencies at the ends of the box and next to 0."""
    where = random.random()
    if name in "zy":
        if where < 0.6:
            return random.choice([1, -1]) * (
                1.0 + random.choice([0, 1, -1]) * 2.0 ** random.uniform(-53, -1)
            )
        return random.choice([4.0, -4.0, 0.0]) if where < 0.7 else random.uniform(-4, 4)
    if where < 0.25:
        return random.choice([4.0, math.nextafter(4.0, 0.0)])
    return 2.0 ** random.uniform(-40, 2) if where < 0.5 else random.uniform(0.0, 4.0)


def positions(plan: KernelPlan, values: dict[str, float], reach: float, random: Random) -> Any:
    """The ends of the reach, and both sides of every threshold |u|·√|D| = 1."""
    found = [reach * (1 - 2.0**-40), -0.999 * reach, reach * random.random()]
    balls = {name: arb(x) for name, x in values.items()}
    for group in plan.groups:
        if isinstance(group, MatrixGroup):
            size = abs(group.discriminant.to_float(balls))
            for x in (1.0, 1 + random.choice([1, -1]) * 2.0 ** random.uniform(-52, -2), math.pi):
                found.append(random.choice([1, -1]) * x / math.sqrt(size or 1.0))
    return [t for t in found if abs(t) <= reach]


ADVERSARIES = [
    ("damped-plane", "numpy", 60),
    *(slowly(name, target, 2500) for name, target in product(FAMILIES, TARGETS)),
]


@pytest.mark.parametrize(("name", "target", "count"), ADVERSARIES)
def test_no_values_near_confluence_and_no_position_leave_the_bound(
    name: str, target: str, count: int
) -> None:
    kernel, plan, random = kernel_of(name, target), planned(name), Random(5)
    vectors = np.random.default_rng(5).standard_normal((2, plan.dimension))
    bounds = [rounding_bound(kernel, plan, dtype) for dtype in DTYPES]
    tried, worst = 0, 0.0
    while tried < count:
        values = {x: drawn(x, random) for x in plan.parameters}
        for bound in bounds:
            reach = range_at(plan, values, bound.dtype, bound.reach)
            at = replace(bound, parameters=values, box={}, reach=reach)
            places = positions(plan, values, reach, random)
            found = Bench(kernel, plan, at).worst(places, vectors)
            worst = max(worst, *(m.ratio for m in found))
            tried += len(places)
    assert 0.25 < worst <= 1.0


# -- sums -----------------------------------------------------------------------------------------


SUMS = [("numpy", "bfloat16"), *(slowly(*x) for x in product(TARGETS, ("float32", "float16")))]


@pytest.mark.parametrize(("target", "dtype"), SUMS)
def test_causal_sums_lie_inside(target: str, dtype: str) -> None:
    kernel, plan = kernel_of("damped-plane", target), planned("damped-plane")
    maps = SumMaps(kernel, plan, {"w": (0.5, 2.0), "z": (0.0, 1.5)})
    steps = causal_bound(kernel, plan, dtype, maps=maps)
    runs = chunkwise_bound(kernel, plan, dtype, maps=maps)
    for values in ([1.0, 0.25], [0.5, 1.0], [2.0, 1.25]):
        assert 0.0 < measure_causal(kernel, plan, steps, values) <= 1.0
        for handed in (False, True):
            assert 0.0 < measure_chunkwise(kernel, plan, runs, values, handed=handed) <= 1.0


ROUNDS_A_POSITION = f"""{EVEN_AND_ODD}
    p, c = np.asarray(position, np.float64)[..., None], np.asarray(reference, np.float64)
    turning = u * u * discriminant < -1.0
    frequency = np.sqrt(np.where(turning, -discriminant, 1.0))
    wave = np.exp(centre * side * u) * np.cos(frequency * p - frequency * c)
    even = np.where(turning, wave, even)"""


def test_a_position_that_one_branch_rounds_has_no_bound_in_runs() -> None:
    """The same map, but for the place where a position is rounded; the other branches do not."""
    plan, values = planned("plane"), {"w": 1.0, "z": 0.25}
    honest, edited = (
        kernel_of("plane", "numpy", *edits) for edits in ([], [(EVEN_AND_ODD, ROUNDS_A_POSITION)])
    )
    assert chunkwise_bound(honest, plan, "float32", parameters=values).limit > 100
    assert rounding_bound(edited, plan, "float32", parameters=values, reach=64.0).epsilon(64) < 1e-4
    with pytest.raises(NotYetCovered, match="rounds positions"):
        chunkwise_bound(edited, plan, "float32", parameters=values)
