"""Two results that should be equal: how far apart they are, and what their arithmetic may lose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from numeric_check.audit.arithmetic import Arithmetic, arithmetic_of
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.measurement import same_vector
from numeric_check.audit.questions import Question
from numeric_check.audit.subject import MapSubject
from numeric_check.reference_values.tolerance import FORMATS


@dataclass(frozen=True)
class Disagreement:
    """Two results that should be equal, and the line that shows them."""

    what: str
    position: int
    error: float
    tolerance: float
    line: Callable[[], str]


def run(subject: MapSubject, positions: Sequence[int], dtype: str, side: str = "query") -> Array:
    """Images of one and the same vector at each position."""
    x = same_vector(subject, len(positions))
    values: Array = subject.apply(side, x, positions, dtype).values[0]
    return values


def _room(context: Context, positions: Sequence[int], dtype: str) -> Array:
    """Twice ε in this dtype: two right results differ by no more."""
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


def _single(context: Context, positions: Sequence[int]) -> Array:
    """What float32 may lose in angles, tables and results."""
    narrow = FORMATS["float32"]
    fastest = max((p.frequency for p in context.recovered.parts), default=np.pi)
    rate = max((p.rate for p in context.recovered.parts), default=0.0)
    size = min(max((len(g) for g in context.measured.groups), default=2), 64)
    arithmetic = Arithmetic(narrow, narrow, narrow)
    result: Array = 4.0 * arithmetic.tolerance(np.array(positions), fastest, rate, size)
    return result


def differences(
    context: Context,
    what: str,
    positions: Sequence[int],
    values: tuple[Array, Array],
    line: Callable[[int], str],
    *,
    dtype: str,
    single: bool = False,
) -> list[Disagreement]:
    """Two results (n, d) at the same positions, one by one; `line` shows one slot of them.

    With `single` they may have come by different roads, one of them through float32.
    """
    found, right = values
    with np.errstate(all="ignore"):
        size = np.maximum(np.linalg.norm(right, axis=-1), 2.0**-60)
        gap = np.linalg.norm(found - right, axis=-1) / size
    same = np.array(
        [np.array_equal(a, b, equal_nan=True) for a, b in zip(found, right, strict=True)]
    )
    gap = np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))
    room = _room(context, positions, dtype)
    if single:
        room = np.maximum(room, _single(context, positions))
    return [
        Disagreement(what, int(p), float(g), float(r), partial(line, slot))
        for slot, (p, g, r) in enumerate(zip(positions, gap, room, strict=True))
    ]


def _worst(found: Sequence[Disagreement]) -> Disagreement:
    return max(found, key=lambda d: (d.error / d.tolerance, -d.position))


def asked_dtypes(context: Context) -> list[str]:
    """The finest dtype, and float32."""
    return list(dict.fromkeys([context.measured.dtype, "float32"]))


def agreement(asked: Question, found: Sequence[Disagreement], cause: str = "") -> Finding:
    """Whether all of them agree, with the first that does not.

    cause  what explains it, if they do not
    """
    if not found:
        return asked.skipped("nothing could be compared")
    failing = [d for d in found if d.error > d.tolerance]
    most = max((d.error for d in failing), default=0.0)
    worst = _worst([d for d in failing if not 2.0 * d.error < most] or found)
    first = min(failing, key=lambda d: (d.position, -d.error / d.tolerance), default=worst)
    elsewhere = first.position != worst.position
    more = f"; the worst, {worst.error:.2g}, is at {worst.position}" if elsewhere else ""
    return asked.judged(
        worst.error,
        worst.tolerance,
        detail=(f"{cause}; " if cause and failing else "")
        + f"worst difference {worst.error:.1e} ({worst.tolerance:.1e} allowed)",
        numbers={"cause": cause} if cause and failing else None,
        witness=f"{first.what}: results at position {first.position} differ by {first.error:.2g} "
        f"of their norm{more}",
        reproduce=first.line() if failing else "",
    )
