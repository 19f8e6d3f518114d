"""Every line of every rewriting proof needs the equation it names: none of them is decoration."""

from __future__ import annotations

import pytest

import derivations
from symbolic_pe.proof import rewriting
from symbolic_pe.proof.derivation import Rule, decide
from symbolic_pe.proof.rewriting import NULL, Equation, Maps

NOTHING = Equation("nothing", NULL, NULL)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Maps, Maps, Equation]]:
    """All lines that are checked when the derivations are decided."""
    found: list[tuple[Maps, Maps, Equation]] = []
    check = rewriting.follows

    def recorded(before: Maps, after: Maps, equation: Equation) -> bool:
        found.append((before, after, equation))
        return check(before, after, equation)

    monkeypatch.setattr(rewriting, "follows", recorded)
    for d in derivations.derivations():
        if any(step.rule is Rule.REWRITING for step in d.steps):
            decide(d)
    monkeypatch.undo()
    return found


def test_lines_fail_without_their_equation(lines: list[tuple[Maps, Maps, Equation]]) -> None:
    assert len(lines) > 50
    for before, after, equation in lines:
        assert rewriting.follows(before, after, equation)
        assert not rewriting.follows(before, after, NOTHING), f"{before} -> {after}"


def test_lines_fail_with_the_opposite_sign(lines: list[tuple[Maps, Maps, Equation]]) -> None:
    for before, after, equation in lines:
        opposite = Equation(equation.name, equation.left, -equation.right)
        if NULL in (equation.left, equation.right):
            continue
        assert not rewriting.follows(before, after, opposite), f"{before} -> {after}"
