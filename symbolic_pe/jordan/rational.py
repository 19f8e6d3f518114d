"""Real Jordan form of a rational matrix: factors, ranks, chains; no root is ever approximated.

For each irreducible factor p of the characteristic polynomial, the number of blocks of size ≥ k
is (rank p(X)^{k−1} − rank p(X)^k) / deg p. On the primary component ker p(X)^m the semisimple
part S = σ(X) comes from Newton's iteration for p(σ) ≡ 0 modulo p^m (Jordan–Chevalley), N = X − S,
and chains start at vectors whose socles N^{k−1}w are independent over the field that S generates.
For deg p = 2 with p = (x − a)² − D the real basis needs one square root: (S − a)w/√−D turns the
S-plane of w into [[a, −b], [b, a]], and for D > 0 the eigenvectors are (S − a)w ± √D·w.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd, isqrt
from typing import Any

from flint import ctx, fmpq, fmpq_mat, fmpq_poly, fmpz_mat, fmpz_poly, nmod_mat, nmod_poly

from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    block_diagonal,
    from_fmpq,
    identity,
    multiply,
    scalar_matrix,
    to_fmpq,
)
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar, precision
from symbolic_pe.errors import NotYetCovered, OutsideTheRing
from symbolic_pe.generators.block import Block
from symbolic_pe.jordan.form import ComponentForm, ImplicitEigenvalue, StructureBlock
from symbolic_pe.jordan.roots import implicit_eigenvalues

MAX_HEIGHT = 100_000
"""Budget for exact structure: dimension times bits over the common denominator."""
MAX_BASIS_HEIGHT = 4096
"""Budget for a real basis, whose exact inverse has entries of that many bits."""
PRIME = (1 << 62) - 57
"""A word-sized prime: what a matrix has modulo it bounds what it has over Q."""


@dataclass(frozen=True)
class Primary:
    """One irreducible factor p with its block sizes, largest first (one per root of p)."""

    factor: fmpq_poly
    sizes: tuple[int, ...]


def primary_structure(x: fmpq_mat) -> list[Primary]:
    """Irreducible factors of the characteristic polynomial with the sizes of their blocks."""
    _, found = fmpq_poly(x.charpoly()).factor()
    found.sort(key=lambda item: _factor_key(item[0]))
    factors = [(f / f.leading_coefficient(), int(m)) for f, m in found]
    proved = _proved_chains(x, factors)
    return [
        Primary(factor, (m,) if chain == m else _block_sizes(x, factor, m))
        for (factor, m), chain in zip(factors, proved, strict=True)
    ]


def minimal_polynomial(primaries: list[Primary]) -> fmpq_poly:
    """μ = Π p^m with m the size of the largest block of p."""
    product = fmpq_poly([1])
    for primary in primaries:
        product = product * primary.factor ** primary.sizes[0]
    return product


def _proved_chains(x: fmpq_mat, factors: list[tuple[fmpq_poly, int]]) -> list[int]:
    """For each factor a length that its longest chain has at least, mostly the right one.

    Modulo a prime, the minimal polynomial of X divides that of X over Q. Where p stays coprime to
    the other factors, as many powers of p as divide the one therefore divide the other.
    """
    numerator, denominator = x.numer_denom()
    reduced = [nmod_poly([int(c) for c in p.numer().coeffs()], PRIME) for p, _ in factors]
    if (
        all(m == 1 for _, m in factors)
        or denominator % PRIME == 0
        or any(r.degree() != p.degree() for r, (p, _) in zip(reduced, factors, strict=True))
    ):
        return [1] * len(factors)
    scale = pow(int(denominator), -1, PRIME)
    minimal = (nmod_mat(fmpz_mat(numerator), PRIME) * scale).minpoly()
    radical = nmod_poly([1], PRIME)
    for r in reduced:
        radical *= r
    result = []
    for r, (_, multiplicity) in zip(reduced, factors, strict=True):
        chain, power = 1, r
        if multiplicity > 1 and r.gcd(radical // r).degree() == 0:
            while chain < multiplicity and minimal % (power * r) == 0:
                chain, power = chain + 1, power * r
        result.append(chain)
    return result


def _factor_key(factor: fmpq_poly) -> tuple[int, list[tuple[int, int]]]:
    return factor.degree(), [(int(c.p), int(c.q)) for c in reversed(factor.coeffs())]


def _block_sizes(x: fmpq_mat, factor: fmpq_poly, multiplicity: int) -> tuple[int, ...]:
    if multiplicity == 1:
        return (1,)
    degree, n = factor.degree(), x.nrows()
    image = evaluate_at(factor, x)
    ranks, powers = [n], image
    while ranks[-1] > n - degree * multiplicity:
        ranks.append(powers.rank())
        powers = powers * image
    at_least = [(ranks[k] - ranks[k + 1]) // degree for k in range(len(ranks) - 1)]
    sizes: list[int] = []
    for k in range(len(at_least), 0, -1):
        exactly = at_least[k - 1] - (at_least[k] if k < len(at_least) else 0)
        sizes.extend([k] * exactly)
    return tuple(sizes)


def evaluate_at(polynomial: fmpq_poly, x: fmpq_mat) -> fmpq_mat:
    """p(X) with about 2√deg products of matrices (Paterson and Stockmeyer), over the integers.

    With X = A/d and deg p = k, d^k·p(X) = Σ p_i·d^{k−i}·A^i.
    """
    n, degree = x.nrows(), polynomial.degree()
    if degree < 0:
        return fmpq_mat(n, n)
    numerator, denominator = x.numer_denom()
    a = fmpz_mat(numerator)
    integers = [c * denominator ** (degree - i) for i, c in enumerate(polynomial.numer().coeffs())]
    step = isqrt(degree + 1)
    powers = [a]
    while len(powers) < step:
        powers.append(powers[-1] * a)
    total = fmpz_mat(n, n)
    for start in range(degree // step * step, -1, -step):
        if start + step <= degree:
            total = total * powers[-1]
        constant, *others = integers[start : start + step]
        for power, c in zip(powers, others, strict=False):
            if c != 0:
                total += power * c
        if constant != 0:
            for i in range(n):
                total[i, i] += constant
    return fmpq_mat(total) / (polynomial.denom() * denominator**degree)


# -- structure --------------------------------------------------------------------------------


def structure_of(primaries: list[Primary]) -> tuple[StructureBlock, ...]:
    """Blocks with multiplicities; eigenvalues of degree ≥ 3, or beyond the ring, stay implicit."""
    blocks: list[StructureBlock] = []
    for primary in primaries:
        sizes = {k: primary.sizes.count(k) for k in sorted(set(primary.sizes), reverse=True)}
        for eigenvalue, imaginary, sign in eigenvalues_of(primary.factor):
            blocks.extend(
                StructureBlock(eigenvalue, imaginary, k, count, sign) for k, count in sizes.items()
            )
    return tuple(blocks)


def eigenvalues_of(
    factor: fmpq_poly,
) -> list[tuple[Scalar | ImplicitEigenvalue, Scalar, int]]:
    """Roots as (real part, imaginary part ≥ 0, sign of the real part), one per conjugate pair."""
    if factor.degree() == 1:
        value = Scalar.rational(-factor[0])
        return [(value, ZERO, value.sign())]
    if factor.degree() == 2 and (root := root_of_discriminant(factor)) is not None:
        a, d = centre_and_discriminant(factor)
        centre = Scalar.rational(a)
        if d < 0:
            return [(centre, root, centre.sign())]
        return [(v, ZERO, v.sign()) for v in (centre + root, centre - root)]
    return [(value, ZERO, value.real_part_sign) for value in implicit_eigenvalues(factor)]


def root_of_discriminant(factor: fmpq_poly) -> Scalar | None:
    """√|D| of a quadratic factor (x − a)² − D, or None where |D| has too many digits."""
    return root_in_ring(abs(centre_and_discriminant(factor)[1]))


def root_in_ring(x: fmpq) -> Scalar | None:
    """√x for x ≥ 0, or None where x has more digits than are factored.

    A normal form of √N needs the primes of N. Eigenvalues of floating-point matrices, whose
    discriminants have a hundred bits and more, stay implicit instead.
    """
    try:
        return square_root(Scalar.rational(x))
    except OutsideTheRing:
        return None


def centre_and_discriminant(factor: fmpq_poly) -> tuple[fmpq, fmpq]:
    """a and D with p = (x − a)² − D."""
    a = -factor[1] / 2
    return a, a * a - factor[0]


def enclosure_of(value: ImplicitEigenvalue) -> Any:
    """The ball of an implicit eigenvalue at the current precision, or better."""
    with precision(max(ctx.prec, 128)):
        roots = isolated_roots(value.polynomial)
        return next(root for root in roots if root.overlaps(value.enclosure))


def isolated_roots(polynomial: fmpz_poly) -> tuple[Any, ...]:
    """Balls of all roots of a square-free polynomial at the current precision, real ones real."""
    return _isolated(tuple(map(int, polynomial.coeffs())), ctx.prec)


@lru_cache(maxsize=64)
def _isolated(coefficients: tuple[int, ...], bits: int) -> tuple[Any, ...]:
    with precision(bits):
        return tuple(root for root, _ in fmpz_poly(list(coefficients)).complex_roots())


# -- basis ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChainPiece:
    """One chain of S-planes: P = R·M on its columns, R rational, M and M⁻¹ over one root."""

    blocks: tuple[Block, ...]
    columns: tuple[fmpq_mat, ...]
    mixing: ScalarMatrix
    unmixing: ScalarMatrix


def component_form(
    coordinates: tuple[int, ...], matrix: ScalarMatrix
) -> tuple[tuple[StructureBlock, ...], ComponentForm | None]:
    """Structure and, when every eigenvalue is explicit, the real Jordan basis."""
    x = to_fmpq(matrix)
    size = checked_height(x)
    primaries = primary_structure(x)
    structure = structure_of(primaries)
    implicit = any(isinstance(b.eigenvalue, ImplicitEigenvalue) for b in structure)
    if implicit or size > MAX_BASIS_HEIGHT:
        return structure, None
    pieces = [piece for primary in primaries for piece in _chains(x, primary)]
    rational = fmpq_mat(
        [[v[i, 0] for piece in pieces for v in piece.columns] for i in range(x.nrows())]
    )
    basis = multiply(from_fmpq(rational), block_diagonal([p.mixing for p in pieces]))
    inverse = multiply(block_diagonal([p.unmixing for p in pieces]), from_fmpq(rational.inv()))
    blocks = tuple(block for piece in pieces for block in piece.blocks)
    return structure, ComponentForm(coordinates, matrix, blocks, basis, inverse)


def checked_height(x: fmpq_mat) -> int:
    """The height of a matrix; raises `NotYetCovered` above `MAX_HEIGHT`."""
    found, n = height(x), int(x.nrows())
    if found > MAX_HEIGHT:
        raise NotYetCovered(
            f"a rational component of dimension {n} whose entries need {found // n} bits over "
            f"their common denominator: dimension times bits is {found}, above the budget of "
            f"{MAX_HEIGHT}"
        )
    return found


def height(x: fmpq_mat) -> int:
    """Dimension times the bits of the entries over their common denominator."""
    numerator, denominator = x.numer_denom()
    bits = max((int(c).bit_length() for c in numerator.entries()), default=0)
    return int(x.nrows()) * max(bits, int(denominator).bit_length())


def _chains(x: fmpq_mat, primary: Primary) -> list[ChainPiece]:
    p, largest = primary.factor, primary.sizes[0]
    space = nullspace(evaluate_at(p**largest, x))
    semisimple = evaluate_at(semisimple_polynomial(p, largest), x)
    nilpotent = x - semisimple
    pieces: list[ChainPiece] = []
    for size, w in chain_generators(space, semisimple, nilpotent, primary):
        links = [w]
        for _ in range(size - 1):
            links.append(nilpotent * links[-1])
        links.reverse()
        pieces.append(_real_piece(p, links, semisimple))
    return pieces


def _real_piece(p: fmpq_poly, links: list[fmpq_mat], semisimple: fmpq_mat) -> ChainPiece:
    """Columns and mixing of one chain N^{k−1}w, …, Nw, w, for each degree and sign of D."""
    size = len(links)
    if p.degree() == 1:
        unit = identity(size)
        return ChainPiece((Block(Scalar.rational(-p[0]), ZERO, size),), tuple(links), unit, unit)
    a, d = centre_and_discriminant(p)
    centre, root = Scalar.rational(a), square_root(Scalar.rational(abs(d)))
    columns = tuple(y for u in links for y in (u, semisimple * u - a * u))
    if d < 0:
        pair = ((ONE, ZERO), (ZERO, root.inverse()))
        back = ((ONE, ZERO), (ZERO, root))
        return ChainPiece(
            (Block(centre, root, size),),
            columns,
            block_diagonal([pair] * size),
            block_diagonal([back] * size),
        )
    half, weight = HALF, HALF * root.inverse()
    mixing = [[ZERO] * (2 * size) for _ in range(2 * size)]
    unmixing = [[ZERO] * (2 * size) for _ in range(2 * size)]
    for i in range(size):
        for column, sign in ((i, ONE), (size + i, -ONE)):
            mixing[2 * i][column], mixing[2 * i + 1][column] = sign * root, ONE
            unmixing[column][2 * i], unmixing[column][2 * i + 1] = sign * weight, half
    return ChainPiece(
        (Block(centre + root, ZERO, size), Block(centre - root, ZERO, size)),
        columns,
        scalar_matrix(mixing),
        scalar_matrix(unmixing),
    )


def semisimple_polynomial(p: Any, order: int) -> Any:
    """σ with σ ≡ x mod p and p(σ) ≡ 0 mod p^order, by Newton's iteration.

    For `fmpq_poly` and for `Polynomial` over Q(symbols) alike.
    """
    modulus = p**order
    sigma, reached = type(p)([0, 1]), 1
    derivative = p.derivative()
    while reached < order:
        slope = _compose_mod(derivative, sigma, modulus)
        _, inverse, _ = slope.xgcd(modulus)
        sigma = (sigma - _compose_mod(p, sigma, modulus) * inverse) % modulus
        reached *= 2
    return sigma


def _compose_mod(outer: Any, inner: Any, modulus: Any) -> Any:
    total = type(outer)([0])
    for c in reversed(outer.coeffs()):
        total = (total * inner + type(outer)([c])) % modulus
    return total


def chain_generators(
    space: list[fmpq_mat], semisimple: fmpq_mat, nilpotent: fmpq_mat, primary: Primary
) -> list[tuple[int, fmpq_mat]]:
    """Vectors w of ker p(X)^m with chain length k, longest first, socles independent over Q[S].

    The vectors N^j S^i w, j < k, i < deg p, are a basis of ker p(X)^m.
    """
    degree = primary.factor.degree()
    socles: list[fmpq_mat] = []
    chosen: list[tuple[int, fmpq_mat]] = []
    for size in sorted(set(primary.sizes), reverse=True):
        wanted = primary.sizes.count(size)
        power = _power(nilpotent, size - 1)
        candidates = space
        if size < primary.sizes[0]:
            candidates = _kernel_within(space, power * nilpotent)
        for w in candidates:
            if wanted == 0:
                break
            orbit = [power * w]
            while len(orbit) < degree:
                orbit.append(semisimple * orbit[-1])
            if _rank([*socles, *orbit]) == len(socles) + len(orbit):
                socles.extend(orbit)
                chosen.append((size, w))
                wanted -= 1
        assert wanted == 0, "the socles of chains of one length span their layer"
    return chosen


def _power(x: fmpq_mat, exponent: int) -> fmpq_mat:
    n = x.nrows()
    result = fmpq_mat(n, n)
    for i in range(n):
        result[i, i] = 1
    for _ in range(exponent):
        result = result * x
    return result


def _rank(columns: list[fmpq_mat]) -> int:
    return int(fmpq_mat([[v[i, 0] for v in columns] for i in range(columns[0].nrows())]).rank())


def _kernel_within(space: list[fmpq_mat], operator: fmpq_mat) -> list[fmpq_mat]:
    basis = fmpq_mat([[v[i, 0] for v in space] for i in range(space[0].nrows())])
    return [basis * c for c in nullspace(operator * basis)]


def nullspace(x: fmpq_mat) -> list[fmpq_mat]:
    """A basis of ker X with small integer vectors, as columns."""
    numerator, _ = x.numer_denom()
    matrix, rank = fmpz_mat(numerator).nullspace()
    result = []
    for j in range(rank):
        column = [matrix[i, j] for i in range(matrix.nrows())]
        common = fmpq(gcd(*map(int, column)))
        lead = next(entry for entry in column if entry != 0)
        scale = common if lead > 0 else -common
        result.append(fmpq_mat([[entry / scale] for entry in map(fmpq, column)]))
    return result
