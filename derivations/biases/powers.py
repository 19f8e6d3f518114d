"""−a·τ^p (KERPLE) is realised exactly for whole p."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.functions import power
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.realisation import hankel_rank, minimal_augmentation
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.hypergeometric import HypergeometricTerm

P, K, T, LAMBDA = (Scalar.symbol(x) for x in ("p", "k", "t", "lambda"))
TERM = HypergeometricTerm({"k": T}, {"t": LAMBDA + K / T})
"""t^k e^{λt}."""


def _euler() -> Decision:
    """τb′ = p·b for b = τ^p; on a term: λt^{k+1}e^{λt} + (k − p)t^k e^{λt}, for every k, λ."""
    acted = T * TERM.rate("t") - P
    return same_value(
        LAMBDA * TERM.shifted(k=1) + K - P, acted, "(t d/dt - p) over t^k e^(lambda t)"
    )


def _top_term() -> Decision:
    """The top power of λ ≠ 0 goes to λc ≠ 0 at t^{k+1}; for λ = 0 it stays, times k − p."""
    at_zero = (T * TERM.rate("t") - P).substitute({"lambda": ZERO})
    return all_of(
        {
            "lambda != 0: coefficient at t^(k+1)": same_value(
                LAMBDA, (T * TERM.rate("t") - K) / T, "(t f' - k f)/(t f)"
            ),
            "lambda = 0": same_value(K - P, at_zero, "k - p"),
        }
    )


def _whole() -> Decision:
    """p = 1 and p = 2 are inside, with 2 and 3 coordinates, in fact every whole p with p + 1."""
    t = ExponentialPolynomial.variable("t")
    f, found = ExponentialPolynomial.constant(ONE), {}
    for p in range(1, 5):
        f = f * t
        rank = minimal_augmentation(-f).hankel_rank
        found[f"p = {p}"] = holds(rank == p + 1, f"rank {rank}", rank=rank)
    return all_of(found)


def _too_few(exponent: fmpq, size: int) -> Decision:
    """The Hankel matrix of 0, 1, 2^p, … at integers has full rank, exactly: radical sums."""
    values = tuple(power(Scalar.rational(n), exponent) if n else ZERO for n in range(2 * size - 1))
    rank = hankel_rank(values)
    if rank < size:
        return Decision(Outcome.PROVED, {"rank": rank})
    return Decision(
        Outcome.REFUTED,
        {"values": list(values), "rank": rank},
        f"b(n) = -n^({exponent}): the {size} x {size} Hankel matrix of b(0), b(1), ... has rank "
        f"{rank}, exactly; {size - 1} coordinates give at most {size - 1}",
    )


DERIVATION = Derivation(
    name="power-bias",
    title="A power of the lag is a group exactly for whole exponents",
    chapter="biases",
    statement=r"""
The bias $-a\tau^p$ on $\tau \ge 0$, $a \ne 0$, $p > 0$ (KERPLE, power), is $q^\top e^{\tau X} k$
with finite $X$ exactly when $p$ is a whole number, and then $p + 1$ coordinates are needed and
suffice.
""".strip(),
    hypotheses=("$p$ is a whole number",),
    prose=r"""
KERPLE's range is $0 < p \le 2$: inside it are $p = 1$, which is ALiBi, and $p = 2$, which needs
three coordinates and holds at negative lags too. All others are relative without being a group.
""".strip(),
    steps=(
        Step(
            "euler",
            r"$b = \tau^p$ solves $\tau b' = pb$. On a term of the ring, "
            r"$\bigl(\tau\tfrac{d}{d\tau} - p\bigr)\tau^k e^{\lambda\tau} = "
            r"\lambda\tau^{k+1}e^{\lambda\tau} + (k - p)\,\tau^k e^{\lambda\tau}$, for every $k$, "
            r"$\lambda$, $p$.",
            Rule.NORMAL_FORM,
            _euler,
        ),
        Step(
            "top-power",
            r"If $f \ne 0$ in the ring solves it on a half-line, its terms with $\lambda \ne 0$ "
            r"have no top power, so there are none; and terms with $\lambda = 0$ need $k = p$.",
            Rule.NORMAL_FORM,
            _top_term,
        ),
        Step(
            "half-line",
            "So the equation holds for $f$ on the whole line if it holds for all $\\tau \\ge 0$: "
            "both sides are what flows give (`realisable-biases`).",
            Rule.ROCQ,
            lambda: cited(
                "HalfLine.known_on_a_half_line", "forall t : R, bilinear n p (E t) q = 0"
            ),
        ),
        Step(
            "whole-exponents",
            r"For whole $p$ the matrix $[b^{(i+j)}(0)]$ has $-a\,p!$ on the anti-diagonal and $0$ "
            r"elsewhere: rank $p + 1$, and a chain of that length realises $b$. $p$ = 1 to 4 are "
            "computed here.",
            Rule.LINEAR_ALGEBRA,
            _whole,
        ),
    ),
    twins=(
        Twin(
            "square-root",
            "whole exponents: $p = 1/2$, with three coordinates.",
            r"$-\sqrt n$ is realised at integer lags.",
            lambda: _too_few(fmpq(1, 2), 4),
        ),
        Twin(
            "three-halves",
            "whole exponents: $p = 3/2$.",
            r"$-\tau^{3/2}$ is realised by three coordinates at integer lags.",
            lambda: _too_few(fmpq(3, 2), 4),
        ),
    ),
    uses=("realisable-biases",),
    rocq=("HalfLine.known_on_a_half_line",),
    justifies=("kerple",),
    sources=("Chi et al., KERPLE, arXiv:2205.09921",),
)
