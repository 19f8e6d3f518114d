"""A score (q, k, positions) → (n, m): bilinear, relative, and of which generator?

M(t, s) is read off unit vectors: score = qᵀM(t, s)k + b(t, s). The generator comes from M(τ, 0), as
for a pair of maps with F(t) = M(t, 0)ᵀ and G = I. Relativity is asked of whole matrices of scores,
of vectors whose entries have nothing to do with each other: every pair of small positions, and a
grid of far ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.departures import operators
from numeric_check.audit.finding import AuditReport, Finding, Verdict
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norm
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.planes import Spectrum, spectrum
from numeric_check.audit.positions import (
    LAGS,
    LATTICE,
    LONG_LAGS,
    LONG_STARTS,
    SHIFTS,
    STANDARD,
    beginnings,
    with_neighbours,
)
from numeric_check.audit.probes import generator as generators
from numeric_check.audit.probes.group import group_law, initial
from numeric_check.audit.recognition import recognise
from numeric_check.audit.recovery import Recovered, recover
from numeric_check.audit.reproduce.scores import (
    score_in_call,
    scores_of_waves,
    term_of_waves,
    waves_in_call,
)
from numeric_check.audit.score_measurement import WAVES, measure, room_of, sizes, wave
from numeric_check.audit.score_parts import OneSided, additive, linear, one_sided
from numeric_check.audit.subject import ScoreSubject, StandIn
from numeric_check.audit.toeplitz import Entry, drifts, heat, shrunk_entry
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import AuditError

Case = tuple[Callable[[tuple[int, int], Sequence[int]], tuple[Array, Array]], tuple[int, int], str]
"""What gives scores of two waves at positions; the rates; of which of q and k alone, or ""."""
CALL = 1 << 20
"""Numbers of the queries or keys of one call."""
NEAR = 384
"""Every pair of positions below is judged."""
ROUNDINGS = 8.0
NEIGHBOURS = 8
"""Positions 0, 1, … of one call, as a shift of rows takes them."""
SINGLES = ((0, 0), (5, 2), (2, 5), (7, 7), (86, 85), (511, 0), (8193, 4095), (65536, 65536))


def audit_score(
    subject: ScoreSubject,
    declared: Encoding | None = None,
    *,
    spec: str = "",
    gain: float | None = None,
    strict: bool = False,
) -> AuditReport:
    """Every question about a score. Raises `AuditError` when it cannot be called."""
    measured = measure(subject)
    recovered = recover(measured)
    odd = _odd_positions(subject, measured, recovered)
    if odd:
        measured = measure(subject, odd)
        recovered = recover(measured)
    planes = spectrum(recovered)
    recognised = recognise(recovered, planes)
    if gain is None and declared is not None:
        gain = _attention_scale(measured, declared)
    context = Context(_stand_in(subject), measured, recovered, declared, gain, strict)
    bilinear = linear(subject, context.recovered.arithmetic)
    added, alone = additive(subject), one_sided(subject)
    more = added is not None or any(term.moves for term in alone)
    findings = [
        bilinear,
        _position(subject, context, more=more),
        _relative(subject, context, odd, alone),
    ]
    if bilinear.verdict is Verdict.REFUTED:
        asked = (questions.GAIN, questions.GROUP_LAW, questions.GENERATOR, questions.LAYOUT)
        findings += [q.skipped("the score is not linear in q and k") for q in asked]
        if declared is not None:
            of_spec = questions.AGAINST.of(spec or declared.name)
            findings.append(of_spec.undecided("the score is not linear in q and k"))
    else:
        findings += [
            initial(context),
            group_law(context),
            generators.generator(context, planes, recognised),
            _layout(planes),
        ]
        if declared is not None:
            findings.append(generators.against_if_it_fits(context, planes, recognised, spec))
    nothing = questions.ADDITIVE.skipped("nothing is added beside q and k")
    findings += [nothing if added is None else added, _alone(subject, context, alone)]
    conditions = {
        "kind": "score",
        "library": subject.library.name,
        "dimension": subject.dimension,
        "positions": [0, measured.reach],
        "measured_positions": len(measured.positions),
        "every_pair_below": NEAR,
        "every_few": [[LATTICE[1], p] for p in LATTICE if p <= measured.reach][-1:],
        "each_beside": [0, measured.reach],
        "refused": measured.refused,
        "arithmetic": str(recovered.arithmetic),
    }
    words = recognised.text if bilinear.verdict is not Verdict.REFUTED else "not linear in q and k"
    if alone and bilinear.verdict is not Verdict.REFUTED:
        still = recognised.spec.startswith("nope")
        words = "q^T k as it is" if still else words
        words += (
            f", and beside it a term of {' and one of '.join(term.side for term in alone)} alone"
        )
    if added is not None:
        words += f", and beside q and k {added.detail}"
    return AuditReport(subject.name, words, tuple(findings), conditions)


def _position(subject: ScoreSubject, context: Context, *, more: bool) -> Finding:
    """Whether anything moves with the position; `more` than qᵀM(t, s)k does where that does not."""
    asked, measured = questions.POSITION, context.measured
    declared = context.declared
    wanted = declared is None or any(
        not x.is_zero() for row in declared.heads[0].generator.matrix for x in row
    )
    room = ROUNDINGS * measured.arithmetic.constant(measured.dimension)
    start = measured.query[0]
    gaps = np.abs(measured.query[measured.finite] - start).max(initial=0.0)
    if not gaps <= room * np.abs(start).max() or more:
        return asked.consistent("the score depends on it")
    if not wanted:
        return asked.consistent("nothing depends on it, as declared")
    return asked.refuted(
        f"q^T k has the same matrix for every query from 0 to {measured.reach}",
        f"the scores at positions (0, 0) and ({measured.reach}, 0): equal for all q and k",
        scores_of_waves(subject, [(0, 0), (measured.reach, 0)], WAVES[0]),
    )


def _attention_scale(measured: Measurement, declared: Encoding) -> float | None:
    """c²/√d, if that is what A(0) shows: the scale of attention belongs to a score."""
    usual = declared.temperature.to_float() ** 2 / float(np.sqrt(measured.dimension))
    shown = float(np.trace(measured.pair(0, 0))) / measured.dimension
    room = ROUNDINGS * measured.arithmetic.constant(measured.dimension)
    return usual if abs(shown - usual) <= room * usual else None


def _odd_positions(
    subject: ScoreSubject, measured: Measurement, recovered: Recovered
) -> tuple[int, ...]:
    """Where queries beside key 0, or keys beside the last query, begin to leave exp(τX̂).

    With their neighbours. Every position is asked for; of keys only what queries do not explain,
    since a lag that is wrong shows on both sides.
    """
    if recovered.unrecovered or not recovered.parts:
        return ()
    last = measured.reach
    count = max(1, CALL // subject.dimension)
    sides: list[list[npt.NDArray[np.bool_]]] = [[], []]
    try:
        for start in range(0, last + 1, count):
            places = np.arange(start, min(start + count, last + 1))
            sides[0].append(_odd(subject, measured, recovered, places, np.zeros(1, dtype=np.int64)))
            sides[1].append(_odd(subject, measured, recovered, np.array([last]), places))
    except AuditError:  # it takes few positions at once
        return ()
    of_queries, of_keys = (np.concatenate(side) for side in sides)
    found = [*beginnings(of_queries), *beginnings(of_keys & ~of_queries[::-1])]
    return tuple(with_neighbours(found, last))


def _odd(
    subject: ScoreSubject,
    measured: Measurement,
    recovered: Recovered,
    t: npt.NDArray[np.int64],
    s: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """Which scores of two waves are not those of exp(τX̂), at queries t and keys s, one of them one.

    What was found to overflow, or is masked where nothing is expected, is not judged.
    """
    q, k = (wave(rate, subject.dimension) for rate in WAVES[0])
    queries, keys = np.tile(q, (len(t), 1)), np.tile(k, (len(s), 1))
    found = subject.apply(queries, keys, t, s) - subject.apply(0 * queries, keys, t, s)
    at = (t[:, None] - s[None]).ravel().astype(np.float64)
    right = np.zeros(len(at))
    for part in recovered.parts:
        group = list(part.channels)
        right += operators(part, at) @ (measured.pair(0, 0, group) @ k[group]) @ q[group]
    speed = max(p.frequency for p in recovered.parts)
    rate = max(p.rate for p in recovered.parts)
    size = max(len(p.channels) for p in recovered.parts)
    farthest = np.maximum(at, float(t.max()))
    room = 4.0 * recovered.arithmetic.tolerance(farthest, speed, rate, size)
    room += at * max(p.radius for p in recovered.parts)
    scale = norm(q[:, None]) * norm(k[:, None]) * sizes(measured, at)
    with np.errstate(all="ignore"):
        gap = np.abs(found.ravel() - right)
        return np.asarray(np.isfinite(right) & ~(gap <= room * scale))


def _stand_in(subject: ScoreSubject) -> StandIn:
    return StandIn(
        subject.name, subject.score, subject.score, subject.library, subject.dimension,
        score_subject=subject,
    )  # fmt: skip


def _layout(planes: Spectrum) -> Finding:
    if not planes.planes:
        return questions.LAYOUT.skipped("no plane turns")
    return questions.LAYOUT.consistent(planes.layout, numbers={"layout": planes.layout})


# -- relative ---------------------------------------------------------------------------------


def _asked_positions(measured: Measurement, odd: Sequence[int]) -> list[int]:
    """Small ones and far ones in one call, with the lags between the far ones."""
    far = {p for s in SHIFTS for p in (s, *(s + lag for lag in LAGS))} | set(STANDARD)
    between = {t - s for t in STANDARD for s in STANDARD if t >= s}
    long = {s + lag for s in (0, *LONG_STARTS) for lag in LONG_LAGS} | set(LONG_STARTS)
    every = {*range(NEAR), *far, *between, *long, *LATTICE, *odd}
    return sorted(p for p in every if p <= measured.reach)


def _relative(
    subject: ScoreSubject, context: Context, odd: Sequence[int], alone: Sequence[OneSided]
) -> Finding:
    """Of whole scores, and of each term of q or k alone, which a large product would hide."""
    asked, measured, d = questions.SCORE_RELATIVE, context.measured, subject.dimension
    positions = _asked_positions(measured, odd)
    at = np.array(positions, dtype=np.float64)
    whole = partial(_waves, subject, context, bool(alone))
    cases: list[Case] = [(whole, rates, "") for rates in WAVES]
    cases += [(term.values, rates, term.side) for term in alone for rates in WAVES]
    found: list[tuple[Entry, Case]] = []
    grid: list[tuple[int, int, float]] = []
    for case in cases:
        scores_of, rates, _ = case
        try:
            values, room = scores_of(rates, positions)
        except AuditError as error:
            return asked.undecided(str(error))
        judged = np.asarray(at[None] <= at[:, None]) if subject.causal else None
        worst, smallest = drifts(values, positions, room, judged)
        found += [(entry, case) for entry in (worst, smallest) if entry is not None]
        grid = grid or heat(values, positions, room, STANDARD)
    if not found:
        return asked.undecided("no two pairs with one lag gave finite scores")
    largest = max((entry for entry, _ in found), key=lambda entry: entry.ratio)
    failing = [f for f in found if f[0].ratio > 1.0]
    witness, line = "", ""
    if failing:
        shown, (scores_of, rates, side) = min(failing, key=lambda f: f[0].size)
        if max(shown.pair) >= NEAR:
            shown = shrunk_entry(shown, partial(scores_of, rates))
        (t, s), (u, v) = shown.pair, shown.base
        vectors = [
            f"{name} = cos({rate} i)" if side in ("", name) else f"{name} = 0"
            for name, rate in zip("qk", rates, strict=True)
        ]
        score = "score less that of q = k = 0" if side else "score"
        witness = (
            f"{', '.join(vectors)}, i = 1 to {d}: the {score} at positions "
            f"({t}, {s}) is {shown.values[0]:.6g}, at ({u}, {v}) {shown.values[1]:.6g}, with the "
            f"same lag {t - s}"
        )
        if s > t:
            witness += "; if keys after the query are masked, say that the score is causal"
        line = (
            term_of_waves(subject, [shown.pair, shown.base], rates, side)
            if side
            else _line_of_waves(subject, shown, rates)
        )
    return asked.judged(
        largest.error, largest.tolerance,
        detail=f"worst drift {largest.error:.1e} ({largest.tolerance:.1e} allowed) at "
        f"{largest.pair}",
        witness=witness, reproduce=line, numbers={"grid": grid},
    )  # fmt: skip


def _line_of_waves(subject: ScoreSubject, shown: Entry, rates: tuple[int, int]) -> str:
    """Each pair alone, or, where that shows nothing, in one call of a few positions."""
    pairs = [shown.pair, shown.base]
    few = sorted({p for pair in pairs for p in pair})
    calls = [few, list(range(few[-1] + 1))] if few[-1] < NEAR else [few]
    q, k = (wave(rate, subject.dimension)[None] for rate in rates)
    try:
        alone = [float(subject.apply(q, k, [t], [s])[0, 0]) for t, s in pairs]
        if abs(alone[0] - alone[1]) <= 0.5 * shown.tolerance:
            for call in calls:
                n = len(call)
                whole = subject.apply(np.tile(q, (n, 1)), np.tile(k, (n, 1)), call, call)
                at = [(call.index(t), call.index(s)) for t, s in pairs]
                if not abs(whole[at[0]] - whole[at[1]]) <= 0.5 * shown.tolerance:
                    return waves_in_call(subject, call, at, rates)
    except AuditError:  # it does not take these positions
        pass
    return scores_of_waves(subject, pairs, rates)


def _waves(
    subject: ScoreSubject,
    context: Context,
    more: bool,
    rates: tuple[int, int],
    positions: Sequence[int],
) -> tuple[Array, Array]:
    """Scores of two waves at every pair of positions, (1, n, n), and what each may lose."""
    q, k = (wave(rate, subject.dimension) for rate in rates)
    at, n = np.array(positions, dtype=np.float64), len(positions)
    values = subject.apply(np.tile(q, (n, 1)), np.tile(k, (n, 1)), positions, positions)
    lags = at[:, None] - at[None]
    size = norm(q[:, None]) * norm(k[:, None]) * sizes(context.measured, lags)
    return values[None], (4.0 * room_of(context, at, more=more) * size)[None]


def _alone(subject: ScoreSubject, context: Context, terms: Sequence[OneSided]) -> Finding:
    """A score in a matrix of many, and the same alone."""
    asked, measured, d = questions.SCORE_PREFILL, context.measured, subject.dimension
    pairs = [(t, s) for t, s in SINGLES if max(t, s) <= measured.reach]
    if subject.causal:
        pairs = [(t, s) for t, s in pairs if s <= t]
    scattered = sorted({p for pair in pairs for p in pair})
    worst, shown, positions = (0.0, 1.0), pairs[0], scattered
    try:
        for call in (scattered, list(range(NEIGHBOURS))):
            ones = np.ones((len(call), d))
            at = np.array(call, dtype=np.float64)
            room = 4.0 * room_of(context, at, more=bool(terms))
            whole = subject.apply(ones, ones, call, call)
            for t, s in ((t, s) for t, s in pairs if {t, s} <= set(call)):
                i, j = call.index(t), call.index(s)
                one = float(subject.apply(ones[:1], ones[:1], [t], [s])[0, 0])
                gap = 0.0 if one == whole[i, j] else abs(one - float(whole[i, j]))
                allowed = float(room[i, j]) * d * max(1.0, norm(measured.query[0]))
                if not gap / allowed <= worst[0] / worst[1]:
                    worst, shown, positions = (gap, allowed), (t, s), call
    except AuditError as error:
        return asked.undecided(str(error))
    i, j = (positions.index(p) for p in shown)
    return asked.judged(
        *worst,
        detail=f"worst difference {worst[0]:.1e} ({worst[1]:.1e} allowed)",
        witness=f"the score of ones at {shown}, alone and in a call with positions {positions}, "
        f"differs by {worst[0]:.2g}",
        reproduce=score_in_call(subject, positions, i, j),
    )
