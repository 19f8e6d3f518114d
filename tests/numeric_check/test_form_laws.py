"""The measured laws of recurrent_step and chunkwise: right files agree, faults are found."""

from __future__ import annotations

import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from numeric_check import compile_kernel, cross_check
from numeric_check.laws.causal_sums import causal_sums
from numeric_check.laws.result import CrossCheck, Ledger
from numeric_check.laws.subject import Subject
from numeric_check.reference_values.exact_map import ExactMap
from symbolic_pe import plan_kernel, read_specification
from symbolic_pe.algebra.scalar import ZERO
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import EmittedKernel, emit
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.generators.block import Block
from tests.emit.by_hand import ENCODINGS, encoding, in_order
from tests.emit.reference import exponential

LAWS = {"recurrent-form", "chunkwise-form"}
RECURRENT, CHUNKWISE = {"recurrent-form"}, {"chunkwise-form"}


@cache
def printed(spec: str, target: str) -> tuple[EmittedKernel, KernelPlan]:
    encoding = ENCODINGS[spec]() if spec in ENCODINGS else read_specification(spec)
    plan = plan_kernel(encoding)
    return emit(plan, target, command="x", certificate_digest="sha256:0"), plan


def measured(spec: str, target: str, old: str = "", new: str = "", **options: object) -> CrossCheck:
    kernel, plan = printed(spec, target)
    assert old in kernel.text, old
    return cross_check(compile_kernel(kernel.text.replace(old, new), target), plan, **options)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    "spec",
    ["decay:dim=3,rate=30", "decay:dim=3,rate=1/1000000", "retnet:dim=4,heads=2", "xpos:dim=4",
     "mamba-3:dim=4,rotary_dim=2", "jordan-rope:dim=4", "menagerie", "dense", "dense-heads",
     "learned-heads", "oscillator"],
)  # fmt: skip
def test_right_files_are_consistent(spec: str, target: str) -> None:
    """Tiny and huge decay, far out, across gaps of the whole domain, in every dtype."""
    parameters = {"oscillator": {"w": 0.5, "z": 0.3}}.get(spec)
    result = measured(spec, target, parameters=parameters)
    assert result.failure_lines() == []
    found = {(r.law, r.dtype) for r in result.results if r.law in LAWS}
    assert len(found) == 8


def many_links() -> Encoding:
    """u⁷/7! leaves float32 within 2²⁰ positions, at no rate."""
    return encoding("many-links", in_order([Block(ZERO, ZERO, 8)]))


