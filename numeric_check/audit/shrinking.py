"""From a pair of positions that fails to one from which every step towards smaller ones holds.

A pair (t, s), t ≥ s, fails when it is not what (t − s, 0) is. Three lines lead from it to smaller
pairs: with its lag, (t − k, s − k); with its key, (t − k, s); with its query, (t, s − k). Each is
descended to the smallest failure that is seen, again and again, until no line goes on. What is left
is locally minimal: none of (t − 1, s − 1), (t − 1, s), (t, s − 1) fails. A smaller pair that fails
may exist elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from numeric_check.audit.extent import narrowed

Pair = tuple[int, int]
FailingPairs = Callable[[Sequence[Pair]], npt.NDArray[np.bool_]]
"""Which of some pairs (t, s) fail; those of lag 0 from 0 on are always asked with t ≥ s ≥ 0."""


def shrunk(fails: FailingPairs, pair: Pair) -> Pair:
    """A locally minimal failing pair below a failing one (t, s), t ≥ s.

    >>> shrunk(lambda pairs: np.array([t >= 40000 and s > 0 for t, s in pairs]), (65536, 8193))
    (40000, 1)
    """
    t, s = pair
    while True:
        before = (t, s)
        lag = t - s
        s = _least(fails, lambda k, lag=lag: (lag + k, k), s)  # type: ignore[misc]
        lag = _least(fails, lambda k, s=s: (s + k, s), lag)  # type: ignore[misc]
        t = s + lag
        s = _least(fails, lambda k, t=t: (t, k), s)  # type: ignore[misc]
        if (t, s) == before:
            return before


def _least(fails: FailingPairs, line: Callable[[int], Pair], high: int) -> int:
    """The smallest failure on a line that is seen, from 0 to `high`, which fails."""
    if high == 0 or fails([line(0)])[0]:
        return 0
    return narrowed(lambda ks: fails([line(k) for k in ks]), 0, high)
