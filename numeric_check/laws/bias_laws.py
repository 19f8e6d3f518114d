"""The law `bias`: the function, and the constant coordinates that realise it in the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flint import acb, arb, fmpq

from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.map_laws import Measured
from numeric_check.laws.positions import Batch
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import MapCall, Subject, format_of, position_array
from numeric_check.reference_values.double_double import Array, DoubleDouble
from numeric_check.reference_values.exact_number import exact_number, parameter_balls
from numeric_check.reference_values.tolerance import (
    FORMATS,
    FREQUENCY_ROUNDINGS,
    TABLE_ROUNDINGS,
    in_served_window,
    relative_tolerance,
    underflow,
)
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import KernelPlan

Number = int | float
BITS = 192
FLOAT64 = FORMATS["float64"]
BIAS_ROUNDINGS = 4
"""Constant, power, exponential or wave, product and sum of each term of a bias."""

QUERIES: tuple[Number, ...] = (0, 1, 7.25, 85, 4095, 65536, 131071, 1 << 20)
KEYS: tuple[Number, ...] = (0, 1, 3.5, 84, 4000, 65536, 131070, (1 << 20) - 1)


def check_bias_function(subject: Subject) -> None:
    """bias(t, s) against the closed form at t − s, exactly as declared."""
    augmentations = subject.plan.augmentations
    if not augmentations:
        return
    limit = subject.plan.encoding.domain.max_position
    queries = [t for t in QUERIES if t <= limit]
    keys = [s for s in KEYS if s <= limit]
    if not subject.kernel.has("bias"):
        note = "the encoding has an additive bias, and the file defines no function bias"
        subject.ledger.record(
            "bias",
            "float64",
            np.inf,
            0.0,
            lambda: Evidence(subject.where(note=note), _line(subject, 0, 0, None, 0.0)),
        )
        return
    shape = (len(queries), len(keys))
    result = subject.guarded(
        lambda: subject.kernel.bias(
            position_array(queries), position_array(keys), *bias_arguments(subject)
        ),
        "float64",
        lambda: _line(subject, queries[0], keys[0], 0, 0.0),
        shape if subject.heads == 1 else (subject.heads, *shape),
        exact_shape=True,
    )
    if result is None:
        return
    lags = [exact_number(t) - exact_number(s) for t in queries for s in keys]
    exact, size = closed_form(subject, lags)
    value = result.astype(np.float64).reshape(subject.heads, len(lags))
    format_ = FORMATS[str(result.dtype)]
    roundings = BIAS_ROUNDINGS * format_.unit_roundoff + TABLE_ROUNDINGS * FLOAT64.unit_roundoff
    error = np.abs(exact.subtracted_from(value))
    causal = subject.plan.encoding.domain.causal
    meant = np.array([lag >= 0 or not causal for lag in lags])

    def evidence(index: Index) -> Evidence:
        head, pair = index
        t, s = queries[pair // len(keys)], keys[pair % len(keys)]
        line = _line(subject, t, s, head, float(exact.high[head, pair]))
        return Evidence(subject.where([t, s], None, head, "function bias"), line)

    lost = _lost_in_angles(subject, np.array([float(arb(lag)) for lag in lags]))
    tolerance = (roundings + lost) * size + underflow(format_, 1)
    Comparison.of(error, size, tolerance, meant).record(subject.ledger, "bias", "float64", evidence)


def check_added_coordinates(
    subject: Subject, batch: Batch, dtype: str, query: Measured, key: Measured
) -> None:
    """Their product is the bias at t − s; they do not depend on x."""
    if not subject.plan.augmentations:
        return
    pairs = np.array(batch.pairs, dtype=np.intp).reshape(-1, 2)
    left, right = query.added[:, :, pairs[:, 0]], key.added[:, :, pairs[:, 1]]
    if left.shape[-1] != right.shape[-1] or not left.shape[-1]:
        note = f"{left.shape[-1]} coordinates added to queries, {right.shape[-1]} to keys"
        first = _Score(batch.positions_of(0), batch.reference, 0, dtype)
        subject.ledger.record(
            "bias",
            dtype,
            np.inf,
            0.0,
            lambda: Evidence(subject.where(note=note), first.line(subject, 0.0)),
        )
        return
    exact, _ = closed_form(subject, list(batch.lags))
    format_ = format_of(dtype)
    roundings = int(TABLE_ROUNDINGS) + BIAS_ROUNDINGS
    products = np.einsum("phnk,phnk->phn", left, right)
    size = np.einsum("phnk,phnk->phn", np.abs(left[:1]), np.abs(right[:1]))[0]
    error = np.abs(exact.subtracted_from(products)).max(axis=0)
    epsilon = 2 * relative_tolerance(format_, roundings) + (left.shape[-1] * FLOAT64.unit_roundoff)
    tolerance = epsilon * size + underflow(format_, roundings) * (
        1 + np.abs(left[0]).sum(axis=-1) + np.abs(right[0]).sum(axis=-1)
    )
    displacements = np.array([float(arb(u)) for u in batch.displacements])
    every = subject.exact.remembered(
        ("bias growth", *batch.positions, batch.reference),
        lambda: _growth(subject, displacements),
    )
    growth = np.max([every[:, pairs[:, side]] for side in (0, 1)], axis=0)
    inside = in_served_window(growth, format_)
    tolerance = tolerance + size * sum(
        _lost_in_angles(subject, displacements[pairs[:, side]]) for side in (0, 1)
    )
    tolerance = np.where(np.isfinite(tolerance), tolerance, 0.0)

    def evidence(index: Index) -> Evidence:
        head, pair = index
        score = _Score(batch.positions_of(pair), batch.reference, head, dtype)
        where = subject.where(score.positions, batch.reference, head, "added coordinates")
        return Evidence(where, score.line(subject, float(exact.high[head, pair])))

    Comparison.of(error, size, tolerance, inside).record(subject.ledger, "bias", dtype, evidence)


def closed_form(subject: Subject, lags: list[fmpq]) -> tuple[DoubleDouble, Array]:
    """bias(τ) and Σ|terms|, (HEADS, n)."""
    key = ("bias", *map(str, lags))
    return subject.exact.remembered(key, lambda: _closed_form(subject, lags))


def _closed_form(subject: Subject, lags: list[fmpq]) -> tuple[DoubleDouble, Array]:
    balls, sizes = [], []
    with precision(BITS):
        values = parameter_balls(subject.parameters)
        for head in subject.plan.encoding.heads:
            bias = head.augmentation.bias if head.augmentation else None
            for lag in lags:
                balls.append(
                    bias.ball({bias.variables[0]: arb(lag)}, values).real if bias else arb(0)
                )
                sizes.append(_size(bias, arb(lag), values) if bias else 0.0)
        shape = (len(subject.plan.encoding.heads), len(lags))
        return DoubleDouble.from_balls(balls, shape), np.array(sizes).reshape(shape)


def bias_arguments(subject: Subject) -> tuple[float, ...]:
    """The parameters, when the bias depends on one: it then takes them all."""
    return subject.values if bias_has_parameters(subject.plan) else ()


def bias_has_parameters(plan: KernelPlan) -> bool:
    """Whether the bias of some head depends on a parameter."""
    scalars = [
        x
        for a in plan.augmentations
        for x in (*a.query, *a.key, *(x for row in a.generator for x in row))
    ]
    return any(x.parameters() for x in scalars)


def _size(f: ExponentialPolynomial, t: arb, values: Mapping[str, arb]) -> float:
    """Σ |c|·|t|^k·e^{Re λ t}."""
    total = 0.0
    for key, c in f.terms.items():
        (power,), (rate,) = key.powers, key.exponents
        coefficient = abs(acb(c.re.ball(values), c.im.ball(values)))
        total += float(coefficient * abs(t) ** power * (rate.re.ball(values) * t).exp())
    return total


def _lost_in_angles(subject: Subject, displacements: Array) -> Array:
    """Relative error of a wave or exponential of λ·u: 6 roundings of the exponent, (n,)."""
    rates = [0.0]
    with precision(64):
        values = parameter_balls(subject.parameters)
        for head in subject.plan.augmentations:
            for key in head.bias.terms:
                (rate,) = key.exponents
                rates.append(float(abs(acb(rate.re.ball(values), rate.im.ball(values)))))
    return FREQUENCY_ROUNDINGS * FLOAT64.unit_roundoff * max(rates) * np.abs(displacements)


def _growth(subject: Subject, displacements: Array) -> Array:
    """ln of a majorant of the added coordinates at ±u, (HEADS, n)."""
    rows = []
    sums: dict[int, Array] = {}
    with precision(64):
        values = parameter_balls(subject.parameters)
        for head in subject.plan.augmentations:
            weight = max([1.0, *(abs(x.to_float(values)) for x in (*head.query, *head.key))])
            flow = id(head.exponential)
            if flow not in sums:  # heads with one exp(τY) differ in their vectors only
                sums[flow] = _sizes(head.exponential, displacements, values)
            rows.append(np.log(sums[flow] * weight + 1.0))
    return np.array(rows)


def _sizes(e: FunctionMatrix, displacements: Array, values: Mapping[str, arb]) -> Array:
    """Σ of the sizes of all entries at u and −u, (n,)."""
    entries = [f for row in e for f in row if f.terms]
    return np.array(
        [
            sum(_size(f, arb(v), values) for f in entries for v in (abs(u), -abs(u)))
            for u in displacements.tolist()
        ]
    )


def _line(subject: Subject, t: Number, s: Number, head: int | None, expected: float) -> str:
    script = subject.script
    given = [script.positions([t]), script.positions([s]), *map(repr, bias_arguments(subject))]
    call = f"k.bias({', '.join(given)})"
    entry = (0, 0) if subject.heads == 1 else (head or 0, 0, 0)
    return script.line([], script.item(call, entry), expected)


@dataclass(frozen=True)
class _Score:
    """One query and one key about a reference, for one head."""

    positions: tuple[Number, Number]
    reference: float
    head: int
    dtype: str

    def line(self, subject: Subject, expected: float) -> str:
        """Product of their added coordinates."""
        script = subject.script
        sides = []
        for side, position in zip(("query", "key"), self.positions, strict=True):
            call = MapCall(side, (position,), self.reference, self.dtype)
            text = script.call(call, "x", [position], subject.values)
            row = "0" if subject.heads == 1 else f"{self.head}, 0"
            sides.append(script.wide(f"{text}[{row}, {subject.dimension}:]"))
        x = script.unit("x", subject.shape(), 0, self.dtype)
        return script.line(x, f"float({sides[0]} @ {sides[1]})", expected)
