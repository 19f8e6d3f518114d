"""`catalogue compare A B`: what is the same, what differs, plane by plane."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.forms import IntegerPositions, Outside, Specification
from symbolic_pe.errors import SpecificationError, Undecided
from symbolic_pe.generators.block import PlacedBlock
from symbolic_pe.generators.generator import Generator

DIGITS = 10
SHOWN = 8


class SideRecord(msgspec.Struct, frozen=True):
    """One of the two encodings; `temperature` is c in score = c²·qᵀA(τ)k."""

    spec: str
    name: str
    verdict: str
    dimension: int
    heads: int
    temperature: str | None


class BlockDifferenceRecord(msgspec.Struct, frozen=True):
    """Blocks on the same place that differ; `ratio` of frequencies, right over left."""

    head: int
    block: int
    left: str
    right: str
    ratio: str | None


class ComparisonRecord(msgspec.Struct, frozen=True):
    """Output of `catalogue compare --json`; `same_generator` is null where one has none."""

    left: SideRecord
    right: SideRecord
    same_generator: bool | None
    same_blocks: int
    differences: list[BlockDifferenceRecord]


def compared(
    specs: tuple[str, str], forms: tuple[Specification, Specification]
) -> ComparisonRecord:
    """Compare two specifications.

    Raises `SpecificationError` for a step on integer positions, which has no generator to compare.
    """
    left, right = (_side(spec, form) for spec, form in zip(specs, forms, strict=True))
    pairs = [_generators(form) for form in forms]
    if not all(pairs):
        return ComparisonRecord(left, right, None, 0, [])
    if len(pairs[0]) != len(pairs[1]):
        return ComparisonRecord(left, right, False, 0, [])
    differences: list[BlockDifferenceRecord] = []
    same = 0
    for head, (x, y) in enumerate(zip(*pairs, strict=True)):
        for index, (a, b) in enumerate(zip_longest(_blocks(x), _blocks(y))):
            if _agree(a, b):
                same += 1
            else:
                differences.append(
                    BlockDifferenceRecord(head, index, _text(a), _text(b), _ratio(a, b))
                )
    return ComparisonRecord(left, right, not differences, same, differences)


def _side(spec: str, form: Specification) -> SideRecord:
    if isinstance(form, IntegerPositions):
        raise SpecificationError(f"{spec}: compare takes encodings, got a step")
    temperature = None if isinstance(form, Outside) else str(form.temperature)
    heads = len(form.heads) if isinstance(form, Encoding) else 1
    return SideRecord(spec, form.name, form.verdict.value, form.dimension, heads, temperature)


def _generators(form: Specification) -> tuple[Generator, ...]:
    if isinstance(form, Encoding):
        return tuple(form.full_generator(h) for h in range(len(form.heads)))
    return form.axes if isinstance(form, SeveralAxes) else ()


def _blocks(generator: Generator) -> Sequence[PlacedBlock | tuple[Scalar, ...]]:
    """Blocks in the order of their first channel, or the rows of a dense matrix."""
    if generator.placed is None:
        return generator.matrix
    return sorted(generator.placed, key=lambda p: p.coordinates)


def _agree(a: object, b: object) -> bool:
    if isinstance(a, PlacedBlock) and isinstance(b, PlacedBlock):
        values = ((a.block.rate, b.block.rate), (a.block.frequency, b.block.frequency))
        return (
            a.coordinates == b.coordinates
            and a.block.chain_length == b.block.chain_length
            and all((x - y).vanishes() for x, y in values)
            and (a.block.chain_length == 1 or (a.block.shear - b.block.shear).vanishes())
        )
    return a == b


def _text(item: object) -> str:
    if item is None:
        return "no such channel"
    if not isinstance(item, PlacedBlock):
        return str(item)
    block = item.block
    channels = ", ".join(map(str, item.coordinates))
    parts = [f"rate {_number(block.rate)}"] if not block.rate.is_zero() else []
    parts += [f"frequency {_number(block.frequency)}"] if block.is_pair else []
    parts += [f"chain length {block.chain_length}"] if block.chain_length > 1 else []
    return f"channels {channels}: {', '.join(parts) or 'constant'}"


def _number(x: Scalar) -> str:
    text = str(x)
    if x.parameters() or len(text) <= DIGITS:
        return text
    with precision(128):
        return str(x.ball({}).str(DIGITS, radius=False))


def _ratio(a: object, b: object) -> str | None:
    if not (isinstance(a, PlacedBlock) and isinstance(b, PlacedBlock)):
        return None
    x, y = a.block.frequency, b.block.frequency
    if x.is_zero() or x.parameters() or y.parameters():
        return None
    with precision(128):
        try:
            return str((y.ball({}) / x.ball({})).str(6, radius=False))
        except (ZeroDivisionError, Undecided):  # pragma: no cover
            return None


def comparison_text(record: ComparisonRecord) -> str:
    """Two columns for what each is; then the blocks that differ."""
    rows = [("", record.left.spec, record.right.spec)]
    for name in ("verdict", "dimension", "heads", "temperature"):
        x, y = getattr(record.left, name), getattr(record.right, name)
        rows.append((name, "-" if x is None else str(x), "-" if y is None else str(y)))
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = [f"{r[0]:<{widths[0]}}  {r[1]:<{widths[1]}}  {r[2]}".rstrip() for r in rows]
    if record.same_generator is None:
        lines.append("one of them has no generator")
    elif not record.same_blocks and not record.differences:
        lines.append("they have different numbers of heads or axes")
    elif record.same_generator:
        lines.append(f"the same generator ({record.same_blocks} blocks)")
    else:
        count = len(record.differences)
        lines.append(f"{record.same_blocks} blocks agree, {count} differ (exactly)")
        shown = record.differences
        if count > SHOWN:
            shown = [*shown[: SHOWN // 2], *shown[-SHOWN // 2 :]]
        for number, d in enumerate(shown):
            if count > SHOWN and number == SHOWN // 2:
                lines.append(f"  ... {count - SHOWN} more")
            ratio = f"  (ratio {d.ratio})" if d.ratio else ""
            lines.append(f"  {d.left}  |  {d.right}{ratio}")
    return "\n".join(lines)
