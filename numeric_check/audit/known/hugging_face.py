"""Rotary modules and ALiBi of Hugging Face transformers, made from configurations alone."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from typing import Any

from numeric_check.audit.discovery import describe_bias
from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import BiasSubject, MapSubject

PACKAGE = "transformers"
DIM, HEADS = 64, 2
REACH = 1 << 17
BIAS_REACH = 4096
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip
DYNAMIC = {"rope_type": "dynamic", "factor": 2.0}


def _module(model: str, name: str = "modeling") -> Any:
    return importlib.import_module(f"transformers.models.{model}.{name}_{model}")


def _config(model: str, name: str, settings: Mapping[str, Any]) -> Any:
    common = {
        "hidden_size": DIM * HEADS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": 2,
        "max_position_embeddings": 2048,
    }
    return getattr(_module(model, "configuration"), name)(**{**common, **settings})


def rotary_subject(
    name: str, model: str, prefix: str, config: Mapping[str, Any], *, cast: str = ""
) -> MapSubject:
    """`<prefix>RotaryEmbedding` with `apply_rotary_pos_emb`; `cast` calls module.to(dtype)."""
    module = _module(model)
    turn = getattr(module, config.get("turn", "apply_rotary_pos_emb"))

    def make() -> Callable[[Any, Any], Any]:
        rotary = getattr(module, f"{prefix}RotaryEmbedding")(
            _config(model, config.get("class", f"{prefix}Config"), config["settings"])
        )
        if cast:
            import torch

            rotary = rotary.to(getattr(torch, cast))
        extra = config.get("extra", {})

        def f(x: Any, positions: Any) -> Any:
            places = positions[None] if positions.ndim == 1 else positions
            cos, sin = rotary(x, places, **extra)
            return turn(x, x, cos, sin)[0]

        return f

    def built() -> MapSubject:
        f = make()
        return MapSubject(name, f, f, library_named("torch"), DIM, "heads")

    from dataclasses import replace

    return replace(built(), fresh=built)


def _llama(name: str, parameters: Mapping[str, Any], **more: Any) -> Known:
    base = parameters.get("rope_theta", 10000.0)
    settings: dict[str, Any] = {
        "rope_parameters": {"rope_type": "default", "rope_theta": base, **parameters}
    }
    cast = more.pop("cast", "")
    if "length" in more:
        settings["max_position_embeddings"] = more.pop("length")

    def make() -> MapSubject:
        return rotary_subject(name, "llama", "Llama", {"settings": settings}, cast=cast)

    return Known(name, PACKAGE, make, **more)


def _rotary(name: str, model: str, prefix: str, config: Mapping[str, Any], against: str) -> Known:
    return Known(name, PACKAGE, lambda: rotary_subject(name, model, prefix, config), against)


def _gptj() -> MapSubject:
    """Interleaved, partial, from a table of sines and cosines."""
    module, rotary = _module("gptj"), 32
    table = module.create_sinusoidal_positions(REACH + 1024, rotary)

    def f(x: Any, positions: Any) -> Any:
        import torch

        sin, cos = torch.split(table[positions][None], rotary // 2, dim=-1)
        turned = module.apply_rotary_pos_emb(x[..., :rotary], sin, cos)
        return torch.cat([turned, x[..., rotary:]], dim=-1).to(x.dtype)

    return MapSubject("transformers: GPT-J", f, f, library_named("torch"), DIM, "positions-heads")


def _qwen_vl() -> MapSubject:
    """Three coordinates: time, height, width."""
    module = _module("qwen2_vl")
    settings = {
        "hidden_size": DIM * HEADS, "num_attention_heads": HEADS, "num_hidden_layers": 2,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 1000000.0, "mrope_section": [8, 12, 12],
        },
    }  # fmt: skip
    config = _module("qwen2_vl", "configuration").Qwen2VLTextConfig(**settings)
    rotary = module.Qwen2VLRotaryEmbedding(config)

    def f(x: Any, positions: Any) -> Any:
        cos, sin = rotary(x, positions.T[:, None])
        return module.apply_rotary_pos_emb(x, x, cos, sin)[0]

    return MapSubject("transformers: Qwen2-VL", f, f, library_named("torch"), DIM, "heads", axes=3)


def _bloom(heads: int, dtype: str) -> BiasSubject:
    module = _module("bloom")

    def bias(t: Any, s: Any) -> Any:
        import torch

        length = _length(t, s)
        mask = torch.ones((1, length), dtype=torch.int64)
        return module.build_alibi_tensor(mask, heads, getattr(torch, dtype))[:, :, s].expand(
            -1, len(t), -1
        )

    name = f"transformers: Bloom ALiBi, {heads} heads" + (
        f", {dtype}" if dtype != "float32" else ""
    )
    return describe_bias(name, bias, "torch", causal=True)


def _mpt(heads: int) -> BiasSubject:
    module = _module("mpt")

    def bias(t: Any, s: Any) -> Any:
        return module.build_mpt_alibi_tensor(heads, _length(t, s))[:, :, s].expand(-1, len(t), -1)

    return describe_bias(f"transformers: MPT ALiBi, {heads} heads", bias, "torch", causal=True)


def _length(t: Any, s: Any) -> int:
    length = int(max(t.max(), s.max())) + 1
    if length > BIAS_REACH + 1:
        raise ValueError(f"lengths up to {BIAS_REACH + 1} are asked for")
    return BIAS_REACH + 1


GEMMA3 = {
    "class": "Gemma3TextConfig",
    "settings": {
        "head_dim": DIM,
        "layer_types": ["full_attention", "sliding_attention"],
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 1000000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        },
    },
}
DEEPSEEK = {
    "turn": "apply_rotary_pos_emb_interleave",
    "settings": {
        "qk_rope_head_dim": DIM,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    },
}
NEOX = {
    "settings": {
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25,
        }
    }
}  # fmt: skip
LLAMA = f"rope:dim={DIM},layout=half"
ENTRIES = (
    _llama("transformers: Llama", {}, against=LLAMA),
    _llama(
        "transformers: Llama, base 500000", {"rope_theta": 500000.0},
        against=f"rope:dim={DIM},base=500000,layout=half",
    ),
    _llama("transformers: Llama, Llama-3 bands", {"rope_theta": 500000.0, **LLAMA3}, length=131072),
    _llama("transformers: Llama, YaRN factor 4", YARN, gain=(0.1 * math.log(4.0) + 1.0) ** 2),
    _llama("transformers: Llama, dynamic NTK", DYNAMIC),
    _llama("transformers: Llama after .to(bfloat16)", {}, against=LLAMA, cast="bfloat16"),
    _rotary(
        "transformers: GPT-NeoX, a quarter turns", "gpt_neox", "GPTNeoX", NEOX,
        f"rope:dim={DIM},rotary_dim=16,layout=half",
    ),
    Known(
        "transformers: GPT-J", PACKAGE, _gptj, f"rope:dim={DIM},rotary_dim=32,layout=interleaved"
    ),
    _rotary(
        "transformers: Gemma 3, full attention", "gemma3", "Gemma3",
        {**GEMMA3, "extra": {"layer_type": "full_attention"}},
        f"rope:dim={DIM},base=1000000,layout=half",
    ),
    _rotary(
        "transformers: DeepSeek-V3", "deepseek_v3", "DeepseekV3", DEEPSEEK,
        f"rope:dim={DIM},layout=interleaved",
    ),
    Known(
        "transformers: Qwen2-VL", PACKAGE, _qwen_vl,
        f"m-rope:dim={DIM},base=1000000,sections=8 12 12,layout=half", cost=4,
    ),
    Known(
        "transformers: Bloom ALiBi, 8 heads", PACKAGE, lambda: _bloom(8, "float32"),
        "alibi:heads=8",
    ),
    Known(
        "transformers: Bloom ALiBi, 6 heads", PACKAGE, lambda: _bloom(6, "float32"),
        "alibi:heads=6",
    ),
    Known(
        "transformers: Bloom ALiBi, 8 heads, bfloat16", PACKAGE, lambda: _bloom(8, "bfloat16"),
        "alibi:heads=8",
    ),
    Known("transformers: MPT ALiBi, 8 heads", PACKAGE, lambda: _mpt(8), "alibi:heads=8"),
    Known("transformers: MPT ALiBi, 6 heads", PACKAGE, lambda: _mpt(6), "alibi:heads=6"),
)  # fmt: skip
