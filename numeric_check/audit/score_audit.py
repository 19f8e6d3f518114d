"""A score (q, k, positions) → (n, m): bilinear, relative, and of which generator?

M(t, s) is read off unit vectors: score = qᵀM(t, s)k + b(t, s). The generator comes from M(τ, 0), as
for a pair of maps with F(t) = M(t, 0)ᵀ and G = I.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from numeric_check.audit.arithmetic import arithmetic_of
from numeric_check.audit.context import Context
from numeric_check.audit.finding import AuditReport, Finding, judged
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norm
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.planes import spectrum
from numeric_check.audit.positions import LADDER, SMALL, STANDARD
from numeric_check.audit.probes import generator as generators
from numeric_check.audit.probes.group import group_law, initial
from numeric_check.audit.recognition import recognise
from numeric_check.audit.recovery import recover
from numeric_check.audit.subject import MapSubject, ScoreSubject
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import AuditError

BILINEAR = "the score is linear in q and in k"
RELATIVE = "the score at (t + c, s + c) is the score at (t, s)"
SHIFTED = ((2, 1), (86, 85), (5, 3), (511, 419), (4097, 4095), (8194, 8193), (65540, 65536))
ROUNDINGS = 8.0


def audit_score(
    subject: ScoreSubject,
    declared: Encoding | None = None,
    *,
    spec: str = "",
    gain: float | None = None,
    strict: bool = False,
) -> AuditReport:
    """Every question about a score. Raises `AuditError` when it cannot be called."""
    measured = _measure(subject)
    recovered = recover(measured)
    planes = spectrum(recovered)
    recognised = recognise(recovered, planes)
    if gain is None and declared is not None:
        gain = _attention_scale(measured, declared)
    context = Context(_stand_in(subject), measured, recovered, declared, gain, strict)
    findings = [
        _bilinear(subject, context),
        _relative(subject, context),
        initial(context),
        group_law(context),
        generators.generator(context, planes, recognised),
    ]
    if declared is not None and recovered.fits:
        findings.append(generators.against(context, planes, recognised, spec or declared.name))
    findings = [replace(f, reproduce="") for f in findings]
    conditions = {
        "library": subject.library.name,
        "dimension": subject.dimension,
        "positions": [0, measured.reach],
        "measured_positions": len(measured.positions),
        "refused": measured.refused,
        "arithmetic": str(recovered.arithmetic),
    }
    return AuditReport(subject.name, recognised.text, tuple(findings), conditions)


def _attention_scale(measured: Measurement, declared: Encoding) -> float | None:
    """c²/√d, if that is what A(0) shows: the scale of attention belongs to a score."""
    usual = declared.temperature.to_float() ** 2 / float(np.sqrt(measured.dimension))
    shown = float(np.trace(measured.pair(0, 0))) / measured.dimension
    room = ROUNDINGS * measured.arithmetic.constant(measured.dimension)
    return usual if abs(shown - usual) <= room * usual else None


def _measure(subject: ScoreSubject) -> Measurement:
    wanted = sorted({*STANDARD, *LADDER, *SMALL, *range(10)})
    found: list[Array] = []
    refused = ""
    for t in wanted:
        try:
            found.append(subject.matrix(t, 0).T)
        except AuditError as error:
            refused = f"position {t}: {error}"
            break
    if len(found) < 3:
        raise AuditError(f"{subject.name}: {refused}")
    query = np.stack(found)
    key = np.broadcast_to(np.eye(subject.dimension), query.shape)
    arithmetic = arithmetic_of(query, "float64", "float64")
    positions = tuple(wanted[: len(found)])
    return Measurement(positions, query, key, "float64", "float64", arithmetic, refused)


def _stand_in(subject: ScoreSubject) -> MapSubject:
    return MapSubject(
        subject.name, subject.score, subject.score, subject.library, subject.dimension
    )


def _bilinear(subject: ScoreSubject, context: Context) -> Finding:
    random = np.random.default_rng(0)
    d = subject.dimension
    a, b, k = np.round(8 * random.standard_normal((3, 2, d))) / 8
    zero = np.zeros((2, d))
    t, s = [7, 85], [3, 0]

    def score(q: Array, k: Array) -> Array:
        return subject.apply(q, k, t, s)

    left = score(a + b, k) - score(a, k) - score(b, k) + score(zero, k)
    right = score(k, a + b) - score(k, a) - score(k, b) + score(k, zero)
    size = float(np.abs(score(a, k)).max() + np.abs(score(b, k)).max()) + 1.0
    error = float(np.abs(np.concatenate([left, right])).max()) / size
    tolerance = ROUNDINGS * context.recovered.arithmetic.constant(d)
    return judged(
        "linear", BILINEAR, error, tolerance,
        detail=f"worst relative difference {error:.1e} ({tolerance:.1e} allowed)",
        witness=f"positions {t} and {s}: off by {error:.2g}",
    )  # fmt: skip


def _relative(subject: ScoreSubject, context: Context) -> Finding:
    measured = context.measured
    worst: tuple[float, float, tuple[int, int]] | None = None
    for t, s in SHIFTED:
        if t > measured.reach or t - s not in measured.index:
            continue
        moved, base = subject.matrix(t, s), measured.pair(t - s, 0)
        frequency = max((p.frequency for p in context.recovered.parts), default=np.pi)
        rate = max((p.rate for p in context.recovered.parts), default=0.0)
        room = context.recovered.arithmetic.tolerance(
            np.array([t, s, t - s], dtype=np.float64), frequency, rate, subject.dimension
        )
        tolerance = 2.0 * float(room.sum()) * max(norm(base), 2.0**-60)
        error = norm(moved - base)
        if worst is None or error / tolerance > worst[0] / worst[1]:
            worst = (error, tolerance, (t, s))
    if worst is None:
        raise AuditError(f"{subject.name}: {measured.refused}")
    error, tolerance, (t, s) = worst
    return judged(
        "relative", RELATIVE, error, tolerance,
        detail=f"worst drift {error:.1e} ({tolerance:.1e} allowed) at ({t}, {s})",
        witness=f"positions ({t}, {s}) and ({t - s}, 0): the matrices of the score differ by "
        f"{error:.2g}",
    )  # fmt: skip
