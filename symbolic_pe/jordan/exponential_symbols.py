"""One exponential symbol per parameter: e^{q}, e^{q/2} and cosh(q/3) as powers of E = e^{q/6}.

Fractional powers of e^{q} are radicals in the ring of scalars. Written in E they are polynomials,
and E > 0 is one more parameter of the case tree, whose conditions then speak of exp(q/6).
"""

from __future__ import annotations

from dataclasses import replace
from math import lcm

from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.scalar import ZERO, Scalar, with_symbols
from symbolic_pe.algebra.symbols import exponential_argument, exponential_symbol, is_exponential
from symbolic_pe.generators.generator import Generator


def with_one_exponential(generator: Generator) -> Generator:
    """The same generator with fractional powers of exponentials written in one symbol each.

    >>> x = Generator.from_matrix([["cosh(q/2)", "0"], ["0", "exp(q)"]], {"q": "real"})
    >>> str(with_one_exponential(x).matrix[1][1])
    'exp(1/2*q)^2'
    """
    if generator.placed is not None:
        return generator
    orders: dict[str, int] = {}
    for radical in (r for row in generator.matrix for x in row for r in x.terms):
        for atom, exponent in radical:
            if is_exponential(atom.text) and exponential_argument(atom.text).parameters():
                orders[atom.text] = lcm(orders.get(atom.text, 1), int(exponent.q))
    if not orders:
        return generator
    roots = {name: _root(name, order) for name, order in orders.items()}
    powers = {name: root ** orders[name] for name, root in roots.items()}

    def image(name: str) -> Scalar:
        return powers.get(name) or Scalar.symbol(name)

    def rewritten(x: Scalar) -> Scalar:
        total = ZERO
        for radical, coefficient in x.terms.items():
            top, bottom = (with_symbols(p, image) for p in coefficient.split())
            part = top / bottom
            for atom, exponent in radical:
                if atom.text in roots:
                    part = part * roots[atom.text] ** int((exponent * orders[atom.text]).p)
                else:
                    part = part * Scalar({((atom, exponent),): _ONE})
            total = total + part
        return total

    matrix: ScalarMatrix = apply(rewritten, generator.matrix)
    return Generator(generator.dimension, None, matrix, _declared(generator.assumptions, roots))


def _root(name: str, order: int) -> Scalar:
    """e^{m/N} for the symbol e^m."""
    argument = exponential_argument(name) * Scalar.rational(fmpq(1, order))
    return Scalar.symbol(exponential_symbol(argument))


def _declared(assumptions: Assumptions, roots: dict[str, Scalar]) -> Assumptions:
    positive = Interval(low=ZERO)
    added = {next(iter(root.symbols())): positive for root in roots.values()}
    return replace(assumptions, intervals={**assumptions.intervals, **added})


_ONE = Scalar.rational(1).base_value()
