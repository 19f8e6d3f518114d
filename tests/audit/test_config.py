"""Code against a model's config.json: what ports of rotary settings get wrong is refuted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from tests.audit import maps as m

Map = Callable[[Any, Any], Any]
D = 16
PLAIN = {"model_type": "llama", "head_dim": D, "rope_theta": 500000.0}
PARTIAL = {"model_type": "gpt_neox", "head_dim": D, "rotary_pct": 0.5, "rope_theta": 10000.0}
OWN_HEADS = {**PLAIN, "hidden_size": 96, "num_attention_heads": 4, "head_dim": 32}
LLAMA3 = {
    **PLAIN,
    "rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}  # fmt: skip
LINEAR = {**PLAIN, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}
YARN = {
    **PLAIN, "rope_theta": 10000.0,
    "rope_scaling": {"type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096},
}  # fmt: skip
STATED = {**YARN, "rope_scaling": {**YARN["rope_scaling"], "attention_factor": 1.25}}  # type: ignore[dict-item]
DEEPSEEK = {
    "model_type": "deepseek_v3", "qk_rope_head_dim": 8, "qk_nope_head_dim": 8,
    "rope_theta": 10000, "rope_scaling": {
        "type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
    },
}  # fmt: skip


def turned(frequency: Any, *, scale: float = 1.0, layout: str = "half", before: int = 0) -> Map:
    """Turn as many channels as there are frequencies, after `before`, in float64; scale all."""
    frequency = np.asarray(frequency, np.float64)

    def call(x: Any, positions: Any) -> Any:
        angle = np.asarray(positions, np.float64)[:, None] * frequency
        end, wide = before + 2 * len(frequency), np.asarray(x, np.float64)
        inner = m.rotate(wide[..., before:end], angle, layout)
        whole = np.concatenate([wide[..., :before], inner, wide[..., end:]], -1)
        return (scale * whole).astype(x.dtype)

    return call


def ladder(dim: int, base: float, planes: int | None = None) -> Any:
    return base ** (-2 * np.arange(dim // 2 if planes is None else planes) / dim)


def bands(theta: Any) -> Any:
    """Llama 3, as in its published code."""
    kept = np.clip((8192 * theta / (2 * math.pi) - 1) / 3, 0, 1)
    return (1 - kept) * theta / 8 + kept * theta


def yarn(dim: int, factor: float) -> Any:
    """The published code: a ramp in the index of the plane."""

    def correction(turns: float) -> float:
        return dim * math.log(4096 / (turns * 2 * math.pi)) / (2 * math.log(10000))

    low, high = max(math.floor(correction(32)), 0), min(math.ceil(correction(1)), dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
    return ladder(dim, 10000.0) * (ramp / factor + 1 - ramp)


C = 0.1 * math.log(16) + 1
M = 0.1 * math.log(40) + 1
CASES: dict[str, tuple[dict[str, Any], Map, dict[str, Map]]] = {
    "plain": (
        PLAIN,
        turned(ladder(D, 500000.0)),
        {
            "the base of the checkpoint ignored": turned(ladder(D, 10000.0)),
            "integer division in the exponent": turned(np.ones(D // 2)),
            "positions doubled": turned(2 * ladder(D, 500000.0)),
        },
    ),
    "partial": (
        PARTIAL,
        turned(ladder(8, 10000.0)),
        {
            "the width of the head in the exponent": turned(ladder(D, 10000.0, 4)),
            "the fraction applied twice": turned(ladder(4, 10000.0)),
            "the fraction ignored": turned(ladder(D, 10000.0)),
        },
    ),
    "own head width": (
        OWN_HEADS,
        turned(ladder(32, 500000.0)),
        {"hidden size over heads": turned(500000.0 ** (-2 * np.arange(16) / 24))},
    ),
    "llama3": (
        LLAMA3,
        turned(bands(ladder(D, 500000.0))),
        {
            "scaling ignored": turned(ladder(D, 500000.0)),
            "every plane divided": turned(ladder(D, 500000.0) / 8),
            "scaled twice": turned(bands(bands(ladder(D, 500000.0)))),
        },
    ),
    "linear": (
        LINEAR,
        turned(ladder(D, 500000.0) / 2),
        {
            "factor applied twice": turned(ladder(D, 500000.0) / 4),
            "multiplied instead of divided": turned(ladder(D, 500000.0) * 2),
            "the base rewritten instead": turned(ladder(D, 500000.0 * 2)),
        },
    ),
    "yarn": (
        YARN,
        turned(yarn(D, 16.0), scale=C),
        {
            "amplitude dropped": turned(yarn(D, 16.0)),
            "amplitude twice": turned(yarn(D, 16.0), scale=C * C),
            "the ramp left out": turned(ladder(D, 10000.0) / 16, scale=C),
        },
    ),
    "stated attention factor": (
        STATED,
        turned(yarn(D, 16.0), scale=1.25),
        {
            "computed again": turned(yarn(D, 16.0), scale=C),
            "multiplied with the formula": turned(yarn(D, 16.0), scale=1.25 * C),
        },
    ),
    "decoupled": (
        DEEPSEEK,
        turned(yarn(8, 40.0), scale=M, layout="interleaved", before=8),
        {
            "the content turned as well": turned(yarn(16, 40.0), scale=M, layout="interleaved"),
            "amplitude once in the logits": turned(
                yarn(8, 40.0), scale=math.sqrt(M), layout="interleaved", before=8
            ),
        },
    ),
}
FAULTS = [(case, fault) for case, (_, _, faults) in CASES.items() for fault in faults]


def report(case: str, subject: Map, tmp_path: Path) -> Any:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CASES[case][0]))
    return audit(subject, against=str(path))


@pytest.mark.parametrize("case", list(CASES))
def test_right_code_is_what_the_configuration_states(case: str, tmp_path: Path) -> None:
    found = report(case, CASES[case][1], tmp_path)
    assert found.refuted == (), found.refuted
    assert found.of("against").verdict == "consistent"
    assert found.of("gain").verdict == "consistent"


@pytest.mark.parametrize(("case", "fault"), FAULTS)
def test_faults_of_ports_are_refuted_with_a_witness(case: str, fault: str, tmp_path: Path) -> None:
    found = report(case, CASES[case][2][fault], tmp_path)
    wrong = {f.question for f in found.refuted}
    assert wrong & {"against", "gain"}, (case, fault)
    assert all(f.witness for f in found.refuted)
    if "amplitude" in fault or "formula" in fault or "computed" in fault:
        assert "gain" in wrong
        assert found.of("against").verdict == "consistent", "the frequencies are right"
