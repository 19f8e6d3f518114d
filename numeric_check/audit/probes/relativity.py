"""Does F(t)ᵀG(s) depend on t − s only? And does it depend on the position at all?

At every position s of a scan the lags 0 and 1 are judged. That alone is the law up to rounding:
M(s, s) = M(0, 0) gives G(s) from F(s), and M(s + 1, s) = M(1, 0) then gives F(s + 1) from F(s).
Longer lags at every s, and the grid of far positions, catch what drifts too slowly for one step.
A scan of every few positions is judged alike, its step being the unit of lags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.hints import looks_like
from numeric_check.audit.libraries import Array
from numeric_check.audit.positions import ALONE_PAIRS, LAGS, SHIFTS, STANDARD
from numeric_check.audit.probes.drift import LEAST, Drift, worst_of
from numeric_check.audit.probes.showing import score_line
from numeric_check.audit.probes.smallest_pair import smallest
from numeric_check.audit.reproduce.images import entry_of_score
from numeric_check.audit.scan import Scan, Tested, tested
from numeric_check.audit.shrinking import Pair

SCAN_LAGS = (0, 1, 7, 85, 511, 4095, 32768)
"""In steps of a scan."""
BLOCKS = 1 << 17
"""Blocks of one lag; of longer scans not every position is judged for lags beyond 1."""


def relativity(context: Context) -> Finding:
    """The worst drift over all groups, lags and shifts; the smallest pair that shows it."""
    if not context.measured.finite.any():
        return questions.RELATIVE.undecided("no result is finite")
    grid = {p: list(_drifts(context, [p])) for p in _far_pairs()}
    near = [(s + lag, s) for s in SHIFTS for lag in LAGS]
    near += [pair for odd in context.odd for pair in _beside(odd.position)]
    drifts = [*_drifts(context, near), *(d for found in grid.values() for d in found)]
    alone = list(_alone(context))
    scanned = [d for of_step in context.scans for d in _scanned(of_step, context)]
    if not drifts and not scanned:
        return questions.RELATIVE.undecided("no two pairs of positions gave finite scores")
    every = [*drifts, *alone, *scanned]
    worst = max(every, key=lambda d: d.ratio)
    detail = f"worst drift {worst.error:.1e} ({worst.tolerance:.1e} allowed) at {worst.moved}"
    witness, line, hint = "", "", ""
    if worst.ratio > 1.0:
        shown = smallest(context, [d for d in every if d.ratio > 1.0])
        witness = str(shown)
        hint = context.explanation or looks_like(context.measured)
        detail = f"{hint}; {detail}" if hint else detail
        if shown.moved != worst.moved:
            witness += f"; the worst is {worst.error:.2g} at positions {worst.moved}"
        line = score_line(
            context,
            [shown.base, shown.moved],
            shown.channels,
            lambda values: not abs(values[0] - values[1]) <= 0.5 * shown.tolerance,
            shown.values[::-1],
        )
    return questions.RELATIVE.judged(
        worst.error,
        worst.tolerance,
        detail=detail,
        witness=witness,
        reproduce=line,
        numbers={
            "drift": worst.error,
            "moved": list(worst.moved),
            "base": list(worst.base),
            "scanned": context.scan.length,
            **({"cause": hint} if hint else {}),
            "grid": [
                (t, s, min(max(d.ratio for d in found), 1e300))
                for (t, s), found in grid.items()
                if found
            ],
        },
    )


def _far_pairs() -> list[Pair]:
    return [(t, s) for s in STANDARD for t in STANDARD if t >= s]


def _beside(p: int) -> list[Pair]:
    """Pairs that show a fault at one position of the queries or of the keys."""
    return [pair for pair in ((p, 1), (p, p), (p, p - 1), (p + 1, p)) if min(pair) >= 0]


def _drifts(context: Context, pairs: Sequence[Pair]) -> Iterator[Drift]:
    """For each measured pair and size of groups, the worst group."""
    measured = context.measured
    for t, s in pairs:
        if t in measured.index and s in measured.index and t - s in measured.index:
            for groups in measured.by_size:
                sides = [
                    (measured.blocks("query", a, groups), measured.blocks("key", b, groups))
                    for a, b in ((t, s), (t - s, 0))
                ]
                yield from worst_of(context, ((t, s), (t - s, 0)), sides, groups)


def _alone(context: Context) -> Iterator[Drift]:
    """The same from calls of one position each, as decoding makes them."""
    known = context.measured.alone
    moved, *others = ALONE_PAIRS
    for base in (pair for pair in others if {*moved, *pair} <= known.keys()):
        for groups in context.measured.by_size:
            place = (groups[:, :, None], groups[:, None, :])
            sides = [(known[t][0][place], known[s][1][place]) for t, s in (moved, base)]
            yield from worst_of(context, (moved, base), sides, groups)


def _scanned(scan: Scan, context: Context) -> Iterator[Drift]:
    """For each lag and size of groups, the worst position of a scan, and the first that fails."""
    for size, groups in enumerate(scan.groups):
        query, key = scan.query[size], scan.key[size]
        quick = tested(query, key)
        losses = context.losses(groups.tolist())
        for lag in (k for k in SCAN_LAGS if k < scan.length):
            count = scan.length - lag
            every = 1 if lag <= 1 else max(1, count * len(groups) // BLOCKS)
            at = np.arange(0, count, every)
            ratio = _ratios(quick, losses, at, lag, scan.step)
            rows = {int(ratio.argmax())}
            failing = np.flatnonzero(ratio > 1.0)
            if failing.size:
                rows.add(int(failing[0]))
            for s in (int(at[row]) for row in rows):
                sides = [(query[s + lag], key[s]), (query[lag], key[0])]
                pairs = ((s + lag) * scan.step, s * scan.step), (lag * scan.step, 0)
                yield from worst_of(context, pairs, sides, groups)


def _ratios(
    quick: Tested,
    losses: tuple[Array, Array],
    at: npt.NDArray[np.int64],
    lag: int,
    step: int,
) -> Array:
    """The worst drift over the groups in units of what is allowed; −1 where it is not finite."""
    constants, slopes = losses
    scores = quick.scores(lag, at)
    with np.errstate(all="ignore"):
        size = quick.query_norms[at + lag] * quick.key_norms[at]
        size = size + size[:1]
        room = 4.0 * constants + 2.0 * slopes * step * (at[:, None] + lag)
        error = np.abs(scores - scores[:, :1]).max(axis=0)
        ratio = np.nan_to_num(error / (room * np.maximum(size, LEAST)), nan=np.inf)
    result: Array = np.where(np.isfinite(size), ratio, -1.0).max(axis=1)
    return result


# -- the position counts ----------------------------------------------------------------------


def dependence(context: Context) -> Finding:
    """Whether anything moves with the position; a layer that ignores it passes every other law."""
    measured, asked = context.measured, questions.POSITION
    wanted = context.declared is None or any(
        not x.is_zero() for row in context.declared.heads[0].generator.matrix for x in row
    )
    if not measured.finite.any():
        return asked.undecided("no result is finite")
    still = [
        side
        for side, matrices in (("query", measured.query), ("key", measured.key))
        if all(np.array_equal(m, matrices[0]) for m in matrices[measured.finite])
    ]
    if not still:
        return asked.consistent("queries and keys both depend on it")
    sides = " and ".join(still)
    if not wanted:
        return asked.consistent("nothing depends on it, as declared")
    return asked.refuted(
        f"the {sides} map gives the same result at every position from 0 to {measured.reach}",
        f"the {sides} map at positions 0 and {measured.reach}: equal in every entry",
        entry_of_score(context.subject, [(0, 0), (measured.reach, 0)], 0, 0, measured.dtype),
    )
