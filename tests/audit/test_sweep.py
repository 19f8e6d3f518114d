"""One wrong position, wherever it is: of maps, scores, biases and tables."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.boundaries import boundaries
from numeric_check.audit.libraries import library_named
from numeric_check.audit.positions import beginnings, with_neighbours
from numeric_check.audit.subject import MapSubject
from tests.audit import faulty_module as faulty
from tests.audit import maps as m

Clock = Any


def taken_for(wrong: int, other: int) -> Clock:
    """One position is taken for another."""
    return lambda p: np.where(p == wrong, other, p)


@pytest.mark.parametrize("at", [40003, 98765, 131070])
def test_one_far_position_of_a_map_is_found_and_named(at: int) -> None:
    clock = taken_for(at, at - 2)
    report = audit(lambda x, p: m.rope()(x, clock(p)), dimension=8)
    assert report.of("relative").verdict == "refuted"
    assert f"fails at position {at} only" in report.of("generator").detail
    assert str(at) in report.of("relative").witness
    assert "wrong at position" in report.of("precision float32").detail


def test_one_far_position_of_the_keys_is_found_and_named() -> None:
    clock = taken_for(70001, 0)
    report = audit(m.rope(), key=lambda x, p: m.rope()(x, clock(p)), dimension=8)
    assert "(70001, 70001)" in report.of("relative").witness


def test_one_plane_at_one_far_position() -> None:
    def f(x: Any, p: Any) -> Any:
        angle = p[:, None] * m.ladder(8)
        angle[p == 77777, 2] += 1e-3
        return m.rotate(x, angle, "half")

    found = audit(f, dimension=8).of("precision float64")
    assert found.detail.startswith("wrong at position 77777 only")


def test_one_slot_of_a_long_call_is_found() -> None:
    """Alone every position is right: the place in the call is what counts."""

    def f(x: Any, p: Any) -> Any:
        slot = np.arange(len(p))
        return m.rope()(x, np.where((slot == 50001) & (len(p) > 50001), p + 0.5, p))

    found = audit(f, dimension=8).of("prefill = decode")
    assert found.verdict == "refuted"
    assert "position 50001" in found.witness


@pytest.mark.parametrize(
    ("query", "key", "shown"),
    [(88888, None, "(88888, "), (None, 99999, ", 99999)"), (None, None, "")],
)
def test_one_far_position_of_a_score(query: int | None, key: int | None, shown: str) -> None:
    def score(q: Any, k: Any, t: Any, s: Any) -> Any:
        of_t, of_s = taken_for(query or -1, 5)(t), taken_for(key or -1, 5)(s)
        return m.rope()(q, of_t) @ m.rope()(k, of_s).T

    found = audit(score, kind="score", dimension=8).of("relative")
    assert (found.verdict == "refuted") == bool(shown)
    assert shown in found.witness


def test_one_far_key_or_lag_of_a_bias_and_a_row_that_is_only_shifted() -> None:
    def bias(of_t: Clock, of_s: Clock, of_lag: Clock) -> Any:
        return lambda t, s: -0.5 * of_lag(of_t(t)[:, None] - of_s(s)[None])[None]

    same = lambda p: p  # noqa: E731
    odd = taken_for(77777, 77770)
    found = audit(bias(same, odd, same), kind="bias", causal=True).of("relative")
    assert found.verdict == "refuted"
    assert "77777" in found.witness
    slope = audit(bias(same, same, odd), kind="bias").of("slope")
    assert slope.verdict == "refuted"
    assert "77777 not" in slope.detail
    # a query that is taken for another adds one constant to its row: softmax does not see it
    report = audit(bias(odd, same, same), kind="bias")
    assert report.exit_code == 0
    assert report.of("relative").verdict == "equivalent"


def test_a_lag_that_overflows_and_one_that_is_limited() -> None:
    overflowing = lambda t, s: -0.5 * (t[:, None] - s[None]).astype(np.int16)[None]  # noqa: E731
    found = audit(overflowing, kind="bias").of("slope")
    assert found.verdict == "refuted"
    assert "linear up to lag 32767, then it jumps" in found.detail
    limited = lambda t, s: -0.5 * np.minimum(t[:, None] - s[None], 1000)[None]  # noqa: E731
    assert audit(limited, kind="bias").exit_code == 0


def test_one_far_row_of_a_table() -> None:
    found = audit(lambda p: faulty.sines(taken_for(99991, 3)(p)), kind="table").of("precision")
    assert found.detail.startswith("wrong at position 99991 only")


def test_boundaries_are_read_off_what_a_callable_keeps() -> None:
    table = np.zeros((70, 8))

    def f(x: Any, positions: Any, max_positions: int = 3) -> Any:
        return x + 0 * table[0, 0]

    g = functools.partial(f, max_positions=2048)
    subject = MapSubject("g", g, g, library_named("numpy"), 8)
    assert boundaries(subject) == (69, 70, 71, 2047, 2048, 2049)


def test_where_runs_of_failures_begin() -> None:
    assert beginnings(np.array([True, True, False, True])) == [0, 3]
    assert beginnings(np.zeros(0, dtype=bool)) == []
    assert with_neighbours([0, 7], 7) == [0, 1, 6, 7]
