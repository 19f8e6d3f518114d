"""Which line shows a drift of scores: tried on a fresh subject, in the order of simplicity.

Most faults show when each position is called alone. Some need the other positions of a call, some
an earlier call; the line that is printed is the first whose numbers are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.libraries import Array
from numeric_check.audit.positions import ALONE_PAIRS, FIRST, LONG
from numeric_check.audit.reproduce.images import (
    entry_in_calls,
    entry_in_rows,
    entry_in_rows_of_call,
    entry_of_score,
)
from numeric_check.audit.scan import CHUNK
from numeric_check.audit.subject import MapSubject, StandIn
from symbolic_pe.errors import AuditError

Pair = tuple[int, int]
Call = tuple[int, ...]
Wrong = Callable[[list[float]], bool]
CLOSE = 1e-6
"""Numbers of a line are those that a finding tells, up to this."""


@dataclass(frozen=True)
class _Way:
    """How the positions of pairs are called: in which calls, and after which one.

    calls   the call that a position is part of; None: each alone
    before  positions of a call that is made first
    rows    all unit vectors are rows of one call
    once    positions that are called alone, once each and in this order, all vectors as rows
    """

    calls: Callable[[int], Call] | None = None
    before: Call = ()
    rows: bool = False
    once: Call = ()


def score_line(
    context: Context,
    pairs: Sequence[Pair],
    entry: tuple[int, int],
    wrong: Wrong,
    told: Sequence[float] = (),
) -> str:
    """The line for entry (i, j) of F(t)ᵀG(s) at some pairs whose values are `wrong` there.

    Of the ways to call, the first that gives the numbers that are told; else the first that is
    wrong; else none, since a line that shows nothing is worse.
    """
    subject, dtype = context.subject, context.measured.dtype
    if isinstance(subject, StandIn):
        return entry_of_score(subject, pairs, *entry, dtype)
    chosen = None
    for way in _ways(context, pairs):
        try:
            values = _values(context.anew().subject, dtype, pairs, entry, way)
        except AuditError:
            continue
        if not wrong(values):
            continue
        chosen = chosen or way
        if np.allclose(values, told, rtol=CLOSE, atol=CLOSE) if len(told) == len(values) else True:
            chosen = way
            break
    return _written(subject, dtype, pairs, entry, chosen) if chosen else ""


def _written(
    subject: MapSubject, dtype: str, pairs: Sequence[Pair], entry: tuple[int, int], way: _Way
) -> str:
    if way.rows and way.calls:
        return entry_in_rows_of_call(subject, pairs, entry, dtype, way.calls(0))
    if way.rows or way.once:
        return entry_in_rows(subject, pairs, entry, dtype, once=way.once)
    if way.calls is None and not way.before:
        return entry_of_score(subject, pairs, *entry, dtype)
    calls = way.calls or (lambda p: (p,))
    return entry_in_calls(subject, pairs, entry, dtype, calls, before=way.before)


def _ways(context: Context, pairs: Sequence[Pair]) -> list[_Way]:
    """Each position alone, with all vectors at once, among all that was measured, in runs as of a
    scan; and each alone after other calls."""
    measured, reach = context.measured.positions, context.measured.reach
    found = [_Way()]
    if context.subject.form != "flat":
        found.append(_Way(rows=True))
    if {p for pair in pairs for p in pair} <= set(measured):
        found.append(_Way(lambda _: measured))
        if context.subject.form != "flat":
            found.append(_Way(lambda _: measured, rows=True))
    top = context.scan.length

    def run_of(p: int) -> Call:
        start = p // CHUNK * CHUNK
        return tuple(range(start, min(start + CHUNK, top)))

    if max(p for pair in pairs for p in pair) < top:
        found.append(_Way(run_of))
    alone = tuple(dict.fromkeys([*FIRST, *(p for pair in ALONE_PAIRS for p in pair)]))
    earlier = [tuple(range(3)), FIRST, measured, alone, tuple(range(LONG))]
    found += [_Way(before=b) for b in earlier if max(b) <= reach]
    once = tuple(sorted({p for pair in ALONE_PAIRS for p in pair if p <= reach}))
    if context.subject.form != "flat" and {p for pair in pairs for p in pair} <= set(once):
        found.append(_Way(once=once))
    return found


def _values(
    subject: MapSubject,
    dtype: str,
    pairs: Sequence[Pair],
    entry: tuple[int, int],
    way: _Way,
) -> list[float]:
    i, j = entry
    if way.once:
        of_query, of_key = {}, {}
        for p in way.once:
            of_query[p] = subject.matrices("query", [p], dtype)[0]
            of_key[p] = of_query[p] if subject.one_map else subject.matrices("key", [p], dtype)[0]
        return [float(of_query[t][:, i] @ of_key[s][:, j]) for t, s in pairs]
    if way.rows:

        def column(side: str, position: int, channel: int) -> Array:
            call = way.calls(position) if way.calls else (position,)
            values: Array = subject.matrices(side, call, dtype)[call.index(position)][:, channel]
            return values

        return [float(column("query", t, i) @ column("key", s, j)) for t, s in pairs]

    def image(side: str, call: Call, position: int, channel: int) -> Array:
        x = np.zeros((1, len(call), subject.dimension))
        x[..., channel] = 1.0
        values: Array = subject.apply(side, x, call, dtype).values[0, call.index(position)]
        return values

    if way.before:
        image("query", way.before, way.before[0], 0)
    calls = way.calls or (lambda p: (p,))
    return [float(image("query", calls(t), t, i) @ image("key", calls(s), s, j)) for t, s in pairs]
