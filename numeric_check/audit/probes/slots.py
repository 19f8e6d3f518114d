"""Is every slot of a call moved by its own position, whatever else is in the call?"""

from __future__ import annotations

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, skipped
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.positions import FIRST
from numeric_check.audit.probes.agreement import (
    Disagreement,
    agreement,
    asked_dtypes,
    differences,
    run,
)
from numeric_check.audit.subject import FORMS, position_array, positions_axis
from symbolic_pe.errors import AuditError

BASE = FIRST
LONG = 8193
PACKED = (0, 1, 2, 3, 0, 1, 2, 0, 1)
SHUFFLED = (7, 0, 40, 2, 1, 3, 2)
PADDED = (0, 0, 0, 0, 1, 2, 3)


def alone(context: Context) -> Finding:
    """A position called alone (decode) gives what it gives among others (prefill)."""
    statement = "a position gives the same result alone (decode) and among others (prefill)"
    subject = context.subject
    found = []
    for dtype in asked_dtypes(context):
        base = [p for p in BASE if p <= context.measured.reach]
        for side in ("query",) if subject.one_map else ("query", "key"):
            together = run(subject, base, dtype, side)
            each = np.stack([run(subject, [p], dtype, side)[0] for p in base])
            words = f"{side} map, {dtype}: called alone and with positions {base}"
            found += differences(context, words, base, (each, together), dtype=dtype)
    longer = _longer(context)
    return agreement(context, "prefill = decode", statement, found + longer)


def _longer(context: Context) -> list[Disagreement]:
    """The same positions at the head of a long call."""
    subject, dtype = context.subject, context.measured.dtype
    count = min(LONG, context.measured.reach + 1)
    base = [p for p in BASE if p < count]
    short = run(subject, base, dtype)
    try:
        long = run(subject, range(count), dtype)[base]
    except AuditError:
        return []
    words = f"{dtype}: in a call of {len(base)} and in one of {count} positions"
    return differences(context, words, base, (long, short), dtype=dtype)


def order(context: Context) -> Finding:
    """Packed sequences, left padding, shuffled positions: every slot has its own position."""
    statement = "every slot is moved by its own position (packed, padded, in any order)"
    subject, dtype = context.subject, context.measured.dtype
    found: list[Disagreement] = []
    for words, positions in (
        ("packed sequences", PACKED),
        ("left padding", PADDED),
        ("shuffled positions", SHUFFLED),
    ):
        if max(positions) > context.measured.reach:
            continue
        right = np.stack([run(subject, [p], dtype)[0] for p in positions])
        values = run(subject, positions, dtype)
        found += differences(
            context, f"{words} {list(positions)}", positions, (values, right), dtype=dtype
        )
    found += _batched(context)
    return agreement(context, "packed = padded", statement, found)


def _batched(context: Context) -> list[Disagreement]:
    """Positions (batch, n), where the subject takes them: each row has its own."""
    subject, dtype = context.subject, context.measured.dtype
    if subject.axes > 1 or subject.form not in ("rows", "heads"):
        return []
    rows = np.array([PADDED, PACKED[: len(PADDED)]])
    x = np.array(same_vector(subject, rows.shape[1], 2))
    lead = x[:, None] if subject.form == "heads" else x
    try:
        given = subject.library.floats(lead, dtype)
        places = subject.library.positions(position_array(rows.tolist()), subject.position_dtype)
        values, _ = subject.library.fetch(subject.query(given, places))
    except Exception:  # positions (n,) are what was promised; more is not asked for
        return []
    if values.shape != lead.shape:
        return []
    values = values.reshape(x.shape)
    found: list[Disagreement] = []
    for row, positions in zip(values, rows.tolist(), strict=True):
        right = np.stack([run(subject, [p], dtype)[0] for p in positions])
        found += differences(
            context, f"a batch with positions {rows.tolist()}", positions, (row, right), dtype=dtype
        )
    return found


def rows(context: Context) -> Finding:
    """Equal rows (batch, heads) get equal results, in every shape that the subject takes."""
    statement = "equal rows of a batch, and equal heads, give equal results"
    subject, dtype = context.subject, context.measured.dtype
    found: list[Disagreement] = []
    tried = []
    for form in FORMS:
        if form == "flat" or positions_axis(subject.form) != positions_axis(form):
            continue
        for positions in ([5], [5, 6, 7, 8]):
            x = np.array(same_vector(subject, len(positions), 3))
            try:
                values = subject.apply("query", x, positions, dtype, form=form).values
            except AuditError:
                continue
            tried.append(form)
            for row in values[1:]:
                found += differences(
                    context,
                    f"three equal rows, x {FORMS[form]}, {len(positions)} positions",
                    positions, (row, values[0]), dtype=dtype,
                )  # fmt: skip
    if not tried:
        return skipped("rows", statement, "the subject takes one sequence at a time")
    return agreement(context, "rows", statement, found)


def position_dtypes(context: Context) -> Finding:
    """Positions as int32, int64, float32 and float64 mean the same."""
    statement = "the dtype of the positions does not matter"
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
        found += differences(
            context, f"positions as {kind}", base, (values, right), dtype=dtype, single=True
        )
    return agreement(context, "position dtype", statement, found)
