"""Real radicals as symbols: a matrix over Q(√2, 5^(1/3), …) as one over Q(symbols).

Each positive atom a with fractional exponents of common denominator N gives one symbol for
a^(1/N). Polynomial identities in the symbols hold for the radicals; whether an element vanishes,
and its sign, are decided after putting the radicals back (`Assumptions.constants`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

from flint import fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.rational_function import ONE, ZERO, RationalFunction
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.algebra.symbols import Atom


@dataclass(frozen=True)
class Adjunction:
    """Symbols for the radicals of a matrix: `orders[atom]` is N, `values` the radicals."""

    orders: Mapping[Atom, int]
    values: Mapping[str, Scalar]

    @classmethod
    def of(cls, matrix: ScalarMatrix) -> Adjunction:
        """One symbol for each atom under a root in the matrix."""
        orders: dict[Atom, int] = {}
        for radical in (r for row in matrix for x in row for r in x.terms):
            for atom, exponent in radical:
                orders[atom] = lcm(orders.get(atom, 1), int(exponent.q))
        values = {
            _symbol(atom, n): Scalar.monomial({atom: fmpq(1, n)}, ONE) for atom, n in orders.items()
        }
        return cls(orders, values)

    def base(self, x: Scalar) -> RationalFunction:
        """An entry as an element of Q(symbols)."""
        total = ZERO
        for radical, coefficient in x.terms.items():
            part = coefficient
            for atom, exponent in radical:
                n = self.orders[atom]
                power = int((exponent * n).p)
                part = part * RationalFunction.symbol(_symbol(atom, n)) ** power
            total = total + part
        return total


def _symbol(atom: Atom, n: int) -> str:
    text = atom.text if atom.text.isalnum() else f"({atom.text})"
    return f"sqrt({atom.text})" if n == 2 else f"{text}^(1/{n})"
