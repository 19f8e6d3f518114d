"""Nearness to a multiple eigenvalue: known distances, exact witnesses, refutable bounds."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from flint import acb, acb_mat, arb, fmpq, fmpq_mat, fmpq_poly, fmpz_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.matrix import from_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import Undecided
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.continuation import Path, path_polynomials
from symbolic_pe.jordan.nearness import Nearness, nearness
from symbolic_pe.jordan.resolvent import (
    Circle,
    balls_of,
    spectral_norm_bound,
    stays_above,
)
from symbolic_pe.jordan.spectrum import spectrum


def of(rows: list[list[object]]) -> tuple[Nearness, ...]:
    return nearness(from_fmpq(fmpq_mat([[fmpq(x) for x in row] for row in rows])))


def dense(n: int, seed: int) -> fmpq_mat:
    rows = np.random.default_rng(seed).normal(size=(n, n))
    return fmpq_mat([[fmpq(*float(x).as_integer_ratio()) for x in row] for row in rows])


def array(x: fmpq_mat) -> np.ndarray:
    return np.array([[int(e.p) / int(e.q) for e in row] for row in x.tolist()])


def real(x: fmpq) -> float:
    return int(x.p) / int(x.q)


def frobenius_squared(x: fmpq_mat) -> fmpq:
    return sum((e * e for e in x.entries()), start=fmpq(0))


def check_witness(x: fmpq_mat, item: Nearness) -> None:
    """Everything exact: X'Y = YB, a repeated factor, ranks of a chain, the norms."""
    witness = item.witness
    assert witness is not None
    near, chain = witness.matrix, witness.chain
    n, size = x.nrows(), chain.block.nrows()
    assert near * chain.basis == chain.basis * chain.block
    assert chain.basis.rank() == size
    characteristic = fmpq_poly(near.charpoly())
    assert characteristic.gcd(characteristic.derivative()).degree() >= 1
    one = fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])
    shifted = near - chain.real * one
    if chain.imaginary != 0:
        shifted = shifted * shifted + chain.imaginary**2 * one
    # a defective eigenvalue: the kernel of the square is larger than the kernel
    assert shifted.rank() < n
    assert (shifted * shifted).rank() < shifted.rank()
    squared = frobenius_squared(near - x)
    assert squared <= witness.frobenius**2 <= squared * fmpq(10**9 + 1, 10**9)
    norm = np.linalg.norm(array(near - x), 2)
    assert norm * (1 - 1e-9) <= real(witness.spectral) <= norm * 1.002


# -- known distances --------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [fmpq(2), fmpq(1, 10), fmpq(7, 10**6), fmpq(10**9)])
def test_of_a_normal_matrix_half_the_gap(gap: fmpq) -> None:
    for item in of([[0, 0], [0, gap]]):
        assert item.lower is not None
        assert item.witness is not None
        assert gap / 2 * fmpq(19, 20) < item.lower <= gap / 2
        assert gap / 2 <= item.witness.spectral < gap / 2 * fmpq(1001, 1000)


def distance_of_two_by_two(a: int, b: int, c: int, d: int) -> float:
    """In coordinates s (skew part) and t (traceless symmetric part), defective means |s| = t."""
    s = (c - b) / 2
    t = math.hypot((a - d) / 2, (b + c) / 2)
    return abs(abs(s) - t)


@given(st.lists(st.integers(-9, 9), min_size=4, max_size=4))
@settings(max_examples=60)
def test_of_every_two_by_two_matrix(entries: list[int]) -> None:
    a, b, c, d = entries
    exact = distance_of_two_by_two(a, b, c, d)
    found = of([[a, b], [c, d]])
    if (a - d) ** 2 + 4 * b * c == 0:
        assert [item.verdict.split(":")[0] for item in found] == ["multiple"]
        return
    x = fmpq_mat([[a, b], [c, d]])
    for item in found:
        assert item.lower is not None
        assert item.witness is not None
        assert 0.8 * exact < real(item.lower) <= exact * (1 + 1e-12)
        assert exact * (1 - 1e-12) <= real(item.witness.spectral) < 1.001 * exact
        check_witness(x, item)


@pytest.mark.parametrize("damping", [fmpq(5, 4), fmpq(101, 100), fmpq(999, 1000), fmpq(1, 2)])
def test_oscillator_near_critical_damping(damping: fmpq) -> None:
    for item in of([[0, 1], [-1, -2 * damping]]):
        assert item.lower is not None
        assert item.ratio is not None
        exact = abs(1 - damping)
        assert item.lower <= exact <= item.witness.spectral
        assert item.ratio < fmpq(6, 5)


def test_the_nearer_the_gap_the_smaller_the_square() -> None:
    """[[0, 1], [0, g]] is at about g²/4 of a defective matrix; g is far from telling that."""
    gap = fmpq(1, 10**8)
    for item in of([[0, 1], [0, gap]]):
        assert item.lower is not None
        assert item.witness is not None
        assert gap**2 / 5 < item.lower < item.witness.spectral < gap**2 / 3


