"""A common basis of commuting generators: exactly, or next to them with the distance computed."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from flint import fmpq, fmpq_mat

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    identity,
    multiply,
    scalar_matrix,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.joint_basis import JointBasis, joint_basis


def matrix(*rows: str) -> ScalarMatrix:
    return scalar_matrix([[parse(x) for x in row.split()] for row in rows])


def inside(found: JointBasis, axis: int) -> ScalarMatrix:
    """D + N of an axis."""
    rows = [list(row) for row in found.shears[axis]]
    for i, x in enumerate(found.rates[axis]):
        rows[i][i] = rows[i][i] + x
    for (first, second), x in zip(found.planes, found.frequencies[axis], strict=True):
        rows[first][second] = rows[first][second] + x
        rows[second][first] = rows[second][first] - x
    return scalar_matrix(rows)


def decide(matrices: Sequence[ScalarMatrix], found: JointBasis) -> None:
    """P·P⁻¹ = I, and |P·(D + N)·P⁻¹ − X| at most the distance, which is 0 or small."""
    n = len(matrices[0])
    assert multiply(found.basis, found.inverse) == identity(n)
    for axis, x in enumerate(matrices):
        made = multiply(multiply(found.basis, inside(found, axis)), found.inverse)
        differences = [
            a - b for r, s in zip(made, x, strict=True) for a, b in zip(r, s, strict=True)
        ]
        if not found.distance:
            assert all(d.is_zero() for d in differences)
            continue
        assert all(abs(d.rational_value()) <= found.distance for d in differences)
        assert 0 < found.distance < fmpq(1, 10**30)
    nilpotent = [to_fmpq(s) for s in found.shears if any(not x.is_zero() for r in s for x in r)]
    assert bool(nilpotent) == (found.degree > 0)


EXACT = {
    "skew, 3": (["0 -1 0", "1 0 -2", "0 2 0"], ["0 1/2 0", "-1/2 0 1", "0 -1 0"]),
    "real": (["0 2", "1 0"], ["1 4", "2 1"]),
    "symmetric": (["2 1", "1 0"],),
    "damped": (["-1 1", "-1 -2"], ["1 2", "-2 -1"]),
    "row": (["0 1 0", "0 0 0", "0 0 0"], ["0 0 1", "0 0 0", "0 0 0"]),
    "square": (
        ["0 1 0 0", "0 0 1 0", "0 0 0 1", "0 0 0 0"],
        ["0 0 2 0", "0 0 0 2", "0 0 0 0", "0 0 0 0"],
    ),
    "planes in a chain": (
        ["0 -1 1 0", "1 0 0 1", "0 0 0 -1", "0 0 1 0"],
        ["1 0 0 -2", "0 1 2 0", "0 0 1 0", "0 0 0 1"],
    ),
    "a factor": (["0 -sqrt(2) 0", "sqrt(2) 0 0", "0 0 sqrt(2)"], ["pi 0 0", "0 pi 0", "0 0 0"]),
}


@pytest.mark.parametrize("name", list(EXACT))
def test_exact_bases(name: str) -> None:
    matrices = [matrix(*rows) for rows in EXACT[name]]
    found = joint_basis(matrices)
    assert not found.distance
    decide(matrices, found)


def polynomials(rows: Sequence[Sequence[int]], *, skew: bool) -> list[ScalarMatrix]:
    x = fmpq_mat(len(rows), len(rows), [fmpq(v, 3) for row in rows for v in row])
    x = x - x.transpose() if skew else x
    return [from_fmpq(x), from_fmpq(x * x * x / 100 - x)]


@pytest.mark.parametrize(
    ("size", "skew"), [(4, True), (7, True), (12, True), (3, False), (6, False)]
)
def test_bases_next_to_dense_axes(size: int, skew: bool) -> None:
    drawn = random.Random(size)
    matrices = polynomials(
        [[drawn.randint(-3, 3) for _ in range(size)] for _ in range(size)], skew=skew
    )
    found = joint_basis(matrices)
    decide(matrices, found)
    assert len(found.planes) == size // 2 or not skew
    near = to_fmpq(transpose(found.basis)) - to_fmpq(found.inverse)
    assert skew == all(abs(x) < fmpq(1, 10**30) for x in near.entries())


def test_eigenvalues_that_several_columns_share() -> None:
    """One skew block twice, with equal weights: a plane of each frequency for each copy."""
    block = to_fmpq(matrix("0 1 0 1/2", "-1 0 0 1/3", "0 0 0 1/4", "-1/2 -1/3 -1/4 0"))
    x = fmpq_mat(8, 8)
    mixing = fmpq_mat(2, 2, [fmpq(v) for v in (2, 1, 1, 3)])
    for i in range(8):
        for j in range(8):
            x[i, j] = block[i % 4, j % 4] * fmpq(int(i // 4 == j // 4))
    y = fmpq_mat(8, 8)
    for i in range(8):
        for j in range(8):
            y[i, j] = block[i % 4, j % 4] * mixing[i // 4, j // 4]
    matrices = [from_fmpq(x), from_fmpq(y)]
    found = joint_basis(matrices)
    decide(matrices, found)
    assert len(found.planes) == 4
    assert all(not t.is_zero() for row in found.frequencies for t in row)
    assert all(t.sign() > 0 for t in found.frequencies[0]), "the first axis that turns has θ > 0"


def test_shears_are_strictly_triangular_and_chains_for_one_nilpotent() -> None:
    chain = to_fmpq(matrix("0 1 0 0", "0 0 1 0", "0 0 0 1", "0 0 0 0"))
    turn = fmpq_mat(4, 4, [fmpq(v) for v in (1, 2, 0, 1, 0, 1, 1, 0, 2, 0, 1, 0, 0, 1, 0, 1)])
    x = turn * chain * turn.inv()
    found = joint_basis([from_fmpq(x), from_fmpq(x * x / 3)])
    assert to_fmpq(found.shears[0]) == chain
    assert found.degree == 3
    decide([from_fmpq(x), from_fmpq(x * x / 3)], found)


def test_rounded_shears_still_commute() -> None:
    """I⊗C + E⊗I and E⊗C + 3I, C the companion matrix of x³ − 2, seen from another basis."""
    n = 3
    companion = fmpq_mat([[0, 0, 2], [1, 0, 0], [0, 1, 0]])
    shift = fmpq_mat([[int(j == i + 1) for j in range(n)] for i in range(n)])
    one = fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])

    def kronecker(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
        size = range(n * n)
        return fmpq_mat([[a[i // n, j // n] * b[i % n, j % n] for j in size] for i in size])

    every = kronecker(one, one)
    change = fmpq_mat([[int(i == j) + 2 * int(j == i + 4) for j in range(9)] for i in range(9)])
    axes = [
        change * x * change.inv()
        for x in (
            kronecker(one, companion) + kronecker(shift, one),
            kronecker(shift, companion) + 3 * every,
        )
    ]
    found = joint_basis([from_fmpq(x) for x in axes])
    decide([from_fmpq(x) for x in axes], found)
    assert found.degree == 2
    first, second = (to_fmpq(x) for x in found.shears)
    assert first * second == second * first


def test_what_has_no_basis_is_refused() -> None:
    with pytest.raises(NotYetCovered, match="no rational multiples of one number"):
        joint_basis([matrix("sqrt(2) 1", "0 0")])


def test_an_axis_that_does_nothing() -> None:
    still = scalar_matrix([[ZERO] * 2, [ZERO] * 2])
    found = joint_basis([still, matrix("0 -1", "4 0")])
    decide([still, matrix("0 -1", "4 0")], found)
    assert found.frequencies[1] == (Scalar.rational(2),)
