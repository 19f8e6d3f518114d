"""Hypothesis strategies over the whole real Jordan taxonomy, hidden by exact similarity."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat, fmpq_poly
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
        pieces.append(chain_of(cell, chain))
        if draw(st.integers(0, 3)) == 0:
            break
    if not pieces:
        pieces, sizes, total = [[[fmpq(0)]]], {("0", "0"): [1]}, 1
    hidden = draw(unimodular(total))
    return Planted(hidden * block_sum(pieces) * hidden.inv(), sizes)


def chain_of(cell: list[list[fmpq]], length: int) -> list[list[fmpq]]:
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


# -- the whole taxonomy -----------------------------------------------------------------------

IRREDUCIBLE = [
    (-2, 0, 0, 1),  # one real root, one pair
    (1, -3, 0, 1),  # three real roots
    (1, 0, 0, 0, 1),  # a square of the circle: two pairs with opposite real parts
    (81, 0, 24, 0, 1),  # two purely imaginary pairs
    (1, 0, -10, 0, 1),  # √2 + √3: four real roots
    (-1, -1, 0, 0, 0, 1),  # no radicals
    (3, 1, 0, -2, 0, 0, 1),
    (1, 1, 1, 1, 1, 1, 1),  # seventh roots of unity
]
"""Coefficients from degree 0 up of irreducible polynomials of degree 3 to 6."""


@dataclass(frozen=True)
class Taxon:
    """A rational matrix with the sizes of its Jordan blocks for each irreducible factor.

    Factors are coefficients from degree 0 up; sizes are of each root, largest first.
    """

    matrix: fmpq_mat
    sizes: dict[tuple[fmpq, ...], tuple[int, ...]]

    @property
    def has_radicals(self) -> bool:
        """Every eigenvalue has degree at most 2."""
        return all(len(factor) <= 3 for factor in self.sizes)


@st.composite
def irreducibles(draw: st.DrawFn, max_degree: int = 6) -> fmpq_poly:
    """A monic irreducible polynomial: zero, rational, quadratic of both signs, degree up to 6."""
    kind = draw(st.sampled_from(["zero", "rational", "quadratic", "listed", "drawn"]))
    if kind == "zero" or max_degree < 2:
        return fmpq_poly([0, 1])
    if kind == "rational":
        return fmpq_poly([-draw(rationals), 1])
    if kind == "quadratic":
        centre, d = draw(st.sampled_from([0, 1, -2])), draw(st.sampled_from([1, 2, 4, -2, -3]))
        return fmpq_poly([centre * centre + d, -2 * centre, 1])
    listed = [c for c in IRREDUCIBLE if len(c) <= max_degree + 1]
    if kind == "listed" and listed:
        return fmpq_poly(list(draw(st.sampled_from(listed))))
    drawn = draw(st.lists(st.integers(-4, 4), min_size=1, max_size=max_degree))
    _, factors = fmpq_poly([*drawn, 1]).factor()
    largest = max(factors, key=lambda item: (item[0].degree(), str(item[0])))[0]
    return largest / largest.leading_coefficient()


@st.composite
def taxa(draw: st.DrawFn, max_dimension: int = 12, max_degree: int = 6) -> Taxon:
    """Chains of companion blocks over few factors, so that eigenvalues repeat; then hidden."""
    pool = draw(st.lists(irreducibles(max_degree), min_size=1, max_size=3))
    pieces: list[list[list[fmpq]]] = []
    sizes: dict[tuple[fmpq, ...], list[int]] = {}
    total = 0
    for _ in range(draw(st.integers(1, 6))):
        factor = draw(st.sampled_from(pool))
        chain = draw(st.integers(1, 4))
        if total + chain * factor.degree() > max_dimension:
            continue
        total += chain * factor.degree()
        sizes.setdefault(tuple(factor.coeffs()), []).append(chain)
        pieces.append(chain_of(companion(factor), chain))
    if not pieces:
        pieces, sizes, total = [[[fmpq(0)]]], {(fmpq(0), fmpq(1)): [1]}, 1
    hidden = draw(unimodular(total))
    ordered = {factor: tuple(sorted(found, reverse=True)) for factor, found in sizes.items()}
    return Taxon(hidden * block_sum(pieces) * hidden.inv(), ordered)


def companion(factor: fmpq_poly) -> list[list[fmpq]]:
    """Multiplication by x modulo a monic polynomial."""
    n = factor.degree()
    rows = [[fmpq(int(i == j + 1)) for j in range(n)] for i in range(n)]
    for i in range(n):
        rows[i][n - 1] -= factor[i]
    return rows
