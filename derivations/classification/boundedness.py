"""When exp(τX) stays bounded: on causal lags, and on all lags."""

from __future__ import annotations

from itertools import product

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.functions import exponential, logarithm
from symbolic_pe.algebra.matrix import multiply_functions, transpose
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.families import growth_of
from symbolic_pe.proof.decisions import all_of, cited, same_functions, same_value
from symbolic_pe.proof.derivation import Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.hypergeometric import HypergeometricTerm
from symbolic_pe.proof.rewriting import IDENTITY, Equation, Family, constant, positions, rewrite

A, B, C, K, T = (Scalar.symbol(x) for x in ("a", "b", "c", "k", "t"))
TERM = HypergeometricTerm({"k": T}, {"t": A + K / T})
"""t^k e^{at}."""


def _maximum() -> Decision:
    """(t^k e^{at})′ = t^k e^{at}·(k + at)/t: for a < 0 it rises up to t = −k/a and falls after."""
    slope = T * TERM.rate("t")
    return all_of(
        {
            "sign of the derivative, times t": same_value(K + A * T, slope, "t f'/f"),
            "at t = -k/a": same_value(ZERO, slope.substitute({"t": -(K / A)}), "the slope at -k/a"),
            "consistent ratios": holds(TERM.is_consistent(), "no such term exists"),
        }
    )


def _rotation_is_bounded() -> Decision:
    """RᵀR = I: columns of length 1, entries at most 1."""
    e = Block(ZERO, B).exponential("t")
    one, zero = (ExponentialPolynomial.constant(x) for x in (ONE, ZERO))
    return same_functions(((one, zero), (zero, one)), multiply_functions(transpose(e), e))


def _conjugation() -> Decision:
    """P E P⁻¹ and E bound each other: each is the other between two constants."""
    (t,) = positions("t")
    e = Family("E")
    p, q = constant("P"), constant("Q")
    gone = Equation("Q P = I", q * p, IDENTITY)
    back = rewrite(
        Equation("back", q * p * e(t) * q * p, e(t)), [(e(t) * q * p, gone), (e(t), gone)]
    )
    return all_of({"E = Q (P E Q) P": back})


def unbounded_value(block: Block) -> tuple[Scalar, Scalar]:
    """A lag and the exact size of the block there, which is c: for a > 0 at ln(c)/a."""
    lag = logarithm(C, Assumptions.declare({"c": "positive"})) / block.rate
    return lag, exponential(block.rate * lag)


def _growing() -> Decision:
    """Re λ = a > 0: EᵀE has e^{2at} on its diagonal, and e^{at} = c at t = ln(c)/a."""
    lag, value = unbounded_value(Block(A))
    gram = multiply_functions(transpose(Block(A, B).exponential("t")), Block(A, B).exponential("t"))
    growth = ExponentialPolynomial.exponential("t", ComplexScalar(A + A))
    return all_of(
        {
            "length of a column of a pair": holds(
                (gram[0][0] - growth).vanishes(), "not exp(2 a t)"
            ),
            "value at ln(c)/a": same_value(C, value, "exp(a ln(c)/a)", lag=lag),
        }
    )


def _chains_grow() -> Decision:
    """Re λ = 0 and length n ≥ 2: the entry next to the diagonal is t (times a rotation)."""
    real = Block(ZERO, ZERO, 2).exponential("t")[0][1]
    pair = Block(ZERO, B, 2).exponential("t")
    t = ExponentialPolynomial.variable("t")
    square = pair[0][2] * pair[0][2] + pair[1][2] * pair[1][2]
    return all_of(
        {
            "real: t": holds((real - t).vanishes(), "not t"),
            "pair: a column of length t": holds((square - t * t).vanishes(), "not t^2"),
        }
    )


def _both_sides() -> Decision:
    """Bounded at τ and at −τ: Re λ ≤ 0 and −Re λ ≤ 0 leave Re λ = 0, with chains of length 1."""
    causal = {
        (sign, n): growth_of([(sign, n)]).causal in ("bounded", "decaying")
        for sign, n in product((-1, 0, 1), (1, 2, 3))
    }
    everywhere = {
        (sign, n): growth_of([(sign, n)]).all in ("bounded", "decaying")
        for sign, n in product((-1, 0, 1), (1, 2, 3))
    }
    agree = all(
        everywhere[sign, n] == (causal[sign, n] and causal[-sign, n])
        for sign, n in product((-1, 0, 1), (1, 2, 3))
    )
    return holds(
        agree and everywhere == {key: key == (0, 1) for key in everywhere},
        "another case is bounded on all lags",
        causal="; ".join(f"sign {s}, length {n}" for (s, n), yes in causal.items() if yes),
        all_lags="; ".join(f"sign {s}, length {n}" for (s, n), yes in everywhere.items() if yes),
    )


