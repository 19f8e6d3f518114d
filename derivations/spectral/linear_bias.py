"""The spectrum of ALiBi's bias, for every length."""

from __future__ import annotations

from flint import arb, fmpz_mat

from derivations.spectral.tools import (
    BITS,
    cosine,
    eigenvalues,
    equalities,
    identities,
    number,
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.spectrum.linear_bias import bias_spectrum, hyperbolic_root

LARGEST_CHECKED = 24


def _second_difference() -> Decision:
    """|t + 1| − 2|t| + |t − 1| = 2·[t = 0], with t the lag: three cases."""
    t = Scalar.symbol("t")
    two = ONE + ONE
    return equalities(
        {
            "t >= 1": ((t + ONE) - two * t + (t - ONE), number(0)),
            "t <= -1": (-(t + ONE) + two * t - (t - ONE), number(0)),
            "t = 0": (ONE + ONE, two),
        }
    )


def _waves() -> Decision:
    """sin(a + 2h) − 2 sin a + sin(a − 2h) = −4 sin²h·sin a, with a = ωx and h = ω/2."""
    factor = (sine(h=1) * sine(h=1)).scale(number(-4))
    return identities(
        {
            "odd": (
                sine(a=1, h=2) - sine(a=1).scale(number(2)) + sine(a=1, h=-2),
                factor * sine(a=1),
            ),
            "even": (
                cosine(a=1, h=2) - cosine(a=1).scale(number(2)) + cosine(a=1, h=-2),
                factor * cosine(a=1),
            ),
        }
    )


def _ends() -> Decision:
    """At the end x = (n − 1)/2: with e = ωn/2, h = ω/2."""
    return identities(
        {
            "odd: v beyond the end less v at the end": (
                sine(e=1, h=1) - sine(e=1, h=-1),
                (cosine(e=1) * sine(h=1)).scale(number(2)),
            ),
            "even: cos at the end": (
                cosine(e=1, h=-1),
                cosine(e=1) * cosine(h=1) + sine(e=1) * sine(h=1),
            ),
        }
    )


def _conditionally_definite() -> Decision:
    """(a − b)² = a + b − 2ab for a, b in {0, 1}: |i − j| = Σ_k ([k < i] − [k < j])²."""
    values = (0, 1)
    return holds(
        all((a - b) ** 2 == a + b - 2 * a * b for a in values for b in values)
        and all(
            abs(i - j) == sum(((k < i) - (k < j)) ** 2 for k in range(9))
            for i in range(9)
            for j in range(9)
        ),
        "the sum of steps is not the distance",
        cut_form="|i - j| counts the cuts between i and j",
    )


def _determinants() -> Decision:
    wrong = [
        n
        for n in range(2, LARGEST_CHECKED + 1)
        if fmpz_mat([[abs(i - j) for j in range(n)] for i in range(n)]).det()
        != (-1) ** (n - 1) * (n - 1) * 2 ** (n - 2)
    ]
    return holds(not wrong, f"fails for n = {wrong}", n=f"2 to {LARGEST_CHECKED}")


def _extremes() -> Decision:
    with precision(BITS):
        n = 9
        found = bias_spectrum(ONE, n)
        dense = eigenvalues(toeplitz([arb(-t) for t in range(n)]))
        million = bias_spectrum(ONE, 10**6)
        square = arb(10) ** 12
        return holds(
            bool(
                dense[0].overlaps(found.largest)
                and dense[-1].overlaps(found.negative)
                and dense[-2] > arb(1) / 2
            ),
            "the closed form and the dense matrix disagree",
            largest_over_n_squared_at_a_million=shown(million.largest / square),
            negative_over_n_squared_at_a_million=shown(million.negative / square),
            two_over_pi_squared=shown(2 / arb.pi() ** 2),
        )


def _limit_constant() -> Decision:
    """(κ/2)tanh(κ/2) = 1 by a sign change, and 2/κ² = 0.34741."""
    with precision(BITS):
        low, high = arb("2.3993572"), arb("2.3993573")
        excess = [(x / 2) * (x / 2).tanh() - 1 for x in (low, high)]
        constant_ball = 2 / low.union(high) ** 2
        scaled = hyperbolic_root(10**6) * 10**6
        return holds(
            bool(
                excess[0] < 0 < excess[1]
                and abs(constant_ball - arb("0.34741")) < arb("0.00001")
                and abs(scaled - low.union(high)) < arb("0.00001")
            ),
            "the root is elsewhere",
            constant=constant_ball.str(5, radius=False),
        )


def _definite() -> Decision:
    """x = (1, 1): −|i − j| gives −2."""
    with precision(BITS):
        return refuted(
            "n = 2, x = (1, 1), which does not add to 0: the form is -2*|0 - 1| =", arb(-2)
        )


def _printed_frequency() -> Decision:
    """2n²/π² as the exact largest eigenvalue: for n = 2 it is 1 and not 8/π²."""
    with precision(BITS):
        return refuted(
            "n = 2: the largest eigenvalue is 1/(2 sin^2(pi/4)) = 1, and 2n^2/pi^2 is less by",
            1 - 8 / arb.pi() ** 2,
        )


DERIVATION = Derivation(
    name="linear-bias",
    title="ALiBi's bias matrix has one negative eigenvalue and waves for the others",
    chapter="spectral",
    statement=r"""
The matrix $B = -m|i-j|$, $m > 0$, $n \ge 2$, has inertia $(n-1, 1)$ and trace 0. Its
eigenvectors are waves in
$x = i - (n-1)/2$ with eigenvalue $m/(2\sin^2(\omega/2))$:

$$\sin\omega x:\ \omega = \tfrac{(2k+1)\pi}{n}, \qquad
\cos\omega x:\ \cot\tfrac{\omega}{2}\cot\tfrac{n\omega}{2} = -n, \qquad
\cosh\eta x:\ \coth\tfrac{\eta}{2}\coth\tfrac{n\eta}{2} = n,$$

the last with eigenvalue $-m/(2\sinh^2(\eta/2))$. The largest is $m/(2\sin^2(\pi/2n)) \sim
2mn^2/\pi^2$, the negative one
$\sim -2mn^2/\kappa^2$ with $(\kappa/2)\tanh(\kappa/2) = 1$. On vectors that add to 0 the form is
positive.
""".strip(),
    hypotheses=("$x$ adds to 0, for positivity", "$m > 0$"),
    steps=(
        Step(
            "second-difference",
            r"$|t+1| - 2|t| + |t-1| = 2\,[t = 0]$, so the second difference of $Bv$ is $-2mv$.",
            Rule.NORMAL_FORM,
            _second_difference,
        ),
        Step(
            "waves",
            r"Waves have the second difference $-4\sin^2(\omega/2)$ times themselves.",
            Rule.NORMAL_FORM,
            _waves,
        ),
        Step(
            "ends",
            r"At the ends $\lambda(v_{-1} - v_0) = -m\sum v$: for odd waves $\cos(n\omega/2) = "
            r"0$; for even ones the "
            "products of cotangents.",
            Rule.NORMAL_FORM,
            _ends,
        ),
        Step(
            "conditionally-positive",
            r"$|i-j| = \sum_k([k<i]-[k<j])^2$, so $-\sum_{ij}x_ix_j|i-j| = "
            r"2\sum_k\bigl(\sum_{i>k}x_i\bigr)^2$ when "
            r"$\sum x_i = 0$.",
            Rule.EVALUATION,
            _conditionally_definite,
            "The sum is 0 for x = 0 alone, so n - 1 eigenvalues are positive; the trace is 0, so "
            "one is "
            "negative.",
        ),
        Step(
            "determinants",
            r"$\det|i-j| = (-1)^{n-1}(n-1)2^{n-2}$.",
            Rule.EVALUATION,
            _determinants,
        ),
        Step(
            "extremes",
            "Closed form against the dense matrix for 9 positions; values at a million.",
            Rule.BALLS,
            _extremes,
        ),
        Step("limit", r"$2/\kappa^2 = 0.34741$.", Rule.BALLS, _limit_constant),
    ),
    twins=(
        Twin(
            "definite",
            "vectors that add to 0.",
            "The bias is positive semidefinite.",
            _definite,
        ),
        Twin(
            "asymptotic-as-exact",
            "the limit of long sequences.",
            r"The largest eigenvalue is $2mn^2/\pi^2$.",
            _printed_frequency,
        ),
    ),
    answers=(
        Answer(
            "V7", Outcome.PROVED, "conditionally-positive", "the determinant is decided for n <= 24"
        ),
    ),
    justifies=("symbolic_pe.spectrum.linear_bias",),
    sources=("Press et al., arXiv:2108.12409 (ALiBi)",),
)
