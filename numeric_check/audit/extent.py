"""Where a failure begins and how far it reaches, said as it was checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Failing = Callable[[Sequence[int]], npt.NDArray[np.bool_]]
"""Which of some positions fail."""
PIECES = 64
"""Positions tried in one round of narrowing."""
LISTED = 4
"""Failing positions that are listed one by one."""


def narrowed(fails: Failing, good: int, bad: int) -> int:
    """The smallest position in (good, bad] that is seen to fail, in rounds of `PIECES` positions.

    Between two neighbouring ones of a round nothing is known unless failing is monotone there; the
    last round leaves no position out.

    >>> narrowed(lambda positions: np.array(positions) >= 4097, 511, 8193)
    4097
    """
    while bad - good > 1:
        step = max(1, (bad - good) // PIECES)
        between = list(range(good + 1, bad, step))
        failing = np.flatnonzero(fails(between))
        if failing.size:
            first = int(failing[0])
            good, bad = (between[first - 1] if first else good), between[first]
        else:
            good = between[-1]
    return bad


def extent(tried: Sequence[int], failing: npt.NDArray[np.bool_]) -> str:
    """In words, where failures are among the positions that were tried, in ascending order.

    >>> extent([0, 1, 2, 3], np.array([False, False, True, True]))
    'from position 2 on'
    >>> extent([0, 1, 2, 3], np.array([False, True, False, False]))
    'at position 1 only'
    >>> extent(range(9), np.arange(9) % 2 == 1)
    'at positions 1, 3, 5, 7 only'
    >>> extent(range(20), np.arange(20) % 2 == 1)
    'at position 1 and every 2 after it, up to 19'
    >>> extent(range(20), np.isin(np.arange(20), [1, 2, 4, 8, 16]))
    'at position 1 first, and at 4 of the 18 positions tried after it'
    """
    at = [p for p, fails in zip(tried, failing.tolist(), strict=True) if fails]
    after = sum(p > at[0] for p in tried)
    if len(at) == 1:
        last = " (the last that was tried)" if after == 0 else " only"
        return f"at position {at[0]}{last}"
    if len(at) - 1 == after:
        return f"from position {at[0]} on"
    steps = {b - a for a, b in pairwise(at)}
    if len(at) > LISTED and len(steps) == 1 and tried[-1] - tried[0] == len(tried) - 1:
        step = steps.pop()
        if step == 1:
            return f"from position {at[0]} to {at[-1]}"
        return f"at position {at[0]} and every {step} after it, up to {at[-1]}"
    if len(at) <= LISTED:
        return f"at positions {', '.join(map(str, at))} only"
    return (
        f"at position {at[0]} first, and at {len(at) - 1} of the {after} positions tried after it"
    )
