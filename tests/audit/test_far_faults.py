"""Faults at one position, at far positions, at long lags or for some pairs; and smallest ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.extent import extent, narrowed
from tests.audit import faulty_module as faulty
from tests.audit import maps as m

Clock = Callable[[Any], Any]


def refuted(subject: Any, **options: Any) -> set[str]:
    return {f.question for f in audit(subject, **{"dimension": 8, **options}).refuted}


def positions_in(text: str) -> set[int]:
    return {int(word) for word in re.findall(r"\d+", text)}


@pytest.mark.parametrize("at", [777, 12345, 32000])
def test_one_position_is_found_and_named(at: int) -> None:
    report = audit(lambda x, p: m.rope()(x, p + (p == at)), dimension=8)
    assert report.of("relative").verdict == "refuted"
    assert f"fails at position {at} only" in report.of("generator").detail
    assert at in positions_in(report.of("relative").witness.partition(" is ")[0])


@pytest.mark.parametrize(
    "clock",
    [lambda p: p.astype(np.int16), lambda p: p % 20000, lambda p: np.minimum(p, 100000),
     lambda p: p * (1 + 1e-9 * p), lambda p: np.where(p > 40000, p + 1, p)],
)  # fmt: skip
def test_clocks_that_go_wrong_far_away(clock: Clock) -> None:
    assert {"relative", "generator"} <= refuted(lambda x, p: m.rope()(x, clock(p)))
    found = audit(m.rope(), key=lambda x, p: m.rope()(x, clock(p)), dimension=8)
    assert found.of("relative").verdict == "refuted"


@pytest.mark.parametrize("threshold", [300, 5000, 40000, 100000])
def test_a_failure_is_narrowed_to_where_it_begins(threshold: int) -> None:
    report = audit(lambda x, p: m.rope()(x, np.where(p >= threshold, p + 0.5, p)), dimension=8)
    assert f"fails from position {threshold} on" in report.of("generator").detail
    pairs = re.findall(r"\((\d+), (\d+)\)", report.of("relative").witness)
    smallest = max(int(p) for p in pairs[1])
    assert smallest in range(threshold, threshold + 8) or threshold == 40000
    precision = report.of("precision float64")
    assert precision.numbers["first_wrong"] == threshold
    assert f"wrong from position {threshold} on" in precision.detail


def test_every_other_position_is_not_all_of_them() -> None:
    def f(x: Any, p: Any) -> Any:
        return m.rope()(x, p.astype(np.float16).astype(float) if x.dtype == np.float16 else p)

    detail = audit(f, dimension=8).of("precision float16").detail
    assert "wrong at position 2049 first, and at " in detail
    assert "from position" not in detail.partition(":")[0]


def test_a_length_is_narrowed_as_well() -> None:
    report = audit(m.by_length(1000), dimension=8)
    assert "in one of 1001 positions" in report.of("prefill = decode").witness
    assert "prefill = decode" in refuted(m.by_length(40000))
    assert "prefill = decode" not in refuted(m.rope())


def test_neighbours_are_compared_everywhere() -> None:
    def f(x: Any, p: Any) -> Any:
        return m.rope()(x, np.where(p == 1234, 1233, p))

    assert "positions 1233 and 1234" in audit(f, dimension=8).of("distinct float64").detail


@pytest.mark.parametrize("name", ["clipped", "one_pair"])
def test_scores_of_some_pairs(name: str) -> None:
    report = audit(getattr(faulty, name), kind="score", dimension=8)
    assert report.of("relative").verdict == "refuted"
    if name == "one_pair":
        assert "(300, 200)" in report.of("relative").witness


def test_a_score_at_one_lag() -> None:
    report = audit(faulty.one_lag, kind="score", dimension=8)
    assert "position 613" in report.of("generator").detail


def test_a_score_that_is_masked_after_the_query() -> None:
    def score(q: Any, k: Any, t: Any, s: Any) -> Any:
        seen = s[None] <= t[:, None]
        return np.where(seen, m.rope()(q, t) @ m.rope()(k, s).T, (t[:, None] + s[None]) * 1.0)

    def masked(q: Any, k: Any, t: Any, s: Any) -> Any:
        return np.where(s[None] <= t[:, None], m.rope()(q, t) @ m.rope()(k, s).T, -np.inf)

    assert audit(score, kind="score", dimension=8, causal=True).exit_code == 0
    assert "relative" in refuted(score, kind="score")
    assert audit(masked, kind="score", dimension=8, causal=True).exit_code == 0


@pytest.mark.parametrize(
    ("name", "pair"), [("one_entry", "b(301, 123)"), ("far_bias", "b(61440, ")]
)
def test_biases_of_some_pairs(name: str, pair: str) -> None:
    finding = audit(getattr(faulty, name), kind="bias").of("relative")
    assert finding.verdict == "refuted"
    assert pair in finding.witness


def test_a_bias_that_is_limited_in_late_rows() -> None:
    def limited(limit: int) -> Any:
        def bias(t: Any, s: Any) -> Any:
            late = np.where(t[:, None] > 1000, limit, 10**9)
            return -0.5 * np.minimum(t[:, None] - s[None], late)[None]

        return bias

    assert "relative" in {f.question for f in audit(limited(512), kind="bias").refuted}
    assert audit(limited(10**9), kind="bias").exit_code == 0


def test_rows_of_a_table() -> None:
    odd = audit(faulty.sines_with_an_odd_row, kind="table").of("closed")
    assert odd.verdict == "refuted"
    assert "position 20000" in odd.witness
    far = audit(faulty.far_sines, kind="table").of("precision")
    assert "wrong from position 40001 on" in far.detail
    assert audit(faulty.repeated, kind="table").of("distinct").verdict == "refuted"
    assert audit(faulty.sines, kind="table").exit_code == 0


@pytest.mark.parametrize("size", [1.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_coarse_or_scaled_table_is_no_fault(size: float, dtype: Any) -> None:
    table = lambda p: (size * faulty.sines(p)).astype(dtype)  # noqa: E731
    assert audit(table, kind="table").exit_code == 0


def test_narrowing() -> None:
    calls = []

    def fails(positions: Any) -> Any:
        calls.append(len(positions))
        return np.array(positions) >= 90001

    assert narrowed(fails, 65536, 131071) == 90001
    assert sum(calls) < 400
    assert extent([5, 9], np.array([False, True])) == "at position 9 (the last that was tried)"
