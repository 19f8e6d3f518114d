"""Direct sums and Kronecker sums: blocks side by side, and one block inside another."""

from __future__ import annotations

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO
from symbolic_pe.encodings.augmentation import nilpotent_exponential
from symbolic_pe.proof.decisions import all_of, cited, same_function
from symbolic_pe.proof.derivation import Decision, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    NULL,
    ORIGIN,
    Equation,
    Family,
    Maps,
    constant,
    derivative,
    positions,
    rewrite,
)

S, T = positions("s t")
E, F = Family("E"), Family("F")
X, Y = constant("X"), constant("Y")
LAWS = {"E": X * E(T), "F": Y * F(T)}
Blocks = tuple[tuple[Maps, Maps], tuple[Maps, Maps]]


def _diagonal(a: Maps, b: Maps) -> Blocks:
    return ((a, NULL), (NULL, b))


def _product(a: Blocks, b: Blocks) -> Blocks:
    (p, q), (r, s) = a
    (u, v), (w, x) = b
    return ((p * u + q * w, p * v + q * x), (r * u + s * w, r * v + s * x))


def _direct_sum() -> Decision:
    flow = _diagonal(E(T), F(T))
    derived = tuple(tuple(derivative(x, "t", LAWS) for x in row) for row in flow)
    group = Equation("group law of E", E(S) * E(T), E(S + T))
    other = Equation("group law of F", F(S) * F(T), F(S + T))
    both = _product(_diagonal(E(S), F(S)), flow)
    return all_of(
        {
            "(E + F)' = (X + Y)(E + F), block by block": holds(
                derived == _product(_diagonal(X, Y), flow), "a block differs"
            ),
            "first block of the product": rewrite(
                Equation("E", both[0][0], E(S + T)), [(E(S + T), group)]
            ),
            "second block": rewrite(Equation("F", both[1][1], F(S + T)), [(F(S + T), other)]),
            "off the diagonal": holds(both[0][1] == NULL == both[1][0], "a block is not 0"),
        }
    )


def _kronecker_sum() -> Decision:
    """E⊗I and I⊗F commute, by the mixed product rule; so (E⊗F)′ = (X⊗I + I⊗Y)(E⊗F)."""
    left, right = Family("E⊗I"), Family("I⊗F")
    x, y = constant("X⊗I"), constant("I⊗Y")
    laws = {"E⊗I": x * left(T), "I⊗F": y * right(T)}
    mixed = Equation("(E⊗I)(I⊗Y) = E⊗Y = (I⊗Y)(E⊗I)", left(T) * y, y * left(T))
    whole = left(T) * right(T)
    start = left(ORIGIN) * right(ORIGIN)
    return all_of(
        {
            "derivative": rewrite(
                Equation("law", derivative(whole, "t", laws), (x + y) * whole),
                [((x + y) * whole, mixed)],
            ),
            "start": rewrite(
                Equation("E(0)⊗F(0)", start, IDENTITY),
                [
                    (right(ORIGIN), Equation("E(0)⊗I = I", left(ORIGIN), IDENTITY)),
                    (IDENTITY, Equation("I⊗F(0) = I", right(ORIGIN), IDENTITY)),
                ],
            ),
        }
    )


def _coupled() -> Decision:
    """X = [[0, 1], [0, 0]] is 0 ⊕ 0 with a coupling; its flow has t in the corner, 0 ⊕ 0 has 0."""
    flow = nilpotent_exponential(((ZERO, ONE), (ZERO, ZERO)))
    return same_function(
        ExponentialPolynomial(("t",), {}), flow[0][1], entry="row 0, column 1 of exp(tX)"
    )


def _product_of_generators() -> Decision:
    """X = Y = 1 in dimension 1: X⊗Y = 1, but E⊗F = e^{2t}."""
    e = ExponentialPolynomial.exponential("t", ComplexScalar(ONE))
    return same_function(e, e * e, of="exp(t X⊗Y) and E⊗F for X = Y = 1")


DERIVATION = Derivation(
    name="direct-sums",
    title="Direct sums and Kronecker sums",
    chapter="blocks",
    statement=r"""
For generators $X, Y$ of any sizes with flows $E, F$

$$e^{t(X \oplus Y)} = E(t) \oplus F(t), \qquad
e^{t(X \otimes I + I \otimes Y)} = E(t) \otimes F(t).$$
""".strip(),
    hypotheses=("the blocks are not coupled", "$I \\otimes Y$ is added, not multiplied"),
    prose=r"""
Heads and planes stand side by side; a chain of planes is one block inside another.
""".strip(),
    steps=(
        Step(
            "direct-sum",
            "Products and derivatives of block diagonal maps are taken block by block.",
            Rule.REWRITING,
            _direct_sum,
        ),
        Step(
            "kronecker-sum",
            r"$E \otimes I$ and $I \otimes F$ commute, so $(E \otimes F)' = "
            r"(X \otimes I + I \otimes Y)(E \otimes F)$.",
            Rule.REWRITING,
            _kronecker_sum,
        ),
        Step(
            "direct-sums-for-every-size",
            "Direct sums of any list of blocks.",
            Rule.ROCQ,
            lambda: cited(
                "DirectSums.joined_is_flow",
                "flow (total l) (joined_generator l) (joined_operator l)",
            ),
        ),
        Step(
            "kronecker-sums-for-every-size",
            "Kronecker sums of any sizes.",
            Rule.ROCQ,
            lambda: cited(
                "Chains.kronecker_sum_is_flow",
                "flow (m * w) (kronecker_sum w X Y) (fun t : R => tensor w (E t) (F t))",
            ),
        ),
    ),
    twins=(
        Twin(
            "coupled",
            "uncoupled blocks.",
            "The flow of a block triangular generator is the direct sum of the flows of its "
            "diagonal.",
            _coupled,
        ),
        Twin(
            "product-of-generators",
            "the sum: $X \\otimes Y$ in place of $X \\otimes I + I \\otimes Y$.",
            "$e^{t(X \\otimes Y)} = E(t) \\otimes F(t)$.",
            _product_of_generators,
        ),
    ),
    uses=("exponential", "chains"),
    rocq=("DirectSums.joined_is_flow", "Chains.kronecker_sum_is_flow"),
    justifies=("symbolic_pe.exponential.closed_form.assemble", "symbolic_pe.emit.plan"),
    sources=("Horn and Johnson, Topics in Matrix Analysis, 1991, section 4.4",),
)
