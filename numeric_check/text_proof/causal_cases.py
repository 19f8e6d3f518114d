"""Calls of the causal sums that decide them: lengths, chunks, and every shape of the interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from numeric_check.text_proof.free_symbols import Axes

LONGEST = 64
"""Positions of the longest run that is executed."""


@dataclass(frozen=True)
class Case:
    """One call of `chunkwise`.

    query, key  leading axes of queries, and of keys and values, which broadcast
    rows        leading axes of positions
    state       whether a state is handed over; start: none, `one` for all or one for `each` row
    """

    length: int
    chunk: int | None = None
    query: Axes = ()
    key: Axes = ()
    rows: Axes = ()
    state: bool = False
    start: str = ""

    @property
    def lead(self) -> Axes:
        """Leading axes of the outputs."""
        return np.broadcast_shapes(self.query, self.key)

    def __str__(self) -> str:
        chunk = "of the default length" if self.chunk is None else f"of {self.chunk}"
        return (
            f"chunkwise of {self.length} positions in chunks {chunk}, leading axes {self.query} "
            f"and {self.key}, positions {self.rows}"
        )


SHAPES = (
    Case(3),
    Case(5, 2, (2,), (2,), (2,), state=True, start="each"),
    Case(3, 4, (2, 3), (2, 3), (2, 1), state=True, start="each"),
    Case(5, 4, (2, 3), (2, 1), (), state=True, start="one"),
    Case(4, 4, (3,), (3,), (3,), state=True),
    Case(2, 2, (3, 2), (3, 2), (3, 2), start="each"),
    Case(7, 4, (2,), (2,)),
)
"""Every way in which leading axes, positions, states and starts can come."""
STEPS: tuple[tuple[Axes, Axes], ...] = (((), ()), ((2,), (2,)), ((2, 3), (2, 1)), ((2,), ()))
"""Leading axes of one step, and those of its lag."""
CHUNKS = (1, 2, 3, 4, 5, 6, 7, 8, 9)
LENGTHS = (1, 2, 3, 7, 8, 9, 11)
"""Each length in each chunk."""
CASES: tuple[Case, ...] = (
    *SHAPES,
    *(Case(n, chunk, state=True, start="one") for n in LENGTHS for chunk in CHUNKS),
    Case(LONGEST + 11),
)


def runs_of(length: int, chunk: int, *, whole: bool) -> list[int]:
    """The runs in which a sequence is taken.

    Taken whole, of `chunk` positions, the last one shorter; else of the largest power of two
    within a chunk, then of the powers of two that make up the rest, the longest first.
    """
    if whole:
        return [min(chunk, length - first) for first in range(0, length, chunk)]
    bits = chunk.bit_length() - 1
    rest = [1 << bit for bit in reversed(range(bits)) if length >> bit & 1]
    return [1 << bits] * (length >> bits) + rest


def summary(cases: Sequence[Case]) -> str:
    """What deciding these cases says of `chunkwise`."""
    longest = max(min(c.length, LONGEST if c.chunk is None else c.chunk) for c in cases)
    return (
        f"chunkwise is decided for {', '.join(map(str, LENGTHS))} positions in chunks of "
        f"{CHUNKS[0]} to {CHUNKS[-1]}, for runs of up to {longest} positions, each of which hands "
        "its state to the next, and for every shape of the interface; "
    )


__all__ = ["CASES", "CHUNKS", "LENGTHS", "LONGEST", "SHAPES", "STEPS", "Case", "runs_of", "summary"]
