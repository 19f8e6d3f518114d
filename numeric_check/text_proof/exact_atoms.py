"""Functions outside the ring, as symbols of their own: logarithms, and powers with any exponent.

log f and f^g of a polynomial f in positions and numbers are symbols that remember their arguments.
Two of them are equal where their arguments are, in normal form; identities between different ones
are not known. So what is decided to be equal is equal wherever both sides are defined, and what is
not has to be refuted by a point, where balls give every symbol its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import arb, fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, Scalar

Function = ExponentialPolynomial
LOG, POWER = "ln", "power"
"""Begin the names of symbols: `log(…)` is that of a constant."""


@dataclass
class Atoms:
    """The symbols of one run, by name: the function and its arguments."""

    known: dict[str, tuple[str, tuple[Function, ...]]] = field(default_factory=dict)

    def log(self, f: Function) -> Function:
        """ln f; ln 1 = 0."""
        if _is_constant(f, ONE):
            return Function(f.variables, {})
        return self._symbol(LOG, f)

    def power(self, f: Function, g: Function) -> Function:
        """f^g for g > 0; 0^g = 0 and 1^g = 1."""
        if f.is_zero_form() or _is_constant(f, ONE):
            return f
        return self._symbol(POWER, f, g)

    def _symbol(self, name: str, *arguments: Function) -> Function:
        full = f"{name}({'; '.join(str(f) for f in arguments)})"
        self.known.setdefault(full, (name, arguments))
        return Function.constant(Scalar.symbol(full))

    def occur_in(self, x: Scalar) -> bool:
        """Whether one of them is used."""
        return any(name in self.known for name in x.symbols())

    def balls(self, positions: Mapping[str, fmpq], numbers: Mapping[str, arb]) -> dict[str, arb]:
        """The value of every symbol at a point; arguments come before what is made of them."""
        values = dict(numbers)
        place = {name: arb(x) for name, x in positions.items()}
        for full, (name, arguments) in self.known.items():
            found = [value_of(f, place, values) for f in arguments]
            values[full] = found[0].log() if name == LOG else found[0] ** found[1]
        return values


def value_of(f: Function, place: Mapping[str, arb], values: Mapping[str, arb]) -> arb:
    """f at a point, at the current precision."""
    known = {v: place.get(v, arb(0)) for v in f.variables}
    return f.ball(known, values).real


def _is_constant(f: Function, x: Scalar) -> bool:
    return (f - Function.constant(x, f.variables)).is_zero_form()


__all__ = ["Atoms", "value_of"]
