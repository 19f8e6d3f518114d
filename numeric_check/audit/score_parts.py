"""Of what a score is made: is it linear in q and in k, and what does it add that has neither?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.arithmetic import Arithmetic
from numeric_check.audit.bias_audit import audit_bias
from numeric_check.audit.context import UNSEEN_FREQUENCY
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import alike
from numeric_check.audit.reproduce.scores import bias_of_score, sum_in_call
from numeric_check.audit.score_measurement import room, shown_arithmetic, wave
from numeric_check.audit.subject import BiasSubject, ScoreSubject
from symbolic_pe.errors import AuditError

ROUNDINGS = 8.0
QUERIES, KEYS = (7, 85), (3, 0)
CLOSE = 1e-5
"""Scores are taken for equal when they differ by less."""
SMALL = (0, 1, 2, 3, 7, 40, 85, 419)


def linear(subject: ScoreSubject, arithmetic: Arithmetic) -> Finding:
    """Sums of vectors against sums of scores; what it looks like where they differ."""
    random = np.random.default_rng(0)
    d = subject.dimension
    a, b, k = np.round(8 * random.standard_normal((3, 2, d))) / 8
    zero = np.zeros((2, d))

    def score(q: Array, k: Array) -> Array:
        return subject.apply(q, k, QUERIES, KEYS)

    left = score(a + b, k) - score(a, k) - score(b, k) + score(zero, k)
    right = score(k, a + b) - score(k, a) - score(k, b) + score(k, zero)
    size = float(np.abs(score(a, k)).max() + np.abs(score(b, k)).max()) + 1.0
    error = float(np.abs(np.concatenate([left, right])).max()) / size
    tolerance = ROUNDINGS * arithmetic.constant(d)
    of_key = bool(np.abs(right).max() > np.abs(left).max())
    detail = f"worst relative difference {error:.1e} ({tolerance:.1e} allowed)"
    if not error <= tolerance:
        detail = "; ".join([t for t in (_looks_like(subject, a, k),) if t] + [detail])
    return questions.BILINEAR.judged(
        error, tolerance,
        detail=detail,
        witness=f"positions {list(QUERIES)} and {list(KEYS)}: not linear in "
        f"{'k' if of_key else 'q'}, off by {error:.2g}",
        reproduce=sum_in_call(subject, QUERIES, KEYS, of_key=of_key),
    )  # fmt: skip


def _looks_like(subject: ScoreSubject, q: Array, k: Array) -> str:
    """Softmax, or a norm of q or k, as part of the callable."""
    plain = subject.apply(q, k, QUERIES, KEYS)
    if (plain >= 0).all() and np.allclose(plain.sum(axis=1), 1.0, rtol=CLOSE):
        return "each row adds up to 1, so softmax is part of it: audit the scores before softmax"
    still = [
        name
        for name, more in (("q", (2 * q, k)), ("k", (q, 2 * k)))
        if alike(subject.apply(*more, QUERIES, KEYS), plain, CLOSE)
    ]
    if still:
        return (
            f"it does not change when {' or '.join(still)} is doubled, so normalisation is part of "
            "it: audit what comes after the norms"
        )
    return ""


@dataclass(frozen=True)
class OneSided:
    """A term that has one of q and k in it and not the other, as q·r(t − s).

    side        "q" or "k"
    moves       whether it depends on positions
    arithmetic  what its entries show
    size        the largest at small positions
    """

    subject: ScoreSubject
    side: str
    moves: bool
    arithmetic: Arithmetic
    size: float

    def values(self, rates: tuple[int, int], positions: Sequence[int]) -> tuple[Array, Array]:
        """The term of a wave at every pair of positions, (1, n, n), and what each may lose."""
        n = len(positions)
        one = wave(rates[self.side == "k"], self.subject.dimension)
        with_it, without = _beside_zero(self.subject, self.side, np.tile(one, (n, 1)), positions)
        at = np.array(positions, dtype=np.float64)
        with np.errstate(all="ignore"):
            term = np.where(np.isfinite(without), with_it - without, with_it)
            scale = self.size + np.abs(with_it) + np.abs(without)
        lost = room(self.arithmetic, at, UNSEEN_FREQUENCY, 0.0, min(self.subject.dimension, 64))
        return term[None], (4.0 * lost * np.where(np.isfinite(scale), scale, 0.0))[None]


def _beside_zero(
    subject: ScoreSubject, side: str, x: Array, positions: Sequence[int]
) -> tuple[Array, Array]:
    """Scores of rows of q and k = 0, or of the keys k and q = 0; and of q = k = 0."""
    none = np.zeros((len(positions), subject.dimension))
    q, k = (x, none) if side == "q" else (none, x)
    return (
        subject.apply(q, k, positions, positions),
        subject.apply(none, none, positions, positions),
    )


def one_sided(subject: ScoreSubject) -> tuple[OneSided, ...]:
    """The terms that have one of q and k in them alone."""
    d, n = subject.dimension, len(SMALL)
    one = np.tile(wave(1, d), (n, 1))
    found = []
    try:
        for side in ("q", "k"):
            with_it, without = _beside_zero(subject, side, one, SMALL)
            with np.errstate(all="ignore"):
                term = with_it - without
            kept = term[np.isfinite(term)]
            size = float(np.abs(kept).max(initial=0.0))
            beside = float(np.abs(without[np.isfinite(without)]).max(initial=0.0))
            if size > CLOSE * beside:
                moves = bool(np.ptp(kept) > CLOSE * (size + beside))
                found.append(OneSided(subject, side, moves, _shown(subject, side), size))
    except AuditError:
        return ()
    return tuple(found)


def _shown(subject: ScoreSubject, side: str) -> Arithmetic:
    """What the term of unit vectors shows at small positions, beside position 0."""
    d = subject.dimension
    x, none = np.concatenate([np.eye(d), np.zeros((1, d))]), np.zeros((1, d))
    units = []
    for p in SMALL:
        many, one = [p if side == "q" else 0] * len(x), [0 if side == "q" else p]
        if side == "q":
            scores = subject.apply(x, none, many, one)[:, 0]
        else:
            scores = subject.apply(none, x, one, many)[0]
        units.append(scores[:-1] - scores[-1])
    return shown_arithmetic(np.stack(units), subject)


def additive(subject: ScoreSubject) -> Finding | None:
    """What is added that has neither q nor k in it, judged as a bias; None where nothing is."""

    def bias(t: Any, s: Any) -> Any:
        lead = (1,) * {"flat": 0, "rows": 1, "heads": 2}[subject.form]
        q, k = (
            subject.library.floats(np.zeros((*lead, len(p), subject.dimension)), "float64")
            for p in (t, s)
        )
        return subject.score(q, k, t, s)

    of_zero = BiasSubject(
        subject.name, bias, subject.library, subject.causal, subject.position_dtype,
        origin=bias_of_score(subject),
    )  # fmt: skip
    asked = questions.ADDITIVE
    try:
        some = of_zero.apply(SMALL, SMALL)
        kept = some[:, np.tril_indices(len(SMALL))[0], np.tril_indices(len(SMALL))[1]]
        if not np.isfinite(kept).any() or not np.ptp(kept[np.isfinite(kept)]) > 0.0:
            return None
        report = audit_bias(of_zero)
    except AuditError as error:
        return asked.undecided(str(error))
    if report.refuted:
        first = report.refuted[0]
        return asked.refuted(f"{first.question}: {first.detail}", first.witness, first.reproduce)
    return asked.consistent(report.summary)
