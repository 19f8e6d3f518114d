"""Matrices near X at which two eigenvalues have become one, exactly.

Where σ_min(X − zI) is stationary in z, its singular vectors satisfy uᴴv = 0, and z is a multiple
eigenvalue of X − σuvᴴ: (X − σuvᴴ)v = zv and uᴴ(X − σuvᴴ) = zuᴴ. (Alam and Bora 2005: the nearest
matrix with a multiple eigenvalue is of this form.) Such z are found numerically. What is numerical
about it is then forgotten: with dyadic Y that spans the invariant subspace found, a left inverse
L·Y = I, and a dyadic B that is defective by its shape,

    X′ = X + (Y·B − X·Y)·L     satisfies     X′·Y = Y·B     exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flint import acb, acb_mat, arb, ctx, fmpq, fmpq_mat

from symbolic_pe.jordan.resolvent import (
    SingularTriple,
    exact_midpoint,
    frobenius_norm,
    singular_triple,
    unit,
)
from symbolic_pe.jordan.spectrum import exponent_of

AXIS_SAMPLES = 12
GUARD_BITS = 24
MAX_WITNESS_BITS = 512
MAX_STEPS = 60


@dataclass(frozen=True)
class Chain:
    """Y and B: a chain at a real z (B = [[z, β], [0, z]]), or at z and its conjugate.

    For z = a + bi, B = [[Z, βI], [0, Z]] with Z = [[a, b], [−b, a]]. In both cases β ≠ 0, so B is
    not diagonalisable.
    """

    basis: fmpq_mat
    block: fmpq_mat
    real: fmpq
    imaginary: fmpq


def moved(x: fmpq_mat, basis: fmpq_mat, block: fmpq_mat) -> fmpq_mat:
    """X′ = X + (YB − XY)L with L = (YᵀY)⁻¹Yᵀ, so that X′Y = YB exactly.

    >>> x = fmpq_mat([[0, 1], [0, 2]])
    >>> near = moved(x, fmpq_mat([[1], [0]]), fmpq_mat([[5]]))
    >>> near
    [5, 1]
    [0, 2]

    Raises `ZeroDivisionError` when the columns of Y are dependent.
    """
    transposed = basis.transpose()
    left_inverse = (transposed * basis).inv() * transposed
    return x + (basis * block - x * basis) * left_inverse


# -- stationary points ------------------------------------------------------------------------


def stationary_on_axis(x: acb_mat, low: arb, high: arb) -> Iterator[SingularTriple]:
    """Real z in an interval at which uᵀv changes sign: σ_min is stationary along the axis.

    By X̄ = X it is stationary across the axis as well.
    """
    width = high - low
    points = [(low + width * (2 * k + 1) / (2 * AXIS_SAMPLES)).mid() for k in range(AXIS_SAMPLES)]
    triples = [t for t in (singular_triple(x, acb(p)) for p in points) if t is not None]
    for left, right in pairwise(triples):
        if left.slope.real * right.slope.real <= 0:
            found = _bisected(x, left, right, lambda t: t.slope.real)
            if found is not None:
                yield found


def stationary_between(x: acb_mat, start: acb, end: acb) -> SingularTriple | None:
    """A stationary point found from the crest of σ_min on the segment between two eigenvalues."""
    direction = (end - start).mid()
    points = [start + direction * k / 8 for k in range(1, 8)]
    triples = [t for t in (singular_triple(x, p.mid()) for p in points) if t is not None]

    def along(triple: SingularTriple) -> arb:
        return (triple.slope * direction).real

    best: SingularTriple | None = None
    for left, right in pairwise(triples):
        # σ rises before the crest (slope·d < 0) and falls behind it
        if along(left) <= 0 <= along(right):
            found = _bisected(x, left, right, along)
            if found is not None and (best is None or found.sigma > best.sigma):
                best = found
    if best is None:
        return None
    return best if _is_stationary(best) else _newton(x, best)


def _is_stationary(triple: SingularTriple) -> bool:
    return bool(abs(triple.slope) < arb(2) ** -GUARD_BITS)


def _bisected(
    x: acb_mat,
    left: SingularTriple,
    right: SingularTriple,
    slope: Callable[[SingularTriple], arb],
) -> SingularTriple | None:
    """Narrow the change of sign down, then join the singular vectors so that the slope is 0.

    At a crest where two singular values cross, u and v jump; every combination is then a pair of
    singular vectors, and one of them has slope 0. The secant is tried first, but every third step
    halves, since a jump defeats it.
    """
    tiny = abs(right.z - left.z) * arb(2) ** (-2 * GUARD_BITS)
    for step in range(MAX_STEPS):
        first, last = slope(left), slope(right)
        share = first / (first - last) if step % 3 != 2 and first != last else arb(fmpq(1, 2))
        middle = singular_triple(x, (left.z + (right.z - left.z) * share.mid()).mid())
        if middle is None:
            return None
        found = slope(middle)
        if first * found <= 0:
            right = middle
        else:
            left = middle
        if abs(found) < arb(2) ** (-2 * GUARD_BITS):
            return middle
        if abs(right.z - left.z) < tiny:
            return _joined(left, right, slope)
    return None


def _joined(
    left: SingularTriple, right: SingularTriple, slope: Callable[[SingularTriple], arb]
) -> SingularTriple:
    phase = (left.right.conjugate().transpose() * right.right)[0, 0]
    size = abs(phase).mid()
    turn = (phase / size).mid().conjugate() if size > arb(2) ** -GUARD_BITS else acb(1)
    low, high = arb(0), arb(fmpq(1, 2))
    first = slope(left)
    result = left
    for _ in range(2 * GUARD_BITS):
        angle = ((low + high) / 2).mid()
        c, s = angle.cos_pi().mid(), angle.sin_pi().mid()
        result = SingularTriple(
            left.z,
            left.sigma,
            unit(left.left * c + right.left * turn * s),
            unit(left.right * c + right.right * turn * s),
        )
        if first * slope(result) <= 0:
            high = angle
        else:
            low = angle
    return result


def _newton(x: acb_mat, start: SingularTriple) -> SingularTriple | None:
    """Newton's iteration for uᴴv = 0 in the two real coordinates of z."""
    current = start
    for _ in range(20):
        if _is_stationary(current):
            return current
        h = current.slope
        step = (arb(2) ** -40 * (abs(current.z) + current.sigma)).mid()
        across = singular_triple(x, (current.z + acb(step, 0)).mid())
        upwards = singular_triple(x, (current.z + acb(0, step)).mid())
        if across is None or upwards is None:
            return None
        dx, dy = (across.slope - h) / step, (upwards.slope - h) / step
        determinant = (dx.real * dy.imag - dx.imag * dy.real).mid()
        if determinant == 0:
            return None
        move = acb(
            -(h.real * dy.imag - h.imag * dy.real) / determinant,
            -(dx.real * h.imag - dx.imag * h.real) / determinant,
        ).mid()
        following = None
        for _ in range(8):
            following = singular_triple(x, (current.z + move).mid())
            if following is not None and abs(following.slope) < abs(h):
                break
            move = (move / 2).mid()
        if following is None:
            return None
        current = following
    return None


