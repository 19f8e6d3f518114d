"""A bias at every pair of small positions, and at a grid of far ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from numeric_check.audit.arithmetic import significant_bits
from numeric_check.audit.libraries import Array
from numeric_check.audit.positions import (
    LATTICE,
    LONG_LAGS,
    LONG_STARTS,
    beginnings,
    with_neighbours,
)
from numeric_check.audit.subject import BiasSubject
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.errors import AuditError

NEAR = 384
"""Every pair of positions below is judged."""
FAR = (419, 420, 511, 4095, 4096, 8193, 65536, 131071)
SHORTER = (4096, 1024, 256, 64, 16)
BLOCK = 64
"""Rows of one block on the diagonal."""
MANY, FEW = 0.1, 12
"""More than a tenth of all lags are no exception, and more than these make no line."""
ROUNDINGS = 8.0
"""Half-units of the largest value that a slope, a product and a difference may lose."""


@dataclass(frozen=True)
class MeasuredBias:
    """The bias (heads, n, m) at positions on both sides, and what its format may lose.

    judged  which entries count: not masked, and of the causal half if only that is asked for
    room    what two entries of one lag may differ by, as if they were in float32 or finer
    unit    unit roundoff of the coarsest format that holds every entry
    column  b(t, 0) − b(t, t) at every t (heads, n), where it was asked for
    """

    positions: tuple[int, ...]
    values: Array
    judged: npt.NDArray[np.bool_]
    room: float
    unit: float
    column: Array | None = None

    @cached_property
    def rowless(self) -> Array:
        """b(t, s) − b(t, t), or b(t, s) in rows whose own position is masked."""
        return without_rows(self.values)

    def rooms(self) -> Array:
        """What each entry may lose: roundings of itself, and of slope·t and slope·s before."""
        return self.rooms_at(self.positions, self.values)

    def losses(self, sizes: Array, farther: int) -> Array:
        """What entries of these sizes (heads, n) may lose at positions up to `farther`."""
        finest = min(self.unit, FORMATS["float32"].unit_roundoff)
        kept = np.where(np.isfinite(sizes), sizes, 0.0)
        result: Array = 2.0 * ROUNDINGS * finest * (self._slopes[:, None] * farther + kept)
        return result + 2.0**-100

    def rooms_at(self, positions: Sequence[int], values: Array) -> Array:
        """The same for values at other positions."""
        at = np.array(positions, dtype=np.float64)
        farther = np.maximum(at[:, None], at[None])
        finest = min(self.unit, FORMATS["float32"].unit_roundoff)
        sizes = np.where(np.isfinite(values), np.abs(values), 0.0)
        scale = self._slopes[:, None, None] * farther + sizes
        result: Array = 2.0 * ROUNDINGS * finest * scale + 2.0**-100
        return result

    @cached_property
    def _slopes(self) -> Array:
        """The largest |b(t, s) − b(t, t)| / |t − s| of each head."""
        at = np.array(self.positions, dtype=np.float64)
        lags = np.maximum(np.abs(at[:, None] - at[None]), 1.0)
        sizes = np.where(self.judged, np.abs(self.rowless), 0.0)
        result: Array = (sizes / lags).max(axis=(1, 2), initial=0.0)
        return result


def without_rows(values: Array) -> Array:
    """b(t, s) − b(t, t), or b(t, s) in rows whose own position is masked."""
    diagonal = np.einsum("hnn->hn", values)
    diagonal = np.where(np.isfinite(diagonal), diagonal, 0.0)
    with np.errstate(all="ignore"):
        result: Array = values - diagonal[:, :, None]
    return result


def asked_positions() -> list[int]:
    """With the lags between far ones, so that each has a pair (lag, 0) beside it."""
    far = (0, 1, 2, 85, *FAR)
    between = {t - s for t in far for s in far if t >= s}
    long = {s + lag for s in (0, *LONG_STARTS) for lag in LONG_LAGS} | set(LONG_STARTS)
    return sorted({*range(NEAR), *far, *between, *long, *LATTICE})


def measure_bias(subject: BiasSubject) -> MeasuredBias:
    """Call it at as many positions as it takes, and once more where one row or one column is odd.

    Raises `AuditError`.
    """
    found = _measured(subject, asked_positions())
    odd, column = _odd(subject, found)
    if odd:
        wanted = {*asked_positions(), *with_neighbours(odd, found.positions[-1])}
        found = _measured(subject, sorted(wanted))
    return replace(found, column=column)


def _measured(subject: BiasSubject, wanted: Sequence[int]) -> MeasuredBias:
    problem = ""
    for limit in (wanted[-1], *SHORTER):
        positions = tuple(p for p in wanted if p <= limit)
        try:
            values = subject.apply(positions, positions)
        except AuditError as error:
            problem = problem or str(error)
            continue
        t, s = np.array(positions)[:, None], np.array(positions)[None]
        seen = np.asarray(np.isfinite(values).all(axis=0))
        if subject.causal:
            seen &= s <= t
        finite = values[:, seen]
        bits = significant_bits(finite)
        unit = next(
            f.unit_roundoff
            for f in sorted(FORMATS.values(), key=lambda f: f.precision)
            if bits <= f.precision
        )
        finest = min(unit, FORMATS["float32"].unit_roundoff)
        room = ROUNDINGS * finest * float(np.abs(finite).max(initial=0.0))
        return MeasuredBias(positions, values, seen, room, unit)
    raise AuditError(f"{subject.name}: {problem}")


def _odd(subject: BiasSubject, measured: MeasuredBias) -> tuple[list[int], Array | None]:
    """Positions at which the column of key 0 and the row of the last query do not agree.

    Every query t is asked for beside key 0 and every key s beside the last query T: the entries
    (t, 0) and (T, T − t) have one lag. Where rows have constants of their own, each b(t, t) is
    taken off first, and at odd positions in any case. Beside these positions, the column without
    constants.
    """
    last = measured.positions[-1]
    every = range(last + 1)
    try:
        column = subject.apply(every, [0])[:, :, 0]
        row = subject.apply([last], every)[:, 0, ::-1]
        start = np.where(np.isfinite(column[:, :1]), column[:, :1], 0.0)
        failing = _apart(measured, column, row, last)
        if failing.mean() <= MANY:
            places = np.flatnonzero(failing)
            column[:, places] += start - _diagonal(subject, places)
        else:
            own = _diagonal(subject, range(last + 1))
            column, row, start = column - own, row - own[:, -1:], 0.0 * start
            failing = _apart(measured, column, row, last)
    except AuditError:  # it does not take so many
        return [], None
    if failing.mean() > MANY:  # another question has the answer
        return [], None
    at = beginnings(failing)
    return [*at, *(last - t for t in at)], column - start


def _apart(measured: MeasuredBias, column: Array, row: Array, last: int) -> npt.NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        gap = np.abs(column - row)
        sizes = np.maximum(np.abs(column), np.abs(row))
    gap = np.where(column == row, 0.0, np.where(np.isnan(gap), np.inf, gap))
    return np.asarray((gap > 2.0 * measured.losses(sizes, last)).any(axis=0))


def _diagonal(subject: BiasSubject, places: Sequence[int] | npt.NDArray[np.intp]) -> Array:
    """b(t, t) at these t, (heads, n), from blocks on the diagonal."""
    if not len(places):
        return np.zeros((1, 0))
    parts = []
    for first in range(0, len(places), BLOCK):
        block = [int(t) for t in places[first : first + BLOCK]]
        parts.append(np.einsum("hnn->hn", subject.apply(block, block)))
    own = np.concatenate(parts, axis=1)
    return np.where(np.isfinite(own), own, 0.0)
