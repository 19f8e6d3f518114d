"""Planes of a recovered or declared generator, and their layout in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb

from numeric_check.audit.libraries import Array
from numeric_check.audit.recovery import Recovered
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.layout import LAYOUTS
from symbolic_pe.encodings.layout import planes as layout_planes
from symbolic_pe.generators.generator import Generator

BITS = 96


@dataclass(frozen=True)
class Plane:
    """[[a, −ω], [ω, a]] on (first, second) channel, each known within `radius`."""

    channels: tuple[int, int]
    rate: float
    frequency: float
    radius: float = 0.0


@dataclass(frozen=True)
class Spectrum:
    """A generator as planes, single channels (channel, rate, radius) and larger groups."""

    dimension: int
    planes: tuple[Plane, ...]
    singles: tuple[tuple[int, float, float], ...]
    others: tuple[tuple[int, ...], ...]

    @property
    def layout(self) -> str:
        """`interleaved`, `half`, one of them on fewer channels, or the planes themselves."""
        return layout_name([p.channels for p in self.planes], self.dimension)


def spectrum(recovered: Recovered) -> Spectrum:
    """The planes of X̂. Planes are ordered by their first channel."""
    found: list[Plane] = []
    singles: list[tuple[int, float, float]] = []
    others: list[tuple[int, ...]] = []
    for part in recovered.parts:
        plane = part.plane
        if len(part.channels) == 1:
            singles.append((part.channels[0], float(part.matrix[0, 0]), part.radius))
        elif plane is not None:
            a, b = part.channels
            found.append(Plane((a, b), *plane, part.radius))
        else:
            others.append(part.channels)
    others += [u.channels for u in recovered.unrecovered]
    return Spectrum(recovered.dimension, tuple(found), tuple(singles), tuple(others))


def declared_planes(generator: Generator) -> list[Plane] | None:
    """The planes of a generator given as blocks of chain length 1, else None."""
    if generator.placed is None or any(p.block.chain_length > 1 for p in generator.placed):
        return None
    with precision(BITS):
        return [
            Plane(
                (p.coordinates[0], p.coordinates[1]),
                p.block.rate.to_float(),
                p.block.frequency.to_float(),
            )
            for p in generator.placed
            if p.block.is_pair
        ]


def declared_matrix(encoding: Encoding, head: int = 0) -> Array:
    """X of a declared encoding, every entry rounded once."""
    return matrix_of(encoding.heads[head].generator.matrix)


def matrix_of(rows: ScalarMatrix) -> Array:
    """An exact matrix, every entry rounded once."""
    result = np.zeros((len(rows), len(rows)))
    with precision(BITS):
        for i, row in enumerate(rows):
            for j, x in enumerate(row):
                if not x.is_zero():
                    result[i, j] = float(arb(x.ball({})))
    return result


def layout_name(planes: Sequence[tuple[int, int]], dimension: int) -> str:
    """The name of a set of planes.

    >>> layout_name([(0, 2), (1, 3)], 6)
    'half of the first 4 channels'
    """
    pairs = {tuple(sorted(p)) for p in planes}
    if not pairs:
        return "no planes"
    turning = sorted(c for p in pairs for c in p)
    start, width = turning[0], 2 * len(pairs)
    for name in LAYOUTS:
        if pairs == {(a + start, b + start) for a, b in layout_planes(name, width)}:
            if width == dimension:
                return name
            where = (
                f"the first {width}" if start == 0 else f"channels {start} to {start + width - 1}"
            )
            return f"{name} of {where}" + (" channels" if start == 0 else "")
    if dimension % 2 == 0 and pairs <= set(layout_planes("half", dimension)):
        return f"half, {len(pairs)} of {dimension // 2} planes"
    if dimension % 2 == 0 and pairs <= set(layout_planes("interleaved", dimension)):
        return f"interleaved, {len(pairs)} of {dimension // 2} planes"
    shown = ", ".join(f"{a} {b}" for a, b in sorted(pairs)[:6])
    return f"planes {shown}{', …' if len(pairs) > 6 else ''}"
