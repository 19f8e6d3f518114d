"""GRAPE's multiplicative and additive forms with the signs that hold."""

from __future__ import annotations

from flint import arb, fmpq

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import (
    FunctionMatrix,
    ScalarMatrix,
    identity,
    multiply,
    scalar_matrix,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.augmentation import nilpotent_exponential, realised_bias
from symbolic_pe.proof.decisions import all_of, same_function, same_matrix, same_value, taken_at
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

A1, A2, A3, B1, B2, B3 = (Scalar.symbol(x) for x in ("a1", "a2", "a3", "b1", "b2", "b3"))
A, B = (A1, A2, A3), (B1, B2, B3)
J: ScalarMatrix = ((ZERO, -ONE), (ONE, ZERO))
BETA, LQ, LK = (Scalar.symbol(x) for x in ("beta", "lq", "lk"))
LAG = ExponentialPolynomial.variable("t")


def _inner(x: tuple[Scalar, ...], y: tuple[Scalar, ...]) -> Scalar:
    return sum((p * q for p, q in zip(x, y, strict=True)), ZERO)


def rank_two(a: tuple[Scalar, ...], b: tuple[Scalar, ...]) -> ScalarMatrix:
    """L = abᵀ − baᵀ."""
    n = range(len(a))
    return scalar_matrix([[a[i] * b[j] - b[i] * a[j] for j in n] for i in n])


def _cube() -> Decision:
    """L³ = −s²L with s² = |a|²|b|² − (a·b)²: so exp(nL) = I + sin(ns)/s L + (1 − cos ns)/s² L²."""
    generator = rank_two(A, B)
    s2 = _inner(A, A) * _inner(B, B) - _inner(A, B) * _inner(A, B)
    cube = multiply(multiply(generator, generator), generator)
    scaled = tuple(tuple(-(s2 * x) for x in row) for row in generator)
    return same_matrix(scaled, cube, "L^3", s_squared=s2)


def _formula() -> Decision:
    """f = sin(nσ)/σ, g = (1 − cos nσ)/σ² satisfy f′ = 1 − σ²g, g′ = f: the derivative is L·exp.

    (I + fL + gL²)′ = f′L + g′L² and L(I + fL + gL²) = L + fL² + gL³ = (1 − σ²g)L + fL².
    """
    sigma = Scalar.symbol("sigma")
    sine = ExponentialPolynomial.sine("t", sigma).scale(ONE / sigma)
    cosine = ExponentialPolynomial.cosine("t", sigma)
    one = ExponentialPolynomial.constant(ONE)
    g = (one - cosine).scale(ONE / (sigma * sigma))
    return all_of(
        {
            "f' = 1 - sigma^2 g": same_function(one - g.scale(sigma * sigma), sine.derivative("t")),
            "g' = f": same_function(sine, g.derivative("t")),
            "f(0)": same_value(ZERO, sine.at_zero().re, "f(0)"),
            "g(0)": same_value(ZERO, g.at_zero().re, "g(0)"),
        }
    )


def _plane() -> Decision:
    """b = Ja gives L = −|a|²J on the plane: rotation by minus the angle."""
    a = (A1, A2)
    b = (-A2, A1)
    norm = _inner(a, a)
    return same_matrix(
        tuple(tuple(-(norm * x) for x in row) for row in J), rank_two(a, b), "L for b = J a"
    )


def _skew() -> Decision:
    generator = rank_two(A, B)
    negative = tuple(tuple(-x for x in row) for row in generator)
    return same_matrix(negative, transpose(generator), "L^T")


def pairing(generator: ScalarMatrix) -> FunctionMatrix:
    """G(t)ᵀ·G(s)^−T for G = exp(·A): exp((t − s)A)ᵀ, as GRAPE pairs queries and keys."""
    return transpose(taken_at(nilpotent_exponential(generator), t=1, s=-1))


def _additive() -> Decision:
    """A = −β e₂e₁ᵀ, q = (1, 0), k = (0, 1): (G(t)q)ᵀ(G(s)^−T k) = −β(t − s)."""
    generator: ScalarMatrix = ((ZERO, ZERO), (-BETA, ZERO))
    found = realised_bias((ONE, ZERO), pairing(generator), (ZERO, ONE))
    return same_function(LAG.compose({"t": 1, "s": -1}).scale(-BETA), found)


def _explicit() -> Decision:
    """q̃ = [1, −tβ], k̃ = [sβ, 1]."""
    t, s = ExponentialPolynomial.variable("t"), ExponentialPolynomial.variable("s")
    return same_function((s - t).scale(BETA), s.scale(BETA) + t.scale(-BETA))


def _rank_one() -> Decision:
    """A = [[0, u], [0, 0]]: q·k + 1 + (t − s)·u·k up to the sign of the pairing, d = 1."""
    q, k, u = (Scalar.symbol(x) for x in "qku")
    generator: ScalarMatrix = ((ZERO, u), (ZERO, ZERO))
    found = realised_bias((q, ONE), pairing(generator), (k, ONE))
    constant = ExponentialPolynomial.constant(q * k + ONE)
    return same_function(constant + LAG.compose({"t": 1, "s": -1}).scale(u * k), found)


def _gated() -> Decision:
    """q = (l_q, 0, 1, 0), k = (0, −1, 0, −l_k) over two nilpotent blocks: −τ(l_q + l_k)."""
    zero: tuple[Scalar, ...] = (ZERO,) * 4
    generator: ScalarMatrix = (
        (ZERO, ONE, ZERO, ZERO),
        zero,
        (ZERO, ZERO, ZERO, ONE),
        zero,
    )
    flow = nilpotent_exponential(generator)
    found = realised_bias((LQ, ZERO, ONE, ZERO), flow, (ZERO, -ONE, ZERO, -LK))
    return same_function(LAG.scale(-(LQ + LK)), found)


def _four_needed() -> Decision:
    """As forms in (1, l_q) and (1, l_k): M₀ = 0, M₁ = [[0, −1], [−1, 0]], M₂ = 0: rank 4."""
    zero, minus = ZERO, -ONE
    hankel = (
        (zero, zero, zero, minus),
        (zero, zero, minus, zero),
        (zero, minus, zero, zero),
        (minus, zero, zero, zero),
    )
    square = multiply(hankel, hankel)
    return same_matrix(identity(4), square, "H^2 for the block Hankel matrix H")


# -- printed signs ----------------------------------------------------------------------------


def _plane_sign() -> Decision:
    """L(e₁, e₂) is printed as J."""
    return same_matrix(J, rank_two((ONE, ZERO), (ZERO, ONE)), "J and L(e1, e2)")


def _conjugated_sign() -> Decision:
    """A J Aᵀ is printed as L for A = [a b] with columns a, b; it is −L."""
    columns = ((A1, B1), (A2, B2))
    return same_matrix(
        rank_two((A1, A2), (B1, B2)),
        multiply(multiply(columns, J), transpose(columns)),
        "L and A J A^T for A = [a b]",
    )


def _appendix_e() -> Decision:
    """[[1, mωΛ], [0, 1]] with the inverse transpose, q = (1, 0), k = (0, 1): 0 for −mωΛ."""
    x = Scalar.symbol("x")
    upper: ScalarMatrix = ((ZERO, x), (ZERO, ZERO))
    found = realised_bias((ONE, ZERO), pairing(upper), (ZERO, ONE))
    return same_function(LAG.compose({"t": 1, "s": -1}).scale(-x), found, {"x": "positive"})


def _pair_generator() -> Decision:
    """Eq 4.4–4.6: generator −Λ_ij·A₀ in d + 2: one fixed A₀ and Λ would give one slope.

    Content (l_q, l_k) = (1, 1) and (1, 2) at τ = 1: biases −2 and −3 from one generator with
    constant coordinates.
    """
    flow = nilpotent_exponential(((ZERO, ONE), (ZERO, ZERO)))
    fixed = realised_bias((-(ONE + ONE), ZERO), flow, (ZERO, ONE))
    gated = LAG.scale(-(LQ + LK)).substitute({"lq": ONE, "lk": ONE + ONE})
    return same_function(gated, fixed, slope="fixed by (l_q, l_k) = (1, 1), asked for at (1, 2)")


def _period() -> Decision:
    """Appendix J: period 2π/s at integer n. For s = 2π·2/5 that is 5/2; the period is 5."""
    turns = fmpq(2, 5)
    stated = 1 / turns
    integers = [n for n in range(1, 11) if (turns * n).q == 1]
    return same_value(
        Scalar.rational(stated),
        Scalar.rational(integers[0]),
        "s = 2 pi 2/5: the printed period 2 pi/s and the first integer n with n s/(2 pi) whole",
    )


def _aperiodic() -> Decision:
    """s = 1: n/(2π) is never whole, since π is irrational; balls at n = 44 = 7·2π + 0.0177…"""
    with precision(128):
        gap = arb(44) - 14 * arb.pi()
        apart = not gap.contains(0)
        shown = gap.str(8, radius=False)
    if not apart:
        return Decision(Outcome.UNDECIDED, {"reason": "the ball contains 0"})
    return Decision(
        Outcome.REFUTED,
        {"44 - 14 pi": shown},
        f"s = 1: at n = 44, next to 7 turns, the angle is {shown}, not 0; n/(2 pi) is whole for no "
        "n > 0, for pi is irrational",
    )


DERIVATION = Derivation(
    name="grape",
    title="GRAPE's forms and their signs",
    chapter="augmentation",
    statement=r"""
*Multiplicative.* For $L = ab^\top - ba^\top$ and $s^2 = |a|^2|b|^2 - (a\cdot b)^2$,

$$e^{nL} = I + \frac{\sin ns}{s}\,L + \frac{1 - \cos ns}{s^2}\,L^2,$$

and $b = Ja$ gives $L = -|a|^2 J$ on the plane: it turns by *minus* the angle.

*Additive.* With the pairing $(G(t)q)^\top(G(s)^{-\top}k)$, $G = e^{\,\cdot A}$, the generator
$A = -\beta\,e_2e_1^\top$ and $q_a = (1, 0)$, $k_a = (0, 1)$ give $-\beta(t-s)$.

*Gated by content.* Slopes $l_q + l_k$ from query and key need four coordinates with a fixed
generator.
""".strip(),
    hypotheses=(
        "the orientation of $L(e_1, e_2)$, which is $-J$",
        "one generator, which does not depend on the pair of positions",
    ),
    prose=r"""
GRAPE found independently that RoPE and ALiBi are groups, one by rotations of rank two, one by
unipotent lifts. Several of the printed signs do not hold; each is refuted below next to the form
that does.
""".strip(),
    steps=(
        Step("skew", r"$L^\top = -L$.", Rule.LINEAR_ALGEBRA, _skew),
        Step(
            "cube",
            r"$L^3 = -s^2 L$, with $a, b$ as symbols in three dimensions; $L$ acts in the "
            "span of $a$ and $b$, and on its complement it is $0$.",
            Rule.LINEAR_ALGEBRA,
            _cube,
        ),
        Step(
            "rodrigues",
            r"$f = \sin(n\sigma)/\sigma$ and $g = (1 - \cos n\sigma)/\sigma^2$ have "
            r"$f' = 1 - \sigma^2 g$, $g' = f$: the derivative of $I + fL + gL^2$ is $L$ times it.",
            Rule.NORMAL_FORM,
            _formula,
        ),
        Step("plane", r"$b = Ja$ gives $L = -|a|^2 J$.", Rule.LINEAR_ALGEBRA, _plane),
        Step("additive", r"The additive form gives $-\beta(t-s)$.", Rule.NORMAL_FORM, _additive),
        Step(
            "explicit-vectors",
            r"Explicitly $\tilde q = [q, 1, -t\beta]$, $\tilde k = [k, s\beta, 1]$.",
            Rule.NORMAL_FORM,
            _explicit,
        ),
        Step(
            "rank-one-lift",
            r"The lift by one coordinate, $A = \begin{pmatrix}0&u\\0&0\end{pmatrix}$, gives "
            r"$q\cdot k + 1 + (t-s)\,u\cdot k$: a slope gated by the key, and a constant.",
            Rule.NORMAL_FORM,
            _rank_one,
        ),
        Step(
            "gated-by-both",
            r"$(l_q, 0, 1, 0)$ and $(0, -1, 0, -l_k)$ over two nilpotent blocks give "
            r"$-\tau(l_q + l_k)$.",
            Rule.NORMAL_FORM,
            _gated,
        ),
        Step(
            "four-are-needed",
            "As a form in $(1, l_q)$ and $(1, l_k)$ the block Hankel matrix has square $I$: rank "
            "4.",
            Rule.LINEAR_ALGEBRA,
            _four_needed,
        ),
    ),
    twins=(
        Twin(
            "sign-of-the-plane",
            "the orientation: sections 2.1 and 3.1.",
            "$L(e_1, e_2) = J$.",
            _plane_sign,
        ),
        Twin(
            "sign-of-the-conjugate",
            "the orientation: section 2.1.",
            r"$A J A^\top = L$ for $A = [a\ b]$.",
            _conjugated_sign,
        ),
        Twin(
            "appendix-e",
            "the lower block: appendix E has the upper one with the inverse transpose.",
            r"It gives $-x(t - s)$ for $q_a = (1, 0)$, $k_a = (0, 1)$.",
            _appendix_e,
        ),
        Twin(
            "generator-of-the-pair",
            "one generator: equations 4.4 to 4.6 let it depend on the pair.",
            "One generator with two constant coordinates gives all slopes $l_q + l_k$.",
            _pair_generator,
        ),
        Twin(
            "period",
            "the denominator: appendix J prints the period $2\\pi/s$ for integer $n$.",
            "At $s = 2\\pi \\cdot 2/5$ the period is $2\\pi/s$.",
            _period,
        ),
        Twin(
            "aperiodic", "rational $s/2\\pi$.", "At $s = 1$ the integers have a period.", _aperiodic
        ),
    ),
    answers=(
        Answer(
            "S1.10",
            Outcome.PROVED,
            "additive",
            "both forms are in the framework; several printed signs are wrong (twins)",
        ),
        Answer("8.1-2", Outcome.REFUTED, "sign-of-the-plane", "L(e₁, e₂) = −J"),
        Answer("8.1-2", Outcome.REFUTED, "sign-of-the-conjugate", "A J Aᵀ = −L"),
        Answer("8.1-4", Outcome.REFUTED, "appendix-e", "0; the lower block gives −x(t − s)"),
        Answer(
            "8.1-6",
            Outcome.REFUTED,
            "generator-of-the-pair",
            "four coordinates for a fixed generator",
        ),
        Answer("8.1-7", Outcome.REFUTED, "period", "the denominator of s/(2π) in lowest terms"),
        Answer("8.1-7", Outcome.REFUTED, "aperiodic", "no period where s/(2π) is irrational"),
    ),
    uses=("gauge", "rotation", "alibi-augmentation", "augmentation-minimality"),
    rocq=("Laws.orthogonality", "Augmentation.score_with_bias"),
    justifies=("grape-m", "grape-a"),
    sources=("Zhang et al., GRAPE, ICLR 2026, sections 2 to 5, appendices C, E, J",),
)
