"""Positions below 0 and beyond 2^20: right, wrong, or not accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import maps as m

TABLE = np.arange(1 << 18)


def counting(clock: Any) -> Any:
    return lambda x, positions: m.rope()(x, clock(np.asarray(positions)))


def test_both_are_measured_where_they_are_accepted() -> None:
    report = audit(m.rope(), dimension=4)
    below = report.of("negative positions")
    assert below.detail == "it is, at -1, -2, -85, -511, -8193, -65536"
    assert below.error is not None
    assert below.tolerance is not None
    far = report.of("far positions").detail
    assert far == "it is, at 1048576, 1048577, 1048661, 2097151, 2097152, 2097153, 2097237"


@pytest.mark.parametrize(
    ("clock", "words"),
    [(np.abs, "position -1 counts as 1"), (lambda p: np.maximum(p, 0), "position -1 counts as 0"),
     (lambda p: TABLE[p], "a table read from its end")],
)  # fmt: skip
def test_below_0_nothing_is_promised_unless_positions_are_real(clock: Any, words: str) -> None:
    report = audit(counting(clock), dimension=4)
    assert report.refuted == ()
    finding = report.of("negative positions")
    assert finding.verdict == "not asked"
    assert words in finding.detail
    if clock is np.abs:
        finding = audit(counting(clock), dimension=4, clock=True).of("negative positions")
        assert finding.verdict == "refuted"


def test_positions_that_are_refused_are_said_to_be() -> None:
    def f(x: Any, positions: Any) -> Any:
        if (np.asarray(positions) < 0).any() or (np.asarray(positions) >= 1 << 20).any():
            raise ValueError("expected 0 to 1048575")
        return m.rope()(x, positions)

    report = audit(f, dimension=4)
    assert report.exit_code == 0
    for question in ("negative positions", "far positions"):
        assert report.of(question).verdict == "not asked"
        assert "expected 0 to 1048575" in report.of(question).detail


@pytest.mark.parametrize(
    ("clock", "words"),
    [(lambda p: np.where(p > 300000, 0, p), "from position 300001 on all count as 0"),
     (lambda p: np.where(p > 300000, p - 1, p), "from position 300001 on positions are one late"),
     (lambda p: np.where((p > 300000) & (p < 1100000), 0, p),
      "at position 300001 first, and at 11 of the 15 positions tried after it")],
)  # fmt: skip
def test_a_far_fault_is_told_where_it_begins(clock: Any, words: str) -> None:
    found = audit(counting(clock), dimension=4).of("far positions")
    assert found.verdict == "refuted"
    assert words in found.detail
    assert "position 300001," in found.witness


def test_what_is_refused_is_the_first_that_is() -> None:
    def f(x: Any, positions: Any) -> Any:
        if (np.asarray(positions) < -600).any() or (np.asarray(positions) > 1 << 20).any():
            raise ValueError("that far?")
        return m.rope()(x, positions)

    report = audit(f, dimension=4)
    below, far = report.of("negative positions"), report.of("far positions")
    assert below.detail.startswith("it is, at -1, -2, -85, -511; not accepted: position -8193: ")
    assert far.detail.startswith("it is, at 1048576; not accepted: position 1048577: ")
    wrong = audit(counting(lambda p: np.where(p < -600, p // 0, np.abs(p))), dimension=4)
    assert "position -1 counts as 1" in wrong.of("negative positions").detail


def test_the_smallest_position_that_may_be_asked_for_is_told() -> None:
    report = audit(counting(lambda p: np.maximum(p, -40)), dimension=4)
    assert "so positions have to be -40 or more" in report.of("negative positions").detail


def narrow(dtypes: tuple[str, ...], clock: Any) -> Any:
    """Positions as the clock has them, and in some dtypes rounded to them."""

    def f(x: Any, positions: Any) -> Any:
        places = clock(np.asarray(positions))
        rounded = places.astype(x.dtype) if x.dtype.name in dtypes else places
        return m.rope()(x, rounded.astype(np.float64))

    return f


def test_another_dtype_that_is_wrong_does_not_hide_a_fault() -> None:
    far = narrow(("float16",), lambda p: np.where(p >= 1 << 20, 0, p))
    report = audit(far, dimension=4)
    refuted = [f.question for f in report.refuted]
    assert "precision float16" in refuted
    assert "precision float64" not in refuted
    assert "far positions" in refuted
    below = audit(narrow(("float16",), np.abs), dimension=4, clock=True)
    assert below.of("negative positions").verdict == "refuted"


class Late:
    """One position late in the first call."""

    calls = 0

    def __call__(self, x: Any, positions: Any) -> Any:
        self.calls += 1
        return m.rope()(x, np.asarray(positions) + (self.calls == 1))


def test_the_reason_names_the_dtype() -> None:
    report = audit(Late(), dimension=4)
    assert report.of("precision float64").verdict == "refuted"
    for question in ("negative positions", "far positions"):
        detail = report.of(question).detail
        assert detail == "in float64 results are wrong at other positions"


@pytest.mark.parametrize("scale", [1.0, 2e-4])
def test_a_clock_is_told_only_if_it_can_be_told_from_the_right_one(scale: float) -> None:
    def f(x: Any, positions: Any) -> Any:
        angle = np.abs(np.asarray(positions))[:, None] * scale * np.array([1.0, 0.5])
        return m.rotate(x, angle, "half")

    found = audit(f, dimension=4, clock=True).of("negative positions")
    assert found.verdict == "refuted"
    told = "position -1 counts as 1"
    plain = "position -1 is not what exp(tX) makes of it"
    assert found.detail == (told if scale == 1.0 else plain)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "words"),
    [(lambda p: p % (1 << 21), "position 2097152 counts as 0 again"),
     (lambda p: np.minimum(p, 1 << 20), "from position 1048577 on all count as 1048576")],
)  # fmt: skip
def test_clocks_that_end_beyond_2_to_the_20(clock: Any, words: str) -> None:
    report = audit(counting(clock), dimension=4)
    assert [f.question for f in report.refuted] == ["far positions"]
    assert words in report.cause
    assert report.of("far positions").reproduce
