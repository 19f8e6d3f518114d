"""Do neighbouring positions stay different in every dtype?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.extent import narrowed
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import DTYPES
from numeric_check.audit.reproduce.calls import images_at
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.errors import AuditError

DENSE = 4097
FAR = (8192, 16384, 32768, 65535, 65536, 131071)
"""Every position below `DENSE` is compared with the next, and these."""
VISIBLE = 16.0
"""Units of roundoff by which one step has to move x, so that neighbours must differ."""


def distinct(context: Context) -> list[Finding]:
    """Whether neighbouring positions stay different, for every dtype."""
    return [_distinct(context.anew(), dtype) for dtype in DTYPES]


def _distinct(context: Context, dtype: str) -> Finding:
    asked = questions.DISTINCT.of(dtype)
    measured = context.measured
    dense = [p for p in range(DENSE) if p < measured.reach]
    far = [p for p in FAR if p < measured.reach and p >= DENSE]
    if not dense:
        return asked.skipped("no two neighbouring positions were accepted")
    if _step(context) < VISIBLE * FORMATS[dtype].unit_roundoff:
        return asked.skipped("one step is finer than the dtype")
    try:
        equal = np.r_[_equal(context, dtype, dense), _equal(context, dtype, far)]
    except AuditError as error:
        return asked.skipped(str(error))
    tried = [*dense, *far]
    if not equal.any():
        return asked.consistent(f"neighbours differ, up to {tried[-1]}")
    place = int(np.flatnonzero(equal)[0])
    first = tried[place]
    if place:
        first = narrowed(lambda ps: _equal(context, dtype, ps), tried[place - 1], first)
    return asked.refuted(
        f"positions {first} and {first + 1} give one and the same result, the first of "
        f"{int(equal.sum())} such pairs among the {len(tried)} that were tried",
        f"positions {first} and {first + 1}: equal in every entry",
        images_at(context.subject, [first, first + 1], dtype),
    )


def _equal(context: Context, dtype: str, places: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Whether p and p + 1 give one result, where no bits are lost to overflow or underflow."""
    if not places:
        return np.zeros(0, dtype=bool)
    positions = sorted({q for p in places for q in (p, p + 1)})
    index = {p: i for i, p in enumerate(positions)}
    x = np.ones((1, len(positions), context.subject.dimension))
    x[..., 1::2] = 0.5
    images = context.subject.apply("query", x, positions, dtype).values[0]
    here, there = (images[[index[p + k] for p in places]] for k in (0, 1))
    seen = np.isfinite(here) & (np.abs(here) > 2 * FORMATS[dtype].smallest_normal)
    return np.asarray(seen.all(axis=1) & (here == there).all(axis=1))


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
