"""The spectrum of the bias −m|i − j|, in closed form up to one root that is enclosed.

For B = |i − j| the second difference of Bv is 2v, so eigenvectors are waves in the centred position
x = i − (n − 1)/2, with eigenvalue −1/(2 sin²(ω/2)):

    odd   sin ωx              ω = π(2k + 1)/n,  k < ⌊n/2⌋
    even  cos ωx              cot(ω/2)·cot(nω/2) = −n
    even  cosh ηx (ω = iη)    coth(η/2)·coth(nη/2) = n

The last is the only positive eigenvalue of B, 1/(2 sinh²(η/2)); its equation has one root, as the
left side falls from ∞ to 1. Every even ω is above π/n: up to there both cotangents are ≥ 0. So for
−m|i − j| the largest eigenvalue is m/(2 sin²(π/2n)), the only negative one is −m/(2 sinh²(η/2)),
and the trace is 0.

Row sums are −m(x² + (n² − 1)/4), so that row-centring leaves ‖B‖² − ‖B1‖²/n of the squared norm.
Odd waves keep their eigenvalues; the largest of them is the largest singular value of the
row-centred matrix once its square is at least half of what is left.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import Scalar

ROUNDS = 200


@dataclass(frozen=True)
class BiasSpectrum:
    """Extreme eigenvalues and norms of −m|i − j|, as balls.

    largest        m/(2 sin²(π/2n)), an odd wave
    negative       the only negative eigenvalue
    nuclear        Σ|λ| = 2·|negative|, as the trace is 0
    squared_norm   m²·n²(n² − 1)/6
    centred_share  of it that row-centring leaves, a rational number
    """

    length: int
    largest: arb
    negative: arb
    squared_norm: arb
    centred_share: fmpq

    @property
    def nuclear(self) -> arb:
        """Σ|λ|."""
        return -2 * self.negative

    @property
    def largest_centred(self) -> arb | None:
        """The largest singular value of B(I − 11ᵀ/n), where the largest odd wave is it.

        Its square is that wave's or at most what the squared norm leaves beside it.
        """
        square = self.largest * self.largest
        rest = self.squared_norm * self.centred_share - square
        return self.largest if square >= rest else None


def bias_spectrum(slope: Scalar, length: int) -> BiasSpectrum:
    """The spectrum of −m|i − j| for a slope m > 0 and n ≥ 2, at the current precision."""
    m, n = slope.ball({}), length
    eta = hyperbolic_root(n)
    return BiasSpectrum(
        n,
        m / (2 * (arb.pi() / (2 * n)).sin() ** 2),
        -m / (2 * (eta / 2).sinh() ** 2),
        m * m * fmpq(n * n * (n * n - 1), 6),
        1 - squared_row_sums(n) / n / fmpq(n * n * (n * n - 1), 6),
    )


def squared_row_sums(n: int) -> fmpq:
    """Σ_i (Σ_j |i − j|)² = Σ_x (x² + (n² − 1)/4)² over centred positions x.

    >>> squared_row_sums(3), 3**2 + 2**2 + 3**2
    (22, 22)
    """
    quarter = fmpq(n * n - 1, 4)
    second = fmpq(n * (n * n - 1), 12)
    fourth = fmpq(n * (n * n - 1) * (3 * n * n - 7), 240)
    return fourth + 2 * quarter * second + n * quarter * quarter


def hyperbolic_root(n: int) -> arb:
    """The η > 0 with coth(η/2)·coth(nη/2) = n, for n ≥ 2.

    Bisection keeps a sign change between exact dyadic ends.
    """
    low, high = fmpq(1, n), fmpq(4, n)
    if not (_excess(n, low) > 0 and _excess(n, high) < 0):
        raise ArithmeticError("the root is not between 1/n and 4/n")
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        excess = _excess(n, middle)
        if excess > 0:
            low = middle
        elif excess < 0:
            high = middle
        else:
            break
    return arb(low).union(arb(high))


def _excess(n: int, eta: fmpq) -> arb:
    """coth(η/2)·coth(nη/2) − n."""
    half = arb(eta) / 2
    return half.coth() * (n * half).coth() - n
