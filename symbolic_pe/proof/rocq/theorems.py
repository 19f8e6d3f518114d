"""The main theorems of the theory in words, and the page that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Theorem:
    """A theorem of the theory: file, name, and what it says."""

    file: str
    name: str
    words: str

    @property
    def qualified(self) -> str:
        """The name with its file, as Rocq knows it."""
        return f"{self.file}.{self.name}"


@dataclass(frozen=True)
class Checked:
    """What Rocq printed of a theorem: its complete statement and the axioms below it."""

    statement: str
    axioms: tuple[str, ...]


ALLOWED_AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""What the real numbers of Rocq's standard library rest on; nothing else may occur."""

THEOREMS = (
    Theorem("Flow", "flow_exists", "for every n and real X there is E with E(0) = I, E′ = XE"),
    Theorem("Flow", "flow_unique", "and only one"),
    Theorem("Flow", "solutions_agree", "Y′ = XY is determined by Y(0)"),
    Theorem("Flow", "generator_unique", "no E is the flow of two generators"),
    Theorem("Laws", "group_law", "E(s + t) = E(s)·E(t)"),
    Theorem("Laws", "inverse_law", "E(t)·E(−t) = I"),
    Theorem("Laws", "commutation", "E(s)·E(t) = E(t)·E(s)"),
    Theorem("Laws", "generator_commutes", "X·E(t) = E(t)·X"),
    Theorem("Laws", "relativity", "(E(t)ᵀq)·(E(−s)k) = qᵀE(t − s)k for all vectors q, k"),
    Theorem("Laws", "invariant_form", "XᵀM + MX = 0 gives E(t)ᵀM·E(t) = M"),
    Theorem("Laws", "orthogonality", "Xᵀ = −X gives E(t)ᵀE(t) = I"),
    Theorem("Laws", "orthogonality_needs_skewness", "no other X has an orthogonal flow"),
    Theorem("Laws", "bounded", "Xᵀ = −X bounds every entry of E(t)"),
    Theorem("Laws", "one_map", "Xᵀ = −X: one map serves queries and keys"),
    Theorem("Laws", "similarity", "XP = PJ and PQ = I: the flow of X is P·E_J·Q"),
    Theorem("Axes", "axes_group_law", "generators that commute: A(p + q) = A(p)·A(q)"),
    Theorem("Axes", "axes_relativity", "and scores see the difference of positions alone"),
    Theorem("Axes", "axes_direction", "along any direction p, A is the flow of Σ pᵢXᵢ"),
    Theorem("Axes", "axes_must_commute", "a group of positions has generators that commute"),
    Theorem("Chains", "chain_is_flow", "exp of a chain of any length n, rate a and shear e"),
    Theorem("Chains", "pair_chain_is_flow", "exp of a chain of pairs a ± bi of any length n"),
    Theorem("Chains", "chain_group_law", "the group law of chains of any length"),
    Theorem("Chains", "pair_chain_group_law", "the group law of chains of pairs"),
    Theorem("Chains", "kronecker_sum_is_flow", "X⊗I + I⊗Y has the flow E⊗F"),
    Theorem("Chains", "vandermonde", "Σ sᵏ/k!·tⁿ⁻ᵏ/(n − k)! = (s + t)ⁿ/n!, from the group law"),
    Theorem("DirectSums", "joined_is_flow", "flows of direct sums of any list of blocks"),
    Theorem("DirectSums", "placed_is_flow", "flows in any layout of the channels"),
    Theorem("Bounds", "contraction", "X + Xᵀ diagonal and ≤ 0: |E(t)ᵢⱼ| ≤ 1 for t ≥ 0"),
    Theorem("Bounds", "logs_at_most", "integers decide the sign of a sum of logarithms"),
    Theorem("Determinant", "liouville", "det E(t) = exp(t·tr X)"),
    Theorem("Augmentation", "score_with_bias", "appended constants add uᵀexp((t − s)Y)w"),
    Theorem("Augmentation", "alibi", "ALiBi for any head size: the bias is −m(t − s)"),
    Theorem("Augmentation", "alibi_misquoted", "the misquoted vectors give the constant −m"),
    Theorem("Gauge", "right_inverse_is_left", "AB = I gives BA = I for square matrices"),
    Theorem("Gauge", "homomorphism", "F(t)ᵀG(s) = A(t − s), A(0) = I give A(s + t) = A(s)A(t)"),
    Theorem("Gauge", "inverses", "and A(t)⁻¹ = A(−t), over any abelian group of positions"),
    Theorem("Gauge", "gauge", "all pairs: G(s) = M·A(−s), F(t) = M⁻ᵀA(t)ᵀ with M = G(0)"),
    Theorem("Gauge", "gauge_converse", "every homomorphism and invertible M give a pair"),
    Theorem("Gauge", "normalisation_is_needed", "without A(0) = I the group law can fail"),
    Theorem(
        "Continuity",
        "differentiable_homomorphism_is_flow",
        "A(s + t) = A(s)A(t), A(0) = I, A′(0) = X: A is the flow of X",
    ),
    Theorem(
        "Continuity",
        "continuous_homomorphism_is_flow",
        "continuity at 0 suffices: there is such an X",
    ),
    Theorem(
        "Minimality",
        "two_coordinates_are_needed",
        "content of d channels and −mτ + c, m ≠ 0, need d + 2 dimensions",
    ),
    Theorem("Minimality", "absolute_lag_is_not_realised", "no flow gives −m·|τ| on all lags"),
    Theorem(
        "HalfLine",
        "known_on_a_half_line",
        "pᵀE(t)q = 0 for all t ≥ 0 gives pᵀE(t)q = 0 for all t",
    ),
    Theorem(
        "Growth",
        "derivatives_grow_like_powers",
        "the k-th derivative of pᵀE(t)q is at most K·Sᵏ",
    ),
    Theorem("Growth", "logarithm_is_not_realised", "no flow gives c·ln(1 + at) for all t ≥ 0"),
    Theorem("Fundamental", "fundamental_exists", "p(d/dt)φ = 0 has fundamental solutions"),
    Theorem("Fundamental", "fundamental_unique", "and only one system of them"),
    Theorem("Fundamental", "flow_from_annihilator", "p(X) = 0 gives exp(tX) = Σ φ_c(t)·Xᶜ"),
    Theorem("Fundamental", "quadratic_is_fundamental", "degree 2 in closed form, in every case"),
    Theorem("Checker", "decides_correct", "`decides n families X E` proves E(0) = I, E′ = XE"),
    Theorem("Checker", "flow_of_data", "the same for the statement that is read"),
    Theorem("Checker", "bias_of_data", "decided data prove uᵀexp(τY)w = bias(τ)"),
    Theorem("Checker", "decides_commuting_correct", "decided data prove XY = YX"),
    Theorem("Similarity", "similarity_of_data", "integers decide XP = PJ, PQ = I and give exp(tX)"),
    Theorem("Steps", "step_group_law", "Bᵐ⁺ⁿ = BᵐBⁿ for all integers, given the inverse of B"),
    Theorem("Steps", "inverse_of_data", "integers decide that C is the inverse of B"),
    Theorem(
        "Spectra",
        "logits_have_rank_at_most",
        "any d + 1 columns of logits of d channels are dependent, whatever turns queries and keys",
    ),
    Theorem("Spectra", "mean_of_bilinear", "independent q, k: E qᵀAk = (E q)ᵀA(E k)"),
    Theorem("Spectra", "lower_triangular", "the determinant is the product of the diagonal"),
    Theorem("Spectra", "upper_triangular", "and so for the other triangle"),
    Theorem(
        "Spectra",
        "masked_characteristic_polynomial",
        "causal mask: det(zI − L) = Π (z − Lᵢᵢ), for every number of positions",
    ),
    Theorem(
        "Spectra",
        "determinant_less_row_before",
        "rows less multiples of the rows before keep the determinant",
    ),
    Theorem("Spectra", "decay_determinant", "n + 1 positions: det r^|i − j| = (1 − r²)ⁿ"),
    Theorem("Spectra", "lag_determinant", "n + 2 positions: det |i − j| = (−1)ⁿ⁺¹(n + 1)2ⁿ"),
    Theorem(
        "Majorisation",
        "shares_weigh_at_most",
        "Ky Fan: falling numbers, shares in [0, 1] that add to k: at most the first k",
    ),
    Theorem("Majorisation", "majorised_product", "majorised positive numbers: larger product"),
)


