"""Of what a score is made: is it linear in q and in k, and what does it add that has neither?"""

from __future__ import annotations

from typing import Any

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.arithmetic import Arithmetic
from numeric_check.audit.bias_audit import audit_bias
from numeric_check.audit.finding import Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import alike
from numeric_check.audit.reproduce.scores import bias_of_score, sum_in_call
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


def one_sided(subject: ScoreSubject) -> tuple[str, ...]:
    """Which of q and k has a term of its own, that the other is not part of: as q·r(t − s)."""
    d, n = subject.dimension, len(SMALL)
    one = np.tile(np.cos(np.arange(1, d + 1, dtype=np.float64)), (n, 1))
    none = np.zeros((n, d))
    try:
        both = subject.apply(one, one, SMALL, SMALL)
        alone = {
            name: subject.apply(q, k, SMALL, SMALL) - subject.apply(none, none, SMALL, SMALL)
            for name, q, k in (("q", one, none), ("k", none, one))
        }
    except AuditError:
        return ()
    room = CLOSE * float(np.abs(both[np.isfinite(both)]).max(initial=1.0))
    return tuple(
        name for name, scores in alone.items() if (np.abs(scores) > room)[np.isfinite(scores)].any()
    )


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
