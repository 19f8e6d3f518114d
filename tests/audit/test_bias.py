"""Additive biases: Toeplitz up to row constants, slopes, sign, declared slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from symbolic_pe.encodings.families.additive import alibi_slopes

Bias = Callable[[Any, Any], Any]


def published(heads: int) -> Any:
    return np.array([m.to_float() for m in alibi_slopes(heads)])


def alibi(slopes: Any) -> Bias:
    return lambda t, s: -np.asarray(slopes)[:, None, None] * (t[:, None] - s[None])


def verdicts(bias: Bias, **options: Any) -> dict[str, str]:
    report = audit(bias, kind="bias", **options)
    return {f.question: str(f.verdict.value) for f in report.findings}


@pytest.mark.parametrize("heads", [1, 2, 6, 8, 12])
def test_alibi(heads: int) -> None:
    report = audit(alibi(published(heads)), kind="bias", against=f"alibi:heads={heads}")
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"
    assert report.of("slope").numbers["nearest"] == f"alibi:heads={heads}"


def test_float32_slopes() -> None:
    slopes = published(6).astype(np.float32)

    def bias(t: Any, s: Any) -> Any:
        return -slopes[:, None, None] * (t[:, None] - s[None]).astype(np.float32)

    assert audit(bias, kind="bias", against="alibi:heads=6").exit_code == 0


@pytest.mark.parametrize("heads", [6, 8])
def test_a_coarse_bias_of_the_lag_is_acquitted(heads: int) -> None:
    """The lag first, then the slope, rounded to 16 bits: relative at every position."""

    def bias(t: Any, s: Any) -> Any:
        return (alibi(published(heads))(t, s)).astype(np.float16).astype(np.float32)

    def short(t: Any, s: Any) -> Any:
        if max(t.max(), s.max()) > 2048:
            raise ValueError("positions up to 2048")
        return bias(t, s)

    report = audit(short, kind="bias", against=f"alibi:heads={heads}")
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"


def test_a_coarse_bias_of_the_absolute_position_is_refuted() -> None:
    def bias(t: Any, s: Any) -> Any:
        keys = (published(8)[:, None] * s[None] / 4).astype(np.float16).astype(np.float32)
        return np.broadcast_to(keys[:, None], (8, len(t), len(s)))

    assert audit(bias, kind="bias").of("relative").verdict == "refuted"


@pytest.mark.parametrize("constant", [lambda t: t, lambda t: t * t / 7, np.sin])
def test_row_constants_are_equivalent(constant: Callable[[Any], Any]) -> None:
    slopes = published(4)

    def bias(t: Any, s: Any) -> Any:
        return alibi(slopes)(t, s) + constant(t)[None, :, None]

    found = verdicts(bias, against="alibi:heads=4")
    assert found["relative"] == "equivalent"
    assert found["against"] == "consistent"


def test_the_form_of_keys_alone_is_equivalent() -> None:
    slopes = published(8)
    report = audit(
        lambda t, s: slopes[:, None, None] * (s[None, None] + 0 * t[None, :, None]),
        kind="bias",
        against="alibi:heads=8",
    )
    assert report.exit_code == 0
    assert "softmax ignores" in report.of("relative").detail


@pytest.mark.parametrize("heads", [6, 12])
def test_geometric_slopes_for_no_power_of_two(heads: int) -> None:
    slopes = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    report = audit(alibi(slopes), kind="bias", against=f"alibi:heads={heads}")
    assert report.of("against").verdict == "refuted"
    assert "geometric" in report.of("against").detail
    assert report.of("relative").verdict == "consistent"


def test_slopes_that_begin_with_one() -> None:
    slopes = 2.0 ** -np.arange(8.0)
    assert verdicts(alibi(slopes), against="alibi:heads=8")["against"] == "refuted"


def test_the_sign() -> None:
    report = audit(alibi(-published(8)), kind="bias", against="alibi:heads=8")
    assert report.of("sign").verdict == "refuted"
    assert "opposite" in report.of("against").detail


def test_heads_in_another_order_are_equivalent() -> None:
    assert verdicts(alibi(published(8)[::-1]), against="alibi:heads=8")["against"] == "equivalent"


def test_another_number_of_heads() -> None:
    assert verdicts(alibi(published(4)), against="alibi:heads=8")["against"] == "refuted"


def test_a_relative_shift_without_its_mask() -> None:
    def bias(t: Any, s: Any) -> Any:
        slope = np.where(s[None] > t[:, None], (s[None] * 37 + 5 * t[:, None]) % 11, 0)
        return (-0.5 * (t[:, None] - s[None]) * (s[None] <= t[:, None]) + slope)[None]

    assert verdicts(bias)["relative"] == "refuted"
    assert verdicts(bias, causal=True)["relative"] == "consistent"


def test_a_mask_is_no_fault() -> None:
    def bias(t: Any, s: Any) -> Any:
        return np.where(s[None] > t[:, None], -np.inf, -0.5 * (t[:, None] - s[None]))[None]

    assert audit(bias, kind="bias").exit_code == 0


def test_a_mask_of_the_query_itself_is_no_fault() -> None:
    def bias(t: Any, s: Any) -> Any:
        return np.where(s[None] >= t[:, None], -np.inf, -0.5 * (t[:, None] - s[None]))[None]

    report = audit(bias, kind="bias")
    assert report.exit_code == 0
    assert report.of("slope").numbers["slopes"] == [0.5]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_entries_that_are_no_numbers(value: float) -> None:
    def bias(t: Any, s: Any) -> Any:
        return np.where(t[:, None] - s[None] == 7, value, -0.5 * (t[:, None] - s[None]))[None]

    assert audit(bias, kind="bias").of("finite").verdict == "refuted"


def test_everything_masked() -> None:
    report = audit(lambda t, s: np.full((1, len(t), len(s)), -np.inf), kind="bias")
    assert report.exit_code == 3


def test_the_distance_is_relative_too() -> None:
    found = verdicts(lambda t, s: -0.25 * abs(t[:, None] - s[None])[None])
    assert found["relative"] == "consistent"


def test_a_logarithm_of_the_lag_is_relative_and_not_linear() -> None:
    report = audit(lambda t, s: -np.log1p(abs(t[:, None] - s[None]))[None], kind="bias")
    assert report.exit_code == 0
    assert "not linear" in report.of("slope").detail


def test_a_bias_of_the_absolute_position() -> None:
    found = verdicts(lambda t, s: -0.5 * (np.sqrt(t + 1.0)[:, None] * s[None])[None])
    assert found["relative"] == "refuted"


def test_a_bias_that_depends_on_the_length() -> None:
    def bias(t: Any, s: Any) -> Any:
        return -(t[:, None] - s[None])[None] / len(s)

    assert verdicts(bias)["prefill = decode"] == "refuted"


def test_a_shift_of_whole_rows_is_seen_in_a_call_of_neighbours() -> None:
    """Padding and reshaping a square matrix: above the diagonal stands what belongs to the next
    row."""

    def shifted(t: Any, s: Any) -> Any:
        n = len(t)
        table = -np.sqrt(np.arange(200000.0))
        if not np.array_equal(t, np.arange(n)) or not np.array_equal(s, t):
            return table[np.abs(t[:, None] - s[None])]
        rows = np.tile(table[:n][::-1], (n, 1))
        return np.c_[np.zeros(n), rows].reshape(n + 1, n)[1:]

    report = audit(shifted, kind="bias")
    finding = report.of("prefill = decode")
    assert finding.verdict == "refuted"
    assert "in one of positions 0 to" in finding.witness
    assert audit(shifted, kind="bias", causal=True).exit_code == 0


def test_what_overflows_above_the_diagonal_does_not_count_when_it_is_masked() -> None:
    def f(t: Any, s: Any) -> Any:
        lag = (t[:, None] - s[None]).astype(np.float16)
        return -np.float16(0.5) * lag

    assert audit(f, kind="bias", causal=True).refuted == ()
    assert audit(f, kind="bias").of("finite").verdict == "refuted"
