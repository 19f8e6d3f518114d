"""Arrays are read as the exact dyadic rationals that they are, or refused with the place."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from symbolic_pe.arrays import from_array, is_array_spec, read_array
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.specification import from_document, read_specification
from symbolic_pe.errors import SpecificationError

OSCILLATOR = np.array([[0.0, 1.0], [-1.0, -0.2]])


def entries(encoding: Encoding, head: int = 0) -> list[list[Fraction]]:
    return [
        [Fraction(int(v.p), int(v.q)) for v in (x.rational_value() for x in row)]
        for row in encoding.heads[head].generator.matrix
    ]


@pytest.mark.parametrize(
    "dtype",
    ["float64", "float32", "float16", ml_dtypes.bfloat16, ">f8", "<f4", "int8", "uint64", "int32"],
    ids=str,
)
def test_entries_are_exact_in_every_type(dtype: Any) -> None:
    array = (OSCILLATOR if np.dtype(dtype).kind not in "iu" else np.array([[7, 3], [1, 0]])).astype(
        dtype
    )
    found = entries(from_array(array))
    assert found == [
        [Fraction(int(x)) if array.dtype.kind in "iu" else Fraction(float(x)) for x in row]
        for row in array
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=60, deadline=None)
def test_every_finite_double_is_read_without_rounding(x: float) -> None:
    assert entries(from_array(np.array([[x]]))) == [[Fraction(x)]]


def test_large_integers_do_not_pass_through_doubles() -> None:
    assert entries(from_array(np.array([[2**64 - 1]], dtype="uint64"))) == [[2**64 - 1]]


def test_a_decimal_is_not_what_was_stored() -> None:
    """The negative twin: 0.2 in an array is not 1/5."""
    assert entries(from_array(OSCILLATOR))[1][1] != Fraction(-1, 5)


def test_one_matrix_per_head() -> None:
    encoding = from_array(np.stack([OSCILLATOR, 2 * OSCILLATOR]))
    assert len(encoding.heads) == 2
    assert entries(encoding, 1)[1] == [-2, 2 * Fraction(-0.2)]


@pytest.mark.parametrize("array", [OSCILLATOR, np.stack([OSCILLATOR, 2 * OSCILLATOR])])
def test_the_canonical_specification_gives_the_encoding_back(array: Any) -> None:
    encoding = from_array(array, "osc")
    again = from_document(encoding.specification)
    assert again.name == "osc"
    assert [h.generator.matrix for h in again.heads] == [h.generator.matrix for h in encoding.heads]


# -- files ------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "osc.npy", OSCILLATOR)
    np.savez(tmp_path / "one.npz", generator=OSCILLATOR, bias=np.ones(3))
    np.savez(tmp_path / "two.npz", a=OSCILLATOR, b=np.eye(3))
    save_file(
        {"layer.0.X": OSCILLATOR.astype(ml_dtypes.bfloat16), "bias": np.ones(3)},
        tmp_path / "w.safetensors",
    )
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("osc.npy", "osc"),
        ("one.npz", "one-generator"),
        ("one.npz:generator", "one-generator"),
        ("two.npz:b", "two-b"),
        ("w.safetensors", "w-x"),
        ("w.safetensors:layer.0.X", "w-x"),
    ],
)
def test_files(spec: str, name: str, folder: Path) -> None:
    assert is_array_spec(spec)
    assert read_array(f"{folder}/{spec}").name == name


def test_bfloat16_is_read_as_stored(folder: Path) -> None:
    assert entries(read_array(f"{folder}/w.safetensors"))[1][1] == Fraction(
        float(ml_dtypes.bfloat16(-0.2))
    )


@pytest.mark.parametrize("spec", ["rope", "rope:dim=8", "m.toml", "a.npy/b.json", "npy"])
def test_other_specifications_are_left_alone(spec: str) -> None:
    assert not is_array_spec(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("two.npz", "several arrays.*one of a float64.*b float64"),
        ("two.npz:c", "no array 'c'; it has a float64"),
        ("one.npz:bias", r"bias: expected the shape.*got \(3,\)"),
        ("osc.npy:x", "takes no name"),
        ("missing.npy", "no such file"),
        ("missing.npz", "no such file"),
        ("missing.safetensors", "no such file"),
        ("folder.npy", "a directory"),
        ("text.npy", "cannot be read"),
        ("text.npz", "cannot be read"),
        ("text.safetensors", "cannot be read"),
        ("cut.npy", "cannot be read"),
        ("object.npy", "got object"),
        ("bf16.npy", "save it as float32"),
        ("complex.npy", "got complex128"),
        ("bool.npy", "got bool"),
        ("nan.npy", "row 2, column 1: expected a finite number, got nan"),
        ("inf.npy", "head 1, row 1, column 2: expected a finite number, got -inf"),
        ("wide.npy", r"got \(2, 3\)"),
        ("empty.npy", r"got \(0, 0\)"),
        ("large.npy", "larger generator as blocks"),
    ],
)
def test_refusals_name_the_place(spec: str, message: str, folder: Path) -> None:
    (folder / "folder.npy").mkdir()
    for kind in ("npy", "npz", "safetensors"):
        (folder / f"text.{kind}").write_text("not an array")
    (folder / "cut.npy").write_bytes((folder / "osc.npy").read_bytes()[:-4])
    np.save(folder / "object.npy", np.array([[1, None], [0, 1]], dtype=object), allow_pickle=True)
    np.save(folder / "bf16.npy", OSCILLATOR.astype(ml_dtypes.bfloat16))
    np.save(folder / "complex.npy", OSCILLATOR.astype(complex))
    np.save(folder / "bool.npy", OSCILLATOR.astype(bool))
    np.save(folder / "nan.npy", np.array([[0, 1], [np.nan, 0]]))
    np.save(folder / "inf.npy", np.array([[[0, 1], [1, 0]], [[0, -np.inf], [1, 0]]]))
    np.save(folder / "wide.npy", np.ones((2, 3)))
    np.save(folder / "empty.npy", np.ones((0, 0)))
    np.save(folder / "large.npy", np.ones((257, 257)))
    with pytest.raises(SpecificationError, match=message):
        read_array(f"{folder}/{spec}")


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    """The payload would create a file; the header alone refuses it."""
    marker = tmp_path / "ran"

    class Payload:
        def __reduce__(self) -> Any:
            return (Path.touch, (marker,))

    array = np.empty((1, 1), dtype=object)
    array[0, 0] = Payload()
    np.save(tmp_path / "p.npy", array, allow_pickle=True)
    np.savez(tmp_path / "p.npz", p=array)
    for name in ("p.npy", "p.npz", "p.npz:p"):
        with pytest.raises(SpecificationError):
            read_array(f"{tmp_path}/{name}")
    assert not marker.exists()


def test_the_library_reader_of_texts_says_what_it_reads(folder: Path) -> None:
    with pytest.raises(SpecificationError, match=r"\.toml or \.json"):
        read_specification(f"{folder}/osc.npy")


def test_matrices_and_heads_exclude_each_other() -> None:
    document = {"matrices": [[["m"]], [["1"]]], "heads": {"m": ["1", "2"]}}
    with pytest.raises(SpecificationError, match=r"\[heads\] is left out"):
        from_document(document)
    with pytest.raises(SpecificationError, match="matrices, item 2 row 1"):
        from_document({"matrices": [[["1"]], [["x"]]]})
