"""ALiBi's constant coordinates: the whole table of readings, proved and refuted."""

from __future__ import annotations

import pytest

from derivations.augmentation.alibi import (
    READINGS,
    SLOPE,
    decide,
    decide_correct,
    decide_quoted,
)
from symbolic_pe.algebra.scalar import ONE, ZERO

# reading -> (what the quoted vectors give beside q·k, where softmax would not notice)
TABLE = {
    "exp((t-s)N), N upper": ("-m", "m = 0"),
    "exp((s-t)N), N upper": ("-m", "m = 0"),
    "exp((t-s)N), N lower": ("-m + t - s", "m = -1"),
    "exp((s-t)N), N lower": ("-m - t + s", "m = 1"),
    "the same map on both sides, N upper": ("-m + t", "m = 0"),
    "the same map on both sides, N lower": ("-m - m*t*s + s", "not equal after softmax for any m"),
    "GRAPE pairing, N upper": ("-m + t - s", "m = -1"),
    "GRAPE pairing, N lower": ("-m", "m = 0"),
}


def test_the_quoted_vectors_fail_in_every_orientation() -> None:
    decisions = decide_quoted()
    assert {d.reading for d in decisions} == set(TABLE) == set(READINGS)
    for decision in decisions:
        bias, softmax = TABLE[decision.reading]
        assert not decision.holds
        assert str(decision.bias) == bias
        assert softmax in decision.softmax
        assert decision.witness is not None


def test_only_the_slope_one_is_saved_by_softmax() -> None:
    positive = [d.reading for d in decide_quoted() if "m = 1" in d.softmax]
    assert positive == ["exp((s-t)N), N lower"]


def test_correct_vectors_are_proved() -> None:
    outcome = decide_correct()
    assert len(outcome) >= 5
    assert all(outcome.values())


def test_the_square_root_form() -> None:
    from symbolic_pe.algebra.assumptions import Assumptions
    from symbolic_pe.algebra.functions import square_root

    positive = Assumptions.declare({"m": "positive"})
    root = square_root(SLOPE, positive)
    assert decide("exp((t-s)N), N upper", (root, ZERO), (ZERO, -root)).holds


def test_swapping_the_constants_of_k_is_softmax_equivalent() -> None:
    decision = decide("exp((t-s)N), N upper", (-SLOPE, ONE), (ZERO, ONE))
    assert not decision.holds
    assert str(decision.bias) == "-m*t + m*s + 1"
    assert decision.softmax == "equal after softmax for every m"


@pytest.mark.parametrize("reading", list(READINGS))
def test_zero_vectors_give_no_bias(reading: str) -> None:
    decision = decide(reading, (ZERO, ZERO), (ZERO, ZERO))
    assert not decision.holds
