"""The rigorous reference: A(τ) = exp(τX) as a matrix of balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from flint import arb, arb_mat, fmpq

from numeric_check.reference_values.entire import entire_pair
from numeric_check.reference_values.exact_number import exact_number, parameter_balls
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import SpecificationError, Undecided
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.jordan.form import ComponentForm

DEFAULT_BITS = 96
DOUBLINGS = 6

Piece = tuple[tuple[int, ...], Callable[[arb], arb_mat]]


def reference(
    encoding: Encoding,
    lag: Any,
    *,
    head: int = 0,
    parameters: Mapping[str, Any] | None = None,
    bits: int = DEFAULT_BITS,
) -> arb_mat:
    """A(τ) of one head as a d × d matrix of balls, each radius below 2⁻ᵇⁱᵗˢ·max|Aᵢⱼ|.

    `lag` is an int, Fraction or `fmpq`, or a float taken as the dyadic rational that it is;
    `parameters` likewise. Each block is evaluated through its closed form, a numeric matrix
    through X = P·J·Q, a parametric 2×2 component through entire functions of its discriminant,
    and what has no real basis through Arb's own matrix exponential.

    Raises `SpecificationError` for a head or parameters that the encoding does not have, and
    `Undecided` when the radius does not shrink to the bound.

    >>> from symbolic_pe.generators.generator import Generator
    >>> from symbolic_pe.encodings.encoding import Encoding, Head
    >>> turn = Generator.from_matrix([["0", "-1"], ["1", "0"]])
    >>> a = reference(Encoding("turn", (Head(turn),)), 1)
    >>> print(a[0, 0].str(10, radius=False))
    0.5403023059
    """
    return references(encoding, [lag], head=head, parameters=parameters, bits=bits)[0]


def references(
    encoding: Encoding,
    lags: Sequence[Any],
    *,
    head: int = 0,
    parameters: Mapping[str, Any] | None = None,
    bits: int = DEFAULT_BITS,
) -> list[arb_mat]:
    """A(τ) at several lags, the closed forms made once; otherwise as `reference`."""
    if not 0 <= head < len(encoding.heads):
        raise SpecificationError(f"expected a head from 0 to {len(encoding.heads) - 1}, got {head}")
    expected, given = set(encoding.parameters), set(parameters or {})
    if expected != given:
        raise SpecificationError(
            f"parameters: expected values for {sorted(expected)}, got {sorted(given)}"
        )
    generator = encoding.heads[head].generator
    exact = {name: exact_number(value) for name, value in (parameters or {}).items()}
    taus = [exact_number(lag) for lag in lags]
    working = bits + 32
    for _ in range(DOUBLINGS):
        with precision(working):
            pieces = list(_pieces(generator, exact))
            results = [_exponential(pieces, generator.dimension, tau) for tau in taus]
        inaccurate = [x for x, r in zip(lags, results, strict=True) if not _is_accurate(r, bits)]
        if not inaccurate:
            return results
        working *= 2
    raise Undecided(f"exp({inaccurate[0]}*X) to {bits} bits: not reached with {working // 2} bits")


def _exponential(pieces: Sequence[Piece], dimension: int, tau: fmpq) -> arb_mat:
    result = arb_mat(dimension, dimension)
    for coordinates, closed_form in pieces:
        part = closed_form(arb(tau))
        for i, row in enumerate(coordinates):
            for j, column in enumerate(coordinates):
                result[row, column] = part[i, j]
    return result


def _is_accurate(matrix: arb_mat, bits: int) -> bool:
    entries = matrix.entries()
    if not all(x.is_finite() for x in entries):
        return False
    size = max(abs(x).mid() for x in entries)
    return bool(max(x.rad() for x in entries) <= size * arb(2) ** -bits)


def _pieces(generator: Generator, parameters: Mapping[str, fmpq]) -> Iterator[Piece]:
    """Coordinates of each invariant part of X with τ ↦ exp(τX) on it."""
    values = parameter_balls(parameters)
    if generator.placed is not None:
        for placed in generator.placed:
            yield placed.coordinates, _of_block(placed.block, values)
    elif parameters:
        yield from _parametric_pieces(generator, values)
    else:
        (case,) = real_jordan_form(generator).cases
        if case.components is None:
            for coordinates in connected_components(generator.matrix):
                yield coordinates, _of_matrix(_restricted(generator.matrix, coordinates), values)
        else:
            for form in case.components:
                yield form.coordinates, _of_form(form, values)


def _parametric_pieces(generator: Generator, values: Mapping[str, arb]) -> Iterator[Piece]:
    for coordinates in connected_components(generator.matrix):
        matrix = _restricted(generator.matrix, coordinates)
        if len(coordinates) == 1:
            yield coordinates, _of_block(Block(matrix[0][0]), values)
        elif len(coordinates) == 2:
            yield coordinates, _of_two_by_two(matrix, values)
        else:
            yield coordinates, _of_matrix(matrix, values)


def _restricted(matrix: ScalarMatrix, coordinates: tuple[int, ...]) -> ScalarMatrix:
    return tuple(tuple(matrix[i][j] for j in coordinates) for i in coordinates)


def _balls(matrix: ScalarMatrix, values: Mapping[str, arb]) -> arb_mat:
    return arb_mat([[x.ball(values) for x in row] for row in matrix])


def _of_block(block: Block, values: Mapping[str, arb]) -> Callable[[arb], arb_mat]:
    """The closed form of the block, evaluated at real τ (its imaginary part is 0)."""
    entries = block.exponential("t")

    def closed_form(tau: arb) -> arb_mat:
        return arb_mat([[f.ball({"t": tau}, values).real for f in row] for row in entries])

    return closed_form


def _of_form(form: ComponentForm, values: Mapping[str, arb]) -> Callable[[arb], arb_mat]:
    """P·exp(τJ)·Q."""
    p, q = _balls(form.basis, values), _balls(form.inverse_basis, values)

    def closed_form(tau: arb) -> arb_mat:
        middle = arb_mat(p.ncols(), p.ncols())
        start = 0
        for block in form.blocks:
            part = _of_block(block, values)(tau)
            for i in range(block.dimension):
                for j in range(block.dimension):
                    middle[start + i, start + j] = part[i, j]
            start += block.dimension
        return p * middle * q

    return closed_form


def _of_two_by_two(matrix: ScalarMatrix, values: Mapping[str, arb]) -> Callable[[arb], arb_mat]:
    """e^{aτ}(C·I + S·(X − aI))."""
    (p, q), (r, s) = matrix
    half = Scalar.rational(fmpq(1, 2))
    centre, difference = half * (p + s), half * (p - s)
    discriminant = difference * difference + q * r

    def closed_form(tau: arb) -> arb_mat:
        c, ratio = entire_pair(tau, discriminant.ball(values))
        growth, h = (centre.ball(values) * tau).exp(), difference.ball(values)
        return arb_mat(
            [
                [growth * (c + ratio * h), growth * ratio * q.ball(values)],
                [growth * ratio * r.ball(values), growth * (c - ratio * h)],
            ]
        )

    return closed_form


def _of_matrix(matrix: ScalarMatrix, values: Mapping[str, arb]) -> Callable[[arb], arb_mat]:
    """Arb's rigorous matrix exponential."""
    x = _balls(matrix, values)
    return lambda tau: (x * tau).exp()
