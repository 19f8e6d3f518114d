"""What a kernel of several axes computes: planes, frequencies, rates, shears and a basis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from flint import fmpq, fmpq_mat

from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    identity,
    is_rational,
    multiply,
    scalar_matrix,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.emit.balance import balanced
from symbolic_pe.emit.plan import permutation_of, refuse_unrepresentable, refuse_wide_basis
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.commuting import CommutingFamily
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.jordan.joint import as_block, joint_degree
from symbolic_pe.jordan.joint_basis import NO_DISTANCE, JointBasis, joint_basis
from symbolic_pe.jordan.joint_pieces import identity_of

ORTHOGONAL_WITHIN = fmpq(1, 1 << 90)
"""Of entries of dyadic orthogonal bases and their exact inverses."""


@dataclass(frozen=True)
class AxesPlan:
    """What a kernel of several axes computes: Xₐ = P·(Dₐ + Nₐ)·P⁻¹.

    planes       coordinates (first, second) that turn together
    frequencies  θ of every axis in every plane: (axes, planes)
    rates        α of every axis in every coordinate: (axes, channels)
    shears       Nₐ of every axis, commuting nilpotents; empty where all are 0
    degree       most factors Nₐ whose product is not 0
    bases        P and P⁻¹, or None for the identity
    distance     0, or |P·(Dₐ + Nₐ)·P⁻¹ − Xₐ| entry by entry (eigenvalues of degree 3 or more)
    """

    encoding: SeveralAxes
    planes: tuple[tuple[int, int], ...]
    frequencies: tuple[tuple[Scalar, ...], ...]
    rates: tuple[tuple[Scalar, ...], ...]
    bases: tuple[ScalarMatrix, ScalarMatrix] | None = None
    shears: tuple[ScalarMatrix, ...] = ()
    degree: int = 0
    distance: fmpq = NO_DISTANCE

    @property
    def turns_only(self) -> bool:
        """True when nothing grows, decays or shears."""
        return not self.shears and not self.scales

    @property
    def scales(self) -> bool:
        """True when something grows or decays."""
        return any(not x.is_zero() for row in self.rates for x in row)

    @property
    def one_basis(self) -> bool:
        """True when P⁻¹ = Pᵀ, apart from the distance to exactly orthogonal columns."""
        if self.bases is None:
            return True
        basis, inverse = self.bases
        return transpose(basis) == inverse or (
            self.distance != 0 and _are_near(transpose(basis), inverse)
        )

    @property
    def one_map(self) -> bool:
        """True when one map serves queries and keys."""
        return self.turns_only and self.one_basis


def plan_axes(encoding: SeveralAxes) -> AxesPlan:
    """Find planes, frequencies, rates and shears of commuting generators, in a basis if need be.

    Channels that every axis turns, scales and shears as one block are left as they are; the others
    get a basis (`joint_basis`), and so does the whole if the encoding gives one.

    Raises `NotYetCovered` for generators with parameters, and where no basis is found;
    `NotCommuting` where they do not commute.
    """
    if encoding.assumptions.declared:
        raise NotYetCovered(f"{encoding.name}: code for several axes with parameters")
    matrices = [g.matrix for g in encoding.axes]
    if encoding.basis is not None:
        inside = [_in_basis(x, encoding.basis) for x in matrices]
        found = [(c, _read(_part(inside, c))) for c in connected_components(_joined(inside))]
        known = [(c, part) for c, part in found if part is not None]
        if len(known) == len(found):
            bases = (encoding.basis, transpose(encoding.basis))
            return replace(_assembled(encoding, known), bases=bases)
    try:
        forms: dict[tuple[ScalarMatrix, ...], JointBasis] = {}
        parts = []
        for channels in connected_components(_joined(matrices)):
            part = tuple(_part(matrices, channels))
            if part not in forms:  # ComRoPE repeats a block
                forms[part] = _read(part) or _with_basis(part)
            parts.append((channels, forms[part]))
        return _assembled(encoding, parts)
    except NotYetCovered as error:
        raise NotYetCovered(f"{encoding.name}: {error}") from None


def _are_near(a: ScalarMatrix, b: ScalarMatrix) -> bool:
    """Whether rational entries agree far below the rounding of binary64."""
    if not (is_rational(a) and is_rational(b)):
        return False
    difference = to_fmpq(a) - to_fmpq(b)
    return all(abs(x) <= ORTHOGONAL_WITHIN for x in difference.entries())


def _part(matrices: Sequence[ScalarMatrix], channels: Sequence[int]) -> list[ScalarMatrix]:
    return [tuple(tuple(m[i][j] for j in channels) for i in channels) for m in matrices]


def _read(parts: Sequence[ScalarMatrix]) -> JointBasis | None:
    """One block αI − θI⊗J + ηN⊗I of every axis as it stands, or None."""
    n = len(parts[0])
    for width in (1, 2):
        blocks = [as_block(m, width) for m in parts] if n % width == 0 else [None]
        known = [b for b in blocks if b is not None]
        if len(known) < len(blocks):
            continue
        count = n // width
        shears = tuple(
            tuple(tuple(eta if j == i + width else ZERO for j in range(n)) for i in range(n))
            for _, _, eta in known
        )
        planes = tuple((2 * k, 2 * k + 1) for k in range(count)) if width == 2 else ()
        return JointBasis(
            planes,
            tuple((a,) * n for a, _, _ in known),
            tuple((-b,) * len(planes) for _, b, _ in known),
            shears,
            count - 1 if any(not eta.is_zero() for _, _, eta in known) else 0,
            identity(n),
            identity(n),
        )
    return _sheared(parts)


def _sheared(parts: Sequence[ScalarMatrix]) -> JointBasis | None:
    """αI + N of every axis as it stands, all N above or all below the diagonal; else None."""
    n = len(parts[0])
    if not all(map(is_rational, parts)):
        return None
    shears = [to_fmpq(m) - m[0][0].rational_value() * identity_of(n) for m in parts]
    above = all(x[i, j] == 0 for x in shears for i in range(n) for j in range(i + 1))
    below = all(x[j, i] == 0 for x in shears for i in range(n) for j in range(i + 1))
    matrices = tuple(map(from_fmpq, shears))
    if not (above or below) or not _commute_when_rounded(matrices):
        return None
    rates = tuple((m[0][0],) * n for m in parts)
    unit = identity(n)
    return JointBasis((), rates, ((),) * len(parts), matrices, joint_degree(shears), unit, unit)


def _with_basis(parts: Sequence[ScalarMatrix]) -> JointBasis:
    """A common basis of what is no block as it stands."""
    CommutingFamily.of([Generator(len(m), None, m) for m in parts])
    found = joint_basis(parts)
    if found.degree or found.inverse == transpose(found.basis) or found.distance:
        return found
    seconds = {second for _, second in found.planes}
    turning = {first for first, _ in found.planes}
    blocks = [
        Block(ZERO, ONE if i in turning else ZERO)
        for i in range(len(found.basis))
        if i not in seconds
    ]
    _, basis, inverse = balanced(blocks, found.basis, found.inverse)
    return replace(found, basis=basis, inverse=inverse)


def _assembled(
    encoding: SeveralAxes, parts: Sequence[tuple[tuple[int, ...], JointBasis]]
) -> AxesPlan:
    """All components: coordinates of one lie where its channels are."""
    n, axes = encoding.dimension, len(encoding.axes)
    planes: list[tuple[int, int]] = []
    frequencies: list[list[Scalar]] = [[] for _ in range(axes)]
    rates = [[ZERO] * n for _ in range(axes)]
    shears = [[[ZERO] * n for _ in range(n)] for _ in range(axes)]
    basis, inverse = ([list(row) for row in identity(n)] for _ in range(2))
    for channels, part in parts:
        order = permutation_of(part.basis)
        places = channels if order is None else tuple(channels[i] for i in order)
        planes += [(places[i], places[j]) for i, j in part.planes]
        for axis in range(axes):
            frequencies[axis] += part.frequencies[axis]
            for i, x in zip(places, part.rates[axis], strict=True):
                rates[axis][i] = x
            _put(shears[axis], part.shears[axis], places)
        if order is None:
            _put(basis, part.basis, channels)
            _put(inverse, part.inverse, channels)
    degree = max(part.degree for _, part in parts)
    refuse_unrepresentable([encoding.temperature])
    refuse_unrepresentable(x for rows in (*shears, rates, frequencies) for row in rows for x in row)
    if degree and not _commute_when_rounded(shears):
        raise NotYetCovered(
            "code for shears along several axes that commute, but not once their entries are "
            "rounded to binary64; scale the axes so that the entries are binary fractions"
        )
    refuse_wide_basis((scalar_matrix(basis), scalar_matrix(inverse)))
    alone = all(permutation_of(part.basis) is not None for _, part in parts)
    return AxesPlan(
        encoding,
        tuple(planes),
        tuple(map(tuple, frequencies)),
        tuple(map(tuple, rates)),
        None if alone else (scalar_matrix(basis), scalar_matrix(inverse)),
        tuple(map(scalar_matrix, shears)) if degree else (),
        degree,
        max(part.distance for _, part in parts),
    )


def _commute_when_rounded(shears: Sequence[Sequence[Sequence[Scalar]]]) -> bool:
    """Whether shears commute once their entries are rounded to binary64."""
    rounded = [
        fmpq_mat([[fmpq(*x.to_float().as_integer_ratio()) for x in row] for row in shear])
        for shear in shears
    ]
    return all(a * b == b * a for a, b in combinations(rounded, 2))


def _put(rows: list[list[Scalar]], part: ScalarMatrix, channels: Sequence[int]) -> None:
    for i, row in zip(channels, part, strict=True):
        for j, x in zip(channels, row, strict=True):
            rows[i][j] = x


def _in_basis(x: ScalarMatrix, basis: ScalarMatrix | None) -> ScalarMatrix:
    """PᵀXP, with PᵀP = I decided."""
    if basis is None:
        return x
    if is_rational(x) and is_rational(basis):
        p = to_fmpq(basis)
        if from_fmpq(p.transpose() * p) == identity(len(basis)):
            return from_fmpq(p.transpose() * to_fmpq(x) * p)
    turned = multiply(multiply(transpose(basis), x), basis)
    if multiply(transpose(basis), basis) != identity(len(basis)):
        raise NotYetCovered("a basis that is not orthogonal")
    return turned


def _joined(matrices: Sequence[ScalarMatrix]) -> ScalarMatrix:
    """A matrix that is 0 exactly where all are."""
    n = len(matrices[0])
    return tuple(
        tuple(
            next((m[i][j] for m in matrices if not m[i][j].is_zero()), matrices[0][i][j])
            for j in range(n)
        )
        for i in range(n)
    )


__all__ = ["AxesPlan", "plan_axes"]
