"""Laws of `operator`: A(0) = I, the closed form, the group law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from numeric_check.laws.comparison import Comparison, Index, Mask, column_norms, worst_row
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import Subject
from numeric_check.reference_values.double_double import Array, DoubleDouble
from numeric_check.reference_values.exact_map import VALUE_ERROR
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import (
    FIRST_ORDER,
    FORMATS,
    in_served_window,
    underflow,
)

Number = int | float
DTYPE = "float64"
FLOAT64 = FORMATS[DTYPE]
LAGS: tuple[Number, ...] = (1, -1, 2, 85, 0.5, 1000.7, 4095, -4095, 131071, 1 << 20)
SUMS: tuple[tuple[Number, Number], ...] = (
    (1, 2),
    (85, -84),
    (0.5, 12.25),
    (4095, 4096),
    (65536, -65537),
    (131071, 1),
)
LARGE = 2**17
"""Entries of all heads above which fewer lags are taken (a dense basis counts 16 times)."""
FEW_LAGS: tuple[Number, ...] = (1, -1, 1000.7, 131071)
FEW_SUMS: tuple[tuple[Number, Number], ...] = ((1, -1), (131071, 1))


@dataclass(frozen=True)
class _Measured:
    """One lag: what was returned (HEADS, d, d), its majorant (H, d, d), ε (H, d), window (H, d)."""

    value: Array
    majorant: Array
    epsilon: Array
    inside: Mask

    @property
    def tolerance(self) -> Array:
        """Per column: ε·‖M eⱼ‖ + η."""
        result: Array = self.epsilon * column_norms(self.majorant) + underflow(FLOAT64, 1)
        return result


def check_operator(subject: Subject) -> None:
    """All three laws; the operator is float64 whatever the dtype of x."""
    limit = subject.plan.encoding.domain.max_position
    entries = subject.dimension**2 * subject.heads * (1 if subject.plan.basis is None else 16)
    few = entries > LARGE
    lags = [lag for lag in (FEW_LAGS if few else LAGS) if abs(lag) <= limit]
    sums = [s for s in (FEW_SUMS if few else SUMS) if all(abs(x) <= limit for x in s)]
    known: dict[Number, _Measured | None] = {}

    def at(lag: Number) -> _Measured | None:
        if lag not in known:
            known[lag] = _measure(subject, lag)
        return known[lag]

    for lag in (0, *lags):
        at(lag)
    for first, second in sums:
        parts = at(first), at(second), at(first + second)
        if parts[0] and parts[1] and parts[2]:
            _check_sum(subject, (first, second), (parts[0], parts[1], parts[2]))


def _measure(subject: Subject, lag: Number) -> _Measured | None:
    """Call at one lag and compare with the closed form (with I at 0)."""
    d, heads = subject.dimension, subject.heads
    result = subject.guarded(
        lambda: subject.kernel.operator(lag, *subject.values),
        DTYPE,
        lambda: subject.script.line([], _call(subject, lag), "no exception"),
        (d, d) if heads == 1 else (heads, d, d),
        exact_shape=True,
    )
    if result is None:
        return None
    found = str(result.dtype)
    subject.ledger.record(
        "dtype",
        DTYPE,
        float(found != DTYPE),
        0.0,
        lambda: Evidence(
            subject.where(note=f"operator returned {found}"),
            subject.script.line([], f"{_call(subject, lag)}.dtype", DTYPE),
        ),
    )
    value = result.astype(np.float64).reshape(heads, d, d)
    whole = subject.exact.operator([exact_number(lag)])
    roundings = 2 * subject.most_roundings(subject.exact.exponential([]))
    roundings += d if subject.plan.basis is not None else 0  # P·E·Q, however it is associated
    epsilon = (FIRST_ORDER * roundings + whole.loss[:, 0]) * FLOAT64.unit_roundoff + VALUE_ERROR
    measured = _Measured(
        value,
        whole.majorant[:, 0],
        epsilon,
        in_served_window(whole.growth[:, 0], FLOAT64),
    )
    exact = whole.value[:, 0]
    law = "operator" if lag else "initial-condition"
    _record(subject, law, measured, exact, (lag,))
    return measured


def _record(
    subject: Subject, law: str, measured: _Measured, exact: DoubleDouble, lag: tuple[Number]
) -> None:
    difference = exact.subtracted_from(measured.value)
    line = _line(subject, lag[0])

    def evidence(index: Index) -> Evidence:
        head, column = index
        row = worst_row(difference[head, :, column])
        expected = float(exact.high[min(head, len(exact.high) - 1), row, column])
        entry = (row, column) if subject.heads == 1 else (head, row, column)
        return Evidence(subject.where(lag, None, head, "operator"), line(entry, expected))

    Comparison.of(
        column_norms(difference), np.ones(()), measured.tolerance, measured.inside
    ).record(subject.ledger, law, DTYPE, evidence)


def _check_sum(
    subject: Subject,
    lags: tuple[Number, Number],
    parts: tuple[_Measured, _Measured, _Measured],
) -> None:
    first, second, both = parts
    difference = first.value @ second.value - both.value
    majorant = first.majorant @ second.majorant
    size = column_norms(majorant)
    rounding = (subject.dimension + 1) * FLOAT64.unit_roundoff
    epsilon = first.epsilon.max(axis=-1, keepdims=True) + second.epsilon + rounding
    tolerance = epsilon * size + both.tolerance
    inside = first.inside.all(axis=-1, keepdims=True) & second.inside & both.inside
    inside &= size < FLOAT64.largest / subject.dimension  # the product itself stays in range
    script = subject.script
    calls = [_call(subject, lag) for lag in (*lags, lags[0] + lags[1])]

    def evidence(index: Index) -> Evidence:
        head, column = index
        row = worst_row(difference[head, :, column])
        entry = (row, column) if subject.heads == 1 else (head, row, column)
        product = script.item(f"({calls[0]} @ {calls[1]})", entry)
        expected = float(both.value[head, row, column])
        where = subject.where(lags, None, head, f"against {script.item(calls[2], entry)}")
        return Evidence(where, script.line([], product, expected))

    Comparison.of(column_norms(difference), np.ones(()), tolerance, inside).record(
        subject.ledger, "group-law", DTYPE, evidence
    )


def _call(subject: Subject, lag: Number) -> str:
    arguments = [subject.script.number(lag), *(repr(x) for x in subject.values)]
    return f"k.operator({', '.join(arguments)})"


def _line(subject: Subject, lag: Number) -> Callable[[Index, float], str]:
    script = subject.script
    return lambda entry, expected: script.line(
        [], script.item(_call(subject, lag), entry), expected
    )
