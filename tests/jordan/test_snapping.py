"""Snapping: the structure is exact, the distance is exact, and what cannot be is refused."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.matrix import from_fmpq, to_fmpq
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.nearness import nearness
from symbolic_pe.jordan.rational import primary_structure, structure_of
from symbolic_pe.jordan.snapping import snap

SQUARE = st.lists(st.integers(-9, 9), min_size=9, max_size=9).map(
    lambda v: fmpq_mat([[fmpq(v[3 * i + j], 7) for j in range(3)] for i in range(3)])
)


def squared(x: fmpq_mat) -> fmpq:
    return sum((e * e for e in x.entries()), start=fmpq(0))


def dense(n: int, seed: int) -> fmpq_mat:
    rows = np.random.default_rng(seed).normal(size=(n, n))
    return fmpq_mat([[fmpq(*float(x).as_integer_ratio()) for x in row] for row in rows])


@pytest.mark.parametrize(("structure", "sign"), [("skew", -1), ("symmetric", 1)])
@given(x=SQUARE, other=SQUARE)
@settings(max_examples=25)
def test_nothing_with_the_structure_is_nearer(
    structure: str, sign: int, x: fmpq_mat, other: fmpq_mat
) -> None:
    found = snap(from_fmpq(x), structure)
    near = to_fmpq(found.matrix)
    assert near == sign * near.transpose()
    assert found.frobenius_squared == squared(near - x)
    assert found.largest == max(abs(e) for e in (near - x).entries())
    rival = other + sign * other.transpose()
    assert squared(rival - x) >= found.frobenius_squared


def test_a_matrix_that_has_the_structure_stays() -> None:
    rotation = Generator.from_matrix([["0", "-3"], ["3", "0"]]).matrix
    for structure in ("skew", "neutral"):
        found = snap(rotation, structure)
        assert (found.matrix, found.largest) == (rotation, 0)


@pytest.mark.parametrize(("n", "seed"), [(2, 3), (3, 1), (5, 2)])
def test_neutral_has_no_real_parts(n: int, seed: int) -> None:
    x = dense(n, seed)
    found = snap(from_fmpq(x), "neutral")
    blocks = structure_of(primary_structure(to_fmpq(found.matrix)))
    assert {b.real_part_sign for b in blocks} == {0}
    assert {b.chain_length for b in blocks} == {1}
    assert found.frobenius_squared == squared(to_fmpq(found.matrix) - x)
    assert {b.real_part_sign for b in structure_of(primary_structure(x))} != {0}


def test_defective_merges_what_is_near_and_nothing_else() -> None:
    gap = fmpq(1, 1000)
    x = fmpq_mat([[1, 0, 0], [0, 1 + gap, 0], [0, 0, 5]])
    found = snap(from_fmpq(x), "defective", fmpq(1, 100))
    (case,) = real_jordan_form(Generator(3, None, found.matrix)).cases
    assert sorted(b.chain_length for b in case.structure) == [1, 2]
    assert len(found.met) == 1
    assert found.frobenius_squared <= (gap / 2 * fmpq(1001, 1000)) ** 2


def test_several_meetings_at_once() -> None:
    rows = [[0] * 4 for _ in range(4)]
    x = fmpq_mat(rows)
    for i, value in enumerate((fmpq(1), fmpq(11, 10), fmpq(5), fmpq(51, 10))):
        x[i, i] = value
    found = snap(from_fmpq(x), "defective", fmpq(1, 10))
    blocks = structure_of(primary_structure(to_fmpq(found.matrix)))
    assert [b.chain_length for b in blocks] == [2, 2]
    assert len(found.met) == 2


def test_planes_are_merged_as_planes() -> None:
    x = fmpq_mat([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, fmpq(-11, 10)], [0, 0, fmpq(11, 10), 0]])
    found = snap(from_fmpq(x), "defective", fmpq(1, 10))
    (block,) = structure_of(primary_structure(to_fmpq(found.matrix)))
    assert (block.is_pair, block.chain_length) == (True, 2)


def test_a_distance_below_the_certified_bound_finds_nothing() -> None:
    """The negative twin: what nearness excludes, snapping cannot do."""
    x = from_fmpq(dense(3, 7))
    lower = min(item.lower for item in nearness(x) if item.lower is not None)
    with pytest.raises(SpecificationError, match="no eigenvalues are known to meet"):
        snap(x, "defective", lower)


@pytest.mark.parametrize(
    ("structure", "within", "message"),
    [
        ("odd", None, "expected one of skew"),
        ("defective", None, "needs a distance"),
        ("skew", fmpq(1), "belongs to defective"),
    ],
)
def test_refusals(structure: str, within: fmpq | None, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        snap(Generator.from_matrix([["1", "2"], ["3", "4"]]).matrix, structure, within)


def test_what_has_no_such_neighbour_in_reach() -> None:
    with pytest.raises(SpecificationError, match="without parameters"):
        snap(Generator.from_matrix([["w"]], {"w": "real"}).matrix, "skew")
    jordan = Generator.from_matrix([["1", "1"], ["0", "1"]]).matrix
    with pytest.raises(NotYetCovered, match="simple eigenvalues"):
        snap(jordan, "neutral")
    with pytest.raises(NotYetCovered, match="digits"):
        snap(from_fmpq(dense(16, 1)), "neutral")
