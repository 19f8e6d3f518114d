"""Scaling of a Jordan basis by powers of two, so that a kernel in its coordinates rounds well.

X = P·J·Q with Q = P⁻¹ is as true as X = (PD)(D⁻¹JD)(D⁻¹Q) for every diagonal D that keeps J a
sum of blocks: one factor δ for a block, and along a chain δ, δη, δη², …, which turns the ones above
its diagonal into η. The rounding error of a kernel grows with |P|·|Q|; here δ and η are the powers
of two that bring the norms of columns of P and rows of Q together (least squares of their
logarithms), as equilibration does. Powers of two scale binary numbers exactly. Sizes are estimated
in binary64: they choose D and decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from flint import fmpq

from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.generators.block import Block


def balanced(
    blocks: Sequence[Block], basis: ScalarMatrix, inverse: ScalarMatrix
) -> tuple[list[Block], ScalarMatrix, ScalarMatrix]:
    """Blocks D⁻¹JD with PD and D⁻¹Q; coordinates of J in the order of its blocks.

    >>> from symbolic_pe.algebra.scalar import ONE, ZERO
    >>> eight, eighth = Scalar.rational(8), Scalar.rational(fmpq(1, 8))
    >>> p, q = ((eight, ZERO), (ZERO, ONE)), ((eighth, ZERO), (ZERO, ONE))
    >>> (block,), p, q = balanced([Block(ZERO, ZERO, 2)], p, q)
    >>> str(block.shear), str(p[0][0]), str(q[1][1])
    ('8', '1', '1')
    """
    imbalances = _imbalances(basis, inverse)
    scaled: list[Block] = []
    exponents: list[int] = []
    for block in blocks:
        width = 2 if block.is_pair else 1
        start = len(exponents)
        links = [
            sum(imbalances[start + k * width : start + (k + 1) * width]) / width
            for k in range(block.chain_length)
        ]
        first, step = _line(links)
        exponents += [first + step * k for k in range(block.chain_length) for _ in range(width)]
        scaled.append(replace(block, shear=block.shear * _power(step)) if step else block)
    if not any(exponents):
        return list(blocks), basis, inverse
    columns, rows = [_power(e) for e in exponents], [_power(-e) for e in exponents]
    p = tuple(tuple(x * d for x, d in zip(row, columns, strict=True)) for row in basis)
    q = tuple(tuple(x * d for x in row) for row, d in zip(inverse, rows, strict=True))
    return scaled, p, q


def _imbalances(basis: ScalarMatrix, inverse: ScalarMatrix) -> list[float]:
    """log₂ √(|row of Q| / |column of P|) of every coordinate; 0 beyond the range of binary64."""
    columns = [math.hypot(*(x.to_float() for x in c)) for c in zip(*basis, strict=True)]
    rows = [math.hypot(*(x.to_float() for x in row)) for row in inverse]
    sizes = zip(columns, rows, strict=True)
    return [_imbalance(column, row) for column, row in sizes]


def _imbalance(column: float, row: float) -> float:
    usable = all(0 < x < math.inf for x in (column, row))
    return (math.log2(row) - math.log2(column)) / 2 if usable else 0.0


def _line(values: Sequence[float]) -> tuple[int, int]:
    """The line through (k, values[k]) by least squares, its slope and start rounded."""
    count = len(values)
    mean, middle = sum(values) / count, (count - 1) / 2
    spread = sum((k - middle) ** 2 for k in range(count))
    slope = sum((k - middle) * v for k, v in enumerate(values)) / spread if spread else 0.0
    step = round(slope)
    return round(mean - step * middle), step


def _power(exponent: int) -> Scalar:
    return Scalar.rational(fmpq(2) ** exponent)


__all__ = ["balanced"]
