"""Channels of a group: how to select them, and how to put results back in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


def progression(channels: Sequence[int]) -> tuple[int, int] | None:
    """Start and positive step of an arithmetic progression (step 1 for one channel), or None."""
    if len(channels) == 1:
        return channels[0], 1
    step = channels[1] - channels[0]
    if step < 1 or any(b - a != step for a, b in pairwise(channels)):
        return None
    return channels[0], step


def selector(channels: Sequence[int], dimension: int) -> str | None:
    """The slice that selects these channels in order, or None.

    >>> selector(range(0, 8, 2), 8), selector(range(4), 8), selector([5], 8), selector([3, 1], 8)
    ('0::2', ':4', '5:6', None)
    """
    found = progression(channels)
    if found is None:
        return None
    start, step = found
    last = channels[-1]
    if step == 1:
        first = str(start) if start else ""
        return f"{first}:" if last + 1 == dimension else f"{first}:{last + 1}"
    stop = -(-(last + 1) // step) * step  # whole periods read better than last + 1
    return f"{start}::{step}" if stop >= dimension else f"{start}:{stop}:{step}"


@dataclass(frozen=True)
class Segment:
    """Consecutive output channels: pieces interleaved, one piece, or unchanged input."""

    kind: str  # "stack", "piece" or "pass"
    pieces: tuple[int, ...] = ()
    channels: tuple[int, int] = (0, 0)


def segments(pieces: Sequence[Sequence[int]], dimension: int) -> list[Segment] | None:
    """Cut 0 … d − 1 into segments, channels of no piece being unchanged input.

    None when the pieces do not follow each other so; then a permutation is needed.
    """
    owner = {c: i for i, piece in enumerate(pieces) for c in piece}
    found: list[Segment] = []
    channel = 0
    while channel < dimension:
        if channel not in owner:
            end = next((c for c in range(channel, dimension) if c in owner), dimension)
            found.append(Segment("pass", channels=(channel, end)))
            channel = end
            continue
        piece = pieces[owner[channel]]
        shape = progression(piece)
        if shape is None or shape[0] != channel:
            return None
        step = shape[1]
        members = tuple(owner.get(channel + i, -1) for i in range(step))
        expected = [tuple(c + i for c in piece) for i in range(step)]
        if any(m < 0 or tuple(pieces[m]) != e for m, e in zip(members, expected, strict=True)):
            return None
        found.append(Segment("stack" if step > 1 else "piece", members))
        channel += step * len(piece)
    return found


def inverse_order(pieces: Sequence[Sequence[int]], dimension: int) -> tuple[list[int], list[int]]:
    """Channels of no piece, and for every channel its place in the concatenation with them last."""
    used = [c for piece in pieces for c in piece]
    rest = [c for c in range(dimension) if c not in set(used)]
    place = {c: i for i, c in enumerate([*used, *rest])}
    return rest, [place[c] for c in range(dimension)]
