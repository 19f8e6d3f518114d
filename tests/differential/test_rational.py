"""Rational matrices that SymPy tests: structure as listed, exponential proved and enclosed."""

from __future__ import annotations

import pytest
from flint import fmpq, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.algebra.matrix import is_rational, to_fmpq
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.rational import primary_structure
from tests.differential.sympy_matrices import Entry, of_kind, rows_of
from tests.opinions import (
    balls,
    check_exponential,
    check_real_form,
    complex_balls,
    encloses,
    real_form,
)

RATIONAL = of_kind("rational")
COMPLEX = [e for e in of_kind("complex") if not e.get("parameters") and "sqrt" not in str(e)]
DECIMAL = [e for e in of_kind("float_or_other") if "sqrt" not in str(e) and "pi" not in str(e)]


def number(text: str) -> fmpq:
    p, _, q = text.partition("/")
    return fmpq(int(p), int(q or 1))


def listed(entry: Entry) -> set[tuple[tuple[fmpq, ...], tuple[int, ...]]]:
    return {
        (tuple(number(c) for c in factor.split()), tuple(sizes))
        for factor, sizes in entry["jordan"]
    }


def found(generator: Generator) -> set[tuple[tuple[fmpq, ...], tuple[int, ...]]]:
    return {
        (tuple(p.factor.coeffs()), p.sizes) for p in primary_structure(to_fmpq(generator.matrix))
    }


def test_the_corpus_is_what_was_recorded() -> None:
    assert (len(RATIONAL), len(COMPLEX), len(DECIMAL)) == (65, 5, 3)


@pytest.mark.parametrize("entry", RATIONAL, ids=lambda e: e["name"])
def test_structure_is_the_listed_one(entry: Entry) -> None:
    generator = Generator.from_matrix(rows_of(entry))
    assert found(generator) == listed(entry)
    # X·P = P·J and P·Q = I are verified on the way, or an error is raised
    (case,) = real_jordan_form(generator).cases
    sizes = {(b.chain_length, b.multiplicity) for b in case.structure}
    assert {k for k, _ in sizes} == {k for _, s in listed(entry) for k in s}
    dimension = sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in case.structure)
    assert dimension == generator.dimension


@pytest.mark.parametrize("entry", RATIONAL + DECIMAL, ids=lambda e: e["name"])
def test_exponential_is_proved_and_enclosed(entry: Entry) -> None:
    generator = Generator.from_matrix(rows_of(entry))
    check_exponential(to_fmpq(generator.matrix))
    (case,) = real_jordan_form(generator).cases
    if case.components is not None and generator.dimension <= 8:
        check_real_form(generator)


@pytest.mark.parametrize("entry", COMPLEX, ids=lambda e: e["name"])
def test_complex_matrices_enter_as_their_real_form(entry: Entry) -> None:
    """exp of [[A, −B], [B, A]] is [[Re, −Im], [Im, Re]] of exp(A + iB)."""
    real, imaginary = rows_of(entry), rows_of(entry, "imaginary")
    generator = Generator.from_matrix(real_form(real, imaginary))
    x = to_fmpq(generator.matrix)
    check_exponential(x)
    t, n = fmpq(1, 16), len(real)
    value = primary_exponential(x).ball(t, 512)
    expected = complex_balls(real, imaginary, t)
    for i in range(n):
        for j in range(n):
            assert value[i, j].overlaps(expected[i, j].real)
            assert value[n + i, j].overlaps(expected[i, j].imag)
            assert value[i, n + j].overlaps(-expected[i, j].imag)


@given(st.sampled_from([e for e in RATIONAL if len(e["rows"]) <= 6]), st.data())
@settings(max_examples=40, deadline=None)
def test_negative_twin_another_matrix_has_another_exponential(
    entry: Entry, data: st.DataObject
) -> None:
    x = to_fmpq(Generator.from_matrix(rows_of(entry)).matrix)
    n, t = x.nrows(), fmpq(1, 8)
    value = primary_exponential(x).ball(t, 256)
    i, j = (data.draw(st.integers(0, n - 1)) for _ in range(2))
    x[i, j] += fmpq(1, 10**6)
    assert not encloses(value, balls(x, t))


def test_the_factors_are_irreducible_and_monic() -> None:
    for entry in RATIONAL:
        for coefficients, sizes in listed(entry):
            polynomial = fmpq_poly(list(coefficients))
            assert polynomial.leading_coefficient() == 1
            assert [m for _, m in polynomial.factor()[1]] == [1]
            assert list(sizes) == sorted(sizes, reverse=True)


def test_rational_entries_are_read_exactly() -> None:
    for entry in RATIONAL + DECIMAL:
        assert is_rational(Generator.from_matrix(rows_of(entry)).matrix)
