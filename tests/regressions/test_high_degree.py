"""Eigenvalues of degree 3 and more: exact structure, proved closed form, no radicals, no hang."""

from __future__ import annotations

import pytest
from flint import acb, arb, fmpz_poly

from symbolic_pe.algebra.matrix import to_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import ImplicitEigenvalue, StructureBlock
from tests.opinions import check_exponential, real_form

Rows = list[list[str | int]]

REPORTS: dict[str, Rows] = {
    "sympy#21585": [[17, 81, 93, 77], [16, 42, 39, 26], [71, 64, 49, 7], [7, 13, 6, 80]],
    "sympy#24942": [[-3, 1, 2], [1, -1, 0], [1, 0, -2]],
    "sympy#15362": [[0, 1, 0, 0], [0, 0, 1, 0], [10, 20, 30, 1], [0, 0, 0, 0]],
    "sympy#17732 at D = 2, w = 3, G = 1": [
        [-2, 1, 0, 1],
        [1, 3, 1, 0],
        [0, -1, 2, -1],
        [-1, 0, -1, -3],
    ],
    "gnu-octave/symbolic#808": [
        [0, 1, 0, 0, 0, 0],
        ["-1777.8", -500, "1777.8", 300, 0, 0],
        [0, 0, 0, 1, 0, 0],
        ["17.778", 3, "-59.603", "-5.946", "4.1825", 0],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 179250, 0, -410810, -42857],
    ],
    "Symbolics.jl#690 at a = 1, b = 2, c = 3": [[-1, 2, 0], [1, 3, -1], [0, 1, 0]],
    "sympy#21585, three compartments": [[-5, -3, 0], [1, -2, -7], [0, 1, -2]],
}


def structure(rows: Rows) -> tuple[StructureBlock, ...]:
    (case,) = real_jordan_form(Generator.from_matrix(rows)).cases
    return case.structure


@pytest.mark.parametrize("name", REPORTS)
def test_structure_and_closed_form(name: str) -> None:
    rows = REPORTS[name]
    found = structure(rows)
    assert sum(b.chain_length * b.multiplicity * (1 + b.is_pair) for b in found) == len(rows)
    check_exponential(to_fmpq(Generator.from_matrix(rows).matrix))


def test_a_stiff_machine_is_stable_by_certified_signs() -> None:
    assert {b.real_part_sign for b in structure(REPORTS["gnu-octave/symbolic#808"])} == {-1}


def test_signs_of_three_real_roots() -> None:
    """The report's decimals are −4.2143, −1.4608, −0.32487."""
    found = structure(REPORTS["sympy#24942"])
    values = []
    for block in found:
        assert isinstance(block.eigenvalue, ImplicitEigenvalue)
        values.append(round(float(block.eigenvalue.enclosure.real), 4))
    assert values == [-4.2143, -1.4608, -0.3249]


def cycle(n: int) -> Rows:
    return [["1/2" if (i - j) % n in (1, n - 1) else 0 for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("n", [5, 7, 11, 13])
def test_a_cycle_has_the_cosines_of_the_division_of_the_circle(n: int) -> None:
    """sympy#21631 with n = 11: cos(2πk/n), each twice, and 1 once."""
    found = structure(cycle(n))
    assert sorted(b.multiplicity for b in found) == [1] + [2] * (n // 2)
    with precision(128):
        expected = sorted(((2 * arb.pi() * k / n).cos() for k in range(1, n // 2 + 1)), key=float)
        implicit = [b.eigenvalue for b in found if isinstance(b.eigenvalue, ImplicitEigenvalue)]
        for value, cosine in zip(implicit, expected, strict=False):
            assert value.enclosure.real.overlaps(cosine)
    assert len(implicit) == (n // 2 if n > 5 else 0)
    check_exponential(to_fmpq(Generator.from_matrix(cycle(n)).matrix))


def test_a_complex_hamiltonian_has_the_frequencies_of_the_report() -> None:
    """sympy#19210: 3, 4 and (3 ± √17)/2, the latter two as roots of one quartic."""
    hamiltonian = [
        ["3", "0", "0", "0"],
        ["0", "1", "2", "0"],
        ["0", "2", "2", "0"],
        ["0"] * 3 + ["4"],
    ]
    imaginary = [[f"-{x}" if x != "0" else "0" for x in row] for row in hamiltonian]
    zero = [["0"] * 4 for _ in range(4)]
    (case,) = real_jordan_form(Generator.from_matrix(real_form(zero, imaginary))).cases
    assert {b.family for b in case.structure} == {"rotation"}
    frequencies = []
    with precision(128):
        for b in case.structure:
            if isinstance(b.eigenvalue, ImplicitEigenvalue):
                frequencies.append(b.eigenvalue.enclosure.imag)
        expected = [(arb(17).sqrt() - 3) / 2, (arb(17).sqrt() + 3) / 2]
        assert all(a.overlaps(b) for a, b in zip(frequencies, expected, strict=True))


def test_a_transition_matrix_given_in_decimals_has_the_eigenvalue_one() -> None:
    """sympy#20351, seven states, got 1.0 − 1e−64·I: decimals are exact, 1 is an eigenvalue."""
    rows: Rows = [
        ["0.5", "0.25", "0.25"],
        ["0.2", "0.6", "0.2"],
        ["0.3", "0.3", "0.4"],
    ]
    found = structure(rows)
    assert (str(found[0].eigenvalue), str(found[0].imaginary_part)) == ("1", "0")
    assert not any(b.is_pair for b in found)


def test_repeated_rational_eigenvalues() -> None:
    """sympy#13124: eigenvalues 0, 2, 2, 4 of a 4 × 4 integer matrix, a chain where there is one."""
    hidden: Rows = [[2, 1, 0, 1], [1, 2, 1, 0], [0, 1, 2, 1], [1, 0, 1, 2]]
    assert {(str(b.eigenvalue), b.chain_length, b.multiplicity) for b in structure(hidden)} == {
        ("0", 1, 1),
        ("2", 1, 2),
        ("4", 1, 1),
    }


def test_negative_twin_a_root_of_another_polynomial_is_not_enclosed() -> None:
    (case,) = real_jordan_form(Generator.from_matrix(REPORTS["sympy#24942"])).cases
    other = fmpz_poly([3, 8, 6, 1])
    for block in case.structure:
        assert isinstance(block.eigenvalue, ImplicitEigenvalue)
        total = acb(0)
        for c in reversed(other.coeffs()):
            total = total * block.eigenvalue.enclosure + acb(c)
        assert not total.contains(0)
