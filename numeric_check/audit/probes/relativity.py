"""Does F(t)ᵀG(s) depend on t − s only? And does it depend on the position at all?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict, judged, undecided
from numeric_check.audit.hints import mixed_layouts
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norms
from numeric_check.audit.positions import ALONE_PAIRS, LAGS, SHIFTS, SMALL, STANDARD
from numeric_check.audit.reproduce import entry_of_score

STATEMENT = "the score depends on t - s only: F(t + c)^T G(s + c) = F(t)^T G(s)"


@dataclass(frozen=True)
class Drift:
    """How far two pairs with one lag are apart, on one group of channels."""

    moved: tuple[int, int]
    base: tuple[int, int]
    channels: tuple[int, int]
    values: tuple[float, float]
    error: float
    tolerance: float

    @property
    def ratio(self) -> float:
        """Error in units of what is allowed."""
        return self.error / self.tolerance if np.isfinite(self.error) else float("inf")

    def __str__(self) -> str:
        (t, s), (u, v), (i, j) = self.moved, self.base, self.channels
        return (
            f"channels ({i}, {j}): the score at positions ({t}, {s}) is {self.values[0]:.6g}, at "
            f"({u}, {v}) {self.values[1]:.6g}, with the same lag {t - s}; drift {self.error:.2g}"
        )


def relativity(context: Context) -> Finding:
    """The worst drift over all groups, lags and shifts; the smallest positions that show it."""
    drifts = list(_drifts(context, ((t, s) for s in SHIFTS for t in (s + lag for lag in LAGS))))
    if not drifts:
        return undecided("relative", STATEMENT, "no two pairs of positions gave finite scores")
    worst = max([*drifts, *_alone(context)], key=lambda d: d.ratio)
    detail = f"worst drift {worst.error:.1e} ({worst.tolerance:.1e} allowed) at {worst.moved}"
    witness, shown = "", worst
    if worst.ratio > 1.0:
        shown = _smallest(context, worst)
        witness = str(shown)
        hint = mixed_layouts(context.measured)
        detail = f"{hint}; {detail}" if hint else detail
        if shown is not worst:
            witness += f"; the worst is {worst.error:.2g} at positions {worst.moved}"
    return judged(
        "relative",
        STATEMENT,
        worst.error,
        worst.tolerance,
        detail=detail,
        witness=witness,
        reproduce=entry_of_score(
            context.subject,
            [shown.moved, shown.base],
            *shown.channels,
            context.measured.dtype,
        ),
        numbers={
            "drift": worst.error,
            "moved": list(worst.moved),
            "base": list(worst.base),
            "grid": _grid(context),
        },
    )


def _drifts(context: Context, pairs: Iterator[tuple[int, int]]) -> Iterator[Drift]:
    """For each pair and size of groups, the worst group."""
    measured = context.measured
    for t, s in pairs:
        if t in measured.index and s in measured.index and t - s in measured.index:
            for groups in measured.by_size:
                sides = [
                    (measured.blocks("query", a, groups), measured.blocks("key", b, groups))
                    for a, b in ((t, s), (t - s, 0))
                ]
                yield from _worst_of(context, ((t, s), (t - s, 0)), sides, groups)


def _grid(context: Context) -> list[tuple[int, int, float]]:
    """(t, s, drift in units of what is allowed), for a picture."""
    index = context.measured.index
    grid = []
    for t, s in ((t, s) for s in STANDARD for t in STANDARD if t >= s):
        if {t, s, t - s} <= index.keys():
            ratios = [d.ratio for d in _drifts(context, iter([(t, s)]))]
            if ratios:
                grid.append((t, s, min(max(ratios), 1e300)))
    return grid


def _alone(context: Context) -> Iterator[Drift]:
    """The same from calls of one position each, as decoding makes them."""
    known = context.measured.alone
    moved, *others = ALONE_PAIRS
    for base in (pair for pair in others if {*moved, *pair} <= known.keys()):
        for groups in context.measured.by_size:
            place = (groups[:, :, None], groups[:, None, :])
            sides = [(known[t][0][place], known[s][1][place]) for t, s in (moved, base)]
            yield from _worst_of(context, (moved, base), sides, groups)


def _worst_of(
    context: Context,
    pairs: tuple[tuple[int, int], tuple[int, int]],
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


def _smallest(context: Context, worst: Drift) -> Drift:
    """The failing pair with the smallest positions among the small ones, else the worst."""
    small = [(s + lag, s) for s in SMALL[1:] for lag in SMALL if s + lag in context.measured.index]
    for pair in sorted(small, key=lambda p: (sum(p), p)):
        failing = [d for d in _drifts(context, iter([pair])) if d.ratio > 1.0]
        if failing:
            return max(failing, key=lambda d: d.error)
    every = _drifts(context, ((s + lag, s) for s in SHIFTS for lag in LAGS))
    return min((d for d in every if d.ratio > 1.0), key=lambda d: sum(d.moved), default=worst)


def dependence(context: Context) -> Finding:
    """Whether anything moves with the position; a layer that ignores it passes every other law."""
    measured = context.measured
    statement = "the result depends on the position"
    wanted = context.declared is None or any(
        not x.is_zero() for row in context.declared.heads[0].generator.matrix for x in row
    )
    still = [
        side
        for side, matrices in (("query", measured.query), ("key", measured.key))
        if all(np.array_equal(m, matrices[0]) for m in matrices[measured.finite])
    ]
    if not still:
        return Finding(
            "position", Verdict.CONSISTENT, statement, "queries and keys both depend on it"
        )
    sides = " and ".join(still)
    if not wanted:
        return Finding(
            "position", Verdict.CONSISTENT, statement, "nothing depends on it, as declared"
        )
    return Finding(
        "position",
        Verdict.REFUTED,
        statement,
        f"the {sides} map gives the same result at every position from 0 to {measured.reach}",
        f"the {sides} map at positions 0 and {measured.reach}: equal in every entry",
        reproduce=entry_of_score(
            context.subject, [(0, 0), (measured.reach, 0)], 0, 0, measured.dtype
        ),
    )
