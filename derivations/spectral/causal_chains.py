"""Causal kernels: chains, their singular values, and eigenvalues that say nothing."""

from __future__ import annotations

from math import comb

from flint import arb, fmpq, fmpq_mat

from derivations.spectral.tools import (
    BITS,
    at_quarter_turns,
    constant,
    cosine,
    equalities,
    identities,
    number,
    precision,
    refuted,
    sine,
)
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.decisions import all_of, cited
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.hypergeometric import HypergeometricTerm
from symbolic_pe.proof.rewriting import IDENTITY
from symbolic_pe.proof.rewriting import constant as letter

N = Scalar.symbol("n")


def _chain() -> Decision:
    """(I − λS)·kernel_m = kernel_{m−1} for every order m and lag t.

    F(t, m) = C(t + m − 1, m − 1) by its ratios; F(t, m) − F(t − 1, m) = F(t, m − 1), divided by F.
    """
    t, m = Scalar.symbol("t"), Scalar.symbol("m")
    term = HypergeometricTerm({"t": (t + m) / (t + ONE), "m": (t + m) / m})
    return all_of(
        {
            "F exists": holds(term.is_consistent(), "the ratios do not commute"),
            "Pascal's rule, over F(t, m)": equalities(
                {"F(t) - F(t - 1)": (ONE - term.shifted(t=-1), term.shifted(m=-1))}
            ),
        }
    )


def _inverse_power() -> Decision:
    """(I − λS)^{−m} for λ = 1/3, m = 3, n = 6, against the binomials."""
    n, m, rate = 6, 3, fmpq(1, 3)
    base = fmpq_mat([[fmpq(i == j) - rate * fmpq(i == j + 1) for j in range(n)] for i in range(n)])
    power = base.inv()
    found = power
    for _ in range(m - 1):
        found = found * power
    expected = fmpq_mat(
        [
            [comb(i - j + m - 1, m - 1) * rate ** (i - j) if i >= j else 0 for j in range(n)]
            for i in range(n)
        ]
    )
    return holds(found == expected, "the matrices differ", order=m, positions=n)


def _diagonal() -> Decision:
    return cited(
        "Spectra.masked_characteristic_polynomial",
        "product_below n (fun i : nat => z - L i i)",
    )


def _commutator() -> Decision:
    """A = I − λS: AᵀA − AAᵀ = λ²(SᵀS − SSᵀ), and SᵀS, SSᵀ are I but for one end each."""
    s, rate = letter("S"), Scalar.symbol("lambda")
    a = IDENTITY - s.scale(rate)
    return holds(
        a.T * a - a * a.T == (s.T * s - s * s.T).scale(rate * rate),
        "the products differ otherwise",
    )


def _symbol() -> Decision:
    """|1 − λe^{iω}|² = 1 − 2λ·cos ω + λ², with its ends (1 ∓ λ)²."""
    rate = Scalar.symbol("lambda")
    real, imaginary = constant(1) - cosine(w=1).scale(rate), sine(w=1).scale(rate)
    square = constant(1).scale(ONE + rate * rate) - cosine(w=1).scale(rate + rate)
    return identities(
        {
            "squared modulus": (real * real + imaginary * imaginary, square),
            "at 0": (
                at_quarter_turns(square, "w", 0),
                constant(1).scale((ONE - rate) * (ONE - rate)),
            ),
            "at pi": (
                at_quarter_turns(square, "w", 2),
                constant(1).scale((ONE + rate) * (ONE + rate)),
            ),
        }
    )


def _between_samples() -> Decision:
    """AAᵀ: 1 first and 1 + λ² then on the diagonal, −λ beside it. Waves v_j = sin (n − j)θ.

    v_n = 0, and the first row asks for v_{−1} = λv_0: F = sin (n + 1)θ − λ·sin nθ. With
    e = (n + 1)θ, F(kπ/(n + 1)) = (−1)^k·λ·sin θ, and F′(0) = n + 1 − λn > 0.
    """
    rate, n = Scalar.symbol("lambda"), Scalar.symbol("n")
    before, here, after = (Scalar.symbol(x) for x in ("v_before", "v0", "v1"))
    inside = here * (ONE + rate * rate) - rate * before - rate * after
    slope = sine(t=1).derivative("t").at_zero().re
    return all_of(
        {
            "waves": identities(
                {
                    "row inside": (
                        sine(a=1).scale(ONE + rate * rate)
                        - (sine(a=1, t=1) + sine(a=1, t=-1)).scale(rate),
                        sine(a=1)
                        * (constant(1).scale(ONE + rate * rate) - cosine(t=1).scale(rate + rate)),
                    )
                }
            ),
            "first row": equalities(
                {
                    "less the row inside": (
                        here - rate * after - inside,
                        rate * (before - rate * here),
                    ),
                    "F'(0)": ((n + ONE) * slope - rate * n * slope, n * (ONE - rate) + ONE),
                }
            ),
            "signs alternate": identities(
                {
                    f"k = {k} modulo 2": (
                        at_quarter_turns(sine(e=1) - sine(e=1, t=-1).scale(rate), "e", 2 * k),
                        sine(t=1).scale(rate if k == 0 else -rate),
                    )
                    for k in (0, 1)
                }
            ),
        }
    )


