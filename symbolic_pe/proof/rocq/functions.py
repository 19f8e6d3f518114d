"""Exponential polynomials as expressions of the checker, with the families of functions they use.

    f(t) = Σ c·t^k·e^{at}·cos(bt) + c′·t^k·e^{at}·sin(bt)

Every rate a ≠ 0 gives a family `Exponential a`, every frequency b ≠ 0 a family `Turning b`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.proof.rocq import syntax
from symbolic_pe.proof.rocq.expressions import (
    POSITION,
    Expression,
    combination,
    function,
    monomials,
    polynomial,
    power,
)
from symbolic_pe.proof.rocq.symbols import Symbols
from symbolic_pe.proof.rocq.syntax import Term

TWO = Scalar.rational(2)


@dataclass(frozen=True)
class Wave:
    """c·t^power·e^{rate·t}, times cos or sin(frequency·t) when the frequency is not 0."""

    coefficient: Scalar
    power: int
    rate: Scalar
    frequency: Scalar
    is_sine: bool


def waves(f: ExponentialPolynomial) -> list[Wave]:
    """The real form of a real function of t, by rate, frequency, power, cosine first."""
    found = []
    for key, c in f.terms.items():
        (k,), (exponent,) = key
        if exponent.im.is_zero():
            found.append(Wave(c.re, k, exponent.re, exponent.im, is_sine=False))
        elif not str(exponent.im).startswith("-"):
            # c·e^{ibt} + conjugate = 2·Re c·cos bt − 2·Im c·sin bt
            cosine, sine = TWO * c.re, -TWO * c.im
            found.append(Wave(cosine, k, exponent.re, exponent.im, is_sine=False))
            found.append(Wave(sine, k, exponent.re, exponent.im, is_sine=True))
    kept = [w for w in found if not w.coefficient.is_zero()]
    return sorted(kept, key=lambda w: (str(w.rate), str(w.frequency), -w.power, w.is_sine))


@dataclass(frozen=True)
class Families:
    """The families of functions of some exponential polynomials, numbered in a fixed order."""

    symbols: Symbols
    rates: tuple[Scalar, ...]
    frequencies: tuple[Scalar, ...]

    @classmethod
    def of(cls, symbols: Symbols, functions: Iterable[ExponentialPolynomial]) -> Families:
        """One family for each rate and each frequency that occurs."""
        every = [w for f in functions for w in waves(f)]
        rates = {str(w.rate): w.rate for w in every if not w.rate.is_zero()}
        frequencies = {str(w.frequency): w.frequency for w in every if not w.frequency.is_zero()}
        return cls(
            symbols,
            tuple(rates[text] for text in sorted(rates)),
            tuple(frequencies[text] for text in sorted(frequencies)),
        )

    @property
    def data(self) -> str:
        """The list of families as data."""
        names = [("Exponential", x) for x in self.rates]
        names += [("Turning", x) for x in self.frequencies]
        return syntax.listed(str(syntax.call(name, self._constant(x).data)) for name, x in names)

    def expression(self, f: ExponentialPolynomial) -> Expression:
        """A function of t."""
        parts: list[tuple[fmpq, Sequence[Expression]]] = []
        known = self.symbols.expressions
        for wave in waves(f):
            factors = self._factors(wave)
            for coefficient, symbols in monomials(self.symbols.polynomial(wave.coefficient), known):
                parts.append((coefficient, [*symbols, *factors]))
        return combination(parts)

    def matrix(self, f: FunctionMatrix) -> list[list[Expression]]:
        """A matrix of functions."""
        return [[self.expression(entry) for entry in row] for row in f]

    def _constant(self, x: Scalar) -> Expression:
        known: Mapping[str, Expression] = self.symbols.expressions
        return polynomial(self.symbols.polynomial(x), known)

    def _factors(self, wave: Wave) -> list[Expression]:
        factors = []
        if wave.power:
            factors.append(POSITION if wave.power == 1 else power(POSITION, wave.power))
        if not wave.rate.is_zero():
            index = self.rates.index(wave.rate)
            factors.append(function(index, 0, self._applied("exp", wave.rate)))
        if not wave.frequency.is_zero():
            index = len(self.rates) + self.frequencies.index(wave.frequency)
            name = "sin" if wave.is_sine else "cos"
            factors.append(function(index, int(wave.is_sine), self._applied(name, wave.frequency)))
        return factors

    def _applied(self, name: str, x: Scalar) -> Term:
        return syntax.call(name, syntax.times(self._constant(x).reading, Term("t")))
