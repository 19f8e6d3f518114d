"""Several axes beside declared ones: conventions are acquitted, other coordinates are refuted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.axes_comparison import Turning, declared_turning, explained, harmless
from numeric_check.audit.axes_recognition import recognised_axes
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.forms import read_any_specification
from symbolic_pe.encodings.layout import planes
from symbolic_pe.errors import SpecificationError
from symbolic_pe.proof.claim import Outcome
from tests.audit import maps as m

M_ROPE = "m-rope:dim=24,sections=4 4 4"


def declared(spec: str) -> SeveralAxes:
    found = read_any_specification(spec)
    assert isinstance(found, SeveralAxes)
    return found


def turning(spec: str) -> Turning:
    found = declared_turning(declared(spec))
    assert found is not None
    return found


def changed(spec: str, frequencies: Any = None, layout: str | None = None) -> Turning:
    """The declared planes with other frequencies, or on other channels, as if they were found."""
    of_spec = turning(spec)
    values = of_spec.frequencies if frequencies is None else frequencies(of_spec.frequencies)
    channels = of_spec.channels if layout is None else planes(layout, 2 * len(of_spec.channels))
    return Turning(tuple(channels), values, np.full(values.shape, 1e-12))


@pytest.mark.parametrize(
    ("spec", "layout", "words"),
    [("axial:dim=16", "half", "interleaved, this is half"),
     (M_ROPE, "interleaved", "half, this is interleaved"),
     ("rope-mixed:dim=8", "half", "interleaved, this is half")],
)  # fmt: skip
@pytest.mark.parametrize("sign", [1, -1])
def test_another_layout_or_every_axis_reversed_is_harmless(
    spec: str, layout: str, words: str, sign: int
) -> None:
    theirs = turning(spec)
    dimension = 2 * len(theirs.channels)
    found = harmless(changed(spec, lambda w: sign * w, layout), theirs, dimension)
    assert found is not None
    conjugation, because = found
    assert words in because
    assert ("the other way along every axis" in because) == (sign < 0)
    assert all(c.verdict is Outcome.PROVED for c in conjugation.claims)
    carried = np.array(conjugation.permutation.sources)
    for axis in range(theirs.frequencies.shape[1]):
        x = _matrix(theirs.channels, theirs.frequencies[:, axis])
        y = _matrix(planes(layout, dimension), sign * theirs.frequencies[:, axis])
        np.testing.assert_array_equal(x[np.ix_(carried, carried)], y)


def _matrix(channels: Sequence[tuple[int, int]], frequencies: Any) -> Any:
    x = np.zeros((2 * len(channels),) * 2)
    for (a, b), w in zip(channels, frequencies, strict=True):
        x[a, b], x[b, a] = -w, w
    return x


@pytest.mark.parametrize(
    ("spec", "frequencies", "words"),
    [("axial:dim=16", lambda w: w[:, ::-1], "the axes are exchanged: coordinate 0 drives what y"),
     (M_ROPE, lambda w: w[:, [0, 2, 1]], "coordinate 1 drives what w"),
     ("axial:dim=16", lambda w: -w[:, ::-1],
      "coordinate 1 drives what x (coordinate 0) should, and all turn the other way"),
     ("rope-mixed:dim=8", lambda w: w[:, ::-1], "the axes are exchanged"),
     ("axial:dim=16", lambda w: w * [1, -1], "axis 1 (y) is reversed"),
     (M_ROPE, lambda w: w * [-1, 1, -1], "axis 0 (t) and axis 2 (w) are reversed"),
     ("rope-mixed:dim=8", lambda w: w * [1, -1], "axis 1 (y) is reversed"),
     ("axial:dim=16", lambda w: w * [1, 2], "axis 1 (y): every frequency is 2 times"),
     ("axial:dim=16", lambda w: w[[0, 4, 1, 5, 2, 6, 3, 7]],
      "drives planes 0, 2, 4, 6, declared are 0, 1, 2, 3"),
     ("axial:dim=16", lambda w: np.c_[w.sum(axis=1), 0 * w[:, 0]], "drives 8 planes, 4 are"),
     ("axial:dim=16", lambda w: -np.abs(w) ** 2, "frequencies are 0.03162 to 1 times")],
)  # fmt: skip
def test_other_coordinates_are_told_and_not_harmless(
    spec: str, frequencies: Any, words: str
) -> None:
    ours, theirs = changed(spec, frequencies), turning(spec)
    assert harmless(ours, theirs, 2 * len(theirs.channels)) is None
    assert words in explained(ours, theirs, declared(spec).axis_names)


@pytest.mark.parametrize("spec", ["axial:dim=16", M_ROPE])
def test_axes_in_their_places_are_not_told_as_exchanged(spec: str) -> None:
    names = declared(spec).axis_names
    assert explained(turning(spec), turning(spec), names) == ""
    every = " and ".join(f"axis {a} ({name})" for a, name in enumerate(names))
    assert explained(changed(spec, lambda w: -w), turning(spec), names) == f"{every} are reversed"


@pytest.mark.parametrize("arrangement", ["sections", "interleaved"])
def test_wrong_sections_and_arrangements(arrangement: str) -> None:
    theirs, names = turning(f"{M_ROPE},arrangement={arrangement}"), declared(M_ROPE).axis_names
    other = {"sections": "interleaved", "interleaved": "sections"}[arrangement]
    ours = changed(f"{M_ROPE},arrangement={other}")
    assert harmless(ours, theirs, 24) is None
    assert "axis 1 (h) drives planes " in explained(ours, theirs, names)
    ours = changed(f"m-rope:dim=24,sections=6 3 3,arrangement={arrangement}")
    assert "axis 0 (t) drives 6 planes, 4 are declared" in explained(ours, theirs, names)


@pytest.mark.parametrize(
    "spec",
    ["axial:dim=16,base=100,layout=half", "axial:dim=32,base=10000,layout=interleaved",
     "m-rope:dim=24,base=1000000,sections=4 5 3,layout=half",
     "m-rope:dim=24,base=10000,sections=6 3 3,arrangement=interleaved,layout=half"],
)  # fmt: skip
def test_the_nearest_catalogue_entry_is_named(spec: str) -> None:
    found = turning(spec)
    assert recognised_axes(found, 2 * len(found.channels)) == spec
    swapped = Turning(found.channels, found.frequencies[:, ::-1], found.radius)
    assert recognised_axes(swapped, 2 * len(found.channels)) != spec


def axial(layout: str = "interleaved") -> Any:
    def f(x: Any, positions: Any) -> Any:
        w = m.ladder(4, 100.0)
        angle = np.concatenate([positions[:, [0]] * w, positions[:, [1]] * w], axis=-1)
        return m.rotate(x, angle, layout)

    return f


@pytest.mark.slow
def test_axes_and_channels_are_those_of_the_specification() -> None:
    report = audit(axial("half"), against="axial:dim=8")
    assert report.exit_code == 0
    assert report.of("against").verdict == "equivalent"
    assert "axial:dim=8,base=100,layout=half" in report.summary
    with pytest.raises(SpecificationError, match="axial has 2 axes, --axes says 3"):
        audit(axial(), axes=3, against="axial:dim=8")


@pytest.mark.slow
def test_with_given_weights_the_layout_counts() -> None:
    report = audit(axial("half"), against="axial:dim=8", strict=True)
    assert report.of("against").verdict == "refuted"
    assert "with weights trained for the declared layout" in report.of("against").witness


@pytest.mark.slow
def test_what_is_right_for_text_alone_is_found(tmp_path: Path) -> None:
    """A fused path with coordinates by turns in place of blocks, and a decode path with one."""
    (tmp_path / "adapter.py").write_text(
        "import numpy as np\n"
        "from tests.audit import maps as m\n"
        "def of(owners):\n"
        "    w = np.array([1.0, 0.1, 1.0, 0.1])\n"
        "    def f(x, p):\n"
        "        return m.rotate(x, p[:, owners] * w, 'interleaved')\n"
        "    return f\n"
        "query = of([0, 0, 1, 1])\n"
        "paths = {'fused': of([0, 1, 0, 1]),\n"
        "         'decode': lambda x, p: query(x, p[:, [0, 0]] if len(p) == 1 else p)}\n"
        "dimension = 8\n"
        "against = 'axial:dim=8'\n"
    )
    report = audit(tmp_path / "adapter.py")
    assert report.of("against").verdict == "consistent"
    assert report.of("axis 0 path fused").verdict == "refuted"
    assert report.of("path fused").verdict == "consistent"
    assert report.of("axis 1 path decode").verdict == "refuted"
    assert "called alone" in report.of("axis 1 path decode").witness
    assert report.of("path decode").verdict == "consistent"
