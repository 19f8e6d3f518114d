"""An absolute table: is it closed under shift, PE(t + 1) = M·PE(t), and what is M?

Sines and cosines are: M turns each pair of columns by its frequency, whichever way the columns are
ordered. A learned table is not. Closed or not, a table that is added to x makes no relative score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from numeric_check.audit.finding import AuditReport, Finding, Verdict, judged
from numeric_check.audit.libraries import Array
from numeric_check.audit.planes import layout_name
from numeric_check.audit.recognition import COMMON_BASES
from numeric_check.audit.subject import TableSubject
from numeric_check.tolerance import FORMATS
from symbolic_pe.errors import AuditError

CLOSED = "PE(t + 1) = M PE(t) with one matrix M for all t"
PRECISE = "every entry is sin or cos of its angle within what float32 angles lose"
LENGTHS = (8194, 5000, 2048, 1024, 512, 256, 128)
FAR = (65536, 131071)
ROUNDINGS = 32.0
ANGLE_ROUNDINGS = 8.0


@dataclass(frozen=True)
class Pair:
    """Columns a·(cos φ(t), sin φ(t)), φ(t) = ωt + φ₀, found in columns (first, second)."""

    columns: tuple[int, int]
    frequency: float
    start: float


def audit_table(subject: TableSubject) -> AuditReport:
    """Every question about a table. Raises `AuditError` when it cannot be called."""
    values = _measure(subject)
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        row, column = (int(v) for v in bad[0])
        finding = Finding(
            "finite", Verdict.REFUTED, "every entry is a number", f"{len(bad)} entries are not",
            f"row {row}, column {column}: {values[row, column]}",
        )  # fmt: skip
        return AuditReport(subject.name, "no table that can be added", (finding,), {})
    pairs = list(_pairs(values))
    covered = {c for p in pairs for c in p.columns}
    d = values.shape[1]
    left = [c for c in range(d) if c not in covered and np.ptp(values[:, c]) > 0]
    findings = [_closed(values, pairs, left)]
    if pairs:
        findings += [_layout(pairs, d), _precision(subject, values, pairs)]
    findings.append(_alone(subject, values))
    words = "a table of sines and cosines" if pairs and not left else "an absolute table"
    conditions = {
        "library": subject.library.name,
        "dimension": d,
        "positions": [0, len(values) - 1],
        "measured_positions": len(values),
    }
    return AuditReport(subject.name, words, tuple(findings), conditions)


def _measure(subject: TableSubject) -> Array:
    problem = ""
    for length in LENGTHS:
        try:
            return subject.apply(range(length))
        except AuditError as error:
            problem = problem or str(error)
    raise AuditError(f"{subject.name}: {problem}")


def _pairs(values: Array) -> Iterator[Pair]:
    """Columns whose squares add up to a constant: neighbours first, then halves, then any."""
    d, taken = values.shape[1], set()
    unit = ROUNDINGS * FORMATS["float32"].unit_roundoff
    for a in range(d):
        for b in _partners(a, d):
            if a in taken or b in taken or b == a:
                continue
            radius = np.hypot(values[:, a], values[:, b])
            if radius[0] > 0 and np.ptp(radius) <= unit * radius[0]:
                phase = np.unwrap(np.arctan2(values[:, b], values[:, a]))
                if np.abs(phase[-1] - phase[0]) < 1e-3:
                    continue
                frequency = float((phase[-1] - phase[0]) / (len(values) - 1))
                line = phase[0] + frequency * np.arange(len(values))
                slack = unit * (1.0 + np.abs(line))
                if (np.abs(phase - line) <= 4.0 * slack).all():
                    taken |= {a, b}
                    yield Pair((a, b), frequency, float(phase[0]))


def _partners(a: int, d: int) -> list[int]:
    near = [a + 1, a + d // 2, a - 1]
    return [b for b in dict.fromkeys([*near, *range(a + 1, d)]) if 0 <= b < d]


def _closed(values: Array, pairs: list[Pair], left: list[int]) -> Finding:
    lonely = [c for c in left if _is_wave(values[:, c])]
    if not set(left) - set(lonely):
        more = (
            f"; the partner of column {lonely[0]} is missing, and would close it" if lonely else ""
        )
        return Finding(
            "closed", Verdict.CONSISTENT, CLOSED,
            f"M turns {len(pairs)} pairs of columns, each by its own angle; added to x it still "
            f"makes no relative score, because of the cross terms{more}",
            numbers={"frequencies": [abs(p.frequency) for p in pairs]},
        )  # fmt: skip
    rest = values[:, left]
    solution, *_ = np.linalg.lstsq(values[:-1], rest[1:], rcond=None)
    gap = np.abs(values[:-1] @ solution - rest[1:])
    worst, column = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    size = float(np.abs(rest).max())
    tolerance = 64.0 * ROUNDINGS * FORMATS["float32"].unit_roundoff * size
    return judged(
        "closed",
        CLOSED,
        float(gap.max()),
        tolerance,
        detail=f"the best M leaves {float(gap.max()):.2g}",
        witness=f"column {left[column]} at position {worst + 1}: the best M gives "
        f"{float((values[:-1] @ solution)[worst, column]):.6g}, the table has "
        f"{float(rest[worst + 1, column]):.6g}",
    )


def _is_wave(column: Array) -> bool:
    """x(t + 1) + x(t − 1) = 2 cos(ω) x(t): a sine whose cosine is in no column."""
    inner, around = column[1:-1], column[2:] + column[:-2]
    size = float(inner @ inner)
    if size == 0.0:
        return False
    factor = float(inner @ around) / size
    unit = ROUNDINGS * FORMATS["float32"].unit_roundoff * float(np.abs(column).max())
    drifted = 1.0 + np.arange(len(inner))  # float32 angles lose more with the position
    return abs(factor) <= 2.0 and bool((np.abs(around - factor * inner) <= unit * drifted).all())


def _layout(pairs: list[Pair], d: int) -> Finding:
    columns = [p.columns for p in pairs]
    name = layout_name(columns, d)
    frequencies = np.sort([abs(p.frequency) for p in pairs])[::-1]
    ladder = _ladder(frequencies, d)
    statement = "which columns belong together, and which frequencies"
    words = f"{name}; {ladder or 'frequencies from'} {frequencies[0]:.6g} to {frequencies[-1]:.6g}"
    first = [p.start for p in pairs]
    order = "sine first" if np.allclose(np.cos(first), 0.0, atol=1e-6) else "cosine first"
    detail = f"{words}, {order}"
    if name == "interleaved":
        return Finding("columns", Verdict.CONSISTENT, statement, detail)
    return Finding(
        "columns", Verdict.EQUIVALENT, statement,
        f"because a permutation of the columns makes it interleaved: {detail}",
    )  # fmt: skip


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


def _precision(subject: TableSubject, values: Array, pairs: list[Pair]) -> Finding:
    """Entries at far positions against exact angles, with the frequencies that were found."""
    try:
        far = list(FAR)
        table = subject.apply(far)
    except AuditError:
        far, table = [len(values) - 1], values[-1:]
    unit = FORMATS["float32"].unit_roundoff
    worst = (0.0, 1.0, far[0], 0)
    for pair in pairs:
        for row, position in zip(table, far, strict=True):
            angle = pair.frequency * position + pair.start
            gap = float(np.hypot(row[pair.columns[0]] - np.cos(angle),
                                 row[pair.columns[1]] - np.sin(angle)))  # fmt: skip
            # the frequency itself is known from a scan of len(values) positions
            room = unit * (ROUNDINGS + ANGLE_ROUNDINGS * abs(pair.frequency) * position)
            room += 4.0 * ROUNDINGS * unit * position / len(values)
            if gap / room > worst[0] / worst[1]:
                worst = (gap, room, position, pair.columns[0])
    return judged(
        "precision", PRECISE, worst[0], worst[1],
        detail=f"worst error {worst[0]:.1e} ({worst[1]:.1e} allowed)",
        witness=f"position {worst[2]}, column {worst[3]}: off by {worst[0]:.2g}",
    )  # fmt: skip


def _alone(subject: TableSubject, values: Array) -> Finding:
    statement = "a row does not depend on the other positions of a call"
    worst, where = 0.0, 0
    for p in (0, 1, 5, 100):
        gap = float(np.abs(subject.apply([p])[0] - values[p]).max())
        if gap > worst:
            worst, where = gap, p
    return judged(
        "prefill = decode", statement, worst, ROUNDINGS * FORMATS["float32"].unit_roundoff,
        detail=f"worst difference {worst:.1e}",
        witness=f"row {where} alone and among others differ by {worst:.2g}",
    )  # fmt: skip
