"""Several axes: A(p) = exp(Σ pᵢXᵢ) is a group of Rⁿ exactly when the generators commute.

    A(p)A(p′) = A(p + p′) for all p, p′   ⟺   XᵢXⱼ = XⱼXᵢ for all i, j

(⇐: exponentials of commuting matrices multiply. ⇒: the mixed second derivative of both sides at
p = p′ = 0 gives XᵢXⱼ + XⱼXᵢ over 2 on the right and XᵢXⱼ on the left.) Commutators are decided
exactly; one entry that is not 0 is the witness of a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    is_rational,
    multiply,
    scalar_matrix,
    to_fmpq,
)
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.generator import Generator


@dataclass(frozen=True)
class Commutator:
    """One entry of XᵢXⱼ − XⱼXᵢ that is not 0."""

    axes: tuple[int, int]
    row: int
    column: int
    value: Scalar

    def __str__(self) -> str:
        i, j = self.axes
        return (
            f"X{i} X{j} - X{j} X{i} has the entry {self.value} at row {self.row}, "
            f"column {self.column}"
        )


class NotCommuting(SpecificationError):
    """Generators of different axes do not commute; carries the witness."""

    def __init__(self, commutator: Commutator) -> None:
        super().__init__(
            f"the generators of axes {commutator.axes[0]} and {commutator.axes[1]} do not commute: "
            f"{commutator}; scores would change when all positions are shifted together"
        )
        self.commutator = commutator


@dataclass(frozen=True)
class CommutingFamily:
    """Generators of the axes, checked to commute.

    >>> x = Generator.from_matrix([["0", "-1"], ["1", "0"]])
    >>> CommutingFamily.of([x, x]).at([Scalar.rational(1), Scalar.rational(2)]).matrix[1][0]
    Scalar(3)
    """

    axes: tuple[Generator, ...]

    @classmethod
    def of(cls, generators: Sequence[Generator]) -> CommutingFamily:
        """Check the commutators; raises `NotCommuting` with the witness."""
        if len({g.dimension for g in generators}) != 1:
            raise SpecificationError("every axis needs a generator of the same dimension")
        found = offending_commutator(generators)
        if found is not None:
            raise NotCommuting(found)
        return cls(tuple(generators))

    @property
    def dimension(self) -> int:
        """Channels."""
        return self.axes[0].dimension

    def at(self, direction: Sequence[Scalar]) -> Generator:
        """The generator Σ pᵢXᵢ of the one-parameter group along a direction p."""
        if len(direction) != len(self.axes):
            raise SpecificationError(
                f"expected {len(self.axes)} coordinates, one for each axis, got {len(direction)}"
            )
        n = self.dimension
        rows = [[ZERO] * n for _ in range(n)]
        for weight, generator in zip(direction, self.axes, strict=True):
            for i, row in enumerate(generator.matrix):
                for j, x in enumerate(row):
                    if not x.is_zero():
                        rows[i][j] = rows[i][j] + weight * x
        return Generator(n, None, scalar_matrix(rows), self.axes[0].assumptions)


def offending_commutator(generators: Sequence[Generator]) -> Commutator | None:
    """The first commutator entry that is not 0, or None. Raises `Undecided`."""
    matrices = [g.matrix for g in generators]
    channels = [_channels(x) for x in matrices]
    for (i, x), (j, y) in combinations(enumerate(matrices), 2):
        if channels[i].isdisjoint(channels[j]):
            continue  # XY = YX = 0
        found = _difference(*_products(x, y))
        if found is not None:
            return Commutator((i, j), *found)
    return None


def _channels(x: ScalarMatrix) -> frozenset[int]:
    """The channels that a matrix reads or writes."""
    return frozenset(
        channel
        for i, row in enumerate(x)
        for j, entry in enumerate(row)
        if not entry.is_zero()
        for channel in (i, j)
    )


def _products(x: ScalarMatrix, y: ScalarMatrix) -> tuple[ScalarMatrix, ScalarMatrix]:
    """(XY, YX), over the rationals in one go."""
    if is_rational(x) and is_rational(y):
        a, b = to_fmpq(x), to_fmpq(y)
        return from_fmpq(a * b), from_fmpq(b * a)
    return multiply(x, y), multiply(y, x)


def _difference(a: ScalarMatrix, b: ScalarMatrix) -> tuple[int, int, Scalar] | None:
    for i, (left, right) in enumerate(zip(a, b, strict=True)):
        for j, (x, y) in enumerate(zip(left, right, strict=True)):
            if not (x - y).vanishes():
                return i, j, x - y
    return None
