"""The rewriting of maps accepts what follows, and nothing else."""

from __future__ import annotations

import pytest

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    NULL,
    ORIGIN,
    Equation,
    Family,
    constant,
    derivative,
    follows,
    positions,
    rewrite,
)

S, T = positions("s t")
A, F = Family("A"), Family("F")
M, N, X = constant("M"), constant("N"), constant("X")
GROUP = Equation("group law", A(S + T), A(S) * A(T))
START = Equation("start", A(ORIGIN), IDENTITY)


def test_products_do_not_commute_and_transposes_reverse() -> None:
    assert M * N != N * M
    assert (M * A(T)).T == A(T).T * M.T
    assert (M * N).T.T == M * N
    assert M + N == N + M


def test_an_instance_may_stand_anywhere_in_either_direction() -> None:
    instance = GROUP.at(s=T, t=-T)
    assert follows(M * A(T) * A(-T) * N, M * A(ORIGIN) * N, instance)
    assert follows(M * A(ORIGIN) * N, M * A(T) * A(-T) * N, instance)
    double = Scalar.rational(2)
    assert follows((A(ORIGIN) + M).scale(double), (A(T) * A(-T) + M).scale(double), instance)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (A(T) * A(-T), A(S)),
        (A(T) * A(-T) * M, M * A(ORIGIN)),
        (A(T) * A(-T), A(ORIGIN) + A(ORIGIN)),
        (A(T) * A(-T) + A(T) * A(-T) * M, A(ORIGIN) + A(ORIGIN) * N),
        (A(-T) * A(T), A(ORIGIN)),
    ],
)
def test_what_does_not_follow_is_refused(before: object, after: object) -> None:
    assert not follows(before, after, GROUP.at(s=T, t=-T))  # type: ignore[arg-type]


def test_an_equation_without_content_proves_nothing_new() -> None:
    assert follows(M, M, Equation("nothing", N, N))
    assert not follows(M, N, Equation("nothing", N, N))


def test_a_script_with_a_gap_is_undecided_and_says_where() -> None:
    claim = Equation("inverse", A(T) * A(-T), IDENTITY)
    right = rewrite(claim, [(A(ORIGIN), GROUP.at(s=T, t=-T)), (IDENTITY, START)])
    assert right.outcome is Outcome.PROVED
    gap = rewrite(claim, [(IDENTITY, START)])
    assert gap.outcome is Outcome.UNDECIDED
    assert "line 1, I, does not follow from A(t) A(-t)" in str(gap.evidence["reason"])
    short = rewrite(claim, [(A(ORIGIN), GROUP.at(s=T, t=-T))])
    assert short.outcome is Outcome.UNDECIDED
    assert "ends at A(0), not I" in str(short.evidence["reason"])


def test_the_derivative_follows_leibniz_and_the_chain_rule() -> None:
    law = {"A": X * A(T)}
    assert derivative(A(-T), "t", law) == -(X * A(-T))
    assert derivative(A(T).T * M * A(T), "t", law) == A(T).T * X.T * M * A(T) + A(T).T * M * X * A(
        T
    )
    assert derivative(M * A(S), "t", law) == NULL
    with pytest.raises(ValueError, match="no law for the derivative of F"):
        derivative(F(T), "t", law)
