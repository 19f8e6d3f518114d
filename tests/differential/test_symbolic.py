"""Symbolic matrices that SymPy tests: the case tree is right at every sampled point.

What is answered `undecided` is listed with its reason; an improvement makes its test fail, and the
entry is then removed (`pytest tests/differential/test_symbolic.py` names it).
"""

from __future__ import annotations

import re
from itertools import product

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.errors import NotYetCovered, SpecificationError, SymbolicPEError, Undecided
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from tests.differential.sympy_matrices import Entry, of_kind, rows_of
from tests.opinions import case_at, check_structure_at, real_form, same_blocks, verify_bases

UNDECIDED: dict[str, tuple[type[SymbolicPEError], str]] = {
    "test_issue_20275_3": (SpecificationError, "only sums whose square root denests"),
}
"""Name: the error and its reason. Strict: an entry that is answered has to be taken out."""

ENTRIES = of_kind("symbolic", "float_or_other") + [
    e for e in of_kind("complex") if e.get("parameters") or "sqrt" in str(e)
]
ANSWERED = [e for e in ENTRIES if e["name"] not in UNDECIDED]
MAX_DIMENSION = 8
BOUNDARY = [fmpq(-2), fmpq(-1), fmpq(0), fmpq(1), fmpq(2), fmpq(1, 2)]
values = st.one_of(
    st.sampled_from(BOUNDARY), st.builds(fmpq, st.integers(-9, 9), st.integers(1, 5))
)


def generator_of(entry: Entry) -> Generator:
    rows = rows_of(entry)
    if "imaginary" in entry:
        rows = real_form(rows, rows_of(entry, "imaginary"))
    return Generator.from_matrix(rows, entry.get("parameters", {}))


def test_every_listed_name_exists() -> None:
    assert set(UNDECIDED) <= {entry["name"] for entry in ENTRIES}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["name"])
def test_answered_or_listed_as_undecided(entry: Entry) -> None:
    expected = UNDECIDED.get(entry["name"])
    try:
        real_jordan_form(generator_of(entry))
    except (NotYetCovered, Undecided, SpecificationError) as error:
        assert expected is not None, f"{entry['name']} is not listed: {error}"
        assert isinstance(error, expected[0])
        assert re.search(expected[1], str(error))
    else:
        assert expected is None, f"{entry['name']} is answered now: take it out of UNDECIDED"


@pytest.mark.parametrize("entry", ANSWERED, ids=lambda e: e["name"])
def test_every_basis_of_every_case_is_verified(entry: Entry) -> None:
    if len(entry["rows"]) <= MAX_DIMENSION:
        verify_bases(generator_of(entry))


def boundary_points(entry: Entry) -> list[dict[str, fmpq]]:
    """Admissible combinations of boundary values, thinned out where there are many."""
    declared = entry.get("parameters", {})
    if len(entry["rows"]) > MAX_DIMENSION:
        return [dict.fromkeys(declared, fmpq(2))]
    points = list(product(BOUNDARY, repeat=len(declared)))
    points = points[:: 1 + len(points) // 36]
    return [
        dict(zip(declared, point, strict=True))
        for point in points
        if all(x > 0 or declared[n] == "real" for n, x in zip(declared, point, strict=True))
    ]


@pytest.mark.parametrize("entry", ANSWERED, ids=lambda e: e["name"])
def test_structure_at_the_boundary_values(entry: Entry) -> None:
    for point in boundary_points(entry):
        check_structure_at(generator_of(entry), point)


def test_negative_twin_the_structure_of_another_point_is_told_apart() -> None:
    cases = {
        x: case_at(Generator.from_matrix([["x", "1"], ["0", "1"]], {"x": "real"}), {"x": fmpq(x)})
        for x in (1, 2)
    }
    assert same_blocks(cases[1].structure, cases[1].structure)
    assert not same_blocks(cases[1].structure, cases[2].structure)


@given(st.sampled_from(ANSWERED), st.data())
@settings(max_examples=80, deadline=None)
def test_structure_at_random_values(entry: Entry, data: st.DataObject) -> None:
    generator = generator_of(entry)
    if generator.dimension > MAX_DIMENSION:
        return
    point = {
        name: abs(x) + fmpq(1, 7) if assumed == "positive" else x
        for name, assumed in entry.get("parameters", {}).items()
        for x in [data.draw(values)]
    }
    check_structure_at(generator, point)
