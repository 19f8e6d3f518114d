"""Recovered generators of several axes against declared ones, plane by plane.

A plane of channels has one frequency for each axis. Which coordinate drives which plane, and in
which direction, is what several axes are about; that planes lie on other channels in the same
order, or that all of them turn the other way along every axis, is a convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from numeric_check.audit.comparison import layout_of, proved_conjugation
from numeric_check.audit.libraries import Array
from numeric_check.audit.planes import Plane, Spectrum, declared_planes, layout_name, matrix_of
from numeric_check.audit.recognition import CONSTANT_LOSS
from numeric_check.audit.recovery import Recovered
from symbolic_pe.encodings.forms import SeveralAxes
from symbolic_pe.proof.conjugation import Conjugation

SHOWN = 6


@dataclass(frozen=True)
class Turning:
    """Planes of channels, ascending, and the frequency of each axis in each, (planes, axes).

    radius  how far each frequency is known
    """

    channels: tuple[tuple[int, int], ...]
    frequencies: Array
    radius: Array

    def near(self, other: Array) -> bool:
        """Whether these are the frequencies, within radii and what float32 constants lose."""
        if self.frequencies.shape != other.shape:
            return False
        room = self.radius + CONSTANT_LOSS * np.abs(other)
        return bool((np.abs(self.frequencies - other) <= room).all())

    def driven(self, axis: int) -> list[int]:
        """The planes, counted from 0, that an axis turns."""
        moves = np.abs(self.frequencies[:, axis]) > self.radius[:, axis]
        return [int(j) for j in np.flatnonzero(moves)]


@dataclass(frozen=True)
class Misfit:
    """The worst entry of an axis: the gap, what both may be off by, where, what is declared."""

    gap: float
    room: float
    entry: tuple[int, int]
    declared: float


def turning(planes: Sequence[Sequence[Plane]]) -> Turning | None:
    """The planes of all axes together; None where they do not lie on the same pairs of channels."""
    every = sorted({tuple(sorted(p.channels)) for of_axis in planes for p in of_axis})
    used = [c for pair in every for c in pair]
    if not every or len(set(used)) != len(used):
        return None
    place = {pair: j for j, pair in enumerate(every)}
    frequencies, radius = np.zeros((2, len(every), len(planes)))
    for axis, of_axis in enumerate(planes):
        for plane in of_axis:
            j = place[tuple(sorted(plane.channels))]
            forward = plane.channels[0] < plane.channels[1]
            frequencies[j, axis] = plane.frequency if forward else -plane.frequency
            radius[j, axis] = plane.radius
    return Turning(tuple((a, b) for a, b in every), frequencies, radius)


def found_turning(spectra: Sequence[Spectrum]) -> Turning | None:
    """The planes that were found; None where an axis has a rate, or larger groups."""
    for of_axis in spectra:
        rates = [abs(p.rate) > p.radius for p in of_axis.planes]
        rates += [abs(rate) > radius for _, rate, radius in of_axis.singles]
        if of_axis.others or any(rates):
            return None
    return turning([[p for p in s.planes if abs(p.frequency) > p.radius] for s in spectra])


def declared_turning(declared: SeveralAxes) -> Turning | None:
    """The planes that a specification declares."""
    planes = [declared_planes(generator) for generator in declared.axes]
    if any(p is None for p in planes):
        return None
    return turning([p for p in planes if p is not None])


def misfit(recovered: Recovered, declared: SeveralAxes, axis: int) -> Misfit:
    """Of a recovered generator beside that of a declared axis."""
    exact = matrix_of(declared.axes[axis].matrix)
    radius = max((p.radius for p in recovered.parts), default=0.0)
    gap = np.abs(recovered.matrix() - exact)
    i, j = (int(v) for v in np.unravel_index(int(gap.argmax()), gap.shape))
    room = radius + CONSTANT_LOSS * float(np.abs(exact).max())
    return Misfit(float(gap[i, j]), room, (i, j), float(exact[i, j]))


def harmless(ours: Turning, theirs: Turning, dimension: int) -> tuple[Conjugation, str] | None:
    """The permutation that carries the declared axes to these, all at once, and why; or None."""
    for sign in (1, -1):
        if not ours.near(sign * theirs.frequencies):
            continue
        targets = [p if sign > 0 else p[::-1] for p in ours.channels]
        found = proved_conjugation(
            layout_of(theirs.channels, dimension), layout_of(targets, dimension)
        )
        if found is None:
            return None
        reasons = []
        if ours.channels != theirs.channels:
            names = [layout_name(t.channels, dimension) for t in (theirs, ours)]
            reasons.append(f"the declared layout is {names[0]}, this is {names[1]}")
        if sign < 0:
            reasons.append("both sides turn the other way along every axis")
        return found, ", and ".join(reasons)
    return None


def explained(ours: Turning, theirs: Turning, names: Sequence[str]) -> str:
    """What the difference looks like, in words, or ""."""
    count = len(names)
    if ours.frequencies.shape == theirs.frequencies.shape:
        _, *orders = permutations(range(count))  # the first moves nothing
        for order in orders:
            for sign in (1, -1):
                if ours.near(sign * theirs.frequencies[:, order]):
                    turned = ", and all turn the other way" if sign < 0 else ""
                    return _exchanged(order, names) + turned
        _, *some = np.ndindex(*(2,) * count)  # the first turns nothing
        for signs in some:
            if ours.near(theirs.frequencies * (1 - 2 * np.array(signs))):
                which = [f"axis {a} ({names[a]})" for a in range(count) if signs[a]]
                return f"{' and '.join(which)} {'is' if len(which) == 1 else 'are'} reversed"
    words = [w for a in range(count) for w in [_of_axis(ours, theirs, a, names[a])] if w]
    same = sorted(map(_rounded, ours.frequencies)) == sorted(map(_rounded, theirs.frequencies))
    if words and same:
        words.append("the same planes in another order, so harmless for weights trained with it")
    return "; ".join(words)


def _rounded(row: Array) -> tuple[float, ...]:
    return tuple(float(f"{x:.5g}") for x in row)


def _exchanged(order: Sequence[int], names: Sequence[str]) -> str:
    moved = [
        f"coordinate {a} drives what {names[b]} (coordinate {b}) should"
        for a, b in enumerate(order)
        if a != b
    ]
    return "the axes are exchanged: " + ", ".join(moved)


def _of_axis(ours: Turning, theirs: Turning, axis: int, name: str) -> str:
    mine, other = ours.driven(axis), theirs.driven(axis)
    start = f"axis {axis} ({name})"
    if len(mine) != len(other):
        return f"{start} drives {len(mine)} planes, {len(other)} are declared"
    if mine != other:
        return f"{start} drives planes {_some(mine)}, declared are {_some(other)}"
    if not mine:
        return ""
    ratio = ours.frequencies[mine, axis] / theirs.frequencies[other, axis]
    if np.abs(ratio - 1.0).max() <= 1e-4:
        return ""
    if np.ptp(ratio) <= 1e-4 * abs(float(ratio[0])):
        if abs(float(ratio[0]) + 1.0) <= 1e-4:
            return f"{start} is reversed"
        return f"{start}: every frequency is {ratio[0]:.6g} times the declared one"
    return (
        f"{start}: frequencies are {ratio.min():.4g} to {ratio.max():.4g} times the declared ones"
    )


def _some(planes: Sequence[int]) -> str:
    return ", ".join(map(str, planes[:SHOWN])) + (", …" if len(planes) > SHOWN else "")
