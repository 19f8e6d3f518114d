"""The value that every later stage receives: one positional encoding.

score(q, k; t, s) = (F(t)q)ᵀ(G(s)k) + bias(t − s) = qᵀ A(t − s) k + bias(t − s)
A(τ) = exp(τX),   A(0) = I
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix, block_diagonal
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.generator import Generator

MAX_HEADS = 1024
ANGLES = ("float64", "turns")
"""How kernels carry angles: position·frequency in float64, or 64-bit fixed-point turns."""


class Verdict(StrEnum):
    """What kind of object an encoding is, as a family of operators."""

    GROUP = "one-parameter group"
    COMMUTING = "commuting n-parameter group"
    AUGMENTED = "group after constant coordinates are added"
    LEARNED_TIME = "group in learned time"
    PER_LENGTH = "group per length only"
    PRODUCT = "ordered product of non-commuting maps"
    NOT_INVARIANT = "not translation invariant"
    NOT_REALISABLE = "translation invariant, without finite-dimensional realisation"


@dataclass(frozen=True)
class Domain:
    """Where the encoding must hold: kind of time, causal lags only or all, largest position."""

    time: str = "integer"
    causal: bool = True
    max_position: int = 1_048_576

    def __post_init__(self) -> None:
        if self.time not in ("integer", "real"):
            raise SpecificationError(
                f'[domain] time: expected "integer" or "real", got {self.time!r}'
            )
        if not 1 <= self.max_position <= 2**40:
            raise SpecificationError(
                f"[domain] max_position: expected 1 to 2^40, got {self.max_position}"
            )


@dataclass(frozen=True)
class Augmentation:
    """Constant coordinates that realise an additive bias: qₐᵀ exp(τY) kₐ = bias(τ)."""

    query: tuple[Scalar, ...]
    key: tuple[Scalar, ...]
    generator: ScalarMatrix
    exponential: FunctionMatrix
    bias: ExponentialPolynomial

    @property
    def coordinates(self) -> int:
        """How many coordinates are added."""
        return len(self.query)


@dataclass(frozen=True)
class Head:
    """Generator and optional bias of one head."""

    generator: Generator
    augmentation: Augmentation | None = None


@dataclass(frozen=True)
class Schedule:
    """A formula, in the input grammar, for a vector over planes j (and heads h).

    `formula` reproduces the exact values; emitted code prints it instead of numbers. The
    planner verifies that it does before using it.
    """

    name: str
    formula: str
    constants: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True)
class Encoding:
    """One positional encoding.

    heads        one entry when all heads share the generator, else one per head
    layout       how planes sit in the channels: `interleaved`, `half`, or `as given`
    temperature  c in score = c²·qᵀA(τ)k; the claims are about A
    frequencies  `exact`, or `float32`: the numbers that a checkpoint holds, taken as exact
    angles       how kernels carry angles: `float64`, or `turns` (64-bit fixed point)
    clock        `position`, or `learned` when time is produced by the model
    pairing      `contragredient` (always right), or `one-map` when the specification claims that
                 G(s) = A(−s) serves both sides
    asserted     claims that the specification makes beyond those that always belong
    specification  canonical description from which the encoding is rebuilt (kept in headers)
    """

    name: str
    heads: tuple[Head, ...]
    verdict: Verdict = Verdict.GROUP
    layout: str = "as given"
    domain: Domain = field(default_factory=Domain)
    temperature: Scalar = ONE
    clock: str = "position"
    frequencies: str = "exact"
    angles: str = "float64"
    schedules: tuple[Schedule, ...] = ()
    pairing: str = "contragredient"
    asserted: tuple[str, ...] = ()
    specification: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        dimensions = {head.generator.dimension for head in self.heads}
        if len(dimensions) != 1:
            raise SpecificationError(
                f"every head needs the same dimension, got {sorted(dimensions)} (a frequency of 0 "
                "makes a block real and half as large: use non-zero ones, or separate blocks)"
            )
        if len(self.heads) > MAX_HEADS:
            raise SpecificationError(f"expected at most {MAX_HEADS} heads, got {len(self.heads)}")
        if len({head.augmentation is None for head in self.heads}) != 1:
            raise SpecificationError("either every head has a bias or none")

    @property
    def dimension(self) -> int:
        """Channels of q and k per head, before constant coordinates are added."""
        return self.heads[0].generator.dimension

    @property
    def parameters(self) -> Mapping[str, str]:
        """Parameters with what is assumed of them."""
        return self.heads[0].generator.assumptions.declared

    def full_generator(self, head: int = 0) -> Generator:
        """X of one head with its constant coordinates: content ⊕ Y."""
        content, added = self.heads[head].generator, self.heads[head].augmentation
        if added is None:
            return content
        matrix = block_diagonal([content.matrix, added.generator])
        return Generator(len(matrix), None, matrix, content.assumptions)

    @property
    def augmentation(self) -> Augmentation | None:
        """The added coordinates of the first head (all heads have as many)."""
        return self.heads[0].augmentation
