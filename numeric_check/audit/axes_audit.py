"""Positions of several coordinates: one generator for each axis, which planes each drives, and
whether they commute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from numeric_check.audit.context import Context
from numeric_check.audit.exact import exact_maps
from numeric_check.audit.finding import AuditReport, Finding, Verdict, judged
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import norm
from numeric_check.audit.measurement import measure
from numeric_check.audit.planes import Spectrum, spectrum
from numeric_check.audit.probes.generator import generator, layout
from numeric_check.audit.probes.group import group_law
from numeric_check.audit.probes.linearity import linearity
from numeric_check.audit.probes.precision import precision
from numeric_check.audit.probes.relativity import dependence, relativity
from numeric_check.audit.recognition import CONSTANT_LOSS, recognise
from numeric_check.audit.recovery import Recovered, recover
from numeric_check.audit.subject import MapSubject
from numeric_check.tolerance import FORMATS
from symbolic_pe.algebra.scalar import precision as working_bits
from symbolic_pe.encodings.forms import SeveralAxes
from symbolic_pe.errors import AuditError, SpecificationError

JOINT = "F(p + c)^T G(r + c) = F(p)^T G(r) for shifts c of all axes"
DIAGONAL = "with all coordinates equal (text) it is an encoding of one position"
SMALLEST = FORMATS["float64"].smallest_normal
SHIFTS = ((3, 85), (85, 3), (4095, 7), (1, 1), (511, 8193))
PAIRS = (((2, 1), (1, 3)), ((7, 3), (3, 3)), ((0, 2), (2, 0)))


def audit_axes(
    subject: MapSubject, declared: SeveralAxes | None = None, *, spec: str = ""
) -> AuditReport:
    """Every question about maps with positions (n, axes).

    Raises `AuditError` when the subject cannot be called, `SpecificationError` for another number
    of axes or channels.
    """
    _check(subject, declared)
    findings: list[Finding] = []
    found: list[Recovered] = []
    words = []
    for axis in range(subject.axes):
        context, planes = _one(subject, _along(axis, subject.axes))
        recognised = recognise(context.recovered, planes)
        asked = [linearity(context), dependence(context), relativity(context), group_law(context),
                 generator(context, planes, recognised), layout(context, planes),
                 *precision(context, exact_maps(context, planes, recognised))]  # fmt: skip
        findings += [_named(f, axis) for f in asked]
        found.append(context.recovered)
        words.append(f"axis {axis} drives {_driven(planes)}")
    findings.append(_joint(subject, found))
    findings.append(_text(subject))
    if declared is not None:
        findings.append(_against(found, declared, spec))
    conditions = {
        "library": subject.library.name,
        "dimension": subject.dimension,
        "axes": subject.axes,
        "one_map": subject.one_map,
    }
    return AuditReport(subject.name, "; ".join(words), tuple(findings), conditions)


def _check(subject: MapSubject, declared: SeveralAxes | None) -> None:
    if declared is None:
        return
    if len(declared.axes) != subject.axes or declared.dimension != subject.dimension:
        raise SpecificationError(
            f"--against: {declared.name} has {len(declared.axes)} axes and {declared.dimension} "
            f"channels, the subject {subject.axes} and {subject.dimension}"
        )


Placing = Callable[[int], tuple[int, ...]]


def _along(axis: int, axes: int) -> Placing:
    return lambda p: tuple(p if a == axis else 0 for a in range(axes))


def _one(subject: MapSubject, place: Placing) -> tuple[Context, Spectrum]:
    """The subject with one coordinate that moves."""
    line = replace(
        subject,
        query=_on_line(subject.query, subject, place),
        key=_on_line(subject.key, subject, place),
        axes=1,
        fresh=None,
        origin=("", ""),
    )
    if subject.one_map:
        line = replace(line, key=line.query)
    measured = measure(line)
    recovered = recover(measured)
    return Context(line, measured, recovered), spectrum(recovered)


def _on_line(call: Any, subject: MapSubject, place: Placing) -> Any:
    library = subject.library

    def moved(x: Any, positions: Any) -> Any:
        where, _ = library.fetch(positions)
        several = np.array([place(int(p)) for p in where], dtype=np.int64)
        return call(x, library.positions(several, subject.position_dtype))

    return moved


def _named(finding: Finding, axis: int) -> Finding:
    verdict = finding.verdict
    return replace(
        finding, question=f"axis {axis} {finding.question}", reproduce="", verdict=verdict
    )


def _driven(planes: Spectrum) -> str:
    moving = [p.channels for p in planes.planes if abs(p.frequency) > p.radius]
    if not moving:
        return "no plane"
    shown = ", ".join(f"({a}, {b})" for a, b in moving[:4])
    return f"{len(moving)} planes {shown}{', …' if len(moving) > 4 else ''}"


def _matrices(subject: MapSubject, side: str, points: Sequence[tuple[int, ...]]) -> Array:
    return subject.matrices(side, points)


def _joint(subject: MapSubject, found: Sequence[Recovered]) -> Finding:
    """Score matrices at shifted points: the generators of the axes commute."""
    worst: tuple[float, float, Any, Any] = (0.0, 1.0, (), ())
    pad = (0,) * (subject.axes - 2)
    for p, r in PAIRS:
        for shift in ((0, 0), *SHIFTS):
            points = [tuple(np.add(v, shift)) + pad for v in (p, r)]
            f = _matrices(subject, "query", points[:1])[0]
            g = _matrices(subject, "key", points[1:])[0]
            value = f.T @ g
            if shift == (0, 0):
                base, size = value, norm(f) * norm(g)
                continue
            error = norm(value - base)
            reach = float(max(max(v) for v in points))
            speed = max((x.frequency for r_ in found for x in r_.parts), default=np.pi)
            room = found[0].arithmetic.tolerance(np.array([reach]), speed, 0.0, subject.dimension)
            tolerance = 8.0 * float(room[0]) * size + SMALLEST
            if error / tolerance > worst[0] / worst[1]:
                worst = (error, tolerance, (tuple(points[0]), tuple(points[1])), shift)
    error, tolerance, points_, shift_ = worst
    return judged(
        "relative", JOINT, error, tolerance,
        detail=f"worst drift {error:.1e} ({tolerance:.1e} allowed)",
        witness=f"points {_plain(points_)}: shifting both by {_plain(shift_)} changes the score "
        f"by {error:.2g}",
    )  # fmt: skip


def _plain(value: Any) -> str:
    return str(np.asarray(value).tolist())


def _text(subject: MapSubject) -> Finding:
    """All coordinates equal: text tokens of a model for images."""
    try:
        context, planes = _one(subject, lambda p: (p,) * subject.axes)
    except AuditError as error:
        return Finding("text", Verdict.UNDECIDED, DIAGONAL, str(error))
    recognised = recognise(context.recovered, planes)
    fit = generator(context, planes, recognised)
    return replace(fit, question="text", statement=DIAGONAL, reproduce="")


def _against(found: Sequence[Recovered], declared: SeveralAxes, spec: str) -> Finding:
    statement = f"each axis has the generator that {spec or declared.name} declares"
    wrong: list[str] = []
    for axis, recovered in enumerate(found):
        gaps = [_gap(recovered, declared, other) for other in range(len(found))]
        if gaps[axis][0] <= gaps[axis][1]:
            continue
        other = next((o for o, (gap, room) in enumerate(gaps) if gap <= room), None)
        is_other = "" if other is None else f"; it is that of axis {other} " \
            f"({declared.axis_names[other]})"  # fmt: skip
        wrong.append(
            f"axis {axis} ({declared.axis_names[axis]}): X differs by {gaps[axis][0]:.3g}{is_other}"
        )
    if not wrong:
        return Finding("against", Verdict.CONSISTENT, statement, "they have")
    return Finding(
        "against", Verdict.REFUTED, statement, f"{len(wrong)} axes differ", "; ".join(wrong)
    )


def _gap(recovered: Recovered, declared: SeveralAxes, axis: int) -> tuple[float, float]:
    exact = np.zeros((declared.dimension, declared.dimension))
    with working_bits(96):
        for i, row in enumerate(declared.axes[axis].matrix):
            for j, x in enumerate(row):
                if not x.is_zero():
                    exact[i, j] = float(arb(x.ball({})))
    radius = max((p.radius for p in recovered.parts), default=0.0)
    gap = float(np.abs(recovered.matrix() - exact).max())
    return gap, radius + CONSTANT_LOSS * float(np.abs(exact).max())
