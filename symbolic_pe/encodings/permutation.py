"""Permutations of the channels of a head, and the one that carries one layout to another.

    (Px)_i = x_{s(i)},   (P X Pᵀ)_{ij} = X_{s(i) s(j)}

A layout places plane j, which turns with frequency θⱼ, on two channels. P sends plane j of the
first layout to plane j of the second, first axis to first axis, so orientation is kept as well;
channels that do not turn keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from symbolic_pe.encodings.layout import LAYOUTS, planes
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.generator import MAX_DIMENSION

E = TypeVar("E")
_PLANE = re.compile(r"\s*(\d{1,6})\s+(\d{1,6})\s*")


@dataclass(frozen=True)
class HeadLayout:
    """The planes of a head of `channels` channels: plane j is (first axis, second axis)."""

    name: str
    channels: int
    planes: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        used = [c for plane in self.planes for c in plane]
        if not used:
            raise SpecificationError(f"layout {self.name}: expected at least one plane")
        outside = sorted({c for c in used if not 0 <= c < self.channels})
        if outside:
            raise SpecificationError(
                f"layout {self.name}: channels are 0 to {self.channels - 1}, got {outside[0]}"
            )
        twice = sorted({c for c in used if used.count(c) > 1})
        if twice:
            raise SpecificationError(
                f"layout {self.name}: every channel belongs to one plane at most, but channel "
                f"{twice[0]} is named twice"
            )

    @property
    def constant(self) -> tuple[int, ...]:
        """The channels that do not turn, in increasing order."""
        turning = {c for plane in self.planes for c in plane}
        return tuple(c for c in range(self.channels) if c not in turning)


def head_layout(text: str, channels: int, rotary: int | None = None, start: int = 0) -> HeadLayout:
    """A layout by name, on channels start … start + rotary − 1, or a list of planes.

    >>> head_layout("half", 6, rotary=4).planes
    ((0, 2), (1, 3))
    >>> head_layout("0 3,1 2", 4).planes
    ((0, 3), (1, 2))

    `rotary` defaults to all channels from `start` on. The channels of a list count from the start
    of the head. Raises `SpecificationError`.
    """
    if not 2 <= channels <= MAX_DIMENSION:
        raise SpecificationError(
            f"head dimension: expected 2 to {MAX_DIMENSION} channels, got {channels}"
        )
    if text in LAYOUTS:
        turning = channels - start if rotary is None else rotary
        if start < 0 or turning < 2 or turning % 2 or start + turning > channels:
            raise SpecificationError(
                f"layout {text}: expected an even number of rotating channels, from 2 to "
                f"{max(channels - max(start, 0), 0)} of {channels} from channel {start} on, got "
                f"{turning}"
            )
        placed = ((a + start, b + start) for a, b in planes(text, turning))
        return HeadLayout(text, channels, tuple(placed))
    pairs = [_PLANE.fullmatch(part) for part in text.split(",")]
    found = tuple((int(m[1]), int(m[2])) for m in pairs if m is not None)
    if len(found) != len(pairs):
        raise SpecificationError(
            f"layout: expected {', '.join(LAYOUTS)} or a list of planes such as '0 2,1 3', "
            f"got {text!r}"
        )
    if rotary is not None and rotary != 2 * len(found):
        raise SpecificationError(
            f"layout {text}: {len(found)} planes turn {2 * len(found)} channels, but {rotary} "
            "rotating channels were stated; state one of the two"
        )
    return HeadLayout(text, channels, found)


@dataclass(frozen=True)
class ChannelPermutation:
    """P with (Px)_i = x_{sources[i]}.

    >>> p = ChannelPermutation((0, 2, 1, 3))
    >>> p.apply("abcd")
    ('a', 'c', 'b', 'd')
    """

    sources: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.sources) != list(range(len(self.sources))):
            raise SpecificationError(
                f"a permutation names each of 0 to {len(self.sources) - 1} once, got "
                f"{list(self.sources)}"
            )

    @classmethod
    def between(cls, source: HeadLayout, target: HeadLayout) -> ChannelPermutation:
        """P that carries plane j of `source` to plane j of `target`.

        >>> half, interleaved = head_layout("half", 4), head_layout("interleaved", 4)
        >>> ChannelPermutation.between(half, interleaved).sources
        (0, 2, 1, 3)

        Raises `SpecificationError` unless both have as many channels and planes.
        """
        if source.channels != target.channels:
            raise SpecificationError(
                f"both layouts need the same number of channels, got {source.channels} and "
                f"{target.channels}"
            )
        if len(source.planes) != len(target.planes):
            raise SpecificationError(
                f"layout {source.name} has {len(source.planes)} planes and {target.name} has "
                f"{len(target.planes)}: plane j of one is plane j of the other, so both need as "
                "many; state the number of rotating channels"
            )
        sources = [0] * source.channels
        for old, new in zip(source.planes, target.planes, strict=True):
            for a, c in zip(old, new, strict=True):
                sources[c] = a
        for a, c in zip(source.constant, target.constant, strict=True):
            sources[c] = a
        return cls(tuple(sources))

    @cached_property
    def inverse(self) -> ChannelPermutation:
        """P⁻¹ = Pᵀ."""
        back = [0] * len(self.sources)
        for i, a in enumerate(self.sources):
            back[a] = i
        return ChannelPermutation(tuple(back))

    def apply(self, x: Sequence[E]) -> tuple[E, ...]:
        """Px."""
        return tuple(x[a] for a in self.sources)
