"""Hypothesis strategies over the whole real Jordan taxonomy, hidden by exact similarity."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat
from hypothesis import strategies as st

from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import from_fmpq, to_fmpq
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.generators.block import Block

small = st.integers(-3, 3)
rationals = st.builds(fmpq, st.integers(-6, 6), st.integers(1, 4))


@st.composite
def scalars(draw: st.DrawFn) -> Scalar:
    """Rationals, square roots, fractional powers, logarithms and π, in sums of up to three."""
    total = ZERO
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["rational", "root", "log", "pi"]))
        c = Scalar.rational(draw(rationals))
        if kind == "root":
            c = c * square_root(Scalar.rational(draw(st.integers(1, 12))))
        elif kind == "log":
            c = c * Scalar.symbol(f"log({draw(st.sampled_from([2, 3, 5]))})")
        elif kind == "pi":
            c = c * Scalar.symbol("pi")
        total = total + c
    return total


@st.composite
def blocks(draw: st.DrawFn, max_chain: int = 3) -> Block:
    """Zero, decay, growth, rotation, damped and growing rotation; chains of each."""
    rate = Scalar.rational(draw(rationals))
    chain = draw(st.integers(1, max_chain))
    if draw(st.booleans()):
        return Block(rate, ZERO, chain)
    frequency = Scalar.rational(draw(st.builds(fmpq, st.integers(1, 6), st.integers(1, 4))))
    if draw(st.booleans()):
        frequency = square_root(Scalar.rational(draw(st.integers(1, 7))))
    return Block(rate, frequency, chain)


@dataclass(frozen=True)
class Planted:
    """A rational matrix with known real Jordan blocks (rational representatives)."""

    matrix: fmpq_mat
    sizes: dict[tuple[str, str], list[int]]


@st.composite
def planted(draw: st.DrawFn, max_dimension: int = 8) -> Planted:
    """Blocks with rational companion form, repeated eigenvalues likely, hidden by similarity."""
    pieces: list[list[list[fmpq]]] = []
    sizes: dict[tuple[str, str], list[int]] = {}
    total = 0
    pool = draw(st.lists(rationals, min_size=1, max_size=2))
    squares = draw(st.lists(st.sampled_from([1, 2, 3, 4, -2, -3]), min_size=1, max_size=2))
    while True:
        chain = draw(st.integers(1, 3))
        pair = draw(st.booleans())
        width = chain * (2 if pair else 1)
        if total + width > max_dimension:
            break
        total += width
        a = draw(st.sampled_from(pool))
        if pair:
            d = draw(st.sampled_from(squares))
            cell = [[a, fmpq(-d)], [fmpq(1), a]]  # (x − a)² + d
            key = (str(a), str(-d))
        else:
            cell = [[a]]
            key = (str(a), "0")
        sizes.setdefault(key, []).append(chain)
        pieces.append(_chain(cell, chain))
        if draw(st.integers(0, 3)) == 0:
            break
    if not pieces:
        pieces, sizes, total = [[[fmpq(0)]]], {("0", "0"): [1]}, 1
    matrix = block_sum(pieces)
    hidden = draw(unimodular(total))
    return Planted(hidden * matrix * hidden.inv(), sizes)


def _chain(cell: list[list[fmpq]], length: int) -> list[list[fmpq]]:
    width = len(cell)
    rows = [[fmpq(0)] * (width * length) for _ in range(width * length)]
    for k in range(length):
        for i in range(width):
            for j in range(width):
                rows[k * width + i][k * width + j] = cell[i][j]
            if k + 1 < length:
                rows[k * width + i][(k + 1) * width + i] = fmpq(1)
    return rows


def block_sum(cells: list[list[list[fmpq]]]) -> fmpq_mat:
    """⊕ of square cells."""
    n = sum(len(cell) for cell in cells)
    result = fmpq_mat(n, n)
    start = 0
    for cell in cells:
        for i, row in enumerate(cell):
            for j, x in enumerate(row):
                result[start + i, start + j] = x
        start += len(cell)
    return result


@st.composite
def unimodular(draw: st.DrawFn, n: int) -> fmpq_mat:
    """A product of elementary integer operations."""
    result = to_fmpq(from_fmpq(fmpq_mat(n, n)))
    for i in range(n):
        result[i, i] = 1
    if n == 1:
        return result
    for _ in range(draw(st.integers(0, 2 * n))):
        i, j = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True))
        c = draw(st.sampled_from([-1, 1, 2]))
        for k in range(n):
            result[i, k] += c * result[j, k]
    return result
