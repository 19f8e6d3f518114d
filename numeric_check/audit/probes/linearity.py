"""Is each map linear in x?"""

from __future__ import annotations

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.reproduce.images import doubled
from numeric_check.reference_values.tolerance import FORMATS

SAMPLES = 4
WEIGHT = 2.0  # exact in every format
SMALLEST = FORMATS["float64"].smallest_normal


def _largest(images: Array) -> Array:
    result: Array = np.abs(images).max(axis=-1)
    return result


def linearity(context: Context) -> Finding:
    """Compare a sum of inputs with the sum of results, at every position, on both sides."""
    subject, measured = context.subject, context.measured
    random = np.random.default_rng(0)
    d, positions = subject.dimension, list(measured.positions)
    x, y = np.round(8 * random.standard_normal((2, SAMPLES, 1, d))) / 8
    x, y = (np.broadcast_to(v, (SAMPLES, len(positions), d)) for v in (x, y))
    worst = (-1.0, 0.0, 1.0, "query", positions[0])
    for side in ("query",) if subject.one_map else ("query", "key"):
        for error, tolerance, at in _errors(context, side, x, y):
            if not error / tolerance <= worst[0]:
                worst = (error / tolerance, error, tolerance, side, at)
    ratio, error, tolerance, side, at = worst
    if ratio < 0.0:
        return questions.LINEAR.undecided("no result is finite")
    return questions.LINEAR.judged(
        error,
        tolerance,
        detail=f"worst relative difference {error:.1e} ({tolerance:.1e} allowed)",
        witness=f"the {side} map at position {at}: off by {error:.2g} of the inputs' images",
        reproduce=doubled(subject, side, at, measured.dtype),
    )


def _errors(context: Context, side: str, x: Array, y: Array) -> list[tuple[float, float, int]]:
    subject, measured = context.subject, context.measured
    positions = list(measured.positions)
    stacked = np.concatenate([x, y, x + WEIGHT * y, np.zeros_like(x)])
    images = subject.apply(side, stacked, positions, measured.dtype).values
    fx, fy, fz, f0 = np.split(images, 4)
    with np.errstate(all="ignore"):
        gap = _largest(fz - fx - WEIGHT * fy) + _largest(np.where(np.isfinite(f0), f0, np.inf))
        size = sum(_largest(v) for v in (fx, WEIGHT * fy, fz)) + SMALLEST
        relative = (gap / size).max(axis=0)
    finite = np.asarray(np.isfinite(images[: -len(f0)]).all(axis=(0, 2)))
    d = subject.dimension
    room = 4.0 * context.recovered.arithmetic.constant(d if len(measured.groups) == 1 else 2)
    return [
        (float(r), room, p) for r, p, good in zip(relative, positions, finite, strict=True) if good
    ]
