"""Which encodings give W_Q and W_K a gradient when the content is constant."""

from __future__ import annotations

from flint import arb

from derivations.spectral.tools import BITS, equalities, number, precision, refuted, shown
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin


def _kills_constants() -> Decision:
    """A row of (diag(α) − ααᵀ)·1 is α_i − α_i·Σα, and Σα = 1: for any number of keys."""
    weight, total = Scalar.symbol("alpha_i"), Scalar.symbol("sum")
    row = weight - weight * total
    return equalities({"row": (row.substitute({"sum": ONE}), ZERO)})


def _additive() -> Decision:
    """∂(qᵀk + b(i − j)) = (dW·x)ᵀk for every key j: constant along the row."""
    dq, k, b1, b2, step = (Scalar.symbol(n) for n in ("dq", "k", "b1", "b2", "h"))
    q = Scalar.symbol("q")
    first, second = (q + step * dq) * k + b1, (q + step * dq) * k + b2
    return equalities({"derivative at two keys": ((first - (q * k + b1)), (second - (q * k + b2)))})


def _rotary() -> Decision:
    """∂L_{10} − ∂L_{11} = (dq)ᵀ(R(−θ) − I)k ≠ 0 for dq = k = (1, 0), θ = 1."""
    with precision(BITS):
        alpha = arb(1).cos().exp() / (arb(1).cos().exp() + arb(1).exp())
        # L = log α_0 with q = k = (1, 0): dL = (1 − α_0)·(cos 1 − 1)
        gradient = (1 - alpha) * (arb(1).cos() - 1)
        return holds(
            not gradient.contains(0),
            "the gradient vanishes",
            two_positions_frequency_1=shown(gradient),
        )


def _alibi_in_batches() -> Decision:
    """Tokens ±1, independent; query at 1, target the previous token; W_Q = 0, W_K = k = 1, slope m.

    α_0 = e^{−m}/(1 + e^{−m}); the gradient of −log α_0 is (α_0 − 1)x₁x₀ + α_1x₁², whose mean over
    the four equally likely batches is α_1; without position it is 1/2.
    """
    with precision(BITS):
        weight = 1 / (1 + (-arb(1) / 2).exp())
        batch = [(x, y) for x in (-1, 1) for y in (-1, 1)]
        mean = sum(
            ((1 - weight - 1) * y * x + weight * y * y for x, y in batch), start=arb(0)
        ) / len(batch)
        return refuted(
            "tokens -1, 1 with equal chances, two positions, target the previous token, slope 1/2: "
            "the mean gradient in W_Q with ALiBi less the one without position is",
            mean - arb(1) / 2,
            mean_gradient=shown(mean),
        )


def _amplification() -> Decision:
    """Two heads f(w) = w³ under the loss (f(w₁) + f(w₂))²: gradients 6(w₁³ + w₂³)·wᵢ².

    At w₁ = w₂ their quotient, the margin of the dominant head, is 1 whatever came from above.
    """
    w = Scalar.symbol("w")
    upstream = number(2) * (w**3 + w**3)
    margin = (upstream * number(3) * w**2) / (upstream * number(3) * w**2)
    factor = number(2)
    if (margin - factor).sign() >= 0:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {"margin": margin},
        "two heads f(w) = w^3 with equal weights under one residual sum: they receive equal "
        "gradients, "
        f"so the margin is {margin} in every layer, and with a factor of {factor} the claim says "
        f"{margin} >= {factor}",
    )


def _varied_content() -> Decision:
    """Content that varies gives NoPE a gradient: keys 1 and −1."""
    with precision(BITS):
        weight = arb(1).exp() / (arb(1).exp() + (-arb(1)).exp())
        return refuted(
            "d = 1, q = 1, keys 1 and -1, target the first: the gradient of log(alpha_1) in q is",
            2 * (1 - weight),
        )


DERIVATION = Derivation(
    name="positional-gradient",
    title="At constant content additive biases give W_Q and W_K no gradient, rotations do",
    chapter="spectral",
    statement=r"""
Let every token have the same content. For logits $q^\top k + b(i-j)$ (no encoding, ALiBi, T5)
every loss on the
attention weights has gradient exactly 0 with respect to $W_Q$ and $W_K$, with and without a
causal mask. For RoPE it is
not 0 in general.
""".strip(),
    hypotheses=(
        "the content is constant",
        "the encoding is additive: the bias does not depend on $W_Q$, $W_K$",
    ),
    prose=r"""
The derivative of softmax, $\operatorname{diag}(\alpha) - \alpha\alpha^\top$, annihilates
constants, and a change of
$W_Q$ or $W_K$ changes all logits of a row alike. T5's table itself does get a gradient: its
entries are not constant
along rows. Published statements go further, to batches of varied content and to a growth over
layers; both need
hypotheses that are not stated.
""".strip(),
    steps=(
        Step(
            "annihilates-constants",
            r"$(\operatorname{diag}(\alpha) - \alpha\alpha^\top)\,1 = 0$ when $\sum\alpha = 1$.",
            Rule.NORMAL_FORM,
            _kills_constants,
        ),
        Step(
            "row-constant",
            "The derivative of a logit in the query does not depend on the key's position.",
            Rule.NORMAL_FORM,
            _additive,
        ),
        Step(
            "rotary",
            "Two positions, $q = k = (1, 0)$, frequency 1, loss $\\log\\alpha_{1,0}$: the "
            "gradient.",
            Rule.BALLS,
            _rotary,
        ),
    ),
    twins=(
        Twin(
            "batches-cancel",
            "constant content.",
            "ALiBi's positional gradient cancels in the mean over a batch.",
            _alibi_in_batches,
        ),
        Twin(
            "layers-amplify",
            "hypotheses that align heads with the upstream gradient.",
            r"$\mathrm{Margin}_l \ge \mathrm{Margin}_L\prod_k\gamma_k$ with $\gamma_k > 1$ in "
            r"every residual "
            "stack.",
            _amplification,
        ),
        Twin(
            "varied-content",
            "constant content.",
            "Without an encoding the gradient is 0 for every content.",
            _varied_content,
        ),
    ),
    answers=(
        Answer("V11", Outcome.PROVED, "row-constant"),
        Answer("F12", Outcome.REFUTED, "batches-cancel", "as stated without hypotheses"),
        Answer(
            "F13",
            Outcome.REFUTED,
            "layers-amplify",
            "as stated without hypotheses; those of the paper were not available",
        ),
    ),
    uses=("softmax-sees-row-centred-logits",),
    sources=("Gu et al., arXiv:2505.13027, second version", "DroPE, arXiv:2512.12167"),
)
