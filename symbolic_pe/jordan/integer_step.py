"""Encodings on integer positions only: A(n) = Bⁿ, and whether a real generator stands behind it.

Bⁿ is a group on the integers exactly when B is invertible; otherwise it is a semigroup on n ≥ 0.
B = exp(X) with X real exists exactly when B is invertible and, for each negative eigenvalue, the
Jordan blocks of every size occur an even number of times (Culver 1966). Sizes come from exact ranks
and the signs of real eigenvalues from root isolation, so the criterion is decided.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq_poly, fmpz_poly

from symbolic_pe.algebra.matrix import ScalarMatrix, is_rational, to_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.form import polynomial_text
from symbolic_pe.jordan.rational import Primary, primary_structure


@dataclass(frozen=True)
class IntegerStep:
    """What B is on integer positions.

    invertible   False: a semigroup on n ≥ 0 only
    has_real_generator  True exactly when B = exp(X) for a real X
    reason       the eigenvalue and block sizes that decide, in words
    """

    matrix: ScalarMatrix
    invertible: bool
    has_real_generator: bool
    reason: str


def integer_step(matrix: ScalarMatrix) -> IntegerStep:
    """Decide Culver's criterion for a rational matrix B.

    >>> from symbolic_pe.generators.generator import Generator
    >>> step = Generator.from_matrix([["-1", "0"], ["0", "-1"]]).matrix
    >>> integer_step(step).has_real_generator
    True
    >>> flip = Generator.from_matrix([["-1", "0"], ["0", "1"]]).matrix
    >>> integer_step(flip).reason
    'the negative eigenvalue -1 has 1 Jordan block of size 1, an odd number'

    Raises `NotYetCovered` for entries that are not rational.
    """
    if not is_rational(matrix):
        raise NotYetCovered("a step matrix whose entries are not all rational")
    b = to_fmpq(matrix)
    primaries = primary_structure(b)
    singular = next((p for p in primaries if p.factor == fmpq_poly([0, 1])), None)
    if singular is not None:
        return IntegerStep(
            matrix,
            False,
            False,
            f"0 is an eigenvalue (block sizes {list(singular.sizes)}): B^n is defined for n >= 0 "
            "only and is no group",
        )
    for primary in primaries:
        text = _odd_negative(primary)
        if text is not None:
            return IntegerStep(matrix, True, False, text)
    return IntegerStep(
        matrix,
        True,
        True,
        "B is invertible and the Jordan blocks of each negative eigenvalue come in equal pairs",
    )


def _odd_negative(primary: Primary) -> str | None:
    """The block count that breaks the criterion at a negative real root, if there is one."""
    root = _negative_root(primary.factor)
    if root is None:
        return None
    for size in sorted(set(primary.sizes), reverse=True):
        count = primary.sizes.count(size)
        if count % 2:
            noun = "block" if count == 1 else "blocks"
            return (
                f"the negative eigenvalue {root} has {count} Jordan {noun} of size {size}, "
                "an odd number"
            )
    return None


def _negative_root(factor: fmpq_poly) -> str | None:
    if factor.degree() == 1:
        value = -factor[0]
        return str(value) if value < 0 else None
    polynomial = fmpz_poly(factor.numer())
    with precision(128):
        roots = [root for root, _ in polynomial.complex_roots()]
        negative = [r for r in roots if r.imag == 0 and r.real < 0]
    if not negative:
        return None
    return f"of {polynomial_text(polynomial)} near {float(negative[0].real):.6g}"
