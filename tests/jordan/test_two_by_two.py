"""Case trees of 2×2 generators: complete, exclusive, and right at every sampled point."""

from __future__ import annotations

from itertools import product

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from tests.jordan.points import check_at, families

OSCILLATOR = [["0", "1"], ["-w^2", "-2*z*w"]]
GENERAL = [["a", "b"], ["c", "d"]]


def test_the_damped_oscillator_has_seven_cases() -> None:
    generator = Generator.from_matrix(OSCILLATOR, {"w": "positive", "z": "real"})
    cases = real_jordan_form(generator).cases
    assert [
        (c.cell.conditions(generator.assumptions), families(c), c.growth.causal) for c in cases
    ] == [
        (["z < -1"], ["growth", "growth"], "exponential"),
        (["z = -1"], ["growth-polynomial"], "exponential"),
        (["-1 < z < 0"], ["growing-rotation"], "exponential"),
        (["z = 0"], ["rotation"], "bounded"),
        (["0 < z < 1"], ["damped-rotation"], "decaying"),
        (["z = 1"], ["decay-polynomial"], "decaying"),
        (["z > 1"], ["decay", "decay"], "decaying"),
    ]
    assert not any(c.possibly_empty for c in cases)


def test_with_w_only_nonnegative_the_nilpotent_case_appears() -> None:
    generator = Generator.from_matrix(OSCILLATOR, {"w": "nonnegative", "z": "real"})
    cases = real_jordan_form(generator).cases
    assert len(cases) == 8
    assert cases[0].cell.conditions(generator.assumptions) == ["w = 0"]
    assert families(cases[0]) == ["polynomial"]


def test_with_w_real_both_signs_appear() -> None:
    cases = real_jordan_form(Generator.from_matrix(OSCILLATOR, {"w": "real", "z": "real"})).cases
    assert len(cases) == 15


def test_bounds_remove_empty_cells() -> None:
    generator = Generator.from_matrix(OSCILLATOR, {"w": "positive", "z": "between 0 and 1"})
    assert [families(c) for c in real_jordan_form(generator).cases] == [["damped-rotation"]]


grid = st.builds(fmpq, st.integers(-4, 4), st.sampled_from([1, 2]))


@given(grid, grid, grid, grid)
@settings(max_examples=60, deadline=None)
def test_general_matrix_one_case_holds_and_is_right(a: fmpq, b: fmpq, c: fmpq, d: fmpq) -> None:
    check_at(GENERAL, dict.fromkeys("abcd", "real"), {"a": a, "b": b, "c": c, "d": d})


@pytest.mark.parametrize(
    ("w", "z"), list(product([fmpq(1, 2), fmpq(3)], map(fmpq, [-2, -1, 0, 1, 2])))
)
def test_oscillator_boundaries(w: fmpq, z: fmpq) -> None:
    check_at(OSCILLATOR, {"w": "positive", "z": "real"}, {"w": w, "z": z})


@pytest.mark.parametrize(
    ("rows", "parameters", "point", "count"),
    [
        ([["a", "1"], ["0", "b"]], {"a": "real", "b": "real"}, {"a": 2, "b": 2}, None),
        ([["a", "0"], ["0", "b"]], {"a": "real", "b": "real"}, {"a": 0, "b": -1}, 9),
        ([["0", "-w"], ["w", "0"]], {"w": "real"}, {"w": 0}, 3),
        ([["0", "-w"], ["w", "0"]], {"w": "nonzero"}, {"w": -1}, 2),
        ([["0", "k"], ["0", "0"]], {"k": "real"}, {"k": 0}, None),
        ([["-1", "k^2 - 2"], ["1", "-1"]], {"k": "real"}, {"k": 1}, None),
    ],
)
def test_small_trees(
    rows: list[list[str]], parameters: dict[str, str], point: dict[str, int], count: int | None
) -> None:
    check_at(rows, parameters, {k: fmpq(v) for k, v in point.items()})
    if count is not None:
        assert len(real_jordan_form(Generator.from_matrix(rows, parameters)).cases) == count


def test_cases_do_not_depend_on_names() -> None:
    first = real_jordan_form(Generator.from_matrix(OSCILLATOR, {"w": "positive", "z": "real"}))
    renamed = [["0", "1"], ["-z^2", "-2*w*z"]]
    second = real_jordan_form(Generator.from_matrix(renamed, {"z": "positive", "w": "real"}))
    assert [families(c) for c in first.cases] == [families(c) for c in second.cases]
