"""Small dense matrices over the exact rings: rows of rows, immutable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from flint import fmpq_mat

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar

ScalarMatrix = tuple[tuple[Scalar, ...], ...]
FunctionMatrix = tuple[tuple[ExponentialPolynomial, ...], ...]
E = TypeVar("E")


def scalar_matrix(rows: Sequence[Sequence[Scalar]]) -> ScalarMatrix:
    """Freeze rows."""
    return tuple(tuple(row) for row in rows)


def identity(n: int) -> ScalarMatrix:
    """I of size n."""
    return tuple(tuple(ONE if i == j else ZERO for j in range(n)) for i in range(n))


def multiply(a: ScalarMatrix, b: ScalarMatrix) -> ScalarMatrix:
    """A·B over the scalars, skipping zeros; rational factors are multiplied by FLINT."""
    if a and b and is_rational(a) and is_rational(b):
        return from_fmpq(to_fmpq(a) * to_fmpq(b))
    rows: list[tuple[Scalar, ...]] = []
    width = len(b[0]) if b else 0
    for row in a:
        out = [ZERO] * width
        for x, other in zip(row, b, strict=True):
            if x.is_zero():
                continue
            for j, y in enumerate(other):
                if not y.is_zero():
                    out[j] = out[j] + x * y
        rows.append(tuple(out))
    return tuple(rows)


def act(x: ScalarMatrix, f: FunctionMatrix) -> FunctionMatrix:
    """X·F for a constant matrix and a matrix of functions."""
    return tuple(
        tuple(
            sum_of(
                [
                    f[k][j].scale(row[k])
                    for k in range(len(f))
                    if not row[k].is_zero() and f[k][j].terms
                ],
                f[0][j],
            )
            for j in range(len(f[0]))
        )
        for row in x
    )


def act_right(f: FunctionMatrix, x: ScalarMatrix) -> FunctionMatrix:
    """F·X for a constant matrix and a matrix of functions."""
    return transpose(act(transpose(x), transpose(f)))


def multiply_functions(a: FunctionMatrix, b: FunctionMatrix) -> FunctionMatrix:
    """F·G for matrices of functions."""
    return tuple(
        tuple(
            sum_of(
                [row[k] * b[k][j] for k in range(len(b)) if row[k].terms and b[k][j].terms],
                row[0] * b[0][j],
            )
            for j in range(len(b[0]))
        )
        for row in a
    )


def sum_of(
    parts: Sequence[ExponentialPolynomial], like: ExponentialPolynomial
) -> ExponentialPolynomial:
    """The sum of functions; without any, 0 in the variables of `like`."""
    total = ExponentialPolynomial(like.variables, {})
    for part in parts:
        total = total + part
    return total


def transpose(a: tuple[tuple[E, ...], ...]) -> tuple[tuple[E, ...], ...]:
    """Aᵀ."""
    return tuple(zip(*a, strict=True))


def apply(f: Callable[[E], E], a: tuple[tuple[E, ...], ...]) -> tuple[tuple[E, ...], ...]:
    """Entrywise."""
    return tuple(tuple(f(x) for x in row) for row in a)


def is_rational(a: ScalarMatrix) -> bool:
    """True when every entry is a rational number."""
    return all(x.is_rational() for row in a for x in row)


def to_fmpq(a: ScalarMatrix) -> fmpq_mat:
    """A rational matrix as FLINT's."""
    return fmpq_mat([[x.rational_value() for x in row] for row in a])


def from_fmpq(a: fmpq_mat) -> ScalarMatrix:
    """FLINT's matrix as scalars."""
    return tuple(tuple(Scalar.rational(x) for x in row) for row in a.tolist())


def block_diagonal(blocks: Sequence[ScalarMatrix]) -> ScalarMatrix:
    """⊕ of square blocks."""
    n = sum(len(b) for b in blocks)
    rows = [[ZERO] * n for _ in range(n)]
    offset = 0
    for block in blocks:
        for i, row in enumerate(block):
            rows[offset + i][offset : offset + len(row)] = row
        offset += len(block)
    return scalar_matrix(rows)
