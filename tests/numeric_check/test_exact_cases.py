"""Exact elements with parameters, their cells, roots and constants."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq

from numeric_check.text_proof.branch_series import upper
from numeric_check.text_proof.close_constants import are_close
from numeric_check.text_proof.exact_cases import ExactCases
from numeric_check.text_proof.exact_cells import EVERYWHERE, Pieces, split
from numeric_check.text_proof.exact_choice import choose, larger, where
from numeric_check.text_proof.exact_element import BranchOnValue, Exact, LeavesTheRing
from numeric_check.text_proof.exact_roots import Parameters
from numeric_check.text_proof.exact_torch import ExactTensor
from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar

KNOWN = Parameters(Assumptions.declare({"w": "positive", "z": "real"}))
W, Z = (ExactCases.symbol(name, KNOWN) for name in "wz")
T, S = (ExactCases.variable(name, KNOWN) for name in "ts")


def number(text: str) -> Scalar:
    known = {name: Scalar.symbol(name) for name in "wz"}
    return parse(text, values=known, signs=KNOWN.assumptions)


def shown(x: ExactCases) -> dict[str, str]:
    return {str(cell): str(f) for cell, f in x.pieces.pieces}


def test_a_comparison_keeps_both_branches() -> None:
    assert shown(choose(T >= S, T - S, 0.0)) == {"-t + s <= 0": "t - s", "-t + s > 0": "0"}
    assert shown(choose(T * 2 > 3, 1, 2)) == {"2*t > 3": "1", "2*t <= 3": "2"}


def test_arithmetic_with_a_tensor_is_the_tensors() -> None:
    tensor = ExactTensor(np.array([T, Exact.of(3)], dtype=object))
    for x in (S, Exact.position("s")):
        assert [str(y.function) for y in (x - tensor).data] == ["s - t", "s - 3"]
    for wrong in (lambda: (T > 0) & tensor, lambda: (T > 0) | tensor):
        with pytest.raises(TypeError):  # not the truth of the tensor as an object
            wrong()


def test_contradictory_branches_are_dropped() -> None:
    inside = (T * T <= 1) & (T * T >= -1)
    assert len(choose(inside, 1, 0).pieces.pieces) == 3, "t^2 > 1, t^2 < -1, and between"
    both = (T > 1) & (T <= 1)
    assert all(str(f) == "0" for f in shown(choose(both, 1, 0)).values())
    assert shown(choose(~(T > 1), 1, 0)) == shown(choose(T <= 1, 1, 0))


def test_constants_are_decided_and_values_of_the_input_refused() -> None:
    assert choose(W - W >= 0, 1, 2).function == Exact.of(1).function
    for asking in (lambda: bool(T > 0), lambda: ExactCases.symbol("x.0.0", KNOWN) > 0):
        with pytest.raises(BranchOnValue):
            asking()
    with pytest.raises(BranchOnValue):
        _ = choose(T > 0, 1, 2).function


def test_arrays_branch_element_by_element() -> None:
    values = np.array([T, S, Exact.of(3)], dtype=object)
    found = larger(values, 0.0)
    assert [len(getattr(x, "pieces", Pieces.of(0)).pieces) for x in found] == [2, 2, 1]
    assert where(np.array([True, False]), 1.0, 2.0)[1].function == Exact.of(2).function


def test_roots_need_a_sign() -> None:
    assert str((W * W).sqrt().function) == "w"
    discriminant = W * W * (Z + 1) * (Z - 1)
    with pytest.raises(LeavesTheRing, match="may be negative"):
        discriminant.sqrt()
    growing = (T - S) * (T - S) * discriminant > 1
    root = choose(growing, discriminant, 1.0).sqrt()
    square = root * root - choose(growing, discriminant, 1.0)
    assert all(KNOWN.vanishes(f) for _, f in square.pieces.pieces)
    shifted = root * root - choose(growing, discriminant * 2, 1.0)
    assert not all(KNOWN.vanishes(f) for _, f in shifted.pieces.pieces)
    with pytest.raises(LeavesTheRing, match="may be negative"):
        choose(T * discriminant > 1, discriminant, 1.0).sqrt()


def test_division_needs_what_never_vanishes() -> None:
    assert str((T / W).function) == str((T * (1 / W)).function)
    with pytest.raises(LeavesTheRing, match="may be 0"):
        _ = T / Z
    with pytest.raises(LeavesTheRing):
        _ = 1 / T


def test_functions_of_parameters() -> None:
    assert str((W.exp() * (-W).exp()).function) == "1"
    assert str(W.log().function) == "log(w)"
    assert ((T * W - W).exp() * W.exp()).function == (T * W).exp().function
    for bad in (Z.log, (T * T).exp, T.sqrt):
        with pytest.raises(LeavesTheRing):
            bad()


def test_split_is_a_partition() -> None:
    form = T.function
    sides = split(form, fmpq(1), closed=True)
    (above, true), (below, false) = sides.pieces
    assert (true, false) == (True, False)
    assert above.meet(below) is None
    assert EVERYWHERE.meet(above) == above


@pytest.mark.parametrize(
    ("found", "exact", "close"),
    [
        ("w*z + 1", "w*z + 1", True),
        ("3602879701896397/36028797018963968*w", "w/10", True),
        ("1/10*w + 1/1000000000", "w/10", False),
        ("14142135623730951/10000000000000000*w", "sqrt(2)*w", True),
        ("1414213562/1000000000*w", "sqrt(2)*w", False),
        ("1/(w + 3602879701896397/36028797018963968)", "1/(w + 1/10)", True),
        ("1/(w + 11/100)", "1/(w + 1/10)", False),
        ("w*z", "w*z + z", False),
        ("sqrt(w)*z", "sqrt(w)*z", True),
        ("sqrt(w)*z", "w*z", False),
        ("w^(1365/4096)", "w^(1/3)", False),
    ],
)
def test_constants_within_rounding(found: str, exact: str, close: bool) -> None:
    assert are_close(number(found), number(exact)) is close


def test_a_float_exponent_stands_for_a_simple_fraction() -> None:
    third = (W ** (1 / 3)).function.at_zero().re
    assert are_close(third, number("w^(1/3)"))
    assert not are_close(third, number("w^(2/3)"))
    with pytest.raises(LeavesTheRing):
        _ = Z ** (1 / 3)


def test_bounds_are_printed_upwards() -> None:
    assert upper(4.11e-19) == "4.2e-19"
    assert upper(0.5) == "5e-1"
