"""Slopes of a bias: found from large lags, compared with published and with declared ones."""

from __future__ import annotations

import numpy as np
from flint import arb

from numeric_check.audit import questions
from numeric_check.audit.bias_measurement import FEW, ROUNDINGS, MeasuredBias
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.reproduce.biases import entries_of_bias
from numeric_check.audit.subject import BiasSubject
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.families.additive import alibi_slopes
from symbolic_pe.errors import SpecificationError

LINE = 65
"""So many lags on a line make a line."""


def _lags(measured: MeasuredBias) -> tuple[Array, Array]:
    """Lags ≥ 0 in ascending order and b(t, s) − b(t, t) of each head there, (heads, lags)."""
    if measured.column is not None:
        seen = np.flatnonzero(np.isfinite(measured.column).all(axis=0))
        return seen.astype(np.float64), measured.column[:, seen]
    at = np.array(measured.positions)
    i, j = np.nonzero(measured.judged & (at[None] <= at[:, None]))
    lags, first = np.unique(at[i] - at[j], return_index=True)
    return lags.astype(np.float64), measured.rowless[:, i[first], j[first]]


def linear(subject: BiasSubject, measured: MeasuredBias) -> tuple[Finding, Array | None]:
    """Whether the bias is linear in the lag, and the slopes if it is."""
    lags, values = _lags(measured)
    if len(lags) < 2 or lags[0] != 0.0:
        lags, values = np.r_[0.0, lags], np.c_[np.zeros(len(values)), values]
    slopes = -values[:, -1] / lags[-1]
    gap, allowed = _off(measured, lags, values, slopes)
    odd = np.flatnonzero((gap > allowed).any(axis=0))
    if not odd.size:
        head, at = (int(v) for v in np.unravel_index(int((gap - allowed).argmax()), gap.shape))
        text = ", ".join(f"{m:.6g}" for m in slopes[:12]) + (", …" if len(slopes) > 12 else "")
        name = recognised_slopes(slopes, measured.unit)
        return questions.SLOPE.consistent(
            f"slopes {text}{_beside_published(slopes, measured.unit)}",
            error=float(gap[head, at]),
            tolerance=float(allowed[head, at]),
            numbers={"slopes": [float(m) for m in slopes], "nearest": name},
        ), slopes
    return _not_linear(subject, measured, lags, values)


def _off(measured: MeasuredBias, lags: Array, values: Array, slopes: Array) -> tuple[Array, Array]:
    """How far values are from a line, and what is allowed."""
    gap = np.abs(values + slopes[:, None] * lags)
    return gap, 2.0 * measured.room + 2.0 * measured.unit * np.abs(values)


def _not_linear(
    subject: BiasSubject, measured: MeasuredBias, lags: Array, values: Array
) -> tuple[Finding, Array | None]:
    """A line with exceptions, or a jump towards far keys, is a fault; a curve is another bias."""
    head = int(np.abs(values[:, -1] + values[:, 1] * lags[-1]).argmax())
    words = (
        f"not linear: head {head} has {values[head, 1]:.6g} at lag {lags[1]:.0f} and "
        f"{values[head, -1]:.6g} at lag {lags[-1]:.0f}; a function of the lag all the same"
    )
    slopes = -np.median(values[:, 1:] / lags[1:], axis=1)
    if not slopes.all() or len(lags) < LINE:
        return questions.SLOPE.consistent(words), None
    gap, allowed = _off(measured, lags, values, slopes)
    odd = np.flatnonzero((gap > allowed).any(axis=0))
    if odd.size and len(odd) <= FEW and lags[odd[0]] > 1:
        at = int(odd[0])
        text = f"every other lag has one slope, {', '.join(str(int(x)) for x in lags[odd])} not"
        return _leaves(subject, measured, (lags, values, slopes), at, text), slopes
    begun = -values[:, LINE - 1] / lags[LINE - 1]
    gap, allowed = _off(measured, lags[:LINE], values[:, :LINE], begun)
    if not begun.all() or (gap > allowed).any():
        return questions.SLOPE.consistent(words), None
    rise = np.diff(values, axis=1)  # a line falls by its slope; what jumps up favours far keys
    jumps = np.flatnonzero((rise > 4.0 * np.abs(begun[:, None]) + 4.0 * measured.room).any(axis=0))
    if not jumps.size:
        return questions.SLOPE.consistent(words), None
    at = int(jumps[0]) + 1
    text = f"linear up to lag {int(lags[at - 1])}, then it jumps: farther keys are favoured"
    return _leaves(subject, measured, (lags, values, begun), at, text), None


def _leaves(
    subject: BiasSubject,
    measured: MeasuredBias,
    line: tuple[Array, Array, Array],
    at: int,
    text: str,
) -> Finding:
    """The lag at which a bias leaves its line."""
    lags, values, slopes = line
    gap, allowed = _off(measured, lags, values, slopes)
    head, lag = int((gap - allowed)[:, at].argmax()), int(lags[at])
    return questions.SLOPE.refuted(
        text,
        f"head {head}: b({lag}, 0) - b({lag}, {lag}) is {values[head, at]:.6g}; the slope "
        f"{slopes[head]:.6g} of the other lags makes it {-slopes[head] * lag:.6g}",
        entries_of_bias(subject, [(t, s) for t in (lag - 1, lag, lag + 1) for s in (0, t)]),
        error=float(gap[head, at]),
        tolerance=float(allowed[head, at]),
    )


