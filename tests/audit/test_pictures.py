"""What the pictures of a report show: points, extents, labels; and what they leave out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from numeric_check.audit import AuditReport, Finding, Verdict, audit
from numeric_check.audit.report.pictures import (
    BOTTOM,
    CEILING,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    pictures,
)
from tests.audit import faulty_module as faulty
from tests.audit import maps as m

SVG = "{http://www.w3.org/2000/svg}"


def drawn(report: AuditReport, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(pictures(report)[name])


def words(picture: ElementTree.Element) -> list[str]:
    return [str(e.text) for e in picture.iter(f"{SVG}text")]


def circles(picture: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(e.attrib["cx"]), float(e.attrib["cy"])) for e in picture.iter(f"{SVG}circle")]


def lines(picture: ElementTree.Element) -> dict[str, list[tuple[float, float]]]:
    """Points of each line, by its colour."""
    return {
        e.attrib["stroke"]: [tuple(map(float, p.split(","))) for p in e.attrib["points"].split()]  # type: ignore[misc]
        for e in picture.iter(f"{SVG}polyline")
    }


def inside(points: list[tuple[float, float]]) -> bool:
    return all(
        LEFT - 1 <= x <= WIDTH - RIGHT + 1 and TOP - 1 <= y <= HEIGHT - BOTTOM + 1
        for x, y in points
    )


def cells(picture: ElementTree.Element) -> dict[tuple[str, str], str]:
    """Fill of each cell by (query, key), read off the labels beside it."""
    texts = list(picture.iter(f"{SVG}text"))
    below = {
        round(float(e.attrib["x"])): e.text for e in texts
        if e.attrib.get("font-size") == "9" and e.attrib["text-anchor"] == "middle"
    }  # fmt: skip
    beside = {
        float(e.attrib["y"]): e.text for e in texts
        if e.attrib.get("font-size") == "9" and e.attrib["text-anchor"] == "end"
    }  # fmt: skip
    found = {}
    for e in picture.iter(f"{SVG}rect"):
        if "stroke" in e.attrib:
            x, y, w, h = (float(e.attrib[k]) for k in ("x", "y", "width", "height"))
            query = min(below, key=lambda p: abs(p - (x + w / 2)))
            key = min(beside, key=lambda p: abs(p - (y + 0.6 * h)))
            found[str(below[query]), str(beside[key])] = e.attrib["fill"]
    return found


def within(fill: str) -> bool:
    return fill.startswith("hsl(140")


def dot(turn_key: Callable[[Any, Any], Any]) -> Any:
    return lambda q, k, t, s: m.rope()(q, t) @ turn_key(k, s).T


def one(question: str, **numbers: Any) -> AuditReport:
    finding = Finding(question, Verdict.CONSISTENT, "", numbers=numbers)
    return AuditReport("subject", "what it is", (finding,))


# -- errors -----------------------------------------------------------------------------------


def test_a_table_has_one_line_at_its_errors() -> None:
    profile = [(0, 1e-9), (9, 1e-8), (99, 1e-7), (999, 1e-5)]
    picture = drawn(one("precision", profile=profile), "errors")
    (points,) = lines(picture).values()
    assert inside(points)
    steps = np.diff(np.array(points), axis=0)
    assert np.allclose(steps[:, 0], (WIDTH - RIGHT - LEFT) / 3, atol=0.2)  # one decade each
    assert steps[2, 1] == pytest.approx(2 * steps[0, 1], abs=0.2)  # two decades of error
    assert {"error against position", "position + 1", "relative error", "as it is"} <= set(
        words(picture)
    )
    assert {"1e0", "1e3", "1e-9", "1e-5"} <= set(words(picture))


def test_what_is_not_finite_is_drawn_at_the_top() -> None:
    report = one("precision float16", profile=[(0, 1e-3), (9, 1e308)])
    (points,) = lines(drawn(report, "errors")).values()
    assert inside(points)
    assert points[1][1] == pytest.approx(TOP, abs=1) and math.log10(CEILING) == 1.0  # noqa: PT018


def test_a_real_table_and_one_whose_far_rows_are_wrong() -> None:
    right = drawn(audit(faulty.sines, kind="table"), "errors")
    wrong = drawn(audit(faulty.far_sines, kind="table"), "errors")
    assert "1e0" in words(wrong)
    highest = [float(w[2:]) for w in words(right) if re.fullmatch(r"1e-\d+", w)]
    assert max(highest) <= -5.0


# -- eigenvalues ------------------------------------------------------------------------------


def test_eigenvalues_of_a_score() -> None:
    picture = drawn(audit(dot(m.rope()), kind="score", dimension=8), "spectrum")
    points = circles(picture)
    assert len(points) == 8
    assert inside(points)
    assert len({x for x, _ in points}) == 1  # a rotation: no rates
    heights = sorted(y for _, y in points)
    middle = (heights[0] + heights[-1]) / 2
    unit = middle - heights[0]
    shown = sorted((middle - y) / unit for y in heights)
    known = sorted(sign * 10000.0 ** (-2 * j / 8) for j in range(4) for sign in (1, -1))
    assert np.allclose(shown, known, atol=0.01)
    assert {"rate (real part)", "frequency", "eigenvalues of the generator"} <= set(words(picture))


def test_rates_are_to_the_left() -> None:
    report = one("generator", frequencies=[1.0], rates=[-0.5, -0.25])
    points = circles(drawn(report, "spectrum"))
    assert len(points) == 3
    assert points[0][0] == points[1][0] < points[2][0]
    assert points[2][1] == pytest.approx((points[0][1] + points[1][1]) / 2, abs=0.1)


def test_every_axis_has_its_eigenvalues() -> None:
    report = audit(faulty.axial, axes=2, dimension=8)
    picture = drawn(report, "spectrum")
    assert len(circles(picture)) == 2 * 8  # those of channels that an axis leaves are 0
    assert len({y for _, y in circles(picture)}) == 5
    assert {"axis 0", "axis 1"} <= set(words(picture))
    assert len({e.attrib["stroke"] for e in picture.iter(f"{SVG}circle")}) == 2
    assert "error against position, axis 0" in words(drawn(report, "errors"))


# -- drift ------------------------------------------------------------------------------------


def test_drift_of_a_right_and_of_a_wrong_score() -> None:
    right = cells(drawn(audit(dot(m.rope()), kind="score", dimension=8), "drift"))
    assert ("131071", "65536") in right
    assert all(within(fill) for fill in right.values())
    backwards = audit(dot(m.rope(sign=-1)), kind="score", dimension=8)
    picture = drawn(backwards, "drift")
    for (_, key), fill in cells(picture).items():
        assert within(fill) == (key == "0")  # of lags from key 0 everything is told
    assert {"position of the query", "position of the key"} <= set(words(picture))


def test_drift_of_a_bias() -> None:
    right = audit(lambda t, s: -0.5 * (t[:, None] - s[None])[None], kind="bias", causal=True)
    shown = cells(drawn(right, "drift"))
    assert len(shown) == 55  # every pair of the ten standard positions
    assert all(within(fill) for fill in shown.values())
    late = cells(drawn(audit(faulty.far_bias, kind="bias", causal=True), "drift"))
    # drift is from (t - s, 0), which is wrong as well where t - s is beyond 60000
    assert {pair for pair, fill in late.items() if not within(fill)} == {("65536", "8193")}


def test_nothing_is_drawn_without_numbers() -> None:
    assert pictures(AuditReport("subject", "", ())) == {}
    table = audit(faulty.learned, kind="table")
    assert "drift" not in pictures(table)
