"""Clocks: a group acts on any increasing time, index, timestamp or learned."""

from __future__ import annotations

from symbolic_pe.algebra.matrix import multiply_functions
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.decisions import (
    cited,
    same_function,
    same_functions,
    same_value,
    taken_at,
)
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import Equation, Family, positions, rewrite

CLOCK = (Scalar.rational(0), Scalar.rational(1), Scalar.rational(3))
"""A clock that is no affine function of the index."""


def _additive() -> Decision:
    """A(T_t − T_s) = A(T_t − T_u)·A(T_u − T_s) for all clock readings."""
    now, then, between = positions("T_t T_s T_u")
    a = Family("A")
    x, y = positions("x y")
    group = Equation("group law", a(x + y), a(x) * a(y))
    return rewrite(
        Equation("through a third time", a(now - between) * a(between - then), a(now - then)),
        [(a(now - then), group.at(x=now - between, y=between - then))],
    )


def _functions() -> Decision:
    """The same for a damped rotation, with clock readings as real variables."""
    e = Block(Scalar.symbol("a"), Scalar.symbol("b")).exponential("t")
    left = taken_at(e, T_t=1, T_s=-1, T_u=0)
    right = multiply_functions(taken_at(e, T_t=1, T_u=-1, T_s=0), taken_at(e, T_u=1, T_s=-1, T_t=0))
    return same_functions(left, right)


def _affine() -> Decision:
    """T(t) = c·t gives a function of t − s: the generator is cX."""
    c, a = Scalar.symbol("c"), Scalar.symbol("a")
    clocked = Block(c * a).exponential("t")[0][0].compose({"t": 1, "s": -1})
    product = Block(c * a).exponential("t")[0][0] * Block(-(c * a)).exponential("s")[0][0]
    return same_function(clocked, product)


def score(t: int, s: int) -> Scalar:
    """The exponent of a unit decay on the clock: −(T_t − T_s)."""
    return -(CLOCK[t] - CLOCK[s])


def _index_time() -> Decision:
    return same_value(
        score(1, 0),
        score(2, 1),
        "the clock T = 0, 1, 3: log of the weights at (1, 0) and (2, 1), both of lag 1",
    )


DERIVATION = Derivation(
    name="clocks",
    title="A group acts on any clock",
    chapter="time",
    statement=r"""
Let $A$ be a homomorphism of the reals and $T_t$ any real readings of a clock. Then
$A(T_t - T_s) = A(T_t - T_u)\,A(T_u - T_s)$ for all $t, u, s$, with $F(t) = A(T_t)^\top$ and
$G(s) = A(-T_s)$. It is a function of $t - s$ for every $A$ only when $T$ is affine in the index.
""".strip(),
    hypotheses=("the clock is affine in the index, for relativity in the index",),
    prose=r"""
Positions may be indices, timestamps or a learned clock: Mamba's steps, GLA's gates and FoX's forget
gates are increments of clocks, one for each channel that has its own. The group law is that of the
clock. Seen by index, the encoding is no function of the lag.
""".strip(),
    steps=(
        Step("group-law", "The group law at differences of readings.", Rule.REWRITING, _additive),
        Step(
            "damped-rotation",
            "The same for $e^{a\\tau}R(b\\tau)$ with readings as variables.",
            Rule.NORMAL_FORM,
            _functions,
        ),
        Step(
            "affine",
            "$T_t = ct$ gives a function of $t - s$ with the generator $cX$.",
            Rule.NORMAL_FORM,
            _affine,
        ),
        Step(
            "for-every-size",
            "Positions may be the elements of any abelian group.",
            Rule.ROCQ,
            lambda: cited("Gauge.homomorphism", "forall (T : Type)"),
        ),
    ),
    twins=(
        Twin(
            "index-time",
            "an affine clock: readings $0, 1, 3$.",
            "A decay on the clock is a function of the lag in the index.",
            _index_time,
        ),
    ),
    answers=(
        Answer(
            "S1.12",
            Outcome.PROVED,
            "group-law",
            "timestamps and learned clocks; relative in clock time, not in index time",
        ),
    ),
    uses=("homomorphism",),
    rocq=("Gauge.homomorphism",),
    justifies=("mamba", "symbolic_pe.encodings.specification"),
    sources=(
        "A. Puranik, positional encodings through group theory, Jane Street, 2026",
        "Dao and Gu, Mamba-2, arXiv:2405.21060",
        "Yang et al., GLA, arXiv:2312.06635",
    ),
)
