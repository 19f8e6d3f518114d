"""A continuous homomorphism is t ↦ exp(tX) for exactly one X."""

from __future__ import annotations

from derivations.axioms.relative_scores import GROUP, START, A, T, X
from symbolic_pe.algebra.functions import exponential
from symbolic_pe.algebra.matrix import identity, multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.exponential.real_logarithm import real_logarithm
from symbolic_pe.jordan.integer_step import integer_step
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    NULL,
    ORIGIN,
    Equation,
    Family,
    derivative,
    positions,
    rewrite,
)

(H,) = positions("h")
E = Family("E")
LAW = {"A": X * A(T), "E": X * E(T)}


def _difference_quotient() -> Decision:
    """(A(t + h) − A(t))/h = ((A(h) − I)/h)·A(t), an identity for every h ≠ 0."""
    over_h = ONE / Scalar.symbol("h")
    quotient = (A(T + H) - A(T)).scale(over_h)
    return rewrite(
        Equation("quotient", quotient, (A(H) - IDENTITY).scale(over_h) * A(T)),
        [((A(H) * A(T) - A(T)).scale(over_h), GROUP.at(s=H))],
    )


def _uniqueness() -> Decision:
    """d/dt [E(−t)·A(t)] = 0 when both solve Y′ = XY and E commutes with X."""
    commutes = Equation("E(t) X = X E(t)", E(T) * X, X * E(T))
    found = derivative(E(-T) * A(T), "t", LAW)
    return rewrite(
        Equation("derivative of E(-t) A(t)", found, NULL),
        [(NULL, commutes.at(t=-T))],
    )


def _generator() -> Decision:
    """X is A′(0): the law at t = 0 with A(0) = I."""
    return rewrite(
        Equation("A'(0)", derivative(A(T), "t", LAW).at({"t": ORIGIN}), X),
        [(X, START)],
    )


def _group_of_solution() -> Decision:
    """Both E(s + t) and E(s)·E(t) have the derivative X·(…) in s, and agree at s = 0."""
    (s,) = positions("s")
    left, right = derivative(E(s + T), "s", LAW), derivative(E(s) * E(T), "s", LAW)
    start = Equation("E(0) = I", E(ORIGIN), IDENTITY)
    return all_of(
        {
            "d/ds E(s + t) = X E(s + t)": holds(left == X * E(s + T)),
            "d/ds E(s) E(t) = X E(s) E(t)": holds(right == X * E(s) * E(T)),
            "equal at s = 0": rewrite(Equation("start", E(ORIGIN) * E(T), E(T)), [(E(T), start)]),
        }
    )


def _discontinuous() -> Decision:
    """A(a + b√2) = e^b on ℚ + √2ℚ: a homomorphism, and no e^{tX}.

    A(1) = 1 = e^X needs X = 0 (e^X = 1 has one real solution), but A(√2) = e.
    """
    b, c = Scalar.symbol("b"), Scalar.symbol("c")
    law = (exponential(b + c) - exponential(b) * exponential(c)).vanishes()
    if not law:
        return Decision(Outcome.UNDECIDED, {"reason": "the law was not decided"})
    at_one, at_root = exponential(ZERO), exponential(ONE)
    return same_value(
        ONE,
        at_root,
        f"A(1) = {at_one} = e^X leaves only X = 0, so e^(sqrt(2) X) = 1; at t = sqrt(2)",
        homomorphism="exp(b + c) = exp(b) exp(c) for the coefficients b, c of sqrt(2)",
        near_0="t = 99 - 70 sqrt(2) = 1/(99 + 70 sqrt(2)), A(t) = exp(-70)",
    )


def _integers() -> Decision:
    """A(n) = (−1)ⁿ on ℤ: −1 is no e^X with real X."""
    step = integer_step(((-ONE,),))
    if step.has_real_generator:
        return Decision(Outcome.PROVED, {"reason": step.reason})
    return Decision(
        Outcome.REFUTED,
        {"A(1)": "-1", "A(m + n) = A(m) A(n)": "(-1)^(m + n) = (-1)^m (-1)^n"},
        f"A(n) = (-1)^n on the integers: A(1) = -1, and {step.reason}",
    )


def _two_generators() -> Decision:
    """exp(πJ) = −I, so exp(2πJ) = (−I)² = I = exp(0)."""
    minus = ((-ONE, ZERO), (ZERO, -ONE))
    half_turn = real_logarithm(integer_step(minus)).matrix
    if half_turn is None or multiply(minus, minus) != identity(2):
        return Decision(Outcome.UNDECIDED, {"reason": "the logarithm of -I is not in the ring"})
    full = half_turn[1][0] + half_turn[1][0]
    return same_value(
        ZERO,
        full,
        "A(1) = I = exp(X) for X = 0 and for X = 2 pi J: the entry at row 1, column 0",
        half_turn=f"exp(X) = -I for X = {half_turn[1][0]} J, so exp(2X) = I",
    )


