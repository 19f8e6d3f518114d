"""Matrices over pairs of positions: which entries with one lag differ, and the smallest that do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit.libraries import Array
from numeric_check.audit.shrinking import Pair, shrunk
from symbolic_pe.errors import AuditError


@dataclass(frozen=True)
class Entry:
    """An entry of a head, beside the first one with its lag."""

    head: int
    pair: tuple[int, int]
    base: tuple[int, int]
    values: tuple[float, float]
    error: float
    tolerance: float

    @property
    def ratio(self) -> float:
        """Error in units of what is allowed."""
        return self.error / self.tolerance if np.isfinite(self.error) else float("inf")

    @property
    def size(self) -> tuple[int, tuple[int, int]]:
        """Smaller pairs are better witnesses."""
        return sum(self.pair), self.pair


def drifts(
    values: Array,
    positions: Sequence[int],
    room: Array,
    judged: npt.NDArray[np.bool_] | None = None,
) -> tuple[Entry | None, Entry | None]:
    """The worst entry and the smallest failing one of (heads, n, n), against the first of its lag.

    The first of a lag is the judged entry with the smallest positions; positions ascend. Entries
    that are equal infinities agree; NaN agrees with nothing.
    """
    usable, base, at = _bases(values, positions, judged)
    if not usable.any():
        return None, None
    first = values[:, base[0], base[1]]
    error = _gaps(values[:, at[0], at[1]], first)
    allowed = np.maximum(np.broadcast_to(room, values.shape)[:, at[0], at[1]], 2.0**-1000)
    ratio = np.nan_to_num(error / allowed, nan=np.inf, posinf=np.inf)

    def entry(head: int, place: int) -> Entry:
        i, j, u, v = (int(x[place]) for x in (*at, *base))
        pair, of_base = (positions[i], positions[j]), (positions[u], positions[v])
        shown = float(values[head, i, j]), float(values[head, u, v])
        return Entry(
            head, pair, of_base, shown, float(error[head, place]), float(allowed[head, place])
        )

    head, place = (int(x) for x in np.unravel_index(int(ratio.argmax()), ratio.shape))
    worst = entry(head, place)
    if worst.ratio <= 1.0:
        return worst, None
    p = np.array(positions)
    failing = np.flatnonzero((ratio > 1.0).any(axis=0))
    total = p[at[0][failing]] + p[at[1][failing]]
    smallest = int(failing[np.lexsort((p[at[0][failing]], total))[0]])
    return worst, entry(int(ratio[:, smallest].argmax()), smallest)


def shrunk_entry(shown: Entry, call: Callable[[Sequence[int]], tuple[Array, Array]]) -> Entry:
    """A locally minimal failing entry below one that fails (see `shrinking`).

    call  values (heads, n, n) at n positions on both sides, and what each entry may lose
    """
    (t, s), forward = shown.pair, shown.pair[0] >= shown.pair[1]
    if shown.base != ((t - s, 0) if forward else (0, s - t)):
        return shown

    def entries(pairs: Sequence[Pair]) -> list[Entry]:
        wanted = sorted({0, *(p for t, s in pairs for p in (t, s, t - s))})
        index = {p: i for i, p in enumerate(wanted)}
        values, room = call(wanted)
        room = np.maximum(np.broadcast_to(room, values.shape), 2.0**-1000)
        found = []
        for t, s in pairs:
            there, base = ((t, s), (t - s, 0)) if forward else ((s, t), (0, t - s))
            (i, j), (u, v) = ((index[a], index[b]) for a, b in (there, base))
            error = _gaps(values[:, i, j], values[:, u, v])
            head = int((error / room[:, i, j]).argmax())
            shown = float(values[head, i, j]), float(values[head, u, v])
            found.append(
                Entry(head, there, base, shown, float(error[head]), float(room[head, i, j]))
            )
        return found

    def fails(pairs: Sequence[Pair]) -> npt.NDArray[np.bool_]:
        return np.array([e.ratio > 1.0 for e in entries(pairs)])

    start = (max(t, s), min(t, s))
    try:
        return entries([shrunk(fails, start)])[0] if fails([start])[0] else shown
    except AuditError:  # it does not take these positions in one call
        return shown


Places = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def _bases(
    values: Array, positions: Sequence[int], judged: npt.NDArray[np.bool_] | None
) -> tuple[npt.NDArray[np.bool_], Places, Places]:
    """What is judged; the places of bases, and of the other entries with their lag."""
    p = np.array(positions)
    n = len(p)
    usable = np.ones((n, n), dtype=bool) if judged is None else judged
    i, j = np.nonzero(usable)
    order = np.lexsort((p[i], p[i] + p[j]))
    i, j = i[order], j[order]
    _, first, inverse = np.unique(p[i] - p[j], return_index=True, return_inverse=True)
    base = first[inverse]
    other = base != np.arange(len(i))
    return usable, (i[base][other], j[base][other]), (i[other], j[other])


def _gaps(values: Array, others: Array) -> Array:
    with np.errstate(all="ignore"):
        gap = np.abs(values - others)
    return np.where(values == others, 0.0, np.where(np.isnan(gap), np.inf, gap))


def heat(
    values: Array, positions: Sequence[int], room: Array, shown: Sequence[int]
) -> list[tuple[int, int, float]]:
    """(t, s, drift from (t − s, 0) in units of what is allowed) over shown positions, t ≥ s."""
    index = {p: i for i, p in enumerate(positions)}
    allowed = np.broadcast_to(room, values.shape)
    grid = []
    for t in shown:
        for s in (s for s in shown if s <= t):
            if not {t, s, t - s, 0} <= index.keys():
                continue
            here = values[:, index[t], index[s]]
            gap = _gaps(here, values[:, index[t - s], index[0]])
            ratio = gap / np.maximum(allowed[:, index[t], index[s]], 2.0**-1000)
            if np.isfinite(here).all():
                grid.append((t, s, min(float(ratio.max()), 1e300)))
    return grid
