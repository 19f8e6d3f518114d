"""−m·|τ| on both sides of zero has no finite-dimensional realisation, on ℝ or on ℤ."""

from __future__ import annotations

from flint import fmpq_mat

from derivations.blocks.chains import at_least
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.linear_feasibility import is_feasible
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

M = Scalar.symbol("m")
LAG = ExponentialPolynomial.variable("t")
SIZES = (1, 2, 5, 9)


def _determined_by_half() -> Decision:
    """f ↦ f on τ ≥ 0 loses nothing: independence of t^k e^{λt} holds on any half-line.

    The one exponential polynomial that is −mτ there is −mτ, and at τ = −1 it is m, not −m.
    """
    f = LAG.scale(-M)
    at_minus_one = f.compose({"t": -1}).terms
    ((_, value),) = at_minus_one.items()
    return same_value(M, value.re, "-m tau at tau = -1", asked_for="-m")


def second_difference(n: int) -> int:
    """|n + 1| − 2|n| + |n − 1|."""
    return abs(n + 1) - 2 * abs(n) + abs(n - 1)


def _on_integers() -> Decision:
    """|n+1| − 2|n| + |n−1| = 2 at n = 0 and 0 elsewhere, for n ≥ 1 and n ≤ −1 by linearity."""
    inside = second_difference(0) == 2
    # |n ± 1| and |n| have one sign for n ≥ 1 (n − 1 ≥ 0) and for n ≤ −1 (n + 1 ≤ 0)
    right = is_feasible([at_least(1, n=1), at_least(0, n=-1)]) is False
    left = is_feasible([at_least(1, n=-1), at_least(0, n=1)]) is False
    return holds(inside and right and left, "another value", at_0=second_difference(0))


def _hankel() -> Decision:
    """[δ(i + j − (n − 1))], i, j < n, is the anti-diagonal: determinant ±1, for every n."""
    found = {}
    for n in SIZES:
        matrix = fmpq_mat(
            [[second_difference(i + j - (n - 1)) // 2 for j in range(n)] for i in range(n)]
        )
        found[f"n = {n}"] = holds(abs(matrix.det()) == 1, "singular", determinant=matrix.det())
    return all_of(found)


def _on_all_lags() -> Decision:
    """Two coordinates realise −τ for τ ≥ 0; at τ = −2, −1, 0 the third Hankel determinant."""
    b = {n: Scalar.rational(-abs(n)) for n in range(-2, 3)}
    rows = [[b[i + j - 2] for j in range(3)] for i in range(3)]
    determinant = fmpq_mat([[x.rational_value() for x in row] for row in rows]).det()
    return same_value(
        Scalar.rational(0),
        Scalar.rational(determinant),
        "two coordinates make the 3 x 3 determinant of b(i + j - 2) vanish; for b = -|tau|",
    )


def _one_sided() -> Decision:
    """b(n + 2) − 2b(n + 1) + b(n) = 0 for b(n) = −n: two coordinates suffice for n ≥ 0."""
    n, two = Scalar.symbol("n"), Scalar.rational(2)
    return same_value(
        Scalar.rational(0), -(n + two) + two * (n + Scalar.rational(1)) - n, "second difference"
    )


DERIVATION = Derivation(
    name="bidirectional-linear-bias",
    title="A bias that falls on both sides is no group",
    chapter="augmentation",
    statement=r"""
For $m \ne 0$ there are no constant vectors and no finite generator with
$q_a^\top e^{\tau Y} k_a = -m|\tau|$ for all real $\tau$; nor, with an invertible step $B$, with
$q_a^\top B^n k_a = -m|n|$ for all integers $n$.
""".strip(),
    hypotheses=("causal lags, for ALiBi to be a group",),
    prose=r"""
On causal lags $|\tau|$ is $\tau$, and two coordinates do. Without a mask a linear bias has to be
written as a function of $|\tau|$ and added to the scores.
""".strip(),
    steps=(
        Step(
            "half-line",
            r"$q_a^\top e^{\tau Y} k_a$ is an exponential polynomial, and these are independent "
            r"on any half-line: if it is $-m\tau$ for $\tau \ge 0$ it is $-m\tau$ everywhere, "
            r"which at $\tau = -1$ is $m \ne -m$.",
            Rule.NORMAL_FORM,
            _determined_by_half,
        ),
        Step(
            "half-line-for-every-size",
            "What a flow gives is known everywhere once it is known on a half-line, for every "
            "size.",
            Rule.ROCQ,
            lambda: cited(
                "HalfLine.known_on_a_half_line", "forall t : R, bilinear n p (E t) q = 0"
            ),
        ),
        Step(
            "for-every-size",
            "For every size and every $X$: what a flow gives has a derivative at $0$, $|\\tau|$ "
            "has none.",
            Rule.ROCQ,
            lambda: cited(
                "Minimality.absolute_lag_is_not_realised",
                "~ (forall tau : R, bilinear r p (E tau) q = - m * Rabs tau)",
            ),
        ),
        Step(
            "second-difference",
            r"On integers $|n+1| - 2|n| + |n-1|$ is $2$ at $0$ and $0$ elsewhere.",
            Rule.LINEAR_ALGEBRA,
            _on_integers,
        ),
        Step(
            "hankel",
            r"The Hankel matrices $[\delta_{i+j,\,n-1}]$ of half of it are anti-diagonal, with "
            r"determinant $\pm 1$ for every size $n$ (four sizes are evaluated here): no finite "
            r"rank.",
            Rule.LINEAR_ALGEBRA,
            _hankel,
        ),
        Step(
            "causal",
            r"On $n \ge 0$ the second differences vanish: two coordinates suffice.",
            Rule.NORMAL_FORM,
            _one_sided,
        ),
    ),
    twins=(
        Twin(
            "all-lags",
            "causal lags.",
            r"Two coordinates realise $-|\tau|$ at the lags $-2, \dots, 2$.",
            _on_all_lags,
        ),
    ),
    answers=(
        Answer(
            "8.1-14", Outcome.REFUTED, "all-lags", "|τ| on both sides is no group, of any dimension"
        ),
    ),
    uses=("augmentation-minimality", "alibi-augmentation"),
    rocq=("Minimality.absolute_lag_is_not_realised", "HalfLine.known_on_a_half_line"),
    justifies=("alibi",),
    sources=("Press et al., arXiv:2108.12409 (causal); bidirectional copies",),
)
