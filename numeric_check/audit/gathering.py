"""Everything that is measured of a pair of maps, and the generator that is found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from numeric_check.audit.boundaries import boundaries
from numeric_check.audit.departures import confirmed
from numeric_check.audit.explanations import explained
from numeric_check.audit.measurement import Measurement, in_order, measure
from numeric_check.audit.planes import Spectrum, spectrum
from numeric_check.audit.positions import beyond, with_neighbours
from numeric_check.audit.recovery import Recovered, recover
from numeric_check.audit.scan import Scan, scan_far, scan_near
from numeric_check.audit.subject import MapSubject
from numeric_check.audit.sweep import Swept, sweep


@dataclass(frozen=True)
class Gathered:
    """Matrices, the generator, its planes, runs of blocks, and what a sweep has found.

    subject      with results in the order of the channels of x
    explanation  what explains that no generator fits, in words, or ""
    """

    subject: MapSubject
    measured: Measurement
    recovered: Recovered
    planes: Spectrum
    scans: tuple[Scan, ...]
    swept: Swept | None
    explanation: str


def gather(subject: MapSubject) -> Gathered:
    """Measure, and measure again with the positions that the first round points at.

    These are some beyond the longest wavelength, those where a sweep over every position finds a
    failure, and their neighbours. Nothing calls the subject before its first calls are kept. Raises
    `AuditError` when positions 0, 1, 2 are not accepted.
    """
    edges = boundaries(subject)
    subject, measured = in_order(subject, measure(subject, edges))
    first = measured.first
    recovered = recover(measured)
    planes = spectrum(recovered)
    extra = _beyond_wavelengths(planes)
    if extra and extra[-1] > measured.positions[-1] and not measured.refused:
        measured = replace(measure(subject, (*edges, *extra)), first=first)
        recovered = recover(measured)
    near = scan_near(subject, measured)
    recovered = confirmed(recovered, (near,), measured, subject)
    known = {*edges, *extra}
    swept = sweep(subject, measured, recovered)
    while swept is not None and not {o.position for o in swept.odd} <= known:
        known |= set(with_neighbours([o.position for o in swept.odd], measured.reach))
        known = {p for p in known if p <= measured.reach}
        measured = replace(measure(subject, sorted(known)), first=first)
        recovered = confirmed(recover(measured), (near,), measured, subject)
        if not recovered.fits:
            break
        swept = sweep(subject, measured, recovered)  # what was odd may be rounding: look on
    scanned: tuple[Scan, ...] = (near,)
    if swept is None:
        far = scan_far(subject, measured, near)
        scanned = (near,) if far is None else (near, far)
        recovered = confirmed(recovered, scanned, measured, subject)
    words = explained(subject, measured, recovered)
    return Gathered(subject, measured, recovered, spectrum(recovered), scanned, swept, words)


def _beyond_wavelengths(planes: Spectrum) -> Sequence[int]:
    slowest = min((abs(p.frequency) for p in planes.planes if p.frequency), default=0.0)
    return beyond(2 * np.pi / slowest) if slowest > 0 else ()
