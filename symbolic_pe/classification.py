"""Classification of an encoding: real Jordan blocks, families and growth, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbolic_pe.algebra.printing import times
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.budget import Budget
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.generators.families import Growth, known_encodings
from symbolic_pe.jordan.form import JordanCase, RealJordanForm, StructureBlock
from symbolic_pe.proof.prover import jordan_forms

LOG_TWO = Scalar.symbol("log(2)")
TWO_PI = Scalar.rational(2) * Scalar.symbol("pi")


@dataclass(frozen=True)
class Measure:
    """An exact positive quotient: as text, and as a decimal where it has no parameters."""

    text: str
    numerator: Scalar
    denominator: Scalar

    @property
    def about(self) -> str | None:
        """Six right digits, or None when parameters occur."""
        if self.denominator.parameters():
            return None
        with precision(64):
            value = self.numerator.ball({}) / self.denominator.ball({})
            return str(value.str(6, radius=False))


@dataclass(frozen=True)
class ClassifiedBlock:
    """One kind of block with what it means for attention.

    half_life  lag after which e^{aτ} has fallen to 1/2: ln 2/(−a), for decaying blocks
    period     2π/b, for rotating blocks
    bound      growth bound on τ ≥ 0, for chain length n: |block(τ)| ≤ bound up to a constant
    """

    block: StructureBlock
    half_life: Measure | None
    period: Measure | None
    bound: str
    known: tuple[str, ...]


@dataclass(frozen=True)
class ClassifiedCase:
    """One cell of the parameters (or one head)."""

    conditions: tuple[str, ...]
    blocks: tuple[ClassifiedBlock, ...]
    growth: Growth
    possibly_empty: bool
    generic: bool
    undecided: str
    heads: tuple[int, ...]
    source: JordanCase


@dataclass(frozen=True)
class Classification:
    """All cases of an encoding, constant coordinates included."""

    encoding: Encoding
    dimension: int
    cases: tuple[ClassifiedCase, ...]

    @property
    def undecided(self) -> str:
        """Why some case is not decided; empty when every case is."""
        return next((case.undecided for case in self.cases if case.undecided), "")


def classify(
    encoding: Encoding,
    budget: Budget | None = None,
    forms: Sequence[RealJordanForm] | None = None,
) -> Classification:
    """Classify by exact real Jordan form.

    Heads with the same blocks share one case. The dimension counts the constant coordinates
    that an additive bias needs. Cells that the budget (60 s unless given) or this version leaves
    open are cases with `undecided` set. `forms` are those of the heads, when they are known
    already. Raises `NotYetCovered` when no cell is decided.
    """
    grouped: dict[tuple[object, ...], tuple[JordanCase, list[int]]] = {}
    for index, form in enumerate(jordan_forms(encoding, budget) if forms is None else forms):
        for case in form.cases:
            key = (
                tuple(case.cell.conditions()),
                tuple(
                    (str(b.eigenvalue), str(b.imaginary_part), b.chain_length, b.multiplicity)
                    for b in case.structure
                ),
            )
            grouped.setdefault(key, (case, []))[1].append(index)
    every = len(encoding.heads)
    cases = tuple(
        _classified(encoding, case, tuple(heads), every) for case, heads in grouped.values()
    )
    return Classification(encoding, encoding.full_generator().dimension, cases)


def _classified(
    encoding: Encoding, case: JordanCase, heads: tuple[int, ...], every: int
) -> ClassifiedCase:
    declared = encoding.heads[heads[0]].generator.assumptions
    conditions = case.cell.conditions(declared)
    if len(heads) < every:
        conditions = [_heads_text(heads), *conditions]
    blocks = tuple(_classified_block(b) for b in case.structure)
    return ClassifiedCase(
        tuple(conditions),
        blocks,
        case.growth,
        case.possibly_empty,
        case.is_generic,
        case.undecided,
        heads,
        case,
    )


def _heads_text(heads: tuple[int, ...]) -> str:
    if len(heads) == 1:
        return f"head = {heads[0]}"
    return f"head in {', '.join(map(str, heads))}"


def _classified_block(block: StructureBlock) -> ClassifiedBlock:
    half_life: Measure | None = None
    period: Measure | None = None
    texts = block.texts()
    if isinstance(block.eigenvalue, Scalar):
        if block.real_part_sign < 0:
            half_life = _quotient(LOG_TWO, -block.eigenvalue)
        if block.is_pair:
            period = _quotient(TWO_PI, block.imaginary_part)
    factors = []
    if block.chain_length > 1:
        power = block.chain_length - 1
        factors.append("(1 + tau)" if power == 1 else f"(1 + tau)^{power}")
    if block.real_part_sign != 0:
        rate = texts["real_part"]
        if isinstance(block.eigenvalue, Scalar):
            rate = times(block.eigenvalue, ["tau"])
            factors.append(f"exp({rate})")
        else:
            factors.append(f"exp({rate}*tau)")
    return ClassifiedBlock(
        block, half_life, period, "*".join(factors) or "1", known_encodings(block.family)
    )


def _quotient(numerator: Scalar, denominator: Scalar) -> Measure:
    """A number as a product where its inverse is one monomial, else as a quotient."""
    monomials = sum(1 for c in denominator.terms.values() for _ in c.numerator_terms())
    text = str(numerator / denominator) if monomials == 1 else f"{numerator}/({denominator})"
    return Measure(text, numerator, denominator)
