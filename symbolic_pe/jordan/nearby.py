"""A rational generator next to one whose eigenvalues have degree 3 or more, with an exact basis.

Such eigenvalues have no closed form worth printing, but a kernel contains rounded constants anyway.
Eigenvalues and eigenvectors are taken as dyadic numbers of 100 bits; with P̂ and K̂ of these,

    X̂ = P̂·K̂·P̂⁻¹        exactly, over the rationals,

is a generator with a known real Jordan form, and ‖X̂ − X‖ is computed exactly. Everything proved of
the kernel is proved of X̂; the distance is stated beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import acb, acb_mat, arb, fmpq, fmpq_mat

from symbolic_pe.algebra.matrix import ScalarMatrix, block_diagonal, from_fmpq, to_fmpq
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.block import Block

BITS = 100
WORKING_BITS = 400
MAX_DIMENSION = 16
MAX_DISTANCE = fmpq(1, 10**24)
"""Largest |X̂ − X|, relative to the size of X."""
MAX_CONDITION = 10**6
"""Largest d·max|P|·max|P⁻¹|: the factor by which a change of basis multiplies rounding."""


@dataclass(frozen=True)
class NearbyForm:
    """X̂·P = P·J and P·Q = I exactly, with |X̂ − X| ≤ distance entry by entry."""

    matrix: ScalarMatrix
    blocks: tuple[Block, ...]
    basis: ScalarMatrix
    inverse_basis: ScalarMatrix
    distance: fmpq


def nearby_form(matrix: ScalarMatrix) -> NearbyForm:
    """The nearby generator of a rational matrix with simple eigenvalues.

    Raises `NotYetCovered` for repeated eigenvalues and above dimension 16.
    """
    n = len(matrix)
    if n > MAX_DIMENSION:
        raise NotYetCovered(
            f"code for a generator with eigenvalues of degree 3 or more in dimension {n}; at most "
            f"{MAX_DIMENSION} is covered (give the generator as blocks)"
        )
    x = to_fmpq(matrix)
    scale = power_of_two(x)
    try:
        blocks, columns = _blocks_and_columns(x / scale)
        p = fmpq_mat([list(row) for row in zip(*columns, strict=True)])
        q = p.inv()
    except (ValueError, ZeroDivisionError):
        raise _ill_conditioned() from None
    blocks = [
        Block(b.rate * Scalar.rational(scale), b.frequency * Scalar.rational(scale)) for b in blocks
    ]
    near = p * to_fmpq(block_diagonal([b.generator for b in blocks])) * q
    distance = max(abs(a - b) for a, b in zip(near.entries(), x.entries(), strict=True))
    if distance > scale * MAX_DISTANCE or n * _largest(p) * _largest(q) > MAX_CONDITION:
        raise _ill_conditioned()
    return NearbyForm(from_fmpq(near), tuple(blocks), from_fmpq(p), from_fmpq(q), distance)


def _ill_conditioned() -> NotYetCovered:
    return NotYetCovered(
        "code for a generator with eigenvalues of degree 3 or more that is badly scaled or nearly "
        "defective: its eigenvectors would lose the accuracy of the kernel"
    )


def _largest(x: fmpq_mat) -> fmpq:
    return max(abs(entry) for entry in x.entries())


def power_of_two(x: fmpq_mat) -> fmpq:
    """2^k with entries of X/2^k of size about 1."""
    size = _largest(x)
    exponent = int(size.p).bit_length() - int(size.q).bit_length()
    return fmpq(2) ** exponent


def _blocks_and_columns(x: fmpq_mat) -> tuple[list[Block], list[list[fmpq]]]:
    with precision(WORKING_BITS):
        balls = acb_mat([[acb(arb(entry)) for entry in row] for row in x.tolist()])
        try:
            values, vectors = balls.eig(right=True)
        except (ValueError, ZeroDivisionError):
            raise NotYetCovered(
                "code for a generator with repeated eigenvalues of degree 3 or more"
            ) from None
        n = x.nrows()
        order = sorted(range(n), key=lambda k: (_key(values[k].real), _key(values[k].imag)))
        blocks: list[Block] = []
        columns: list[list[fmpq]] = []
        for k in order:
            a, b = values[k].real, values[k].imag
            vector = _scaled([vectors[i, k] for i in range(n)])
            if b.contains(0):
                blocks.append(Block(Scalar.rational(_dyadic(a)), ZERO))
                columns.append([_dyadic(z.real) for z in vector])
            elif b > 0:
                blocks.append(Block(Scalar.rational(_dyadic(a)), Scalar.rational(_dyadic(b))))
                # X(u + iv) = (a + ib)(u + iv): the plane (u, −v) turns by [[a, −b], [b, a]]
                columns.append([_dyadic(z.real) for z in vector])
                columns.append([_dyadic(-z.imag) for z in vector])
        return blocks, columns


def _scaled(vector: list[Any]) -> list[Any]:
    """Divide by the entry of largest size, so that it becomes 1."""
    pivot = max(range(len(vector)), key=lambda i: float(abs(vector[i]).mid()))
    return [z / vector[pivot] for z in vector]


def _key(x: arb) -> float:
    return round(float(x.mid()), 12)


def _dyadic(x: arb) -> fmpq:
    """The midpoint rounded to a multiple of 2^−BITS."""
    scaled = x.mid() * arb(2) ** BITS
    return fmpq(int((scaled + arb("0.5")).floor().unique_fmpz()), 1 << BITS)