@pytest.mark.parametrize("spec", ["dense", "many-links"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_right_files_are_consistent_in_one_dtype(
    spec: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gaps end where A leaves the range of what sums are computed in, with a rate or without."""
    monkeypatch.setitem(ENCODINGS, "many-links", many_links)
    result = measured(spec, "numpy", dtypes=[dtype])
    assert result.failure_lines() == []
    assert {r.law for r in result.results} >= LAWS


def test_a_file_without_these_forms_is_not_held_to_them() -> None:
    assert not LAWS & {r.law for r in measured("rope:dim=4", "numpy").results}


def test_the_exact_sums_are_those_of_the_exponential() -> None:
    """Against exp(τX) of the whole matrix by balls, and the tolerance is no larger than needed."""
    kernel, plan = printed("dense", "numpy")
    subject = Subject(compile_kernel(kernel), plan, ExactMap(plan), {}, ("float64",), Ledger(), 0)
    positions, d = (0, 1, 2.5, 4), plan.dimension
    query, key = np.random.default_rng(1).standard_normal((2, 1, len(positions), d))
    value = np.random.default_rng(2).standard_normal((1, len(positions), 2))
    sums = causal_sums(subject, (query, key, value), positions, "float64")
    for i, t in enumerate(positions):
        expected = np.zeros(2)
        for j, s in enumerate(positions[: i + 1]):
            a = exponential(plan.encoding, t - s)
            expected += (query[0, i] @ a @ key[0, j]) * value[0, j]
        assert np.abs(sums.value[0, i] - expected).max() <= 1e-13 * np.abs(expected).max()
        assert sums.tolerance[0, i] <= 1e-11 * np.abs(expected).max()
    assert sums.inside.all()


ADDED = "kept + np.asarray(value, compute)[..., None] * key"
KEPT = "kept = _transform(state, -step, 0.0, -1)"
CARRIED = "state = kept + np.swapaxes(values, -1, -2) @ early"
FAULTS = {
    "transpose of the update": (KEPT, KEPT.replace("-step, 0.0, -1", "step, 0.0, 1"), RECURRENT),
    "decay after adding": (
        f"{KEPT}\n    state = {ADDED}",
        f"kept = state\n    state = {ADDED}\n    {KEPT.replace('kept =', 'state =')}",
        RECURRENT,
    ),
    "wrong sign of the lag": (KEPT, KEPT.replace("-step", "step"), RECURRENT),
    "output before the newest key": ("return (state * query)", "return (kept * query)", RECURRENT),
    "state one chunk behind": ("        place = end\n", "", CHUNKWISE),
    "state not carried": (CARRIED, "state = np.swapaxes(values, -1, -2) @ early", CHUNKWISE),
    "chunk not added to the state": (CARRIED, "state = kept", CHUNKWISE),
    "keys moved to the wrong end": (
        "_transform(keys, times, end, -1)",
        "_transform(keys, times, place, -1)",
        CHUNKWISE,
    ),
    "start forgotten": ("if start is not None:", "if False:", LAWS),
    "state of other rows": (
        "early = _transform(keys,",
        "early = _transform(keys[::-1],",
        CHUNKWISE,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_refuted(name: str) -> None:
    old, new, laws = FAULTS[name]
    result = measured("jordan-rope:dim=4", "numpy", old, new)
    assert laws & LAWS & result.refuted_laws, name
    if laws == RECURRENT:
        assert "recurrent-form" in result.refuted_laws


@pytest.mark.parametrize(
    ("spec", "old", "new"),
    [
        # the reference cancels, but from far away nothing is left
        ("xpos:dim=4", "place = times[1::2, ..., :1]", "place = 0.0 * times[1::2, ..., :1]"),
        ("mamba-3:dim=4,rotary_dim=2", "_transform(keys, times, end, -1)",
         "_transform(_transform(keys, times, 0.0, -1), end, 0.0, 1)"),
        # maps in place of the decay between pairs
        ("retnet:dim=4,heads=2", "return np.tril(scores) @ value",
         "scores = _transform(query, position, 0.0, 1) @ np.swapaxes(_transform(key, position, "
         "0.0, -1), -1, -2)\n    return np.tril(scores) @ value"),
        # what comes later decides over what came before
        ("retnet:dim=4,heads=2", "return np.tril(scores) @ value", "return scores @ value"),
        ("retnet:dim=4,heads=2", "np.tril(scores) @ value", "np.tril(scores, -1) @ value"),
        # sums in the dtype of x
        ("decay:dim=3", "return np.result_type(np.float32, *kinds)", "return kinds[-1]"),
        ("decay:dim=3", "lag = np.tril(position", "lag = np.tril(position.astype(np.float32)"),
    ],
)  # fmt: skip
def test_what_fails_at_long_range_or_in_short_dtypes(spec: str, old: str, new: str) -> None:
    result = measured(spec, "numpy", old, new)
    assert result.refuted_laws & LAWS, result.refuted_laws
    assert result.refuted_laws <= LAWS


def run(line: str, directory: Path) -> tuple[float, float]:
    words = shlex.split(line)
    done = subprocess.run(
        [sys.executable, "-c", words[2]], cwd=directory, capture_output=True, text=True, check=True
    )
    found, expected = done.stdout.split("expected")
    return float(found), float(expected)


@pytest.mark.parametrize(
    ("spec", "target", "old", "new"),
    [
        ("jordan-rope:dim=4", "numpy", KEPT, KEPT.replace("-step", "step")),
        ("jordan-rope:dim=4", "numpy", CARRIED, "state = kept"),
        ("jordan-rope:dim=4", "numpy", "if start is not None:", "if False:"),
        ("retnet:dim=4,heads=2", "torch", "return _product(torch.tril(scores), value)",
         "return _product(scores, value)"),
        ("learned-heads", "torch", "_transform(state, -step, 0.0", "_transform(state, step, 0.0"),
    ],
)  # fmt: skip
def test_reproductions_print_the_offending_number(
    spec: str, target: str, old: str, new: str, tmp_path: Path
) -> None:
    kernel, _ = printed(spec, target)
    name = kernel.filename.removesuffix(".py")
    (tmp_path / kernel.filename).write_text(kernel.text.replace(old, new))
    result = cross_check(
        compile_kernel(kernel.text.replace(old, new), target, module=name),
        plan_kernel(printed(spec, target)[1].encoding),
        dtypes=["float32"],
        parameters={"a": -0.5, "b": 1.5} if spec == "learned-heads" else None,
    )
    for worst in (r for r in result.refuted if r.law in LAWS):
        found, expected = run(worst.reproduce, tmp_path)
        assert found != pytest.approx(expected, rel=1e-5)


def test_reproductions_of_consistent_laws_agree(tmp_path: Path) -> None:
    kernel, plan = printed("retnet:dim=4,heads=2", "numpy")
    (tmp_path / kernel.filename).write_text(kernel.text)
    checked = compile_kernel(kernel, module=kernel.filename.removesuffix(".py"))
    for r in cross_check(checked, plan, dtypes=["float64"]).results:
        if r.law in LAWS:
            found, expected = run(r.reproduce, tmp_path)
            assert found == pytest.approx(expected, rel=1e-10)


def test_a_block_that_decays_is_not_hidden_by_one_that_grows() -> None:
    """One point for all blocks of a chunk is the same function, and rounds beyond all bounds."""
    old, new = "place = times[1::2, ..., :1]", "place = times[-1::2, ..., :1]"
    point = {"lambda": -2.0, "w": 2.0, "x": 2.25}
    result = measured("learned-rates", "torch", old, new, parameters=point)
    assert {r.law for r in result.results if r.verdict == "refuted"} == CHUNKWISE
    assert "] = 0; " in result.failure_lines()[0]
    assert measured("learned-rates", "torch", parameters=point).failure_lines() == []
