"""Replace a rational matrix by one that has a declared structure, at an exactly known distance.

skew       (X − Xᵀ)/2, the nearest skew matrix in every unitarily invariant norm
symmetric  (X + Xᵀ)/2, likewise
neutral    every eigenvalue is moved to the imaginary axis, in the basis of its eigenvectors
defective  eigenvalues that are within a given distance of meeting are made to meet
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from symbolic_pe.algebra.decimals import decimal_bound
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    block_diagonal,
    from_fmpq,
    is_rational,
    to_fmpq,
)
from symbolic_pe.algebra.scalar import ZERO
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.jordan.coalescence import moved
from symbolic_pe.jordan.nearby import nearby_form
from symbolic_pe.jordan.nearness import Nearness, Witness, nearness
from symbolic_pe.jordan.rational import primary_structure, structure_of

STRUCTURES = ("skew", "symmetric", "neutral", "defective")
MAX_ENTRY_DIGITS = 400
"""Longer numbers are not read back from the specification in an emitted header."""


@dataclass(frozen=True)
class Snapped:
    """X′ with the structure, and X′ − X measured exactly.

    frobenius_squared   ‖X′ − X‖_F², a rational number
    largest             the largest |entry| of X′ − X
    met                 for `defective`, the eigenvalues that met, by their digits
    """

    matrix: ScalarMatrix
    structure: str
    frobenius_squared: fmpq
    largest: fmpq
    met: tuple[tuple[str, ...], ...] = ()


def snap(matrix: ScalarMatrix, structure: str, within: fmpq | None = None) -> Snapped:
    """The matrix with the structure that is declared.

    >>> from symbolic_pe.generators.generator import Generator
    >>> found = snap(Generator.from_matrix([["1/10", "-1"], ["1", "0"]]).matrix, "skew")
    >>> str(found.matrix[0][1]), found.frobenius_squared
    ('-1', 1/100)

    Raises `SpecificationError` for an unknown structure, a missing or needless `within`, entries
    that are no rational numbers, and when nothing is within `within` of meeting; `Undecided` and
    `NotYetCovered` where the eigenvalues are beyond this version.
    """
    if structure not in STRUCTURES:
        raise SpecificationError(
            f"snap: expected one of {', '.join(STRUCTURES)}, got {structure!r}"
        )
    if (within is not None) != (structure == "defective"):
        raise SpecificationError(
            "snap: defective needs a distance within which eigenvalues are made to meet"
            if within is None
            else f"snap: a distance belongs to defective, not to {structure}"
        )
    if not is_rational(matrix):
        raise SpecificationError(
            "snap: expected a matrix of rational (or floating-point) numbers without parameters"
        )
    x = to_fmpq(matrix)
    met: tuple[tuple[str, ...], ...] = ()
    if within is not None:
        near, met = _defective(matrix, x, within)
    elif structure == "neutral":
        near = _neutral(matrix, x)
    else:
        sign = -1 if structure == "skew" else 1
        near = (x + sign * x.transpose()) / 2
    difference = [abs(entry) for entry in (near - x).entries()]
    if any(len(str(e.p)) > MAX_ENTRY_DIGITS or len(str(e.q)) > MAX_ENTRY_DIGITS
           for e in near.entries()):  # fmt: skip
        raise NotYetCovered(
            f"snap: the {structure} matrix next to X has entries of more than {MAX_ENTRY_DIGITS} "
            "digits, which no specification holds"
        )
    return Snapped(
        from_fmpq(near),
        structure,
        sum((d * d for d in difference), start=fmpq(0)),
        max(difference),
        met,
    )


def _neutral(matrix: ScalarMatrix, x: fmpq_mat) -> fmpq_mat:
    """P·K·P⁻¹ with the dyadic basis P of `nearby_form` and all rates 0."""
    if all(block.real_part_sign == 0 for block in structure_of(primary_structure(x))):
        return x
    try:
        form = nearby_form(matrix)
    except NotYetCovered as error:
        raise NotYetCovered(
            "snap: neutral needs simple eigenvalues with well conditioned eigenvectors, in "
            f"dimension at most 16 ({error})"
        ) from None
    blocks = [Block(ZERO, block.frequency).generator for block in form.blocks]
    return to_fmpq(form.basis) * to_fmpq(block_diagonal(blocks)) * to_fmpq(form.inverse_basis)


def _defective(
    matrix: ScalarMatrix, x: fmpq_mat, within: fmpq
) -> tuple[fmpq_mat, tuple[tuple[str, ...], ...]]:
    """X′Y = Y·(B₁ ⊕ B₂ ⊕ …) for the chains of disjoint meetings, nearest first."""
    found = nearness(matrix)
    chosen: list[Witness] = []
    for item in sorted(found, key=_distance):
        witness = item.witness
        if witness is None or witness.spectral > within:
            continue
        if all(set(witness.members).isdisjoint(other.members) for other in chosen):
            chosen.append(witness)
    if not chosen:
        raise SpecificationError(
            f"snap: no eigenvalues are known to meet within {within} of X (spectral norm); "
            f"{_nearest_text(found)}"
        )
    basis = fmpq_mat(
        [[e for w in chosen for e in w.chain.basis.tolist()[i]] for i in range(x.nrows())]
    )
    block = to_fmpq(block_diagonal([from_fmpq(w.chain.block) for w in chosen]))
    try:
        near = moved(x, basis, block)
    except ZeroDivisionError:
        raise NotYetCovered(
            "snap: the chains of several meetings are linearly dependent; snap within less"
        ) from None
    labels = [item.point.about for item in found]
    return near, tuple(tuple(labels[i] for i in w.members) for w in chosen)


def _distance(item: Nearness) -> fmpq:
    return fmpq(0) if item.witness is None else item.witness.spectral


def _nearest_text(found: tuple[Nearness, ...]) -> str:
    known = [item.witness.spectral for item in found if item.witness is not None]
    if not known:
        return "no meeting was found at all"
    return f"the nearest that was found is at {decimal_bound(min(known), upwards=True)}"
