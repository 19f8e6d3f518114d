"""The law `module`: the nn.Module of a PyTorch file returns the two maps, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, AnyArray, describe
from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import MAPS, Subject, position_array
from numeric_check.reference_values.tolerance import FORMATS

Number = int | float
LAW = "module"
BATCH = 2
NEAR: tuple[Number, ...] = (0, 1, -1, 3, 7.25)
"""Offsets from the reference: there nothing has decayed or grown out of range."""
FAR: tuple[Number, ...] = (85, 4095, 131071)
REFERENCES: tuple[Number, ...] = (0, 4096)


@dataclass(frozen=True)
class _Call:
    """Random queries and keys (BATCH, [HEADS,] n, d), all different, at n positions.

    With `batched`, positions are given for each row of the batch: the second row in reverse.
    """

    positions: tuple[Number, ...]
    reference: float
    dtype: str
    batched: bool

    def shape(self, subject: Subject) -> tuple[int, ...]:
        """Shape of x."""
        heads = () if subject.heads == 1 else (subject.heads,)
        return (BATCH, *heads, len(self.positions), subject.dimension)

    def inputs(self, subject: Subject) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Queries, keys and positions."""
        x = [
            np.random.default_rng(subject.seed + i)
            .standard_normal(self.shape(subject))
            .astype(DTYPE_OF[self.dtype])
            for i in range(len(MAPS))
        ]
        positions = position_array(self.positions)
        if self.batched:
            rows = np.stack([positions, positions[::-1]])
            positions = rows if subject.heads == 1 else rows[:, None]
        return x[0], x[1], positions

    def line(self, subject: Subject, side: int, index: Index, expected: object) -> str:
        """One entry of one side."""
        script = subject.script
        statements: list[str] = []
        for i, name in enumerate("qs"):
            drawn = script.normal(name, self.shape(subject), subject.seed + i, self.dtype)
            statements += drawn
        place = script.positions(self.positions)
        if self.batched:
            shape = self.shape(subject)[:-1]
            shape = shape if subject.heads == 1 else (BATCH, 1, shape[-1])
            place = script.positions([*self.positions, *self.positions[::-1]])
            place = f"{place}.reshape{shape}"
        reference = f", reference={self.reference!r}" if self.reference else ""
        names = subject.kernel.module_classes or ("Module",)
        made = f"k.{names[0]}({', '.join(map(repr, subject.values))})"
        text = f"{made}(q, s, {place}{reference})[{side}]"
        return script.line(statements, script.item(text, index), expected)


def check_module(subject: Subject) -> None:
    """Its parameters, and both sides of a forward pass, against the functions of the file."""
    if subject.kernel.target != "torch":
        return
    for dtype in subject.dtypes:
        for call in _calls(subject, dtype):
            _check_forward(subject, call)
    _check_parameters(subject, subject.dtypes[0])


def _calls(subject: Subject, dtype: str) -> list[_Call]:
    """Whole positions about each reference; real ones, given per row, about the last."""
    limit = subject.plan.encoding.domain.max_position
    found = []
    for c in dict.fromkeys(min(c, limit) for c in REFERENCES):
        whole = [c + o for o in NEAR if isinstance(o, int)]
        whole += [p for p in FAR if p <= limit]
        found.append(_Call(tuple(whole), float(c), dtype, False))
        real = tuple(c + o for o in NEAR)
        found.append(_Call(real, float(c), dtype, True))
    return found


def _check_forward(subject: Subject, call: _Call) -> None:
    query, key, positions = call.inputs(subject)
    kernel, c = subject.kernel, call.reference
    try:
        images = kernel.forward(query, key, positions, *subject.values, reference=c)
        expected = (
            kernel.transform_query(query, positions, *subject.values, reference=c),
            kernel.transform_key(key, positions, *subject.values, reference=c),
        )
    except Exception as error:
        _refute(subject, call, f"raised {describe(error)}")
        return
    for side, (image, exact) in enumerate(zip(images, expected, strict=True)):
        if image.shape != exact.shape or image.dtype != exact.dtype:
            found = f"{image.dtype} of shape {image.shape}"
            name = list(MAPS.values())[side]
            _refute(
                subject,
                call,
                f"side {side} is {found}, that of {name} {exact.dtype} of shape {exact.shape}",
            )
            continue
        Comparison.of(
            _differences(image, exact), np.ones(()), np.zeros(()), np.ones((), dtype=np.bool_)
        ).record(subject.ledger, LAW, call.dtype, _evidence(subject, call, side, exact))


def _differences(image: AnyArray, exact: AnyArray) -> AnyArray:
    """|difference|; at least the smallest number where bits differ; 0 for NaN against NaN."""
    first, second = image.astype(np.float64), exact.astype(np.float64)
    same = (first.view(np.uint64) == second.view(np.uint64)) | (np.isnan(first) & np.isnan(second))
    apart = np.maximum(np.abs(first - second), FORMATS["float64"].smallest)
    result: AnyArray = np.where(same, 0.0, apart)
    return result


def _evidence(
    subject: Subject, call: _Call, side: int, exact: AnyArray
) -> Callable[[Index], Evidence]:
    def evidence(index: Index) -> Evidence:
        place = index[-2] if not (call.batched and index[0]) else -1 - index[-2]
        head = index[1] if subject.heads > 1 else None
        name = list(MAPS.values())[side]
        where = subject.where(
            [call.positions[place]], call.reference, head, f"forward against {name}"
        )
        return Evidence(where, call.line(subject, side, index, float(exact[index])))

    return evidence


def _check_parameters(subject: Subject, dtype: str) -> None:
    """As many as the plan has, of the values given, float64 and 0-d."""
    try:
        found = subject.kernel.module_parameters(*subject.values)
    except Exception as error:
        reason = f"raised {describe(error)}"
    else:
        plain = all(p.shape == () and p.dtype == np.float64 for p in found)
        same = plain and sorted(float(p) for p in found) == sorted(subject.values)
        shown = ", ".join(f"{p.dtype} {p.tolist()}" for p in found) or "none"
        reason = "" if same else f"parameters of the module: {shown}"
    if reason:
        _refute(subject, _calls(subject, dtype)[0], reason)


def _refute(subject: Subject, call: _Call, reason: str) -> None:
    index = (0,) * len(call.shape(subject))
    subject.ledger.record(
        LAW,
        call.dtype,
        np.inf,
        0.0,
        lambda: Evidence(
            subject.where(note=reason), call.line(subject, 0, index, "what transform_query returns")
        ),
    )
