"""Matrices whose exponential numeric libraries got wrong: certified values, within the bound asked.

The reports are about float programs; here the entries are exact and the value is a ball, so
cancellation, overflow and underflow show in its radius or do not happen.
"""

from __future__ import annotations

import math
from itertools import product

import pytest
from flint import arb, fmpq

from symbolic_pe.algebra.matrix import to_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from tests.opinions import balls, check_exponential, encloses, value_at

Rows = list[list[str | int]]
ONE = fmpq(1)

MATRICES: dict[str, Rows] = {
    "pytorch#114080": [[1, 1, -1], [1, -1, -1], [1, 10, 200]],
    "jax-ml/jax#26802": [
        [
            "-6.00094776/100",
            "-1.37334693*1000000000",
            "-1.16936523*10000000000000000000",
            "1.001001/1000000000000",
        ],
        ["1.001001/1000000000000", 0, 0, 0],
        [0, "1.001001/1000000000000", 0, 0],
        [0, 0, 0, 0],
    ],
    "scipy#19584": [[-247, 0], [6283, -6283]],
    "scipy#25864": [["59.2", 0, 0], ["75.6", 0, 0], ["35.9", 0, 0]],
    "nelson-lang/nelson#1201": [
        [0, "1/100000000", 0],
        ["-(20000000000+400000000/6)", -3, 20000000000],
        ["200/3", 0, "-200/3"],
    ],
}


@pytest.mark.parametrize("name", MATRICES)
def test_value_is_certified(name: str) -> None:
    check_exponential(to_fmpq(Generator.from_matrix(MATRICES[name]).matrix))


def test_a_badly_scaled_example_has_the_published_value() -> None:
    """Moler's example: .44685 1.54e−9 .46281 in the first row (nelson-lang/nelson#1201)."""
    x = to_fmpq(Generator.from_matrix(MATRICES["nelson-lang/nelson#1201"]).matrix)
    value = primary_exponential(x).ball(ONE, 512)
    first = [float(value[0, j]) for j in range(3)]
    assert first == pytest.approx([0.44685, 1.54e-9, 0.46281], rel=1e-3)


def test_entries_of_very_different_sizes_have_the_published_value() -> None:
    """jax-ml/jax#26802: nan there; the report's reference values."""
    x = to_fmpq(Generator.from_matrix(MATRICES["jax-ml/jax#26802"]).matrix)
    value = primary_exponential(x).ball(ONE, 512)
    assert float(value[0, 0]) == pytest.approx(9.41093318e-01, rel=1e-8)
    assert float(value[0, 2]) == pytest.approx(-1.13470960e19, rel=1e-8)
    assert float(value[2, 1]) == pytest.approx(1.00077458e-12, rel=1e-8)


def test_overflow_of_float_is_no_overflow_here() -> None:
    """pytorch#114080: e^200 is above float32, and a number all the same."""
    x = to_fmpq(Generator.from_matrix(MATRICES["pytorch#114080"]).matrix)
    value = primary_exponential(x).ball(ONE, 512)
    assert float(value[2, 2]) > 3.4e38
    assert encloses(value, balls(x, ONE))


def test_underflow_of_float_is_no_zero_here() -> None:
    """scipy#19584: e^{−247} = 5e−108 underflows float32."""
    closed = exponential(Generator.from_matrix(MATRICES["scipy#19584"])).matrix()
    value = value_at(closed, {"t": ONE})
    assert value[0, 0] > 0
    assert float(value[0, 0]) == pytest.approx(math.exp(-247), rel=1e-12)
    assert str(closed[0][1]) == "0"


def test_a_rank_one_matrix_has_unit_columns_but_one() -> None:
    """scipy#25864: I + X·(e^λ − 1)/λ, columns 2 and 3 are unit vectors."""
    closed = exponential(Generator.from_matrix(MATRICES["scipy#25864"])).matrix()
    assert [str(row[1]) for row in closed] == ["0", "1", "0"]
    assert [str(row[2]) for row in closed] == ["0", "0", "1"]
    value = value_at(closed, {"t": ONE})
    with precision(256):
        rate = arb(fmpq(296, 5))
        expected = arb(fmpq(378, 5)) * (rate.exp() - 1) / rate
    assert value[1, 0].overlaps(expected)


