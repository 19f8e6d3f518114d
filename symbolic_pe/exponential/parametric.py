"""exp(tX) of a parametric matrix, in K[x] modulo its characteristic polynomial, K = Q(parameters).

On one cell of the parameters χ = Π f^m. Factors that are coprime on the whole cell give primary
parts of their own (see `primary`); factors that may share a root there, or whose own roots may
coincide, stay together as one p = Π f^m with exponent 1:

    exp(tX) = Σ_c φ_c(t)·e(X)·X^c,    φ_c the solutions of p(d/dt)φ = 0 with φ_c^{(k)}(0) = δ_{kc}.

These φ are entire in t and in the coefficients of p, so the formula runs smoothly through every
confluence of roots. With all factors together, p = χ and e = 1: one formula for all parameters,
without any denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.exponential.primary import PrimaryPart, laws_hold, primary_part
from symbolic_pe.jordan.adjunction import Adjunction
from symbolic_pe.jordan.cell_algebra import (
    KMatrix,
    characteristic_polynomial,
    discriminant,
    evaluate,
    factors,
    monic,
    polynomial_text,
    resultant,
)


@dataclass(frozen=True)
class ParametricExponential:
    """Primary parts of exp(tX) modulo χ, with χ and X over Q(symbols)."""

    matrix: KMatrix
    modulus: Polynomial
    parts: tuple[PrimaryPart, ...]

    def is_proved(self) -> bool:
        """Decide χ(X) = 0, E(0) = I and E′ = XE."""
        value = evaluate(self.modulus.coeffs(), self.matrix)
        annihilates = all(x.is_zero() for row in value for x in row)
        return annihilates and laws_hold(self.modulus, self.parts)

    def __str__(self) -> str:
        lines = ["exp(tX) = " + " + ".join(self._terms())]
        for index, part in enumerate(self.parts):
            lines.append(
                f"  phi{index}_c: solutions of p(d/dt) phi = 0 for p = "
                f"{polynomial_text(part.factor)}, phi_c^(k)(0) = 1 if k = c else 0, "
                f"k < {part.degree}"
            )
        for index, part in enumerate(self.parts):
            if len(self.parts) > 1:
                for j, row in enumerate(part.coefficients):
                    for c, polynomial in enumerate(row):
                        lines.append(f"  M{index}_{j}_{c} = {_at_x(polynomial)}")
        return "\n".join(lines)

    def _terms(self) -> list[str]:
        if len(self.parts) == 1 and self.parts[0].exponent == 1:
            degree = self.parts[0].degree
            powers = ["I", "X", *(f"X^{c}" for c in range(2, degree))]
            return [f"phi0_{c}(t)*{power}" for c, power in enumerate(powers[:degree])]
        texts: list[str] = []
        for index, part in enumerate(self.parts):
            for j in range(part.exponent):
                power = "" if j == 0 else "t*" if j == 1 else f"t^{j}/{factorial(j)}*"
                texts.extend(
                    f"{power}phi{index}_{c}(t)*M{index}_{j}_{c}" for c in range(part.degree)
                )
        return texts


def _at_x(polynomial: Polynomial) -> str:
    """A polynomial in the matrix X, written out."""
    pieces = []
    for power, c in enumerate(polynomial.coeffs()):
        if not c.is_zero():
            monomial = "I" if power == 0 else "X" if power == 1 else f"X^{power}"
            pieces.append(monomial if str(c) == "1" else f"({c})*{monomial}")
    return " + ".join(pieces) or "0"


def parametric_exponential(
    matrix: ScalarMatrix, cell: Assumptions | None = None
) -> ParametricExponential:
    """The closed form on one cell, or, without a cell, the one for all parameters.

    >>> from symbolic_pe.generators.generator import Generator
    >>> x = Generator.from_matrix([["0", "1"], ["-p", "-q"]], {"p": "real", "q": "real"}).matrix
    >>> form = parametric_exponential(x)
    >>> form.is_proved()
    True
    >>> print(str(form).splitlines()[0])
    exp(tX) = phi0_0(t)*I + phi0_1(t)*X
    """
    adjoined = Adjunction.of(matrix)
    here = apply(lambda x: x.substitute(cell.solved), matrix) if cell else matrix
    base = [[adjoined.base(x) for x in row] for row in here]
    coefficients = characteristic_polynomial(base)
    modulus = Polynomial(coefficients)
    if cell is None:
        return ParametricExponential(base, modulus, (primary_part(modulus, modulus, 1),))
    parts = [
        primary_part(modulus, p, exponent)
        for p, exponent in _coprime_groups(cell, factors(coefficients))
    ]
    return ParametricExponential(base, modulus, tuple(parts))


def _coprime_groups(
    cell: Assumptions, found: Sequence[tuple[RationalFunction, int]]
) -> list[tuple[Polynomial, int]]:
    """(p, exponent): factors joined with all that may share a root with them on the cell."""
    groups: list[list[tuple[Polynomial, int]]] = []
    for factor, multiplicity in found:
        p = monic(factor)
        near = [g for g in groups if any(not _coprime(cell, p, q) for q, _ in g)]
        merged = [(p, multiplicity), *(item for g in near for item in g)]
        groups = [g for g in groups if all(g is not other for other in near)] + [merged]
    result = []
    for group in groups:
        (p, m), *rest = group
        if not rest and (m == 1 or p.degree() == 1 or cell.is_nonzero(discriminant(p))):
            result.append((p, m))
            continue
        whole = Polynomial([1])
        for q, multiplicity in group:
            whole = whole * q**multiplicity
        result.append((whole, 1))
    return result


def _coprime(cell: Assumptions, p: Polynomial, q: Polynomial) -> bool:
    return cell.is_nonzero(resultant(p, q))
