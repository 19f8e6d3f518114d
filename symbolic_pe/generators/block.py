"""The block of a real generator and its exponential, for every chain length.

A block has rate a, frequency ω, chain length n and shear η:

    real (ω = 0):     aI + ηN                     exp: e^{at} Σ (ηt)^k/k! N^k
    pair (ω ≠ 0):     I ⊗ [[a, −ω], [ω, a]] + ηN ⊗ I₂   exp: e^{at} Σ (ηt)^k/k! N^k ⊗ R(ωt)

with N the shift (ones on the superdiagonal) and R(φ) = [[cos φ, −sin φ], [sin φ, cos φ]].
With η = 1 and ω ≥ 0 it is the real Jordan block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import factorial

from flint import fmpq

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, real_constant
from symbolic_pe.algebra.matrix import FunctionMatrix, ScalarMatrix
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar


@dataclass(frozen=True)
class Block:
    """One block: rate a, signed frequency ω, chain length n, shear η."""

    rate: Scalar
    frequency: Scalar = ZERO
    chain_length: int = 1
    shear: Scalar = ONE

    @property
    def is_pair(self) -> bool:
        """True for a conjugate pair of eigenvalues a ± iω."""
        return not self.frequency.is_zero()

    @property
    def dimension(self) -> int:
        """Number of coordinates: n, or 2n for a pair."""
        return self.chain_length * (2 if self.is_pair else 1)

    @cached_property
    def generator(self) -> ScalarMatrix:
        """The block as a matrix X."""
        width = 2 if self.is_pair else 1
        rows = [[ZERO] * self.dimension for _ in range(self.dimension)]
        for link in range(self.chain_length):
            top = link * width
            for i in range(width):
                rows[top + i][top + i] = self.rate
                if link + 1 < self.chain_length:
                    rows[top + i][top + width + i] = self.shear
            if self.is_pair:
                rows[top][top + 1] = -self.frequency
                rows[top + 1][top] = self.frequency
        return tuple(tuple(row) for row in rows)

    def exponential(self, variable: str = "t") -> FunctionMatrix:
        """The closed form E(t) = exp(tX)."""
        growth = (
            real_constant(ONE, variable)
            if self.rate.is_zero()
            else ExponentialPolynomial.exponential(variable, ComplexScalar(self.rate))
        )
        zero = ExponentialPolynomial((variable,), {})
        if self.is_pair:
            c = growth * ExponentialPolynomial.cosine(variable, self.frequency)
            s = growth * ExponentialPolynomial.sine(variable, self.frequency)
            cell: FunctionMatrix = ((c, -s), (s, c))
        else:
            cell = ((growth,),)
        width = len(cell)
        rows = [[zero] * self.dimension for _ in range(self.dimension)]
        shift = real_constant(ONE, variable)
        for k in range(self.chain_length):
            weight = shift.scale(Scalar.rational(fmpq(1, factorial(k))))
            for link in range(self.chain_length - k):
                for i in range(width):
                    for j in range(width):
                        rows[link * width + i][(link + k) * width + j] = weight * cell[i][j]
            shift = shift * ExponentialPolynomial.variable(variable).scale(self.shear)
        return tuple(tuple(row) for row in rows)

    def substitute(self, values: dict[str, Scalar]) -> Block:
        """Replace parameters."""
        return Block(
            self.rate.substitute(values),
            self.frequency.substitute(values),
            self.chain_length,
            self.shear.substitute(values),
        )


@dataclass(frozen=True)
class PlacedBlock:
    """A block on named coordinates, in the order of its rows."""

    block: Block
    coordinates: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.coordinates) != self.block.dimension:
            raise ValueError(
                f"a block of dimension {self.block.dimension} needs as many coordinates, "
                f"got {len(self.coordinates)}"
            )
