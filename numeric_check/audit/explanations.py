"""What explains that no generator fits: rows, places in a call, chance, position 0, a clock.

Each explanation is tried: the calls that it predicts are made and compared at a glance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from numeric_check.audit.clocks import counts_as
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import alike
from numeric_check.audit.measurement import LEAST, Measurement, same_vector
from numeric_check.audit.planes import spectrum
from numeric_check.audit.recognition import recognise
from numeric_check.audit.recovery import Recovered, recover
from numeric_check.audit.subject import MapSubject
from symbolic_pe.errors import AuditError

RUN, LATER, SCATTERED = (0, 1, 2, 3), (7, 8, 9, 10), (7, 3, 0, 9)
"""Calls of as many positions: which of them give the same tells what counts."""
STEPS = 17
"""Up to so many positions in a row are looked at for being one."""


def explained(subject: MapSubject, measured: Measurement, recovered: Recovered) -> str:
    """What explains that no generator fits, in words, or ""."""
    gone = recovered.first_departure
    if recovered.fits:
        return ""
    tries: list[Callable[[], str]] = [
        lambda: _unsteady(subject, measured),
        lambda: _by_rows(subject, measured),
        lambda: _by_place(subject, measured),
        lambda: _in_steps(subject, measured),
    ]
    if recovered.unrecovered or (gone is not None and gone[1].position <= LEAST[-1]):
        tries.append(lambda: _special_start(measured))
    if gone is not None:
        at = gone[1].position
        tries.append(lambda: counts_as(subject, measured, recovered, at))
    for attempt in tries:
        try:
            words = attempt()
        except AuditError:  # it does not take these calls
            continue
        if words:
            return words
    return ""


def _unsteady(subject: MapSubject, measured: Measurement) -> str:
    """Whether one call, made again and again, gives other results each time."""
    some = [subject.matrices("query", LEAST, measured.dtype) for _ in range(3)]
    if any(np.array_equal(a, b, equal_nan=True) for a, b in pairwise(some)):
        return ""
    return (
        "the same call gives other results each time: a random part (dropout), memory that was "
        "never written, or a state that every call changes"
    )


def _by_rows(subject: MapSubject, measured: Measurement) -> str:
    """Whether a row alone becomes what it becomes among others, equal rows being moved alike."""
    if subject.form == "flat":
        return ""
    d = subject.dimension
    equal = subject.apply("query", same_vector(subject, len(LEAST), d), LEAST, measured.dtype)
    if not alike(equal.values, equal.values[:1]):
        return ""  # which rows are left out is another question
    alone = np.zeros((d, len(LEAST), d))
    for i in range(d):
        row = np.zeros((1, len(LEAST), d))
        row[..., i] = 1.0
        alone[i] = subject.apply("query", row, LEAST, measured.dtype).values[0]
    if alike(alone.transpose(1, 2, 0), subject.matrices("query", LEAST, measured.dtype)):
        return ""
    return (
        "what a row becomes depends on the rows beside it: the axis of heads, or of the batch, is "
        "taken for that of the positions"
    )


def _by_place(subject: MapSubject, measured: Measurement) -> str:
    """Whether the place in a call counts, the first position, or what an earlier call has left."""
    if measured.reach < max(LATER):
        return ""

    def fresh(positions: Sequence[int]) -> Array:
        return subject.anew().matrices("query", positions, measured.dtype)

    run, later, scattered = (fresh(p) for p in (RUN, LATER, SCATTERED))
    if alike(run, run[:1]):
        return ""  # nothing moves at these positions
    if alike(run, later) and alike(run, scattered):
        return "the place in the call counts, not the position: the positions are not looked at"
    if alike(later, scattered):
        return "only the first position of a call counts: the others are taken to follow it"
    used = subject.anew()
    first = used.matrices("query", RUN, measured.dtype)
    if alike(used.matrices("query", LATER, measured.dtype), first):
        return "a table is kept from an earlier call of as many positions, whatever they were"
    return ""


def _in_steps(subject: MapSubject, measured: Measurement) -> str:
    """Whether some positions in a row are one."""
    found = subject.matrices("query", range(2 * STEPS), measured.dtype)
    step = next((p for p in range(1, STEPS) if not alike(found[p], found[0])), 0)
    if step < 2 or not alike(found[step : 2 * step], found[step : step + 1]):
        return ""
    return f"{step} positions in a row count as one: they are divided by {step} and rounded down"


def _special_start(measured: Measurement) -> str:
    """Whether F(t + 1) and G(s + 1) have a generator where F and G have none."""
    for position, (alone, _) in measured.alone.items():
        place = measured.index.get(position)
        if place is not None and not alike(alone, measured.query[place]):
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
    start = "is not finite" if not measured.finite[0] else "is special"
    return f"position 0 {start}: every other position fits one generator ({what})"
