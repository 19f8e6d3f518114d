"""Specifications of a step and of several axes: read strictly, refused where they do not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symbolic_pe import from_document, read_specification
from symbolic_pe.algebra.expression import parse
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.forms import (
    IntegerPositions,
    SeveralAxes,
    from_any_document,
    read_any_specification,
)
from symbolic_pe.errors import NotYetCovered, SpecificationError

PLANE = {"blocks": [{"frequency": "1"}]}


def axes(*items: Any, **rest: Any) -> Any:
    return {"axes": list(items), **rest}


def test_three_forms(tmp_path: Path) -> None:
    assert isinstance(read_any_specification("rope:dim=4"), Encoding)
    path = tmp_path / "My Step.json"
    path.write_text(json.dumps({"step": {"matrix": [[0, "-1/2"], ["sqrt(4)", 0]]}}))
    step = read_any_specification(str(path))
    assert isinstance(step, IntegerPositions)
    assert (step.name, step.step[1][0]) == ("my-step", parse("2"))
    axial = read_any_specification("examples/axial.toml")
    assert isinstance(axial, SeveralAxes)
    assert (axial.axis_names, axial.dimension) == (("row", "column"), 8)


def test_planes_stand_on_the_same_channels_for_every_axis() -> None:
    still = {"blocks": [{"frequency": "0"}, {"frequency": "2"}, {"rate": "-1"}]}
    turning = {"blocks": [{"frequency": "1"}, {"frequency": "0"}, {"rate": "0"}]}
    for layout, pair in (("interleaved", (2, 3)), ("half", (1, 3))):
        found = from_any_document(axes(still, turning, encoding={"layout": layout}))
        assert isinstance(found, SeveralAxes)
        x = found.axes[0].matrix
        entries = {
            (i, j): str(v) for i, row in enumerate(x) for j, v in enumerate(row) if not v.is_zero()
        }
        assert entries == {pair: "-2", pair[::-1]: "2", (4, 4): "-1"}


def test_a_chain_that_does_not_turn_is_two_chains() -> None:
    found = from_any_document(axes({"blocks": [{"frequency": "0", "chain_length": 2}]}))
    assert isinstance(found, SeveralAxes)
    x = found.axes[0].matrix
    ones = [(i, j) for i in range(4) for j in range(4) if not x[i][j].is_zero()]
    assert ones == [(0, 2), (1, 3)]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"step": {"matrix": [[1]]}, "generator": {"matrix": [[1]]}}, "exactly one of"),
        ({"step": {"matrix": [[1]]}, "axes": [PLANE]}, "exactly one of"),
        ({"step": {}}, "expected the key 'matrix'"),
        ({"step": {"matrix": [[1, 2]]}}, "square"),
        ({"step": {"matrx": [[1]]}}, "did you mean 'matrix'"),
        ({"step": {"matrix": [["w"]]}}, "w"),
        ({"step": {"matrix": [[1]]}, "parameters": {"w": "real"}}, "unknown key 'parameters'"),
        ({"step": {"matrix": [[1]]}, "encoding": {"layout": "half"}}, "unknown key 'layout'"),
        ({"step": 3}, "expected a table"),
        ({"axes": []}, "1 to 64 axes"),
        ({"axes": {"matrix": [[1]]}}, "expected a list"),
        (axes({"name": "a"}), "exactly one of matrix and blocks"),
        (axes({**PLANE, "matrix": [[1]]}), "exactly one of matrix and blocks"),
        (axes(PLANE, {"matrix": [[1]]}), "item 2: expected 2 channels"),
        (axes({**PLANE, "name": "a"}, {**PLANE, "name": "a"}), "no other axis has"),
        (axes({"blocks": []}), "at least one block"),
        (axes({"blocks": [3]}), "expected a table"),
        (axes(PLANE, heads={}), "unknown key 'heads'"),
        (
            axes({"blocks": [{"frequency": "1", "chain_length": 2}]}, encoding={"layout": "half"}),
            "interleaved",
        ),
    ],
)
def test_faults_are_named(document: Any, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        from_any_document(document)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"step": {"matrix": [[0, -1], [1, 0]]}}, '"-1/2\\*pi"'),
        ({"step": {"matrix": [[1, -2], [2, 1]]}}, "balls only"),
        ({"step": {"matrix": [[-1]]}}, "no real one: the negative eigenvalue -1"),
        (axes(PLANE), "one direction"),
    ],
)
def test_where_one_generator_is_due_the_refusal_says_what_to_give(
    document: Any, message: str
) -> None:
    with pytest.raises(NotYetCovered, match=message):
        from_document(document)


def test_the_generator_that_a_refusal_suggests_is_read() -> None:
    with pytest.raises(NotYetCovered) as caught:
        read_specification("examples/negative-step.toml")
    text = str(caught.value).split("matrix = ", maxsplit=1)[1]
    found = from_document({"generator": {"matrix": json.loads(text)}})
    assert found.heads[0].generator.matrix[0][0] == parse("log(2)")
