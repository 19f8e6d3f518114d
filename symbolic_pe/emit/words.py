"""Channels and orientation in words, for comments and docstrings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symbolic_pe.emit.expressions import from_scalar
from symbolic_pe.emit.plan import Vector
from symbolic_pe.emit.trees import is_negative


def turns_forward(frequency: Vector) -> bool:
    """True when ω is written with a minus, so that q and k turn by +θ·position, θ = −ω."""
    leader = next(x for row in frequency.rows for x in row if not x.is_zero())
    if not leader.parameters():
        return leader.sign() < 0
    return is_negative(from_scalar(leader, {p: p for p in leader.parameters()}))


def channels_in_words(channels: Sequence[int]) -> str:
    """`channels 64 to 127`, `channel 5` or a formula in j.

    >>> channels_in_words(range(64, 128)), channels_in_words(range(1, 9, 2))
    ('channels 64 to 127', 'channels 2j + 1, j < 4')
    """
    if len(channels) <= 3:
        noun = "channel" if len(channels) == 1 else "channels"
        return f"{noun} {', '.join(str(c) for c in channels)}"
    step = channels[1] - channels[0]
    if any(b - a != step for a, b in pairwise(channels)):
        return f"channels {', '.join(str(c) for c in channels[:3])}, …"
    if step == 1:
        return f"channels {channels[0]} to {channels[-1]}"
    return f"channels {_progression(channels)}, j < {len(channels)}"


def tuples_in_words(slots: Sequence[Sequence[int]]) -> str:
    """Channels of block j, slot by slot.

    >>> tuples_in_words([range(0, 8, 2), range(1, 8, 2)])
    '(2j, 2j + 1), j < 4'
    """
    count = len(slots[0])
    blocks = list(zip(*slots, strict=True))
    steps = [b - a for s in slots for a, b in pairwise(s)]
    if count < 3 or len(set(steps)) != 1:
        shown = [_tuple([str(c) for c in block]) for block in blocks[:2]]
        return ", ".join([*shown, "…"] if count > 2 else shown)
    return f"{_tuple([_progression(s) for s in slots])}, j < {count}"


def _tuple(texts: Sequence[str]) -> str:
    shown = texts if len(texts) <= 4 else [*texts[:2], "…", texts[-1]]
    return f"({', '.join(shown)})"


def _progression(channels: Sequence[int]) -> str:
    start, step = channels[0], channels[1] - channels[0]
    factor = "j" if step == 1 else f"{step}j"
    return factor if start == 0 else f"{factor} + {start}"
