"""The law `relativity`: F̂(t)q · Ĝ(s)k against qᵀA(t − s)k, with A evaluated at the lag itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numeric_check.laws.comparison import Comparison, Index, Indices, Mask
from numeric_check.laws.map_laws import Measured, MeasuredGroup
from numeric_check.laws.positions import Batch
from numeric_check.laws.result import Evidence, Where
from numeric_check.laws.subject import MapCall, Subject
from numeric_check.reference_values.double_double import Array, DoubleDouble
from numeric_check.reference_values.exact_map import VALUE_ERROR
from numeric_check.reference_values.tolerance import FORMATS, in_served_window, product_tolerance

FLOAT64 = FORMATS["float64"]


@dataclass(frozen=True)
class _Product:
    """score, scale ‖Feᵢ‖‖Geⱼ‖, tolerance: (H, pairs, B, C, C); inside: (H, pairs, B)."""

    score: Array
    scale: Array
    tolerance: Array
    inside: Mask


def check_relativity(
    subject: Subject, batch: Batch, dtype: str, query: Measured, key: Measured
) -> None:
    """Every entry F̂(t)eᵢ · Ĝ(s)eⱼ against A(t − s)ᵢⱼ, for the pairs of a batch."""
    pairs = np.array(batch.pairs, dtype=np.intp).reshape(-1, 2)
    parts = [
        _product(q, k, pairs[:, 0], pairs[:, 1])
        for q, k in zip(query.groups, key.groups, strict=True)
    ]
    if subject.plan.basis is None:
        for part, block in zip(parts, subject.exact.exponential(batch.lags), strict=True):
            _record(_Case(subject, batch, dtype, block.columns), part, block.value)
        return
    whole = subject.exact.operator(batch.lags)
    columns = np.arange(subject.dimension, dtype=np.intp)[None, :]
    _record(_Case(subject, batch, dtype, columns), _sum(parts), whole.value[:, :, None])


def _product(query: MeasuredGroup, key: MeasuredGroup, first: Indices, second: Indices) -> _Product:
    left, right = query.value[:, first], key.value[:, second]
    score = left.swapaxes(-1, -2) @ right
    left_size = query.size[:, first][..., :, None]
    right_size = key.size[:, second][..., None, :]
    scale = left_size * right_size
    tolerance = product_tolerance(
        left_size,
        query.tolerance[:, first][..., :, None],
        right_size,
        key.tolerance[:, second][..., None, :],
    )
    # The check's own dot product in float64, and the exact values.
    own = (left.shape[-2] + 1) * FLOAT64.unit_roundoff + VALUE_ERROR
    inside = query.inside[:, first] & key.inside[:, second]
    # Both sides may be served though their product overflows the check's own float64.
    inside &= in_served_window(query.growth[:, first] + key.growth[:, second], FLOAT64)
    return _Product(score, scale, tolerance + own * scale, inside)


def _sum(parts: list[_Product]) -> _Product:
    """With a basis every block contributes to every score."""

    def total(name: str) -> Array:
        summed: Array = np.sum(
            [np.sum(getattr(p, name), axis=2, keepdims=True) for p in parts], axis=0
        )
        return summed

    inside: Mask = np.all([p.inside.all(axis=2, keepdims=True) for p in parts], axis=0)
    return _Product(total("score"), total("scale"), total("tolerance"), inside)


@dataclass(frozen=True)
class _Case:
    """What evidence needs: index (head, pair, block, i, j) to channels and positions."""

    subject: Subject
    batch: Batch
    dtype: str
    columns: Indices

    def where(self, index: Index) -> Where:
        """Positions t and s."""
        positions = self.batch.positions_of(index[1])
        return self.subject.where(positions, self.batch.reference, index[0])

    def evidence(self, index: Index, expected: float) -> Evidence:
        """One score of two unit vectors."""
        subject, script = self.subject, self.subject.script
        head, pair, block, i, j = index
        sides, statements = [], []
        for side, name, slot, position in zip(
            ("query", "key"), "qp", (i, j), self.batch.positions_of(pair), strict=True
        ):
            call = MapCall(side, (position,), self.batch.reference, self.dtype)
            text = script.call(call, name, [position], subject.values)
            row = "0" if subject.heads == 1 else f"{head}, 0"
            sides.append(script.wide(f"{text}[{row}, :{subject.dimension}]"))
            channel = int(self.columns[block, slot])
            statements += script.unit(name, subject.shape(), channel, self.dtype)
        expression = f"float({sides[0]} @ {sides[1]})"
        return Evidence(self.where(index), script.line(statements, expression, expected))


def _record(case: _Case, product: _Product, exact: DoubleDouble) -> None:
    error = np.abs(exact.subtracted_from(product.score))
    expected = np.broadcast_to(exact.high, error.shape)
    found = Comparison.of(error, product.scale, product.tolerance, product.inside[..., None, None])
    ledger = case.subject.ledger
    found.record(
        ledger,
        "relativity",
        case.dtype,
        lambda index: case.evidence(index, float(expected[index])),
    )
    found.record_relative(ledger, "relative", case.dtype, case.where)
