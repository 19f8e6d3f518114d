"""Every position of the whole range: F(t)a and G(s)b of two generic vectors against exp(tX̂).

An image of one vector costs d numbers for a position where a matrix costs d², and all positions
come from few calls. exp(tX̂)a is cheap as well: t = base + offset, and one table over the offsets
serves every base, since exp((base + offset)X̂)a = exp(base·X̂)·exp(offset·X̂)a. So a fault at one
position alone is met, wherever it is; what is done about it is done with matrices.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import exponentials, inverse, norm, norms
from numeric_check.audit.measurement import Measurement
from numeric_check.audit.positions import FARTHEST, beginnings
from numeric_check.audit.recovery import SAFETY, SMALLEST, Part, Recovered
from numeric_check.audit.subject import MapSubject
from numeric_check.reference_values.tolerance import FORMATS
from symbolic_pe.errors import AuditError

CALL = 1 << 20
"""Numbers in one call."""
SHORTER = (4096, 512)
"""Positions of one call, where a subject does not take so many."""
WIDEST = 64
"""Groups of more channels are not swept."""
BEGINNINGS = 4
"""Failures that are looked at, of each side: where one begins."""
EXACT = 2.0
"""What is allowed counts exp(tX̂)a in float64 as well."""
SAMPLES, MORE = 9, 2.0
"""Norms of the exponential of a larger group are taken at so many positions of a call, and doubled
between them."""


@dataclass(frozen=True)
class Odd:
    """A position at which an image is wrong and before which it is not, in a call of several.

    call  the first position of that call, and how many there were
    """

    position: int
    side: str
    call: tuple[int, int]


@dataclass(frozen=True)
class Swept:
    """What a sweep found: every position from 0 to `last`, and where failures begin."""

    last: int
    odd: tuple[Odd, ...] = ()


def sweep(subject: MapSubject, measured: Measurement, recovered: Recovered) -> Swept | None:
    """Every position up to `FARTHEST`; None where nothing is known to compare with."""
    parts = recovered.parts
    if not recovered.fits or max((len(p.channels) for p in parts), default=WIDEST + 1) > WIDEST:
        return None
    end = min(measured.reach, FARTHEST) + 1
    found: list[Odd] = []
    lasts = []
    for side in ("query",) if subject.one_map else ("query", "key"):
        expected = [_expected(group, recovered, measured, side) for group in _by_size(parts)]
        length, odd = _of_side(subject, side, measured.dtype, expected, end)
        found += odd
        lasts.append(length - 1)
    return Swept(min(lasts), tuple(found)) if min(lasts) >= 0 else None


def generic(dimension: int) -> Array:
    """A vector that is orthogonal to nothing in particular."""
    result: Array = np.cos(np.arange(1, dimension + 1, dtype=np.float64))
    return result


def _by_size(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Planes and single channels together, each larger group alone."""
    for k in (1, 2):
        small = [p for p in parts if len(p.channels) == k and (k == 1 or p.plane is not None)]
        if small:
            yield small
    for p in parts:
        if len(p.channels) > 2 or (len(p.channels) == 2 and p.plane is None):
            yield [p]


