"""PaTH: products of maps that do not commute, and the order in which they stand."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix, multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.jordan.integer_step import integer_step
from symbolic_pe.proof.decisions import all_of, same_matrix, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.rewriting import IDENTITY, Maps, constant

BETA = Scalar.symbol("beta")
QUARTER: ScalarMatrix = ((ZERO, -ONE), (ONE, ZERO))
FIRST: ScalarMatrix = ((ZERO, ZERO), (ZERO, ONE))
"""I − wwᵀ for w = (1, 0)."""
HALF = Scalar.rational(fmpq(1, 2))
SECOND: ScalarMatrix = ((HALF, -HALF), (-HALF, HALF))
"""I − wwᵀ for w = (1, 1)/√2."""


def reflection(beta: Scalar) -> ScalarMatrix:
    """I − β·wwᵀ with w = (1, 0)."""
    return ((ONE - beta, ZERO), (ZERO, ONE))


def ascending(first: int, last: int) -> Maps:
    """H_first·H_{first+1}⋯H_last."""
    product = IDENTITY
    for n in range(first, last + 1):
        product = product * constant(f"H_{n}")
    return product


def _composition() -> Decision:
    """With P(j, i) = H_{j+1}⋯H_i: P(j, i) = P(j, u)·P(u, i) and P(i, i) = I, H as letters."""
    cases = [(0, 2, 5), (1, 3, 4), (2, 2, 4)]
    return all_of(
        {
            f"P({j}, {i}) through {u}": holds(
                ascending(j + 1, i) == ascending(j + 1, u) * ascending(u + 1, i), "not so"
            )
            for j, u, i in cases
        }
    )


def _determinant() -> Decision:
    """I − βwwᵀ with |w| = 1 has eigenvalues 1 − β and 1: singular at β = 1."""
    h = reflection(BETA)
    found = h[0][0] * h[1][1] - h[0][1] * h[1][0]
    return all_of(
        {
            "det": same_value(ONE - BETA, found, "det H"),
            "at beta = 1": same_value(ZERO, found.substitute({"beta": ONE}), "det H"),
        }
    )


def _generator() -> Decision:
    """Constant w, β: powers of H; a real generator for β < 1, none for 1 ≤ β < 2."""
    cases = {fmpq(1, 2): True, fmpq(1): False, fmpq(3, 2): False}
    found = {}
    for beta, answer in cases.items():
        step = integer_step(reflection(Scalar.rational(beta)))
        found[f"beta = {beta}"] = holds(step.has_real_generator == answer, step.reason)
    return all_of(found)


def _transposed() -> Decision:
    """qᵀRk and kᵀRq for the quarter turn, q = (1, 0), k = (0, 1)."""
    return same_value(
        QUARTER[0][1],
        QUARTER[1][0],
        "R = [[0, -1], [1, 0]], q = (1, 0), k = (0, 1), i - j = 1: q^T R k and k^T R q",
    )


def _order() -> Decision:
    """H₁H₂ and H₂H₁ for w = (1, 0) and (1, 1)/√2, β = 1."""
    return same_matrix(multiply(FIRST, SECOND), multiply(SECOND, FIRST), "H_1 H_2 and H_2 H_1")


def _inverses() -> Decision:
    """β = 1: Hw = 0."""
    image = reflection(ONE)[0][0]
    return same_value(
        ONE, image, "beta = 1, w = (1, 0): the first entry of H^-1 H w and of H w = 0"
    )


DERIVATION = Derivation(
    name="ordered-products",
    title="Products of maps that do not commute",
    chapter="misprints",
    statement=r"""
PaTH has scores $k_j^\top H_{j+1}H_{j+2}\cdots H_i\,q_i$ with $H_t = I - \beta_t w_t w_t^\top$,
$|w_t| = 1$. The products $P(j, i)$ satisfy $P(j,i) = P(j,u)P(u,i)$ and $P(i,i) = I$; they are no
group, and the order matters.
""".strip(),
    hypotheses=(
        "the product ascends from left to right where the key stands on the left",
        "$\\beta \\ne 1$, for inverses",
    ),
    prose=r"""
With constant $w$ and $\beta$ it is $H^{i-j}$: a group of the integers for $\beta \ne 1$, and one
with a continuous generator for $\beta < 1$ only.
""".strip(),
    steps=(
        Step(
            "composition",
            r"$P(j,i) = P(j,u)P(u,i)$, with the $H_t$ as letters that do not commute.",
            Rule.REWRITING,
            _composition,
        ),
        Step("determinant", r"$\det H = 1 - \beta$.", Rule.LINEAR_ALGEBRA, _determinant),
        Step(
            "constant-maps",
            r"$H^n$ has a real generator for $\beta = 1/2$, and none for $\beta = 1$ and $3/2$.",
            Rule.LINEAR_ALGEBRA,
            _generator,
        ),
    ),
    twins=(
        Twin(
            "transposed-score",
            "the side of the key: PaTH's introduction has $q_i^\\top R^{i-j}k_j$, section 2.1 with "
            "$H = R$ gives $k_j^\\top R^{i-j}q_i$.",
            "Both are the same score.",
            _transposed,
        ),
        Twin("descending-product", "the order.", "$H_1 H_2 = H_2 H_1$.", _order),
        Twin("singular-map", "$\\beta \\ne 1$.", "Every $H_t$ has an inverse.", _inverses),
    ),
    answers=(
        Answer("8.1-11", Outcome.REFUTED, "transposed-score", "kᵀRⁿq = qᵀR⁻ⁿk for rotations R"),
        Answer("8.1-11", Outcome.REFUTED, "descending-product", "ascending with k on the left"),
    ),
    uses=("commuting-families", "culver"),
    justifies=("path",),
    sources=("Yang et al., PaTH, arXiv:2505.16381, introduction and section 2",),
)
