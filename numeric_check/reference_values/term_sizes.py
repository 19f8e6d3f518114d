"""How large the terms of a number are that a kernel adds up from its run-time parameters.

A rounding is relative to the terms, not to their sum: a rate a + b − c may be near 0 where a, b and
c are not.
"""

from __future__ import annotations

from collections.abc import Mapping

from flint import arb

from symbolic_pe.algebra.rational_function import RationalFunction, monomial_element
from symbolic_pe.algebra.scalar import Radical, Scalar


def size_of_terms(x: Scalar, parameters: Mapping[str, arb]) -> float:
    """Σ |terms|, those of a numerator over |its denominator|, and at least |x|.

    A denominator of several terms counts (Σ |its terms|)/|it| times. A number without parameters is
    a constant of the text, rounded once: its size is |x|. What stands below a root, or in a
    logarithm or exponential, is one number: terms that cancel there are not counted.

    >>> x = Scalar.symbol("a") - Scalar.symbol("b")
    >>> size_of_terms(x, {"a": arb(3), "b": arb(2)})
    5.0
    """
    value = abs(float(x.ball(parameters)))
    if not x.parameters() & set(parameters):
        return value
    total = 0.0
    for radical, coefficient in x.terms.items():
        top, bottom = coefficient.split()
        below = abs(float(Scalar({(): bottom}).ball(parameters)))
        terms = _terms(top, radical, parameters) * _terms(bottom, (), parameters)
        total += terms / (below * below) if below else 0.0
    return max(total, value)


def _terms(polynomial: RationalFunction, radical: Radical, parameters: Mapping[str, arb]) -> float:
    terms = [Scalar({radical: monomial_element(m, c)}) for m, c in polynomial.numerator_terms()]
    return sum(abs(float(term.ball(parameters))) for term in terms)


__all__ = ["size_of_terms"]
