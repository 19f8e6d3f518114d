"""An additive bias: does it depend on the lag, what are its slopes, and is it the declared one?

Softmax ignores a constant added to a row of scores. So a bias that depends on t − s only after
b(t, t) is subtracted from row t is equivalent to one that does: `m·s` is ALiBi's −m·(t − s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from numeric_check.audit.bias_measurement import MeasuredBias, measure_bias
from numeric_check.audit.bias_slopes import against, linear, offset, recognised_slopes, sign
from numeric_check.audit.finding import AuditReport, Finding, Verdict, judged, skipped
from numeric_check.audit.libraries import Array
from numeric_check.audit.subject import BiasSubject
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import AuditError

RELATIVE = "b(t + c, s + c) = b(t, s), up to a constant in each row, which softmax ignores"


def audit_bias(
    subject: BiasSubject, declared: Encoding | None = None, spec: str = ""
) -> AuditReport:
    """Every question about a bias. Raises `AuditError` when it cannot be called."""
    measured = measure_bias(subject)
    finite = _finite(subject, measured)
    if finite.verdict is not Verdict.CONSISTENT:
        return AuditReport(subject.name, "no bias that can be added", (finite,), {})
    relative, drift = _relative(subject, measured)
    findings = [finite, relative]
    slopes = None
    if relative.verdict is not Verdict.REFUTED:
        slope, slopes = linear(measured)
        findings += [slope, sign(measured, slopes), offset(measured)]
    if declared is not None:
        findings.append(against(measured, slopes, declared, spec))
    findings += [_history(subject, measured)]
    shown = _line(subject, [(1, 0), (1, 1)])
    findings = [
        replace(f, reproduce=shown) if f.witness and not f.reproduce else f for f in findings
    ]
    summary = _summary(slopes, measured, drift)
    conditions = {
        "library": subject.library.name,
        "heads": len(measured.values),
        "positions": [measured.positions[0], measured.positions[-1]],
        "measured_positions": len(measured.positions),
    }
    return AuditReport(subject.name, summary, tuple(findings), conditions)


def _finite(subject: BiasSubject, measured: MeasuredBias) -> Finding:
    """Numbers, or −∞ where a pair is masked; never nan or +∞."""
    statement = "every entry is a number, or -inf where it is masked"
    bad = np.argwhere(np.isnan(measured.values) | (measured.values == np.inf))
    if bad.size:
        head, i, j = (int(v) for v in bad[0])
        t, s = measured.positions[i], measured.positions[j]
        value = measured.values[head, i, j]
        return Finding(
            "finite", Verdict.REFUTED, statement, f"{len(bad)} entries are not",
            f"head {head}: b({t}, {s}) is {value}", reproduce=_line(subject, [(t, s)]),
        )  # fmt: skip
    below = np.tril(measured.judged, -1)
    if not below.any():
        return Finding(
            "finite", Verdict.UNDECIDED, statement, "every key before the query is masked"
        )
    return Finding("finite", Verdict.CONSISTENT, statement, "every entry is finite")


def _relative(subject: BiasSubject, measured: MeasuredBias) -> tuple[Finding, bool]:
    plain = _drift(measured, measured.values)
    if plain[0] <= measured.room:
        return _found(subject, "relative", plain, measured), False
    rowless = _drift(measured, measured.rowless)
    if rowless[0] > measured.room:
        return _found(subject, "relative", rowless, measured), False
    row = np.einsum("hnn->hn", measured.values)
    head, at = (int(v) for v in np.unravel_index(int(np.abs(row).argmax()), row.shape))
    return Finding(
        "relative",
        Verdict.EQUIVALENT,
        RELATIVE,
        "because row t has a constant added that softmax ignores, b(t, t): "
        f"{row[head, at]:.6g} in row {measured.positions[at]} of head {head}; without it the bias "
        "depends on t - s only",
        error=rowless[0],
        tolerance=measured.room,
    ), True


Drift = tuple[float, int, tuple[int, int], tuple[int, int], tuple[float, float]]


def _drift(measured: MeasuredBias, values: Array) -> Drift:
    """The largest difference between two entries of one lag: (size, head, pair, pair, values)."""
    lags: dict[int, list[tuple[int, int]]] = {}
    for i, t in enumerate(measured.positions):
        for j, s in enumerate(measured.positions):
            if measured.judged[i, j]:
                lags.setdefault(t - s, []).append((i, j))
    worst: Drift = (0.0, 0, (0, 0), (0, 0), (0.0, 0.0))
    for entries in lags.values():
        first = values[:, entries[0][0], entries[0][1]]
        for i, j in entries[1:]:
            gap = np.abs(values[:, i, j] - first)
            head = int(gap.argmax())
            if gap[head] > worst[0]:
                pairs = tuple(
                    (measured.positions[a], measured.positions[b]) for a, b in ((i, j), entries[0])
                )
                worst = (
                    float(gap[head]), head, pairs[0], pairs[1],
                    (float(values[head, i, j]), float(first[head])),
                )  # fmt: skip
    return worst


def _found(subject: BiasSubject, question: str, drift: Drift, measured: MeasuredBias) -> Finding:
    size, head, (t, s), (u, v), (here, there) = drift
    side = "" if s <= t else "; for s > t: if these are masked, say that the bias is causal"
    return judged(
        question,
        RELATIVE,
        size,
        measured.room,
        detail=f"worst drift {size:.1e} ({measured.room:.1e} allowed)",
        witness=f"head {head}: without its row constant b({t}, {s}) is {here:.6g} and "
        f"b({u}, {v}) is {there:.6g}, with the same lag {t - s}{side}",
        reproduce=_line(subject, [(t, s), (t, t), (u, v), (u, u)]),
    )


def _line(subject: BiasSubject, pairs: Sequence[tuple[int, int]]) -> str:
    named = (
        f"from numeric_check.audit import subject_named; f = subject_named('{subject.name}').bias"
    )
    torch = subject.library.name == "torch"
    head, make = ("import torch", "torch.tensor") if torch else ("import numpy as np", "np.array")
    shown = ", ".join(f"f({make}([{t}]), {make}([{s}])).reshape(-1)" for t, s in pairs)
    return f'python -c "{head}; {subject.origin or named}; print({shown})"'


def _history(subject: BiasSubject, measured: MeasuredBias) -> Finding:
    """One entry alone against the same in the matrix; positions in another dtype."""
    statement = "an entry does not depend on the other positions of a call"
    worst, where = 0.0, (0, 0)
    for t, s in ((0, 0), (5, 2), (7, 7), (86, 85)):
        if max(t, s) > measured.positions[-1]:
            continue
        i, j = measured.positions.index(t), measured.positions.index(s)
        row = measured.positions.index(t)
        together = measured.values[:, i, j] - measured.values[:, row, row]
        try:
            one = subject.apply([t], [s])[:, 0, 0] - subject.apply([t], [t])[:, 0, 0]
        except AuditError as error:
            return skipped("prefill = decode", statement, str(error))
        gap = float(np.nan_to_num(np.abs(one - together), nan=0.0).max())
        if gap > worst:
            worst, where = gap, (t, s)
    return judged(
        "prefill = decode", statement, worst, max(measured.room, 2.0**-100),
        detail=f"worst difference {worst:.1e}",
        witness=f"b{where} - b({where[0]}, {where[0]}), alone and in the matrix, differs by "
        f"{worst:.2g}",
        reproduce=_line(subject, [where, (where[0], where[0])]),
    )  # fmt: skip


def _summary(slopes: Array | None, measured: MeasuredBias, equivalent: bool) -> str:
    heads = len(measured.values)
    if slopes is None:
        return f"an additive bias of {heads} heads"
    name = recognised_slopes(slopes, measured.unit)
    up_to = ", up to a constant in each row" if equivalent else ""
    words = f"a linear bias of {heads} heads{up_to}"
    return f"{words}: {name}" if name else words
