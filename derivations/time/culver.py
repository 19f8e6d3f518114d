"""Which steps on integer positions come from a continuous generator."""

from __future__ import annotations

from derivations.blocks.chains import COEFFICIENT, ETA
from symbolic_pe.algebra.matrix import ScalarMatrix, block_diagonal, multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.exponential.real_logarithm import real_logarithm
from symbolic_pe.generators.block import Block
from symbolic_pe.jordan.integer_step import integer_step
from symbolic_pe.proof.decisions import all_of, cited, same_matrix, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds

K = Scalar.symbol("k")
MINUS_ONE: ScalarMatrix = ((-ONE,),)
MINUS_CHAIN: ScalarMatrix = ((-ONE, ONE), (ZERO, -ONE))
PROJECTION: ScalarMatrix = ((ONE, ZERO), (ZERO, ZERO))


def _lengths() -> Decision:
    """e^{λ + ηx} = e^λ(1 + ηx + …): the coefficient at x over that at 1 is η, which is not 0."""
    first = COEFFICIENT.shifts["k"].substitute({"k": ZERO, "t": ONE})
    return same_value(ETA, first, "c_1/c_0 at t = 1", coefficients="exp(lambda) eta^k/k!")


def _pairs_only() -> Decision:
    """e^{a + bi} is a negative number only for b an odd multiple of π, never for b = 0.

    Eigenvalues of exp(X) are e^λ; a real λ gives e^λ > 0, so a negative one comes from a conjugate
    pair, whose two chains have the same length: each size occurs an even number of times.
    """
    turned = integer_step(multiply(MINUS_ONE, MINUS_ONE))
    alone, twice = integer_step(MINUS_ONE), integer_step(block_diagonal([MINUS_ONE, MINUS_ONE]))
    longer = integer_step(block_diagonal([MINUS_CHAIN, MINUS_CHAIN]))
    unequal = integer_step(block_diagonal([MINUS_CHAIN, MINUS_ONE]))
    expected = {
        "(1)": (turned, True),
        "(-1)": (alone, False),
        "(-1), (-1)": (twice, True),
        "two chains of length 2 at -1": (longer, True),
        "chains of length 2 and 1 at -1": (unequal, False),
    }
    return all_of(
        {
            name: holds(step.has_real_generator == answer, step.reason)
            for name, (step, answer) in expected.items()
        }
    )


def _half_turn() -> Decision:
    """exp(πJ) = −I, so e^{ηx}·R(π) = −e^{ηx}·I for chains of any length: two equal blocks."""
    minus = block_diagonal([MINUS_ONE, MINUS_ONE])
    logarithm = real_logarithm(integer_step(minus)).matrix
    pi = Scalar.symbol("pi")
    if logarithm is None:
        return Decision(Outcome.UNDECIDED, {"reason": "the logarithm of -I is not in the ring"})
    squared = multiply(logarithm, logarithm)
    return all_of(
        {
            "X^2 = -pi^2 I": same_matrix(((-(pi * pi), ZERO), (ZERO, -(pi * pi))), squared, "X^2"),
            "X = pi J up to orientation": same_value(
                pi * pi, logarithm[1][0] * logarithm[1][0], "the entry squared"
            ),
        }
    )


def _series() -> Decision:
    """u = exp(log(1 + y)) solves (1 + y)u′ = u, u(0) = 1, whose series ends after 1 + y.

    Coefficients: (k + 1)u_{k+1} = (1 − k)u_k for every k, so u₁ = u₀ = 1 and u₂ = u₃ = … = 0.
    """
    u0 = ONE
    ratio = (ONE - K) / (K + ONE)
    u1 = u0 * ratio.substitute({"k": ZERO})
    u2 = u1 * ratio.substitute({"k": ONE})
    recurrence = (K + ONE) * ratio + K - ONE
    return all_of(
        {
            "(k + 1) u_(k+1) + k u_k = u_k, over u_k": same_value(ZERO, recurrence, "recurrence"),
            "u_1": same_value(ONE, u1, "u_1"),
            "u_2": same_value(ZERO, u2, "u_2"),
        }
    )


def _code() -> Decision:
    """The package's logarithms: identities decided, and exp(X) enclosed around B."""
    steps = {
        "quarter turn": ((ZERO, -ONE), (ONE, ZERO)),
        "growth 3/2": ((Scalar.rational(3) / Scalar.rational(2),),),
        "chain at 2": ((Scalar.rational(2), ONE), (ZERO, Scalar.rational(2))),
        "-I": ((-ONE, ZERO), (ZERO, -ONE)),
    }
    found = {}
    for name, matrix in steps.items():
        logarithm = real_logarithm(integer_step(matrix))
        proved = logarithm.is_proved() and not logarithm.confirmed_radius() > 1
        found[name] = holds(proved, "exp(X) is not B", generator=logarithm.matrix)
    return all_of(found)


