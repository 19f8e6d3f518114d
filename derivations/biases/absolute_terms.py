"""Scores that look relative and are not: FIRE past its length, CoPE, sinusoidal tables."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.decisions import all_of, same_function, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

LENGTH = 512
BITS = 128


def fire(i: int, j: int) -> arb:
    """ln(c(i − j) + 1)/ln(c·max(i, L) + 1) with the published c = 1/10, L = 512."""
    return arb(fmpq(i - j, 10) + 1).log() / arb(fmpq(max(i, LENGTH), 10) + 1).log()


def _below_length() -> Decision:
    """For i ≤ L the denominator is ln(cL + 1): the argument sees the lag alone."""
    with precision(BITS):
        same = fire(300, 290).overlaps(fire(500, 490))
        denominators = {max(i, LENGTH) for i in (300, 500, LENGTH)}
        shown = fire(300, 290).str(12, radius=False)
    return holds(same and denominators == {LENGTH}, "the denominator varies", value_at_lag_10=shown)


def gates(count: int, value: Scalar) -> tuple[Scalar, ...]:
    """Equal gates."""
    return (value,) * count


def cope(values: Sequence[Scalar], i: int, j: int) -> Scalar:
    """p_ij = Σ_{k=j..i} g_ik, with gates of the row of query i."""
    return sum((values[k] for k in range(j, i + 1)), ZERO)


def _cope_counts() -> Decision:
    """All gates 1: p_ij = i − j + 1."""
    ones = gates(8, ONE)
    return all_of(
        {
            f"(i, j) = ({i}, {j})": same_value(Scalar.rational(i - j + 1), cope(ones, i, j), "p_ij")
            for i, j in ((7, 2), (3, 3), (5, 0))
        }
    )


def _sinusoidal_alone() -> Decision:
    """p_tᵀp_s = cos θ(t − s): the positional term alone is relative."""
    theta = Scalar.symbol("theta")
    cosine, sine = ExponentialPolynomial.cosine, ExponentialPolynomial.sine
    product = cosine("t", theta) * cosine("s", theta) + sine("t", theta) * sine("s", theta)
    return same_function(cosine("t", theta).compose({"t": 1, "s": -1}), product)


def _projected() -> Decision:
    """(∂_t + ∂_s) p_tᵀWp_s is a combination of cos θ(t + s) and sin θ(t + s)."""
    a, b, c, d, theta = (Scalar.symbol(x) for x in ("a", "b", "c", "d", "theta"))
    cosine, sine = ExponentialPolynomial.cosine, ExponentialPolynomial.sine
    score = (
        (cosine("t", theta) * cosine("s", theta)).scale(a)
        + (cosine("t", theta) * sine("s", theta)).scale(b)
        + (sine("t", theta) * cosine("s", theta)).scale(c)
        + (sine("t", theta) * sine("s", theta)).scale(d)
    )
    total = {"t": 1, "s": 1}
    claimed = cosine("t", theta).compose(total).scale(theta * (b + c)) - sine("t", theta).compose(
        total
    ).scale(theta * (a - d))
    return same_function(claimed, score.derivative("t") + score.derivative("s"))


def _beyond_length() -> Decision:
    """Lag 10 at i = 600 and at i = 700."""
    with precision(BITS):
        one, other = fire(600, 590), fire(700, 690)
        apart = not one.overlaps(other)
        values = tuple(x.str(12, radius=False) for x in (one, other))
    if not apart:
        return Decision(Outcome.UNDECIDED, {"reason": "the balls meet"})
    return Decision(
        Outcome.REFUTED,
        {"arguments": list(values)},
        "c = 1/10, L = 512, lag 10: the argument is ln 2/ln 61 = "
        f"{values[0]} at i = 600 and ln 2/ln 71 = {values[1]} at i = 700",
    )


def _cope_from_zero() -> Decision:
    """p_ii = g_ii, which is 1 for an open gate, not 0."""
    return same_value(ZERO, cope(gates(4, ONE), 3, 3), "open gates: p_33")


def _cope_relative() -> Decision:
    """Gates 1, 1/2, 1, 1: lag 1 at (1, 0) and (3, 2)."""
    row = (ONE, Scalar.rational(fmpq(1, 2)), ONE, ONE)
    return same_value(
        cope(row, 1, 0), cope(row, 3, 2), "gates 1, 1/2, 1, 1: p_10 and p_32, both of lag 1"
    )


def _cross_terms() -> Decision:
    """(x + p_t)ᵀ(x + p_s) = |x|² + xᵀp_t + xᵀp_s + p_tᵀp_s with x = (1, 0), frequency θ."""
    theta = Scalar.symbol("theta")
    cosine = ExponentialPolynomial.cosine
    lag = cosine("t", theta).compose({"t": 1, "s": -1})
    one = ExponentialPolynomial.constant(ONE)
    return same_function(
        lag + one, lag + one + cosine("t", theta) + cosine("s", theta), {"theta": "positive"}
    )


DERIVATION = Derivation(
    name="absolute-terms",
    title="Scores that look relative and are not",
    chapter="biases",
    statement=r"""