# -- witnesses --------------------------------------------------------------------------------


def chain_at(x: acb_mat, triple: SingularTriple) -> Chain | None:
    """Y and B of the chain of X − σuvᴴ at z, rounded to dyadic numbers.

    The second vector w of the chain solves (X − σuvᴴ − zI)w = v with vᴴw = 0, which is a regular
    system once it is bordered by u and vᴴ.
    """
    n = x.nrows()
    u, v, z = triple.left, triple.right, triple.z
    if z.imag == 0:
        u, v = _real(u), _real(v)
    adjoint = v.conjugate().transpose()
    near = x - u * adjoint * triple.sigma
    rows = [[*[near[i, j] - (z if i == j else 0) for j in range(n)], u[i, 0]] for i in range(n)] + [
        [*[adjoint[0, j] for j in range(n)], acb(0)]
    ]
    right = [[v[i, 0]] for i in range(n)] + [[acb(0)]]
    try:
        solved = acb_mat([[e.mid() for e in row] for row in rows]).solve(acb_mat(right)).mid()
    except ZeroDivisionError:
        return None
    w = acb_mat([[solved[i, 0]] for i in range(n)])
    size = frobenius_norm(w).mid()
    if not size > 0:
        return None
    digits = witness_bits(x, triple.sigma)
    if digits > min(MAX_WITNESS_BITS, ctx.prec):
        # σ is nothing but rounding: z is an eigenvalue, not a meeting
        return None
    vectors = [v, (w / size).mid()]
    a, b, beta = (rounded(t, digits, x) for t in (z.real, z.imag, 1 / size))
    if beta == 0:
        beta = fmpq(1, 1 << digits)
    if z.imag == 0:
        basis = [[rounded(y[i, 0].real, digits) for y in vectors] for i in range(n)]
        block = [[a, beta], [0, a]]
    else:
        basis = [
            [rounded(part, digits) for y in vectors for part in (y[i, 0].real, y[i, 0].imag)]
            for i in range(n)
        ]
        block = [[a, b, beta, 0], [-b, a, 0, beta], [0, 0, a, b], [0, 0, -b, a]]
    return Chain(fmpq_mat(basis), fmpq_mat(block), a, b if z.imag != 0 else fmpq(0))


