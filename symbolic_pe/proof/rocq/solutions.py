"""exp(tX) through the solutions of p(d/dt)φ = 0, as data of the checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial

from flint import fmpq

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.exponential.primary import PrimaryExponential
from symbolic_pe.jordan.cell_algebra import KMatrix, characteristic_polynomial, product
from symbolic_pe.proof.rocq import syntax
from symbolic_pe.proof.rocq.expressions import (
    POSITION,
    Expression,
    combination,
    function,
    monomials,
    polynomial,
    power,
    rational,
)
from symbolic_pe.proof.rocq.laws import Binder
from symbolic_pe.proof.rocq.symbols import Symbols
from symbolic_pe.proof.rocq.syntax import Term


@dataclass(frozen=True)
class SolutionFamilies:
    """One family for each monic polynomial p, given by p₀, …, p_{d−1} as expressions."""

    polynomials: tuple[tuple[Expression, ...], ...]

    @property
    def data(self) -> str:
        """The list of families as data."""
        return syntax.listed(str(self._family(p)) for p in self.polynomials)

    def _family(self, p: tuple[Expression, ...]) -> Term:
        coefficients = [x.data for x in p]
        if len(p) == 1:
            return syntax.call("Exponential", _root(p[0]).data)
        if len(p) == 2:
            return syntax.call("Quadratic", *coefficients)
        return syntax.call("Solutions", Term(syntax.listed(map(str, coefficients))))

    @property
    def unknown(self) -> dict[int, str]:
        """Families of degree 3 and more, with the variable that stands for their solutions."""
        indices = [k for k, p in enumerate(self.polynomials) if len(p) > 2]
        return {k: "phi" if len(indices) == 1 else f"phi{i}" for i, k in enumerate(indices)}

    def function(self, family: int, component: int) -> Expression:
        """φ_c of a family."""
        p, t = self.polynomials[family], Term("t")
        if len(p) == 1:
            reading = syntax.call("exp", syntax.times(_root(p[0]).reading, t))
        elif len(p) == 2:
            name = ("first", "second")[component]
            reading = syntax.call(name, p[0].reading, p[1].reading, t)
        else:
            reading = syntax.call(self.unknown[family], Term(f"{component}%nat"), t)
        return function(family, component, reading)

    def binder(self, reals: tuple[str, ...]) -> Binder:
        """The parameters, the unknown solutions and what they satisfy."""
        hypotheses = [
            f"fundamental {len(self.polynomials[k])} (components "
            f"{syntax.listed(str(x.reading) for x in self.polynomials[k])}) {name}"
            for k, name in self.unknown.items()
        ]
        return Binder(reals, tuple(self.unknown.values()), tuple(hypotheses))

    @property
    def given(self) -> str:
        """The unknown solutions as the argument of the checker."""
        if not self.unknown:
            return "(fun _ => no_functions 0)"
        cases = " | ".join(f"{k} => {name}" for k, name in self.unknown.items())
        return f"(fun k => match k with {cases} | _ => no_functions 0 end)"

    @property
    def solves(self) -> str:
        """The tactics that the given solutions are solutions."""
        if not self.unknown:
            return "apply nothing_given. reflexivity."
        hypothesis = {k: f"H{i}" for i, k in enumerate(self.unknown)}
        pattern = "k"
        for _ in self.polynomials:
            pattern = f"[|{pattern}]"
        steps = [
            f"injection H as <-; exact {hypothesis[k]}" if k in hypothesis else "discriminate"
            for k in range(len(self.polynomials))
        ]
        return (
            f"intros k p H. destruct k as {pattern};\n"
            f"      [{' | '.join(steps)} | destruct k; discriminate]."
        )


def _root(p0: Expression) -> Expression:
    """The root −p₀ of x + p₀, where p₀ is a number."""
    return Expression(syntax.call("Neg", p0.data), syntax.opposite(p0.reading))


def primary_entries(
    form: PrimaryExponential,
) -> tuple[SolutionFamilies, list[list[Expression]]]:
    """E = Σ t^j/j!·φ_c(t)·M_{p,j,c} for a rational X."""
    n = form.matrix.nrows()
    index = {id(part): k for k, part in enumerate(form.parts)}
    families = SolutionFamilies(
        tuple(
            tuple(rational(fmpq(part.factor[c])) for c in range(part.degree)) for part in form.parts
        )
    )
    entries: list[list[list[tuple[fmpq, Sequence[Expression]]]]] = [
        [[] for _ in range(n)] for _ in range(n)
    ]
    for part, j, c, m in form.terms():
        factors = [POSITION if j == 1 else power(POSITION, j)] if j else []
        if not (part.degree == 1 and part.factor[0] == 0):
            factors.append(families.function(index[id(part)], c))
        for row in range(n):
            for column in range(n):
                if m[row, column] != 0:
                    coefficient = m[row, column] / factorial(j)
                    entries[row][column].append((coefficient, factors))
    return families, [[combination(parts) for parts in row] for row in entries]


def parametric_entries(
    matrix: KMatrix, symbols: Symbols
) -> tuple[SolutionFamilies, list[list[Expression]]]:
    """E = Σ φ_c(t)·X^c modulo the characteristic polynomial, in independent symbols."""
    n, known = len(matrix), symbols.expressions
    coefficients = characteristic_polynomial(matrix)
    families = SolutionFamilies((tuple(polynomial(c, known) for c in coefficients[:n]),))
    entries: list[list[list[tuple[fmpq, Sequence[Expression]]]]] = [
        [[] for _ in range(n)] for _ in range(n)
    ]
    x_to_c: KMatrix = [[RationalFunction(int(i == j)) for j in range(n)] for i in range(n)]
    for c in range(n):
        phi = families.function(0, c)
        for row in range(n):
            for column in range(n):
                for coefficient, factors in monomials(x_to_c[row][column], known):
                    entries[row][column].append((coefficient, [*factors, phi]))
        x_to_c = product(x_to_c, matrix)
    return families, [[combination(parts) for parts in row] for row in entries]
