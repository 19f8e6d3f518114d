"""From a callable with its own signature to f(x, positions): which argument is what, which shape.

An offset in place of positions means: x is at offset, offset + 1, …; the positions asked for are
then cut into runs of neighbours, one call each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from symbolic_pe.errors import AuditError

Place = int | str


@dataclass(frozen=True)
class Signature:
    """How x and positions (or an offset) enter a call, and what of the answer is taken.

    x, positions, offset  a place (0, 1, …) or a keyword; at most one of positions and offset
    fixed                 other keyword arguments
    returns               index into a returned tuple, or None
    """

    x: Place = 0
    positions: Place | None = 1
    offset: Place | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    returns: int | None = None

    def bound(self, call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
        """f(x, positions)."""
        if self.offset is not None:
            return _by_runs(self, call)
        return lambda x, positions: self.answer(call, {self.x: x, self.positions: positions})

    def answer(self, call: Callable[..., Any], given: Mapping[Place | None, Any]) -> Any:
        """Call with arguments at their places."""
        places = sorted(k for k in given if isinstance(k, int))
        if places != list(range(len(places))):
            raise AuditError(f"expected arguments at places 0, 1, …, got {places}")
        keywords = {k: v for k, v in given.items() if isinstance(k, str)}
        value = call(*(given[k] for k in places), **keywords, **self.fixed)
        return value if self.returns is None else value[self.returns]


def _by_runs(signature: Signature, call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    def f(x: Any, positions: Any) -> Any:
        where = np.asarray(positions).astype(np.int64)
        parts = []
        for start, end in runs(where.tolist()):
            piece = x[..., start:end, :]
            given: dict[Place | None, Any] = {
                signature.x: piece,
                signature.offset: int(where[start]),
            }
            parts.append(signature.answer(call, given))
        return concatenated(parts)

    return f


def runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Slices of neighbouring positions.

    >>> runs([0, 1, 2, 7, 8, 3])
    [(0, 3), (3, 5), (5, 6)]
    """
    breaks = [i for i in range(1, len(positions)) if positions[i] != positions[i - 1] + 1]
    edges = [0, *breaks, len(positions)]
    return list(pairwise(edges))


def concatenated(parts: Sequence[Any]) -> Any:
    """Along the axis of positions, in the library of the parts."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if hasattr(first, "detach"):
        import torch

        return torch.cat(list(parts), dim=-2)
    if isinstance(first, np.ndarray):
        return np.concatenate(list(parts), axis=-2)
    import jax.numpy as jnp

    return jnp.concatenate(list(parts), axis=-2)
