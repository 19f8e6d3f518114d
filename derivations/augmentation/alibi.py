"""ALiBi is a positional group after two constant coordinates are added, and how it is misquoted.

With Y = [[0, 1], [0, 0]] and the constant coordinates qₐ = (−m, 0), kₐ = (0, 1),

    [q; qₐ]ᵀ (I ⊕ exp(τY)) [k; kₐ] = qᵀk − m·τ,        τ = t − s.

A much-repeated text gives q̂ = [q, −m, 1] and k̂ = [k, 1, 0]. Whatever orientation and pairing is
read into it, the result is not −m·τ as an identity in m; `decide_quoted` decides all eight
readings and says where softmax would not notice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import (
    FunctionMatrix,
    ScalarMatrix,
    apply,
    multiply,
    multiply_functions,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.augmentation import nilpotent_exponential, realised_bias
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.witness import point_of_difference

SLOPE = Scalar.symbol("m")
UPPER: ScalarMatrix = ((ZERO, ONE), (ZERO, ZERO))
LOWER: ScalarMatrix = ((ZERO, ZERO), (ONE, ZERO))
Vector = tuple[Scalar, Scalar]
Operator = Callable[[FunctionMatrix], FunctionMatrix]


def _at(e: FunctionMatrix, t: int, s: int) -> FunctionMatrix:
    return apply(lambda f: f.compose({"t": t, "s": s}), e)


def _lag(e: FunctionMatrix) -> FunctionMatrix:
    """exp((t − s)Y)."""
    return _at(e, 1, -1)


def _reversed_lag(e: FunctionMatrix) -> FunctionMatrix:
    """exp((s − t)Y)."""
    return _at(e, -1, 1)


def _same_map(e: FunctionMatrix) -> FunctionMatrix:
    """exp(tY)ᵀ·exp(sY): one map on both sides."""
    return multiply_functions(transpose(_at(e, 1, 0)), _at(e, 0, 1))


def _inverse_transpose(e: FunctionMatrix) -> FunctionMatrix:
    """exp(tY)ᵀ·exp(−sY)ᵀ: GRAPE's pairing G(t)q · G(s)^−T k."""
    return multiply_functions(transpose(_at(e, 1, 0)), transpose(_at(e, 0, -1)))


READINGS: dict[str, tuple[ScalarMatrix, Operator]] = {
    "exp((t-s)N), N upper": (UPPER, _lag),
    "exp((s-t)N), N upper": (UPPER, _reversed_lag),
    "exp((t-s)N), N lower": (LOWER, _lag),
    "exp((s-t)N), N lower": (LOWER, _reversed_lag),
    "the same map on both sides, N upper": (UPPER, _same_map),
    "the same map on both sides, N lower": (LOWER, _same_map),
    "GRAPE pairing, N upper": (UPPER, _inverse_transpose),
    "GRAPE pairing, N lower": (LOWER, _inverse_transpose),
}

QUOTED: tuple[Vector, Vector] = ((-SLOPE, ONE), (ONE, ZERO))

CORRECT: dict[str, tuple[Vector, Vector, ScalarMatrix]] = {
    "(-m, 0), (0, 1)": ((-SLOPE, ZERO), (ZERO, ONE), UPPER),
    "(1, 0), (0, -m)": ((ONE, ZERO), (ZERO, -SLOPE), UPPER),
    "(0, -m), (1, 0), N lower": ((ZERO, -SLOPE), (ONE, ZERO), LOWER),
    "(1, 0), (0, 1), generator -m*N": ((ONE, ZERO), (ZERO, ONE), ((ZERO, -SLOPE), (ZERO, ZERO))),
    "(-m, 1), (1/m, 1)": ((-SLOPE, ONE), (SLOPE.inverse(), ONE), UPPER),
}


@dataclass(frozen=True)
class Reading:
    """What one reading gives, and whether that is −m·τ.

    witness  numbers at which it differs from −m·τ
    softmax  "identical", "equal after softmax for every m", "equal after softmax exactly for …"
             or "not equal after softmax for any m"
    """

    reading: str
    bias: ExponentialPolynomial
    holds: bool
    softmax: str
    witness: str | None


def target() -> ExponentialPolynomial:
    """−m·(t − s)."""
    return ExponentialPolynomial.variable("t").compose({"t": 1, "s": -1}).scale(-SLOPE)


def decide(reading: str, query: Vector, key: Vector) -> Reading:
    """Decide one reading of a pair of auxiliary vectors."""
    generator, operator = READINGS[reading]
    bias = realised_bias(query, operator(nilpotent_exponential(generator)), key)
    difference = bias - target()
    witness = point_of_difference(target(), bias, Assumptions.declare({"m": "positive"}))
    return Reading(reading, bias, difference.vanishes(), _softmax(difference), witness)


