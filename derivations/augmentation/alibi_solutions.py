"""All constant vectors that give −m·τ, and the freedom that is left."""

from __future__ import annotations

from derivations.augmentation.alibi import LOWER, UPPER, Vector
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.augmentation import nilpotent_exponential, realised_bias
from symbolic_pe.proof.decisions import all_of, same_function, same_value
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin

M, Q1, Q2, K1, K2, C = (Scalar.symbol(x) for x in ("m", "q1", "q2", "k1", "k2", "c"))
LAG = ExponentialPolynomial.variable("t")
TARGET = LAG.scale(-M)
SIGNS = {"m": "positive", "q1": "positive", "q2": "positive"}


def bias(query: Vector, key: Vector, generator: ScalarMatrix = UPPER) -> ExponentialPolynomial:
    """qᵀ exp(τY) k."""
    return realised_bias(query, nilpotent_exponential(generator), key)


def _expansion() -> Decision:
    """q₁k₁ + q₂k₂ + τ·q₁k₂, and with the transposed block τ·q₂k₁."""
    constant = ExponentialPolynomial.constant(Q1 * K1 + Q2 * K2)
    return all_of(
        {
            "upper": same_function(constant + LAG.scale(Q1 * K2), bias((Q1, Q2), (K1, K2))),
            "lower": same_function(constant + LAG.scale(Q2 * K1), bias((Q1, Q2), (K1, K2), LOWER)),
        }
    )


def _solutions() -> Decision:
    """k = (m·q₂/q₁², −m/q₁), and for the lower block (−m/q₂, m·q₁/q₂²)."""
    upper = (M * Q2 / (Q1 * Q1), -(M / Q1))
    lower = (-(M / Q2), M * Q1 / (Q2 * Q2))
    return all_of(
        {
            "upper": same_function(TARGET, bias((Q1, Q2), upper)),
            "lower": same_function(TARGET, bias((Q1, Q2), lower, LOWER)),
        }
    )


def _no_others() -> Decision:
    """q₁k₂ = −m, q₁k₁ + q₂k₂ = 0 is linear in k with determinant −q₁²; Cramer's rule.

    At q₁ = 0 the coefficient of τ is 0, which is not −m.
    """
    determinant = ZERO * Q2 - Q1 * Q1
    k1 = (-M * Q2 - Q1 * ZERO) / determinant
    k2 = (ZERO * ZERO - Q1 * -M) / determinant
    coefficient = (Q1 * K2).substitute({"q1": ZERO})
    return all_of(
        {
            "determinant": same_value(-(Q1 * Q1), determinant, "det [[0, q1], [q1, q2]]"),
            "k1": same_value(M * Q2 / (Q1 * Q1), k1, "Cramer's k1"),
            "k2": same_value(-(M / Q1), k2, "Cramer's k2"),
            "slope at q1 = 0": same_value(ZERO, coefficient, "q1 k2 at q1 = 0"),
        }
    )


def _position_wise() -> Decision:
    """q̃ = [−m, −m·t], k̃ = [−s, 1]: the maps of the first row, position by position."""
    t, s = ExponentialPolynomial.variable("t"), ExponentialPolynomial.variable("s")
    return same_function(TARGET.compose({"t": 1, "s": -1}), (-s).scale(-M) + t.scale(-M))


def _scaled() -> Decision:
    """A kernel that divides by √d gives −m·τ from (−m√d, 0), with c for √d."""
    return same_function(TARGET, bias((-(M * C), ZERO), (ZERO, ONE)).scale(ONE / C))


def _zero_first() -> Decision:
    """q = (0, q₂): no key coordinates give a slope."""
    return same_function(TARGET, bias((ZERO, Q2), (K1, K2)), {**SIGNS, "k1": "real", "k2": "real"})


def _unscaled() -> Decision:
    """(−m, 0), (0, 1) in a kernel that divides by √d = 8."""
    eight = Scalar.rational(8)
    return same_function(TARGET, bias((-M, ZERO), (ZERO, ONE)).scale(ONE / eight), SIGNS)


def _constant_left() -> Decision:
    """(q₁, q₂) = (−m, 1), k = (0, 1): −m·τ + 1, which softmax does not see but a score does."""
    return same_function(TARGET, bias((-M, ONE), (ZERO, ONE)), SIGNS)


DERIVATION = Derivation(
    name="alibi-solutions",
    title="All constant vectors for a linear bias",
    chapter="augmentation",
    statement=r"""
Let $m \ne 0$ and $Y = \begin{pmatrix}0&1\\0&0\end{pmatrix}$. Then
$q_a^\top e^{\tau Y} k_a = -m\tau$ for all $\tau$ exactly when $q_{a1} \ne 0$ and

$$k_a = \Bigl(\frac{m\,q_{a2}}{q_{a1}^2},\ -\frac{m}{q_{a1}}\Bigr),$$

and for $Y^\top$ exactly when $q_{a2} \ne 0$ and
$k_a = \bigl(-m/q_{a2},\ m\,q_{a1}/q_{a2}^2\bigr)$.
""".strip(),
    hypotheses=("$q_{a1} \\ne 0$", "the bias itself, not up to what softmax does not see"),
    prose=r"""
So there is a plane of solutions: any $q_a$ with $q_{a1} \ne 0$ has one $k_a$. In a kernel that
divides by $\sqrt d$ the vectors carry the factor: $(-m\sqrt d, 0)$.
""".strip(),
    steps=(
        Step(
            "expansion",
            r"$q_{a1}k_{a1} + q_{a2}k_{a2} + \tau\,q_{a1}k_{a2}$, and for $Y^\top$ the slope is "
            r"$q_{a2}k_{a1}$.",
            Rule.NORMAL_FORM,
            _expansion,
        ),
        Step("solutions", "These $k_a$ give $-m\\tau$.", Rule.NORMAL_FORM, _solutions),
        Step(
            "no-others",
            r"$q_{a1}k_{a2} = -m$ and $q_{a1}k_{a1} + q_{a2}k_{a2} = 0$ are linear in $k_a$ with "
            r"determinant $-q_{a1}^2$; at $q_{a1} = 0$ there is no slope.",
            Rule.LINEAR_ALGEBRA,
            _no_others,
        ),
        Step(
            "position-wise",
            r"As vectors at positions: $[-m, -mt]\cdot[-s, 1] = -m(t - s)$.",
            Rule.NORMAL_FORM,
            _position_wise,
        ),
        Step(
            "scaled-kernel",
            r"Divided by $\sqrt d$, $(-m\sqrt d, 0)$ and $(0, 1)$ give $-m\tau$.",
            Rule.NORMAL_FORM,
            _scaled,
        ),
    ),
    twins=(
        Twin(
            "first-coordinate-zero", "$q_{a1} \\ne 0$.", "Some $k_a$ gives $-m\\tau$.", _zero_first
        ),
        Twin(
            "forgotten-scale",
            "the factor $\\sqrt d$ where the kernel divides by it, here $d = 64$.",
            "$(-m, 0)$ and $(0, 1)$ give $-m\\tau$.",
            _unscaled,
        ),
        Twin(
            "up-to-softmax",
            "equality of the bias itself.",
            "$(-m, 1)$ and $(0, 1)$ give $-m\\tau$.",
            _constant_left,
        ),
    ),
    uses=("alibi-augmentation",),
    rocq=("Augmentation.score_with_bias", "Augmentation.alibi"),
    justifies=("symbolic_pe.encodings.augmentation.linear_bias", "alibi"),
    sources=("Press et al., arXiv:2108.12409 (ALiBi)",),
)
