"""Roots and exponentials as symbols: entries become rational functions of more parameters.

    e^{q}, cosh(q/3)     powers of E = e^{q/6}, one exponential for each parameter
    √w, (1 − z)^{1/3}    a symbol r > 0 each; a parameter that r^N = a gives is solved for
    √2·w                 a symbol for √2, whose value decides signs and what vanishes

Conditions of cases then speak of exp(q/6), sqrt(w) and sqrt(2); `Assumptions.definitions` says what
the symbols stand for. Components of one and two channels keep their roots: they are classified
without this, in terms of the parameters themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import lcm

from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.rational_function import ONE, RationalFunction
from symbolic_pe.algebra.scalar import ONE as UNIT
from symbolic_pe.algebra.scalar import ZERO, Scalar, with_symbols_replaced
from symbolic_pe.algebra.symbols import (
    Atom,
    exponential_argument,
    exponential_symbol,
    is_exponential,
)
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.adjunction import Adjunction
from symbolic_pe.jordan.components import connected_components

POSITIVE = Interval(low=ZERO)


def with_rational_entries(generator: Generator, *, everywhere: bool = False) -> Generator:
    """The same generator with its roots and fractional exponentials written as symbols.

    Components of one and two channels keep their roots, unless it is to be done `everywhere`.

    >>> x = Generator.from_matrix([["cosh(q/2)", "0"], ["0", "exp(q)"]], {"q": "real"})
    >>> str(with_rational_entries(x).matrix[1][1])
    'exp(1/2*q)^2'
    """
    if generator.placed is not None:
        return generator
    matrix, assumptions = _one_exponential(generator.matrix, generator.assumptions)
    if _needs_symbols(matrix, 1 if everywhere else 3):
        matrix, assumptions = _roots_as_symbols(matrix, assumptions)
    if matrix is generator.matrix:
        return generator
    return Generator(generator.dimension, None, matrix, assumptions)


# -- exponentials -----------------------------------------------------------------------------


def _one_exponential(
    matrix: ScalarMatrix, assumptions: Assumptions
) -> tuple[ScalarMatrix, Assumptions]:
    orders: dict[str, int] = {}
    for radical in (r for row in matrix for x in row for r in x.terms):
        for atom, exponent in radical:
            if is_exponential(atom.text) and exponential_argument(atom.text).parameters():
                orders[atom.text] = lcm(orders.get(atom.text, 1), int(exponent.q))
    if not orders:
        return matrix, assumptions
    roots = {name: _root(name, order) for name, order in orders.items()}
    powers = {name: root ** orders[name] for name, root in roots.items()}

    def rewritten(x: Scalar) -> Scalar:
        total = ZERO
        for radical, coefficient in x.terms.items():
            part = with_symbols_replaced(coefficient, powers)
            for atom, exponent in radical:
                if atom.text in roots:
                    part = part * roots[atom.text] ** int((exponent * orders[atom.text]).p)
                else:
                    part = part * Scalar({((atom, exponent),): ONE})
            total = total + part
        return total

    names = {next(iter(root.symbols())): root for root in roots.values()}
    values = {
        n: Scalar({((_atom_of(k), fmpq(1, orders[k])),): ONE})
        for n, k in zip(names, roots, strict=True)
    }
    bounds = {n: _range(assumptions, n) for n in values}
    return apply(rewritten, matrix), _declared(assumptions, values, bounds)


def _atom_of(name: str) -> Atom:
    return Atom.of(RationalFunction.symbol(name))


def _root(name: str, order: int) -> Scalar:
    """e^{m/N} for the symbol e^m."""
    argument = exponential_argument(name) * Scalar.rational(fmpq(1, order))
    return Scalar.symbol(exponential_symbol(argument))


def _range(assumptions: Assumptions, name: str) -> Interval:
    """Where e^m lies, for what is known of the sign of m."""
    argument = exponential_argument(name).base_value()
    sign = assumptions.sign_of(argument)
    weak = sign if sign is not None else assumptions.weak_sign_of(argument)
    closed = sign is None
    if weak == 1:
        return Interval(low=UNIT, low_closed=closed)
    if weak == -1:
        return Interval(low=ZERO, high=UNIT, high_closed=closed)
    return POSITIVE


def _declared(
    assumptions: Assumptions, values: Mapping[str, Scalar], bounds: Mapping[str, Interval]
) -> Assumptions:
    """With positive symbols, where they lie, and what they stand for."""
    return replace(
        assumptions,
        intervals={**assumptions.intervals, **bounds},
        definitions={**assumptions.definitions, **values},
    )


# -- roots ------------------------------------------------------------------------------------


def _needs_symbols(matrix: ScalarMatrix, size: int) -> bool:
    """Roots and parameters together in a component of at least so many channels."""
    for indices in connected_components(matrix):
        entries = [matrix[i][j] for i in indices for j in indices]
        rational = all(x.is_base() for x in entries)
        if len(indices) >= size and not rational and any(x.parameters() for x in entries):
            return True
    return False


def _roots_as_symbols(
    matrix: ScalarMatrix, assumptions: Assumptions
) -> tuple[ScalarMatrix, Assumptions]:
    adjoined = Adjunction.of(matrix)
    numbers = {n: v for n, v in adjoined.values.items() if not v.parameters()}
    others = {n: v for n, v in adjoined.values.items() if v.parameters()}
    bounds = dict.fromkeys(others, POSITIVE)
    refined = _declared(assumptions, others, bounds).with_constants(numbers)
    solved: dict[str, Scalar] = {}
    for name, value in others.items():
        (((atom, exponent),),) = (tuple(r) for r in value.terms)
        relation = RationalFunction.symbol(name) ** int(exponent.q) - atom.value
        relation = with_symbols_replaced(relation, solved).base_value()
        parameter = next((p for p in atom.value.used_names() if _solvable(relation, p)), None)
        if parameter is None:
            with_relation = refined.with_equation(relation)
        else:
            constant, linear = relation.split()[0].coefficients_in(parameter)
            solution = Scalar({(): -(constant / linear)})
            solved = {
                n: with_symbols_replaced(v.base_value(), {parameter: solution})
                for n, v in solved.items()
            }
            solved[parameter] = solution
            with_relation = refined.with_solution(parameter, solution)
        if with_relation is not None:  # a root of what is known to be positive
            refined = with_relation
    return apply(lambda x: with_symbols_replaced(adjoined.base(x), solved), matrix), refined


def _solvable(relation: RationalFunction, parameter: str) -> bool:
    numerator = relation.split()[0]
    if numerator.degree_in(parameter) != 1:
        return False
    _, linear = numerator.coefficients_in(parameter)
    return linear.is_constant()
