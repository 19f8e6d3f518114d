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

AFTER = 3
"""So many positions have to be explained, from the first wrong one on."""


def counts_as(
    subject: MapSubject, measured: Measurement, recovered: Recovered, position: int
) -> str:
    """In words, as what a position and the two after it count, if F says so; else "".

    Raises `AuditError` when a call of these positions alone is not taken.
    """
    bits = position.bit_length()
    hypotheses: Sequence[tuple[Callable[[int], int], str]] = (
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
    if not recovered.parts:
        return ""
    found = subject.matrices("query", range(position, position + AFTER), measured.dtype)
    for clock, words in hypotheses:
        times = np.array([clock(position + i) for i in range(AFTER)], dtype=np.float64)
        if _near(found, _expected(measured, recovered, times)):
            return words
    return ""


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
