"""Bounds of kernels with run-time parameters: over a box, at values, and of 2×2 blocks."""

from __future__ import annotations

import pytest

from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding import (
    bias_bound,
    judge,
    measure,
    measure_bias,
    rounding_bound,
    safe_position,
    search,
)
from numeric_check.rounding.measurement import Measurement
from symbolic_pe.errors import NotYetCovered, SpecificationError
from tests.numeric_check.rounding.test_bound import TARGETS, kernel_of, planned

PARAMETRIC = [
    "oscillator",
    "oscillators",
    "skew",
    "learned-rates",
    "learned-ladder",
    "learned-heads",
    "learned-slopes",
]
OSCILLATORS: dict[str, dict[str, float]] = {
    "turning": {"w": 0.25, "z": 0.5},
    "growing": {"w": 0.25, "z": 1.5},
    "critical": {"w": 0.25, "z": 1.0},
    "nearly critical": {"w": 0.25, "z": 1.0 + 2.0**-30},
    "far from normal": {"w": 1 / 64, "z": 0.1},
}


def found_at(values: dict[str, float], dtype: str, *, rounds: int = 3) -> Measurement:
    kernel, plan = kernel_of("oscillator", "numpy"), planned("oscillator")
    bound = rounding_bound(kernel, plan, dtype, parameters=values)
    places = [bound.reach * x for x in (0.001, 0.03, 0.3, 0.7, 0.99)]
    return search(kernel, plan, bound, positions=places, rounds=rounds)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PARAMETRIC)
def test_errors_lie_inside_over_the_declared_box(name: str, target: str, dtype: str) -> None:
    kernel, plan = kernel_of(name, target), planned(name)
    bound = rounding_bound(kernel, plan, dtype)
    assert set(bound.box) == set(plan.parameters)
    assert measure(kernel, plan, bound).ratio <= 1.0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OSCILLATORS)
def test_two_by_two_blocks_are_inside_and_near_at_values(name: str, dtype: str) -> None:
    """In float64 some twenty roundings of one size have to agree, in others two or three."""
    found = found_at(OSCILLATORS[name], dtype)
    assert (1 / 40 if dtype == "float64" else 1 / 8) < found.ratio <= 1.0


def test_a_box_is_bounded_by_the_points_in_it_and_a_smaller_one_has_a_smaller_bound() -> None:
    kernel, plan = kernel_of("oscillator", "torch"), planned("oscillator")
    small = {"w": (0.25, 0.5), "z": (0.1, 0.2)}
    bound = rounding_bound(kernel, plan, "float32", parameters=small)
    assert bound.box == small
    assert measure(kernel, plan, bound).ratio <= 1.0
    point = rounding_bound(kernel, plan, "float32", parameters={"w": 0.5, "z": 0.2})
    wide = rounding_bound(kernel, plan, "float32", parameters={"w": (0.25, 2.0), "z": (0.1, 1.5)})
    assert point.epsilon(50.0) <= bound.epsilon(50.0) < wide.epsilon(50.0)


def test_how_far_a_learned_frequency_is_safe() -> None:
    kernel, plan = kernel_of("learned-ladder", "numpy"), planned("learned-ladder")
    bound = rounding_bound(kernel, plan, "bfloat16")
    assert bound.box == {"w": (0.0, 4.0)}
    assert bound.formula.startswith("1.001*2^-8 + 11.")
    position = safe_position(kernel, plan, bound).position
    assert position is not None
    assert 2**39 < position < 2**43


EDITS = [
    ("learned-ladder", r"angle = u \* theta", "angle = (u * theta).astype(np.float32)"),
    ("oscillator", r"even = scale \* np\.where\(turning, np\.cos\(frequency \* u\)",
     "even = scale * np.where(turning, np.cos((frequency * u).astype(np.float32))"),
    ("oscillator", r"range\(9, 0, -1\)", "range(4, 0, -1)"),
    ("oscillator", r"square > 1\.0, square < -1\.0", "square > 64.0, square < -64.0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pattern", "replacement"), EDITS)
def test_a_fault_of_precision_is_in_the_bound(name: str, pattern: str, replacement: str) -> None:
    """Angles in float32, a shorter series, and a series that is used too far."""
    plan = planned(name)
    kernel = kernel_of(name, "numpy", (pattern, replacement))
    known = rounding_bound(kernel_of(name, "numpy"), plan, "float64")
    own = rounding_bound(kernel, plan, "float64")
    assert own.epsilon(1000.0) > 100 * known.epsilon(1000.0)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"left \* first \+ upper", "left * first - upper"),
        (r"even - half_difference \* odd", "even + half_difference * odd"),
        (r"\(first - second\) / \(2 \* rate\)", "(first + second) / (2 * rate)"),
        (r"square < -1\.0", "square < 1.0"),
        (r"\(2 \* k\) \* \(2 \* k \+ 1\)", "(2 * k) * (2 * k + 2)"),
        (r"np\.sqrt\(np\.where\(turning, -discriminant", "np.sqrt(np.where(turning, -centre"),
        (r"growing, turning = square > 1\.0", "growing, turning = u > 1.0"),
    ],
)
def test_another_map_has_no_bound_that_holds(pattern: str, replacement: str) -> None:
    plan = planned("oscillator")
    kernel = kernel_of("oscillator", "numpy", (pattern, replacement))
    try:
        found = rounding_bound(kernel, plan, "float32")
    except NotYetCovered:
        return
    known = rounding_bound(kernel_of("oscillator", "numpy"), plan, "float32")
    assert found.epsilon(10.0) > 1000 * known.epsilon(10.0)


@pytest.mark.parametrize("form", ["bias", "score_mod"])
def test_a_bias_with_parameters_over_a_box(form: str) -> None:
    kernel, plan = kernel_of("learned-slopes", "torch"), planned("learned-slopes")
    bound = rounding_bound(kernel, plan, "float32", form=form)
    assert bound.formula == {"bias": "1.001*2^-24", "score_mod": "2.001*2^-24"}[form]
    assert measure(kernel, plan, bound).ratio <= 1.0
    edit = (r"-m \* w \* SLOPE\.to\(lag\.device\) \* lag", "-m * w * SLOPE * lag * m")
    if form == "bias":
        other = rounding_bound(
            kernel_of("learned-slopes", "torch", edit), plan, "float32", form=form
        )
        assert other.epsilon(1.0) > 1.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_coordinates_with_parameters_lie_inside(dtype: str) -> None:
    kernel, plan = kernel_of("learned-slopes", "torch"), planned("learned-slopes")
    bound = bias_bound(kernel, plan, dtype)
    assert 0.0 < measure_bias(kernel, plan, bound) <= 1.0


def test_bounds_are_judged_and_the_box_is_stated() -> None:
    found = judge(kernel_of("oscillator", "numpy"), planned("oscillator"), dtypes=["bfloat16"])
    assert found.verdict == "holds"
    assert (
        "for w in [0, 4], z in [-4, 4], wherever the maps stay in range"
        in (found.header_lines()[0])
    )


def test_refused_boxes() -> None:
    kernel, plan = kernel_of("oscillator", "numpy"), planned("oscillator")
    for box in ({"w": (1.0, 0.5), "z": 0.0}, {"w": (0.0, float("inf")), "z": 0.0}, {"w": 1.0}):
        with pytest.raises(SpecificationError, match="parameters"):
            rounding_bound(kernel, plan, "float32", parameters=box)
