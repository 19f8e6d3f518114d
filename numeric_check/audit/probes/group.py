"""A(0), the gain, and A(s)A(t) = A(s + t)."""

from __future__ import annotations

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.comparison import shortened
from numeric_check.audit.context import Context
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import alike, exponentials, norm
from numeric_check.audit.probes.showing import score_line
from numeric_check.audit.reproduce.images import defect_of_sum, entry_in_calls, entry_of_score
from numeric_check.audit.subject import StandIn
from symbolic_pe.errors import AuditError

LATE = 1e-4
SUMS = ((1, 1), (1, 2), (2, 2), (1, 3), (3, 4), (16, 16), (64, 64), (1, 85), (256, 256), (1, 511),
        (1, 4095), (4096, 4096), (1, 8192), (1, 65536), (65536, 85))  # fmt: skip


def initial(context: Context) -> Finding:
    """A(0) = I, up to a gain c² that is the square of a temperature."""
    measured = context.measured
    start = measured.pair(0, 0)
    d = len(start)
    gain = float(np.trace(start)) / d
    dense = d if len(measured.groups) == 1 else 2
    room = 2.0 * context.recovered.arithmetic.constant(dense)
    tolerance = room * max(1.0, float(np.abs(start).max()))
    off = float(np.abs(start - gain * np.eye(d)).max()) if np.isfinite(start).all() else np.inf
    if off > tolerance:
        return _not_scalar(context, start, off, tolerance)
    expected = _expected_gain(context)
    error = abs(gain - (1.0 if expected is None else expected))
    numbers = {"gain": gain}
    words = "A(0) = I" if error <= tolerance else f"A(0) = {gain:.6g} I"
    if gain <= 0.0:
        return questions.GAIN.refuted(
            f"{words}: every score has the opposite sign" if gain else "every score is 0",
            f"entry (0, 0) of F(0)^T G(0) is {start[0, 0]:.6g}: a query and an equal key at one "
            "position repel each other",
            entry_of_score(context.subject, [(0, 0)], 0, 0, measured.dtype),
            numbers=numbers,
        )
    if expected is None:
        if error > tolerance:
            words += f": every score is multiplied by {gain:.6g}, a temperature of {gain**0.5:.6g}"
            words += " on each side" if gain > 0 else ""
        return questions.GAIN.consistent(words, numbers=numbers)
    return questions.GAIN.judged(
        error,
        tolerance * max(1.0, expected),
        detail=f"the gain is {gain:.6g}, declared is {expected:.6g}",
        witness=f"position 0: scores are multiplied by {gain:.6g}, declared is {expected:.6g} "
        f"(a ratio of {gain / expected:.6g})",
        reproduce=entry_of_score(context.subject, [(0, 0)], 0, 0, measured.dtype),
        numbers=numbers,
    )


def _expected_gain(context: Context) -> float | None:
    if context.gain is not None:
        return context.gain
    if context.declared is None:
        return None
    return context.declared.temperature.to_float() ** 2


def _not_scalar(context: Context, start: Array, off: float, tolerance: float) -> Finding:
    d = len(start)
    gap = np.abs(start - float(np.trace(start)) / d * np.eye(d))
    i, j = (
        int(v) for v in np.unravel_index(int(np.nan_to_num(gap, nan=np.inf).argmax()), gap.shape)
    )
    cause = context.explanation or _unlike(start) or _late_keys(context, start)
    right = float(np.trace(start)) / d * (i == j)
    return questions.GAIN.refuted(
        (f"{cause}; " if cause else "") + f"F(0)^T G(0) is no multiple of I: off by {off:.2g}",
        f"entry ({i}, {j}) of F(0)^T G(0) is {start[i, j]:.6g}, entry (0, 0) is {start[0, 0]:.6g}",
        score_line(
            context,
            [(0, 0)],
            (i, j),
            lambda values: not abs(values[0] - right) <= 0.5 * float(gap[i, j]),
            [float(start[i, j])],
        ),
        error=off,
        tolerance=tolerance,
        numbers={"cause": cause} if cause else {},
    )


