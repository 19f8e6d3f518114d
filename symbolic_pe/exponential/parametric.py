"""exp(tX) of a parametric matrix, in K[x] modulo an annihilating polynomial, K = Q(parameters).

On one cell of the parameters the characteristic polynomial is χ = Π f^m with factors that stay
coprime there. The primary closed form modulo χ (see `primary`) has no square roots and is an
identity in K; its functions φ are entire in the coefficients of f, so it holds at every point of
the cell where no denominator vanishes.
"""

from __future__ import annotations

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.exponential.primary import PrimaryPart, laws_hold, primary_part
from symbolic_pe.jordan.cell_algebra import (
    UNKNOWN,
    characteristic_polynomial,
    evaluate,
    factors,
)


def parametric_parts(matrix: ScalarMatrix) -> tuple[Polynomial, tuple[PrimaryPart, ...]]:
    """χ and the primary parts of exp(tX) over Q(parameters).

    Raises `NotYetCovered` for entries with roots.
    """
    if not all(x.is_base() for row in matrix for x in row):
        raise NotYetCovered(
            "eigenvalues of degree 3 or more in a matrix whose entries contain roots"
        )
    base = [[x.base_value() for x in row] for row in matrix]
    coefficients = characteristic_polynomial(base)
    modulus = Polynomial(coefficients)
    parts = []
    for factor, multiplicity in factors(coefficients):
        p = Polynomial(factor.coefficients_in(UNKNOWN))
        parts.append(primary_part(modulus, p / p.leading_coefficient(), multiplicity))
    return modulus, tuple(parts)


def is_proved(cell: Assumptions, matrix: ScalarMatrix) -> bool:
    """Decide χ(X) = 0, E(0) = I and E′ = XE for the closed form on one cell."""
    here = apply(lambda x: x.substitute(cell.solved), matrix)
    modulus, parts = parametric_parts(here)
    value = evaluate(modulus.coeffs(), [[x.base_value() for x in row] for row in here])
    annihilates = all(x.is_zero() for row in value for x in row)
    return annihilates and laws_hold(modulus, parts)
