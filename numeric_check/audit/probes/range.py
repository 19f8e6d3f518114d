"""Where the maps stop being finite: decay split between q and k overflows at a distance."""

from __future__ import annotations

import math

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict
from numeric_check.audit.reproduce import entry_of_image
from numeric_check.tolerance import FORMATS
from symbolic_pe.errors import AuditError

STATEMENT = "results stay finite; of decays split between q and k, in float32 up to 8193 positions"
SERVED = 8193
"""Positions that a decay split between q and k has to serve in float32."""
NARROW = ("float32", "bfloat16", "float16")


def served_range(context: Context) -> Finding:
    """The first position that is not finite, per dtype, and ln(max)/rate beside it."""
    subject, measured = context.subject, context.measured
    first: dict[str, int] = {}
    for dtype in dict.fromkeys([measured.dtype, *NARROW]):
        try:
            position = _first_infinite(context.anew(), dtype)
        except AuditError:
            continue
        if position is not None:
            first[dtype] = position
    if not first:
        return Finding("range", Verdict.CONSISTENT, STATEMENT, f"finite up to {measured.reach}")
    rate = max((p.rate for p in context.recovered.parts), default=0.0)
    decays = rate * measured.reach > 1.0
    words = ", ".join(f"{dtype} from {p} on" for dtype, p in first.items())
    if decays and first.get("float32", SERVED) >= SERVED:
        safe = {d: math.floor(math.log(FORMATS[d].largest) / rate) for d in FORMATS}
        return Finding(
            "range", Verdict.CONSISTENT, STATEMENT,
            f"not finite: {words}; a rate of {rate:.4g} split between q and k reaches "
            f"{', '.join(f'{safe[d]} ({d})' for d in FORMATS)} from the reference position",
            numbers={"first": first, "rate": rate, "safe": safe},
        )  # fmt: skip
    dtype, position = next(iter(first.items()))
    return Finding(
        "range", Verdict.REFUTED, STATEMENT, f"not finite: {words}",
        f"{dtype}, position {position}: the result holds inf or nan",
        reproduce=entry_of_image(subject, "query", position, (0, 0), dtype),
        numbers={"first": first},
    )  # fmt: skip


def _first_infinite(context: Context, dtype: str) -> int | None:
    subject, measured = context.subject, context.measured
    positions = list(measured.positions)
    for side in ("query",) if subject.one_map else ("query", "key"):
        found = _of_side(context, side, positions, dtype)
        if found is not None:
            return found
    return None


def _of_side(context: Context, side: str, positions: list[int], dtype: str) -> int | None:
    subject = context.subject
    x = np.ones((1, len(positions), subject.dimension))
    values = subject.apply(side, x, positions, dtype).values[0]
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if not bad.size:
        return None
    low, high = positions[int(bad[0]) - 1] if bad[0] else -1, positions[int(bad[0])]
    while high - low > 1:
        middle = (low + high) // 2
        image = subject.apply(side, x[:, :1], [middle], dtype).values
        low, high = (middle, high) if np.isfinite(image).all() else (low, middle)
    return high
