"""As which position a wrong one counts: clipped, wrapped, overflown, late or early."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from numeric_check.audit.departures import operators
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import GLANCE
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.recovery import Recovered
from numeric_check.audit.subject import MapSubject

Hypotheses = Sequence[tuple[Callable[[int], int], str]]
"""What a position counts as, and that in words."""
AFTER = 3
"""So many positions have to be explained, from the first wrong one on."""


def counts_as(
    subject: MapSubject, measured: Measurement, recovered: Recovered, position: int
) -> str:
    """In words, as what a position and the two after it count, if F says so; else "".

    Below 0 the two after it are those farther from 0. Nothing is said where exp(tX) is as near at
    these positions, or positions that two of the explanations name.

    Raises `AuditError` when a call of these positions alone is not taken.
    """
    if not recovered.parts:
        return ""
    step = 1 if position >= 0 else -1
    places = range(position, position + step * AFTER, step)
    found = subject.matrices("query", places, measured.dtype)

    def near(counted: Sequence[int]) -> bool:
        return _near(found, _expected(measured, recovered, np.array(counted, dtype=np.float64)))

    hypotheses = _hypotheses(position) if position >= 0 else _below_0(position)
    matching: dict[tuple[int, ...], str] = {}
    for clock, words in hypotheses:
        matching.setdefault(tuple(clock(p) for p in places), words)
    matching = {counted: words for counted, words in matching.items() if near(counted)}
    if len(matching) != 1 or near(places):
        return ""
    return matching.popitem()[1]


def _below_0(position: int) -> Hypotheses:
    return (
        (lambda p: -p, f"position {position} counts as {-position}"),
        (lambda p: 0, f"position {position} counts as 0"),
    )


def _hypotheses(position: int) -> Hypotheses:
    bits = position.bit_length()
    return (
        (lambda p: position - 1, f"from position {position} on all count as {position - 1}: "
         "a table or a limit ends there"),
        (lambda p: p - position, f"position {position} counts as 0 again: positions are taken "
         f"modulo {position}" + (f", as unsigned integers of {bits - 1} bits are" if
                                 position == 1 << (bits - 1) else "")),
        (lambda p: p - 2 * position, f"position {position} counts as {-position}: a signed integer "
         f"of {bits} bits overflows"),
        (lambda p: 0, f"from position {position} on all count as 0"),
        (lambda p: p - 1, f"from position {position} on positions are one late"),
        (lambda p: p + 1, f"from position {position} on positions are one early"),
    )  # fmt: skip


def _expected(measured: Measurement, recovered: Recovered, times: Array) -> Array:
    """F(0)·exp(tX̂)ᵀ."""
    moved = np.zeros((len(times), measured.dimension, measured.dimension))
    for part in recovered.parts:
        group = np.array(part.channels)
        moved[:, group[:, None], group[None]] = operators(part, times)
    result: Array = measured.query[0] @ moved.swapaxes(1, 2)
    return result


def _near(found: Array, expected: Array) -> bool:
    with np.errstate(all="ignore"):
        gap = np.abs(found - expected).max(axis=(1, 2))
        return bool((gap <= GLANCE * np.abs(expected).max(axis=(1, 2))).all())
