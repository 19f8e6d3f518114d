"""exp(uX) of a parametric 2×2 component in balls, on every case and where cases meet.

    exp(uX) = e^{au}(C·I + S·(X − aI)),   C = cosh(u√D),   S = sinh(u√D)/√D

with a = tr X/2 and D = a² − det X. C and S are power series in u²D, so D = 0 is no exception;
near it the series is summed with a proved remainder instead of dividing by √D.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_number import exact_number, parameter_balls
from numeric_check.reference_values.term_sizes import size_of_terms
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import MatrixGroup
from symbolic_pe.errors import Undecided

SERIES_TERMS = 40
"""At most: for |z| ≤ 1 the terms from k = 40 on are below 2·|z|⁴⁰/80! < 2⁻³⁹⁰."""

BITS = (192, 384, 768, 1536, 3072)
ACCURATE_BITS = 100


@dataclass(frozen=True)
class TwoByTwo:
    """One component at given parameter values; sizes are floats for tolerances."""

    matrix: ScalarMatrix
    centre: Scalar
    discriminant: Scalar
    parameters: Mapping[str, fmpq]
    absolute: Array
    centre_size: float
    discriminant_value: float
    discriminant_scale: float
    centre_value: float
    memory: dict[int, list[arb]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, group: MatrixGroup, parameters: Mapping[str, Any]) -> TwoByTwo:
        """Evaluate the sizes at the parameters."""
        exact = {name: exact_number(value) for name, value in parameters.items()}
        with precision(BITS[1]):
            balls = parameter_balls(exact)
            (p, q), (r, s) = ([float(x.ball(balls)) for x in row] for row in group.matrix)
            d = float(group.discriminant.ball(balls))
            a = float(group.centre.ball(balls))
            sizes = np.array([[size_of_terms(x, balls) for x in row] for row in group.matrix])
        values = np.array([[p, q], [r, s]])
        absolute = np.abs(values - a * np.eye(2)) + (sizes - np.abs(values))
        half = (sizes[0, 0] + sizes[1, 1]) / 2
        scale = half * half + sizes[0, 1] * sizes[1, 0]
        return cls(
            group.matrix,
            group.centre,
            group.discriminant,
            exact,
            absolute,
            float(half),
            d,
            float(scale),
            a,
        )

    def entries(self, lag: fmpq) -> list[arb]:
        """The four entries row by row, to `ACCURATE_BITS` relative to the largest."""
        for bits in BITS:
            with precision(bits):
                balls = self._entries(arb(lag), bits)
                size = max((abs(x).mid() for x in balls), default=arb(0))
                bound = size * arb(2) ** -ACCURATE_BITS
                if all(x.is_finite() and (x.is_exact() or x.rad() < bound) for x in balls):
                    return balls
        raise Undecided(f"exp(uX) of a 2×2 component at u = {lag}: not to {ACCURATE_BITS} bits")

    def _entries(self, u: arb, bits: int) -> list[arb]:
        p, q, r, s, a, d = self._constants(bits)
        c, ratio = entire_pair(u, d)
        growth = (a * u).exp()
        return [
            growth * (c + ratio * (p - a)),
            growth * ratio * q,
            growth * ratio * r,
            growth * (c + ratio * (s - a)),
        ]

    def _constants(self, bits: int) -> list[arb]:
        """Entries, centre and discriminant at one precision, remembered."""
        known = self.memory.get(bits)
        if known is None:
            balls = parameter_balls(self.parameters)
            scalars = [*self.matrix[0], *self.matrix[1], self.centre, self.discriminant]
            known = self.memory[bits] = [x.ball(balls) for x in scalars]
        return known

    # -- sizes, for tolerances ----------------------------------------------------------------

    def reach(self, lag: Array) -> Array:
        """s̄ = min(|u|, 1/√|D|): |S| ≤ s̄·cosh(u√D₊)."""
        root = abs(self.discriminant_value) ** 0.5
        size: Array = np.abs(lag)
        return np.minimum(size, 1.0 / root) if root > 0 else size

    def majorant(self, lag: Array) -> Array:
        """e^{au}·cosh(u√D₊)·(I + s̄·|X − aI|), (n, 2, 2)."""
        hyperbolic = max(self.discriminant_value, 0.0) ** 0.5 * np.abs(lag)
        with np.errstate(over="ignore"):
            factor = (
                np.exp(self.centre_value * lag + hyperbolic)
                + np.exp(self.centre_value * lag - hyperbolic)
            ) / 2
            result: Array = factor[:, None, None] * (
                np.eye(2) + self.reach(lag)[:, None, None] * self.absolute
            )
        return result

    def growth(self, lag: Array) -> Array:
        """(|a| + √D₊)·|u| + ln(1 + s̄·‖X − aI‖)."""
        rate = abs(self.centre_value) + max(self.discriminant_value, 0.0) ** 0.5
        size: Array = rate * np.abs(lag) + np.log1p(self.reach(lag) * self.absolute.sum())
        return size


def entire_pair(u: arb, d: arb) -> tuple[arb, arb]:
    """(cosh(u√D), sinh(u√D)/√D), rigorous for every real ball D."""
    z = u * u * d
    if abs(z) <= 1:
        return _series(u, z)
    if d > 0:
        root = d.sqrt()
        sine, cosine = (u * root).sinh_cosh()
        return cosine, sine / root
    if d < 0:
        root = (-d).sqrt()
        sine, cosine = (u * root).sin_cos()
        return cosine, sine / root
    return arb.nan(), arb.nan()


def _series(u: arb, z: arb) -> tuple[arb, arb]:
    """Σ z^k/(2k)! and u·Σ z^k/(2k + 1)! for |z| ≤ 1: each tail is below twice its first term."""
    cosine, sine, term = arb(0), arb(0), arb(1)
    negligible = arb(2) ** -(ctx.prec + 8)
    for k in range(SERIES_TERMS):
        cosine += term  # z^k/(2k)!
        sine += term / (2 * k + 1)
        term = term * z / ((2 * k + 1) * (2 * k + 2))
        if abs(term) < negligible:
            break
    remainder = arb(0, 2 * abs(term).upper())
    return cosine + remainder, u * (sine + remainder)
