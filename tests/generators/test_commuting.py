"""Several axes: commuting generators form a group of R^n, others are refused with a witness."""

from __future__ import annotations

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.encodings.layout import place_planes
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.commuting import CommutingFamily, NotCommuting
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.joint import joint_structure
from tests.strategies import unimodular


def planes(*frequencies: str) -> Generator:
    blocks = [Block(ZERO, parse(f)) for f in frequencies]
    placed = place_planes([b if b.is_pair else Block(ZERO, parse("1")) for b in blocks], "half")
    return Generator.from_blocks(placed)


def skew(axis: int) -> Generator:
    """Generators of rotations of space about two different axes."""
    rows = [
        [["0", "0", "0"], ["0", "0", "-1"], ["0", "1", "0"]],
        [["0", "0", "1"], ["0", "0", "0"], ["-1", "0", "0"]],
    ]
    return Generator.from_matrix(rows[axis])


def test_mixed_rotary_axes_commute_and_share_planes() -> None:
    family = CommutingFamily.of([planes("1", "sqrt(2)"), planes("1/3", "pi")])
    shared = [block for component in joint_structure(family) for block in component.blocks]
    assert [[axis.frequency.text for axis in plane.axes] for plane in shared] == [
        ["1", "1/3"],
        ["sqrt(2)", "pi"],
    ]
    along = family.at([Scalar.rational(2), Scalar.rational(3)])
    assert along.matrix[2][0] == parse("3")
    assert along.matrix[3][1] == parse("2*sqrt(2) + 3*pi")


def test_rotations_of_space_do_not_commute_and_the_witness_is_right() -> None:
    with pytest.raises(NotCommuting, match="shifted together") as caught:
        CommutingFamily.of([skew(0), skew(0), skew(1)])
    found = caught.value.commutator
    assert found.axes == (0, 2)
    x, y = skew(0).matrix, skew(1).matrix
    entry = ZERO
    for k in range(3):
        entry = entry + x[found.row][k] * y[k][found.column] - y[found.row][k] * x[k][found.column]
    assert entry == found.value
    assert not entry.is_zero()


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_polynomials_in_one_matrix_commute_after_hiding(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 4))
    entries = data.draw(st.lists(st.integers(-2, 2), min_size=n * n, max_size=n * n))
    x = fmpq_mat(n, n, entries)
    hidden = data.draw(unimodular(n))
    y = hidden * x * hidden.inv()
    square = y * y + y * fmpq(1, 3)
    CommutingFamily.of(
        [Generator.from_matrix(from_fmpq(y)), Generator.from_matrix(from_fmpq(square))]
    )


def test_sizes_must_agree() -> None:
    with pytest.raises(SpecificationError, match="same dimension"):
        CommutingFamily.of([skew(0), planes("1", "2")])
    with pytest.raises(SpecificationError, match="one for each axis"):
        CommutingFamily.of([skew(0)]).at([])
