"""Bounds of the largest eigenvalue of a kernel with decay, for any n.

above   the sum over components of the largest eigenvalue of each
        the largest value of the symbol, by branch and bound in balls
below   the Rayleigh quotient of v_j = sin(π(j + 1)/(n + 1))·e^{iωj}, whose autocorrelation is

            a(t) = ½[(n − t)·cos φt + sin(φ(t + 1))/sin φ],   φ = π/(n + 1),

        so that v*Kv is a finite sum of geometric sums
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import frexp, inf

from flint import acb, arb, fmpq

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.spectrum.decay import decay_eigenvalue
from symbolic_pe.spectrum.kernel import Component, PositionalKernel
from symbolic_pe.spectrum.sums import accurate, triangular

START_BOXES = 64
MOST_EVALUATIONS = 60_000
"""Poisson kernels that are evaluated for one supremum."""
TOLERANCE = fmpq(1, 1 << 20)
SEARCH_BITS = 64
"""Beside those that tell the smallest rate from 0."""


def sum_of_components(kernel: PositionalKernel, n: int) -> arb:
    """Σ m·λ_max of every component: an upper bound at the current precision.

    A turning component is at most as large as its decay alone (a mean of two unitary conjugates),
    and an atom at most n, or (n + 1/|sin b|)/2 for a frequency b.
    """
    return sum((c.mass * _largest_of(c, n) for c in kernel.components), start=arb(0))


def _largest_of(c: Component, n: int) -> arb:
    if c.rate_sign < 0:
        return arb(decay_eigenvalue(c.rate.enclosure, n, 1).upper())
    if c.turns:
        below = abs(c.frequency.enclosure().sin())
        if below > 0:
            return min(arb(n), (n + 1 / below) / 2, key=float)
    return arb(n)


def highest_peak(kernel: PositionalKernel) -> arb:
    """The largest of the suprema of the components, below that of the symbol."""
    peaks = (
        c.mass / (2 if c.turns else 1) * (-c.rate.enclosure() / 2).coth() for c in kernel.components
    )
    return max(peaks, key=float)


def supremum(kernel: PositionalKernel) -> tuple[arb, fmpq]:
    """An upper bound of the symbol on [0, π], and a frequency where it is nearly reached.

    Every component must decay. The bound holds whenever the search ends, and is infinite when it
    ends too early.
    """
    least = min(float(-c.rate.enclosure()) for c in kernel.components)
    with precision(SEARCH_BITS + max(0, -frexp(least)[1])):
        parts = [_Bump(c) for c in kernel.components]
        step = arb.pi().upper() / START_BOXES
        width = fmpq(*_integers(step)) * fmpq(65, 64)
        boxes = []
        best, place = arb(0), fmpq(0)
        for index in range(START_BOXES):
            low, high = index * width, (index + 1) * width
            boxes.append((-_above(parts, low, high), low, high))
        heapify(boxes)
        for _ in range(MOST_EVALUATIONS // (3 * len(parts)) + START_BOXES):
            top, low, high = boxes[0]
            middle = (low + high) / 2
            value = _value(parts, arb(middle))
            value = arb(value.lower()) if value.is_finite() else best
            if value > best:
                best, place = value, middle
            if arb(-top) <= best * (1 + TOLERANCE):
                break
            heappop(boxes)
            for a, b in ((low, middle), (middle, high)):
                heappush(boxes, (-_above(parts, a, b), a, b))
        return arb(-boxes[0][0]) * (1 + TOLERANCE), place


class _Bump:
    """m/2·(P_r(ω − b) + P_r(ω + b)) and its derivative −2r·sin·P²/(1 − r²), in balls."""

    def __init__(self, c: Component) -> None:
        rate = c.rate.enclosure()
        shift = c.frequency.enclosure() if c.turns else arb(0)
        self.shifts = (shift, -shift) if c.turns else (shift,)
        r, less = rate.exp(), -rate.expm1()
        self.bottom, self.rise = less * less, 4 * r
        self.top = arb(c.mass) / len(self.shifts) * -(2 * rate).expm1()
        # P′ with the mass m in P: −2r·sin·P²/(m(1 − r²)) = −4r·sin(x/2)·cos(x/2)·P²/top
        self.slope = -4 * r / self.top

    def both(self, omega: arb) -> tuple[arb, arb]:
        """Value and derivative on a ball of frequencies."""
        value = derivative = arb(0)
        for shift in self.shifts:
            s, c = ((omega - shift) / 2).sin_cos()
            part = self.top / (self.bottom + self.rise * (s * s).nonnegative_part())
            value += part
            derivative += self.slope * s * c * part * part
        return value, derivative


def _value(parts: list[_Bump], omega: arb) -> arb:
    return sum((p.both(omega)[0] for p in parts), start=arb(0))


def _above(parts: list[_Bump], low: fmpq, high: fmpq) -> float:
    """The smaller of the natural bound on a box and that of the mean value theorem.

    Infinite where the box is too wide for a ball to stay clear of a pole beside it.
    """
    box = arb(low).union(arb(high))
    natural = slope = arb(0)
    for part in parts:
        value, derivative = part.both(box)
        natural += value
        slope += derivative
    half = arb((high - low) / 2)
    tilted = _value(parts, arb((low + high) / 2)) + slope.abs_upper() * half
    return min(_end(natural), _end(tilted))


def _end(x: arb) -> float:
    """The upper end, to nearest; `TOLERANCE` covers the rounding."""
    return float(x.upper()) if x.is_finite() else inf


def _integers(x: arb) -> tuple[int, int]:
    """A dyadic number as a fraction."""
    return float(x).as_integer_ratio()


def wave_quotient(kernel: PositionalKernel, omega: fmpq, n: int, bits: int = 32) -> arb:
    """v*Kv/v*v of the wave above, a lower bound of λ_max.

    Raises `Undecided` when an atom lies exactly beside ω.
    """

    def quotient() -> arb:
        phi, wave = arb.pi() / (n + 1), arb(omega)
        cotangent = phi.cos() / phi.sin() if n > 1 else arb(0)
        turn, beat = acb(0, wave).exp(), acb(0, phi).exp()
        turn_n, beat_n = acb(0, n * wave).exp(), acb(0, n * phi).exp()
        total = arb(0)
        for c in kernel.components:
            base, power = c.exponent.exp(), (n * c.exponent).exp()
            part = arb(0)
            for u, u_n in ((turn, turn_n), (1 / turn, 1 / turn_n)):
                for sign, v, v_n in ((1, beat, beat_n), (-1, 1 / beat, 1 / beat_n)):
                    z, z_n = base * u * v, power * u_n * v_n
                    half = (1 - z_n) / (1 - z)
                    # Σ(n − |t|)cos + Σcos, and cot φ·Σ sin φ|t|·cos(…) with the sign of φ
                    part += triangular(n, z, z_n, is_one=False) + 2 * half.real - 1
                    part += 2 * sign * cotangent * half.imag
            total += c.mass / 4 * part
        return total / (n + 1)

    return accurate(quotient, bits=bits)
