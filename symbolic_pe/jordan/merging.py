"""Matrices at which eigenvalues have been moved together inside their own invariant subspace.

Where no stationary point of σ_min(X − zI) is at hand, because a real eigenvalue would have to meet
a pair, for instance, this still gives an exact defective matrix X′ (see `coalescence`). It is never
the nearest one, but nothing outside the subspace moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from flint import acb, acb_mat, arb, ctx, fmpq, fmpq_mat

from symbolic_pe.jordan.coalescence import (
    MAX_WITNESS_BITS,
    Chain,
    freed_of_phase,
    rounded,
    witness_bits,
)
from symbolic_pe.jordan.resolvent import frobenius_norm, singular_triple, unit


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
        v = freed_of_phase(triple.right) if value.imag == 0 else triple.right
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
