"""A recovered generator against a declared one: equal, equivalent by permutation, or different."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.audit.planes import (
    Plane,
    Spectrum,
    declared_matrix,
    declared_planes,
    layout_name,
)
from numeric_check.audit.recognition import CONSTANT_LOSS
from numeric_check.audit.recovery import Recovered
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.permutation import HeadLayout
from symbolic_pe.errors import SpecificationError
from symbolic_pe.proof.claim import Outcome, outcome_of
from symbolic_pe.proof.conjugation import Conjugation, prove_conjugation

VISIBLE_PHASE = 0.1
"""A difference of angles that shows in scores, in radians."""
SHOWN = 8


@dataclass(frozen=True)
class Difference:
    """The worst entry of X̂ − X, with how far both are known."""

    channels: tuple[int, ...]
    found: float
    declared: float
    gap: float
    room: float


@dataclass(frozen=True)
class Comparison:
    """What was decided.

    equal         X̂ = X within the radii, X that of this head
    conjugation   a permutation that carries X to X̂, proved for all frequencies, or None
    transposed    in how many planes it exchanges the two channels: the other orientation
    difference    the worst entry, unless they are equal
    hint          what the difference looks like
    """

    equal: bool
    head: int = 0
    conjugation: Conjugation | None = None
    transposed: int = 0
    difference: Difference | None = None
    hint: str = ""


def compare(recovered: Recovered, spectrum: Spectrum, declared: Encoding) -> Comparison:
    """Compare with the first head of a declared encoding that fits, else with the first.

    Raises `SpecificationError` for another number of channels.
    """
    if declared.dimension != recovered.dimension:
        raise SpecificationError(
            f"--against: {declared.name} has {declared.dimension} channels, the subject has "
            f"{recovered.dimension}; state the same number (dim=…, or --dim)"
        )
    worst = None
    for head in range(len(declared.heads)):
        difference = _difference(recovered, declared, head)
        if difference is None:
            return Comparison(True, head)
        worst = worst or difference
    planes = declared_planes(declared.heads[0].generator)
    if planes is not None and not spectrum.others:
        conjugation = _conjugation(spectrum, planes)
        if conjugation is not None:
            return Comparison(False, 0, *conjugation, difference=worst)
    hint = _hint(spectrum, planes) if planes is not None else ""
    return Comparison(False, difference=worst, hint=hint)


def _difference(recovered: Recovered, declared: Encoding, head: int) -> Difference | None:
    exact = declared_matrix(declared, head)
    worst: Difference | None = None
    covered = np.zeros(exact.shape, dtype=bool)
    for part in recovered.parts:
        place = np.ix_(part.channels, part.channels)
        covered[place] = True
        gap = part.matrix - exact[place]
        if len(part.channels) == 2:
            gap = _whole_turns_removed(gap)
        i, j = (int(v) for v in np.unravel_index(int(np.abs(gap).argmax()), gap.shape))
        room = part.radius + CONSTANT_LOSS * float(np.abs(exact[place]).max())
        found = Difference(
            (part.channels[i], part.channels[j]),
            float(part.matrix[i, j]), float(exact[place][i, j]), abs(float(gap[i, j])), room,
        )  # fmt: skip
        if found.gap > room and (worst is None or found.gap > worst.gap):
            worst = found
    outside = np.where(covered, 0.0, exact)
    if np.abs(outside).max() > 0:
        i, j = (int(v) for v in np.unravel_index(int(np.abs(outside).argmax()), outside.shape))
        found = Difference((i, j), 0.0, float(exact[i, j]), abs(float(exact[i, j])), 0.0)
        worst = found if worst is None or found.gap > worst.gap else worst
    return worst


def _whole_turns_removed(gap: Array) -> Array:
    """On integer positions a frequency counts modulo 2π."""
    turns = round(float(gap[1, 0] - gap[0, 1]) / (4 * math.pi))
    turned: Array = gap - 2 * math.pi * turns * np.array([[0, -1], [1, 0]])
    return turned


def _conjugation(spectrum: Spectrum, planes: Sequence[Plane]) -> tuple[Conjugation, int] | None:
    """Planes of equal speed and rate paired off, and the permutation that this makes."""
    ours = sorted(spectrum.planes, key=lambda p: (-abs(p.frequency), p.channels))
    theirs = sorted(planes, key=lambda p: (-abs(p.frequency), p.channels))
    if len(ours) != len(theirs):
        return None
    targets, transposed = [], []
    for mine, other in zip(ours, theirs, strict=True):
        room = mine.radius + CONSTANT_LOSS * abs(other.frequency)
        if abs(abs(mine.frequency) - abs(other.frequency)) > room:
            return None
        if abs(mine.rate - other.rate) > room:
            return None
        same = mine.frequency * other.frequency > 0
        transposed.append(not same)
        targets.append(mine.channels if same else mine.channels[::-1])
    found = proved_conjugation(
        layout_of([p.channels for p in theirs], spectrum.dimension),
        layout_of(targets, spectrum.dimension),
    )
    return None if found is None else (found, sum(transposed))


def proved_conjugation(source: HeadLayout, target: HeadLayout) -> Conjugation | None:
    """The permutation from one layout to another, if it is proved for all frequencies."""
    try:
        found = prove_conjugation(source, target)
    except SpecificationError:
        return None
    return found if outcome_of(found.claims) is Outcome.PROVED else None


def layout_of(planes: Sequence[tuple[int, int]], dimension: int) -> HeadLayout:
    """Planes as a layout, with its name."""
    return HeadLayout(layout_name(planes, dimension), dimension, tuple(planes))


def _hint(spectrum: Spectrum, planes: Sequence[Plane]) -> str:
    """What the frequencies look like beside the declared ones."""
    ours = sorted((abs(p.frequency) for p in spectrum.planes), reverse=True)
    theirs = sorted((abs(p.frequency) for p in planes), reverse=True)
    if len(ours) != len(theirs):
        return f"{len(ours)} planes turn, {len(theirs)} are declared"
    ratios = np.array(ours) / np.array(theirs)
    if ratios.size and np.ptp(ratios) < 1e-4 * ratios[0]:
        return f"every frequency is {ratios[0]:.6g} times the declared one"
    changed = int((np.abs(ratios - 1.0) > 1e-4).sum())
    return (
        f"{changed} of {len(ours)} frequencies differ, by factors from {ratios.min():.4g} to "
        f"{ratios.max():.4g}"
    )


def first_visible(gap: float) -> int:
    """The first position at which two frequencies that differ by `gap` are 0.1 rad apart.

    >>> first_visible(0.22)
    1
    """
    return max(1, math.ceil(VISIBLE_PHASE / gap)) if gap > 0 else 0


def sources_text(conjugation: Conjugation) -> str:
    """The permutation as the list of sources, shortened when long."""
    return shortened(conjugation.permutation.sources)


def shortened(permutation: Sequence[int]) -> str:
    """A permutation as a list, its middle left out when it is long."""
    sources = list(permutation)
    if len(sources) <= 2 * SHOWN:
        return str(sources)
    head = ", ".join(str(s) for s in sources[:SHOWN])
    tail = ", ".join(str(s) for s in sources[-2:])
    return f"[{head}, …, {tail}]"
