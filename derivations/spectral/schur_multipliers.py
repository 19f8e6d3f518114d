"""A Toeplitz kernel of rotations or decay mixes unitary conjugates: spectra are majorised."""

from __future__ import annotations

from flint import arb, arb_mat

from derivations.spectral.tools import (
    BITS,
    constant,
    cosine,
    eigenvalues,
    equalities,
    identities,
    kernel_values,
    number,
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

CONTENT = ((5, 1, -2, 0), (1, 3, 1, 1), (-2, 1, 4, 2), (0, 1, 2, 2))
"""A positive definite integer matrix, for the instances."""


def _factors() -> Decision:
    """T = Σ v_a v_a* for two vectors: C·T_ij = Σ v_a(i)·C·conj(v_a(j)), with w for conj(v)."""
    c = Scalar.symbol("C")
    pairs = [(Scalar.symbol(f"v{a}"), Scalar.symbol(f"w{a}")) for a in (1, 2)]
    entry = sum((v * w for v, w in pairs), start=ZERO)
    mixed = sum((v * c * w for v, w in pairs), start=ZERO)
    return equalities({"entry": (c * entry, mixed)})


def _unital() -> Decision:
    """tr Σ V_a*PV_a = Σ_i p_i Σ_a|v_a(i)|² = tr P for T_ii = 1: two vectors, three positions."""
    total, plain = ZERO, ZERO
    for i in range(3):
        p, first = Scalar.symbol(f"p{i}"), Scalar.symbol(f"a{i}")
        total = total + p * first + p * (ONE - first)
        plain = plain + p
    return equalities({"trace": (total, plain)})


def _ky_fan() -> Decision:
    """Σλ_i m_i − (λ_1 + λ_2) = Σ(λ_i − λ_2)(m_i − [i ≤ 2]) when Σm_i = 2, four eigenvalues."""
    values = [Scalar.symbol(f"l{i}") for i in range(4)]
    shares = [Scalar.symbol(f"m{i}") for i in range(3)]
    shares.append(number(2) - shares[0] - shares[1] - shares[2])
    left = sum((x * m for x, m in zip(values, shares, strict=True)), start=ZERO)
    left = left - values[0] - values[1]
    right = ZERO
    for i, (x, m) in enumerate(zip(values, shares, strict=True)):
        right = right + (x - values[1]) * (m - (ONE if i < 2 else ZERO))
    return equalities({"difference of sums": (left, right)})


def _kernels() -> Decision:
    """cos θ(t − s) = ½(e^{iθt}e^{−iθs} + e^{−iθt}e^{iθs}): vectors with entries of modulus 1."""
    plus = cosine(t=1) * cosine(s=1) + sine(t=1) * sine(s=1)
    return identities(
        {
            "real part": (cosine(t=1, s=-1), plus),
            "imaginary parts cancel": (sine(t=1, s=-1) + sine(s=1, t=-1), constant(0)),
        }
    )


def _instance() -> Decision:
    """Partial sums of eigenvalues, four positions, two frequencies, in balls."""
    with precision(BITS):
        kernel = toeplitz(kernel_values([arb(1), arb(1) / 10], 4))
        content = arb_mat([[arb(x) for x in row] for row in CONTENT])
        product = arb_mat([[content[i, j] * kernel[i, j] for j in range(4)] for i in range(4)])
        before, after = eigenvalues(content), eigenvalues(product)
        sums = [(sum(after[:k], start=arb(0)), sum(before[:k], start=arb(0))) for k in range(1, 4)]
        fine = all(a < b for a, b in sums) and after[-1] > before[-1] > 0
        determinants = product.det() > content.det()
        return holds(
            bool(fine and determinants),
            "a partial sum exceeds that of the content",
            content=[shown(x) for x in before],
            product=[shown(x) for x in after],
            determinants=[shown(content.det()), shown(product.det())],
        )


def _not_positive() -> Decision:
    """T = [[1, 2], [2, 1]] is Hermitian with unit diagonal, and not positive semidefinite."""
    with precision(BITS):
        return refuted(
            "C = [[1, 1], [1, 1]] has the largest eigenvalue 2 and C o T = [[1, 2], [2, 1]] has 3; "
            "the difference is",
            arb(3) - 2,
        )


def _condition() -> Decision:
    """Permutation matrices have condition number 1; their products are monomial matrices."""
    with precision(BITS):
        three = arb(1).cos() / abs(arb(2).cos())
        twelve = arb(1).cos() / abs(arb(11).cos())
        return refuted(
            "C the cyclic permutation of 3 positions (condition number 1), T = cos(i - j): the "
            "entries of C o T are cos 1, cos 1, cos 2, so its condition number less 1 is",
            three - 1,
            three_positions=shown(three),
            twelve_positions_shift_11=shown(twelve),
        )


def _singular_floor() -> Decision:
    with precision(BITS):
        return refuted(
            "the same C: its smallest singular value is 1 and that of C o T is smaller by",
            1 - abs(arb(2).cos()),
        )


def _oppenheim_without_definiteness() -> Decision:
    """C = (−1) ⊕ [[−1, 2], [2, −1]] is indefinite: det C = 3, det(C∘T) = 4cos²1 − 1."""
    with precision(BITS):
        return refuted(
            "C = (-1) + [[-1, 2], [2, -1]] has the determinant 3, and C o T with T = cos(i - j) "
            "has "
            "4(cos 1)^2 - 1; the difference is",
            4 * arb(1).cos() ** 2 - 1 - 3,
        )


DERIVATION = Derivation(
    name="schur-multipliers-majorise",
    title="Products with a positive kernel of unit diagonal majorise spectra",
    chapter="spectral",
    statement=r"""
Let $T$ be positive semidefinite with unit diagonal: a mean of cosines of lags (RoPE with equal
pairs), $r^{|i-j|}$ and its turned forms (decay), or any other. Then for Hermitian $C$

$$\lambda(C \circ T) \prec \lambda(C),$$

and $\sigma(C \circ T) \prec_w \sigma(C)$ for every matrix $C$, so that every unitarily invariant
norm contracts. For $C > 0$ all eigenvalues of $C \circ T$ lie between the smallest and the largest
of $C$, the condition number does not grow, and $\det(C\circ T) \ge \det C$.
""".strip(),
    hypotheses=(
        "$T$ is positive semidefinite with unit diagonal",
        "$C$ is Hermitian, for eigenvalues; any matrix, for norms",
        "$C$ is positive definite, for the condition number and the determinant",
    ),
    prose=r"""
No theorem on Schur multipliers is needed. Write $T = \sum_a v_av_a^*$ and
$V_a = \operatorname{diag}(v_a)$, so that $C\circ T = \sum_a V_aCV_a^*$. Let $P$ project on the
eigenvectors of the $k$ largest eigenvalues of $C \circ T$. Their sum is
$\operatorname{tr} P\,(C\circ T) = \operatorname{tr} CM$ with $M = \sum_a V_a^*PV_a$. As
$\sum_a|v_a(i)|^2 = T_{ii} = 1$, $0 \le M \le I$ and $\operatorname{tr} M = k$, and in a basis of
eigenvectors of $C$ the third step bounds $\operatorname{tr} CM$ by the sum of the $k$ largest
eigenvalues of $C$. For $k = n$ both are the trace. Singular values are the eigenvalues
$\pm\sigma$ of $\begin{pmatrix}0&C\\C^*&0\end{pmatrix}$, whose product with
$T \otimes \begin{pmatrix}1&1\\1&1\end{pmatrix}$ has the blocks $C\circ T$. The smallest eigenvalue
is the case $k = n - 1$.
""".strip(),
    steps=(
        Step(
            "factors",
            r"$C_{ij}T_{ij} = \sum_a v_a(i)\,C_{ij}\,\overline{v_a(j)}$.",
            Rule.NORMAL_FORM,
            _factors,
        ),
        Step(
            "unital",
            r"$\operatorname{tr} M = \sum_i P_{ii}\sum_a|v_a(i)|^2 = \operatorname{tr} P$, and "
            r"likewise "
            r"$M \le \sum_a V_a^*V_a = I$.",
            Rule.NORMAL_FORM,
            _unital,
        ),
        Step(
            "partial-sums",
            r"$\sum_i\lambda_im_i - \sum_{i\le k}\lambda_i = "
            r"\sum_i(\lambda_i-\lambda_k)(m_i-[i\le k]) \le 0$ for $0\le m_i\le1$, $\sum m_i=k$.",
            Rule.NORMAL_FORM,
            _ky_fan,
            "Every product has a factor $\\ge 0$ and one $\\le 0$; written out for $n = 4$, $k = "
            "2$.",
        ),
        Step(
            "kernels",
            r"$\cos\theta(t-s)$ is such a $T$, and so are means of them; $r^{|t-s|}$ has positive "
            "leading minors.",
            Rule.NORMAL_FORM,
            _kernels,
        ),
        Step(
            "instance",
            "All partial sums, the smallest eigenvalue and the determinant, for four positions, "
            "frequencies 1 and 1/10, and one positive definite content.",
            Rule.BALLS,
            _instance,
        ),
    ),
    twins=(
        Twin(
            "unit-diagonal-alone",
            "a positive semidefinite $T$.",
            "A Hermitian $T$ with unit diagonal suffices.",
            _not_positive,
        ),
        Twin(
            "better-conditioned",
            "a Hermitian $C$.",
            "RoPE makes logits better conditioned, $W_Q \\ne W_K$.",
            _condition,
        ),
        Twin(
            "smallest-singular-value",
            "the restriction to norms; singular values are weakly majorised only.",
            "The smallest singular value does not fall either.",
            _singular_floor,
        ),
        Twin(
            "determinant-of-indefinite-content",
            "a positive definite $C$.",
            r"$\det(C \circ T) \ge \det C$ for every Hermitian $C$.",
            _oppenheim_without_definiteness,
        ),
    ),
    answers=(
        Answer("V2", Outcome.PROVED, "partial-sums"),
        Answer("V3", Outcome.PROVED, "partial-sums"),
        Answer("F6", Outcome.REFUTED, "better-conditioned"),
    ),
    assumes=(
        "Hardy, Littlewood and Pólya, for the determinant: majorised numbers have the larger sum "
        "of "
        "logarithms",
    ),
    uses=("poisson-kernels",),
    sources=(
        "Bapat and Sunder, Linear Algebra Appl. 72 (1985), for general T",
        "Gu et al., arXiv:2505.13027",
    ),
)
