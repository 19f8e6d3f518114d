"""Laws about what a result may depend on: its own row of positions, and no earlier call."""

from __future__ import annotations

from functools import partial

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.result import Evidence
from numeric_check.laws.structure_laws import SHIFT, Sample
from numeric_check.laws.subject import SCALES, Subject, position_array
from numeric_check.reference_values.double_double import Array


def check_batch(subject: Subject, sample: Sample) -> None:
    """Positions of shape (2, [1,] n): each row of the batch is moved by its own positions.

    Every row, head and position has its own multiple of the sample, so none reads another's.
    """
    call, n = sample.call, len(sample.call.positions)
    place = np.stack([position_array(call.positions), position_array(call.positions[::-1])])
    lead = _lead(subject, sample)
    if subject.heads > 1:
        place = place[:, None]
    scales = subject.scales(lead)[..., None]
    x = (sample.vector * scales).astype(DTYPE_OF[call.dtype])
    result = subject.apply(call, x, place)
    if result is None:
        return
    rows = (result[..., : subject.dimension] / scales).reshape(2, subject.heads, n, -1)
    for row, order in ((0, 1), (1, -1)):
        error = np.abs(rows[row][:, ::order] - sample.image)
        Comparison.of(error, np.ones(()), 2 * sample.bound, sample.inside).record(
            subject.ledger,
            "batch",
            call.dtype,
            partial(_batch_evidence, subject, sample, row),
        )


def _lead(subject: Subject, sample: Sample) -> tuple[int, ...]:
    """(2, [HEADS,] n)."""
    n = len(sample.call.positions)
    return (2, n) if subject.heads == 1 else (2, subject.heads, n)


def _batch_evidence(subject: Subject, sample: Sample, row: int, index: Index) -> Evidence:
    head, place, channel = index
    call, script, lead = sample.call, subject.script, _lead(subject, sample)
    both = [*call.positions, *call.positions[::-1]]
    text = script.call(call, "x", both, subject.values)
    array = script.positions(both)
    shape = lead if subject.heads == 1 else (2, 1, lead[-1])
    text = text.replace(array, f"{array}.reshape{shape}")
    own = place if row == 0 else lead[-1] - 1 - place
    entry = (row, own) if subject.heads == 1 else (row, head, own)
    statements = subject.random_statements(0, call.dtype, sample.step)
    statements += script.chosen("f", SCALES, (*lead, 1), subject.seed, call.dtype)
    statements.append("x = x * f")
    note = f"{call.name} in row {row} of a batch, each row with its own positions"
    where = subject.where([call.positions[place]], call.reference, head, note)
    expected = float(sample.image[index] * subject.scales(lead)[entry])
    return Evidence(where, script.line(statements, script.item(text, (*entry, channel)), expected))


def check_history(subject: Subject, sample: Sample, fresh: Kernel | None) -> None:
    """The same call again, and in a copy that made other calls before."""
    for kernel, note in (
        (None, "made again after other calls"),
        (fresh, "in a copy of the module that made other calls"),
    ):
        if kernel is None and fresh is None:
            continue
        result = subject.map(sample.call, sample.vector[None], kernel)
        if result is None:
            continue
        error = np.abs(result[0, ..., : subject.dimension] - sample.image)
        _record_history(subject, sample, error, note)


def _record_history(subject: Subject, sample: Sample, error: Array, note: str) -> None:
    def evidence(index: Index) -> Evidence:
        """Other calls first (shifted, and in low precision), then the one that must not care."""
        call, script = sample.call, subject.script
        head, place, channel = index
        position = call.positions[place]
        exact = sample.exact[min(head, len(sample.exact) - 1), place, channel]
        plain = sample.evidence(subject, index, float(exact), note)
        low = "x.half()" if script.target == "torch" else "x.astype(np.float16)"
        before = [
            script.call(call, "x", [position + SHIFT], subject.values),
            script.call(call, low, [position], subject.values),
        ]
        line = plain.reproduce.replace("; print(", f"; {'; '.join(before)}; print(", 1)
        return Evidence(plain.where, line)

    Comparison.of(error, np.ones(()), sample.bound, sample.inside).record(
        subject.ledger, "history", sample.call.dtype, evidence
    )
