"""Sizes of heads that the config.json of a model folder states."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from symbolic_pe.encodings.model_config import FRACTIONS, HEADS, HIDDEN
from symbolic_pe.errors import SpecificationError

CONFIG = "config.json"
MAX_CONFIG_BYTES = 4_000_000
MAX_SIZE = 1 << 20


@dataclass(frozen=True)
class Sizes:
    """Channels of a head, how many of them turn, and how many heads; None where not stated."""

    head_dim: int | None = None
    rotary_dim: int | None = None
    heads: int | None = None
    kv_heads: int | None = None

    def agreed(self, stated: Sizes, place: str) -> Sizes:
        """What the user states, completed by this; they must not contradict each other.

        >>> Sizes(heads=8, head_dim=64).agreed(Sizes(head_dim=64), "config.json")
        Sizes(head_dim=64, rotary_dim=None, heads=8, kv_heads=None)

        Raises `SpecificationError`.
        """
        merged: dict[str, int | None] = {}
        for name in ("head_dim", "rotary_dim", "heads", "kv_heads"):
            known, said = getattr(self, name), getattr(stated, name)
            if known is not None and said is not None and known != said:
                option = "--" + name.replace("_", "-")
                raise SpecificationError(
                    f"{option} {said}: {place} states {known}; convert the files one by one if "
                    "they are of another model"
                )
            merged[name] = known if said is None else said
        return Sizes(**merged)


def read_sizes(folder: Path) -> Sizes:
    """What the config.json of a folder states; nothing where there is none.

    The channels that turn are partial_rotary_factor (or rotary_pct) times the head dimension, or
    rotary_dim. With rope_type "proportional" all planes are there, some with frequency 0. Raises
    `SpecificationError` for a damaged file, and where layers turn different numbers of channels.
    """
    path = folder / CONFIG
    if not path.is_file():
        return Sizes()
    try:
        if path.stat().st_size > MAX_CONFIG_BYTES:
            raise SpecificationError(f"{path}: expected at most {MAX_CONFIG_BYTES} bytes")
        document = json.loads(path.read_text(encoding="utf-8"), parse_float=Fraction)
    except (OSError, ValueError, RecursionError) as error:
        raise SpecificationError(f"{path}: cannot be read: {error}") from None
    if not isinstance(document, dict):
        raise SpecificationError(f"{path}: expected an object")
    if document.get("qk_rope_head_dim") is not None:
        return Sizes()  # latent attention: its projections have heads of several sizes
    heads = _size(document, path, *HEADS)
    head_dim = _size(document, path, "head_dim")
    hidden = _size(document, path, *HIDDEN)
    if head_dim is None and heads and hidden and hidden % heads == 0:
        head_dim = hidden // heads
    kv_heads = _size(document, path, "num_key_value_heads")
    return Sizes(head_dim, _rotary(document, path, head_dim), heads, kv_heads)


def _size(document: Mapping[str, Any], path: Path, *names: str) -> int | None:
    for name in names:
        value = document.get(name)
        if value is None:
            continue
        if type(value) is not int or not 1 <= value <= MAX_SIZE:
            raise SpecificationError(f"{path}: {name}: expected a positive integer, got {value}")
        return value
    return None


def _rotary(document: Mapping[str, Any], path: Path, head_dim: int | None) -> int | None:
    stated = _size(document, path, "rotary_dim")
    settings = _rope_settings(document)
    if any("proportional" in (s.get("rope_type"), s.get("type")) for s in settings):
        return None
    factors = {
        s[name] for s in settings for name in FRACTIONS if isinstance(s.get(name), int | Fraction)
    }
    if stated is not None or not factors or head_dim is None:
        return stated
    turning = {int(factor * head_dim) for factor in factors}
    if len(turning) > 1:
        raise SpecificationError(
            f"{path}: layers turn {' and '.join(map(str, sorted(turning)))} channels; convert them "
            "in several runs with --tensor and --rotary-dim, file by file"
        )
    return turning.pop()


def _rope_settings(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The document, its rope settings, and those for each kind of layer."""
    outer = [document.get(name) for name in ("rope_parameters", "rope_scaling")]
    found = [document, *(s for s in outer if isinstance(s, dict))]
    inner = [s for settings in found[1:] for s in settings.values() if isinstance(s, dict)]
    return [*found, *inner]
