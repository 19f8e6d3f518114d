"""Decide the laws of A(p) = exp(Σ pᵢXᵢ) for positions p of several coordinates.

    A(p + p′) = A(p)A(p′) for all p, p′   ⟺   XᵢXⱼ = XⱼXᵢ for all i, j

Commutators are decided exactly. A refusal carries the entry that is not 0, and where a ball shows
it also two positions whose product of maps is not the map of their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, arb_mat, fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.printing import assignments
from symbolic_pe.algebra.sampling import ball_values, sample_point
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.encodings.forms import SeveralAxes
from symbolic_pe.errors import Undecided
from symbolic_pe.generators.commuting import Commutator, offending_commutator
from symbolic_pe.proof.claim import Claim, Outcome
from symbolic_pe.proof.witness import decimal

INITIAL = "A(0) = I"
COMMUTE = "X_i X_j = X_j X_i for all axes i, j"
GROUP = "A(p + q) = A(p) A(q) for all positions p, q"
RELATIVE = "F(p)^T G(q) = A(p - q), F(p) = A(p)^T, G(q) = A(-q)"
NAMES = {"commutators": COMMUTE, "homomorphism": GROUP, "relativity": RELATIVE}
STEPS = (fmpq(1), fmpq(1, 4), fmpq(1, 64), fmpq(4))
BITS = 256
MAX_WITNESS_DIMENSION = 64


@dataclass(frozen=True)
class AxesProof:
    """Every claim about several axes, decided; the commutator that refutes, if one does."""

    encoding: SeveralAxes
    claims: tuple[Claim, ...]
    commutator: Commutator | None


def prove_axes(encoding: SeveralAxes) -> AxesProof:
    """Decide the laws of A(p) = exp(Σ pᵢXᵢ).

    >>> from symbolic_pe.encodings.forms import from_any_document
    >>> axes = [{"matrix": [[0, 1], [0, 0]]}, {"matrix": [[0, 0], [1, 0]]}]
    >>> found = prove_axes(from_any_document({"axes": axes}))
    >>> found.claims[1].verdict.value
    'refuted'

    A commutator whose vanishing is not known is an undecided claim with the reason.
    """
    start = Claim("initial-condition", Outcome.PROVED, INITIAL, "exp(0) = I")
    try:
        found = offending_commutator(encoding.axes)
    except Undecided as error:
        undecided = (
            Claim(name, Outcome.UNDECIDED, text, str(error)) for name, text in NAMES.items()
        )
        return AxesProof(encoding, (start, *undecided), None)
    if found is None:
        claims = (
            Claim("commutators", Outcome.PROVED, COMMUTE, "every entry is decided to be 0"),
            Claim(
                "homomorphism",
                Outcome.PROVED,
                GROUP,
                "exponentials of commuting matrices multiply",
            ),
            Claim(
                "relativity",
                Outcome.PROVED,
                RELATIVE,
                "A(p) A(-q) = A(p - q) by the group law",
            ),
        )
        return AxesProof(encoding, (start, *claims), None)
    entry = commutator_text(encoding, found)
    pair = _positions(encoding, found)
    why = "the group law holds exactly when the generators commute"
    refuted = (
        Claim("commutators", Outcome.REFUTED, COMMUTE, "", entry),
        Claim("homomorphism", Outcome.REFUTED, GROUP, why, pair or entry),
        Claim("relativity", Outcome.REFUTED, RELATIVE, why, entry),
    )
    return AxesProof(encoding, (start, *refuted), found)


def commutator_text(encoding: SeveralAxes, found: Commutator) -> str:
    """The entry in words, with the names of the axes."""
    x, y = (encoding.axis_names[i] for i in found.axes)
    return (
        f"[{x}, {y}] = X Y - Y X has the entry {found.value} at row {found.row}, "
        f"column {found.column}"
    )


def _positions(encoding: SeveralAxes, found: Commutator) -> str | None:
    """Positions p, q along two axes with A(p)A(q) ≠ A(p + q) there, by balls; None when none shows.

    The difference is s²/2·(XY − YX) for small steps s, so one of a few small ones shows it.
    """
    if encoding.dimension > MAX_WITNESS_DIMENSION:
        return None
    sample = sample_point(encoding.assumptions)
    if sample is None:
        return None
    i, j = found.axes
    with precision(BITS):
        values = ball_values(sample, BITS)
        x, y = (_balls(encoding.axes[k].matrix, values) for k in (i, j))
        for step in STEPS:
            s = arb(step)
            product = (x * s).exp() * (y * s).exp()
            whole = ((x + y) * s).exp()
            where = _first_apart(product, whole)
            if where is None:
                continue
            row, column = where
            at = f", {assignments(sample)}" if sample else ""
            p, q = (f"{step} along {encoding.axis_names[k]}" for k in (i, j))
            left, right = decimal(product[row, column]), decimal(whole[row, column])
            return (
                f"at p = {p}, q = {q}{at}: A(p) A(q) has {left} and A(p + q) has {right} "
                f"at row {row}, column {column}"
            )
    return None


def _balls(x: ScalarMatrix, values: dict[str, arb]) -> arb_mat:
    return arb_mat([[entry.ball(values) for entry in row] for row in x])


def _first_apart(a: arb_mat, b: arb_mat) -> tuple[int, int] | None:
    """The first entry at which two balls do not meet."""
    for i in range(a.nrows()):
        for j in range(a.ncols()):
            if not a[i, j].overlaps(b[i, j]):
                return i, j
    return None
