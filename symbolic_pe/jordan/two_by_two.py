"""Real Jordan form of a 2×2 generator with parameters: the complete case tree.

With a = tr X/2 and D = a² − det X = ((x₁₁ − x₂₂)/2)² + x₁₂x₂₁:

    D > 0   eigenvalues a ± √D;     D < 0   pair a ± i√−D;
    D = 0   aI when X = aI, otherwise one chain of length 2.

Every sign that matters is split three ways, so the cells are exclusive and exhaustive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar
from symbolic_pe.algebra.splitting import first_split, split
from symbolic_pe.errors import NotYetCovered, OutsideTheRing
from symbolic_pe.generators.block import Block

Vector = tuple[Scalar, Scalar]


@dataclass(frozen=True)
class Leaf:
    """One cell: blocks in order, basis columns, sign of each block's real part."""

    cell: Assumptions
    matrix: ScalarMatrix
    blocks: tuple[Block, ...]
    signs: tuple[int, ...]
    basis: ScalarMatrix
    inverse_basis: ScalarMatrix


def sign_cells(cell: Assumptions, x: Scalar) -> Iterator[tuple[Assumptions, int]]:
    """Split a cell until the sign of x is known on each part."""
    value = x.substitute(cell.solved, cell)
    sign = cell.sign_of_scalar(value)
    if sign is not None:
        yield cell, sign
        return
    factor = first_split(cell, _undecided_factor(cell, value))
    for part in split(cell, factor):
        yield from sign_cells(part, x)


def _undecided_factor(cell: Assumptions, x: Scalar) -> RationalFunction:
    if len(x.terms) != 1:
        raise NotYetCovered(
            f"the sign of {x}: a sum of roots in the parameters; this version splits cases on "
            "rational functions of the parameters"
        )
    (element,) = x.terms.values()
    unknown = [f for f, _ in element.factors()[1] if cell.sign_of(f) is None]
    return min(unknown, key=_simplest)


def one_by_one(cell: Assumptions, x: Scalar) -> Iterator[Leaf]:
    """A single real eigenvalue."""
    for part, sign in sign_cells(cell, x):
        value = x.substitute(part.solved)
        unit = ((ONE,),)
        yield Leaf(part, ((value,),), (Block(value),), (sign,), unit, unit)


def two_by_two(cell: Assumptions, matrix: ScalarMatrix) -> Iterator[Leaf | Assumptions]:
    """All cells of a 2×2 generator: split one unknown sign, start again on each part.

    A cell with equations that are not solved, or where a sign or a root leaves the ring, comes back
    as it is: it has no basis here, but a structure (`parametric.structure_cells`).
    """
    try:
        if cell.equations():
            yield cell
            return
        found = _leaf_or_question(cell, apply(lambda x: x.substitute(cell.solved, cell), matrix))
    except (NotYetCovered, OutsideTheRing, ZeroDivisionError):
        yield cell
        return
    if isinstance(found, RationalFunction):
        for part in split(cell, first_split(cell, found)):
            yield from two_by_two(part, matrix)
        return
    yield from found


def _leaf_or_question(cell: Assumptions, here: ScalarMatrix) -> list[Leaf] | RationalFunction:
    """The leaves of a cell, or the factor whose sign has to be known first."""
    (p, q), (r, s) = here
    if q.is_zero() and r.is_zero():
        return list(_diagonal(cell, here))
    half_difference = HALF * (p - s)
    centre = HALF * (p + s)
    discriminant = half_difference * half_difference + q * r
    unknown = _unknown_sign(cell, centre) or _unknown_factor(cell, discriminant)
    sign = 0
    if unknown is None:
        sign = _known(cell, discriminant)
        if sign > 0:
            unknown = _unknown_sign(cell, p * s - q * r)
        if unknown is None and sign >= 0 and not any(_known_nonzero(cell, x) for x in (q, r)):
            unknown = _unknown_sign(cell, r) or _unknown_sign(cell, q)
    if unknown is not None:
        return unknown
    if sign < 0:
        return [_pair(cell, here, centre, discriminant)]
    if sign == 0:
        return [_chain(cell, here, centre)]
    return [_two_real(cell, here, centre, discriminant)]


def _known(cell: Assumptions, x: Scalar) -> int:
    sign = cell.sign_of_scalar(x)
    if sign is None:
        raise NotYetCovered(f"the sign of {x} under {cell.conditions()}")
    return sign


def _unknown_sign(cell: Assumptions, x: Scalar) -> RationalFunction | None:
    """A factor to split on when the sign of x is not known."""
    return None if cell.sign_of_scalar(x) is not None else _undecided_factor(cell, x)


def _unknown_factor(cell: Assumptions, x: Scalar) -> RationalFunction | None:
    """A factor of unknown sign, so that √|x| can be taken once there is none."""
    if len(x.terms) != 1:
        return _unknown_sign(cell, x)
    (element,) = x.terms.values()
    unknown = [f for f, _ in element.factors()[1] if cell.sign_of(f) is None]
    return min(unknown, key=_simplest, default=None)


