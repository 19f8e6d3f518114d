"""Positions of several coordinates: one generator for each axis, which planes each drives, and
whether they commute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.finding import AuditReport, Finding
from numeric_check.audit.gathering import gather
from numeric_check.audit.libraries import Array
from numeric_check.audit.maps_audit import accuracy, calls, context_of, laws
from numeric_check.audit.matrices import norm
from numeric_check.audit.planes import Spectrum, matrix_of
from numeric_check.audit.probes.generator import generator
from numeric_check.audit.probes.transforms import asked_of
from numeric_check.audit.recognition import CONSTANT_LOSS, recognise
from numeric_check.audit.recovery import Recovered
from numeric_check.audit.reproduce.images import entry_of_points, entry_of_score
from numeric_check.audit.subject import FORMS, Call, MapSubject
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.encodings.forms import SeveralAxes
from symbolic_pe.errors import AuditError, SpecificationError

SMALLEST = FORMATS["float64"].smallest_normal


def audit_axes(
    subject: MapSubject,
    declared: SeveralAxes | None = None,
    *,
    spec: str = "",
    deep: bool = False,
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
        of_axis = line(subject, axis)
        gathered = gather(of_axis)
        context, planes = context_of(of_axis, gathered), gathered.planes
        recognised = recognise(context.recovered, planes)
        named = questions.AXIS.of(str(axis)).name
        asked = [
            *laws(context, planes, recognised, ""),
            *accuracy(context, planes, recognised),
        ]
        findings += [replace(f, question=named + f.question) for f in asked]
        found.append(context.recovered)
        words.append(f"axis {axis} drives {_driven(planes)}")
    findings.append(_joint(subject, found))
    findings += _diagonal(subject, deep=deep)
    if declared is not None:
        findings.append(_against(subject, found, declared, spec))
    conditions = {
        "kind": "axes",
        "library": subject.library.name,
        "dimension": subject.dimension,
        "axes": subject.axes,
        "one_map": subject.one_map,
        "x": FORMS[subject.form],
        "position_dtype": subject.position_dtype,
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


def line(subject: MapSubject, *axes: int) -> MapSubject:
    """The subject with the coordinates of these axes moving together, the others 0."""
    direction = tuple(int(axis in axes) for axis in range(subject.axes))

    def moved(call: Call) -> Call:
        def f(x: Any, positions: Any) -> Any:
            mask = subject.library.positions(np.array(direction), "int64")
            mask = mask.to(positions.dtype) if hasattr(mask, "to") else mask.astype(positions.dtype)
            return call(x, positions[..., None] * mask)

        return f

    query = moved(subject.query)
    fresh = subject.fresh
    return replace(
        subject,
        query=query,
        key=query if subject.one_map else moved(subject.key),
        axes=1,
        direction=direction,
        paths={name: moved(path) for name, path in subject.paths.items()},
        rival=None if subject.rival is None else moved(subject.rival),
        fresh=None if fresh is None else lambda: line(fresh(), *axes),
    )


def _driven(planes: Spectrum) -> str:
    moving = [p.channels for p in planes.planes if abs(p.frequency) > p.radius]
    if not moving:
        return "no plane"
    shown = ", ".join(f"({a}, {b})" for a, b in moving[:4])
    return f"{len(moving)} planes {shown}{', …' if len(moving) > 4 else ''}"


def _joint(subject: MapSubject, found: Sequence[Recovered]) -> Finding:
    """Score matrices at shifted points: the generators of the axes commute."""
    worst: tuple[float, float, Any, Any, tuple[int, int]] = (-1.0, 1.0, (), (), (0, 0))
    failing: list[tuple[float, float, Any, Any, tuple[int, int]]] = []
    speed = max((p.frequency for r in found for p in r.parts), default=np.pi)
    for pair in _pairs(subject.axes):
        base, size = _product(subject, pair)
        for shift in _shifts(subject.axes):
            moved = [tuple(int(v) for v in np.add(p, shift)) for p in pair]
            value, _ = _product(subject, moved)
            reach = float(max(max(p) for p in (*pair, *moved)))
            room = found[0].arithmetic.tolerance(np.array([reach]), speed, 0.0, subject.dimension)
            tolerance = 8.0 * float(room[0]) * size + SMALLEST
            gap = np.nan_to_num(np.abs(value - base), nan=np.inf)
            i, j = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
            error = norm(value - base)
            case = (error, tolerance, moved, pair, (i, j))
            if not error <= tolerance:
                failing.append(case)
            if not error / tolerance <= worst[0] / worst[1]:
                worst = case
    shown = min(failing, key=lambda c: sum(map(sum, c[2])), default=worst)
    error, _, there, here, (i, j) = shown
    return questions.JOINT.judged(
        worst[0], worst[1],
        detail=f"worst drift {worst[0]:.1e} ({worst[1]:.1e} allowed)",
        witness=f"channels ({i}, {j}): the score at points {_plain(here)} and at {_plain(there)}, "
        f"shifted alike, differs by {error:.2g}",
        reproduce=entry_of_points(subject, [here, there], i, j, "float64"),
    )  # fmt: skip


def _pairs(axes: int) -> list[list[tuple[int, ...]]]:
    """Points that differ in the first coordinate, in neighbouring ones, and in all."""
    pairs = []
    for a in range(axes):
        b = (a + 1) % axes
        for p, r in (((2, 1), (1, 3)), ((7, 3), (3, 3)), ((0, 2), (2, 0))):
            points = np.zeros((2, axes), dtype=int)
            points[:, a], points[:, b] = (p[0], r[0]), (p[1], r[1])
            pairs.append([tuple(int(v) for v in point) for point in points])
    return pairs


def _shifts(axes: int) -> list[tuple[int, ...]]:
    """Shifts of one axis, of two by different amounts, and of all."""
    shifts = []
    for a in range(axes):
        for c in ((1, 0), (3, 85), (4095, 7), (511, 8193)):
            shift = [0] * axes
            shift[a], shift[(a + 1) % axes] = c
            shifts.append(tuple(shift))
    return [*shifts, (1,) * axes]


def _product(subject: MapSubject, points: Sequence[tuple[int, ...]]) -> tuple[Array, float]:
    """F(p)ᵀG(r), and ‖F(p)‖·‖G(r)‖."""
    f = subject.matrices("query", points[:1])[0]
    g = subject.matrices("key", points[1:])[0]
    return f.T @ g, norm(f) * norm(g)


def _plain(value: Any) -> str:
    return str(np.asarray(value).tolist())


def _diagonal(subject: MapSubject, *, deep: bool) -> list[Finding]:
    """All coordinates equal, as in text: which encoding it is, and all that is asked of calls."""
    try:
        together = line(subject, *range(subject.axes))
        gathered = gather(together)
    except AuditError as error:
        return [questions.TEXT.undecided(str(error))]
    context, planes = context_of(together, gathered, deep=deep), gathered.planes
    fit = generator(context, planes, recognise(context.recovered, planes))
    text = replace(fit, question=questions.TEXT.name, statement=questions.TEXT.statement)
    return [text, *calls(context), *asked_of(context)]


def _against(
    subject: MapSubject, found: Sequence[Recovered], declared: SeveralAxes, spec: str
) -> Finding:
    asked = questions.AXES_AGAINST.of(spec or declared.name)
    wrong: list[str] = []
    line_ = ""
    for axis, recovered in enumerate(found):
        gaps = [_gap(recovered, declared, other) for other in range(len(found))]
        gap, room, (i, j), value = gaps[axis]
        if gap <= room:
            continue
        other = next((o for o, g in enumerate(gaps) if g[0] <= g[1]), None)
        is_other = "" if other is None else f"; it is that of axis {other} " \
            f"({declared.axis_names[other]})"  # fmt: skip
        wrong.append(
            f"axis {axis} ({declared.axis_names[axis]}): entry ({i}, {j}) of X differs from the "
            f"declared {value:.6g} by {gap:.3g}{is_other}"
        )
        line_ = line_ or entry_of_score(line(subject, axis), [(1, 0)], i, j, "float64")
    if not wrong:
        return asked.consistent("they have")
    return asked.refuted(f"{len(wrong)} axes differ", "; ".join(wrong), line_)


def _gap(
    recovered: Recovered, declared: SeveralAxes, axis: int
) -> tuple[float, float, tuple[int, int], float]:
    """The largest difference of entries, how far both are known, which entry, what is declared."""
    exact = matrix_of(declared.axes[axis].matrix)
    radius = max((p.radius for p in recovered.parts), default=0.0)
    gap = np.abs(recovered.matrix() - exact)
    i, j = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    room = radius + CONSTANT_LOSS * float(np.abs(exact).max())
    return float(gap[i, j]), room, (i, j), float(exact[i, j])