def test_wilkinson_like_eigenvalues_are_worse_than_their_gaps_say() -> None:
    n = 8
    x = fmpq_mat([[i + 1 if i == j else 10 * (j == i + 1) for j in range(n)] for i in range(n)])
    for item in nearness(from_fmpq(x)):
        assert item.ratio is not None
        assert item.ratio < fmpq(11, 10)
        assert item.witness.spectral < fmpq(1, 500)
        check_witness(x, item)


def test_kahan_matrix() -> None:
    n, s, c = 8, fmpq(93, 100), fmpq(36, 100)
    x = fmpq_mat([[s**i if i == j else -c * s**i * (j > i) for j in range(n)] for i in range(n)])
    for item in nearness(from_fmpq(x)):
        assert item.ratio is not None
        assert item.ratio < fmpq(11, 10)
        check_witness(x, item)


def test_planes_that_turn_meet_as_planes() -> None:
    """Two rotations: half the gap in the spectral norm, √2 of it in the Frobenius norm."""
    x = fmpq_mat([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -2], [0, 0, 2, 0]])
    for item in nearness(from_fmpq(x)):
        assert item.lower is not None
        assert item.witness is not None
        assert item.witness.chain.imaginary == fmpq(3, 2)
        assert fmpq(45, 100) < item.lower <= fmpq(1, 2)
        assert fmpq(1, 2) <= item.witness.spectral < fmpq(501, 1000)
        assert abs(real(item.witness.frobenius) - math.sqrt(0.5)) < 1e-6
        check_witness(x, item)


# -- exactly multiple -------------------------------------------------------------------------


def test_multiple_eigenvalues_are_named_by_their_structure() -> None:
    found = {item.point.label: item for item in of([[1, 1, 0], [0, 1, 0], [0, 0, 3]])}
    assert (found["1"].verdict, found["1"].witness) == ("multiple: defective", None)
    assert found["3"].verdict == "simple"
    assert found["3"].lower is not None
    found = {item.point.label: item for item in of([[1, 0, 0], [0, 1, 0], [0, 0, 3]])}
    assert found["1"].verdict == "multiple: semisimple"
    assert [item.verdict for item in of([[0, 0], [0, 0]])] == ["multiple: semisimple"]


def test_the_only_eigenvalue_is_simple_for_ever() -> None:
    (item,) = of([[3]])
    assert (item.verdict, item.alone, item.lower) == ("simple", True, None)


# -- random matrices --------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "seed"), [(3, 1), (4, 2), (5, 3), (6, 4), (8, 5)])
def test_dense_matrices_have_certified_bounds_and_exact_witnesses(n: int, seed: int) -> None:
    x = dense(n, seed)
    for item in nearness(from_fmpq(x)):
        assert item.lower is not None
        assert item.lower > 0
        if item.witness is not None:
            assert item.lower <= item.witness.spectral <= item.witness.frobenius
            check_witness(x, item)


