"""What is measured of a score: M(t, 0), the arithmetic that it shows, and what scores may lose."""

from __future__ import annotations

import numpy as np

from numeric_check.audit.arithmetic import Arithmetic, arithmetic_of
from numeric_check.audit.context import UNSEEN_FREQUENCY, Context
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import inverse, norm, norms
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.positions import LADDER, SMALL, STANDARD
from numeric_check.audit.subject import ScoreSubject
from symbolic_pe.errors import AuditError

WAVES = ((1, 2), (3, 5))
"""Rates of a query and a key whose entries have nothing to do with each other."""


def measure(subject: ScoreSubject, extra: tuple[int, ...] = ()) -> Measurement:
    """M(t, 0)ᵀ at positions t, as far as they are taken. Raises `AuditError` below three."""
    wanted = sorted({*STANDARD, *LADDER, *SMALL, *range(10), *extra})
    found: list[Array] = []
    refused = ""
    for t in wanted:
        try:
            found.append(subject.matrix(t, 0).T)
        except AuditError as error:
            refused = f"position {t}: {error}"
            break
    if len(found) < 3:
        raise AuditError(f"{subject.name}: {refused}")
    query = np.stack(found)
    key = np.broadcast_to(np.eye(subject.dimension), query.shape)
    arithmetic = shown_arithmetic(query, subject)
    positions = tuple(wanted[: len(found)])
    return Measurement(positions, query, key, "float64", "float64", arithmetic, refused)


def shown_arithmetic(units: Array, subject: ScoreSubject) -> Arithmetic:
    """The arithmetic that entries at several positions, (n, …), show; else that of one score.

    Entries that are 0 and ±c at every position, or the same at all of them, hold in any format, and
    so show none. The scores of unit vectors and a wave at (0, 0) then do: they are products.
    """
    size = np.frexp(np.abs(units[np.isfinite(units) & (units != 0.0)]))[0]
    if len(np.unique(size)) > 1 and not (units == units[:1]).all():
        return arithmetic_of(units, "float64", "float64")
    d = subject.dimension
    k = np.tile(wave(WAVES[0][1], d), (d, 1))
    zeros = [0] * d
    scores = subject.apply(np.eye(d), k, zeros, zeros)
    if not scores[np.isfinite(scores)].any():
        scores = k
    return arithmetic_of(scores, "float64", "float64")


def wave(rate: int, d: int) -> Array:
    """cos(rate·i), i = 1, …, d."""
    result: Array = np.cos(rate * np.arange(1, d + 1, dtype=np.float64))
    return result


def sizes(measured: Measurement, lags: Array) -> Array:
    """‖M‖ at lags t − s: between measured ones its logarithm is taken to be linear, and beyond the
    last that is not 0 or infinite to go on as before. M(−τ) is M(0)·M(τ)⁻¹·M(0)."""
    start = measured.query[0]
    with np.errstate(all="ignore"):
        forth = np.log(norms(measured.query))
        back = np.log([norm(start @ inverse(m) @ start) for m in measured.query])
    places = np.array(measured.positions, dtype=np.float64)
    sides = [_along(np.abs(lags), places, v) for v in (forth, back)]
    result: Array = 2.0 * np.exp(np.clip(np.where(lags >= 0, *sides), -700.0, 700.0))
    return result


def _along(at: Array, places: Array, values: Array) -> Array:
    """Values between places, linear; beyond the last finite one with the mean slope so far."""
    known = np.isfinite(values)
    if not known.any():
        return np.zeros(at.shape)
    x, y = places[known], values[known]
    slope = (y[-1] - y[0]) / max(x[-1] - x[0], 1.0)
    result: Array = np.interp(at, x, y) + slope * np.maximum(at - x[-1], 0.0)
    return result


def room_of(context: Context, at: Array, *, more: bool = False) -> Array:
    """ε of a score at t, at s and at their lag, for each pair of positions.

    more  a term of q or of k alone is part of it, whose frequencies are not known
    """
    parts, arithmetic = context.recovered.parts, context.recovered.arithmetic
    frequency = max((p.frequency for p in parts), default=UNSEEN_FREQUENCY)
    rate = max((p.rate for p in parts), default=0.0)
    size = min(max((len(p.channels) for p in parts), default=2), 64)
    if more:
        arithmetic = arithmetic.with_angle("float32")
        frequency = max(frequency, UNSEEN_FREQUENCY)
    return room(arithmetic, at, frequency, rate, size)


def room(
    arithmetic: Arithmetic, at: Array, frequency: float, rate: float = 0.0, size: int = 2
) -> Array:
    """ε at t, at s and at their lag, added up; and what angles in float64 lose at the farthest
    position of the call, which a score may count from."""
    each = arithmetic.tolerance(at, frequency, rate, size)
    lags = arithmetic.tolerance(np.abs(at[:, None] - at[None]), frequency, rate, size)
    finest = arithmetic.with_angle("float64")
    farthest = float(finest.tolerance(at.max(initial=0.0)[None], frequency, rate, size)[0])
    result: Array = each[:, None] + each[None] + lags + 2.0 * farthest
    return result
