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
from symbolic_pe.algebra.sampling import sample_point
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.budget import Budget
from symbolic_pe.errors import NotYetCovered, SymbolicPEError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.jordan.form import (
    ComponentForm,
    JordanCase,
    RealJordanForm,
    StructureBlock,
    Unexpanded,
)
from symbolic_pe.jordan.parametric import structure_cells
from symbolic_pe.jordan.rational import component_form
from symbolic_pe.jordan.rational_entries import with_rational_entries
from symbolic_pe.jordan.two_by_two import Leaf, one_by_one, sign_cells, two_by_two

MAX_CASES = 4096


@dataclass(frozen=True)
class _Partial:
    """Components resolved so far on one cell; `forms` is None once one has no basis."""

    cell: Assumptions
    structure: tuple[StructureBlock, ...] = ()
    forms: tuple[ComponentForm, ...] | None = ()
    undecided: str = ""

    def extended(
        self,
        cell: Assumptions,
        structure: tuple[StructureBlock, ...],
        form: ComponentForm | None,
    ) -> _Partial:
        """With one more component."""
        forms = None if self.forms is None or form is None else (*self.forms, form)
        return _Partial(cell, (*self.structure, *structure), forms)


def real_jordan_form(generator: Generator, budget: Budget | None = None) -> RealJordanForm:
    """The complete real Jordan form of a generator, as a case tree over its parameters.

    X·P = P·J and P·Q = I are verified for every component of every case before it is returned.
    Cells that are not decided within the budget (60 s unless given) or by this version come back
    as cases with `undecided` set; the cases still cover all parameters. Raises `NotYetCovered`
    when no cell is decided.
    """
    budget = budget or Budget.of()
    cases = _case_tree(with_rational_entries(generator), budget)
    if any(case.undecided for case in cases) and not budget.is_spent():
        rational = with_rational_entries(generator, everywhere=True)
        if rational is not generator:
            again = _case_tree(rational, budget)
            cases = min((cases, again), key=lambda tree: sum(bool(c.undecided) for c in tree))
    if all(case.undecided for case in cases):
        raise NotYetCovered(cases[0].undecided)
    for case in cases:
        for form in case.components or ():
            _verify(form)
    return RealJordanForm(generator.dimension, tuple(cases))


@dataclass
class _Search:
    """What is left of a search: its budget, and how many cases it may still find."""

    budget: Budget
    found: int = 0

    def over(self) -> str:
        """Why the search has to stop; empty while it may go on."""
        if self.found >= MAX_CASES:
            return f"a case tree of more than {MAX_CASES} cases"
        if self.budget.is_spent():
            return str(self.budget)
        return ""


def _case_tree(generator: Generator, budget: Budget) -> list[JordanCase]:
    start, search = _Partial(generator.assumptions), _Search(budget)
    return [
        _finish(partial, budget) for partial in _resolved(start, _components(generator), search)
    ]


def _resolved(partial: _Partial, pending: list[_Component], search: _Search) -> Iterator[_Partial]:
    """Resolve one component after the other; cells split on the way."""
    if not pending or partial.undecided:
        search.found += 1
        yield partial
        return
    if reason := search.over():
        yield _Partial(partial.cell, undecided=reason)
        return
    first, *rest = pending
    parts = _decoupled(partial.cell, first)
    if len(parts) > 1:
        yield from _resolved(partial, [*parts, *rest], search)
        return
    for extended in _extend(partial, parts[0], search):
        yield from _resolved(extended, rest, search)


def _decoupled(cell: Assumptions, component: _Component) -> list[_Component]:
    """The component on this cell: solved parameters may have cut it into smaller ones."""
    if component.block is not None or not cell.solved:
        return [component]
    matrix = apply(lambda x: x.substitute(cell.solved, cell), component.matrix)
    return [
        _Component(
            tuple(component.coordinates[i] for i in indices),
            tuple(tuple(matrix[i][j] for j in indices) for i in indices),
            None,
        )
        for indices in connected_components(matrix)
    ]


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


def _extend(partial: _Partial, component: _Component, search: _Search) -> Iterator[_Partial]:
    """One component on one cell, which may split."""
    leaves: Iterator[Leaf | Assumptions]
    if component.block is not None:
        leaves = _block_leaves(partial.cell, component.block)
    elif is_rational(component.matrix):
        structure, form = component_form(component.coordinates, component.matrix)
        yield partial.extended(partial.cell, structure, form)
        return
    elif len(component.matrix) == 1:
        leaves = one_by_one(partial.cell, component.matrix[0][0])
    elif len(component.matrix) == 2:
        leaves = two_by_two(partial.cell, component.matrix)
    else:
        leaves = iter((partial.cell,))
    for leaf in leaves:
        if isinstance(leaf, Assumptions):
            yield from _without_basis(partial, leaf, component, search)
            continue
        form = ComponentForm(
            component.coordinates, leaf.matrix, leaf.blocks, leaf.basis, leaf.inverse_basis
        )
        structure = tuple(
            StructureBlock(b.rate, b.frequency, b.chain_length, 1, sign)
            for b, sign in zip(leaf.blocks, leaf.signs, strict=True)
        )
        yield partial.extended(leaf.cell, structure, form)


def _without_basis(
    partial: _Partial, cell: Assumptions, component: _Component, search: _Search
) -> Iterator[_Partial]:
    """The structure of a component on a cell where no basis is computed."""
    for found in structure_cells(cell, component.matrix, search.budget):
        if found.undecided:
            yield _Partial(found.cell, undecided=found.undecided)
        else:
            yield partial.extended(found.cell, found.blocks, None)


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


def _finish(partial: _Partial, budget: Budget) -> JordanCase:
    if partial.undecided:
        return JordanCase(partial.cell, (), None, undecided=partial.undecided)
    merged: dict[tuple[object, ...], StructureBlock] = {}
    for b in partial.structure:
        key = (
            str(b.eigenvalue),
            b.imaginary_part,
            b.chain_length,
            isinstance(b.eigenvalue, Unexpanded),
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
    cell = partial.cell
    facts = cell.signs or cell.weak or cell.not_all_zero or cell.definitions
    possibly_empty = bool(facts) and (budget.is_spent() or sample_point(cell) is None)
    return JordanCase(partial.cell, tuple(merged.values()), partial.forms, possibly_empty)


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
