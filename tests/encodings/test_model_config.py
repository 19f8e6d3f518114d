"""A model's config.json resolves to the right entry, and what it states wrongly is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from symbolic_pe.encodings.catalogue import catalogue, catalogue_form, entry_named
from symbolic_pe.encodings.decoding import decode_json
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.forms import read_any_specification
from symbolic_pe.encodings.model_config import is_config, resolve
from symbolic_pe.encodings.readings import live_planes, temperature, theta
from symbolic_pe.errors import SpecificationError

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}
LLAMA31 = {
    **LLAMA, "rope_theta": 500000.0, "max_position_embeddings": 131072,
    "rope_scaling": {
        "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
        "original_max_position_embeddings": 8192, "rope_type": "llama3",
    },
}  # fmt: skip
QWEN_YARN = {
    "model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "max_position_embeddings": 32768,
    "rope_scaling": {
        "factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn",
    },
}  # fmt: skip
GPT_OSS = {
    "model_type": "gpt_oss", "head_dim": 64, "rope_theta": 150000,
    "rope_scaling": {
        "rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
        "truncate": False, "original_max_position_embeddings": 4096,
    },
}  # fmt: skip
DEEPSEEK = {
    "model_type": "deepseek_v3", "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
    "rope_theta": 10000, "max_position_embeddings": 163840,
    "rope_scaling": {
        "type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0,
        "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096,
    },
}  # fmt: skip
PHI = {
    "model_type": "phi3", "head_dim": 8, "rope_theta": 10000.0,
    "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
    "rope_scaling": {
        "type": "longrope", "short_factor": [1.0, 1.0, 1.25, 1.5], "long_factor": [1, 2.5, 8, 32.0],
    },
}  # fmt: skip
GEMMA3 = {
    "model_type": "gemma3_text", "head_dim": 256, "rope_theta": 1000000.0,
    "rope_local_base_freq": 10000.0, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
}  # fmt: skip
LAYERED = {
    "model_type": "gemma4_text", "head_dim": 512,
    "rope_parameters": {
        "full_attention": {
            "rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25,
        },
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    },
}  # fmt: skip
QWEN_VL = {
    "model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
}  # fmt: skip
QWEN3_VL = {
    "model_type": "qwen3_vl",
    "text_config": {
        "head_dim": 128, "rope_theta": 5000000,
        "rope_scaling": {
            "rope_type": "default", "mrope_section": [24, 20, 20], "mrope_interleaved": True,
        },
    },
}  # fmt: skip
NEOX = {
    "model_type": "gpt_neox", "hidden_size": 6144, "num_attention_heads": 64, "rotary_pct": 0.25,
    "rotary_emb_base": 10000,
}  # fmt: skip
GPTJ = {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary_dim": 64, "rope_theta": 10000}
BLOOM = {"model_type": "bloom", "n_embed": 4096, "n_head": 32}
MPT = {"model_type": "mpt", "d_model": 4096, "n_heads": 32,
       "attn_config": {"alibi": True, "alibi_bias_max": 8}}  # fmt: skip
NEW_STYLE = {
    "model_type": "llama", "head_dim": 64,
    "rope_parameters": {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0},
    "max_position_embeddings": 2048,
}  # fmt: skip
T5 = {
    "model_type": "t5", "d_kv": 64, "d_model": 512, "num_heads": 8,
    "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
}  # fmt: skip
GPT2 = {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_positions": 1024}
PHI4 = {**PHI, "head_dim": 16, "partial_rotary_factor": 0.5}


def resolved(config: dict[str, Any], layers: str = "") -> tuple[str, dict[str, object]]:
    return resolve(decode_json(json.dumps(config)), layers)


@pytest.mark.parametrize(
    ("config", "layers", "name", "settings"),
    [
        (LLAMA | {"rope_theta": 10000.0}, "", "rope",
         {"dim": 128, "base": "10000", "layout": "half"}),
        (LLAMA31, "", "llama3", {"factor": "8", "original_length": 8192, "low_freq_factor": "1"}),
        (QWEN_YARN, "", "yarn", {"factor": "4", "original_length": 32768, "base": "1000000"}),
        (GPT_OSS, "", "yarn", {"truncate": "no", "beta_fast": "32", "dim": 64}),
        (DEEPSEEK, "", "mla", {"content_dim": 128, "rotary_dim": 64, "factor": "40",
                               "layout": "interleaved", "mscale": "1"}),
        (PHI, "", "longrope", {"factor": "32", "length": 131072,
                               "long_factor": ["1", "5/2", "8", "32"]}),
        (PHI4, "", "longrope", {"dim": 16, "rotary_dim": 8}),
        (GEMMA3, "full_attention", "position-interpolation", {"factor": "8", "base": "1000000"}),
        (GEMMA3, "sliding_attention", "rope", {"base": "10000"}),
        (LAYERED, "full_attention", "p-rope", {"fraction": "1/4", "dim": 512}),
        (LAYERED, "sliding_attention", "rope", {"base": "10000", "dim": 512}),
        (QWEN_VL, "", "m-rope", {"sections": [16, 24, 24]}),
        (QWEN3_VL, "", "m-rope", {"sections": [24, 20, 20], "arrangement": "interleaved"}),
        (NEOX, "", "rope", {"dim": 96, "rotary_dim": 24, "layout": "half"}),
        (GPTJ, "", "rope", {"dim": 256, "rotary_dim": 64, "layout": "interleaved"}),
        (BLOOM, "", "alibi", {"dim": 128, "heads": 32}),
        (MPT, "", "alibi", {"dim": 128, "heads": 32}),
        (T5, "decoder", "t5", {"buckets": 32, "max_distance": 128, "direction": "causal"}),
        (T5, "encoder", "t5", {"dim": 64, "direction": "both"}),
        (GPT2, "", "learned", {"dim": 768, "length": 1024}),
        (NEW_STYLE, "", "dynamic-ntk", {"factor": "2", "original_length": 2048, "length": 4096}),
    ],
)  # fmt: skip
def test_configurations_resolve(
    config: dict[str, Any], layers: str, name: str, settings: dict[str, object]
) -> None:
    assert is_config(config)
    found, given = resolved(config, layers)
    assert found == name
    assert settings.items() <= given.items()
    assert catalogue_form(found, given).name == name


def test_numbers_of_known_models() -> None:
    llama = catalogue_form(*resolved(LLAMA31))
    assert theta(35)(llama) == theta(35)(entry_named("llama3").form({}))
    neox = catalogue_form(*resolved(NEOX))
    assert live_planes()(neox) == 12
    gemma = catalogue_form(*resolved(LAYERED, "full_attention"))
    assert live_planes()(gemma) == 64
    assert str(temperature(catalogue_form(*resolved(DEEPSEEK)))).endswith("+ 1")
    phi = catalogue_form(*resolved(PHI4))
    assert isinstance(phi, Encoding)
    assert phi.dimension == 16
    assert live_planes()(phi) == 4
    assert str(theta(3)(phi)) == "1/32000"


@pytest.mark.parametrize(
    ("scaling", "factor"),
    [
        ({"attention_factor": 1.5}, "3/2"),
        ({"mscale": 0.707, "mscale_all_dim": 0.707}, "1"),
        ({"mscale": 1, "mscale_all_dim": 2}, "((1)*log(4)/10 + 1)/((2)*log(4)/10 + 1)"),
        ({}, None),
    ],
)
def test_a_stated_attention_factor_is_final(scaling: dict[str, Any], factor: str | None) -> None:
    config = {**QWEN_YARN, "rope_scaling": {**QWEN_YARN["rope_scaling"], **scaling}}  # type: ignore[dict-item]
    name, settings = resolved(config)
    assert settings.get("attention_factor") == factor
    assert catalogue_form(name, settings).name == "yarn"


@pytest.mark.parametrize(
    ("config", "layers", "message"),
    [
        (GEMMA3, "", "name one kind after the file"),
        (LAYERED, "cross_attention", "kinds: full_attention, sliding_attention"),
        (LLAMA31, "full_attention", "leave out #full_attention"),
        ({"model_type": "gpt2", "n_embd": 768, "n_head": 12}, "", "number of positions"),
        ({"model_type": "mamba", "hidden_size": 768}, "", "no rotary or ALiBi"),
        (T5, "", "kinds: encoder, decoder"),
        ({"model_type": "llama", "rope_theta": 10000.0}, "", "hidden_size"),
        ({**LLAMA, "num_attention_heads": 33, "rope_theta": 1}, "", "no multiple"),
        ({**LLAMA, "rope_theta": "ten"}, "", "rope_theta: expected a number"),
        ({**LLAMA, "rope_theta": True}, "", "rope_theta: expected a number"),
        ({**LLAMA, "rope_scaling": {"rope_type": "linear"}}, "", "factor"),
        ({**LLAMA, "rope_scaling": {"rope_type": "spiral"}}, "", "rope_type: expected default"),
        ({**LLAMA, "rope_scaling": ["linear"]}, "", "rope_parameters: expected a table"),
        ({**GPTJ, "rotary_pct": 0.5}, "", "contradict"),
        ({**MPT, "attn_config": {"alibi": True, "alibi_bias_max": 4}}, "", "expected 8"),
        ({**MPT, "attn_config": {"alibi": False, "rope": False}}, "", "neither"),
        ({**QWEN_VL, "rope_scaling": {"mrope_section": "16"}}, "", "mrope_section"),
        ({**PHI, "rope_scaling": {"type": "longrope", "short_factor": 1}}, "", "short_factor"),
        ({**DEEPSEEK, "rope_scaling": {**DEEPSEEK["rope_scaling"], "mscale_all_dim": 0}}, "",  # type: ignore[dict-item]
         "two equal numbers"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused(config: dict[str, Any], layers: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        resolved(config, layers)


def test_files_are_specifications(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(QWEN_VL))
    assert read_any_specification(str(path)).name == "m-rope"
    path.write_text(json.dumps(LAYERED))
    assert read_any_specification(f"{path}#sliding_attention").name == "rope"
    with pytest.raises(SpecificationError, match="#full_attention"):
        read_any_specification(str(path))
    path.write_text(json.dumps({"matrix": [["0"]]}))
    with pytest.raises(SpecificationError, match="before the #"):
        read_any_specification(f"{path}#sliding_attention")


def test_llama_4_has_two_bands() -> None:
    """Its published configuration has low_freq_factor = high_freq_factor: a step, and no ramp."""
    scaling = {
        "rope_type": "llama3", "factor": 16, "low_freq_factor": 1, "high_freq_factor": 1,
        "original_max_position_embeddings": 8192,
    }  # fmt: skip
    text = {"model_type": "llama4_text", "head_dim": 128, "rope_theta": 500000,
            "num_attention_heads": 40, "rope_scaling": scaling}  # fmt: skip
    name, settings = resolve({"model_type": "llama4", "text_config": text})
    scaled, plain = catalogue(name, settings), catalogue("rope", {"dim": 128, "base": 500000})
    ratios = []
    for one, other in zip(scaled.heads, plain.heads, strict=True):
        for a, b in zip(one.generator.placed or (), other.generator.placed or (), strict=True):
            ratios.append(str(b.block.frequency / a.block.frequency))
    assert set(ratios) == {"1", "16"}
    turns = [8192 * 500000 ** (-j / 64) / (2 * math.pi) for j in range(64)]
    assert ratios == ["1" if t > 1 else "16" for t in turns]
    with pytest.raises(SpecificationError, match="at least low_freq_factor"):
        catalogue("llama3", {"low_freq_factor": 2, "high_freq_factor": 1})


def test_bases_that_are_stated_elsewhere_or_nowhere() -> None:
    given = {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary_dim": 64}
    name, settings = resolve(given)
    assert name == "rope"
    assert settings == {"dim": 256, "base": "10000", "layout": "interleaved", "rotary_dim": 64}
    modern = {"model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12,
              "global_rope_theta": 160000, "local_rope_theta": 10000}  # fmt: skip
    assert resolve(modern, "full_attention")[1]["base"] == "160000"
    assert resolve(modern, "sliding_attention")[1]["base"] == "10000"
    with pytest.raises(SpecificationError, match="layers differ"):
        resolve(modern)


@pytest.mark.parametrize("base", [0, 0.0, "0"])
def test_a_base_of_0_is_not_taken_for_a_missing_one(base: object) -> None:
    name, settings = resolve(decode_json(json.dumps({**LLAMA, "rope_theta": base})))
    with pytest.raises(SpecificationError, match="expected a positive number"):
        catalogue(name, settings)
