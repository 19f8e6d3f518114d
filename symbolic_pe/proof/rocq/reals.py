"""Exact numbers of this package as terms of Rocq's real numbers.

    π               PI                     w            a variable (see `variable`)
    ln 7            ln 7                   10^(−1/16)   Rpower 10 (- (1 / 16))
    e^m             exp (m)                √(1 − z²)    sqrt (1 - z ^ 2)

Rocq's functions are total: 1/0, ln 0 and sqrt (−1) are some numbers there. The theorems that are
exported hold for all values of the variables, so nothing depends on which numbers these are.
"""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Radical, Scalar
from symbolic_pe.algebra.symbols import (
    PI,
    exponential_argument,
    is_exponential,
    is_logarithm,
    logarithm_argument,
    prime_factors,
)
from symbolic_pe.proof.rocq.syntax import (
    Term,
    call,
    natural_power,
    number,
    product,
    quotient,
    sum_of,
)

VERBATIM = frozenset("abdefghlmorwxyz")
"""Letters that no exported statement binds itself; it binds c, i, j, k, p, q, s, t and v."""


def variable(name: str) -> str:
    """The variable that stands for a parameter.

    >>> variable("w"), variable("t0"), variable("sin")
    ('w', 't0_', 'sin_')
    """
    return name if name in VERBATIM else f"{name}_"


def real_term(x: Scalar) -> Term:
    """A number, or a function of parameters, as a term of type R."""
    parts = sorted(
        x.terms.items(), key=lambda item: tuple((a.text, int(e.p), int(e.q)) for a, e in item[0])
    )
    return sum_of([_radical_term(radical, coefficient) for radical, coefficient in parts])


def symbol_term(name: str) -> Term:
    """A symbol of the base field."""
    if name == PI:
        return Term("PI")
    if is_exponential(name):
        return call("exp", real_term(exponential_argument(name)))
    if is_logarithm(name):
        inner = logarithm_argument(name)
        return call("ln", Term(inner) if inner.isdigit() else Term(variable(inner)))
    return Term(variable(name))


def _radical_term(radical: Radical, coefficient: RationalFunction) -> tuple[bool, Term]:
    """Whether the term is negative, and its magnitude."""
    if coefficient.is_constant():
        return _number_with_roots(radical, coefficient.constant())
    top, bottom = coefficient.split()
    negative, numerator = _polynomial(top)
    roots = [_power(_polynomial_term(a.value), e) for a, e in radical]
    whole = product([numerator, *roots])
    if bottom.is_constant() and bottom.constant() == 1:
        return negative, whole
    return negative, quotient(whole, _polynomial_term(bottom))


def _number_with_roots(radical: Radical, value: fmpq) -> tuple[bool, Term]:
    """c·Π a^e; primes of c go under the roots where they have one, so 10^(−1/16) is one power."""
    exponents = dict(radical)
    rest = abs(value)
    if any(e.q > 2 for e in exponents.values()):
        for atom, power in prime_factors(rest):
            if atom in exponents:
                exponents[atom] = exponents[atom] + power
                rest /= atom.value.constant() ** power
    joined: dict[tuple[int, int], list[RationalFunction]] = {}
    for atom, exponent in exponents.items():
        joined.setdefault((int(exponent.p), int(exponent.q)), []).append(atom.value)
    factors = []
    for (p, q), bases in sorted(joined.items(), key=lambda item: item[0]):
        base = RationalFunction(1)
        for b in bases:
            base = base * b
        factors.append(_power(_polynomial_term(base), fmpq(p, q)))
    if rest != 1 or not factors:
        factors.insert(0, number(rest))
    return bool(value < 0), product(factors)


def _power(base: Term, exponent: fmpq) -> Term:
    if exponent == fmpq(1, 2):
        return call("sqrt", base)
    return call("Rpower", base, number(exponent))


def _polynomial_term(p: RationalFunction) -> Term:
    negative, term = _polynomial(p)
    return sum_of([(negative, term)])


def _polynomial(p: RationalFunction) -> tuple[bool, Term]:
    """A polynomial: with one monomial whether it is negative, and its magnitude."""
    parts = []
    for monomial, coefficient in sorted(
        p.numerator_terms(), key=lambda item: (-sum(item[0].values()), sorted(item[0].items()))
    ):
        factors = [
            symbol_term(name) if power == 1 else natural_power(symbol_term(name), power)
            for name, power in sorted(monomial.items())
        ]
        magnitude = abs(coefficient)
        if magnitude != 1 or not factors:
            factors.insert(0, number(magnitude))
        parts.append((bool(coefficient < 0), product(factors)))
    return parts[0] if len(parts) == 1 else (False, sum_of(parts))
