"""Right kernels are consistent in every law; every planted fault is refuted by name."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from numeric_check import compile_kernel, cross_check
from numeric_check.laws.result import LAWS, LAWS_OF_CALLS
from numeric_check.reference_values.tolerance import DTYPES
from symbolic_pe.errors import SpecificationError
from tests.numeric_check import kernel_texts as texts
from tests.numeric_check.kernel_texts import Example
from tests.numeric_check.planted_faults import FAULTS, checked

RIGHT: dict[str, Callable[[], Example]] = {
    "rope": texts.rope,
    "rope half": texts.rope_half,
    "rope 128": lambda: texts.rope(128),
    "rope torch": texts.rope_torch,
    "damped": texts.damped,
    "decay": texts.decay,
    "jordan": texts.jordan,
    "alibi": texts.alibi,
    "oscillator": texts.oscillator,
    "basis": texts.basis,
}


NOT_OF_THIS_FILE = {
    "bias", "chunkwise-form", "cos-sin", "decay-form", "given-memory", "mask-mod",
    "module", "recurrent-form", "score-mod",
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels_are_consistent(name: str) -> None:
    example = RIGHT[name]()
    result = checked(example.text, example)
    assert [str(r) for r in result.refuted] == []
    assert result.verdict == "consistent"
    measured = {r.law for r in result.results}
    expected = set(LAWS) - LAWS_OF_CALLS - NOT_OF_THIS_FILE
    expected |= {"module"} if name == "rope torch" else set()
    expected |= {"bias"} if name == "alibi" else set()
    expected |= {"decay-form"} if name == "damped" else set()
    assert measured == expected
    assert tuple(s.dtype for s in result.summaries) == DTYPES
    json.dumps(result.to_dict(), allow_nan=False)


def test_rotations_reach_the_floor_of_each_dtype() -> None:
    """The measured errors of peers_numeric section 2a, row B, to within a factor of two."""
    example = texts.rope(128)
    errors = {s.dtype: s.map_error for s in checked(example.text, example).summaries}
    assert errors["float32"] < 1.4e-7
    assert 1.9e-3 < errors["bfloat16"] <= 2**-8
    assert 2.4e-4 < errors["float16"] <= 2**-11


@pytest.mark.parametrize("name", ["rope", "rope half", "rope 128", "rope torch"])
def test_tolerances_of_rotations_are_within_16_of_the_error(name: str) -> None:
    example = RIGHT[name]()
    for summary in checked(example.text, example).summaries:
        assert summary.map_tolerance <= 16 * summary.map_error


def test_parameter_points_include_boundaries_and_their_neighbours() -> None:
    example = texts.oscillator()
    points = checked(example.text, example, dtypes=["float64"]).parameter_points
    for expected in (-1.0, 0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9):
        assert any(p["z"] == expected for p in points)
    assert {(-1 < p["z"] < 0, p["z"] < -1, 0 < p["z"] < 1, p["z"] > 1) for p in points} >= {
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
        (False, False, False, True),
    }


def test_given_parameters_are_used() -> None:
    example = texts.oscillator()
    result = checked(example.text, example, parameters={"w": 0.25, "z": 0.5})
    assert result.parameter_points == ({"w": 0.25, "z": 0.5},)


def test_a_small_domain_is_respected() -> None:
    example = texts.rope()
    text = example.changed(
        "    u = np.asarray(position",
        "    assert np.max(np.abs(position)) <= 400\n    u = np.asarray(position",
    )
    small = texts.short_domain(example, 100)
    result = cross_check(compile_kernel(text), small)
    positions = {p for s in result.summaries for p in s.map_where.positions}
    assert max(positions) <= 400


def test_unknown_dtype() -> None:
    example = texts.rope()
    with pytest.raises(SpecificationError, match="float128"):
        checked(example.text, example, dtypes=["float128"])


# -- planted faults -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_refuted_by_name(name: str) -> None:
    fault = FAULTS[name]
    result = fault.check()
    assert fault.laws <= result.refuted_laws, sorted(result.refuted_laws)
    assert not fault.holds & result.refuted_laws, sorted(result.refuted_laws)
    assert result.verdict == "refuted"
    for refuted in result.refuted:
        assert refuted.reproduce.startswith('python -c "import ')
        assert "\n" not in refuted.reproduce
        assert "Traceback" not in str(refuted.where)
    json.dumps(result.to_dict(), allow_nan=False)


def test_float32_angles_fail_by_2_to_the_20_in_every_dtype() -> None:
    example = texts.rope()
    text = example.changed(
        "angle = u[..., None] * FREQUENCY",
        "angle = u[..., None].astype(np.float32) * FREQUENCY.astype(np.float32)",
    )
    result = checked(text, example)
    for dtype in DTYPES:
        assert {"query-map", "key-map"} <= {r.law for r in result.refuted if r.dtype == dtype}


ENDLESS = "    for _ in iter(int, 1):\n        pass\n"


@pytest.mark.parametrize(
    "where", ["def operator(lag):\n", "def transform_key(x, position, reference=0.0):\n"]
)
def test_a_text_that_does_not_return_is_refuted(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[cross_check.__module__], "SECONDS", 0.4)
    example = texts.rope()
    result = checked(example.changed(where, where + ENDLESS), example)
    assert result.refuted_laws == {"runs"} == {r.law for r in result.results}
    assert tuple(s.dtype for s in result.summaries) == DTYPES
    assert "did not finish within 0.4 s" in result.failure_lines()[0]
    json.dumps(result.to_dict(), allow_nan=False)


def test_evidence_that_does_not_return_is_refuted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding the entry of a wrong map calls it again, with a shape of which it hangs."""
    monkeypatch.setattr(sys.modules[cross_check.__module__], "SECONDS", 2.0)
    example = texts.rope()
    text = example.changed(
        "    angle = u[..., None] * FREQUENCY",
        "    angle = -u[..., None] * FREQUENCY\n"
        "    if x.shape == (8, 1, 8):\n        for _ in iter(int, 1):\n            pass",
    )
    assert checked(text, example, dtypes=["float64"]).refuted_laws == {"runs"}


