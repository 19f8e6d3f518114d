"""Linear state-space models are a group acting between the times of their inputs."""

from __future__ import annotations

from symbolic_pe.algebra.functions import exponential
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.decisions import all_of, cited, group_law, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    ORIGIN,
    Equation,
    Family,
    constant,
    positions,
    rewrite,
)

X, Y = positions("x y")
NOW, LAST, THEN = positions("T_t T_u T_s")
A = Family("A")
GROUP = Equation("group law", A(X + Y), A(X) * A(Y))
START = Equation("A(0) = I", A(ORIGIN), IDENTITY)
P, Q, RATE = (Scalar.symbol(x) for x in ("p", "q", "a"))


def _recurrence() -> Decision:
    """One step of h_t = A(T_t − T_u)·h_u + b_t on the term A(T_u − T_s)·b_s, and on the new one."""
    old, new = constant("b_s"), constant("b_t")
    return all_of(
        {
            "an earlier input": rewrite(
                Equation("term s", A(NOW - LAST) * A(LAST - THEN) * old, A(NOW - THEN) * old),
                [(A(NOW - THEN) * old, GROUP.at(x=NOW - LAST, y=LAST - THEN))],
            ),
            "the new input": rewrite(Equation("term t", A(NOW - NOW) * new, new), [(new, START)]),
        }
    )


def _readout() -> Decision:
    """yₜ = C·A(T_t − T_s)·b_s is F(t)ᵀG(s)-shaped: (A(T_t)ᵀCᵀ)ᵀ·(A(−T_s)b_s)."""
    c, b = constant("C"), constant("b_s")
    return rewrite(
        Equation("score", (A(NOW).T * c.T).T * (A(-THEN) * b), c * A(NOW - THEN) * b),
        [(c * A(NOW - THEN) * b, GROUP.at(x=NOW, y=-THEN))],
    )


def _exact_step() -> Decision:
    """Zero-order hold multiplies by e^{aΔ}: steps of any lengths compose."""
    return all_of(
        {
            "decay": group_law(Block(RATE).exponential("t")),
            "damped rotation": group_law(Block(RATE, Scalar.symbol("b")).exponential("t")),
        }
    )


def _euler() -> Decision:
    """Forward Euler, 1 + aΔ, with the steps p and q."""
    return same_value(
        ONE + RATE * (P + Q),
        (ONE + RATE * P) * (ONE + RATE * Q),
        "one Euler step p + q and the two steps p, q",
    )


def _bilinear() -> Decision:
    """The bilinear rule, (1 + aΔ/2)/(1 − aΔ/2), a = −1, steps 1 and 1 against 2."""
    two = Scalar.rational(2)

    def step(delta: Scalar) -> Scalar:
        half = -delta / two
        return (ONE + half) / (ONE - half)

    return same_value(
        step(two), step(ONE) * step(ONE), "a = -1: one bilinear step of 2 and two steps of 1"
    )


def _forgetting_by_index() -> Decision:
    """e^{−Δ} with Δ = 1, 2: weights at lag 1."""
    return same_value(
        exponential(-ONE),
        exponential(-Scalar.rational(2)),
        "steps 1 and 2: weights of the inputs one index back",
    )


DERIVATION = Derivation(
    name="state-space",
    title="State-space models act between the times of their inputs",
    chapter="time",
    statement=r"""
Let $h_t = A(T_t - T_u)\,h_u + b_t$, where $u$ is the position before $t$, $h = 0$ at the start, and
$A$ a group. Then

$$h_t = \sum_{s \le t} A(T_t - T_s)\,b_s, \qquad C h_t = \sum_{s \le t} C\,A(T_t - T_s)\,b_s :$$

a linear state-space model weighs its inputs as relative scores do, on the clock $T$.
""".strip(),
    hypotheses=(
        "the step is $A$ at the elapsed time, $e^{\\Delta X}$",
        "relativity is that of the clock",
    ),
    prose=r"""
Linear attention with decay, RetNet, GLA and the Mamba family are of this kind, with
$b_s = k_s v_s^\top$ and $C$ the query. What breaks it are steps that only approximate
$e^{\Delta X}$: for them two steps are not one step of the sum.
""".strip(),
    steps=(
        Step(
            "recurrence",
            r"A step carries the term $A(T_u - T_s)b_s$ to $A(T_t - T_u)A(T_u - T_s)b_s = "
            r"A(T_t - T_s)b_s$ and adds $b_t = A(0)b_t$: the sum is right by induction.",
            Rule.REWRITING,
            _recurrence,
        ),
        Step(
            "readout",
            r"$C A(T_t - T_s) b_s = \bigl(A(T_t)^\top C^\top\bigr)^\top \bigl(A(-T_s) b_s\bigr)$.",
            Rule.REWRITING,
            _readout,
        ),
        Step(
            "exact-steps",
            "$e^{\\Delta X}$ composes for steps of any lengths.",
            Rule.NORMAL_FORM,
            _exact_step,
        ),
        Step(
            "for-every-size",
            "For every generator of any size.",
            Rule.ROCQ,
            lambda: cited("Laws.group_law", "E (s + t) =[n] times n (E s) (E t)"),
        ),
    ),
    twins=(
        Twin(
            "euler-steps",
            "exact steps: forward Euler, $1 + a\\Delta$.",
            "Two steps are one step of the sum.",
            _euler,
        ),
        Twin(
            "bilinear-steps",
            "exact steps: the bilinear rule.",
            "Two steps are one step of the sum.",
            _bilinear,
        ),
        Twin(
            "by-index",
            "the clock: elapsed times $1$ and $2$.",
            "Weights depend on the number of steps.",
            _forgetting_by_index,
        ),
    ),
    answers=(
        Answer(
            "S1.12",
            Outcome.PROVED,
            "recurrence",
            "with steps that are exact exponentials of the elapsed time",
        ),
    ),
    uses=("clocks", "exponential"),
    rocq=("Laws.group_law",),
    justifies=("mamba", "linear-attention", "retnet"),
    sources=(
        "Gu et al., S4, arXiv:2111.00396",
        "Dao and Gu, Mamba-2, arXiv:2405.21060",
    ),
)
