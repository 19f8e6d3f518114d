"""The whole Jordan taxonomy, planted and hidden: found exactly, proved, enclosed; mutants rejected.

Real roots, pairs, zero, chains, repeated factors and irreducible factors of degree up to 6, hidden
by an integer matrix of determinant 1. The slow set goes up to dimension 32.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from unittest import mock

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.matrix import from_fmpq, identity, multiply
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.exponential.primary import PrimaryExponential, PrimaryPart, primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan import rational
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.rational import minimal_polynomial, primary_structure
from symbolic_pe.proof.patterns import decide
from tests.opinions import balls, encloses, verify_bases
from tests.strategies import Taxon, taxa

Coefficients = dict[tuple[int, int, int], fmpq_mat]  # (part, j, c): M


def check_structure(example: Taxon) -> None:
    x = example.matrix
    primaries = primary_structure(x)
    assert {tuple(p.factor.coeffs()): p.sizes for p in primaries} == example.sizes
    expected = prod(
        (fmpq_poly(list(f)) ** sizes[0] for f, sizes in example.sizes.items()), start=fmpq_poly([1])
    )
    assert minimal_polynomial(primaries) == expected


def check_bases(example: Taxon) -> None:
    """X·P = P·J and P·Q = I; there is a basis exactly when no eigenvalue has degree above 2."""
    generator = Generator.from_matrix(from_fmpq(example.matrix))
    (case,) = real_jordan_form(generator).cases
    dimension = sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in case.structure)
    assert dimension == generator.dimension
    if example.has_radicals:
        assert case.components is not None
    verify_bases(generator)
    for form in case.components or ():
        assert multiply(form.basis, form.inverse_basis) == identity(len(form.matrix))


def check_exponential(example: Taxon) -> None:
    form = primary_exponential(example.matrix)
    assert form.is_proved()
    # hidden entries are large, so lags are short
    for t in (fmpq(3, 64), fmpq(-1, 10)):
        assert encloses(form.ball(t, 768), balls(example.matrix, t, 1024))


# -- the laws on matrices, a second route to `is_proved` ---------------------------------------


def coefficient_matrices(form: PrimaryExponential) -> Coefficients:
    index = {id(part): k for k, part in enumerate(form.parts)}
    return {(index[id(part)], j, c): m for part, j, c, m in form.terms()}


def matrix_laws_hold(x: fmpq_mat, parts: tuple[PrimaryPart, ...], m: Coefficients) -> bool:
    """E(0) = I and E′ = XE compared function by function, for E = Σ t^j/j!·φ_c·M_{p,j,c}."""
    n = x.nrows()
    zero = fmpq_mat(n, n)
    start = zero
    for k in range(len(parts)):
        start = start + m[k, 0, 0]
    if any(start[i, j] != int(i == j) for i in range(n) for j in range(n)):
        return False
    for k, part in enumerate(parts):
        for j in range(part.exponent):
            for c in range(part.degree):
                # (t^j/j!·φ_c)′ brings M_{j+1,c}, the shift φ_{c+1} → φ_c and the feedback −p_c
                expected = m.get((k, j + 1, c), zero)
                if c + 1 < part.degree:
                    expected = expected + m[k, j, c + 1]
                else:
                    for b in range(part.degree):
                        expected = expected - m[k, j, b] * part.factor[b]
                if x * m[k, j, c] != expected:
                    return False
    return True


def check_mutant(example: Taxon, data: st.DataObject) -> None:
    form = primary_exponential(example.matrix)
    matrices = coefficient_matrices(form)
    assert matrix_laws_hold(example.matrix, form.parts, matrices)
    n = example.matrix.nrows()
    key = data.draw(st.sampled_from(sorted(matrices)))
    i, j = (data.draw(st.integers(0, n - 1)) for _ in range(2))
    mutant = fmpq_mat(matrices[key])
    mutant[i, j] += fmpq(1, 10**9)
    assert not matrix_laws_hold(example.matrix, form.parts, {**matrices, key: mutant})
    k, row, c = key
    rows = [list(r) for r in form.parts[k].coefficients]
    rows[row][c] = rows[row][c] + fmpq_poly([fmpq(1, 10**9)])
    part = replace(form.parts[k], coefficients=tuple(tuple(r) for r in rows))
    assert not replace(form, parts=(*form.parts[:k], part, *form.parts[k + 1 :])).is_proved()


# -- `make test` ------------------------------------------------------------------------------


@given(taxa())
@settings(max_examples=800, deadline=None)
def test_structure_and_minimal_polynomial_are_the_planted_ones(example: Taxon) -> None:
    check_structure(example)


@given(taxa(), st.sampled_from([2, 3, 5, 7, 11]))
@settings(max_examples=200, deadline=None)
def test_a_bad_prime_costs_time_not_truth(example: Taxon, prime: int) -> None:
    """Modulo a small prime factors meet and ranks fall; what is concluded stays right."""
    with mock.patch.object(rational, "PRIME", prime):
        check_structure(example)


@given(taxa(max_dimension=10))
@settings(max_examples=80, deadline=None)
def test_similarity_is_exact(example: Taxon) -> None:
    check_bases(example)


@given(taxa())
@settings(max_examples=120, deadline=None)
def test_closed_form_is_proved_and_encloses_the_exponential(example: Taxon) -> None:
    check_exponential(example)


@given(taxa(), st.data())
@settings(max_examples=120, deadline=None)
def test_a_mutated_coefficient_is_rejected(example: Taxon, data: st.DataObject) -> None:
    check_mutant(example, data)


@given(taxa(max_dimension=5, max_degree=2), st.data())
@settings(max_examples=50, deadline=None)
def test_a_mutated_entry_of_the_real_closed_form_is_rejected(
    example: Taxon, data: st.DataObject
) -> None:
    generator = Generator.from_matrix(from_fmpq(example.matrix))
    closed = exponential(generator).matrix()
    laws = decide(generator.matrix, closed)
    assert laws.initial_condition
    assert laws.derivative
    n = len(closed)
    i, j = (data.draw(st.integers(0, n - 1)) for _ in range(2))
    t = ExponentialPolynomial.variable("t")
    added = data.draw(st.sampled_from([t, t * t, t * t * t]))
    rows = [list(row) for row in closed]
    rows[i][j] = rows[i][j] + added
    laws = decide(generator.matrix, tuple(tuple(row) for row in rows))
    assert not (laws.initial_condition and laws.derivative)


@given(taxa(max_dimension=8), st.data())
@settings(max_examples=80, deadline=None)
def test_the_order_of_coordinates_does_not_matter(example: Taxon, data: st.DataObject) -> None:
    n = example.matrix.nrows()
    order = data.draw(st.permutations(range(n)))
    moved = fmpq_mat([[example.matrix[i, j] for j in order] for i in order])
    check_structure(Taxon(moved, example.sizes))
    blocks = [
        [(b.texts(), b.chain_length, b.multiplicity, b.real_part_sign) for b in case.structure]
        for x in (example.matrix, moved)
        for case in real_jordan_form(Generator.from_matrix(from_fmpq(x))).cases
    ]
    assert sorted(map(str, blocks[0])) == sorted(map(str, blocks[1]))


# -- `make test-full` --------------------------------------------------------------------------


@pytest.mark.slow
@given(taxa(max_dimension=32), st.data())
@settings(max_examples=1000, deadline=None)
def test_up_to_dimension_thirty_two(example: Taxon, data: st.DataObject) -> None:
    check_structure(example)
    check_mutant(example, data)


@pytest.mark.slow
@given(taxa(max_dimension=24))
@settings(max_examples=400, deadline=None)
def test_values_and_bases_up_to_dimension_twenty_four(example: Taxon) -> None:
    check_bases(example)
    check_exponential(example)
