"""Rounding bounds of `operator(p)` of several axes, column by column, along rays p = u·n.

Where every block is one of its own, the text forms A(p) as the key map of all unit vectors at −p:

    ‖(column i of Â_B) − (column i of A_B(p))‖₂ ≤ ε(|u|)·‖A_B(p)‖₂ + η   for |pₐ| ≤ |u|, every i.

A row of unknown numbers stands for every unit vector, as for one axis, and what holds along the
rays holds in the box for the reasons that `axes` gives.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.kernels.time_limit import time_limit
from numeric_check.reference_values.exact_map import ExactMap
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import upward
from numeric_check.rounding.axes_ray import RayKernel
from numeric_check.rounding.blocks import COLUMNS, OPERATOR, BlockBound, SideRun
from numeric_check.rounding.bound import COVERS_NO_MORE, SECONDS, KernelBound, joined, served_reach
from numeric_check.rounding.element import Model
from numeric_check.rounding.library import RoundingLibrary
from numeric_check.rounding.measurement import (
    SLACK,
    STEP,
    Measurement,
    ratio_of,
    standard_positions,
)
from numeric_check.rounding.running import lag_of, operator_entries, unknown_row
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import NotYetCovered

DTYPE = "float64"


def operator_along(kernel: RayKernel, plan: KernelPlan, reach: float | None = None) -> KernelBound:
    """The bound along one ray.

    Raises `NotYetCovered` with a basis, where a column is a product of two maps, and for texts that
    are not covered.
    """
    if plan.basis is not None:
        raise NotYetCovered("with a basis the operator of several axes is a product of two maps")
    limit = float(plan.encoding.domain.max_position) if reach is None else float(reach)
    served = served_reach(plan, DTYPE, limit)
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            blocks = _blocks(kernel, plan, served)
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no rounding bound: {error}") from None
    return joined(blocks, DTYPE, served, limit, OPERATOR)


def _blocks(kernel: RayKernel, plan: KernelPlan, reach: float) -> list[BlockBound]:
    """At p = −u·n the columns are the key map at u."""
    model, d = Model(reach, shares=True), plan.dimension

    def back(library: RoundingLibrary) -> Any:
        return kernel.spread(-lag_of(library))

    found = operator_entries(kernel, plan, model, unknown_row(d), lag=back)[0]
    if not all(x is found[i, 0] for i, own in enumerate(found) for x in own):
        raise LeavesTheRing("the text does not treat the columns of the identity alike")
    run = SideRun(plan, model, "key", found[:, 0].reshape(1, d))
    blocks = []
    for index, group in enumerate(plan.groups):
        assert isinstance(group, BlockGroup)
        blocks += [run.block(index, group, 0, b) for b in range(len(group.slots[0]))]
    return [replace(b, side=COLUMNS) for b in blocks]


def measured_columns(kernel: RayKernel, plan: KernelPlan, bound: KernelBound) -> Measurement:
    """The worst column against its bound, over standard positions along the ray."""
    exact = ExactMap(plan)
    known = {(b.group, b.block): b for b in bound.blocks}
    worst: Measurement | None = None
    for t in standard_positions(bound.reach)[::STEP]:
        matrix = np.asarray(kernel.operator_at(float(t)), np.float64)
        for index, block in enumerate(exact.exponential([exact_number(t)])):
            for b in range(len(block.rows)):
                own = matrix[np.ix_(block.rows[b], block.columns[b])]
                high, low = block.value.high[0, 0, b], block.value.low[0, 0, b]
                errors: Any = np.hypot.reduce(np.abs(own - high - low), axis=0)
                limit = upward.value(known[index, b].relative, abs(float(t))) * SLACK
                limit = limit * float(np.linalg.norm(high, ord=2)) + known[index, b].absolute
                error = float(errors.max())
                ratio = float(ratio_of(error, limit))
                if worst is None or ratio > worst.ratio:
                    worst = Measurement(
                        ratio, error, limit, OPERATOR, DTYPE, float(t), 0.0, 0, index, b, ()
                    )
    assert worst is not None
    return worst


__all__ = ["measured_columns", "operator_along"]