def inside(x: fmpq_mat, circle: Circle) -> int:
    """How many eigenvalues are inside; none may touch."""
    polynomial = fmpz_poly(fmpq_poly(x.charpoly()).numer())
    with precision(256):
        sides = [(circle.side(root), m) for root, m in polynomial.complex_roots()]
    assert all(side is not None for side, _ in sides)
    return sum(m for side, m in sides if side == -1)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_smaller_perturbations_leave_the_eigenvalue_simple(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.choice([2, 3, 4])
    x = fmpq_mat([[rng.randint(-5, 5) for _ in range(n)] for _ in range(n)])
    for item in nearness(from_fmpq(x)):
        if item.lower is None or item.circle is None:
            continue
        assert inside(x, item.circle) == 1
        for _ in range(5):
            e = fmpq_mat([[rng.randint(-100, 100) for _ in range(n)] for _ in range(n)])
            size = frobenius_squared(e)
            if size == 0:
                continue
            bound = fmpq(math.isqrt(int(size)) + 1)
            assert inside(x + e * (item.lower / bound), item.circle) == 1


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_a_bound_that_is_too_large_is_refuted_by_the_witness(seed: int) -> None:
    """The negative twin: within the distance of the witness λ does not stay alone."""
    rng = random.Random(seed)
    x = fmpq_mat([[rng.randint(-4, 4) for _ in range(3)] for _ in range(3)])
    found = [i for i in nearness(from_fmpq(x)) if i.witness is not None and i.circle is not None]
    assume(found)
    for item in found:
        level = item.witness.spectral * fmpq(1001, 1000)
        with precision(128):
            assert not stays_above(balls_of(x), item.circle, level)


def test_twice_the_matrix_is_twice_as_far() -> None:
    x = dense(4, 11)
    for once, twice in zip(nearness(from_fmpq(x)), nearness(from_fmpq(x * fmpq(2))), strict=True):
        assert twice.lower == 2 * once.lower
        assert twice.witness.spectral == 2 * once.witness.spectral


@pytest.mark.parametrize("scale", [fmpq(1, 1000), fmpq(1), fmpq(3000)])
def test_eigenvalues_keep_their_names_and_values(scale: fmpq) -> None:
    found = nearness(from_fmpq(fmpq_mat([[scale, 0], [0, 5 * scale]])))
    assert sorted(item.point.label for item in found) == sorted([str(scale), str(5 * scale)])
    for item in found:
        value = fmpq(*map(int, f"{item.point.label}/1".split("/")[:2]))
        assert abs(float(item.point.about) - real(value)) < 1e-6 * real(value)
        assert abs(item.witness.chain.real - 3 * scale) < scale / 10**4


def test_the_answer_is_the_same_every_time() -> None:
    x = from_fmpq(dense(5, 12))
    assert [(i.lower, i.witness and i.witness.spectral) for i in nearness(x)] == [
        (i.lower, i.witness and i.witness.spectral) for i in nearness(x)
    ]


# -- parts ------------------------------------------------------------------------------------


@given(st.lists(st.integers(-20, 20), min_size=9, max_size=9))
@settings(max_examples=30)
def test_the_norm_bound_is_above_the_norm_and_near_it(entries: list[int]) -> None:
    assume(any(entries))
    rows = [entries[3 * i : 3 * i + 3] for i in range(3)]
    norm = np.linalg.norm(np.array(rows, dtype=float), 2)
    with precision(128):
        bound = float(spectral_norm_bound(acb_mat(rows)))
    assert norm * (1 - 1e-12) <= bound <= 1.02 * norm


def test_levels_on_a_circle_are_certified_or_not() -> None:
    """σ_min(diag(0, 2) − z) = 1 on most of |z| = 1, and never more than 1 there."""
    with precision(128):
        x = balls_of(fmpq_mat([[0, 0], [0, 2]]))
        circle = Circle(fmpq(0), fmpq(0), fmpq(1))
        assert stays_above(x, circle, fmpq(95, 100))
        assert not stays_above(x, circle, fmpq(101, 100))
        through_an_eigenvalue = Circle(fmpq(0), fmpq(0), fmpq(2))
        assert not stays_above(x, through_an_eigenvalue, fmpq(1, 10**6))


def test_what_crosses_a_circle_is_seen() -> None:
    with precision(128):
        x, near = fmpq_mat([[0, 0], [0, 9]]), fmpq_mat([[3, 0], [0, 9]])
        path = Path(tuple(path_polynomials(x, near, 1)), 128)
        start, end = fmpq(0), fmpq(1)
        assert path.none_crosses(Circle(fmpq(0), fmpq(0), fmpq(5)), start, end)
        assert not path.none_crosses(Circle(fmpq(0), fmpq(0), fmpq(2)), start, end)
        assert path.none_crosses(Circle(fmpq(0), fmpq(0), fmpq(2)), start, fmpq(1, 2))


def test_eigenvalues_are_followed_home() -> None:
    """diag(0, 2, 9) to a matrix with 1 twice: 0 and 2 arrive, 9 does not."""
    x = fmpq_mat([[0, 0, 0], [0, 2, 0], [0, 0, 9]])
    near = fmpq_mat([[1, 1, 0], [0, 1, 0], [0, 0, 9]])
    with precision(128):
        path = Path(tuple(path_polynomials(x, near, 2)), 128)
        origins = path.arrivals(acb(1), 2)
        assert sorted(round(float(o.real.mid())) for o in origins) == [0, 2]
        assert path.arrivals(acb(9), 2) == []


def test_the_spectrum_is_isolated_however_near() -> None:
    gap = fmpq(1, 10**40)
    found = spectrum(fmpq_mat([[1, 1], [0, 1 + gap]]))
    with precision(found.bits):
        a, b = (p.value for p in found.points)
        assert not a.overlaps(b)
        assert abs(a - b).overlaps(arb(gap))


# -- refusals ---------------------------------------------------------------------------------


def test_what_is_beyond_is_said() -> None:
    with pytest.raises(Undecided, match="without parameters"):
        nearness(Generator.from_matrix([["0", "w"], ["1", "0"]], {"w": "real"}).matrix)
    with pytest.raises(Undecided, match="dimension 17"):
        nearness(from_fmpq(fmpq_mat([[int(i == j) * i for j in range(17)] for i in range(17)])))
    with pytest.raises(Undecided, match="budget"):
        nearness(from_fmpq(fmpq_mat([[fmpq(1, 3**30000), 1], [2, 3]])))
    n = 16
    rows = [[fmpq(i if i == j else 0) for j in range(n)] for i in range(n)]
    rows[1][1] = fmpq(1, 10**50)
    with pytest.raises(Undecided, match="so close"):
        nearness(from_fmpq(fmpq_mat(rows)))
