"""Which line shows a drift of scores: tried on a fresh subject, in the order of simplicity.

Most faults show when each position is called alone. Some need the other positions of a call, some
an earlier call; the line that is printed is the first whose numbers are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.libraries import Array
from numeric_check.audit.reproduce.images import entry_in_calls, entry_in_rows, entry_of_score
from numeric_check.audit.scan import CHUNK
from numeric_check.audit.subject import MapSubject, StandIn
from symbolic_pe.errors import AuditError

Pair = tuple[int, int]
Call = tuple[int, ...]


def score_line(
    context: Context,
    pairs: Sequence[Pair],
    entry: tuple[int, int],
    wrong: Callable[[list[float]], bool],
) -> str:
    """The line for entry (i, j) of F(t)ᵀG(s) at some pairs whose values are `wrong` there."""
    i, j = entry
    plain = entry_of_score(context.subject, pairs, i, j, context.measured.dtype)
    if isinstance(context.subject, StandIn):
        return plain
    if context.subject.form != "flat":
        try:
            fresh = context.anew().subject
            f = {t: fresh.matrices("query", [t], context.measured.dtype)[0] for t, _ in pairs}
            g = {s: fresh.matrices("key", [s], context.measured.dtype)[0] for _, s in pairs}
        except AuditError:
            f = {}
        if (
            f
            and wrong([float(f[t][:, i] @ g[s][:, j]) for t, s in pairs])
            and not _alone(context, pairs, entry, wrong)
        ):
            return entry_in_rows(context.subject, pairs, entry, context.measured.dtype)
    for calls in _candidates(context, pairs):
        try:
            values = _values(context.anew().subject, context.measured.dtype, pairs, entry, calls)
        except AuditError:
            continue
        if wrong(values):
            if calls is None:
                return plain
            return entry_in_calls(context.subject, pairs, entry, context.measured.dtype, calls)
    return plain


def _alone(
    context: Context,
    pairs: Sequence[Pair],
    entry: tuple[int, int],
    wrong: Callable[[list[float]], bool],
) -> bool:
    try:
        return wrong(_values(context.anew().subject, context.measured.dtype, pairs, entry, None))
    except AuditError:
        return False


def _candidates(context: Context, pairs: Sequence[Pair]) -> list[Callable[[int], Call] | None]:
    """Each position alone, all that was measured at once, and runs as in a scan."""
    measured = context.measured.positions
    found: list[Callable[[int], Call] | None] = [None]
    if {p for pair in pairs for p in pair} <= set(measured):
        found.append(lambda _: measured)
    top = context.scan.length

    def run_of(p: int) -> Call:
        start = p // CHUNK * CHUNK
        return tuple(range(start, min(start + CHUNK, top)))

    if max(p for pair in pairs for p in pair) < top:
        found.append(run_of)
    return found


def _values(
    subject: MapSubject,
    dtype: str,
    pairs: Sequence[Pair],
    entry: tuple[int, int],
    calls: Callable[[int], Call] | None,
) -> list[float]:
    def image(side: str, position: int, channel: int) -> Array:
        call = (position,) if calls is None else calls(position)
        x = np.zeros((1, len(call), subject.dimension))
        x[..., channel] = 1.0
        values: Array = subject.apply(side, x, call, dtype).values[0, call.index(position)]
        return values

    i, j = entry
    return [float(image("query", t, i) @ image("key", s, j)) for t, s in pairs]
