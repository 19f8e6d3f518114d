"""Spectra of kernels with decay, which do not factor through the head.

one rate       every eigenvalue from one root (`symbolic_pe.spectrum.decay`), for any n
otherwise      the largest eigenvalue from both sides: sums over components, the symbol and waves
               for any n; a Krylov vector and a Cholesky factorisation where these leave a gap
norms          closed form
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf

from flint import acb, arb, fmpq

from numeric_check.spectrum.dense import (
    MAX_DENSE,
    kernel_values,
    largest_eigenvalue,
    lower_bound,
)
from numeric_check.spectrum.spectrum import Centred, Spectrum, largest_atom
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.errors import Undecided
from symbolic_pe.spectrum.decay import decay_eigenvalue
from symbolic_pe.spectrum.decay_bounds import (
    highest_peak,
    sum_of_components,
    supremum,
    wave_quotient,
)
from symbolic_pe.spectrum.kernel import NOUGHT, Component, PositionalKernel
from symbolic_pe.spectrum.row_sums import squared_row_sums
from symbolic_pe.spectrum.sums import accurate, exact_sum, triangular

BITS = 160
MOST_LISTED = 512
"""Positions up to which every eigenvalue of one rate is listed."""
CLOSE, CLOSE_TO_LONG = 1e-5, 1e-2
"""Relative gaps between both bounds that no factorisation is asked to close: of all positions, and
of a section, which says little about longer sequences."""
STILL = Component(fmpq(1), NOUGHT, 0, NOUGHT, turns=False)
MOST_WAVES = 8
"""Frequencies of components that are tried as waves, those of the largest masses."""


def decaying_spectrum(kernel: PositionalKernel, length: int, dense: int) -> Spectrum:
    """The spectrum of κ(i − j) where some component decays and none grows.

    dense  positions that may be factored

    Raises `Undecided` when an enclosure is not reached.
    """
    norm = accurate(lambda: squared_norm(kernel, length))
    with precision(BITS):
        base = Spectrum(
            length,
            arb(0),
            arb(length) ** 2 / norm,
            length,
            largest_atom(kernel),
            "",
            centred=_centred(kernel, length),
        )
    if len(kernel.components) == 1 and not kernel.components[0].turns:
        return _one_rate(base, kernel.components[0])
    return _between_bounds(base, kernel, dense)


def _centred(kernel: PositionalKernel, length: int) -> Centred | None:
    """K(I − 11ᵀ/n), from ‖K‖, ‖K1‖ and s = 1ᵀK1/n, for any n.

    Its squared norm is ‖K‖² − ‖K1‖²/n. With Π = I − 11ᵀ/n and e = 1/√n, KΠ is ΠKΠ, which is
    positive semidefinite and has the trace n − s, plus e·(ΠKe)ᵀ, whose only singular value is
    ‖ΠKe‖ = √(‖K1‖²/n − s²). So the sum of its singular values lies between n − s and
    n − s + ‖ΠKe‖. None where a sum is confluent in a way not seen.
    """

    def squared_rows() -> arb:
        return squared_row_sums(kernel, length) / length

    def share() -> arb:
        return 1 - squared_rows() / squared_norm(kernel, length)

    try:
        left = accurate(share, bits=32)
        norm = accurate(lambda: squared_norm(kernel, length) - squared_rows(), bits=32)
        rows = accurate(squared_rows, bits=BITS)
        mean = _plane_wave(kernel, STILL, length, bits=BITS)
    except Undecided:
        return None
    with precision(BITS):
        most = length - mean + (rows - mean * mean).nonnegative_part().sqrt()
        nuclear = (length - mean).union(most)
        return Centred(None, nuclear * nuclear / norm, left)


def _one_rate(base: Spectrum, only: Component) -> Spectrum:
    """λ_k = f(θ_k): `symbolic_pe.spectrum.decay`."""
    n = base.length
    eigenvalue = partial(decay_eigenvalue, only.rate.enclosure, n)
    largest, smallest = eigenvalue(1), eigenvalue(n)
    every = tuple(eigenvalue(k) for k in range(1, n + 1)) if n <= MOST_LISTED else ()
    centred = base.centred
    with precision(BITS):
        if centred is not None:
            # σ_i(KΠ) ≥ σ_{i+1}(K), as Π takes one dimension away
            centred = replace(centred, largest=eigenvalue(2).union(largest))
        return replace(
            base,
            largest=largest,
            condition=largest / smallest,
            centred=centred,
            eigenvalues=every,
            method="one rate of decay: every eigenvalue is the symbol at a root that is enclosed",
        )


def _between_bounds(base: Spectrum, kernel: PositionalKernel, dense: int) -> Spectrum:
    n = base.length
    with precision(BITS):
        upper = min(arb(n), sum_of_components(kernel, n), key=_upper)
        place = fmpq(0)
        if all(c.rate_sign < 0 for c in kernel.components) and highest_peak(kernel) < n:
            top, place = supremum(kernel)
            upper = min(upper, top, key=_upper)
        lower = max((arb(x.lower()) for x in _waves(kernel, place, n)), key=float)
    method = "the largest eigenvalue between waves and the symbol or the sum over components"
    part = min(n, dense)
    gap = CLOSE if part == n else CLOSE_TO_LONG
    if float(upper.upper()) > float(lower) * (1 + gap):
        low, high = largest_eigenvalue(kernel_values(kernel, part))
        if part < n <= MAX_DENSE:
            low = max(low, lower_bound(kernel_values(kernel, n)))
        with precision(BITS):
            # λ_max(K_{a+b}) ≤ λ_max(K_a) + λ_max(K_b), and sections have smaller ones
            section = arb(high) * (-(-n // part))
            upper = min(upper, section, key=_upper)
            lower = max(lower, arb(low), key=float)
        if part == n:
            method = "the largest eigenvalue from a Rayleigh quotient and a Cholesky factorisation"
    with precision(BITS):
        largest = arb(lower.lower()).union(arb(upper.upper()))
        smallest = sum(
            (c.mass * (-c.rate.enclosure() / 2).tanh() for c in kernel.components if c.rate_sign),
            start=arb(0),
        )
        condition = (largest / smallest).upper()
    return replace(
        base,
        largest=largest,
        method=method,
        no_condition="not computed; the symbol shows that it is at most "
        + condition.str(3, radius=False),
    )


def _upper(x: arb) -> float:
    return float(x.upper()) if x.is_finite() else inf


def _waves(kernel: PositionalKernel, place: fmpq, n: int) -> list[arb]:
    """Lower bounds: waves under half a sine, and plane waves at components."""
    found = [arb(1)]
    main = sorted(kernel.components, key=lambda c: -(c.mass / 2 if c.turns else c.mass))
    for omega in (place, fmpq(0)):
        try:
            found.append(wave_quotient(kernel, omega, n))
        except Undecided:
            continue
    for c in main[:MOST_WAVES]:
        try:
            found.append(_plane_wave(kernel, c, n))
        except Undecided:
            continue
    return found


def squared_norm(kernel: PositionalKernel, length: int) -> arb:
    """‖K‖²_F = Σ_{|τ|<n} (n − |τ|)·κ(τ)², by geometric sums."""
    total = arb(0)
    parts = kernel.components
    bases = [c.exponent.exp() for c in parts]
    powers = [(length * c.exponent).exp() for c in parts]
    for i, first in enumerate(parts):
        for j, second in enumerate(parts[: i + 1]):
            weight = first.mass * second.mass * (1 if i == j else 2) / 2
            for sign, z, power in (
                (1, bases[i] * bases[j], powers[i] * powers[j]),
                (-1, bases[i] * bases[j].conjugate(), powers[i] * powers[j].conjugate()),
            ):
                one = _is_zero(first, second, sign)
                total += weight * triangular(length, z, power, is_one=one)
    return total


def _is_zero(first: Component, second: Component, sign: int) -> bool:
    """Whether a + a′ + i(b ± b′) is 0 modulo 2πi."""
    if first.rate_sign or second.rate_sign:
        return False
    total = exact_sum(first.frequency, second.frequency, sign)
    if total is None:
        return False
    turns = total / (Scalar.rational(2) * Scalar.symbol("pi"))
    return turns.is_rational() and turns.rational_value().q == 1


def _plane_wave(kernel: PositionalKernel, at: Component, length: int, *, bits: int = 32) -> arb:
    """The Rayleigh quotient of e^{ibx}: (1/n)·Σ_{|τ|<n} (n − |τ|)·κ(τ)·cos(bτ)."""

    still = replace(at, rate_sign=0)

    def quotient() -> arb:
        total = arb(0)
        for c in kernel.components:
            for sign in (1, -1):
                w = c.exponent + sign * at.exponent.imag * acb(0, 1)
                one = c.rate_sign == 0 and _is_zero(c, still, sign)
                total += c.mass / 2 * triangular(length, w.exp(), (length * w).exp(), is_one=one)
        return total / length

    return accurate(quotient, bits=bits)
