"""Answers do not depend on the names of symbols, on the order they come in, or on hash seeds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import RealJordanForm
from tests.jordan.points import matching

Rows = list[list[str]]
MATRICES: dict[str, Rows] = {
    "triangular": [["a", "1", "0"], ["0", "b", "1"], ["0", "0", "c"]],
    "rotation of space": [["0", "-c", "b"], ["c", "0", "-a"], ["-b", "a", "0"]],
    "hidden zeros": [["a", "b", "0"], ["0", "a", "0"], ["0", "c", "a"]],
    "two by two": [["a", "b"], ["c", "a"]],
    "complex chain": [
        ["a", "-b", "c", "0"],
        ["b", "a", "0", "c"],
        ["0", "0", "a", "-b"],
        ["0", "0", "b", "a"],
    ],
}
SPELLINGS = [("a", "b", "c"), ("z", "y", "x"), ("Tau_in", "C_m", "tau2"), ("c", "a", "b")]
small = st.builds(fmpq, st.integers(-2, 2))


def renamed(rows: Rows, names: tuple[str, ...]) -> Rows:
    table = dict(zip("abc", names, strict=True))
    return [[re.sub(r"[abc]", lambda m: table[m[0]], x) for x in row] for row in rows]


def tree(rows: Rows, names: tuple[str, ...]) -> RealJordanForm:
    declared = dict.fromkeys(names, "real")
    return real_jordan_form(Generator.from_matrix(renamed(rows, names), declared))


def kinds_at(form: RealJordanForm, point: dict[str, fmpq]) -> Counter[tuple[str, int]]:
    (case,) = matching(form.cases, point)
    kinds: Counter[tuple[str, int]] = Counter()
    for b in case.structure:
        kinds[b.family, b.chain_length] += b.multiplicity
    return kinds


TREES = {name: [tree(rows, names) for names in SPELLINGS] for name, rows in MATRICES.items()}


@pytest.mark.parametrize("name", MATRICES)
@given(values=st.tuples(small, small, small))
@settings(max_examples=30, deadline=None)
def test_renaming_changes_nothing(name: str, values: tuple[fmpq, ...]) -> None:
    found = [
        kinds_at(form, dict(zip(names, values, strict=True)))
        for form, names in zip(TREES[name], SPELLINGS, strict=True)
    ]
    assert all(kinds == found[0] for kinds in found)


@pytest.mark.parametrize("name", MATRICES)
def test_the_kinds_of_all_cases_are_the_same(name: str) -> None:
    sets = [
        {
            tuple(sorted((b.family, b.chain_length, b.multiplicity) for b in case.structure))
            for case in form.cases
        }
        for form in TREES[name]
    ]
    assert all(kinds == sets[0] for kinds in sets)


@pytest.mark.parametrize("name", MATRICES)
def test_the_order_of_declarations_changes_only_the_order_of_the_text(name: str) -> None:
    rows = MATRICES[name]
    found = {
        frozenset(
            (
                frozenset(case.cell.conditions()),
                frozenset((str(b.texts()), b.chain_length, b.multiplicity) for b in case.structure),
            )
            for case in real_jordan_form(
                Generator.from_matrix(rows, dict.fromkeys(order, "real"))
            ).cases
        )
        for order in permutations("abc")
    }
    assert len(found) == 1


@pytest.mark.parametrize("command", ["classify", "prove"])
def test_the_hash_seed_changes_nothing(command: str, tmp_path: Path) -> None:
    specification = tmp_path / "chain.toml"
    specification.write_text(
        '[encoding]\nname = "chain"\n[parameters]\na = "real"\nb = "real"\nc = "real"\n'
        '[generator]\nmatrix = [["a", "b", "0"], ["0", "a", "0"], ["0", "c", "a"]]\n'
    )
    dense = tmp_path / "dense.json"
    rows = [[str((i * 7 + j * 5 + i * j) % 11 - 5) for j in range(7)] for i in range(7)]
    dense.write_text('{"matrix": ' + str(rows).replace("'", '"') + "}")
    for path in (specification, dense):
        outputs = {
            subprocess.run(
                [sys.executable, "-m", "symbolic_pe", command, str(path), "--json"],
                capture_output=True,
                check=True,
                env={**os.environ, "PYTHONHASHSEED": seed},
            ).stdout
            for seed in ("0", "1", "4242")
        }
        assert len(outputs) == 1
