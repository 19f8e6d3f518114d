"""What published models call their query and key projections, and what the rest of a name means.

A name such as `model.layers.0.self_attn.q_proj.weight` is the path of a module, then what is
stored of it. Tables say which modules hold query or key channels; what is stored must be known as
well, because scales and packed integers of a quantised projection have other axes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["q", "k", "q_norm", "k_norm", "qkv"]
KINDS: tuple[Kind, ...] = ("q", "k", "q_norm", "k_norm", "qkv")

MODULES: dict[str, Kind] = {
    **dict.fromkeys(("q_proj", "wq", "query"), "q"),
    **dict.fromkeys(("k_proj", "wk", "key"), "k"),
    **dict.fromkeys(("q_norm", "q_layernorm", "query_norm", "query_layernorm"), "q_norm"),
    **dict.fromkeys(("k_norm", "k_layernorm", "key_norm", "key_layernorm"), "k_norm"),
    **dict.fromkeys(
        ("qkv_proj", "qkv", "query_key_value", "Wqkv", "wqkv", "W_pack", "c_attn"), "qkv"
    ),
    **dict.fromkeys(("in_proj_weight", "in_proj_bias"), "qkv"),
}
"""The last of these names in the path of a tensor says what it is."""

LATENT = ("q_b_proj", "kv_a_proj_with_mqa")
"""Projections whose heads hold channels of another kind before the ones that turn."""

OUTPUTS = ("o_proj", "wo", "out_proj")
"""Projections of what the heads return, one column for each channel of the queries."""

_WEIGHTS = {(), ("weight",), ("base_layer", "weight")}
_ADAPTERS = re.compile(r"(?:\w+\.)*lora_(?P<side>[AB])(?:\.\w+)*")
_BIASES = {("bias",), ("base_layer", "bias")}
_GAINS = {("scale",), ("gamma",), ("beta",)}


@dataclass(frozen=True)
class Recognised:
    """What a name says: the kind, the path before the module, and what is stored of it.

    part   `weight` (what a side of every layer has once), `other`, or a reason why it is unclear
    """

    kind: Kind | None
    prefix: str
    part: str
    unclear: str = ""


def recognise(name: str) -> Recognised | None:
    """What the name of a tensor says, or None where it is about something else.

    >>> recognise("layers.0.self_attn.q_proj.weight")
    Recognised(kind='q', prefix='layers.0.self_attn', part='weight', unclear='')
    >>> recognise("layers.0.self_attn.v_proj.weight") is None
    True
    >>> recognise("layers.0.self_attn.q_proj.qweight").unclear
    "'qweight' of q_proj is not known to have channels as rows"
    """
    parts = re.split(r"[./]", name)
    known = [i for i, part in enumerate(parts) if part in MODULES or part in LATENT]
    if not known:
        return None
    module, prefix = parts[known[-1]], ".".join(parts[: known[-1]])
    if module in LATENT:
        return Recognised(
            None, prefix, "other", f"in {module} other channels come before those that turn"
        )
    rest, kind = tuple(parts[known[-1] + 1 :]), MODULES[module]
    adapter = _ADAPTERS.fullmatch(".".join(rest))
    if adapter is not None:
        # y = B(Ax): the rows of B are the channels, those of A are not.
        return None if adapter["side"] == "A" else Recognised(kind, prefix, "other")
    if kind.endswith("norm") and rest[:1] == ("norms",) and len(rest) == 3:
        rest = rest[2:]  # one norm for each head
    if rest in _WEIGHTS:
        return Recognised(kind, prefix, "weight")
    if rest in _BIASES or (kind.endswith("norm") and rest in _GAINS):
        return Recognised(kind, prefix, "other")
    return Recognised(
        kind,
        prefix,
        "other",
        f"'{'.'.join(rest)}' of {module} is not known to have channels as rows",
    )


def output_of(name: str) -> str | None:
    """The path before an output projection, for its weight only.

    >>> output_of("layers.0.self_attn.o_proj.weight")
    'layers.0.self_attn'
    """
    parts = re.split(r"[./]", name)
    if len(parts) < 2 or parts[-1] != "weight" or parts[-2] not in OUTPUTS:
        return None
    return ".".join(parts[:-2])
