"""Numbers as polynomials in independent symbols, each with the real term that it stands for.

The checker knows no relation between symbols, so an identity that it decides holds for all real
values of them; the file states it at the values that are meant. An identity that needs a relation
(√2·√2 = 2) is not decided this way, and is left out of an export.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.exponential_polynomial import Term as Exponential
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.jordan.adjunction import Adjunction
from symbolic_pe.proof.rocq.expressions import Expression, symbol
from symbolic_pe.proof.rocq.reals import real_term, symbol_term
from symbolic_pe.proof.rocq.syntax import Term, listed, number, quotient


@dataclass(frozen=True)
class Symbols:
    """The symbols of some numbers, in a fixed order, with their real terms."""

    adjunction: Adjunction
    terms: Mapping[str, Term]

    @classmethod
    def of(cls, numbers: Iterable[Scalar]) -> Symbols:
        """One symbol for each parameter, constant, root and denominator that occurs."""
        found = tuple(numbers)
        adjunction = Adjunction.of((found,))
        terms: dict[str, Term] = {}
        for x in found:
            base = adjunction.base(x)
            top, bottom = base.split()
            names = top.used_names() if not base.is_polynomial() else base.used_names()
            for name in names:
                root = adjunction.values.get(name)
                terms[name] = symbol_term(name) if root is None else real_term(root)
            if not base.is_polynomial():
                below = Scalar({(): bottom}).substitute(adjunction.values)
                terms[_reciprocal(bottom)] = quotient(number(1), real_term(below))
        return cls(adjunction, dict(sorted(terms.items())))

    @property
    def values(self) -> str:
        """The list of real terms, in order."""
        return listed(str(term) for term in self.terms.values())

    @property
    def expressions(self) -> dict[str, Expression]:
        """The symbols as expressions of the checker."""
        return {name: symbol(k, term) for k, (name, term) in enumerate(self.terms.items())}

    def polynomial(self, x: Scalar) -> RationalFunction:
        """A number as a polynomial in the symbols."""
        base = self.adjunction.base(x)
        if base.is_polynomial():
            return base
        top, bottom = base.split()
        return top * RationalFunction.symbol(_reciprocal(bottom))

    def free(self, x: Scalar) -> Scalar:
        """The number with its symbols made independent: no relation between them is left."""
        return Scalar({(): self.polynomial(x)})

    def free_function(self, f: ExponentialPolynomial) -> ExponentialPolynomial:
        """The same for the coefficients and exponents of a function."""

        def image(z: ComplexScalar) -> ComplexScalar:
            return ComplexScalar(self.free(z.re), self.free(z.im))

        return ExponentialPolynomial(
            f.variables,
            {
                Exponential(key.powers, tuple(image(e) for e in key.exponents)): image(c)
                for key, c in f.terms.items()
            },
        )


def _reciprocal(denominator: RationalFunction) -> str:
    return f"1/({denominator})"
