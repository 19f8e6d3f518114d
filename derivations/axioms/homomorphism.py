"""Relative scores alone make A a homomorphism: no continuity, no reading of time is needed."""

from __future__ import annotations

from derivations.axioms.relative_scores import (
    GROUP,
    KEY_AT_ZERO,
    QUERY_AT_ZERO,
    RELATIVE,
    RIGHT_INVERSE,
    START,
    A,
    F,
    G,
    M,
    N,
    S,
    T,
)
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import IDENTITY, ORIGIN, Equation, rewrite

PERIOD = (Scalar.rational(1), Scalar.rational(2), Scalar.rational(3))
"""A(n) by n mod 3 for maps between spaces of different dimension."""


def _left_inverse() -> Decision:
    return rewrite(
        Equation("N M = I", N * M, IDENTITY),
        [
            (F(ORIGIN).T * M, QUERY_AT_ZERO),
            (F(ORIGIN).T * G(ORIGIN), KEY_AT_ZERO),
            (A(ORIGIN), RELATIVE.at(t=ORIGIN, s=ORIGIN)),
            (IDENTITY, START),
        ],
    )


def _query() -> Decision:
    """A(t) = F(t)ᵀM."""
    return rewrite(
        Equation("query side", A(T), F(T).T * M),
        [(F(T).T * G(ORIGIN), RELATIVE.at(s=ORIGIN)), (F(T).T * M, KEY_AT_ZERO)],
    )


def _key() -> Decision:
    """A(−s) = N·G(s)."""
    return rewrite(
        Equation("key side", A(-S), N * G(S)),
        [(F(ORIGIN).T * G(S), RELATIVE.at(t=ORIGIN)), (N * G(S), QUERY_AT_ZERO)],
    )


def _group_law() -> Decision:
    query = Equation("query side", A(T), F(T).T * M)
    key = Equation("key side", A(-S), N * G(S))
    return rewrite(
        GROUP,
        [
            (F(S).T * G(-T), RELATIVE.at(t=S, s=-T)),
            (F(S).T * M * N * G(-T), RIGHT_INVERSE),
            (A(S) * N * G(-T), query.at(t=S)),
            (A(S) * A(T), key.at(s=-T)),
        ],
    )


def _inverses() -> Decision:
    return all_of(
        {
            "A(t) A(-t) = I": rewrite(
                Equation("right", A(T) * A(-T), IDENTITY),
                [(A(ORIGIN), GROUP.at(s=T, t=-T)), (IDENTITY, START)],
            ),
            "A(-t) A(t) = I": rewrite(
                Equation("left", A(-T) * A(T), IDENTITY),
                [(A(ORIGIN), GROUP.at(s=-T)), (IDENTITY, START)],
            ),
        }
    )


def _commutation() -> Decision:
    return rewrite(
        Equation("commutation", A(S) * A(T), A(T) * A(S)),
        [(A(S + T), GROUP), (A(T) * A(S), GROUP.at(s=T, t=S))],
    )


def _without_start() -> Decision:
    """F(t) = 2, G(s) = 1 in dimension 1: A = 2 for all τ."""
    two = Scalar.rational(2)
    return same_value(two * two, two, "F = 2, G = 1, A = 2: at s = t = 0, A(0) A(0) and A(0 + 0)")


def _without_relativity() -> Decision:
    """F(t) = 1 + t², G(s) = 1/(1 + s²): the diagonal is 1, and B(t, s) is no function of t − s."""

    def score(t: int, s: int) -> Scalar:
        return parse(f"(1 + {t}^2)/(1 + {s}^2)")

    return same_value(
        score(1, 0) * score(1, 0),
        score(2, 0),
        "F(t) = 1 + t^2, G(s) = 1/(1 + s^2), B(t, s) = F(t) G(s), B(t, t) = 1: "
        "B(1, 0) B(1, 0) and B(2, 0)",
        score_at_lag_1=f"B(1, 0) = {score(1, 0)}, B(2, 1) = {score(2, 1)}",
    )


def _without_square() -> Decision:
    """F(t) = e_{t mod 3}, G(s) = (A(r − s))_r on the integers: relative, with any A of period 3."""

    def query(t: int) -> list[Scalar]:
        return [Scalar.rational(int(r == t % 3)) for r in range(3)]

    def key(s: int) -> list[Scalar]:
        return [PERIOD[(r - s) % 3] for r in range(3)]

    def score(t: int, s: int) -> Scalar:
        parts = [x * y for x, y in zip(query(t), key(s), strict=True)]
        return parts[0] + parts[1] + parts[2]

    relative = all(score(t, s) == PERIOD[(t - s) % 3] for t in range(3) for s in range(3))
    if not relative:
        return Decision(Outcome.UNDECIDED, {"reason": "the pair is not relative"})
    return same_value(
        score(1, 0) * score(1, 0),
        score(2, 0),
        "maps from dimension 1 to 3, F(t) = e_(t mod 3), G(s) = (A(-s), A(1 - s), A(2 - s)), "
        "A = 1, 2, 3 by t - s mod 3: A(1) A(1) and A(2)",
        relative_at_all_nine_pairs_mod_3="holds",
    )


