"""The generator of a one-parameter group: a matrix, or blocks placed on coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import ScalarMatrix, apply, scalar_matrix
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import PlacedBlock

MAX_DIMENSION = 1024
MAX_DENSE_DIMENSION = 256


@dataclass(frozen=True)
class Generator:
    """X in A(t) = exp(tX), real d × d.

    Either `placed` gives X as blocks on coordinates, or `entries` gives its matrix; parameters
    and what is assumed of them are in `assumptions`.

    >>> Generator.from_matrix([["0", "-1"], ["1", "0"]]).dimension
    2
    """

    dimension: int
    placed: tuple[PlacedBlock, ...] | None = None
    entries: ScalarMatrix | None = None
    assumptions: Assumptions = field(default_factory=Assumptions)

    @classmethod
    def from_blocks(
        cls, placed: Sequence[PlacedBlock], assumptions: Assumptions | None = None
    ) -> Generator:
        """X = ⊕ blocks, their coordinates a permutation of 0 … d − 1."""
        dimension = sum(p.block.dimension for p in placed)
        used = sorted(c for p in placed for c in p.coordinates)
        if used != list(range(dimension)):
            raise SpecificationError(
                f"the coordinates of the blocks must be 0 … {dimension - 1}, each once, got {used}"
            )
        if dimension > MAX_DIMENSION:
            raise SpecificationError(
                f"expected a dimension of at most {MAX_DIMENSION}, got {dimension}"
            )
        return cls(dimension, tuple(placed), None, assumptions or Assumptions())

    @classmethod
    def from_matrix(
        cls,
        rows: Sequence[Sequence[str | int | Scalar]],
        parameters: Mapping[str, str] | None = None,
    ) -> Generator:
        """X from rows of numbers or texts in the input grammar.

        Raises `SpecificationError` when the rows are not a square matrix, `ExpressionError` when
        an entry is not in the grammar.
        """
        assumptions = Assumptions.declare(parameters or {})
        check_square([len(row) for row in rows])
        entries = scalar_matrix(
            [
                [_entry(x, i, j, assumptions) for j, x in enumerate(row)]
                for i, row in enumerate(rows)
            ]
        )
        return cls(len(entries), None, entries, assumptions)

    @property
    def matrix(self) -> ScalarMatrix:
        """X as a matrix."""
        if self.entries is not None:
            return self.entries
        rows = [[ZERO] * self.dimension for _ in range(self.dimension)]
        for placed in self.placed or ():
            for i, row in zip(placed.coordinates, placed.block.generator, strict=True):
                for j, x in zip(placed.coordinates, row, strict=True):
                    rows[i][j] = x
        return scalar_matrix(rows)

    def substitute(self, values: Mapping[str, Scalar]) -> Generator:
        """Replace parameters by scalars."""
        if self.placed is not None:
            placed = tuple(
                PlacedBlock(p.block.substitute(dict(values)), p.coordinates) for p in self.placed
            )
            return Generator(self.dimension, placed, None, self.assumptions)
        return Generator(
            self.dimension,
            None,
            apply(lambda x: x.substitute(values), self.matrix),
            self.assumptions,
        )


def check_square(widths: Sequence[int], place: str = "generator") -> None:
    """Refuse what is not a square matrix of a size that can be handled."""
    n = len(widths)
    if n == 0:
        raise SpecificationError(f"{place}: expected a square matrix, got no rows")
    for index, width in enumerate(widths):
        if width != n:
            raise SpecificationError(
                f"{place}: expected a square matrix; there are {n} rows, but row {index + 1} "
                f"has {width} {'entry' if width == 1 else 'entries'}"
            )
    if n > MAX_DENSE_DIMENSION:
        raise SpecificationError(
            f"{place}: expected at most {MAX_DENSE_DIMENSION} rows, got {n}; "
            "give a larger generator as blocks"
        )


def _entry(x: str | int | Scalar, i: int, j: int, assumptions: Assumptions) -> Scalar:
    if isinstance(x, Scalar):
        return x
    if isinstance(x, bool) or not isinstance(x, (str, int)):
        raise SpecificationError(
            f"generator: row {i + 1}, column {j + 1}: expected a text or an integer, got {x!r} "
            "(write decimals as text, so that they are read exactly)"
        )
    try:
        return parse(str(x), assumptions.declared, assumptions)
    except SpecificationError as error:
        raise SpecificationError(f"generator: row {i + 1}, column {j + 1}: {error}") from None
