"""The mean logits of a head are a trigonometric polynomial of its mean query and mean key."""

from __future__ import annotations

from flint import arb

from derivations.spectral.tools import (
    BITS,
    cosine,
    equalities,
    identities,
    number,
    precision,
    refuted,
    sine,
)
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.decisions import cited
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin


def _plane() -> Decision:
    """μ_qᵀR(−τ)μ_k = Re(μ_q·conj(μ_k)·e^{−iτ})."""
    a, b, c, d = (Scalar.symbol(n) for n in ("a", "b", "c", "d"))
    co, si = cosine(t=1), sine(t=1)
    bilinear = (co.scale(c) + si.scale(d)).scale(a) + (co.scale(d) - si.scale(c)).scale(b)
    return identities({"one plane": (bilinear, co.scale(a * c + b * d) - si.scale(b * c - a * d))})


def _expectation() -> Decision:
    return cited("Spectra.mean_of_bilinear", "bilinear d (fun c : nat => sum_below N")


def _variance() -> Decision:
    """E q² = m² + S and E k² = n² + T multiply, for any laws with these means and variances."""
    m, n, s, t = (Scalar.symbol(x) for x in ("m", "n", "S", "T"))
    found = (m * m + s) * (n * n + t) - m * n * m * n
    return equalities({"content variance": (found, m * m * t + n * n * s + s * t)})


def _dependent() -> Decision:
    """Tied q = k = ±(1, 0) at lag 0…: E = cos τ though both means are 0."""
    with precision(BITS):
        return refuted(
            "q = k with the values (1, 0), (-1, 0) and equal chances: both means are 0, and the "
            "mean "
            "logit at lag 1, frequency 1, of one token with itself is",
            arb(1).cos(),
        )


def _drifting() -> Decision:
    """Means that depend on the position, E k_j = j² − j + 1: lag 0 at positions 0 and 2."""
    first, second = (number(j * j - j + 1) for j in (0, 2))
    if (first - second).is_zero():
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        "no rotation, E q = 1, E k_j = j^2 - j + 1: the mean logits at lag 0 are "
        f"{first} at position 0 and {second} at position 2",
    )


DERIVATION = Derivation(
    name="effective-kernel-of-a-head",
    title="The mean logits of a head are a trigonometric polynomial of two mean vectors",
    chapter="spectral",
    statement=r"""
If queries and keys at different positions are independent with means $\mu_q$, $\mu_k$ that do
not depend on the
position, then the mean logit at lag $\tau$ is

$$\mathbb{E}\,L_{i,i-\tau} = \operatorname{Re}\sum_k
\mu_q^{(k)}\overline{\mu_k^{(k)}}\,e^{-i\tau\theta_k},$$

the head's effective positional kernel, and the share of row-centred logit variance that it
explains is its variance
over lags against that plus the variance of content.
""".strip(),
    hypotheses=(
        "queries and keys are independent",
        "their means do not depend on the position",
    ),
    steps=(
        Step(
            "plane",
            "The bilinear form of one plane as a cosine and a sine of the lag.",
            Rule.NORMAL_FORM,
            _plane,
        ),
        Step(
            "expectation",
            "The mean of a bilinear form of independent vectors is the form of the means, for "
            "every $d$ and any finite laws.",
            Rule.ROCQ,
            _expectation,
        ),
        Step(
            "variance",
            "The variance of a product of independent variables, one coordinate.",
            Rule.NORMAL_FORM,
            _variance,
        ),
    ),
    twins=(
        Twin(
            "tied",
            "independent queries and keys.",
            "The formula holds for tied queries and keys.",
            _dependent,
        ),
        Twin("drift", "constant means.", "Mean logits depend on the lag alone.", _drifting),
    ),
    answers=(Answer("V16", Outcome.PROVED, "expectation"),),
    rocq=("Spectra.mean_of_bilinear",),
    justifies=("numeric_check.spectrum.lens",),
    sources=("Gu et al., arXiv:2505.13027, for the setting",),
)
