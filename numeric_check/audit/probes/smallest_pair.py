"""The smallest pair of positions at which a score drifts, among those that can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from numeric_check.audit.context import Context
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norms
from numeric_check.audit.probes.drift import LEAST, Drift, worst_of
from numeric_check.audit.shrinking import Pair, shrunk
from symbolic_pe.errors import AuditError

EVERY_PAIR = 256
SHOWING = 1e-6
"""A witness has at least this part of the worst drift: a difference that can be seen."""
ELEMENTS = 1 << 23
"""Every pair of positions below `EVERY_PAIR` is tried, of large groups only below fewer."""

Blocks = Callable[[str, int, npt.NDArray[np.int64]], Array]
"""F(t) or G(s) (`query`, `key`) on the groups of the i-th size, (n, groups, k, k)."""


def smallest(context: Context, failing: Sequence[Drift]) -> Drift:
    """Of every pair of small positions the first that fails; else the smallest found by descent.

    Descents begin at the failing pairs with the smallest t, lag and s. Where they end, none of
    (t − 1, s − 1), (t − 1, s), (t, s − 1) fails.
    """
    floor = SHOWING * max((d.error for d in failing if np.isfinite(d.error)), default=0.0)
    failing = [d for d in failing if d.error >= floor]
    best = min(failing, key=lambda d: d.size)
    found = _among_all(context, floor)
    if found is not None:
        return min([best, found], key=lambda d: d.size)
    starts = [d for d in failing if d.base == (d.moved[0] - d.moved[1], 0)]
    if not starts:
        return best
    chosen = {
        min(starts, key=lambda d: d.size).moved,
        min(starts, key=lambda d: (d.base[0], d.size)).moved,
        min(starts, key=lambda d: (d.moved[1], d.size)).moved,
    }
    ends = [_descended(context, pair, floor) for pair in sorted(chosen)]
    return min([best, *(d for d in ends if d is not None)], key=lambda d: d.size)


def _among_all(context: Context, floor: float) -> Drift | None:
    """The failing pair with the smallest t, and then s, of all below some position."""
    scanned = context.scan
    width = max(g.shape[1] for g in scanned.groups)
    pairs = ELEMENTS // (width * context.measured.dimension)
    end = min(EVERY_PAIR, scanned.length, int(np.sqrt(2.0 * pairs)))
    t, s = np.tril_indices(end)
    failing = np.flatnonzero(_fails(context, _of_scan(context), t, s, floor))
    if not failing.size:
        return None
    first = int(failing[0])
    return _drift(context, _of_scan(context), (int(t[first]), int(s[first])))


def _descended(context: Context, pair: Pair, floor: float) -> Drift | None:
    """From one failing pair downwards; None where calls of few positions do not show it."""
    called = pair[0] >= context.scan.length

    def blocks(pairs: Sequence[Pair]) -> Blocks:
        return _of_call(context, pairs) if called else _of_scan(context)

    def fails(pairs: Sequence[Pair]) -> npt.NDArray[np.bool_]:
        t, s = np.array(pairs).T
        return _fails(context, blocks(pairs), t, s, floor)

    try:
        if not fails([pair])[0]:
            return None
        end = shrunk(fails, pair)
        return _drift(context, blocks([end]), end)
    except AuditError:  # it does not take these positions in one call
        return None


def _of_scan(context: Context) -> Blocks:
    scanned = context.scan
    return lambda side, i, at: (scanned.query if side == "query" else scanned.key)[i][at]


def _of_call(context: Context, pairs: Sequence[Pair]) -> Blocks:
    """From one call of each side."""
    subject, measured = context.subject, context.measured
    wanted = np.unique([0, *(p for t, s in pairs for p in (t, s, t - s))])
    query = subject.matrices("query", wanted.tolist(), measured.dtype)
    key = query
    if not subject.one_map:
        key = subject.matrices("key", wanted.tolist(), measured.dtype)

    def blocks(side: str, i: int, at: npt.NDArray[np.int64]) -> Array:
        groups = measured.by_size[i]
        found = (query if side == "query" else key)[np.searchsorted(wanted, at)]
        result: Array = found[:, groups[:, :, None], groups[:, None, :]]
        return result

    return blocks


def _fails(
    context: Context,
    blocks: Blocks,
    t: npt.NDArray[np.int64],
    s: npt.NDArray[np.int64],
    floor: float,
) -> npt.NDArray[np.bool_]:
    """Whether M(t, s) is not M(t − s, 0), for arrays of pairs; what overflows does not count.

    floor  a drift that is smaller does not count either
    """
    failing = np.zeros(len(t), dtype=bool)
    for i, groups in enumerate(context.measured.by_size):
        f, g, f0 = blocks("query", i, t), blocks("key", i, s), blocks("query", i, t - s)
        g0 = blocks("key", i, np.zeros(1, dtype=np.int64))
        constants, slopes = context.losses(groups.tolist())
        with np.errstate(all="ignore"):
            error = norms(f.swapaxes(-1, -2) @ g - f0.swapaxes(-1, -2) @ g0)
            size = norms(f) * norms(g) + norms(f0) * norms(g0)
            room = 4.0 * constants + 2.0 * slopes * t[:, None]
            ratio = error / (room * np.maximum(size, LEAST))
        ratio = np.where(np.isfinite(size), np.nan_to_num(ratio, nan=np.inf), -1.0)
        failing |= ((ratio > 1.0) & ~(error < floor)).any(axis=1)
    return failing


def _drift(context: Context, blocks: Blocks, pair: Pair) -> Drift | None:
    """The worst group at one pair."""
    t, s = pair
    found: list[Drift] = []
    for i, groups in enumerate(context.measured.by_size):
        sides = [
            (blocks("query", i, np.array([a]))[0], blocks("key", i, np.array([b]))[0])
            for a, b in ((t, s), (t - s, 0))
        ]
        found += worst_of(context, ((t, s), (t - s, 0)), sides, groups)
    return max(found, key=lambda d: d.ratio, default=None)
