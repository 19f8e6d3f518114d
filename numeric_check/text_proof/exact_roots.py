"""Parameters of a text as symbols, and square roots of functions of them.

A root r = √s of a function s of the parameters is a symbol of its own with the relation r² = s,
taken only where s > 0 is known. Every element of Q(parameters)(r) is α + βr with α and β free of
roots; that form is unique unless s is a square, and α = β = 0 always shows that it is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import arb, fmpq

from numeric_check.text_proof.exact_atoms import Atoms
from numeric_check.text_proof.exact_cells import Cell
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.complex_scalar import C_ZERO, ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.rational_function import ONE, ZERO, RationalFunction
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import OutsideTheRing

Function = ExponentialPolynomial
ROOT = "root of "
"""Begins the name of the symbol of a root: no parameter has such a name."""


@dataclass
class Parameters:
    """What is assumed of the parameters of one run, and the roots that its text took.

    atoms  functions outside the ring that it took, where such are followed
    """

    assumptions: Assumptions = field(default_factory=Assumptions)
    roots: dict[str, RationalFunction] = field(default_factory=dict)
    atoms: Atoms | None = None

    def root(self, x: Scalar, cell: Cell) -> Scalar:
        """√x where x ≥ 0 is known from the assumptions or from the cell."""
        try:
            return square_root(x, self.assumptions)
        except OutsideTheRing:
            pass
        if not x.is_base() or self._has_root(x) or not _positive_on(cell, x):
            raise LeavesTheRing(f"the text takes the root of {x}, which may be negative")
        name = f"{ROOT}{x}"
        self.roots[name] = x.base_value()
        return Scalar.symbol(name)

    def never_vanishes(self, x: Scalar) -> bool:
        """Whether x is known not to be 0; roots are positive.

        A quotient by a function outside the ring is one of the field of fractions: equal to another
        where both are defined.
        """
        if self.atoms is not None and self.atoms.occur_in(x):
            return True
        for name in self.roots:
            if name in x.symbols():
                x = self.scalar(x / Scalar.symbol(name))
        return not self._has_root(x) and self.assumptions.never_vanishes(x)

    def _has_root(self, x: Scalar) -> bool:
        return any(name in self.roots for name in x.symbols())

    def scalar(self, x: Scalar) -> Scalar:
        """x with every root at most to the first power and in no denominator."""
        if not self.roots or not self._has_root(x):
            return x
        return Scalar({radical: self._reduced(c) for radical, c in x.terms.items()})

    def _reduced(self, element: RationalFunction) -> RationalFunction:
        for name, square in self.roots.items():
            if name in element.used_names():
                element = _linear_in(element, name, square)
        return element

    def function(self, f: Function) -> Function:
        """The same function with reduced coefficients and exponents."""
        if not self.roots:
            return f
        terms: dict[Term, ComplexScalar] = {}
        for key, c in f.terms.items():
            new = Term(key.powers, tuple(self._complex(e) for e in key.exponents))
            terms[new] = terms.get(new, C_ZERO) + self._complex(c)
        return Function(f.variables, terms)

    def _complex(self, z: ComplexScalar) -> ComplexScalar:
        return ComplexScalar(self.scalar(z.re), self.scalar(z.im))

    def vanishes(self, f: Function) -> bool:
        """True when f is shown to be 0; False when it is not shown."""
        return f.is_zero_form() or self.function(f).is_zero_form()

    def balls(self, values: Mapping[str, arb]) -> dict[str, arb]:
        """Values of the parameters with those of the roots."""
        found = dict(values)
        for name, square in self.roots.items():
            found[name] = Scalar({(): square}).ball(values).sqrt()
        return found


def _linear_in(element: RationalFunction, name: str, square: RationalFunction) -> RationalFunction:
    """α + βr for a fraction of polynomials in r, with r² = s."""
    (a, b), (c, d) = (_remainder(part, name, square) for part in element.split())
    norm = c * c - d * d * square
    if norm.is_zero():
        raise LeavesTheRing(f"the text divides by {element.split()[1]}, which may be 0")
    root = RationalFunction.symbol(name)
    return (a * c - b * d * square + (b * c - a * d) * root) / norm


def _remainder(
    polynomial: RationalFunction, name: str, square: RationalFunction
) -> tuple[RationalFunction, RationalFunction]:
    parts = [ZERO, ZERO]
    power = ONE
    for degree, c in enumerate(polynomial.coefficients_in(name)):
        parts[degree % 2] = parts[degree % 2] + c * power
        if degree % 2:
            power = power * square
    return parts[0], parts[1]


def _positive_on(cell: Cell, x: Scalar) -> bool:
    """Whether the cell says form > c ≥ 0 of a form x·(linear form)², hence x > 0."""
    for condition in cell.conditions:
        low, high = condition.interval.low, condition.interval.high
        if low is not None and low.sign() > 0 and _is_square_times(condition.form, x):
            return True
        if high is not None and high.sign() < 0 and _is_square_times(-condition.form, x):
            return True
    return False


def _is_square_times(form: Function, x: Scalar) -> bool:
    """form = x·q with a form q ≥ 0 of degree 2 in at most two positions: x > 0 where form > 0."""
    weights: dict[tuple[int, ...], fmpq] = {}
    inverse = x.inverse()
    for key, c in form.terms.items():
        ratio = c.re * inverse
        real = c.im.is_zero() and all(e.is_zero() for e in key.exponents)
        if not (real and ratio.is_rational() and sum(key.powers) == 2):
            return False
        weights[key.powers] = ratio.rational_value()
    n = len(form.variables)
    squares = [weights.pop(_pair(n, i, i), fmpq(0)) for i in range(n)]
    for i in range(n):
        for j in range(i):
            mixed = weights.pop(_pair(n, i, j), fmpq(0))
            if mixed * mixed != 4 * squares[i] * squares[j]:
                return False
    return bool(squares) and all(q >= 0 for q in squares) and any(squares) and n <= 2


def _pair(n: int, i: int, j: int) -> tuple[int, ...]:
    return tuple((k == i) + (k == j) for k in range(n))


__all__ = ["Parameters"]
