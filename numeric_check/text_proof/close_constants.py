"""Constants of a text beside those of the encoding, as functions of the parameters.

Both are sums of monomials in the parameters (over a common denominator, with roots of parameters as
factors). They are within rounding when every coefficient is: that is what rounding the constants of
a text can do, and it needs no parameter values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from flint import arb, fmpq

from symbolic_pe.algebra.rational_function import ONE, RationalFunction
from symbolic_pe.algebra.scalar import Radical, Scalar, precision
from symbolic_pe.algebra.symbols import is_constant_symbol, symbol_ball

RELATIVE_ROUNDINGS = 2.0**-45
"""Constants may be off by a few units in the last place, and by more where a formula such as
log(1 − 2⁻¹²) loses bits: 2⁸ units of 2⁻⁵³."""
ABSOLUTE_ROUNDINGS = 2.0**-51
"""The same against the largest constant of its kind."""

LARGEST_DENOMINATOR = 1000
"""Of the exponents of roots of parameters that are told from their roundings."""
BITS = 192
Key = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, int], ...]]


def are_close(found: Scalar, exact: Scalar) -> bool:
    """Whether every coefficient of `found` is within rounding of that of `exact`."""
    if found == exact:
        return True
    below = _common_denominator([found, exact])
    with precision(BITS):
        one, other = _coefficients(found, below), _coefficients(exact, below)
        largest = max((abs(x) for x in other.values()), key=float, default=arb(0))
        return all(
            is_close(one.get(key, arb(0)), other.get(key, arb(0)), largest)
            for key in {*one, *other}
        )


def is_close(found: arb, exact: arb, largest: arb) -> bool:
    """Whether one number is within rounding of another; `largest` is the largest of its kind."""
    bound = RELATIVE_ROUNDINGS * abs(exact) + ABSOLUTE_ROUNDINGS * largest
    return bool(abs(found - exact) <= bound)


def _common_denominator(elements: Iterable[Scalar]) -> RationalFunction:
    parts: Mapping[str, RationalFunction] = {
        str(below): below
        for x in elements
        for c in x.terms.values()
        if not c.is_polynomial()
        for below in (c.split()[1],)
    }
    total = ONE
    for below in parts.values():
        total = total * below
    return total


def _coefficients(x: Scalar, below: RationalFunction) -> dict[Key, arb]:
    """x·below as a sum over monomials in what depends on parameters."""
    found: dict[Key, arb] = {}
    for radical, c in x.terms.items():
        factor, rest = _numbers_of(radical)
        for monomial, weight in (c * below).numerator_terms():
            value = factor * arb(weight)
            names = []
            for name, exponent in sorted(monomial.items()):
                if is_constant_symbol(name):
                    value *= symbol_ball(name, {}) ** exponent
                else:
                    names.append((name, exponent))
            key = (rest, tuple(names))
            found[key] = found.get(key, arb(0)) + value
    return found


def _numbers_of(radical: Radical) -> tuple[arb, tuple[tuple[str, str], ...]]:
    """The numeric factor of a radical, and its atoms that depend on parameters."""
    factor, rest = arb(1), []
    for atom, exponent in radical:
        if all(is_constant_symbol(n) for n in atom.value.used_names()):
            factor *= Scalar.monomial({atom: exponent}, ONE).ball({})
        else:
            rest.append((atom.text, str(_simplest(exponent))))
    return factor, tuple(rest)


def _simplest(exponent: fmpq) -> Fraction:
    """The simple fraction that a dyadic exponent rounds, or the exponent itself."""
    exact = Fraction(int(exponent.p), int(exponent.q))
    simple = exact.limit_denominator(LARGEST_DENOMINATOR)
    return simple if abs(simple - exact) <= RELATIVE_ROUNDINGS else exact


__all__ = ["ABSOLUTE_ROUNDINGS", "RELATIVE_ROUNDINGS", "are_close", "is_close"]
