"""Angles: exact exactly when they are rational multiples of π, else balls."""

from __future__ import annotations

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.real_number import (
    RealNumber,
    angle,
    decimal_of,
    log_of_positive,
    root_of_positive,
)
from symbolic_pe.algebra.scalar import Scalar, precision


@pytest.mark.parametrize(
    ("a", "square", "expected"),
    [
        ("0", "2", "1/2*pi"),
        ("1", "1", "1/4*pi"),
        ("-1", "1", "3/4*pi"),
        ("3", "27", "1/3*pi"),
        ("-1", "3", "2/3*pi"),
        ("sqrt(3)", "1", "1/6*pi"),
        ("(sqrt(5)-1)/4", "1-((sqrt(5)-1)/4)^2", "2/5*pi"),
        ("(sqrt(6)+sqrt(2))/4", "((sqrt(6)-sqrt(2))/4)^2", "1/12*pi"),
        ("3", "16", None),
        ("1", "3-1e-12", None),
        # nearer to pi/3 than the ball that proposes candidates is wide
        ("1", "3-1e-90", None),
        ("sqrt(2)", "3", None),
        ("pi", "1", None),
    ],
)
def test_angles(a: str, square: str, expected: str | None) -> None:
    found = angle(parse(a), parse(square))
    assert (found.exact is None) is (expected is None)
    if expected is not None:
        assert found.text == expected
    with precision(128):
        ball = found.enclosure()
        assert ball > 0
        assert ball < arb.pi()
        # tan φ = b/a
        side = parse(a).ball({}) * ball.sin() - parse(square).ball({}).sqrt() * ball.cos()
        assert side.contains(0)
        assert side.rad() < 1e-30


@given(st.integers(1, 40), st.integers(1, 40))
def test_a_rational_angle_of_a_rational_square_is_one_of_few(a: int, b: int) -> None:
    """cos 2φ rational and φ/π rational leave 2 cos 2φ in −2 … 2 (Niven)."""
    found = angle(Scalar.rational(a), Scalar.rational(b))
    trace = 2 * (fmpq(a) ** 2 - b) / (fmpq(a) ** 2 + b)
    assert (found.exact is not None) is (trace.q == 1)


def test_a_printed_radius_is_no_smaller_than_the_ball() -> None:
    for k in range(1, 60):
        r = arb(fmpq(k, 7))
        text = decimal_of(arb(0, r), 10)
        assert arb(text.removeprefix("0 +- ")) >= r
    assert decimal_of(arb(0), 10) == "0"
    assert decimal_of(arb(fmpq(1, 8)), 10).startswith("0.125")


def test_numbers_beyond_the_ring_stay_what_they_are() -> None:
    large = Scalar.rational(10**40 + 1)
    assert log_of_positive(large).exact is None
    assert log_of_positive(large).decimal(8) == "92.103404"
    nested = root_of_positive(parse("1+sqrt(2)"))
    assert nested.text == "sqrt(1 + sqrt(2))"
    assert nested.over(RealNumber.of(parse("2"))).decimal(6) == "0.776887"
    assert nested.times(parse("-1")).text == "-sqrt(1 + sqrt(2))"
