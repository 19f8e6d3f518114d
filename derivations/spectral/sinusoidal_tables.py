"""Sinusoidal tables give Toeplitz logits exactly for matrices in a commutant."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from derivations.spectral.tools import constant, cosine, identities, number, sine
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.decisions import all_of
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import (
    IDENTITY,
    Equation,
    Family,
    positions,
    rewrite,
)
from symbolic_pe.proof.rewriting import constant as letter

Functions = list[list[ExponentialPolynomial]]

FIRST_PLACE, SECOND_PLACE, X, ONE_MORE = positions("i j x 1")
P, R, W = Family("p"), letter("R"), letter("W")
STEP = Equation("p(x + 1) = R p(x)", P(X + ONE_MORE), R * P(X))
ORTHOGONAL = Equation("R^T R = I", R.T * R, IDENTITY)
INVERSE = Equation("R R^T = I", R * R.T, IDENTITY)

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


def _shift() -> Decision:
    """One position more on both sides replaces W by RᵀWR."""
    return rewrite(
        Equation(
            "shift",
            P(FIRST_PLACE + ONE_MORE).T * W * P(SECOND_PLACE + ONE_MORE),
            P(FIRST_PLACE).T * R.T * W * R * P(SECOND_PLACE),
        ),
        [
            (P(FIRST_PLACE).T * R.T * W * P(SECOND_PLACE + ONE_MORE), STEP.T.at(x=FIRST_PLACE)),
            (P(FIRST_PLACE).T * R.T * W * R * P(SECOND_PLACE), STEP.at(x=SECOND_PLACE)),
        ],
    )


def _commutes() -> Decision:
    """RᵀWR = W gives WR = RW, and back."""
    fixed = Equation("R^T W R = W", R.T * W * R, W)
    commuting = Equation("W R = R W", W * R, R * W)
    return all_of(
        {
            "R^T W R = W gives R W = W R": rewrite(
                Equation("commutes", R * W, W * R),
                [(R * R.T * W * R, fixed), (W * R, INVERSE)],
            ),
            "W R = R W gives R^T W R = W": rewrite(
                Equation("fixed", R.T * W * R, W),
                [(R.T * R * W, commuting), (W, ORTHOGONAL)],
            ),
        }
    )


def _other_planes() -> Decision:
    """R_k² − 2cos b·R_k + I = 2(cos a − cos b)·R_k for a = θ_k, b = θ_l; entries by columns.

    It is 0 for l = k, and an invertible multiple of R_k for every other plane l.
    """
    factor = (cosine(a=1) - cosine(b=1)).scale(number(2))
    twice = cosine(b=1).scale(number(2))
    return identities(
        {
            "diagonal": (
                cosine(a=2) - twice * cosine(a=1) + constant(1),
                factor * cosine(a=1),
            ),
            "off the diagonal": (sine(a=2) - twice * sine(a=1), factor * sine(a=1)),
        }
    )


def _plane_is_spanned() -> Decision:
    """det(v, R_kv) = sin θ_k·|v|²."""
    x, y = Scalar.symbol("x"), Scalar.symbol("y")
    c, s = cosine(a=1), sine(a=1)
    first, second = c.scale(x) - s.scale(y), s.scale(x) + c.scale(y)
    return identities({"det(v, Rv)": (second.scale(x) - first.scale(y), s.scale(x * x + y * y))})


def _blocks() -> Decision:
    """The blocks W_kl of W with R_kW_kl = W_klR_l: θ_k = a, θ_l = b.

    k ≠ l   a linear map of the four entries with determinant 4(cos a − cos b)²
    k = l   sin a·(JV − VJ) = 0, that is v_21 = −v_12 and v_22 = v_11
    """
    v = [[Scalar.symbol(f"v{i}{j}") for j in (1, 2)] for i in (1, 2)]
    left = _product(_plane("a"), _constants(v))
    right = _product(_constants(v), _plane("a"))
    found = [left[i][j] - right[i][j] for i in range(2) for j in range(2)]
    s = sine(a=1)
    skew, sum_of = v[0][0] - v[1][1], v[0][1] + v[1][0]
    expected = [s.scale(-sum_of), s.scale(skew), s.scale(skew), s.scale(sum_of)]
    square = cosine(a=1) - cosine(b=1)
    return identities(
        {
            "k != l: determinant": (_determinant(_sylvester()), (square * square).scale(number(4))),
            **{
                f"k = l: entry {n + 1}": pair
                for n, pair in enumerate(zip(found, expected, strict=True))
            },
        }
    )


def _plane(angle: str) -> Functions:
    c, s = cosine(**{angle: 1}), sine(**{angle: 1})
    return [[c, -s], [s, c]]


def _constants(entries: list[list[Scalar]]) -> Functions:
    return [[constant(1).scale(x) for x in row] for row in entries]


def _product(left: Functions, right: Functions) -> Functions:
    return [
        [left[i][0] * right[0][j] + left[i][1] * right[1][j] for j in range(2)] for i in range(2)
    ]


def _sylvester() -> Functions:
    """The matrix of V ↦ R(a)V − VR(b) on (v_11, v_12, v_21, v_22)."""
    first, second = _plane("a"), _plane("b")
    zero = constant(0)
    return [
        [
            (first[i][k] if j == m else zero) - (second[m][j] if i == k else zero)
            for k in range(2)
            for m in range(2)
        ]
        for i in range(2)
        for j in range(2)
    ]


def _determinant(matrix: Functions) -> ExponentialPolynomial:
    """Expansion along the first row."""
    if len(matrix) == 1:
        return matrix[0][0]
    total = constant(0)
    for j, entry in enumerate(matrix[0]):
        minor = [row[:j] + row[j + 1 :] for row in matrix[1:]]
        term = entry * _determinant(minor)
        total = total + term if j % 2 == 0 else total - term
    return total


def _instance() -> Decision:
    """Two planes with rational rotations: p_0 … p_3 span, and the commutant has dimension 4."""
    rotation = _rotation(FIRST, SECOND)
    tables = _tables(rotation, 4)
    determinant = fmpq_mat([list(p.entries()) for p in tables]).det()
    dimension = _commutant(rotation)
    return holds(
        determinant != 0 and dimension == 4,
        "the table does not span, or the commutant has another dimension",
        determinant=determinant,
        commutant_dimension=dimension,
    )


def _empty_plane() -> Decision:
    """p_0 = (1, 0, 0, 0): W = E_34 gives 0 at every pair of positions and does not commute."""
    rotation = _rotation(FIRST, SECOND)
    w = fmpq_mat(4, 4)
    w[2, 3] = 1
    change = (rotation * w - w * rotation).entries()
    place = next((i for i, x in enumerate(change) if x != 0), None)
    if place is None:
        return Decision(Outcome.PROVED)
    return Decision(
        Outcome.REFUTED,
        {},
        "p_0 = (1, 0, 0, 0), W = E_34: every logit is 0, and RW - WR has the entry "
        f"({place // 4 + 1}, {place % 4 + 1}) = {change[place]}",
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
Everything holds for any number of planes: the steps speak of one plane $k$, or of two planes $k$
and $l$, and of products over the others. Let $V = R^\top WR - W$. By the first step the logits are
Toeplitz iff $p_i^\top Vp_j = 0$ for all $i, j$. By the third,
$\prod_{l\ne k}(R^2 - 2\cos\theta_l R + I)\,p_i$, a combination of $p_i, p_{i+1}, \dots$, vanishes
in every plane but $k$, and there it is
$\prod_{l\ne k}2(\cos\theta_k-\cos\theta_l)\,R^{P-1}p_i \ne 0$; with the next position it spans the
plane. So the table spans the space and $V = 0$.
""".strip(),
    steps=(
        Step("identity", r"$W = I$ gives $\sum_k\cos\theta_k(i-j)$.", Rule.NORMAL_FORM, _identity),
        Step(
            "shift",
            r"$p_{i+1}^\top Wp_{j+1} = p_i^\top R^\top WR\,p_j$.",
            Rule.REWRITING,
            _shift,
        ),
        Step(
            "other-planes",
            r"In plane $k$: $R^2 - 2\cos\theta_lR + I = 2(\cos\theta_k - \cos\theta_l)R$.",
            Rule.NORMAL_FORM,
            _other_planes,
        ),
        Step(
            "spans",
            r"$\det(v, Rv) = \sin\theta_k|v|^2 \ne 0$ in plane $k$, for $v \ne 0$.",
            Rule.NORMAL_FORM,
            _plane_is_spanned,
        ),
        Step("commutes", r"$R^\top WR = W$ iff $WR = RW$.", Rule.REWRITING, _commutes),
        Step(
            "commutant",
            r"$WR = RW$ reads $R_kW_{kl} = W_{kl}R_l$ for each pair of planes. For $k\ne l$ its "
            r"determinant is $4(\cos\theta_k-\cos\theta_l)^2$, so $W_{kl} = 0$; for $k = l$ the "
            r"solutions are $a_kI+b_kJ$.",
            Rule.NORMAL_FORM,
            _blocks,
        ),
        Step(
            "instance",
            "Two planes with rational rotations.",
            Rule.LINEAR_ALGEBRA,
            _instance,
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
        Twin(
            "empty-plane",
            "content in every plane.",
            "Toeplitz logits make $W$ commute with $R$ for every $p_0$.",
            _empty_plane,
        ),
    ),
    answers=(
        Answer("V10", Outcome.PROVED, "commutant"),
        Answer("S2.1", Outcome.REFUTED, "varied-content", "they are at constant content"),
        Answer("F15", Outcome.REFUTED, "absolute-is-toeplitz"),
    ),
    sources=("Vaswani et al., arXiv:1706.03762", "Gu et al., arXiv:2505.13027"),
)
