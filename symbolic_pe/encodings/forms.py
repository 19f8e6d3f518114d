"""Specifications that are not one generator: a step B on integer positions, and several axes.

    [step]    matrix = …             A(n) = Bⁿ
    [[axes]]  matrix = … | blocks = …    A(p) = exp(Σ pᵢXᵢ)

They are values of their own. What needs one generator refuses them and says what to give instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.catalogue import catalogue_form
from symbolic_pe.encodings.decoding import as_choice, as_list, as_table, as_text, known_keys
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.layout import LAYOUTS, place_consecutively
from symbolic_pe.encodings.layout import planes as plane_channels
from symbolic_pe.encodings.model_config import is_config, resolve
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.specification import (
    Context,
    as_document,
    block_of,
    declared_parameters,
    encoding_name,
    from_document,
    generator_of,
    in_catalogue,
    read_with,
)
from symbolic_pe.errors import NotYetCovered, SpecificationError, SymbolicPEError
from symbolic_pe.exponential.real_logarithm import real_logarithm
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.integer_step import integer_step

MAX_AXES = 64


@dataclass(frozen=True)
class IntegerPositions:
    """A(n) = Bⁿ on integer positions n.

    >>> from_any_document({"step": {"matrix": [[0, -1], [1, 0]]}}).dimension
    2
    """

    name: str
    step: ScalarMatrix
    title: str = ""

    @property
    def dimension(self) -> int:
        """Channels."""
        return len(self.step)


Specification = Encoding | IntegerPositions | SeveralAxes | Outside


def read_any_specification(spec: str) -> Specification:
    """Read SPEC as given on the command line: a generator, a step, or several axes.

    Raises `SpecificationError` (or its subclass `ExpressionError`).
    """
    return read_with(spec, from_any_document, catalogue_form)


def from_any_document(document: Any, default_name: str = "encoding") -> Specification:
    """Build what a decoded document specifies: a generator, a step, or several axes.

    >>> axis = {"blocks": [{"frequency": "1"}]}
    >>> from_any_document({"axes": [axis, axis]}).axis_names
    ('axis1', 'axis2')

    Raises `SpecificationError` with the place, what was expected and what came.
    """
    table = as_document(document)
    given = [key for key in ("step", "axes", "generator", "matrix", "blocks") if key in table]
    if "catalogue" in table:
        return in_catalogue(table, catalogue_form)
    if is_config(table):
        return catalogue_form(*resolve(table))
    if not {"step", "axes"} & set(given):
        return from_document(table, default_name)
    if len(given) > 1:
        raise SpecificationError(
            f"expected exactly one of [generator], [step] and [[axes]], got {' and '.join(given)}"
        )
    return (_step if given == ["step"] else _axes)(table, default_name)


def _step(table: dict[str, Any], default_name: str) -> IntegerPositions:
    known_keys(table, ("encoding", "step"), "the document with a [step]")
    head = as_table(table.get("encoding", {}), "[encoding]")
    known_keys(head, ("name", "title"), "[encoding]")
    section = as_table(table["step"], "[step]")
    known_keys(section, ("matrix",), "[step]")
    if "matrix" not in section:
        raise SpecificationError("[step]: expected the key 'matrix'")
    step = Context(Assumptions(), {}).matrix(section["matrix"], "[step] matrix")
    title = as_text(head.get("title", ""), "[encoding] title")
    return IntegerPositions(encoding_name(head, default_name), step, title)


def _axes(table: dict[str, Any], default_name: str) -> SeveralAxes:
    known_keys(table, ("encoding", "parameters", "axes"), "the document with [[axes]]")
    head = as_table(table.get("encoding", {}), "[encoding]")
    known_keys(head, ("name", "title", "layout"), "[encoding]")
    layout = as_choice(head.get("layout", "interleaved"), LAYOUTS, "[encoding] layout")
    assumptions = Assumptions.declare(declared_parameters(table.get("parameters", {})))
    context = Context(assumptions, {})
    items = as_list(table["axes"], "[[axes]]")
    if not 1 <= len(items) <= MAX_AXES:
        raise SpecificationError(f"[[axes]]: expected 1 to {MAX_AXES} axes, got {len(items)}")
    generators, names = [], []
    for index, item in enumerate(items):
        place = f"[[axes]], item {index + 1}"
        section = as_table(item, place)
        known_keys(section, ("name", "matrix", "blocks"), place)
        if ("matrix" in section) == ("blocks" in section):
            raise SpecificationError(f"{place}: expected exactly one of matrix and blocks")
        names.append(as_text(section.get("name", f"axis{index + 1}"), f"{place} name"))
        generators.append(
            generator_of(section, context, layout, place)
            if "matrix" in section
            else _axis_of_blocks(section["blocks"], context, layout, place)
        )
    _check_axes(names, generators)
    title = as_text(head.get("title", ""), "[encoding] title")
    name = encoding_name(head, default_name)
    return SeveralAxes(
        name,
        tuple(generators),
        tuple(names),
        assumptions,
        title,
        specification={**table, "encoding": {**head, "name": name}},
    )


def _axis_of_blocks(value: Any, context: Context, layout: str, place: str) -> Generator:
    """Blocks of one axis; one with the key `frequency` has a plane, even when the frequency is 0.

    So every axis places its blocks on the same channels, whichever of them it leaves alone.
    """
    planes: list[Block] = []
    placed: list[PlacedBlock] = []
    rest: list[Block] = []
    start = 0
    for i, item in enumerate(as_list(value, f"{place} blocks")):
        where = f"{place} blocks, item {i + 1}"
        block, count = block_of(item, context, where)
        turns = "frequency" in item
        if turns and layout == "half" and block.chain_length > 1:
            raise SpecificationError(
                f'{where}: layout "half" places single planes; chains of rotations are placed '
                'with layout = "interleaved"'
            )
        width = block.chain_length * (2 if turns else 1)
        for _ in range(count):
            if layout == "interleaved":
                placed.extend(_on(block, tuple(range(start, start + width)), turns=turns))
            else:
                (planes if turns else rest).append(block)
            start += width
    if not start:
        raise SpecificationError(f"{place} blocks: expected at least one block")
    if layout == "half":
        for block, pair in zip(planes, plane_channels("half", 2 * len(planes)), strict=True):
            placed.extend(_on(block, pair, turns=True))
        placed.extend(place_consecutively(rest, start=2 * len(planes)))
    return Generator.from_blocks(placed, context.assumptions)


def _on(block: Block, channels: tuple[int, ...], *, turns: bool) -> list[PlacedBlock]:
    """A block on channels; a plane that does not turn is two real chains."""
    if turns and not block.is_pair:
        return [PlacedBlock(block, channels[0::2]), PlacedBlock(block, channels[1::2])]
    return [PlacedBlock(block, channels)]


def _check_axes(names: list[str], generators: list[Generator]) -> None:
    for index, name in enumerate(names):
        if not name.strip() or name in names[:index]:
            raise SpecificationError(
                f"[[axes]], item {index + 1} name: expected a text that no other axis has, "
                f"got {name!r}"
            )
        size = generators[index].dimension
        if size != generators[0].dimension:
            raise SpecificationError(
                f"[[axes]], item {index + 1}: expected {generators[0].dimension} channels as in "
                f"item 1, got {size} (a block has two channels with the key frequency, else one)"
            )


# -- refusals ---------------------------------------------------------------------------------


def no_single_generator(table: dict[str, Any], default_name: str) -> SymbolicPEError:
    """Why a document with [step] or [[axes]] is no encoding of one generator, and what is."""
    found = from_any_document(table, default_name)
    if isinstance(found, SeveralAxes):
        return NotYetCovered(
            "[[axes]] specify A(p) = exp(sum p_i X_i), which is classified and proved; code is "
            "emitted for one generator: give that of one axis, or of one direction, as [generator]"
        )
    assert isinstance(found, IntegerPositions)
    return NotYetCovered(
        "[step] specifies A(n) = B^n, which is classified and proved; code is emitted for a "
        f"generator, and {_instead(found)}"
    )


def _instead(found: IntegerPositions) -> str:
    step = integer_step(found.step)
    if not step.has_real_generator:
        return f"B has no real one: {step.reason}"
    matrix = real_logarithm(step).matrix
    if matrix is None:
        return "that of B is known as balls only, not in the exact ring"
    return f"exp(X) = B for: [generator] matrix = {matrix_text(matrix)}"


def matrix_text(matrix: ScalarMatrix) -> str:
    """A matrix as it is written in a specification."""
    rows = ", ".join("[" + ", ".join(f'"{x}"' for x in row) + "]" for row in matrix)
    return f"[{rows}]"


__all__ = [
    "IntegerPositions",
    "Outside",
    "SeveralAxes",
    "Specification",
    "from_any_document",
    "matrix_text",
    "no_single_generator",
    "read_any_specification",
]
