"""The reference against Arb's and mpmath's matrix exponentials, over the Jordan taxonomy."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb, arb_mat, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric_check import reference
from numeric_check.reference_values.exact_map import ExactMap
from numeric_check.reference_values.exact_number import exact_number
from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision
from symbolic_pe.emit.plan import plan_kernel
from symbolic_pe.encodings.encoding import Encoding, Head
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator
from tests.strategies import Planted, blocks, planted

lags = st.one_of(
    st.integers(-8, 8),
    st.floats(-8, 8, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6),
    st.builds(Fraction, st.integers(-20, 20), st.integers(1, 7)),
)


def encoding_of(generator: Generator) -> Encoding:
    return Encoding("test", (Head(generator),))


def generator_of(parts: list[Block]) -> Generator:
    placed, start = [], 0
    for block in parts:
        placed.append(PlacedBlock(block, tuple(range(start, start + block.dimension))))
        start += block.dimension
    return Generator.from_blocks(placed)


def arb_exponential(generator: Generator, lag: object, bits: int) -> arb_mat:
    with precision(bits):
        x = arb_mat([[e.ball({}) for e in row] for row in generator.matrix])
        return (x * arb(exact_number(lag))).exp()


@settings(max_examples=60, deadline=None)
@given(st.lists(blocks(max_chain=4), min_size=1, max_size=3), lags)
def test_blocks_agree_with_arb(parts: list[Block], lag: object) -> None:
    generator = generator_of(parts)
    ours = reference(encoding_of(generator), lag)
    assert ours.overlaps(arb_exponential(generator, lag, 256))


@settings(max_examples=40, deadline=None)
@given(planted(max_dimension=6), lags)
def test_matrices_agree_with_arb(hidden: Planted, lag: object) -> None:
    generator = Generator.from_matrix(from_fmpq(hidden.matrix))
    ours = reference(encoding_of(generator), lag)
    assert ours.overlaps(arb_exponential(generator, lag, 512))


@settings(max_examples=15, deadline=None)
@given(st.lists(blocks(max_chain=3), min_size=1, max_size=2), st.integers(-3, 3))
def test_blocks_agree_with_mpmath(parts: list[Block], lag: int) -> None:
    generator = generator_of(parts)
    ours = reference(encoding_of(generator), lag)
    n = generator.dimension
    with mpmath.workdps(50), precision(200):
        x = mpmath.matrix(n, n)
        for i in range(n):
            for j in range(n):
                x[i, j] = mpmath.mpf(generator.matrix[i][j].ball({}).str(50, radius=False))
        theirs = mpmath.expm(x * lag)
        size = max(1, *(abs(e) for e in theirs))
        for i in range(n):
            for j in range(n):
                difference = mpmath.mpf(ours[i, j].str(50, radius=False)) - theirs[i, j]
                assert abs(difference) < size * mpmath.mpf(10) ** -25


@pytest.mark.parametrize("lag", [131071, 2**20, 2**40 + 1, 1e6 + 0.1])
def test_large_lags_keep_the_requested_accuracy(lag: float) -> None:
    generator = generator_of([Block(Scalar.rational(fmpq(-1, 10**6)), Scalar.rational(3), 3)])
    matrix = reference(encoding_of(generator), lag, bits=200)
    with precision(256):
        size = max(abs(x).mid() for x in matrix.entries())
        assert all(x.rad() <= size * arb(2) ** -200 for x in matrix.entries())


def test_floats_are_taken_exactly() -> None:
    generator = generator_of([Block(Scalar.rational(1))])
    tenth = reference(encoding_of(generator), 0.1, bits=200)[0, 0]
    exact = reference(encoding_of(generator), Fraction(1, 10), bits=200)[0, 0]
    assert not tenth.overlaps(exact)


def test_eigenvalues_of_degree_three_are_covered() -> None:
    generator = Generator.from_matrix([["2", "1", "0"], ["0", "2", "1"], ["1", "0", "-1"]])
    assert reference(encoding_of(generator), 3).overlaps(arb_exponential(generator, 3, 256))


OSCILLATOR = Generator.from_matrix([["0", "1"], ["-w^2", "-2*z*w"]], {"w": "positive", "z": "real"})


@pytest.mark.parametrize("z", [-2.5, -1.0, -0.3, 0.0, 0.5, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1 + 2**-52])
@pytest.mark.parametrize("lag", [0, 1, -2.5, 12])
def test_parameters_on_and_beside_boundaries(z: float, lag: float) -> None:
    values = {"w": 0.7, "z": z}
    ours = reference(encoding_of(OSCILLATOR), lag, parameters=values)
    with precision(512):
        balls = {name: arb(exact_number(v)) for name, v in values.items()}
        x = arb_mat([[e.ball(balls) for e in row] for row in OSCILLATOR.matrix])
        assert ours.overlaps((x * arb(exact_number(lag))).exp())


def test_misuse_is_refused() -> None:
    with pytest.raises(SpecificationError, match="head"):
        reference(encoding_of(OSCILLATOR), 1, head=1, parameters={"w": 1.0, "z": 0.0})
    with pytest.raises(SpecificationError, match="parameters"):
        reference(encoding_of(OSCILLATOR), 1, parameters={"w": 1.0})
    with pytest.raises(SpecificationError, match="finite"):
        reference(encoding_of(generator_of([Block(ZERO)])), float("inf"))


def assert_same_operator(encoding: Encoding, lag: object, parameters: dict[str, float]) -> None:
    """The fast maps of a plan multiply to the reference: F(t)ᵀG(s) = A(t − s)."""
    try:
        plan = plan_kernel(encoding)
    except NotYetCovered:
        return
    exact = ExactMap(plan, parameters)
    tau = exact_number(lag)
    whole = exact.operator([tau])
    matrix = reference(encoding, lag, parameters=parameters)
    with precision(200):
        for i in range(encoding.dimension):
            for j in range(encoding.dimension):
                value = arb(float(whole.value.high[0, 0, i, j])) + arb(
                    float(whole.value.low[0, 0, i, j])
                )
                bound = arb(float(whole.majorant[0, 0].max())) * arb(2) ** -80
                assert abs(value - matrix[i, j]) <= bound + matrix[i, j].rad()
    s = exact_number(Fraction(5, 2))
    query, key = exact.query([tau + s]), exact.key([s])
    total = sum(
        f.value.high[0, 0, b].T @ g.value.high[0, 0, b]
        if plan.basis is not None
        else _embedded(f.value.high[0, 0, b].T @ g.value.high[0, 0, b], f.columns[b], encoding)
        for f, g in zip(query, key, strict=True)
        for b in range(f.rows.shape[0])
    )
    size = sum(float(f.majorant.max() * g.majorant.max()) for f, g in zip(query, key, strict=True))
    assert abs(total - whole.value.high[0, 0]).max() <= 1e-13 * encoding.dimension * size


def _embedded(small, columns, encoding):  # type: ignore[no-untyped-def]
    import numpy as np

    large = np.zeros((encoding.dimension, encoding.dimension))
    large[np.ix_(columns, columns)] = small
    return large


@settings(max_examples=40, deadline=None)
@given(st.lists(blocks(max_chain=4), min_size=1, max_size=3), lags)
def test_fast_maps_of_blocks(parts: list[Block], lag: object) -> None:
    assert_same_operator(encoding_of(generator_of(parts)), lag, {})


@settings(max_examples=25, deadline=None)
@given(planted(max_dimension=6), lags)
def test_fast_maps_of_matrices(hidden: Planted, lag: object) -> None:
    assert_same_operator(encoding_of(Generator.from_matrix(from_fmpq(hidden.matrix))), lag, {})


@pytest.mark.parametrize("z", [-1.0, 0.0, 0.4, 1.0, 1.0 + 1e-9, 3.0])
@pytest.mark.parametrize("lag", [1, -7, 40.25])
def test_fast_maps_with_parameters(z: float, lag: float) -> None:
    assert_same_operator(encoding_of(OSCILLATOR), lag, {"w": 0.7, "z": z})
