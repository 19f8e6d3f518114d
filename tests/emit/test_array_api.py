"""The array API target: what it prints, on which libraries it runs, what it refuses."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from numeric_check import compile_kernel, cross_check, prove_text
from symbolic_pe import from_document, plan_kernel, read_specification
from symbolic_pe.cli.main import cli
from symbolic_pe.emit.source import emit
from symbolic_pe.errors import KernelError, NotYetCovered, SpecificationError
from tests.emit.by_hand import ENCODINGS
from tests.emit.reference import run

SPECS = (
    "nope:dim=4",
    "rope:dim=8",
    "rope:dim=12,layout=half,rotary_dim=8",
    "grape-m:dim=8",
    "xpos:dim=8",
    "decay:dim=3",
    "mamba-3:dim=6,rotary_dim=4",
)
IRREGULAR = {"blocks": [{"frequency": f"1/{7 + j * j}"} for j in range(40)]}
REFUSED = {
    "quadratic": "an additive bias",
    "learned-rates": "run-time parameters",
    "dense": "a change of basis",
    "long-chain": "chains of length",
    "different-heads": "heads that differ",
    "scattered-rope": "channels",
}


def text_of(spec: str, target: str = "array-api") -> str:
    return emit(
        plan_kernel(read_specification(spec)), target, command="x", certificate_digest="sha256:0"
    ).text


# -- what it prints -----------------------------------------------------------------------------


def test_texts_are_formatted_and_keep_to_the_standard(tmp_path: Path) -> None:
    standard = pytest.importorskip("array_api_strict")
    texts = {spec: text_of(spec) for spec in SPECS}
    plan = plan_kernel(from_document(IRREGULAR))
    texts["irregular"] = emit(plan, "array-api", command="x", certificate_digest="y").text
    for i, text in enumerate(texts.values()):
        (tmp_path / f"text_{i}.py").write_text(text, encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            assert not isinstance(node, ast.AugAssign)
            if isinstance(node, ast.Assign):
                assert not any(isinstance(t, ast.Subscript) for t in node.targets)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "xp":
                assert hasattr(standard, node.attr), node.attr
            if isinstance(node, ast.ImportFrom):
                assert node.module == "array_api_compat"
    for command in (["format", "--diff"], ["check", "--select", "F,E,W", "--ignore", "E501"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", list(REFUSED))
def test_plans_beyond_its_capabilities_are_refused_with_the_reason(name: str) -> None:
    with pytest.raises(NotYetCovered, match=REFUSED[name]):
        emit(plan_kernel(ENCODINGS[name]()), "array-api", command="x", certificate_digest="y")


# -- what it computes ---------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("spec", SPECS)
def test_text_is_proved_and_consistent_on_every_library(spec: str, library: str) -> None:
    pytest.importorskip("array_api_compat")
    plan = plan_kernel(read_specification(spec))
    kernel = compile_kernel(text_of(spec), library=library)
    found = prove_text(kernel, plan, operator=True)
    assert found.verdict == "proved", found.reason
    assert "operator" in found.executed
    assert cross_check(kernel, plan).failure_lines() == []


@pytest.mark.parametrize("spec", SPECS)
def test_a_strict_implementation_of_the_standard_gives_the_values_of_numpy(spec: str) -> None:
    pytest.importorskip("array_api_compat")
    strict = pytest.importorskip("array_api_strict")
    module, plain = run(text_of(spec)), run(text_of(spec, "numpy"))
    position = np.array([0, 1, 7])
    for dtype in (np.float32, np.float64):
        x = np.random.default_rng(3).standard_normal((2, 3, module.DIMENSION)).astype(dtype)
        for name in ("transform_query", "transform_key"):
            found = getattr(module, name)(
                strict.asarray(x), strict.asarray(position), reference=2.0
            )
            assert isinstance(found, type(strict.asarray(x)))
            expected = getattr(plain, name)(x, position, reference=2.0)
            assert found.dtype == getattr(strict, np.dtype(dtype).name)
            assert np.allclose(
                np.asarray(found), expected, rtol=4 * np.finfo(dtype).eps, atol=0.1e-6
            )
    if hasattr(plain, "decay"):
        found = module.decay(strict.asarray(position), strict.asarray(position))
        assert np.allclose(np.asarray(found), plain.decay(position, position), rtol=1e-15)


@pytest.mark.parametrize("spec", ["xpos:dim=8", "decay:dim=3", "mamba-3:dim=6,rotary_dim=4"])
def test_causal_sums_on_a_strict_implementation_are_those_of_numpy(spec: str) -> None:
    """Chunk by chunk, then one step on from the state, in both dtypes of the standard."""
    strict = pytest.importorskip("array_api_strict")
    module, other = run(text_of(spec)), run(text_of(spec, "numpy"))
    position = np.array([0.0, 1, 1, 2.5, 40, 50_000, 50_001])
    for dtype, relative in ((np.float64, 1e-12), (np.float32, 1e-5)):
        x = np.random.default_rng(1).standard_normal((3, 2, 7, module.DIMENSION)).astype(dtype)
        given = [strict.asarray(part) for part in x]
        rows = [strict.asarray(np.ascontiguousarray(part[:, 0])) for part in x]
        found, state = module.chunkwise(*given, strict.asarray(position), chunk=3)
        output, state = module.recurrent_step(state, *rows, strict.asarray(0.5))
        expected, wide = other.chunkwise(*x, position, chunk=3)
        wide_output, wide = other.recurrent_step(wide, *(part[:, 0] for part in x), 0.5)
        for a, b in ((found, expected), (output, wide_output), (state, wide)):
            assert a.dtype == getattr(strict, np.dtype(dtype).name)
            assert np.asarray(a) == pytest.approx(b, rel=relative, abs=relative)


def test_gradients_flow_through_torch_arrays() -> None:
    pytest.importorskip("array_api_compat")
    module = run(text_of("xpos:dim=8"))
    x = torch.randn(3, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda y: module.transform_key(y, torch.arange(3)), (x,))


@pytest.mark.parametrize(
    ("spec", "old", "new"),
    [
        ("rope:dim=8", "cosine * first - sine", "cosine * first + sine"),
        ("rope:dim=8", "10000.0 **", "10000.0001 **"),
        (
            "rope:dim=8",
            "(turned_first, turned_second), axis",
            "(turned_second, turned_first), axis",
        ),
        ("xpos:dim=8", "side * _values(RATE, u)", "_values(RATE, u)"),
    ],
)
def test_negative_twin_changed_texts_are_refuted(spec: str, old: str, new: str) -> None:
    pytest.importorskip("array_api_compat")
    plan, text = plan_kernel(read_specification(spec)), text_of(spec)
    assert old in text
    kernel = compile_kernel(text.replace(old, new), "array-api")
    assert prove_text(kernel, plan).verdict == "refuted"
    for library in ("numpy", "torch"):
        changed = compile_kernel(text.replace(old, new), "array-api", library=library)
        assert cross_check(changed, plan).failure_lines()


# -- safety and commands ------------------------------------------------------------------------


def test_only_two_names_can_be_imported() -> None:
    pytest.importorskip("array_api_compat")
    text = text_of("rope:dim=8")
    for bad in ("import array_api_compat", "from array_api_compat import numpy", "import numpy"):
        with pytest.raises(KernelError, match="import"):
            compile_kernel(text + f"\n{bad}\n", "array-api")
    with pytest.raises(KernelError, match="runs on its own library"):
        compile_kernel(text_of("rope:dim=8", "numpy"), library="torch")


def test_numpy_has_no_bfloat16_in_the_standard() -> None:
    pytest.importorskip("array_api_compat")
    plan, text = plan_kernel(read_specification("rope:dim=8")), text_of("rope:dim=8")
    with pytest.raises(SpecificationError, match="array-api text on numpy has float64"):
        cross_check(compile_kernel(text), plan, dtypes=["bfloat16"])
    on_torch = cross_check(compile_kernel(text, library="torch"), plan, dtypes=["bfloat16"])
    assert on_torch.failure_lines() == []


def test_build_measures_it_on_both_libraries(tmp_path: Path) -> None:
    pytest.importorskip("array_api_compat")
    arguments = ["build", "rope:dim=8", "--target", "array-api", "-o", str(tmp_path)]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert "array-api (torch)" in result.output
    path = tmp_path / "rope_array_api.py"
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 0
    path.write_text(path.read_text().replace("- sine", "+ sine"))
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 1


def test_it_is_built_only_when_asked_for_and_says_what_it_does_not_cover(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["build", "nope:dim=4", "-o", str(tmp_path)])
    assert result.exit_code == 0
    assert not (tmp_path / "nope_array_api.py").exists()
    result = CliRunner().invoke(cli, ["emit", "alibi:dim=4,heads=1", "--target", "array-api"])
    assert result.exit_code == 3
    assert "an additive bias" in result.output
