"""One real eigenvalue: growth, nothing, or decay."""

from __future__ import annotations

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.functions import exponential, logarithm
from symbolic_pe.algebra.matrix import multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.decisions import flow_laws, same_matrix, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

A, C = Scalar.symbol("a"), Scalar.symbol("c")
POSITIVE = Assumptions.declare({"c": "positive"})


def value_at(block: Block, lag: Scalar) -> Scalar:
    """e^{aτ} exactly."""
    return exponential(block.rate * lag)


def _laws() -> Decision:
    block = Block(A)
    return flow_laws(block.generator, block.exponential("t"))


def _grows() -> Decision:
    """At τ = ln(c)/a the value is c, for every c > 0."""
    lag = logarithm(C, POSITIVE) / A
    return same_value(C, value_at(Block(A), lag), "the value at ln(c)/a", lag=lag)


def _decays() -> Decision:
    """At τ = −ln(c)/a, which is positive for a < 0 and c > 1, it is 1/c."""
    lag = -(logarithm(C, POSITIVE) / A)
    return same_value(ONE / C, value_at(Block(A), lag), "the value at -ln(c)/a", lag=lag)


def _nothing() -> Decision:
    (row,) = Block(ZERO).exponential("t")
    one = ExponentialPolynomial.constant(ONE)
    return holds((row[0] - one).vanishes(), "not constant", value=row[0])


def _hyperbolic() -> Decision:
    """−θ′I + θK on (1, ±1)/√2: two real decays −θ′ ± θ."""
    slow, fast = Scalar.symbol("theta1"), Scalar.symbol("theta")
    x = ((-slow, fast), (fast, -slow))
    p = ((ONE, ONE), (ONE, -ONE))
    j = ((fast - slow, ZERO), (ZERO, -fast - slow))
    return same_matrix(multiply(p, j), multiply(x, p), "X P and P J", eigenvalues=j)


def _negative_lags() -> Decision:
    """For a < 0, c > 1 and τ = ln(c)/a < 0 the value is c."""
    lag = logarithm(C, POSITIVE) / A
    return Decision(
        Outcome.REFUTED,
        {"value": value_at(Block(A), lag)},
        f"a < 0, c > 1, tau = {lag} < 0: the value is {value_at(Block(A), lag)}, for every c",
    )


def weights(gate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Mamba-3 with constant gates: α = e^{−dt}, dt = 1, trapezoid weight λ = gate, lags 0, 1, 2.

    w(n) = αⁿ(γ + (1 − λ)dt) for n ≥ 1, but w(0) = γ with γ = λ·dt.
    """
    alpha = exponential(-ONE)
    return (gate, alpha * (gate + (ONE - gate)), alpha * alpha * (gate + (ONE - gate)))


def _trapezoid() -> Decision:
    """A group scaled by a constant has w(1)² = w(0)·w(2)."""
    half = ONE / Scalar.rational(2)
    zero, one, two = weights(half)
    return same_value(
        one * one,
        zero * two,
        "constant gates, dt = 1, lambda = 1/2: w(1)^2 and w(0) w(2)",
        weights_at_lags_0_1_2=(zero, one, two),
    )


DERIVATION = Derivation(
    name="real-eigenvalues",
    title="A real eigenvalue grows, does nothing, or decays",
    chapter="classification",
    statement=r"""
The block $X = (a)$ has the flow $e^{a\tau}$. On $\tau \ge 0$ it is unbounded for $a > 0$, constant
$1$ for $a = 0$ (no positional encoding), and tends to $0$ for $a < 0$.
""".strip(),
    hypotheses=("causal lags: $\\tau \\ge 0$", "one group acts at all lags, lag $0$ among them"),
    prose=r"""
Decay is what linear attention, RetNet and the Mamba family use, the last of them on a learned
clock. It is meaningful on causal lags only: to the other side it grows. Two real eigenvalues can
hide in one plane: hyperbolic HoPE has $X = -\theta' I + \theta K$, which is two decays and no
rotation.
""".strip(),
    steps=(
        Step("laws", "$e^{a\\tau}$ is the flow, for every $a$.", Rule.NORMAL_FORM, _laws),
        Step(
            "growth",
            r"For $a > 0$: at $\tau = \ln(c)/a$ the value is $c$, for every $c > 1$.",
            Rule.EVALUATION,
            _grows,
        ),
        Step("constant", "For $a = 0$ the value is $1$.", Rule.NORMAL_FORM, _nothing),
        Step(
            "decay",
            r"For $a < 0$: at $\tau = \ln(c)/|a|$ the value is $1/c$, for every $c > 1$; it "
            r"falls, since $\frac{d}{d\tau}e^{a\tau} = a e^{a\tau} < 0$.",
            Rule.EVALUATION,
            _decays,
        ),
        Step(
            "hyperbolic-plane",
            r"$-\theta' I + \theta K$ with $K = \begin{pmatrix}0&1\\1&0\end{pmatrix}$ is "
            r"diagonal in the basis $(1, \pm 1)$: two decays $-\theta' \pm \theta$.",
            Rule.LINEAR_ALGEBRA,
            _hyperbolic,
        ),
    ),
    twins=(
        Twin(
            "decay-at-negative-lags",
            "causal lags.",
            "For $a < 0$ the value is bounded on all $\\tau$.",
            _negative_lags,
        ),
        Twin(
            "trapezoid-diagonal",
            "one group at all lags: Mamba-3's trapezoid rule weights the diagonal differently.",
            "With constant gates its weights are $w(0)\\,e^{a\\tau}$ at the lags $0, 1, 2$.",
            _trapezoid,
        ),
    ),
    answers=(
        Answer(
            "S1.4",
            Outcome.PROVED,
            "decay",
            "per block; decay needs causal lags, Mamba-3 a learned clock and a diagonal of its own",
        ),
    ),
    uses=("exponential", "chains"),
    rocq=("Chains.chain_is_flow", "Bounds.contraction"),
    justifies=("decay", "linear-attention", "nope", "mamba"),
    sources=(
        "A. Puranik, positional encodings through group theory, Jane Street, 2026",
        "Mamba-3, arXiv:2603.15569, propositions 1 to 4",
        "HoPE (hyperbolic), arXiv:2509.05218",
    ),
)
