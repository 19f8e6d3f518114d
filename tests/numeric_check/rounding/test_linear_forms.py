"""Edited texts of several axes: what rays do not show is refused, what they show is bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding import axes, judge_axes
from numeric_check.rounding.axes_ray import RayKernel, plan_along
from numeric_check.rounding.dependence import LINEAR, WAVE, Dependence
from numeric_check.rounding.element import Rounded, displacement, number, unknown
from numeric_check.rounding.linear_forms import LinearForms
from numeric_check.rounding.measured import Bench
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.axes import AxesPlan, plan_axes
from tests.emit.test_axes_kernels import form
from tests.numeric_check.rounding.test_axes import compiled, everywhere, rotating

ANGLE = "elapsed @ FREQUENCY"
SUM, DIFFERENCE = "(first + second)", "(first - second)"


def lost(x: str, dtype: str = "float32") -> str:
    """A term that is 0 but for a rounding."""
    return f"(({x}).astype(np.{dtype}).astype(np.float64) - {x})"


def with_angle(added: str, *before: str) -> Kernel:
    """Frequencies 1 and 1/3, and something added to the angle of the text."""
    lines = ["first, second = elapsed[..., :1], elapsed[..., 1:]", *before]
    lines.append(f"angle = {ANGLE} + {added}")
    return compiled(PLAN, right=f"angle = {ANGLE}", wrong="\n    ".join(lines))


PLAN = rotating("1", "1/3")


def ratio_at(kernel: Kernel, plan: AxesPlan, n: tuple[int, ...], reference: Kernel) -> float:
    """The error at p = n against the bound of another text."""
    bound = everywhere(plan, n, judge_axes(reference, plan).dtypes["float64"].bound)
    vectors = np.random.default_rng(3).standard_normal((4, plan.encoding.dimension))
    bench = Bench(RayKernel.of(kernel, plan, n), plan_along(plan, n), bound)
    return max(m.ratio for m in bench.worst([1], vectors))


def test_a_product_that_vanishes_along_the_rays_has_no_bound() -> None:
    """(p₁ − p₂)(p₁ + p₂) is 0 along (1, 1) and (1, −1), and its rounding to float32 with it."""
    kernel = with_angle(lost("z"), f"z = {DIFFERENCE} * {SUM}")
    assert ratio_at(kernel, PLAN, (1000003, 1000003), compiled(PLAN)) <= 1.0
    assert ratio_at(kernel, PLAN, (1000003, 7), compiled(PLAN)) > 1e6
    judged = judge_axes(kernel, PLAN, dtypes=["float64"])
    assert (judged.verdict, judged.dtypes) == ("undecided", {})
    assert "vanishes along a ray" in judged.reason


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        (f"{lost('first')} * {lost('second')}", "multiplies two numbers that depend"),
        ("(first + 3.0 * second) ** 2 - (first + 3.0 * second) ** 2", "multiplies two numbers"),
        (lost(DIFFERENCE), "vanishes along a ray"),
        (lost("np.cos(2.0 * first + second)"), "adds a wave to a position"),
    ],
)
def test_angles_that_rays_do_not_bound(added: str, reason: str) -> None:
    judged = judge_axes(with_angle(added), PLAN, dtypes=["float64"])
    assert judged.verdict == "undecided"
    assert reason in judged.reason


def after_turning(added: str) -> Kernel:
    """The same, with something added to the first output."""
    lines = [f"result[..., FIRST] += {added}", "return result.astype(x.dtype)"]
    return compiled(PLAN, right=lines[1], wrong="\n    ".join(lines))


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        (f"{lost('cosine', 'float16')} * {lost('sine', 'float16')} * first", "multiplies two"),
        (f"{lost('np.cos(3.0 * angle)', 'float16')} * first", "waves of two angles"),
        (f"{lost('np.exp(angle)', 'float16')} * first", "exponential"),
        (f"{lost('elapsed[..., :1]', 'float16')} * first", "no constant"),
    ],
)
def test_results_that_rays_do_not_bound(added: str, reason: str) -> None:
    judged = judge_axes(after_turning(added), PLAN, dtypes=["float64"])
    assert judged.verdict == "undecided"
    assert reason in judged.reason


@pytest.mark.parametrize(
    "kernel",
    [with_angle(lost("(2.0 * first + second)")), after_turning(f"{lost('cosine')} * first")],
    ids=["in the angle", "of a wave"],
)
def test_sums_of_roundings_hold_off_the_rays(kernel: Kernel) -> None:
    known = judge_axes(compiled(PLAN), PLAN, dtypes=["float64"]).dtypes["float64"].bound
    judged = judge_axes(kernel, PLAN, dtypes=["float64"])
    assert judged.verdict == "holds", judged.reason
    assert judged.dtypes["float64"].bound.epsilon(1e6) > 50 * known.epsilon(1e6)
    for n in [(1000003, 7), (-1003, 999983), (99999, -33333)]:
        assert ratio_at(kernel, PLAN, n, kernel) <= 1.0


@pytest.mark.parametrize("name", ["axial", "string", "gla"])
def test_an_emitted_text_read_as_an_edited_one_has_the_same_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_axes(form(name))
    known = judge_axes(compiled(plan), plan, dtypes=["float64"])
    monkeypatch.setattr(axes, "_as_emitted", lambda *_: False)
    found = judge_axes(compiled(plan), plan, dtypes=["float64"])
    assert found.verdict == "holds", found.reason
    assert found.header_lines() == known.header_lines()


@pytest.mark.parametrize("name", ["damped", "slopes"])
def test_edited_texts_that_turn_and_decay_or_shear_have_none(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_axes(form(name))
    monkeypatch.setattr(axes, "_as_emitted", lambda *_: False)
    found = judge_axes(compiled(plan), plan, dtypes=["float64"])
    assert found.verdict == "undecided"
    assert "edited" in found.reason


# -- the arithmetic -------------------------------------------------------------------------------

MODEL = LinearForms(1024.0)


def coordinate(place: int, weight: int) -> Rounded:
    """p₁ or p₂ along a ray."""
    element = MODEL.multiply(displacement(), number(weight), "float64")
    return replace(element, depends=Dependence.coordinate(place, 2))


def function_of(x: Rounded) -> tuple[str, tuple[fmpq, ...]]:
    assert x.depends is not None
    return x.depends.kind, x.depends.form


def test_forms_are_those_of_all_positions() -> None:
    p, q = coordinate(0, 1), coordinate(1, -1)
    total = MODEL.sum([MODEL.multiply(p, number(3), "float64"), -q], "float64")
    assert function_of(total) == (LINEAR, (fmpq(3), fmpq(-1)))
    half = MODEL.divide(total, number(4), "float64")
    assert function_of(half) == (LINEAR, (fmpq(3, 4), fmpq(-1, 4)))
    wave = MODEL.multiply(MODEL.cos(half, "float64"), unknown(0, "float64"), "float64")
    assert function_of(wave) == (WAVE, function_of(half)[1])
    other = MODEL.multiply(MODEL.sin(-half, "float64"), unknown(1, "float64"), "float64")
    assert function_of(MODEL.add(wave, other, "float64"))[0] == WAVE
    with pytest.raises(LeavesTheRing, match="two angles"):
        MODEL.add(wave, MODEL.cos(total, "float64"), "float64")
    with pytest.raises(LeavesTheRing, match="vanishes"):
        MODEL.add(p, q, "float64")
    assert MODEL.add(p, -p, "float64").constant == 0
