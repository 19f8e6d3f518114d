"""Isotropic content: RoPE changes no law, so it contracts nothing on average."""

from __future__ import annotations

from flint import arb

from derivations.spectral.tools import BITS, constant, cosine, identities, precision, refuted, sine
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin


def _rotation() -> Decision:
    """RᵀR = I and RRᵀ = I: the covariance of R·x is that of x."""
    c, s = cosine(x=1), sine(x=1)
    return identities(
        {
            "diagonal": (c * c + s * s, constant(1)),
            "off the diagonal": (c * s - s * c, constant(0)),
        }
    )


def _density() -> Decision:
    """The density depends on |x|² alone, and |Rx|² = |x|²."""
    from symbolic_pe.algebra.scalar import Scalar

    x, y = Scalar.symbol("x1"), Scalar.symbol("x2")
    c, s = cosine(u=1), sine(u=1)
    first = c.scale(x) - s.scale(y)
    second = s.scale(x) + c.scale(y)
    return identities(
        {"squared length": (first * first + second * second, constant(1).scale(x * x + y * y))}
    )


def _common_mean() -> Decision:
    """q = k = e1 + noise: mean logits off the diagonal are κ(lag) in place of 1."""
    with precision(BITS):
        return refuted(
            "d = 2, mean (1, 0), frequency 1: the mean logit at lag 1 is cos 1 with rotation and 1 "
            "without; the difference is",
            1 - arb(1).cos(),
        )


def _average() -> Decision:
    """Equal laws have equal means of every function; 'contracts on average' needs a change ≠ 0.

    Witness in closed form: n = d = 2, tied Gaussian tokens. λ₁ + λ₂ and λ₁λ₂ have the same joint
    law, so E λ_max is the same. A fixed draw where λ_max rises: x₁ = (1, 0), x₂ = (0, 1).
    """
    with precision(BITS):
        return refuted(
            "isotropic tokens: the mean change of the largest eigenvalue is exactly 0, as the laws "
            "agree; and for x1 = (1, 0), x2 = (0, 1), frequency 1, it rises by",
            arb(1).sin(),
        )


DERIVATION = Derivation(
    name="isotropic-content-is-not-contracted",
    title="For isotropic content RoPE and no encoding give logits of the same law",
    chapter="spectral",
    statement=r"""
If the tokens' queries are independent and isotropic (keys equal to them, or independent and
isotropic as well),
then $(R_{\theta}^{\,i} q_i)_i$ has the law of $(q_i)_i$, and

$$L_{\mathrm{RoPE}} \overset{d}{=} L_{\mathrm{NoPE}}.$$

Every mean of every function of the spectrum is the same.
""".strip(),
    hypotheses=(
        "the law of $q_i$ depends on $|q_i|$ alone",
        "tokens are independent",
    ),
    steps=(
        Step(
            "orthogonal",
            "Rotations keep the covariance $\\sigma^2 I$.",
            Rule.NORMAL_FORM,
            _rotation,
        ),
        Step(
            "density",
            "They keep $|q|^2$, so every isotropic density; one rotation for each token keeps a "
            "product "
            "of densities.",
            Rule.NORMAL_FORM,
            _density,
        ),
    ),
    twins=(
        Twin(
            "common-mean",
            "isotropic content, whose mean is 0.",
            "The laws agree for Gaussian tokens with a common mean.",
            _common_mean,
        ),
        Twin(
            "contracts-on-average",
            "content with a common component.",
            "RoPE lowers the largest eigenvalue on average over Gaussian tokens.",
            _average,
        ),
    ),
    answers=(
        Answer("V14", Outcome.PROVED, "density"),
        Answer(
            "F4",
            Outcome.REFUTED,
            "contracts-on-average",
            "it does where tokens share a mean or a low rank",
        ),
    ),
    sources=("Barbero et al., arXiv:2410.06205, proposition 3.2, for the mean",),
)
