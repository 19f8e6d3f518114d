"""The exponential of a chain of conjugate pairs of any length, in real form."""

from __future__ import annotations

from derivations.blocks.chains import ETA, LENGTHS, RATE, A
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix, act
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.decisions import all_of, cited, derived, flow_laws, same_functions
from symbolic_pe.proof.derivation import Decision, Derivation, Rule, Step, Twin, holds

B = Scalar.symbol("b")


def _turned() -> FunctionMatrix:
    """e^{t(a + ηx)}·R(bt), the 2 × 2 matrix over K[[x]]."""
    growth = ExponentialPolynomial.exponential("t", ComplexScalar(RATE))
    c = growth * ExponentialPolynomial.cosine("t", B)
    s = growth * ExponentialPolynomial.sine("t", B)
    return ((c, -s), (s, c))


def _laws() -> Decision:
    return flow_laws(((RATE, -B), (B, RATE)), _turned())


def _complex_form() -> Decision:
    """On x₁ + i·x₂ the matrix acts as e^{t(a + ηx + ib)}: its columns are Re and Im of that."""
    rate = ComplexScalar(RATE, B)
    conjugate = ComplexScalar(RATE, -B)
    plus = ExponentialPolynomial.exponential("t", rate)
    minus = ExponentialPolynomial.exponential("t", conjugate)
    (c, _), (s, _) = _turned()
    i = ExponentialPolynomial.constant(ComplexScalar(ZERO, ONE))
    return all_of(
        {
            "c + i s = e^{t(a + eta x + ib)}": holds((c + i * s - plus).vanishes(), "not so"),
            "c - i s = e^{t(a + eta x - ib)}": holds((c - i * s - minus).vanishes(), "not so"),
        }
    )


def _block(length: int) -> tuple[ScalarMatrix, FunctionMatrix]:
    block = Block(A, B, length, ETA)
    return block.generator, block.exponential("t")


def _code() -> Decision:
    return all_of({f"n = {n}": flow_laws(*_block(n)) for n in LENGTHS[:3]})


def _shear_without_turn() -> Decision:
    """[[R(bt), ηt·I], [0, R(bt)]]: the link does not turn."""
    block = Block(ZERO, B, 2, ETA)
    right = block.exponential("t")
    zero = ExponentialPolynomial(("t",), {})
    link = ExponentialPolynomial.variable("t").scale(ETA)
    wrong = tuple(
        tuple((link if i + 2 == j else zero) if (i < 2 <= j) else right[i][j] for j in range(4))
        for i in range(4)
    )
    return same_functions(
        act(block.generator, wrong),
        derived(wrong),
        {"b": "positive", "eta": "positive"},
        law="E' = X E",
    )


DERIVATION = Derivation(
    name="pair-chains",
    title="The exponential of a chain of conjugate pairs of any length",
    chapter="blocks",
    statement=r"""
For a pair of eigenvalues $a \pm bi$ with a chain of length $n$ let
$X = (aI + \eta N) \otimes I_2 + I_n \otimes bJ$, of size $2n$. For **every** $n$

$$e^{tX} = e^{at} \sum_{k=0}^{n-1} \frac{(\eta t)^k}{k!}\,N^k \otimes R(bt), \qquad
e^{(s+t)X} = e^{sX}e^{tX}.$$
""".strip(),
    hypotheses=(
        "every link turns with the planes: the coefficient of $N^k$ is a multiple of $R(bt)$",
    ),
    prose=r"""
The same argument as for real chains, with $2 \times 2$ matrices over power series in $x$ in place
of numbers. It is the Kronecker sum of a real chain and the rotation of a plane.
""".strip(),
    steps=(
        Step(
            "laws-of-the-series",
            r"$E = e^{t(a+\eta x)}R(bt)$ has $E(0) = I$, $E' = (a + \eta x + bJ)E$ and the group "
            r"law.",
            Rule.NORMAL_FORM,
            _laws,
        ),
        Step(
            "complex-form",
            r"On $x_1 + i x_2$ it is multiplication by $e^{t(a + \eta x + ib)}$.",
            Rule.NORMAL_FORM,
            _complex_form,
        ),
        Step(
            "for-every-size",
            "The displayed matrices are the flow, for every $n$.",
            Rule.ROCQ,
            lambda: cited(
                "Chains.pair_chain_is_flow",
                "flow (n * 2) (pair_chain a b e) (pair_chain_flow a b e)",
            ),
        ),
        Step(
            "group-law-for-every-size",
            "Their group law, for every $n$.",
            Rule.ROCQ,
            lambda: cited(
                "Chains.pair_chain_group_law",
                "times (n * 2) (pair_chain_flow a b e s) (pair_chain_flow a b e t)",
            ),
        ),
        Step(
            "code",
            "The blocks that the package computes satisfy the laws; lengths 1 to 3 are decided "
            "here.",
            Rule.NORMAL_FORM,
            _code,
        ),
    ),
    twins=(
        Twin(
            "link-without-turn",
            "the turn of the links: $\\eta t\\,I$ in place of $\\eta t\\,R(bt)$.",
            "$E' = XE$.",
            _shear_without_turn,
        ),
    ),
    uses=("chains",),
    rocq=(
        "Chains.pair_chain_is_flow",
        "Chains.pair_chain_group_law",
        "Chains.kronecker_sum_is_flow",
    ),
    justifies=("symbolic_pe.generators.block.Block.exponential", "jordan-rope"),
    sources=("Jordan-RoPE, arXiv:2605.04217 (length 2)",),
)
