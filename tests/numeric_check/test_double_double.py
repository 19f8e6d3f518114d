from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from numeric_check.reference_values.double_double import (
    MULTIPLICATION_ERROR,
    DoubleDouble,
    add,
    contract,
    multiply,
)
from symbolic_pe.algebra.scalar import precision

rationals = st.builds(fmpq, st.integers(-(10**30), 10**30).filter(bool), st.integers(1, 10**30))


def carried(*values: fmpq) -> DoubleDouble:
    with precision(256):
        return DoubleDouble.from_balls([arb(v) for v in values], (len(values),))


def exact(x: DoubleDouble, index: int = 0) -> fmpq:
    return sum((fmpq(*float(part[index]).as_integer_ratio()) for part in (x.high, x.low)), fmpq(0))


@given(rationals, rationals)
def test_products_and_sums_have_106_bits(a: fmpq, b: fmpq) -> None:
    x, y = carried(a), carried(b)
    bound = fmpq(1, 2**100)
    assert fmpq(*MULTIPLICATION_ERROR.as_integer_ratio()) == bound
    assert abs(exact(multiply(x, y)) - exact(x) * exact(y)) <= bound * abs(exact(x) * exact(y))
    size = abs(exact(x)) + abs(exact(y))
    assert abs(exact(add(x, y)) - exact(x) - exact(y)) <= bound * size


def test_huge_factors_do_not_overflow_on_the_way() -> None:
    x = DoubleDouble(np.array([2.0**1000]), np.array([2.0**940]))
    y = DoubleDouble(np.array([2.0**-1000]), np.array([0.0]))
    product = multiply(x, y)
    assert product.high[0] == 1.0
    assert product.low[0] == 2.0**-60


def test_contraction() -> None:
    x = DoubleDouble(np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 2)))
    assert contract(x, x).high.tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_difference_of_near_numbers_is_exact() -> None:
    x = carried(fmpq(1, 3))
    value = np.array([1.0 / 3.0])
    assert x.subtracted_from(value)[0] == pytest.approx(
        float(arb(fmpq(1) / 3 - fmpq(1, 3))) - float(x.low[0])
    )


def test_out_of_range_is_infinite() -> None:
    with precision(64):
        x = DoubleDouble.from_balls([arb(2) ** 3000, arb(2) ** -3000], (2,))
    assert x.high.tolist() == [np.inf, 0.0]


def test_a_ball_that_overflows_is_infinite() -> None:
    huge = (arb(10) ** 200).exp()
    assert not huge.is_finite()
    assert DoubleDouble.from_balls([huge], (1,)).high.tolist() == [np.inf]
