"""All factorisations of one relative score: a constant invertible matrix, and nothing else."""

from __future__ import annotations

from derivations.axioms.relative_scores import (
    GROUP,
    KEY_AT_ZERO,
    LEFT_INVERSE,
    QUERY_AT_ZERO,
    RELATIVE,
    RIGHT_INVERSE,
    A,
    F,
    G,
    M,
    N,
    S,
    T,
)
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import cited, same_value
from symbolic_pe.proof.derivation import Answer, Decision, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import ORIGIN, Equation, rewrite


def _keys() -> Decision:
    return rewrite(
        Equation("keys", G(S), M * A(-S)),
        [
            (M * N * G(S), RIGHT_INVERSE),
            (M * F(ORIGIN).T * G(S), QUERY_AT_ZERO),
            (M * A(-S), RELATIVE.at(t=ORIGIN)),
        ],
    )


def _queries() -> Decision:
    """F(t) = Nᵀ·A(t)ᵀ, from A(t) = F(t)ᵀM."""
    return rewrite(
        Equation("queries", F(T), N.T * A(T).T),
        [
            (N.T * M.T * F(T), RIGHT_INVERSE.T),
            (N.T * G(ORIGIN).T * F(T), KEY_AT_ZERO.T),
            (N.T * A(T).T, RELATIVE.at(s=ORIGIN).T),
        ],
    )


def _converse() -> Decision:
    """Any homomorphism A and any M with NM = I give a relative pair."""
    query, key = N.T * A(T).T, M * A(-S)
    return rewrite(
        Equation("relativity", query.T * key, A(T - S)),
        [(A(T) * A(-S), LEFT_INVERSE), (A(T - S), GROUP.at(s=T, t=-S))],
    )


def _printed_backwards() -> Decision:
    """F(s)ᵀG(t) = A(t − s) as note-takers have it, for A(τ) = 2^τ in dimension 1.

    The pair F(t) = A(t), G(s) = A(−s) belongs to it; F(0)ᵀG(1) is A(−1).
    """
    two = Scalar.rational(2)

    def query(t: int) -> Scalar:
        return two**t

    def key(s: int) -> Scalar:
        return two**-s

    return same_value(
        two ** (1 - 0),
        query(0) * key(1),
        "A(x) = 2^x, F(t) = 2^t, G(s) = 2^(-s): F(s)^T G(t) as A(t - s), at t = 1, s = 0",
        F_of_t_times_G_of_s=f"at t = 1, s = 0: {query(1) * key(0)} = A(1)",
    )


def _depends_on_position() -> Decision:
    """M that varies with the position, here M(s) = 1 + s in dimension 1 and A = 1."""

    def score(t: int, s: int) -> Scalar:
        query, gauge = ONE, ONE + Scalar.rational(s)
        return query * gauge * ONE ** (t - s)

    return same_value(
        score(0, 0),
        score(1, 1),
        "dimension 1, A = 1, F = 1, G(s) = M(s) = 1 + s: the scores at lag 0",
    )


DERIVATION = Derivation(
    name="gauge",
    title="Every pair of maps of one relative score is one pair up to a constant matrix",
    chapter="axioms",
    statement=r"""
If $F(t)^\top G(s) = A(t-s)$ and $A(0) = I$, then $M = G(0)$ is invertible and

$$G(s) = M\,A(-s), \qquad F(t) = M^{-\top} A(t)^\top \qquad\text{for all } t, s.$$

Conversely, every homomorphism $A$ and every invertible $M$ give such a pair.
""".strip(),
    hypotheses=(
        "relativity: $F(t)^\\top G(s) = A(t-s)$",
        "normalisation: $A(0) = I$",
        "$M$ does not depend on the position",
    ),
    prose=r"""
Query and key maps are *contragredient*: where the key map is $M A(s)^{-1}$, the query map is the
inverse transpose of $M A(-t)$. Decay that is put on keys as $e^{-\lambda s}$ must stand on queries
as $e^{+\lambda t}$, and the freedom that is left is one constant change of basis, which the
projections $W_q$, $W_k$ absorb. As before, $N = F(0)^\top = M^{-1}$.
""".strip(),
    steps=(
        Step("keys", r"$G(s) = M N\,G(s) = M\,A(-s)$.", Rule.REWRITING, _keys),
        Step(
            "queries",
            r"$F(t) = (MN)^\top F(t) = N^\top \bigl(F(t)^\top G(0)\bigr)^\top "
            r"= N^\top A(t)^\top$.",
            Rule.REWRITING,
            _queries,
        ),
        Step(
            "converse",
            r"$\bigl(M^{-\top}A(t)^\top\bigr)^\top M\,A(-s) = A(t)\,A(-s) = A(t-s)$.",
            Rule.REWRITING,
            _converse,
        ),
        Step(
            "for-every-size",
            "The same for every size and every abelian group of positions.",
            Rule.ROCQ,
            lambda: cited("Gauge.gauge", "(forall s : T, G s =[n] times n (G zero) (A (opp s)))"),
        ),
        Step(
            "converse-for-every-size",
            "And the converse.",
            Rule.ROCQ,
            lambda: cited("Gauge.gauge_converse", "relative T plus opp n"),
        ),
    ),
    twins=(
        Twin(
            "reversed-lag",
            "the order of the lag: notes on the post print $F(s)^\\top G(t) = F(t-s)^\\top G(0)$.",
            r"$F(s)^\top G(t) = A(t-s)$.",
            _printed_backwards,
        ),
        Twin(
            "without-constant-gauge",
            "a constant $M$.",
            r"$G(s) = M(s)\,A(-s)$ and $F(t) = M(0)^{-\top}A(t)^\top$ are a relative pair.",
            _depends_on_position,
        ),
    ),
    answers=(
        Answer(
            "8.1-22",
            Outcome.REFUTED,
            "reversed-lag",
            "F(s)ᵀG(t) = A(s − t): the lag is position of the query minus position of the key",
        ),
    ),
    uses=("homomorphism",),
    rocq=("Gauge.gauge", "Gauge.gauge_converse"),
    justifies=("symbolic_pe.emit.plan", "symbolic-pe emit"),
    sources=("A. Puranik, positional encodings through group theory, Jane Street, 2026",),
)
