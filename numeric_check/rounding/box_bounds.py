"""Bounds of kernels with run-time parameters, over a box of their values.

Parameters enter the run as exact symbols, and sizes are suprema over the box. The bound holds for
all values in the box and all |u| up to the reach at which the maps stay in the range of the dtype:
with r the largest |real part| of an eigenvalue of a block and η its shear, or ‖X − aI‖ of a 2×2
block,

    r·|u| + ln Σ_{k < n} |ηu|^k/k! < window,      85 for float32 and bfloat16, 7 for float16, 706

which `range_at` finds for given values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flint import arb

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import OPERATOR, BlockBound
from numeric_check.rounding.box_blocks import BoxRun
from numeric_check.rounding.cells import CELLS, GROWING, NEAR, Cell, near_reach, possible
from numeric_check.rounding.coefficient import Box
from numeric_check.rounding.element import EXACT_POSITIONS, Model, Rounded
from numeric_check.rounding.majorant import ONE
from numeric_check.rounding.matrix_blocks import MatrixRun
from numeric_check.rounding.parameters import Box as Intervals
from numeric_check.rounding.running import run_side
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup, Vector


def parameter(name: str, box: Box) -> Rounded:
    """A parameter: a number of float64, exactly."""
    return Rounded({ONE: box.parameter(name)}, fits=EXACT_POSITIONS)


def side_bounds_over(
    kernel: Kernel, plan: KernelPlan, asked: tuple[str, str], reach: float, intervals: Intervals
) -> list[BlockBound]:
    """ε and η of every block for one side; `asked` is the dtype and the side.

    Where blocks branch, the text is executed once a cell, and the larger bound is taken.
    """
    found: dict[tuple[int, int, int], BlockBound] = {}
    matrices = any(isinstance(g, MatrixGroup) for g in plan.groups)
    for kind in CELLS if matrices else (GROWING,):
        box = Box.of(intervals, window_exponent(FORMATS[asked[0]]))
        box.factors = not matrices  # series have too many of them
        for b in _in_cell(kernel, plan, asked, (reach, Cell(kind, box))):
            place = b.group, b.head, b.block
            known = found.get(place)
            found[place] = b if known is None else _larger(known, b)
    return list(found.values())


def _in_cell(
    kernel: Kernel, plan: KernelPlan, asked: tuple[str, str], limits: tuple[float, Cell]
) -> list[BlockBound]:
    (dtype, side), (reach, cell) = asked, limits
    box = cell.box
    balls = {
        i: box.ball(g.discriminant) for i, g in enumerate(plan.groups) if isinstance(g, MatrixGroup)
    }
    if cell.kind == NEAR and balls:
        reach = max(near_reach(ball, reach) for ball in balls.values())
    model = Model(reach, cell=cell, shares=side == OPERATOR)
    given = [parameter(name, box) for name in plan.parameters]
    rows = run_side(kernel, plan, dtype, side, model, *given)[:, : plan.dimension]
    found: list[BlockBound] = []
    for index, group in enumerate(plan.groups):
        if isinstance(group, MatrixGroup):
            if possible(balls[index], cell.kind):
                found.append(MatrixRun(box, cell, model, side, rows[0]).block(index, group))
        elif cell.kind == GROWING:
            run = BoxRun(plan, model, side, rows, box=box)
            found += [
                run.block(index, group, head, b)
                for head in range(plan.heads)
                for b in range(len(group.slots[0]))
            ]
    return found


def _larger(a: BlockBound, b: BlockBound) -> BlockBound:
    return replace(
        a,
        relative=upward.largest(a.relative, b.relative),
        absolute=max(a.absolute, b.absolute),
    )


# -- the range ------------------------------------------------------------------------------------


def range_at(
    plan: KernelPlan, values: Mapping[str, float] | None, dtype: str, limit: float
) -> float:
    """The largest |u| ≤ limit at which the maps stay in the range of a dtype.

    Without values, of the blocks that have no parameters.
    """
    window = window_exponent(FORMATS[dtype])
    balls = {name: arb(exact_number(x)) for name, x in (values or {}).items()}
    reach = limit
    for group in plan.groups:
        if values is None:
            reach = min(reach, *(window / x for x in _fixed_rates(group)), math.inf)
            continue
        for rate, shear, length in _growths(group, balls):
            reach = _cut((rate, shear, length), window, reach)
    return reach


def _fixed_rates(group: BlockGroup | MatrixGroup) -> list[float]:
    if isinstance(group, MatrixGroup):
        return []
    rates = {x for row in group.rate.rows for x in row if not x.parameters() and not x.is_zero()}
    return [abs(x.to_float()) for x in rates]


def _growths(group: BlockGroup | MatrixGroup, values: Mapping[str, arb]) -> list[Any]:
    if isinstance(group, BlockGroup):
        return [(_largest(group.rate, values), _largest(group.shear, values), group.chain_length)]
    a, d = (abs(x.to_float(values)) for x in (group.centre, group.discriminant))
    growing = group.discriminant.to_float(values) > 0
    rate = a + (math.sqrt(d) if growing else 0.0)
    entries = [x - group.centre if i == j else x for i, j, x in _places(group)]
    norm = math.sqrt(sum(x.to_float(values) ** 2 for x in entries))
    return [(rate, norm, 2)]


def _places(group: MatrixGroup) -> list[Any]:
    return [(i, j, x) for i, row in enumerate(group.matrix) for j, x in enumerate(row)]


def _largest(vector: Vector, values: Mapping[str, arb]) -> float:
    return max(abs(x.to_float(values)) for x in {x for row in vector.rows for x in row})


def _cut(growth: tuple[float, float, int], window: float, reach: float) -> float:
    rate, shear, length = growth

    def inside(u: float) -> bool:
        terms = [(shear * u) ** k / math.factorial(k) for k in range(length)]
        return rate * u + math.log(sum(terms)) < window

    if (rate == 0.0 and (length == 1 or shear == 0.0)) or inside(reach):
        return reach
    low, high = 0.0, reach
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) else (low, middle)
    return low


__all__ = ["parameter", "range_at", "side_bounds_over"]
