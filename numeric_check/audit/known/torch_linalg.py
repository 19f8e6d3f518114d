"""PyTorch: a plane turned by `linalg.matrix_exp`, 0.5 radians for each position."""

from __future__ import annotations

from typing import Any

from numeric_check.audit.known.registry import Known
from numeric_check.audit.libraries import library_named
from numeric_check.audit.subject import MapSubject

ANGLE = 0.5


def subject() -> MapSubject:
    """exp of one matrix where one position is asked for."""
    import torch

    def f(x: Any, positions: Any) -> Any:
        turn = torch.tensor([[0.0, -ANGLE], [ANGLE, 0.0]], dtype=x.dtype)
        exponentials = torch.linalg.matrix_exp(positions.to(x.dtype)[:, None, None] * turn)
        return torch.einsum("nij,...nj->...ni", exponentials, x)

    return MapSubject("torch: matrix_exp of one plane", f, f, library_named("torch"), 2, "heads")


ENTRIES = (Known("torch: matrix_exp of one plane", "torch", subject),)
