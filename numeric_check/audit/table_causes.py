"""What explains a table that is not closed, where sines and cosines were meant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from numeric_check.audit.causes import DISTINCT, EXPLAINED, HYPOTHESES
from numeric_check.audit.libraries import Array
from numeric_check.audit.recognition import COMMON_BASES

ROWS = 4096


def table_cause(values: Array) -> str:
    """A first row of zeros, or angles whose bits are lost; "" where neither explains it."""
    rows = values[:ROWS]
    if not rows[0].any() and rows[1:].any(axis=1).all():
        least, words = _nearest(rows, 1)
        plain = f"row 0 is 0, as for padding, and the others are {words}"
        return f"{plain}: ask for positions from 1 on" if least < EXPLAINED else ""
    least, words = _nearest(rows, 0, exact=False)
    without, _ = _nearest(rows, 0)
    return words if least < EXPLAINED and least * DISTINCT < without else ""


def _nearest(rows: Array, start: int, *, exact: bool = True) -> tuple[float, str]:
    """The mean error of the sines and cosines that are nearest, and what they are."""
    t = np.arange(start, len(rows), dtype=np.float64)[:, None]
    best = (np.inf, "")
    for words, w in _ladders(rows.shape[1]):
        tries = [("", t * w)] if exact else [(f", {c}", angle(t, w)) for c, angle in HYPOTHESES]
        for more, angles in tries:
            for found in _arranged(angles):
                error = float(np.abs(found[:, : rows.shape[1]] - rows[start:]).mean())
                best = min(best, (error, f"sines and cosines of {words}{more}"))
    return best


def _ladders(d: int) -> Iterator[tuple[str, Array]]:
    half = (d + 1) // 2
    for base in COMMON_BASES:
        steps = np.arange(half, dtype=np.float64)
        yield f"{base}^(-2j/{d})", float(base) ** (-2.0 * steps / d)
        if half > 1:
            yield f"{base}^(-j/{half - 1})", float(base) ** (-steps / (half - 1))


def _arranged(angles: Array) -> Iterator[Array]:
    """Sines before cosines or after, in neighbours or in halves."""
    with np.errstate(invalid="ignore"):
        s, c = np.sin(angles), np.cos(angles)
    for pair in ((s, c), (c, s)):
        yield np.concatenate(pair, axis=1)
        yield np.stack(pair, axis=-1).reshape(len(angles), -1)
