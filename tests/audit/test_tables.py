"""Absolute tables: closed under shift or not, in any order of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from symbolic_pe.errors import SpecificationError


def sinusoidal(d: int, base: float = 10000.0, *, blocks: bool = False, dtype: Any = float) -> Any:
    def table(positions: Any) -> Any:
        angle = positions[:, None] * base ** (-2.0 * np.arange(d // 2) / d)
        s, c = np.sin(angle), np.cos(angle)
        both = np.concatenate([s, c], -1) if blocks else np.stack([s, c], -1).reshape(len(s), d)
        return both.astype(dtype)

    return table


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_sines_and_cosines_are_closed(base: float, dtype: Any) -> None:
    report = audit(sinusoidal(32, base, dtype=dtype), kind="table")
    assert report.exit_code == 0
    assert f"{int(base)}^(-2j/32)" in report.of("columns").detail


def test_blocks_of_sines_and_cosines_are_equivalent() -> None:
    report = audit(sinusoidal(16, blocks=True), kind="table")
    assert report.exit_code == 0
    assert report.of("columns").verdict == "equivalent"


def test_an_odd_width_without_the_last_cosine() -> None:
    report = audit(lambda positions: sinusoidal(16)(positions)[:, :15], kind="table")
    assert report.exit_code == 0
    assert "the partner of column 14 is missing" in report.of("closed").detail


def test_entries_that_are_no_numbers() -> None:
    def table(positions: Any) -> Any:
        return np.where(positions[:, None] == 5, np.nan, sinusoidal(8)(positions))

    assert audit(table, kind="table").of("finite").verdict == "refuted"


def test_a_learned_table_is_not_closed() -> None:
    learned = np.random.default_rng(0).standard_normal((1024, 8))
    report = audit(lambda positions: learned[positions], kind="table")
    assert report.of("closed").verdict == "refuted"


def test_a_chirp_is_not_closed() -> None:
    def chirp(positions: Any) -> Any:
        angle = (positions[:, None] + 1e-4 * positions[:, None] ** 2) * [1.0, 0.1]
        return np.concatenate([np.sin(angle), np.cos(angle)], -1)

    assert audit(chirp, kind="table").of("closed").verdict == "refuted"


def test_angles_in_half_precision_are_refuted() -> None:
    def table(positions: Any) -> Any:
        angle = positions.astype(np.float16)[:, None] * np.array([1.0, 0.01], dtype=np.float16)
        angle = angle.astype(np.float64)
        return np.concatenate([np.sin(angle), np.cos(angle)], -1)

    assert audit(table, kind="table").verdict == "refuted"


def test_a_table_is_compared_with_nothing() -> None:
    with pytest.raises(SpecificationError, match="compared with nothing"):
        audit(sinusoidal(8), kind="table", against="rope:dim=8")


def test_a_table_that_depends_on_the_call() -> None:
    def table(positions: Any) -> Any:
        return sinusoidal(8)(positions - positions[0])

    assert audit(table, kind="table").of("prefill = decode").verdict == "refuted"


def test_sines_whose_cosines_have_other_frequencies() -> None:
    """The index of the column in the exponent, in place of that of the pair."""

    def f(positions: Any) -> Any:
        angle = positions[:, None] * 10000.0 ** (-np.arange(8) / 8)
        return np.where(np.arange(8) % 2 == 0, np.sin(angle), np.cos(angle))

    report = audit(f, kind="table")
    assert report.of("closed").verdict == "refuted"
    assert "columns 0 and 1 are waves with frequencies 1 and 0.3162" in report.cause


def test_rows_before_one_that_is_no_number_are_audited() -> None:
    def f(positions: Any) -> Any:
        angle = positions[:, None] * 10000.0 ** (-np.arange(4) / 4)
        return np.where(positions[:, None] < 700, np.concatenate([np.sin(angle)] * 2, -1), np.nan)

    report = audit(f, kind="table")
    assert "the first in row 700" in report.of("finite").detail
    assert report.of("closed").verdict == "refuted"


def test_a_table_that_ends_is_closed_up_to_its_end() -> None:
    """Slow columns are no wave in a few rows: the M of these fails earlier, and says nothing."""

    def clipped(positions: Any) -> Any:
        angle = np.minimum(positions, 4999)[:, None] * 10000.0 ** (-np.arange(16) / 16)
        return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(len(positions), 32)

    finding = audit(clipped, kind="table").of("closed")
    assert finding.verdict == "refuted"
    assert "fails from position 5000 on" in finding.detail
    assert "at position 5000" in finding.witness