@pytest.mark.parametrize("theta", ["1/2", "23/40", "1/25", "49/1000"])
def test_one_small_rotation(theta: str) -> None:
    """pytorch#196592: one 2 × 2 rotation at a time is wrong in the fifth digit."""
    x = to_fmpq(Generator.from_matrix([[0, f"-{theta}"], [theta, 0]]).matrix)
    value = primary_exponential(x).ball(ONE, 256)
    with precision(256):
        angle = arb(x[1, 0])
        assert value[0, 0].overlaps(angle.cos())
        assert value[1, 0].overlaps(angle.sin())
        norm = value[0, 0] ** 2 + value[1, 0] ** 2
    assert norm.contains(1)
    assert norm.rad() < 1e-60


def test_a_rotation_by_a_large_angle() -> None:
    """Float exponentials lose the angle at t = 10⁶ (0.10 in float32); the closed form does not."""
    closed = exponential(Generator.from_matrix([[0, -1], [1, 0]])).matrix()
    value = value_at(closed, {"t": fmpq(10**6)})
    with precision(256):
        assert value[0, 0].overlaps(arb(10**6).cos())
    assert value[0, 0].rad() < 1e-60


@pytest.mark.parametrize("sign", [1, -1])
def test_unitary_after_a_half_turn(sign: int) -> None:
    """cupy#8602: exp(iθX) at θ = π was not unitary; as a real form it is orthogonal."""
    rows: Rows = [
        [0, 0, 0, f"{sign}*pi"],
        [0, 0, f"{sign}*pi", 0],
        [0, f"{-sign}*pi", 0, 0],
        [f"{-sign}*pi", 0, 0, 0],
    ]
    value = value_at(exponential(Generator.from_matrix(rows)).matrix(), {"t": ONE})
    for i, j in product(range(4), repeat=2):
        with precision(256):
            total = sum((value[i, k] * value[j, k] for k in range(4)), arb(0))
        assert total.contains(int(i == j))
        assert total.rad() < 1e-60


@pytest.mark.parametrize("angle", [fmpq(1, 10**8), fmpq(1, 10**30)])
def test_rotations_of_space_near_the_identity(angle: fmpq) -> None:
    """kornia-rs#535 and others: sin θ/θ near 0 has the limit 1, (1 − cos θ)/θ² the limit 1/2."""
    x = to_fmpq(Generator.from_matrix([[0, -2, 2], [2, 0, -1], [-2, 1, 0]]).matrix) * angle
    value = primary_exponential(x).ball(ONE, 512)
    first_order = (value[1, 0] - value[0, 1]) / (2 * arb(x[1, 0]))  # sin θ/θ, θ = 3·angle
    assert first_order.overlaps(arb(1)) or abs(float(first_order) - 1) < 1e-14
    # (1 − cos θ)/θ² multiplies X²: entry (0, 0) of X² is −8·angle²
    half = (1 - value[0, 0]) / (8 * arb(angle) ** 2)
    assert abs(float(half) - 0.5) < 1e-14


def test_every_large_laplacian_decays_but_for_its_kernel() -> None:
    """scipy#11839: −2000 times the Laplacian of a tree."""
    n = 6
    rows: Rows = [[0] * n for _ in range(n)]
    for child, parent in ((1, 0), (2, 0), (3, 1), (4, 1), (5, 2)):
        for i, j in ((child, parent), (parent, child)):
            rows[i][j] = 2000
            rows[i][i] = int(rows[i][i]) - 2000
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    assert sorted(b.real_part_sign for b in case.structure).count(0) == 1
    assert case.growth.causal == "bounded"
    check_exponential(to_fmpq(Generator.from_matrix(rows).matrix))