def _without_sign() -> Decision:
    lag = unbounded_value(Block(ONE))[0] + ONE
    value = exponential(lag)
    return Decision(
        Outcome.REFUTED,
        {"value": value},
        f"X = 1, semisimple: for every bound c > 0 the value at tau = {lag} is {value} > c",
    )


def _without_semisimple() -> Decision:
    entry = Block(ZERO, ZERO, 2).exponential("t")[0][1]
    if not (entry - ExponentialPolynomial.variable("t")).vanishes():
        return Decision(Outcome.UNDECIDED, {"reason": "the entry is not t"})
    return Decision(
        Outcome.REFUTED,
        {"entry": entry},
        "X = [[0, 1], [0, 0]], spectrum 0: for every bound c the entry at tau = c + 1 is c + 1",
    )


def _without_causality() -> Decision:
    lag, value = unbounded_value(Block(-ONE))
    return Decision(
        Outcome.REFUTED,
        {"value": value},
        f"X = -1: for every c > 1 the value at tau = {lag} is {value}",
    )


DERIVATION = Derivation(
    name="boundedness",
    title="Bounded on causal lags, bounded on all lags",
    chapter="classification",
    statement=r"""
Let $X$ be a real matrix. Its flow $e^{\tau X}$ is bounded on $\tau \ge 0$ exactly when every
eigenvalue has $\mathrm{Re}\,\lambda \le 0$ and those with $\mathrm{Re}\,\lambda = 0$ have Jordan
blocks of size 1 only. It is bounded on all $\tau$ exactly when every eigenvalue is purely
imaginary and $X$ is semisimple.
""".strip(),
    hypotheses=(
        "$\\mathrm{Re}\\,\\lambda \\le 0$ for every eigenvalue",
        "blocks of size 1 where $\\mathrm{Re}\\,\\lambda = 0$",
        "$\\tau \\ge 0$, in the first statement",
    ),
    prose=r"""
A change of basis multiplies bounds by constants, so blocks are looked at one by one. The entries
of a block are $\tau^k e^{a\tau}/k!$ times entries of a rotation.
""".strip(),
    steps=(
        Step(
            "change-of-basis",
            r"$E = P^{-1}(P E P^{-1})P$: one is bounded exactly when the other is.",
            Rule.REWRITING,
            _conjugation,
        ),
        Step(
            "decaying-entries",
            r"For $a < 0$ the function $\tau^k e^{a\tau}$ rises up to $\tau = k/|a|$ and falls "
            r"after, "
            "for every $k$: it is bounded.",
            Rule.NORMAL_FORM,
            _maximum,
        ),
        Step("rotations", r"$R(b\tau)^\top R(b\tau) = I$.", Rule.NORMAL_FORM, _rotation_is_bounded),
        Step(
            "growing-entries",
            r"For $a > 0$ a column of the block has length $e^{a\tau}$, which is $c$ at "
            r"$\tau = \ln(c)/a$, for every $c > 1$.",
            Rule.EVALUATION,
            _growing,
        ),
        Step(
            "neutral-chains",
            r"For $a = 0$ and length 2 or more the next entry is $\tau$, or a column of length "
            r"$\tau$.",
            Rule.NORMAL_FORM,
            _chains_grow,
        ),
        Step(
            "both-sides",
            r"Bounded on all $\tau$ is bounded for $X$ and for $-X$.",
            Rule.DEFINITION,
            _both_sides,
            "The table of growth that the package reports is this.",
        ),
        Step(
            "skew-for-every-size",
            "Skew generators are bounded on all lags, for every size.",
            Rule.ROCQ,
            lambda: cited("Laws.bounded", "skew n X -> exists c : R"),
        ),
        Step(
            "contraction-for-every-size",
            r"If $X + X^\top$ is diagonal and nowhere positive, all entries are at most $1$ on "
            r"$\tau \ge 0$.",
            Rule.ROCQ,
            lambda: cited("Bounds.contraction", "Rabs (E t i j) <= 1"),
        ),
    ),
    twins=(
        Twin(
            "positive-real-part",
            "$\\mathrm{Re}\\,\\lambda \\le 0$.",
            "A semisimple $X$ is bounded on $\\tau \\ge 0$.",
            _without_sign,
        ),
        Twin(
            "not-semisimple",
            "blocks of size 1.",
            "A spectrum on the imaginary axis gives a bounded flow.",
            _without_semisimple,
        ),
        Twin(
            "negative-lags",
            "$\\tau \\ge 0$.",
            "A decay is bounded on all $\\tau$.",
            _without_causality,
        ),
    ),
    uses=("chains", "pair-chains", "similarity", "one-map"),
    assumes=("every real matrix has a real Jordan form (Jordan 1870)",),
    rocq=("Laws.bounded", "Bounds.contraction"),
    justifies=(
        "symbolic_pe.generators.families.growth_of",
        "symbolic_pe.proof.prover",
    ),
    sources=("Horn and Johnson, Topics in Matrix Analysis, 1991, section 6.2",),
)