def decide_quoted() -> list[Reading]:
    """All eight readings of q̂ = [q, −m, 1], k̂ = [k, 1, 0]."""
    return [decide(reading, *QUOTED) for reading in READINGS]


def decide_correct() -> dict[str, bool]:
    """The vectors that do give ALiBi, as identities in m and τ."""
    lag = ExponentialPolynomial.variable("t").scale(-SLOPE)
    return {
        name: (realised_bias(query, nilpotent_exponential(generator), key) - lag).vanishes()
        for name, (query, key, generator) in CORRECT.items()
    }


def _softmax(difference: ExponentialPolynomial) -> str:
    """Softmax over keys cannot see what does not depend on s: ∂/∂s difference = 0."""
    if difference.vanishes():
        return "identical"
    slope = difference.derivative("s")
    if slope.vanishes():
        return "equal after softmax for every m"
    common: set[str] | None = None
    for coefficient in slope.terms.values():
        roots = _roots(coefficient.re)
        common = roots if common is None else common & roots
    if not common:
        return "not equal after softmax for any m"
    return "equal after softmax exactly for m = " + ", ".join(sorted(common))


def _roots(polynomial: Scalar) -> set[str]:
    """Roots in m of a polynomial of degree at most 1."""
    coefficients = polynomial.base_value().coefficients_in("m")
    if len(coefficients) == 1:
        return set()
    constant, linear = coefficients
    return {str(-(constant / linear))}


def _nilpotent() -> Decision:
    square = multiply(UPPER, UPPER)
    return holds(all(x.is_zero() for row in square for x in row), "Y^2 is not 0")


def _identity() -> Decision:
    correct = decide_correct()
    shown = {name: "holds" if truth else "fails" for name, truth in correct.items()}
    wrong = [name for name, truth in correct.items() if not truth]
    return holds(not wrong, f"the vectors {wrong} do not give -m*tau", **shown)


def _as_quoted() -> Decision:
    """Refuted when every reading is."""
    found = {d.reading: f"{d.bias}; {d.softmax}" for d in decide_quoted()}
    standing = [d.reading for d in decide_quoted() if d.holds]
    if standing:
        return Decision(Outcome.PROVED, found)
    first = decide_quoted()[0]
    witness = f"{first.reading}: {first.witness}; the others likewise"
    return Decision(Outcome.REFUTED, found, witness)


DERIVATION = Derivation(
    name="alibi-augmentation",
    title="ALiBi is a positional group after two constant coordinates are added",
    chapter="augmentation",
    statement=r"""
With $Y = \begin{pmatrix}0&1\\0&0\end{pmatrix}$ and the constant coordinates
$q_a = (-m, 0)$, $k_a = (0, 1)$,

$$\begin{pmatrix}q\\q_a\end{pmatrix}^{\!\top} \bigl(I \oplus e^{\tau Y}\bigr)
\begin{pmatrix}k\\k_a\end{pmatrix} = q^\top k - m\tau, \qquad \tau = t - s.$$
""".strip(),
    hypotheses=("the vectors $q_a$, $k_a$ do not depend on the position",),
    steps=(
        Step(
            "nilpotent",
            "$Y^2 = 0$, so $e^{\\tau Y} = I + \\tau Y$.",
            Rule.LINEAR_ALGEBRA,
            _nilpotent,
        ),
        Step(
            "identity",
            r"$q_a^\top (I + \tau Y) k_a = q_{a1}k_{a1} + q_{a2}k_{a2} + \tau\, q_{a1}k_{a2}$, "
            r"which is $-m\tau$ "
            "for these vectors and for others that are found in use.",
            Rule.NORMAL_FORM,
            _identity,
        ),
    ),
    twins=(
        Twin(
            "as-quoted",
            "the right vectors.",
            r"A much-repeated text has $\hat q = [q, -m, 1]$, $\hat k = [k, 1, 0]$. "
            r"No reading of orientation and pairing gives $-m\tau$ as an identity in $m$.",
            _as_quoted,
        ),
    ),
    answers=(
        Answer("S1.8", Outcome.PROVED, "identity", "on causal lags; two coordinates are needed"),
        Answer("8.1-1", Outcome.REFUTED, "as-quoted", "in all eight readings"),
        Answer("S1.9", Outcome.REFUTED, "as-quoted", "correct vectors stand beside it"),
    ),
    rocq=("Augmentation.alibi", "Augmentation.alibi_misquoted"),
    justifies=("alibi",),
    sources=(
        "Press et al., arXiv:2108.12409 (ALiBi)",
        "Zhang et al., GRAPE, ICLR 2026 (the pairing)",
    ),
)
