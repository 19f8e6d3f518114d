"""A second opinion on rounding bounds: scripts from the text, decided by Gappa if it is there."""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner

from numeric_check.kernels.kernel import Kernel, compile_kernel
from numeric_check.rounding import gappa, rounding_bound
from numeric_check.rounding.gappa import Script, is_installed, prove, scripts, second_opinion
from numeric_check.rounding.gappa.script import CONTRACTIONS, dyadic
from symbolic_pe.cli.main import cli
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import NotYetCovered, SpecificationError
from symbolic_pe.production import emit

BLOCKS: Mapping[str, tuple[dict[str, str | int], float]] = {
    "rotation": ({"frequency": "1"}, 2.0**17),
    "damped-rotation": ({"rate": "-1/64", "frequency": "1"}, 32.0),
    "shear": ({"chain_length": 2}, 16.0),
}
"""The basic kernels, with the largest |position − reference| at which they are bounded."""
DTYPES = ("float32", "float16", "bfloat16")
REQUIRED = bool(os.environ.get("GAPPA_REQUIRED"))
needs_gappa = pytest.mark.skipif(
    not is_installed() and not REQUIRED, reason="gappa is not installed (Debian: gappa)"
)


@functools.cache
def kernel_of(name: str, target: str = "numpy") -> tuple[Kernel, KernelPlan]:
    encoding = from_document({"blocks": [BLOCKS[name][0]]}, name)
    return compile_kernel(emit(encoding, target)), plan_kernel(encoding)


def scripts_of(name: str, dtype: str, **how: Any) -> tuple[Script, ...]:
    return scripts(*kernel_of(name), dtype, reach=BLOCKS[name][1], **how)


# -- scripts ------------------------------------------------------------------------------------


def test_the_operations_are_those_of_the_text() -> None:
    query, key = scripts_of("damped-rotation", "bfloat16")
    assert query.definitions == (
        "@bfloat16 = float<8,-133,ne>;",
        "@binary32 = float<ieee_32,ne>;",
        "@binary64 = float<ieee_64,ne>;",
        "x0 = bfloat16(X0);",
        "x1 = bfloat16(X1);",
        "t0 = binary64(T0);",
        "t1 = binary64(T1);",
        "y0 = bfloat16(binary32(binary32(binary32(t0) * x0) - binary32(binary32(t1) * x1)));",
        "Y0 = (C0 * x0) - (C1 * x1);",
        "y1 = bfloat16(binary32(binary32(binary32(t1) * x0) + binary32(binary32(t0) * x1)));",
        "Y1 = (C1 * x0) + (C0 * x1);",
    )
    assert "damped-rotation, bfloat16, key" in key.name


def test_an_edit_of_the_text_is_one_of_the_script() -> None:
    kernel, plan = kernel_of("damped-rotation")
    text = kernel.text.replace(
        "cosine = (scale * np.cos(angle)).astype(compute)",
        "cosine = (scale * np.cos(angle)).astype(np.float16).astype(compute)",
    )
    assert text != kernel.text
    (script, _) = scripts(compile_kernel(text), plan, "float32", reach=32.0)
    assert "binary32(binary16(t0) * x0)" in script.definitions[-4]


def test_fused_operations_round_once() -> None:
    (first, _) = scripts_of("damped-rotation", "float32", contraction="first")
    (second, _) = scripts_of("damped-rotation", "float32", contraction="second")
    assert "y0 = binary32((binary32(t0) * x0) - binary32(binary32(t1) * x1));" in first.definitions
    assert "y0 = binary32(binary32(binary32(t0) * x0) - (binary32(t1) * x1));" in second.definitions


def test_tables_are_as_far_from_exact_functions_as_the_bound_assumes() -> None:
    (script, _) = scripts_of("rotation", "float32")
    (away,) = {h.split()[-1] for h in script.hypotheses if h.startswith("|t0 - C0|")}
    distance = float(gappa.program.number(away))
    angle = 2.0**-53 * BLOCKS["rotation"][1]
    assert angle <= distance <= 2.0 * angle + 4.0 * 2.0**-52


def test_the_claim_follows_from_the_bound() -> None:
    kernel, plan = kernel_of("shear")
    bound = rounding_bound(kernel, plan, "float16", reach=16.0)
    (script, _) = scripts_of("shear", "float16", box=8.0)
    norm = (16.0 + math.sqrt(16.0**2 + 4.0)) / 2.0
    expected = bound.epsilon(16.0) * norm * math.sqrt(2.0) * 8.0 + bound.absolute
    assert script.claimed == pytest.approx(expected, rel=1e-12)
    assert f"|y1 - Y1| <= {dyadic(0.25)}" in script.claim(0.25)


@pytest.mark.parametrize(
    "document",
    [
        {"blocks": [{"chain_length": 3}]},
        {"matrix": [["0", "1"], ["-2", "0"]]},
        {"matrix": [["0", "-w"], ["w", "0"]], "parameters": {"w": "positive"}},
    ],
)
def test_what_is_not_basic_is_refused(document: dict[str, Any]) -> None:
    encoding = from_document(document, "other")
    with pytest.raises(NotYetCovered, match="scripts for Gappa"):
        scripts(compile_kernel(emit(encoding)), plan_kernel(encoding), "float32", reach=16.0)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SpecificationError, match="apt-get install gappa"):
        prove("{ x in [0,1] -> x in [0,1] }")


