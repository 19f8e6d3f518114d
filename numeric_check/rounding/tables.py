"""The error of tables of cosines and sines, as `cos_sin` and `rotary_table` return them.

Of every plane, with φ = ωu and u = position − reference,

    ‖(ĉ, ŝ) − (cos φ, sin φ)‖₂ ≤ ε(|u|) + η      for all real |u| ≤ reach.

An error of ĉ is at most (r + a)·|cos φ| + b·|sin φ|, r by roundings of ĉ itself, b by the angle;
one of ŝ the same with |cos φ| and |sin φ| exchanged. So the pair is off by r + a + b, and by √2·f
for what has no wave. Both have one frequency ω̂ in the text: where it is off by δ, the pair turns by
δ·|u|.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import BITS, SQRT2, TABLES, BlockBound
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.formats import REAL_OF, DType
from numeric_check.rounding.library import LIBRARIES
from numeric_check.rounding.majorant import NO_INPUT, ZERO, number_of
from numeric_check.rounding.measurement import SLACK, Measurement, ratio_of, standard_positions
from numeric_check.rounding.running import given_places
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan

COMPLEX = "rotary_table"
CLOSE = 2.0**-40
"""How far a frequency of the text may be off, relative to 1 + |ω|."""
MEASURED_PLANES = 8


class Plane(NamedTuple):
    """A plane with its place in the plan; angles are −ωu, as the maps turn."""

    group: int
    block: int
    channels: tuple[int, int]
    frequency: Scalar


def planes_of(plan: KernelPlan) -> list[Plane]:
    """Every plane that turns, of all heads alike. Raises `LeavesTheRing` for other plans."""
    found = []
    for index, group in enumerate(plan.groups):
        if not isinstance(group, BlockGroup) or len(group.frequency.rows) > 1:
            raise LeavesTheRing("tables of parametric blocks, or of heads that differ")
        if not group.pair:
            continue
        (row,) = group.frequency.rows
        for b, channels in enumerate(zip(*group.slots, strict=True)):
            first, second = channels
            found.append(Plane(index, b, (first, second), row[b if len(row) > 1 else 0]))
    return found


def table_bounds(kernel: Kernel, plan: KernelPlan, dtype: str, reach: float) -> list[BlockBound]:
    """ε and η of every plane, the larger one of both functions.

    Raises `LeavesTheRing` where the text has other functions than cosines and sines of the planes.
    """
    planes = planes_of(plan)
    found: dict[int, BlockBound] = {}
    for name in (TABLES, COMPLEX):
        if not kernel.has(name):
            continue
        if name == COMPLEX and not _offers(kernel, dtype, Model(reach)):
            continue
        for number, waves in _pairs(kernel, planes, name, dtype, Model(reach)):
            own = _bound(planes[number], waves, reach)
            known = found.get(number, own)
            relative = upward.largest(own.relative, known.relative)
            absolute = max(own.absolute, known.absolute)
            found[number] = BlockBound(own.group, 0, own.block, TABLES, relative, absolute)
    if sorted(found) != list(range(len(planes))):
        raise LeavesTheRing("the tables do not have every plane")
    return list(found.values())


Waves = tuple[Any, Any]


def _pairs(
    kernel: Kernel, planes: list[Plane], name: str, dtype: str, model: Model
) -> Iterator[tuple[int, Waves]]:
    """The number of a plane with a cosine and a sine of it, for every channel of the tables."""
    result = _run(kernel, name, dtype, model)
    if name == COMPLEX:
        result = result if isinstance(result, tuple) else (result.real, result.imag)
        inside = {j: j for j in range(len(planes))}
    else:
        inside = {i: j for j, plane in enumerate(planes) for i in plane.channels}
    cosines, sines = result
    for table in (cosines, sines):
        signs = name == COMPLEX and table is sines and table.data.size == 2 * len(inside)
        if table.dtype.name != dtype or not (table.data.size == len(inside) or signs):
            raise LeavesTheRing(f"{name} returns {table.dtype.name} of shape {table.shape}")
    if set(inside) != set(range(len(inside))):
        raise LeavesTheRing(f"{name} has a column that is none of a plane")
    rows = sines.data.reshape(-1, len(inside))
    if len(rows) > 1:
        rows[0] = [-x for x in rows[0]]  # `turn` adds the first one with the other sign
    for i, row in itertools.product(range(len(inside)), rows):
        yield inside[i], (cosines.data.flat[i], row[i])


def _offers(kernel: Kernel, dtype: str, model: Model) -> bool:
    """Whether `rotary_table` has a dtype: there are no complex numbers of short formats."""
    if dtype in REAL_OF.values():
        return True
    return isinstance(_run(kernel, COMPLEX, "float32", model), tuple)


def _run(kernel: Kernel, name: str, dtype: str, model: Model) -> Any:
    """What a function of tables returns at t, for the reference c."""
    library = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    t, c = given_places(library)
    return names[name](t, c, dtype=DType(dtype))


def _bound(plane: Plane, waves: Waves, reach: float) -> BlockBound:
    own: Polynomial = upward.NOTHING
    turned: Polynomial = upward.NOTHING
    flat: Polynomial = upward.NOTHING
    relative: Polynomial = upward.NOTHING
    moved = absolute = 0.0
    found = [_frequency(element, plane, part) for element, part in zip(waves, "cs", strict=True)]
    if found[0] != found[1]:
        raise LeavesTheRing("a sine turns with another frequency than its cosine")
    frequency = found[0]
    for element, part in zip(waves, "cs", strict=True):
        with precision(BITS):
            away = upward.above(arb(frequency) - abs(plane.frequency.ball({})))
        if away > CLOSE * (1.0 + abs(plane.frequency.to_float())):
            raise LeavesTheRing("the tables turn with another frequency")
        moved = max(moved, away)
        mine, other, rest = (upward.NOTHING,) * 3
        for term, c in element.error.items():
            if term.input != NO_INPUT or term.rate != ZERO or term.over is not None:
                raise LeavesTheRing("the tables are off by what is no wave")
            p = upward.shift((c,), term.power)
            if term.wave is None or number_of(term.wave.frequency) != frequency:
                rest = upward.add(rest, p)
            elif term.wave.part == part:
                mine = upward.add(mine, p)
            else:
                other = upward.add(other, p)
        relative = upward.largest(relative, element.relative)
        own, turned = upward.largest(own, mine), upward.largest(turned, other)
        flat = upward.largest(flat, rest)
        absolute = max(absolute, element.tiny)
    total = upward.add(upward.add(relative, own), upward.add(turned, upward.scale(flat, SQRT2)))
    total = upward.add(total, (0.0, moved) if moved else upward.NOTHING)
    folded = upward.folded(total, reach)
    return BlockBound(plane.group, 0, plane.block, TABLES, folded, upward.times(absolute, SQRT2))


def _frequency(element: Any, plane: Plane, part: str) -> fmpq:
    """|ω̂| of cos(ω̂u), or of sin with the sign of −ω. Raises `LeavesTheRing` for anything else."""
    if not isinstance(element, Rounded) or len(element.value) != 1:
        raise LeavesTheRing("the tables have what is no wave")
    ((term, c),) = element.value.items()
    sign = 1 if part == "c" or plane.frequency.to_float() < 0 else -1
    plain = term.input == NO_INPUT and term.power == 0 and term.rate == ZERO
    if not plain or term.wave is None or term.wave.part != part or c != sign:
        raise LeavesTheRing("the tables have another wave")
    found = number_of(term.wave.frequency)
    if not isinstance(found, fmpq):
        raise LeavesTheRing("the tables turn with parameters")
    return found


def measured_tables(
    kernel: Kernel, plan: KernelPlan, dtype: str, blocks: tuple[BlockBound, ...], reach: float
) -> Measurement:
    """The worst pair against its bound, over standard positions, of some planes."""
    planes = {(p.group, p.block): p for p in planes_of(plan)}
    chosen = sorted({int(i) for i in np.linspace(0, len(blocks) - 1, MEASURED_PLANES)})
    places = standard_positions(reach)
    found = kernel.cos_sin(np.array(places, np.float64), dtype=dtype).astype(np.float64)
    worst: Measurement | None = None
    for b in (blocks[i] for i in chosen):
        plane = planes[b.group, b.block]
        for channel in plane.channels:
            for n, t in enumerate(places):
                error = _distance(found[:, n, channel], plane.frequency, t)
                limit = upward.value(b.relative, abs(float(t))) * SLACK + b.absolute
                ratio = float(ratio_of(error, limit))
                if worst is None or ratio > worst.ratio:
                    worst = Measurement(
                        ratio, error, limit, TABLES, dtype, float(t), 0.0, 0, b.group, b.block, ()
                    )
    assert worst is not None
    return worst


def _distance(pair: Any, frequency: Scalar, t: float) -> float:
    """‖(ĉ, ŝ) − (cos φ, sin φ)‖ at φ = −ωt; ∞ where the table has what is no number."""
    if not np.isfinite(pair).all():
        return math.inf
    with precision(BITS):
        angle = -frequency.ball({}) * arb(exact_number(t))
        exact = (angle.cos(), angle.sin())
        away = [abs(arb(exact_number(float(x))) - y) for x, y in zip(pair, exact, strict=True)]
    return math.hypot(*(float(x.mid()) for x in away))


__all__ = ["measured_tables", "planes_of", "table_bounds"]
