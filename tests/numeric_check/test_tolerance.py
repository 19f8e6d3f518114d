"""The named formulas, and what they let through: no realistic fault."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from numeric_check import compile_kernel, cross_check
from numeric_check.laws.positions import batches, parameter_points
from numeric_check.reference_values.tolerance import (
    DTYPES,
    FORMATS,
    angle_error,
    exponent_error,
    in_served_window,
    operations,
    relative_tolerance,
    split_tolerance,
    underflow,
    window_exponent,
)
from symbolic_pe.emit.plan import plan_kernel
from tests.numeric_check import kernel_texts as texts


@pytest.mark.parametrize("dtype", DTYPES)
def test_formats_agree_with_the_libraries(dtype: str) -> None:
    found = ml_dtypes.finfo(dtype)
    format_ = FORMATS[dtype]
    assert format_.unit_roundoff == float(found.eps) / 2
    assert format_.largest == float(found.max)
    assert format_.smallest_normal == float(found.smallest_normal)
    assert format_.smallest == float(found.smallest_subnormal)


def test_served_windows() -> None:
    for dtype, largest in (("float32", 88.72), ("bfloat16", 88.72), ("float16", 11.09)):
        edge = window_exponent(FORMATS[dtype])
        assert largest - 3.5 < edge < largest
        inside = in_served_window(np.array([edge - 0.01, edge + 0.01]), FORMATS[dtype])
        assert inside.tolist() == [True, False]


def test_roundings_are_those_of_the_docstring() -> None:
    assert operations(pair=False, decays=False, chain_length=1) == 2
    assert operations(pair=True, decays=False, chain_length=1) == 3
    assert operations(pair=True, decays=True, chain_length=2) == 10
    assert operations(pair=True, decays=False, chain_length=1, inputs=8) == 12


def test_one_more_rounding_only_below_float32() -> None:
    assert split_tolerance(FORMATS["float64"], 3)[1] == 0.0
    assert split_tolerance(FORMATS["float32"], 3)[1] == 0.0
    assert relative_tolerance(FORMATS["bfloat16"], 3) == pytest.approx(1.01 * (2**-8 + 3 * 2**-24))
    assert underflow(FORMATS["float16"], 3) == pytest.approx(2**-24, rel=1e-6)


def test_angles_of_rope_lose_less_than_a_billionth_at_2_to_the_20() -> None:
    assert float(angle_error(np.array(1.0), np.array(2.0**20))) * 2**-53 == 6 * 2**-33
    assert float(angle_error(np.array(0.0), np.array(1.0))) == 0.0
    assert float(exponent_error(np.array(-0.5), np.array(8.0))) == 24.0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("relative", [1e-3, -1e-3, 1e-4])
def test_a_frequency_off_by_little_is_seen_in_every_dtype(dtype: str, relative: float) -> None:
    example = texts.rope(16)
    for j in (0, 3, 7):
        text = example.changed(
            "\n\n\ndef _compute", f"\nFREQUENCY[{j}] *= {1 + relative}\n\n\ndef _compute"
        )
        result = cross_check(compile_kernel(text), example.encoding, dtypes=[dtype])
        assert {"query-map", "key-map"} <= result.refuted_laws


def test_positions_are_never_only_small() -> None:
    plan = plan_kernel(texts.decay().encoding)
    found = batches(plan, 0.125, seed=1, budget=1000)
    displacements = [float(u.p) / float(u.q) for b in found for u in b.displacements]
    assert {0.0, 1.0, 85.0, 419.0, 2.0**20, 0.5, -131071.0} <= set(displacements)
    for dtype in DTYPES:
        edge = window_exponent(FORMATS[dtype]) / 0.125
        assert any(0.85 * edge < u < edge for u in displacements)
        assert any(-edge < u < -0.85 * edge for u in displacements)
    assert all(i < len(b.positions) and j < len(b.positions) for b in found for i, j in b.pairs)
    small = batches(plan, 0.125, seed=1, budget=40)
    assert sum(len(b.positions) for b in small) <= 48
    assert all(i < len(b.positions) and j < len(b.positions) for b in small for i, j in b.pairs)


def test_parameter_points_stay_inside_what_is_declared() -> None:
    from symbolic_pe.encodings.encoding import Encoding, Head
    from symbolic_pe.generators.generator import Generator

    generator = Generator.from_matrix(
        [["0", "1"], ["-w^2", "-2*z*w"]], {"w": "nonnegative", "z": "between 0 and 1"}
    )
    points = parameter_points(plan_kernel(Encoding("p", (Head(generator),))), None)
    assert points
    assert all(p["w"] >= 0 and 0 < p["z"] < 1 and math.isfinite(p["w"]) for p in points)
    assert any(p["w"] == 0 for p in points)
    assert any(p["w"] == 1e-9 for p in points)