DERIVATION = Derivation(
    name="exponential",
    title="A continuous group of maps has one generator",
    chapter="axioms",
    statement=r"""
Let $A(s+t) = A(s)A(t)$ for all real $s, t$, $A(0) = I$, and let every entry of $A$ be continuous at
$0$. Then there is exactly one real matrix $X$ with

$$A'(t) = X A(t), \qquad A(t) = e^{tX} \quad\text{for all } t, \qquad X = A'(0).$$

Conversely, for every real $X$ the solution of $E' = XE$, $E(0) = I$ satisfies the group law.
""".strip(),
    hypotheses=(
        "the group law for all real $s, t$, and $A(0) = I$",
        "every entry of $A$ is continuous at $0$",
        "positions are all real numbers",
    ),
    prose=r"""
With $B = \int_0^\varepsilon A$ the group law gives $A(t)B = \int_t^{t+\varepsilon} A$, whose
right side can be differentiated in $t$; for small $\varepsilon$ the matrix $B$ is near
$\varepsilon I$ and has an inverse, so $A$ can be differentiated too. Differentiability need not
be assumed. What is left is algebra and the uniqueness of solutions of linear differential
equations.

This is why two equations in one variable, $E(0) = I$ and $E' = XE$, are a complete certificate of
an encoding: the group law, inverses, commutation and relativity follow from them.
""".strip(),
    steps=(
        Step(
            "quotient",
            r"$\dfrac{A(t+h) - A(t)}{h} = \dfrac{A(h) - I}{h}\,A(t)$ for every $h \ne 0$.",
            Rule.REWRITING,
            _difference_quotient,
            "So a derivative at $0$ is a derivative everywhere, with $A'(t) = A'(0)A(t)$.",
        ),
        Step(
            "from-a-derivative",
            "If $A'(0) = X$ then $A$ is the solution of $E' = XE$, $E(0) = I$.",
            Rule.ROCQ,
            lambda: cited(
                "Continuity.differentiable_homomorphism_is_flow",
                "homomorphic n A -> has_derivative n A 0 X -> flow n X A",
            ),
        ),
        Step(
            "continuity-suffices",
            "Continuity of the entries at $0$ gives a derivative there.",
            Rule.ROCQ,
            lambda: cited(
                "Continuity.continuous_homomorphism_is_flow",
                "homomorphic n A -> continuous_at n A 0 -> exists X : matrix, flow n X A",
            ),
        ),
        Step(
            "existence",
            "For every $n$ and every real $X$ the solution exists: the power series of $e^{tX}$.",
            Rule.ROCQ,
            lambda: cited("Flow.flow_exists", "flow n X (exponential n X)"),
        ),
        Step(
            "solution-is-unique",
            r"$\frac{d}{dt}\,E(-t)A(t) = -XE(-t)A(t) + E(-t)XA(t) = 0$, so $A(t) = E(t)$.",
            Rule.REWRITING,
            _uniqueness,
            "A function whose derivative vanishes is constant, here $E(0)A(0) = I$.",
        ),
        Step(
            "unique-for-every-size",
            "Any two solutions agree, for every size.",
            Rule.ROCQ,
            lambda: cited("Flow.flow_unique", "forall t : R, E t =[n] F t"),
        ),
        Step("generator", "$X = A'(0)$ is determined by $A$.", Rule.REWRITING, _generator),
        Step(
            "group-law-of-the-solution",
            r"$s \mapsto E(s+t)$ and $s \mapsto E(s)E(t)$ solve $Y' = XY$ and agree at $s = 0$.",
            Rule.REWRITING,
            _group_of_solution,
        ),
        Step(
            "group-law-for-every-size",
            "Hence they are equal, for every size.",
            Rule.ROCQ,
            lambda: cited("Laws.group_law", "E (s + t) =[n] times n (E s) (E t)"),
        ),
    ),
    twins=(
        Twin(
            "without-continuity",
            "continuity: positions $a + b\\sqrt2$ with rational $a, b$, and "
            "$A(a + b\\sqrt2) = e^b$.",
            "A homomorphism in dimension 1 is $e^{tX}$ with a real $X$.",
            _discontinuous,
        ),
        Twin(
            "on-the-integers",
            "real positions: $A(n) = (-1)^n$ on the integers.",
            "A homomorphism is $e^{nX}$ with a real $X$.",
            _integers,
        ),
        Twin(
            "from-one-position",
            "all positions: only $A(1)$ is known.",
            "$A(1)$ determines $X$.",
            _two_generators,
        ),
    ),
    answers=(
        Answer(
            "S1.3",
            Outcome.PROVED,
            "continuity-suffices",
            "continuity at 0 is enough; discontinuous solutions exist (twin)",
        ),
    ),
    uses=("homomorphism",),
    rocq=(
        "Continuity.differentiable_homomorphism_is_flow",
        "Continuity.continuous_homomorphism_is_flow",
        "Flow.flow_exists",
        "Flow.flow_unique",
        "Flow.generator_unique",
        "Laws.group_law",
        "Laws.inverse_law",
        "Laws.relativity",
    ),
    justifies=("symbolic_pe.exponential.closed_form.exponential", "symbolic_pe.proof.prover"),
    sources=(
        "A. Puranik, positional encodings through group theory, Jane Street, 2026",
        "Hamel, Math. Ann. 60 (1905) (discontinuous solutions)",
    ),
)
