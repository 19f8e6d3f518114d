"""One basis in which commuting generators are lines, planes and shears between them.

On a joint subspace the field K = Q[W] = Q[x]/(q) acts (`joint_pieces`). Vectors v₁, v₂, … that span
it over K, each followed by Wv, W²v, …, are a rational basis B. For a root μ of q and
h(x) = q(x)/(x − μ), the vectors e_k = h(W)v_k satisfy

    S_a e_k = g_a(μ)·e_k,   N_a e_k = Σ_l n_alk(μ)·e_l,   n_alk(W) the entries of N_a over K,

so with the columns Re e_k, −Im e_k of one root of each conjugate pair

    X_a = P·(D_a + N_a)·P⁻¹,  D_a = ⊕ (αI − θJ),  α = Re g_a(μ), θ = −Im g_a(μ).

The v_k follow the filtration U₁ = ∩ ker N_a, U₂ = {v : N_a v ∈ U₁}, …: images of the vectors above
come first, so that N_a is strictly upper triangular, and one nilpotent makes Jordan chains. Where
every X_a is normal, the cyclic subspaces are taken orthogonal and columns have length 1: P⁻¹ = Pᵀ.

Roots of q of degree 1 and 2 are exact. Where others occur, μ and the lengths are taken as dyadic
numbers, and P·(D_a + N_a)·P⁻¹ is a generator X̂_a next to X_a, exactly commuting, whose distance is
computed exactly (as in `nearby`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpq_mat, fmpq_poly

from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    block_diagonal,
    from_fmpq,
    multiply,
    scalar_matrix,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.joint import as_multiple, joint_degree
from symbolic_pe.jordan.joint_pieces import Piece, identity_of, joined_columns, rational_pieces
from symbolic_pe.jordan.nearby import MAX_CONDITION, MAX_DISTANCE, power_of_two
from symbolic_pe.jordan.rational import (
    centre_and_discriminant,
    enclosure_of,
    nullspace,
    root_in_ring,
)
from symbolic_pe.jordan.roots import implicit_eigenvalues

BITS = 128
"""Of dyadic eigenvalues, entries of eigenvectors, and lengths."""
WORKING_BITS = 256
"""Of balls, and 32 more for every channel, because powers of W are far apart in size."""
MAX_DIMENSION = 64
NO_DISTANCE = fmpq(0)


@dataclass(frozen=True)
class JointBasis:
    """Xₐ = P·(Dₐ + Nₐ)·P⁻¹ for every axis a.

    planes       pairs of coordinates that turn together
    rates        α of every axis in every coordinate
    frequencies  θ of every axis in every plane, αI − θJ
    shears       Nₐ, nilpotent, commuting with each other and with every D
    degree       most factors Nₐ whose product is not 0
    basis        P, orthogonal where every Xₐ is normal (up to the distance)
    distance     0, or |P·(Dₐ + Nₐ)·P⁻¹ − Xₐ| entry by entry
    """

    planes: tuple[tuple[int, int], ...]
    rates: tuple[tuple[Scalar, ...], ...]
    frequencies: tuple[tuple[Scalar, ...], ...]
    shears: tuple[ScalarMatrix, ...]
    degree: int
    basis: ScalarMatrix
    inverse: ScalarMatrix
    distance: fmpq = NO_DISTANCE


def joint_basis(matrices: Sequence[ScalarMatrix]) -> JointBasis:
    """The joint basis of commuting matrices without parameters.

    >>> from symbolic_pe.algebra.expression import parse
    >>> x = [[parse(t) for t in row.split()] for row in ("0 -1 0", "1 0 -2", "0 2 0")]
    >>> found = joint_basis([scalar_matrix(x)])
    >>> found.planes, str(found.frequencies[0][0]), str(found.distance)
    (((1, 2),), 'sqrt(5)', '0')

    Raises `NotYetCovered` for entries that are no rational multiples of one number in each axis,
    for dimensions above 64, and for eigenvectors that are nearly dependent.
    """
    multiples = [as_multiple(m) if _is_nonzero(m) else _nothing(len(m)) for m in matrices]
    known = [m for m in multiples if m is not None]
    if len(known) < len(multiples):
        raise NotYetCovered(
            "a common basis of axes with entries that are no rational multiples of one number"
        )
    factors, rational = [c for c, _ in known], [r for _, r in known]
    normal = all(x * x.transpose() == x.transpose() * x for x in rational)
    splits = [_split(p, normal) for p in rational_pieces(rational)]
    found = _exact(splits, rational, normal)
    if found is None:
        found = _nearby(splits, rational, factors)
    return _scaled(found, factors)


def _is_nonzero(m: ScalarMatrix) -> bool:
    return any(not x.is_zero() for row in m for x in row)


def _nothing(n: int) -> tuple[Scalar, fmpq_mat]:
    return ONE, fmpq_mat(n, n)


def _scaled(found: JointBasis, factors: Sequence[Scalar]) -> JointBasis:
    """The same of cₐ·Rₐ."""

    def times(c: Scalar, row: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return tuple(row) if c == ONE else tuple(c * x for x in row)

    pairs = list(zip(factors, found.rates, found.frequencies, found.shears, strict=True))
    return JointBasis(
        found.planes,
        tuple(times(c, rates) for c, rates, _, _ in pairs),
        tuple(times(c, row) for c, _, row, _ in pairs),
        tuple(tuple(times(c, row) for row in shear) for c, _, _, shear in pairs),
        found.degree,
        found.basis,
        found.inverse,
        found.distance,
    )


# -- over the rationals -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Split:
    """A piece as a space over Q[x]/(q).

    columns   v₁, Wv₁, …, v₂, Wv₂, … in the channels
    count     how many v
    entries   n_alk, by axis, row and column
    """

    piece: Piece
    columns: fmpq_mat
    count: int
    entries: tuple[tuple[tuple[fmpq_poly, ...], ...], ...]

    @property
    def degree(self) -> int:
        return int(self.piece.polynomial.degree())


def _split(piece: Piece, normal: bool) -> _Split:
    degree, size = int(piece.polynomial.degree()), piece.basis.ncols()
    joined = fmpq_mat(size, 0)
    for v in _spanning(piece, normal):
        joined = _with(joined, _cyclic(piece, v))
    undone = joined.inv()
    count = size // degree
    entries = tuple(
        tuple(
            tuple(
                fmpq_poly([inside[row * degree + j, column * degree] for j in range(degree)])
                for column in range(count)
            )
            for row in range(count)
        )
        for inside in (undone * n * joined for n in piece.nilpotents)
    )
    return _Split(piece, piece.basis * joined, count, entries)


def _cyclic(piece: Piece, v: fmpq_mat) -> fmpq_mat:
    """v, Wv, … as columns."""
    vectors = [v]
    while len(vectors) < piece.polynomial.degree():
        vectors.append(piece.combined * vectors[-1])
    return joined_columns(vectors)


def _spanning(piece: Piece, normal: bool) -> list[fmpq_mat]:
    """v₁, v₂, …: those of the lowest level of the filtration first."""
    levels = _filtration(piece.nilpotents)
    found: list[list[fmpq_mat]] = []
    images: list[fmpq_mat] = []
    for level in range(len(levels) - 1, -1, -1):
        below = levels[level - 1] if level else fmpq_mat(piece.basis.ncols(), 0)
        span = _Span(piece, below, normal)
        candidates = [*images, *(_column(levels[level], j) for j in range(levels[level].ncols()))]
        chosen = [v for c in candidates if (v := span.joined(c, levels[level].ncols())) is not None]
        images = [n * v for v in chosen for n in piece.nilpotents]
        found.append(chosen)
    return [v for chosen in reversed(found) for v in chosen]


class _Span:
    """A subspace that W leaves invariant, growing by cyclic ones."""

    def __init__(self, piece: Piece, start: fmpq_mat, normal: bool) -> None:
        self.piece, self.normal = piece, normal
        self.columns = start
        self.product = piece.basis.transpose() * piece.basis

    def joined(self, v: fmpq_mat, most: int) -> fmpq_mat | None:
        """The vector, or its part across the span; None where it is inside, or this is `most`."""
        if self.columns.ncols() == most:
            return None
        if self.normal and self.columns.ncols():
            across = self.columns.transpose() * self.product
            v = v - self.columns * (across * self.columns).inv() * across * v
        if all(x == 0 for x in v.entries()):
            return None
        if not self.normal and _with(self.columns, v).rank() == self.columns.ncols():
            return None
        self.columns = _with(self.columns, _cyclic(self.piece, v))
        return v


def _with(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
    return fmpq_mat([left + right for left, right in zip(a.tolist(), b.tolist(), strict=True)])


def _column(x: fmpq_mat, j: int) -> fmpq_mat:
    return fmpq_mat([[x[i, j]] for i in range(x.nrows())])


def _filtration(nilpotents: Sequence[fmpq_mat]) -> list[fmpq_mat]:
    """Bases of U₁ ⊂ U₂ ⊂ …, the last of them everything."""
    n = nilpotents[0].nrows()
    levels: list[fmpq_mat] = []
    annihilator = identity_of(n)
    while not levels or levels[-1].ncols() < n:
        stacked = [row for x in nilpotents for row in (annihilator * x).tolist()]
        kernel = nullspace(fmpq_mat(stacked))
        levels.append(joined_columns(kernel))
        if len(kernel) < n:
            annihilator = fmpq_mat([list(v.entries()) for v in nullspace(levels[-1].transpose())])
    return levels


# -- at the roots -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Root:
    """μ, exactly as a + i·b with b² rational, or as a ball."""

    is_pair: bool
    exact: tuple[Scalar, Scalar] | None
    ball: acb

    def at(self, polynomial: fmpq_poly) -> tuple[Scalar, Scalar]:
        """Real and imaginary part of p(μ), exact for deg p ≤ 1 or dyadic."""
        if self.exact is not None:
            a, b = self.exact
            slope = Scalar.rational(polynomial[1])
            return Scalar.rational(polynomial[0]) + slope * a, slope * b
        total = acb(0)
        for c in reversed(polynomial.coeffs()):
            total = total * self.ball + acb(arb(c))
        return _dyadic(total.real, ctx.prec), _dyadic(total.imag, ctx.prec)

    @property
    def conjugate(self) -> _Root:
        exact = None if self.exact is None else (self.exact[0], -self.exact[1])
        return _Root(self.is_pair, exact, acb(self.ball.real, -self.ball.imag))


def _dyadic(x: arb, bits: int = BITS) -> Scalar:
    """The middle with so many bits, 0 where the ball contains 0."""
    if x.contains(0):
        return ZERO
    with precision(bits):
        mantissa, exponent = (+x).mid().man_exp()
    return Scalar.rational(fmpq(int(mantissa)) * fmpq(2) ** int(exponent))


def _roots(q: fmpq_poly, *, exact: bool) -> list[_Root] | None:
    """One root of each conjugate pair; None where they are wanted exactly and have no form."""
    if q.degree() == 1:
        root = -q[0] / q[1]
        return [_Root(False, (Scalar.rational(root), ZERO), acb(arb(root)))]
    if not exact:
        return [
            _Root(value.is_pair, None, enclosure_of(value)) for value in implicit_eigenvalues(q)
        ]
    if q.degree() > 2:
        return None
    a, d = centre_and_discriminant(q)
    size = root_in_ring(abs(d))
    if size is None:
        return None
    centre = Scalar.rational(a)
    if d > 0:
        return [_Root(False, (centre + s * size, ZERO), acb(0)) for s in (ONE, -ONE)]
    return [_Root(True, (centre, size), acb(0))]


def _oriented(root: _Root, polynomials: Sequence[fmpq_poly]) -> _Root:
    """The root of the pair with which the first axis that turns has θ > 0."""
    if not root.is_pair:
        return root
    turning = (x for _, x in map(root.at, polynomials) if not x.is_zero())
    return root.conjugate if next(turning).sign() > 0 else root


@dataclass(frozen=True)
class _Parts:
    """Columns and what the axes do on them, piece after piece.

    changes  E of every v with P = B·(⊕ E), before columns are scaled
    """

    planes: list[tuple[int, int]]
    rates: list[list[Scalar]]
    frequencies: list[list[Scalar]]
    shears: list[list[list[Scalar]]]
    changes: list[ScalarMatrix]


def _parts(splits: Sequence[_Split], axes: int, size: int, *, exact: bool) -> _Parts | None:
    planes: list[tuple[int, int]] = []
    rates: list[list[Scalar]] = [[] for _ in range(axes)]
    frequencies: list[list[Scalar]] = [[] for _ in range(axes)]
    shears = [[[ZERO] * size for _ in range(size)] for _ in range(axes)]
    changes: list[ScalarMatrix] = []
    for split in splits:
        q, piece, start = split.piece.polynomial, split.piece, len(rates[0])
        found = _roots(q, exact=exact)
        if found is None:
            return None
        roots = [_oriented(root, piece.polynomials) for root in found]
        quotient = [fmpq_poly(q.coeffs()[j + 1 :]) for j in range(split.degree)]
        columns: list[list[Scalar]] = []
        for root in roots:
            parts = [root.at(h) for h in quotient]
            columns.append([re for re, _ in parts])
            if root.is_pair:
                columns.append([-im for _, im in parts])
        changes += [transpose(scalar_matrix(columns))] * split.count
        for _ in range(split.count):
            for root in roots:
                if root.is_pair:
                    planes.append((len(rates[0]), len(rates[0]) + 1))
                for axis, g in enumerate(piece.polynomials):
                    re, im = root.at(g)
                    rates[axis] += [re, re] if root.is_pair else [re]
                    if root.is_pair:
                        frequencies[axis].append(-im)
        for axis, row, column in _places(axes, split.count):
            polynomial = split.entries[axis][row][column]
            if polynomial == 0:
                continue
            i, j = start + row * split.degree, start + column * split.degree
            for root in roots:
                re, im = root.at(polynomial)
                shears[axis][i][j] = re
                if root.is_pair:
                    shears[axis][i + 1][j + 1] = re
                    shears[axis][i][j + 1], shears[axis][i + 1][j] = -im, im
                i, j = (i + 2, j + 2) if root.is_pair else (i + 1, j + 1)
    return _Parts(planes, rates, frequencies, shears, changes)


def _places(axes: int, count: int) -> list[tuple[int, int, int]]:
    return [(a, i, j) for a in range(axes) for i in range(count) for j in range(count)]


def _exact(
    splits: Sequence[_Split], matrices: Sequence[fmpq_mat], normal: bool
) -> JointBasis | None:
    size = matrices[0].nrows()
    parts = _parts(splits, len(matrices), size, exact=True)
    if parts is None:
        return None
    columns = _joined(splits)
    p = multiply(from_fmpq(columns), block_diagonal(parts.changes))
    if normal:
        lengths = [_length(c) for c in zip(*p, strict=True)]
        known = [x.inverse() for x in lengths if x is not None]
        if len(known) == size:
            p = tuple(tuple(x * s for x, s in zip(row, known, strict=True)) for row in p)
            return _assembled(splits, parts, p, transpose(p), NO_DISTANCE)
        if all(x == -x.transpose() for x in matrices):
            return None
    undone = block_diagonal([_inverse(e) for e in parts.changes])
    q = multiply(undone, from_fmpq(columns.inv()))
    return _assembled(splits, parts, p, q, NO_DISTANCE)


def _length(column: Sequence[Scalar]) -> Scalar | None:
    """|v|, where |v|² is a rational number whose root has a form."""
    total = ZERO
    for x in column:
        total = total + x * x
    return root_in_ring(total.rational_value()) if total.is_rational() else None


def _inverse(e: ScalarMatrix) -> ScalarMatrix:
    """Of size 1 or 2."""
    if len(e) == 1:
        return ((e[0][0].inverse(),),)
    (a, b), (c, d) = e
    scale = (a * d - b * c).inverse()
    return ((d * scale, -b * scale), (-c * scale, a * scale))


def _joined(splits: Sequence[_Split]) -> fmpq_mat:
    rows = zip(*(s.columns.tolist() for s in splits), strict=True)
    return fmpq_mat([[x for part in row for x in part] for row in rows])


def _assembled(
    splits: Sequence[_Split], parts: _Parts, p: ScalarMatrix, q: ScalarMatrix, distance: fmpq
) -> JointBasis:
    return JointBasis(
        tuple(parts.planes),
        tuple(map(tuple, parts.rates)),
        tuple(map(tuple, parts.frequencies)),
        tuple(scalar_matrix(x) for x in parts.shears),
        max(joint_degree(s.piece.nilpotents) for s in splits),
        p,
        q,
        distance,
    )


# -- next to it -------------------------------------------------------------------------------


def _nearby(
    splits: Sequence[_Split], matrices: Sequence[fmpq_mat], factors: Sequence[Scalar]
) -> JointBasis:
    size = matrices[0].nrows()
    if size > MAX_DIMENSION:
        raise NotYetCovered(
            f"code for axes with eigenvalues of degree 3 or more on {size} coupled channels; at "
            f"most {MAX_DIMENSION} are covered (give the axes as blocks)"
        )
    with precision(WORKING_BITS + 32 * size):
        parts = _parts(splits, len(matrices), size, exact=False)
        assert parts is not None
        raw = _joined(splits) * to_fmpq(block_diagonal(parts.changes))
        scales = _reciprocal_lengths(raw, parts)
        rows = raw.tolist()
        p = _rounded([[x * s for x, s in zip(row, scales, strict=True)] for row in rows])
        _round(parts, scales)
    try:
        q = p.inv()
    except ZeroDivisionError:
        raise _nearly_dependent() from None
    distance = NO_DISTANCE
    inside = [_inside(parts, axis) for axis in range(len(matrices))]
    if any(a * b != b * a for a, b in combinations(inside, 2)):
        raise NotYetCovered(f"axes that commute no more when they are rounded to {BITS} bits")
    for y, x, factor in zip(inside, matrices, factors, strict=True):
        near = p * y * q
        away = max(abs(a - b) for a, b in zip(near.entries(), x.entries(), strict=True))
        if x != fmpq_mat(size, size) and away > power_of_two(x) * MAX_DISTANCE:
            raise _nearly_dependent()
        size_of_factor = arb(1) if factor == ONE else abs(factor.ball({}))
        distance = max(distance, _above(arb(away) * size_of_factor))
    largest = [max(abs(x) for x in m.entries()) for m in (p, q)]
    if size * largest[0] * largest[1] > MAX_CONDITION:
        raise _nearly_dependent()
    return _assembled(splits, parts, from_fmpq(p), from_fmpq(q), distance)


def _nearly_dependent() -> NotYetCovered:
    return NotYetCovered(
        "code for axes with eigenvalues of degree 3 or more whose common eigenvectors are nearly "
        "dependent: they would lose the accuracy of the kernel"
    )


def _reciprocal_lengths(columns: fmpq_mat, parts: _Parts) -> list[fmpq]:
    """One factor for both columns of a plane: the middle of both lengths becomes 1, or about 1.

    Where something shears they are powers of two, so that rounding the Nₐ leaves them commuting.
    """
    squares = [
        sum((x * x for x in column), fmpq(0)) for column in zip(*columns.tolist(), strict=True)
    ]
    for first, second in parts.planes:
        squares[first] = squares[second] = (squares[first] + squares[second]) / 2
    if any(not x.is_zero() for shear in parts.shears for row in shear for x in row):
        return [_near_power_of_two(x) for x in squares]
    return [_dyadic(1 / arb(x).sqrt()).rational_value() for x in squares]


def _near_power_of_two(square: fmpq) -> fmpq:
    """A power of two within a factor 2 of 1/√x."""
    bits = int(square.p).bit_length() - int(square.q).bit_length()
    return fmpq(2) ** (-(bits // 2))


def _round(parts: _Parts, scales: Sequence[fmpq]) -> None:
    """What the axes do on the scaled columns, with `BITS` bits."""
    for rows in (parts.rates, parts.frequencies):
        for row in rows:
            row[:] = [_dyadic(x.ball({})) for x in row]
    for shear in parts.shears:
        for i, row in enumerate(shear):
            ratios = [Scalar.rational(x / scales[i]) for x in scales]
            row[:] = [
                x if x.is_zero() else _dyadic((x * ratio).ball({}))
                for x, ratio in zip(row, ratios, strict=True)
            ]


def _rounded(rows: Sequence[Sequence[fmpq]]) -> fmpq_mat:
    return fmpq_mat([[_dyadic(arb(v)).rational_value() for v in row] for row in rows])


def _inside(parts: _Parts, axis: int) -> fmpq_mat:
    """D + N of one axis."""
    rows: list[list[Any]] = [[x.rational_value() for x in row] for row in parts.shears[axis]]
    for i, x in enumerate(parts.rates[axis]):
        rows[i][i] += x.rational_value()
    for (first, second), x in zip(parts.planes, parts.frequencies[axis], strict=True):
        rows[first][second] += x.rational_value()
        rows[second][first] -= x.rational_value()
    return fmpq_mat(rows)


def _above(x: arb) -> fmpq:
    """A rational number of few digits that is not below."""
    with precision(BITS):
        mantissa, exponent = (+x).upper().man_exp()
    return fmpq(int(mantissa)) * fmpq(2) ** int(exponent)


__all__ = ["JointBasis", "joint_basis"]
