"""Decide that a permutation of channels carries one rotary layout to another, scores included.

    P·X_from·Pᵀ = X_to        qᵀA_from(τ)k = (Pq)ᵀA_to(τ)(Pk),   A(τ) = exp(τX)

for X = ⊕ −wⱼJ on plane j and all frequencies w₀, w₁, … : they are symbols, and the two sides are
compared as polynomials in them, and as exponential polynomials in τ with them. So nothing is
assumed of a frequency ladder, of a base or of a scaling of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, real_constant
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.encodings.permutation import ChannelPermutation, HeadLayout
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.proof.certificate import digest
from symbolic_pe.proof.claim import Claim, Outcome

E = TypeVar("E", Scalar, ExponentialPolynomial)
Sparse = dict[tuple[int, int], E]

PERMUTATION = "P P^T = I"
CONJUGATION = "P X_from P^T = X_to for all frequencies"
SCORES = "q^T A_from(tau) k = (P q)^T A_to(tau) (P k) for all q, k, tau and all frequencies"


@dataclass(frozen=True)
class Conjugation:
    """Two layouts, the permutation between them, and what was decided of it."""

    source: HeadLayout
    target: HeadLayout
    permutation: ChannelPermutation
    claims: tuple[Claim, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON {"permutation": [s(0), s(1), …]}."""
        return digest({"permutation": list(self.permutation.sources)})


def prove_conjugation(
    source: HeadLayout, target: HeadLayout, permutation: ChannelPermutation | None = None
) -> Conjugation:
    """Decide P·X_from·Pᵀ = X_to and the equality of scores, for all frequencies.

    >>> from symbolic_pe.encodings.permutation import head_layout
    >>> half, interleaved = head_layout("half", 8), head_layout("interleaved", 8)
    >>> found = prove_conjugation(half, interleaved)
    >>> [(c.name, c.verdict.value) for c in found.claims][1:]
    [('conjugation', 'proved'), ('scores', 'proved')]

    The permutation is the one between the two layouts when none is given; any other is refuted with
    the entry at which it fails. Raises `SpecificationError` for layouts of different sizes.
    """
    p = ChannelPermutation.between(source, target) if permutation is None else permutation
    if not source.channels == target.channels == len(p.sources):
        raise SpecificationError(
            f"a permutation of {len(p.sources)} channels is none of heads with "
            f"{source.channels} and {target.channels}"
        )
    # Each index comes once in the list (its constructor says so), which is P Pᵀ = I.
    orthogonal = Claim(
        "permutation", Outcome.PROVED, PERMUTATION, "every channel is the source of one channel"
    )
    conjugation = _compared(
        "conjugation",
        CONJUGATION,
        p,
        (
            _placed(source, lambda block: block.generator, ZERO),
            _placed(target, lambda block: block.generator, ZERO),
        ),
        ("equal as polynomials in the frequencies, entry by entry", "P X_from P^T", "X_to"),
    )
    zero = ExponentialPolynomial(("t",), {})
    # exp of the zero block is 1 on the channels that do not turn.
    scores = _compared(
        "scores",
        SCORES,
        p,
        (
            _placed(source, lambda block: block.exponential(), zero, real_constant(ONE)),
            _placed(target, lambda block: block.exponential(), zero, real_constant(ONE)),
        ),
        (
            "P A_from(tau) P^T = A_to(tau): equal as exponential polynomials, entry by entry",
            "P A_from(t) P^T",
            "A_to(t)",
        ),
    )
    return Conjugation(source, target, p, (orthogonal, conjugation, scores))


def _placed(
    layout: HeadLayout,
    matrix: Callable[[Block], tuple[tuple[E, ...], ...]],
    zero: E,
    constant: E | None = None,
) -> Sparse[E]:
    """The entries that are not 0 of a function of X = ⊕ −wⱼJ on the planes of a layout."""
    entries: Sparse[E] = {}
    for j, plane in enumerate(layout.planes):
        block = matrix(Block(ZERO, -Scalar.symbol(f"w{j}")))
        for i, row in zip(plane, block, strict=True):
            for k, x in zip(plane, row, strict=True):
                if x != zero:
                    entries[i, k] = x
    if constant is not None:
        entries |= {(c, c): constant for c in layout.constant}
    return entries


def _compared(
    name: str,
    statement: str,
    p: ChannelPermutation,
    sides: tuple[Sparse[E], Sparse[E]],
    texts: tuple[str, str, str],
) -> Claim:
    """P·L·Pᵀ = R entry by entry: the entry (a, b) of L comes to (s⁻¹(a), s⁻¹(b))."""
    (left, right), (reason, left_text, right_text) = sides, texts
    place = p.inverse.sources
    moved = {(place[a], place[b]): x for (a, b), x in left.items()}
    for at in sorted(moved.keys() | right.keys()):
        got, expected = moved.get(at), right.get(at)
        # Normal forms in independent symbols: different forms are different functions.
        if got is None or expected is None or got != expected:
            row, column = at
            return Claim(
                name,
                Outcome.REFUTED,
                statement,
                "the frequencies are independent, so different entries are different functions",
                f"row {row}, column {column}: {left_text} has {got or 0}, "
                f"{right_text} has {expected or 0}",
            )
    return Claim(name, Outcome.PROVED, statement, reason)
