"""Bounds of kernels with run-time parameters, over a box of their values.

Parameters enter the run as exact symbols, and sizes are suprema over the box. The bound holds for
all values in the box and all |u| up to the reach at which the maps stay in the range of the dtype:
with r the largest |real part| of an eigenvalue of a block and η its shear, or ‖X − aI‖ of a 2×2
block,

    r·|u| + ln Σ_{k < n} |ηu|^k/k! < window,      85 for float32 and bfloat16, 7 for float16, 706

where the sum of a 2×2 block that turns is at most 1 + ‖X − aI‖/√|D|. `range_at` finds that reach
for given values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from flint import arb

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import OPERATOR, BlockBound
from numeric_check.rounding.box_blocks import BoxRun
from numeric_check.rounding.cells import ELSEWHERE, NEAR, Cell, kinds_of, near_reach
from numeric_check.rounding.coefficient import Box
from numeric_check.rounding.constants import constants_of
from numeric_check.rounding.element import EXACT_POSITIONS, Model, Rounded
from numeric_check.rounding.majorant import ONE
from numeric_check.rounding.matrix_blocks import MatrixRun
from numeric_check.rounding.parameters import Box as Intervals
from numeric_check.rounding.running import run_side
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup, Vector


def parameter(name: str, box: Box) -> Rounded:
    """A parameter: a number of float64, exactly."""
    return Rounded({ONE: box.parameter(name)}, fits=EXACT_POSITIONS)


def side_bounds_over(
    kernel: Kernel, plan: KernelPlan, asked: tuple[str, str], reach: float, intervals: Intervals
) -> list[BlockBound]:
    """ε and η of every block for one side; `asked` is the dtype and the side.

    Where blocks branch, the text is executed once a cell of their discriminant, and the larger
    bound is taken; once more for all blocks that do not.
    """
    found: dict[tuple[int, int, int], BlockBound] = {}
    for cell in cells_over(plan, intervals, asked[0]):
        for b in _in_cell(kernel, plan, asked, (reach, cell)):
            place = b.group, b.head, b.block
            known = found.get(place)
            found[place] = b if known is None else _larger(known, b)
    return list(found.values())


def cells_over(plan: KernelPlan, intervals: Intervals, dtype: str) -> Iterator[Cell]:
    """Every cell of every discriminant, and one for the blocks without."""
    matrices = [g for g in plan.groups if isinstance(g, MatrixGroup)]
    symbols = Box.of(intervals, window_exponent(FORMATS[dtype]))
    constants = constants_of(matrices, symbols)

    def own(*, factors: bool) -> Box:
        return replace(symbols, values=dict(symbols.values), factors=factors)

    for discriminant in dict.fromkeys(g.discriminant for g in matrices):
        for kind in kinds_of(discriminant, symbols):
            # series have too many factors
            yield Cell(kind, own(factors=False), discriminant, constants)
    if len(matrices) < len(plan.groups):
        yield Cell(NEAR, own(factors=True), None, constants)


def _in_cell(
    kernel: Kernel, plan: KernelPlan, asked: tuple[str, str], limits: tuple[float, Cell]
) -> list[BlockBound]:
    (dtype, side), (limit, cell) = asked, limits
    reach = _reach_in(cell, limit)
    model = Model(reach, cell=cell, shares=side == OPERATOR)
    given = [parameter(name, cell.box) for name in plan.parameters]
    rows = run_side(kernel, plan, dtype, side, model, *given)[:, : plan.dimension]
    if _reach_in(cell, limit) > reach:  # the text has larger thresholds than others
        cell.forget()
        return _in_cell(kernel, plan, asked, limits)
    found: list[BlockBound] = []
    for index, group in enumerate(plan.groups):
        own = isinstance(group, MatrixGroup) and group.discriminant == cell.discriminant
        if isinstance(group, MatrixGroup) and own:
            if not cell.thresholds:
                raise LeavesTheRing("the text has another discriminant")
            _decide_independent(rows[0, list(group.channels)])
            found.append(MatrixRun(cell.box, cell, model, side, rows[0]).block(index, group))
        elif isinstance(group, BlockGroup) and cell.discriminant is None:
            _decide_independent(rows[:, [c for slot in group.slots for c in slot]])
            run = BoxRun(plan, model, side, rows, box=cell.box)
            found += [
                run.block(index, group, head, b)
                for head in range(plan.heads)
                for b in range(len(group.slots[0]))
            ]
    return found


def _reach_in(cell: Cell, limit: float) -> float:
    if cell.kind != NEAR or cell.discriminant is None:
        return limit
    return near_reach(cell.box.ball(cell.discriminant), limit, cell.threshold)


def _decide_independent(rows: Any) -> None:
    if any(x is ELSEWHERE for x in rows.flat):
        raise LeavesTheRing("an output reads what is chosen by the discriminant of another block")


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
        if values is None and not _is_fixed(group):
            reach = min(reach, *(window / x for x in _fixed_rates(group)), math.inf)
            continue
        reach = _growth_of(group, balls).within(window, reach)
    return reach


def _is_fixed(group: BlockGroup | MatrixGroup) -> bool:
    """Whether a 2×2 block has no parameters."""
    if isinstance(group, BlockGroup):
        return False
    return not any(x.parameters() for row in group.matrix for x in row)


def _fixed_rates(group: BlockGroup | MatrixGroup) -> list[float]:
    if isinstance(group, MatrixGroup):
        return []
    rates = {x for row in group.rate.rows for x in row if not x.parameters() and not x.is_zero()}
    return [abs(x.to_float()) for x in rates]


def _growth_of(group: BlockGroup | MatrixGroup, values: Mapping[str, arb]) -> _Growth:
    if isinstance(group, BlockGroup):
        rate, shear = (_largest(v, values) for v in (group.rate, group.shear))
        return _Growth(rate, shear, group.chain_length)
    a, d = (x.to_float(values) for x in (group.centre, group.discriminant))
    root = math.sqrt(abs(d))
    entries = [x - group.centre if i == j else x for i, j, x in _places(group)]
    norm = math.sqrt(sum(x.to_float(values) ** 2 for x in entries))
    turns = norm / root if d < 0 else math.inf
    return _Growth(abs(a) + (root if d > 0 else 0.0), norm, 2, turns)


def _places(group: MatrixGroup) -> list[Any]:
    return [(i, j, x) for i, row in enumerate(group.matrix) for j, x in enumerate(row)]


def _largest(vector: Vector, values: Mapping[str, arb]) -> float:
    return max(abs(x.to_float(values)) for x in {x for row in vector.rows for x in row})


class _Growth(NamedTuple):
    """e^{rate·|u|}·Σ_{k < length} |shear·u|^k/k!, of which what has a shear is at most `most`.

    most  ‖X − aI‖/√|D| of a 2×2 block that turns: |sin(ru)/r| is at most 1/r
    """

    rate: float
    shear: float
    length: int
    most: float = math.inf

    def within(self, window: float, reach: float) -> float:
        """The largest |u| ≤ reach at which its logarithm is below the window."""
        if (self.rate == 0.0 and (self.length == 1 or self.shear == 0.0)) or self._inside(
            window, reach
        ):
            return reach
        low, high = 0.0, reach
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self._inside(window, middle) else (low, middle)
        return low

    def _inside(self, window: float, u: float) -> bool:
        powers = sum((self.shear * u) ** k / math.factorial(k) for k in range(1, self.length))
        return self.rate * u + math.log1p(min(powers, self.most)) < window


__all__ = ["parameter", "range_at", "side_bounds_over"]
