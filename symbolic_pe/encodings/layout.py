"""Layouts: which channels form plane j.

`interleaved` pairs (2j, 2j + 1), `half` pairs (j, j + r/2) of the first r channels. The two are
conjugate by a permutation of channels, and never confused: every placed block carries channels.
"""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.scalar import ZERO
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block, PlacedBlock

LAYOUTS = ("interleaved", "half")


def planes(layout: str, channels: int) -> list[tuple[int, int]]:
    """The planes of `channels` channels.

    >>> planes("half", 4)
    [(0, 2), (1, 3)]
    """
    if channels % 2:
        raise SpecificationError(f"planes need an even number of channels, got {channels}")
    if layout == "interleaved":
        return [(2 * j, 2 * j + 1) for j in range(channels // 2)]
    if layout == "half":
        return [(j, j + channels // 2) for j in range(channels // 2)]
    raise SpecificationError(f"layout: expected one of {', '.join(LAYOUTS)}, got {layout!r}")


def place_planes(blocks: Sequence[Block], layout: str, rest: int = 0) -> list[PlacedBlock]:
    """Pairs on the planes of the first channels, `rest` constant channels after them."""
    pairs = planes(layout, 2 * len(blocks))
    placed = [PlacedBlock(b, c) for b, c in zip(blocks, pairs, strict=True)]
    return placed + place_consecutively([Block(ZERO)] * rest, start=2 * len(blocks))


def place_consecutively(blocks: Sequence[Block], start: int = 0) -> list[PlacedBlock]:
    """Blocks one after the other."""
    placed = []
    for block in blocks:
        placed.append(PlacedBlock(block, tuple(range(start, start + block.dimension))))
        start += block.dimension
    return placed
