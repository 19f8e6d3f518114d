"""Positions that no standard run has: below 0, and far beyond 2^17."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.clocks import counts_as
from numeric_check.audit.context import Context
from numeric_check.audit.exact import Exact
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import alike
from numeric_check.audit.positions import BELOW, FAR
from numeric_check.audit.probes.precision import Errors, errors_at
from numeric_check.audit.reproduce.images import entry_of_image
from symbolic_pe.errors import AuditError


def outside(context: Context, exact: Sequence[Exact], *, right: bool) -> list[Finding]:
    """Both questions, where the standard positions are `right`."""
    if not context.recovered.fits or not exact or not right:
        known = context.recovered.fits and exact
        reason = "results are wrong at other positions" if known else "no generator is known"
        return [q.skipped(reason) for q in (questions.NEGATIVE, questions.FAR)]
    return [_negative(context, exact), _far(context, exact)]


def _negative(context: Context, exact: Sequence[Exact]) -> Finding:
    """Nothing is held against positions below 0, which sequences have none of, unless they are
    said to be real numbers."""
    asked = questions.NEGATIVE
    positions = [p for p in BELOW if -p <= context.measured.reach]
    try:
        found = _measured(context, exact, positions)
    except AuditError as error:
        return asked.skipped(f"not accepted: position {positions[0]}: {error}")
    wrong = _first_wrong(found)
    if wrong is None:
        return asked.consistent(f"it is, from {positions[0]} to {positions[-1]}")
    errors, place = wrong
    words = _counts_as(context, errors.positions[place])
    if not context.clock:
        return asked.skipped(f"{words}, so positions have to be 0 or more; --clock judges this")
    return _refuted(context, exact, asked, (errors, place), words)


def _far(context: Context, exact: Sequence[Exact]) -> Finding:
    asked = questions.FAR
    if context.measured.refused:
        return asked.skipped(f"not accepted: {context.measured.refused}")
    try:
        found = _measured(context, exact, FAR)
    except AuditError as error:
        return asked.skipped(f"not accepted: position {FAR[0]} and more: {error}")
    wrong = _first_wrong(found)
    if wrong is None:
        largest = max(float(errors.relative.max()) for errors in found)
        return asked.consistent(
            f"it is, from {FAR[0]} to {FAR[-1]}",
            error=largest,
            tolerance=max(float(errors.allowed.max()) for errors in found),
        )
    position = wrong[0].positions[wrong[1]]
    try:
        cause = counts_as(context.subject, context.measured, context.recovered, position)
    except AuditError:
        cause = ""
    words = cause or f"wrong at position {position}, the first of {list(FAR)} that is"
    finding = _refuted(context, exact, asked, wrong, words)
    return replace(finding, numbers={"cause": cause}) if cause else finding


def _measured(context: Context, exact: Sequence[Exact], positions: Sequence[int]) -> list[Errors]:
    """In the finest dtype, on both sides, of a subject that has seen no other call."""
    fresh = context.anew()
    sides = ("query",) if context.subject.one_map else ("query", "key")
    return [errors_at(fresh, exact, side, positions, context.measured.dtype) for side in sides]


def _first_wrong(found: Sequence[Errors]) -> tuple[Errors, int] | None:
    """The side and the place of the first position that is over what is allowed."""
    wrong = [(e, int(np.flatnonzero(e.over)[0])) for e in found if e.over.any()]
    return min(wrong, key=lambda w: w[1], default=None)


def _refuted(
    context: Context,
    exact: Sequence[Exact],
    asked: questions.Question,
    wrong: tuple[Errors, int],
    words: str,
) -> Finding:
    errors, place = wrong
    position = errors.positions[place]
    group = int((errors.relative / errors.allowed)[:, place].argmax())
    part = exact[group]
    right = part.images([position], errors.side)[0]
    found = errors.images[place, list(part.channels)]
    gap = np.abs(found - right)
    at = int(np.nan_to_num(gap, nan=np.inf).argmax())
    entry = (part.channels[at], part.channels[0])
    row = context.subject.output(entry[0])
    return asked.refuted(
        words,
        f"{errors.side} map at position {position}, channel {row} of the image of unit vector "
        f"{entry[1]}: {found[at]:.9g}, exact {right[at]:.9g}",
        entry_of_image(context.subject, errors.side, position, entry, errors.dtype),
        error=float(errors.relative[group, place]),
        tolerance=float(errors.allowed[group, place]),
    )


def _counts_as(context: Context, position: int) -> str:
    """As what a position below 0 counts, in words."""
    subject, dtype = context.subject, context.measured.dtype

    def at(p: int) -> Array:
        matrix: Array = subject.matrices("query", [p], dtype)[0]
        return matrix

    try:
        found = at(position)
        for other, words in ((-position, f"{-position}"), (0, "0")):
            if alike(found, at(other)):
                return f"position {position} counts as {words}"
    except AuditError:
        pass
    return f"position {position} is not what exp(tX) makes of it (a table read from its end, or " \
        "an unsigned integer)"  # fmt: skip
