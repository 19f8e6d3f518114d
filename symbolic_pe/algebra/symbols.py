"""Symbols and positive atoms: what may stand under a fractional power, and how each evaluates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flint import arb, fmpq, fmpz

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.errors import OutsideTheRing

if TYPE_CHECKING:
    from symbolic_pe.algebra.scalar import Scalar

PI = "pi"
_exponential_arguments: dict[str, Scalar] = {}


@dataclass(frozen=True, slots=True)
class Atom:
    """A positive quantity that may carry a fractional exponent: a prime, π, ln p, e^m, a
    positive parameter, or an irreducible polynomial known to be positive.

    Equality is equality of texts.
    """

    text: str
    value: RationalFunction

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @staticmethod
    def of(value: RationalFunction) -> Atom:
        """The atom whose value is an irreducible polynomial or a prime."""
        return Atom(str(value), value)


MAX_TO_FACTOR = 10**36


def prime_factors(value: fmpq) -> list[tuple[Atom, int]]:
    """Prime factorisation of a positive rational: Π pᵢ^eᵢ.

    Raises `OutsideTheRing` above `MAX_TO_FACTOR`, so that no input can hang the reader.
    """
    if value.p > MAX_TO_FACTOR or value.q > MAX_TO_FACTOR:
        raise OutsideTheRing(
            "a root or logarithm of a number of more than 36 digits, which would have to be "
            "factored; give it a name as a parameter or write it as a product"
        )
    return [
        (Atom.of(RationalFunction(fmpq(p))), sign * int(e))
        for part, sign in ((fmpz(value.p), 1), (fmpz(value.q), -1))
        for p, e in part.factor()
    ]


def is_logarithm(name: str) -> bool:
    """True for the symbols log(…)."""
    return name.startswith("log(")


def is_exponential(name: str) -> bool:
    """True for the symbols exp(…)."""
    return name.startswith("exp(")


def is_constant_symbol(name: str) -> bool:
    """True for π, log(p) and exp of a constant; false for whatever depends on a parameter."""
    if is_exponential(name):
        return not _exponential_arguments[name].parameters()
    return name == PI or (is_logarithm(name) and name[4:-1].isdigit())


def exponential_symbol(argument: Scalar) -> str:
    """The symbol for e^m, m a monomial with coefficient 1."""
    name = f"exp({argument})"
    _exponential_arguments[name] = argument
    return name


def exponential_argument(name: str) -> Scalar:
    """The m of a symbol exp(m)."""
    return _exponential_arguments[name]


def logarithm_argument(name: str) -> str:
    """The text under log( )."""
    return name[4:-1]


def symbol_ball(name: str, values: Mapping[str, arb]) -> arb:
    """Enclosure of a symbol at given parameter values, at the current precision."""
    if name == PI:
        return arb.pi()
    if is_logarithm(name):
        inner = logarithm_argument(name)
        return arb(int(inner)).log() if inner.isdigit() else values[inner].log()
    if is_exponential(name):
        return exponential_argument(name).ball(values).exp()
    return values[name]
