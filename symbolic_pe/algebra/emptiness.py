"""Showing that a cell is empty: its facts as linear inequalities in monomials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flint import fmpq

from symbolic_pe.algebra.assumptions import MAX_TERMS_TO_SOLVE, Assumptions
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.linear_feasibility import Inequality, is_feasible
from symbolic_pe.algebra.rational_function import RationalFunction, monomial_element
from symbolic_pe.algebra.scalar import precision


def is_empty(cell: Assumptions) -> bool:
    """True when the facts, read as linear inequalities in monomials, contradict each other.

    Monomials of known sign bring that along, so a² − 3b < 0 excludes b ≤ 0.
    """
    facts = [(element, sign, True) for element, sign in cell.signs.values() if sign]
    facts.extend((equation, side, False) for equation in cell.equations() for side in (1, -1))
    facts.extend((element, sign, False) for element, sign in cell.weak.values())
    system: list[Inequality] = []
    monomials: dict[str, Mapping[str, int]] = {}
    for element, sign, strict in facts:
        if element.is_polynomial() and element.size() <= MAX_TERMS_TO_SOLVE:
            system.append(_linear(element, sign, monomials, strict=strict))
    for text, monomial in monomials.items():
        if all(name in cell.constants for name in monomial):
            system.extend(_enclosure(cell, text, monomial))
        if sum(monomial.values()) > 1:
            system.extend(_sign_inequalities(cell, text, monomial))
    for name, interval in cell.intervals.items():
        if name not in cell.solved:
            system.extend(_bounds(name, interval))
    return is_feasible(system) is False


def _sign_inequalities(
    cell: Assumptions, text: str, monomial: Mapping[str, int]
) -> Iterator[Inequality]:
    """What is known of the sign of a monomial."""
    element = monomial_element(monomial, fmpq(1))
    strict = cell.sign_by_monomials(element)
    weak = strict if strict is not None else cell.weak_sign_by_monomials(element)
    if weak:
        yield Inequality({text: fmpq(weak)}, fmpq(0), strict is not None)


def _linear(
    element: RationalFunction,
    sign: int,
    monomials: dict[str, Mapping[str, int]],
    *,
    strict: bool,
) -> Inequality:
    """sign·element > 0 (or ≥ 0) as an inequality in its monomials, which are collected."""
    coefficients: dict[str, fmpq] = {}
    constant = fmpq(0)
    for monomial, c in element.numerator_terms():
        if monomial:
            text = "*".join(f"{n}^{e}" if e > 1 else n for n, e in sorted(monomial.items()))
            coefficients[text] = c * sign
            monomials[text] = monomial
        else:
            constant = c * sign
    return Inequality(coefficients, constant, strict)


def _bounds(name: str, interval: Interval) -> Iterator[Inequality]:
    if interval.low is not None and interval.low.is_rational():
        bound = interval.low.rational_value()
        yield Inequality({name: fmpq(1)}, -bound, not interval.low_closed)
    if interval.high is not None and interval.high.is_rational():
        bound = interval.high.rational_value()
        yield Inequality({name: fmpq(-1)}, bound, not interval.high_closed)


def _enclosure(cell: Assumptions, text: str, monomial: Mapping[str, int]) -> Iterator[Inequality]:
    """A number, between two rational ones."""
    with precision(64):
        ball = cell.value(monomial_element(monomial, fmpq(1))).ball({})
        low, high = ball.lower().fmpq(), ball.upper().fmpq()
    yield Inequality({text: fmpq(1)}, -low, strict=False)
    yield Inequality({text: fmpq(-1)}, high, strict=False)
