"""Decay: the symbol is the Poisson kernel, and the inverse is tridiagonal."""

from __future__ import annotations

from flint import arb, arb_mat

from derivations.spectral.tools import (
    BITS,
    eigenvalues,
    equalities,
    precision,
    refuted,
    shown,
    toeplitz,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

R, Z, W = Scalar.symbol("r"), Scalar.symbol("z"), Scalar.symbol("w")


def _symbol() -> Decision:
    """Σ r^{|t|}z^t = 1/(1 − rz) + (r/z)/(1 − r/z), with z = e^{−iω}, z + 1/z = 2cos ω."""
    series = ONE / (ONE - R * Z) + (R / Z) / (ONE - R / Z)
    return equalities(
        {
            "series": (series, (ONE - R * R) / (ONE - R * (Z + ONE / Z) + R * R)),
        }
    )


def _inverse() -> Decision:
    """Rows of K times the tridiagonal M, with w = r^{|i−j|}."""
    square = R * R
    return equalities(
        {
            "inside, i > j": (-R * (W / R) + (ONE + square) * W - R * (W * R), ZERO),
            "inside, i = j": (-R * R + (ONE + square) - R * R, ONE - square),
            "first row, j = 0": (ONE - R * R, ONE - square),
            "first row, j > 0": (W - R * (W / R), ZERO),
        }
    )


def _determinant() -> Decision:
    """The last row less r times the one before is (0, …, 0, 1 − r²)."""
    return equalities(
        {
            "entries before the last": (W * R - R * W, ZERO),
            "last entry": (ONE - R * R, ONE - R * R),
        }
    )


def _gershgorin() -> Decision:
    """Rows of M: the centre 1 + r² and the radius 2r, over 1 − r²; the ends have less."""
    return equalities(
        {
            "upper end": (
                (ONE + R * R + R + R) / (ONE - R * R),
                (ONE + R) / (ONE - R),
            ),
            "lower end": (
                (ONE + R * R - R - R) / (ONE - R * R),
                (ONE - R) / (ONE + R),
            ),
        }
    )


def _bounds(length: int) -> Decision:
    with precision(BITS):
        half = arb(1) / 2
        matrix = toeplitz([half**t for t in range(length)])
        found = eigenvalues(matrix)
        low, high = arb(1) / 3, arb(3)
        return holds(
            bool(found[0] < high and found[-1] > low),
            "an eigenvalue leaves its bounds",
            largest=shown(found[0]),
            smallest=shown(found[-1]),
            bounds=[low.str(6, radius=False), high.str(6, radius=False)],
        )


def _attained() -> Decision:
    """The Rayleigh quotient of the constant vector is S_n(r)/n, with

        S_n = n(1 + r)/(1 − r) − 2r(1 − rⁿ)/(1 − r)².

    Induction over n, with w = rⁿ: S_{n+1} − S_n = 1 + 2r(1 − rⁿ)/(1 − r).
    """
    n = Scalar.symbol("n")
    two = ONE + ONE

    def closed(count: Scalar, power: Scalar) -> Scalar:
        return count * (ONE + R) / (ONE - R) - two * R * (ONE - power) / (ONE - R) ** 2

    return equalities(
        {
            "one position more": (
                closed(n + ONE, W * R) - closed(n, W),
                ONE + two * R * (ONE - W) / (ONE - R),
            ),
            "no position": (closed(ZERO, ONE), ZERO),
        }
    )


def _full_symmetric() -> Decision:
    """Without |·|: r^{t−s} for both signs is rank one and its norm grows without bound."""
    with precision(BITS):
        matrix = arb_mat([[arb(2) ** (j - i) for j in range(3)] for i in range(3)])
        return refuted(
            "r = 1/2, 3 positions, entries r^(t - s) for lags of both signs: an entry is 4, which "
            "exceeds the bound 3 of every eigenvalue and entry by",
            matrix[0, 2] - 3,
        )


def _growth() -> Decision:
    with precision(BITS):
        return refuted(
            "r = 2: the 2 x 2 kernel [[1, 2], [2, 1]] is not positive; its determinant is",
            arb(1) - 4,
        )


DERIVATION = Derivation(
    name="poisson-kernels",
    title="Decay has the Poisson kernel as symbol, with bounds for every length",
    chapter="spectral",
    statement=r"""
For $0 < r < 1$ the $n \times n$ matrix $K = r^{|i-j|}$ (the exponential of ALiBi's bias, $r =
e^{-m}$) has the symbol

$$\sum_t r^{|t|}e^{-i\omega t} = \frac{1-r^2}{1-2r\cos\omega+r^2},$$

a tridiagonal inverse, the determinant $(1-r^2)^{n-1}$, and all eigenvalues in

$$\left[\frac{1-r}{1+r}, \frac{1+r}{1-r}\right],$$

whose ends are limits. Decay times rotation is $r^{|t|}\cos\theta t$, half of the kernel moved to
each of
$\pm\theta$, with the same bounds.
""".strip(),
    hypotheses=("$0 < r < 1$", "the lag enters as $|i-j|$"),
    steps=(
        Step("symbol", "Two geometric series in $z = e^{-i\\omega}$.", Rule.NORMAL_FORM, _symbol),
        Step(
            "inverse",
            r"$K M = (1-r^2) I$ for $M$ with $1 + r^2$ on the diagonal (1 at both ends) and $-r$ "
            r"beside it.",
            Rule.NORMAL_FORM,
            _inverse,
            "The rows $i < j$ and the last row are those of $i > j$ and the first, mirrored.",
        ),
        Step(
            "determinant",
            r"$\det K_n = (1-r^2)\det K_{n-1}$: subtract $r$ times the row before from the last "
            r"row.",
            Rule.NORMAL_FORM,
            _determinant,
        ),
        Step(
            "bounds",
            "Gershgorin's discs of $K^{-1} = M/(1-r^2)$.",
            Rule.NORMAL_FORM,
            _gershgorin,
        ),
        Step(
            "attained",
            r"$\frac1n 1^\top K 1 = \frac{1+r}{1-r} - \frac{2r(1-r^n)}{n(1-r)^2}$, which tends "
            r"to the upper "
            "end (signs $(-1)^t$ for the lower).",
            Rule.NORMAL_FORM,
            _attained,
        ),
        Step("instance", "$r = 1/2$, 24 positions.", Rule.BALLS, lambda: _bounds(24)),
    ),
    twins=(
        Twin(
            "signed-lag",
            "the absolute value of the lag.",
            "The bounds hold for $r^{i-j}$ on lags of both signs.",
            _full_symmetric,
        ),
        Twin("growth", "$r < 1$.", "The kernel is positive definite for every $r > 0$.", _growth),
    ),
    answers=(
        Answer("V6", Outcome.PROVED, "bounds", "bounds closed; quantiles by Szegő are cited"),
    ),
    assumes=("Gershgorin's theorem",),
    justifies=("symbolic_pe.spectrum.symbol",),
    sources=("Kac, Murdock and Szegő (1953)",),
)