def _simplest(factor: RationalFunction) -> tuple[int, int, str]:
    names = factor.used_names()
    return len(names), max(factor.degree_in(n) for n in names), str(factor)


def _diagonal(cell: Assumptions, matrix: ScalarMatrix) -> Iterator[Leaf]:
    for part, first in sign_cells(cell, matrix[0][0]):
        for final, second in sign_cells(part, matrix[1][1]):
            blocks = tuple(Block(matrix[i][i].substitute(final.solved)) for i in (0, 1))
            here = ((blocks[0].rate, ZERO), (ZERO, blocks[1].rate))
            unit = ((ONE, ZERO), (ZERO, ONE))
            yield Leaf(final, here, blocks, (first, second), unit, unit)


def _chain(cell: Assumptions, matrix: ScalarMatrix, centre: Scalar) -> Leaf:
    """D = 0 and X ≠ aI: the chain (X − aI)v, v."""
    top: Vector = (ONE, ZERO) if _known_nonzero(cell, matrix[1][0]) else (ZERO, ONE)
    block = Block(centre, ZERO, 2)
    columns = (_shifted(matrix, centre, top), top)
    return _leaf(cell, matrix, (block,), (_known(cell, centre),), columns)


def _pair(cell: Assumptions, matrix: ScalarMatrix, centre: Scalar, discriminant: Scalar) -> Leaf:
    """D < 0: the plane v, (X − aI)v/b with b = √−D."""
    frequency = _frequency(cell, matrix, discriminant)
    first: Vector = (ONE, ZERO)
    image, inverse = _shifted(matrix, centre, first), frequency.inverse()
    columns = (first, (inverse * image[0], inverse * image[1]))
    block = Block(centre, frequency)
    return _leaf(cell, matrix, (block,), (_known(cell, centre),), columns)


def _two_real(
    cell: Assumptions, matrix: ScalarMatrix, centre: Scalar, discriminant: Scalar
) -> Leaf:
    """D > 0: eigenvectors of a ± √D."""
    (p, q), (r, s) = matrix
    root = _half_gap(cell, matrix, discriminant)
    upper, lower = centre + root, centre - root
    signs = real_signs(_known(cell, p * s - q * r), _known(cell, centre))
    columns: tuple[Vector, Vector] = ((q, upper - p), (q, lower - p))
    if not _known_nonzero(cell, q):
        columns = ((upper - s, r), (lower - s, r))
    return _leaf(cell, matrix, (Block(upper), Block(lower)), signs, columns)


def _frequency(cell: Assumptions, matrix: ScalarMatrix, discriminant: Scalar) -> Scalar:
    """√−D, which is |x₂₁| when X = aI + x₂₁·J, whatever number that is."""
    (p, q), (r, s) = matrix
    if (p - s).is_zero() and (q + r).is_zero() and cell.sign_of_scalar(r) is not None:
        return _absolute(cell, r)
    return _root(cell, -discriminant)


def _half_gap(cell: Assumptions, matrix: ScalarMatrix, discriminant: Scalar) -> Scalar:
    """√D, which is |x₁₁ − x₂₂|/2 when X is triangular, whatever number that is."""
    (p, q), (r, s) = matrix
    half_difference = HALF * (p - s)
    triangular = q.is_zero() or r.is_zero()
    if triangular and cell.sign_of_scalar(half_difference) is not None:
        return _absolute(cell, half_difference)
    return _root(cell, discriminant)


def _absolute(cell: Assumptions, x: Scalar) -> Scalar:
    return -x if _known(cell, x) < 0 else x


def _root(cell: Assumptions, x: Scalar) -> Scalar:
    try:
        return square_root(x, cell)
    except OutsideTheRing as error:
        raise NotYetCovered(f"the eigenvalues of a component of dimension 2: {error}") from None


def real_signs(determinant: int, trace: int) -> tuple[int, int]:
    """Signs of a + √D and a − √D."""
    if determinant < 0:
        return 1, -1
    if determinant > 0:
        return trace, trace
    return (1, 0) if trace > 0 else (0, -1)


def _known_nonzero(cell: Assumptions, x: Scalar) -> bool:
    return cell.sign_of_scalar(x) in (1, -1) or (
        len(x.terms) == 1 and cell.is_nonzero(next(iter(x.terms.values())))
    )


def _shifted(matrix: ScalarMatrix, centre: Scalar, v: Vector) -> Vector:
    """(X − aI)v."""
    (p, q), (r, s) = matrix
    return ((p - centre) * v[0] + q * v[1], r * v[0] + (s - centre) * v[1])


def _leaf(
    cell: Assumptions,
    matrix: ScalarMatrix,
    blocks: tuple[Block, ...],
    signs: tuple[int, ...],
    columns: tuple[Vector, Vector],
) -> Leaf:
    (a, c), (b, d) = columns
    basis = ((a, b), (c, d))
    determinant = (a * d - b * c).inverse()
    inverse = ((d * determinant, -b * determinant), (-c * determinant, a * determinant))
    return Leaf(cell, matrix, blocks, signs, basis, inverse)
