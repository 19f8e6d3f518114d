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
