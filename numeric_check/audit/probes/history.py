"""Does a result depend on x and the position alone, whatever else was or is in the calls?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict, judged, skipped
from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.positions import FIRST
from numeric_check.audit.reproduce import before_and_after, rivals, together_and_alone
from numeric_check.audit.subject import (
    FORMS,
    MapSubject,
    position_array,
    positions_axis,
    shaped,
    unshaped,
)
from symbolic_pe.errors import AuditError

BASE = FIRST
LONG = 8193
FAR = (5, 6, 1000, 65536)
PACKED = (0, 1, 2, 3, 0, 1, 2, 0, 1)
SHUFFLED = (7, 0, 40, 2, 1, 3, 2)
PADDED = (0, 0, 0, 0, 1, 2, 3)
DISTURBANCES: tuple[tuple[str, Sequence[int], str], ...] = (
    ("a call in bfloat16", range(0, 1025), "bfloat16"),
    ("a call in float16", range(0, 1025), "float16"),
    ("a longer call", range(0, LONG), ""),
    ("a call at other positions", FAR, ""),
    ("a call at position 5 alone", (5,), ""),
)


@dataclass(frozen=True)
class Disagreement:
    """Two results that should be equal."""

    what: str
    position: int
    error: float
    tolerance: float
    together: tuple[int, ...] = ()
    slot: int = 0
    dtype: str = "float32"
    between: tuple[tuple[int, ...], str] | None = None


def _run(subject: MapSubject, positions: Sequence[int], dtype: str, side: str = "query") -> Array:
    x = same_vector(subject, len(positions))
    values: Array = subject.apply(side, x, positions, dtype).values[0]
    return values


def _room(context: Context, positions: Sequence[int], dtype: str) -> Array:
    """Twice ε in this dtype: two right results differ by no more."""
    from numeric_check.audit.arithmetic import arithmetic_of

    subject = context.subject
    call = subject.apply("query", np.eye(subject.dimension)[:1, None, :], [1], dtype)
    arithmetic = arithmetic_of(call.values, dtype, call.dtype)
    arithmetic = arithmetic.with_angle(context.recovered.arithmetic.angle.name)
    if dtype in ("bfloat16", "float16"):
        arithmetic = arithmetic_of(np.full(1, 1.0), dtype, call.dtype)
    fastest = max((p.frequency for p in context.recovered.parts), default=np.pi)
    rate = max((p.rate for p in context.recovered.parts), default=0.0)
    size = min(max((len(g) for g in context.measured.groups), default=2), 64)
    result: Array = 4.0 * arithmetic.tolerance(np.array(positions), fastest, rate, size)
    return result


def _differences(
    context: Context,
    what: str,
    positions: Sequence[int],
    values: tuple[Array, Array],
    *,
    dtype: str,
) -> list[Disagreement]:
    found, right = values
    with np.errstate(all="ignore"):
        size = np.maximum(np.linalg.norm(right, axis=-1), 2.0**-60)
        gap = np.linalg.norm(found - right, axis=-1) / size
    same = np.array(
        [np.array_equal(a, b, equal_nan=True) for a, b in zip(found, right, strict=True)]
    )
    gap = np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))
    room = _room(context, positions, dtype)
    return [
        Disagreement(what, int(p), float(g), float(r), tuple(positions), slot, dtype)
        for slot, (p, g, r) in enumerate(zip(positions, gap, room, strict=True))
    ]


def _worst(found: Sequence[Disagreement]) -> Disagreement:
    return max(found, key=lambda d: (d.error / d.tolerance, -d.position))


def _dtypes(context: Context) -> list[str]:
    return list(dict.fromkeys([context.measured.dtype, "float32"]))


def alone(context: Context) -> Finding:
    """A position called alone (decode) gives what it gives among others (prefill)."""
    statement = "a position gives the same result alone (decode) and among others (prefill)"
    subject = context.subject
    found = []
    for dtype in _dtypes(context):
        base = [p for p in BASE if p <= context.measured.reach]
        for side in ("query",) if subject.one_map else ("query", "key"):
            together = _run(subject, base, dtype, side)
            each = np.stack([_run(subject, [p], dtype, side)[0] for p in base])
            words = f"{side} map, {dtype}: called alone and with positions {base}"
            found += _differences(context, words, base, (each, together), dtype=dtype)
    longer = _longer(context)
    return _finding(context, "prefill = decode", statement, found + longer)


def _longer(context: Context) -> list[Disagreement]:
    """The same positions at the head of a long call."""
    subject, dtype = context.subject, context.measured.dtype
    count = min(LONG, context.measured.reach + 1)
    base = [p for p in BASE if p < count]
    short = _run(subject, base, dtype)
    try:
        long = _run(subject, range(count), dtype)[base]
    except AuditError:
        return []
    words = f"{dtype}: in a call of {len(base)} and in one of {count} positions"
    return _differences(context, words, base, (long, short), dtype=dtype)


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
        right = np.stack([_run(subject, [p], dtype)[0] for p in positions])
        values = _run(subject, positions, dtype)
        found += _differences(
            context, f"{words} {list(positions)}", positions, (values, right), dtype=dtype
        )
    found += _batched(context)
    return _finding(context, "packed = padded", statement, found)


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
        right = np.stack([_run(subject, [p], dtype)[0] for p in positions])
        found += _differences(
            context, f"a batch with positions {rows.tolist()}", positions, (row, right), dtype=dtype
        )
    return found


def calls(context: Context) -> Finding:
    """The same call before and after others; other dtypes, lengths and positions come first."""
    statement = "a result does not depend on earlier calls"
    dtype = "float32" if context.measured.dtype == "float64" else context.measured.dtype
    base = [p for p in BASE if p <= context.measured.reach]
    try:
        right = _run(context.subject.anew(), base, dtype)
    except AuditError as error:
        return skipped("history", statement, str(error))
    found: list[Disagreement] = []
    check = sorted({*base, *(p for p in (257, 300, 511, 1000) if p <= context.measured.reach)})
    wide = _run(context.subject.anew(), check, dtype)
    found += _differences(
        context, "two fresh subjects", base, (_at(wide, check, base), right), dtype=dtype
    )
    for words, positions, kind in DISTURBANCES:
        subject = context.subject.anew()
        usable = [p for p in positions if p <= context.measured.reach]
        try:
            _run(subject, usable, kind or dtype)
        except AuditError:
            continue
        between = (tuple(usable), kind or dtype)
        for places, expected in ((check, wide), (base, right)):
            after = (_run(subject, places, dtype), expected)
            for d in _differences(context, f"after {words}", places, after, dtype=dtype):
                found.append(replace(d, between=between))
    found += _since_the_first(context)
    return _finding(context, "history", statement, found)


def _since_the_first(context: Context) -> list[Disagreement]:
    """The first call of all, made again after everything else."""
    found: list[Disagreement] = []
    for dtype, first in context.measured.first.items():
        again = _run(context.subject, FIRST, dtype)
        words = f"{dtype}: the first call of all and the same call after many others"
        differences = _differences(context, words, FIRST, (again, first), dtype=dtype)
        between = (tuple(range(LONG)), dtype)
        found += [replace(d, between=between) for d in differences]
    return found


def _at(values: Array, positions: Sequence[int], wanted: Sequence[int]) -> Array:
    return values[[list(positions).index(p) for p in wanted]]


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
                found += _differences(
                    context,
                    f"three equal rows, x {FORMS[form]}, {len(positions)} positions",
                    positions, (row, values[0]), dtype=dtype,
                )  # fmt: skip
    if not tried:
        return skipped("rows", statement, "the subject takes one sequence at a time")
    return _finding(context, "rows", statement, found)


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
        found += _differences(context, f"positions as {kind}", base, (values, right), dtype=dtype)
    return _finding(context, "position dtype", statement, found)


def inputs_kept(context: Context) -> Finding:
    """A map must not write into x or into the positions."""
    statement = "the arguments are left as they are"
    subject, dtype = context.subject, context.measured.dtype
    positions = position_array([1, 2, 3])
    x = np.array(same_vector(subject, 3))
    shape = x[0] if subject.form == "flat" else shaped(x, subject.form)
    given = subject.library.floats(shape, dtype)
    places = subject.library.positions(positions, subject.position_dtype)
    try:
        subject.query(given, places)
    except Exception as error:  # the subject is not ours
        return skipped("inputs", statement, f"the call raised {type(error).__name__}")
    kept, _ = subject.library.fetch(given)
    kept_x = kept[None] if subject.form == "flat" else unshaped(kept, subject.form)
    kept_places, _ = subject.library.fetch(places)
    if np.array_equal(kept_x, x) and np.array_equal(kept_places, positions):
        return Finding("inputs", Verdict.CONSISTENT, statement, "they are")
    which = "positions" if np.array_equal(kept_x, x) else "x"
    return Finding(
        "inputs", Verdict.REFUTED, statement, f"{which} is overwritten by the call",
        f"{which} after a call at positions 1, 2, 3 is not what it was",
    )  # fmt: skip


def two_instances(context: Context) -> Finding:
    """An instance with other settings is another map, and leaves this one as it is."""
    statement = "an instance with other settings is another map, and does not change this one"
    subject = context.subject
    if subject.rival is None:
        return skipped("two instances", statement, "no second instance was given")
    dtype = context.measured.dtype
    base = [p for p in BASE if p <= context.measured.reach]
    before = _run(subject, base, dtype)
    other = _run(subject, base, dtype, "rival")
    after = _run(subject, base, dtype)
    found = _differences(context, "before and after the other", base, (after, before), dtype=dtype)
    if np.array_equal(other, before):
        return Finding(
            "two instances", Verdict.REFUTED, statement,
            "both give the same results: they share a table that does not know the settings",
            f"positions {base}: equal in every entry, though the settings differ",
            reproduce=rivals(subject, 1, dtype),
        )  # fmt: skip
    return _finding(context, "two instances", statement, found)


def paths(context: Context) -> list[Finding]:
    """Other callables of an adapter (decode, fused) give what the main one gives."""
    findings = []
    for name in context.subject.paths:
        statement = f"the path {name!r} gives what the main one gives"
        found: list[Disagreement] = []
        problem = ""
        for dtype in _dtypes(context):
            positions = [p for p in context.measured.positions if p <= 131071]
            try:
                main = _run(context.subject, positions, dtype)
                other = _run(context.subject, positions, dtype, name)
            except AuditError as error:
                problem = str(error)
                continue
            found += _differences(context, f"{dtype}", positions, (other, main), dtype=dtype)
        if not found:
            findings.append(skipped(f"path {name}", statement, problem))
        else:
            findings.append(_finding(context, f"path {name}", statement, found))
    return findings


def _finding(
    context: Context, question: str, statement: str, found: Sequence[Disagreement]
) -> Finding:
    if not found:
        return skipped(question, statement, "nothing could be compared")
    worst = _worst(found)
    failing = [d for d in found if d.error > d.tolerance]
    first = min(failing, key=lambda d: d.position, default=worst)
    return judged(
        question,
        statement,
        worst.error,
        worst.tolerance,
        detail=f"worst difference {worst.error:.1e} ({worst.tolerance:.1e} allowed)",
        witness=f"{first.what}: results at position {first.position} differ by {first.error:.2g} "
        "of their norm"
        + ("" if first is worst else f"; the worst, {worst.error:.2g}, is at {worst.position}"),
        reproduce=_line(context, first),
    )


def _line(context: Context, d: Disagreement) -> str:
    if d.between is not None:
        return before_and_after(context.subject, d.position, d.dtype, d.between)
    return together_and_alone(context.subject, d.together, d.slot, d.dtype)


Question = Callable[[Context], Finding]
QUESTIONS: tuple[Question, ...] = (
    alone, order, calls, two_instances, rows, position_dtypes, inputs_kept,
)  # fmt: skip
