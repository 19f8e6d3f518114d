"""Integer positions: Culver's criterion, decided from exact block sizes."""

from __future__ import annotations

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.integer_step import integer_step
from tests.strategies import unimodular


def step(rows: list[list[str | int]]) -> tuple[bool, bool, str]:
    found = integer_step(Generator.from_matrix(rows).matrix)
    return found.invertible, found.has_real_generator, found.reason


@pytest.mark.parametrize(
    ("rows", "invertible", "generator", "word"),
    [
        ([[1]], True, True, "invertible"),
        ([[2]], True, True, "invertible"),
        ([[0]], False, False, "no group"),
        ([[-1]], True, False, "1 Jordan block of size 1"),
        ([[-1, 0], [0, -1]], True, True, "equal pairs"),
        ([[-1, 0], [0, -2]], True, False, "odd"),
        ([[-1, 1], [0, -1]], True, False, "size 2"),
        ([[-1, 1, 0, 0], [0, -1, 0, 0], [0, 0, -1, 1], [0, 0, 0, -1]], True, True, "pairs"),
        ([[-1, 1, 0], [0, -1, 0], [0, 0, -1]], True, False, "odd"),
        ([[0, -1], [1, 0]], True, True, "invertible"),
        ([[1, 1], [0, 1]], True, True, "invertible"),
        ([[0, 1], [0, 0]], False, False, "block sizes [2]"),
        # x^2 - 2: a negative irrational eigenvalue, once
        ([[0, 2], [1, 0]], True, False, "-sqrt(2)"),
        # x^3 + 2: a negative root of degree three, once
        ([[0, 0, -2], [1, 0, 0], [0, 1, 0]], True, False, "x^3 + 2"),
        ([["-sqrt(2)", 0], [0, "-sqrt(2)"]], True, True, "pairs"),
        ([["-sqrt(2)", 1], [0, "-sqrt(2)"]], True, False, "size 2"),
        ([["sqrt(2)", 2], [1, "sqrt(2)"]], False, False, "no group"),
        ([["1", "sqrt(3)"], ["sqrt(3)", "1"]], True, False, "odd"),
        ([["0", "-sqrt(3)"], ["1", "0"]], True, True, "invertible"),
        # T5-like recurrence: eventually constant on n >= 0 needs a singular step
        ([[0, 1, 0], [0, 0, 1], [0, 0, 1]], False, False, "no group"),
    ],
)
def test_criterion(
    rows: list[list[str | int]], invertible: bool, generator: bool, word: str
) -> None:
    found = step(rows)
    assert found[:2] == (invertible, generator)
    assert word in found[2]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_a_square_of_a_real_matrix_with_pairs_passes_and_one_more_block_fails(
    data: st.DataObject,
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 2), min_size=1, max_size=2))
    doubled = [s for s in sizes for _ in range(2)]
    for extra, expected in (([], True), ([1] if sizes.count(1) == 0 else [3], False)):
        blocks = doubled + extra
        n = sum(blocks)
        b = fmpq_mat(n, n)
        start = 0
        for size in blocks:
            for i in range(size):
                b[start + i, start + i] = fmpq(-3, 2)
                if i + 1 < size:
                    b[start + i, start + i + 1] = 1
            start += size
        hidden = data.draw(unimodular(n))
        found = integer_step(from_fmpq(hidden * b * hidden.inv()))
        assert found.has_real_generator is expected


def test_irrational_entries_are_not_covered() -> None:
    with pytest.raises(NotYetCovered):
        step([["sqrt(2)", 0, 0], [0, 1, 0], [0, 0, 1]])
