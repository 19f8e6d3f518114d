"""Where the maps stop being finite: decay split between q and k overflows at a distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.extent import extent, narrowed
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.reproduce.calls import image_of_ones
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.errors import AuditError

SERVED = 8193
"""Positions that a decay split between q and k has to serve in float32."""
NARROW = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class End:
    """Where one dtype stops being finite: on which side, first where, and where else."""

    side: str
    first: int
    words: str
    channel: int


def served_range(context: Context) -> Finding:
    """The first position that is not finite, per dtype, and ln(max)/rate beside it."""
    asked, subject, measured = questions.RANGE, context.subject, context.measured
    ends: dict[str, End] = {}
    for dtype in dict.fromkeys([measured.dtype, *NARROW]):
        try:
            end = _end(context.anew(), dtype)
        except AuditError:
            continue
        if end is not None:
            ends[dtype] = end
    if not ends:
        return asked.consistent(f"finite up to {measured.reach}")
    first = {dtype: end.first for dtype, end in ends.items()}
    rate = max((p.rate for p in context.recovered.parts), default=0.0)
    decays = rate * measured.reach > 1.0
    words = ", ".join(f"{dtype} {end.words}" for dtype, end in ends.items())
    if decays and first.get("float32", SERVED) >= SERVED:
        safe = {d: math.floor(math.log(FORMATS[d].largest) / rate) for d in FORMATS}
        return asked.consistent(
            f"not finite: {words}; a rate of {rate:.4g} split between q and k reaches "
            f"{', '.join(f'{safe[d]} ({d})' for d in FORMATS)} from the reference position",
            numbers={"first": first, "rate": rate, "safe": safe},
        )
    # float32 is what a range is promised for; any other dtype when float32 is served
    dtype = "float32" if "float32" in ends else next(iter(ends))
    end = ends[dtype]
    return asked.refuted(
        f"not finite: {words}",
        f"{dtype}, {end.side} map at position {end.first}, channel {subject.output(end.channel)}: "
        "the result is inf or nan",
        image_of_ones(subject, end.side, end.first, end.channel, dtype),
        numbers={"first": first},
    )


def _end(context: Context, dtype: str) -> End | None:
    found = [
        _of_side(context, side, dtype)
        for side in (("query",) if context.subject.one_map else ("query", "key"))
    ]
    return min((e for e in found if e is not None), key=lambda e: e.first, default=None)


def _of_side(context: Context, side: str, dtype: str) -> End | None:
    def failing(positions: Sequence[int]) -> npt.NDArray[np.bool_]:
        return np.asarray(~np.isfinite(_images(context, side, positions, dtype)).all(axis=1))

    tried = list(context.measured.positions)
    bad = failing(tried)
    if not bad.any():
        return None
    place = int(np.flatnonzero(bad)[0])
    first = narrowed(failing, tried[place - 1] if place else -1, tried[place])
    later = [first, *(p for p in tried if p > first)]
    images = _images(context, side, [first], dtype)[0]
    channels, over = np.flatnonzero(~np.isfinite(images)), failing(later)
    words = extent(later, over) if over.any() else f"at position {first} in one call of several"
    return End(side, first, words, int(channels[0]) if channels.size else 0)


def _images(context: Context, side: str, positions: Sequence[int], dtype: str) -> Array:
    x = np.ones((1, len(positions), context.subject.dimension))
    values: Array = context.subject.apply(side, x, positions, dtype).values[0]
    return values
