"""Constants of an encoding that a text can only write as the float64 number next to them.

A frequency of 1/10 stands in the text as a number that is no tenth. It is taken as 1/10 that is off
by its distance, so that exact results are those of the encoding. Whatever a number is taken for,
what is said of it is true.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from flint import arb, fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import upward
from numeric_check.rounding.coefficient import BITS, Box, Coefficient
from numeric_check.rounding.element import EXACT_POSITIONS, Rounded
from numeric_check.rounding.majorant import ONE
from symbolic_pe.algebra.rational_function import RationalFunction, monomial_element
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import MatrixGroup

Constants = Mapping[fmpq, Rounded]


def constants_of(groups: Iterable[MatrixGroup], box: Box) -> Constants:
    """By number of float64: what it stands for, where that is no number of float64."""
    exact: set[fmpq] = set()
    found: dict[fmpq, Rounded] = {}
    scalars = dict.fromkeys(x for group in groups for x in _scalars(group))
    for x in dict.fromkeys(c for scalar in scalars for c in _coefficients(scalar)):
        nearest = x.to_float()
        if x.is_rational() and x.rational_value() == exact_number(nearest):
            exact |= {exact_number(nearest), -exact_number(nearest)}
            continue
        for written in (nearest, *(math.nextafter(nearest, end) for end in (-math.inf, math.inf))):
            for sign in (1, -1):
                number = exact_number(sign * written)
                found.setdefault(number, _next_to(number, Scalar.rational(sign) * x, box))
    return {number: x for number, x in found.items() if number not in exact}


def _next_to(number: fmpq, exact: Scalar, box: Box) -> Rounded:
    """The exact constant, off by |number/exact − 1| of itself."""
    with precision(BITS):
        away = upward.above(arb(number) / exact.ball({}) - 1)
    value = exact.rational_value() if exact.is_rational() else Coefficient(exact, box)
    return Rounded({ONE: value}, {}, (away,), 0.0, EXACT_POSITIONS)


def _scalars(group: MatrixGroup) -> Iterator[Scalar]:
    (a, b), (c, d) = group.matrix
    yield from (a, b, c, d, group.centre, a - group.centre, group.discriminant)


def _coefficients(x: Scalar) -> Iterator[Scalar]:
    """The numbers in front of products of parameters, none where x is no polynomial in them."""
    found: dict[object, Scalar] = {}
    for radical, coefficient in x.terms.items():
        top, bottom = coefficient.split()
        if not bottom.is_constant():
            continue
        numbers = tuple(part for part in radical if not _has_parameters(part[0].value))
        rest = tuple((str(atom), power) for atom, power in radical if (atom, power) not in numbers)
        for names, c in top.numerator_terms():
            own = {n: k for n, k in names.items() if not Scalar.symbol(n).parameters()}
            place = rest, tuple(sorted((n, k) for n, k in names.items() if n not in own))
            part = Scalar({numbers: monomial_element(own, c / bottom.constant())})
            found[place] = found[place] + part if place in found else part
    yield from (c for c in found.values() if not c.is_zero())


def _has_parameters(x: RationalFunction) -> bool:
    return any(Scalar.symbol(name).parameters() for name in x.used_names())


__all__ = ["Constants", "constants_of"]
