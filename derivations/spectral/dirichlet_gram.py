"""The spectrum of n positions through matrices of the size of the head, and what it is not."""

from __future__ import annotations

from flint import arb, arb_mat, fmpq

from derivations.spectral.tools import (
    BITS,
    constant,
    cosine,
    eigenvalues,
    identities,
    kernel_values,
    ladder,
    number,
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.scalar import HALF, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.proof.decisions import cited
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.spectrum.gram import gram
from symbolic_pe.spectrum.kernel import positional_kernel


def _products() -> Decision:
    """Entries of the Gram matrices, with a = θ_k x and b = θ_l x."""
    return identities(
        {
            "even": (
                cosine(a=1) * cosine(b=1),
                (cosine(a=1, b=-1) + cosine(a=1, b=1)).scale(HALF),
            ),
            "odd": (
                sine(a=1) * sine(b=1),
                (cosine(a=1, b=-1) - cosine(a=1, b=1)).scale(HALF),
            ),
            "mixed, x and -x": (
                cosine(a=1) * sine(b=1) + cosine(a=-1) * sine(b=-1),
                constant(0),
            ),
        }
    )


def _dense(length: int) -> Decision:
    """Both routes to the largest eigenvalue and to the squared norm, d = 8."""
    with precision(BITS):
        values = kernel_values(ladder(8, 10000), length)
        dense = toeplitz(values)
        found = gram(positional_kernel(catalogue("rope", {"dim": 8})), length)
        small = sorted(
            eigenvalues(found.even) + eigenvalues(found.odd), key=lambda x: -float(x.mid())
        )
        large = eigenvalues(dense)
        square = sum((x * x for x in dense.entries()), start=arb(0))
        return holds(
            all(a.overlaps(b) for a, b in zip(large, small, strict=False))
            and square.overlaps(found.squared_norm)
            and all(x.contains(0) for x in large[8:]),
            "the two routes disagree",
            largest=shown(small[0]),
            squared_norm=shown(square),
        )


def _rank() -> Decision:
    return cited(
        "Spectra.logits_have_rank_at_most",
        "sum_below (S d) (fun j : nat => logits d query key i (column j) * x j) = 0",
    )


def _three_tokens() -> Decision:
    """Three tokens in two dimensions: the determinant of the logits vanishes identically."""
    queries = [[Scalar.symbol(f"q{i}{k}") for k in range(2)] for i in range(3)]
    keys = [[Scalar.symbol(f"k{i}{k}") for k in range(2)] for i in range(3)]
    logits = [[sum_of(q, k) for k in keys] for q in queries]
    total = ZERO
    for (i, j, k), sign in _PERMUTATIONS.items():
        total = total + number(sign) * logits[0][i] * logits[1][j] * logits[2][k]
    return holds(total.vanishes(), "the determinant does not vanish", determinant=total)


_PERMUTATIONS = {
    (0, 1, 2): 1, (1, 2, 0): 1, (2, 0, 1): 1, (0, 2, 1): -1, (1, 0, 2): -1, (2, 1, 0): -1,
}  # fmt: skip


def sum_of(a: list[Scalar], b: list[Scalar]) -> Scalar:
    """aᵀb."""
    return a[0] * b[0] + a[1] * b[1]


def _limit() -> Decision:
    """‖G/n − ½·diag(m)‖ ≤ Σ 1/(n|sin φ/2|) entry by entry, at n = 10⁶ and d = 16."""
    with precision(BITS):
        length = 10**6
        kernel = positional_kernel(catalogue("rope", {"dim": 16}))
        found = gram(kernel, length)
        size = found.even.nrows()
        radius = arb(0)
        for part in (found.even, found.odd):
            rest = arb_mat(
                [
                    [part[i, j] / length - fmpq(int(i == j), 2 * size) for j in range(size)]
                    for i in range(size)
                ]
            )
            radius = radius.max(sum((x * x for x in rest.entries()), start=arb(0)).sqrt())
        return holds(
            bool(radius < arb(1) / 500),
            "the Gram matrix is not near its limit",
            limit=fmpq(1, 2 * size),
            distance_at_a_million=shown(radius, 3),
        )


def _condition_number() -> Decision:
    """n = 3 > d = 2: the smallest singular value is 0 for every content."""
    zero = _three_tokens()
    if zero.outcome is not Outcome.PROVED:
        return Decision(Outcome.UNDECIDED)
    return Decision(
        Outcome.REFUTED,
        {},
        "n = 128 positions and head_dim 16 as published: the rank is at most 16, so the smallest "
        "singular value is 0 with and without position; already for n = 3, d = 2 the determinant "
        "is 0 as a polynomial in the twelve coordinates",
    )


def _szego() -> Decision:
    """Szegő's limit would give λ_max/n → 0 for an integrable symbol; here it tends to 1/d."""
    with precision(BITS):
        n = 10**6
        fall = abs(arb(n).sin() / arb(1).sin())
        return refuted(
            "one frequency 1: for an integrable symbol lambda_max/n tends to 0; here it is, for "
            "every n, at least 1/2, and at n = 10^6",
            (n + fall) / 2 / n,
        )


def _decay_has_full_rank() -> Decision:
    """r^{|i−j|} with r = 1/2, n = 5: det = (3/4)⁴ ≠ 0, although d = 1."""
    with precision(BITS):
        half = arb(1) / 2
        matrix = toeplitz([half**t for t in range(5)])
        return refuted(
            "decay r = 1/2 on one channel, 5 positions: the rank is not 1, as the determinant is",
            matrix.det(),
        )


DERIVATION = Derivation(
    name="dirichlet-gram",
    title="The spectrum of n positions is that of two matrices of the size of the head",
    chapter="spectral",
    statement=r"""
The kernel $K = \sum_k m_k\cos\theta_k(i-j)$ of $P$ planes has rank at most $2P \le d$ for every
$n$, and its
non-zero eigenvalues are those of

$$E_{kl} = \tfrac12\sqrt{m_km_l}\,(D_n(\theta_k-\theta_l) + D_n(\theta_k+\theta_l)), \qquad
O_{kl} = \tfrac12\sqrt{m_km_l}\,(D_n(\theta_k-\theta_l) - D_n(\theta_k+\theta_l)),$$

with $D_n(\varphi) = \sin(n\varphi/2)/\sin(\varphi/2)$. As $n \to \infty$, $\lambda_{\max}/n$
tends to the largest atom
of the symbol, $\max_k m_k/2$ for distinct $\theta_k \notin \pi\mathbb{Z}$.
""".strip(),
    hypotheses=(
        "nothing decays: the symbol is a sum of atoms",
        "frequencies are distinct modulo $2\\pi$, up to sign, for the limit",
    ),
    prose=(
        "With confluent frequencies $D_n(0) = n$, which is what merging them gives. Logits of any "
        "content have rank at most $d$ as well, with and without position."
    ),
    steps=(
        Step(
            "products",
            "Columns of cosines and of sines in centred positions are orthogonal to each other, "
            "and their "
            "products are sums of two cosines.",
            Rule.NORMAL_FORM,
            _products,
        ),
        Step(
            "both-routes",
            "The dense matrix of 24 positions and the Gram matrices, $d = 8$, base $10^4$.",
            Rule.BALLS,
            lambda: _dense(24),
        ),
        Step(
            "rank",
            "$L = QK^\\top$ is $n \\times d$ times $d \\times n$: any $d + 1$ columns of "
            "logits are dependent, for every $n$ and $d$, whatever turns queries and keys.",
            Rule.ROCQ,
            _rank,
        ),
        Step(
            "limit",
            r"$|D_n(\varphi)|/n \le 1/(n|\sin\varphi/2|) \to 0$, so $G/n$ tends to a diagonal "
            r"matrix; "
            "the distance for $d = 16$ at a million positions.",
            Rule.BALLS,
            _limit,
        ),
    ),
    twins=(
        Twin(
            "condition-number",
            "$n \\le d$.",
            "The condition number of logits says how well attention is conditioned.",
            _condition_number,
        ),
        Twin(
            "szego",
            "an integrable symbol.",
            "Szegő's limit theorem describes the spectrum of RoPE.",
            _szego,
        ),
        Twin(
            "decay",
            "the hypothesis that nothing decays.",
            "Kernels with decay have rank at most $d$ as well.",
            _decay_has_full_rank,
        ),
    ),
    answers=(
        Answer("V5", Outcome.PROVED, "products"),
        Answer("V12", Outcome.PROVED, "rank"),
        Answer("F7", Outcome.REFUTED, "condition-number"),
        Answer("F10", Outcome.REFUTED, "szego", "right for decay, where the symbol is integrable"),
    ),
    uses=("one-frequency-has-two-eigenvalues",),
    rocq=("Spectra.logits_have_rank_at_most",),
    justifies=("symbolic_pe.spectrum.gram",),
    sources=("Gu et al., arXiv:2505.13027", "Grenander and Szegő, Toeplitz forms (1958)"),
)
