"""What is near a wrong name, or no number at all: gains, scaled positions, inf and nan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import maps as m


@pytest.mark.parametrize("c", [1.2773, 0.1 * np.log(16) + 1, 1 / 3, 1.0])
@pytest.mark.parametrize("scale", [1.0, 1 / 16, 1 / 3])
def test_a_gain_or_a_scale_leaves_the_planes_what_they_are(c: float, scale: float) -> None:
    turned = m.rope("interleaved", scale=scale)
    summary = audit(lambda x, p: x.dtype.type(c) * turned(x, p), dimension=16).summary
    assert summary.startswith("RoPE: 8 planes, layout interleaved, frequencies 10000^(-2j/16)")
    assert ("times" in summary) == (scale != 1.0)


def test_a_real_decay_is_no_noise() -> None:
    decay = lambda x, p: m.rope()(x, p) * np.exp(-1e-5 * p)[:, None].astype(x.dtype)  # noqa: E731
    grown = lambda x, p: m.rope()(x, p) * np.exp(1e-5 * p)[:, None].astype(x.dtype)  # noqa: E731
    report = audit(decay, key=grown, dimension=8)
    rates = report.of("generator").numbers["rates"]
    assert np.allclose(rates, -1e-5, rtol=1e-6)  # type: ignore[arg-type]


def test_what_is_nowhere_finite_refutes_nothing_but_the_range() -> None:
    def f(x: Any, p: Any) -> Any:
        y = m.rope()(x, p)
        y[..., 0] = np.nan
        return y

    report = audit(f, dimension=8)
    assert report.of("range").verdict == "refuted"
    for question in ("linear", "position", "relative", "generator"):
        assert report.of(question).verdict == "undecided"


def test_an_image_of_0_that_is_no_number() -> None:
    def normalised(x: Any, p: Any) -> Any:
        return m.rope()(x / np.linalg.norm(x, axis=-1, keepdims=True), p)

    assert audit(normalised, dimension=8).of("linear").verdict == "refuted"
    assert audit(m.rope(), dimension=8).of("linear").verdict == "consistent"


class KeptUnder:
    """Angles kept under some part of the positions: a length, a first position, all of them."""

    def __init__(self, key: Callable[[Any], Any]) -> None:
        self.key = key
        self.kept: dict[Any, Any] = {}

    def __call__(self, x: Any, positions: Any) -> Any:
        where = self.key(positions)
        if where not in self.kept:
            self.kept[where] = positions.copy()
        return m.rope()(x, self.kept[where])


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        (len, True),
        (lambda p: (int(p[0]), len(p)), True),
        (lambda p: (int(p[-1]), len(p)), True),
        (lambda p: p.tobytes(), False),
    ],
)
def test_what_angles_are_kept_under(key: Callable[[Any], Any], wrong: bool) -> None:
    report = audit(KeptUnder(key), dimension=8)
    assert (report.verdict == "refuted") == wrong
    assert report.of("history").verdict == ("refuted" if wrong else "consistent")
