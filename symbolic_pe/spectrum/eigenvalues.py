"""Every eigenvalue of a symmetric ball matrix in an interval, from any approximate eigenbasis.

For an invertible Q the congruent M = QᵀGQ has λ_k(M) = t_k·λ_k(G) with
λ_min(QᵀQ) ≤ t_k ≤ λ_max(QᵀQ) (Ostrowski), and λ_k(M) lies within ‖M − diag M‖_F of the k-th
largest diagonal entry (Weyl). When Q is nearly orthogonal and diagonalises G nearly, both are
small. How Q was found does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, arb_mat

from symbolic_pe.errors import Undecided


def eigenvalue_enclosures(matrix: arb_mat, basis: Sequence[Sequence[float]]) -> list[arb]:
    """The eigenvalues from the largest down, each in its ball; columns of `basis` are vectors.

    Raises `Undecided` when the basis is too far from orthogonal to say anything.
    """
    q = arb_mat([[arb(float(x)) for x in row] for row in basis])
    transposed = q.transpose()
    return _by_weyl(transposed * matrix * q, transposed * q)


def product_enclosures(
    left: arb_mat, right: arb_mat, basis: Sequence[Sequence[float]]
) -> list[arb]:
    """Eigenvalues of A·B for positive semidefinite A and B, from the largest down.

    basis  columns L of an approximate factor, A ≈ LLᵀ, with LᵀBL nearly diagonal. The non-zero
           eigenvalues of LLᵀB are those of LᵀBL, and ‖A − LLᵀ‖·‖B‖ bounds what is left.
    """
    factor = arb_mat([[arb(float(x)) for x in row] for row in basis])
    rest = frobenius(left - factor * factor.transpose()) * frobenius(right)
    size = left.nrows()
    inner = factor.transpose() * right * factor
    identity = arb_mat([[arb(int(i == j)) for j in range(size)] for i in range(size)])
    from_basis = _by_weyl(inner, identity)
    return [_widened(value, rest) for value in from_basis]


def frobenius(matrix: arb_mat) -> arb:
    """An upper bound of ‖M‖_F over the balls, as an exact number."""
    return sum((x.abs_upper() ** 2 for x in matrix.entries()), start=arb(0)).upper().sqrt().upper()


def square_root(x: arb) -> arb:
    """√max(x, 0) of every number of a ball."""
    low, high = arb(x.lower()), arb(x.upper())
    bottom = low.sqrt() if low > 0 else arb(0)
    return bottom.union(high.sqrt() if high > 0 else arb(0))


def _by_weyl(matrix: arb_mat, gram: arb_mat) -> list[arb]:
    size = matrix.nrows()
    defect = frobenius(
        gram - arb_mat([[arb(int(i == j)) for j in range(size)] for i in range(size)])
    )
    if not defect < 1:
        raise Undecided("the approximate eigenvectors are too far from orthogonal")
    rest = arb_mat([[matrix[i, j] * int(i != j) for j in range(size)] for i in range(size)])
    radius = frobenius(rest)
    diagonal = sorted((matrix[i, i] for i in range(size)), key=lambda x: -float(x.mid()))
    spread = max((float(x.rad()) for x in diagonal), default=0.0)
    # sorting by midpoints moves no order statistic by more than the largest radius
    return [_widened(arb(x.mid()), radius + spread) / _widened(arb(1), defect) for x in diagonal]


def _widened(x: arb, radius: arb) -> arb:
    """The ball x ± radius."""
    return x + arb(0, abs(radius).upper())
