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
    precision,
    refuted,
    shown,
    sine,
    toeplitz,
)
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.decisions import all_of, cited
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import IDENTITY, Equation, rewrite
from symbolic_pe.proof.rewriting import constant as letter

CONTENT = ((5, 1, -2, 0), (1, 3, 1, 1), (-2, 1, 4, 2), (0, 1, 2, 2))
"""A positive definite integer matrix, for the instances."""


def _factors() -> Decision:
    """One term of T_ij = Σ_a v_a(i)·conj(v_a(j)), with w for the conjugate: sums follow."""
    c, v, w, p = (Scalar.symbol(x) for x in ("C_ij", "v_i", "w_j", "P_ji"))
    return equalities(
        {
            "C_ij T_ij": (c * (v * w), v * c * w),
            "tr P(C o T) = tr C M": (p * (v * c * w), c * (w * p * v)),
        }
    )


def _unital() -> Decision:
    """tr V_a*PV_a = Σ_i P_ii·conj(v_a(i))·v_a(i); summed over a it is Σ_i P_ii·T_ii."""
    p, v, w = (Scalar.symbol(x) for x in ("P_ii", "v_i", "w_i"))
    return equalities({"one term of the trace": (w * p * v, p * (v * w))})


def _between() -> Decision:
    """0 ≤ y*Py ≤ y*y: both are squares, as P = P* = P². Transposes stand for adjoints."""
    y, p = letter("y"), letter("P")
    rest = IDENTITY - p
    square = Equation("P P = P", p * p, p)
    adjoint = Equation("P^T = P", p.T, p)
    return all_of(
        {
            "y^T P y = (P y)^T (P y)": rewrite(
                Equation("square", (p * y).T * (p * y), y.T * p * y),
                [(y.T * p * p * y, adjoint), (y.T * p * y, square)],
            ),
            "y^T y - y^T P y = ((I - P) y)^T ((I - P) y)": rewrite(
                Equation("square", (rest * y).T * (rest * y), y.T * y - y.T * p * y),
                [
                    (y.T * y - y.T * p.T * y - y.T * p * y + y.T * p * p * y, adjoint),
                    (y.T * y - y.T * p.T * y, square),
                    (y.T * y - y.T * p * y, adjoint),
                ],
            ),
        }
    )


def _ky_fan() -> Decision:
    return cited(
        "Majorisation.shares_weigh_at_most",
        "sum_below n (fun i : nat => value i * share i) <= sum_below k value",
    )


def _determinants() -> Decision:
    return cited(
        "Majorisation.majorised_product", "product_below n before <= product_below n after"
    )


def _blocks() -> Decision:
    """B = [[0, C], [C*, 0]] on (u, v): with Cv = σu and C*u = σv it is σ(u, v)."""
    c, u, v = letter("C"), letter("u"), letter("v")
    sigma = Scalar.symbol("sigma")
    first = Equation("C v = sigma u", c * v, u.scale(sigma))
    second = Equation("C^T u = sigma v", c.T * u, v.scale(sigma))
    return all_of(
        {
            "upper half": rewrite(
                Equation("C v", c * v, u.scale(sigma)), [(u.scale(sigma), first)]
            ),
            "lower half": rewrite(
                Equation("C^T u", c.T * u, v.scale(sigma)), [(v.scale(sigma), second)]
            ),
            "(u, -v) for -sigma": rewrite(
                Equation("C(-v)", -(c * v), u.scale(-sigma)), [(u.scale(-sigma), first)]
            ),
        }
    )


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
eigenvectors of $C$ the fourth step bounds $\operatorname{tr} CM$ by the sum of the $k$ largest
eigenvalues of $C$. For $k = n$ both are the trace. Singular values are the eigenvalues
$\pm\sigma$ of $\begin{pmatrix}0&C\\C^*&0\end{pmatrix}$, whose product with
$T \otimes \begin{pmatrix}1&1\\1&1\end{pmatrix}$ has the blocks $C\circ T$. The smallest eigenvalue
is the case $k = n - 1$.
""".strip(),
    steps=(
        Step(
            "factors",
            r"$C_{ij}T_{ij} = \sum_a v_a(i)\,C_{ij}\,\overline{v_a(j)}$ and "
            r"$\operatorname{tr} P\,(C\circ T) = \operatorname{tr} CM$: term by term, for sums of "
            "any length.",
            Rule.NORMAL_FORM,
            _factors,
        ),
        Step(
            "unital",
            r"$\operatorname{tr} M = \sum_i P_{ii}\sum_a|v_a(i)|^2 = \operatorname{tr} P = k$.",
            Rule.NORMAL_FORM,
            _unital,
        ),
        Step(
            "between",
            r"$0 \le y^*Py \le y^*y$, so with $y = V_ax$ and $\sum_a V_a^*V_a = I$: "
            r"$0 \le M \le I$.",
            Rule.REWRITING,
            _between,
        ),
        Step(
            "partial-sums",
            r"$\sum_i\lambda_im_i \le \sum_{i\le k}\lambda_i$ for falling $\lambda$, "
            r"$0\le m_i\le1$ and $\sum m_i=k$, for every $n$ and $k$.",
            Rule.ROCQ,
            _ky_fan,
            r"$\sum_i(\lambda_i-\lambda_k)(m_i-[i\le k]) \le 0$: every product has a factor "
            r"$\ge 0$ and one $\le 0$.",
        ),
        Step(
            "determinant",
            r"Majorised positive numbers have the larger product, for every $n$.",
            Rule.ROCQ,
            _determinants,
            r"$\log x \le x - 1$ and Abel's sum.",
        ),
        Step(
            "singular-values",
            r"Singular pairs of $C$ are eigenvectors of $\begin{pmatrix}0&C\\C^*&0\end{pmatrix}$.",
            Rule.REWRITING,
            _blocks,
        ),
        Step(
            "kernels",
            r"$\cos\theta(t-s)$ is such a $T$, and so are means of them; $r^{|t-s|}$ has positive "
            "eigenvalues (poisson-kernels).",
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
        Answer("V3", Outcome.PROVED, "determinant"),
        Answer("F6", Outcome.REFUTED, "better-conditioned"),
    ),
    assumes=(
        "Fan (1951), for norms and general T: weakly majorised singular values have the smaller "
        "unitarily invariant norm. Where C o T is a mean of unitary conjugates of C, as for "
        "rotations and decay, the triangle inequality suffices",
    ),
    rocq=("Majorisation.shares_weigh_at_most", "Majorisation.majorised_product"),
    uses=("poisson-kernels",),
    sources=(
        "Bapat and Sunder, Linear Algebra Appl. 72 (1985), for general T",
        "Gu et al., arXiv:2505.13027",
    ),
)
