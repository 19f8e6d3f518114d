"""Figures are the same bytes each time and take the colours of their page."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import pytest

from symbolic_pe.errors import SpecificationError
from symbolic_pe.render.figures import INK, Curve, Scale, Spot, bars, curves, orbits, spectrum

LINE = Curve("τ² & <more>", [(float(k), float(k * k)) for k in range(5)])


def every(name: str) -> list[str]:
    return [
        curves(name, "t", [LINE, Curve("b", [(0.0, 1.0), (4.0, 2.0)])], Scale("x"), Scale("y")),
        spectrum(
            name, "t", [Spot(0, 1, 3, group="a"), Spot(-1, 0, group="b")], Scale("x"), Scale("y")
        ),
        bars(name, "t", {"0": 1.0, "1": 0.01}, Scale("x", "names"), Scale("y", "log")),
        orbits(name, "t", {"turn": LINE}),
    ]


def test_the_same_bytes_each_time() -> None:
    assert every("one") == every("one")


def test_figures_of_one_page_share_no_identifier() -> None:
    first, second = (re.findall(r'id="([^"]+)"', every(name)[0]) for name in ("one", "two"))
    assert first
    assert not set(first) & set(second)


@pytest.mark.parametrize("svg", every("one"), ids=["curves", "spectrum", "bars", "orbits"])
def test_they_bring_nothing_that_a_page_does_not_want(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert "currentColor" in svg
    assert INK not in svg
    assert "<style" not in svg
    assert "<metadata" not in svg
    assert "fill: #ffffff" not in svg
    assert not re.search(r"\b20\d\d-\d\d-\d\d", svg)


def test_a_ring_a_link() -> None:
    def circles(chain: int) -> int:
        drawn = spectrum("one", "t", [Spot(0, 1, chain)], Scale("x"), Scale("y"))
        return drawn.count("stroke-width: 1.1")

    assert circles(3) - circles(2) == circles(2) - circles(1) == 1


def test_without_the_library_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SpecificationError, match=r"symbolic-pe\[docs\]"):
        bars("x", "t", {"0": 1.0}, Scale("x", "names"), Scale("y"))