def _beside_published(slopes: Array, unit: float) -> str:
    """How the slopes are related to those of ALiBi."""
    name, count = recognised_slopes(slopes, unit), len(slopes)
    if name:
        return f": those of {name}"
    if count == 1:
        return ""
    known = np.array([m.to_float() for m in alibi_slopes(count)])
    if _same(np.sort(slopes), np.sort(known), unit):
        return f": those of alibi:heads={count}, in another order of heads"
    words = "; the published ones for as many heads are " + ", ".join(f"{m:.6g}" for m in known[:6])
    words += ", …" if count > 6 else ""
    ratios = slopes / known
    if ratios[0] != 0 and np.ptp(ratios) <= 1e-5 * abs(ratios[0]):
        words += f": each is {ratios[0]:.6g} times that"
    return words


def recognised_slopes(slopes: Array, unit: float) -> str:
    """The catalogue entry with these slopes, or ""."""
    known = np.array([m.to_float() for m in alibi_slopes(len(slopes))])
    return f"alibi:heads={len(slopes)}" if _same(slopes, known, unit) else ""


def _same(slopes: Array, known: Array, unit: float) -> bool:
    room = max(ROUNDINGS * FORMATS["float32"].unit_roundoff, 2.0 * unit) * np.abs(known)
    return bool((np.abs(slopes - known) <= room).all())


def sign(subject: BiasSubject, slopes: Array | None) -> Finding:
    """Whether far keys are favoured."""
    if slopes is None:
        return questions.SIGN.skipped("the bias is not linear in the lag")
    wrong = np.flatnonzero(slopes < 0)
    if not wrong.size:
        return questions.SIGN.consistent("no slope favours far keys")
    head = int(wrong[0])
    return questions.SIGN.refuted(
        f"{len(wrong)} of {len(slopes)} heads favour far keys",
        f"head {head}: b(t, s) - b(t, t) = {-slopes[head]:.6g} (t - s), which grows with the "
        "distance; a bias is usually m (s - t)",
        entries_of_bias(subject, [(9, 9), (9, 8), (9, 0)]),
    )


def offset(measured: MeasuredBias) -> Finding:
    """What is added at lag 0."""
    diagonal = np.einsum("hnn->hn", measured.values)
    largest = float(np.abs(diagonal[np.isfinite(diagonal)]).max(initial=0.0))
    words = "0 at lag 0" if largest <= measured.room else f"up to {largest:.6g} at lag 0"
    return questions.OFFSET.consistent(words, numbers={"largest": largest})


def against(
    subject: BiasSubject,
    measured: MeasuredBias,
    slopes: Array | None,
    declared: Encoding,
    spec: str,
) -> Finding:
    """The slopes against those of a declared encoding."""
    asked = questions.BIAS_AGAINST.of(spec or declared.name)
    line = entries_of_bias(subject, [(1, 1), (1, 0), (2, 0)])
    known = _declared_slopes(declared)
    if slopes is None:
        return asked.refuted(
            "it is no linear bias of the lag", f"slopes {known[:4]} are declared", line
        )
    if len(slopes) not in (len(known), 1) and len(set(slopes)) > 1:
        return asked.refuted(
            "the number of heads differs",
            f"{len(slopes)} heads were found, {len(known)} are declared",
            line,
        )
    if len(slopes) == len(known) and _same(slopes, np.array(known), measured.unit):
        return asked.consistent("the slopes are those declared, head by head")
    ours, theirs = np.sort(slopes), np.sort(known)
    if len(ours) == len(theirs) and _same(ours, theirs, measured.unit):
        order = [int(np.abs(np.array(known) - m).argmin()) for m in slopes]
        return asked.equivalent(
            f"because the heads are in another order: head h has the slope of head {order}",
            numbers={"order": order},
        )
    head = int(np.abs(np.resize(slopes, len(known)) - known).argmax())
    found = float(np.resize(slopes, len(known))[head])
    return asked.refuted(
        _slope_hint(slopes, np.array(known), measured.unit),
        f"head {head}: slope {found:.6g}, declared {known[head]:.6g}",
        line,
    )


def _declared_slopes(declared: Encoding) -> list[float]:
    slopes = []
    for head in declared.heads:
        if head.augmentation is None:
            raise SpecificationError(
                f"--against: {declared.name} has no additive bias; expected one such as "
                "alibi:heads=8"
            )
        at_one = head.augmentation.bias
        slopes.append(-float(at_one.ball({"t": arb(1)}, {}).real))
    return slopes


def _slope_hint(slopes: Array, known: Array, unit: float) -> str:
    if len(slopes) == len(known) and _same(-slopes, known, unit):
        return "the sign is the opposite: far keys get more weight"
    if len(slopes) > 2 and np.ptp(slopes[1:] / slopes[:-1]) < 1e-5:
        ratio = float(slopes[1] / slopes[0])
        return (
            f"they are geometric, from {slopes[0]:.6g} by factors {ratio:.6g}; the published ones "
            f"begin with {known[0]:.6g}, {known[1]:.6g}"
        )
    return "they differ"
