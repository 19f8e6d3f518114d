"""Joint real structure of commuting generators: common invariant subspaces and what turns on them.

For commuting rational X₁, …, X_k the subspaces ker p(Xᵢ)^m are invariant under all of them, so each
axis refines what the axes before it left. With S_i the semisimple parts, W = S_1, S_2, … or a
combination Σ r^i S_i (r = 1, 2, …) refines further until every S_i is a polynomial g_i(W); that is
decided, and all but finitely many r do. Then W has one irreducible minimal polynomial q on each
subspace, and each root μ of q (one of each conjugate pair) is one joint block:

    axis i has the eigenvalue g_i(μ) there: rate Re g_i(μ), frequency Im g_i(μ)

Frequencies of one block belong to one orientation of its plane, so their signs are comparable: the
first that is not 0 is taken positive. N_i = X_i − S_i commute too; the least m for which all
products of m of them vanish gives the degree m − 1 of the polynomial that exp(Σ pᵢXᵢ) contains.

Where entries are not rational, blocks on one layout are read off: X_i = a_i + b_i·I⊗J + η_i·N⊗I.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flint import acb, fmpq_mat, fmpq_poly, fmpz_poly

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix, apply, is_rational, scalar_matrix, to_fmpq
from symbolic_pe.algebra.real_number import RealNumber
from symbolic_pe.algebra.scalar import DECISION_PRECISIONS, ONE, ZERO, Scalar, precision
from symbolic_pe.errors import NotYetCovered, Undecided
from symbolic_pe.generators.commuting import CommutingFamily
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.jordan.form import ImplicitEigenvalue, polynomial_text
from symbolic_pe.jordan.joint_pieces import Piece, identity_of, rational_pieces
from symbolic_pe.jordan.rational import (
    Primary,
    centre_and_discriminant,
    eigenvalues_of,
    enclosure_of,
    root_in_ring,
)
from symbolic_pe.jordan.roots import implicit_eigenvalues

ZERO_NUMBER = RealNumber.of(ZERO)


@dataclass(frozen=True)
class AxisPart:
    """What one axis does on a joint block.

    rate, frequency  the eigenvalue rate ± i·frequency; signs are comparable within a block
    chain_lengths    sizes of the Jordan blocks of this axis there, largest first
    shear            η where the block is given as a + b·I⊗J + η·N⊗I, else None
    """

    rate: RealNumber
    frequency: RealNumber
    chain_lengths: tuple[int, ...]
    shear: Scalar | None = None


@dataclass(frozen=True)
class JointBlock:
    """One joint eigenvalue with everything that belongs to it.

    dimension      of its generalised eigenspace, counting both of a conjugate pair
    degree         of the polynomial in p in front of exp(Σ pᵢλᵢ)
    """

    is_pair: bool
    axes: tuple[AxisPart, ...]
    dimension: int
    degree: int


@dataclass(frozen=True)
class JointComponent:
    """A subspace that all axes leave invariant, with its joint blocks.

    coordinates  channels that it lies in
    basis        rational columns that span it there; None when it is all of them
    polynomial   q, whose roots are the joint eigenvalues; None where blocks are read off
    """

    coordinates: tuple[int, ...]
    basis: fmpq_mat | None
    polynomial: str | None
    blocks: tuple[JointBlock, ...]


def joint_structure(family: CommutingFamily) -> tuple[JointComponent, ...]:
    """The joint real structure of a commuting family.

    >>> from symbolic_pe.generators.generator import Generator
    >>> x = Generator.from_matrix([["0", "-1"], ["1", "0"]])
    >>> y = Generator.from_matrix([["1", "2"], ["-2", "1"]])
    >>> (found,) = joint_structure(CommutingFamily.of([x, y]))
    >>> [(a.rate.text, a.frequency.text) for a in found.blocks[0].axes]
    [('0', '1'), ('1', '-2')]

    Raises `NotYetCovered` for entries that are not rational, up to one factor for each axis, in a
    component that is not one block for every axis; `Undecided` when eigenvalues do not separate.
    """
    matrices = [g.matrix for g in family.axes]
    n = family.dimension
    union = scalar_matrix(
        [
            [ONE if any(not m[i][j].is_zero() for m in matrices) else ZERO for j in range(n)]
            for i in range(n)
        ]
    )
    assumptions = family.axes[0].assumptions
    found: list[JointComponent] = []
    for coordinates in connected_components(union):
        parts = [tuple(tuple(m[i][j] for j in coordinates) for i in coordinates) for m in matrices]
        read = None if all(map(is_rational, parts)) else read_off(parts, assumptions)
        if read is not None:
            found.append(JointComponent(coordinates, None, None, (read,)))
            continue
        multiples = [as_multiple(part) for part in parts]
        if any(s is None for s in multiples):
            raise NotYetCovered(
                f"the joint structure on the channels {list(coordinates)}: an axis has entries "
                "that are no rational multiples of one number and is not one block there; give "
                "the axes as blocks on one layout"
            )
        factors = [s[0] for s in multiples if s is not None]
        rational = [s[1] for s in multiples if s is not None]
        for piece in rational_pieces(rational):
            whole = piece.basis.ncols() == len(coordinates)
            blocks = tuple(_rescaled(b, factors, assumptions) for b in _joint_blocks(piece))
            found.append(
                JointComponent(
                    coordinates,
                    None if whole else piece.basis,
                    polynomial_text(fmpz_poly(piece.polynomial.numer())),
                    blocks,
                )
            )
    return tuple(found)


# -- blocks that are given as such ------------------------------------------------------------


def read_off(parts: list[ScalarMatrix], assumptions: Assumptions) -> JointBlock | None:
    """One block aI + bI⊗J + ηN⊗I for every axis on one layout, or None."""
    n = len(parts[0])
    for width in (1, 2):
        if n % width:
            continue
        read = [as_block(m, width) for m in parts]
        if any(r is None for r in read):
            continue
        values = [r for r in read if r is not None]
        for _, _, shear in values:
            if not shear.is_zero():
                _require_nonzero(shear, assumptions)
        flip = _flip([b for _, b, _ in values], assumptions)
        axes = tuple(
            AxisPart(
                RealNumber.of(a),
                RealNumber.of(-b if flip else b),
                (1,) * (n // width) if shear.is_zero() else (n // width,),
                shear,
            )
            for a, b, shear in values
        )
        sheared = any(not shear.is_zero() for _, _, shear in values)
        return JointBlock(width == 2, axes, n, n // width - 1 if sheared else 0)
    return None


def as_block(m: ScalarMatrix, width: int) -> tuple[Scalar, Scalar, Scalar] | None:
    """(a, b, η) of a + b·I⊗J + η·N⊗I with planes, or lines, of this width; None for others."""
    n = len(m)
    a = m[0][0]
    b = m[1][0] if width == 2 else ZERO
    shear = m[0][width] if n > width else ZERO
    for i in range(n):
        for j in range(n):
            expected = ZERO
            if i == j:
                expected = a
            elif i // width == j // width:
                expected = b if i > j else -b
            elif j == i + width:
                expected = shear
            if not (m[i][j] - expected).is_zero():
                return None
    return a, b, shear


def _require_nonzero(x: Scalar, assumptions: Assumptions) -> None:
    """Chain lengths hold on the whole domain only where what couples the links is never 0."""
    if not assumptions.never_vanishes(x):
        raise NotYetCovered(
            f"chains of axes coupled by {x}, which may be 0; declare its parameters so that it is "
            "not (positive, negative or nonzero)"
        )


def _flip(frequencies: Sequence[Scalar], assumptions: Assumptions) -> bool:
    """Whether the first frequency that is not 0 is known to be negative."""
    first = next((b for b in frequencies if not b.is_zero()), None)
    return first is not None and assumptions.sign_of_scalar(first) == -1


def as_multiple(m: ScalarMatrix) -> tuple[Scalar, fmpq_mat] | None:
    """(c, R) with X = c·R and R rational, or None."""
    if is_rational(m):
        return ONE, to_fmpq(m)
    first = next(x for row in m for x in row if not x.is_zero())
    if len(first.terms) != 1:
        return None
    inverse = first.inverse()
    quotient = apply(lambda x: x * inverse, m)
    return (first, to_fmpq(quotient)) if is_rational(quotient) else None


def _rescaled(block: JointBlock, factors: Sequence[Scalar], assumptions: Assumptions) -> JointBlock:
    """The block of c_i·R_i from that of R_i."""
    if all(c == ONE for c in factors):
        return block
    for part, c in zip(block.axes, factors, strict=True):
        if part.chain_lengths[0] > 1:
            _require_nonzero(c, assumptions)
    axes = [
        replace(part, rate=part.rate.times(c), frequency=part.frequency.times(c))
        for part, c in zip(block.axes, factors, strict=True)
    ]
    turning = (c for p, c in zip(block.axes, factors, strict=True) if p.frequency != ZERO_NUMBER)
    reference = next(turning, ONE)  # that axis has a positive frequency before scaling
    if assumptions.sign_of_scalar(reference) == -1:
        axes = [replace(p, frequency=p.frequency.times(-ONE)) for p in axes]
    return replace(block, axes=tuple(axes))


# -- joint eigenvalues of rational families --------------------------------------------------


def _joint_blocks(piece: Piece) -> list[JointBlock]:
    q = piece.polynomial
    degree, size = int(q.degree()), int(piece.basis.ncols())
    chains = [_chain_lengths(p, degree) for p in piece.primaries]
    growth = joint_degree(piece.nilpotents)
    blocks = []
    for is_pair, values in joint_eigenvalues(piece):
        axes = tuple(
            AxisPart(rate, frequency, lengths)
            for (rate, frequency), lengths in zip(values, chains, strict=True)
        )
        blocks.append(JointBlock(is_pair, axes, size // degree * (2 if is_pair else 1), growth))
    return blocks


def _chain_lengths(primary: Primary, degree: int) -> tuple[int, ...]:
    """Block sizes at one root of q, from those at one root of p: deg q/deg p roots share them."""
    counts = Counter(primary.sizes)
    share = degree // int(primary.factor.degree())
    return tuple(k for k in sorted(counts, reverse=True) for _ in range(counts[k] // share))


def joint_degree(nilpotents: Sequence[fmpq_mat]) -> int:
    """The largest m for which some product of m of the N_i is not 0."""
    images = identity_of(nilpotents[0].nrows())
    degree = 0
    while True:
        products = [n * images for n in nilpotents]
        joined = fmpq_mat(
            [[p[i, j] for p in products for j in range(p.ncols())] for i in range(images.nrows())]
        )
        reduced, rank = joined.transpose().rref()
        if rank == 0:
            return degree
        degree += 1
        images = fmpq_mat(reduced.tolist()[:rank]).transpose()


Values = list[tuple[RealNumber, RealNumber]]


def joint_eigenvalues(piece: Piece) -> Iterator[tuple[bool, Values]]:
    """(pair?, (rate, frequency) of every axis) for each root of q, one of each conjugate pair."""
    q = piece.polynomial
    if q.degree() == 1:
        numbers = [RealNumber.of(Scalar.rational(g[0])) for g in piece.polynomials]
        yield False, [(x, ZERO_NUMBER) for x in numbers]
        return
    if q.degree() == 2:
        root = root_in_ring(abs(centre_and_discriminant(q)[1]))
        if root is not None:
            yield from _quadratic_eigenvalues(q, root, piece.polynomials)
            return
    candidates = [_candidates(p.factor) for p in piece.primaries]
    for value in implicit_eigenvalues(q):
        found = [
            _located(value, g, among)
            for g, among in zip(piece.polynomials, candidates, strict=True)
        ]
        reference = next((sign for _, _, sign in found if sign), 1)
        yield (
            value.is_pair,
            [(rate, size.times(ONE if sign == reference else -ONE)) for rate, size, sign in found],
        )


def _quadratic_eigenvalues(
    q: fmpq_poly, root: Scalar, polynomials: Sequence[fmpq_poly]
) -> Iterator[tuple[bool, Values]]:
    """From √|D|, with roots a ± √D of q."""
    a, d = centre_and_discriminant(q)
    centres = [Scalar.rational(g[0] + g[1] * a) for g in polynomials]
    slopes = [Scalar.rational(g[1]) * root for g in polynomials]
    if d > 0:
        for sign in (ONE, -ONE):
            yield (
                False,
                [
                    (RealNumber.of(c + sign * s), ZERO_NUMBER)
                    for c, s in zip(centres, slopes, strict=True)
                ],
            )
        return
    first = next(g[1] for g in polynomials if g[1] != 0)
    sign = ONE if first > 0 else -ONE
    yield (
        True,
        [(RealNumber.of(c), RealNumber.of(sign * s)) for c, s in zip(centres, slopes, strict=True)],
    )


Candidate = tuple[Scalar | ImplicitEigenvalue, Scalar, int]


def _candidates(p: fmpq_poly) -> list[Candidate]:
    """(eigenvalue, imaginary part, sign of the frequency) for every root of p."""
    return [
        (value, imaginary, sign)
        for value, imaginary, _ in eigenvalues_of(p)
        for sign in ((1, -1) if _is_pair(value, imaginary) else (0,))
    ]


def _located(
    root: ImplicitEigenvalue, g: fmpq_poly, candidates: Sequence[Candidate]
) -> tuple[RealNumber, RealNumber, int]:
    """(rate, |frequency|, sign of the frequency) of g(μ), which is one of the candidates."""
    for bits in DECISION_PRECISIONS:
        with precision(bits):
            point = _at(g, enclosure_of(root))
            near = [c for c in candidates if _ball(*c).overlaps(point)]
            if len(near) == 1:
                value, imaginary, sign = near[0]
                return *_numbers(value, imaginary), sign
    raise Undecided(
        f"which eigenvalue of an axis belongs to {root}: some are too near to be told apart with "
        f"{DECISION_PRECISIONS[-1]} bits"
    )


def _is_pair(value: Scalar | ImplicitEigenvalue, imaginary: Scalar) -> bool:
    return value.is_pair if isinstance(value, ImplicitEigenvalue) else not imaginary.is_zero()


def _ball(value: Scalar | ImplicitEigenvalue, imaginary: Scalar, sign: int) -> acb:
    if isinstance(value, ImplicitEigenvalue):
        ball = enclosure_of(value)
        return acb(ball.real, -ball.imag) if sign < 0 else ball
    return acb(value.ball({}), imaginary.ball({}) * sign)


def _numbers(
    value: Scalar | ImplicitEigenvalue, imaginary: Scalar
) -> tuple[RealNumber, RealNumber]:
    if not isinstance(value, ImplicitEigenvalue):
        return RealNumber.of(value), RealNumber.of(imaginary)
    if not value.is_pair:
        return RealNumber(str(value), None, lambda: enclosure_of(value).real), ZERO_NUMBER
    rate = RealNumber(f"re({value})", None, lambda: enclosure_of(value).real)
    if value.real_part_sign == 0:
        rate = ZERO_NUMBER
    return rate, RealNumber(f"im({value})", None, lambda: enclosure_of(value).imag)


def _at(polynomial: fmpq_poly, point: acb) -> acb:
    total = acb(0)
    for c in reversed(polynomial.coeffs()):
        total = total * point + acb(c)
    return total
