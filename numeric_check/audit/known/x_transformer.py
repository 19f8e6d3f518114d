"""x-transformers: `RotaryEmbedding` with `apply_rotary_pos_emb`, and its ALiBi."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numeric_check.audit.discovery import describe_bias
from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import BiasSubject, MapSubject

PACKAGE = "x-transformers"
DIM = 64


def subject(name: str, cast: str = "") -> MapSubject:
    """The rotary module, and after .to(dtype)."""

    def made(**settings: Any) -> Callable[[Any, Any], Any]:
        import torch
        from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

        module = RotaryEmbedding(DIM, **settings)
        if cast:
            module = module.to(getattr(torch, cast))

        def f(x: Any, positions: Any) -> Any:
            freqs, scale = module(positions)
            return apply_rotary_pos_emb(x, freqs, scale)

        return f

    def built() -> MapSubject:
        f = made()
        rival = made(base=500000)
        return MapSubject(name, f, f, library_named("torch"), DIM, "heads", rival=rival)

    return replace(built(), fresh=built)


def alibi(heads: int) -> BiasSubject:
    """`AlibiPositionalBias.forward_custom_pos`."""
    from x_transformers.x_transformers import AlibiPositionalBias

    module = AlibiPositionalBias(heads)
    return describe_bias(
        f"x-transformers: ALiBi, {heads} heads", module.forward_custom_pos, "torch"
    )


ROPE = f"rope:dim={DIM},layout=interleaved"
ENTRIES = (
    Known("x-transformers: rotary", PACKAGE, lambda: subject("x-transformers: rotary"), ROPE),
    Known(
        "x-transformers: rotary after .to(bfloat16)",
        PACKAGE,
        lambda: subject("x-transformers: rotary after .to(bfloat16)", "bfloat16"),
        ROPE,
    ),
    Known("x-transformers: ALiBi, 8 heads", PACKAGE, lambda: alibi(8), "alibi:heads=8"),
    Known("x-transformers: ALiBi, 6 heads", PACKAGE, lambda: alibi(6), "alibi:heads=6"),
)