# -- Gappa's answers ----------------------------------------------------------------------------


FUSED = [pytest.param(c, marks=[] if c == "none" else pytest.mark.slow) for c in CONTRACTIONS]


@needs_gappa
@pytest.mark.parametrize("contraction", FUSED)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BLOCKS)
def test_gappa_proves_what_the_bound_claims_and_no_third_of_it(
    name: str, dtype: str, contraction: str
) -> None:
    kernel, plan = kernel_of(name)
    reach = BLOCKS[name][1]
    for opinion in second_opinion(kernel, plan, dtype, reach=reach, contraction=contraction):
        assert opinion.accepted, opinion.script.name
        assert opinion.slack is not None
        assert 1.0 <= opinion.slack < 3.0
        claimed = opinion.script.claimed
        assert not prove(opinion.script.claim(claimed / 3.0)).proved


@needs_gappa
@pytest.mark.parametrize("name", BLOCKS)
def test_texts_for_pytorch_are_traced_too(name: str) -> None:
    pytest.importorskip("torch")
    kernel, plan = kernel_of(name, "torch")
    for opinion in second_opinion(kernel, plan, "bfloat16", reach=BLOCKS[name][1]):
        assert opinion.accepted


@needs_gappa
@pytest.mark.parametrize("box", [8.0, 2.0**-10, 2.0**-24])
@pytest.mark.parametrize("name", BLOCKS)
def test_sizes_of_inputs_down_to_subnormal_ones(name: str, box: float) -> None:
    """Where x is of the size of the smallest numbers of binary16, η has to carry the claim."""
    kernel, plan = kernel_of(name)
    for opinion in second_opinion(kernel, plan, "float16", reach=BLOCKS[name][1], box=box):
        assert opinion.accepted
    small = rounding_bound(kernel, plan, "float16", reach=BLOCKS[name][1])
    if box == 2.0**-24 and name == "damped-rotation":
        (script, _) = scripts_of(name, "float16", box=box)
        assert not prove(script.claim(script.claimed - small.absolute)).proved


@needs_gappa
def test_known_bounds_of_a_rotation() -> None:
    """3·2⁻²⁴ in binary32, and 65539·2⁻²⁴ for bfloat16 computed in binary32, on the unit box."""
    found = {
        dtype: second_opinion(*kernel_of("rotation"), dtype, reach=1024.0)[0].found
        for dtype in ("float32", "bfloat16")
    }
    assert found["float32"] == pytest.approx(3 * 2.0**-24, rel=1e-4)
    assert found["bfloat16"] == pytest.approx(65539 * 2.0**-24, rel=1e-4)


@needs_gappa
def test_a_text_that_rounds_once_more_is_refused_the_old_claim() -> None:
    kernel, plan = kernel_of("damped-rotation")
    (old, _) = scripts(kernel, plan, "float32", reach=32.0)
    edited = compile_kernel(
        re.sub(r"(cosine = .*)\.astype\(compute\)", r"\1.astype(np.float16).astype(compute)",
               kernel.text)
    )  # fmt: skip
    (new, _) = scripts(edited, plan, "float32", reach=32.0)
    assert prove(old.claim(old.claimed)).proved
    assert not prove(new.claim(old.claimed)).proved
    assert prove(new.claim(new.claimed)).proved


def test_a_half_of_the_claim_is_false_by_a_witness() -> None:
    """No opinion is needed here: one input whose error is larger than half of what is claimed."""
    kernel, _ = kernel_of("rotation")
    (script, _) = scripts_of("rotation", "bfloat16")
    generator = np.random.default_rng(1)
    x = generator.uniform(-1.0, 1.0, (20_000, 2)).astype(ml_dtypes.bfloat16)
    positions = np.arange(20_000.0)
    transform = kernel.raw("transform_query")
    found = np.asarray(transform(x, positions), np.float64)
    exact = transform(x.astype(np.float64), positions)
    worst = np.abs(found - exact).max()
    assert script.claimed / 2.0 < worst < script.claimed


@needs_gappa
def test_a_script_that_is_none_is_no_refusal() -> None:
    assert prove("{ x in [0,1] -> x in [0,2] }").proved
    assert not prove("{ x in [0,2] -> x in [0,1] }").proved
    with pytest.raises(SpecificationError, match="does not accept the script"):
        prove("{ x in [0,1 -> x in [0,1] }")


def test_the_command_writes_scripts_beside_the_kernel(tmp_path: Path) -> None:
    folder = tmp_path / "rounding"
    command = ["emit", "rope:dim=8", "--gappa", str(folder), "-o", str(tmp_path / "k.py")]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert "wrote 6 scripts" in result.stderr
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert len(written) == 6
    if is_installed():
        assert all(prove(text).proved for text in written.values())


def test_the_command_names_what_scripts_do_not_cover(tmp_path: Path) -> None:
    folder = tmp_path / "rounding"
    result = CliRunner().invoke(
        cli, ["emit", "examples/damped-oscillator.toml", "--gappa", str(folder)]
    )
    assert result.exit_code == 3
    assert "scripts for Gappa are of" in result.stderr
    assert (result.stdout, folder.exists()) == ("", False)