DERIVATION = Derivation(
    name="homomorphism",
    title="Scores that see only the lag are a group",
    chapter="axioms",
    statement=r"""
Let $F(t)$, $G(s)$, $A(\tau)$ be real $n \times n$ matrices for all positions $t, s, \tau$, with

$$F(t)^\top G(s) = A(t - s), \qquad A(0) = I.$$

Then for all positions $s, t$

$$A(s + t) = A(s)\,A(t), \qquad A(t)^{-1} = A(-t), \qquad A(s)\,A(t) = A(t)\,A(s).$$
""".strip(),
    hypotheses=(
        "linearity: queries and keys are moved by linear maps, $q \\mapsto F(t)q$, "
        "$k \\mapsto G(s)k$",
        "relativity: $F(t)^\\top G(s)$ depends on $t - s$ alone",
        "normalisation: $A(0) = I$",
        "$F(t)$ and $G(s)$ are square",
    ),
    prose=r"""
These are the axioms of a relative positional encoding: the score of a query at $t$ and a key at $s$
is $(F(t)q)^\top(G(s)k) = q^\top A(t-s)\,k$. Linearity and $A(0) = I$ are conventions: the first
restricts what is studied, the second says that content is compared as it is when the positions
agree. Continuity is not used, nor that time flows forward, nor even that positions are numbers: any
abelian group will do. The only depth is that a one-sided inverse of a square matrix is two-sided.

Write $M = G(0)$ and $N = F(0)^\top$.
""".strip(),
    steps=(
        Step(
            "left-inverse",
            r"$N M = F(0)^\top G(0) = A(0) = I$.",
            Rule.REWRITING,
            _left_inverse,
        ),
        Step(
            "right-inverse",
            r"Hence $M N = I$: in finite dimension a left inverse is a right inverse.",
            Rule.ROCQ,
            lambda: cited(
                "Gauge.right_inverse_is_left",
                "times n A B =[n] identity -> times n B A =[n] identity",
            ),
        ),
        Step(
            "query-side",
            r"$A(t) = F(t)^\top M$: relativity at $s = 0$.",
            Rule.REWRITING,
            _query,
        ),
        Step("key-side", r"$A(-s) = N\,G(s)$: relativity at $t = 0$.", Rule.REWRITING, _key),
        Step(
            "group-law",
            r"$A(s+t) = F(s)^\top G(-t) = F(s)^\top M\,N\,G(-t) = A(s)\,A(t)$.",
            Rule.REWRITING,
            _group_law,
        ),
        Step("inverses", r"$A(t)\,A(-t) = A(-t)\,A(t) = A(0) = I$.", Rule.REWRITING, _inverses),
        Step(
            "commutation",
            r"$A(s)\,A(t) = A(s+t) = A(t+s) = A(t)\,A(s)$: addition of positions commutes, so the "
            "maps do.",
            Rule.REWRITING,
            _commutation,
        ),
        Step(
            "for-every-size",
            "The same for every size $n$ and every abelian group of positions.",
            Rule.ROCQ,
            lambda: cited(
                "Gauge.homomorphism", "forall s t : T, A (plus s t) =[n] times n (A s) (A t)"
            ),
        ),
    ),
    twins=(
        Twin(
            "without-normalisation",
            "$A(0) = I$.",
            "A relative score of square maps is a homomorphism.",
            _without_start,
        ),
        Twin(
            "without-relativity",
            "relativity (only $F(t)^\\top G(t) = I$ is kept).",
            "The operators $B(t, 0)$ form a group.",
            _without_relativity,
        ),
        Twin(
            "without-square-maps",
            "square maps: $F(t)$ and $G(s)$ go from dimension 1 to dimension 3.",
            "A relative score with $A(0) = I$ is a homomorphism.",
            _without_square,
        ),
    ),
    answers=(
        Answer(
            "S1.1",
            Outcome.PROVED,
            "left-inverse",
            "the axioms as hypotheses; linearity and A(0) = I are conventions, continuity is not "
            "needed here",
        ),
        Answer("S1.2", Outcome.PROVED, "group-law", "from relativity and A(0) = I alone"),
    ),
    rocq=(
        "Gauge.right_inverse_is_left",
        "Gauge.homomorphism",
        "Gauge.inverses",
        "Gauge.normalisation_is_needed",
    ),
    justifies=("symbolic_pe.encodings.encoding.Encoding",),
    sources=(
        "A. Puranik, positional encodings through group theory, Jane Street, 2026 (axioms)",
        "Su et al., arXiv:2104.09864 (relative scores)",
    ),
)
