"""Rounding bounds of kernels of several axes: they hold, on rays and off them, and see edits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from numeric_check.kernels.kernel import Kernel, compile_kernel
from numeric_check.laws.axes_kernel import REQUIRED
from numeric_check.rounding import judge_axes
from numeric_check.rounding.axes import Ray, rays_of
from numeric_check.rounding.axes_operator import measured_columns, operator_along
from numeric_check.rounding.axes_ray import RayKernel, plan_along
from numeric_check.rounding.axes_shears import ShearedRay
from numeric_check.rounding.blocks import FORMS, MAPS, OPERATOR, BlockBound
from numeric_check.rounding.bound import KernelBound
from numeric_check.rounding.measured import Bench
from symbolic_pe.emit.axes import AxesPlan, emit_axes, plan_axes
from symbolic_pe.emit.plan import BlockGroup
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.forms import from_any_document
from symbolic_pe.errors import NotYetCovered
from tests.emit.test_axes_kernels import form

DTYPES = ("float64", "float32", "bfloat16", "float16")


def compiled(plan: AxesPlan, target: str = "numpy", right: str = "", wrong: str = "") -> Kernel:
    text = emit_axes(plan, target, command="").text
    assert right in text
    return compile_kernel(text.replace(right, wrong) if right else text, required=REQUIRED)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    "name", ["axial", "string", "comrope", "gla", "damped", "ellipse", "cubic", "slopes", "jordan"]
)
def test_bounds_hold_and_are_near(name: str, target: str) -> None:
    plan = plan_axes(form(name))
    found = judge_axes(compiled(plan, target), plan)
    assert found.verdict == "holds", found.reason
    for dtype in DTYPES:
        assert found.dtypes[dtype].measured.ratio <= 1.0
        if not plan.shears or dtype in ("float64", "bfloat16"):
            assert found.dtypes[dtype].measured.ratio > 1 / 20
    assert found.dtypes["bfloat16"].safe.position is not None
    assert "of all axes" in found.header_lines()[0]


def everywhere(plan: AxesPlan, weights: tuple[int, ...], bound: KernelBound) -> KernelBound:
    """The bound of one position p = n, as one of the ray through it at u = 1."""
    along = plan_along(plan, weights)
    epsilon = bound.epsilon(max(abs(n) for n in weights))
    blocks = tuple(
        BlockBound(index, 0, b, side, (epsilon,), bound.absolute)
        for index, group in enumerate(along.groups)
        if isinstance(group, BlockGroup)
        for b in range(len(group.slots[0]))
        for side in FORMS[MAPS]
    )
    return replace(bound, relative=(epsilon,), blocks=blocks)


@pytest.mark.parametrize("name", ["rope-mixed", "string", "comrope", "damped", "tilted"])
def test_bounds_hold_for_all_positions_of_the_box(name: str) -> None:
    plan = plan_axes(form(name))
    kernel = compiled(plan)
    judged = judge_axes(kernel, plan)
    vectors = np.random.default_rng(7).standard_normal((16, plan.encoding.dimension))
    far = 3 if name in ("damped", "tilted") else 1000003
    places = [(1, 0), (0, 3), (2, -3), (-1, 2), (far, far // 3), (-far, far // 7), (far // 5, -far)]
    for dtype in ("float64", "float32"):
        for n in places:
            bound = everywhere(plan, n, judged.dtypes[dtype].bound)
            bench = Bench(RayKernel.of(kernel, plan, n), plan_along(plan, n), bound)
            assert max(m.ratio for m in bench.worst([1], vectors)) <= 1.0, (dtype, n)


def test_an_edit_of_a_dtype_is_seen() -> None:
    plan = plan_axes(form("axial"))
    right, wrong = "position, dtype=np.float64", "position, dtype=np.float32"
    before = judge_axes(compiled(plan), plan).dtypes["float64"]
    kernel = compiled(plan, right=right, wrong=wrong)
    after = judge_axes(kernel, plan)
    if after.verdict == "holds":
        assert after.dtypes["float64"].bound.epsilon(1e6) > 1e6 * before.bound.epsilon(1e6)
    else:
        assert after.verdict == "refuted"
    stated = {"float64": before.stated}
    assert after.false_statements(stated)


def rotating(*frequencies: str) -> AxesPlan:
    found = from_any_document({"axes": [{"blocks": [{"frequency": f}]} for f in frequencies]})
    assert isinstance(found, SeveralAxes)
    return plan_axes(found)


def test_what_cancels_along_one_ray_is_counted() -> None:
    """Angles rounded to float32: along (1, 1) little is left of them, along (1, −1) all is."""
    plan = rotating("1", "-1023/1024")
    right = "elapsed @ FREQUENCY"
    wrong = f"({right}).astype(np.float32).astype(np.float64)"
    kernel = compiled(plan, right=right, wrong=wrong)
    judged = judge_axes(kernel, plan)
    assert judged.verdict == "holds", judged.reason
    vectors = np.random.default_rng(3).standard_normal((4, 2))
    worst = 0.0
    for n in [(1000003, -999979), (999983, 1000003), (777777, -888887)]:
        bound = everywhere(plan, n, judged.dtypes["float64"].bound)
        bench = Bench(RayKernel.of(kernel, plan, n), plan_along(plan, n), bound)
        worst = max(worst, *(m.ratio for m in bench.worst([1], vectors)))
    assert 0.1 < worst <= 1.0


def test_an_edited_text_of_many_axes_has_no_bound() -> None:
    plan = rotating(*(f"1/{k}" for k in range(1, 7)))
    assert judge_axes(compiled(plan), plan, dtypes=["float64"]).verdict == "holds"
    right = "elapsed @ FREQUENCY"
    judged = judge_axes(compiled(plan, right=right, wrong=f"1.0 * ({right})"), plan)
    assert judged.verdict == "undecided"
    assert "edited" in judged.reason


def test_a_wrong_text_has_no_bound() -> None:
    plan = plan_axes(form("axial"))
    kernel = compiled(plan, right="- sine * second", wrong="+ sine * second")
    assert judge_axes(kernel, plan).verdict == "undecided"


def test_rays_cover_the_signs_of_rates_and_do_not_stand_still() -> None:
    damped = plan_axes(form("damped"))
    weights = {ray.kernel.weights for ray in rays_of(compiled(damped), damped)}
    assert weights == {(1, 1), (1, -1)}
    document = {"axes": [{"blocks": [{"frequency": "1"}, {"frequency": "1"}]},
                         {"blocks": [{"frequency": "-1"}, {"frequency": "1"}]}]}  # fmt: skip
    found = from_any_document(document)
    assert isinstance(found, SeveralAxes)
    plan = plan_axes(found)
    weights = {ray.kernel.weights for ray in rays_of(compiled(plan), plan)}
    assert weights == {(1, 2), (1, -2)}, "along (1, 1) and (1, -1) a plane stands still"
    assert judge_axes(compiled(plan), plan).verdict == "holds"


def test_constants_that_are_off_in_opposite_directions_are_counted() -> None:
    """x by 0.1 and y by −0.1: on the ray (1, 1) errors of the constants cancel."""
    document = {"axes": [{"blocks": [{"frequency": "1/10"}]}, {"blocks": [{"frequency": "-1/5"}]}]}
    found = from_any_document(document)
    assert isinstance(found, SeveralAxes)
    plan = plan_axes(found)
    for ray in rays_of(compiled(plan), plan):
        assert isinstance(ray, Ray)
        (away,) = ray.away.values()
        exact = 0.5 * (0.1 + 0.2) * 2.0**-53
        assert 0.1 * exact < away < 8 * exact


def test_too_many_patterns_are_refused() -> None:
    axes = [
        {"blocks": [{"rate": str((-1) ** ((c >> a) & 1))} for c in range(64)]} for a in range(6)
    ]
    found = from_any_document({"axes": axes})
    assert isinstance(found, SeveralAxes)
    plan = plan_axes(found)
    with pytest.raises(NotYetCovered, match="patterns of signs"):
        list(rays_of(compiled(plan), plan))


def off_the_rays(
    plan: AxesPlan, kernel: Kernel, dtype: str, places: list[tuple[int, ...]]
) -> float:
    """The worst error against the bound at positions of the box that are on no ray."""
    bound = judge_axes(kernel, plan).dtypes[dtype].bound
    rates = next(ray.rates for ray in rays_of(kernel, plan) if isinstance(ray, ShearedRay))
    worst = 0.0
    for n in places:
        ray = ShearedRay.of(kernel, plan, n, rates)
        epsilon = bound.epsilon(max(abs(x) for x in n))
        blocks = tuple(
            BlockBound(index, 0, 0, side, (epsilon,), bound.absolute)
            for index in range(len(ray.blocks))
            for side in FORMS[MAPS]
        )
        at_one = replace(bound, relative=(epsilon,), blocks=blocks, reach=1.0)
        worst = max(worst, ray.measured(ray.kernel, at_one).ratio)
    return worst


@pytest.mark.parametrize("name", ["slopes", "jordan", "defective"])
def test_bounds_of_shears_hold_for_all_positions_of_the_box(name: str) -> None:
    plan = plan_axes(form(name))
    kernel = compiled(plan)
    far = 1000003 if name == "slopes" else 17
    places = [(1, 0), (0, 3), (2, -3), (-1, 2), (far, -far), (-far, far // 7), (far // 5, -far)]
    for dtype in ("float64", "float32"):
        ratio = off_the_rays(plan, kernel, dtype, list(places))
        assert 0.0 < ratio <= 1.0, dtype


def test_shears_that_cancel_along_the_axes_are_counted() -> None:
    """N and −N: along (1, 1) nothing is sheared, elsewhere in the box it is."""
    document = {"axes": [{"matrix": [[0, "1/3"], [0, 0]]}, {"matrix": [[0, "-1/3"], [0, 0]]}]}
    found = from_any_document(document)
    assert isinstance(found, SeveralAxes)
    plan = plan_axes(found)
    kernel = compiled(plan)
    bound = judge_axes(kernel, plan).dtypes["float64"].bound
    assert len(bound.relative) == 2
    assert bound.relative[1] > 2 / 3 * 2.0**-53
    ratio = off_the_rays(plan, kernel, "float64", [(3, -3), (7, -5), (100003, -100003)])
    assert 0.1 < ratio <= 1.0


# -- the operator ---------------------------------------------------------------------------------


OF_COLUMNS = [(name, "numpy") for name in ("axial", "gla", "damped", "rope-mixed")]
OF_COLUMNS += [("damped", "torch"), ("damped", "array-api")]


@pytest.mark.parametrize(("name", "target"), OF_COLUMNS)
def test_columns_of_the_operator_lie_inside(name: str, target: str) -> None:
    plan = plan_axes(form(name))
    found = judge_axes(compiled(plan, target), plan, dtypes=["float64"])
    assert found.verdict == "holds", found.reason
    own = found.of_lag[OPERATOR]["float64"]
    assert 1 / 20 < own.measured.ratio <= 1.0
    maps = found.dtypes["float64"].bound
    assert own.bound.epsilon(1.0) <= maps.epsilon(1.0), "the lag is given, not subtracted"
    assert "every column of a block of operator(p)" in found.header_lines()[0]
    assert not found.false_statements({"operator float64": own.stated})


@pytest.mark.parametrize("name", ["axial", "damped", "rope-mixed"])
def test_bounds_of_the_operator_hold_for_all_lags_of_the_box(name: str) -> None:
    plan = plan_axes(form(name))
    kernel = compiled(plan)
    bound = judge_axes(kernel, plan, dtypes=["float64"]).of_lag[OPERATOR]["float64"].bound
    far = 3 if name == "damped" else 1000003
    for n in [
        (1, 0),
        (0, 3),
        (2, -3),
        (-1, 2),
        (far, far // 3),
        (-far, far // 7),
        (far // 5, -far),
    ]:
        along = plan_along(plan, n)
        epsilon = bound.epsilon(max(abs(x) for x in n))
        blocks = tuple(
            BlockBound(index, 0, b, OPERATOR, (epsilon,), bound.absolute)
            for index, group in enumerate(along.groups)
            if isinstance(group, BlockGroup)
            for b in range(len(group.slots[0]))
        )
        at_one = replace(bound, relative=(epsilon,), blocks=blocks, reach=1.0)
        assert measured_columns(RayKernel.of(kernel, plan, n), along, at_one).ratio <= 1.0, n


def test_an_operator_with_one_cast_leaves_the_bound_and_has_a_larger_one() -> None:
    plan = plan_axes(form("axial"))
    right = "return rows.T"
    known = judge_axes(compiled(plan), plan, dtypes=["float64"]).of_lag[OPERATOR]["float64"].bound
    faulty = compiled(
        plan, right=right, wrong="return rows.astype(np.float32).astype(np.float64).T"
    )
    found = judge_axes(faulty, plan, dtypes=["float64"])
    assert found.verdict == "holds"
    own = found.of_lag[OPERATOR]["float64"].bound
    assert own.relative[0] > 1e6 * known.relative[0]
    ray = next(iter(rays_of(faulty, plan)))
    assert isinstance(ray, Ray)
    stale = replace(ray.operator_bound(), blocks=tuple(
        replace(b, relative=known.relative) for b in ray.operator_bound().blocks
    ))  # fmt: skip
    assert measured_columns(ray.kernel, ray.plan, stale).ratio > 1.0


@pytest.mark.parametrize(
    ("name", "right", "wrong", "reason"),
    [
        ("axial", "return rows.T", "return rows", "alike"),
        ("axial", "transform_key(identity, -lag", "transform_key(identity, lag", "another entry"),
        ("string", "", "", "a product of two maps"),
        ("slopes", "", "", "shears along several axes"),
    ],
)
def test_operators_without_a_bound(name: str, right: str, wrong: str, reason: str) -> None:
    plan = plan_axes(form(name))
    rays = list(rays_of(compiled(plan), plan))
    kernel = compiled(plan, right=right, wrong=wrong)
    if not right:
        found = judge_axes(kernel, plan, dtypes=["float64"])
        assert (found.verdict, found.of_lag) == ("holds", {})
        assert reason in found.reason
        return
    with pytest.raises(NotYetCovered, match=reason):
        operator_along(RayKernel.of(kernel, plan, rays[0].kernel.weights), rays[0].plan)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return x + sum(parts)", "return x - sum(parts)"),
        ("SHEAR if sign > 0 else -", "SHEAR if sign > 0 else "),
        ("SHEAR = SHEAR.reshape", "N = SHEAR = -SHEAR.reshape"),
    ],
)
def test_a_wrong_shear_has_no_bound(right: str, wrong: str) -> None:
    plan = plan_axes(form("jordan"))
    assert judge_axes(compiled(plan, right=right, wrong=wrong), plan).verdict == "undecided"
