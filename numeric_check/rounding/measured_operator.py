"""Errors of A(u) whole, as a text with a basis computes it, measured against their bound."""

from __future__ import annotations

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.exact_map import ExactMap
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding.blocks import OPERATOR
from numeric_check.rounding.bound import KernelBound
from numeric_check.rounding.measurement import (
    SLACK,
    STEP,
    Measurement,
    ratio_of,
    standard_positions,
)
from numeric_check.rounding.upward import value
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError


def measured_whole(
    kernel: Kernel, plan: KernelPlan, bound: KernelBound, *, step: int = STEP
) -> Measurement:
    """The row of the worst error against the bound, over standard positions as lags.

    Raises `KernelError` where the operator has another shape.
    """
    exact = ExactMap(plan)
    shape = (plan.heads, plan.dimension, plan.dimension)
    worst: Measurement | None = None
    for lag in standard_positions(bound.reach)[::step]:
        u = [exact_number(lag)]
        matrix = exact.operator(u).value
        found = np.asarray(kernel.operator(float(lag)), np.float64)
        if found.size != np.prod(shape):
            raise KernelError(f"operator returns the shape {found.shape}")
        away = found.reshape(shape) - matrix.high[:, 0] - matrix.low[:, 0]
        errors = np.hypot.reduce(np.abs(away), axis=-1)
        norms = np.zeros(plan.heads)
        for block in exact.exponential(u):
            own = np.linalg.norm(block.value.high[:, 0], ord=2, axis=(-2, -1)).max(axis=-1)
            norms = np.maximum(norms, own)
        for b in bound.blocks:
            limit = value(b.relative, abs(float(lag))) * norms[b.head] * SLACK + b.absolute
            ratios = ratio_of(errors[b.head], limit)
            row = int(np.argmax(ratios))
            if worst is not None and not ratios[row] > worst.ratio:
                continue
            worst = Measurement(
                float(ratios[row]),
                float(errors[b.head, row]),
                float(limit),
                OPERATOR,
                bound.dtype,
                float(lag),
                0.0,
                b.head,
                b.group,
                b.block,
                tuple(float(i == row) for i in range(plan.dimension)),
            )
    assert worst is not None
    return worst


__all__ = ["measured_whole"]
