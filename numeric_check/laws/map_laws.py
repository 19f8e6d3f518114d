"""The laws `query-map` and `key-map`: each map against its exact map, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from numeric_check.laws.comparison import Comparison, Index, Mask, column_norms
from numeric_check.laws.positions import Batch
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import MapCall, Subject, format_of
from numeric_check.reference_values.double_double import Array, DoubleDouble, contract
from numeric_check.reference_values.exact_map import VALUE_ERROR, BlockArray
from numeric_check.reference_values.tolerance import (
    FORMATS,
    in_served_window,
    relative_tolerance,
    split_tolerance,
    underflow,
)

FLOAT64 = FORMATS["float64"]
RANDOM_VECTORS = 2


@dataclass(frozen=True)
class MeasuredGroup:
    """The blocks of one group as a kernel returned them, with sizes and tolerances.

    value      (HEADS, n, B, S, C), what the kernel returned for unit vectors
    size       (H, n, B, C), norms of the columns of the majorant
    tolerance  (H, n, B, C)
    growth     (H, n, B), see `BlockArray`
    inside     (H, n, B), the served window
    """

    value: Array
    size: Array
    tolerance: Array
    growth: Array
    inside: Mask


@dataclass(frozen=True)
class Measured:
    """One side at one batch: its groups, and the constant coordinates (p, HEADS, n, k)."""

    groups: tuple[MeasuredGroup, ...]
    added: Array


def probes(subject: Subject) -> Array:
    """Vectors that isolate columns: one unit per block at once, or all units with a basis.

    Without a basis no block reads another's channels (`structure_laws` checks that), so probe i
    is the sum over blocks of the unit vector of slot i.
    """
    d = subject.dimension
    if subject.plan.basis is not None:
        return np.eye(d)
    blocks = subject.exact.exponential([])
    vectors = np.zeros((max(b.columns.shape[1] for b in blocks), d))
    for b in blocks:
        for slot in range(b.columns.shape[1]):
            vectors[slot, b.columns[:, slot]] = 1.0
    return vectors


def measure_map(
    subject: Subject, call: MapCall, exact: Sequence[BlockArray], vectors: Array
) -> Measured | None:
    """Call one map, record it against the exact one, and keep what it returned."""
    random = np.stack([subject.random_vector(i, call.dtype) for i in range(RANDOM_VECTORS)])
    both = subject.map(call, np.concatenate([vectors, random]))
    if both is None:
        return None
    result, images = both[: len(vectors)], both[len(vectors) :]
    parts = []
    for block in exact:
        width = block.columns.shape[1]
        value = np.moveaxis(result[..., block.rows], 0, -1)[..., :width]
        size = column_norms(block.majorant)
        part = MeasuredGroup(
            value,
            size,
            map_tolerance(subject, block, size, call.dtype),
            block.growth,
            in_served_window(block.growth, format_of(call.dtype)),
        )
        _record_map(subject, call, block, part)
        _record_random(subject, call, block, (random, images[..., block.rows]))
        parts.append(part)
    return Measured(tuple(parts), result[..., subject.dimension :])


def map_tolerance(subject: Subject, block: BlockArray, size: Array, dtype: str) -> Array:
    """(m·u_c + u_o + κ·2⁻⁵³)·size + η, see `tolerance`."""
    format_, roundings = format_of(dtype), subject.roundings(block)
    relative = (
        relative_tolerance(format_, roundings) + block.loss * FLOAT64.unit_roundoff + VALUE_ERROR
    )
    result: Array = relative[..., None] * size + underflow(format_, roundings)
    return result


def _record_map(subject: Subject, call: MapCall, block: BlockArray, part: MeasuredGroup) -> None:
    error = column_norms(block.value.subtracted_from(part.value))
    found = Comparison.of(error, part.size, part.tolerance, part.inside[..., None])
    found.record(
        subject.ledger,
        call.law,
        call.dtype,
        lambda index: locate_map(subject, call, call.positions[index[1]], index[0]),
    )
    found.record_relative(
        subject.ledger,
        "map",
        call.dtype,
        lambda index: subject.where(
            [call.positions[index[1]]], call.reference, index[0], call.name
        ),
    )


def _record_random(
    subject: Subject, call: MapCall, block: BlockArray, measured: tuple[Array, Array]
) -> None:
    """‖ŷ − y‖ for random x: here arithmetic in a format that is too small shows.

    The images of unit vectors need one product each; of a random vector, all of them.
    """
    vectors, images = measured
    x = np.moveaxis(vectors[:, block.columns], 0, -1)  # (B, C, r)
    exact = contract(block.value, DoubleDouble(x, np.zeros_like(x)))
    difference = exact.subtracted_from(np.moveaxis(images, 0, -1))
    format_ = format_of(call.dtype)
    compute, output = split_tolerance(format_, subject.roundings(block))
    relative = compute + block.loss * FLOAT64.unit_roundoff + VALUE_ERROR
    size = column_norms(block.majorant @ np.abs(x))
    lost = underflow(format_, subject.roundings(block)) * (1 + np.abs(x).sum(axis=-2))
    tolerance = relative[..., None] * size + output * column_norms(exact.high) + lost

    def evidence(index: Index) -> Evidence:
        head, place, b, vector = index
        column = np.abs(difference[head, place, b, :, vector])
        row = int(np.argmax(np.where(np.isnan(column), np.inf, column)))
        h = min(head, len(exact.high) - 1)
        expected = float(exact.high[h, place, b, row, vector])
        channel = int(block.rows[b, row])
        return subject.random_evidence(call, vector, (head, place, channel), expected)

    inside = in_served_window(block.growth, format_)[..., None]
    Comparison.of(column_norms(difference), size, tolerance, inside).record(
        subject.ledger, call.law, call.dtype, evidence
    )


def locate_map(subject: Subject, call: MapCall, position: float, head: int) -> Evidence:
    """Find the worst single entry by feeding unit vectors at one position; spell it."""
    one = MapCall(call.side, (position,), call.reference, call.dtype)
    batch = Batch(call.reference, (position,), ())
    exact = subject.exact.query if call.side == "query" else subject.exact.key
    whole = subject.exact.whole(exact(batch.displacements), 1)
    where = subject.where([position], call.reference, head, call.name)
    result = subject.map(one, np.eye(subject.dimension))
    if result is None:
        return Evidence(where, "the call that was measured failed when it was repeated")
    h = min(head, whole.value.high.shape[0] - 1)
    measured = result[:, head, 0, : subject.dimension].T
    error = np.abs(whole.value[h, 0].subtracted_from(measured))
    served = in_served_window(whole.growth[h, 0], format_of(call.dtype))
    error = np.where(np.isnan(error), np.inf, error) * np.where(served, 1.0, 0.0)[:, None]
    error = np.where(np.isnan(error), 0.0, error)
    i, j = (int(x) for x in np.unravel_index(int(np.argmax(error)), error.shape))
    script = subject.script
    x = script.unit("x", subject.shape(), j, call.dtype)
    entry = (0, i) if subject.heads == 1 else (head, 0, i)
    expression = script.item(script.call(call, "x", [position], subject.values), entry)
    expected = float(whole.value.high[h, 0, i, j])
    return Evidence(where, script.line(x, expression, expected))
