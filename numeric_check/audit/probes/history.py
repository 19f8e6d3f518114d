"""Does a result depend on earlier calls, on other instances, or change its arguments?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding, Verdict, skipped
from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.positions import FIRST
from numeric_check.audit.probes.agreement import (
    Disagreement,
    agreement,
    asked_dtypes,
    differences,
    run,
)
from numeric_check.audit.probes.slots import alone, order, position_dtypes, rows
from numeric_check.audit.reproduce import rivals
from numeric_check.audit.subject import position_array, shaped, unshaped
from symbolic_pe.errors import AuditError

BASE = FIRST
LONG = 8193
FAR = (5, 6, 1000, 65536)
DISTURBANCES: tuple[tuple[str, Sequence[int], str], ...] = (
    ("a call in bfloat16", range(0, 1025), "bfloat16"),
    ("a call in float16", range(0, 1025), "float16"),
    ("a longer call", range(0, LONG), ""),
    ("a call at other positions", FAR, ""),
    ("a call at position 5 alone", (5,), ""),
)


def calls(context: Context) -> Finding:
    """The same call before and after others; other dtypes, lengths and positions come first."""
    statement = "a result does not depend on earlier calls"
    dtype = "float32" if context.measured.dtype == "float64" else context.measured.dtype
    base = [p for p in BASE if p <= context.measured.reach]
    try:
        right = run(context.subject.anew(), base, dtype)
    except AuditError as error:
        return skipped("history", statement, str(error))
    found: list[Disagreement] = []
    check = sorted({*base, *(p for p in (257, 300, 511, 1000) if p <= context.measured.reach)})
    wide = run(context.subject.anew(), check, dtype)
    found += differences(
        context, "two fresh subjects", base, (_at(wide, check, base), right), dtype=dtype
    )
    for words, positions, kind in DISTURBANCES:
        subject = context.subject.anew()
        usable = [p for p in positions if p <= context.measured.reach]
        try:
            run(subject, usable, kind or dtype)
        except AuditError:
            continue
        between = (tuple(usable), kind or dtype)
        for places, expected in ((check, wide), (base, right)):
            after = (run(subject, places, dtype), expected)
            for d in differences(context, f"after {words}", places, after, dtype=dtype):
                found.append(replace(d, between=between))
    found += _since_the_first(context)
    return agreement(context, "history", statement, found)


def _since_the_first(context: Context) -> list[Disagreement]:
    """The first call of all, made again after everything else."""
    found: list[Disagreement] = []
    for dtype, first in context.measured.first.items():
        again = run(context.subject, FIRST, dtype)
        words = f"{dtype}: the first call of all and the same call after many others"
        between = (tuple(range(LONG)), dtype)
        for d in differences(context, words, FIRST, (again, first), dtype=dtype):
            found.append(replace(d, between=between))
    return found


def _at(values: Array, positions: Sequence[int], wanted: Sequence[int]) -> Array:
    return values[[list(positions).index(p) for p in wanted]]


def inputs_kept(context: Context) -> Finding:
    """A map must not write into x or into the positions."""
    statement = "the arguments are left as they are"
    subject, dtype = context.subject, context.measured.dtype
    positions = position_array([1, 2, 3])
    x = np.array(same_vector(subject, 3))
    shape = x[0] if subject.form == "flat" else shaped(x, subject.form)
    given = subject.library.floats(shape, dtype)
    places = subject.places(positions)
    try:
        subject.query(given, places)
    except Exception as error:  # the subject is not ours
        return skipped("inputs", statement, f"the call raised {type(error).__name__}")
    kept, _ = subject.library.fetch(given)
    kept_x = kept[None] if subject.form == "flat" else unshaped(kept, subject.form)
    kept_places, _ = subject.library.fetch(places)
    if np.array_equal(kept_x, x) and np.array_equal(kept_places.ravel(), positions):
        return Finding(
            "inputs", Verdict.CONSISTENT, statement, "x and positions are left as they are"
        )
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
    before = run(subject, base, dtype)
    other = run(subject, base, dtype, "rival")
    after = run(subject, base, dtype)
    found = differences(context, "before and after the other", base, (after, before), dtype=dtype)
    if np.array_equal(other, before):
        return Finding(
            "two instances", Verdict.REFUTED, statement,
            "both give the same results: they share a table that does not know the settings",
            f"positions {base}: equal in every entry, though the settings differ",
            reproduce=rivals(subject, 1, dtype),
        )  # fmt: skip
    return agreement(context, "two instances", statement, found)


def paths(context: Context) -> list[Finding]:
    """Other callables of an adapter (decode, fused) give what the main one gives."""
    findings = []
    for name in context.subject.paths:
        statement = f"the path {name!r} gives what the main one gives"
        found: list[Disagreement] = []
        problem = ""
        for dtype in asked_dtypes(context):
            positions = [p for p in context.measured.positions if p <= 131071]
            try:
                main = run(context.subject, positions, dtype)
                other = run(context.subject, positions, dtype, name)
            except AuditError as error:
                problem = str(error)
                continue
            found += differences(context, f"{dtype}", positions, (other, main), dtype=dtype)
        if not found:
            findings.append(skipped(f"path {name}", statement, problem))
        else:
            findings.append(agreement(context, f"path {name}", statement, found))
    return findings


Question = Callable[[Context], Finding]
QUESTIONS: tuple[Question, ...] = (
    alone, order, calls, two_instances, rows, position_dtypes, inputs_kept,
)  # fmt: skip
