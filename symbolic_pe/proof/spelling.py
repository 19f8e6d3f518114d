"""Spell exact numbers in the format of certificates: Σ c·Π atom^e with whole exponents.

Radicals become powers of one root for each base, of the least degree that all of them need; these
roots, logarithms, exponentials and π are defined in the document. Degrees are known at the end
only, so a document holds `Spelled` numbers until `finish`. A power of a rational number whose root
would have too large a degree becomes exp(e·log of it) there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import lcm
from typing import Any

from flint import fmpq

from symbolic_pe.algebra.assumptions import ASSUMPTIONS, Assumptions
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.algebra.symbols import (
    PI,
    exponential_argument,
    is_exponential,
    is_logarithm,
    logarithm_argument,
)
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.checker.numbers import MAX_EXPONENT

IMAGINARY, TIME = "i", "t"
POSITIONS = "query", "key", "lag"
Json = Any


@dataclass(frozen=True)
class Spelled:
    """Σ c·Π base^e, before the degrees of roots are known."""

    terms: tuple[tuple[fmpq, tuple[tuple[str, fmpq], ...]], ...]


@dataclass
class Definition:
    """A defined real number: a root, logarithm or exponential of `of`, or π."""

    name: str
    kind: str
    of: Scalar
    spelled: Spelled
    degree: int = 1


@dataclass
class Spelling:
    """The numbers of one document.

    max_degree  of the roots of rational numbers
    """

    assumptions: Assumptions
    declared: Mapping[str, str]
    max_degree: int = MAX_EXPONENT
    definitions: dict[str, Definition] = field(default_factory=dict)
    rates: dict[tuple[str, str], tuple[str, Spelled]] = field(default_factory=dict)
    powers: dict[str, Definition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._used = {IMAGINARY, TIME, *POSITIONS}
        self.names = {name: self.fresh(name) for name in sorted(self.declared)}

    def fresh(self, wish: str) -> str:
        """A name that nothing has yet."""
        name = wish
        while name in self._used or (wish not in self.declared and name in self.declared):
            name += "_"
        self._used.add(name)
        return name

    @property
    def parameters(self) -> Json:
        """Names with the words of the format: bounds become signs."""
        words = {}
        for name, text in self.declared.items():
            known: Interval = self.assumptions.intervals[name]
            sign = known.sign_of_difference(ZERO)
            signs = {1: "positive", -1: "negative"}.get(sign or 0, "real")
            words[self.names[name]] = text if text in ASSUMPTIONS else signs
        return words

    # -- numbers ------------------------------------------------------------------------------

    def real(self, x: Scalar) -> Spelled:
        """A number."""
        return self.sum([(x, {})])

    def complex(self, z: ComplexScalar) -> Spelled:
        """re + i·im."""
        return self.sum([(z.re, {}), (z.im, {IMAGINARY: 1})])

    def function(self, f: ExponentialPolynomial) -> Spelled:
        """Σ c·t^k·exp(l·t), with one name for every l."""
        parts = []
        for key, c in f.terms.items():
            factors = {TIME: key.powers[0]}
            if not key.exponents[0].is_zero():
                factors[self._rate(key.exponents[0])] = 1
            parts += [(c.re, factors), (c.im, {**factors, IMAGINARY: 1})]
        return self.sum(parts)

    def _rate(self, exponent: ComplexScalar) -> str:
        key = str(exponent.re), str(exponent.im)
        if key not in self.rates:
            self.rates[key] = self.fresh(f"x{len(self.rates) + 1}"), self.complex(exponent)
        return self.rates[key][0]

    def sum(self, parts: Iterable[tuple[Scalar, Mapping[str, int]]]) -> Spelled:
        """Σ x·Π atom^e."""
        merged: dict[tuple[tuple[str, fmpq], ...], fmpq] = {}
        for x, atoms in parts:
            for radical, coefficient in x.terms.items():
                roots = {self._root(atom.value, int(e.q)): e for atom, e in radical}
                for factors, c in self._monomials(coefficient):
                    exponents: dict[str, fmpq] = {}
                    for group in (roots, factors, atoms):
                        for name, e in group.items():
                            exponents[name] = exponents.get(name, fmpq(0)) + e
                    key = tuple(sorted((n, e) for n, e in exponents.items() if e != 0))
                    merged[key] = merged.get(key, fmpq(0)) + c
        return Spelled(tuple((c, key) for key, c in sorted(merged.items(), key=_text) if c != 0))

    def _monomials(self, element: RationalFunction) -> list[tuple[dict[str, Any], fmpq]]:
        top, bottom = element.split()
        below: dict[str, Any] = {}
        constant, factors = bottom.factors()
        for factor, exponent in factors:
            names = factor.used_names()
            name = self._symbol(names[0]) if str(factor) == names[0] else self._root(factor)
            below[name] = -exponent
        found = []
        for monomial, c in top.numerator_terms():
            exponents = dict(below)
            for symbol, e in monomial.items():
                name = self._symbol(symbol)
                exponents[name] = exponents.get(name, 0) + e
            found.append((exponents, c / constant))
        return found

    def _symbol(self, symbol: str) -> str:
        """A parameter, or the definition of π, a logarithm or an exponential."""
        if symbol in self.names:
            return self.names[symbol]
        if symbol == PI:
            return self._define(symbol, "pi", "pi", ZERO)
        if is_exponential(symbol):
            return self._define(symbol, "e1", "exp", exponential_argument(symbol))
        if not is_logarithm(symbol):
            raise NotYetCovered(f"a certificate with the symbol {symbol}")
        inner = logarithm_argument(symbol)
        of = Scalar.rational(int(inner)) if inner.isdigit() else Scalar.symbol(inner)
        return self._define(symbol, f"log_{inner}", "log", of)

    def _root(self, value: RationalFunction, degree: int = 1) -> str:
        """The root of a positive base, whose degree is a multiple of the given one."""
        constant = value.is_constant()
        if not constant and self.assumptions.sign_of(value) != 1:
            raise NotYetCovered(
                f"a certificate with {value} in a denominator or under a root, whose sign is not "
                "known from the assumptions"
            )
        wish = f"r{value}" if constant else "f1"
        name = self._define(f"root {value}", wish, "root", Scalar({(): value}))
        found = self.definitions[name]
        found.degree = lcm(found.degree, degree)
        return name

    def _define(self, key: str, wish: str, kind: str, of: Scalar) -> str:
        for name, found in self.definitions.items():
            if found.kind == kind and found.of == of:
                return name
        spelled = self.real(of)  # what it is of is defined before it
        name = self.fresh(wish)
        self.definitions[name] = Definition(name, kind, of, spelled)
        return name

    # -- matrices -------------------------------------------------------------------------------

    def vector(self, x: Iterable[Scalar]) -> Json:
        """A list of numbers."""
        return [self.real(entry) for entry in x]

    def entries(self, x: ScalarMatrix) -> Json:
        """[row, column, number] of the entries that are not 0."""
        return [
            [i, j, self.real(entry)]
            for i, row in enumerate(x)
            for j, entry in enumerate(row)
            if not entry.is_zero()
        ]

    def function_entries(self, f: FunctionMatrix) -> Json:
        """[row, column, function] of the entries that are not 0."""
        return [
            [i, j, self.function(entry)]
            for i, row in enumerate(f)
            for j, entry in enumerate(row)
            if entry.terms
        ]

    # -- the end --------------------------------------------------------------------------------

    def finish(self, document: Json) -> Json:
        """The document with every number as JSON, and the declarations that they need."""
        stated = {**document, "parameters": self.parameters}
        if "rates" in document:
            stated["rates"] = dict(self.rates.values())
        known = [d for d in self.definitions.values() if not self._is_high(d)]
        plain = self._plain({**stated, "definitions": [_stated(d) for d in known]})
        powers = [_stated(d) for d in self.powers.values()]
        return {**plain, "definitions": [*self._plain(powers), *plain["definitions"]]}

    def _plain(self, node: Json) -> Json:
        if isinstance(node, Spelled):
            return [[str(c), dict(self._factor(*x) for x in key)] for c, key in node.terms]
        if isinstance(node, dict):
            return {key: self._plain(value) for key, value in node.items()}
        return [self._plain(x) for x in node] if isinstance(node, list | tuple) else node

    def _factor(self, name: str, exponent: fmpq) -> tuple[str, int]:
        """An atom and its whole exponent."""
        found = self.definitions.get(name)
        if found is None:
            return name, int(fmpq(exponent).p)
        if self._is_high(found):
            return self._exponential(found, fmpq(exponent)), 1
        return name, int((exponent * found.degree).p)

    def _is_high(self, found: Definition) -> bool:
        return found.kind == "root" and found.degree > self.max_degree and found.of.is_rational()

    def _exponential(self, found: Definition, exponent: fmpq) -> str:
        """The definition of g^e = exp(e·log(g)), after that of the logarithm."""
        key, log = f"{found.name}^{exponent}", f"log {found.name}"
        if key not in self.powers:
            if log not in self.powers:
                name = self.fresh(f"log_{found.of}")
                self.powers[log] = Definition(name, "log", found.of, found.spelled)
            of = Spelled(((exponent, ((self.powers[log].name, fmpq(1)),)),))
            wish = f"{found.name}_{exponent.p}_{exponent.q}".replace("-", "m")
            self.powers[key] = Definition(self.fresh(wish), "exp", found.of, of)
        return self.powers[key].name


def _stated(d: Definition) -> Json:
    return {"name": d.name, "kind": d.kind, "degree": d.degree, "of": d.spelled}


def _text(item: tuple[tuple[tuple[str, fmpq], ...], fmpq]) -> list[tuple[str, str]]:
    return [(name, str(e)) for name, e in item[0]]
