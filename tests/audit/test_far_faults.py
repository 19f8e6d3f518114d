"""Faults at one position, at far positions, at long lags or for some pairs; and smallest ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.extent import extent, narrowed
from numeric_check.audit.shrinking import shrunk
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
    ("name", "pair"), [("one_entry", "b(301, 123)"), ("far_bias", "b(60001, 1)")]
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


# -- beyond the run ---------------------------------------------------------------------------

BEGINNINGS = [40000, 65536, 100003, 131071]


def late(start: int, end: int = 1 << 30) -> Clock:
    """Half a position too far from `start` on."""
    return lambda p: np.where((p >= start) & (p < end), p + 0.5, p)


def smallest_pair(report: Any) -> tuple[int, int]:
    t, s = re.findall(r"\((\d+), (\d+)\)", report.of("relative").witness.partition(" is ")[0])[-1]
    return int(t), int(s)


@pytest.mark.parametrize("start", BEGINNINGS)
def test_maps_that_go_wrong_beyond_the_run(start: int) -> None:
    report = audit(lambda x, p: m.rope()(x, late(start)(p)), dimension=8)
    assert f"fails from position {start} on" in report.of("generator").detail
    assert smallest_pair(report) == (start, 1)


def test_keys_that_go_wrong_beyond_the_run() -> None:
    report = audit(m.rope(), key=lambda x, p: m.rope()(x, late(100003)(p)), dimension=8)
    assert smallest_pair(report) == (100003, 100003)


def test_a_fault_that_ends_again_is_met() -> None:
    report = audit(lambda x, p: m.rope()(x, late(40000, 40100)(p)), dimension=8)
    assert "fails at position 40000 first" in report.of("generator").detail
    assert smallest_pair(report) == (40000, 1)
    good = audit(m.rope(), dimension=8)
    assert good.exit_code == 0
    assert good.conditions["swept_positions"] == 131583


@pytest.mark.parametrize("start", BEGINNINGS)
def test_scores_that_go_wrong_beyond_the_run(start: int) -> None:
    def score(q: Any, k: Any, t: Any, s: Any) -> Any:
        return m.rope()(q, late(start)(t)) @ m.rope()(k, s).T

    report = audit(score, kind="score", dimension=8, causal=True)
    assert smallest_pair(report) == (start, 1)
    assert f"position {start}" in report.of("generator").detail


@pytest.mark.parametrize("start", BEGINNINGS)
def test_a_score_that_is_wrong_at_long_lags(start: int) -> None:
    def score(q: Any, k: Any, t: Any, s: Any) -> Any:
        lags = t[:, None] - s[None]
        return (m.rope()(q, t) @ m.rope()(k, s).T) * np.where(lags >= start, 1.1, 1.0)

    report = audit(score, kind="score", dimension=8, causal=True)
    assert report.of("relative").verdict == "consistent"
    assert f"fails at position {start}" in report.of("generator").detail


@pytest.mark.parametrize("start", BEGINNINGS[:3])
def test_biases_that_go_wrong_beyond_the_rows(start: int) -> None:
    def bias(of_key: Clock) -> Any:
        return lambda t, s: -0.5 * (t[:, None] - of_key(s)[None])[None]

    found = audit(bias(late(start)), kind="bias", causal=True)
    assert f"b({start}, 1) is" in found.of("relative").witness  # beside its own key, b(t, t)
    assert audit(bias(lambda p: p), kind="bias", causal=True).exit_code == 0


@pytest.mark.parametrize("start", BEGINNINGS)
def test_tables_that_go_wrong_beyond_the_rows(start: int) -> None:
    found = audit(lambda p: faulty.sines(late(start)(p)), kind="table").of("precision")
    assert f"position {start}" in found.detail


def test_a_damped_table_that_goes_wrong_beyond_the_rows() -> None:
    def table(p: Any) -> Any:
        waves = [np.exp(-1e-4 * p) * f(w * p) for w in (1.0, 0.1) for f in (np.cos, np.sin)]
        return np.stack(waves, axis=-1)

    found = audit(lambda p: table(np.minimum(p, 50000)), kind="table").of("closed")
    assert found.verdict == "refuted"
    assert audit(table, kind="table").of("closed").verdict == "consistent"


def test_rows_that_repeat_beyond_the_rows() -> None:
    found = audit(lambda p: faulty.sines(np.minimum(p, 50000)), kind="table").of("distinct")
    assert found.verdict == "refuted"
    assert audit(faulty.sines, kind="table").of("distinct").verdict == "consistent"


# -- smallest pairs ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fails", "start", "end"),
    [
        (lambda t, s: t >= 40000 and s > 0, (131071, 85), (40000, 1)),
        (lambda t, s: s >= 65536, (131071, 70000), (65536, 65536)),
        (lambda t, s: t - s >= 50000 and s >= 3, (131071, 511), (50003, 3)),
        (lambda t, s: t + s >= 3000 and s > 0, (8193, 4095), (2999, 1)),
    ],
)
def test_a_pair_is_shrunk_until_no_step_fails(
    fails: Callable[[int, int], bool], start: Any, end: Any
) -> None:
    many = lambda pairs: np.array([fails(t, s) for t, s in pairs])  # noqa: E731
    assert shrunk(many, start) == end
    t, s = end
    below = [(t - 1, s - 1), (t - 1, s), (t, s - 1)]
    assert not any(many([(a, b) for a, b in below if a >= b >= 0]))


def test_a_pair_that_has_no_smaller_one_stays() -> None:
    assert shrunk(lambda pairs: np.array([p == (7, 5) for p in pairs]), (7, 5)) == (7, 5)


@pytest.mark.parametrize("rate", [1e-9, 3e-9, 1e-8])
def test_a_slow_drift_is_shrunk_to_a_pair_that_no_step_goes_below(rate: float) -> None:
    subject = audit(lambda x, p: m.rope()(x, p * (1 + rate * p)), dimension=8)
    t, s = smallest_pair(subject)
    drift = rate * 2.0 * s * (t - s)  # of the angle: what separates pairs that fail from others
    bound = max(rate * 2.0 * b * (a - b) for a, b in ((t - 1, s - 1), (t - 1, s), (t, s - 1)))
    assert bound < drift
    assert t < 9000
