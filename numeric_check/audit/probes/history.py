"""Does a result depend on earlier calls, on other instances, or change its arguments?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.boundaries import ends
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import DTYPES, Array
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.positions import FIRST, LONG
from numeric_check.audit.probes.agreement import (
    Disagreement,
    agreement,
    differences,
    run,
)
from numeric_check.audit.probes.slots import alone, order, position_dtypes, rows
from numeric_check.audit.probes.views import views
from numeric_check.audit.reproduce.calls import (
    before_and_after,
    before_and_after_rival,
    fresh_and_after,
    in_two_calls_after,
    overwritten,
    rivals,
)
from numeric_check.audit.reproduce.writing import LOCAL
from numeric_check.audit.subject import POSITION_DTYPES, fetched, shaped
from symbolic_pe.errors import AuditError

BASE = FIRST
FAR = (5, 6, 1000, 65536)
Places = Sequence[int]
SEEN = 5
"""Small positions of a first call, all below the least table that counts."""
MOVED = 7
"""How far positions are moved in a call of the same length."""


def _same(places: Places) -> Places:
    return places


def _moved(places: Places) -> Places:
    return [p + MOVED for p in places]


def _moved_but_the_ends(places: Places) -> Places:
    return [places[0], *(p + MOVED for p in places[1:-1]), places[-1]]


DISTURBANCES: tuple[tuple[str, Callable[[Places], Places], str], ...] = (
    ("the same call in bfloat16", _same, "bfloat16"),
    ("the same call in float16", _same, "float16"),
    ("a call in bfloat16", lambda _: range(0, 1025), "bfloat16"),
    ("a call in float16", lambda _: range(0, 1025), "float16"),
    ("a longer call", lambda _: range(0, LONG), ""),
    ("a call at other positions", lambda _: FAR, ""),
    ("a call of as many other positions", _moved, ""),
    ("a call of as many positions with the same ends", _moved_but_the_ends, ""),
    ("a call at position 5 alone", lambda _: (5,), ""),
)
"""Other calls, made before: what is kept under a length, a first position or nothing at all."""


def calls(context: Context) -> Finding:
    """The same call before and after others; other dtypes, lengths and positions come first."""
    dtype = "float32" if context.measured.dtype == "float64" else context.measured.dtype
    base = [p for p in BASE if p <= context.measured.reach]
    try:
        right = run(context.subject.anew(), base, dtype)
    except AuditError as error:
        return questions.HISTORY.skipped(str(error))
    found: list[Disagreement] = []
    check = sorted({*base, *(p for p in (257, 300, 511, 1000) if p <= context.measured.reach)})
    wide = run(context.subject.anew(), check, dtype)
    line = _between(context, dtype, (check, dtype), base)
    both = (_at(wide, check, base), right)
    found += differences(context, "in two calls", base, both, line, dtype=dtype)
    for words, other, kind in DISTURBANCES:
        for places, expected in ((check, wide), (base, right)):
            subject = context.subject.anew()
            usable = [p for p in other(places) if p <= context.measured.reach]
            try:
                run(subject, usable, kind or dtype)
            except AuditError:
                continue
            line = _between(context, dtype, (usable, kind or dtype), places)
            after = (run(subject, places, dtype), expected)
            found += differences(context, f"after {words}", places, after, line, dtype=dtype)
    found += _at_the_ends(context, dtype)
    found += _called_alone(context, dtype, check)
    found += _since_the_first(context)
    return agreement(questions.HISTORY, found)


def _at_the_ends(context: Context, dtype: str) -> list[Disagreement]:
    """The first position that a table kept by a subject has not, alone and after a longer call.

    The subject has seen a few small positions, and has made what it makes then.
    """
    found: list[Disagreement] = []
    start = context.subject.anew()
    run(start, FIRST[:SEEN], dtype)
    for end in ends(start):
        if end >= context.measured.reach:
            continue
        subject = context.subject.anew()
        run(subject, FIRST[:SEEN], dtype)
        early = run(subject, [end], dtype)
        longer = (range(end + 2), dtype)
        try:
            run(subject, *longer)
            late = run(subject, [end], dtype)
        except AuditError:  # it takes few positions at once
            continue

        def line(_: int, end: int = end, longer: tuple[Places, str] = longer) -> str:
            return before_and_after(context.subject, end, dtype, longer, first=FIRST[:SEEN])

        words = f"alone, after positions {list(FIRST[:SEEN])}, and then after a longer call"
        found += differences(context, words, [end], (late, early), line, dtype=dtype)
    return found


def _called_alone(context: Context, dtype: str, several: Sequence[int]) -> list[Disagreement]:
    """One position alone, as in decoding, before and after the same call and one of several."""
    found: list[Disagreement] = []
    subject, place = context.subject.anew(), [several[-1]]
    first = run(subject, place, dtype)
    for words, between in (("the same call", place), ("a call of several", several)):
        run(subject, between, dtype)
        line = _between(context, dtype, (between, dtype), place)
        after = (run(subject, place, dtype), first)
        found += differences(context, f"alone, after {words}", place, after, line, dtype=dtype)
    return found


def _since_the_first(context: Context) -> list[Disagreement]:
    """The first call of all, made again after everything else."""
    found: list[Disagreement] = []
    for dtype, first in context.measured.first.items():
        again = run(context.subject, FIRST, dtype)
        words = f"{dtype}: the first call of all and the same call after many others"
        line = _between(context, dtype, (range(LONG), dtype), FIRST)
        found += differences(context, words, FIRST, (again, first), line, dtype=dtype)
    return found


def _between(
    context: Context, dtype: str, between: tuple[Sequence[int], str], places: Sequence[int]
) -> Callable[[int], str]:
    """The line that makes another call between two that should agree."""
    return lambda slot: _line(context, list(places), slot, dtype, between)


def _line(
    context: Context,
    places: list[int],
    slot: int,
    dtype: str,
    between: tuple[Sequence[int], str],
) -> str:
    """A position alone before and after; where that shows nothing, after it in two calls; else of a
    fresh subject and of one after it."""
    subject, p = context.subject, places[slot]
    late = _differ(context, dtype, between, ([p], 0), ([p], 0), late=True)
    if late:
        return before_and_after(subject, p, dtype, between)
    if _differ(context, dtype, between, (places, slot), ([p], 0), late=False):
        return in_two_calls_after(subject, places, slot, dtype, between)
    if subject.fresh is not None and subject.origin[0] != LOCAL[0]:
        return fresh_and_after(subject, p, dtype, between)
    return before_and_after(subject, p, dtype, between)


def _differ(
    context: Context,
    dtype: str,
    between: tuple[Sequence[int], str],
    one: tuple[list[int], int],
    other: tuple[list[int], int],
    *,
    late: bool,
) -> bool:
    """Whether two calls of a fresh subject differ: around another call, or both after it."""
    subject = context.subject.anew()
    try:
        if not late:
            run(subject, *between)
        a = run(subject, one[0], dtype)[one[1]]
        if late:
            run(subject, *between)
        b = run(subject, other[0], dtype)[other[1]]
    except AuditError:
        return False
    at = [one[0][one[1]]]
    (found,) = differences(context, "", at, (a[None], b[None]), lambda _: "", dtype=dtype)
    return found.error > found.tolerance


def _at(values: Array, positions: Sequence[int], wanted: Sequence[int]) -> Array:
    return values[[list(positions).index(p) for p in wanted]]


def inputs_kept(context: Context) -> Finding:
    """A map must not write into x or into the positions, of any dtype that it takes.

    A conversion that has nothing to convert gives the argument itself, so each dtype is another
    question.
    """
    subject, finest = context.subject, context.measured.dtype
    asked = [(dtype, subject.position_dtype) for dtype in dict.fromkeys([finest, *DTYPES])]
    asked += [(finest, kind) for kind in POSITION_DTYPES if kind != subject.position_dtype]
    if subject.library.name == "jax":  # nothing can be written there, and each dtype is compiled
        asked = asked[:1]
    sides = ("query",) if subject.one_map else ("query", "key")
    kept, raised = 0, ""
    for side in sides:
        for dtype, kind in asked:
            try:
                which = _written(context, side, dtype, kind)
            except AuditError as error:
                raised = raised or str(error)
                continue
            kept += 1
            if which:
                given = f"x in {dtype}" if which == "x" else f"positions in {kind}"
                name = "" if subject.one_map else f" of the {side} map"
                verb, they = ("is", "it was") if which == "x" else ("are", "they were")
                return questions.INPUTS.refuted(
                    f"{which} {verb} overwritten by the call{name}",
                    f"{given}: after a call{name} at 1, 2, 3 {which} {verb} not what {they}",
                    overwritten(subject, which, dtype, kind, side),
                )
    if not kept:
        return questions.INPUTS.skipped(raised)
    return questions.INPUTS.consistent("x and positions are left as they are")


def _written(context: Context, side: str, dtype: str, kind: str) -> str:
    """Which argument a call writes into, "x" or "positions", or ""."""
    subject = context.subject.whole or context.subject
    points = [1, 2, 3] if subject.axes == 1 else [(p,) * subject.axes for p in (1, 2, 3)]
    x = np.array(same_vector(subject, 3))
    shape = x[0] if subject.form == "flat" else shaped(x, subject.form)
    given, places = subject.library.floats(shape, dtype), subject.places(points, kind)
    before = [subject.library.fetch(a)[0] for a in (given, places)]
    fetched(subject.library, lambda: subject.side(side)(given, places))
    after = [subject.library.fetch(a)[0] for a in (given, places)]
    for which, old, new in zip(("x", "positions"), before, after, strict=True):
        if not np.array_equal(old, new):
            return which
    return ""


def two_instances(context: Context) -> Finding:
    """An instance with other settings is another map, and leaves this one as it is."""
    asked, subject = questions.TWO_INSTANCES, context.subject
    if subject.rival is None:
        return asked.skipped("no second instance was given")
    dtype = context.measured.dtype
    base = [p for p in BASE if p <= context.measured.reach]
    before = run(subject, base, dtype)
    other = run(subject, base, dtype, "rival")
    after = run(subject, base, dtype)

    def line(slot: int) -> str:
        return before_and_after_rival(subject, base[slot], dtype)

    words = "before and after the other"
    found = differences(context, words, base, (after, before), line, dtype=dtype)
    if np.array_equal(other, before):
        return asked.refuted(
            "both give the same results: they share a table that does not know the settings",
            f"positions {base}: equal in every entry, though the settings differ",
            rivals(subject, 1, dtype),
        )
    return agreement(asked, found)


Probe = Callable[[Context], Finding]
PROBES: tuple[tuple[questions.Question, Probe], ...] = (
    (questions.PREFILL, alone),
    (questions.PACKED, order),
    (questions.HISTORY, calls),
    (questions.TWO_INSTANCES, two_instances),
    (questions.ROWS, rows),
    (questions.POSITION_DTYPE, position_dtypes),
    (questions.INPUTS, inputs_kept),
    (questions.VIEWS, views),
)
"""What is asked of calls: a subject that fails in the middle of one leaves it undecided."""
