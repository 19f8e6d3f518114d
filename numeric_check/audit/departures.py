"""A recovered generator against the positions of all runs: where exp(tX̂) first fails, and how far.

What was measured to find X̂ are some two hundred positions; a fault between them is found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from numeric_check.audit.extent import extent, narrowed
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import exponentials, norms, plane_exponentials
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.recovery import SAFETY, SMALLEST, Departure, Part, Recovered
from numeric_check.audit.scan import Scan
from numeric_check.audit.subject import MapSubject
from symbolic_pe.errors import AuditError

FEW = 64
"""For groups that are no planes: so many positions from 0 on, and so many beyond."""


def confirmed(
    recovered: Recovered, scans: Sequence[Scan], measured: Measurement, subject: MapSubject
) -> Recovered:
    """The same with departures at the smallest position that is seen to fail."""
    parts = [_confirmed(p, recovered, scans, measured, subject) for p in recovered.parts]
    return replace(recovered, parts=tuple(parts))


def _confirmed(
    part: Part,
    recovered: Recovered,
    scans: Sequence[Scan],
    measured: Measurement,
    subject: MapSubject,
) -> Part:
    near = scans[0].length
    tried, seen = _operators(part, scans[0])
    failing = _failing(part, recovered, tried, seen)
    if failing.any():
        place = int(np.flatnonzero(failing)[0])
        found = _departure(part, recovered, tried[place], seen[place])
        return replace(part, departure=replace(found, extent=extent(tried, failing)))
    if part.departure is not None and part.departure.position < near:
        return part
    positions = [p for p in measured.positions if p >= near]
    blocks = _measured(part, measured, positions)
    for scanned in scans[1:]:
        places, operators = _operators(part, scanned)
        positions += places
        blocks = np.concatenate([blocks, operators])
    _, first = np.unique(positions, return_index=True)
    order = [int(i) for i in first if positions[i] >= near]
    far = [positions[i] for i in order]
    return _beyond(part, recovered, (near - 1, far, blocks[order]), measured, subject)


def _operators(part: Part, scanned: Scan) -> tuple[list[int], Array]:
    """Positions and B(t) = F(t)ᵀG(0)·(F(0)ᵀG(0))⁻¹ on a group."""
    k = len(part.channels)
    for groups, query, key in zip(scanned.groups, scanned.query, scanned.key, strict=True):
        if groups.shape[1] != k:
            continue
        place = int(np.flatnonzero((groups == part.channels).all(axis=1))[0])
        forth, back = query[:, place], key[0, place]
        chosen = np.arange(len(forth))
        if k > 2:
            chosen = np.unique(np.r_[chosen[:FEW], chosen[:: max(1, len(chosen) // FEW)]])
        return (scanned.step * chosen).tolist(), _from_start(forth[chosen], forth[0], back)
    return [], np.zeros((0, k, k))


def _measured(part: Part, measured: Measurement, positions: Sequence[int]) -> Array:
    """The same at measured positions."""
    group = np.array(part.channels)
    place = (group[:, None], group[None])
    forth = measured.query[[measured.index[p] for p in positions]][:, place[0], place[1]]
    return _from_start(forth, measured.query[0][place], measured.key[0][place])


def _from_start(forth: Array, start: Array, back: Array) -> Array:
    try:
        with np.errstate(all="ignore"):
            result: Array = forth.swapaxes(1, 2) @ (back @ np.linalg.inv(start.T @ back))
    except np.linalg.LinAlgError:
        return np.full(forth.shape, np.nan)
    return result


def operators(part: Part, times: Array) -> Array:
    """exp(tX̂) at each t, shape (n, k, k)."""
    plane = part.plane
    if plane is None:
        return exponentials(part.matrix, times.tolist())
    return plane_exponentials(*plane, times)


def _failing(
    part: Part, recovered: Recovered, positions: Sequence[int], seen: Array
) -> npt.NDArray[np.bool_]:
    error, allowed = _errors(part, recovered, positions, seen)
    finite = np.isfinite(seen).all(axis=(1, 2))
    return np.asarray(finite & ~(error <= allowed))


def _errors(
    part: Part, recovered: Recovered, positions: Sequence[int], seen: Array
) -> tuple[Array, Array]:
    times = np.array(positions, dtype=np.float64)
    exact = operators(part, times)
    room = recovered.arithmetic.tolerance(times, part.frequency, part.rate, len(part.channels))
    with np.errstate(all="ignore"):
        size = np.maximum(norms(exact), norms(seen))
        allowed = (SAFETY * room + part.radius * times) * size + SMALLEST
        return norms(seen - exact), allowed


def _departure(part: Part, recovered: Recovered, position: int, seen: Array) -> Departure:
    error, allowed = _errors(part, recovered, [position], seen[None])
    return Departure(position, float(error[0]), float(allowed[0]))


def _beyond(
    part: Part,
    recovered: Recovered,
    far: tuple[int, list[int], Array],
    measured: Measurement,
    subject: MapSubject,
) -> Part:
    """The first failure beyond the run, narrowed by calls of the subject.

    far  the last position of the run, which is right; positions beyond it, and B there
    """
    last, positions, blocks = far
    group = np.array(part.channels)
    place = (group[:, None], group[None])
    start, back = measured.query[0][place], measured.key[0][place]

    def measure(positions: Sequence[int]) -> Array:
        found = subject.matrices("query", positions, measured.dtype)
        return _from_start(found[:, place[0], place[1]], start, back)

    failing = _failing(part, recovered, positions, blocks)
    if not failing.any():
        return part
    at = int(failing.argmax())
    good, bad = positions[at - 1] if at else last, positions[at]
    found = replace(_departure(part, recovered, bad, blocks[at]), extent=extent(positions, failing))
    try:
        first = narrowed(lambda ps: _failing(part, recovered, ps, measure(ps)), good, bad)
        around = sorted({first, *(first + i for i in range(1, 9)),
                         *(p for p in measured.positions if p >= first)})  # fmt: skip
        around = [p for p in around if p <= measured.reach]
        over = _failing(part, recovered, around, measure(around))
        narrow = _departure(part, recovered, first, measure([first])[0])
    except AuditError:  # it does not take these positions in one call
        return replace(part, departure=found)
    if over.any():  # else it is wrong in the long call only
        found = replace(narrow, extent=extent(around, over))
    return replace(part, departure=found)
