"""The exponential of a real chain of any length n, with n as a symbol."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.linear_feasibility import Inequality, is_feasible
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import (
    all_of,
    cited,
    flow_laws,
    group_law,
    same_function,
    same_value,
)
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.hypergeometric import HypergeometricTerm

A, ETA, X = (Scalar.symbol(x) for x in ("a", "eta", "x"))
N, K, S, T = (Scalar.symbol(x) for x in "nkst")
RATE = A + ETA * X
"""The chain aI + ηN with x in place of N."""
COEFFICIENT = HypergeometricTerm({"k": ETA * T / (K + ONE)}, {"t": A + K / T})
"""e^{at}(ηt)^k/k!."""
CONVOLUTION = HypergeometricTerm(
    {"n": T / (N + ONE - K), "k": S * (N - K) / (T * (K + ONE))},
    {"s": K / S, "t": (N - K) / T},
)
"""s^k t^(n−k)/(k!·(n−k)!)."""
LENGTHS = range(1, 6)


def at_least(constant: int, **coefficients: int) -> Inequality:
    """Σ coefficients·index ≥ constant."""
    return Inequality({n: fmpq(c) for n, c in coefficients.items()}, fmpq(-constant), False)


def _nilpotent() -> Decision:
    """(N^k)_ij = [j − i = k], so Nⁿ has an entry only where j − i = n with 0 ≤ i, j < n."""
    inside = [at_least(0, i=1), at_least(0, j=1), at_least(1, n=1, i=-1), at_least(1, n=1, j=-1)]
    apart = [at_least(0, j=1, i=-1, n=-1), at_least(0, j=-1, i=1, n=1)]
    return holds(
        is_feasible([*inside, *apart]) is False,
        "there are i, j below n with j - i = n",
        system="0 <= i, j <= n - 1, j - i = n: no solution, for any n",
    )


def _exponential() -> ExponentialPolynomial:
    """e^{t(a + ηx)} in K[[x]]."""
    return ExponentialPolynomial.exponential("t", ComplexScalar(RATE))


def _laws() -> Decision:
    e = _exponential()
    product = e.compose({"t": 1, "s": 0}) * e.compose({"t": 0, "s": 1})
    return all_of(
        {
            "E(0) = 1": same_value(ONE, e.at_zero().re, "E(0)"),
            "E' = (a + eta x) E": same_function(e.scale(RATE), e.derivative("t")),
            "E(s + t) = E(s) E(t)": same_function(e.compose({"t": 1, "s": 1}), product),
        }
    )


def _coefficients() -> Decision:
    """c_k′ = a·c_k + η·c_{k−1} after division by c_k, with k a symbol."""
    if not COEFFICIENT.is_consistent():
        return Decision(Outcome.UNDECIDED, {"reason": "the ratios contradict each other"})
    return same_value(
        COEFFICIENT.rate("t"),
        A + ETA * COEFFICIENT.shifted(k=-1),
        "c_k'/c_k and (a c_k + eta c_(k-1))/c_k",
        c_k="exp(a t) (eta t)^k/k!, by c_(k+1)/c_k = eta t/(k + 1)",
        order_of_vanishing_at_0=(T * (COEFFICIENT.rate("t") - A)),
    )


def _vandermonde() -> Decision:
    """(n+1)F(n+1, k) − (s+t)F(n, k) = G(n, k+1) − G(n, k), G(n, k) = −s·F(n, k−1)."""
    if not CONVOLUTION.is_consistent():
        return Decision(Outcome.UNDECIDED, {"reason": "the ratios contradict each other"})
    left = (N + ONE) * CONVOLUTION.shifted(n=1) - (S + T)
    right = -S - (-S * CONVOLUTION.shifted(k=-1))
    power = (S + T) / (N + ONE)
    return all_of(
        {
            "telescoping": same_value(left, right, "both sides over F(n, k)"),
            "(s + t)^n/n! has the same recurrence": same_value(
                S + T, (N + ONE) * power, "ratio of consecutive values"
            ),
        }
    )


def _block(length: int) -> tuple[ScalarMatrix, FunctionMatrix]:
    block = Block(A, ZERO, length, ETA)
    return block.generator, block.exponential("t")


def _code() -> Decision:
    return all_of({f"n = {n}": flow_laws(*_block(n)) for n in LENGTHS})


def _free_coefficients() -> Decision:
    """[[1, gτ, hτ²/2], [0, 1, gτ], [0, 0, 1]] with h ≠ g²."""
    g, h = Scalar.symbol("g"), Scalar.symbol("h")
    tau = ExponentialPolynomial.variable("t")
    half = Scalar.rational(fmpq(1, 2))
    one, zero = ExponentialPolynomial.constant(ONE), ExponentialPolynomial(("t",), {})
    first, second = tau.scale(g), (tau * tau).scale(h * half)
    e: FunctionMatrix = ((one, first, second), (zero, one, first), (zero, zero, one))
    return group_law(e, {"g": "positive", "h": "positive"})


def _stabilised() -> Decision:
    """Shear f(d) = d/(1 + d/L): f(1) + f(1) and f(2)."""
    length = Scalar.symbol("L")

    def shear(d: int) -> Scalar:
        return Scalar.rational(d) / (ONE + Scalar.rational(d) / length)

    return same_value(shear(1) + shear(1), shear(2), "shear d/(1 + d/L): f(1) + f(1) and f(1 + 1)")


DERIVATION = Derivation(
    name="chains",
    title="The exponential of a chain of any length",
    chapter="blocks",
    statement=r"""
