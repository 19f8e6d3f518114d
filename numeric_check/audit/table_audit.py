"""An absolute table: is it closed under shift, PE(t + 1) = M·PE(t), and what is M?

Sines and cosines are: M turns each pair of columns by its frequency, whichever way the columns are
ordered. A learned table is not. Closed or not, a table that is added to x makes no relative score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit import questions
from numeric_check.audit.arithmetic import shown_format
from numeric_check.audit.extent import extent, narrowed
from numeric_check.audit.finding import AuditReport, Finding
from numeric_check.audit.libraries import Array
from numeric_check.audit.planes import layout_name
from numeric_check.audit.positions import FARTHEST, last_taken
from numeric_check.audit.probes.precision import error_profile
from numeric_check.audit.recognition import COMMON_BASES
from numeric_check.audit.reproduce.tables import row_in_call, rows_of_table, step_of_table
from numeric_check.audit.subject import TableSubject
from numeric_check.audit.table_causes import table_cause
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.errors import AuditError

WORK = 1 << 28
"""Products of the longest fit."""
LENGTHS = (32769, 8194, 5000, 2048, 1024, 512, 256, 128)
ELEMENTS = 1 << 24
"""Numbers of the rows beyond: of wider tables every few are read."""
CALL = 1 << 21
SINGLES = (0, 1, 5, 100, 1023, 4095, 8193, 32768)
FITTED = 64
"""Rows that M is fitted to where columns are no waves: at least so many, or four for each."""
ROUNDINGS = 32.0
ANGLE_ROUNDINGS = 8.0
COARSE_ROUNDINGS = 4.0


@dataclass(frozen=True)
class Pair:
    """Columns r·(cos φ(t), sin φ(t)), φ(t) = ωt + φ₀, found in columns (first, second)."""

    columns: tuple[int, int]
    frequency: float
    start: float
    radius: float


def audit_table(subject: TableSubject) -> AuditReport:
    """Every question about a table. Raises `AuditError` when it cannot be called."""
    values = _measure(subject)
    d = values.shape[1]
    conditions = {
        "kind": "table",
        "library": subject.library.name,
        "dimension": d,
        "positions": [0, len(values) - 1],
        "measured_positions": len(values),
    }
    far = _far_rows(subject, *values.shape)
    if far.positions:
        conditions["positions"] = [0, far.positions[-1]]
        conditions["measured_positions"] = len(values) + len(far.positions)
    finite, end = _finite(subject, values, far)
    if end < FITTED:
        return AuditReport(subject.name, "no table that can be added", (finite,), conditions)
    values, far = values[:end], far.below(end)
    pairs = list(_pairs(values))
    covered = {c for p in pairs for c in p.columns}
    left = [c for c in range(d) if c not in covered and np.ptp(values[:, c]) > 0]
    findings = [finite]
    findings.append(_closed(subject, values, far, pairs, left))
    if pairs:
        findings += [_layout(pairs, d), _precision(subject, values, far, pairs)]
    findings += [_distinct(subject, values, far), _alone(subject, values)]
    words = "a table of sines and cosines" if pairs and not left else "an absolute table"
    return AuditReport(subject.name, words, tuple(findings), conditions)


def _finite(subject: TableSubject, values: Array, far: Far) -> tuple[Finding, int]:
    """Whether every entry is a number, and the first row of which one is not."""
    bad = [(row, c) for row, c in np.argwhere(~np.isfinite(values)).tolist()]
    bad += [(far.positions[i], c) for i, c in np.argwhere(~np.isfinite(far.rows)).tolist()]
    asked = questions.FINITE_TABLE
    if not bad:
        return asked.consistent("every entry is finite"), FARTHEST + 1
    row, column = bad[0]
    return asked.refuted(
        f"{len(bad)} entries are not, the first in row {row}",
        f"row {row}, column {column}: {subject.apply([row])[0, column]}",
        rows_of_table(subject, [row], column),
    ), row


def _measure(subject: TableSubject) -> Array:
    problem = ""
    for length in LENGTHS:
        try:
            return subject.apply(range(length))
        except AuditError as error:
            problem = problem or str(error)
    raise AuditError(f"{subject.name}: {problem}")


def _coarse(values: Array) -> float:
    """What entries in a 16-bit format lose, 0 for finer ones: that is bounded, not wrong."""
    shown = shown_format(values, "float32")
    narrow = shown.precision < FORMATS["float32"].precision
    return COARSE_ROUNDINGS * shown.unit_roundoff if narrow else 0.0


def _pairs(values: Array) -> Iterator[Pair]:
    """Columns whose squares add up to a constant: neighbours first, then halves, then any."""
    d, taken = values.shape[1], set()
    unit, coarse = ROUNDINGS * FORMATS["float32"].unit_roundoff, _coarse(values)
    for a in range(d):
        for b in _partners(a, d):
            if a in taken or b in taken or b == a:
                continue
            radius = np.hypot(values[:, a], values[:, b])
            if radius[0] > 0 and np.ptp(radius) <= (unit + coarse) * radius[0]:
                phase = np.unwrap(np.arctan2(values[:, b], values[:, a]))
                if np.abs(phase[-1] - phase[0]) < 1e-3:
                    continue
                frequency = float((phase[-1] - phase[0]) / (len(values) - 1))
                line = phase[0] + frequency * np.arange(len(values))
                slack = coarse + unit * (1.0 + np.abs(line))
                if (np.abs(phase - line) <= 4.0 * slack).all():
                    taken |= {a, b}
                    yield Pair((a, b), frequency, float(phase[0]), float(radius[0]))


def _partners(a: int, d: int) -> list[int]:
    near = [a + 1, a + d // 2, a - 1]
    return [b for b in dict.fromkeys([*near, *range(a + 1, d)]) if 0 <= b < d]


def _closed(
    subject: TableSubject, values: Array, far: Far, pairs: list[Pair], left: list[int]
) -> Finding:
    lonely = [c for c in left if _is_wave(values[:, c])]
    if not set(left) - set(lonely) and len(lonely) <= 1:
        more = (
            f"; the partner of column {lonely[0]} is missing, and would close it" if lonely else ""
        )
        return questions.CLOSED.consistent(
            f"M turns {len(pairs)} pairs of columns, each by its own angle; added to x it still "
            f"makes no relative score, because of the cross terms{more}",
            numbers={
                "frequencies": [abs(p.frequency) for p in pairs],
                "rates": [0.0] * len(pairs),
            },
        )
    rest = values[:, left]
    before, after, at = _neighbours(values, far)
    size = float(np.abs(rest).max())
    tolerance = 64.0 * (ROUNDINGS * FORMATS["float32"].unit_roundoff + _coarse(values)) * size
    lasting = -1
    for count in _counts(*values.shape):
        solution, *_ = np.linalg.lstsq(values[: count - 1], rest[1:count], rcond=None)
        of_count = before @ solution
        differs = np.abs(of_count - after[:, left])
        over = np.asarray((differs > tolerance).any(axis=1))
        holds = int(over.argmax()) if over.any() else len(over)
        if holds > lasting:
            lasting, fitted, made, gap, failing = holds, count, of_count, differs, over
    row = int(failing.argmax()) if failing.any() else int(gap.max(axis=1).argmax())
    column = int(gap[row].argmax())
    where = extent(at, failing) if failing.any() else "nowhere"
    cause = (_apart(values, lonely) or table_cause(values)) if failing.any() else ""
    hint = f"{cause}; " if cause else ""
    return questions.CLOSED.judged(
        float(gap[row, column]),
        tolerance,
        detail=f"{hint}the best M of the first {fitted} rows fails {where}; the largest gap is "
        f"{float(gap.max()):.2g}",
        witness=f"column {left[column]} at position {at[row]}: that M makes it "
        f"{float(made[row, column]):.6g} from row {at[row] - 1}, the table has "
        f"{float(after[row, left[column]]):.6g}",
        reproduce=step_of_table(subject, fitted, at[row], left[column]),
        numbers={"cause": cause} if cause else None,
    )


def _counts(rows: int, columns: int) -> list[int]:
    """Numbers of rows that M is fitted to: few do not show slow columns, and many may hold a fault.

    The M that holds longest is the one that is judged.
    """
    count = min(rows, max(FITTED, 4 * columns))
    found = [count]
    while 2 * found[-1] <= rows and 2 * found[-1] * columns**2 <= WORK:
        found.append(2 * found[-1])
    return found


def _apart(values: Array, lonely: list[int]) -> str:
    """Waves of which none has its partner, in words."""
    if len(lonely) < 2 or len(lonely) < values.shape[1] - 1:
        return ""
    shown = [float(np.arccos(np.clip(_factor(values[:, c]) / 2.0, -1.0, 1.0))) for c in lonely[:2]]
    return (
        f"columns {lonely[0]} and {lonely[1]} are waves with frequencies {shown[0]:.4g} and "
        f"{shown[1]:.4g}, and so on: no sine has its cosine, which needs the same frequency"
    )


def _factor(column: Array) -> float:
    """2 cos(ω) of the wave that is nearest."""
    inner, around = column[1:-1], column[2:] + column[:-2]
    size = float(inner @ inner)
    return float(inner @ around) / size if size else 0.0


def _neighbours(values: Array, far: Far) -> tuple[Array, Array, list[int]]:
    """Rows t − 1 and t, and t, for every t of which both were read."""
    positions = np.array([*range(len(values)), *far.positions])
    rows = np.concatenate([values, far.rows])
    after = np.flatnonzero(np.diff(positions) == 1) + 1
    return rows[after - 1], rows[after], positions[after].tolist()


def _is_wave(column: Array) -> bool:
    """x(t + 1) + x(t − 1) = 2 cos(ω) x(t): a sine whose cosine is in no column."""
    inner, around = column[1:-1], column[2:] + column[:-2]
    if not inner.any():
        return False
    factor = _factor(column)
    unit = ROUNDINGS * FORMATS["float32"].unit_roundoff + _coarse(column[:, None])
    unit *= float(np.abs(column).max())
    drifted = 1.0 + np.arange(len(inner))  # float32 angles lose more with the position
    return abs(factor) <= 2.0 and bool((np.abs(around - factor * inner) <= unit * drifted).all())


def _layout(pairs: list[Pair], d: int) -> Finding:
    columns = [p.columns for p in pairs]
    name = layout_name(columns, d)
    frequencies = np.sort([abs(p.frequency) for p in pairs])[::-1]
    ladder = _ladder(frequencies, d)
    words = f"{name}; {ladder or 'frequencies from'} {frequencies[0]:.6g} to {frequencies[-1]:.6g}"
    first = [p.start for p in pairs]
    order = "sine first" if np.allclose(np.cos(first), 0.0, atol=1e-6) else "cosine first"
    detail = f"{words}, {order}"
    if name.startswith("interleaved"):
        return questions.COLUMNS.consistent(detail)
    every = [c for pair in columns for c in pair]
    permutation = [*every, *(c for c in range(d) if c not in every)]
    return questions.COLUMNS.equivalent(
        f"because a permutation of the columns makes it interleaved: {detail}",
        numbers={"permutation": permutation},
    )


def _ladder(frequencies: Array, d: int) -> str:
    count = len(frequencies)
    for base in COMMON_BASES:
        for text, exponent in (
            (f"{base}^(-2j/{d})", d),
            (f"{base}^(-j/{count - 1})", 2 * count - 2),
        ):
            if exponent and np.allclose(
                frequencies, float(base) ** (-2.0 * np.arange(count) / exponent), rtol=1e-4
            ):
                return f"frequencies {text},"
    return ""


def _precision(subject: TableSubject, values: Array, beyond: Far, pairs: list[Pair]) -> Finding:
    """Every row, and far ones, against exact angles with the frequencies that were found."""
    length = len(values)
    tried = [*range(length), *beyond.positions]
    table = np.concatenate([values, beyond.rows])
    error, room = _errors(table, tried, pairs, length)
    ratio = error / room
    pair, place = (int(v) for v in np.unravel_index(int(ratio.argmax()), ratio.shape))
    if ratio[pair, place] <= 1.0:
        worst = float(error[pair, place])
        return questions.TABLE_PRECISION.judged(
            worst, float(room[pair, place]), detail=f"worst error {worst:.1e}",
            numbers={"profile": error_profile(tried, error.max(axis=0))},
        )  # fmt: skip

    def failing(positions: Sequence[int]) -> npt.NDArray[np.bool_]:
        found, allowed = _errors(subject.apply(positions), positions, pairs, length)
        return np.asarray((found > allowed).any(axis=0))

    over, seen = np.asarray((ratio > 1.0).any(axis=0)), tried
    first = int(over.argmax())
    position = tried[first]
    if first and position - tried[first - 1] > 1:
        position = narrowed(failing, tried[first - 1], position)
        if position != tried[first]:
            seen, over = [*tried[:first], position, *tried[first:]], np.insert(over, first, True)
    row = subject.apply([position])
    found, allowed = _errors(row, [position], pairs, length)
    at = int((found / allowed).argmax())
    column, angle = pairs[at].columns[0], pairs[at].frequency * position + pairs[at].start
    return questions.TABLE_PRECISION.judged(
        float(error[pair, place]), float(room[pair, place]),
        detail=f"wrong {extent(seen, over)}; the largest error is {float(error.max()):.2g}",
        witness=f"position {position}, column {column}: {float(row[0, column]):.9g}, exact "
        f"{pairs[at].radius * float(np.cos(angle)):.9g}",
        reproduce=rows_of_table(subject, [position], column),
        numbers={"profile": error_profile(tried, error.max(axis=0))},
    )  # fmt: skip


@dataclass(frozen=True)
class Far:
    """Rows beyond the first ones, at ascending positions."""

    positions: tuple[int, ...]
    rows: Array

    def below(self, end: int) -> Far:
        """Those before a position."""
        count = sum(p < end for p in self.positions)
        return Far(self.positions[:count], self.rows[:count])


def _far_rows(subject: TableSubject, length: int, d: int) -> Far:
    """Every row up to `FARTHEST`, or every few and their neighbours, as far as the table goes."""

    def taken(position: int) -> bool:
        try:
            subject.apply([position])
        except AuditError:
            return False
        return True

    none = Far((), subject.apply([0])[:0])
    if not taken(length):
        return none
    good = FARTHEST if taken(FARTHEST) else last_taken(taken, length, FARTHEST)
    step = max(1, -(-(good + 1 - length) * d // ELEMENTS)) | 1
    wanted = sorted({p for q in range(length, good + 1, step) for p in (q, min(q + 1, good))})
    count = max(1, CALL // d)
    try:
        parts = [subject.apply(wanted[i : i + count]) for i in range(0, len(wanted), count)]
    except AuditError:  # it takes few positions at once
        return none
    return Far(tuple(wanted), np.concatenate(parts))


def _errors(
    table: Array, positions: Sequence[int], pairs: list[Pair], length: int
) -> tuple[Array, Array]:
    """Errors of each pair of columns at each position, and what float32 angles may lose there."""
    unit, coarse = FORMATS["float32"].unit_roundoff, _coarse(table)
    at = np.array(positions, dtype=np.float64)
    errors, rooms = [], []
    for p in pairs:
        angle = p.frequency * at + p.start
        a, b = p.columns
        x, y = table[:, a] / p.radius, table[:, b] / p.radius
        errors.append(np.hypot(x - np.cos(angle), y - np.sin(angle)))
        # the frequency itself is known from a scan of `length` positions
        room = coarse + unit * (ROUNDINGS + ANGLE_ROUNDINGS * abs(p.frequency) * at)
        rooms.append(room + 4.0 * ROUNDINGS * unit * at / length)
    return np.array(errors), np.array(rooms)


def _distinct(subject: TableSubject, values: Array, far: Far) -> Finding:
    """Whether neighbouring rows differ, where the table is not constant altogether."""
    asked = questions.TABLE_DISTINCT
    before, after, at = _neighbours(values, far)
    equal = np.asarray((after == before).all(axis=1))
    if not equal.any():
        return asked.consistent(f"they differ, up to row {at[-1]}")
    first = at[int(equal.argmax())]
    return asked.refuted(
        f"{int(equal.sum())} of {len(equal)} pairs of neighbours are equal",
        f"rows {first - 1} and {first} are equal in every entry",
        rows_of_table(subject, [first - 1, first], None),
    )


def _alone(subject: TableSubject, values: Array) -> Finding:
    asked = questions.TABLE_PREFILL
    room = ROUNDINGS * FORMATS["float32"].unit_roundoff * max(1.0, float(np.abs(values).max()))
    worst, where = 0.0, 0
    for p in (p for p in SINGLES if p < len(values)):
        try:
            row = subject.apply([p])[0]
        except AuditError as error:
            return asked.undecided(f"position {p} alone: {error}")
        gap = float(np.nan_to_num(np.abs(row - values[p]), nan=np.inf).max())
        if gap > worst:
            worst, where = gap, p
    return asked.judged(
        worst,
        room,
        detail=f"worst difference {worst:.1e} ({room:.1e} allowed)",
        witness=f"row {where} alone and among {len(values)} others differ by {worst:.2g}",
        reproduce=row_in_call(subject, len(values), where),
    )
