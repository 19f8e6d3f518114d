"""The positional encoding that a model's config.json states, as a catalogue name with settings.

Read are the rotary settings of Hugging Face configurations (`rope_theta`, `rope_scaling`,
`rope_parameters`, partial and decoupled rotary widths, sections of several axes) and ALiBi (Bloom,
MPT, Falcon). What is stated but not known here is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import fmpq

from symbolic_pe.algebra.expression import parse
from symbolic_pe.encodings.decoding import as_table, kind_of
from symbolic_pe.errors import SpecificationError

Resolved = tuple[str, dict[str, object]]

MARKS = ("model_type", "architectures", "rope_scaling", "rope_parameters", "rope_theta")
"""Keys by which a document is taken for a configuration."""
INTERLEAVED = (
    "cohere", "cohere2", "codegen", "deepseek_v2", "deepseek_v3", "glm", "glm4", "gptj", "helium",
    "llama4", "llama4_text",
)  # fmt: skip
"""Types of models whose published code turns neighbouring channels; others turn halves."""
LEARNED_TABLES = ("gpt2", "gpt_bigcode", "gpt_neo", "opt", "bert", "roberta")
"""Types of models that add a learned row for each position."""
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model")
BASES = ("rope_theta", "rotary_emb_base", "rotary_base")
FRACTIONS = ("partial_rotary_factor", "rotary_pct", "rotary_percent")
LENGTHS = ("original_max_position_embeddings",)
FULL, SLIDING = "full_attention", "sliding_attention"
DEFAULT_BASE = 10000
ROTARY_WITHOUT_BASE = ("codegen", "gptj")
"""Types of models that turn with the base 10000 and whose configuration states no base."""


def is_config(document: Mapping[str, Any]) -> bool:
    """True for a document that looks like a model's configuration."""
    return any(key in document for key in MARKS)


def resolve(document: Mapping[str, Any], layers: str = "") -> Resolved:
    """Name and settings of the entry that a configuration states.

    layers  the kind of layers, where kinds differ: `full_attention`, `sliding_attention`

    >>> config = {"model_type": "llama", "head_dim": 128, "rope_theta": 500000}
    >>> resolve(config)
    ('rope', {'dim': 128, 'base': '500000', 'layout': 'half'})

    Raises `SpecificationError` naming the key, what was expected and what came.
    """
    config = _text_part(document)
    alibi = _alibi(config)
    if alibi is not None:
        return alibi
    if "relative_attention_num_buckets" in config:
        return _buckets(config, layers)
    if config.get("model_type") in LEARNED_TABLES:
        return _learned(config)
    rope = _rope_settings(config, layers)
    if "qk_rope_head_dim" in config:
        return _latent(config, rope)
    return _rotary(config, rope)


# -- reading ----------------------------------------------------------------------------------


