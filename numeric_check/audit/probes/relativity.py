"""Does F(t)ᵀG(s) depend on t − s only? And does it depend on the position at all?

At every position s of a scan the lags 0 and 1 are judged. That alone is the law up to rounding:
M(s, s) = M(0, 0) gives G(s) from F(s), and M(s + 1, s) = M(1, 0) then gives F(s + 1) from F(s).
Longer lags at every s, and the grid of far positions, catch what drifts too slowly for one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.extent import narrowed
from numeric_check.audit.finding import Finding
from numeric_check.audit.hints import mixed_layouts
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norms
from numeric_check.audit.positions import ALONE_PAIRS, LAGS, SHIFTS, SMALL, STANDARD
from numeric_check.audit.probes.showing import score_line
from numeric_check.audit.reproduce import entry_of_score
from numeric_check.audit.scan import Scan, Tested, tested
from symbolic_pe.errors import AuditError

SCAN_LAGS = (0, 1, 7, 85, 511, 4095, 32768)
SHORT = 64
"""All lags below it are tried in search of the smallest pair that fails."""
NARROWED = 3
"""Failing pairs from which a smaller one is looked for: smallest in all, in the lag, in s."""
BLOCKS = 1 << 17
"""Blocks of one lag; of longer scans not every position is judged for lags beyond 1."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class Drift:
    """How far two pairs with one lag are apart, on one group of channels."""

    moved: Pair
    base: Pair
    channels: tuple[int, int]
    values: tuple[float, float]
    error: float
    tolerance: float
    calls: tuple[int, ...] = ()

    @property
    def ratio(self) -> float:
        """Error in units of what is allowed."""
        return self.error / self.tolerance if np.isfinite(self.error) else float("inf")

    @property
    def size(self) -> tuple[int, Pair]:
        """Smaller pairs are better witnesses."""
        return sum(self.moved) + sum(self.base), self.moved

    def __str__(self) -> str:
        (t, s), (u, v), (i, j) = self.moved, self.base, self.channels
        return (
            f"channels ({i}, {j}): the score at positions ({t}, {s}) is {self.values[0]:.6g}, at "
            f"({u}, {v}) {self.values[1]:.6g}, with the same lag {t - s}; drift {self.error:.2g}"
        )


def relativity(context: Context) -> Finding:
    """The worst drift over all groups, lags and shifts; the smallest pair that shows it."""
    grid = {p: list(_drifts(context, [p])) for p in _far_pairs()}
    near = [(s + lag, s) for s in SHIFTS for lag in LAGS]
    drifts = [*_drifts(context, near), *(d for found in grid.values() for d in found)]
    alone = list(_alone(context))
    scanned = list(_scanned(context.scan, context))
    if not drifts and not scanned:
        return questions.RELATIVE.undecided("no two pairs of positions gave finite scores")
    every = [*drifts, *alone, *scanned]
    worst = max(every, key=lambda d: d.ratio)
    detail = f"worst drift {worst.error:.1e} ({worst.tolerance:.1e} allowed) at {worst.moved}"
    witness, line = "", ""
    if worst.ratio > 1.0:
        shown = _smallest(context, [d for d in every if d.ratio > 1.0])
        witness = str(shown)
        hint = mixed_layouts(context.measured)
        detail = f"{hint}; {detail}" if hint else detail
        if shown.moved != worst.moved:
            witness += f"; the worst is {worst.error:.2g} at positions {worst.moved}"
        line = score_line(
            context,
            [shown.base, shown.moved],
            shown.channels,
            lambda values: not abs(values[0] - values[1]) <= 0.5 * shown.tolerance,
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
            "grid": [
                (t, s, min(max(d.ratio for d in found), 1e300))
                for (t, s), found in grid.items()
                if found
            ],
        },
    )


def _far_pairs() -> list[Pair]:
    return [(t, s) for s in STANDARD for t in STANDARD if t >= s]


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
                yield from _worst_of(context, ((t, s), (t - s, 0)), sides, groups)


def _alone(context: Context) -> Iterator[Drift]:
    """The same from calls of one position each, as decoding makes them."""
    known = context.measured.alone
    moved, *others = ALONE_PAIRS
    for base in (pair for pair in others if {*moved, *pair} <= known.keys()):
        for groups in context.measured.by_size:
            place = (groups[:, :, None], groups[:, None, :])
            sides = [(known[t][0][place], known[s][1][place]) for t, s in (moved, base)]
            yield from _worst_of(context, (moved, base), sides, groups)


