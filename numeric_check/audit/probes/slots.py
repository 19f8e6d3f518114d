"""Is every slot of a call moved by its own position, whatever else is in the call?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import DTYPES
from numeric_check.audit.matrices import alike
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.positions import FIRST, LONG, STANDARD
from numeric_check.audit.probes.agreement import (
    Disagreement,
    agreement,
    asked_dtypes,
    differences,
    run,
)
from numeric_check.audit.reproduce.calls import (
    batch_and_alone,
    long_and_short,
    other_positions,
    path_and_main,
    row_alone,
    rows_of_batch,
    together_and_alone,
)
from numeric_check.audit.reproduce.writing import listed
from numeric_check.audit.subject import FORMS, position_array, positions_axis
from symbolic_pe.errors import AuditError

BASE = tuple(sorted({*FIRST, *STANDARD}))
LONGEST = 1 << 17
ELEMENTS = 1 << 20
"""Numbers in the longest call: fewer positions of more channels."""
ALONE = (0, 1, 2, 7, 85, 511)
"""Positions at which other paths are called alone, as in decoding."""
COUNTED = (1, 2, 3, 5)
"""Positions that are called alone, to see as which they count."""
ALONE_AS: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("the next one", lambda p: p + 1),
    ("the one before", lambda p: p - 1),
    ("position 0", lambda p: 0),
    ("twice that: the offset is added twice", lambda p: 2 * p),
)
ROWS = 17
"""Equal rows of one call: more than heads or batches that a kernel may treat alike."""
PACKED = (0, 1, 2, 3, 0, 1, 2, 0, 1)
SHUFFLED = (7, 0, 40, 2, 1, 3, 2)
PADDED = (0, 0, 0, 0, 1, 2, 3)


def alone(context: Context) -> Finding:
    """A position called alone (decode) gives what it gives among others (prefill)."""
    subject = context.subject
    found = []
    base = [p for p in BASE if p <= context.measured.reach]
    for dtype in asked_dtypes(context):
        for side in ("query",) if subject.one_map else ("query", "key"):
            together = run(subject, base, dtype, side)
            each = np.stack([run(subject, [p], dtype, side)[0] for p in base])
            words = f"{side} map, {dtype}: called alone and with positions {base}"

            def line(slot: int, dtype: str = dtype, side: str = side) -> str:
                return _shown_alone(context, base, slot, dtype, side)

            found += differences(context, words, base, (each, together), line, dtype=dtype)
    found += _in_sweep(context)
    for length in lengths(context):
        longer = _longer(context, length)
        found += longer
        if any(d.error > d.tolerance for d in longer):
            break
    return agreement(questions.PREFILL, found, _alone_counts_as(context))


def _alone_counts_as(context: Context) -> str:
    """As which positions those count that are called alone, if no other one will do; or ""."""
    subject, dtype = context.subject, context.measured.dtype
    if context.measured.reach < COUNTED[-1] * 2:
        return ""
    try:
        together = run(subject, range(2 * COUNTED[-1] + 1), dtype)
        alone = np.stack([run(subject, [p], dtype)[0] for p in COUNTED])
    except AuditError:
        return ""
    matching = []
    for words, clock in ALONE_AS:
        others = together[[clock(p) for p in COUNTED]]
        if alike(alone, others) and not alike(together[list(COUNTED)], others):
            matching.append(f"a position that is called alone, as in decoding, counts as {words}")
    if matching:
        return matching[0] if len(matching) == 1 else ""
    near = [[q for q, r in enumerate(together) if alike(a, r)] for a in alone]
    places = [q for of_one in near for q in of_one]
    if any(len(of_one) != 1 for of_one in near) or places == list(COUNTED):
        return ""
    seen = ", ".join(f"{p} as {q}" for p, q in zip(COUNTED, places, strict=True) if p != q)
    return f"positions that are called alone, as in decoding, count as others: {seen}"


def _in_sweep(context: Context) -> list[Disagreement]:
    """Where a sweep over every position was odd: the same position among those, and alone."""
    subject, dtype = context.subject, context.measured.dtype
    found: list[Disagreement] = []
    for odd in context.odd:
        start, count = odd.call
        among, slot = range(start, start + count), odd.position - start
        together = run(subject, among, dtype, odd.side)[slot]
        single = run(subject, [odd.position], dtype, odd.side)[0]
        words = f"{odd.side} map, {dtype}: called alone and with positions {listed(among)}"

        def line(_: int, among: range = among, slot: int = slot, side: str = odd.side) -> str:
            return _shown_alone(context, among, slot, dtype, side)

        both = (single[None], together[None])
        found += differences(context, words, [odd.position], both, line, dtype=dtype)
    return found


def _shown_alone(
    context: Context, positions: Sequence[int], slot: int, dtype: str, side: str
) -> str:
    """The line for one slot; with another call before, where a fresh subject needs that to fail."""
    p, subject = positions[slot], context.subject
    for before in (None, p + 1, 0):
        fresh = subject.anew()
        if before is not None:
            run(fresh, [before], dtype, side)
        together, single = run(fresh, positions, dtype, side)[slot], run(fresh, [p], dtype, side)[0]
        (found,) = differences(
            context, "", [p], (together[None], single[None]), lambda _: "", dtype=dtype
        )
        if found.error > found.tolerance:
            return together_and_alone(subject, positions, slot, dtype, side, before=before)
    return together_and_alone(subject, positions, slot, dtype, side)


def lengths(context: Context) -> list[int]:
    """Numbers of positions of long calls, in ascending order."""
    longest = min(LONGEST, ELEMENTS // context.subject.dimension)
    wanted = (n for n in (LONG, longest) if n >= LONG)
    return sorted({min(n, context.measured.reach + 1) for n in wanted})


def _longer(context: Context, length: int) -> list[Disagreement]:
    """The first positions at the head of a long call; of the calls that differ, a shortest one."""
    subject, dtype = context.subject, context.measured.dtype
    base = range(len(FIRST))
    short = run(subject, base, dtype)

    def compared(count: int) -> list[Disagreement]:
        long = run(subject, range(count), dtype)[: len(FIRST)]
        words = f"{dtype}: in a call of {len(FIRST)} and in one of {count} positions"
        line = partial(_long_line, context, count)
        return differences(context, words, base, (long, short), line, dtype=dtype)

    try:
        found = compared(length)
        good = len(FIRST)
        while length - good > 1 and any(d.error > d.tolerance for d in found):
            middle = (good + length) // 2
            halved = compared(middle)
            if any(d.error > d.tolerance for d in halved):
                length, found = middle, halved
            else:
                good = middle
    except AuditError:  # a subject may take few positions only
        return []
    return found


def _long_line(context: Context, length: int, slot: int) -> str:
    return long_and_short(context.subject, length, slot, context.measured.dtype)


def order(context: Context) -> Finding:
    """Packed sequences, left padding, shuffled positions: every slot has its own position."""
    subject, dtype = context.subject, context.measured.dtype
    found: list[Disagreement] = []
    for words, positions in (
        ("packed sequences", PACKED),
        ("left padding", PADDED),
        ("shuffled positions", SHUFFLED),
    ):
        if max(positions) > context.measured.reach:
            continue
        for side in ("query",) if subject.one_map else ("query", "key"):
            right = np.stack([run(subject, [p], dtype, side)[0] for p in positions])
            values = run(subject, positions, dtype, side)

            def line(slot: int, positions: Sequence[int] = positions, side: str = side) -> str:
                return _shown_alone(context, positions, slot, dtype, side)

            found += differences(
                context, f"{side} map, {words} {list(positions)}", positions, (values, right), line,
                dtype=dtype,
            )  # fmt: skip
    found += _batched(context)
    return agreement(questions.PACKED, found)


def _batched(context: Context) -> list[Disagreement]:
    """Positions (batch, n), where the subject takes them: each row has its own."""
    subject, dtype = context.subject, context.measured.dtype
    if subject.direction or subject.axes > 1 or subject.form not in ("rows", "heads"):
        return []
    rows = np.array([PADDED, PACKED[: len(PADDED)]])
    x = np.array(same_vector(subject, rows.shape[1], 2))
    lead = x[:, None] if subject.form == "heads" else x
    try:
        given = subject.library.floats(lead, dtype)
        places = subject.library.positions(position_array(rows.tolist()), subject.position_dtype)
        values = subject.in_order(subject.library.fetch(subject.query(given, places))[0])
    except Exception:  # positions (n,) are what was promised; more is not asked for
        return []
    if values.shape != lead.shape:
        return []
    values = values.reshape(x.shape)
    found: list[Disagreement] = []
    for index, (row, positions) in enumerate(zip(values, rows.tolist(), strict=True)):
        right = np.stack([run(subject, [p], dtype)[0] for p in positions])

        def line(slot: int, index: int = index) -> str:
            return batch_and_alone(subject, rows.tolist(), index, slot, dtype)

        found += differences(
            context, f"a batch with positions {rows.tolist()}", positions, (row, right), line,
            dtype=dtype,
        )  # fmt: skip
    return found


def rows(context: Context) -> Finding:
    """Equal rows (batch, heads) get equal results, in every shape that the subject takes; and a row
    alone gets what it gets among others."""
    subject, dtype = context.subject, context.measured.dtype
    found: list[Disagreement] = []
    tried, odd = [], ""
    for form in FORMS:
        if form == "flat" or positions_axis(subject.form) != positions_axis(form):
            continue
        for positions in ([5], [5, 6, 7, 8]):
            x = np.array(same_vector(subject, len(positions), ROWS))
            try:
                values = subject.apply("query", x, positions, dtype, form=form).values
            except AuditError:
                continue
            tried.append(form)

            def line(_: int, form: str = form, positions: Sequence[int] = positions) -> str:
                return rows_of_batch(subject, form, positions, ROWS, dtype)

            for index, row in enumerate(values[1:], 1):
                apart = differences(
                    context,
                    f"{ROWS} equal rows, x {FORMS[form]}, {len(positions)} positions: rows 0 and "
                    f"{index}",
                    positions, (row, values[0]), line, dtype=dtype,
                )  # fmt: skip
                found += apart
                if any(d.error > d.tolerance for d in apart):
                    odd = odd or f"row {index} of a batch, or head {index}, is not moved as row 0"
            single = subject.apply("query", x[:1], positions, dtype, form=form).values[0]

            def line_alone(_: int, form: str = form, positions: Sequence[int] = positions) -> str:
                return row_alone(subject, form, positions, ROWS, dtype)

            words = f"a row alone and among {ROWS}, x {FORMS[form]}, {len(positions)} positions"
            both = (single, values[0])
            found += differences(context, words, positions, both, line_alone, dtype=dtype)
    if not tried:
        return questions.ROWS.skipped("the subject takes one sequence at a time")
    return agreement(questions.ROWS, found, odd)


def position_dtypes(context: Context) -> Finding:
    """Positions as int32, int64, float32 and float64 mean the same."""
    subject, dtype = context.subject, context.measured.dtype
    base = [p for p in (*BASE, 257, 4097, 65537) if p <= context.measured.reach]
    x = same_vector(subject, len(base))
    right = subject.apply("query", x, base, dtype).values[0]
    found: list[Disagreement] = []
    for kind in ("int32", "int64", "float32", "float64"):
        try:
            values = subject.apply("query", x, base, dtype, position_dtype=kind).values[0]
        except AuditError:
            continue

        def line(slot: int, kind: str = kind) -> str:
            return other_positions(subject, base[slot], kind, dtype)

        found += differences(
            context, f"positions as {kind}", base, (values, right), line, dtype=dtype, single=True
        )
    return agreement(questions.POSITION_DTYPE, found)


def paths(context: Context) -> list[Finding]:
    """Other callables of an adapter (decode, fused) give what the main one gives."""
    return [_path(context, name) for name in context.subject.paths]


def _path(context: Context, name: str) -> Finding:
    asked, subject = questions.PATH.of(name), context.subject
    found: list[Disagreement] = []
    problem = ""
    for dtype in DTYPES:
        positions = [p for p in context.measured.positions if p <= LONGEST]
        try:
            main = run(subject, positions, dtype)
            other = run(subject, positions, dtype, name)
        except AuditError as error:
            problem = problem or f"{dtype}: {error}"
            continue

        def line(slot: int, dtype: str = dtype, at: Sequence[int] = positions) -> str:
            return path_and_main(subject, name, at[slot], dtype)

        found += differences(context, f"{dtype}", positions, (other, main), line, dtype=dtype)
        try:
            single = {p: run(subject, [p], dtype, name) for p in ALONE if p in positions}
        except AuditError:  # a path may take long calls only
            continue
        for p, value in single.items():
            among = main[positions.index(p)][None]
            words = f"{dtype}, called alone"

            def line_alone(_: int, dtype: str = dtype, p: int = p) -> str:
                return path_and_main(subject, name, p, dtype)

            found += differences(context, words, [p], (value, among), line_alone, dtype=dtype)
    return asked.undecided(problem) if not found else agreement(asked, found)