PAGE = """# Theorems checked by Rocq

The theory is in `symbolic_pe/proof/rocq/theory/`. `make proofs` compiles it and compares the
statements and axioms below with what Rocq prints (`tests/golden/rocq_assumptions.txt`).
[Check with Rocq](../how-to/check-with-rocq.md) says how the proofs of an encoding are checked.

[All theorems](theorem-index.md) lists the derivations, which state them in words and say what else
they need.

Sizes n, m, d are variables of the theorems; X and E are real matrices. A =[n] B says that the n × n
corners of A and B agree.

| theorem | says | file | axioms | in words |
|---|---|---|---|---|
{rows}

Axioms, all of them from the real numbers of the standard library: {axioms}.

## Statements, as Rocq prints them

{statements}
"""


def parse_checked(text: str) -> dict[str, Checked]:
    """Read the golden file of statements and axioms."""
    found = {}
    for entry in text.strip().split("\n\n"):
        name, *lines = entry.splitlines()
        axioms = lines[-1].removeprefix("  axioms: ")
        found[name] = Checked(
            "\n".join(line[4:] for line in lines[:-1]),
            () if axioms == "none" else tuple(axioms.split(", ")),
        )
    return found


@cache
def shipped_checked() -> Mapping[str, Checked]:
    """What Rocq printed of every theorem when the theory was last compiled, from `checked.txt`.

    `make proofs` compares it with what Rocq prints now.
    """
    folder = resources.files("symbolic_pe.proof.rocq")
    return parse_checked(folder.joinpath("checked.txt").read_text(encoding="utf-8"))