def _scanned(scan: Scan, context: Context, lags: Sequence[int] = SCAN_LAGS) -> Iterator[Drift]:
    """For each lag and size of groups, the worst position of a scan, and the first that fails."""
    for size, groups in enumerate(scan.groups):
        query, key = scan.query[size], scan.key[size]
        quick = tested(query, key)
        losses = context.losses(groups.tolist())
        for lag in (k for k in lags if k < scan.length):
            count = scan.length - lag
            step = 1 if lag <= 1 else max(1, count * len(groups) // BLOCKS)
            at = np.arange(0, count, step)
            ratio = _ratios(quick, losses, at, lag)
            rows = {int(ratio.argmax())}
            failing = np.flatnonzero(ratio > 1.0)
            if failing.size:
                rows.add(int(failing[0]))
            for s in (int(at[row]) for row in rows):
                sides = [(query[s + lag], key[s]), (query[lag], key[0])]
                yield from _worst_of(context, ((s + lag, s), (lag, 0)), sides, groups)


def _ratios(
    quick: Tested, losses: tuple[Array, Array], at: npt.NDArray[np.int64], lag: int
) -> Array:
    """The worst drift over the groups in units of what is allowed; −1 where it is not finite."""
    constants, slopes = losses
    scores = quick.scores(lag, at)
    with np.errstate(all="ignore"):
        size = quick.query_norms[at + lag] * quick.key_norms[at]
        size = size + size[:1]
        room = 4.0 * constants + 2.0 * slopes * (at[:, None] + lag)
        error = np.abs(scores - scores[:, :1]).max(axis=0)
        ratio = np.nan_to_num(error / (room * np.maximum(size, 2.0**-100)), nan=np.inf)
    result: Array = np.where(np.isfinite(size), ratio, -1.0).max(axis=1)
    return result


def _worst_of(
    context: Context,
    pairs: tuple[Pair, Pair],
    sides: Sequence[tuple[Array, Array]],
    groups: npt.NDArray[np.int64],
) -> Iterator[Drift]:
    """The group that drifts most; groups that overflow are another question."""
    with np.errstate(all="ignore"):
        there, here = (np.swapaxes(f, 1, 2) @ g for f, g in sides)
        size = sum(norms(f) * norms(g) for f, g in sides)
        error = norms(there - here)
    allowed = np.array([context.tolerance(g, *pairs[0], *pairs[1]) for g in groups.tolist()])
    allowed = allowed * np.maximum(size, 2.0**-100)
    ratio = np.where(np.isfinite(size), np.nan_to_num(error / allowed, nan=np.inf), -1.0)
    worst = int(ratio.argmax())
    if ratio[worst] < 0:
        return
    gap = np.abs(there[worst] - here[worst])
    i, j = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    channels = int(groups[worst][i]), int(groups[worst][j])
    values = float(there[worst, i, j]), float(here[worst, i, j])
    yield Drift(*pairs, channels, values, float(error[worst]), float(allowed[worst]))


# -- the smallest pair that fails -------------------------------------------------------------


def _smallest(context: Context, failing: Sequence[Drift]) -> Drift:
    """Of what fails, the pair with the smallest positions: searched in the scan, then narrowed."""
    best = min(failing, key=lambda d: d.size)
    if best.moved[0] < context.scan.length:
        short = [d for d in _scanned(context.scan, context, range(SHORT)) if d.ratio > 1.0]
        small = [(s + k, s) for s in SMALL[1:] for k in SMALL]
        short += [d for d in _drifts(context, small) if d.ratio > 1.0]
        return min([best, *short], key=lambda d: d.size)
    try:
        every = list({d.moved: d for d in failing}.values())
        tried = [
            *sorted(every, key=lambda d: d.size)[:NARROWED],
            *sorted(every, key=lambda d: (d.base[0], d.size))[:NARROWED],
            *sorted(every, key=lambda d: (d.moved[1], d.size))[:NARROWED],
        ]
        return min((_narrowed(context, d) for d in tried), key=lambda d: d.size)
    except AuditError:  # it does not take these positions in one call
        return best


def _narrowed(context: Context, drift: Drift) -> Drift:
    """First the smallest shift with this lag, then the smallest lag at this shift."""
    t, s = drift.moved
    lag = t - s
    if drift.base[1] != 0 or s == 0:
        return drift

    def fails(shifts: Sequence[int], lags: Sequence[int]) -> npt.NDArray[np.bool_]:
        pairs = [(s + k, s) for s, k in zip(shifts, lags, strict=True)]
        found = _called(context, pairs)
        return np.array([d is not None and d.ratio > 1.0 for d in found])

    if not fails([s], [lag])[0]:
        return drift
    s = narrowed(lambda ss: fails(ss, [lag] * len(ss)), 0, s)
    if lag > 0 and not fails([s], [0])[0]:
        lag = narrowed(lambda ks: fails([s] * len(ks), ks), 0, lag)
    elif lag > 0:
        lag = 0
    return _called(context, [(s + lag, s)])[0] or drift


def _called(context: Context, pairs: Sequence[Pair]) -> list[Drift | None]:
    """Drifts of any pairs, from one call of each side."""
    subject, dtype = context.subject, context.measured.dtype
    wanted = sorted({0, *(p for t, s in pairs for p in (t, s, t - s))})
    index = {p: i for i, p in enumerate(wanted)}
    query = subject.matrices("query", wanted, dtype)
    key = query if subject.one_map else subject.matrices("key", wanted, dtype)
    found: list[Drift | None] = []
    for t, s in pairs:
        drifts: list[Drift] = []
        for groups in context.measured.by_size:
            place = (groups[:, :, None], groups[:, None, :])
            sides = [
                (query[index[a]][place], key[index[b]][place]) for a, b in ((t, s), (t - s, 0))
            ]
            drifts += _worst_of(context, ((t, s), (t - s, 0)), sides, groups)
        found.append(max(drifts, key=lambda d: d.ratio, default=None))
    return found


# -- the position counts ----------------------------------------------------------------------


def dependence(context: Context) -> Finding:
    """Whether anything moves with the position; a layer that ignores it passes every other law."""
    measured, asked = context.measured, questions.POSITION
    wanted = context.declared is None or any(
        not x.is_zero() for row in context.declared.heads[0].generator.matrix for x in row
    )
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