def run(line: str, directory: Path) -> list[str]:
    """Paste a reproduction in a directory."""
    words = shlex.split(line)
    assert words[:2] == ["python", "-c"]
    done = subprocess.run(
        [sys.executable, "-c", words[2]], cwd=directory, capture_output=True, text=True, check=True
    )
    return done.stdout.split("expected")


REPRODUCED = {
    "one frequency off by 1/1000": ("query-map", "relativity", "operator"),
    "missing contragredient, two heads": ("key-map", "relativity"),
    "slopes sorted": ("bias",),
    "every head sees the first": ("batch",),
    "every position sees the first vector": ("batch",),
    "decay tiny before t = s": ("decay-form",),
    "rotate another plane": ("decay-form",),
    "rotate decays": ("decay-form",),
    "decay function with the wrong rate": ("decay-form",),
    "parameters exchanged": ("query-map", "relativity", "operator"),
    "sign of sin, torch": ("relativity",),
    "normalised input": ("linearity",),
    "table remembered by length": ("history",),
    "elapsed time remembered by length": ("history",),
    "table remembered without its dtype": ("history",),
    "first row of positions for the whole batch": ("batch",),
    "tables in the dtype of x": ("query-map",),
    "dtype of the result": ("dtype",),
}


@pytest.mark.parametrize("name", REPRODUCED)
def test_reproductions_print_the_offending_number(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    (tmp_path / "kernel.py").write_text(fault.text())
    result = fault.check()
    for law in REPRODUCED[name]:
        (worst, *_) = [r for r in result.refuted if r.law == law]
        found, expected = run(worst.reproduce, tmp_path)
        if law == "dtype":
            assert found.strip() != expected.strip()
        else:
            assert float(found) != pytest.approx(float(expected), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("make", [texts.rope, texts.rope_torch, texts.damped, texts.oscillator])
def test_reproductions_of_consistent_laws_agree(
    make: Callable[[], Example], tmp_path: Path
) -> None:
    example = make()
    (tmp_path / "kernel.py").write_text(example.text)
    result = checked(example.text, example, dtypes=["float64", "bfloat16"])
    statements = []
    for r in result.results:
        cancels = r.law == "relativity" and r.dtype == "bfloat16"
        if r.law not in ("runs", "dtype") and not cancels:
            program = shlex.split(r.reproduce)[2]
            assert program.count("print(") == 1
            statements.append(program.replace("; print(", "; show("))
    code = (
        "shown = []\ndef show(found, _, expected):\n    shown.append((float(found), expected))\n"
        + "\n".join(statements)
        + "\nfor found, expected in shown: print(found, expected)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    pairs = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    assert len(pairs) == len(statements)
    for found, expected in pairs:
        assert found == pytest.approx(expected, rel=2e-2, abs=1e-12)
