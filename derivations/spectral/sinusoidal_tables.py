"""Sinusoidal tables give Toeplitz logits exactly for matrices in a commutant."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from derivations.spectral.tools import cosine, identities, sine
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

FIRST, SECOND = (fmpq(3, 5), fmpq(4, 5)), (fmpq(5, 13), fmpq(12, 13))
"""Two rational points of the circle: rotations of different frequencies."""
START = (1, 0, 1, 0)


def _rotation(*points: tuple[fmpq, fmpq]) -> fmpq_mat:
    size = 2 * len(points)
    matrix = fmpq_mat(size, size)
    for k, (c, s) in enumerate(points):
        matrix[2 * k, 2 * k] = matrix[2 * k + 1, 2 * k + 1] = c
        matrix[2 * k, 2 * k + 1], matrix[2 * k + 1, 2 * k] = -s, s
    return matrix


def _tables(rotation: fmpq_mat, count: int) -> list[fmpq_mat]:
    """p_i = Rⁱp₀ with p₀ = (cos 0, sin 0) in each plane."""
    found = [fmpq_mat(4, 1, list(START))]
    for _ in range(count - 1):
        found.append(rotation * found[-1])
    return found


def _commutant(rotation: fmpq_mat) -> int:
    """Dimension of {W : RW = WR}: the kernel of W ↦ RW − WR."""
    columns = []
    for a in range(4):
        for b in range(4):
            unit = fmpq_mat(4, 4)
            unit[a, b] = 1
            columns.append((rotation * unit - unit * rotation).entries())
    return 16 - int(fmpq_mat([list(row) for row in zip(*columns, strict=True)]).rank())


def _identity() -> Decision:
    """W = I: p_iᵀp_j = Σ cos θ_k(i − j), RoPE's kernel."""
    return identities(
        {"one plane": (cosine(x=1) * cosine(y=1) + sine(x=1) * sine(y=1), cosine(x=1, y=-1))}
    )


def _spans() -> Decision:
    """p₀ … p₃ are linearly independent, so p_iᵀVp_j = 0 for all i, j makes V = 0."""
    tables = _tables(_rotation(FIRST, SECOND), 4)
    determinant = fmpq_mat([list(p.entries()) for p in tables]).det()
    return holds(determinant != 0, "the table does not span", determinant=determinant)


def _both_directions() -> Decision:
    """V = RᵀWR − W is 0 exactly on the commutant: dimension 4 of block rotations aI + bJ."""
    rotation = _rotation(FIRST, SECOND)
    dimension = _commutant(rotation)
    unit = fmpq_mat(4, 4, [int(i == j) for i in range(4) for j in range(4)])
    orthogonal = rotation.transpose() * rotation == unit
    return holds(
        dimension == 4 and orthogonal,
        "the commutant has another dimension",
        commutant_dimension=dimension,
        block_rotations=2 * 2,
    )


def _generic() -> Decision:
    """W = E₁₂: entries (0, 0) and (1, 1) differ."""
    rotation = _rotation(FIRST, SECOND)
    first, second = _tables(rotation, 2)
    w = fmpq_mat(4, 4)
    w[0, 1] = 1
    at_zero = (first.transpose() * w * first)[0, 0]
    at_one = (second.transpose() * w * second)[0, 0]
    if at_zero == at_one:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        f"W = E_12, first plane turned by (3/5, 4/5) per position: p_0.W.p_0 = {at_zero} and "
        f"p_1.W.p_1 = {at_one}, both at lag 0",
    )


def _varied_content() -> Decision:
    """RoPE keeps lengths: at lag 0 the logit of a token with itself is |x|², 1 and 4 here."""
    rotation = _rotation(FIRST, SECOND)
    tokens = [fmpq_mat(4, 1, [k, 0, 0, 0]) for k in (1, 2)]
    turned = [tokens[0], rotation * tokens[1]]
    values = [(x.transpose() * x)[0, 0] for x in turned]
    if values[0] == values[1]:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        f"RoPE, tokens (1, 0, 0, 0) and (2, 0, 0, 0): at lag 0 the logits are {values[0]} and "
        f"{values[1]}",
    )


def _equal_frequencies() -> Decision:
    dimension = _commutant(_rotation(FIRST, FIRST))
    if dimension == 4:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {"commutant_dimension": dimension},
        f"both planes turned by (3/5, 4/5): the commutant has dimension {dimension}, so W may "
        f"mix planes",
    )


DERIVATION = Derivation(
    name="sinusoidal-tables-and-commutants",
    title="Sinusoidal tables give Toeplitz logits exactly for matrices that commute with rotations",
    chapter="spectral",
    statement=r"""
Let $p_i = R^i p_0$ be the sinusoidal table, $R$ the rotation by one position. For distinct
frequencies
$p_i^\top W p_j$ depends on $i - j$ alone **iff** $WR = RW$, that is, $W = \bigoplus_k (a_kI +
b_kJ)$. $W = I$ gives the
kernel of RoPE with constant content.
""".strip(),
    hypotheses=("frequencies are distinct and lie in $(0, \\pi)$", "every plane has content"),
    prose=r"""
Shifting both positions by one replaces $W$ by $R^\top W R$. The table spans the space, so
invariance means
$R^\top W R = W$. The steps decide this for two planes with rational rotations; a plane of $R$
for each frequency is all
that the argument uses.
""".strip(),
    steps=(
        Step("identity", r"$W = I$ gives $\sum_k\cos\theta_k(i-j)$.", Rule.NORMAL_FORM, _identity),
        Step(
            "spans",
            "The rows of the table span the space (a Vandermonde determinant in $e^{\\pm "
            "i\\theta_k}$).",
            Rule.LINEAR_ALGEBRA,
            _spans,
        ),
        Step(
            "commutant",
            r"$R^\top WR = W$ has exactly the solutions $\bigoplus(a_kI+b_kJ)$.",
            Rule.LINEAR_ALGEBRA,
            _both_directions,
        ),
    ),
    twins=(
        Twin(
            "absolute-is-toeplitz",
            "$W$ in the commutant.",
            "Logits of sinusoidal absolute encodings are Toeplitz.",
            _generic,
        ),
        Twin(
            "varied-content",
            "one content at every position.",
            "Logits of relative encodings are Toeplitz.",
            _varied_content,
        ),
        Twin(
            "equal-frequencies",
            "distinct frequencies.",
            "Only block rotations commute.",
            _equal_frequencies,
        ),
    ),
    answers=(
        Answer("V10", Outcome.PROVED, "commutant"),
        Answer("S2.1", Outcome.REFUTED, "varied-content", "they are at constant content"),
        Answer("F15", Outcome.REFUTED, "absolute-is-toeplitz"),
    ),
    sources=("Vaswani et al., arXiv:1706.03762", "Gu et al., arXiv:2505.13027"),
)
