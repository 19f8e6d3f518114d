"""Check a case tree at a rational point: one case holds there, and its structure is right."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.matrix import to_fmpq
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import JordanCase
from symbolic_pe.jordan.rational import primary_structure, structure_of


def families(case: JordanCase) -> list[str]:
    return [b.family for b in case.structure for _ in range(b.multiplicity)]


def matching(cases: tuple[JordanCase, ...], point: dict[str, fmpq]) -> list[JordanCase]:
    """Cases whose conditions hold at a rational point, read from intervals, signs, solutions."""
    values = {name: Scalar.rational(x) for name, x in point.items()}
    found = []
    for case in cases:
        cell = case.cell
        inside = all(
            cell.intervals[n].sign_of_difference(values[n]) is None
            or cell.intervals[n].low == cell.intervals[n].high == values[n]
            for n in point
        )
        solved = inside and all(v.substitute(values) == values[n] for n, v in cell.solved.items())
        signs = solved and all(
            Scalar({(): element}).substitute(values).sign() == sign
            for element, sign in cell.signs.values()
        )
        if inside and solved and signs:
            found.append(case)
    return found


def check_at(rows: list[list[str]], parameters: dict[str, str], point: dict[str, fmpq]) -> None:
    """Exactly one case holds, and its structure is the exact structure at that point."""
    generator = Generator.from_matrix(rows, parameters)
    cases = real_jordan_form(generator).cases
    (case,) = matching(cases, point)
    values = {name: Scalar.rational(x) for name, x in point.items()}
    numeric = tuple(tuple(x.substitute(values) for x in row) for row in generator.matrix)
    exact = structure_of(primary_structure(to_fmpq(numeric)))
    expected = sorted(b.family for b in exact for _ in range(b.multiplicity))
    assert sorted(families(case)) == expected
