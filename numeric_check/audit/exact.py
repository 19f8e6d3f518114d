"""What a map should be: exp(tX) group by group, with X as declared, as recognised, or as found.

At the standard positions it comes from ball arithmetic; between them NumPy is near enough, with an
error of |ωt|·2⁻⁵³ that what is allowed covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from numeric_check.audit.comparison import compare
from numeric_check.audit.context import Context
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import exponentials, inverse, is_plane, plane_exponentials
from numeric_check.audit.planes import Spectrum, declared_matrix
from numeric_check.audit.positions import STANDARD
from numeric_check.audit.recognition import Recognised
from numeric_check.audit.recovery import Part
from numeric_check.reference_values.reference import references
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.specification import read_specification
from symbolic_pe.errors import AuditError


@dataclass(frozen=True)
class Exact:
    """exp(tX) on one group, as the images of its first channel: what F(t) should make of it.

    query, key   F(0) and G(0) on the group, as measured
    anchors      exp(tX) from ball arithmetic at some t
    """

    channels: tuple[int, ...]
    generator: Array
    radius: float
    query: Array
    key: Array
    anchors: Mapping[float, Array] = field(default_factory=dict)
    _known: dict[float, Array] = field(default_factory=dict, compare=False, repr=False)

    def images(self, positions: Sequence[int], side: str) -> Array:
        """F(t)e₁ = F(0)B(t)ᵀe₁ or G(s)e₁ = F(0)⁻ᵀB(−s)F(0)ᵀG(0)e₁; shape (n, k)."""
        sign = 1.0 if side == "query" else -1.0
        moved = self.operators([sign * p for p in positions])
        with np.errstate(all="ignore"):
            if side == "query":
                maps = self.query @ moved.transpose(0, 2, 1)
            else:
                maps = inverse(self.query.T) @ moved @ self.query.T @ self.key
        result: Array = maps[:, :, 0]
        return result

    def operators(self, times: Sequence[float]) -> Array:
        """exp(tX) at each t."""
        if not self.is_quick:
            missing = [t for t in dict.fromkeys(times) if t not in self._known]
            self._known.update(zip(missing, exponentials(self.generator, missing), strict=True))
            return np.stack([self.anchors.get(t, self._known[t]) for t in times])
        a, w = float(self.generator[0, 0]), float(self.generator[1, 0])
        moved = plane_exponentials(a, w, np.array(times))
        for i, t in enumerate(times):
            if t in self.anchors:
                moved[i] = self.anchors[t]
        return moved

    @property
    def is_quick(self) -> bool:
        """Whether this is a plane, whose exponential NumPy has for thousands of positions."""
        return is_plane(self.generator)


@dataclass(frozen=True)
class Known:
    """An encoding whose channel sources[i] is channel i of the subject."""

    encoding: Encoding
    head: int
    sources: tuple[int, ...]

    def matrix(self) -> Array:
        """X in the channels of the subject."""
        place = np.ix_(self.sources, self.sources)
        return declared_matrix(self.encoding, self.head)[place]

    def at(self, times: Sequence[float]) -> list[Array]:
        """exp(tX) in the channels of the subject, every entry a midpoint of a ball."""
        d, place = self.encoding.dimension, np.ix_(self.sources, self.sources)
        return [
            np.array([float(x) for x in balls.entries()]).reshape(d, d)[place]
            for balls in references(self.encoding, times, head=self.head)
        ]


def exact_maps(context: Context, planes: Spectrum, recognised: Recognised) -> list[Exact]:
    """Every group whose exact map is known; none of those that no generator explains."""
    measured = context.measured
    known = _known(context, planes, recognised)
    x = known.matrix() if known is not None else _of_ladder(context, recognised)
    start = _start(context)
    times = [float(p) for p in STANDARD if p <= measured.reach]
    if not context.subject.one_map:
        times += [-t for t in times]
    whole = dict(zip(times, known.at(times), strict=True)) if known is not None else {}
    exact = []
    for part in context.recovered.parts:
        if x is None and part.departure is not None:
            continue
        place = np.ix_(part.channels, part.channels)
        matrix = x[place] if x is not None else _without_noise(part)
        if known is not None:
            anchors = {t: m[place] for t, m in whole.items()}
        else:
            anchors = dict(zip(times, exponentials(matrix, times), strict=True))
        query, key = start[0][place], start[1][place]
        radius = part.radius if x is None else 0.0
        exact.append(Exact(part.channels, matrix, radius, query, key, anchors))
    return exact


def _start(context: Context) -> tuple[Array, Array]:
    """F(0) and G(0) of a subject without history."""
    fresh, dtype = context.anew().subject, context.measured.dtype
    try:
        query = fresh.matrices("query", [0, 1, 2], dtype)[0]
        key = query if fresh.one_map else fresh.matrices("key", [0, 1, 2], dtype)[0]
    except AuditError:
        return context.measured.query[0], context.measured.key[0]
    return query, key


def _known(context: Context, planes: Spectrum, recognised: Recognised) -> Known | None:
    """The declared encoding if the subject realises it, else the recognised one."""
    declared, d = context.declared, context.recovered.dimension
    if declared is not None and declared.dimension == d and context.recovered.fits:
        found = compare(context.recovered, planes, declared)
        if found.equal:
            return Known(declared, found.head, tuple(range(d)))
        if found.conjugation is not None:
            return Known(declared, 0, found.conjugation.permutation.sources)
    if not recognised.spec or not context.recovered.fits:
        return None
    return Known(read_specification(recognised.spec), recognised.head, tuple(range(d)))


def _of_ladder(context: Context, recognised: Recognised) -> Array | None:
    """X of a ladder that is in no catalogue entry, or that positions without bits hide."""
    ladder = recognised.ladder
    if ladder is None or ladder.bands:
        return None
    exact = ladder.factor * ladder.base ** (
        -2.0 * np.arange(len(recognised.order)) / ladder.denominator
    )
    x = np.zeros((context.recovered.dimension, context.recovered.dimension))
    for plane, frequency in zip(recognised.order, exact, strict=True):
        a, b = plane.channels
        x[b, a] = float(np.copysign(frequency, plane.frequency))
        x[a, b] = -x[b, a]
    return x


def _without_noise(part: Part) -> Array:
    """X̂ with the rate of a plane, where it is 0 within the radius, exactly 0."""
    plane = part.plane
    if plane is None:
        return part.matrix
    rate, w = plane
    a = 0.0 if abs(rate) <= part.radius else rate
    return np.array([[a, -w], [w, a]])
