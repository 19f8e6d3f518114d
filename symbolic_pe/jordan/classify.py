"""Classify a generator: split into components, give each its real Jordan form, join the cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    apply,
    identity,
    is_rational,
    multiply,
)
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.errors import NotYetCovered, SymbolicPEError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.form import (
    ComponentForm,
    ImplicitEigenvalue,
    JordanCase,
    RealJordanForm,
    StructureBlock,
)
from symbolic_pe.jordan.rational import component_form
from symbolic_pe.jordan.two_by_two import Leaf, one_by_one, sign_cells, two_by_two

MAX_CASES = 4096


@dataclass(frozen=True)
class _Partial:
    cell: Assumptions
    structure: tuple[StructureBlock, ...]
    components: tuple[ComponentForm, ...] | None


def real_jordan_form(generator: Generator) -> RealJordanForm:
    """The complete real Jordan form of a generator, as a case tree over its parameters.

    X·P = P·J and P·Q = I are verified for every component of every case before it is returned.
    Raises `NotYetCovered` for parametric components larger than 2×2 given as a matrix.
    """
    partials = [_Partial(generator.assumptions, (), ())]
    for component in _components(generator):
        partials = [extended for partial in partials for extended in _extend(partial, component)]
        if len(partials) > MAX_CASES:
            raise NotYetCovered(f"a case tree of more than {MAX_CASES} cases")
    cases = tuple(_finish(p) for p in partials)
    for case in cases:
        for form in case.components or ():
            _verify(form)
    return RealJordanForm(generator.dimension, cases)


@dataclass(frozen=True)
class _Component:
    coordinates: tuple[int, ...]
    matrix: ScalarMatrix
    block: Block | None


def _components(generator: Generator) -> list[_Component]:
    if generator.placed is not None:
        return [_Component(p.coordinates, p.block.generator, p.block) for p in generator.placed]
    matrix = generator.matrix
    return [
        _Component(
            coordinates,
            tuple(tuple(matrix[i][j] for j in coordinates) for i in coordinates),
            None,
        )
        for coordinates in connected_components(matrix)
    ]


def connected_components(matrix: ScalarMatrix) -> list[tuple[int, ...]]:
    """Coordinates that X couples, directly or through others."""
    n = len(matrix)
    parent = list(range(n))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i in range(n):
        for j in range(n):
            if i != j and not matrix[i][j].is_zero():
                parent[find(i)] = find(j)
    groups: dict[int, list[int]] = {}
    for i in range(n):
        groups.setdefault(find(i), []).append(i)
    return sorted(tuple(g) for g in groups.values())


def _extend(partial: _Partial, component: _Component) -> Iterator[_Partial]:
    if component.block is not None:
        leaves = _block_leaves(partial.cell, component.block)
    elif is_rational(component.matrix):
        structure, form = component_form(component.coordinates, component.matrix)
        known = None
        if form is not None and partial.components is not None:
            known = (*partial.components, form)
        yield _Partial(partial.cell, (*partial.structure, *structure), known)
        return
    else:
        here = apply(lambda x: x.substitute(partial.cell.solved), component.matrix)
        leaves = _small_leaves(partial.cell, here)
    for leaf in leaves:
        form = ComponentForm(
            component.coordinates, leaf.matrix, leaf.blocks, leaf.basis, leaf.inverse_basis
        )
        structure = tuple(
            StructureBlock(b.rate, b.frequency, b.chain_length, 1, sign)
            for b, sign in zip(leaf.blocks, leaf.signs, strict=True)
        )
        yield _Partial(
            leaf.cell,
            (*partial.structure, *structure),
            None if partial.components is None else (*partial.components, form),
        )


def _small_leaves(cell: Assumptions, matrix: ScalarMatrix) -> Iterator[Leaf]:
    if len(matrix) == 1:
        return one_by_one(cell, matrix[0][0])
    if len(matrix) == 2:
        return two_by_two(cell, matrix)
    raise NotYetCovered(
        f"a {len(matrix)}×{len(matrix)} component whose entries are not rational; this version "
        "gives complete case trees for components of dimension 1 and 2, and takes larger ones as "
        "blocks"
    )


def _block_leaves(cell: Assumptions, block: Block) -> Iterator[Leaf]:
    """Cells of a block given as such: signs of its rate, of ω, of η."""
    for first, _ in sign_cells(cell, block.frequency):
        for second, _ in sign_cells(first, block.shear):
            for final, sign in sign_cells(second, block.rate):
                yield from _standard_leaf(final, block.substitute(dict(final.solved)), sign)


def _standard_leaf(cell: Assumptions, block: Block, sign: int) -> Iterator[Leaf]:
    """Bring ω to ω > 0 and η to 1 by a diagonal basis P = diag(η^{−k}) ⊗ diag(1, ±1)."""
    length, shear = block.chain_length, block.shear
    if length > 1 and shear.is_zero():
        simple = Block(block.rate, block.frequency)
        blocks = (_positive(cell, simple),) * length
        signs = (sign,) * length
    else:
        blocks = (_positive(cell, Block(block.rate, block.frequency, length)),)
        signs = (sign,)
    width = 2 if block.is_pair else 1
    flip = block.is_pair and cell.sign_of_scalar(block.frequency) == -1
    scale = Scalar.rational(1)
    diagonal: list[Scalar] = []
    for _ in range(length):
        diagonal.extend([scale, -scale if flip else scale][:width])
        scale = scale if shear.is_zero() or length == 1 else scale / shear
    n = len(diagonal)
    basis = tuple(tuple(diagonal[i] if i == j else ZERO for j in range(n)) for i in range(n))
    inverse = tuple(
        tuple(diagonal[i].inverse() if i == j else ZERO for j in range(n)) for i in range(n)
    )
    yield Leaf(cell, block.generator, blocks, signs, basis, inverse)


def _positive(cell: Assumptions, block: Block) -> Block:
    if block.is_pair and cell.sign_of_scalar(block.frequency) == -1:
        return Block(block.rate, -block.frequency, block.chain_length)
    return block


def _finish(partial: _Partial) -> JordanCase:
    merged: dict[tuple[object, ...], StructureBlock] = {}
    for b in partial.structure:
        key = (
            str(b.eigenvalue),
            b.imaginary_part,
            b.chain_length,
            isinstance(b.eigenvalue, ImplicitEigenvalue),
        )
        known = merged.get(key)
        merged[key] = (
            b
            if known is None
            else StructureBlock(
                b.eigenvalue,
                b.imaginary_part,
                b.chain_length,
                known.multiplicity + b.multiplicity,
                b.real_part_sign,
            )
        )
    possibly_empty = bool(partial.cell.signs) and partial.cell.sample() is None
    return JordanCase(partial.cell, tuple(merged.values()), partial.components, possibly_empty)


def _verify(form: ComponentForm) -> None:
    from symbolic_pe.algebra.matrix import block_diagonal

    jordan = block_diagonal([b.generator for b in form.blocks])
    left, right = multiply(form.matrix, form.basis), multiply(form.basis, jordan)
    product = multiply(form.basis, form.inverse_basis)
    unit = identity(len(form.matrix))
    if any(
        not (a - b).is_zero()
        for rows in ((left, right), (product, unit))
        for x, y in zip(*rows, strict=True)
        for a, b in zip(x, y, strict=True)
    ):
        raise SymbolicPEError(
            f"internal error: X·P = P·J does not hold for the component {form.coordinates}; "
            "please report the input"
        )
