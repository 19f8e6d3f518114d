"""Reading specifications: three forms, strict, never evaluated."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from symbolic_pe import from_document, read_specification
from symbolic_pe.algebra.expression import parse
from symbolic_pe.errors import SpecificationError

OSCILLATOR = {
    "matrix": [["0", "1"], ["-w^2", "-2*z*w"]],
    "parameters": {"w": "positive", "z": "real"},
}


def write(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_json_matrix(tmp_path: Path) -> None:
    encoding = read_specification(write(tmp_path, "My Oscillator.json", json.dumps(OSCILLATOR)))
    assert encoding.name == "my-oscillator"
    assert dict(encoding.parameters) == OSCILLATOR["parameters"]
    assert str(encoding.heads[0].generator.matrix[1][1]) == "-2*w*z"


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", '{"matrix": [["2"]]}'), ("a.toml", '[generator]\nmatrix = [["2"]]')],
)
def test_a_byte_order_mark_is_no_text(tmp_path: Path, name: str, text: str) -> None:
    encoding = read_specification(write(tmp_path, name, "\ufeff" + text))
    assert str(encoding.heads[0].generator.matrix[0][0]) == "2"


def test_toml_sections(tmp_path: Path) -> None:
    text = """
    [encoding]
    name = "two-heads"
    [heads]
    m = ["1/2", "1/4"]
    [generator]
    blocks = [{ rate = "-m", frequency = "1", repeat = 2 }, { rate = 0.1 }]
    [domain]
    time = "real"
    causal = true
    max_position = 4096
    """
    encoding = read_specification(write(tmp_path, "x.toml", text))
    assert len(encoding.heads) == 2
    assert encoding.dimension == 5
    assert encoding.domain.max_position == 4096
    placed = encoding.heads[1].generator.placed or ()
    assert placed[0].block.rate == parse("-1/4")
    assert placed[2].block.rate == parse("1/10"), "decimals are read exactly"


def test_catalogue_names_inside_toml(tmp_path: Path) -> None:
    encoding = read_specification(
        write(tmp_path, "x.toml", "[generator]\nrope = { dim = 8, layout = 'half' }\n")
    )
    assert encoding.dimension == 8
    assert encoding.layout == "half"


def test_canonical_specification_rebuilds_the_encoding() -> None:
    for spec in ("rope:dim=8,layout=half", "alibi:heads=3", "xpos:dim=4"):
        first = read_specification(spec)
        second = from_document(json.loads(json.dumps(first.specification)))
        assert first == second
    first = from_document(OSCILLATOR, "oscillator")
    assert from_document(json.loads(json.dumps(first.specification))) == first


def test_a_bias_alone_gets_the_fewest_coordinates() -> None:
    document = {"matrix": [["0"]], "augmentation": {"bias": "-tau^2/3"}}
    added = from_document(document).augmentation
    assert added is not None
    assert added.coordinates == 3


BAD_DOCUMENTS = [
    ({}, "expected a [generator] section"),
    ([], "expected a table"),
    ({"matrix": [["0", "1"]]}, "row 1 has 2 entries"),
    ({"matrix": []}, "no rows"),
    ({"matrix": [["0"], ["1"]]}, "square"),
    ({"matrix": "0"}, "expected a list"),
    ({"matrix": [[None]]}, "row 1, column 1"),
    ({"matrix": [[True]]}, "row 1, column 1"),
    ({"matrix": [["w"]]}, "unknown name 'w'"),
    ({"matrix": [["__import__('os')"]]}, "unexpected character"),
    ({"matrix": [["0"] * 300] * 300}, "at most 256"),
    ({"matrix": [["0"]], "parameter": {}}, "did you mean 'parameters'"),
    ({"matrix": [["w"]], "parameters": {"w": "posit"}}, "expected one of real"),
    ({"matrix": [["w"]], "parameters": {"w": 3}}, "expected a text"),
    ({"matrix": [["0"]], "parameters": {"exp": "real"}}, "cannot name a parameter"),
    ({"matrix": [["0"]], "parameters": {"a b": "real"}}, "cannot name a parameter"),
    ({"matrix": [["w"]], "parameters": {"w": "between 2 and 1"}}, "empty"),
    ({"matrix": [["0"]], "domain": {"time": "discrete"}}, "integer"),
    ({"matrix": [["0"]], "domain": {"causal": 1}}, "true or false"),
    ({"matrix": [["0"]], "domain": {"max_position": 0}}, "1 to"),
    ({"matrix": [["0"]], "name": "No Capitals"}, "lower-case"),
    ({"matrix": [["0"]], "name": "../../etc"}, "lower-case"),
    ({"matrix": [["0"]], "heads": {"m": []}}, "same length"),
    ({"matrix": [["m"]], "heads": {"m": ["1"], "n": ["1", "2"]}}, "same length"),
    ({"matrix": [["0"]], "claims": ["orthogonalty"]}, "expected one of"),
    ({"generator": {"matrix": [["0"]], "blocks": []}}, "exactly one of"),
    ({"generator": {"ropes": {}}}, "did you mean 'rope'"),
    ({"generator": {"blocks": [{"rates": 1}]}}, "did you mean 'rate'"),
    ({"generator": {"blocks": [{"chain_length": 0}]}}, "1 to 64"),
    ({"generator": {"blocks": []}}, "at least one"),
    ({"generator": {"blocks": [{"repeat": 1024}, {}]}}, "at most 1024"),
    (
        {"matrix": [["0"]], "augmentation": {"query": ["1"], "key": ["1"]}},
        "expected the key 'generator'",
    ),
    (
        {
            "matrix": [["0"]],
            "augmentation": {"query": ["1"], "key": ["1"], "generator": [["1"]]},
        },
        "nilpotent",
    ),
    (
        {
            "matrix": [["0"]],
            "augmentation": {
                "query": ["1"],
                "key": ["1"],
                "generator": [["0"]],
                "bias": "exp(tau)",
            },
        },
        "polynomial in tau",
    ),
    ({"catalogue": "rope", "settings": {"dim": 8}, "extra": 1}, "unknown key"),
    ([["0", "1"], ["-1", "0"]], 'a table such as {"matrix"'),
    (
        {},
        "[generator] section (matrix, matrices, blocks, or a catalogue name), a [step] or [[axes]]",
    ),
    ({"matrix": [["0", "1"]]}, "[generator] matrix: expected a square matrix"),
    ({"matrices": [[["1"]], [["1", "2"]]]}, "[generator] matrices, item 2: expected a square"),
    ({"matrix": [["\u0661"]]}, "unexpected character '\u0661'"),
    ({"matrix": [[datetime.date(1979, 5, 27)]]}, "got a date"),
    ({"matrix": [[16**5000]]}, "row 1, column 1: an integer is too long"),
    ({"blocks": [{"repeat": 16**5000}]}, "got an integer that is too long"),
    ({"catalogue": "rope", "settings": {"dim": 16**5000}}, "rope: dim: an integer is too long"),
]


@pytest.mark.parametrize(("document", "message"), BAD_DOCUMENTS)
def test_bad_documents_are_refused_with_the_place(document: object, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        from_document(document)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "not valid JSON"),
        ("a.json", '{"matrix": [[NaN]]}', "NaN"),
        ("a.json", '{"matrix": [[Infinity]]}', "Infinity"),
        ("a.json", '{"matrix": [["0"]], "matrix": [["1"]]}', "given twice"),
        ("a.json", "[" * 100_000, "nested"),
        ("a.json", '{"matrix": [[' + "9" * 5000 + "]]}", ""),
        (
            "a.json",
            '{"title": "\\ud800", "matrix": [["0"]]}',
            "half of a surrogate pair: '\\ud800'",
        ),
        ("a.toml", "[generator]\nmatrix = [[" + "9" * 5000 + "]]", "an integer is too long"),
        ("a.toml", "[generator]\nmatrix = [[0x" + "f" * 5000 + "]]", "an integer is too long"),
        ("a.toml", "[generator", "not valid TOML"),
        ("a.toml", "generator = 3", "expected a table"),
        ("a.toml", "[generator]\nmatrix = [[nan]]", ""),
    ],
)
def test_bad_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        read_specification(write(tmp_path, name, text))
    assert message in str(caught.value)
    assert name in str(caught.value)


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    for spec in ("nowhere.toml", str(tmp_path) + ".json", "", "   ", "a/b", "rope:dim", "rope:=3"):
        with pytest.raises(SpecificationError):
            read_specification(spec)
    (tmp_path / "d.toml").mkdir()
    with pytest.raises(SpecificationError, match="directory"):
        read_specification(str(tmp_path / "d.toml"))
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecificationError, match="UTF-8"):
        read_specification(str(tmp_path / "b.toml"))
