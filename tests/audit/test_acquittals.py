"""Nothing is held against what is right, whatever the layout, orientation, precision or cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import maps as m

LAYOUTS = ("half", "interleaved")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("base", [10000.0, 500000.0, 100.0])
@pytest.mark.parametrize("make", [m.rope, m.rope32])
def test_rope(layout: str, base: float, make: Any) -> None:
    report = audit(make(layout, base), dimension=16)
    assert report.refuted == ()
    assert report.exit_code == 0
    assert report.of("generator").numbers["nearest"] == (
        f"rope:dim=16,base={int(base)},layout={layout}"
    )


@pytest.mark.parametrize("dimension", [2, 4, 10, 128])
def test_any_width(dimension: int) -> None:
    report = audit(m.rope("half"), dimension=dimension, against=f"rope:dim={dimension},layout=half")
    assert report.verdict == "consistent"
    assert report.of("against").verdict == "consistent"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_other_layout_is_equivalent(layout: str) -> None:
    other = LAYOUTS[1 - LAYOUTS.index(layout)]
    report = audit(m.rope(layout), dimension=8, against=f"rope:dim=8,layout={other}")
    finding = report.of("against")
    assert report.exit_code == 0
    assert finding.verdict == "equivalent"
    assert set(finding.numbers["claims"].values()) == {"proved"}  # type: ignore[attr-defined]
    p = np.eye(8)[finding.numbers["permutation"]]  # type: ignore[call-overload]
    random = np.random.default_rng(0)
    q, k = random.standard_normal((2, 1, 8))
    ours = [m.rope(layout)(v @ p.T, np.array([t])) for v, t in ((q, 11), (k, 4))]
    theirs = [m.rope(other)(v, np.array([t])) for v, t in ((q, 11), (k, 4))]
    assert (ours[0] @ ours[1].T)[0, 0] == pytest.approx((theirs[0] @ theirs[1].T)[0, 0])


def test_with_given_weights_the_other_layout_is_refuted() -> None:
    report = audit(m.rope("half"), dimension=8, against="rope:dim=8", strict=True)
    assert report.of("against").verdict == "refuted"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_sides_turned_the_other_way(layout: str) -> None:
    report = audit(m.rope(layout, sign=-1), dimension=8, against=f"rope:dim=8,layout={layout}")
    assert report.exit_code == 0
    assert report.of("against").verdict == "equivalent"
    assert "the channels of every plane are exchanged" in report.of("against").detail


def test_some_planes_turn_the_other_way_or_come_in_another_order() -> None:
    signs, order = np.array([1, -1, 1, 1]), [2, 0, 3, 1]

    def some(x: Any, positions: Any) -> Any:
        return m.rotate(x, signs * positions[:, None] * m.ladder(8), "half")

    def shuffled(x: Any, positions: Any) -> Any:
        return m.rotate(x, positions[:, None] * m.ladder(8)[order], "half")

    for f, words in ((some, "1 of 4 planes turn the other way"), (shuffled, "in another order")):
        report = audit(f, against="rope:dim=8,layout=half")
        assert report.exit_code == 0
        assert words in report.of("against").detail


def test_frequencies_in_float32_and_positions_of_any_kind() -> None:
    """Integers times float32 are float64 in NumPy, floats times float32 are float32."""
    inverse = m.ladder(8).astype(np.float32)

    def f(x: Any, positions: Any) -> Any:
        return m.rotate(x, positions[:, None] * inverse, "half")

    report = audit(f, against="rope:dim=8,layout=half")
    assert report.refuted == ()
    assert report.of("against").verdict == "consistent"


def test_positions_with_a_batch_axis() -> None:
    def f(x: Any, position_ids: Any) -> Any:
        angle = position_ids[:, None, :, None] * m.ladder(x.shape[-1])
        return m.rotate(x, angle, "half")

    report = audit(f, against="rope:dim=8,layout=half")
    assert report.exit_code == 0
    assert report.conditions["positions_shape"] == "(1, n)"


def test_a_table_that_grows() -> None:
    assert audit(m.CachedGood(), dimension=8).refuted == ()


def test_xpos_is_relative_and_recognised() -> None:
    query, key = m.xpos()
    report = audit(query, key=key, dimension=8, against="xpos:dim=8")
    assert report.of("relative").verdict == "consistent"
    assert report.of("against").verdict == "consistent"
    assert report.refuted == ()


@pytest.mark.parametrize("scale_base", [512.0, 1024.0])
def test_a_range_that_ends_is_a_measured_fact(scale_base: float) -> None:
    query, key = m.xpos(scale_base)
    report = audit(query, key=key, dimension=8)
    assert report.refuted == ()
    first = report.of("range").numbers["first"]
    assert first["float16"] < 10000  # type: ignore[index]
    assert first["float32"] > 36000  # type: ignore[index]


def test_a_basis() -> None:
    f, _ = m.dense()
    report = audit(f, dimension=8)
    assert report.refuted == ()
    frequencies = np.sort(np.abs(np.linalg.eigvals(_generator(report))))[::2]
    assert frequencies == pytest.approx(np.sort(m.ladder(8)))
    assert "RoPE in a fixed basis" in report.summary
    assert "10000^(-2j/8)" in report.summary


def _generator(report: Any) -> Any:
    return np.array(report.of("generator").numbers["matrix"])


def test_a_nilpotent_block() -> None:
    report = audit(m.chain, key=m.chain_key, dimension=2)
    assert report.refuted == ()
    assert any("chains 2" in line for line in report.of("generator").numbers["jordan"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", ["rows", "heads", "flat"])
def test_any_shape(shape: str) -> None:
    axes = {"rows": 3, "heads": 4, "flat": 2}[shape]

    def f(x: Any, positions: Any) -> Any:
        if x.ndim != axes:
            raise ValueError(f"expected {axes} axes")
        return m.rope()(x, positions)

    assert audit(f, dimension=8).refuted == ()


def test_a_short_table() -> None:
    table = np.arange(2048)[:, None] * m.ladder(8)

    def f(x: Any, positions: Any) -> Any:
        return m.rotate(x, table[positions], "half")

    report = audit(f, dimension=8)
    assert report.refuted == ()
    assert report.conditions["positions"] == [0, 2047]
    assert "out of bounds" in str(report.conditions["refused"])
