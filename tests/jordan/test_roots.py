"""Numbering of the roots of an irreducible polynomial: certified order, ties decided exactly."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from flint import arb, fmpq_poly, fmpz, fmpz_poly, nmod_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.errors import Undecided
from symbolic_pe.jordan import roots
from symbolic_pe.jordan.form import ImplicitEigenvalue
from symbolic_pe.jordan.roots import (
    depressed,
    implicit_eigenvalues,
    polynomial_of_sums,
    sums_are_distinct,
)

# 2^{1/3} + roots of y^4 + 4 y^2 + 2: three pairs of equal real parts, none at the centre
TIED = fmpz_poly([184, 480, 480, 96, -36, 0, 136, 0, 54, -8, 12, 0, 1])


def is_in_order(found: list[ImplicitEigenvalue]) -> bool:
    """Real roots ascending, then pairs by (real part, imaginary part), as far as balls tell."""
    reals = [r.enclosure for r in found if not r.is_pair]
    pairs = [r.enclosure for r in found if r.is_pair]
    return (
        [r.is_pair for r in found] == [False] * len(reals) + [True] * len(pairs)
        and all(a.real < b.real for a, b in pairwise(reals))
        and all(
            a.real < b.real or (a.real.overlaps(b.real) and a.imag < b.imag)
            for a, b in pairwise(pairs)
        )
    )


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=9))
@settings(max_examples=80, deadline=None)
def test_roots_are_numbered_in_order(coefficients: list[int]) -> None:
    _, factors = fmpz_poly([*coefficients, 1]).factor()
    for factor, _ in factors:
        if factor.degree() < 3:
            continue
        found = implicit_eigenvalues(fmpq_poly(factor))
        assert is_in_order(found)
        assert [r.index for r in found] == list(range(len(found)))
        assert sum(2 if r.is_pair else 1 for r in found) == factor.degree()
        for root in found:
            part = root.enclosure.real
            assert part.contains(0) if root.real_part_sign == 0 else part * root.real_part_sign > 0


def test_equal_real_parts_off_the_centre_are_decided() -> None:
    _, shifted = depressed(TIED)
    assert not sums_are_distinct(shifted)
    found = implicit_eigenvalues(fmpq_poly(TIED))
    assert is_in_order(found)
    assert [r.real_part_sign for r in found] == [-1, -1, -1, -1, 1, 1]
    real = [r.enclosure.real for r in found]
    assert [k for k in range(5) if real[k].overlaps(real[k + 1])] == [0, 1, 2, 4]


def test_negative_twin_nearly_equal_real_parts_are_told_apart() -> None:
    """One coefficient changed by 1, at a scale where real parts agree to about 40 digits."""
    scale = 10**20
    scaled = TIED(fmpz_poly([0, scale]))
    changed = scaled + fmpz_poly([0, 1])
    _, factors = changed.factor()
    assert [(f.degree(), m) for f, m in factors] == [(12, 1)]
    assert sums_are_distinct(depressed(changed)[1])
    found = implicit_eigenvalues(fmpq_poly(factors[0][0]))
    real = [r.enclosure.real for r in found]
    assert all(not a.overlaps(b) for a, b in combinations(real, 2))
    assert is_in_order(found)


@pytest.mark.parametrize("shift", [0, 3, -2])
def test_equal_real_parts_at_the_centre(shift: int) -> None:
    even = fmpz_poly([81, 0, 24, 0, 1])  # four purely imaginary roots
    found = implicit_eigenvalues(fmpq_poly(even(fmpz_poly([-shift, 1]))))
    assert [r.real_part_sign for r in found] == [(shift > 0) - (shift < 0)] * 2
    assert is_in_order(found)
    assert all(r.enclosure.real.contains(shift) for r in found)


@pytest.mark.parametrize("degree", [64, 128])
def test_degrees_up_to_128(degree: int) -> None:
    """Eisenstein at 2; the real part nearest to the axis is certified like any other."""
    for middle in (2, 6):
        p = fmpz_poly([2, middle] + [0] * (degree - 2) + [1])
        found = implicit_eigenvalues(fmpq_poly(p))
        assert is_in_order(found)
        assert 0 not in [r.real_part_sign for r in found]


def test_an_order_that_is_not_decided_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "MAX_TIE_DEGREE", 8)
    with pytest.raises(Undecided, match="degree 12 with equal real parts"):
        implicit_eigenvalues(fmpq_poly(TIED))


def test_nearly_equal_roots_are_refined_or_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mignotte's polynomial x^n − 2(ax − 1)²: two roots agree to about n·log a digits."""
    close = fmpz_poly([0] * 24 + [1]) - 2 * fmpz_poly([-1, 10**6]) ** 2
    turned = close(fmpz_poly([0, 0, 1]))  # square roots of those: pairs and real ones
    for polynomial in (close, turned):
        for factor, _ in polynomial.factor()[1]:
            assert is_in_order(implicit_eigenvalues(fmpq_poly(factor)))
    monkeypatch.setattr(roots, "MAX_WORK", 1)
    with pytest.raises(Undecided, match="the order of the roots"):
        implicit_eigenvalues(fmpq_poly(close))


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=6))
@settings(max_examples=30, deadline=None)
def test_polynomial_of_sums_vanishes_at_sums(coefficients: list[int]) -> None:
    p = fmpq_poly([*coefficients, 1])
    sums = polynomial_of_sums(p)
    n = p.degree()
    assert sums.degree() == n * (n - 1) // 2
    distinct = fmpz_poly([int(c) for c in p.coeffs()])
    if distinct.gcd(distinct.derivative()).degree() > 0:
        return
    values = [r for r, _ in distinct.complex_roots()]
    for a, b in combinations(values, 2):
        total = arb(0)
        for c in reversed(sums.coeffs()):
            total = total * (a + b) + arb(c)
        assert abs(total).contains(0)
    prime = roots.PRIMES[0]
    modulo = roots._sums_modulo(nmod_poly([int(c) for c in p.coeffs()], prime), prime)
    zeros = next(k for k, c in enumerate(sums.coeffs()) if c != 0)
    assert [int(c) for c in modulo.coeffs()] == [int(c) % prime for c in sums.coeffs()[zeros:]]


def test_the_primes_are_prime() -> None:
    assert all(fmpz(p).is_prime() for p in roots.PRIMES)