def merged(x: acb_mat, values: Sequence[acb]) -> Chain | None:
    """Y and B by moving eigenvalues together inside their own invariant subspace.

    In an orthonormal basis of it, X is block triangular with the real eigenvalues and, for pairs,
    [[a, p], [q, a]] on the diagonal. Real eigenvalues are moved to their mean; a pair reaches the
    real axis when the smaller of p and q becomes 0; two pairs are moved to the mean of a and of
    b = √(−pq). It is never the nearest such matrix, but nothing else moves.
    """
    offset = (arb(2) ** (-ctx.prec // 2) * frobenius_norm(x)).mid()
    vectors: list[acb_mat] = []
    for value in values:
        triple = singular_triple(x, (value + offset).mid())
        if triple is None:
            return None
        v = _real(triple.right) if value.imag == 0 else triple.right
        parts = [_part(v, lambda z: z.real)]
        if value.imag != 0:
            parts.append(_part(v, lambda z: z.imag))
        vectors.extend(parts)
    basis = _equal_diagonals(x, _orthonormal(vectors), values)
    square = (basis.transpose() * x * basis).mid()
    spread = sum((abs(v - values[0]) for v in values), start=min(abs(v.imag) for v in values))
    digits = witness_bits(x, spread)
    if digits > min(MAX_WITNESS_BITS, ctx.prec):
        return None
    shape = _merged_block(x, square, values, digits)
    if shape is None:
        return None
    block, a, b = shape
    rows = [
        [rounded(basis[i, j].real, digits) for j in range(basis.ncols())]
        for i in range(basis.nrows())
    ]
    return Chain(fmpq_mat(rows), block, a, b)


def _merged_block(
    x: acb_mat, square: acb_mat, values: Sequence[acb], digits: int
) -> tuple[fmpq_mat, fmpq, fmpq] | None:
    """The defective block next to a block triangular one, with its eigenvalue a + bi."""
    size = square.nrows()
    block = [[rounded(square[i, j].real, digits, x) for j in range(size)] for i in range(size)]
    pairs = [v for v in values if v.imag != 0]
    a = rounded(sum((acb(square[i, i]).real for i in range(size)), start=arb(0)) / size, digits, x)
    for i in range(size):
        block[i][i] = a
    for i, j in _below_the_blocks(values):
        block[i][j] = fmpq(0)
    starts = _starts(values)
    if len(pairs) < 2:
        for k, v in zip(starts, values, strict=True):
            if v.imag != 0:
                small = (k, k + 1) if abs(block[k][k + 1]) < abs(block[k + 1][k]) else (k + 1, k)
                block[small[0]][small[1]] = fmpq(0)
        b = fmpq(0)
    else:
        b = rounded(sum((v.imag for v in pairs), start=arb(0)) / len(pairs), digits, x)
        for k, v in zip(starts, values, strict=True):
            p = rounded(square[k, k + 1].real * arb(b) / v.imag, digits, x)
            if p == 0:
                return None
            block[k][k + 1], block[k + 1][k] = p, -b * b / p
    return (fmpq_mat(block), a, b) if _is_defective(fmpq_mat(block), a, b) else None


def _starts(values: Sequence[acb]) -> list[int]:
    starts, size = [], 0
    for v in values:
        starts.append(size)
        size += 1 if v.imag == 0 else 2
    return starts


def _below_the_blocks(values: Sequence[acb]) -> Iterator[tuple[int, int]]:
    starts = _starts(values)
    for start, v in zip(starts, values, strict=True):
        for i in range(start, start + (1 if v.imag == 0 else 2)):
            for j in range(start):
                yield i, j


def _is_defective(block: fmpq_mat, a: fmpq, b: fmpq) -> bool:
    """(B − a)² + b² ≠ 0, or B ≠ a when b = 0: B has one eigenvalue (or pair) and is not simple."""
    n = block.nrows()
    unit_matrix = fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])
    shifted = block - a * unit_matrix
    image = shifted if b == 0 else shifted * shifted + (b * b) * unit_matrix
    return any(entry != 0 for entry in image.entries())


