"""Norms in which exp(τX) does not grow: P ≻ 0 with PX + XᵀP ⪯ 0, as sums of squares.

P = Σ wᵢuᵢuᵢᵀ and −(PX + XᵀP) = Σ lₖvₖvₖᵀ. For blocks and for components of two coordinates P is
diagonal, and the loss is one of squares of single coordinates and of pairs, where the rate
dominates the shear. For rational components P = P_s + P_c. With the projections Π_s and Π_c to the
stable subspace and to that of imaginary eigenvalues,

    P_s = ∫₀^∞ e^{Xᵀτ} Π_sᵀΠ_s e^{Xτ} dτ,   P_s X + XᵀP_s = −Π_sᵀΠ_s
    P_c = mean over τ of e^{Xᵀτ} Π_cᵀΠ_c e^{Xτ},   P_c X + XᵀP_c = 0

Both are rational: the operator L(P) = PX + XᵀP is, and they are polynomials in L of Π_sᵀΠ_s and of
Π_cᵀΠ_c. (Lyapunov 1892.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul

from flint import fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import ScalarMatrix, identity, is_rational, to_fmpq
from symbolic_pe.algebra.scalar import ONE, Scalar, precision
from symbolic_pe.errors import NotYetCovered, OutsideTheRing, Undecided
from symbolic_pe.generators.block import Block
from symbolic_pe.jordan.components import connected_components

MAX_RATIO_BITS = 64
MAX_LYAPUNOV = 8
"""Dimension of a component whose norm is computed; the operator has that squared."""

Square = tuple[Scalar, dict[int, Scalar]]


@dataclass
class Norm:
    """The norm of one head, coordinate by coordinate.

    weights  wᵢ
    basis    uᵢ − eᵢ, where it is not 0
    loss     (lₖ, vₖ)
    """

    assumptions: Assumptions
    weights: dict[int, Scalar] = field(default_factory=dict)
    basis: dict[int, dict[int, Scalar]] = field(default_factory=dict)
    loss: list[Square] = field(default_factory=list)

    def add_block(self, block: Block, at: Sequence[int]) -> None:
        """Weights 1, ρ⁻², ρ⁻⁴, … along a chain with ρ <= |a/η|: the decay dominates the shear."""
        width = 2 if block.is_pair else 1
        ratio = ONE
        if block.chain_length > 1 and not block.rate.is_zero() and not block.shear.is_zero():
            ratio = _ratio(-block.rate / block.shear, self.assumptions)
        scales, scale = [], ONE
        for _ in range(block.chain_length):
            scales += [scale] * width
            scale = scale * ratio
        self._add_diagonal(block.generator, at, scales)

    def add(self, x: ScalarMatrix, at: Sequence[int]) -> None:
        """Any matrix, component by component."""
        for part in connected_components(x):
            small = tuple(tuple(x[i][j] for j in part) for i in part)
            self._add_component(small, [at[i] for i in part])

    def _add_component(self, x: ScalarMatrix, at: Sequence[int]) -> None:
        if 2 < len(x) <= MAX_LYAPUNOV and is_rational(x):
            found = lyapunov(to_fmpq(x))
            if found is not None:
                self._add_lyapunov(*found, at)
                return
        ratio = ONE
        if len(x) == 2:
            (_, q), (r, _) = x
            ratio = _balance(q, r, self.assumptions)
        self._add_diagonal(x, at, [ONE, *[ratio] * (len(x) - 1)])

    def _add_diagonal(self, x: ScalarMatrix, at: Sequence[int], scales: Sequence[Scalar]) -> None:
        """P = diag(s⁻²); |m| of a pair is (|m|/κ)·(xᵢ ± κxⱼ)² less squares of xᵢ and xⱼ."""
        weights = [ONE / (s * s) for s in scales]
        rest = [Scalar.rational(-2) * w * x[i][i] for i, w in enumerate(weights)]
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                m = -(weights[i] * x[i][j] + weights[j] * x[j][i])
                sign = None if m.is_zero() else self.assumptions.sign_of_scalar(m)
                if not sign:
                    continue
                kappa = scales[i] / scales[j]
                size = m * Scalar.rational(sign)
                row = {at[i]: ONE, at[j]: kappa * Scalar.rational(sign)}
                self.loss.append((size / kappa, row))
                rest[i] = rest[i] - size / kappa
                rest[j] = rest[j] - size * kappa
        self.weights |= dict(zip(at, weights, strict=True))
        self.loss += [(r, {at[i]: ONE}) for i, r in enumerate(rest) if not r.is_zero()]

    def _add_lyapunov(self, p: fmpq_mat, rows: fmpq_mat, at: Sequence[int]) -> None:
        """P by its triangular factors; the loss is a sum of squares already."""
        n = p.nrows()
        order = sorted(range(n), key=lambda i: at[i])
        left = [[fmpq(p[i, j]) for j in order] for i in order]
        for k in range(n):
            pivot, row = left[k][k], list(left[k])
            self.weights[at[order[k]]] = Scalar.rational(pivot)
            later = {
                at[order[j]]: Scalar.rational(row[j] / pivot)
                for j in range(k + 1, n)
                if row[j] != 0
            }
            if later:
                self.basis[at[order[k]]] = later
            for i in range(k + 1, n):
                for j in range(k + 1, n):
                    left[i][j] -= row[i] * row[j] / pivot
        for k in range(n):
            square = {at[j]: Scalar.rational(fmpq(rows[k, j])) for j in range(n) if rows[k, j] != 0}
            if square:
                self.loss.append((ONE, square))


def _ratio(quotient: Scalar, assumptions: Assumptions) -> Scalar:
    """A power of 2 below |quotient|; with parameters, the quotient itself if it is positive."""
    if quotient.parameters():
        return quotient if assumptions.sign_of_scalar(quotient) == 1 else ONE
    with precision(256):
        size = abs(quotient.ball({}))
    if quotient.is_rational():
        size = abs(quotient.rational_value())
    for exponent in range(MAX_RATIO_BITS, -MAX_RATIO_BITS, -1):
        ratio = fmpq(2) ** exponent
        if bool(size >= ratio):
            return Scalar.rational(ratio)
    return ONE


def _balance(q: Scalar, r: Scalar, assumptions: Assumptions) -> Scalar:
    """√(−r/q) for [[p, q], [r, s]], so that the entries off the diagonal cancel; else 1."""
    if q.is_zero() or r.is_zero():
        return ONE
    try:
        quotient = -r / q
        if assumptions.sign_of_scalar(quotient) == 1:
            ratio = square_root(quotient, assumptions)
            return ratio if len(ratio.terms) == 1 else ONE
    except (OutsideTheRing, Undecided, NotYetCovered):
        pass
    return ONE


# -- rational matrices ----------------------------------------------------------------------------


def lyapunov(x: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat] | None:
    """(P, Π_s) with P ≻ 0 and PX + XᵀP = −Π_sᵀΠ_s; None where exp(τX) is not bounded on τ >= 0.

    >>> p, loss = lyapunov(fmpq_mat([[-1, 0], [0, 0]]))
    >>> p.table(), loss.table()
    ([[1/2, 0], [0, 1]], [[1, 0], [0, 0]])
    """
    minimal = fmpq_poly(x.minpoly())
    mirrored = fmpq_poly([c * (-1) ** k for k, c in enumerate(minimal.coeffs())])
    central = minimal.gcd(mirrored)  # zeros on the axis, and pairs ±λ off it
    stable = minimal / central if central.degree() else minimal
    if stable.gcd(central).degree() > 0:
        return None
    _, u, v = stable.xgcd(central)
    to_stable, to_central = _at(v * central, x), _at(u * stable, x)
    squares = to_stable.transpose() * to_stable
    first = _krylov(x, squares, solve=True)
    second = _krylov(x, to_central.transpose() * to_central, solve=False)
    if first is None or second is None:
        return None
    p = first + second
    slope = p * x + x.transpose() * p
    if slope != squares * fmpq(-1) or not _is_positive(p):
        return None
    return p, to_stable


def _at(p: fmpq_poly, x: fmpq_mat) -> fmpq_mat:
    one = to_fmpq(identity(x.nrows()))
    result = one * fmpq(0)
    for c in reversed(p.coeffs()):
        result = result * x + one * c
    return result


def _krylov(x: fmpq_mat, start: fmpq_mat, *, solve: bool) -> fmpq_mat | None:
    """From the minimal polynomial μ of `start` under L: the P with L(P) = −start, or the mean.

    μ(L)S = 0 gives S = −L·r(L)S/μ(0) with r = (μ − μ(0))/x, so P = r(L)S/μ(0). For μ = x·h with
    h(0) ≠ 0 the part of S in the kernel of L is h(L)S/h(0); it is 0 where μ(0) ≠ 0.
    """
    n = x.nrows()
    vectors, current = [start], start
    zero = start * fmpq(0)
    if start == zero:
        return zero
    while True:
        current = current * x + x.transpose() * current
        table = fmpq_mat(
            n * n, len(vectors), [m.entries()[i] for i in range(n * n) for m in vectors]
        )
        extended = fmpq_mat(
            n * n,
            len(vectors) + 1,
            [m.entries()[i] for i in range(n * n) for m in (*vectors, current)],
        )
        if extended.rank() == table.rank():
            break
        vectors.append(current)
    square = table.transpose() * table
    right = table.transpose() * fmpq_mat(n * n, 1, current.entries())
    mu = [-c for c in square.solve(right).entries()] + [fmpq(1)]
    if solve:
        if mu[0] == 0:
            return None
        return _combined(mu[1:], vectors, mu[0], zero)
    if mu[0] != 0:
        return zero
    return None if mu[1] == 0 else _combined(mu[1:], vectors, mu[1], zero)


def _combined(
    coefficients: Sequence[fmpq], vectors: Sequence[fmpq_mat], divisor: fmpq, zero: fmpq_mat
) -> fmpq_mat:
    total = zero
    for c, vector in zip(coefficients, vectors, strict=True):
        total = total + vector * (c / divisor)
    return total


def _is_positive(p: fmpq_mat) -> bool:
    """Positive definite: every leading minor is positive."""
    n = p.nrows()
    return all(
        fmpq_mat(k, k, [p[i, j] for i in range(k) for j in range(k)]).det() > 0
        for k in range(1, n + 1)
    )


# -- forms that grow ------------------------------------------------------------------------------


@dataclass(frozen=True)
class GrowingForm:
    """PX + XᵀP = c·P + gain·I with vᵀPv > 0: V = zᵀPz grows at least like e^{cτ} (Chetaev)."""

    rate: fmpq
    form: fmpq_mat
    gain: int
    vector: tuple[int, ...]


def growing_form(x: fmpq_mat, *, causal: bool) -> GrowingForm | None:
    """For a rational X with an eigenvalue of positive real part; or, for all lags, of negative.

    With c/2 between 0 and that real part, YᵀP + PY = I for Y = X − c/2 has one solution P, whose
    positive directions are as many as eigenvalues of Y on the right (Ostrowski and Schneider 1962).
    """
    top = _abscissa(x)
    if top > 0:
        return _form_of(x, top, 1)
    if not causal and (low := _abscissa(x * fmpq(-1))) > 0:
        return _form_of(x * fmpq(-1), low, -1)
    return None


def _form_of(x: fmpq_mat, top: fmpq, sign: int) -> GrowingForm | None:
    one = to_fmpq(identity(x.nrows()))
    for share in (fmpq(1, 2), fmpq(1, 3), fmpq(3, 4)):
        half = top * share
        p = _lyapunov_solution(x - one * half, one)
        vector = None if p is None else _positive_direction(p)
        if p is not None and vector is not None:
            return GrowingForm(2 * half * sign, p, sign, vector)
    return None


def _abscissa(x: fmpq_mat) -> fmpq:
    """A rational below the largest real part and near it; 0 where that is not positive."""
    with precision(128):
        roots = fmpq_poly(x.minpoly()).numer().complex_roots()
        largest = max((root.real for root, _ in roots), key=lambda r: float(r.mid()))
        if not largest > 0:
            return fmpq(0)
        bits = 4
        while not (low := (largest.mid() * 2**bits).floor()) > 0:
            bits += 4
        return fmpq(int(low.unique_fmpz()), 2**bits)


def _lyapunov_solution(y: fmpq_mat, right: fmpq_mat) -> fmpq_mat | None:
    """P with YᵀP + PY = right, where two eigenvalues never add up to 0."""
    n = y.nrows()
    rows = fmpq_mat(n * n, n * n)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                rows[i * n + j, k * n + j] += y[k, i]
                rows[i * n + j, i * n + k] += y[k, j]
    if rows.rank() < n * n:
        return None
    solved = rows.solve(fmpq_mat(n * n, 1, right.entries())).entries()
    return fmpq_mat(n, n, solved)


def _positive_direction(p: fmpq_mat) -> tuple[int, ...] | None:
    """Small whole v with vᵀPv > 0, by power iteration of P + |P|·I in floating point."""
    n = p.nrows()
    rows = [[float(p[i, j].p) / float(p[i, j].q) for j in range(n)] for i in range(n)]
    shift = max(sum(map(abs, row)) for row in rows)
    v = [1.0 + i / 7 for i in range(n)]
    for _ in range(400):
        w = [sum(map(mul, row, v)) + shift * c for row, c in zip(rows, v, strict=True)]
        size = max(map(abs, w))
        v = [c / size for c in w]
    for scale in (1, 4, 16, 256, 65536):
        whole = [round(scale * c) for c in v]
        u = fmpq_mat(n, 1, whole)
        if (u.transpose() * p * u)[0, 0] > 0:
            return tuple(whole)
    return None
