"""Matrices by their entries, and what is derived from them by products and sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from symbolic_pe.proof.checker.balls import require
from symbolic_pe.proof.checker.numbers import ONE, ZERO, Field, Number, whole

Entries = Mapping[tuple[int, int], Number]  # (row, column) -> entry that is not 0


@dataclass(frozen=True)
class Matrix:
    """A matrix of any size that is large enough: what is not stated is 0."""

    field: Field
    entries: Entries

    def inside(self, size: int, where: str) -> Matrix:
        """The matrix, which has no entry beyond so many rows and columns."""
        require(all(max(place) < size for place in self.entries), f"{where}: outside the matrix")
        return self

    def each(self, of: Callable[[Number], Number]) -> Matrix:
        """A function of every entry, with f(0) = 0."""
        return Matrix(self.field, {place: of(x) for place, x in self.entries.items()})

    def moved(self, by: int) -> Matrix:
        """The matrix, so many rows and columns further on."""
        return Matrix(self.field, {(i + by, j + by): x for (i, j), x in self.entries.items()})

    @property
    def T(self) -> Matrix:
        """The transposed matrix."""
        return Matrix(self.field, {(j, i): x for (i, j), x in self.entries.items()})

    def __mul__(self, number: Number) -> Matrix:
        return self.each(lambda x: self.field.dot([(x, number)]))

    def __add__(self, other: Matrix) -> Matrix:
        found = dict(self.entries)
        for place, x in other.entries.items():
            found[place] = self.field.dot([(found.get(place, ZERO), ONE), (x, ONE)])
        return Matrix(self.field, {place: x for place, x in found.items() if x})

    def __sub__(self, other: Matrix) -> Matrix:
        return self + other * whole(-1)

    def __matmul__(self, other: Matrix) -> Matrix:
        rows, pairs = defaultdict(list), defaultdict(list)
        for (i, j), y in other.entries.items():
            rows[i].append((j, y))
        for (i, h), x in self.entries.items():
            self.field.spend(1)
            for j, y in rows[h]:
                pairs[i, j].append((x, y))
        return Matrix(self.field, {place: self.field.dot(items) for place, items in pairs.items()})

    def vanishes(self, where: str) -> None:
        """Every entry is 0."""
        for (i, j), x in self.entries.items():
            require(self.field.is_zero(x), f"{where}, row {i}, column {j}")


def diagonal(field: Field, values: Iterable[Number]) -> Matrix:
    """A diagonal matrix."""
    return Matrix(field, {(i, i): x for i, x in enumerate(values) if x})


def unit(field: Field, at: Iterable[int]) -> Matrix:
    """1 at some places of the diagonal."""
    return Matrix(field, {(i, i): ONE for i in at})


def column(field: Field, values: Iterable[Number]) -> Matrix:
    """A vector."""
    return Matrix(field, {(i, 0): x for i, x in enumerate(values) if x})


def polynomial(coefficients: Sequence[Number], x: Matrix, start: Matrix) -> Matrix:
    """(c_0 + c_1 X + … + c_{n−1} X^{n−1} + X^n)·start, by Horner's rule."""
    result = start
    for c in reversed(coefficients):
        result = x @ result + start * c
    return result
