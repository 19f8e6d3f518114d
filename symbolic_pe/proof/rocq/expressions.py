"""Expressions of the checker: the data that it computes with, and how the same is read.

Every expression carries both texts. Rocq compares them by computation (`reflexivity`), so data that
says something else than its reading is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.proof.rocq import syntax
from symbolic_pe.proof.rocq.syntax import Term


@dataclass(frozen=True)
class Expression:
    """`data` of type expr, `reading` of type R."""

    data: Term
    reading: Term


Matrix = Sequence[Sequence[Expression]]


def natural(n: int) -> Expression:
    """n ≥ 0."""
    return Expression(syntax.call("Int", Term(str(n))), Term(str(n)))


def rational(q: fmpq) -> Expression:
    """p/q."""
    if q < 0:
        return opposite(rational(-q))
    numerator = natural(int(q.p))
    if q.q == 1:
        return numerator
    below = Term(str(q.q))
    return Expression(
        syntax.call("Over", numerator.data, below), syntax.quotient(numerator.reading, below)
    )


def symbol(index: int, reading: Term) -> Expression:
    """Symbol k, read as the real number that it stands for."""
    return Expression(syntax.call("Sym", Term(str(index))), reading)


def function(family: int, component: int, reading: Term) -> Expression:
    """Function c of family k at t."""
    return Expression(syntax.call("Fun", Term(str(family)), Term(str(component))), reading)


POSITION = Expression(Term("Time"), Term("t"))
NOTHING = natural(0)


def opposite(a: Expression) -> Expression:
    """−a."""
    return Expression(syntax.call("Neg", a.data), syntax.opposite(a.reading))


def times(a: Expression, b: Expression) -> Expression:
    """a·b."""
    return Expression(syntax.call("Mul", a.data, b.data), syntax.times(a.reading, b.reading))


def power(a: Expression, n: int) -> Expression:
    """a^n."""
    return Expression(syntax.call("Pow", a.data, Term(str(n))), syntax.natural_power(a.reading, n))


def plus(a: Expression, b: Expression) -> Expression:
    """a + b."""
    return Expression(syntax.call("Add", a.data, b.data), syntax.plus(a.reading, b.reading))


def minus(a: Expression, b: Expression) -> Expression:
    """a − b."""
    return Expression(syntax.call("Sub", a.data, b.data), syntax.minus(a.reading, b.reading))


def combination(parts: Sequence[tuple[fmpq, Sequence[Expression]]]) -> Expression:
    """Σ c·Π factors, signs in front; 0 without terms."""
    total: Expression | None = None
    for coefficient, factors in parts:
        term = _product(abs(coefficient), factors)
        if total is None:
            total = opposite(term) if coefficient < 0 else term
        else:
            total = (minus if coefficient < 0 else plus)(total, term)
    return NOTHING if total is None else total


def _product(magnitude: fmpq, factors: Sequence[Expression]) -> Expression:
    items = [*factors] if magnitude == 1 and factors else [rational(magnitude), *factors]
    total = items[0]
    for factor in items[1:]:
        total = times(total, factor)
    return total


def monomials(
    p: RationalFunction, symbols: Mapping[str, Expression]
) -> list[tuple[fmpq, list[Expression]]]:
    """The terms of a polynomial in the named symbols, in a fixed order."""
    ordered = sorted(
        p.numerator_terms(), key=lambda item: (-sum(item[0].values()), sorted(item[0].items()))
    )
    return [
        (c, [symbols[n] if e == 1 else power(symbols[n], e) for n, e in sorted(m.items())])
        for m, c in ordered
    ]


def polynomial(p: RationalFunction, symbols: Mapping[str, Expression]) -> Expression:
    """A polynomial in the named symbols.

    >>> w = symbol(0, Term("w"))
    >>> p = polynomial(RationalFunction.symbol("w") ** 2 - RationalFunction(1), {"w": w})
    >>> str(p.data), str(p.reading)
    ('Sub (Pow (Sym 0) 2) (Int 1)', 'w ^ 2 - 1')
    """
    return combination(monomials(p, symbols))


def data_rows(matrix: Matrix, indent: int) -> str:
    """The matrix as data."""
    return syntax.rows(((str(x.data) for x in row) for row in matrix), indent)


def reading_rows(matrix: Matrix, indent: int) -> str:
    """The matrix as it is read."""
    return syntax.rows(((str(x.reading) for x in row) for row in matrix), indent)
