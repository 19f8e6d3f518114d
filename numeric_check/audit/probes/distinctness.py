"""Do neighbouring positions stay different in every dtype?"""

from __future__ import annotations

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict, skipped
from numeric_check.audit.libraries import DTYPES
from numeric_check.audit.reproduce import images_at
from numeric_check.tolerance import FORMATS
from symbolic_pe.errors import AuditError

PLACES = (0, 1, 256, 512, 2048, 4096, 8192, 65536, 131071)
VISIBLE = 16.0
"""Units of roundoff by which one step has to move x, so that neighbours must differ."""


def distinct(context: Context) -> list[Finding]:
    """Whether neighbouring positions stay different, for every dtype."""
    return [_distinct(context.anew(), dtype) for dtype in DTYPES]


def _distinct(context: Context, dtype: str) -> Finding:
    question, statement = f"distinct {dtype}", f"in {dtype}, positions t and t + 1 differ"
    subject, measured = context.subject, context.measured
    pairs = [p for p in PLACES if p + 1 <= measured.reach]
    if not pairs:
        return skipped(question, statement, "no two neighbouring positions were accepted")
    positions = [q for p in pairs for q in (p, p + 1)]
    x = np.ones((1, len(positions), subject.dimension))
    x[..., 1::2] = 0.5
    if _step(context) < VISIBLE * FORMATS[dtype].unit_roundoff:
        return skipped(question, statement, "one step is finer than the dtype")
    try:
        images = subject.apply("query", x, positions, dtype).values[0]
    except AuditError as error:
        return skipped(question, statement, str(error))
    smallest = FORMATS[dtype].smallest_normal  # below it bits are lost to underflow
    for place, p in enumerate(pairs):
        here, there = images[2 * place : 2 * place + 2]
        usable = np.isfinite(here).all() and (np.abs(here) > 2 * smallest).all()
        if usable and np.array_equal(here, there):
            return Finding(
                question,
                Verdict.REFUTED,
                statement,
                f"positions {p} and {p + 1} give one and the same result",
                f"positions {p} and {p + 1}: equal in every entry",
                reproduce=images_at(subject, [p, p + 1], dtype),
            )
    return Finding(question, Verdict.CONSISTENT, statement, f"neighbours differ, up to {pairs[-1]}")


def _step(context: Context) -> float:
    """How far one step moves the fastest channels, relative to their size."""
    measured = context.measured
    start, one = (measured.query[measured.index[p]] for p in (0, 1))
    if not (np.isfinite(start).all() and np.isfinite(one).all()):
        return 0.0
    moves = np.linalg.norm(one - start, axis=0) / np.maximum(
        np.linalg.norm(start, axis=0), 2.0**-60
    )
    return float(moves.max())
