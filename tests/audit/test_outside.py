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
    assert report.of("negative positions").detail == "it is, from -1 to -65536"
    assert report.of("far positions").detail.startswith("it is, from 1048575 to 2097237")


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
