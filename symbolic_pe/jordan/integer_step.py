"""Encodings on integer positions only: A(n) = Bⁿ, and whether a real generator stands behind it.

Bⁿ is a group on the integers exactly when B is invertible; otherwise it is a semigroup on n ≥ 0.
B = exp(X) with X real exists exactly when B is invertible and, for each negative eigenvalue, the
Jordan blocks of every size occur an even number of times (Culver 1966). Sizes come from exact ranks
and the signs of real eigenvalues from root isolation, so the criterion is decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq_poly, fmpz_poly

from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import ScalarMatrix, is_rational, to_fmpq
from symbolic_pe.algebra.scalar import HALF, ZERO, Scalar, precision
from symbolic_pe.errors import NotYetCovered, OutsideTheRing
from symbolic_pe.jordan.form import StructureBlock, polynomial_text
from symbolic_pe.jordan.rational import (
    Primary,
    centre_and_discriminant,
    checked_height,
    eigenvalues_of,
    primary_structure,
    root_in_ring,
    structure_of,
)
from symbolic_pe.jordan.two_by_two import real_signs


@dataclass(frozen=True)
class IntegerStep:
    """What B is on integer positions.

    invertible   False: a semigroup on n ≥ 0 only
    has_real_generator  True exactly when B = exp(X) for a real X
    reason       the eigenvalue and block sizes that decide, in words
    structure    the real Jordan blocks of B
    primaries    irreducible factors with block sizes, for a rational B
    """

    matrix: ScalarMatrix
    invertible: bool
    has_real_generator: bool
    reason: str
    structure: tuple[StructureBlock, ...] = ()
    primaries: tuple[Primary, ...] = field(default=(), repr=False)


EXISTS = "B is invertible and the Jordan blocks of each negative eigenvalue come in equal pairs"


def integer_step(matrix: ScalarMatrix) -> IntegerStep:
    """Decide Culver's criterion for a rational matrix B, or one of two rows over the ring.

    >>> from symbolic_pe.generators.generator import Generator
    >>> step = Generator.from_matrix([["-1", "0"], ["0", "-1"]]).matrix
    >>> integer_step(step).has_real_generator
    True
    >>> flip = Generator.from_matrix([["-1", "0"], ["0", "1"]]).matrix
    >>> integer_step(flip).reason
    'the negative eigenvalue -1 has 1 Jordan block of size 1, an odd number'

    Raises `NotYetCovered` for three rows or more with entries that are not rational, and for
    matrices above the budget; `Undecided` when the sign of an irrational number is not known.
    """
    if not is_rational(matrix):
        return _small(matrix)
    b = to_fmpq(matrix)
    checked_height(b)
    primaries = tuple(primary_structure(b))
    structure = structure_of(list(primaries))
    singular = next((p for p in primaries if p.factor == fmpq_poly([0, 1])), None)
    if singular is not None:
        return IntegerStep(
            matrix, False, False, _singular(list(singular.sizes)), structure, primaries
        )
    for primary in primaries:
        text = _odd_negative(primary)
        if text is not None:
            return IntegerStep(matrix, True, False, text, structure, primaries)
    return IntegerStep(matrix, True, True, EXISTS, structure, primaries)


def _singular(sizes: list[int]) -> str:
    return (
        f"0 is an eigenvalue (block sizes {sizes}): B^n is defined for n >= 0 only and is no group"
    )


def _odd_negative(primary: Primary) -> str | None:
    """The block count that breaks the criterion at a negative real root, if there is one."""
    root = _negative_root(primary.factor)
    if root is None:
        return None
    for size in sorted(set(primary.sizes), reverse=True):
        count = primary.sizes.count(size)
        if count % 2:
            return _odd(root, count, size)
    return None


def _odd(root: str, count: int, size: int) -> str:
    noun = "block" if count == 1 else "blocks"
    return f"the negative eigenvalue {root} has {count} Jordan {noun} of size {size}, an odd number"


def has_negative_root(factor: fmpq_poly) -> bool:
    """True when an irreducible factor has a negative real root; decided by isolation."""
    return _negative_root(factor) is not None


def _negative_root(factor: fmpq_poly) -> str | None:
    if factor.degree() == 1:
        value = -factor[0]
        return str(value) if value < 0 else None
    if factor.degree() == 2 and root_in_ring(abs(centre_and_discriminant(factor)[1])) is not None:
        found = [
            v for v, imaginary, sign in eigenvalues_of(factor) if imaginary.is_zero() and sign < 0
        ]
        return str(found[-1]) if found else None
    polynomial = fmpz_poly(factor.numer())
    with precision(128):
        roots = [root for root, _ in polynomial.complex_roots()]
        negative = [r for r in roots if r.imag == 0 and r.real < 0]
    if not negative:
        return None
    return f"of {polynomial_text(polynomial)} near {float(negative[0].real):.6g}"


# -- steps with roots -------------------------------------------------------------------------


def two_by_two_invariants(matrix: ScalarMatrix) -> tuple[Scalar, Scalar]:
    """(a, D) with eigenvalues a ± √D, for one row or two."""
    if len(matrix) == 1:
        return matrix[0][0], ZERO
    (p, q), (r, s) = matrix
    half_difference = HALF * (p - s)
    return HALF * (p + s), half_difference * half_difference + q * r


def _small(matrix: ScalarMatrix) -> IntegerStep:
    """One or two rows over the ring: signs of D, of the determinant and of the trace decide."""
    if len(matrix) > 2:
        raise NotYetCovered(
            "a step matrix of three rows or more whose entries are not all rational"
        )
    a, d = two_by_two_invariants(matrix)
    sign, centre = d.sign(), a.sign()
    try:
        root = square_root(d if sign > 0 else -d)
    except OutsideTheRing:
        raise NotYetCovered(
            f"a step whose eigenvalues are {a} ± sqrt({d}), a root of a sum of roots"
        ) from None
    if sign < 0:
        pair = StructureBlock(a, root, 1, 1, centre)
        return IntegerStep(matrix, True, True, EXISTS, (pair,))
    if sign == 0:
        diagonal = all(
            x.vanishes() for i, row in enumerate(matrix) for j, x in enumerate(row) if i != j
        )
        size, count = (1, len(matrix)) if diagonal else (2, 1)
        blocks = [StructureBlock(a, ZERO, size, count, centre)]
    else:
        signs = real_signs((a * a - d).sign(), centre)
        blocks = [
            StructureBlock(value, ZERO, 1, 1, s)
            for value, s in zip((a + root, a - root), signs, strict=True)
        ]
    return _criterion(matrix, tuple(blocks))


def _criterion(matrix: ScalarMatrix, blocks: tuple[StructureBlock, ...]) -> IntegerStep:
    for b in blocks:
        if b.real_part_sign == 0:
            sizes = [b.chain_length] * b.multiplicity
            return IntegerStep(matrix, False, False, _singular(sizes), blocks)
    for b in blocks:
        if b.real_part_sign < 0 and b.multiplicity % 2:
            text = _odd(str(b.eigenvalue), b.multiplicity, b.chain_length)
            return IntegerStep(matrix, True, False, text, blocks)
    return IntegerStep(matrix, True, True, EXISTS, blocks)
