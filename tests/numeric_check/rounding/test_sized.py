"""Numbers with sizes: what they claim of all positions holds where it is not executed too."""

from __future__ import annotations

import math

import pytest
from flint import arb

from numeric_check.rounding.sized import SizedModel, constant, learned, place
from numeric_check.text_proof.exact_element import LeavesTheRing

MODEL = SizedModel(2.0**20, later=True)
T, S = place(3, whole=True, role="query"), place(1, whole=True, role="key")


def test_a_comparison_may_be_the_other_elsewhere() -> None:
    found = MODEL.compared(T, constant(5), lambda a, b: bool(a > b))
    assert (found.value, found.low, found.high, found.bound) == (arb(0), 0.0, 1.0, (1.0,))
    scaled = MODEL.multiply(T, found, "float64")
    angle = MODEL.multiply(scaled, constant(0.1), "float64")
    # the rounding of 0.1·p is counted, although nothing is left of it at p = 3
    assert MODEL.largest(MODEL.wave(angle, "float64", "cos")) > 1e5 * 2.0**-53 * 0.1


def test_only_a_difference_of_query_and_key_is_a_lag() -> None:
    assert MODEL.subtract(T, S, "float64").low == 0.0
    for first in (-T, MODEL.magnitude(T)):
        assert MODEL.subtract(first, S, "float64").low < 0.0


def test_a_larger_number_may_be_the_rounded_one() -> None:
    cosine = MODEL.wave(MODEL.multiply(T, constant(0.1), "float64"), "float64", "cos")
    assert not MODEL.larger(constant(1), cosine).exact
    assert MODEL.larger(constant(2), constant(1)).exact


@pytest.mark.parametrize("high", [0.09, 0.5, 3.0, 1e300])
def test_a_logarithm_is_below_its_upper_end(high: float) -> None:
    a = MODEL.larger(learned(high, positive=False), constant(high))
    found = MODEL.log(constant(high), "float64")
    assert found.low < math.log(high) < found.high
    assert a.low == high


def test_sums_of_whole_numbers_are_exact_to_2_to_the_53() -> None:
    assert MODEL.sum([T, S], "float64").exact
    far = SizedModel(2.0**53)
    assert not far.sum([T, S], "float64").exact
    with pytest.raises(LeavesTheRing, match="no bound"):
        far.sum([T, S], "int64")
    with pytest.raises(LeavesTheRing, match="negative"):
        MODEL.floor(MODEL.subtract(S, T, "float64"))
