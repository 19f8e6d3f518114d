"""Scaled Jordan bases: the same generator, columns of P and rows of Q of like size."""

from __future__ import annotations

import math

import pytest
from flint import fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix, block_diagonal, multiply
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.emit.balance import balanced
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.encodings.specification import read_specification
from symbolic_pe.generators.block import Block


def diagonal(*entries: fmpq | int) -> ScalarMatrix:
    return block_diagonal([((Scalar.rational(x),),) for x in entries])


def imbalance(p: ScalarMatrix, q: ScalarMatrix) -> float:
    """The largest |column of P|·|row of Q| beyond its two sides: max of their ratio."""
    columns = [math.hypot(*(x.to_float() for x in c)) for c in zip(*p, strict=True)]
    rows = [math.hypot(*(x.to_float() for x in r)) for r in q]
    return max(max(c / r, r / c) for c, r in zip(columns, rows, strict=True))


CHAIN = Block(-ONE, ZERO, 3)
PAIR = Block(ZERO, ONE, 2)


@pytest.mark.parametrize(
    ("block", "sizes"),
    [
        (CHAIN, (1, 64, 4096)),
        (CHAIN, (fmpq(1, 1000), 1, 1000)),
        (PAIR, (16, 16, 1, 1)),
        (Block(ZERO), (fmpq(1, 2**40),)),
    ],
)
def test_the_generator_stays_and_sizes_meet(block: Block, sizes: tuple[fmpq | int, ...]) -> None:
    p, q = diagonal(*sizes), diagonal(*(1 / fmpq(x) for x in sizes))
    x = multiply(multiply(p, block.generator), q)
    (scaled,), p2, q2 = balanced([block], p, q)
    assert multiply(multiply(p2, scaled.generator), q2) == x
    assert multiply(p2, q2) == diagonal(*[1] * len(sizes))
    assert imbalance(p2, q2) <= 4 < imbalance(p, q)


def test_chains_that_no_line_fits_keep_their_generator() -> None:
    """Sizes 1, 2^20, 1: no chain of factors brings all three together."""
    sizes = (1, 2**20, 1)
    p, q = diagonal(*sizes), diagonal(*(1 / fmpq(x) for x in sizes))
    (scaled,), p2, q2 = balanced([CHAIN], p, q)
    x = multiply(multiply(p, CHAIN.generator), q)
    assert multiply(multiply(p2, scaled.generator), q2) == x
    assert imbalance(p2, q2) > 4


def test_what_is_balanced_stays_as_it_is() -> None:
    p = q = diagonal(1, 1, 1)
    blocks, p2, q2 = balanced([CHAIN], p, q)
    assert blocks == [CHAIN]
    assert p2 is p
    assert q2 is q


def test_a_small_entry_above_the_diagonal_does_not_spoil_the_basis() -> None:
    """X = 2⁻⁸·e₃(1, 1, 0)ᵀ: the chain of the Jordan form has a link of length 2⁻⁸."""
    plan = plan_kernel(read_specification("grape-a:form=lift,dim=2,heads=1,u=1 1"))
    assert plan.basis is not None
    assert imbalance(*plan.basis[0]) <= 4
