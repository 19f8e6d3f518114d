"""torchscale: the rotation and decay of RetNet, `RetNetRelPos` with `theta_shift`.

Retention multiplies scores by ratio^(t − s) over the root of its row's sum, and divides each row by
the sum of its magnitudes. What belongs to a row alone is left out here; keys after the query are
masked.
"""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import ScoreSubject
from symbolic_pe.errors import AuditError

DIM, HEADS, LENGTH = 16, 8, 8194


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


def _positions_class() -> Any:
    """`RetNetRelPos` alone: its module imports packages that the class has no use for."""
    import torch

    found = importlib.util.find_spec("torchscale")
    if found is None or not found.submodule_search_locations:
        raise AuditError("torchscale: not found")
    path = Path(found.submodule_search_locations[0]) / "architecture" / "retnet.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    body = [node for node in tree.body if getattr(node, "name", "") == "RetNetRelPos"]
    scope: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(compile(ast.Module(body, []), str(path), "exec"), scope)
    if "RetNetRelPos" not in scope:
        raise AuditError(f"torchscale: {path} has no class RetNetRelPos")
    return scope["RetNetRelPos"]


ENTRIES = tuple(
    Known(
        f"torchscale: RetNet, head {head}",
        "torchscale",
        lambda head=head: subject(head),  # type: ignore[misc]
        f"retnet:dim={DIM},heads={HEADS}",
    )
    for head in (0, 7)
)
