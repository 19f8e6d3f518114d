"""Block theorems: the exponential of one kind of block, proved once with symbolic entries.

A pattern is a block whose rate a, frequency b and shear e are symbols. What is proved of it holds
for every value of them, so 64 planes of a rotary encoding are 64 instances of one theorem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import (
    FunctionMatrix,
    ScalarMatrix,
    act,
    apply,
    identity,
    multiply_functions,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.generators.block import Block

DIRECT_PRODUCT_LIMIT = 8
RATE, FREQUENCY, SHEAR = "a", "b", "e"


@dataclass(frozen=True)
class Pattern:
    """A kind of block: which of rate and frequency occur, chain length, whether η ≠ 1."""

    has_rate: bool
    is_pair: bool
    chain_length: int
    has_shear: bool

    @classmethod
    def of(cls, block: Block) -> Pattern:
        """The pattern that a block is an instance of."""
        return cls(
            not block.rate.is_zero(),
            block.is_pair,
            block.chain_length,
            block.chain_length > 1 and block.shear != ONE,
        )

    @property
    def name(self) -> str:
        """Readable identifier."""
        base = {
            (False, False): "constant",
            (True, False): "scaling",
            (False, True): "rotation",
            (True, True): "scaled-rotation",
        }[self.has_rate, self.is_pair]
        chain = f"-chain-{self.chain_length}" if self.chain_length > 1 else ""
        return base + chain + ("-sheared" if self.has_shear else "")

    @property
    def variables(self) -> tuple[str, ...]:
        """Symbols of the pattern."""
        return tuple(
            name
            for name, used in (
                (RATE, self.has_rate),
                (FREQUENCY, self.is_pair),
                (SHEAR, self.has_shear),
            )
            if used
        )

    @cached_property
    def block(self) -> Block:
        """The block with symbolic entries."""
        return Block(
            Scalar.symbol(RATE) if self.has_rate else ZERO,
            Scalar.symbol(FREQUENCY) if self.is_pair else ZERO,
            self.chain_length,
            Scalar.symbol(SHEAR) if self.has_shear else ONE,
        )

    def values(self, block: Block) -> dict[str, Scalar]:
        """The instance's values of the symbols."""
        every = {RATE: block.rate, FREQUENCY: block.frequency, SHEAR: block.shear}
        return {name: every[name] for name in self.variables}


@dataclass(frozen=True)
class Theorems:
    """What was decided of a generator X with closed form E; True, or the failing entry."""

    initial_condition: bool
    derivative: bool
    homomorphism: bool
    relativity: bool
    one_map: bool
    direct: bool


@lru_cache(maxsize=256)
def theorems_of(pattern: Pattern) -> Theorems:
    """Decide the laws of a pattern, with its symbols as indeterminates."""
    return decide(pattern.block.generator, pattern.block.exponential())


def decide(generator: ScalarMatrix, exponential: FunctionMatrix) -> Theorems:
    """Decide E(0) = I, E′ = XE, E(s)E(t) = E(s+t), E(t)E(−s) = E(t−s) and E(t)ᵀ = E(−t).

    The two-variable products are decided directly up to dimension 8. Beyond, they follow from
    E(0) = I and E′ = XE by uniqueness for linear differential equations.
    """
    n = len(generator)
    start = all(
        (x.at_zero().re - y).is_zero() and x.at_zero().im.is_zero()
        for row, unit in zip(exponential, identity(n), strict=True)
        for x, y in zip(row, unit, strict=True)
    )
    derivative = equal(apply(lambda f: f.derivative("t"), exponential), act(generator, exponential))
    direct = n <= DIRECT_PRODUCT_LIMIT
    product = relative = start and derivative
    if direct:
        product = equal(
            multiply_functions(exponential, at(exponential, {"s": 1})),
            at(exponential, {"t": 1, "s": 1}),
        )
        relative = equal(
            multiply_functions(exponential, at(exponential, {"s": -1})),
            at(exponential, {"t": 1, "s": -1}),
        )
    one_map = equal(transpose(exponential), at(exponential, {"t": -1}))
    return Theorems(start, derivative, product, relative, one_map, direct)


def at(f: FunctionMatrix, form: Mapping[str, int]) -> FunctionMatrix:
    """F evaluated at an integer linear form of the variables."""
    return apply(lambda entry: entry.compose(form), f)


def equal(a: FunctionMatrix, b: FunctionMatrix) -> bool:
    """Decide F = G entrywise; raises `Undecided`."""
    return first_difference(a, b) is None


def first_difference(
    a: FunctionMatrix, b: FunctionMatrix
) -> tuple[int, int, ExponentialPolynomial] | None:
    """The first entry in which F and G differ, with F − G there."""
    for i, (left, right) in enumerate(zip(a, b, strict=True)):
        for j, (f, g) in enumerate(zip(left, right, strict=True)):
            difference = f - g
            if not difference.vanishes():
                return i, j, difference
    return None
