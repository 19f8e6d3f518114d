"""What this package emits is acquitted, and is what its specification says."""

from __future__ import annotations

import types
from typing import Any

import pytest

from numeric_check.audit import audit
from symbolic_pe import emit, read_specification

SPECS = (
    "rope:dim=8",
    "rope:dim=16,layout=half,rotary_dim=8",
    "rope:dim=8,base=500000,layout=half",
    "grape-m:dim=8",
    "grape-m:a=1 2 0 0,b=0 1 1 0",
    "decay:dim=4,rate=1/1024",
    "lightning:dim=4,heads=1",
    "xpos:dim=8",
    "jordan-rope:dim=8",
)


def module(text: str) -> Any:
    found = types.ModuleType("emitted")
    exec(compile(text, "emitted", "exec"), found.__dict__)
    return found


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("spec", SPECS)
def test_emitted_kernels(spec: str, target: str) -> None:
    if target == "torch":
        pytest.importorskip("torch")
    encoding = read_specification(spec)
    kernel = module(emit(encoding, target).text)
    report = audit(
        kernel.transform_query,
        key=kernel.transform_key,
        dimension=encoding.dimension,
        against=spec,
    )
    assert report.refuted == ()
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"


def test_emitted_bias() -> None:
    kernel = module(emit(read_specification("alibi:heads=6")).text)
    report = audit(kernel.bias, kind="bias", against="alibi:heads=6")
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"
