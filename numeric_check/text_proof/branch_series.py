"""Where a text sums series: how near it is to the exponential of its 2×2 block.

On a cell |t²D̂| ≤ ρ it is decided that

    L = e^{ât}(Ĉ(t²D̂)·I + t·Ŝ(t²D̂)·(X̂ − âI))

with polynomials Ĉ, Ŝ in place of C = cosh(t√D̂) and S = sinh(t√D̂)/√D̂. They are read off by exact
division, and their distance from C and S/t is bounded by their coefficients and the tail of the
exact series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from flint import arb, fmpq

from numeric_check.text_proof.branch_exponential import (
    VARIABLE,
    Entries,
    Function,
    Nearness,
    Rates,
    Remainder,
    centre_and_rest,
    is_combination,
    square_of,
)
from numeric_check.text_proof.close_constants import are_close
from numeric_check.text_proof.exact_cells import Cell, canonical
from numeric_check.text_proof.exact_roots import Parameters
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.scalar import HALF, ONE, Scalar, precision
from symbolic_pe.errors import OutsideTheRing

SMALL_REMAINDER = 2.0**-53
"""A series is taken for its function when it is nearer than the unit roundoff of float64."""
TAIL_TERMS = 40
"""Terms of the exact series that are compared; for |z| ≤ 4 the rest is below 2·4⁴⁰/80! < 2⁻³¹⁰."""
LARGEST_ARGUMENT = 4


def upper(bound: float) -> str:
    """A bound with two digits, rounded upwards."""
    return f"{Context(prec=2, rounding=ROUND_CEILING).create_decimal(bound):e}"


@dataclass(frozen=True)
class Series:
    """The polynomials of a text on |t²D̂| ≤ ρ, coefficients of (t²D̂)^k and of t·(t²D̂)^k.

    exact  whether D̂ is that of the block, and not within rounding of it
    """

    discriminant: Scalar
    argument: fmpq
    even: Sequence[fmpq]
    odd: Sequence[fmpq]
    exact: bool

    @property
    def nearness(self) -> Nearness:
        """Upper bounds of the distance from C and S."""
        with precision(192):
            remainder = Remainder(
                float(arb(self.argument)),
                _distance(self.even, self.argument, 0),
                _distance(self.odd, self.argument, 1),
            )
        return Nearness(remainder, not self.exact)

    def apart(self, argument: arb) -> float:
        """A lower bound of the larger distance at one z = t²D̂."""
        with precision(192):
            both = (_at(self.even, argument, 0), _at(self.odd, argument, 1))
            return max(float(x.abs_lower()) for x in both)


def series_of(known: Parameters, cell: Cell, entries: Entries, rates: Rates) -> Series | None:
    """The series e^{ât}(C·I + S·N) that the text sums; None when it does not.

    Whatever the cell, the polynomials are compared with the exact ones only where it bounds |t²D̂|.
    """
    centre, rest = centre_and_rest(rates)
    opposite = Function.exponential(VARIABLE, ComplexScalar(-centre))
    free = tuple(tuple(f * opposite for f in row) for row in entries)
    for discriminant, argument in _arguments(cell):
        if not are_close(discriminant, square_of(rest)):
            continue
        even = _series_in((free[0][0] + free[1][1]).scale(HALF), discriminant, 0)
        odd = _odd_series(free, rest, discriminant)
        if even is None or odd is None:
            continue
        both = (_polynomial(even, discriminant, 0), _polynomial(odd, discriminant, 1))
        if is_combination(known, free, rest, *both):
            exact = discriminant == square_of(rest)
            return Series(discriminant, argument, tuple(even), tuple(odd), exact)
    return None


def _arguments(cell: Cell) -> list[tuple[Scalar, fmpq]]:
    """D̂ and ρ for every condition |t²D̂| ≤ ρ of the cell."""
    found = []
    for condition in cell.conditions:
        form, interval = canonical(condition.form), condition.interval
        if form.variables != (VARIABLE,) or interval.low is None or interval.high is None:
            continue
        argument = max(-interval.low.rational_value(), interval.high.rational_value())
        (key,) = form.terms if len(form.terms) == 1 else (None,)
        plain = key is not None and key.powers == (2,) and key.exponents[0].is_zero()
        if key is not None and plain and 0 < argument <= LARGEST_ARGUMENT:
            found += [(form.terms[key].re, argument), (-form.terms[key].re, argument)]
    return found


def _series_in(f: Function, discriminant: Scalar, odd: int) -> list[fmpq] | None:
    """c of f = Σ c_k·D̂^k·t^{2k + odd} with rational c_k, or None."""
    found: dict[int, fmpq] = {}
    for key, c in f.terms.items():
        half, rest = divmod(key.powers[0] - odd, 2)
        if rest or half < 0 or not key.exponents[0].is_zero() or not c.im.is_zero():
            return None
        try:
            ratio = c.re / discriminant**half
        except (OutsideTheRing, ZeroDivisionError):
            return None
        if not ratio.is_rational():
            return None
        found[half] = ratio.rational_value()
    return [found.get(k, fmpq(0)) for k in range(max(found, default=0) + 1)]


def _odd_series(free: Entries, deviation: Rates, discriminant: Scalar) -> list[fmpq] | None:
    for i, j in ((0, 1), (1, 0)):
        if not deviation[i][j].is_zero():
            return _series_in(free[i][j].scale(deviation[i][j].inverse()), discriminant, 1)
    if deviation[0][0].is_zero():
        return [fmpq(1)]
    half = (free[0][0] - free[1][1]).scale(HALF * deviation[0][0].inverse())
    return _series_in(half, discriminant, 1)


def _polynomial(coefficients: Sequence[fmpq], discriminant: Scalar, odd: int) -> Function:
    total, argument = Function((VARIABLE,), {}), Function.variable(VARIABLE)
    power = argument if odd else Function.constant(ONE, (VARIABLE,))
    for k, c in enumerate(coefficients):
        total = total + power.scale(discriminant**k * Scalar.rational(c))
        power = power * argument * argument
    return total


def _at(coefficients: Sequence[fmpq], argument: arb, odd: int) -> arb:
    """Σ c_k z^k − Σ z^k/(2k + odd)! for |z| ≤ 4."""
    terms = max(TAIL_TERMS, len(coefficients))
    total = arb(0)
    for k in range(terms):
        given = arb(coefficients[k]) if k < len(coefficients) else arb(0)
        total += (given - 1 / arb.fac_ui(2 * k + odd)) * argument**k
    tail = 2 * abs(argument) ** terms / arb.fac_ui(2 * terms + odd)
    return total + arb(0, tail.upper())


def _distance(coefficients: Sequence[fmpq], argument: fmpq, odd: int) -> float:
    """Upper bound of |Σ c_k z^k − Σ z^k/(2k + odd)!| over |z| ≤ ρ ≤ 4."""
    total = arb(0)
    for k in range(max(TAIL_TERMS, len(coefficients))):
        exact = 1 / arb.fac_ui(2 * k + odd)
        given = arb(coefficients[k]) if k < len(coefficients) else arb(0)
        total += abs(given - exact) * arb(argument) ** k
    rest = max(TAIL_TERMS, len(coefficients))
    tail = 2 * arb(argument) ** rest / arb.fac_ui(2 * rest + odd)
    return math.nextafter(float((total + tail).upper()), math.inf)


__all__ = ["SMALL_REMAINDER", "Series", "series_of", "upper"]
