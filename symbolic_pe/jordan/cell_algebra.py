"""Polynomials and matrices over K = Q(parameters), with questions answered on one cell.

An element of K is 0, nowhere 0, or neither on a cell of the parameters. Where an answer is needed
that the cell does not give, `SplitNeeded` or `VanishingNeeded` is raised: the caller splits the
cell and starts again on each part, so every rank, degree and gcd holds at every point of its cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.printing import times
from symbolic_pe.algebra.rational_function import ONE, ZERO, RationalFunction
from symbolic_pe.algebra.scalar import Scalar

UNKNOWN = "_x"  # no parameter starts with an underscore
MAX_ENTRIES = 400
KMatrix = list[list[RationalFunction]]


@dataclass(frozen=True)
class SplitNeeded(Exception):
    """A polynomial whose sign (or vanishing) has to be known first.

    `merged` is the sign with which 0 may share a part; 0 when every sign is a part of its own.
    """

    factor: RationalFunction
    merged: int = 0


@dataclass(frozen=True)
class VanishingNeeded(Exception):
    """Elements of which it has to be known first whether all of them vanish."""

    elements: tuple[RationalFunction, ...]


class EmptyCell(Exception):
    """What is known about the cell contradicts a theorem: there is no such point."""


# -- questions --------------------------------------------------------------------------------


def sign(cell: Assumptions, x: RationalFunction) -> int:
    """The sign of x on the cell."""
    known = cell.sign_of(x)
    if known is None:
        unknown = [f for f, _ in x.factors()[1] if cell.sign_of(f) is None]
        raise SplitNeeded(min(unknown, key=simplest))
    return known


def is_zero(cell: Assumptions, x: RationalFunction) -> bool:
    """Whether x is 0 on the cell (True) or nowhere 0 (False)."""
    if x.is_zero():
        return True
    if cell.is_nonzero(x):
        return False
    if cell.sign_of(x) == 0:
        return True
    unknown = [f for f, _ in x.factors()[1] if not cell.is_nonzero(f)]
    raise SplitNeeded(min(unknown, key=simplest))


def all_vanish(cell: Assumptions, elements: Sequence[RationalFunction]) -> bool:
    """Whether every element is 0 on the cell (True), or at each point some is not (False)."""
    known = cell.all_vanish(elements)
    if known is None:
        raise VanishingNeeded(tuple(cell.relevant(elements)))
    return known


def simplest(factor: RationalFunction) -> tuple[int, int, str]:
    """Sort key: few terms, few parameters, then the text."""
    return factor.size(), len(factor.used_names()), str(factor)


# -- polynomials ------------------------------------------------------------------------------


def trimmed(cell: Assumptions, p: Polynomial) -> Polynomial:
    """p without leading coefficients that are 0 on the cell."""
    coefficients = p.coeffs()
    while coefficients and is_zero(cell, coefficients[-1]):
        coefficients.pop()
    return Polynomial(coefficients)


def gcd(cell: Assumptions, a: Polynomial, b: Polynomial) -> Polynomial:
    """The monic greatest common divisor at every point of the cell, by Euclid."""
    a, b = trimmed(cell, a), trimmed(cell, b)
    while b.degree() >= 0:
        if b.degree() == 0:
            return Polynomial([1])
        a, b = b / b.leading_coefficient(), trimmed(cell, a % b)
    return a / a.leading_coefficient()


def squarefree(cell: Assumptions, p: Polynomial) -> list[tuple[Polynomial, int]]:
    """p = Π g^k with squarefree, pairwise coprime g at every point of the cell.

    A root of multiplicity k is one of multiplicity k − 1 in gcd(p, p′), and p/gcd(p, p′) has every
    root once.
    """
    if p.degree() == 1 or not is_zero(cell, discriminant(p)):
        return [(p, 1)]
    common = gcd(cell, p, p.derivative())
    if common.degree() == 0:
        raise EmptyCell  # the discriminant is 0, yet no root is repeated
    repeated = squarefree(cell, common)
    single = p // common
    for g, _ in repeated:
        single = single // g
    found = [(g, k + 1) for g, k in repeated]
    return found if single.degree() == 0 else [(single, 1), *found]


def discriminant(p: Polynomial) -> RationalFunction:
    """Discriminant of a monic polynomial."""
    return as_element(p).discriminant(UNKNOWN)


def resultant(p: Polynomial, q: Polynomial) -> RationalFunction:
    """Resultant of two monic polynomials, up to factors of denominators."""
    return as_element(p).resultant(as_element(q), UNKNOWN)


def as_element(p: Polynomial) -> RationalFunction:
    """Σ cᵢxⁱ times the common denominator, as a polynomial in x and the parameters."""
    variable, total = RationalFunction.symbol(UNKNOWN), ZERO
    for c in reversed(p.coeffs()):
        total = total * variable + c
    return total.split()[0]


def polynomial_text(p: Polynomial, radicals: Mapping[str, Scalar] | None = None) -> str:
    """A polynomial in x, highest power first; x gives way to a parameter of that name.

    Denominators are cleared, unless radicals are to be put back.
    """
    cleared = p if radicals else Polynomial(as_element(p).coefficients_in(UNKNOWN))
    taken = {name for c in cleared.coeffs() for name in c.used_names()}
    variable = "x" if "x" not in taken else "lambda" if "lambda" not in taken else UNKNOWN
    pieces = []
    for power in range(cleared.degree(), -1, -1):
        value = Scalar({(): cleared[power]}).substitute(radicals or {})
        monomial = "" if power == 0 else variable if power == 1 else f"{variable}^{power}"
        if not value.is_zero():
            pieces.append(times(value, [monomial]) if monomial else str(value))
    return " + ".join(pieces).replace("+ -", "- ")


# -- matrices ---------------------------------------------------------------------------------


def product(a: KMatrix, b: KMatrix) -> KMatrix:
    """A·B."""
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
        total = product(total, matrix)
        for i in range(n):
            total[i][i] = total[i][i] + c
    return total


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
        current = product(matrix, shifted)
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


def monic(factor: RationalFunction) -> Polynomial:
    """A factor as a monic polynomial in λ."""
    p = Polynomial(factor.coefficients_in(UNKNOWN))
    return p / p.leading_coefficient()


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
        if entry.is_zero() or cell.sign_of(entry) == 0:
            rows[r][column] = ZERO
            continue
        if cell.is_nonzero(entry):
            return r
        undecided = undecided or entry
    if undecided is not None:
        is_zero(cell, undecided)
    return None


def minors(matrix: KMatrix, size: int) -> list[RationalFunction]:
    """All minors of one size; the entries for size 1."""
    if size == 1:
        return [x for row in matrix for x in row if not x.is_zero()]
    n = len(matrix)
    chosen = list(combinations(range(n), size))
    return [
        determinant([[matrix[i][j] for j in columns] for i in rows])
        for rows in chosen
        for columns in chosen
    ]


def determinant(rows: Sequence[Sequence[RationalFunction]]) -> RationalFunction:
    """det by fraction-free elimination (Bareiss)."""
    a = [list(row) for row in rows]
    n, previous = len(a), ONE
    negative = False
    for k in range(n - 1):
        pivot = next((r for r in range(k, n) if not a[r][k].is_zero()), None)
        if pivot is None:
            return ZERO
        if pivot != k:
            a[k], a[pivot], negative = a[pivot], a[k], not negative
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[k][j]) / previous
        previous = a[k][k]
    return -a[-1][-1] if negative else a[-1][-1]
