"""An additive bias: does it depend on the lag, what are its slopes, and is it the declared one?

Softmax ignores a constant added to a row of scores. So a bias that depends on t − s only after
b(t, t) is subtracted from row t is equivalent to one that does: `m·s` is ALiBi's −m·(t − s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.audit.arithmetic import significant_bits
from numeric_check.audit.finding import AuditReport, Finding, Verdict, judged, skipped
from numeric_check.audit.libraries import Array
from numeric_check.audit.subject import BiasSubject
from numeric_check.tolerance import FORMATS
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.families.additive import alibi_slopes
from symbolic_pe.errors import AuditError, SpecificationError

RELATIVE = "b(t + c, s + c) = b(t, s), up to a constant in each row, which softmax ignores"
LINEAR = "b(t, s) - b(t, t) = -m (t - s) with one slope m for each head"
SIGN = "near keys are favoured, or none"
POSITIONS = (0, 1, 2, 3, 4, 5, 6, 7, 85, 86, 419, 420, 511, 4095, 8193, 65536, 131071)
SHORTER = (4096, 1024, 256, 64, 16)
ROUNDINGS = 8.0
"""Half-units of the largest value that a slope, a product and a difference may lose."""


@dataclass(frozen=True)
class Measured:
    """The bias (heads, n, m) at positions on both sides, and what its format may lose."""

    positions: tuple[int, ...]
    values: Array
    judged: npt.NDArray[np.bool_]
    room: float

    @property
    def rowless(self) -> Array:
        """b(t, s) − b(t, t)."""
        diagonal = np.einsum("hnn->hn", self.values)
        with np.errstate(all="ignore"):
            result: Array = self.values - diagonal[:, :, None]
        return result


def audit_bias(
    subject: BiasSubject, declared: Encoding | None = None, spec: str = ""
) -> AuditReport:
    """Every question about a bias. Raises `AuditError` when it cannot be called."""
    measured = _measure(subject)
    relative, drift = _relative(subject, measured)
    findings = [relative]
    slopes = None
    if relative.verdict is not Verdict.REFUTED:
        linear, slopes = _linear(measured)
        findings += [linear, _sign(measured, slopes), _offset(measured)]
    if declared is not None:
        findings.append(_against(measured, slopes, declared, spec))
    findings += [_history(subject, measured)]
    summary = _summary(slopes, measured, drift)
    conditions = {
        "library": subject.library.name,
        "heads": len(measured.values),
        "positions": [measured.positions[0], measured.positions[-1]],
        "measured_positions": len(measured.positions),
    }
    return AuditReport(subject.name, summary, tuple(findings), conditions)


def _measure(subject: BiasSubject) -> Measured:
    problem = ""
    for limit in (POSITIONS[-1], *SHORTER):
        positions = tuple(p for p in POSITIONS if p <= limit)
        try:
            values = subject.apply(positions, positions)
        except AuditError as error:
            problem = problem or str(error)
            continue
        t, s = np.array(positions)[:, None], np.array(positions)[None]
        seen = np.asarray(np.isfinite(values).all(axis=0))
        if subject.causal:
            seen &= s <= t
        finite = values[:, seen]
        bits = significant_bits(finite)
        unit = next(
            f.unit_roundoff
            for f in sorted(FORMATS.values(), key=lambda f: f.precision)
            if bits <= f.precision
        )
        unit = min(unit, FORMATS["float32"].unit_roundoff)  # integers need few bits in any format
        room = ROUNDINGS * unit * float(np.abs(finite).max(initial=0.0))
        return Measured(positions, values, seen, room)
    raise AuditError(f"{subject.name}: {problem}")


def _relative(subject: BiasSubject, measured: Measured) -> tuple[Finding, bool]:
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


def _drift(measured: Measured, values: Array) -> Drift:
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


def _found(subject: BiasSubject, question: str, drift: Drift, measured: Measured) -> Finding:
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


def _lags(measured: Measured) -> tuple[Array, Array]:
    """Lags ≥ 0 in ascending order and b(t, s) − b(t, t) of each head there, (heads, lags)."""
    seen: dict[int, Array] = {}
    values = measured.rowless
    for i, t in enumerate(measured.positions):
        for j, s in enumerate(measured.positions):
            if s <= t and measured.judged[i, j]:
                seen.setdefault(t - s, values[:, i, j])
    lags = sorted(seen)
    return np.array(lags, dtype=np.float64), np.stack([seen[k] for k in lags], axis=-1)


def _linear(measured: Measured) -> tuple[Finding, Array | None]:
    lags, values = _lags(measured)
    slopes = -values[:, -1] / lags[-1]
    gap = np.abs(values + slopes[:, None] * lags)
    head, at = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    room = 2.0 * measured.room
    error = float(gap[head, at])
    if error > room:
        return Finding(
            "slope", Verdict.CONSISTENT, LINEAR,
            f"not linear: head {head} has {values[head, at]:.6g} at lag {lags[at]:.0f} and "
            f"{values[head, -1]:.6g} at lag {lags[-1]:.0f}; a function of the lag all the same",
        ), None  # fmt: skip
    text = ", ".join(f"{m:.6g}" for m in slopes[:12]) + (", …" if len(slopes) > 12 else "")
    name = _recognised(slopes)
    return Finding(
        "slope",
        Verdict.CONSISTENT,
        LINEAR,
        f"slopes {text}" + (f": those of {name}" if name else ""),
        error=error,
        tolerance=room,
        numbers={"slopes": [float(m) for m in slopes], "nearest": name},
    ), slopes


def _recognised(slopes: Array) -> str:
    known = np.array([m.to_float() for m in alibi_slopes(len(slopes))])
    return f"alibi:heads={len(slopes)}" if _same(slopes, known) else ""


def _same(slopes: Array, known: Array) -> bool:
    room = ROUNDINGS * FORMATS["float32"].unit_roundoff * np.abs(known)
    return bool((np.abs(slopes - known) <= room).all())


def _sign(measured: Measured, slopes: Array | None) -> Finding:
    if slopes is None:
        return skipped("sign", SIGN, "the bias is not linear in the lag")
    wrong = np.flatnonzero(slopes < 0)
    if not wrong.size:
        return Finding("sign", Verdict.CONSISTENT, SIGN, "no slope favours far keys")
    head = int(wrong[0])
    return Finding(
        "sign",
        Verdict.REFUTED,
        SIGN,
        f"{len(wrong)} of {len(slopes)} heads favour far keys",
        f"head {head}: b(t, s) - b(t, t) = {-slopes[head]:.6g} (t - s), which grows with the "
        "distance; a bias is usually m (s - t)",
    )


def _offset(measured: Measured) -> Finding:
    diagonal = np.einsum("hnn->hn", measured.values)
    largest = float(np.abs(diagonal).max())
    words = "0 at lag 0" if largest <= measured.room else f"up to {largest:.6g} at lag 0"
    return Finding(
        "offset", Verdict.CONSISTENT, "b(t, t), which softmax ignores", words,
        numbers={"largest": largest},
    )  # fmt: skip


def _against(measured: Measured, slopes: Array | None, declared: Encoding, spec: str) -> Finding:
    statement = f"the slopes are those of {spec or declared.name}"
    known = _declared_slopes(declared)
    if slopes is None:
        return Finding(
            "against", Verdict.REFUTED, statement, "it is no linear bias of the lag",
            f"slopes {known[:4]} are declared",
        )  # fmt: skip
    if len(slopes) not in (len(known), 1) and len(set(slopes)) > 1:
        return Finding(
            "against", Verdict.REFUTED, statement, "the number of heads differs",
            f"{len(slopes)} heads were found, {len(known)} are declared",
        )  # fmt: skip
    if len(slopes) == len(known) and _same(slopes, np.array(known)):
        return Finding("against", Verdict.CONSISTENT, statement, "they are, head by head")
    ours, theirs = np.sort(slopes), np.sort(known)
    if len(ours) == len(theirs) and _same(ours, theirs):
        order = [int(np.abs(np.array(known) - m).argmin()) for m in slopes]
        return Finding(
            "against", Verdict.EQUIVALENT, statement,
            f"because the heads are in another order: head h has the slope of head {order}",
            numbers={"order": order},
        )  # fmt: skip
    head = int(np.abs(np.resize(slopes, len(known)) - known).argmax())
    found = float(np.resize(slopes, len(known))[head])
    return Finding(
        "against",
        Verdict.REFUTED,
        statement,
        _slope_hint(slopes, np.array(known)),
        f"head {head}: slope {found:.6g}, declared {known[head]:.6g}",
    )


def _declared_slopes(declared: Encoding) -> list[float]:
    slopes = []
    for head in declared.heads:
        if head.augmentation is None:
            raise SpecificationError(
                f"--against: {declared.name} has no additive bias; expected one such as "
                "alibi:heads=8"
            )
        at_one = head.augmentation.bias
        from flint import arb

        slopes.append(-float(at_one.ball({"t": arb(1)}, {}).real))
    return slopes


def _slope_hint(slopes: Array, known: Array) -> str:
    if len(slopes) == len(known) and _same(-slopes, known):
        return "the sign is the opposite: far keys get more weight"
    if len(slopes) > 2 and np.ptp(slopes[1:] / slopes[:-1]) < 1e-5:
        ratio = float(slopes[1] / slopes[0])
        return (
            f"they are geometric, from {slopes[0]:.6g} by factors {ratio:.6g}; the published ones "
            f"begin with {known[0]:.6g}, {known[1]:.6g}"
        )
    return "they differ"


def _history(subject: BiasSubject, measured: Measured) -> Finding:
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


def _summary(slopes: Array | None, measured: Measured, equivalent: bool) -> str:
    heads = len(measured.values)
    if slopes is None:
        return f"an additive bias of {heads} heads"
    name = _recognised(slopes)
    up_to = ", up to a constant in each row" if equivalent else ""
    words = f"a linear bias of {heads} heads{up_to}"
    return f"{words}: {name}" if name else words
