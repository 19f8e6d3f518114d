"""Bounds of causal sums with parametric 2×2 blocks, relative to e^{μτ}, μ the logarithmic norm."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, arb_mat

from numeric_check.rounding import (
    causal_bound,
    chunkwise_bound,
    judge,
    measure_causal,
    measure_chunkwise,
    rounding_bound,
)
from numeric_check.rounding.measured_causal import logarithmic_norm
from numeric_check.rounding.sum_maps import NEAR_GAP, SumMaps
from symbolic_pe.emit.plan import MatrixGroup
from symbolic_pe.errors import NotYetCovered
from tests.numeric_check.rounding.comparisons import smaller_sums
from tests.numeric_check.rounding.test_bound import TARGETS, kernel_of, planned

BOX = {"w": (0.5, 2.0), "z": (0.0, 1.5)}
POINTS = [[1.0, 0.25], [0.5, 1.0], [2.0, 1.25], [1.0, 1.0 + 2.0**-30], [2.0, 0.0]]
"""Turning, critical, growing apart, next to critical, and without decay."""


@pytest.mark.parametrize(
    "dtype",
    ["bfloat16", *(pytest.param(x, marks=pytest.mark.slow) for x in ("float32", "float16"))],
)
def test_measured_errors_of_steps_lie_inside(dtype: str) -> None:
    kernel, plan = kernel_of("oscillator", "numpy"), planned("oscillator")
    bound = causal_bound(kernel, plan, dtype, parameters=BOX)
    assert (bound.box, bound.gap) == (BOX, NEAR_GAP)
    assert bound.limit > 1000
    worst = max(measure_causal(kernel, plan, bound, values) for values in POINTS)
    assert (1 / 500 if dtype == "float32" else 1 / 4) < worst <= 1.0
    assert measure_causal(kernel, plan, smaller_sums(bound, 2000), POINTS[0]) > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["oscillator", "oscillators"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_measured_errors_of_runs_lie_inside_over_the_declared_box(
    name: str, target: str, dtype: str
) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    maps = SumMaps(kernel, plan)
    steps = causal_bound(kernel, plan, dtype, maps=maps)
    runs = chunkwise_bound(kernel, plan, dtype, maps=maps)
    assert set(runs.box) == {"w", "z"}
    for values in (*POINTS, [4.0, -1.0], [0.25, 0.0]):
        assert 0.0 < measure_causal(kernel, plan, steps, values) <= 1.0
        assert 0.0 < measure_chunkwise(kernel, plan, runs, values) <= 1.0


def test_a_step_costs_its_map_in_the_largest_gap_and_a_sum() -> None:
    kernel, plan = kernel_of("oscillator", "torch"), planned("oscillator")
    values = {"w": 1.0, "z": 0.25}
    bound = causal_bound(kernel, plan, "float32", parameters=values)
    assert bound.box == {"w": (1.0, 1.0), "z": (0.25, 0.25)}
    maps = rounding_bound(kernel, plan, "float32", parameters=values, reach=NEAR_GAP)
    own = maps.epsilon(NEAR_GAP) + 2.0**-24
    assert own <= bound.error[1] <= 1.05 * own
    wide = causal_bound(kernel, plan, "float32", parameters=BOX)
    assert bound.error[1] < wide.error[1]


@pytest.mark.parametrize("w", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("z", [-0.5, 0.0, 0.7, 1.0, 2.5])
def test_the_logarithmic_norm_bounds_the_norm_and_is_its_slope(w: float, z: float) -> None:
    """‖exp(τX)‖ ≤ e^{μτ}, and no smaller μ would do for small τ."""
    (group,) = planned("oscillator").groups
    assert isinstance(group, MatrixGroup)
    values = {"w": arb(w), "z": arb(z)}
    mu = logarithmic_norm(group, values)

    def growth(tau: float) -> float:
        matrix = arb_mat([[x.ball(values) * tau for x in row] for row in group.matrix]).exp()
        norm = np.linalg.norm([[float(x) for x in row] for row in matrix.tolist()], ord=2)
        return float(np.log(norm))

    for tau in (0.01, 0.3, 1.0, 4.0, 20.0):
        assert growth(tau) <= mu * tau + 1e-9
    assert growth(2.0**-20) * 2.0**20 == pytest.approx(mu, abs=1e-4)


EDIT = (r"state = kept \+", "state = kept.astype(np.float16).astype(compute) +")


def test_one_cast_makes_the_bound_larger() -> None:
    plan, point = planned("oscillator"), {"w": 1.0, "z": 0.25}
    known = causal_bound(kernel_of("oscillator", "numpy"), plan, "float32", parameters=point)
    faulty = kernel_of("oscillator", "numpy", EDIT)
    own = causal_bound(faulty, plan, "float32", parameters=point)
    assert own.error[1] > 100 * known.error[1]
    assert measure_causal(faulty, plan, own, POINTS[0]) <= 1.0
    assert measure_causal(faulty, plan, known, POINTS[0]) > 1.0


@pytest.mark.parametrize(
    "edit",
    [
        (r"kept = _transform\(state", "kept = state * _transform(state"),
        (r"lower \* first \+ right", "lower * first - right"),
        (r"u = \(np\.asarray\(position, np\.float64\) - reference\)",
         "u = (np.asarray(position, np.float32) - reference)"),
    ],
)  # fmt: skip
def test_texts_without_a_bound(edit: tuple[str, str]) -> None:
    kernel, plan = kernel_of("oscillator", "numpy", edit), planned("oscillator")
    with pytest.raises(NotYetCovered):
        chunkwise_bound(kernel, plan, "float32", parameters={"w": 1.0, "z": 0.25})


@pytest.mark.slow
def test_they_are_judged_and_stated() -> None:
    found = judge(kernel_of("oscillator", "numpy"), planned("oscillator"), dtypes=["bfloat16"])
    assert found.verdict == "holds"
    assert "not bounded" not in found.reason
    assert {"recurrent_step bfloat16", "chunkwise bfloat16"} <= set(found.sums)
    honest = found.runs["bfloat16"].bound.stated
    assert "gaps <= 64" in honest
    assert not found.false_statements({"chunkwise bfloat16": honest})
    assert found.false_statements(
        {"chunkwise bfloat16": honest.replace("gaps <= 64", "gaps <= 128")}
    )
