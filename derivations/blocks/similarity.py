"""A change of basis carries generators to generators and flows to flows."""

from __future__ import annotations

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Decision, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    ORIGIN,
    Equation,
    Family,
    constant,
    derivative,
    positions,
    rewrite,
)

S, T = positions("s t")
E = Family("E")
X, J, P, Q = (constant(name) for name in "XJPQ")
INTERTWINES = Equation("X P = P J", X * P, P * J)
PQ = Equation("P Q = I", P * Q, IDENTITY)
QP = Equation("Q P = I", Q * P, IDENTITY)
START = Equation("E(0) = I", E(ORIGIN), IDENTITY)
GROUP = Equation("group law of E", E(S + T), E(S) * E(T))


def _flow() -> Decision:
    found = derivative(P * E(T) * Q, "t", {"E": J * E(T)})
    return all_of(
        {
            "(P E Q)' = X (P E Q)": rewrite(
                Equation("derivative", found, X * P * E(T) * Q),
                [(X * P * E(T) * Q, INTERTWINES)],
            ),
            "P E(0) Q = I": rewrite(
                Equation("start", P * E(ORIGIN) * Q, IDENTITY), [(P * Q, START), (IDENTITY, PQ)]
            ),
        }
    )


def _group() -> Decision:
    return rewrite(
        Equation("group law", P * E(S) * Q * P * E(T) * Q, P * E(S + T) * Q),
        [(P * E(S) * E(T) * Q, QP), (P * E(S + T) * Q, GROUP)],
    )


def _scores() -> Decision:
    """(Pᵀq)ᵀE(τ)(Qk) is qᵀ(P E(τ) Q)k: the basis is absorbed in the projections."""
    return holds((P.T).T * E(T) * Q == P * E(T) * Q, "the transposes do not match")


def _without_inverse() -> Decision:
    """P = Q = 2 in dimension 1: P·E(0)·Q = 4."""
    two = Scalar.rational(2)
    return same_value(ONE, two * two, "P = Q = 2, X = J: P E(0) Q")


def _without_intertwining() -> Decision:
    """P = Q = I with X = 0 and J = 1 in dimension 1: (P E Q)′ at 0 is J."""
    flow = ExponentialPolynomial.exponential("t", ComplexScalar(ONE))
    found = flow.derivative("t").at_zero().re
    return same_value(ZERO, found, "P = Q = 1, X = 0, J = 1: X and the derivative of P E Q at 0")


DERIVATION = Derivation(
    name="similarity",
    title="A change of basis carries flows to flows",
    chapter="blocks",
    statement=r"""
If $XP = PJ$ and $PQ = QP = I$, then $e^{tX} = P\,e^{tJ}\,Q$ for all $t$, and the score
$q^\top e^{\tau X} k$ is $(P^\top q)^\top e^{\tau J} (Qk)$.
""".strip(),
    hypotheses=("$XP = PJ$", "$Q = P^{-1}$"),
    prose=r"""
So only blocks in normal form need formulas, and a learned basis can be moved into $W_q$ and $W_k$.
""".strip(),
    steps=(
        Step(
            "flow",
            r"$(P E Q)' = P J E Q = X P E Q$ and $P E(0) Q = I$: by uniqueness it is $e^{tX}$.",
            Rule.REWRITING,
            _flow,
        ),
        Step("group-law", r"$P E(s) Q\,P E(t) Q = P E(s+t) Q$.", Rule.REWRITING, _group),
        Step(
            "scores",
            r"$q^\top P E(\tau) Q k = (P^\top q)^\top E(\tau) (Qk)$.",
            Rule.REWRITING,
            _scores,
        ),
        Step(
            "for-every-size",
            "The same for every size.",
            Rule.ROCQ,
            lambda: cited("Laws.similarity", "flow n X (fun t : R => times n P (times n (E t) Q))"),
        ),
    ),
    twins=(
        Twin("without-inverse", "$PQ = I$.", "$P\\,e^{0}\\,Q = I$.", _without_inverse),
        Twin(
            "without-intertwining",
            "$XP = PJ$.",
            "$P\\,e^{tJ}\\,Q$ has the generator $X$.",
            _without_intertwining,
        ),
    ),
    uses=("exponential",),
    rocq=("Laws.similarity",),
    justifies=("symbolic_pe.exponential.closed_form.ClosedForm", "symbolic_pe.proof.conjugation"),
    sources=("Horn and Johnson, Matrix Analysis, 2nd edition, 2013, section 3.1",),
)
