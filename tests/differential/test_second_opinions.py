"""SymPy's Jordan form and mpmath's exponential on small planted matrices."""

from __future__ import annotations

import mpmath
import sympy
from flint import fmpq, fmpq_mat
from hypothesis import given, settings

from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.jordan.rational import primary_structure
from tests.strategies import Taxon, taxa

DIGITS = 60


def blocks_of(jordan: sympy.Matrix) -> list[tuple[str, int]]:
    """(eigenvalue, size) of the blocks of a complex Jordan matrix."""
    found: list[tuple[str, int]] = []
    size = 1
    n = jordan.rows
    for i in range(n):
        if i + 1 < n and jordan[i, i + 1] == 1:
            size += 1
        else:
            found.append((str(sympy.nsimplify(jordan[i, i])), size))
            size = 1
    return sorted(found)


@given(taxa(max_dimension=4, max_degree=1))
@settings(max_examples=15, deadline=None)
def test_sympy_finds_the_same_blocks(example: Taxon) -> None:
    rows = [[sympy.Rational(int(x.p), int(x.q)) for x in row] for row in example.matrix.tolist()]
    theirs = blocks_of(sympy.Matrix(rows).jordan_form(calc_transform=False))
    ours = sorted(
        (str(-p.factor[0]), size) for p in primary_structure(example.matrix) for size in p.sizes
    )
    assert theirs == ours


@given(taxa(max_dimension=6))
@settings(max_examples=25, deadline=None)
def test_mpmath_computes_the_same_exponential(example: Taxon) -> None:
    t = fmpq(1, 16)
    assert mpmath_agrees(example.matrix, example.matrix, t)


def test_negative_twin_mpmath_disagrees_with_another_matrix() -> None:
    x = fmpq_mat([[0, -1], [1, 0]])
    other = fmpq_mat([[0, -1], [fmpq(10**12 + 1, 10**12), 0]])
    assert mpmath_agrees(x, x, fmpq(1))
    assert not mpmath_agrees(x, other, fmpq(1))


def mpmath_agrees(x: fmpq_mat, theirs: fmpq_mat, t: fmpq) -> bool:
    """Our ball for exp(tX) and mpmath's exponential of another matrix agree to 40 digits."""
    n = x.nrows()
    value = primary_exponential(x).ball(t, 512)
    with mpmath.workdps(DIGITS):
        scaled = [[mpmath.mpf(int(y.p)) / int(y.q) for y in row] for row in (theirs * t).tolist()]
        expected = mpmath.expm(mpmath.matrix(scaled), method="taylor")
        scale = max(abs(expected[i, j]) for i in range(n) for j in range(n))
        return all(
            abs(mpmath.mpf(value[i, j].str(DIGITS, radius=False)) - expected[i, j])
            <= scale * mpmath.mpf(10) ** -40
            for i in range(n)
            for j in range(n)
        )
