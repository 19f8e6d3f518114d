"""Encodings of positions with several coordinates: A(p) = exp(Σ pᵢXᵢ)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.layout import planes as plane_channels
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator


@dataclass(frozen=True)
class SeveralAxes:
    """A(p) = exp(Σ pᵢXᵢ) for positions p of several coordinates; commuting is not yet decided.

    verdict        what a catalogue entry says of it, decided by `proof.several_axes`
    basis          P with PᵀXᵢP on planes for every axis, orthogonal, where the channels are not
    temperature    c in score = c²·qᵀA(p − p′)k; the claims are about A
    specification  canonical description from which it is rebuilt
    """

    name: str
    axes: tuple[Generator, ...]
    axis_names: tuple[str, ...]
    assumptions: Assumptions = field(default_factory=Assumptions)
    title: str = ""
    verdict: Verdict = Verdict.COMMUTING
    temperature: Scalar = ONE
    reference: str = ""
    specification: Mapping[str, object] = field(default_factory=dict)
    basis: ScalarMatrix | None = None

    @property
    def dimension(self) -> int:
        """Channels."""
        return self.axes[0].dimension


def turning(
    frequencies: Sequence[Scalar], layout: str, rest: int = 0, *, before: int = 0
) -> Generator:
    """X = ⊕ ωⱼJ on the planes of a layout, constant channels `before` and after (`rest`) them.

    A plane with ω = 0 stands still: it is two real chains of length 1.

    >>> turning([ZERO, ONE], "half").matrix[3][1]
    Scalar(1)
    """
    placed = [PlacedBlock(Block(ZERO), (i,)) for i in range(before)]
    channels = plane_channels(layout, 2 * len(frequencies))
    for frequency, plane in zip(frequencies, channels, strict=True):
        pair = (plane[0] + before, plane[1] + before)
        if frequency.is_zero():
            placed.extend(PlacedBlock(Block(ZERO), (channel,)) for channel in pair)
        else:
            placed.append(PlacedBlock(Block(ZERO, frequency), pair))
    start = before + 2 * len(frequencies)
    placed.extend(PlacedBlock(Block(ZERO), (start + i,)) for i in range(rest))
    return Generator.from_blocks(placed)
