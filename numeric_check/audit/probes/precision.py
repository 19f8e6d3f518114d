"""For every dtype: how far from the exact map, where first over tolerance, bounded or growing.

Errors are relative to the norm of the image, plane by plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.arithmetic import Arithmetic, arithmetic_of
from numeric_check.audit.causes import cause_of
from numeric_check.audit.context import Context
from numeric_check.audit.exact import Exact
from numeric_check.audit.extent import extent, narrowed
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import DTYPES, Array
from numeric_check.audit.matrices import norms
from numeric_check.audit.positions import STANDARD
from numeric_check.audit.questions import Question
from numeric_check.audit.reproduce.images import entry_of_image, image_in_call
from numeric_check.audit.subject import MapSubject
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.errors import AuditError

SCANNED = 2048
FEW = 32
AROUND = 9
"""Positions after the first wrong one that are tried as well, to say how far it reaches."""
ALONE = (0, 1, 2, 3, 85)
EARLY, GROWTH = 256, 2.0
"""Errors grow when one is more than twice the largest up to position 256."""
SINGLE_ROUNDINGS = 16.0
"""Never ask for less than sixteen roundings of single precision."""


@dataclass(frozen=True)
class Errors:
    """Errors of one dtype and side: shape (groups, n); NaN counts as infinite."""

    dtype: str
    side: str
    positions: tuple[int, ...]
    relative: Array
    allowed: Array
    images: Array
    arithmetic: Arithmetic

    @property
    def worst(self) -> tuple[int, int]:
        """(group, place of the position) where the error is largest beside what is allowed."""
        ratio = self.relative / self.allowed
        group, place = np.unravel_index(int(ratio.argmax()), ratio.shape)
        return int(group), int(place)

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether anything is over what is allowed, position by position."""
        return np.asarray((self.relative > self.allowed).any(axis=0))


def needed(dtype: str) -> float:
    """τ = max(2u, 16·2⁻²⁴): twice what storing the result costs (as in the rounding bounds)."""
    return max(
        2.0 * FORMATS[dtype].unit_roundoff, SINGLE_ROUNDINGS * FORMATS["float32"].unit_roundoff
    )


def precision(context: Context, exact: Sequence[Exact]) -> list[Finding]:
    """One finding for each dtype."""
    if not exact:
        reason = "no generator is known"
        return [questions.PRECISION.of(dtype).skipped(reason) for dtype in DTYPES]
    return [_of_dtype(context.anew(), exact, dtype) for dtype in DTYPES]


def _of_dtype(context: Context, exact: Sequence[Exact], dtype: str) -> Finding:
    asked = questions.PRECISION.of(dtype)
    subject, measured = context.subject, context.measured
    scan = [p for p in range(SCANNED) if p <= measured.reach]
    positions = sorted({*scan, *(p for p in measured.positions if p <= measured.reach)})
    found: list[Errors] = []
    try:
        for side in ("query",) if subject.one_map else ("query", "key"):
            found.append(errors_at(context, exact, side, positions, dtype))
        alone = [p for p in ALONE if p <= measured.reach]
        found.append(errors_at(context, exact, "query", alone, dtype, alone=True))
    except AuditError as error:
        return asked.skipped(str(error))
    return _judged(context, exact, asked, found)


def errors_at(
    context: Context,
    exact: Sequence[Exact],
    side: str,
    positions: Sequence[int],
    dtype: str,
    *,
    alone: bool = False,
) -> Errors:
    """One dtype and side against the exact maps; `alone`: each position in a call of its own."""
    subject = context.subject
    x = np.zeros(subject.dimension)
    x[[e.channels[0] for e in exact]] = 1.0
    rows = np.broadcast_to(x, (1, len(positions), subject.dimension))
    if alone:
        calls = [subject.apply(side, rows[:, :1], [p], dtype) for p in positions]
        images = np.stack([c.values[0, 0] for c in calls])
        returned = calls[0].dtype
    else:
        call = subject.apply(side, rows, positions, dtype)
        images, returned = call.values[0], call.dtype
    arithmetic = arithmetic_of(images, dtype, returned, "float32")
    relative, allowed = [], []
    for part in exact:
        error, room = _of_part(part, images[:, part.channels], positions, side, arithmetic)
        relative.append(error)
        allowed.append(room)
    return Errors(
        dtype, side, tuple(positions), np.array(relative), np.array(allowed), images, arithmetic
    )


