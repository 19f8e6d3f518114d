"""A Toeplitz kernel of rotations or decay mixes unitary conjugates: spectra are majorised."""

from __future__ import annotations

from flint import arb, arb_mat

from derivations.spectral.tools import (
    BITS,
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
from symbolic_pe.algebra.scalar import HALF, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin

CONTENT = ((5, 1, -2, 0), (1, 3, 1, 1), (-2, 1, 4, 2), (0, 1, 2, 2))
"""A positive definite integer matrix, for the instances."""


def _mixture() -> Decision:
    """C·cos(θ(t − s)) = ½(e^{iθt}·C·e^{−iθs} + e^{−iθt}·C·e^{iθs}), real and imaginary part."""
    c = Scalar.symbol("C")
    plus = cosine(t=1) * cosine(s=1) + sine(t=1) * sine(s=1)
    return identities(
        {
            "real part": (cosine(t=1, s=-1).scale(c), (plus + plus).scale(c).scale(HALF)),
            "imaginary part": (
                sine(t=1, s=-1) + sine(s=1, t=-1),
                sine(t=1, s=-1).scale(Scalar.rational(0)),
            ),
        }
    )


def _ky_fan() -> Decision:
    """With f_k convex and unitarily invariant, f_k(Σ w U C U*) ≤ Σ w f_k(C) = f_k(C)."""
    weights = [Scalar.symbol(f"w{i}") for i in range(3)]
    f = Scalar.symbol("f")
    last = Scalar.rational(1) - weights[0] - weights[1]
    total = weights[0] * f + weights[1] * f + last * f
    return equalities({"sum of weights 1 times f_k(C)": (total, f)})


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
    title="Products with a kernel of rotations or decay majorise spectra",
    chapter="spectral",
    statement=r"""
Let $T_{ts} = \int e^{i\omega(t-s)}\,d\mu(\omega)$ with a probability measure $\mu$: a mean of
cosines
(RoPE with equal pairs), or $r^{|t-s|}$ and its turned forms (decay). Then for Hermitian $C$

$$\lambda(C \circ T) \prec \lambda(C),$$

and $\|C \circ T\| \le \|C\|$ for every matrix $C$ and every unitarily invariant norm. For $C >
0$ all
eigenvalues of $C \circ T$ lie between the smallest and the largest of $C$, the condition number
does not
grow, and $\det(C\circ T) \ge \det C$.
""".strip(),
    hypotheses=(
        "$T$ is positive semidefinite with unit diagonal (a mean of $e^{i\\omega(t-s)}$)",
        "$C$ is Hermitian, for eigenvalues; any matrix, for norms",
        "$C$ is positive definite, for the condition number and the determinant",
    ),
    prose=r"""
No theorem on general Schur multipliers is needed. With $D_\omega =
\operatorname{diag}(e^{i\omega t})$,
$C \circ T = \int D_\omega C D_\omega^*\,d\mu(\omega)$ is a mean of unitary conjugates of $C$.
Sums of the $k$
largest eigenvalues are convex and unitarily invariant functions, so they do not grow; the trace
stays. For norms
the same, by the triangle inequality. For $C > 0$ the sum $-\sum\log\lambda$ is convex as well,
which gives the
determinant. The same holds for the lower end: the smallest eigenvalue is concave.
""".strip(),
    steps=(
        Step(
            "mixture",
            r"$C_{ts}\cos\theta(t-s) = \tfrac12\bigl(e^{i\theta t}C_{ts}e^{-i\theta s} + "
            r"e^{-i\theta t}C_{ts}e^{i\theta s}\bigr)$, a mean of two unitary conjugates.",
            Rule.NORMAL_FORM,
            _mixture,
        ),
        Step(
            "convexity",
            r"$f_k(\sum_a w_a U_a C U_a^*) \le \sum_a w_a f_k(C) = f_k(C)$ for weights that add "
            r"to 1.",
            Rule.NORMAL_FORM,
            _ky_fan,
            "The inequality is convexity of $f_k$; what is computed is that the weights add to 1.",
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
            "positive semidefinite.",
            "A Hermitian $T$ with unit diagonal suffices.",
            _not_positive,
        ),
        Twin(
            "better-conditioned",
            "Hermitian $C$.",
            "RoPE makes logits better conditioned, $W_Q \\ne W_K$.",
            _condition,
        ),
        Twin(
            "smallest-singular-value",
            "norms: singular values are weakly majorised only.",
            "The smallest singular value does not fall either.",
            _singular_floor,
        ),
        Twin(
            "determinant-of-indefinite-content",
            "positive definite $C$.",
            r"$\det(C \circ T) \ge \det C$ for every Hermitian $C$.",
            _oppenheim_without_definiteness,
        ),
    ),
    answers=(
        Answer("V2", Outcome.PROVED, "convexity", "for kernels of rotations and of decay"),
        Answer("V3", Outcome.PROVED, "convexity", "for kernels of rotations and of decay"),
        Answer("F6", Outcome.REFUTED, "better-conditioned"),
    ),
    assumes=(
        "Ky Fan: the sum of the $k$ largest eigenvalues of a Hermitian $H$ is "
        r"$\max \operatorname{tr} V^*HV$ over orthonormal $k$-frames, so it is convex and "
        r"unitarily "
        "invariant",
        "$-\\log\\det$ is convex on positive definite matrices",
        "a function $r^{|\\tau|}$, $0 < r < 1$, is the Fourier transform of the Poisson kernel",
    ),
    uses=("per-pair-unitary-similarity",),
    sources=(
        "Bapat and Sunder, Linear Algebra Appl. 72 (1985), for general T",
        "Gu et al., arXiv:2505.13027",
    ),
)
