"""Witnesses of what was refuted, for the certificate: exact numbers that the checker evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.matrix import ScalarMatrix, is_rational, to_fmpq
from symbolic_pe.algebra.sampling import ball_values, sample_point
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar, precision
from symbolic_pe.encodings.augmentation import realised_bias
from symbolic_pe.errors import SymbolicPEError
from symbolic_pe.generators.block import PlacedBlock
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.components import connected_components
from symbolic_pe.proof.norms import MAX_LYAPUNOV, Square, growing_form
from symbolic_pe.proof.prover import Proof
from symbolic_pe.proof.spelling import Spelling
from symbolic_pe.proof.witness import POINTS

Json = dict[str, Any]
BITS = 256
Vector = list[ComplexScalar]


def refutation(spelling: Spelling, proof: Proof, claim: str) -> Json | None:
    """A point and a witness against a claim of an encoding; None where none is found."""
    if claim == "augmentation":
        return _bias(spelling, proof)
    if claim in ("orthogonality", "relativity"):
        return _symmetric_entry(spelling, proof)
    if claim in ("bounded-causal", "bounded-all"):
        return _growing(spelling, proof, causal=claim == "bounded-causal")
    return None


def at_point(spelling: Spelling, cell: Assumptions) -> tuple[dict[str, Scalar], Json] | None:
    """Rational values of the parameters in a cell, and as the document states them."""
    sample = sample_point(cell) if spelling.declared else {}
    if sample is None or not all(
        name in sample and sample[name].is_rational() for name in spelling.declared
    ):
        return None
    values = {name: sample[name] for name in spelling.declared}
    stated = {spelling.names[n]: str(x.rational_value()) for n, x in values.items()}
    return values, {"values": stated}


def _bias(spelling: Spelling, proof: Proof) -> Json | None:
    """A head and a lag at which qₐᵀ exp(τY) kₐ is not bias(τ)."""
    for index, head in enumerate(proof.encoding.heads):
        added = head.augmentation
        found = at_point(spelling, head.generator.assumptions)
        if added is None or found is None:
            return None
        difference = realised_bias(added.query, added.exponential, added.key) - added.bias
        with precision(BITS):
            values = ball_values(found[0], BITS)
            for lag in POINTS:
                point = {name: Scalar.rational(lag).ball({}) for name in difference.variables}
                if not difference.ball(point, values).real.contains(0):
                    return {**found[1], "witness": entry(index, 0, 0, str(lag))}
    return None


def _symmetric_entry(spelling: Spelling, proof: Proof) -> Json | None:
    """An entry of X + Xᵀ that is not 0."""
    for index in range(len(proof.encoding.heads)):
        generator = proof.encoding.full_generator(index)
        x, n = generator.matrix, generator.dimension
        for i, j in combinations_with_replacement(range(n), 2):
            total = x[i][j] + x[j][i]
            found = None if total.is_zero() else at_point(spelling, generator.assumptions)
            if found is not None and differs_from_zero(total, found[0]):
                return {**found[1], "witness": entry(index, i, j)}
    return None


def differs_from_zero(x: Scalar, values: Mapping[str, Scalar]) -> bool:
    """Whether a ball shows that a number is not 0 at a point."""
    with precision(BITS):
        return not x.ball(ball_values(dict(values), BITS)).contains(0)


def entry(index: int, row: int, column: int, time: str = "0") -> Json:
    """The witness that names an entry, of the matrices that a claim says are 0, which is not."""
    return {"kind": "entry", "index": index, "row": row, "column": column, "time": time}


def form(
    spelling: Spelling, rate: Scalar, squares: Sequence[Square], gain: Sequence[Square]
) -> Json:
    """PX + XᵀP = rate·P + gain, with P and the gain as weighted sums of squares."""
    return {
        "rate": spelling.real(rate),
        "form": _squares(spelling, squares),
        "gain": _squares(spelling, gain),
    }


def _squares(spelling: Spelling, squares: Sequence[Square]) -> Json:
    return {
        "weights": spelling.vector(weight for weight, _ in squares),
        "rows": [
            [k, i, spelling.real(x)]
            for k, (_, row) in enumerate(squares)
            for i, x in sorted(row.items())
            if not x.is_zero()
        ],
    }


def _growing(spelling: Spelling, proof: Proof, *, causal: bool) -> Json | None:
    """A quadratic form that grows without bound: by an eigenvector of Xᵀ, or a rational one."""
    for head, case in proof.cases:
        growth = case.growth.causal if causal else case.growth.all
        if growth in ("bounded", "decaying", "undecided"):
            continue
        found = at_point(spelling, case.cell)
        if found is None:
            continue
        generator = proof.encoding.full_generator(head)
        matrix = tuple(tuple(x.substitute(found[0]) for x in row) for row in generator.matrix)
        mirrored = tuple(zip(*matrix, strict=True))
        try:
            at = _vectors(Generator(len(matrix), None, mirrored), causal=causal)
        except SymbolicPEError:  # roots that have no form in the document
            at = None
        grows = _rational_form(matrix, causal=causal) if at is None else _form_of_vectors(*at)
        if grows is not None:
            rate, squares, gain, start = grows
            vector = [start.get(i, ZERO) for i in range(len(matrix))]
            witness = {
                "kind": "growing-form",
                "head": head,
                "form": form(spelling, rate, squares, gain),
                "vector": spelling.vector(vector),
            }
            return {**found[1], "witness": witness}
    return None


Grows = tuple[Scalar, list[Square], list[Square], dict[int, Scalar]]
"""The rate, the form, the gain, and a vector at which the form, or the gain, is positive."""


def _form_of_vectors(rate: ComplexScalar, v: Vector, u: Vector | None) -> Grows:
    """|vᵀz|² for Xᵀv = λv; Re conj(vᵀz)·uᵀz for Xᵀu = λu + v and Re λ = 0, with the gain |vᵀz|²."""
    parts = [{i: part(x) for i, x in enumerate(v)} for part in (_real_part, _imaginary_part)]
    squares = [(ONE, row) for row in parts if any(not x.is_zero() for x in row.values())]
    start = {next(i for i, x in enumerate(v) if not x.is_zero()): ONE}
    if u is None:
        return rate.re + rate.re, squares, [], start
    mixed: list[Square] = []
    for row, part in zip(parts, (_real_part, _imaginary_part), strict=True):
        for sign in (1, -1):
            c = Scalar.rational(sign)
            sums = {i: x + c * part(u[i]) for i, x in row.items()}
            mixed.append((Scalar.rational(fmpq(sign, 4)), sums))
    return ZERO, mixed, squares, start


def _real_part(z: ComplexScalar) -> Scalar:
    return z.re


def _imaginary_part(z: ComplexScalar) -> Scalar:
    return z.im


def _rational_form(matrix: ScalarMatrix, *, causal: bool) -> Grows | None:
    """A quadratic form on one rational component that grows, as signed squares."""
    for at in connected_components(matrix):
        x = tuple(tuple(matrix[i][j] for j in at) for i in at)
        if len(x) > MAX_LYAPUNOV or not is_rational(x):
            continue
        grows = growing_form(to_fmpq(x), causal=causal)
        if grows is None:
            continue
        p, n = grows.form, len(x)
        squares = [(p[i, j], {at[i]: ONE, at[j]: ONE}) for i in range(n) for j in range(i + 1, n)]
        squares += [(2 * p[i, i] - sum(p[i, j] for j in range(n)), {at[i]: ONE}) for i in range(n)]
        return (
            Scalar.rational(grows.rate),
            [(Scalar.rational(w), row) for w, row in squares if w != 0],
            [(Scalar.rational(grows.gain), {i: ONE}) for i in at],
            {i: Scalar.rational(c) for i, c in zip(at, grows.vector, strict=True)},
        )
    return None


def _vectors(
    generator: Generator, *, causal: bool
) -> tuple[ComplexScalar, Vector, Vector | None] | None:
    """From the real Jordan form of a matrix without parameters."""
    (case,) = real_jordan_form(generator).cases
    for form in case.components or ():
        start = 0
        for block in form.blocks:
            at = tuple(range(start, start + block.dimension))
            start += block.dimension
            sign = 0 if block.rate.is_zero() else block.rate.sign()
            alone = sign > 0 or (not causal and sign != 0)
            if not alone and (block.chain_length == 1 or sign < 0):
                continue
            links = list(_links(PlacedBlock(block, at), form.basis, form.coordinates, generator))
            rate = ComplexScalar(block.rate, block.frequency)
            return rate, links[0], None if alone else links[1]
    return None


def _links(
    item: PlacedBlock, p: Any, coordinates: tuple[int, ...], generator: Generator
) -> Iterator[Vector]:
    """v₁, v₂, … with Xv₁ = λv₁ and Xv₂ = λv₂ + v₁: columns of P, c₁ − i·c₂ for a pair."""
    width = 2 if item.block.is_pair else 1
    for link in range(item.block.chain_length):
        first = item.coordinates[link * width]
        scale = ONE
        for _ in range(link):
            scale = scale / item.block.shear
        vector = [ComplexScalar(ZERO, ZERO)] * generator.dimension
        for row, channel in enumerate(coordinates):
            imaginary = -p[row][first + 1] if width == 2 else ZERO
            vector[channel] = ComplexScalar(p[row][first] * scale, imaginary * scale)
        yield vector
