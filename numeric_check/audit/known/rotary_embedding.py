"""rotary-embedding-torch: `rotate_queries_or_keys(x, offset=…)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numeric_check.audit.call import Signature
from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import MapSubject

PACKAGE = "rotary-embedding-torch"
DIM = 64


def subject(name: str, **settings: Any) -> MapSubject:
    """One module; positions become runs of neighbours with an offset."""

    def made(**other: Any) -> Callable[[Any, Any], Any]:
        from rotary_embedding_torch import RotaryEmbedding

        module = RotaryEmbedding(DIM, **{**settings, **other})
        return Signature(offset="offset").bound(module.rotate_queries_or_keys)

    def built() -> MapSubject:
        f = made()
        return MapSubject(
            name, f, f, library_named("torch"), DIM, "heads", rival=made(theta=500000)
        )

    return replace(built(), fresh=built)


ENTRIES = (
    Known(
        "rotary-embedding-torch",
        PACKAGE,
        lambda: subject("rotary-embedding-torch"),
        f"rope:dim={DIM},layout=interleaved",
    ),
    Known(
        "rotary-embedding-torch, no cache",
        PACKAGE,
        lambda: subject("rotary-embedding-torch, no cache", cache_if_possible=False),
        f"rope:dim={DIM},layout=interleaved",
    ),
)
