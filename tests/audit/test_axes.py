"""Positions of several coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import maps as m

SPEC = """
[encoding]
name = "axial"
layout = "interleaved"
[[axes]]
name = "y"
blocks = [{frequency = "-1"}, {frequency = "-1/10"}, {frequency = "0"}, {frequency = "0"}]
[[axes]]
name = "x"
blocks = [{frequency = "0"}, {frequency = "0"}, {frequency = "-1"}, {frequency = "-1/10"}]
"""
THETA = np.array([1.0, 0.1])


def axial(order: tuple[int, int] = (0, 1)) -> Any:
    """The first two planes turn with one coordinate, the others with the other."""

    def f(x: Any, positions: Any) -> Any:
        angle = np.concatenate([positions[:, [a]] * THETA for a in order], axis=-1)
        return m.rotate(x, angle, "interleaved")

    return f


def alternating(x: Any, positions: Any) -> Any:
    """Coordinates in turn over the planes, in place of blocks."""
    angle = np.stack([positions[:, [0]] * THETA, positions[:, [1]] * THETA], axis=-1)
    return m.rotate(x, angle.reshape(len(angle), 4), "interleaved")


def mixed_sections(x: Any, positions: Any) -> Any:
    """One ladder, its sections driven by different coordinates: text is plain RoPE."""
    which = np.array([0, 0, 1, 1])
    return m.rotate(x, positions[:, which] * m.ladder(8), "half")


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "axial.toml"
    path.write_text(SPEC)
    return str(path)


def test_two_axes(spec: str) -> None:
    report = audit(axial(), axes=2, against=spec)
    assert report.refuted == ()
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"
    assert "axis 0 drives 2 planes (0, 1), (2, 3)" in report.summary


def test_axes_exchanged(spec: str) -> None:
    report = audit(axial((1, 0)), axes=2, against=spec)
    assert report.of("against").verdict == "refuted"
    assert report.cause.startswith("the axes are exchanged: coordinate 0 drives what x")


def test_coordinates_in_turn(spec: str) -> None:
    assert audit(alternating, axes=2, against=spec).of("against").verdict == "refuted"


def test_one_axis_counts_for_both(spec: str) -> None:
    report = audit(axial((0, 0)), axes=2, against=spec)
    assert report.of("axis 1 position").verdict == "refuted"


def test_text_of_sections_is_plain_rope() -> None:
    report = audit(mixed_sections, axes=2, dimension=8)
    assert report.refuted == ()
    assert report.of("text").numbers["nearest"] == "rope:dim=8,base=10000,layout=half"


def test_tables_of_the_wrong_layout_on_one_axis() -> None:
    def f(x: Any, positions: Any) -> Any:
        a = m.mixed_tables("half", "interleaved")(x[..., :4], positions[:, 0])
        return np.concatenate([a, m.rope("interleaved")(x[..., 4:], positions[:, 1])], axis=-1)

    report = audit(f, axes=2, dimension=8)
    assert report.of("axis 0 relative").verdict == "refuted"
    assert report.of("axis 1 relative").verdict == "consistent"


def test_generators_that_do_not_commute() -> None:
    q, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((8, 8)))

    def f(x: Any, positions: Any) -> Any:
        one = m.rope("half")(x, positions[:, 0])
        return m.rope("half")(one @ q, positions[:, 1]) @ q.T

    assert audit(f, axes=2, dimension=8).of("relative").verdict == "refuted"
