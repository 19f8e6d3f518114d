"""ALiBi needs two coordinates: for any generator, together with content, constants allowed."""

from __future__ import annotations

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.encodings.realisation import hankel_rank, minimal_augmentation
from symbolic_pe.proof.decisions import all_of, cited, same_value
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin, holds
from symbolic_pe.proof.rewriting import Equation, constant, rewrite

M, C = Scalar.symbol("m"), Scalar.symbol("c")
LAG = ExponentialPolynomial.variable("t")


def _factorisation() -> Decision:
    """M_{i+j} = C X^{i+j} B = (C Xⁱ)(Xʲ B), here for i = 2, j = 1."""
    c, x, b = constant("C"), constant("X"), constant("B")
    moment = Equation("M_3 = C X^3 B", constant("M_3"), c * x * x * x * b)
    return rewrite(
        Equation("factors", constant("M_3"), (c * x * x) * (x * b)),
        [((c * x * x) * (x * b), moment)],
    )


def _content_block() -> Decision:
    """A content channel has M₀ = 1, M₁ = M₂ = 0: [[1, 0], [0, 0]] of rank 1, for each of d."""
    rank = hankel_rank((ONE, ZERO, ZERO))
    return same_value(ONE, Scalar.rational(rank), "rank of [[1, 0], [0, 0]]")


def _bias_block() -> Decision:
    """The bias −mτ + c has M₀ = c, M₁ = −m, M₂ = 0: det [[c, −m], [−m, 0]] = −m² for every c."""
    found = C * ZERO - (-M) * (-M)
    return same_value(-(M * M), found, "det [[c, -m], [-m, 0]]")


def _realised() -> Decision:
    """The package's minimal realisations have the rank as their size, with and without c."""
    found = {}
    for name, bias in {
        "-m tau": LAG.scale(-M),
        "-m tau + c": LAG.scale(-M) + ExponentialPolynomial.constant(C),
    }.items():
        realisation = minimal_augmentation(bias)
        found[name] = holds(
            realisation.is_minimal and realisation.hankel_rank == 2,
            f"rank {realisation.hankel_rank}",
            rank=realisation.hankel_rank,
        )
    return all_of(found)


def _one_coordinate() -> Decision:
    """One coordinate gives b = α·e^{yτ}, so b·b″ = (b′)²; −τ at τ = 1 has 0 and 1."""
    b = -LAG
    first, second = b.derivative("t"), b.derivative("t").derivative("t")
    point = {"t": ONE}

    def at(f: ExponentialPolynomial) -> Scalar:
        total = ZERO
        for key, value in f.terms.items():
            total = total + value.re * point["t"] ** key.powers[0]
        return total

    return same_value(
        at(first) * at(first),
        at(b) * at(second),
        "one coordinate makes b b'' = (b')^2; for b = -tau at tau = 1, (b')^2 and b b''",
    )


def _zero_slope() -> Decision:
    """m = 0: the constant alone, [[c, 0], [0, 0]], has rank 1."""
    rank = hankel_rank((C, ZERO, ZERO))
    return same_value(
        Scalar.rational(2), Scalar.rational(rank), "m = 0: the rank of [[c, 0], [0, 0]]"
    )


DERIVATION = Derivation(
    name="augmentation-minimality",
    title="Two coordinates are the fewest for ALiBi",
    chapter="augmentation",
    statement=r"""
Let $d \ge 0$, $m \ne 0$, and let matrices $C, B$ and **any** generator $X$ of size $r$ satisfy

$$C\,e^{\tau X} B = \begin{pmatrix} I_d & 0 \\ 0 & -m\tau + c\end{pmatrix}$$

for all $\tau$ with some constant $c$: content is compared as it is, and constants are appended.
Then $r \ge d + 2$.
""".strip(),
    hypotheses=("$m \\ne 0$", "the generator does not depend on the position"),
    prose=r"""
The rank of the block Hankel matrix of the derivatives $M_i = C X^i B$ at $0$ is a lower bound of
$r$, because it factors through $r$ dimensions. Nilpotency is not assumed, and an additive
constant, which softmax does not see, does not help. With $d + 1$ coordinates only slopes that are
linear in content are possible, $u^\top k$ in place of $m$.
""".strip(),
    steps=(
        Step(
            "factorisation",
            r"$M_{i+j} = C X^{i+j} B = (C X^i)(X^j B)$: the block Hankel matrix is a product "
            r"through $\mathbb R^r$, so its rank is at most $r$.",
            Rule.REWRITING,
            _factorisation,
        ),
        Step(
            "content",
            r"$M_0 = I_d \oplus (c)$, $M_1 = 0 \oplus (-m)$, $M_2 = 0$. After sorting rows and "
            r"columns $\begin{pmatrix}M_0&M_1\\M_1&M_2\end{pmatrix}$ is a direct sum: one block "
            r"of rank 1 for "
            "each of the $d$ channels of content,",
            Rule.LINEAR_ALGEBRA,
            _content_block,
        ),
        Step(
            "bias",
            r"and $\begin{pmatrix}c&-m\\-m&0\end{pmatrix}$ with determinant $-m^2$, rank 2 for "
            r"every $c$: together $d + 2$, for every $d$.",
            Rule.LINEAR_ALGEBRA,
            _bias_block,
        ),
        Step(
            "for-every-size",
            "The same for every $d$, every size $r$ and every real $X$, with $c$ allowed.",
            Rule.ROCQ,
            lambda: cited(
                "Minimality.two_coordinates_are_needed",
                "through r C (E tau) B =[ S d] content_and_bias d m c tau",
                "(d + 2 <= r)%nat",
            ),
            "If $r \\le d + 1$, the $d + 2$ vectors $Be_0, \\dots, Be_d, XBe_d$ are dependent; "
            "$C$ and $CX$ make all coefficients $0$.",
        ),
        Step(
            "attained",
            "Two coordinates are attained; the package computes rank and realisation of a bias.",
            Rule.LINEAR_ALGEBRA,
            _realised,
        ),
    ),
    twins=(
        Twin(
            "one-coordinate",
            "the second coordinate.",
            r"$-\tau$ is $q\,e^{y\tau}k$ with one coordinate.",
            _one_coordinate,
        ),
        Twin(
            "zero-slope",
            "$m \\ne 0$.",
            "The rank is 2.",
            _zero_slope,
        ),
    ),
    answers=(
        Answer(
            "S1.8",
            Outcome.PROVED,
            "bias",
            "two constant coordinates are needed, for any generator, also with a constant allowed",
        ),
    ),
    uses=("alibi-augmentation", "exponential"),
    assumes=("the rank of a product is at most the dimension between its factors",),
    rocq=("Minimality.two_coordinates_are_needed", "Augmentation.alibi"),
    justifies=("symbolic_pe.encodings.realisation.minimal_augmentation",),
    sources=(
        "Ho and Kalman, Regelungstechnik 14 (1966)",
        "Zhang et al., GRAPE, ICLR 2026, remark 4.1 (weaker)",
    ),
)
