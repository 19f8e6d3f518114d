"""RoPE's logits are real parts of unitary conjugates, one for each plane."""

from __future__ import annotations

from flint import arb

from derivations.spectral.tools import (
    BITS,
    cosine,
    identities,
    precision,
    refuted,
    sine,
)
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.decisions import all_of
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import IDENTITY, Equation, rewrite
from symbolic_pe.proof.rewriting import constant as letter


def _real_part() -> Decision:
    """Re(q·k̄·e^{−i(t−s)}) = qᵀR(−(t − s))k, for q = q₁ + iq₂ and k = k₁ + ik₂."""
    q1, q2, k1, k2 = (Scalar.symbol(n) for n in ("q1", "q2", "k1", "k2"))
    c, s = cosine(t=1, s=-1), sine(t=1, s=-1)
    rotated = (c.scale(k1) + s.scale(k2)).scale(q1) + (c.scale(k2) - s.scale(k1)).scale(q2)
    # q·k̄ = (q1 k1 + q2 k2) + i(q2 k1 − q1 k2); its product with e^{−iφ}, the real part
    complex_form = c.scale(q1 * k1 + q2 * k2) + s.scale(q2 * k1 - q1 * k2).scale(
        Scalar.rational(-1)
    )
    return identities({"entry of one plane": (rotated, complex_form)})


def _unitary() -> Decision:
    """e^{−it}·e^{is} = e^{−i(t−s)}, and |e^{it}| = 1."""
    return identities(
        {
            "real part": (
                cosine(t=1) * cosine(s=1) + sine(t=1) * sine(s=1),
                cosine(t=1, s=-1),
            ),
            "imaginary part": (
                sine(s=1) * cosine(t=1) - cosine(s=1) * sine(t=1),
                sine(s=1, t=-1),
            ),
            "modulus": (
                cosine(t=1) * cosine(t=1) + sine(t=1) * sine(t=1),
                cosine(t=0),
            ),
        }
    )


def _similarity() -> Decision:
    """Eigenvectors and singular values of UCUᵀ; transposes stand for adjoints, for every size."""
    u, c, v = letter("U"), letter("C"), letter("v")
    unitary = Equation("U^T U = I", u.T * u, IDENTITY)
    value = Scalar.symbol("lambda")
    eigen = Equation("C v = lambda v", c * v, v.scale(value))
    conjugate = u * c * u.T
    return all_of(
        {
            "eigenvectors": rewrite(
                Equation("(U C U^T)(U v) = lambda U v", conjugate * u * v, (u * v).scale(value)),
                [(u * c * v, unitary), ((u * v).scale(value), eigen)],
            ),
            "singular values": rewrite(
                Equation("M^T M", conjugate.T * conjugate, u * c.T * c * u.T),
                [(u * c.T * c * u.T, unitary)],
            ),
        }
    )


def _one_product() -> Decision:
    """Two planes with opposite content: ΣC_k = 0 off the diagonal, and the logit is not 0.

    A single Hadamard product (ΣC_k)∘T has the entry 0·T = 0 whatever T is.
    """
    with precision(BITS):
        entry = arb(1).cos() - (arb(1) / 100).cos()
    return refuted(
        "x1 = (1, 0, 1, 0), x2 = (1, 0, -1, 0), frequencies 1 and 1/100: the content logit is 0, "
        "so "
        "any single product gives 0, and the logit at lag 1 is cos 1 - cos 0.01",
        entry,
    )


def _amplitude() -> Decision:
    """With a growing plane D is not unitary: e^{t}·e^{−s} at t = 1, s = 0 in a symmetric kernel."""
    with precision(BITS):
        return refuted(
            "C = [[1, 1], [1, 1]] has the eigenvalues 2, 0; with e^|lag| the largest is 1 + e, "
            "which exceeds 2 by",
            arb(1).exp() - 1,
        )


DERIVATION = Derivation(
    name="per-pair-unitary-similarity",
    title="Each plane of RoPE is a unitary similarity of its complex Gram matrix",
    chapter="spectral",
    statement=r"""
Write the two channels of plane $k$ as one complex number, $q^{(k)}, k^{(k)} \in \mathbb{C}^n$, with
$C_k = q^{(k)} k^{(k)*}$ and $D_k = \operatorname{diag}(e^{-it\theta_k})$. Then

$$L_{\mathrm{RoPE}} = \operatorname{Re} \sum_k D_k C_k D_k^*,$$

and $D_k$ is unitary: one frequency changes no eigenvalue and no singular value of its $C_k$.
""".strip(),
    hypotheses=(
        "the encoding turns planes and does not scale them",
        "queries and keys are turned by the same angles",
    ),
    prose=(
        "The content enters through one matrix for each plane. The formula with one content matrix "
        "and one Toeplitz matrix is a special case, in which all $C_k$ are equal."
    ),
    steps=(
        Step(
            "real-part",
            r"$\operatorname{Re}\bigl(q\,\bar k\,e^{-i(t-s)\theta}\bigr)$ is the score of one "
            "plane at lag $t - s$.",
            Rule.NORMAL_FORM,
            _real_part,
        ),
        Step(
            "factors",
            r"$e^{-i(t-s)\theta} = e^{-it\theta}\,\overline{e^{-is\theta}}$, factors of modulus 1.",
            Rule.NORMAL_FORM,
            _unitary,
        ),
        Step(
            "similarity",
            r"$Cv = \lambda v$ gives $(DCD^*)(Dv) = \lambda Dv$, and $(DCD^*)^*(DCD^*) = "
            r"D\,C^*C\,D^*$: for every number of positions.",
            Rule.REWRITING,
            _similarity,
        ),
    ),
    twins=(
        Twin(
            "one-hadamard-product",
            "one matrix for each plane.",
            r"$L_{\mathrm{RoPE}} = \operatorname{Re}\bigl((\sum_k C_k) \circ G_e\bigr)$ with one "
            "Toeplitz matrix $G_e$.",
            _one_product,
        ),
        Twin(
            "with-growth",
            "factors of modulus 1.",
            "Planes that are scaled by $e^{|\\tau|}$ change no eigenvalue either.",
            _amplitude,
        ),
    ),
    answers=(
        Answer("V1", Outcome.PROVED, "similarity"),
        Answer(
            "S2.2",
            Outcome.REFUTED,
            "one-hadamard-product",
            "a sum of such products, one for each plane; the additive half holds",
        ),
        Answer("F5", Outcome.REFUTED, "one-hadamard-product", "holds when all planes share one C"),
    ),
    justifies=("symbolic_pe.spectrum",),
    sources=("Gu et al., arXiv:2505.13027",),
)