def _on_the_grid() -> Decision:
    """n = 1: the singular value is 1, and the symbol at π/2 is 1/√(1 + λ²)."""
    with precision(BITS):
        return refuted(
            "n = 1, m = 1, rate 1/2: the singular value is 1, and the modulus of the symbol at "
            "pi/2 is less by",
            1 - 1 / (arb(5) / 4).sqrt(),
        )


def _signed_linear() -> Decision:
    """i − j = x1ᵀ − 1xᵀ with centred x: Σx = 0, Σx² = n(n² − 1)/12 by induction over n."""

    def squares(n: Scalar) -> Scalar:
        """Σ_{i<n} i² = n(n − 1)(2n − 1)/6."""
        return n * (n - ONE) * (n + n - ONE) / number(6)

    mean = (N - ONE) / number(2)
    total = squares(N) - N * mean * mean
    return equalities(
        {
            "one more square": (squares(N + ONE) - squares(N), N * N),
            "centred squares": (total, N * (N * N - ONE) / number(12)),
            "squared singular value |x|^2 |1|^2": (total * N, N * N * (N * N - ONE) / number(12)),
        }
    )


def _eigenvalues_show_it() -> Decision:
    """The triangle of cos(i − j) and of 1: both have all eigenvalues 1."""
    same = _diagonal()
    if same.outcome is not Outcome.PROVED:
        return Decision(Outcome.UNDECIDED, same.evidence)
    return Decision(
        Outcome.REFUTED,
        {},
        "q = k = (1, 0): under the mask the eigenvalues are q_i.k_i = 1 at every position with and "
        "without rotation, and with decay and ALiBi as well",
    )


def _truncation() -> Decision:
    """[[1, 1], [−1, 1]] has norm √2, its lower triangle (1 + √5)/2."""
    with precision(BITS):
        golden = (1 + arb(5).sqrt()) / 2
        return refuted(
            "[[1, 1], [-1, 1]] has norm sqrt(2), its lower triangle [[1, 0], [-1, 1]] the golden "
            "ratio, which is more by",
            golden - arb(2).sqrt(),
        )


def _definite() -> Decision:
    """A chain of order 2 at λ = 1/2, symmetrised: [[1, 1], [1, 1]]… with (1 + t)·rᵗ, r = 0.9."""
    with precision(BITS):
        r = arb(9) / 10
        return refuted(
            "order 2, rate 9/10: the kernel (1 + |t|) r^|t| exceeds its diagonal at lag 1, so a "
            "2 x 2 "
            "section has the determinant",
            1 - (2 * r) ** 2,
        )


