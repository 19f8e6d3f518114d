"""Bounds of biases and tables that are no group: they hold, follow the text, and can fail."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

import pytest

from numeric_check.kernels.kernel import Kernel, compile_kernel
from numeric_check.rounding import (
    PositionBound,
    judge_positions,
    measure_positions,
    position_bound,
)
from symbolic_pe.cli.measured import emitted
from symbolic_pe.encodings.outside import Outside, PositionFunction
from symbolic_pe.errors import NotYetCovered
from tests.emit.test_golden_positions import TARGETS, form_of

STEMS = ("t5", "kerple", "kerple_power", "fire", "sinusoidal", "learned", "longrope", "fope")
EXACT = ("t5", "learned")
WHOLE = ("t5", "kerple_power", "learned")
NEAR = ("kerple", "kerple_power", "sinusoidal", "longrope")


@functools.cache
def text_of(stem: str, target: str) -> tuple[str, PositionFunction]:
    found = form_of(stem)
    assert isinstance(found, Outside)
    assert found.function is not None
    return emitted(found, target, "").text, found.function


def kernel_of(stem: str, target: str, *edits: tuple[str, str]) -> tuple[Kernel, PositionFunction]:
    text, function = text_of(stem, target)
    for pattern, replacement in edits:
        text, count = re.subn(pattern, replacement, text)
        assert count, f"{pattern!r} no longer applies"
    return compile_kernel(text, required=("DIMENSION", "HEADS", function.kind)), function


def smaller(bound: PositionBound, factor: float) -> PositionBound:
    return replace(bound, error=tuple(c / factor for c in bound.error))


@pytest.mark.parametrize(
    "target", ["numpy", *(pytest.param(t, marks=pytest.mark.slow) for t in TARGETS[1:])]
)
@pytest.mark.parametrize("stem", STEMS)
def test_measured_errors_lie_inside(stem: str, target: str) -> None:
    found = judge_positions(*kernel_of(stem, target))
    assert found.verdict == "holds", found.reason
    bound, measured = found.dtypes["float64"].bound, found.dtypes["float64"].measured
    assert ("all whole" if stem in WHOLE else "all real") in found.law
    if stem in EXACT:
        assert bound.relative == ()
        assert measured.error == 0.0
    else:
        assert bound.relative[0] < 2.0**-48
        assert 0.0 < measured.ratio <= 1.0


@pytest.mark.parametrize("stem", NEAR)
def test_the_search_comes_within_a_factor_of_8(stem: str) -> None:
    kernel, function = kernel_of(stem, "numpy")
    bound = position_bound(kernel, function)
    assert measure_positions(kernel, function, bound).ratio > 1 / 8
    assert measure_positions(kernel, function, smaller(bound, 8)).ratio > 1.0


def test_every_rounding_has_its_place() -> None:
    """lag, a·lag, 1 + x, one unit of log, and p·log: 1 + 1 + 1 + 2 + 1 roundings."""
    kernel, function = kernel_of("kerple", "numpy")
    assert 6.0 <= position_bound(kernel, function).error[0] * 2.0**53 < 6.01
    kernel, function = kernel_of("sinusoidal", "numpy")
    error = position_bound(kernel, function).error
    assert 2.0 <= error[0] * 2.0**53 < 2.01, "one unit of cos and sin"
    assert 1.0 <= error[1] * 2.0**53 < 1.01, "the product with a frequency of 1"


EDITS = [
    ("kerple", r"lag = query - key", "lag = (query - key).astype(np.float32)"),
    ("kerple", r"np\.log\((.*)\)\n", r"np.log((\1).astype(np.float32))\n"),
    ("fire", r"ratio\[\.\.\., None\]", "ratio.astype(np.float32)[..., None]"),
    ("sinusoidal", r"position \* FREQUENCY", "(position * FREQUENCY).astype(np.float32)"),
    ("longrope", r"position \* SCALED", "position.astype(np.float32) * SCALED"),
]


@pytest.mark.parametrize(("stem", "pattern", "replacement"), EDITS)
def test_a_rounding_to_float32_makes_the_bound_larger(
    stem: str, pattern: str, replacement: str
) -> None:
    kernel, function = kernel_of(stem, "numpy")
    known = position_bound(kernel, function)
    faulty, _ = kernel_of(stem, "numpy", (pattern, replacement))
    try:
        found = position_bound(faulty, function)
    except NotYetCovered as error:  # log returns float32
        assert "returns no array of float64" in str(error)
        return
    assert found.error[-1] > 1e6 * known.error[-1]
    assert measure_positions(faulty, function, known).ratio > 1.0
    assert measure_positions(faulty, function, found).ratio <= 1.0


@pytest.mark.parametrize(
    ("stem", "pattern", "replacement", "reason"),
    [
        ("t5", r"lag = query - key", "lag = query * 0.1 - key * 0.1", "compares numbers that are"),
        ("kerple", r"1 \+ scale", "scale", "logarithm of what may be 0"),
        ("kerple_power", r"clip\(lag, 0, None\)", "clip(lag * 0.1, 0, None)", "raises numbers"),
        ("fire", r"/ scale", "/ (scale - 4)", "divides by what may"),
        ("learned", r"position\.astype\(np\.int64\)", "(position / 3).astype(np.int64)", "whole"),
        ("sinusoidal", r"np\.sin\(angle\)", "np.tan(angle)", "tan"),
        ("sinusoidal", r"FREQUENCY = .*\n", "FREQUENCY = np.array([1.0])\n", "of shape"),
    ],
)
def test_texts_without_a_bound(stem: str, pattern: str, replacement: str, reason: str) -> None:
    kernel, function = kernel_of(stem, "numpy", (pattern, replacement))
    with pytest.raises(NotYetCovered, match=reason):
        position_bound(kernel, function)


def test_lags_of_the_other_sign_leave_the_bound() -> None:
    kernel, function = kernel_of("kerple", "numpy", (r"lag = query - key", "lag = key - query"))
    bound = position_bound(kernel, function)
    assert measure_positions(kernel, function, bound).ratio > 1e6


def test_constants_that_are_off_are_part_of_the_bound() -> None:
    kernel, function = kernel_of("sinusoidal", "numpy", (r"0\.1, 0\.1", "0.1, 0.1000000001"))
    assert position_bound(kernel, function).error[1] > 1e-10


def test_bounds_are_stated_and_false_statements_are_found() -> None:
    found = judge_positions(*kernel_of("sinusoidal", "numpy"))
    (line,) = [x for x in found.header_lines() if x.startswith("# float64:")]
    stated = line.removeprefix("# float64:").strip()
    assert not found.false_statements({"float64": stated})
    assert found.false_statements({"float64": stated.replace("|u| <= ", "|u| <= 9")})
    assert found.false_statements({"float64": re.sub(r"[\d.]+\*2\^-53", "1.0*2^-60", stated)})
