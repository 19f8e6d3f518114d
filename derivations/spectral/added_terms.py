"""Additive terms beside products, hybrids, and concatenated queries and keys."""

from __future__ import annotations

from flint import arb, fmpq

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
from symbolic_pe.algebra.scalar import HALF, ONE
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.spectrum.linear_bias import bias_spectrum


def _concatenated() -> Decision:
    """q = (q_c, q_r): half of the kernel is constant, half is rotated."""
    whole = (constant(1) + cosine(x=1)).scale(HALF)
    return identities({"kernel": (whole + whole, constant(1) + cosine(x=1))})


def _concatenated_numbers() -> Decision:
    """λ_max/n at n = 64, d = 32: with half of the content unrotated, and rotated alone."""
    with precision(BITS):
        rotated = kernel_values(ladder(32, 10000), 64)
        mixed = [(1 + x) / 2 for x in rotated]
        alone = eigenvalues(toeplitz(rotated))[0] / 64
        half = eigenvalues(toeplitz(mixed))[0] / 64
        return holds(
            bool(half > alone and half > arb(1) / 2),
            "the constant half does not raise the largest eigenvalue",
            rotated=shown(alone),
            concatenated=shown(half),
        )


def _never_negative() -> Decision:
    """1 + cos ≥ 0: 1 + cos x = 2cos²(x/2), with x = 2h."""
    return identities(
        {"square": (constant(1) + cosine(h=2), (cosine(h=1) * cosine(h=1)).scale(number(2)))}
    )


def _hybrid() -> Decision:
    """(c + p_i)ᵀR(−(i−j))(c + p_j) has four terms; those with one table are not Toeplitz.

    With p_i = (cos i, sin i) turned once more by RoPE at the same frequency, c = (1, 0): the mixed
    term p_iᵀR(−(i−j))c = cos(2i − j).
    """
    ci, si = cosine(i=1), sine(i=1)
    lag_c, lag_s = cosine(i=1, j=-1), sine(i=1, j=-1)
    return identities({"mixed term": (ci * lag_c - si * lag_s, cosine(i=2, j=-1))})


def _alibi_norm() -> Decision:
    """Norm and row-centred norm of −m|i − j| over m·n²: both tend to constants."""
    with precision(BITS):
        found = bias_spectrum(ONE, 10**5)
        square = arb(10) ** 10
        return holds(
            bool(
                abs(-found.negative / square - arb("0.3474")) < arb("0.0001")
                and abs(found.largest / square - arb("0.2026")) < arb("0.0001")
            ),
            "the constants differ",
            norm_over_n_squared=shown(-found.negative / square, 5),
            odd_part_over_n_squared=shown(found.largest / square, 5),
        )


def _improves() -> Decision:
    """C = diag(911, 1) and C + 31·I; a unitary similarity leaves 911."""
    epsilon, condition = fmpq(31), fmpq(911)
    better = (condition + epsilon) / (1 + epsilon)
    if better >= condition:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        f"C = diag(911, 1): adding the Toeplitz bias 31*I gives the condition number {better}, "
        f"and one "
        "frequency of RoPE, a unitary similarity, leaves 911",
    )


def _toeplitz_hybrid() -> Decision:
    with precision(BITS):
        return refuted(
            "RoPE and a sinusoidal table, frequency 1, content (1, 0): the mixed term is cos(2i "
            "- j); "
            "at (0, 0) and (1, 1), both at lag 0, it differs by",
            1 - arb(1).cos(),
        )


DERIVATION = Derivation(
    name="additive-and-multiplicative-terms",
    title="Additive and multiplicative terms: hybrids, concatenation, and no order between them",
    chapter="spectral",
    statement=r"""
Concatenated queries and keys $(q_c, q_r)$ (as in MLA) have the kernel $\tfrac12(1 + \kappa)$: an
atom of mass $\tfrac12$ at
frequency 0, so $\lambda_{\max}/n \ge \tfrac12$, and no negative lag. RoPE on tokens that carry a
sinusoidal table has mixed
terms that are not Toeplitz. ALiBi's bias has norm $\sim 0.347\,m n^2$. Neither kind of term
dominates the other.
""".strip(),
    hypotheses=(
        "content is constant, for kernels",
        "half of the channels are not turned, for concatenation",
    ),
    steps=(
        Step(
            "concatenated", r"$\tfrac12(1+\cos\tau\theta)$ twice.", Rule.NORMAL_FORM, _concatenated
        ),
        Step(
            "concatenated-numbers",
            "64 positions, $d = 32$, base $10^4$.",
            Rule.BALLS,
            _concatenated_numbers,
        ),
        Step(
            "never-negative",
            r"$1 + \cos 2h = 2\cos^2h \ge 0$ for every plane.",
            Rule.NORMAL_FORM,
            _never_negative,
        ),
        Step("hybrid", "The mixed term of a hybrid.", Rule.NORMAL_FORM, _hybrid),
        Step("alibi", "Norms of ALiBi's bias at $n = 10^5$.", Rule.BALLS, _alibi_norm),
    ),
    twins=(
        Twin(
            "multiplicative-dominates",
            "spectra; bounds were compared.",
            "Multiplicative coupling conditions logits better than additive coupling.",
            _improves,
        ),
        Twin(
            "hybrid-is-toeplitz",
            "one kind of term.",
            "A hybrid of RoPE and a sinusoidal table is relative.",
            _toeplitz_hybrid,
        ),
    ),
    answers=(
        Answer("F9", Outcome.REFUTED, "multiplicative-dominates"),
        Answer(
            "S2.8",
            Outcome.PROVED,
            "hybrid",
            "they can be mixed; a hybrid with a table is not relative",
        ),
    ),
    uses=("linear-bias", "dirichlet-gram", "per-pair-unitary-similarity"),
    sources=("DeepSeek-V2, arXiv:2405.04434 (MLA)", "Gu et al., arXiv:2505.13027"),
)
