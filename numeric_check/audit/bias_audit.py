"""An additive bias: does it depend on the lag, what are its slopes, and is it the declared one?

Softmax ignores a constant added to a row of scores. So a bias that depends on t − s only after
b(t, t) is subtracted from row t is equivalent to one that does: `m·s` is ALiBi's −m·(t − s).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.bias_measurement import NEAR, MeasuredBias, measure_bias, without_rows
from numeric_check.audit.bias_slopes import against, linear, offset, recognised_slopes, sign
from numeric_check.audit.finding import AuditReport, Finding, Verdict
from numeric_check.audit.libraries import Array
from numeric_check.audit.positions import LATTICE, STANDARD
from numeric_check.audit.reproduce.biases import (
    bias_in_call,
    entries_in_call,
    entries_of_bias,
)
from numeric_check.audit.subject import BiasSubject
from numeric_check.audit.toeplitz import Entry, drifts, heat, shrunk_entry
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import AuditError

NEIGHBOURS = (6, 64)
"""Numbers of positions of a whole matrix, as a shift of rows makes it."""
SINGLES = ((0, 0), (5, 2), (7, 7), (86, 85), (300, 0), (511, 419), (8193, 4095), (131071, 65536))


def audit_bias(
    subject: BiasSubject, declared: Encoding | None = None, spec: str = ""
) -> AuditReport:
    """Every question about a bias. Raises `AuditError` when it cannot be called."""
    measured = measure_bias(subject)
    conditions = {
        "kind": "bias",
        "library": subject.library.name,
        "heads": len(measured.values),
        "positions": [measured.positions[0], measured.positions[-1]],
        "measured_positions": len(measured.positions),
        "every_pair_below": min(NEAR, measured.positions[-1] + 1),
        "every_few": [[LATTICE[1], p] for p in LATTICE if p <= measured.positions[-1]][-1:],
        "each_beside": [0, measured.positions[-1]],
    }
    finite = _finite(subject, measured)
    if finite.verdict is not Verdict.CONSISTENT:
        return AuditReport(subject.name, "no bias that can be added", (finite,), conditions)
    relative, drift = _relative(subject, measured)
    findings = [finite, relative]
    slopes = None
    if relative.verdict is not Verdict.REFUTED:
        slope, slopes = linear(subject, measured)
        findings += [slope, sign(subject, slopes), offset(measured)]
    if declared is not None:
        findings.append(against(subject, measured, slopes, declared, spec))
    findings.append(_alone(subject, measured))
    summary = _summary(slopes, measured, drift)
    return AuditReport(subject.name, summary, tuple(findings), conditions)


def _finite(subject: BiasSubject, measured: MeasuredBias) -> Finding:
    """Numbers, or −∞ where a pair is masked; never nan or +∞."""
    asked = questions.FINITE_BIAS
    wrong = np.isnan(measured.values) | (measured.values == np.inf)
    if subject.causal:
        wrong = np.tril(wrong)
    bad = np.argwhere(wrong)
    if bad.size:
        head, i, j = (int(v) for v in bad[int(bad[:, 1:].sum(axis=1).argmin())])
        t, s = measured.positions[i], measured.positions[j]
        return asked.refuted(
            f"{len(bad)} entries are not",
            f"head {head}: b({t}, {s}) is {measured.values[head, i, j]}",
            entries_of_bias(subject, [(t, s)]),
        )
    if not np.tril(measured.judged, -1).any():
        return asked.undecided("every key before the query is masked")
    return asked.consistent("every entry is finite")


def _relative(subject: BiasSubject, measured: MeasuredBias) -> tuple[Finding, bool]:
    """The finding, and whether a row constant has to be taken off first."""
    asked, rooms = questions.BIAS_RELATIVE, measured.rooms()
    plain, failing = drifts(measured.values, measured.positions, rooms, measured.judged)
    grid = {"grid": heat(measured.values, measured.positions, rooms, STANDARD)}
    if plain is None:
        return asked.undecided("no lag has two pairs that can be compared"), False
    if failing is None:
        return _judged(plain, grid), False
    rowless, failing = drifts(measured.rowless, measured.positions, rooms, measured.judged)
    assert rowless is not None
    grid = {"grid": heat(measured.rowless, measured.positions, rooms, STANDARD)}
    if failing is not None:
        if max(failing.pair) >= NEAR:

            def call(positions: Sequence[int]) -> tuple[Array, Array]:
                values = subject.apply(positions, positions)
                return without_rows(values), measured.rooms_at(positions, values)

            failing = shrunk_entry(failing, call)
        return _witnessed(subject, measured, rowless, failing, grid), False
    row = np.einsum("hnn->hn", measured.values)
    head, at = (int(v) for v in np.unravel_index(int(np.abs(row).argmax()), row.shape))
    return asked.equivalent(
        "because row t has a constant added that softmax ignores, b(t, t): "
        f"{row[head, at]:.6g} in row {measured.positions[at]} of head {head}; without it the bias "
        "depends on t - s only",
        error=rowless.error,
        tolerance=rowless.tolerance,
        numbers=grid,
    ), True


def _judged(worst: Entry, grid: Mapping[str, object]) -> Finding:
    return questions.BIAS_RELATIVE.judged(
        worst.error,
        worst.tolerance,
        detail=f"worst drift {worst.error:.1e} ({worst.tolerance:.1e} allowed)",
        numbers=grid,
    )


def _line(subject: BiasSubject, measured: MeasuredBias, shown: Entry) -> str:
    """Each entry alone where that shows it; else one call, of as few positions as show it."""
    pairs = [shown.pair, shown.base]
    every = sorted({p for pair in pairs for p in pair})

    def apart(values: Sequence[float]) -> bool:
        return not abs(values[0] - values[1]) <= 0.5 * shown.tolerance

    calls = [every, list(range(every[-1] + 1)) if every[-1] < NEAR else every, measured.positions]
    try:
        alone = [[subject.apply([t], [p])[shown.head, 0, 0] for p in (s, t)] for t, s in pairs]
        if apart([here - own if np.isfinite(own) else here for here, own in alone]):
            return entries_of_bias(subject, [(t, p) for t, s in pairs for p in (s, t)])
        for call in calls:
            values = without_rows(subject.apply(call, call))[shown.head]
            at = [(list(call).index(t), list(call).index(s)) for t, s in pairs]
            if apart([float(values[i, j]) for i, j in at]):
                return entries_in_call(subject, call, pairs)
    except (AuditError, ValueError):  # it does not take these positions, or they are not among them
        pass
    return entries_of_bias(subject, [(t, p) for t, s in pairs for p in (s, t)])


def _witnessed(
    subject: BiasSubject,
    measured: MeasuredBias,
    worst: Entry,
    shown: Entry,
    grid: Mapping[str, object],
) -> Finding:
    (t, s), (u, v), (here, there) = shown.pair, shown.base, shown.values
    side = "" if s <= t else "; for s > t: if these are masked, say that the bias is causal"
    return questions.BIAS_RELATIVE.refuted(
        f"worst drift {worst.error:.1e} ({worst.tolerance:.1e} allowed) at {worst.pair}",
        f"head {shown.head}: without its row constant b({t}, {s}) is {here:.6g} and b({u}, {v}) is "
        f"{there:.6g}, with the same lag {t - s}{side}",
        _line(subject, measured, shown),
        error=worst.error,
        tolerance=worst.tolerance,
        numbers=grid,
    )


def _alone(subject: BiasSubject, measured: MeasuredBias) -> Finding:
    """An entry of one row alone against the same in the matrix, b(t, t) taken off both."""
    asked = questions.BIAS_PREFILL
    worst, shown, at = (0.0, 1.0), (0, 0), measured.positions
    rooms = measured.rooms()
    for t, s in SINGLES:
        if not {t, s} <= set(at):
            continue
        i, j = at.index(t), at.index(s)
        together = measured.rowless[:, i, j]
        try:
            one, own = subject.apply([t], [s, t])[:, 0].T  # one row, as decoding asks for it
        except AuditError as error:
            return asked.undecided(str(error))
        with np.errstate(all="ignore"):
            one = one - np.where(np.isfinite(own), own, 0.0)
            gap = np.where(one == together, 0.0, np.abs(one - together))
        gap = np.where(np.isnan(gap), np.inf, gap)
        head = int((gap / rooms[:, i, j]).argmax())
        if not gap[head] / rooms[head, i, j] <= worst[0] / worst[1]:
            worst, shown = (float(gap[head]), float(rooms[head, i, j])), (t, s)
    near = [p for p in at if p <= max(*shown, 16)][:64]
    near = sorted({*near, *shown})
    whole = "in the matrix"
    for count in NEIGHBOURS:
        *off, pair = _of_neighbours(subject, measured, count)
        if not off[0] / off[1] <= max(1.0, worst[0] / worst[1]):
            worst, shown, near = (off[0], off[1]), pair, list(range(count))
            whole = f"in one of positions 0 to {count - 1}"
    return asked.judged(
        *worst,
        detail=f"worst difference {worst[0]:.1e} ({worst[1]:.1e} allowed)",
        witness=f"b{shown} - b({shown[0]}, {shown[0]}), in a row alone and {whole}, differs "
        f"by {worst[0]:.2g}",
        reproduce=bias_in_call(subject, near, near.index(shown[0]), near.index(shown[1])),
    )


def _of_neighbours(
    subject: BiasSubject, measured: MeasuredBias, count: int
) -> tuple[float, float, tuple[int, int]]:
    """Positions 0, 1, … as queries and keys of one call, against the same in a larger one."""
    if measured.positions[:count] != tuple(range(count)):
        return 0.0, 1.0, (0, 0)
    try:
        values = without_rows(subject.apply(range(count), range(count)))
    except AuditError:  # it does not take so few
        return 0.0, 1.0, (0, 0)
    larger, rooms = measured.rowless[:, :count, :count], measured.rooms()[:, :count, :count]
    with np.errstate(all="ignore"):
        gap = np.where(values == larger, 0.0, np.abs(values - larger))
    gap = np.where(measured.judged[:count, :count], np.where(np.isnan(gap), np.inf, gap), 0.0)
    head, t, s = (int(v) for v in np.unravel_index(int((gap / rooms).argmax()), gap.shape))
    return float(gap[head, t, s]), float(rooms[head, t, s]), (t, s)


def _summary(slopes: Array | None, measured: MeasuredBias, equivalent: bool) -> str:
    heads = len(measured.values)
    if slopes is None:
        return f"an additive bias of {heads} heads"
    name = recognised_slopes(slopes, measured.unit)
    up_to = ", up to a constant in each row" if equivalent else ""
    words = f"a linear bias of {heads} heads{up_to}"
    return f"{words}: {name}" if name else words
