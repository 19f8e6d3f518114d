"""Sizes of numbers of a running text: what may leave the range of a format has no finite error."""

from __future__ import annotations

import math

import pytest

from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding.element import Model, Rounded, number, unknown
from numeric_check.rounding.measurement import ratio_of

MODEL = Model(1.0)


def is_bounded(x: Rounded) -> bool:
    size = MODEL.size(x)
    return math.isfinite(size.constant) and math.isfinite(size.of_input)


def parts(factor: int, count: int) -> list[Rounded]:
    return [MODEL.multiply(unknown(i, "float16"), number(factor), "float16") for i in range(count)]


@pytest.mark.parametrize(("count", "inside"), [(2, True), (4, False)])
def test_a_sum_stays_in_the_range_of_its_format(count: int, inside: bool) -> None:
    found = parts(24576, count)
    assert all(map(is_bounded, found))
    assert is_bounded(MODEL.sum(found, "float16")) is inside
    assert is_bounded(MODEL.rounded(MODEL.sum(found, "float16"), "float64")) is inside
    assert is_bounded(MODEL.sum(found, "float32"))


def test_parts_that_cancel_may_overflow_on_the_way() -> None:
    found = [*parts(40000, 2), *(-x for x in parts(40000, 2))]
    assert not is_bounded(MODEL.sum(found, "float16"))


@pytest.mark.parametrize(("exponent", "inside"), [(15, True), (16, False)])
def test_a_power_of_two_may_overflow(exponent: int, inside: bool) -> None:
    x = unknown(0, "float16")
    assert is_bounded(MODEL.multiply(x, number(2**exponent), "float16")) is inside
    wide = MODEL.multiply(x, number(2**exponent), "float32")
    assert is_bounded(wide)
    assert is_bounded(MODEL.rounded(wide, "float16")) is inside


def test_errors_count_as_sizes() -> None:
    """Ten roundings beyond the largest number of float16 is out of its range."""
    largest = FORMATS["float16"].largest
    x = Rounded(number(int(largest)).value, relative=(10 * 2.0**-11,))
    assert is_bounded(MODEL.rounded(number(int(largest)), "float16"))
    assert not is_bounded(MODEL.rounded(x, "float16"))


def test_a_ratio_is_0_without_an_error_and_infinite_without_a_number() -> None:
    found = ratio_of([0.0, 1.0, 1.0, math.nan, math.inf, 0.0], [0.0, 2.0, 0.0, 1.0, 1.0, 1.0])
    assert found.tolist() == [0.0, 0.5, math.inf, math.inf, math.inf, 0.0]
