"""What softmax sees of logits, and why raw spectra are no property of attention."""

from __future__ import annotations

from flint import arb

from derivations.spectral.tools import BITS, equalities, precision, refuted, shown
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision, Outcome
from symbolic_pe.proof.derivation import Answer, Derivation, Rule, Step, Twin


def _softmax() -> Decision:
    """e^{a+r}/Σe^{b+r}, with exponentials A and R and S = Σe^b: Σ R·B = R·S term by term."""
    a, r, total = (Scalar.symbol(x) for x in ("A", "R", "S"))
    return equalities({"weight": (a * r / (r * total), a / total)})


def _centring() -> Decision:
    """One entry of (L + r1ᵀ)(I − 11ᵀ/n): the mean of a row of n logits with sum s moves by r."""
    entry, total, n, r = (Scalar.symbol(x) for x in ("a", "s", "n", "r"))
    return equalities({"entry": (entry + r - (total + n * r) / n, entry - total / n)})


def _only_constants() -> Decision:
    """Equal weights ⇒ equal up to a constant: a − b = log of the quotient of weights."""
    a, b, total = (Scalar.symbol(x) for x in ("A", "B", "S"))
    return equalities({"quotient of two weights": ((a / total) / (b / total), a / b)})


def _condition_of(first: int) -> arb:
    """Condition number of I + (first, 0)ᵀ·(1, 1): σ₁σ₂ = det, σ₁² + σ₂² = ‖·‖²."""
    determinant = arb(1 + first)
    square = arb((1 + first) ** 2 + first**2 + 1)
    root = (square * square - 4 * determinant**2).sqrt()
    return ((square + root) / (square - root)).sqrt()


def _raw_spectrum() -> Decision:
    """L = I and L + r1ᵀ with r = (30, 0): the same attention."""
    with precision(BITS):
        found = _condition_of(30)
        return refuted(
            "L = I (condition number 1) and [[31, 30], [0, 1]] give the same attention; the second "
            "has a condition number larger by",
            found - 1,
            condition=shown(found),
        )


def _columns() -> Decision:
    """A constant along a column is seen: (0, 0) and (c, 0) in the first column."""
    with precision(BITS):
        weight = arb(1).exp() / (arb(1).exp() + 1)
        return refuted(
            "logits (0, 0), and 1 added to the first column: the weight of the first key moves by",
            weight - arb(1) / 2,
        )


DERIVATION = Derivation(
    name="softmax-sees-row-centred-logits",
    title="Softmax sees logits up to a constant for each row",
    chapter="spectral",
    statement=r"""
$\operatorname{softmax}(L + r1^\top) = \operatorname{softmax}(L)$ for every $r$, and two matrices
have one softmax only
if they differ by such a term. $L(I - 11^\top/n)$ is a function of attention; eigenvalues,
singular values and the
condition number of $L$ are not.
""".strip(),
    hypotheses=("softmax runs over keys, along rows",),
    steps=(
        Step(
            "invariant", "A common factor of all exponentials cancels.", Rule.NORMAL_FORM, _softmax
        ),
        Step(
            "row-centred",
            r"$(L + r1^\top)(I - 11^\top/n) = L(I - 11^\top/n)$.",
            Rule.NORMAL_FORM,
            _centring,
        ),
        Step(
            "converse",
            "Quotients of weights are quotients of exponentials, so weights give differences of "
            "logits.",
            Rule.NORMAL_FORM,
            _only_constants,
        ),
    ),
    twins=(
        Twin(
            "raw-spectrum",
            "row-centring.",
            "The condition number of logits is a property of attention.",
            _raw_spectrum,
        ),
        Twin(
            "columns",
            "the direction of softmax, along rows.",
            "Constants along columns are not seen either.",
            _columns,
        ),
    ),
    answers=(
        Answer("F8", Outcome.REFUTED, "raw-spectrum", "row-centred quantities are invariant"),
    ),
    justifies=("numeric_check.spectrum.spectrum.Centred",),
    sources=("Gu et al., arXiv:2505.13027, for the claim",),
)