Let $N$ be the $n \times n$ shift, ones on the superdiagonal, and $X = aI + \eta N$. For **every**
$n$ and all real $a, \eta$

$$e^{tX} = e^{at} \sum_{k=0}^{n-1} \frac{(\eta t)^k}{k!}\,N^k, \qquad e^{(s+t)X} = e^{sX}e^{tX},$$

and the group law, read in the last column of the first row, is the binomial theorem as
Vandermonde's convolution $\sum_k \frac{s^k}{k!}\frac{t^{n-k}}{(n-k)!} = \frac{(s+t)^n}{n!}$.
""".strip(),
    hypotheses=(
        "the coefficient of $N^k$ is $(\\eta t)^k/k!$ with one $\\eta$ for all $k$",
        "the shear is linear in the lag",
    ),
    prose=r"""
Two proofs stand side by side, and each is complete.

*In our ring.* $x \mapsto N$ carries power series to matrices, since $N^n = 0$; so the laws are
laws of $e^{t(a + \eta x)}$ with a *symbol* $x$, one exponential, and hold for all $n$ at once.
Its coefficient at $x^k$ is found with a symbolic $k$: terms are known by their ratios, and an
identity of such terms is one of rational functions in $k$.

*In Rocq.* The matrices themselves, with $n$ a variable of the theorem; what the ring does not
see, that the displayed sum of matrices is the image of the series, is checked there entry by
entry.

With $a = 0$, $\eta = 1$ and $n = 2$ this is $e^{tN} = I + tN$, the frictionless puck
$(x, v) \mapsto (x + tv, v)$.
""".strip(),
    steps=(
        Step(
            "nilpotent",
            r"$(N^k)_{ij} = 1$ where $j - i = k$ and $0$ elsewhere, so $N^n = 0$ and $x \mapsto N$ "
            r"is a homomorphism from power series to matrices.",
            Rule.LINEAR_ALGEBRA,
            _nilpotent,
        ),
        Step(
            "laws-of-the-series",
            r"$E = e^{t(a+\eta x)}$ has $E(0) = 1$, $E' = (a + \eta x)E$, $E(s+t) = E(s)E(t)$.",
            Rule.NORMAL_FORM,
            _laws,
        ),
        Step(
            "coefficients",
            r"Its coefficient at $x^k$ is $c_k = e^{at}(\eta t)^k/k!$: "
            r"$c_k' = a c_k + \eta c_{k-1}$ with $c_0(0) = 1$ and $c_k(0) = 0$ for $k > 0$, for "
            r"every $k$.",
            Rule.NORMAL_FORM,
            _coefficients,
            "Divided by $c_k$ this is an identity of rational functions of $k$, $a$, $\\eta$, $t$.",
        ),
        Step(
            "vandermonde",
            r"$\sum_k F(n,k) = (s+t)^n/n!$ for $F(n,k) = \frac{s^k t^{n-k}}{k!\,(n-k)!}$: with "
            r"$G(n,k) = -s\,F(n,k-1)$, $(n+1)F(n+1,k) - (s+t)F(n,k) = G(n,k+1) - G(n,k)$, whose "
            r"right side sums to $0$, and both sides are $1$ at $n = 0$.",
            Rule.NORMAL_FORM,
            _vandermonde,
        ),
        Step(
            "for-every-size",
            "The displayed matrices are the flow of $aI + \\eta N$, for every $n$.",
            Rule.ROCQ,
            lambda: cited(
                "Chains.chain_is_flow",
                "forall (n : nat) (a e : R), flow n (chain a e) (chain_flow a e)",
            ),
        ),
        Step(
            "group-law-for-every-size",
            "Their group law, for every $n$.",
            Rule.ROCQ,
            lambda: cited(
                "Chains.chain_group_law", "times n (chain_flow a e s) (chain_flow a e t)"
            ),
        ),
        Step(
            "vandermonde-for-every-size",
            "And Vandermonde's convolution from it.",
            Rule.ROCQ,
            lambda: cited("Chains.vandermonde", "(s + t) ^ n / INR (fact n)"),
        ),
        Step(
            "code",
            "The blocks that the package computes satisfy the laws; lengths 1 to 5 are decided "
            "here.",
            Rule.NORMAL_FORM,
            _code,
        ),
    ),
    twins=(
        Twin(
            "free-coefficients",
            "one $\\eta$ for all $k$: coefficients $g\\tau$, $h\\tau^2/2$ with free $g, h$, as "
            "in the mixed jets of Jordan-RoPE's code.",
            "The upper triangular Toeplitz matrices with these entries form a group.",
            _free_coefficients,
        ),
        Twin(
            "stabilised-shear",
            "linearity of the shear: $d/(1 + d/L)$, the stabilised form of Jordan-RoPE.",
            "The shears add up.",
            _stabilised,
        ),
    ),
    answers=(
        Answer(
            "S1.7",
            Outcome.PROVED,
            "for-every-size",
            "for every chain length; $e^{tX} = I + tX$ at length 2",
        ),
    ),
    uses=("exponential",),
    rocq=("Chains.chain_is_flow", "Chains.chain_group_law", "Chains.vandermonde"),
    justifies=("symbolic_pe.generators.block.Block.exponential",),
    sources=(
        "A. Puranik, positional encodings through group theory, Jane Street, 2026",
        "Zeilberger, Discrete Math. 80 (1990) (creative telescoping)",
        "Jordan-RoPE, arXiv:2605.04217 (longer chains, and the forms of its code)",
    ),
)
