"""Everything that is measured of a pair of maps, and the generator that is found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from numeric_check.audit.boundaries import boundaries
from numeric_check.audit.clocks import counts_as
from numeric_check.audit.departures import confirmed
from numeric_check.audit.measurement import LEAST, Measurement, measure
from numeric_check.audit.planes import Spectrum, spectrum
from numeric_check.audit.positions import beyond, with_neighbours
from numeric_check.audit.recognition import recognise
from numeric_check.audit.recovery import Recovered, recover
from numeric_check.audit.scan import Scan, scan_far, scan_near
from numeric_check.audit.subject import MapSubject
from numeric_check.audit.sweep import Swept, sweep
from symbolic_pe.errors import AuditError

GLANCE = 1e-3


@dataclass(frozen=True)
class Gathered:
    """Matrices, the generator, its planes, runs of blocks, and what a sweep has found.

    special  how positions are miscounted, or what position 0 is beside all others, or ""
    """

    measured: Measurement
    recovered: Recovered
    planes: Spectrum
    scans: tuple[Scan, ...]
    swept: Swept | None
    special: str


def gather(subject: MapSubject) -> Gathered:
    """Measure, and measure again with the positions that the first round points at.

    These are some beyond the longest wavelength, those where a sweep over every position finds a
    failure, and their neighbours. Raises `AuditError` when positions 0, 1, 2 are not accepted.
    """
    edges = boundaries(subject)
    measured = measure(subject, edges)
    recovered = recover(measured)
    planes = spectrum(recovered)
    extra = _beyond_wavelengths(planes)
    if extra and extra[-1] > measured.positions[-1] and not measured.refused:
        measured = measure(subject, (*edges, *extra))
        recovered = recover(measured)
    near = scan_near(subject, measured)
    recovered = confirmed(recovered, (near,), measured, subject)
    known = {*edges, *extra}
    swept = sweep(subject, measured, recovered)
    while swept is not None and not {o.position for o in swept.odd} <= known:
        known |= set(with_neighbours([o.position for o in swept.odd], measured.reach))
        measured = measure(subject, sorted(p for p in known if p <= measured.reach))
        recovered = confirmed(recover(measured), (near,), measured, subject)
        if not recovered.fits:
            break
        swept = sweep(subject, measured, recovered)  # what was odd may be rounding: look on
    scanned: tuple[Scan, ...] = (near,)
    if swept is None:
        far = scan_far(subject, measured, near)
        scanned = (near,) if far is None else (near, far)
        recovered = confirmed(recovered, scanned, measured, subject)
    gone = recovered.first_departure
    early = recovered.unrecovered or (gone is not None and gone[1].position <= 2)
    special = "" if recovered.fits else _unsteady(subject, measured)
    special = special or (_special_start(measured) if early else "")
    if not special and gone is not None:
        special = counts_as(subject, measured, recovered, gone[1].position)
    return Gathered(measured, recovered, spectrum(recovered), scanned, swept, special)


def _unsteady(subject: MapSubject, measured: Measurement) -> str:
    """Whether one call, made again and again, gives other results each time."""
    try:
        some = [subject.matrices("query", LEAST, measured.dtype) for _ in range(3)]
    except AuditError:
        return ""
    if any(np.array_equal(a, b, equal_nan=True) for a, b in pairwise(some)):
        return ""
    return (
        "the same call gives other results each time: a random part (dropout), memory that was "
        "never written, or a state that every call changes"
    )


def _alike(measured: Measurement, position: int) -> bool:
    """Whether a position alone gives what it gives among others, at a glance."""
    if position not in measured.index:
        return True
    among = measured.query[measured.index[position]]
    return bool(np.allclose(measured.alone[position][0], among, rtol=GLANCE, atol=GLANCE))


def _special_start(measured: Measurement) -> str:
    """Whether F(t + 1) and G(s + 1) have a generator where F and G have none."""
    if any(not _alike(measured, p) for p in measured.alone):
        return ""  # a result depends on the call: the answer is another one
    from_one = [p for p in measured.positions if p > 0]
    if len(from_one) < len(measured.positions) - 1 or from_one[:2] != [1, 2]:
        return ""
    moved = replace(
        measured,
        positions=tuple(p - 1 for p in from_one),
        query=measured.query[1:],
        key=measured.key[1:],
    )
    found = recover(moved)
    if not found.fits:
        return ""
    what = recognise(found, spectrum(found)).text
    return f"position 0 is special: every other position fits one generator ({what})"


def _beyond_wavelengths(planes: Spectrum) -> Sequence[int]:
    slowest = min((abs(p.frequency) for p in planes.planes if p.frequency), default=0.0)
    return beyond(2 * np.pi / slowest) if slowest > 0 else ()
