"""Causal kernels: chains, their singular values, and eigenvalues that say nothing."""

from __future__ import annotations

from math import comb

from flint import arb, fmpq, fmpq_mat

from derivations.spectral.tools import (
    BITS,
    equalities,
    number,
    precision,
    refuted,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

LONGEST = 8
N = Scalar.symbol("n")


def _binomial(t: Scalar, order: int) -> Scalar:
    """C(t + m − 1, m − 1) as a polynomial in t."""
    value = ONE
    for k in range(1, order):
        value = value * (t + number(k)) / number(k)
    return value


def _chain() -> Decision:
    """(1 − λS)·kernel_m = kernel_{m−1}: C(t+m−1, m−1) − C(t+m−2, m−1) = C(t+m−2, m−2)."""
    t = Scalar.symbol("t")
    return equalities(
        {
            f"order {m}": (
                _binomial(t, m) - _binomial(t - ONE, m),
                _binomial(t, m - 1),
            )
            for m in range(2, LONGEST + 1)
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
    """det(z − L) of a lower triangular 3 × 3 matrix is Π(z − l_ii), whatever stands below."""
    a, b, c, d, e, f, z = (Scalar.symbol(x) for x in ("a", "b", "c", "d", "e", "f", "z"))
    rows = [[z - a, ZERO, ZERO], [-b, z - c, ZERO], [-d, -e, z - f]]
    determinant = (
        rows[0][0] * (rows[1][1] * rows[2][2] - rows[1][2] * rows[2][1])
        - rows[0][1] * (rows[1][0] * rows[2][2] - rows[1][2] * rows[2][0])
        + rows[0][2] * (rows[1][0] * rows[2][1] - rows[1][1] * rows[2][0])
    )
    return equalities({"characteristic polynomial": (determinant, (z - a) * (z - c) * (z - f))})


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
        return Decision(Outcome.UNDECIDED)
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
all eigenvalues are 1. Under a causal mask the eigenvalues of logits are $q_i\cdot k_i$ for every
encoding with
$A(0) = I$. The signed kernel $i-j$ has rank 2 and both singular values $n\sqrt{(n^2-1)/12}$.
""".strip(),
    hypotheses=("$A(0) = I$", "a causal mask, for eigenvalues"),
    prose=(
        "On $|\\lambda| = 1$ the symbol is a distribution: an atom, and one derivative of it for "
        "each further "
        "link of the chain. Such kernels take both signs, and no theorem on positive kernels "
        "applies."
    ),
    steps=(
        Step(
            "chain",
            r"$(1-\lambda S)$ takes the kernel of order $m$ to that of order $m-1$ (Pascal's "
            r"rule, as "
            "polynomials in $t$, up to order 8).",
            Rule.NORMAL_FORM,
            _chain,
        ),
        Step(
            "power", "$(I-\\lambda S)^{-3}$ for six positions.", Rule.LINEAR_ALGEBRA, _inverse_power
        ),
        Step(
            "diagonal",
            "A triangular matrix has its diagonal as eigenvalues (written out for three "
            "positions).",
            Rule.NORMAL_FORM,
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
        Answer("V8", Outcome.PROVED, "chain", "singular values along the symbol are cited"),
        Answer("V13", Outcome.PROVED, "diagonal"),
    ),
    assumes=("Avram and Parter: singular values of Toeplitz matrices follow $|$symbol$|$",),
    sources=("Avram (1988)", "Parter (1986)", "Jordan-RoPE, arXiv:2605.04217"),
)