*FIRE.* The argument $\ln(c(i-j)+1)/\ln(c\max(i,L)+1)$ sees the lag alone for $i \le L$ and depends
on $i$ beyond.

*CoPE.* The position $p_{ij} = \sum_{k=j}^{i} g_{ik}$ counts $i - j + 1$ with open gates, and
depends on the content otherwise.

*Sinusoidal tables.* $p_t^\top p_s = \cos\theta(t-s)$ alone sees the lag, but the score of $x + p_t$
and $x + p_s$ has terms that depend on $t$ and on $s$.
""".strip(),
    hypotheses=(
        "$i \\le L$, for FIRE",
        "constant gates, for CoPE",
        "no content, for sinusoidal tables",
    ),
    steps=(
        Step(
            "fire-below-its-length",
            "For $i \\le L$ the denominator is $\\ln(cL + 1)$.",
            Rule.BALLS,
            _below_length,
        ),
        Step("cope-counts", "Open gates count $i - j + 1$.", Rule.EVALUATION, _cope_counts),
        Step(
            "sinusoidal-positions",
            r"$p_t^\top p_s = \cos\theta(t - s)$.",
            Rule.NORMAL_FORM,
            _sinusoidal_alone,
        ),
        Step(
            "sinusoidal-projections",
            r"With a projection between them, $(\partial_t + \partial_s)\,p_t^\top W p_s = "
            r"\theta\,\bigl((b + c)\cos\theta(t+s) - (a - "
            r"d)\sin\theta(t+s)\bigr)$: relative exactly for $W = aI - "
            r"bJ$, which commutes with rotations.",
            Rule.NORMAL_FORM,
            _projected,
        ),
    ),
    twins=(
        Twin("fire-beyond-its-length", "$i \\le L$.", "FIRE sees the lag alone.", _beyond_length),
        Twin(
            "cope-from-zero",
            "the first gate: descriptions let positions start at $0$.",
            "$p_{ii} = 0$.",
            _cope_from_zero,
        ),
        Twin("cope-by-lag", "constant gates.", "$p_{ij}$ sees the lag alone.", _cope_relative),
        Twin(
            "sinusoidal-with-content",
            "no content: $x = (1, 0)$ is added.",
            "The score of $x + p_t$ and $x + p_s$ sees the lag alone.",
            _cross_terms,
        ),
    ),
    answers=(Answer("8.1-20", Outcome.REFUTED, "cope-from-zero", "p_ii = g_ii"),),
    uses=("homomorphism",),
    justifies=("fire", "cope", "sinusoidal"),
    sources=(
        "Li et al., FIRE, arXiv:2310.04418",
        "Golovneva et al., CoPE, arXiv:2405.18719",
        "Vaswani et al., arXiv:1706.03762",
    ),
)
