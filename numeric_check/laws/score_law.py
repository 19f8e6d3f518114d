"""The law `score-mod`: the function for FlexAttention adds the bias to one score at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numeric_check.kernels.kernel import AnyArray, describe
from numeric_check.laws.bias_laws import BIAS_ROUNDINGS, bias_arguments, closed_form
from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import Subject, position_array
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import (
    FIRST_ORDER,
    FORMATS,
    TABLE_ROUNDINGS,
    underflow,
)

Number = int | float
LAW, DTYPE, NAME = "score-mod", "float32", "make_score_mod"
FORMAT, FLOAT64 = FORMATS[DTYPE], FORMATS["float64"]

QUERIES: tuple[Number, ...] = (1 << 20, 0, 7, 86, 4095, 131071, 12.25)
KEYS: tuple[Number, ...] = (0, 3, (1 << 20) - 1, 85, 4000, 7.5)
BATCHES = 3
SHARED_HEADS = 2
"""Head indices that a function without heads of its own is called with."""


@dataclass(frozen=True)
class _Places:
    """Every pair of positions for every head, each with the score 0 and with a random one.

    All arrays are (n,); head is the index that the function is given.
    """

    queries: tuple[Number, ...]
    keys: tuple[Number, ...]
    batch: AnyArray
    head: AnyArray
    query: AnyArray
    key: AnyArray
    score: AnyArray

    def pair(self, place: int) -> tuple[Number, Number]:
        """Query and key position."""
        return self.queries[self.query[place]], self.keys[self.key[place]]


def check_score_mod(subject: Subject) -> None:
    """make_score_mod(t, s)(score, b, h, i, j) = score + bias(tᵢ − sⱼ), for 0-d tensors."""
    if subject.kernel.target != "torch":
        return
    if not subject.kernel.has(NAME):
        if subject.plan.augmentations:
            _refute(subject, f"the encoding has an additive bias, and the file defines no {NAME}")
        return
    places = _places(subject)
    positions = position_array(places.queries), position_array(places.keys)
    indices = places.batch, places.head, places.query, places.key
    try:
        result = subject.kernel.score_mod(
            positions, places.score, indices, *bias_arguments(subject)
        )
    except Exception as error:
        _refute(subject, f"raised {describe(error)}")
        return
    if result.dtype != places.score.dtype or result.shape != places.score.shape:
        shape = result.shape[1:]
        _refute(subject, f"a score of {DTYPE} became {result.dtype} of shape {shape}")
        return
    _compare(subject, places, result)


def _places(subject: Subject) -> _Places:
    limit = subject.plan.encoding.domain.max_position
    queries = tuple(t for t in QUERIES if t <= limit)
    keys = tuple(s for s in KEYS if s <= limit)
    heads = subject.heads if subject.heads > 1 else SHARED_HEADS
    head, query, key, scored = (
        x.ravel() for x in np.indices((heads, len(queries), len(keys), 2), dtype=np.int32)
    )
    drawn = np.random.default_rng(subject.seed).standard_normal(head.size)
    score = np.where(scored == 1, drawn, 0.0).astype(np.float32)
    batch = (np.arange(head.size) % BATCHES).astype(np.int32)
    return _Places(queries, keys, batch, head, query, key, score)


def _compare(subject: Subject, places: _Places, result: AnyArray) -> None:
    m = len(places.keys)
    lags = [exact_number(t) - exact_number(s) for t in places.queries for s in places.keys]
    bias, magnitude = closed_form(subject, lags)
    pair = places.query * m + places.key
    own = places.head if subject.heads > 1 else np.zeros_like(places.head)
    size: Array = magnitude[own, pair]
    score = places.score.astype(np.float64)
    added = result.astype(np.float64) - score  # exact enough: float32 numbers in float64
    error = np.abs(bias[own, pair].subtracted_from(added))
    relative = BIAS_ROUNDINGS * FORMAT.unit_roundoff + TABLE_ROUNDINGS * FLOAT64.unit_roundoff
    final = FIRST_ORDER * FORMAT.unit_roundoff * (np.abs(score) + size)
    causal = subject.plan.encoding.domain.causal
    meant = np.array([lag >= 0 or not causal for lag in lags])[pair]

    def evidence(index: Index) -> Evidence:
        (place,) = index
        expected = float(score[place] + bias.high[own[place], pair[place]])
        where = subject.where(places.pair(place), None, int(places.head[place]), NAME)
        return Evidence(where, _line(subject, places, place, expected))

    Comparison.of(
        error,
        size,
        relative * size + final + underflow(FORMAT, 1),
        meant & (size < FORMAT.largest),
    ).record(subject.ledger, LAW, DTYPE, evidence)


def _line(subject: Subject, places: _Places, place: int, expected: object) -> str:
    script = subject.script
    queries, keys = (script.positions(p) for p in (places.queries, places.keys))
    given = [queries, keys, *map(repr, bias_arguments(subject))]
    score = f"torch.tensor({float(places.score[place])!r})"
    indices = [
        f"torch.tensor({int(x[place])})"
        for x in (places.batch, places.head, places.query, places.key)
    ]
    call = f"k.{NAME}({', '.join(given)})({', '.join([score, *indices])})"
    return script.line([], f"{call}.item()", expected)


def _refute(subject: Subject, reason: str) -> None:
    places = _places(subject)
    subject.ledger.record(
        LAW,
        DTYPE,
        np.inf,
        0.0,
        lambda: Evidence(
            subject.where(note=reason), _line(subject, places, 0, "score + bias, no exception")
        ),
    )
