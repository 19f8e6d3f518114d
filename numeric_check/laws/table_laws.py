"""The law `given-memory`: turn_into writes the map of the table's positions where it is told to."""

from __future__ import annotations

from functools import partial

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF
from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.result import Evidence
from numeric_check.laws.structure_laws import Sample
from numeric_check.laws.subject import Subject, position_array

NAME = "turn_into"
DTYPES = ("float32", "float64")
"""Those of a table: what is shorter is computed in float32 and has no such form."""


def check_given_memory(subject: Subject, sample: Sample) -> None:
    """turn_into(out, x, rotary_table(t, c)) = transform_query(x, t) in out, and in x itself."""
    call = sample.call
    if not subject.kernel.has(NAME) or call.dtype not in DTYPES:
        return
    lead = (subject.heads,) if subject.heads > 1 else ()
    shape = (*lead, len(call.positions), subject.dimension)
    x = np.broadcast_to(sample.vector, shape).astype(DTYPE_OF[call.dtype])
    for in_place in (False, True):
        index = (0,) * len(shape)
        found = subject.guarded(
            partial(
                subject.kernel.turn_into,
                x,
                position_array(call.positions),
                reference=call.reference,
                in_place=in_place,
            ),
            call.dtype,
            partial(_line, subject, sample, in_place, (0, index), 0.0),
            shape,
            exact_shape=True,
        )
        if found is None:
            continue
        image = found.astype(np.float64).reshape(subject.heads, *shape[-2:])
        Comparison.of(
            np.abs(image - sample.image), np.ones(()), 2 * sample.bound, sample.inside
        ).record(
            subject.ledger,
            "given-memory",
            call.dtype,
            partial(_evidence, subject, sample, in_place),
        )


def _evidence(subject: Subject, sample: Sample, in_place: bool, index: Index) -> Evidence:
    head, place, channel = index
    entry = (0, channel) if subject.heads == 1 else (head, 0, channel)
    where = subject.where(
        [sample.call.positions[place]],
        sample.call.reference,
        head,
        f"{NAME} {'in place' if in_place else 'into other memory'}",
    )
    expected = float(sample.image[index])
    return Evidence(where, _line(subject, sample, in_place, (place, entry), expected))


def _line(
    subject: Subject,
    sample: Sample,
    in_place: bool,
    at: tuple[int, tuple[int, ...]],
    expected: float,
) -> str:
    (place, entry), script, call = at, subject.script, sample.call
    statements = [*subject.random_statements(0, call.dtype, sample.step), "x = 1 * x"]
    position = script.positions([call.positions[place]])
    statements.append(f"t = k.rotary_table({position}, {call.reference!r}, dtype=x.dtype)")
    out = "x" if in_place else "0 * x"
    return script.line(statements, script.item(f"k.{NAME}({out}, x, t)", entry), expected)
