"""Structure of a parametric matrix: eigenvalues of any degree, chains, signs of real parts.

Over K = Q(parameters) the characteristic polynomial is factored; on each cell of the parameters

    discriminants, resultants   say which roots coincide: χ = Π g^m with g squarefree and coprime,
    Hermite and Hurwitz forms   how many roots of g are real, left, neutral and right,
    ranks of nilpotent parts    what the lengths of the chains are.

Whatever is not known on the cell is split, and the work starts again on each part, so cells are
exclusive and exhaustive, and every answer holds at every point of its cell. A generator that is
self-adjoint or skew for a diagonal inner product is semisimple, with real or imaginary spectrum;
this strikes out cells that its entries alone would not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.rational_function import ONE, ZERO, RationalFunction
from symbolic_pe.algebra.scalar import ZERO as SCALAR_ZERO
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.algebra.splitting import first_split, split, split_vanishing, split_weakly
from symbolic_pe.budget import Budget
from symbolic_pe.errors import NotYetCovered, OutsideTheRing
from symbolic_pe.jordan.adjunction import Adjunction
from symbolic_pe.jordan.cell_algebra import (
    UNKNOWN,
    EmptyCell,
    KMatrix,
    SplitNeeded,
    VanishingNeeded,
    all_vanish,
    characteristic_polynomial,
    evaluate,
    factors,
    gcd,
    is_zero,
    minors,
    monic,
    polynomial_text,
    product,
    rank,
    resultant,
    sign,
    squarefree,
)
from symbolic_pe.jordan.form import ParametricEigenvalue, StructureBlock
from symbolic_pe.jordan.root_counts import RootCounts, RootTests, Signs, next_question
from symbolic_pe.jordan.two_by_two import real_signs

MAX_DIMENSION = 12
MAX_DEGREE = 8
MAX_ALGEBRAIC_DIMENSION = 32
"""Without parameters every sign is decided at once, so no cases multiply the work."""
MAX_DEGREE_TO_SPLIT = 2
MAX_MINORS = 2000
MAX_TERMS_OF_A_FACTOR = 60


@dataclass(frozen=True)
class StructureCell:
    """One cell with the real Jordan structure on it, or the reason why there is none."""

    cell: Assumptions
    blocks: tuple[StructureBlock, ...]
    undecided: str = ""


def structure_cells(
    cell: Assumptions, matrix: ScalarMatrix, budget: Budget, kind: str = ""
) -> Iterator[StructureCell]:
    """Cells with the real Jordan structure on each; what the budget does not reach is undecided.

    So are components above `MAX_DIMENSION`.
    """
    here = apply(lambda x: x.substitute(cell.solved, cell), matrix)
    adjoined = Adjunction.of(here)
    if adjoined.values and not any(x.parameters() for x in adjoined.values.values()):
        cell = cell.with_constants(adjoined.values)
        here = apply(lambda x: Scalar({(): adjoined.base(x)}), here)
        matrix = here
    reason = ""
    numbers = all(x.parameters() <= set(cell.constants) for row in here for x in row)
    largest = MAX_ALGEBRAIC_DIMENSION if numbers else MAX_DIMENSION
    if len(here) > largest:
        reason = (
            f"a component of dimension {len(here)} with entries that are not all rational; at most "
            f"{largest} is covered"
        )
    elif not all(x.is_base() for row in here for x in row):
        reason = f"roots of parameters in a component of dimension {len(here)}, on this case"
    elif budget.is_spent():
        reason = str(budget)
    if reason:
        yield StructureCell(cell, (), reason)
        return
    base = [[x.base_value() for x in row] for row in here]
    kind = kind or spectrum_kind(cell, base)
    try:
        blocks = _structure(cell, base, kind)
    except EmptyCell:
        return
    except NotYetCovered as error:
        yield StructureCell(cell, (), str(error))
        return
    except SplitNeeded as needed:
        if needed.merged:
            parts = split_weakly(cell, needed.factor, needed.merged)
        else:
            parts = split(cell, first_split(cell, needed.factor))
    except VanishingNeeded as needed:
        parts = split_vanishing(cell, needed.elements)
    else:
        yield StructureCell(cell, blocks)
        return
    for part in parts:
        yield from structure_cells(part, matrix, budget, kind)


@dataclass(frozen=True)
class _Piece:
    """A squarefree g whose roots all have one algebraic multiplicity.

    `group` numbers the irreducible factor of χ that it comes from, −1 for a root of several.
    `power` is its exponent in that factor, which is `irreducible` when it is the factor itself.
    `sizes` are the chain lengths at each root, once they are known.
    """

    polynomial: Polynomial
    multiplicity: int
    group: int
    power: int
    irreducible: bool
    sizes: tuple[int, ...] = ()


def _structure(cell: Assumptions, matrix: KMatrix, kind: str) -> tuple[StructureBlock, ...]:
    wholes, coprime = _coprime_pieces(cell, characteristic_polynomial(matrix))
    pieces = _with_sizes(cell, matrix, coprime, kind)
    blocks: list[StructureBlock] = []
    for piece, roots in _located(cell, wholes, pieces, kind):
        blocks.extend(
            StructureBlock(value, imaginary, size, piece.sizes.count(size), real_part)
            for value, imaginary, real_part in roots
            for size in sorted(set(piece.sizes), reverse=True)
        )
    total = sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in blocks)
    if total != len(matrix):
        raise NotYetCovered(
            f"blocks of total size {total} were found for {len(matrix)} channels; please report "
            "the input"
        )
    return tuple(blocks)


def spectrum_kind(cell: Assumptions, matrix: KMatrix) -> str:
    """ "symmetric" or "skew" when X is so for an inner product diag(w), w > 0; "" otherwise.

    w_i·x_ij = ±w_j·x_ji, with w found along edges of known sign and checked on every edge.
    """
    for kind, orientation in (("symmetric", 1), ("skew", -1)):
        if orientation < 0 and any(not matrix[i][i].is_zero() for i in range(len(matrix))):
            continue
        weights = _inner_product(cell, matrix, orientation)
        if weights is None:
            continue
        signed = RationalFunction(orientation)
        if all(
            (weights[i] * matrix[i][j] - signed * weights[j] * matrix[j][i]).is_zero()
            for i in range(len(matrix))
            for j in range(i)
        ):
            return kind
    return ""


def _inner_product(
    cell: Assumptions, matrix: KMatrix, orientation: int
) -> list[RationalFunction] | None:
    n = len(matrix)
    weights: list[RationalFunction | None] = [None] * n
    for start in range(n):
        if weights[start] is not None:
            continue
        weights[start] = ONE
        queue = [start]
        while queue:
            i = queue.pop()
            for j in range(n):
                weight = weights[i]
                if i == j or weights[j] is not None or matrix[i][j].is_zero():
                    continue
                if matrix[j][i].is_zero() or weight is None:
                    return None
                ratio = matrix[i][j] / matrix[j][i]
                if cell.sign_of(ratio) != orientation:
                    return None
                weights[j] = weight * (ratio if orientation > 0 else -ratio)
                queue.append(j)
    return [w for w in weights if w is not None]


# -- which roots coincide ---------------------------------------------------------------------


def _coprime_pieces(
    cell: Assumptions, coefficients: list[RationalFunction]
) -> tuple[list[Polynomial], list[_Piece]]:
    """The factors of χ, and χ = Π g^m on the cell, g squarefree and coprime, the root 0 alone."""
    wholes: list[Polynomial] = []
    pieces: list[_Piece] = []
    for factor, multiplicity in factors(coefficients):
        _check_size(factor, multiplicity)
        p = monic(factor)
        zeros = 0
        while p.degree() > 1 and sign(cell, p[0]) == 0:
            p, zeros = p // Polynomial([0, 1]), zeros + 1
        for _ in range(zeros):
            pieces.append(_Piece(Polynomial([0, 1]), multiplicity, -1, 1, True))
        for g, power in squarefree(cell, p):
            whole = zeros == 0 and g.degree() == p.degree()
            pieces.append(_Piece(g, multiplicity * power, len(wholes), power, whole))
        wholes.append(p)
    return wholes, _merged(cell, pieces)


def _check_size(factor: RationalFunction, multiplicity: int) -> None:
    """Refuse what would explode: a discriminant has about as many terms as factor^(2d − 2).

    An irreducible factor has distinct roots at generic values of the parameters.
    """
    degree = factor.degree_in(UNKNOWN)
    if degree >= 3 and factor.size() > MAX_TERMS_OF_A_FACTOR:
        times = "simple" if multiplicity == 1 else f"of multiplicity {multiplicity} each"
        raise NotYetCovered(
            f"the cases of an irreducible factor of degree {degree} with {factor.size()} terms, "
            f"above the budget of {MAX_TERMS_OF_A_FACTOR}; generically its {degree} roots are "
            f"distinct, {times}"
        )


def _merged(cell: Assumptions, pieces: list[_Piece]) -> list[_Piece]:
    """Split off common roots of two pieces until all are coprime."""
    for first, second in combinations(pieces, 2):
        if first.group == second.group >= 0:
            continue  # coprime by construction
        if not is_zero(cell, resultant(first.polynomial, second.polynomial)):
            continue
        common = gcd(cell, first.polynomial, second.polynomial)
        rest = [p for p in pieces if p is not first and p is not second]
        multiplicity = first.multiplicity + second.multiplicity
        rest.append(_Piece(common, multiplicity, -1, 1, common.degree() == 1))
        for piece in (first, second):
            left = piece.polynomial // common
            if left.degree() > 0:
                rest.append(_Piece(left, piece.multiplicity, -1, 1, left.degree() == 1))
        return _merged(cell, rest)
    return pieces


# -- where the roots are ----------------------------------------------------------------------

Root = tuple[Scalar | ParametricEigenvalue, Scalar, int]


def _located(
    cell: Assumptions, wholes: list[Polynomial], pieces: list[_Piece], kind: str
) -> Iterator[tuple[_Piece, list[Root]]]:
    """Each piece with its roots; pieces of one factor are located together."""
    groups: dict[int, list[_Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.group, []).append(piece)
    for group, members in groups.items():
        if group < 0 or len(members) == 1:
            yield from ((piece, _roots(cell, piece.polynomial, kind)) for piece in members)
        else:
            yield from _located_together(cell, wholes[group], members, kind)


def _located_together(
    cell: Assumptions, whole: Polynomial, pieces: list[_Piece], kind: str
) -> Iterator[tuple[_Piece, list[Root]]]:
    """Pieces of p = Π g^k: what is known of p strikes out combinations."""
    tests = RootTests(whole.coeffs(), kind)
    parts = [(RootTests(piece.polynomial.coeffs(), kind), piece.power) for piece in pieces]

    def outcomes(known: Signs) -> list[tuple[RootCounts, ...]]:
        return [
            combination
            for combination in itertools.product(*(part.outcomes(known) for part, _ in parts))
            if tests.allows(
                [(c, power) for c, (_, power) in zip(combination, parts, strict=True)], known
            )
        ]

    known = cache(cell.possible_signs)
    found = outcomes(known)
    if not found:
        raise EmptyCell
    if len(found) > 1:
        every = itertools.chain(tests.tests(), *(part.tests() for part, _ in parts))
        question = next_question(every, known, outcomes)
        if question is None:  # a piece with roots on the imaginary axis
            yield from ((piece, _roots(cell, piece.polynomial, kind)) for piece in pieces)
            return
        raise SplitNeeded(question.factor, question.merged)
    for piece, counts in zip(pieces, found[0], strict=True):
        if piece.polynomial.degree() == 1:
            root = cell.value(-piece.polynomial[0])
            yield piece, [(root, SCALAR_ZERO, counts.positive - counts.negative)]
        else:
            yield piece, _implicit(cell, piece.polynomial, counts)


def _is_numeric(cell: Assumptions, p: Polynomial) -> bool:
    """Whether no parameter occurs: then every sign is decided at once."""
    return all(set(c.used_names()) <= set(cell.constants) for c in p.coeffs())


def _implicit(cell: Assumptions, p: Polynomial, counts: RootCounts) -> list[Root]:
    text = polynomial_text(p, cell.constants)
    return [
        (ParametricEigenvalue(text, index, real_part, is_pair), SCALAR_ZERO, real_part)
        for index, (is_pair, real_part) in enumerate(counts.signs())
    ]


def _roots(cell: Assumptions, p: Polynomial, kind: str) -> list[Root]:
    """(eigenvalue, imaginary part, sign of the real part), one of each conjugate pair."""
    if p.degree() == 1:
        root = -p[0]
        if kind == "skew" and not root.is_zero() and sign(cell, root) != 0:
            raise EmptyCell
        return [(cell.value(root), SCALAR_ZERO, sign(cell, root))]
    if p.degree() == 2:
        return _quadratic_roots(cell, p, kind)
    if p.degree() > MAX_DEGREE and not _is_numeric(cell, p):
        raise NotYetCovered(
            f"an irreducible factor of degree {p.degree()} whose coefficients have parameters; at "
            f"most {MAX_DEGREE} is covered"
        )
    return _implicit(cell, p, _counts(cell, p, kind))


def _quadratic_roots(cell: Assumptions, p: Polynomial, kind: str) -> list[Root]:
    centre = -p[1] / RationalFunction(2)
    discriminant = centre * centre - p[0]
    known = sign(cell, discriminant)
    if known == 0:
        raise EmptyCell  # p is squarefree on the cell
    if (kind == "symmetric" and known < 0) or (kind == "skew" and known > 0):
        raise EmptyCell
    for part, _ in discriminant.factors()[1]:
        sign(cell, part)  # square roots are taken factor by factor
    centre_sign = sign(cell, centre)
    try:
        root = square_root(cell.value(discriminant if known > 0 else -discriminant), cell)
    except OutsideTheRing:  # a root of a sum of roots
        return _implicit(cell, p, _small_counts(cell, p, kind))
    middle = cell.value(centre)
    if known < 0:
        return [(middle, root, centre_sign)]
    signs = real_signs(sign(cell, p[0]), centre_sign)
    return [(middle + root, SCALAR_ZERO, signs[0]), (middle - root, SCALAR_ZERO, signs[1])]


def _counts(cell: Assumptions, p: Polynomial, kind: str) -> RootCounts:
    """Counts of a squarefree p with p(0) ≠ 0."""
    even, odd = Polynomial(p.coeffs()[0::2]), Polynomial(p.coeffs()[1::2])
    if all(is_zero(cell, c) for c in odd.coeffs()):
        return _even_counts(cell, even, kind)
    tests = RootTests(p.coeffs(), kind)
    known = cache(cell.possible_signs)
    outcomes = tests.outcomes(known)
    if not outcomes:
        raise EmptyCell
    if len(outcomes) == 1:
        return outcomes[0]
    if any(sequence[-1].vanishes(known) for sequence in tests.stability_minors if sequence):
        shared = gcd(cell, even, odd)
        if shared.degree() == 0:
            raise EmptyCell  # roots ±x are shared, yet there are none
        doubled = Polynomial(
            [c for x in shared.coeffs() for c in (x, ZERO)][: 2 * shared.degree() + 1]
        )
        left = p // doubled
        return _even_counts(cell, shared, kind) + _small_counts(cell, left, kind)
    question = next_question(tests.tests(), known, tests.outcomes)
    if question is None:
        raise NotYetCovered(f"the roots of {polynomial_text(p)}: every sign is known")
    raise SplitNeeded(question.factor, question.merged)


def _small_counts(cell: Assumptions, p: Polynomial, kind: str) -> RootCounts:
    """Counts of any squarefree p with p(0) ≠ 0, degrees 0 and up."""
    if p.degree() == 0:
        return RootCounts(0, 0, 0, 0, 0)
    if p.degree() == 1:
        known = sign(cell, p[0])
        return RootCounts(int(known > 0), int(known < 0), 0, 0, 0)
    return _counts(cell, p, kind)


def _even_counts(cell: Assumptions, q: Polynomial, kind: str) -> RootCounts:
    """Counts of p(x) = q(x²): y < 0 gives ±i√−y, y > 0 gives ±√y, a pair gives two pairs."""
    tests = RootTests(q.coeffs(), "symmetric" if kind else "")

    def kinds(known: Signs) -> set[tuple[int, int, int]]:
        return {
            (o.negative, o.positive, o.pairs)
            for o in tests.outcomes(known)
            if not (kind == "skew" and o.positive) and not (kind == "symmetric" and o.negative)
        }

    known = cache(cell.possible_signs)
    found = kinds(known)
    if not found:
        raise EmptyCell
    if len(found) > 1:
        question = next_question(tests.tests(stability=False), known, kinds)
        if question is None:
            raise NotYetCovered(f"the roots of {polynomial_text(q)}: every sign is known")
        raise SplitNeeded(question.factor, question.merged)
    ((negative, positive, pairs),) = found
    return RootCounts(positive, positive, pairs, negative, pairs)


# -- chains -----------------------------------------------------------------------------------


def _with_sizes(
    cell: Assumptions, matrix: KMatrix, pieces: list[_Piece], kind: str
) -> list[_Piece]:
    """The pieces with the chain lengths at their roots; one whose roots differ becomes several."""
    if kind:
        return [replace(piece, sizes=(1,) * piece.multiplicity) for piece in pieces]
    return [
        sized for piece in pieces for sized in _sized(cell, matrix, piece, _cofactor(piece, pieces))
    ]


def _cofactor(piece: _Piece, pieces: list[_Piece]) -> Polynomial:
    """Π others: invertible on the component of the piece, 0 on all others."""
    result = Polynomial([1])
    for other in pieces:
        if other is not piece:
            result = result * other.polynomial**other.multiplicity
    return result


def _sized(cell: Assumptions, matrix: KMatrix, piece: _Piece, cofactor: Polynomial) -> list[_Piece]:
    """Chain lengths at each root of a piece g.

    M = (g·Π others)(X) acts as g(X) on the component of g, up to an invertible factor, and as 0 on
    the others; its rank over all roots of g together says how many chains there are.
    """
    multiplicity, degree = piece.multiplicity, piece.polynomial.degree()
    if multiplicity == 1:
        return [replace(piece, sizes=(1,))]
    image = evaluate((cofactor * piece.polynomial).coeffs(), matrix)
    if multiplicity == 2 and _count_minors(len(matrix), degree) <= MAX_MINORS:
        if not all_vanish(cell, minors(image, degree)):
            return [replace(piece, sizes=(2,))]
        if degree == 1 or all_vanish(cell, minors(image, 1)):
            return [replace(piece, sizes=(1, 1))]
    elif multiplicity == 3 and degree == 1:
        if not all_vanish(cell, minors(product(image, image), 1)):
            return [replace(piece, sizes=(3,))]
        alone = all_vanish(cell, minors(image, 1))
        return [replace(piece, sizes=(1, 1, 1) if alone else (2, 1))]
    elif degree == 1 or (piece.irreducible and not cell.equations() and not cell.constants):
        return [replace(piece, sizes=_sizes_by_ranks(cell, matrix, piece))]
    return _split_by_index(cell, matrix, piece, cofactor)


def _split_by_index(
    cell: Assumptions, matrix: KMatrix, piece: _Piece, cofactor: Polynomial
) -> list[_Piece]:
    """Parts of g whose roots have one longest chain, the least k with N_λ^k = 0.

    With Q_λ = g/(x − λ), N_λ^k = 0 exactly when (Π others·g^k)(X)·Q_λ(X)^{m−k} = 0: the common
    roots of g and of the entries of that matrix, as polynomials in λ.
    """
    left, multiplicity = piece.polynomial, piece.multiplicity
    if (left.degree() > MAX_DEGREE_TO_SPLIT or cell.equations()) and not _is_numeric(cell, left):
        raise NotYetCovered(
            f"whether the roots of {polynomial_text(left, cell.constants)} have the same chains; "
            f"with parameters it is told at degree {MAX_DEGREE_TO_SPLIT} and without equations "
            "between them"
        )
    parts: list[_Piece] = []
    for index in range(1, multiplicity):
        if left.degree() == 0:
            break
        common = left
        for entry in _entries_at_root(matrix, piece, cofactor, index):
            common = gcd(cell, common, entry)
            if common.degree() == 0:
                break
        if common.degree() > 0:
            parts.append(_part(cell, piece, common, index))
            left = left // common
    if left.degree() > 0:
        parts.append(_part(cell, piece, left, multiplicity))
    return parts


def _part(cell: Assumptions, piece: _Piece, g: Polynomial, index: int) -> _Piece:
    """Roots with longest chain `index`, where that says what the others are."""
    rest = piece.multiplicity - index
    if rest > 1 and index > 1:
        raise NotYetCovered(
            f"the chains of the roots of {polynomial_text(g, cell.constants)}, of multiplicity "
            f"{piece.multiplicity} and longest chain {index}, under "
            + (" and ".join(cell.conditions()) or "no condition")
        )
    sizes = (index, *(1,) * rest)
    return replace(piece, polynomial=g, group=-1, irreducible=g.degree() == 1, sizes=sizes)


def _entries_at_root(
    matrix: KMatrix, piece: _Piece, cofactor: Polynomial, index: int
) -> Iterator[Polynomial]:
    """Entries of (Π others·g^index)(X)·Q_λ(X)^{m−index} as polynomials in λ modulo g."""
    g, n = piece.polynomial, len(matrix)
    powers = [evaluate([ONE], matrix)]
    for _ in range(g.degree() - 1):
        powers.append(product(powers[-1], matrix))
    # Q_λ(x) = Σ_j λ^j·Σ_{i>j} g_i x^{i−j−1}
    quotient = [
        [
            [
                sum((g[i] * powers[i - j - 1][r][c] for i in range(j + 1, g.degree() + 1)), ZERO)
                for j in range(g.degree())
            ]
            for c in range(n)
        ]
        for r in range(n)
    ]
    start = evaluate((cofactor * g**index).coeffs(), matrix)
    current = [[Polynomial([x]) for x in row] for row in start]
    factor = [[Polynomial(x) for x in row] for row in quotient]
    for _ in range(piece.multiplicity - index):
        current = [
            [
                sum((current[r][k] * factor[k][c] for k in range(n)), Polynomial([])) % g
                for c in range(n)
            ]
            for r in range(n)
        ]
    yield from (x for row in current for x in row if x.degree() >= 0)


def _count_minors(n: int, size: int) -> int:
    count = 1
    for k in range(size):
        count = count * (n - k) // (k + 1)
    return count * count


def _sizes_by_ranks(cell: Assumptions, matrix: KMatrix, piece: _Piece) -> tuple[int, ...]:
    """(rank g^{k−1} − rank g^k)/deg g chains of length ≥ k, all ranks constant on the cell.

    The roots of an irreducible g are conjugate, so they share their chains; a linear g has one.
    """
    degree, n = piece.polynomial.degree(), len(matrix)
    image = evaluate(piece.polynomial.coeffs(), matrix)
    ranks, power = [n], image
    while ranks[-1] > n - degree * piece.multiplicity:
        ranks.append(rank(cell, power))
        power = product(power, image)
    at_least = [(ranks[k] - ranks[k + 1]) // degree for k in range(len(ranks) - 1)] + [0]
    return tuple(
        k + 1 for k in range(len(at_least) - 1) for _ in range(at_least[k] - at_least[k + 1])
    )
