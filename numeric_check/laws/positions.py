"""Where a kernel is measured: positions, references, pairs, parameter values.

Small positions hide faults (a wrong layout agrees at 0, bfloat16 positions agree below 257), so
they are never the only ones. 85 and 419 are where bfloat16 and float16 angles first differ by 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from flint import fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.sampling import sample_point
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered, Undecided
from symbolic_pe.jordan.classify import real_jordan_form

STANDARD = (0, 1, 2, 85, 419, 511, 4095, 8193, 65536, 131071, 1 << 20)
NEGATIVE = (-1, -2, -85, -511, -4095, -65536, -131071, -(1 << 20))
FRACTIONAL = (0.5, 1 / 3, 1 / 64, 0.1, 12.125, 1000.7, -7.25)
REFERENCES = (85, 511, 4095, 65536, 131071, 1 << 20, -4095)
OFFSETS = (0, 1, -1, 2, 7, -7, 64, -64, 255, -255)
RANDOM_POSITIONS = 6
MAX_PAIRS = 40
APART = 1 / 37
"""Parameters of a sample point are moved by so many parts each, one more than the one before."""
NEIGHBOUR = 1e-9
MAX_PARAMETER_POINTS = 32

Number = int | float


@dataclass(frozen=True)
class Batch:
    """One call: positions that share a reference, and the pairs (i, j) taken for relativity."""

    reference: float
    positions: tuple[Number, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def displacements(self) -> tuple[fmpq, ...]:
        """t − c, exactly."""
        c = exact_number(self.reference)
        return tuple(exact_number(t) - c for t in self.positions)

    @property
    def lags(self) -> tuple[fmpq, ...]:
        """t − s for each pair, exactly."""
        exact = [exact_number(t) for t in self.positions]
        return tuple(exact[i] - exact[j] for i, j in self.pairs)

    def positions_of(self, pair: int) -> tuple[Number, Number]:
        """Query and key position of a pair."""
        i, j = self.pairs[pair]
        return self.positions[i], self.positions[j]


def batches(plan: KernelPlan, largest_rate: float, seed: int, budget: int) -> list[Batch]:
    """The calls to make; at most `budget` positions in all, the most telling first.

    Around each reference the offsets include some near the edge of the served window of each
    dtype, |offset|·max|a| just below ln(max of the dtype) − margin.
    """
    random = Random(seed)
    limit = plan.encoding.domain.max_position
    standard = [t for t in STANDARD if t <= limit]
    standard += sorted(random.sample(range(limit + 1), min(RANDOM_POSITIONS, limit + 1)))
    standard = list(dict.fromkeys([*standard, limit]))
    signed: list[Number] = [t for t in NEGATIVE if -t <= limit]
    found = [_batch(0, standard, random), _batch(0, [*FRACTIONAL, *signed], random)]
    for c in [c for c in REFERENCES if abs(c) <= limit] or [limit]:
        near = [c + o for o in (*OFFSETS, *_edges(largest_rate))]
        found.append(_batch(c, near, random))
    if plan.encoding.domain.time == "real" or plan.encoding.clock != "position":
        shift = 1000.5
        found.append(_batch(shift, [shift + f for f in FRACTIONAL], random))
    return _within(found, budget)


def _batch(reference: Number, positions: Sequence[Number], random: Random) -> Batch:
    """Neighbouring pairs, the diagonal, and a few random ones, query later than key first."""
    n = len(positions)
    pairs = [(i, i) for i in range(min(n, 2))]
    pairs += [(i + 1, i) for i in range(n - 1)] + [(i, i + 1) for i in range(min(n - 1, 4))]
    pairs += [(random.randrange(n), random.randrange(n)) for _ in range(8)]
    return Batch(float(reference), tuple(positions), tuple(dict.fromkeys(pairs))[:MAX_PAIRS])


def _edges(largest_rate: float) -> list[int]:
    """Offsets at half of each dtype's window and just inside it."""
    if largest_rate == 0.0:
        return [4095, -4095]
    edges: list[int] = []
    for format_ in FORMATS.values():
        width = window_exponent(format_) / largest_rate
        for share in (0.45, -0.9, 0.9):
            offset = int(share * width)
            if 1 < abs(offset) < 1 << 40:
                edges.append(offset)
    return list(dict.fromkeys(edges))


def _within(found: list[Batch], budget: int) -> list[Batch]:
    """The batches, shortened to equal shares when they are over the budget."""
    if sum(len(b.positions) for b in found) <= budget:
        return found
    share = max(4, budget // len(found))
    return [
        replace(
            batch,
            positions=batch.positions[:share],
            pairs=tuple(p for p in batch.pairs if max(p) < share),
        )
        for batch in found
    ]


def parameter_points(
    plan: KernelPlan, given: Sequence[Mapping[str, float]] | None
) -> tuple[Mapping[str, float], ...]:
    """Parameter values to try: one inside each case, and beside every boundary.

    On a cell where a parameter is determined (z = 1) its values ±1e-9 beside it are tried too.
    """
    if given is not None:
        return tuple(dict(p) for p in given)
    if not plan.parameters:
        return ({},)
    found: list[dict[str, float]] = []
    for generator in dict.fromkeys(id(h.generator) for h in plan.encoding.heads):
        head = next(h for h in plan.encoding.heads if id(h.generator) == generator)
        for case in real_jordan_form(head.generator).cases:
            sample = sample_point(case.cell)
            if sample is None:
                continue
            point = {name: sample[name].to_float() for name in plan.parameters}
            found.append(point)
            found.extend(_told_apart(point, head.generator.assumptions.intervals))
            determined = {*case.cell.solved, *case.cell.point_intervals()}
            found.extend(_neighbours(point, determined, head.generator.assumptions.intervals))
    points = list({tuple(sorted(p.items())): p for p in found}.values())
    if not points:
        raise NotYetCovered("no sample point of the parameters was found; give some")
    return tuple(_thinned(points))


def _told_apart(
    point: Mapping[str, float], intervals: Mapping[str, Interval]
) -> list[dict[str, float]]:
    """A point nearby where no two parameters agree and none is whole: no name passes for another.

    It may lie in another case. Left out where the assumptions about a parameter do not allow it.
    """
    moved = {
        name: value * (1.0 + APART * (i + 1)) if value else APART * (i + 1)
        for i, (name, value) in enumerate(sorted(point.items()))
    }
    allowed = all(n not in intervals or _inside(v, intervals[n]) for n, v in moved.items())
    return [moved] if allowed else []


def _neighbours(
    point: Mapping[str, float], determined: set[str], intervals: Mapping[str, Interval]
) -> list[dict[str, float]]:
    beside: list[dict[str, float]] = []
    for name in sorted(determined & set(point)):
        for step in (NEIGHBOUR, -NEIGHBOUR):
            value = point[name] + step
            interval = intervals.get(name)
            if interval is not None and not _inside(value, interval):
                continue
            beside.append({**point, name: value})
    return beside


def _inside(value: float, interval: Interval) -> bool:
    exact = Scalar.rational(exact_number(value))
    try:
        low = None if interval.low is None else (exact - interval.low).sign()
        high = None if interval.high is None else (interval.high - exact).sign()
    except Undecided:
        return False
    return (low is None or low > 0 or (low == 0 and interval.low_closed)) and (
        high is None or high > 0 or (high == 0 and interval.high_closed)
    )


def _thinned(points: list[dict[str, float]]) -> list[dict[str, float]]:
    if len(points) <= MAX_PARAMETER_POINTS:
        return points
    step = math.ceil(len(points) / MAX_PARAMETER_POINTS)
    return points[::step]
