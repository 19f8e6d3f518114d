"""Decay: the symbol is the Poisson kernel, and the inverse is tridiagonal."""

from __future__ import annotations

from flint import arb, arb_mat, fmpq

from derivations.spectral.tools import (
    BITS,
    at_quarter_turns,
    constant,
    cosine,
    eigenvalues,
    equalities,
    identities,
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.decisions import all_of, cited
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
    return cited("Spectra.decay_determinant", "determinant (S n) (decay r) = (1 - r * r) ^ n")


def _waves() -> Decision:
    """Mv = μv inside, and at the first row up to r(v_{−1} − r·v_0); a = θx, t = θ."""
    before, here, after = (Scalar.symbol(x) for x in ("v_before", "v0", "v1"))
    inside = here * (ONE + R * R) - R * before - R * after
    return all_of(
        {
            "(1 + r^2) v - r(v_before + v_after) = mu v": identities(
                {
                    name: (
                        wave(a=1).scale(ONE + R * R) - (wave(a=1, t=1) + wave(a=1, t=-1)).scale(R),
                        wave(a=1) * (constant(1).scale(ONE + R * R) - cosine(t=1).scale(R + R)),
                    )
                    for name, wave in (("even", cosine), ("odd", sine))
                }
            ),
            "first row": equalities(
                {"less the row inside": (here - R * after - inside, R * (before - R * here))}
            ),
        }
    )


def _ends() -> dict[str, ExponentialPolynomial]:
    """v_{−1} − r·v_0 of even and odd waves, up to sign: e = (n + 1)θ/2, e − θ = (n − 1)θ/2."""
    return {
        "even": cosine(e=1) - cosine(e=1, t=-1).scale(R),
        "odd": sine(e=1) - sine(e=1, t=-1).scale(R),
    }


def _count() -> Decision:
    """At θ = kπ/(n + 1), e = kπ/2. Each value is ±(1 − r·cos θ) or ±r·sin θ."""
    one = constant(1) - cosine(t=1).scale(R)
    other = sine(t=1).scale(R)
    signs = {"even": (one, -other, -one, other), "odd": (other, one, -other, -one)}
    return identities(
        {
            f"{name}, k = {k} mod 4": (at_quarter_turns(f, "e", k), signs[name][k])
            for name, f in _ends().items()
            for k in range(4)
        }
    )


def _bounds() -> Decision:
    """f(θ) = (1 − r²)/(1 − 2r·cos θ + r²) at cos θ = 1 and −1."""
    two = ONE + ONE

    def value(c: Scalar) -> Scalar:
        return (ONE - R * R) / (ONE - two * R * c + R * R)

    return equalities(
        {
            "theta = 0": (value(ONE), (ONE + R) / (ONE - R)),
            "theta = pi": (value(-ONE), (ONE - R) / (ONE + R)),
        }
    )


def _turned() -> Decision:
    """cos θ(t − s) = ½(e^{iθt}e^{−iθs} + e^{−iθt}e^{iθs}), entry by entry."""
    plus = cosine(t=1) * cosine(s=1) + sine(t=1) * sine(s=1)
    return identities(
        {
            "real parts": (cosine(t=1, s=-1), plus),
            "imaginary parts cancel": (sine(t=1, s=-1) + sine(s=1, t=-1), constant(0)),
        }
    )


def _instance(length: int) -> Decision:
    """Every eigenvalue for r = 1/2 against the dense matrix."""
    with precision(BITS):
        half = arb(1) / 2
        found = eigenvalues(toeplitz([half**t for t in range(length)]))
        samples = [
            fmpq(3, 4) / (fmpq(5, 4) - arb.cos_pi_fmpq(fmpq(k, length + 1)))
            for k in range(length + 1)
        ]
        return holds(
            all(samples[k + 1] < value < samples[k] for k, value in enumerate(found)),
            "an eigenvalue leaves its interval",
            largest=shown(found[0]),
            smallest=shown(found[-1]),
        )


def _on_the_grid() -> Decision:
    """n = 1: the eigenvalue is 1, and the symbol at π/2 is (1 − r²)/(1 + r²)."""
    with precision(BITS):
        return refuted(
            "n = 1, r = 1/2: the eigenvalue is 1 and the symbol at pi/2 is 3/5, which is less by",
            arb(1) - arb(3) / 5,
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
    title="Decay has the Poisson kernel as symbol, and its eigenvalues lie between samples of it",
    chapter="spectral",
    statement=r"""
For $0 < r < 1$ the $n \times n$ matrix $K = r^{|i-j|}$ (the exponential of ALiBi's bias, $r =
e^{-m}$) has the symbol

$$f(\omega) = \sum_t r^{|t|}e^{-i\omega t} = \frac{1-r^2}{1-2r\cos\omega+r^2},$$

a tridiagonal inverse and the determinant $(1-r^2)^{n-1}$. Its eigenvalues are $f(\theta_k)$, where
$\theta_k$ is the root of

$$\begin{aligned}
\cos\tfrac{(n+1)\theta}2 &= r\cos\tfrac{(n-1)\theta}2 && (k \text{ odd}) \\
\sin\tfrac{(n+1)\theta}2 &= r\sin\tfrac{(n-1)\theta}2 && (k \text{ even})
\end{aligned}$$

in $\left(\frac{(k-1)\pi}{n+1}, \frac{k\pi}{n+1}\right)$, $k = 1 \dots n$. So for every $n$

$$\begin{aligned}
f\left(\tfrac{k\pi}{n+1}\right) &< \lambda_k < f\left(\tfrac{(k-1)\pi}{n+1}\right), \\
\frac{1-r}{1+r} &< \lambda_k < \frac{1+r}{1-r},
\end{aligned}$$

and these ends are limits. Decay times rotation is $r^{|t|}\cos\theta t$, half of the kernel moved
to each of $\pm\theta$, with the same bounds.
""".strip(),
    hypotheses=("$0 < r < 1$", "the lag enters as $|i-j|$"),
    prose=r"""
Szegő's theorem says how many eigenvalues lie below a level in the limit. For this kernel the
intervals say it for every $n$, up to one eigenvalue, and no limit theorem is needed.
""".strip(),
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
            r"$\det K_n = (1-r^2)^{n-1}$ for every $n$.",
            Rule.ROCQ,
            _determinant,
            "Rows less $r$ times the rows before are upper triangular.",
        ),
        Step(
            "waves",
            r"$\cos\theta x$ and $\sin\theta x$ in $x = i - (n-1)/2$ have $Mv = \mu v$ with $\mu = "
            r"1 - 2r\cos\theta + r^2$ inside, and at the ends exactly when $v_{-1} = r v_0$.",
            Rule.NORMAL_FORM,
            _waves,
            "Both ends are one condition, as the waves are even or odd.",
        ),
        Step(
            "one-root-each",
            r"At $\theta = k\pi/(n+1)$ the differences of the two sides are $\pm(1-r\cos\theta)$ "
            r"or $\pm r\sin\theta$ by $k$ modulo 4, for every $n$ and $k$; one of them changes its "
            "sign in each interval.",
            Rule.NORMAL_FORM,
            _count,
            "Between $k - 1$ and $k$: even waves for odd $k$, odd waves for even $k$. These are "
            r"$n$ angles in $(0, \pi)$ with distinct $\mu$, so they give all eigenvalues.",
        ),
        Step(
            "bounds",
            r"$f$ falls on $(0, \pi)$ from $\frac{1+r}{1-r}$ to $\frac{1-r}{1+r}$; $\theta_1 < "
            r"\pi/(n+1)$ and $\theta_n > (n-1)\pi/(n+1)$ make them limits.",
            Rule.NORMAL_FORM,
            _bounds,
        ),
        Step(
            "turned",
            r"$r^{|t-s|}\cos\theta(t-s)$ is the mean of two unitary conjugates of $K$.",
            Rule.NORMAL_FORM,
            _turned,
        ),
        Step(
            "instance",
            "$r = 1/2$, 24 positions: every eigenvalue in its interval.",
            Rule.BALLS,
            lambda: _instance(24),
        ),
    ),
    twins=(
        Twin(
            "signed-lag",
            "the absolute value of the lag.",
            "The bounds hold for $r^{i-j}$ on lags of both signs.",
            _full_symmetric,
        ),
        Twin("growth", "$r < 1$.", "The kernel is positive definite for every $r > 0$.", _growth),
        Twin(
            "samples-are-eigenvalues",
            "intervals: samples of the symbol bound eigenvalues.",
            r"The eigenvalues are the samples $f(k\pi/(n+1))$.",
            _on_the_grid,
        ),
    ),
    answers=(
        Answer("V6", Outcome.PROVED, "one-root-each", "quantiles for every $n$, without Szegő"),
    ),
    rocq=("Spectra.decay_determinant",),
    justifies=("symbolic_pe.spectrum.symbol",),
    sources=("Kac, Murdock and Szegő (1953)",),
)
