"""The law `decay-form`: A(τ) = decay(τ)·B(τ), with `rotate` applying B on either side.

Each factor is held to its own closed form: a fault of one cannot hide in the product.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import DTYPE_OF
from numeric_check.laws.comparison import Comparison, Index, column_norms, worst_row
from numeric_check.laws.map_laws import FLOAT64, RANDOM_VECTORS, map_tolerance, probes
from numeric_check.laws.positions import FRACTIONAL, STANDARD
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import Subject, position_array
from numeric_check.reference_values.double_double import Array, DoubleDouble, contract
from numeric_check.reference_values.exact_map import VALUE_ERROR, BlockArray, ExactMap
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import (
    FORMATS,
    exponent_error,
    relative_tolerance,
    underflow,
)
from symbolic_pe.algebra.scalar import ZERO, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector

Number = int | float
BITS = 192
QUERIES: tuple[Number, ...] = (0, 1, 2, 85, 511, 4095, 4097, 131071, 1 << 20)
KEYS: tuple[Number, ...] = (0, 1, 86, 510, 4096, 131070, (1 << 20) - 1, 1 << 20)
REAL_QUERIES: tuple[Number, ...] = (0, 0.5, 12.25, 1000.7)
REAL_KEYS: tuple[Number, ...] = (0.25, 0.5, 12.5)
LAW = "decay-form"
DECAY_ROUNDINGS = 2
"""The exponential and its rounding to the dtype of the result."""


def check_decay_form(subject: Subject) -> None:
    """Both factors against their closed forms, at any range."""
    if subject.plan.uniform_decay is None:
        return
    limit = subject.plan.encoding.domain.max_position
    if _has(subject, "decay"):
        for queries, keys in ((QUERIES, KEYS), (REAL_QUERIES, REAL_KEYS)):
            _check_decay(
                subject,
                tuple(t for t in queries if t <= limit),
                tuple(s for s in keys if s <= limit),
            )
    if _has(subject, "rotate"):
        bare = replace(subject, exact=ExactMap(without_decay(subject.plan)))
        whole = tuple(p for p in (*STANDARD, -511, -65536) if abs(p) <= limit)
        for dtype in subject.dtypes:
            _check_rotate(bare, whole, dtype)
            _check_rotate(bare, FRACTIONAL, dtype)


def _has(subject: Subject, name: str) -> bool:
    """Whether the file offers a function that it should; if not, that refutes."""
    if subject.kernel.has(name):
        return True
    note = f"every block decays at the rate of its head, and the file defines no function {name}"
    line = subject.script.line([], f"k.{name}", "a function")
    subject.ledger.record(
        LAW, "float64", np.inf, 0.0, lambda: Evidence(subject.where(note=note), line)
    )
    return False


def without_decay(plan: KernelPlan) -> KernelPlan:
    """The plan of B(τ): every rate replaced by 0."""
    groups = []
    for g in plan.groups:
        if isinstance(g, BlockGroup):
            zero = Vector(tuple(tuple(ZERO for _ in row) for row in g.rate.rows))
            groups.append(replace(g, rate=zero))
    return replace(plan, groups=tuple(groups))


def _check_rotate(subject: Subject, positions: tuple[Number, ...], dtype: str) -> None:
    """rotate(x, p) = B(p)ᵀx for the unit vectors of each block, and for random vectors."""
    units = probes(subject)
    random = np.stack([subject.random_vector(i, dtype) for i in range(RANDOM_VECTORS)])
    scales = subject.scales((subject.heads, len(positions)))
    both = np.concatenate([units, random])[:, None, None, :]
    x = np.broadcast_to(both, (len(both), *scales.shape, subject.dimension)).copy()
    x[len(units) :] *= scales[..., None]
    x = x.astype(DTYPE_OF[dtype])
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
    found = str(result.dtype)
    subject.ledger.record(
        "dtype",
        dtype,
        float(found != dtype),
        0.0,
        lambda: Evidence(
            subject.where(note=f"rotate of {dtype} returned {found}"),
            _rotate_line(subject, positions[0], (0, 0, 0), dtype, 0.0),
        ),
    )
    wide = result.astype(np.float64)
    wide = wide[:, None] if subject.heads == 1 else wide
    images = wide[len(units) :] / scales[..., None]
    for block in subject.exact.query([exact_number(p) for p in positions]):
        value = np.moveaxis(wide[: len(units)][..., block.rows], 0, -1)
        difference = block.value.subtracted_from(value[..., : block.columns.shape[1]])
        _record_rotate(subject, dtype, positions, block, difference)
        _record_random(subject, dtype, positions, block, (random, images[..., block.rows]))


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
        row = worst_row(difference[head, place, b, :, slot])
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


def _record_random(
    subject: Subject,
    dtype: str,
    positions: tuple[Number, ...],
    block: BlockArray,
    measured: tuple[Array, Array],
) -> None:
    """Random vectors, scaled differently for every head and position: no row reads another."""
    vectors, images = measured
    x = np.moveaxis(vectors[:, block.columns], 0, -1)  # (B, C, r)
    exact = contract(block.value, DoubleDouble(x, np.zeros_like(x)))
    difference = exact.subtracted_from(np.moveaxis(images, 0, -1))
    size = column_norms(block.majorant @ np.abs(x))
    lost = 2 * underflow(FORMATS[dtype], subject.roundings(block))  # scales are 1/2 or more
    tolerance = map_tolerance(subject, block, size, dtype) + lost * (1 + np.abs(x).sum(axis=-2))

    def evidence(index: Index) -> Evidence:
        head, place, b, vector = index
        row = worst_row(difference[head, place, b, :, vector])
        expected = float(exact.high[min(head, len(exact.high) - 1), place, b, row, vector])
        script, channel = subject.script, int(block.rows[b, row])
        entry = (0, channel) if subject.heads == 1 else (head, 0, channel)
        call = script.item(f"k.rotate(x, {script.positions([positions[place]])})", entry)
        line = script.line(subject.random_statements(vector, dtype), call, expected)
        where = subject.where([positions[place]], None, head, "rotate of a random vector")
        return Evidence(where, line)

    Comparison.of(column_norms(difference), size, tolerance, np.ones((), dtype=np.bool_)).record(
        subject.ledger, LAW, dtype, evidence
    )


def _check_decay(subject: Subject, queries: tuple[Number, ...], keys: tuple[Number, ...]) -> None:
    """decay(t, s) = e^{a(t − s)} for every pair; exactly 0 before t = s on a causal domain."""
    pairs = [(t, s) for t in queries for s in keys]
    shape = (len(queries), len(keys))
    result = subject.guarded(
        lambda: subject.kernel.decay(position_array(queries), position_array(keys)),
        "float64",
        lambda: _decay_line(subject, pairs[0], 0, 1.0),
        shape if subject.heads == 1 else (subject.heads, *shape),
        exact_shape=True,
    )
    if result is None:
        return
    format_ = FORMATS[str(result.dtype)]
    value = result.astype(np.float64).reshape(subject.heads, len(pairs))
    lags = [exact_number(t) - exact_number(s) for t, s in pairs]
    exact, loss = _exponentials(subject, lags)
    size = exact.high
    tolerance = size * (
        relative_tolerance(format_, DECAY_ROUNDINGS) + loss * FLOAT64.unit_roundoff + VALUE_ERROR
    ) + underflow(format_, DECAY_ROUNDINGS)
    error = np.abs(exact.subtracted_from(value))
    inside = size < format_.largest
    causal = subject.plan.encoding.domain.causal
    masked = np.array([causal and lag < 0 for lag in lags])
    error, tolerance = np.where(masked, np.abs(value), error), np.where(masked, 0.0, tolerance)

    def evidence(index: Index) -> Evidence:
        head, place = index
        expected = 0.0 if masked[place] else float(size[index])
        line = _decay_line(subject, pairs[place], head, expected)
        return Evidence(subject.where(pairs[place], None, head, "decay"), line)

    Comparison.of(error, size, tolerance, inside | masked).record(
        subject.ledger, LAW, "float64", evidence
    )


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
