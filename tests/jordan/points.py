"""Check a case tree at a rational point: one case holds there, and its structure is right."""

from __future__ import annotations

import json
from functools import cache

from flint import fmpq

from symbolic_pe.algebra.matrix import to_fmpq
from symbolic_pe.algebra.sampling import holds_at
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.budget import Budget
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import JordanCase, StructureBlock
from symbolic_pe.jordan.rational import primary_structure, structure_of


def families(case: JordanCase) -> list[str]:
    return [b.family for b in case.structure for _ in range(b.multiplicity)]


def shape(structure: tuple[StructureBlock, ...]) -> list[tuple[str, int]]:
    return sorted((b.family, b.chain_length) for b in structure for _ in range(b.multiplicity))


def matching(cases: tuple[JordanCase, ...], point: dict[str, fmpq]) -> list[JordanCase]:
    """Cases whose conditions hold at a rational point."""
    values = {name: Scalar.rational(x) for name, x in point.items()}
    return [case for case in cases if holds_at(case.cell, values)]


PATIENT = Budget.of(3600)
"""What a test decides must not depend on how busy the machine is."""


@cache
def _case_tree(text: str) -> tuple[JordanCase, ...]:
    rows, parameters = json.loads(text)
    return real_jordan_form(Generator.from_matrix(rows, parameters), PATIENT).cases


def check_at(rows: list[list[str]], parameters: dict[str, str], point: dict[str, fmpq]) -> None:
    """Exactly one case holds, and its structure is the exact structure at that point."""
    generator = Generator.from_matrix(rows, parameters)
    cases = _case_tree(json.dumps([rows, parameters]))
    (case,) = matching(cases, point)
    values = {name: Scalar.rational(x) for name, x in point.items()}
    numeric = tuple(tuple(x.substitute(values) for x in row) for row in generator.matrix)
    exact = structure_of(primary_structure(to_fmpq(numeric)))
    assert shape(case.structure) == shape(exact)