def _of_side(
    subject: MapSubject, side: str, dtype: str, expected: Sequence[_Expected], end: int
) -> tuple[int, list[Odd]]:
    """How many positions were taken, and where failures begin."""
    a, start, found, before = generic(subject.dimension), 0, list[Odd](), False
    counts = [max(1, min(CALL // subject.dimension, end)), *(n for n in SHORTER if n < end)]
    while start < end and counts:
        count = min(counts[0], end - start)
        rows = np.broadcast_to(a, (1, count, subject.dimension))
        places = np.arange(start, start + count)
        try:
            images = subject.apply(side, rows, places, dtype).values[0]
        except AuditError:  # it takes fewer positions at once, or none of these
            counts.pop(0)
            continue
        failing = np.zeros(count, dtype=bool)
        for group in expected:
            failing |= group.failing(images, start, dtype)
        begins = beginnings(failing, BEGINNINGS, before=before)
        found += [Odd(start + i, side, (start, count)) for i in begins]
        before, start = bool(failing[-1]), start + count
    return start, found[:BEGINNINGS]


def _expected(
    parts: Sequence[Part], recovered: Recovered, measured: Measurement, side: str
) -> _Expected:
    """F(t)a = F(0)B(t)ᵀa and G(s)b = F(0)⁻ᵀB(−s)F(0)ᵀG(0)b as left·exp(tY)·right on each group."""
    groups = np.array([p.channels for p in parts])
    place = (groups[:, :, None], groups[:, None, :])
    query, key = measured.query[0][place], measured.key[0][place]
    a = generic(measured.dimension)[groups][:, :, None]
    x = np.stack([_cleaned(p) for p in parts])
    if side == "query":
        left, right, y = query, a, x.swapaxes(1, 2)
    else:
        back = np.stack([inverse(m) for m in query])
        left, right, y = back.swapaxes(1, 2), query.swapaxes(1, 2) @ key @ a, -x
    losses = [recovered.arithmetic.loss(p.frequency, p.rate, groups.shape[1]) for p in parts]
    constants, slopes = np.array(losses).T
    slopes = EXACT * SAFETY * slopes + np.array([p.radius for p in parts])
    kind = _Rotating if groups.shape[1] == 1 or parts[0].plane is not None else _Dense
    return kind(groups, left, right[:, :, 0], y, EXACT * SAFETY * constants, slopes)


def _cleaned(part: Part) -> Array:
    """X̂, of a plane exactly [[a, −ω], [ω, a]]."""
    if part.plane is None or len(part.channels) != 2:
        return part.matrix
    a, w = part.plane
    return np.array([[a, -w], [w, a]])


@dataclass(frozen=True)
class _Expected(ABC):
    """Images left·exp(tY)·right of groups of one size, and what they may be off by at t.

    groups             channels, shape (g, k)
    constants, slopes  of what is allowed, relative to the norms: constant + slope·t
    """

    groups: npt.NDArray[np.int64]
    left: Array
    right: Array
    y: Array
    constants: Array
    slopes: Array

    @abstractmethod
    def images(self, start: int, count: int) -> tuple[list[Array], Array]:
        """From position `start` on: the k channels of every group, each (count, g); norms of what
        is added up, (count, g) or (g,)."""

    def failing(self, images: Array, start: int, dtype: str) -> npt.NDArray[np.bool_]:
        """Which positions from `start` on are off by more than is allowed; none out of range."""
        count = len(images)
        with np.errstate(all="ignore"):
            right, size = self.images(start, count)
            square = np.zeros(right[0].shape)
            for place, channel in zip(self.groups.T, right, strict=True):
                gap = images[:, _sliced(place)] - channel
                square += np.square(gap, out=gap)
            times = np.arange(start, start + count, dtype=np.float64)[:, None]
            allowed = (self.constants + self.slopes * times) * size + SMALLEST
            kept = FORMATS[dtype]
            served = (size < kept.largest / 16.0) & (size > kept.smallest_normal * 16.0)
            over = ~(square <= np.square(allowed, out=allowed))
            return np.asarray((served & over).any(axis=1))


def _sliced(places: npt.NDArray[np.int64]) -> slice | npt.NDArray[np.int64]:
    """The same as a slice where there is one: it copies nothing."""
    start, end = int(places[0]), int(places[-1])
    step = int(places[1]) - start if len(places) > 1 else 1
    even = step > 0 and np.array_equal(places, np.arange(start, end + 1, step))
    return slice(start, end + 1, step) if even else places


class _Rotating(_Expected):
    """Planes and single channels: exp(tY) is multiplication by e^{λt}."""

    def images(self, start: int, count: int) -> tuple[list[Array], Array]:
        """As complex numbers; products of the left matrix only where it is no rotation."""
        if count > len(self.offsets[0]):
            self.offsets[:] = [np.exp(self._rates * np.arange(count)[:, None])]
        moved = self.offsets[0][:count] * (np.exp(self._rates * start) * self._begun)
        size = np.abs(moved) if self._rates.real.any() else np.abs(moved[0])
        size = size * self._norms
        if self._turns is not None:
            return [moved.real, moved.imag][: self.groups.shape[1]], size
        a, b = moved.real, moved.imag
        return [a * row[:, 0] + b * row[:, 1] for row in self.left.swapaxes(0, 1)], size

    @cached_property
    def offsets(self) -> list[npt.NDArray[np.complex128]]:
        """e^{λt} at t = 0, 1, …, as many as were asked for at once."""
        return [np.zeros((0, len(self.groups)), dtype=np.complex128)]

    @cached_property
    def _rates(self) -> npt.NDArray[np.complex128]:
        return _complex(self.y[:, :, 0])

    @cached_property
    def _turns(self) -> npt.NDArray[np.complex128] | None:
        """The left matrices as complex factors, where they are."""
        last = self.left[:, -1, -1] == self.left[:, 0, 0]
        across = self.left[:, 0, -1] == -self.left[:, -1, 0]
        single = self.groups.shape[1] == 1
        return _complex(self.left[:, :, 0]) if single or (last & across).all() else None

    @cached_property
    def _begun(self) -> npt.NDArray[np.complex128]:
        start = _complex(self.right)
        return start if self._turns is None else self._turns * start

    @cached_property
    def _norms(self) -> Array:
        """Of the left matrix, beside the factor that is counted already."""
        size = norms(self.left)
        if self._turns is None:
            return size
        factor = np.abs(self._turns)
        return np.where(factor > 0, size / np.maximum(factor, SMALLEST), 0.0)


def _complex(columns: Array) -> npt.NDArray[np.complex128]:
    """(g, k) as g complex numbers, real ones for k = 1."""
    if columns.shape[1] == 1:
        return columns[:, 0].astype(np.complex128)
    return np.asarray(columns[:, 0] + 1j * columns[:, 1])


class _Dense(_Expected):
    """One larger group: the images at 0, 1, …, 2^k − 1 give those at twice as many positions."""

    def images(self, start: int, count: int) -> tuple[list[Array], Array]:
        """By doubling; norms of exp(tY) at some t, and between them as if they grew evenly."""
        steps = [1 << k for k in range(max(1, (count - 1).bit_length()))]
        some = np.unique(np.linspace(0, count - 1, SAMPLES).astype(np.int64))
        times = [float(t) for t in (start, *steps, *(start + some))]
        first, *others = exponentials(self.y[0], times)
        moved = (first @ self.right[0])[None]
        for power in others[: len(steps)]:
            moved = np.concatenate([moved, moved @ power.T])
        known = np.log(norms(np.array(others[len(steps) :])))
        size = np.exp(np.interp(np.arange(count), some, known)) * norm(self.right[0][None])
        channels = (moved[:count] @ self.left[0].T).T
        return [c[:, None] for c in channels], MORE * size[:, None] * norm(self.left[0])