def _of_part(
    part: Exact, images: Array, positions: Sequence[int], side: str, arithmetic: Arithmetic
) -> tuple[Array, Array]:
    """Relative errors of one group, and what is allowed; where the range ends, nothing is said.

    Groups that are no planes are compared at fewer positions.
    """
    if not part.is_quick and len(part.channels) > 1:
        asked = [i for i, p in enumerate(positions) if p <= FEW or p >= SCANNED or p in STANDARD]
        some = [positions[i] for i in asked]
        if len(some) < len(positions):
            error, room = np.zeros(len(positions)), np.ones(len(positions))
            error[asked], room[asked] = _of_part(part, images[asked], some, side, arithmetic)
            return error, room
    right = part.images(positions, side)
    values = np.linalg.eigvals(part.generator)
    frequency, rate = float(np.abs(values.imag).max()), float(np.abs(values.real).max())
    rate = 0.0 if rate <= part.radius else rate
    with np.errstate(all="ignore"):
        size = np.linalg.norm(right, axis=1)
    times = np.array(positions, dtype=np.float64)
    k = len(part.channels)
    room = 2.0 * arithmetic.tolerance(times, frequency, rate, k) + part.radius * np.abs(times)
    if k > 2:  # a chain or a basis adds up terms that are larger than the sum
        forth = part.operators([float(t) if side == "query" else -float(t) for t in times])
        with np.errstate(all="ignore"):
            room = room * norms(forth) / np.maximum(size, 2.0**-1000)
    largest, smallest = FORMATS[arithmetic.output.name].largest, arithmetic.output.smallest_normal
    served = (size < largest / 16) & (size > smallest * 16)
    with np.errstate(all="ignore"):
        error = np.linalg.norm(images - right, axis=1) / size
    error = np.where(np.isnan(error), np.inf, error)
    return np.where(served, error, 0.0), room


def _judged(
    context: Context, exact: Sequence[Exact], asked: Question, found: list[Errors]
) -> Finding:
    worst = max(found, key=lambda e: float((e.relative / e.allowed).max()))
    group, place = worst.worst
    error, allowed = float(worst.relative[group, place]), float(worst.allowed[group, place])
    if error <= allowed:
        return _within(context, exact, asked, found)
    cause = cause_of([(e.channels, e.generator) for e in exact], worst.positions, worst.images)
    largest = _percent(float(worst.relative.max()))
    at_once = worst is not found[-1]
    words = "when it is called alone"
    if at_once:
        worst, words = _begins(context, exact, worst)
    over = int(np.flatnonzero(worst.over)[0])
    first = int((worst.relative / worst.allowed)[:, over].argmax())
    part, position = exact[first], worst.positions[over]
    images, right = worst.images[over], part.images([position], worst.side)[0]
    gap = np.abs(images[list(part.channels)] - right)
    at = int(gap.argmax()) if np.isfinite(gap).all() else int(np.flatnonzero(~np.isfinite(gap))[0])
    numbers = _numbers(context, exact, found)
    detail = f"wrong {words}" if at_once else f"wrong at position {position} {words}"
    if cause:
        detail += f": {cause}"
    numbers["first_wrong"] = position
    if cause:
        numbers["cause"] = cause
    return asked.refuted(
        f"{detail}; the largest error is {largest}",
        f"{worst.side} map at position {position}, channel "
        f"{context.subject.output(part.channels[at])} of the image of "
        f"unit vector {part.channels[0]}: {images[part.channels[at]]:.9g}, exact "
        f"{right[at]:.9g}",
        _line(context, worst, position, (part.channels[at], part.channels[0]), float(right[at])),
        error=float(worst.relative[first, over]),
        tolerance=float(worst.allowed[first, over]),
        numbers=numbers,
    )


def _line(
    context: Context, found: Errors, position: int, entry: tuple[int, int], right: float
) -> str:
    """The position alone, unless it is right there: then among others."""
    subject, dtype, side = context.subject, found.dtype, found.side
    place = found.positions.index(position)
    room = 0.5 * float(found.allowed[:, place].min()) * max(abs(right), 2.0**-10)
    tries: list[list[Sequence[int]]] = [
        [[position]], [[0], [position]], [[0, position]], [range(SCANNED)],
        [context.measured.positions], [found.positions],
    ]  # fmt: skip
    for calls in tries:
        call = calls[-1]
        if position not in call or max(call) > context.measured.reach:
            continue
        fresh = context.anew().subject
        try:
            for before in calls[:-1]:
                _entry(fresh, side, before, (before[-1], *entry), dtype)
            value = _entry(fresh, side, call, (position, *entry), dtype)
        except AuditError:
            continue
        if not abs(value - right) <= room:
            if len(calls) == len(call) == 1:
                break
            return image_in_call(subject, side, calls, (position, *entry), dtype)
    return entry_of_image(subject, side, position, entry, dtype)


