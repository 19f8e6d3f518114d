"""Positions of several coordinates: one generator for each axis, which planes each drives, and
whether they commute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.audit import questions
from numeric_check.audit.axes_comparison import (
    declared_turning,
    explained,
    found_turning,
    harmless,
    misfit,
)
from numeric_check.audit.axes_recognition import recognised_axes
from numeric_check.audit.comparison import sources_text
from numeric_check.audit.finding import AuditReport, Finding, Verdict
from numeric_check.audit.gathering import Gathered, gather
from numeric_check.audit.libraries import Array
from numeric_check.audit.maps_audit import accuracy, calls, context_of, laws, paths_of_axis
from numeric_check.audit.matrices import norm
from numeric_check.audit.planes import Spectrum
from numeric_check.audit.probes.generator import generator
from numeric_check.audit.probes.transforms import asked_of
from numeric_check.audit.recognition import recognise
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
    strict: bool = False,
    deep: bool = False,
) -> AuditReport:
    """Every question about maps with positions (n, axes).

    strict  layouts and orientations must be the declared ones

    Raises `AuditError` when the subject cannot be called, `SpecificationError` for another number
    of axes or channels.
    """
    _check(subject, declared)
    together = _together(subject)
    if isinstance(together, Gathered):
        subject = replace(subject, outputs=together.subject.outputs)
    findings: list[Finding] = []
    found: list[Gathered] = []
    words = []
    for axis in range(subject.axes):
        gathered = gather(line(subject, axis))
        context, planes = context_of(gathered), gathered.planes
        recognised = recognise(context.recovered, planes)
        named = questions.AXIS.of(str(axis)).name
        asked = [
            *laws(context, planes, recognised, ""),
            *paths_of_axis(context),
            *accuracy(context, planes, recognised),
        ]
        findings += [replace(f, question=named + f.question) for f in asked]
        found.append(gathered)
        words.append(f"axis {axis} drives {_driven(planes)}")
    findings.append(_joint(subject, [g.recovered for g in found]))
    findings += _diagonal(together, deep=deep)
    if declared is not None:
        findings.append(_against(subject, found, declared, spec, strict=strict))
    conditions = {
        "kind": "axes",
        "library": subject.library.name,
        "dimension": subject.dimension,
        "axes": subject.axes,
        "one_map": subject.one_map,
        "x": FORMS[subject.form],
        "position_dtype": subject.position_dtype,
    }
    summary = _summary(subject, found, findings)
    return AuditReport(subject.name, f"{summary}: {'; '.join(words)}", tuple(findings), conditions)


def _summary(subject: MapSubject, found: Sequence[Gathered], findings: Sequence[Finding]) -> str:
    """What it is, as far as generators of all axes were found that commute."""
    wrong = {f.question.rpartition(" ")[2] for f in findings if f.verdict is Verdict.REFUTED}
    if not all(g.recovered.fits for g in found) or "relative" in wrong:
        return f"no encoding of {subject.axes} axes of the form exp(sum of p_i X_i)"
    name = recognised_axes(found_turning([g.planes for g in found]), subject.dimension)
    return f"an encoding of {subject.axes} axes" + (f", {name}" if name else "")


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
        whole=subject,
        paths={name: moved(path) for name, path in subject.paths.items()},
        rival=None if subject.rival is None else moved(subject.rival),
        fresh=None if fresh is None else lambda: line(fresh(), *axes),
    )


def _driven(planes: Spectrum) -> str:
    moving = [p.channels for p in planes.planes if abs(p.frequency) > p.radius]
    if not moving:
        return "no plane"
    shown = ", ".join(f"({a}, {b})" for a, b in moving[:4])
    more = ", …" if len(moving) > 4 else ""
    return f"{len(moving)} plane{'s' * (len(moving) > 1)} {shown}{more}"


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


def _together(subject: MapSubject) -> Gathered | AuditError:
    """What is gathered of all coordinates moving together, the first that the subject sees."""
    try:
        return gather(line(subject, *range(subject.axes)))
    except AuditError as error:
        return error


def _diagonal(gathered: Gathered | AuditError, *, deep: bool) -> list[Finding]:
    """All coordinates equal, as in text: which encoding it is, and all that is asked of calls."""
    if isinstance(gathered, AuditError):
        return [questions.TEXT.undecided(str(gathered))]
    context, planes = context_of(gathered, deep=deep), gathered.planes
    fit = generator(context, planes, recognise(context.recovered, planes))
    text = replace(fit, question=questions.TEXT.name, statement=questions.TEXT.statement)
    return [text, *calls(context), *asked_of(context)]


def _against(
    subject: MapSubject,
    found: Sequence[Gathered],
    declared: SeveralAxes,
    spec: str,
    *,
    strict: bool,
) -> Finding:
    """Each axis beside the declared one; equal, harmless, or what the difference looks like."""
    asked = questions.AXES_AGAINST.of(spec or declared.name)
    gaps = [misfit(g.recovered, declared, axis) for axis, g in enumerate(found)]
    wrong = [axis for axis, m in enumerate(gaps) if not m.gap <= m.room]
    if not wrong:
        return asked.consistent("they have")
    first, names = wrong[0], declared.axis_names
    line_ = entry_of_score(line(subject, first), [(1, 0)], *gaps[first].entry, "float64")
    witness = "; ".join(
        f"axis {axis} ({names[axis]}): entry {gaps[axis].entry} of X differs from the declared "
        f"{gaps[axis].declared:.6g} by {gaps[axis].gap:.3g}"
        for axis in wrong
    )
    if not all(g.recovered.fits for g in found):
        return asked.refuted("an axis has no generator", witness, line_)
    ours, theirs = found_turning([g.planes for g in found]), declared_turning(declared)
    if ours is None or theirs is None:
        return asked.refuted(_count(wrong), witness, line_)
    same = harmless(ours, theirs, subject.dimension)
    if same is None:
        words = explained(ours, theirs, names)
        detail = f"{words}; {_count(wrong)}" if words else _count(wrong)
        return asked.refuted(detail, witness, line_, numbers={"cause": words} if words else {})
    conjugation, because = same
    detail = (
        f"because {because}: P X P^T = X' for every axis with P taking channel i from "
        f"{sources_text(conjugation)}, proved for all frequencies; scores agree when the rows of "
        "W_q and W_k are permuted by P"
    )
    numbers = {
        "permutation": list(conjugation.permutation.sources),
        "digest": conjugation.digest,
        "claims": {c.name: c.verdict.value for c in conjugation.claims},
    }
    if strict:
        words = "with weights trained for the declared layout, scores are wrong"
        return asked.refuted(detail, f"{witness}: {words}", line_, numbers=numbers)
    return asked.equivalent(detail, numbers=numbers)


def _count(wrong: Sequence[int]) -> str:
    return f"{len(wrong)} ax{'i' if len(wrong) == 1 else 'e'}s differ{'s' * (len(wrong) == 1)}"
