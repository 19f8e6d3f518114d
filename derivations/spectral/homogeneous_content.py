"""When RoPE contracts, by how much, and the exact tokens with which it does not."""

from __future__ import annotations

from functools import lru_cache

from flint import arb, arb_mat, fmpq

from derivations.spectral.tools import (
    BITS,
    constant,
    cosine,
    eigenvalues,
    equalities,
    identities,
    kernel_values,
    ladder,
    precision,
    refuted,
    shown,
    toeplitz,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Decision, Outcome, holds
from symbolic_pe.proof.decisions import all_of
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin
from symbolic_pe.proof.rewriting import IDENTITY, Equation, rewrite
from symbolic_pe.proof.rewriting import constant as letter

SIZE = 128


def _one_product() -> Decision:
    """Σ_k C_ij·cos θ_kτ = C_ij·Σ_k cos θ_kτ = P·C_ij·T_ij, with S for the sum of cosines."""
    c, total, planes = (Scalar.symbol(x) for x in ("C_ij", "S", "P"))
    return equalities({"logit": (c * total, planes * (c * (total / planes)))})


def _common_component() -> Decision:
    """C = s²·11ᵀ + I: C∘T = s²T + I off and on the diagonal, and Tv = λv gives s²λ + 1."""
    s, t, value = Scalar.symbol("s"), Scalar.symbol("t"), Scalar.symbol("lambda")
    square = s * s
    kernel, v = letter("T"), letter("v")
    eigen = Equation("T v = lambda v", kernel * v, v.scale(value))
    return all_of(
        {
            "entries": equalities(
                {
                    "on the diagonal": ((square + ONE) * ONE, square * ONE + ONE),
                    "off the diagonal": ((square + ZERO) * t, square * t + ZERO),
                }
            ),
            "eigenvectors": rewrite(
                Equation(
                    "(s^2 T + I) v",
                    (kernel.scale(square) + IDENTITY) * v,
                    v.scale(square * value + ONE),
                ),
                [(v.scale(square * value + ONE), eigen)],
            ),
        }
    )


def _ratio() -> Decision:
    """The ratio for RoPE, d = 16, n = 64, s² = 4, in balls; below 1."""
    with precision(BITS):
        top = eigenvalues(toeplitz(kernel_values(ladder(16, 10000), 64)))[0]
        ratio = (4 * top + 1) / (4 * 64 + 1)
        return holds(
            bool(ratio < 1),
            "the ratio is not below 1",
            largest_of_T=shown(top),
            ratio=shown(ratio),
        )


def _untied() -> Decision:
    """q = (1, 0), k = (0, 1) everywhere: NoPE 0, RoPE sin(i − j), antisymmetric of rank 2.

    sin(i − j) = s cᵀ − c sᵀ with centred columns, so the norm is |c||s|.
    """
    with precision(BITS):
        n = 8
        fall = arb(n).sin() / arb(1).sin()
        norm = ((n + fall) / 2 * (n - fall) / 2).sqrt()
        return refuted("n = 8: the norm is 0 without position, and with it", norm)


def _tied() -> Decision:
    """F2 exactly: L = [[2, v], [v, 2]] with v = cos 1 − cos 0.01, eigenvalues 2 ± |v|."""
    with precision(BITS):
        v = arb(1).cos() - (arb(1) / 100).cos()
        size = abs(v)
        return refuted(
            "x1 = (1, 0, 1, 0), x2 = (1, 0, -1, 0), base 10^4, d = 4: logits 2*I without position; "
            "with it the off-diagonal entry is",
            v,
            eigenvalues=[shown(2 - size), shown(2 + size)],
            condition=shown((2 + size) / (2 - size)),
        )


def _tied_identity() -> Decision:
    """The off-diagonal logit of those tokens, as a function of both angles."""
    first, second = (constant(1), constant(1)), (constant(1), constant(-1))
    found = first[0] * second[0] * cosine(x=1) + first[1] * second[1] * cosine(y=1)
    return identities({"off-diagonal entry": (found, cosine(x=1) - cosine(y=1))})


@lru_cache(maxsize=1)
def _sylvester() -> list[list[int]]:
    rows = [[1]]
    while len(rows) < SIZE:
        rows = [r + r for r in rows] + [r + [-x for x in r] for r in rows]
    return rows


def _orthonormal() -> Decision:
    """Rows of a Hadamard matrix over √128 as tokens: without position L = I.

    Rayleigh quotients bound the extreme eigenvalues from inside.
    """
    rows = _sylvester()
    with precision(96):
        thetas = ladder(SIZE, 10000)
        tokens = []
        for t, row in enumerate(rows):
            turned: list[arb] = []
            for k, theta in enumerate(thetas):
                c, s = (t * theta).cos(), (t * theta).sin()
                x, y = row[2 * k], row[2 * k + 1]
                turned += [c * x - s * y, s * x + c * y]
            tokens.append(turned)
        y = arb_mat(tokens)
        logits = y * y.transpose() / arb(SIZE)
        top = _extreme(logits, inverse=False)
        bottom = _extreme(logits, inverse=True)
    return refuted(
        "128 orthonormal tokens (rows of a Hadamard matrix over sqrt(128)), base 10^4: the "
        "condition number is 1 without position; with it, at least",
        top / bottom,
        largest_at_least=shown(top, 5),
        smallest_at_most=shown(bottom, 5),
    )


def _extreme(matrix: arb_mat, *, inverse: bool) -> arb:
    """The Rayleigh quotient of an approximate extreme eigenvector."""
    size = matrix.nrows()
    step = matrix.inv() if inverse else matrix
    vector = arb_mat([[arb(1 + fmpq(i, size))] for i in range(size)])
    for _ in range(12):
        vector = step * vector
        largest = max(abs(float(x.mid())) for x in vector.entries())
        vector = arb_mat([[arb(float(x.mid()) / largest)] for x in vector.entries()])
    top = (vector.transpose() * matrix * vector)[0, 0]
    return top / (vector.transpose() * vector)[0, 0]


DERIVATION = Derivation(
    name="contraction-needs-homogeneous-content",
    title="RoPE contracts where all planes share one content, and expands elsewhere",
    chapter="spectral",
    statement=r"""
If all $P$ planes of tied heads have one content Gram matrix $C$, then $L_{\mathrm{NoPE}} = P\,C$
and
$L_{\mathrm{RoPE}} = P\,(C \circ T)$ with $T = \tfrac1P\sum_k \cos\theta_k(i-j)$, and spectra are
majorised. For
$C = s^2\,11^\top + I$ the largest eigenvalues have the ratio

$$\frac{s^2\lambda_{\max}(T_n) + 1}{s^2 n + 1}.$$
""".strip(),
    hypotheses=(
        "queries and keys are tied: $C$ is a Gram matrix",
        "pair homogeneity: all planes share one $C$ (in expectation: exchangeable planes)",
    ),
    prose=r"""
"RoPE contracts the spectrum of logits" is published without the second hypothesis. Tokens whose
planes cancel
without position do not cancel with it. In general
$\lVert L_{\mathrm{RoPE}}\rVert \le \sum_k \lVert C_k \rVert$ for every unitarily invariant norm,
and no more.
""".strip(),
    steps=(
        Step(
            "one-product",
            "With one content the sum over planes is one product with $T$.",
            Rule.NORMAL_FORM,
            _one_product,
        ),
        Step(
            "common-component",
            r"$C = s^2\,11^\top + I$ gives $C\circ T = s^2T + I$, whose eigenvalues are "
            r"$s^2\lambda + 1$: for every $n$.",
            Rule.REWRITING,
            _common_component,
        ),
        Step(
            "ratio",
            "The ratio for $d = 16$, 64 positions and $s^2 = 4$.",
            Rule.BALLS,
            _ratio,
        ),
        Step(
            "witness-entry",
            r"The logit of $(1,0,1,0)$ and $(1,0,-1,0)$ is $\cos\theta_1\tau - \cos\theta_2\tau$.",
            Rule.NORMAL_FORM,
            _tied_identity,
        ),
    ),
    twins=(
        Twin(
            "untied",
            "tied queries and keys.",
            "RoPE contracts the spectrum of logits.",
            _untied,
        ),
        Twin(
            "four-dimensions",
            "pair homogeneity.",
            "RoPE contracts the spectrum of tied, positive semidefinite logits.",
            _tied,
        ),
        Twin(
            "orthonormal-tokens",
            "pair homogeneity.",
            "RoPE keeps the condition number of orthonormal tokens.",
            _orthonormal,
        ),
    ),
    answers=(
        Answer("V15", Outcome.PROVED, "common-component"),
        Answer(
            "S2.3", Outcome.REFUTED, "four-dimensions", "holds where all planes share one content"
        ),
        Answer("F1", Outcome.REFUTED, "untied"),
        Answer("F2", Outcome.REFUTED, "four-dimensions"),
        Answer("F3", Outcome.REFUTED, "orthonormal-tokens"),
    ),
    uses=("schur-multipliers-majorise",),
    justifies=("symbolic_pe.spectrum.claims",),
    sources=("Gu et al., arXiv:2505.13027, first version",),
)
