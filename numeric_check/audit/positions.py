"""Which positions are tried: those at which small tests see nothing are always among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

STANDARD = (0, 1, 2, 85, 419, 511, 4095, 8193, 65536, 131071)
"""0 is the identity; 85 and 419 are where bfloat16 and float16 angles first differ by 0.1."""
LADDER = tuple(1 << k for k in range(18))
"""Powers of two: each refines the generator found so far by the next phase."""
SMALL = tuple(range(9))
LAGS = (0, 1, 2, 7, 85, 511)
SHIFTS = (1, 3, 85, 255, 419, 4095, 8193, 32767, 65535, 65536, 131071)
"""With the last positions before integers of 8, 16 and 17 bits end."""
LONG_LAGS = (600, 1000, 2048, 3000, 10000)
LONG_STARTS = (420, 4096, 65536)
"""Long lags at several places: where scores or biases are limited, the limit may depend on them."""
LATTICE = tuple(range(0, 131072, 1021))
"""Every 1021st position: all pairs of a score or a bias, with their lags, and rows of a table."""
NEIGHBOURS = (257, 513, 2049, 4097)
"""Just past the integers that bfloat16 and float16 hold."""
FIRST = (0, 1, 2, 3, 7, 40)
"""Small positions in one call: the first that a subject sees, and the last."""
LONG = 8193
"""Positions of a long call."""
ALONE_PAIRS = ((40, 3), (37, 0), (44, 7), (8230, 8193))
"""One lag, each position asked for in a call of its own: what a cache of keys meets."""
BELOW = (-1, -2, -85, -511, -8193, -65536)
"""Positions below 0, which relative coordinates and timestamps have."""
FAR = tuple((1 << 20) + p for p in (0, 1, 85)) + tuple((1 << 21) + p for p in (-1, 0, 1, 85))
"""From 2^20 to beyond 2^21: beyond the standard positions, and beyond most tables."""
LARGEST = 1 << 24
"""Integers up to here are exact in float32."""


def beyond(wavelength: float) -> tuple[int, ...]:
    """Positions past the longest wavelength, where every plane has turned at least once.

    >>> beyond(54410.1)
    (54412, 54413, 54497)
    """
    if not math.isfinite(wavelength):
        return ()
    start = math.ceil(wavelength) + 1
    return tuple(p for p in (start, start + 1, start + 85) if p <= LARGEST)


def beginnings(
    failing: Sequence[bool] | npt.NDArray[np.bool_], most: int = 4, *, before: bool = False
) -> list[int]:
    """Where runs of failures begin, the first few of them.

    before  whether the one before the first fails

    >>> beginnings([False, True, True, False, True])
    [1, 4]
    """
    marks = np.asarray(failing, dtype=bool)
    found = np.flatnonzero(marks & ~np.r_[before, marks[:-1]])
    return [int(i) for i in found[:most]]


def last_taken(taken: Callable[[int], bool], good: int, bad: int) -> int:
    """The largest number from `good`, which is taken, on below `bad`, which is not.

    >>> last_taken(lambda n: n < 700, 3, 1000)
    699
    """
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if taken(middle) else (good, middle)
    return good


def with_neighbours(positions: Iterable[int], last: int) -> list[int]:
    """Positions, and those before and after each, from 0 to `last`.

    >>> with_neighbours([5, 9], 9)
    [4, 5, 6, 8, 9]
    """
    return sorted({p + step for p in positions for step in (-1, 0, 1) if 0 <= p + step <= last})


def maps_positions(limit: int = LARGEST) -> list[int]:
    """Every position at which maps are measured, ascending, none beyond `limit`."""
    pairs = {s + lag for s in (0, *SHIFTS) for lag in LAGS}
    lags = {t - s for t in STANDARD for s in STANDARD if t >= s}
    every = {*STANDARD, *LADDER, *SMALL, *NEIGHBOURS, *SHIFTS, *pairs, *lags}
    return sorted(p for p in every if p <= limit)


FARTHEST = maps_positions()[-1]
"""The last of the standard positions; those beyond it are judged one by one."""
