"""Fixed-point turns on rounded elements.

A text forms, of a computed û and an integer F, with r = û − ⌊û⌋,

    phase = (int64(⌊û⌋)·F mod 2⁶⁴ + r·F)·TURN,        TURN = fl(2π)/2⁶⁴

which is the angle (2π/2⁶⁴)·F·û modulo one turn, apart from

    2⁻⁵⁴·|F|         r, which is rounded where −1 < û < 0
    2·2⁻⁵³·|F|       F as a number of float64, and the product r·F
    2⁻⁵³·2⁶³         the wrapped integer as a number of float64
    2⁻⁵³·2⁶⁴         the sum of both, below 2⁶⁴ in magnitude

in units of 2⁻⁶⁴ turns, and, relative to an angle below 2π, 2⁻⁵³ each for TURN and the product. None
of them grows with |u|; what does is the rounding of u itself, and F, which is next to 2⁶⁴·θ/2π.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.majorant import ONE
from numeric_check.text_proof.exact_element import LeavesTheRing
from numeric_check.text_proof.exact_phase import TURN
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.turns import BITS_OF_A_TURN

UNIT = 2.0**-53
ONE_TURN = 2.0**BITS_OF_A_TURN
LARGEST_POSITION = 2.0**53
"""Whole numbers of float64 up to here are all that there are, and fit int64."""
BITS_OF_PI = 256


@dataclass(frozen=True)
class Whole:
    """⌊û⌋; `wraps` once it is an integer of 64 bits."""

    u: Rounded
    wraps: bool = False


@dataclass(frozen=True)
class Rest:
    """û − ⌊û⌋."""

    u: Rounded


@dataclass(frozen=True)
class Part:
    """⌊û⌋·F modulo 2⁶⁴ (`whole`), or (û − ⌊û⌋)·F."""

    u: Rounded
    turns: int
    whole: bool


@dataclass(frozen=True)
class Turns:
    """F·û modulo 2⁶⁴."""

    u: Rounded
    turns: int


FixedPoint = Whole | Rest | Part | Turns


def floor(model: Model, u: Any) -> Whole:
    """⌊û⌋ of a computed displacement."""
    known = isinstance(u, Rounded) and u.depends is None
    if not known or model.reach > LARGEST_POSITION:
        raise LeavesTheRing("the text takes the whole part of what is no position")
    return Whole(u)


def as_integer(x: Any) -> Whole:
    """The same as an integer of 64 bits."""
    if not isinstance(x, Whole):
        raise LeavesTheRing("the text turns numbers into integers")
    return Whole(x.u, wraps=True)


def subtracted(_: Model, u: Any, whole: Any) -> FixedPoint:
    """û − ⌊û⌋."""
    if isinstance(whole, Whole) and not whole.wraps and u == whole.u:
        return Rest(whole.u)
    raise _unknown("subtracts")


def multiplied(_: Model, a: Any, b: Any) -> FixedPoint | Rounded:
    """By F, or by TURN."""
    for fixed, factor in ((a, b), (b, a)):
        if isinstance(fixed, Turns) and _number(factor) == exact_number(TURN):
            return _angle(fixed)
        turns = _number(factor)
        if turns is None or turns.q != 1 or abs(turns) >= 2**63:
            continue
        if isinstance(fixed, Rest) or (isinstance(fixed, Whole) and fixed.wraps):
            return Part(fixed.u, int(turns.p), isinstance(fixed, Whole))
    raise _unknown("multiplies")


def added(_: Model, a: Any, b: Any) -> FixedPoint:
    """The phase of the whole part and that of the rest."""
    both = isinstance(a, Part) and isinstance(b, Part)
    if both and a.whole != b.whole and (a.u, a.turns) == (b.u, b.turns):
        return Turns(a.u, a.turns)
    raise _unknown("adds")


def _number(x: Any) -> fmpq | None:
    """An exact constant, else None."""
    if isinstance(x, Rounded):
        return x.constant
    return None if isinstance(x, FixedPoint) else exact_number(x)


def _unknown(verb: str) -> LeavesTheRing:
    return LeavesTheRing(f"the text {verb} fixed-point turns in a way that has no bound here")


def _angle(phase: Turns) -> Rounded:
    size = float(abs(phase.turns))
    lost = upward.plus(
        upward.times(upward.up(size), 2.5 * UNIT), 1.5 * UNIT * ONE_TURN
    )  # in units of 2⁻⁶⁴ turns
    with precision(BITS_OF_PI):
        one_turn = 2 * arb.pi()
        unit = _midpoint(one_turn) / fmpq(2) ** BITS_OF_A_TURN
    circle = upward.above(one_turn)
    error = upward.times(upward.times(lost, 1.0 / ONE_TURN), circle)
    error = upward.plus(error, upward.times(circle, 2 * UNIT))
    error = upward.times(error, 1.0 + 2.0**-40)  # errors of errors, and of the midpoint
    rate = unit * phase.turns
    u = phase.u
    return Rounded(
        {term: c * rate for term, c in u.value.items()},
        majorant.add(majorant.scale(u.error, upward.above(abs(rate))), {ONE: error}),
        u.relative,
    )


def _midpoint(x: arb) -> fmpq:
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


OPERATIONS: dict[str, Callable[[Model, Any, Any], Any]] = {
    "add": added,
    "subtract": subtracted,
    "multiply": multiplied,
}

__all__ = ["OPERATIONS", "FixedPoint", "as_integer", "floor"]
