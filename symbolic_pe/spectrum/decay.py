"""One rate of decay, r^{|i−j|} with r = e^a: every eigenvalue from one root, for any n.

The eigenvalues are f(θ_k), k = 1 … n, with the Poisson kernel f(θ) = (1 − r²)/(1 − 2r·cos θ + r²)
and one root in each ((k − 1)π/(n + 1), kπ/(n + 1)) of

    cos((n + 1)θ/2) = r·cos((n − 1)θ/2)   for odd k
    sin((n + 1)θ/2) = r·sin((n − 1)θ/2)   for even k

(derivation `poisson-kernels`). Bisection keeps a sign change between exact fractions x of
θ = xπ/(n + 1).
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import Undecided

MAX_BITS = 4096
ACCURATE = 60
"""Bits of an eigenvalue."""


def decay_eigenvalue(rate: Callable[[], arb], n: int, k: int) -> arb:
    """λ_k of e^{a|i−j|}, 0 ≤ i, j < n, for a rate a < 0 at the current precision; 1 ≤ k ≤ n.

    >>> decay_eigenvalue(lambda: -arb(2).log(), 2, 1).str(8, radius=False)
    '1.5000000'

    Raises `Undecided` when 4096 bits do not give 60 bits of it.
    """
    if not 1 <= k <= n:
        raise ValueError(f"expected an index from 1 to {n}, got {k}")
    bits = 128 + n.bit_length()
    while bits <= MAX_BITS:
        with precision(bits):
            found = poisson(rate(), _root(rate(), n, k, bits) * arb.pi() / (n + 1))
            if found.is_finite() and found.rel_accuracy_bits() >= ACCURATE:
                return found
        bits *= 2
    raise Undecided(f"an eigenvalue of decay to {ACCURATE} bits: not reached with {MAX_BITS}")


def poisson(rate: arb, angle: arb) -> arb:
    """(1 − r²)/((1 − r)² + 4r·sin²(θ/2)) with 1 − r and 1 − r² free of cancellation."""
    r, less, square_less = rate.exp(), -rate.expm1(), -(2 * rate).expm1()
    return square_less / (less * less + 4 * r * ((angle / 2).sin() ** 2).nonnegative_part())


def _root(rate: arb, n: int, k: int, bits: int) -> arb:
    """x in (k − 1, k) with θ_k = xπ/(n + 1)."""
    r = rate.exp()

    def difference(x: fmpq) -> arb:
        """Positive before the root for k = 1, 2 modulo 4 and negative for k = 3, 4."""
        outer, inner = x / 2, x * (n - 1) / (2 * (n + 1))
        if k % 2:
            return arb.cos_pi_fmpq(outer) - r * arb.cos_pi_fmpq(inner)
        return arb.sin_pi_fmpq(outer) - r * arb.sin_pi_fmpq(inner)

    before = 1 if k % 4 in (1, 2) else -1
    low, high = fmpq(k - 1), fmpq(k)
    for _ in range(bits):
        middle = (low + high) / 2
        value = before * difference(middle)
        if value > 0:
            low = middle
        elif value < 0:
            high = middle
        else:
            break
    return arb(low).union(arb(high))