def _unlike(start: Array) -> str:
    """Whether F(0)ᵀG(0) exchanges channels and does nothing else: one side alone is permuted."""
    size = float(np.abs(start).max())
    columns = np.abs(start).argmax(axis=1)
    exchanged = np.zeros(start.shape)
    exchanged[np.arange(len(start)), columns] = size
    if len(set(columns.tolist())) < len(start) or not alike(start, exchanged):
        return ""
    return (
        "queries and keys have their channels in different orders, so W_q or W_k is permuted "
        f"alone, or for another number of heads: channel i of q meets {shortened(columns.tolist())}"
        " of k"
    )


def _late_keys(context: Context, start: Array) -> str:
    """Whether F(0)ᵀG(0) is exp(δX̂) for a small integer δ: then keys count as −δ positions later."""
    if not context.recovered.fits:
        return ""
    for late in (1, -1, 2, -2, 3, -3):
        found = np.zeros(start.shape)
        for part in context.recovered.parts:
            group = np.ix_(part.channels, part.channels)
            found[group] = exponentials(part.matrix, [float(-late)])[0]
        if np.abs(found - start).max() <= LATE * np.abs(start).max():
            more = f"{abs(late)} position{'s' * (abs(late) > 1)}"
            return f"keys are {more} {'ahead of' if late > 0 else 'behind'} queries"
    return ""


def group_law(context: Context) -> Finding:
    """Compare products with the operator at the sum."""
    measured = context.measured
    worst: tuple[float, float, float, tuple[int, int], tuple[int, ...]] | None = None
    for group in measured.groups:
        start = measured.pair(0, 0, group)
        if not np.isfinite(start).all() or np.linalg.cond(start) > 1e8:
            return questions.GROUP_LAW.undecided("F(0)^T G(0) is singular")
        back = np.linalg.inv(start)
        for s, t in SUMS:
            if not {s, t, s + t} <= measured.index.keys():
                continue
            a, b, c = (measured.pair(p, 0, group) @ back for p in (s, t, s + t))
            size = norm(a) * norm(b) + norm(c)
            if not np.isfinite(size):
                continue
            error = norm(a @ b - c)
            tolerance = 2.0 * context.tolerance(group, s, t, s + t, 0) * max(size, 2.0**-100)
            if worst is None or error / tolerance > worst[0]:
                worst = (error / tolerance, error, tolerance, (s, t), group)
    if worst is None:
        return questions.GROUP_LAW.skipped("no sum of two positions was accepted")
    _, error, tolerance, (s, t), group = worst
    return questions.GROUP_LAW.judged(
        error,
        tolerance,
        detail=f"worst {error:.1e} ({tolerance:.1e} allowed) at {s} + {t}",
        witness=f"channels {_some(group)}: A({s})A({t}) and A({s + t}) differ by {error:.2g}",
        reproduce=_line(context, s, t, group, tolerance) if error > tolerance else "",
    )


def _line(context: Context, s: int, t: int, group: tuple[int, ...], tolerance: float) -> str:
    """Each position alone, or, where that shows nothing, all that was measured at once."""
    subject, measured = context.subject, context.measured
    fresh = context.anew().subject
    place = np.ix_(group, group)
    try:
        start = fresh.matrices("key", [0], measured.dtype)[0][place]
        found = [fresh.matrices("query", [p], measured.dtype)[0][place] for p in (0, s, t, s + t)]
        origin, a, b, c = (f.T @ start for f in found)
        shown = norm(a @ np.linalg.inv(origin) @ b - c) > 0.5 * tolerance
    except (AuditError, np.linalg.LinAlgError):
        shown = True
    if shown or isinstance(subject, StandIn):
        return defect_of_sum(subject, s, t, group, measured.dtype)
    pairs = [(s, 0), (t, 0), (s + t, 0)]
    entry = group[0], group[0]
    return entry_in_calls(subject, pairs, entry, measured.dtype, lambda _: measured.positions)


def _some(group: tuple[int, ...]) -> str:
    return str(group) if len(group) <= 4 else f"{group[0]} to {group[-1]} ({len(group)} of them)"
