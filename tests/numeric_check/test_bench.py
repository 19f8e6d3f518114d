"""The benchmark of the exact core: what it counts, that it stops, and where it puts its table."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from numeric_check.bench import exact
from numeric_check.bench.exact import Row
from numeric_check.bench.limited import Stopped, limited
from symbolic_pe.errors import NotYetCovered


def busy(entry: dict[str, Any], name: str) -> Callable[[], float]:
    """Uses up `entry["seconds"]` of CPU."""

    def run() -> float:
        while time.process_time() < entry["seconds"]:
            pass
        return 1.0

    return run


def failing(entry: dict[str, Any], name: str) -> Callable[[], float]:
    """Raises."""
    raise ZeroDivisionError


def test_a_child_returns_or_is_stopped() -> None:
    assert limited(busy, {"seconds": 0.0}, "", 5.0) == 1.0
    assert limited(failing, {}, "", 5.0) == "ZeroDivisionError"
    with pytest.raises(Stopped):
        limited(busy, {"seconds": 1000.0}, "", 1.0)


def test_the_suite_declares_every_symbol() -> None:
    entries = exact.suite()
    assert len(entries) == 55
    declared = {e["name"]: e["parameters"] for e in entries if e["syms"]}
    assert declared["sym_damped_2"] == {"w": "positive", "z": "between 0 and 1"}
    assert declared["sym_hat_3"] == dict.fromkeys("xyz", "nonzero")
    assert declared["sym_cjb_4"] == {"a": "real", "b": "positive"}


@pytest.mark.parametrize("name", ["rope_4", "comp5_5", "sym_rot_2", "sym_tri_3"])
@pytest.mark.parametrize("operation", exact.OURS)
def test_every_operation_of_ours_is_measured(name: str, operation: str) -> None:
    (entry,) = (e for e in exact.suite() if e["name"] == name)
    assert isinstance(exact.prepare(entry, operation)(), float)


def test_what_is_undecided_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = (e for e in exact.suite() if e["name"] == "sym_tri_3")

    def refuse(generator: object) -> None:
        raise NotYetCovered("a reason")

    monkeypatch.setattr(exact, "real_jordan_form", refuse)
    assert exact.prepare(entry, "structure")() == "undecided"


def row(n: int, ours: float | str, theirs: float | str) -> Row:
    return Row(
        {"name": f"m{n}", "n": n},
        dict.fromkeys(exact.OURS, ours),
        dict.fromkeys(exact.BESIDE, theirs),
    )


def test_medians_count_what_both_solved_and_what_only_we_did() -> None:
    rows = [row(4, 0.5, 1.0), row(4, 0.5, 2.0), row(3, 0.25, "> 3 s"), row(3, 1.0, "not run")]
    rows += [row(3, "undecided", 1.0)]
    lines = exact._medians(rows)
    assert "| exp | n <= 4 | 2 | 3 | 1 | 250.00 ms |" in lines


def test_a_larger_member_of_a_stopped_family_is_left_out() -> None:
    entry = {"name": "m", "cls": "family", "n": 8}
    stopped = {("family", "matrix_exp"): 8}
    assert exact._peer(entry, "matrix_exp", 1.0, stopped) == "not run"
    assert exact._peer(entry, "homomorphism", 1.0, stopped) == "not run"
