"""Right kernels are consistent in every law; every planted fault is refuted by name."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from numeric_check import compile_kernel, cross_check
from numeric_check.laws.result import LAWS, LAWS_OF_CALLS, CrossCheck
from numeric_check.reference_values.tolerance import DTYPES
from symbolic_pe.errors import SpecificationError
from tests.numeric_check import kernel_texts as texts
from tests.numeric_check.kernel_texts import Example

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


def checked(text: str, example: Example, **options: object) -> CrossCheck:
    return cross_check(compile_kernel(text), example.encoding, **options)  # type: ignore[arg-type]


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

BOTH = {"query-map", "key-map"}


@dataclass(frozen=True)
class Fault:
    """One replacement in a right kernel, the laws that it breaks, some that must survive it."""

    make: Callable[[], Example]
    old: str
    new: str
    laws: set[str]
    holds: set[str] = field(default_factory=set)
    dtypes: tuple[str, ...] = DTYPES

    def text(self) -> str:
        text = self.make().changed(self.old, self.new)
        return text.replace("HEADS = 1", "HEADS = 1\nTABLE = {}") if "TABLE" in text else text

    def check(self) -> CrossCheck:
        return checked(self.text(), self.make(), dtypes=self.dtypes)


TURN_KEY = "def transform_key(x, position, reference=0.0):\n    return _turn(x, "
FAULTS = {
    "sign of sin": Fault(
        texts.rope, "np.sin(angle)", "np.sin(-angle)", {*BOTH, "relativity"}, {"linearity"}
    ),
    "sign of sin, torch": Fault(
        texts.rope_torch, "torch.sin(angle)", "torch.sin(-angle)", {*BOTH, "relativity"}
    ),
    "swapped pair": Fault(
        texts.rope,
        "first, second = wide[..., 0::2], wide[..., 1::2]",
        "second, first = wide[..., 0::2], wide[..., 1::2]",
        {*BOTH},
        {"operator"},
    ),
    "half for interleaved": Fault(
        texts.rope,
        "first, second = wide[..., 0::2], wide[..., 1::2]",
        "first, second = wide[..., : DIMENSION // 2], wide[..., DIMENSION // 2 :]",
        {*BOTH, "relativity"},
        {"linearity", "operator", "history"},
    ),
    "tables half, rotation interleaved": Fault(
        texts.rope,
        "    compute = _compute",
        "    angle = np.concatenate([angle, angle], axis=-1)[..., 0::2]\n    compute = _compute",
        {*BOTH, "relativity"},
    ),
    "transposed operator": Fault(
        texts.rope, "= s, -s", "= -s, s", {"operator"}, {*BOTH, "relativity", "group-law"}
    ),
    "inverse map": Fault(
        texts.jordan, "in _cells(u)", "in _cells(-u)", {"query-map", "relativity"}, {"key-map"}
    ),
    "base 10001": Fault(
        texts.rope, "10000.0", "10001.0", {*BOTH, "relativity", "operator"}, {"linearity"}
    ),
    "one frequency off by 1/1000": Fault(
        texts.rope,
        "\n\n\ndef _compute",
        "\nFREQUENCY[2] *= 1.001\n\n\ndef _compute",
        {*BOTH, "relativity", "operator"},
        {"linearity"},
    ),
    "missing contragredient": Fault(
        texts.decay,
        "return _scale(x, position, reference, -1.0)",
        "return _scale(x, position, reference, 1.0)",
        {"key-map", "relativity"},
        {"query-map", "operator"},
    ),
    "decay on the wrong sides": Fault(
        texts.decay,
        "side * u",
        "-side * u",
        {*BOTH, "relativity"},
        {"operator", "linearity"},
    ),
    "missing contragredient, two heads": Fault(
        texts.damped,
        "return _map(x, position, reference, -1.0)",
        "return _map(x, position, reference, 1.0)",
        {"key-map", "relativity"},
        {"query-map", "decay-form"},
    ),
    "key with -sin": Fault(
        texts.rope,
        TURN_KEY,
        TURN_KEY + "-",
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "angles in float32": Fault(
        texts.rope,
        "angle = u[..., None] * FREQUENCY",
        "angle = u[..., None].astype(np.float32) * FREQUENCY.astype(np.float32)",
        {*BOTH},
        {"linearity", "operator"},
        dtypes=("float32",),
    ),
    "angles in float32, seen in bfloat16": Fault(
        texts.rope,
        "angle = u[..., None] * FREQUENCY",
        "angle = u[..., None].astype(np.float32) * FREQUENCY.astype(np.float32)",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "angles in float32, seen in float16, torch": Fault(
        texts.rope_torch,
        "angle = u[..., None] * frequency()",
        "angle = u[..., None].float() * frequency().float()",
        {*BOTH},
        dtypes=("float16",),
    ),
    "positions in the dtype of x": Fault(
        texts.rope,
        "u = np.asarray(position, dtype=np.float64) - reference",
        "u = np.asarray(position).astype(x.dtype).astype(np.float64) - reference",
        {*BOTH, "relativity"},
        {"operator", "linearity"},
        dtypes=("bfloat16",),
    ),
    "positions in the dtype of x, torch": Fault(
        texts.rope_torch,
        "torch.as_tensor(position).to(torch.float64)",
        "torch.as_tensor(position).to(x.dtype).to(torch.float64)",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "frequencies in the dtype of x": Fault(
        texts.rope,
        "* FREQUENCY\n    compute",
        "* FREQUENCY.astype(x.dtype).astype(np.float64)\n    compute",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "tables in the dtype of x": Fault(
        texts.rope,
        "compute = _compute(x.dtype)",
        "compute = x.dtype",
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "temperature multiplied in": Fault(
        texts.rope,
        "return turned.astype(x.dtype)",
        "return (1.0693147 * turned).astype(x.dtype)",
        {*BOTH, "relativity"},
        {"linearity", "operator"},
    ),
    "position off by one on one side": Fault(
        texts.rope,
        TURN_KEY + "position",
        TURN_KEY + "position + 1",
        {"key-map", "relativity"},
        {"query-map", "linearity"},
    ),
    "reference ignored on one side": Fault(
        texts.decay,
        "return _scale(x, position, reference, -1.0)",
        "return _scale(x, position, 0.0, -1.0)",
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "positions of the head axis": Fault(
        texts.damped,
        "growth = np.exp(side * RATE[:, None] * u)[..., None]",
        "growth = np.exp(side * RATE[:1, None] * u)[..., None]",
        {*BOTH},
    ),
    "heads exchanged": Fault(
        texts.damped,
        "np.log1p(-(2.0 ** (-5.0 - np.arange(HEADS))))",
        "np.log1p(-(2.0 ** (-5.0 - np.arange(HEADS)[::-1])))",
        {*BOTH, "operator", "decay-form"},
    ),
    "shear dropped from one link": Fault(
        texts.jordan, "t + step * q", "t", {"query-map", "relativity"}, {"key-map"}
    ),
    "shear upside down": Fault(
        texts.jordan,
        "[p + step * r, q + step * t, r, t]",
        "[p, q, r + step * p, t + step * q]",
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "bias sign": Fault(
        texts.alibi, "return -SLOPE[:", "return SLOPE[:", {"bias"}, {*BOTH, "relativity"}
    ),
    "bias sign in the coordinates": Fault(
        texts.alibi,
        "parts = [x.astype(_compute(x)), -v,",
        "parts = [x.astype(_compute(x)), v,",
        {"bias"},
        {*BOTH, "relativity"},
    ),
    "bias absolute": Fault(
        texts.alibi,
        "lag = np.asarray(query_position)[:, None] - np.asarray(key_position)[None, :]",
        "lag = np.asarray(query_position)[:, None] + 0 * np.asarray(key_position)[None, :]",
        {"bias"},
        {*BOTH},
    ),
    "slopes sorted": Fault(
        texts.alibi, "[0.0625, 0.00390625, 0.25]", "[0.25, 0.0625, 0.00390625]", {"bias"}, {*BOTH}
    ),
    "slopes from 2^0": Fault(
        texts.alibi, "[0.0625, 0.00390625, 0.25]", "[1.0, 0.0625, 4.0]", {"bias"}, {*BOTH}
    ),
    "constant coordinate depends on x": Fault(
        texts.alibi, "np.ones_like(v)]", "1.0 + x[..., :1].astype(np.float64)]", {"bias"}, {*BOTH}
    ),
    "dtype of the result": Fault(
        texts.rope,
        "return turned.astype(x.dtype)",
        "return turned",
        {"dtype"},
        {*BOTH},
        dtypes=("bfloat16",),
    ),
    "dtype of the operator": Fault(
        texts.rope,
        "    return result\n",
        "    return result.astype(np.float32)\n",
        {"dtype", "operator"},
        {*BOTH},
    ),
    "elapsed time remembered by length": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    if u.shape not in TABLE:\n        TABLE[u.shape] = u\n"
        "    angle = TABLE[u.shape][..., None] * FREQUENCY",
        {"history"},
        {"operator"},
    ),
    "table remembered by length": Fault(
        texts.rope,
        "    u = np.asarray(position, dtype=np.float64) - reference",
        "    shape = np.shape(position)\n    if shape not in TABLE:\n"
        "        TABLE[shape] = np.asarray(position, dtype=np.float64)\n"
        "    u = TABLE[shape] - reference",
        {*BOTH, "history"},
        {"operator"},
    ),
    "table remembered without its dtype": Fault(
        texts.rope,
        "    cosine, sine = np.cos(angle).astype(compute), np.sin(angle).astype(compute)",
        "    key = tuple(u.ravel().tolist())\n    if key not in TABLE:\n"
        "        TABLE[key] = np.cos(angle).astype(compute), np.sin(angle).astype(compute)\n"
        "    cosine, sine = (table.astype(compute) for table in TABLE[key])",
        {"history"},
    ),
    "counter of calls": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    TABLE[0] = TABLE.get(0, 0) + 1\n    angle = (u + TABLE[0] % 2)[..., None] * FREQUENCY",
        {"history"},
    ),
    "normalised input": Fault(
        texts.rope,
        "wide = x.astype(compute)",
        "wide = x.astype(compute)\n"
        "    wide = wide / np.sqrt((wide * wide).sum(axis=-1, keepdims=True) / 4)",
        {"linearity"},
    ),
    "first row of positions for the whole batch": Fault(
        texts.rope,
        "u = np.asarray(position, dtype=np.float64) - reference",
        "u = np.asarray(position, dtype=np.float64) - reference\n    u = u[0] if u.ndim > 1 else u",
        {"batch"},
        {*BOTH, "relativity"},
    ),
    "every head sees the first": Fault(
        texts.damped,
        "wide = x.astype(compute)",
        "wide = (x[..., :1, :, :] + 0 * x).astype(compute)",
        {"batch"},
        {"relativity"},
    ),
    "every position sees the first vector": Fault(
        texts.rope,
        "wide = x.astype(compute)",
        "wide = (x[..., :1, :] + 0 * x).astype(compute)",
        {"batch"},
        {*BOTH, "relativity"},
    ),
    "another reference by default": Fault(
        texts.rope,
        TURN_KEY.split("\n", maxsplit=1)[0],
        TURN_KEY.split("\n", maxsplit=1)[0].replace("0.0", "1.0"),
        {"key-map", "relativity"},
        {"query-map"},
    ),
    "half of the channels not turned": Fault(
        texts.rope,
        "    return turned.astype(x.dtype)",
        "    turned[..., 4:] = wide[..., 4:]\n    return turned.astype(x.dtype)",
        {*BOTH, "relativity"},
        {"linearity"},
    ),
    "generic case only": Fault(
        texts.oscillator,
        "near = np.abs(y) < 1e-6",
        "near = np.abs(y) < -1.0",
        {*BOTH, "operator"},
    ),
    "careless near the boundary": Fault(
        texts.oscillator,
        "near = np.abs(y) < 1e-6",
        "near = np.abs(y) < 1e-1",
        {*BOTH},
        dtypes=("float64",),
    ),
    "parameters exchanged": Fault(
        texts.oscillator,
        "def _matrix(u, w, z):",
        "def _matrix(u, z, w):",
        {*BOTH, "relativity", "operator"},
    ),
    "basis of the other side": Fault(
        texts.basis, "@ P.astype", "@ Q.T.astype", {"query-map", "relativity"}, {"key-map"}
    ),
    "decay function forgets a head": Fault(
        texts.damped,
        "np.exp(RATE[:, None, None] * lag)",
        "np.exp(RATE[:1, None, None] * lag)",
        {"runs"},
    ),
    "decay function with the wrong rate": Fault(
        texts.damped,
        "np.exp(RATE[:, None, None] * lag)",
        "np.exp(1.001 * RATE[:, None, None] * lag)",
        {"decay-form"},
        {*BOTH},
    ),
    "decay from absolute positions": Fault(
        texts.damped,
        "    factor = np.exp(RATE[:, None, None] * lag)",
        "    low = (RATE[:, None, None] * lag).astype(np.float32)\n"
        "    factor = np.exp(low + 4096).astype(np.float32) / np.exp(np.float32(4096))",
        {"decay-form"},
        {*BOTH},
    ),
    "decay 1 before t = s": Fault(
        texts.damped, "factor, 0.0)", "factor, 1.0)", {"decay-form"}, {*BOTH}
    ),
    "decay tiny before t = s": Fault(
        texts.damped, "factor, 0.0)", "factor, 1e-300)", {"decay-form"}, {*BOTH}
    ),
    "decay transposed": Fault(
        texts.damped,
        "lag = np.asarray(query_position)[:, None] - np.asarray(key_position)[None, :]",
        "lag = np.asarray(query_position)[None, :] - np.asarray(key_position)[:, None]",
        {"runs"},
        {*BOTH},
    ),
    "decay of whole lags": Fault(
        texts.damped,
        "RATE[:, None, None] * lag",
        "RATE[:, None, None] * np.floor(lag)",
        {"decay-form"},
        {*BOTH},
    ),
    "no decay function": Fault(texts.damped, "def decay(", "def falling(", {"decay-form"}, {*BOTH}),
    "no rotate function": Fault(texts.damped, "def rotate(", "def turn(", {"decay-form"}, {*BOTH}),
    "rotate the other way": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, 0.0 - position, 0.0, 0.0)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate another plane": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, position, 0.0, 0.0) + (0 * x + 1e-3 * x[..., ::-1]).astype(x.dtype)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate by whole positions": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, np.floor(position), 0.0, 0.0)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate the first head only": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x[..., :1, :, :] + 0 * x, position, 0.0, 0.0)",
        {"decay-form"},
        {*BOTH, "relativity"},
    ),
    "rotate in another dtype": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, position, 0.0, 0.0).astype(np.float64)",
        {"dtype"},
        {*BOTH},
        dtypes=("float32",),
    ),
    "rotate decays": Fault(
        texts.damped,
        "return _map(x, position, 0.0, 0.0)",
        "return _map(x, position, 0.0, 1.0)",
        {"decay-form"},
        {*BOTH},
    ),
    "raises beyond a table": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    if np.max(u) > 4096:\n        raise IndexError('position 5000 of 4096')\n"
        "    angle = u[..., None] * FREQUENCY",
        {"runs"},
    ),
    "NaN beyond a table": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    u = np.where(u > 100000, np.nan, u)\n    angle = u[..., None] * FREQUENCY",
        {*BOTH},
    ),
    "operator not the identity at 0": Fault(
        texts.rope,
        "result[a, a] = result[b, b] = c",
        "result[a, a] = result[b, b] = 1.0000001 * c",
        {"initial-condition", "operator", "group-law"},
        {*BOTH},
    ),
    "wrong dimension": Fault(
        texts.rope,
        "DIMENSION = 8",
        "DIMENSION = 16",
        {"runs"},
    ),
    "wrong shape": Fault(
        texts.rope,
        "return turned.astype(x.dtype)",
        "return turned[..., 0].astype(x.dtype)",
        {"runs"},
    ),
    "clamped at position 0": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    angle = np.maximum(u, 0.0)[..., None] * FREQUENCY",
        {*BOTH},
    ),
    "whole positions only": Fault(
        texts.rope,
        "    angle = u[..., None] * FREQUENCY",
        "    angle = np.floor(u)[..., None] * FREQUENCY",
        {*BOTH},
    ),
}


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