def _entry(
    subject: MapSubject, side: str, call: Sequence[int], where: tuple[int, int, int], dtype: str
) -> float:
    position, row, column = where
    x = np.zeros((1, len(call), subject.dimension))
    x[..., column] = 1.0
    images = subject.apply(side, x, call, dtype).values[0]
    return float(images[list(call).index(position), row])


def _begins(context: Context, exact: Sequence[Exact], found: Errors) -> tuple[Errors, str]:
    """The same from the smallest position that is seen to be wrong, and how far that reaches."""

    def errors(positions: Sequence[int]) -> Errors:
        return errors_at(context, exact, found.side, positions, found.dtype)

    place = int(np.flatnonzero(found.over)[0])
    first = found.positions[place]
    try:
        if place:
            first = narrowed(lambda ps: errors(ps).over, found.positions[place - 1], first)
        after = {*(p for p in found.positions if p > first), *range(first, first + AROUND)}
        again = errors(sorted(p for p in after if p <= context.measured.reach))
    except AuditError:
        again = found
    if not again.over.any():  # wrong in the long call only
        again = found
    return again, extent(again.positions, again.over)


def _within(
    context: Context, exact: Sequence[Exact], asked: Question, found: list[Errors]
) -> Finding:
    """Bounded or growing, in words; from which position on it is more than the dtype needs."""
    joint = found[0]
    worst = max(found, key=lambda e: float(e.relative.max()))
    largest = float(worst.relative.max())
    place = int(worst.relative.max(axis=0).argmax())
    numbers = _numbers(context, exact, found)
    over = numbers["first_over"]
    profile = joint.relative.max(axis=0)
    early = profile[np.array(joint.positions) <= EARLY].max(initial=0.0)
    grows = largest > GROWTH * max(float(early), joint.arithmetic.output.unit_roundoff)
    if not grows or largest <= needed(joint.dtype):
        text = f"bounded: at most {_short(largest)} at every position"
        if joint.arithmetic.table.precision < FORMATS[joint.dtype].precision:
            text += f" (tables are rounded to {joint.arithmetic.table.name})"
    else:
        text = f"grows: {_short(largest)} at position {worst.positions[place]}"
        text += " (frequencies or angles in float32)"
    need = needed(joint.dtype)
    if over is not None and grows:
        text += f"; more than {_short(need)} from position {over} on"
    return asked.consistent(
        text, error=largest, tolerance=float(worst.allowed.max()), numbers=numbers
    )


def _numbers(context: Context, exact: Sequence[Exact], found: list[Errors]) -> dict[str, object]:
    joint = found[0]
    need = needed(joint.dtype)
    profile = joint.relative.max(axis=0)
    shown = [i for i, p in enumerate(joint.positions) if p in STANDARD]
    return {
        "first_over": _first_over(context, exact, joint),
        "needed": need,
        "largest": min(float(profile.max()), 1e308),
        "arithmetic": str(joint.arithmetic),
        "profile": error_profile(joint.positions, profile),
        "errors": {str(joint.positions[i]): min(float(profile[i]), 1e308) for i in shown},
    }


def _first_over(context: Context, exact: Sequence[Exact], joint: Errors) -> int | None:
    """The first position with more than the dtype needs, narrowed between measured ones."""
    need = needed(joint.dtype)
    late = np.flatnonzero(joint.relative.max(axis=0) > need)
    if not late.size:
        return None
    place = int(late[0])
    high, low = joint.positions[place], joint.positions[place - 1] if place else -1
    if not all(e.is_quick or len(e.channels) == 1 for e in exact):
        return high

    def over(positions: Sequence[int]) -> npt.NDArray[np.bool_]:
        errors = errors_at(context, exact, joint.side, positions, joint.dtype)
        return np.asarray(errors.relative.max(axis=0) > need)

    return narrowed(over, low, high)


def error_profile(positions: Sequence[int], errors: Array) -> list[tuple[int, float]]:
    """The largest error in each eighth of an octave, for a picture."""
    bins: dict[int, tuple[int, float]] = {}
    for p, error in zip(positions, errors.tolist(), strict=True):
        place = int(8 * np.log2(p + 1))
        if place not in bins or error > bins[place][1]:
            bins[place] = (p, min(error, 1e300))
    return [bins[k] for k in sorted(bins)]


def _short(value: float) -> str:
    return f"{value:.1e}"


def _percent(value: float) -> str:
    return "not finite" if not np.isfinite(value) else f"{value:.2g}"
