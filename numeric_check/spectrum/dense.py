"""The largest eigenvalue of a Toeplitz kernel that does not factor through the head.

Lower bound: a Rayleigh quotient. Upper bound: when the floating-point Cholesky factorisation of
ΛI − K runs to its end, then ΛI − K ≥ −δI with δ = γ·tr(ΛI − K)/(1 − γ), γ = (n + 2)u (Demmel 1989;
Rump 2006), whatever the order of its operations. K of even size splits into a part on even and one
on odd vectors,

    E_ij = κ(i − j) + κ(i + j + 1),    O_ij = κ(i − j) − κ(i + j + 1),    0 ≤ i, j < n/2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import Undecided
from symbolic_pe.spectrum.kernel import PositionalKernel
from symbolic_pe.spectrum.sums import exponential_sums

Array = NDArray[Any]

UNIT = 2.0**-53
MAX_DENSE = 4096
"""Positions for which one factorisation takes about a second."""
KRYLOV = 96
TRIALS = 30
ENTRY_BITS = 80


def kernel_values(kernel: PositionalKernel, length: int) -> Array:
    """κ(0) … κ(n − 1), each within one unit roundoff of the exact value (as |κ| ≤ 1)."""
    with precision(ENTRY_BITS):
        parts = kernel.components
        sums = exponential_sums([c.mass for c in parts], [c.exponent for c in parts], length)
        return np.array([float(value.mid()) for value in sums])


def largest_eigenvalue(values: Array) -> tuple[float, float]:
    """Lower and upper bound of λ_max of the symmetric Toeplitz matrix of κ(0) … κ(n − 1).

    Raises `Undecided` when no factorisation succeeds.
    """
    n = len(values)
    low, gap = _from_below(values)
    trial = low + gap + 1e-12 * n
    for _ in range(TRIALS):
        if _is_definite(values, trial):
            gamma = (n + 2) * UNIT
            # tr(ΛI − K), and ‖rounding of the entries‖₂ ≤ 2n·u
            slack = gamma / (1 - gamma) * n * max(trial, 1.0) + 2 * n * UNIT
            return low, trial + slack
        trial += trial - low
    raise Undecided("an upper bound of the largest eigenvalue: no factorisation succeeded")


def lower_bound(values: Array) -> float:
    """A lower bound of λ_max, without the factorisation."""
    return _from_below(values)[0]


def _from_below(values: Array) -> tuple[float, float]:
    """A lower bound of λ_max, and about how far it is away."""
    vector, gap = _ritz_vector(values)
    return _rayleigh(values, vector), gap


def _rayleigh(values: Array, vector: Array) -> float:
    """vᵀKv/vᵀv = Σ_τ κ(τ)·r(τ)/r(0) from below, with r the autocorrelation of v."""
    n = len(values)
    correlation = np.correlate(vector, vector, "full")[n - 1 :]
    quotient = float(correlation[0] * values[0] + 2 * (correlation[1:] @ values[1:]))
    square = float(vector @ vector)
    # sums of at most 2n products of size at most |v|ᵀ11ᵀ|v| ≤ n·vᵀv, and entries off by u
    rounding = (6 * n + 16) * UNIT * n * square
    return (quotient - rounding) / (square * (1 + 2 * n * UNIT))


def _is_definite(values: Array, trial: float) -> bool:
    """Whether ΛI − K is factored to its end."""
    n = len(values)
    place = np.arange(n // 2 if n % 2 == 0 else n)
    near = values[np.abs(np.subtract.outer(place, place))]
    parts = [near]
    if n % 2 == 0:
        far = values[np.add.outer(place, place) + 1]
        parts = [near + far, near - far]
    for part in parts:
        shifted = -part
        shifted[place, place] += trial
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            return False
    return True


def _ritz_vector(values: Array) -> tuple[Array, float]:
    """The top Ritz vector of a Krylov space, and the norm of its residual."""
    n = len(values)
    circle = np.fft.rfft(np.concatenate([values, [0.0], values[:0:-1]]))

    def times(x: Array) -> Array:
        product: Array = np.fft.irfft(circle * np.fft.rfft(x, 2 * n), 2 * n)[:n]
        return product

    start = 1.0 + np.cos(np.arange(n))  # deterministic, and neither even nor odd
    basis = np.empty((min(KRYLOV, n), n))
    basis[0] = start / np.linalg.norm(start)
    size = 1
    while size < len(basis):
        new = times(basis[size - 1])
        for _ in range(2):
            new -= basis[:size].T @ (basis[:size] @ new)
        length = float(np.linalg.norm(new))
        if length < 1e-10:
            break
        basis[size] = new / length
        size += 1
    space = basis[:size]
    images = np.array([times(x) for x in space])
    eigenvalues, vectors = np.linalg.eigh(space @ images.T)
    top: Array = vectors[:, -1] @ space
    residual = float(np.linalg.norm(times(top) - eigenvalues[-1] * top))
    return top, residual
