"""Laws about what a result may depend on: its own row of positions, and no earlier call."""

from __future__ import annotations

from functools import partial

import numpy as np

from numeric_check.comparison import Comparison, Index
from numeric_check.double_double import Array
from numeric_check.kernel import DTYPE_OF, Kernel
from numeric_check.result import Evidence
from numeric_check.structure_laws import SHIFT, Sample
from numeric_check.subject import Subject, position_array


def check_batch(subject: Subject, sample: Sample) -> None:
    """Positions of shape (2, [1,] n): each row of the batch is moved by its own positions."""
    call, n = sample.call, len(sample.call.positions)
    place = np.stack([position_array(call.positions), position_array(call.positions[::-1])])
    shape: tuple[int, ...] = (2, n, subject.dimension)
    if subject.heads > 1:
        shape, place = (2, subject.heads, n, subject.dimension), place[:, None]
    x = np.broadcast_to(sample.vector, shape).astype(DTYPE_OF[call.dtype])
    result = subject.apply(call, x, place)
    if result is None:
        return
    rows = result[..., : subject.dimension]
    rows = rows[:, None] if subject.heads == 1 else rows
    for row, order in ((0, 1), (1, -1)):
        error = np.abs(rows[row][:, ::order] - sample.image)
        Comparison.of(error, np.ones(()), sample.bound, sample.inside).record(
            subject.ledger,
            "batch",
            call.dtype,
            partial(_batch_evidence, subject, sample, row),
        )


def _batch_evidence(subject: Subject, sample: Sample, row: int, index: Index) -> Evidence:
    head, place, channel = index
    call, script = sample.call, subject.script
    own, other = call.positions[place], call.positions[-1 - place]
    both = [own, other] if row == 0 else [other, own]
    text = script.call(call, "x", both, subject.values)
    array = script.positions(both)
    column = (2, 1) if subject.heads == 1 else (2, 1, 1)
    text = text.replace(array, f"{array}.reshape{column}")
    library = "torch" if script.target == "torch" else "np"
    statements = subject.random_statements(0, call.dtype, sample.step)
    statements.append(f"x = {library}.broadcast_to(x, {(2, *subject.shape())})")
    entry = (row, 0, channel) if subject.heads == 1 else (row, head, 0, channel)
    note = f"{call.name} in row {row} of a batch with positions {both}"
    where = subject.where([own], call.reference, head, note)
    expected = float(sample.image[index])
    return Evidence(where, script.line(statements, script.item(text, entry), expected))


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
