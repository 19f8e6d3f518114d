"""The generator that a subject realises, within a radius, from its matrices at 1, 2, 4, …

    B(τ) = M(τ, 0)·M(0, 0)⁻¹,   B(s)B(t) = B(s + t),   X = log B(1)

Each later position refines X: exp(−tX̂)B(t) is near I, and its logarithm over t is what X̂ lacks. If
B(t) is within ε(t) of exp(tX), then X is known within ε(t)/t. So the radius of a part is certified
under the stated arithmetic, and a position at which no X within the radius fits refutes that the
subject is any exponential at all.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from numeric_check.audit.arithmetic import Arithmetic
from numeric_check.audit.libraries import Array
from numeric_check.audit.matrices import exponentials, norm, principal_logarithm
from numeric_check.audit.measurement import Measurement
from numeric_check.reference_values.tolerance import FORMATS

ANGLES = ("float64", "float32")
AMPLIFIED = 0.25
"""Refining stops where rounding errors, amplified by exp(−tX), would reach this."""
SMALLEST = FORMATS["float64"].smallest_normal
"""What underflow may lose."""
HELD = 8.0 * FORMATS["float64"].unit_roundoff
"""Entries of X̂ are kept in float64: it is not known more closely than that, relative to ‖X̂‖."""
SAFETY = 2.0
"""Radii count the error of M(0, 0) and of B(t)."""


@dataclass(frozen=True)
class Departure:
    """A position at which no generator fits that fits the ones below; `extent`: which others."""

    position: int
    error: float
    tolerance: float
    extent: str = ""


@dataclass(frozen=True)
class Part:
    """X on one group of channels.

    matrix      X̂, shape (k, k), rows and columns in the order of `channels`
    radius      ‖X̂ − X‖ ≤ radius under the arithmetic
    departure   None when exp(tX̂) explains every measured position
    worst       (position, error, tolerance) where it explains least
    """

    channels: tuple[int, ...]
    matrix: Array
    radius: float
    departure: Departure | None = None
    worst: tuple[int, float, float] = (0, 0.0, 0.0)

    @property
    def plane(self) -> tuple[float, float] | None:
        """(rate a, frequency ω) of [[a, −ω], [ω, a]] within the radius, else None."""
        x = self.matrix
        if len(x) != 2:
            return None
        skew = max(abs(x[0, 0] - x[1, 1]), abs(x[0, 1] + x[1, 0]))
        if skew > 4.0 * self.radius:
            return None
        return float(x[0, 0] + x[1, 1]) / 2, float(x[1, 0] - x[0, 1]) / 2

    @cached_property
    def _eigenvalues(self) -> npt.NDArray[Any]:
        if len(self.matrix) == 2:
            (a, b), (c, d) = self.matrix.tolist()
            root = cmath.sqrt(((a - d) / 2) ** 2 + b * c)
            return np.array([(a + d) / 2 + root, (a + d) / 2 - root])
        return np.asarray(np.linalg.eigvals(self.matrix))

    @property
    def frequency(self) -> float:
        """The largest |Im λ|."""
        return float(np.abs(self._eigenvalues.imag).max())

    @property
    def rate(self) -> float:
        """The largest |Re λ|."""
        return float(np.abs(self._eigenvalues.real).max())


@dataclass(frozen=True)
class Unrecovered:
    """A group of channels without a generator, and why."""

    channels: tuple[int, ...]
    reason: str


@dataclass(frozen=True)
class Recovered:
    """X of a subject, group by group, with the arithmetic under which it fits."""

    parts: tuple[Part, ...]
    unrecovered: tuple[Unrecovered, ...]
    arithmetic: Arithmetic

    @property
    def fits(self) -> bool:
        """Whether exp(tX̂) explains every measured position."""
        return not self.unrecovered and all(p.departure is None for p in self.parts)

    @property
    def first_departure(self) -> tuple[Part, Departure] | None:
        """The part that leaves its exponential first."""
        gone = [(p, p.departure) for p in self.parts if p.departure is not None]
        return min(gone, key=lambda x: x[1].position) if gone else None

    @property
    def dimension(self) -> int:
        """Channels."""
        return sum(len(p.channels) for p in self.parts) + sum(
            len(u.channels) for u in self.unrecovered
        )

    def matrix(self) -> Array:
        """X̂ as one matrix."""
        x = np.zeros((self.dimension, self.dimension))
        for part in self.parts:
            x[np.ix_(part.channels, part.channels)] = part.matrix
        return x


def recover(measured: Measurement) -> Recovered:
    """X of a pair of maps: with angles in float64 if that explains it, else in float32.

    Where neither does, the one that explains more positions says where the fault is: a wrong far
    position moves X within what float32 allows there, and then near ones seem wrong.
    """
    fine, coarse = (measured.arithmetic.with_angle(angle) for angle in ANGLES)
    found = _recovered(measured, fine, whole=False)
    if found.fits and found.dimension == measured.dimension:
        return found
    found = _recovered(measured, coarse, whole=True)
    if found.first_departure is None:
        return found
    finer = _recovered(measured, fine, whole=True)
    if finer.first_departure is None:
        return finer
    later = finer.first_departure[1].position >= found.first_departure[1].position
    return finer if later else found


def _recovered(measured: Measurement, arithmetic: Arithmetic, *, whole: bool) -> Recovered:
    """Group by group; unless the `whole` is wanted, only until one does not fit."""
    parts: list[Part] = []
    failed: list[Unrecovered] = []
    for group in measured.groups:
        found = recover_part(group, *_operators(measured, group), arithmetic)
        (parts if isinstance(found, Part) else failed).append(found)  # type: ignore[arg-type]
        if not whole and (isinstance(found, Unrecovered) or found.departure is not None):
            break
    return Recovered(tuple(parts), tuple(failed), arithmetic)


def _operators(measured: Measurement, group: Sequence[int]) -> tuple[tuple[int, ...], Array | None]:
    """Positions and B(τ) on a group, wherever it is finite; None if M(0, 0) is singular."""
    start = measured.pair(0, 0, group)
    finite = measured.finite
    positions = tuple(p for p, good in zip(measured.positions, finite, strict=True) if good)
    if not positions or not np.isfinite(start).all() or np.linalg.cond(start) > 1e8:
        return positions, None
    place = np.array(group)
    forth = measured.query[finite][:, place[:, None], place[None]]
    back = measured.key[0][np.ix_(group, group)] @ np.linalg.inv(start)
    return positions, forth.swapaxes(1, 2) @ back


def recover_part(
    channels: tuple[int, ...],
    positions: tuple[int, ...],
    operators: Array | None,
    arithmetic: Arithmetic,
) -> Part | Unrecovered:
    """X of one group from B(t) at ascending positions, which begin with 0, 1."""
    if positions[:2] != (0, 1):
        return Unrecovered(channels, "the results at positions 0 and 1 are not finite")
    if operators is None:
        return Unrecovered(channels, "F(0)^T G(0) is singular, so no group law can be asked")
    k = len(channels)
    start = principal_logarithm(operators[1])
    if start is None:
        return Unrecovered(
            channels, "A(1) has an eigenvalue that is 0 or negative: no real logarithm near it"
        )
    part = Part(channels, start, SAFETY * arithmetic.constant(k))
    part = replace(part, radius=SAFETY * float(_tolerance(part, arithmetic, [1])[0]))
    for t, operator in _doubling(positions, operators):
        refined = _refined(part, t, operator, arithmetic)
        if isinstance(refined, Departure):
            below = sum(p < t for p in positions)
            found = _verified(part, positions[:below], operators[:below], arithmetic)
            return found if found.departure else replace(part, departure=refined)
        part = refined
    return _verified(part, positions, operators, arithmetic)


def _doubling(positions: tuple[int, ...], operators: Array) -> Iterator[tuple[int, Array]]:
    """Positions from 2 on that are at least twice the one before."""
    last = 1
    for t, operator in zip(positions, operators, strict=True):
        if t >= 2 * last:
            yield t, operator
            last = t


def _tolerance(part: Part, arithmetic: Arithmetic, positions: Sequence[int]) -> Array:
    return SAFETY * arithmetic.tolerance(
        np.array(positions, dtype=np.float64), part.frequency, part.rate, len(part.channels)
    )


def _refined(part: Part, t: int, operator: Array, arithmetic: Arithmetic) -> Part | Departure:
    """X̂ with what position t adds, unless t is of no use or does not fit."""
    back, forth = exponentials(part.matrix, [-float(t), float(t)])
    with np.errstate(all="ignore"):
        growth = norm(back) * norm(operator)
    room = growth * float(_tolerance(part, arithmetic, [t])[0])
    expected = room + growth * t * part.radius
    if not np.isfinite(expected) or room > AMPLIFIED:
        return part
    rest = back @ operator
    gap = norm(rest - np.eye(len(rest)))
    if gap > expected:
        return Departure(t, norm(operator - forth), expected)
    step = principal_logarithm(rest)
    radius = max(room / t, HELD * norm(part.matrix))
    if step is None or radius >= part.radius:
        return part
    return replace(part, matrix=part.matrix + step / t, radius=radius)


def _verified(
    part: Part, positions: tuple[int, ...], operators: Array, arithmetic: Arithmetic
) -> Part:
    """Compare exp(tX̂) with every B(t)."""
    chosen = list(range(len(positions)))
    if len(part.channels) > 16:
        chosen = chosen[:12] + chosen[12::6]
    times = [positions[i] for i in chosen]
    exact = exponentials(part.matrix, [float(t) for t in times])
    allowed = _tolerance(part, arithmetic, times) + part.radius * np.array(times)
    worst, departure = (0, 0.0, float(allowed[0])), None
    for i, t, right, room in zip(chosen, times, exact, allowed, strict=True):
        size = max(norm(right), norm(operators[i]))
        tolerance = float(room) * size + SMALLEST
        error = norm(operators[i] - right)
        if not error <= tolerance and departure is None:
            departure = Departure(t, error, tolerance)
        if error / tolerance > worst[1] / worst[2]:
            worst = (t, error, tolerance)
    return replace(part, departure=departure, worst=worst)
