"""Structure of a parametric matrix of any size whose eigenvalues are at most quadratic.

Over K = Q(parameters) the characteristic polynomial is factored; on each cell of the parameters

    resultants of two factors      say whether eigenvalues of different factors coincide,
    discriminants of quadratics    whether their two roots are real, equal or a pair,
    pivots of f(X)^k               what the ranks are, hence the sizes of the chains.

Whatever sign is not known on the cell is split, and the work starts again on each part, so cells
are exclusive and exhaustive, and every rank is the rank at every point of its cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.rational_function import ONE, ZERO, RationalFunction
from symbolic_pe.algebra.scalar import HALF, Scalar
from symbolic_pe.algebra.scalar import ZERO as SCALAR_ZERO
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.form import StructureBlock
from symbolic_pe.jordan.two_by_two import real_signs

UNKNOWN = "_x"  # no parameter starts with an underscore
MAX_DIMENSION = 12
KMatrix = list[list[RationalFunction]]


@dataclass(frozen=True)
class _Split(Exception):
    """A polynomial whose sign (or vanishing) has to be known first."""

    factor: RationalFunction


def structure_cells(
    cell: Assumptions, matrix: ScalarMatrix
) -> Iterator[tuple[Assumptions, tuple[StructureBlock, ...]]]:
    """Cells with the real Jordan structure on each.

    Raises `NotYetCovered` when an irreducible factor has degree 3 or more, or entries have roots.
    """
    here = apply(lambda x: x.substitute(cell.solved), matrix)
    if len(here) > MAX_DIMENSION:
        raise NotYetCovered(
            f"a parametric component of dimension {len(here)}; at most {MAX_DIMENSION} is covered"
        )
    if not all(x.is_base() for row in here for x in row):
        raise NotYetCovered(
            f"a component of dimension {len(here)} whose entries contain roots; this version "
            "classifies roots in components of dimension 1 and 2, and as blocks"
        )
    base = [[x.base_value() for x in row] for row in here]
    try:
        blocks = _structure(cell, base)
    except _Split as split:
        for part in cell.split(cell.first_split(split.factor)):
            yield from structure_cells(part, matrix)
        return
    yield cell, blocks


def _structure(cell: Assumptions, matrix: KMatrix) -> tuple[StructureBlock, ...]:
    found = factors(characteristic_polynomial(matrix))
    for (f, _), (g, _) in combinations(found, 2):
        _require_nonzero(cell, f.resultant(g, UNKNOWN))
    blocks: list[StructureBlock] = []
    for factor, multiplicity in found:
        if factor.degree_in(UNKNOWN) > 2:
            raise NotYetCovered(
                f"the eigenvalues of {str(factor).replace(UNKNOWN, 'x')}, an irreducible factor "
                f"of degree {factor.degree_in(UNKNOWN)} whose coefficients are not rational"
            )
        blocks.extend(_blocks(cell, matrix, factor, multiplicity))
    return tuple(blocks)


def _blocks(
    cell: Assumptions, matrix: KMatrix, factor: RationalFunction, multiplicity: int
) -> list[StructureBlock]:
    roots = _roots(cell, factor)
    # Equal roots of a quadratic appear once the discriminant is solved for and X substituted.
    sizes = _sizes(cell, matrix, factor, multiplicity)
    return [
        StructureBlock(real, imaginary, size, sizes.count(size), sign)
        for real, imaginary, sign in roots
        for size in sorted(set(sizes), reverse=True)
    ]


def _roots(cell: Assumptions, factor: RationalFunction) -> list[tuple[Scalar, Scalar, int]]:
    """(real part, imaginary part, sign of the real part), one of each conjugate pair."""
    c = [_over(x, factor) for x in factor.coefficients_in(UNKNOWN)]
    if len(c) == 2:
        root = -c[0]
        return [(Scalar({(): root}), SCALAR_ZERO, _sign(cell, root))]
    centre = Scalar({(): -c[1]}) * HALF
    discriminant = centre * centre - Scalar({(): c[0]})
    element = discriminant.base_value()
    for part, _ in element.factors()[1]:
        if cell.sign_of(part) is None:
            raise _Split(part)
    sign, centre_sign = _sign(cell, element), _sign(cell, centre.base_value())
    if sign < 0:
        return [(centre, square_root(-discriminant, cell), centre_sign)]
    if sign == 0:
        raise NotYetCovered(f"{factor} has a double root that could not be solved for")
    half_gap = square_root(discriminant, cell)
    signs = real_signs(_sign(cell, c[0]), centre_sign)
    return [
        (centre + half_gap, SCALAR_ZERO, signs[0]),
        (centre - half_gap, SCALAR_ZERO, signs[1]),
    ]


def _over(x: RationalFunction, factor: RationalFunction) -> RationalFunction:
    """A coefficient of the monic form of the factor."""
    return x / factor.coefficients_in(UNKNOWN)[-1]


def _sizes(
    cell: Assumptions, matrix: KMatrix, factor: RationalFunction, multiplicity: int
) -> list[int]:
    """Chain lengths from ranks of f(X)^k: (rank f^{k−1} − rank f^k)/deg f blocks of size ≥ k."""
    if multiplicity == 1:
        return [1]
    degree, n = factor.degree_in(UNKNOWN), len(matrix)
    image = evaluate([_over(c, factor) for c in factor.coefficients_in(UNKNOWN)], matrix)
    ranks, power = [n], image
    while ranks[-1] > n - degree * multiplicity:
        ranks.append(rank(cell, power))
        power = _product(power, image)
    at_least = [(ranks[k] - ranks[k + 1]) // degree for k in range(len(ranks) - 1)] + [0]
    return [k + 1 for k in range(len(at_least) - 1) for _ in range(at_least[k] - at_least[k + 1])]


# -- matrices over K --------------------------------------------------------------------------


def characteristic_polynomial(matrix: KMatrix) -> list[RationalFunction]:
    """det(λI − X) from degree 0 up, by Faddeev and LeVerrier."""
    n = len(matrix)
    coefficients = [ONE]
    current = [[ZERO] * n for _ in range(n)]
    for k in range(1, n + 1):
        shifted = [
            [x + coefficients[-1] if i == j else x for j, x in enumerate(row)]
            for i, row in enumerate(current)
        ]
        current = _product(matrix, shifted)
        trace = ZERO
        for i in range(n):
            trace = trace + current[i][i]
        coefficients.append(-trace / RationalFunction(k))
    return coefficients[::-1]


def factors(coefficients: Sequence[RationalFunction]) -> list[tuple[RationalFunction, int]]:
    """Irreducible factors of a polynomial in λ over Q(parameters), with multiplicities."""
    variable = RationalFunction.symbol(UNKNOWN)
    total = ZERO
    for c in reversed(coefficients):
        total = total * variable + c
    return [(f, m) for f, m in total.factors()[1] if m > 0 and f.degree_in(UNKNOWN) > 0]


def rank(cell: Assumptions, matrix: KMatrix) -> int:
    """Rank at every point of the cell, by elimination with pivots known not to vanish there."""
    rows = [list(row) for row in matrix]
    found = 0
    for column in range(len(rows[0])):
        pivot = _pivot(cell, rows, found, column)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        inverse = rows[found][column].inverse()
        for r in range(found + 1, len(rows)):
            if rows[r][column].is_zero():
                continue
            weight = rows[r][column] * inverse
            rows[r] = [x - weight * y for x, y in zip(rows[r], rows[found], strict=True)]
        found += 1
    return found


def _pivot(cell: Assumptions, rows: KMatrix, start: int, column: int) -> int | None:
    undecided: RationalFunction | None = None
    for r in range(start, len(rows)):
        entry = rows[r][column]
        if entry.is_zero():
            continue
        if cell.is_nonzero(entry):
            return r
        undecided = undecided or entry
    if undecided is not None:
        _require_nonzero(cell, undecided)
    return None


def _require_nonzero(cell: Assumptions, x: RationalFunction) -> None:
    """Ask for a split on the first factor that may vanish on the cell."""
    for factor, _ in x.factors()[1]:
        if not cell.is_nonzero(factor):
            raise _Split(factor)


def _sign(cell: Assumptions, x: RationalFunction) -> int:
    known = cell.sign_of(x)
    if known is None:
        raise _Split(next(f for f, _ in x.factors()[1] if cell.sign_of(f) is None))
    return known


def _product(a: KMatrix, b: KMatrix) -> KMatrix:
    n = len(b[0])
    result = []
    for row in a:
        out = [ZERO] * n
        for x, other in zip(row, b, strict=True):
            if x.is_zero():
                continue
            for j, y in enumerate(other):
                if not y.is_zero():
                    out[j] = out[j] + x * y
        result.append(out)
    return result


def evaluate(coefficients: Sequence[RationalFunction], matrix: KMatrix) -> KMatrix:
    """f(X) for f with coefficients from degree 0 up."""
    n = len(matrix)
    total = [[ZERO] * n for _ in range(n)]
    for c in reversed(coefficients):
        total = _product(total, matrix)
        for i in range(n):
            total[i][i] = total[i][i] + c
    return total
