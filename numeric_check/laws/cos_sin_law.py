"""The law `cos-sin`: the tables that rotary code of other packages takes turn x as the maps do."""

from __future__ import annotations

from functools import partial

import numpy as np
from flint import arb

from numeric_check.kernels.kernel import DTYPE_OF, AnyArray
from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.result import Evidence
from numeric_check.laws.structure_laws import Sample
from numeric_check.laws.subject import Subject, position_array
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_number import exact_number
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import BlockGroup

NAME, LAW = "cos_sin", "cos-sin"
DTYPES = ("float32", "float64")
"""What rounding changes in an entry of the map is known for tables of the compute dtypes."""


def check_cos_sin(subject: Subject, sample: Sample) -> None:
    """x·cos + rotate(x)·sin in float64 against `transform_query`, on the channels that turn.

    Both from the function and from the class, which knows no reference.
    """
    call = sample.call
    if not subject.kernel.has(NAME) or call.dtype not in DTYPES:
        return
    group = next(g for g in subject.plan.groups if isinstance(g, BlockGroup) and g.pair)
    channels = [c for slot in group.slots for c in slot]
    width, positions = len(channels), position_array(call.positions)
    shape = (2, len(call.positions), width)
    function = subject.kernel.cos_sin
    sources = [partial(function, positions, reference=call.reference, dtype=call.dtype)]
    if subject.kernel.table_classes and not call.reference:
        like: AnyArray = np.zeros((), dtype=DTYPE_OF[call.dtype])
        sources.append(partial(subject.kernel.tables_module, like, positions))
    for source in sources:
        line = partial(_line, subject, sample, (0, 0, 0), 1.0)
        found = subject.guarded(source, call.dtype, line, shape, exact_shape=True)
        if found is None:
            continue
        cosine, sine = found.astype(np.float64)
        x = sample.vector
        image = x[:width] * cosine + _rotated(x, group)[:width] * sine
        Comparison.of(
            np.abs(image - sample.image[0][:, :width]),
            np.ones(()),
            2 * sample.bound[0][:, :width],
            sample.inside[0][:, :width],
        ).record(subject.ledger, LAW, call.dtype, partial(_evidence, subject, sample))


def _rotated(x: Array, group: BlockGroup) -> Array:
    """(a, b) ↦ (−b, a) on the channels a, b of every plane."""
    result = np.zeros_like(x)
    for first, second in zip(*group.slots, strict=True):
        result[first], result[second] = -x[second], x[first]
    return result


def _evidence(subject: Subject, sample: Sample, index: Index) -> Evidence:
    place, channel = index
    position, call = sample.call.positions[place], sample.call
    about = f"x cos + rotate(x) sin of a random vector, channel {channel}; its cosine is shown"
    where = subject.where([position], call.reference, 0, about)
    with precision(128):
        group = next(g for g in subject.plan.groups if isinstance(g, BlockGroup) and g.pair)
        plane = next(j for slot in group.slots for j, c in enumerate(slot) if c == channel)
        lag = arb(exact_number(position) - exact_number(call.reference))
        expected = float((group.frequency.rows[0][plane].ball({}) * lag).cos())
    return Evidence(where, _line(subject, sample, (0, place, channel), expected))


def _line(subject: Subject, sample: Sample, index: tuple[int, int, int], expected: float) -> str:
    side, place, channel = index
    script, call = subject.script, sample.call
    position = script.positions([call.positions[place]])
    text = f"k.{NAME}({position}, {call.reference!r}, dtype={script.dtype(call.dtype)})[{side}]"
    return script.line([], script.item(text, (0, channel)), expected)


__all__ = ["check_cos_sin"]