DERIVATION = Derivation(
    name="causal-chains",
    title="Causal kernels have the eigenvalues of their diagonal, and chains binomial kernels",
    chapter="spectral",
    statement=r"""
A Jordan chain of length $m$ at $\lambda$ gives causal kernels spanned by
$\binom{t+m-1}{m-1}\lambda^t$, $t \ge 0$, the matrices $(I-\lambda S)^{-m}$ with symbol
$(1-\lambda e^{i\omega})^{-m}$;
all eigenvalues are 1. For $|\lambda| < 1$ and every $n$ the singular values lie in
$[(1+|\lambda|)^{-m}, (1-|\lambda|)^{-m}]$, the range of the modulus of the symbol. With
$s_k = |1-\lambda e^{ik\pi/(n+1)}|^{-m}$ the $k$-th of them satisfies

$$\begin{aligned}
s_k &< \sigma_k < s_{k-1} && (m = 1,\ 0 < \lambda < 1), \\
s_{k+m^2} &\le \sigma_k \le s_{k-m^2} && (\text{every } m),
\end{aligned}$$

where the samples exist. Under a causal mask the eigenvalues of logits are $q_i\cdot k_i$ for every
encoding with $A(0) = I$. The signed kernel $i-j$ has rank 2 and both singular values
$n\sqrt{(n^2-1)/12}$.
""".strip(),
    hypotheses=(
        "$A(0) = I$",
        "a causal mask, for eigenvalues",
        r"$0 < \lambda < 1$, for the order of singular values; $-\lambda$ has the same ones "
        "(conjugate with alternating signs)",
    ),
    prose=r"""
On $|\lambda| = 1$ the symbol is a distribution: an atom, and one derivative of it for each further
link of the chain. Such kernels take both signs, and no theorem on positive kernels applies.

Avram and Parter's theorem, that singular values follow the modulus of the symbol in the limit, is
not needed: the intervals above give it for every $n$, with a count of what is off. For $m > 1$,
$A^m(A^m)^\top$ becomes $(AA^\top)^m$ by $m(m-1)/2$ exchanges of $A^\top$ and $A$, each of which
changes the rank by at most 2, and $AA^\top$ is $T = 1 + \lambda^2 - \lambda(S+S^\top)$, whose
eigenvalues are the samples $|1-\lambda e^{ik\pi/(n+1)}|^2$, less $\lambda^2$ in one entry; so
$(AA^\top)^m$ and $T^m$ differ by rank at most $m$. Together that is $m^2$.
""".strip(),
    steps=(
        Step(
            "chain",
            r"$(1-\lambda S)$ takes the kernel of order $m$ to that of order $m-1$ (Pascal's rule, "
            "with symbolic $t$ and $m$); order 1 is $\\lambda^t$, the inverse of $1-\\lambda S$.",
            Rule.NORMAL_FORM,
            _chain,
        ),
        Step(
            "power", "$(I-\\lambda S)^{-3}$ for six positions.", Rule.LINEAR_ALGEBRA, _inverse_power
        ),
        Step(
            "range",
            r"$|Sx| \le |x|$, so $(1-|\lambda|)|x| \le |(I-\lambda S)x| \le (1+|\lambda|)|x|$: the "
            "ends of the symbol.",
            Rule.NORMAL_FORM,
            _symbol,
        ),
        Step(
            "between-samples",
            r"$AA^\top$ with $A = I - \lambda S$ has the eigenvalues "
            r"$1-2\lambda\cos\theta_k+\lambda^2$, one $\theta_k$ in "
            r"$\left(\frac{(k-1)\pi}{n+1},\frac{k\pi}{n+1}\right)$ for $k = 1 \dots n$, every $n$.",
            Rule.NORMAL_FORM,
            _between_samples,
            "F starts positive and has the sign $(-1)^k$ at $k\\pi/(n+1)$.",
        ),
        Step(
            "commutator",
            r"$A^\top A - AA^\top = \lambda^2(S^\top S - SS^\top)$, which has rank 2.",
            Rule.NORMAL_FORM,
            _commutator,
        ),
        Step(
            "diagonal",
            r"$\det(z - L) = \prod_i(z - L_{ii})$ for logits $L$ under a causal mask, for every "
            "number of positions.",
            Rule.ROCQ,
            _diagonal,
        ),
        Step(
            "signed-linear",
            r"$i-j = x1^\top - 1x^\top$ with $x \perp 1$, so both singular values are $|x||1|$.",
            Rule.NORMAL_FORM,
            _signed_linear,
        ),
    ),
    twins=(
        Twin(
            "spectrum-under-a-mask",
            "the hypothesis that nothing is masked.",
            "Eigenvalues of masked logits tell encodings apart.",
            _eigenvalues_show_it,
        ),
        Twin(
            "samples-are-singular-values",
            "intervals: samples of the symbol bound singular values.",
            r"The singular values of $(I-\lambda S)^{-1}$ are the samples $s_k$.",
            _on_the_grid,
        ),
        Twin(
            "mask-contracts",
            "a bound on triangular truncation.",
            "The causal mask does not raise the norm.",
            _truncation,
        ),
        Twin(
            "chains-are-positive",
            "chains of length 1.",
            "Kernels of decaying chains are positive semidefinite in $|t|$.",
            _definite,
        ),
    ),
    answers=(
        Answer(
            "V8",
            Outcome.PROVED,
            "between-samples",
            "intervals for every $n$; for $m > 1$ given Weyl's inequality for ranks (1912)",
        ),
        Answer("V13", Outcome.PROVED, "diagonal"),
    ),
    assumes=(
        "Weyl (1912), for chains of length at least 2: a symmetric change of rank R moves no "
        "eigenvalue by more than R places",
    ),
    rocq=("Spectra.masked_characteristic_polynomial",),
    sources=("Avram (1988)", "Parter (1986)", "Jordan-RoPE, arXiv:2605.04217"),
)
