"""The laws `recurrent-form` and `chunkwise-form`: both are the causal sum over s ≤ t.

Two rows of a batch have positions of their own, and once the same, given without a batch. Among
them are positions far out, gaps of the whole domain, equal positions and fractions: where a
factorised form would overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from numeric_check.kernels.kernel import DTYPE_OF, AnyArray, describe
from numeric_check.laws.causal_sums import Sums, causal_sums
from numeric_check.laws.comparison import Comparison, Index
from numeric_check.laws.result import Evidence
from numeric_check.laws.subject import Subject, position_array
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.tolerance import FORMATS

Number = int | float
Rows = tuple[tuple[Number, ...], tuple[Number, ...]]

RECURRENT, CHUNKWISE = "recurrent-form", "chunkwise-form"
FUNCTIONS = {RECURRENT: "recurrent_step", CHUNKWISE: "chunkwise"}
WIDTH = 3
"""Channels of a value."""
CALLS = ((None, ""), (64, ""), (2, ""), (3, "chunks"), (4, "steps"))
FEW_CALLS = ((None, ""), (3, "chunks"), (4, "steps"))
"""Lengths of chunks, and what follows after `PREFILLED` positions; few where parameters have many
values, each measured on its own."""
SPACED = (0, 1, 30, 31, 60, 90, 91, 120, 150)
"""Where a map that is taken to a later position first grows, by far more than it rounds."""
AFTER_A_GAP = (0, 1, 2, 3, 4, 5, 6, 7)
"""Positions after a gap that nothing is read across: no lag that is summed is long."""
GROWTH, SIZE = 0.7, 0.9
"""Parts of the largest exponent of a format: of what grows by a rate, and of A in all."""
PREFILLED = 4
"""Positions taken chunkwise before the others follow step by step."""
NAMES = ("q", "s", "v")


def _batches(subject: Subject) -> list[Rows]:
    """Nine positions of two rows: near, far out, with gaps; with repetitions, fractions.

    Nine, so that a chunk of 8 has three levels of halves, and a row is left over.
    """
    limit = subject.plan.encoding.domain.max_position
    near, other = (0, 1, 2, 3, 5, 8, 13, 14, 20), (1, 4, 5, 6, 7, 9, 12, 13, 15)
    gaps = (0, 1, 700, 701, 702, limit // 2, limit - 2, limit - 1, limit)
    repeated = (3, 3, 4, 4, 4, 9, 11, limit, limit)
    halves = (0.5, 0.75, 12.125, 12.25, 1000.7, 1000.703125, 1001.25, 1024.1, 1030.0)
    found: list[Rows] = [(near, other)]
    if limit >= 1100:
        far = tuple(limit - 20 + p for p in near)
        found += [(far, gaps), (repeated, halves)]
    return found[-2:][:1] if subject.parameters else [*found, (near, near)]


@dataclass(frozen=True)
class _Call:
    """Random queries, keys and values (2, [HEADS,] n, …) at two rows of positions.

    chunk  the length of chunks; None for the recurrent form
    split  the chunkwise form ends after `PREFILLED` positions, whose state the others go on from:
           chunkwise again, or step by step
    channels  of queries and keys the only ones that are not 0; all of them where none is named
    first     of the keys that are not 0
    """

    positions: Rows
    dtype: str
    chunk: int | None
    split: str = ""
    channels: tuple[int, ...] = ()
    first: int = 0

    @property
    def law(self) -> str:
        """The law that it is held to."""
        return RECURRENT if self.chunk is None or self.split == "steps" else CHUNKWISE

    @property
    def length(self) -> int:
        """Positions of a row."""
        return len(self.positions[0])

    def shapes(self, subject: Subject) -> list[tuple[int, ...]]:
        """Shapes of query, key and value."""
        heads = () if subject.heads == 1 else (subject.heads,)
        widths = (subject.dimension, subject.dimension, WIDTH)
        return [(2, *heads, self.length, width) for width in widths]

    def inputs(self, subject: Subject) -> list[AnyArray]:
        """Query, key and value."""
        drawn = [
            np.random.default_rng(subject.seed + i)
            .standard_normal(shape)
            .astype(DTYPE_OF[self.dtype])
            for i, shape in enumerate(self.shapes(subject))
        ]
        for x in drawn[:2]:
            x[..., self.without(subject)] = 0.0
        drawn[1][..., : self.first, :] = 0.0
        return drawn

    def without(self, subject: Subject) -> list[int]:
        """Channels of queries and keys that are 0."""
        kept = self.channels or range(subject.dimension)
        return [c for c in range(subject.dimension) if c not in kept]

    @property
    def shared(self) -> bool:
        """Whether both rows have the same positions, which are then given once."""
        return self.positions[0] == self.positions[1]

    def place(self, subject: Subject) -> AnyArray:
        """Positions, (2, [1,] n), or (n,) when they are shared."""
        if self.shared:
            return position_array(self.positions[0])
        rows = np.stack([position_array(row) for row in self.positions])
        return rows if subject.heads == 1 else rows[:, None]


def check_forms(subject: Subject) -> None:
    """Both forms of the causal sum, where the file offers them."""
    calls = FEW_CALLS if subject.parameters else CALLS
    for dtype in subject.dtypes if _offered(subject) else ():
        for rows in _batches(subject):
            _check_rows(subject, rows, dtype, FEW_CALLS if rows[0] == rows[1] else calls)
    if CHUNKWISE in _offered(subject):
        _check_blocks(subject)


def _check_blocks(subject: Subject) -> None:
    """Every group of blocks alone: beside one that grows, the rounding of others is not seen.

    With a basis every group reads the same channels, and they are measured together.
    """
    limit = subject.plan.encoding.domain.max_position
    parts = {tuple(map(int, np.unique(g.columns))) for g in subject.exact.query([fmpq(0)])}
    gap = _gap(subject)
    for channels in sorted(parts):
        calls = []
        if len(parts) > 1 and limit >= SPACED[-1]:
            calls.append(_Call((SPACED, SPACED), subject.dtypes[0], 64, "", channels))
        if gap > 0:
            rows = (0, *(gap + p for p in AFTER_A_GAP))
            calls.append(_Call((rows, rows), subject.dtypes[0], 64, "", channels, first=1))
        for call in calls:
            _check(subject, call, _exact(subject, call))


def _gap(subject: Subject) -> int:
    """The longest across which A is in the range of what sums are computed in.

    So that only roundings differ. Powers of the lag grow as well, without a rate.
    """
    computed = "float64" if subject.dtypes[0] == "float64" else "float32"
    exponent = math.log(FORMATS[computed].largest)
    gap = subject.plan.encoding.domain.max_position - AFTER_A_GAP[-1]
    growth = subject.largest_growth
    if growth > 0.0:
        gap = min(gap, int(GROWTH * exponent / growth))
    while gap > 0 and not _size(subject, gap + AFTER_A_GAP[-1]) <= math.exp(SIZE * exponent):
        gap //= 2
    return gap


def _size(subject: Subject, lag: int) -> float:
    """The largest entry of A(lag)."""
    blocks = subject.exact.exponential([fmpq(lag)])
    return float(max(np.abs(block.value.high).max() for block in blocks))


def check_forms_quickly(subject: Subject) -> None:
    """Both forms of the causal sum of two rows of positions, in one dtype."""
    if _offered(subject):
        _check_rows(subject, _batches(subject)[0], subject.dtypes[0], FEW_CALLS)


def _offered(subject: Subject) -> set[str]:
    return {law for law, name in FUNCTIONS.items() if subject.kernel.has(name)}


def _check_rows(
    subject: Subject, rows: Rows, dtype: str, calls: tuple[tuple[int | None, str], ...]
) -> None:
    offered = _offered(subject)
    exact = _exact(subject, _Call(rows, dtype, None))
    for chunk, split in calls if len(offered) == len(FUNCTIONS) else calls[:-1]:
        call = _Call(rows, dtype, chunk, split)
        if call.law in offered:
            _check(subject, call, exact)


def _exact(subject: Subject, call: _Call) -> list[Sums]:
    """The sums of both rows."""
    inputs = [x.astype(np.float64) for x in call.inputs(subject)]
    inputs = [x[:, None] if subject.heads == 1 else x for x in inputs]
    return [
        causal_sums(subject, (inputs[0][b], inputs[1][b], inputs[2][b]), row, call.dtype)
        for b, row in enumerate(call.positions)
    ]


def _check(subject: Subject, call: _Call, exact: list[Sums]) -> None:
    try:
        outputs = _run(subject, call)
        reason = _wrong_kind(subject, call, outputs)
    except Exception as failure:
        reason = f"raised {describe(failure)}"
    if reason:
        _refute(subject, call, reason)
        return
    for b, sums in enumerate(exact):
        found = outputs[b].astype(np.float64).reshape(sums.value.shape)
        error = np.hypot.reduce(found - sums.value, axis=-1)
        inside = sums.inside.copy()
        if call.split == "steps":  # the others are measured on their own
            inside[:, :PREFILLED] = False
        Comparison.of(error, np.ones(()), sums.tolerance, inside).record(
            subject.ledger, call.law, call.dtype, _evidence(subject, call, b, (found, sums.value))
        )


def _run(subject: Subject, call: _Call) -> AnyArray:
    """The outputs of all positions, (2, [HEADS,] n, WIDTH)."""
    query, key, value = call.inputs(subject)
    place = call.place(subject)
    kernel, chunk = subject.kernel, call.chunk
    first = PREFILLED if call.split else call.length
    if chunk is None:
        zeros = np.zeros((*query.shape[:-2], WIDTH, subject.dimension), np.float32)
        return _steps(subject, call, zeros, 0)[0]
    outputs, state = kernel.chunkwise(
        query[..., :first, :], key[..., :first, :], value[..., :first, :], place[..., :first],
        *subject.values, chunk=chunk,
    )  # fmt: skip
    if call.split == "chunks":
        rest, _ = kernel.chunkwise(
            query[..., first:, :], key[..., first:, :], value[..., first:, :], place[..., first:],
            *subject.values, chunk=chunk, state=state, start=place[..., first - 1],
        )  # fmt: skip
    elif call.split == "steps":
        rest, _ = _steps(subject, call, state, first)
    else:
        return outputs
    return np.concatenate([outputs, rest], axis=-2)


def _steps(subject: Subject, call: _Call, state: AnyArray, first: int) -> tuple[AnyArray, AnyArray]:
    """The outputs from position `first` on, and the last state."""
    inputs = call.inputs(subject)
    place = call.place(subject)
    lags = np.diff(place, axis=-1, prepend=place[..., :1])
    outputs = []
    for i in range(first, call.length):
        q, k, v = (np.ascontiguousarray(x[..., i, :]) for x in inputs)
        lag = np.ascontiguousarray(lags[..., i])
        output, state = subject.kernel.recurrent_step(state, q, k, v, lag, *subject.values)
        outputs.append(output)
    return np.stack(outputs, axis=-2), state


def _wrong_kind(subject: Subject, call: _Call, outputs: AnyArray) -> str:
    expected = call.shapes(subject)[2]
    if outputs.shape != expected:
        return f"returned shape {outputs.shape}, expected {expected}"
    found = str(outputs.dtype)
    return "" if found == call.dtype else f"{FUNCTIONS[call.law]} of {call.dtype} returned {found}"


# -- evidence -----------------------------------------------------------------------------------


def _evidence(
    subject: Subject, call: _Call, row: int, measured: tuple[Array, Array]
) -> Callable[[Index], Evidence]:
    def evidence(index: Index) -> Evidence:
        head, i = index
        found, exact = measured
        difference = np.abs(found[head, i] - exact[head, i])
        channel = int(np.argmax(np.where(np.isnan(difference), np.inf, difference)))
        entry = (row, i, channel) if subject.heads == 1 else (row, head, i, channel)
        form = "step by step" if call.chunk is None else f"in chunks of {call.chunk}"
        then = {"chunks": ", then in chunks", "steps": ", then step by step"}.get(call.split, "")
        where = subject.where(
            call.positions[row][: i + 1], None, head, f"the causal sum {form}{then}"
        )
        return Evidence(where, _line(subject, call, entry, float(exact[head, i, channel])))

    return evidence


def _refute(subject: Subject, call: _Call, reason: str) -> None:
    entry = (0,) * len(call.shapes(subject)[2])
    subject.ledger.record(
        call.law,
        call.dtype,
        np.inf,
        0.0,
        lambda: Evidence(subject.where(note=reason), _line(subject, call, entry, "a number")),
    )


def _line(subject: Subject, call: _Call, entry: tuple[int, ...], expected: object) -> str:
    """One entry of the outputs, by the same calls."""
    script = subject.script
    statements: list[str] = []
    for i, (name, shape) in enumerate(zip(NAMES, call.shapes(subject), strict=True)):
        statements += script.normal(name, shape, subject.seed + i, call.dtype)
    zero = call.without(subject)
    statements += [f"{name}[..., {zero}] = 0" for name in NAMES[:2] if zero]
    if call.first:
        statements.append(f"{NAMES[1]}[..., :{call.first}, :] = 0")
    place = script.positions(
        call.positions[0] if call.shared else [*call.positions[0], *call.positions[1]]
    )
    statements.append(f"t = {place}.reshape{call.place(subject).shape}")
    *lead, i, channel = entry
    done = 0
    if call.chunk is not None:
        first = PREFILLED if call.split and i >= PREFILLED else call.length
        statements.append(
            f"o, a = k.chunkwise({_rows(subject, slice(0, first))}, chunk={call.chunk})"
        )
        if first == call.length:
            return script.line(statements, script.item("o", entry), expected)
        done = first
    else:
        zeros = (
            f"({', '.join(map(str, call.shapes(subject)[0][:-2]))}, {WIDTH}, {subject.dimension})"
        )
        library = "torch" if script.target == "torch" else "np"
        statements.append(f"a = {library}.zeros({zeros}, dtype={script.dtype('float32')})")
    if call.split == "chunks":
        rows = _rows(subject, slice(done, None))
        state = f"state=a, start=t[..., {done - 1}], chunk={call.chunk}"
        statements.append(f"o, a = k.chunkwise({rows}, {state})")
        return script.line(statements, script.item("o", (*lead, i - done, channel)), expected)
    for j in range(done, i + 1):
        x = ", ".join(f"{name}[..., {j}, :]" for name in NAMES)
        items = [x, f"t[..., {j}] - t[..., {max(j - 1, 0)}]", *map(repr, subject.values)]
        statements.append(f"o, a = k.recurrent_step(a, {', '.join(items)})")
    return script.line(statements, script.item("o", (*lead, channel)), expected)


def _rows(subject: Subject, rows: slice) -> str:
    shown = f"{rows.start or ''}:{'' if rows.stop is None else rows.stop}"
    items = [f"{name}[..., {shown}, :]" for name in NAMES]
    return ", ".join([*items, f"t[..., {shown}]", *map(repr, subject.values)])