def checked_theorem(qualified: str) -> Checked:
    """Statement and axioms of one theorem (`Gauge.homomorphism`); KeyError when there is none."""
    return shipped_checked()[qualified]


def checked_text(checked: Mapping[str, Checked]) -> str:
    """The golden file: name, statement, axioms."""
    entries = []
    for name, found in checked.items():
        lines = [name, *(f"    {line}" for line in found.statement.splitlines())]
        entries.append("\n".join([*lines, f"  axioms: {', '.join(found.axioms) or 'none'}"]))
    return "\n\n".join(entries) + "\n"


def theorems_page(
    checked: Mapping[str, Checked], stated: Mapping[str, Sequence[str]] | None = None
) -> str:
    """docs/reference/theorems.md; `stated` gives the derivations that state a theorem in words."""
    marks = {axiom: chr(ord("a") + i) for i, axiom in enumerate(ALLOWED_AXIOMS)}
    rows = [
        f"| `{t.name}` | {t.words} | `{t.file}.v` | "
        f"{' '.join(marks[a] for a in checked[t.qualified].axioms) or 'none'} | "
        f"{_derivations((stated or {}).get(t.qualified, ()))} |"
        for t in THEOREMS
    ]
    statements = [
        f"### {t.qualified}\n\n```\n{checked[t.qualified].statement}\n```" for t in THEOREMS
    ]
    axioms = "; ".join(f"({mark}) `{axiom}`" for axiom, mark in marks.items())
    return PAGE.format(rows="\n".join(rows), axioms=axioms, statements="\n\n".join(statements))


def _derivations(names: Sequence[str]) -> str:
    """Links to the pages of derivations."""
    return ", ".join(f"[{name}](../derivations/{name}.md)" for name in names)
