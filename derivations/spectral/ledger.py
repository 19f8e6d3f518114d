"""The table of published spectral claims: statement, hypotheses, verdict, where it is decided.

The verdicts are those of `decide`, read off the derivations of this chapter when the page is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from symbolic_pe.proof.derivation import Answer, Decided, Derivation, decide

PAGE = "docs/reference/spectral-claims.md"
NOTICE = (
    "<!-- written by `pytest tests/derivations/test_spectral.py --update-golden`; do not edit -->"
)


@dataclass(frozen=True)
class Published:
    """A claim as it is published, and what it needs (for a false one: what is missing)."""

    identifier: str
    statement: str
    hypotheses: str


CLAIMS = (
    Published(
        "V1",
        r"$L_{\mathrm{RoPE}} = \operatorname{Re}\sum_k D_kC_kD_k^*$; each plane is a unitary "
        r"similarity",
        "planes are turned and not scaled",
    ),
    Published(
        "V2",
        r"$\lambda(C\circ T) \prec \lambda(C)$, $\sigma(C\circ T)\prec_w\sigma(C)$; unitarily "
        r"invariant "
        "norms contract",
        "Hermitian $C$ (any $C$ for norms); $T\\ge0$ with unit diagonal; norms for every such $T$ "
        "given Fan's dominance theorem (1951)",
    ),
    Published(
        "V3",
        r"eigenvalues stay within those of $C$, the condition number does not grow, "
        r"$\det(C\circ T)\ge\det C$",
        "$C > 0$",
    ),
    Published(
        "V4",
        r"$\cos\theta(i-j)$ has the eigenvalues $(n\pm|\sin n\theta/\sin\theta|)/2$ and 0",
        r"$\theta\notin\pi\mathbb{Z}$",
    ),
    Published(
        "V5",
        r"rank $\le d$; the spectrum is that of a $d\times d$ Dirichlet Gram matrix",
        "nothing decays",
    ),
    Published(
        "V6",
        r"$r^{|t|}$: Poisson kernel; eigenvalues between samples of it for every $n$, determinant, "
        "tridiagonal inverse",
        "$0 < r < 1$",
    ),
    Published(
        "V7",
        r"$-m|i-j|$: inertia $(n-1,1)$, closed spectrum, determinant, limits",
        "$m > 0$",
    ),
    Published(
        "V8",
        r"causal chains: $(I-\lambda S)^{-m}$, singular values along the modulus of the symbol for "
        r"every $n$; $i-j$ has singular values $n\sqrt{(n^2-1)/12}$",
        r"$|\lambda| < 1$ for those of chains; for $m > 1$ given Weyl's inequality (1912)",
    ),
    Published(
        "V9",
        r"$\frac1n\sum\kappa(t)^2\to\sum$ of squared atoms ($1/d$ for equal pairs)",
        "distinct frequencies in $(0,\\pi)$",
    ),
    Published(
        "V10",
        r"$p_i^\top Wp_j$ is Toeplitz iff $W$ commutes with the rotations",
        "distinct frequencies, content in every plane",
    ),
    Published(
        "V11",
        "at constant content additive biases give $W_Q$, $W_K$ exactly no gradient; RoPE gives one",
        "loss on attention weights",
    ),
    Published("V12", r"logits have rank at most head_dim", "none"),
    Published(
        "V13", r"under a causal mask the eigenvalues of logits are $q_i\cdot k_i$", "$A(0) = I$"
    ),
    Published(
        "V14",
        "isotropic content: RoPE and no encoding give logits of one law",
        "isotropic, independent over tokens",
    ),
    Published(
        "V15",
        r"one content for all pairs: $L = P\,(C\circ T)$; exact ratio for $s^211^\top+I$",
        "pair homogeneity, tied heads",
    ),
    Published(
        "V16",
        "mean logits of a head are a trigonometric polynomial of mean query and key",
        "independent queries and keys, means without position",
    ),
    Published("F1", "RoPE contracts the spectrum of logits", "missing: tied heads, homogeneity"),
    Published("F2", "RoPE contracts tied, positive semidefinite logits", "missing: homogeneity"),
    Published("F3", "RoPE keeps orthonormal tokens well conditioned", "missing: homogeneity"),
    Published(
        "F4", "RoPE contracts on average over Gaussian tokens", "missing: a common component"
    ),
    Published("F5", "one Hadamard product with one Toeplitz matrix", "missing: homogeneity"),
    Published("F6", "RoPE conditions non-symmetric logits better", "missing: Hermitian content"),
    Published("F7", "the condition number of logits means something", "missing: $n\\le d$"),
    Published(
        "F8", "the raw spectrum of logits is a property of attention", "missing: row-centring"
    ),
    Published(
        "F9", "multiplicative coupling is always better than additive", "bounds, not spectra"
    ),
    Published("F10", "Szegő's theorem describes RoPE", "missing: an integrable symbol"),
    Published("F11", "contraction means faster optimisation", "no link"),
    Published("F12", "ALiBi's positional gradient cancels in a batch", "missing: constant content"),
    Published(
        "F13",
        "margins of heads are amplified over layers in every stack",
        "missing: alignment; the paper's own hypotheses were not available",
    ),
    Published("F14", "contraction suppresses high frequencies", "missing: decay"),
    Published("F15", "absolute sinusoidal encodings are Toeplitz", "missing: the commutant"),
)

NAMES = (
    "per_pair_similarity",
    "one_frequency",
    "dirichlet_gram",
    "mean_square",
    "poisson_kernels",
    "linear_bias",
    "causal_chains",
    "schur_multipliers",
    "homogeneous_content",
    "isotropic_content",
    "softmax_gauge",
    "sinusoidal_tables",
    "positional_gradient",
    "heads_and_positions",
    "effective_kernel",
    "added_terms",
    "logits_and_optimisation",
    "bases",
)
"""Modules of the chapter in reading order."""


def answers() -> dict[str, tuple[Answer, Decided]]:
    """Which derivation answers each claim, decided now.

    Raises `ValueError` when two derivations answer one claim.
    """
    found: dict[str, tuple[Answer, Decided]] = {}
    for name in NAMES:
        derivation = import_module(f"derivations.spectral.{name}").DERIVATION
        assert isinstance(derivation, Derivation)
        decided = decide(derivation)
        for answer in derivation.answers:
            if answer.claim in found:
                raise ValueError(f"{answer.claim} is answered twice")
            found[answer.claim] = (answer, decided)
    return found


def page() -> str:
    """The table as Markdown."""
    known = answers()
    rows = []
    for claim in CLAIMS:
        answer, decided = known[claim.identifier]
        verdict = decided.outcome_of(answer.by).value
        name = decided.derivation.name
        where = f"[{name}](../derivations/{name}.md), {answer.by}"
        remark = f" ({answer.remark})" if answer.remark else ""
        rows.append(
            f"| {claim.identifier} | {_cell(claim.statement)} | {_cell(claim.hypotheses)} | "
            f"**{verdict}**{_cell(remark)} | {where} |"
        )
    return "\n".join((*_HEAD, *rows)) + "\n"


def _cell(text: str) -> str:
    """A bar would end the cell."""
    return text.replace("|", r"\vert ")


_HEAD = (
    "# Published spectral claims, decided",
    "",
    NOTICE,
    "",
    "V are claims that hold, with the hypotheses under which they do; F are claims that are false",
    "as stated, each with an exact witness on its page. A verdict is what the steps and twins of",
    "the derivation decide; a theorem that is taken as known is a hypothesis, with its year. What",
    "holds of one encoding: `symbolic-pe spectrum SPEC`.",
    "",
    "| claim | statement | hypotheses | verdict | where |",
    "|---|---|---|---|---|",
)
