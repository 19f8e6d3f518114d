"""torchscale: the rotation and decay of RetNet, `RetNetRelPos` with `theta_shift`.

Retention multiplies scores by ratio^(t − s) over the root of its row's sum, and divides each row by
the sum of its magnitudes. What belongs to a row alone is left out here; keys after the query are
masked.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import ScoreSubject

DIM, HEADS, LENGTH = 16, 8, 8194
TRAINING = ("fairscale", "fairscale.nn", "timm", "timm.models", "timm.models.layers")


def subject(head: int) -> ScoreSubject:
    """Scores of one head."""
    import torch
    from torchscale.component.multiscale_retention import theta_shift

    settings = SimpleNamespace(
        decoder_embed_dim=DIM * HEADS, decoder_retention_heads=HEADS, recurrent_chunk_size=512
    )
    module = _positions_class()(settings)
    (sin, cos), _ = module(LENGTH, activate_recurrent=False, chunkwise_recurrent=True)

    def score(q: Any, k: Any, t: Any, s: Any) -> Any:
        if int(max(t.max(), s.max())) >= LENGTH:
            raise ValueError(f"positions below {LENGTH} are asked for")

        def moved(x: Any, at: Any) -> Any:
            return theta_shift(x[None, None], sin[at].to(x), cos[at].to(x))[0, 0]

        lag = t[:, None] - s[None]
        decay = torch.exp(module.decay[head].to(q) * lag)
        return torch.where(lag < 0, 0.0, moved(q, t) @ moved(k, s).T * decay)

    return ScoreSubject(
        f"torchscale: RetNet, head {head}", score, library_named("torch"), DIM, causal=True
    )


class _StandIn(ModuleType):
    """A package that the module imports and `RetNetRelPos` does not use: every name is None."""

    def __getattr__(self, name: str) -> None:
        return None


def _positions_class() -> Any:
    """`RetNetRelPos`, also where packages are missing that only training needs."""
    missing = {n: _StandIn(n) for n in TRAINING if find_spec(n.split(".")[0]) is None}
    sys.modules.update(missing)
    try:
        from torchscale.architecture.retnet import RetNetRelPos
    finally:
        for name in missing:
            del sys.modules[name]
    return RetNetRelPos


ENTRIES = tuple(
    Known(
        f"torchscale: RetNet, head {head}",
        "torchscale",
        lambda head=head: subject(head),  # type: ignore[misc]
        f"retnet:dim={DIM},heads={HEADS}",
    )
    for head in (0, 7)
)