def _no_generator(matrix: ScalarMatrix, text: str) -> Decision:
    step = integer_step(matrix)
    if step.has_real_generator:
        return Decision(Outcome.PROVED, {"reason": step.reason})
    return Decision(Outcome.REFUTED, {"step": matrix}, f"B = {text}: {step.reason}")


def _many() -> Decision:
    """πJ and −πJ are both logarithms of −I."""
    pi = Scalar.symbol("pi")
    one, other = Block(ZERO, pi).generator, Block(ZERO, -pi).generator
    return same_matrix(one, other, "exp(pi J) = exp(-pi J) = -I: the two generators")


DERIVATION = Derivation(
    name="culver",
    title="The generator behind integer positions",
    chapter="time",
    statement=r"""
On integer positions $A(n) = B^n$, a group exactly when $B$ is invertible. There is a real $X$
with $B = e^X$ exactly when $B$ is invertible and, for each negative eigenvalue, the Jordan blocks
of every size occur an even number of times.
""".strip(),
    hypotheses=(
        "$B$ is invertible",
        "the blocks of each negative eigenvalue come in equal pairs",
        "all real positions, for uniqueness of $X$",
    ),
    prose=r"""
So an encoding that is given at integers only need not extend to timestamps. T5's table is one that
does not: it is constant from some lag on, and a sequence of that kind needs a singular $B$.
""".strip(),
    steps=(
        Step(
            "lengths",
            r"A chain of length $n$ at $\lambda$ becomes one chain of length $n$ at $e^\lambda$: "
            r"$e^{\lambda + \eta x} - e^\lambda$ begins with $\eta e^\lambda x$.",
            Rule.NORMAL_FORM,
            _lengths,
        ),
        Step(
            "necessary",
            r"A real eigenvalue $\lambda$ of $X$ gives $e^\lambda > 0$. A negative eigenvalue of "
            r"$B$ "
            "therefore comes from conjugate pairs, whose chains have equal lengths; the package's "
            "criterion on small steps agrees.",
            Rule.LINEAR_ALGEBRA,
            _pairs_only,
        ),
        Step(
            "half-turn",
            r"Two equal chains at $-\mu$: $X = (\ln\mu + "
            r"\log(\mu^{-1}(\mu + N)))\otimes I + \pi J$, since $e^{\pi J} = -I$.",
            Rule.LINEAR_ALGEBRA,
            _half_turn,
        ),
        Step(
            "logarithm-of-a-chain",
            r"$\exp(\log(1 + y)) = 1 + y$ as series, so it holds for nilpotent $y$ of every "
            r"size: a chain at $\mu > 0$, or at a pair $\mu \notin \mathbb R$, has the logarithm "
            r"$\ln\mu + \log(1 + N/\mu)$.",
            Rule.NORMAL_FORM,
            _series,
        ),
        Step(
            "powers-for-every-size",
            "Powers of an invertible $B$ are a group of the integers.",
            Rule.ROCQ,
            lambda: cited("Steps.step_group_law", "times n"),
        ),
        Step(
            "code",
            "Logarithms as the package computes them.",
            Rule.BALLS,
            _code,
        ),
    ),
    twins=(
        Twin(
            "one-negative-block",
            "equal pairs.",
            "$B = -1$ has a real generator.",
            lambda: _no_generator(MINUS_ONE, "(-1)"),
        ),
        Twin(
            "one-negative-chain",
            "equal pairs: one chain of length 2.",
            r"$B = \begin{pmatrix}-1&1\\0&-1\end{pmatrix}$ has a real generator.",
            lambda: _no_generator(MINUS_CHAIN, "[[-1, 1], [0, -1]]"),
        ),
        Twin(
            "singular",
            "invertibility.",
            r"$B = \begin{pmatrix}1&0\\0&0\end{pmatrix}$ has a generator.",
            lambda: _no_generator(PROJECTION, "[[1, 0], [0, 0]]"),
        ),
        Twin(
            "not-unique",
            "real positions: only integers are given.",
            "$X$ is determined by $e^X$.",
            _many,
        ),
    ),
    answers=(
        Answer(
            "S1.12",
            Outcome.PROVED,
            "code",
            "integer positions: a real logarithm is needed for continuous time",
        ),
    ),
    uses=("exponential", "chains", "pair-chains"),
    rocq=("Steps.step_group_law", "Steps.inverse_of_data"),
    justifies=(
        "symbolic_pe.jordan.integer_step.integer_step",
        "symbolic_pe.exponential.real_logarithm.real_logarithm",
    ),
    sources=("Culver, Proc. Amer. Math. Soc. 17 (1966)",),
)
