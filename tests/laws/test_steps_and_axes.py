"""Laws of A(n) = Bⁿ and of A(p) = exp(Σ pᵢXᵢ): proved, refuted with a witness, undecided."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic_pe.encodings.forms import (
    IntegerPositions,
    SeveralAxes,
    from_any_document,
    read_any_specification,
)
from symbolic_pe.proof.claim import CLAIM_NAMES, Claim
from symbolic_pe.proof.integer_positions import prove_step
from symbolic_pe.proof.several_axes import prove_axes
from tests.strategies import unimodular


def step(rows: Any) -> dict[str, Claim]:
    found = from_any_document({"step": {"matrix": rows}})
    assert isinstance(found, IntegerPositions)
    return {c.name: c for c in prove_step(found).claims}


def several(*matrices: Any, **rest: Any) -> dict[str, Claim]:
    found = from_any_document({"axes": [{"matrix": m} for m in matrices], **rest})
    assert isinstance(found, SeveralAxes)
    return {c.name: c for c in prove_axes(found).claims}


def verdicts(claims: dict[str, Claim]) -> list[str]:
    assert set(claims) <= set(CLAIM_NAMES)
    return [c.verdict.value for c in claims.values()]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0, -1], [1, 0]], ["proved"] * 4),
        ([[-1, 0], [0, -1]], ["proved"] * 4),
        ([[-1, 1], [0, -1]], ["proved", "proved", "proved", "refuted"]),
        ([[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], ["proved"] * 3 + ["refuted"]),
        ([[0, 0, 1], [1, 0, 0], [0, 1, 0]], ["proved"] * 4),
        ([[1, 1], [1, 1]], ["proved", "proved", "refuted", "refuted"]),
        ([["sqrt(2)", 0, 0], [0, 1, 0], [0, 0, 1]], ["proved", "proved"] + ["undecided"] * 2),
    ],
)
def test_steps(rows: Any, expected: list[str]) -> None:
    assert verdicts(step(rows)) == expected


def test_a_singular_step_is_a_semigroup_with_a_vector_that_vanishes() -> None:
    claims = step([[1, 2], [2, 4]])
    assert "n >= 0" in claims["homomorphism"].statement
    assert claims["inverses"].witness == "B v = 0 for v = (2, -1)"
    assert step([["sqrt(2)", 2], [1, "sqrt(2)"]])["inverses"].witness == (
        "B v = 0 for v = (2, -sqrt(2))"
    )
    assert "all integers" in step([[1, 2], [3, 4]])["homomorphism"].statement


def test_a_generator_beyond_the_budget_is_undecided_though_it_exists() -> None:
    cycle = [[int(i == (j + 1) % 127) for j in range(127)] for i in range(127)]
    claims = step(cycle)
    assert verdicts(claims) == ["proved"] * 3 + ["undecided"]
    assert "that it exists is decided" in claims["generator"].reason


def test_a_proved_generator_is_stated() -> None:
    reason = step([[0, -1], [1, 0]])["generator"].reason
    assert reason.startswith('X = [["0", "-1/2*pi"], ["1/2*pi", "0"]]')
    assert "ball of exp(X) contains B" in reason


def test_axial_and_its_twin() -> None:
    axial = read_any_specification("examples/axial.toml")
    assert isinstance(axial, SeveralAxes)
    assert [c.verdict.value for c in prove_axes(axial).claims] == ["proved"] * 4
    other = read_any_specification("examples/not-commuting.toml")
    assert isinstance(other, SeveralAxes)
    claims = {c.name: c for c in prove_axes(other).claims}
    assert verdicts(claims) == ["proved"] + ["refuted"] * 3
    assert claims["commutators"].witness == (
        "[x, y] = X Y - Y X has the entry -1 at row 0, column 1"
    )
    # entry (0, 0): cos 1 in the product of the rotations by 1, (1 + cos √2)/2 in the rotation by √2
    assert "A(p) A(q) has 0.540302305868 and A(p + q) has 0.577971847383" in (
        claims["homomorphism"].witness or ""
    )


def test_parameters() -> None:
    plane = [[0, "-w"], ["w", 0]]
    declared = {"parameters": {"w": "positive", "v": "real"}}
    assert verdicts(several(plane, [["v", 1], [-1, "v"]], **declared)) == ["proved"] * 4
    claims = several(plane, [["v", 1], [1, "v"]], **declared)
    assert verdicts(claims) == ["proved"] + ["refuted"] * 3
    assert "w = " in (claims["homomorphism"].witness or "")


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_one_changed_entry_is_refuted_exactly_when_it_breaks_the_commutator(
    data: st.DataObject,
) -> None:
    n = data.draw(st.integers(2, 3))
    x = fmpq_mat(n, n, data.draw(st.lists(st.integers(-2, 2), min_size=n * n, max_size=n * n)))
    hidden = data.draw(unimodular(n))
    x = hidden * x * hidden.inv()
    y = x * x + x
    rows = [[str(v) for v in row] for row in y.tolist()]
    base = [[str(v) for v in row] for row in x.tolist()]
    assert verdicts(several(base, rows)) == ["proved"] * 4
    i, j = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    y[i, j] += 1
    rows[i][j] = str(y[i, j])
    claims = several(base, rows)
    if x * y == y * x:
        assert verdicts(claims) == ["proved"] * 4
    else:
        assert verdicts(claims) == ["proved"] + ["refuted"] * 3
        assert "A(p + q) has" in (claims["homomorphism"].witness or "")
