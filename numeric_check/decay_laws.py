"""The law `decay-form`: A(τ) = decay(τ)·B(τ), with `rotate` applying B on either side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flint import arb, fmpq

from numeric_check.comparison import Comparison, Index, column_norms
from numeric_check.double_double import Array, DoubleDouble
from numeric_check.exact_map import VALUE_ERROR, BlockArray, ExactMap
from numeric_check.exact_number import exact_number
from numeric_check.kernel import DTYPE_OF
from numeric_check.map_laws import FLOAT64, map_tolerance, probes
from numeric_check.positions import STANDARD
from numeric_check.result import Evidence
from numeric_check.subject import Subject, position_array
from numeric_check.tolerance import FORMATS, exponent_error, relative_tolerance, underflow
from symbolic_pe.algebra.scalar import ZERO, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector

Number = int | float
BITS = 192
LAGS: tuple[Number, ...] = (0, 1, 2, 85, 511, 4095, 131071)
SHIFTS: tuple[Number, ...] = (0, 4096, 1 << 20)
LAW = "decay-form"
DECAY_ROUNDINGS = 2
"""The exponential and its rounding to the dtype of the result."""


def check_decay_form(subject: Subject) -> None:
    """Both factors against their closed forms, at any range."""
    if subject.plan.uniform_decay is None:
        return
    if subject.kernel.has("decay"):
        _check_decay(subject)
    if subject.kernel.has("rotate"):
        bare = without_decay(subject.plan)
        for dtype in subject.dtypes:
            _check_rotate(replace(subject, exact=ExactMap(bare)), dtype)


def without_decay(plan: KernelPlan) -> KernelPlan:
    """The plan of B(τ): every rate replaced by 0."""
    groups = []
    for g in plan.groups:
        if isinstance(g, BlockGroup):
            zero = Vector(tuple(tuple(ZERO for _ in row) for row in g.rate.rows))
            groups.append(replace(g, rate=zero))
    return replace(plan, groups=tuple(groups))


def _check_rotate(subject: Subject, dtype: str) -> None:
    limit = subject.plan.encoding.domain.max_position
    positions = tuple(p for p in (*STANDARD, -511, -65536) if abs(p) <= limit)
    vectors = probes(subject)
    n = len(positions)
    x = np.broadcast_to(
        vectors[:, None, None, :], (len(vectors), subject.heads, n, subject.dimension)
    ).astype(DTYPE_OF[dtype])
    x = x[:, 0] if subject.heads == 1 else x
    result = subject.guarded(
        lambda: subject.kernel.rotate(x, position_array(positions)),
        dtype,
        lambda: _rotate_line(subject, positions[0], (0, 0, 0), dtype, 0.0),
        x.shape,
        exact_shape=True,
    )
    if result is None:
        return
    wide = result.astype(np.float64)
    wide = wide[:, None] if subject.heads == 1 else wide
    for block in subject.exact.query([exact_number(p) for p in positions]):
        value = np.moveaxis(wide[..., block.rows], 0, -1)[..., : block.columns.shape[1]]
        difference = block.value.subtracted_from(value)

        _record_rotate(subject, dtype, positions, block, difference)


def _record_rotate(
    subject: Subject,
    dtype: str,
    positions: tuple[Number, ...],
    block: BlockArray,
    difference: Array,
) -> None:
    size = column_norms(block.majorant)
    exact = block.value.high

    def evidence(index: Index) -> Evidence:
        head, place, b, slot = index
        column = np.abs(difference[head, place, b, :, slot])
        row = int(np.argmax(np.where(np.isnan(column), np.inf, column)))
        expected = float(exact[min(head, len(exact) - 1), place, b, row, slot])
        entry = (head, int(block.rows[b, row]), int(block.columns[b, slot]))
        line = _rotate_line(subject, positions[place], entry, dtype, expected)
        return Evidence(subject.where([positions[place]], None, head, "rotate"), line)

    Comparison.of(
        column_norms(difference),
        size,
        map_tolerance(subject, block, size, dtype),
        np.ones((), dtype=np.bool_),
    ).record(subject.ledger, LAW, dtype, evidence)


def _check_decay(subject: Subject) -> None:
    """decay(t, s) = e^{a(t − s)}, each pair (t, s) on the diagonal of one call."""
    limit = subject.plan.encoding.domain.max_position
    pairs = [(s + lag, s) for s in SHIFTS for lag in LAGS if s + lag <= limit]
    n = len(pairs)
    queries, keys = (position_array([p[i] for p in pairs]) for i in (0, 1))
    result = subject.guarded(
        lambda: subject.kernel.decay(queries, keys),
        "float64",
        lambda: _decay_line(subject, pairs[0], 0, 1.0),
        (n, n) if subject.heads == 1 else (subject.heads, n, n),
        exact_shape=True,
    )
    if result is None:
        return
    format_ = FORMATS[str(result.dtype)]
    value = np.diagonal(result.astype(np.float64).reshape(subject.heads, n, n), axis1=1, axis2=2)
    lags = [exact_number(t) - exact_number(s) for t, s in pairs]
    exact, loss = _exponentials(subject, lags)
    size = exact.high
    tolerance = size * (
        relative_tolerance(format_, DECAY_ROUNDINGS) + loss * FLOAT64.unit_roundoff + VALUE_ERROR
    ) + underflow(format_, DECAY_ROUNDINGS)
    error = np.abs(exact.subtracted_from(value))
    inside = size < format_.largest

    def evidence(index: Index) -> Evidence:
        head, place = index
        line = _decay_line(subject, pairs[place], head, float(size[index]))
        return Evidence(subject.where(pairs[place], None, head, "decay"), line)

    Comparison.of(error, size, tolerance, inside).record(subject.ledger, LAW, "float64", evidence)


def _exponentials(subject: Subject, lags: list[fmpq]) -> tuple[DoubleDouble, Array]:
    rates = subject.plan.uniform_decay or ()
    with precision(BITS):
        balls = [(rate.ball({}) * arb(lag)).exp() for rate in rates for lag in lags]
        exact = DoubleDouble.from_balls(balls, (len(rates), len(lags)))
        tau = np.array([float(arb(lag)) for lag in lags])
    values = np.array([rate.to_float() for rate in rates])[:, None]
    return exact, exponent_error(values, tau)


def _decay_line(subject: Subject, pair: tuple[Number, Number], head: int, expected: float) -> str:
    script = subject.script
    call = f"k.decay({script.positions(pair[:1])}, {script.positions(pair[1:])})"
    entry = (0, 0) if subject.heads == 1 else (head, 0, 0)
    return script.line([], script.item(call, entry), expected)


def _rotate_line(
    subject: Subject, position: Number, entry: tuple[int, int, int], dtype: str, expected: float
) -> str:
    script = subject.script
    head, row, column = entry
    x = script.unit("x", subject.shape(), column, dtype)
    index = (0, row) if subject.heads == 1 else (head, 0, row)
    call = f"k.rotate(x, {script.positions([position])})"
    return script.line(x, script.item(call, index), expected)
