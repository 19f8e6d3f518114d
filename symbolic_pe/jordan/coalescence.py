"""Matrices near X at which two eigenvalues have become one, exactly.

Where σ_min(X − zI) is stationary in z, its singular vectors satisfy uᴴv = 0, and z is a multiple
eigenvalue of X − σuvᴴ: (X − σuvᴴ)v = zv and uᴴ(X − σuvᴴ) = zuᴴ. (Alam and Bora 2005: the nearest
matrix with a multiple eigenvalue is of this form.) Such z are found numerically. What is numerical
about it is then forgotten: with dyadic Y that spans the invariant subspace found, a left inverse
L·Y = I, and a dyadic B that is defective by its shape,

    X′ = X + (Y·B − X·Y)·L     satisfies     X′·Y = Y·B     exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    """Y and B: B has no eigenvalue but z = a + bi and its conjugate, and is not diagonalisable.

    From a stationary point B is one chain: [[z, β], [0, z]] for real z, and [[Z, βI], [0, Z]] with
    Z = [[a, b], [−b, a]] else, β ≠ 0. Blocks of `merged` are larger or less regular.
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
        u, v = freed_of_phase(u), freed_of_phase(v)
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


def witness_bits(x: acb_mat, sigma: arb) -> int:
    """Bits after the point so that rounding is small beside σ."""
    return GUARD_BITS + max(0, exponent_of(frobenius_norm(x) / sigma))


def rounded(value: arb, digits: int, x: acb_mat | None = None) -> fmpq:
    """The midpoint as a multiple of 2^−digits (relative to the size of X when it is given)."""
    exponent = digits if x is None else digits - exponent_of(frobenius_norm(x))
    scale = fmpq(2) ** exponent
    return fmpq((exact_midpoint(value) * scale + fmpq(1, 2)).floor()) / scale


def freed_of_phase(v: acb_mat) -> acb_mat:
    """A singular vector of a real matrix, freed of its phase."""
    pivot = max(range(v.nrows()), key=lambda i: float(abs(v[i, 0]).mid()))
    phase = (v[pivot, 0] / abs(v[pivot, 0])).mid()
    return unit(acb_mat([[acb((v[i, 0] / phase).real)] for i in range(v.nrows())]))
