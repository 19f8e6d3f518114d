"""Scores f(q, k, t, s)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import maps as m


def score(f: Any, g: Any = None, *, scale: float = 1.0) -> Any:
    def call(q: Any, k: Any, t: Any, s: Any) -> Any:
        return scale * f(q, t) @ (g or f)(k, s).T

    return call


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rope(layout: str) -> None:
    report = audit(score(m.rope(layout)), kind="score", against=f"rope:dim=8,layout={layout}")
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"


def test_the_scale_of_attention_is_a_gain() -> None:
    scaled = score(m.rope(), scale=8**-0.5)
    assert audit(scaled, kind="score", dimension=8).exit_code == 0
    assert audit(scaled, kind="score", against="rope:dim=8,layout=half").exit_code == 0
    doubled = score(m.rope(), scale=2.0)
    assert audit(doubled, kind="score", against="rope:dim=8,layout=half").exit_code == 1
    report = audit(scaled, kind="score", against="rope:dim=8,layout=half", gain=8**-0.5)
    assert report.exit_code == 0
    assert audit(scaled, kind="score", dimension=8, gain=1.0).exit_code == 1


def test_xpos() -> None:
    query, key = m.xpos()
    report = audit(score(query, key), kind="score", against="xpos:dim=8")
    assert report.exit_code == 0


@pytest.mark.parametrize(
    "faulty",
    [score(m.mixed_tables("half", "interleaved")), score(m.rope(), m.rope(sign=-1)),
     score(*m.xpos(inverse=False))],
)  # fmt: skip
def test_faults_are_refuted(faulty: Any) -> None:
    assert audit(faulty, kind="score", dimension=8).of("relative").verdict == "refuted"


def test_a_bias_beside_the_product_is_left_out_of_the_generator() -> None:
    def call(q: Any, k: Any, t: Any, s: Any) -> Any:
        return score(m.rope())(q, k, t, s) - 0.5 * (t[:, None] - s[None])

    assert audit(call, kind="score", against="rope:dim=8,layout=half").exit_code == 0


def test_a_score_that_is_not_bilinear() -> None:
    def call(q: Any, k: Any, t: Any, s: Any) -> Any:
        return np.tanh(score(m.rope())(q, k, t, s))

    assert audit(call, kind="score", dimension=8).of("linear").verdict == "refuted"


def test_a_term_of_the_query_alone_is_told() -> None:
    def f(q: Any, k: Any, t: Any, s: Any) -> Any:
        lag = np.abs(t[:, None] - s[None])[..., None]
        return q @ k.T + np.einsum("nd,nmd->nm", q, np.cos(lag * m.ladder(16)))

    report = audit(f, kind="score", dimension=8)
    assert report.exit_code == 0
    assert report.summary == "q^T k as it is, and beside it a term of q alone"


@pytest.mark.parametrize(
    ("scale", "side", "amount"), [(1.0, "q", 1.0), (0.125, "q", 0.3), (1.0, "k", 1.0)]
)
def test_a_term_of_absolute_positions_is_refuted(scale: float, side: str, amount: float) -> None:
    def f(q: Any, k: Any, t: Any, s: Any) -> Any:
        x, at, form = (q, s, "nd,md->nm") if side == "q" else (k, t, "md,nd->nm")
        return scale * q @ k.T + amount * np.einsum(form, x, np.cos(at[:, None] * m.ladder(16)))

    report = audit(f, kind="score", dimension=8)
    assert report.of("relative").verdict == "refuted"
    assert report.of("linear").tolerance < 1e-6
    assert report.summary == f"q^T k as it is, and beside it a term of {side} alone"


def test_a_scale_is_that_of_every_lag() -> None:
    assert audit(score(m.rope32(), scale=1e4), kind="score", dimension=8).exit_code == 0


def test_a_large_product_does_not_hide_a_term_of_absolute_positions() -> None:
    def f(q: Any, k: Any, t: Any, s: Any) -> Any:
        term = np.einsum("nd,md->nm", q, np.cos(s[:, None] * m.ladder(16)))
        return score(m.rope32(), scale=1e8)(q, k, t, s) + term

    report = audit(f, kind="score", dimension=8)
    found = report.of("relative")
    assert found.verdict == "refuted"
    assert "k = 0" in found.witness


@pytest.mark.parametrize("kept", ["float64", "float32", "float16"])
def test_a_product_without_positions_is_judged_in_its_own_format(kept: str) -> None:
    def f(q: Any, k: Any, t: Any, s: Any) -> Any:
        return (q.astype(kept) @ k.astype(kept).T).astype(q.dtype)

    report = audit(f, kind="score", dimension=8)
    assert [x.question for x in report.refuted] == ["position"]
    assert f"tables in {kept}" in report.conditions["arithmetic"]


def test_a_term_without_positions_is_no_position() -> None:
    def f(q: Any, k: Any, t: Any, s: Any) -> Any:
        return q @ k.T + (q @ np.arange(1.0, 9.0))[:, None]

    report = audit(f, kind="score", dimension=8)
    assert [x.question for x in report.refuted] == ["position"]
