"""Whether a matrix of functions, given on cells, is exp(tX̂) for one X̂ and all parameters.

On a cell where the text computes exponentials and waves, L = exp(tX̂) is decided by L(0) = I and
L′ = L·X̂, with roots of the discriminant as symbols. A 2×2 block may take its discriminant D̂ apart
from the entries of X̂; then it is decided that

    L = e^{ât}(C·I + S·(X̂ − âI)),   C = cosh(t√D̂),   S = sinh(t√D̂)/√D̂,   â = tr X̂/2

with D̂ within rounding of (X̂ − âI)². On a cell |t²D̂| ≤ ρ the text may sum series in place of C and
S: then L is decided to be that with polynomials Ĉ(t²D̂) and t·Ŝ(t²D̂), and their distance from C and
S is bounded, by their coefficients and the tail of the exact series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from flint import arb, fmpq

from numeric_check.close_constants import are_close
from numeric_check.exact_cells import Cell, canonical
from numeric_check.exact_element import LeavesTheRing
from numeric_check.exact_roots import Parameters
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar, precision
from symbolic_pe.errors import OutsideTheRing

Function = ExponentialPolynomial
Entries = tuple[tuple[Function, ...], ...]
Rates = tuple[tuple[Scalar, ...], ...]
VARIABLE = "t"
SMALL_REMAINDER = 2.0**-53
"""A series is taken for its function when it is nearer than the unit roundoff of float64."""
TAIL_TERMS = 40
"""Terms of the exact series that are compared; for |z| ≤ 4 the rest is below 2·4⁴⁰/80! < 2⁻³¹⁰."""
LARGEST_ARGUMENT = 4


@dataclass(frozen=True)
class Remainder:
    """On |u²D| ≤ ρ: |C − Ĉ| ≤ even and |S − Ŝ| ≤ |u|·odd, upper bounds."""

    argument: float
    even: float
    odd: float


@dataclass(frozen=True)
class Nearness:
    """How near a text is to exp(tX̂): exactly that without a remainder and without an own D̂.

    own_discriminant  D̂ is within rounding of (X̂ − âI)² and not equal to it
    """

    remainder: Remainder | None = None
    own_discriminant: bool = False

    def joined(self, other: Nearness) -> Nearness:
        """The worse of two."""
        a, b = self.remainder, other.remainder
        worse = a or b
        if a is not None and b is not None:
            worse = Remainder(max(a.argument, b.argument), max(a.even, b.even), max(a.odd, b.odd))
        return Nearness(worse, self.own_discriminant or other.own_discriminant)


def upper(bound: float) -> str:
    """A bound with two digits, rounded upwards."""
    return f"{Context(prec=2, rounding=ROUND_CEILING).create_decimal(bound):e}"


def generator_at_zero(known: Parameters, entries: Entries) -> Rates:
    """X̂ = L′(0), free of roots; raises `LeavesTheRing` otherwise."""
    return tuple(tuple(_slope(known, f) for f in row) for row in entries)


def _slope(known: Parameters, f: Function) -> Scalar:
    value = known.function(f.derivative(VARIABLE)).at_zero()
    re, im = known.scalar(value.re), known.scalar(value.im)
    if not im.is_zero() or any(name in known.roots for name in re.symbols()):
        raise LeavesTheRing(f"the derivative at the reference is {re}")
    return re


def is_exponential(known: Parameters, entries: Entries, rates: Rates) -> bool:
    """Decide L(0) = I and L′ = L·X̂; False when it is not shown."""
    n = len(rates)
    for i in range(n):
        for j in range(n):
            start = entries[i][j].at_zero()
            difference = ComplexScalar(start.re - (ONE if i == j else ZERO), start.im)
            if not known.vanishes(Function.constant(difference)):
                return False
            total = entries[i][j].derivative(VARIABLE)
            for k in range(n):
                if not rates[k][j].is_zero():
                    total = total - entries[i][k].scale(rates[k][j])
            if not known.vanishes(total):
                return False
    return True


def with_own_discriminant(known: Parameters, entries: Entries, rates: Rates) -> bool:
    """Decide L = e^{ât}(C·I + S·(X̂ − âI)) for the D̂ whose root the text took; 2×2.

    D̂ is not (X̂ − âI)² itself, or `is_exponential` had decided it.
    """
    centre, deviation = _deviation(rates)
    for name, square in known.roots.items():
        root = Scalar.symbol(name)
        for sign in (1, -1):
            discriminant = Scalar({(): square}) * Scalar.rational(sign)
            if not are_close(discriminant, _square_of(deviation)):
                continue
            c, s = _waves(root, growing=sign > 0)
            growth = Function.exponential(VARIABLE, ComplexScalar(centre))
            if _is_combination(known, entries, deviation, growth * c, growth * s):
                return True
    return False


def _waves(root: Scalar, *, growing: bool) -> tuple[Function, Function]:
    """cosh(rt) and sinh(rt)/r, or cos(rt) and sin(rt)/r."""
    if not growing:
        c, s = Function.cosine(VARIABLE, root), Function.sine(VARIABLE, root)
    else:
        up, down = (Function.exponential(VARIABLE, ComplexScalar(x)) for x in (root, -root))
        c, s = (up + down).scale(HALF), (up - down).scale(HALF)
    return c, s.scale(root.inverse())


def _is_combination(
    known: Parameters, entries: Entries, deviation: Rates, even: Function, odd: Function
) -> bool:
    """Decide L = even·I + odd·N."""
    zero = Function((VARIABLE,), {})
    return all(
        known.vanishes(entries[i][j] - odd.scale(deviation[i][j]) - (even if i == j else zero))
        for i in range(2)
        for j in range(2)
    )


def _deviation(rates: Rates) -> tuple[Scalar, Rates]:
    """â = tr X̂/2 and X̂ − âI."""
    centre = HALF * (rates[0][0] + rates[1][1])
    shifted = tuple(
        tuple(x - centre if i == j else x for j, x in enumerate(row)) for i, row in enumerate(rates)
    )
    return centre, shifted


def _square_of(deviation: Rates) -> Scalar:
    """D of N² = D·I for a matrix N of trace 0."""
    return deviation[0][0] * deviation[0][0] + deviation[0][1] * deviation[1][0]


# -- series -------------------------------------------------------------------------------------


def series_remainder(
    known: Parameters, cell: Cell, entries: Entries, rates: Rates
) -> Nearness | None:
    """Bound the distance from e^{ât}(C·I + S·N) where the text sums series; None when it does not.

    Whatever the cell, the polynomials are compared with the exact ones only where it bounds |t²D̂|.
    """
    centre, deviation = _deviation(rates)
    opposite = Function.exponential(VARIABLE, ComplexScalar(-centre))
    free = tuple(tuple(f * opposite for f in row) for row in entries)
    for discriminant, argument in _arguments(cell):
        if not are_close(discriminant, _square_of(deviation)):
            continue
        even = _series_in((free[0][0] + free[1][1]).scale(HALF), discriminant, 0)
        odd = _odd_series(free, deviation, discriminant)
        if even is None or odd is None:
            continue
        both = (_polynomial(even, discriminant, 0), _polynomial(odd, discriminant, 1))
        if _is_combination(known, free, deviation, *both):
            with precision(192):
                remainder = Remainder(
                    float(arb(argument)),
                    _distance(even, argument, 0),
                    _distance(odd, argument, 1),
                )
            return Nearness(remainder, discriminant != _square_of(deviation))
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


__all__ = [
    "SMALL_REMAINDER",
    "Entries",
    "Nearness",
    "Rates",
    "Remainder",
    "generator_at_zero",
    "is_exponential",
    "series_remainder",
    "upper",
    "with_own_discriminant",
]
