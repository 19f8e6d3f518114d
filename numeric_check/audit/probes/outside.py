"""Positions that no standard run has: below 0, and far beyond 2^17."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.clocks import counts_as
from numeric_check.audit.context import Context
from numeric_check.audit.exact import Exact
from numeric_check.audit.extent import extent, narrowed
from numeric_check.audit.finding import Finding, Verdict
from numeric_check.audit.matrices import GLANCE
from numeric_check.audit.positions import BELOW, FAR, last_taken
from numeric_check.audit.probes.precision import AROUND, Errors, errors_at
from numeric_check.audit.questions import Question
from numeric_check.audit.reproduce.images import entry_of_image
from symbolic_pe.errors import AuditError


def outside(context: Context, exact: Sequence[Exact], precise: Sequence[Finding]) -> list[Finding]:
    """Both questions, in the finest dtype, where `precise` does not refute that one."""
    measured, reason = context.measured, ""
    wrong = [f.question for f in precise if f.verdict is Verdict.REFUTED]
    if not context.recovered.fits or not exact:
        reason = "no generator is known"
    elif questions.PRECISION.of(measured.dtype).name in wrong:
        reason = f"in {measured.dtype} results are wrong at other positions"
    if reason:
        return [q.skipped(reason) for q in (questions.NEGATIVE, questions.FAR)]
    below = [p for p in BELOW if -p <= measured.reach]
    negative = _asked(context, exact, questions.NEGATIVE, below)
    if measured.refused:
        return [negative, questions.FAR.skipped(f"not accepted: {measured.refused}")]
    return [negative, _asked(context, exact, questions.FAR, FAR)]


def _asked(
    context: Context, exact: Sequence[Exact], asked: Question, positions: Sequence[int]
) -> Finding:
    """What is said of the positions that are taken, on one side of 0.

    Nothing is held against those below 0, which sequences have none of, unless positions are said
    to be real numbers.
    """
    found, refused = _taken(context, exact, positions)
    if not found:
        return asked.skipped(f"not accepted: {refused}")
    if not _over(found).any():
        worst = max(found, key=lambda e: float((e.relative / e.allowed).max()))
        shown = ", ".join(map(str, found[0].positions))
        return asked.consistent(
            f"it is, at {shown}" + (f"; not accepted: {refused}" if refused else ""),
            error=float(worst.relative[worst.worst]),
            tolerance=float(worst.allowed[worst.worst]),
        )
    found = _begins(context, exact, found)
    over, place = _over(found), _first(found)
    position = found[0].positions[place]
    try:
        every = position < 0 or over[place:].all()
        found_in = (context.subject, context.measured, context.recovered)
        cause = counts_as(*found_in, position) if every else ""
    except AuditError:
        cause = ""
    words = cause or _words(found, place)
    if position < 0 and not context.clock:
        least = f"positions have to be {position + 1} or more"
        return asked.skipped(f"{words}, so {least}; --clock judges this")
    finding = _refuted(context, exact, found, asked, words)
    return replace(finding, numbers={"cause": cause}) if cause else finding


def _taken(
    context: Context, exact: Sequence[Exact], positions: Sequence[int]
) -> tuple[list[Errors], str]:
    """Errors at the positions before the first that is refused, and what was said of that one."""
    found: dict[int, list[Errors]] = {}
    refused: dict[int, str] = {}

    def taken(count: int) -> bool:
        try:
            found[count] = _errors(context, exact, positions[:count])
        except AuditError as error:
            refused[count] = f"position {positions[count - 1]}: {error}"
        return count in found

    every = len(positions)
    if taken(every):
        return found[every], ""
    count = last_taken(taken, 0, every)
    return found.get(count, []), refused[count + 1]


def _errors(context: Context, exact: Sequence[Exact], positions: Sequence[int]) -> list[Errors]:
    """In the finest dtype, on both sides, of a subject that has seen no other call."""
    fresh = context.anew()
    sides = ("query",) if context.subject.one_map else ("query", "key")
    return [errors_at(fresh, exact, side, positions, context.measured.dtype) for side in sides]


def _over(found: Sequence[Errors]) -> npt.NDArray[np.bool_]:
    """Where a side is over what is allowed, position by position."""
    return np.asarray(np.any([e.over for e in found], axis=0))


def _first(found: Sequence[Errors]) -> int:
    """The place of the first position that is over."""
    return int(np.flatnonzero(_over(found))[0])


def _begins(context: Context, exact: Sequence[Exact], found: list[Errors]) -> list[Errors]:
    """The same from the position nearest to 0 that is seen to be wrong."""
    positions = found[0].positions
    place = _first(found)
    sign = 1 if positions[place] > 0 else -1
    right = [*positions[:place], *(context.measured.positions if sign > 0 else [0])]
    bad = abs(positions[place])
    good = max(abs(p) for p in right if abs(p) < bad)

    def errors(distances: Sequence[int]) -> list[Errors]:
        return _errors(context, exact, [sign * p for p in distances])

    try:
        first = narrowed(lambda distances: _over(errors(distances)), good, bad)
        after = {*range(first, first + AROUND), *(abs(p) for p in positions[place:])}
        again = errors(sorted(after))
    except AuditError:  # not all of them are taken
        return found
    return again if _over(again).any() else found


def _words(found: Sequence[Errors], place: int) -> str:
    """What is wrong, where nothing is known to explain it."""
    positions = found[0].positions
    position = positions[place]
    if position > 0:
        return f"wrong {extent(positions, _over(found))}"
    words = f"position {position} is not what exp(tX) makes of it"
    if max(float(e.relative[:, place].max()) for e in found) > GLANCE:
        words += " (perhaps a table read from its end, or an unsigned integer)"
    return words


def _refuted(
    context: Context, exact: Sequence[Exact], found: Sequence[Errors], asked: Question, words: str
) -> Finding:
    place = _first(found)
    errors = next(e for e in found if e.over[place])
    position = errors.positions[place]
    group = int((errors.relative / errors.allowed)[:, place].argmax())
    part = exact[group]
    right = part.images([position], errors.side)[0]
    images = errors.images[place, list(part.channels)]
    gap = np.abs(images - right)
    at = int(np.nan_to_num(gap, nan=np.inf).argmax())
    entry = (part.channels[at], part.channels[0])
    row = context.subject.output(entry[0])
    return asked.refuted(
        words,
        f"{errors.side} map at position {position}, channel {row} of the image of unit vector "
        f"{entry[1]}: {images[at]:.9g}, exact {right[at]:.9g}",
        entry_of_image(context.subject, errors.side, position, entry, errors.dtype),
        error=float(errors.relative[group, place]),
        tolerance=float(errors.allowed[group, place]),
    )