def _part(v: acb_mat, part: Callable[[acb], arb]) -> acb_mat:
    return acb_mat([[acb(part(v[i, 0]))] for i in range(v.nrows())])


def _orthonormal(vectors: Sequence[acb_mat]) -> acb_mat:
    found: list[acb_mat] = []
    for vector in vectors:
        v = unit(vector)
        for _ in range(2):
            for e in found:
                v = (v - e * (e.transpose() * v)[0, 0]).mid()
            v = unit(v)
        found.append(v)
    return acb_mat([[e[i, 0] for e in found] for i in range(found[0].nrows())])


def _equal_diagonals(x: acb_mat, basis: acb_mat, values: Sequence[acb]) -> acb_mat:
    """Turn the basis of each pair so that its block has equal diagonal entries."""
    square = (basis.transpose() * x * basis).mid()
    columns = [[basis[i, j] for i in range(basis.nrows())] for j in range(basis.ncols())]
    for k, v in zip(_starts(values), values, strict=True):
        if v.imag == 0:
            continue
        difference = (square[k, k] - square[k + 1, k + 1]).real
        both = (square[k, k + 1] + square[k + 1, k]).real
        # RᵀAR has the difference (α − δ)cos 2φ + (β + γ)sin 2φ of diagonal entries
        angle = arb.atan2(-difference.mid(), both.mid()).mid() / 2
        c, s = angle.cos().mid(), angle.sin().mid()
        e, f = columns[k], columns[k + 1]
        columns[k] = [(c * p + s * q).mid() for p, q in zip(e, f, strict=True)]
        columns[k + 1] = [(c * q - s * p).mid() for p, q in zip(e, f, strict=True)]
    return acb_mat([list(row) for row in zip(*columns, strict=True)])


def witness_bits(x: acb_mat, sigma: arb) -> int:
    """Bits after the point so that rounding is small beside σ."""
    return GUARD_BITS + max(0, exponent_of(frobenius_norm(x) / sigma))


def rounded(value: arb, digits: int, x: acb_mat | None = None) -> fmpq:
    """The midpoint as a multiple of 2^−digits (relative to the size of X when it is given)."""
    exponent = digits if x is None else digits - exponent_of(frobenius_norm(x))
    scale = fmpq(2) ** exponent
    return fmpq((exact_midpoint(value) * scale + fmpq(1, 2)).floor()) / scale


def _real(v: acb_mat) -> acb_mat:
    """A singular vector of a real matrix, freed of its phase."""
    pivot = max(range(v.nrows()), key=lambda i: float(abs(v[i, 0]).mid()))
    phase = (v[pivot, 0] / abs(v[pivot, 0])).mid()
    return unit(acb_mat([[acb((v[i, 0] / phase).real)] for i in range(v.nrows())]))