def _text_part(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The language model of a multimodal configuration, with what stands outside it."""
    inner = document.get("text_config")
    if not isinstance(inner, dict):
        return document
    return {**document, **inner}


def _first(table: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, Any] | None:
    return next(((n, table[n]) for n in names if table.get(n) is not None), None)


def _integer(table: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    found = _first(table, names)
    if found is None:
        return None
    name, value = found
    if type(value) is not int or value < 1:
        raise SpecificationError(f"{name}: expected a positive integer, got {kind_of(value)}")
    return value


def _given(number: fmpq | None, default: int) -> fmpq:
    """The number that is stated, be it 0, or the default."""
    return fmpq(default) if number is None else number


def _number(table: Mapping[str, Any], names: tuple[str, ...]) -> fmpq | None:
    """An exact number: decimals were kept as text."""
    found = _first(table, names)
    if found is None:
        return None
    name, value = found
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise SpecificationError(f"{name}: expected a number, got {kind_of(value)}")
    try:
        number = parse(str(value))
    except SpecificationError:
        raise SpecificationError(f"{name}: expected a number, got {value!r}") from None
    if not number.is_rational():
        raise SpecificationError(f"{name}: expected a rational number, got {value!r}")
    return number.rational_value()


def _required(value: Any, what: str, known: tuple[str, ...]) -> Any:
    if value is None:
        raise SpecificationError(f"config: expected {what}, one of the keys {', '.join(known)}")
    return value


def _head_dim(config: Mapping[str, Any]) -> int:
    stated = _integer(config, ("head_dim", "kv_channels"))
    if stated is not None:
        return stated
    hidden = _required(_integer(config, HIDDEN), "the width of the model", HIDDEN)
    heads = _required(_integer(config, HEADS), "the number of heads", HEADS)
    if hidden % heads:
        raise SpecificationError(
            f"config: hidden size {hidden} is no multiple of {heads} heads, and head_dim is missing"
        )
    return int(hidden // heads)


def _layout(config: Mapping[str, Any]) -> str:
    stated = config.get("rope_interleave")
    if stated is None:
        stated = config.get("model_type") in INTERLEAVED
    return "interleaved" if stated else "half"


# -- ALiBi ------------------------------------------------------------------------------------


def _alibi(config: Mapping[str, Any]) -> Resolved | None:
    attention = config.get("attn_config")
    inner = attention if isinstance(attention, dict) else {}
    stated = (
        config.get("model_type") == "bloom"
        or config.get("alibi") is True
        or inner.get("alibi") is True
        or config.get("position_embedding_type") == "alibi"
    )
    if not stated:
        return None
    steepest = _number(inner, ("alibi_bias_max",))
    if steepest is not None and steepest != 8:
        raise SpecificationError(
            f"alibi_bias_max: expected 8, as published, got {steepest}; give the slopes in TOML"
        )
    heads = _required(_integer(config, HEADS), "the number of heads", HEADS)
    return "alibi", {"dim": _head_dim(config), "heads": heads}


# -- buckets of lags, learned tables -----------------------------------------------------------


def _buckets(config: Mapping[str, Any], layers: str) -> Resolved:
    """T5: the encoder looks both ways, the decoder back."""
    directions = {"encoder": "both", "decoder": "causal"}
    if layers not in directions:
        raise _which(list(directions), layers)
    settings: dict[str, object] = {"direction": directions[layers]}
    for name, key in (
        ("dim", "d_kv"),
        ("buckets", "relative_attention_num_buckets"),
        ("max_distance", "relative_attention_max_distance"),
    ):
        value = _integer(config, (key,))
        if value is not None:
            settings[name] = value
    return "t5", settings


def _learned(config: Mapping[str, Any]) -> Resolved:
    lengths = ("n_positions", "max_position_embeddings", "n_ctx")
    length = _required(_integer(config, lengths), "the number of positions", lengths)
    width = _required(_integer(config, HIDDEN), "the width of the model", HIDDEN)
    return "learned", {"dim": width, "length": length}


# -- rotary -----------------------------------------------------------------------------------


def _rope_settings(config: Mapping[str, Any], layers: str) -> dict[str, Any]:
    """`rope_parameters` or `rope_scaling`, with the base beside it, for one kind of layers."""
    attention = config.get("attn_config")
    inner = attention if isinstance(attention, dict) else {}
    if inner.get("rope") is False:
        raise SpecificationError("attn_config: neither alibi nor rope; nothing to read")
    found = config.get("rope_parameters") or config.get("rope_scaling") or {}
    table = as_table(found, "rope_parameters")
    kinds = [name for name, value in table.items() if isinstance(value, dict)]
    if kinds:
        return {**_common(config, inner), **_chosen(table, kinds, layers)}
    if config.get("rope_local_base_freq") is not None:
        if layers not in (FULL, SLIDING):
            raise _which((FULL, SLIDING), layers)
        if layers == SLIDING:
            return {**_common(config, inner), "rope_theta": config["rope_local_base_freq"]}
    elif config.get("local_rope_theta") is not None:
        if layers not in (FULL, SLIDING):
            raise _which((FULL, SLIDING), layers)
        name = "global_rope_theta" if layers == FULL else "local_rope_theta"
        return {**_common(config, inner), "rope_theta": config.get(name)}
    elif layers:
        raise SpecificationError(
            f"config: all layers have one encoding, so leave out #{layers} after the file"
        )
    return {**_common(config, inner), **table}


def _common(config: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    names = (*BASES, *FRACTIONS, "rotary_dim", *LENGTHS, "max_position_embeddings")
    return {n: t[n] for t in (inner, config) for n in names if t.get(n) is not None}


def _chosen(table: Mapping[str, Any], kinds: list[str], layers: str) -> dict[str, Any]:
    if layers in kinds:
        return dict(table[layers])
    if not layers and all(table[k] == table[kinds[0]] for k in kinds):
        return dict(table[kinds[0]])
    raise _which(kinds, layers)


def _which(kinds: Any, layers: str) -> SpecificationError:
    got = f"got {layers!r}" if layers else "got none"
    return SpecificationError(
        f"config: layers differ in their encoding; name one kind after the file, as in "
        f"config.json#{kinds[0]} (kinds: {', '.join(kinds)}), {got}"
    )


def _rotary(config: Mapping[str, Any], rope: Mapping[str, Any]) -> Resolved:
    found = _first(rope, BASES)
    known = config.get("model_type") in ROTARY_WITHOUT_BASE
    known = known or any(key in config for key in ("rope_scaling", "rope_parameters"))
    if found is None and not known:
        raise SpecificationError(
            f"config: no rotary or ALiBi settings are stated; expected one of {', '.join(BASES)}, "
            "rope_scaling, rope_parameters, alibi"
        )
    dim = _head_dim(config)
    base = _given(_number(rope, BASES), DEFAULT_BASE)
    settings: dict[str, object] = {"dim": dim, "base": str(base), "layout": _layout(config)}
    kind = _kind(rope)
    rotated = _rotated(rope, dim, kind)
    if "mrope_section" in rope:
        return "m-rope", _sections(rope, settings, rotated == dim)
    if rotated != dim:
        settings["rotary_dim"] = rotated
    if kind == "default":
        return "rope", settings
    return _SCALINGS[kind](config, rope, settings)


def _kind(rope: Mapping[str, Any]) -> str:
    kind = rope.get("rope_type", rope.get("type", "default"))
    kind = {"su": "longrope", "mrope": "default"}.get(kind, kind)
    if kind != "default" and kind not in _SCALINGS:
        raise SpecificationError(
            f"rope_type: expected default or one of {', '.join(_SCALINGS)}, got {kind!r}"
        )
    return str(kind)


def _rotated(rope: Mapping[str, Any], dim: int, kind: str) -> int:
    """How many channels turn; for `proportional` the fraction drops planes instead."""
    stated = _integer(rope, ("rotary_dim",))
    fraction = _number(rope, FRACTIONS)
    if stated is not None:
        if fraction is not None and int((fraction * dim).floor()) != stated:
            raise SpecificationError(
                f"config: rotary_dim {stated} and a fraction {fraction} of {dim} contradict"
            )
        return stated
    if fraction is None or kind == "proportional":
        return dim
    return int((fraction * dim).floor())


def _factor(rope: Mapping[str, Any]) -> str:
    return str(_required(_number(rope, ("factor",)), "the factor of rope_type", ("factor",)))


def _original(rope: Mapping[str, Any]) -> int:
    names = (*LENGTHS, "max_position_embeddings")
    return int(_required(_integer(rope, names), "the original length", names))


def _optional(rope: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, object]:
    """Settings that are left at their defaults where the configuration does not state them."""
    given = {setting: _number(rope, (key,)) for key, setting in names.items()}
    return {setting: str(value) for setting, value in given.items() if value is not None}


Scaling = Callable[[Mapping[str, Any], Mapping[str, Any], dict[str, object]], Resolved]


def _linear(_: Mapping[str, Any], rope: Mapping[str, Any], settings: dict[str, object]) -> Resolved:
    return "position-interpolation", {**settings, "factor": _factor(rope)}


def _dynamic(
    config: Mapping[str, Any], rope: Mapping[str, Any], settings: dict[str, object]
) -> Resolved:
    """At the length that the factor is for; every length has a map of its own."""
    factor = _given(_number(rope, ("factor",)), 1)
    original = int(_required(_integer(config, ("max_position_embeddings",)), "the original length",
                             ("max_position_embeddings",)))  # fmt: skip
    length = int((factor * original).floor())
    return "dynamic-ntk", {
        **settings, "factor": str(factor), "original_length": original, "length": length,
    }  # fmt: skip


def _yarn(_: Mapping[str, Any], rope: Mapping[str, Any], settings: dict[str, object]) -> Resolved:
    names = {"beta_fast": "beta_fast", "beta_slow": "beta_slow"}
    return "yarn", {
        **settings,
        "factor": _factor(rope),
        "original_length": _original(rope),
        **_optional(rope, names),
        **({"truncate": "no"} if rope.get("truncate") is False else {}),
        **_attention_factor(rope),
    }


def _attention_factor(rope: Mapping[str, Any]) -> dict[str, object]:
    """A stated factor is final; mscale over mscale_all_dim otherwise; else the default formula."""
    stated = _number(rope, ("attention_factor",))
    if stated is not None:
        return {"attention_factor": str(stated)}
    above, below = _number(rope, ("mscale",)), _number(rope, ("mscale_all_dim",))
    if not above or not below:
        return {}
    if above == below:
        return {"attention_factor": "1"}
    s = _factor(rope)
    return {"attention_factor": f"(({above})*log({s})/10 + 1)/(({below})*log({s})/10 + 1)"}


def _llama3(_: Mapping[str, Any], rope: Mapping[str, Any], settings: dict[str, object]) -> Resolved:
    names = {"low_freq_factor": "low_freq_factor", "high_freq_factor": "high_freq_factor"}
    return "llama3", {
        **settings,
        "factor": _factor(rope),
        "original_length": _original(rope),
        **_optional(rope, names),
    }


def _longrope(
    config: Mapping[str, Any], rope: Mapping[str, Any], settings: dict[str, object]
) -> Resolved:
    """At the largest length, whose factors are the long ones."""
    original = _original(rope)
    longest = _integer(config, ("max_position_embeddings",)) or original
    given = _number(rope, ("factor",))
    factor = fmpq(longest, original) if _integer(config, LENGTHS) or given is None else given
    vectors = {n: _factors(rope, n) for n in ("short_factor", "long_factor")}
    return "longrope", {
        **settings,
        "factor": str(factor),
        "original_length": original,
        "length": longest,
        **vectors,
        **_optional(rope, {"attention_factor": "attention_factor"}),
    }


def _factors(rope: Mapping[str, Any], name: str) -> list[object]:
    value = rope.get(name)
    if not isinstance(value, list) or not value:
        raise SpecificationError(f"{name}: expected a list of numbers, got {kind_of(value)}")
    return [str(_number({name: x}, (name,))) for x in value]


def _proportional(
    _: Mapping[str, Any], rope: Mapping[str, Any], settings: dict[str, object]
) -> Resolved:
    fraction = _number(rope, FRACTIONS)
    return "p-rope", {
        **settings,
        "fraction": str(fmpq(1) if fraction is None else fraction),
        **_optional(rope, {"factor": "factor"}),
    }


_SCALINGS: Mapping[str, Scaling] = {
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "llama3": _llama3,
    "longrope": _longrope,
    "proportional": _proportional,
}


def _sections(
    rope: Mapping[str, Any], settings: dict[str, object], whole: bool
) -> dict[str, object]:
    if not whole:
        raise SpecificationError("config: mrope_section with a partial rotary width")
    sections = rope["mrope_section"]
    if not isinstance(sections, list) or not all(type(x) is int for x in sections):
        raise SpecificationError(
            f"mrope_section: expected a list of integers, got {kind_of(sections)}"
        )
    interleaved = rope.get("mrope_interleaved") is True
    return {
        **settings,
        "sections": sections,
        **({"arrangement": "interleaved"} if interleaved else {}),
    }


def _latent(config: Mapping[str, Any], rope: Mapping[str, Any]) -> Resolved:
    """Latent attention with a decoupled rotary part."""
    rotated = _required(_integer(config, ("qk_rope_head_dim",)), "the rotated width", ())
    content = _integer(config, ("qk_nope_head_dim",))
    settings: dict[str, object] = {
        "content_dim": _required(content, "the content width", ("qk_nope_head_dim",)),
        "rotary_dim": rotated,
        "base": str(_given(_number(rope, BASES), DEFAULT_BASE)),
        "layout": "interleaved" if config.get("rope_interleave", True) else "half",
    }
    kind = _kind(rope)
    if kind == "default":
        return "mla", {**settings, "factor": "1"}
    if kind != "yarn":
        raise SpecificationError(
            f"rope_type: expected default or yarn beside a latent, got {kind!r}"
        )
    above, below = _number(rope, ("mscale",)), _number(rope, ("mscale_all_dim",))
    if not below or above != below:
        raise SpecificationError(
            "config: mscale and mscale_all_dim: expected two equal numbers, because a temperature "
            f"of the rotated part alone is none of the score; got {above} and {below}"
        )
    return "mla", {
        **settings,
        "factor": _factor(rope),
        "original_length": _original(rope),
        **_optional(rope, {"beta_fast": "beta_fast", "beta_slow": "beta_slow"}),
        "mscale": str(below),
    }
