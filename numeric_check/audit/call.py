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
    also                  other places that get x as well (the key beside the query)
    fixed                 other keyword arguments
    returns               index into a returned tuple, or None
    axis                  the axis of positions in x
    """

    x: Place = 0
    positions: Place | None = 1
    offset: Place | None = None
    also: tuple[Place, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    returns: int | None = None
    axis: int = -2

    def bound(self, call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
        """f(x, positions)."""
        if self.offset is not None:
            return _by_runs(self, call)
        return lambda x, positions: self.answer(call, {self.x: x, self.positions: positions})

    def answer(self, call: Callable[..., Any], given: Mapping[Place | None, Any]) -> Any:
        """Call with arguments at their places."""
        given = {**given, **dict.fromkeys(self.also, given[self.x])}
        places = sorted(k for k in given if isinstance(k, int))
        if places != list(range(len(places))):
            raise AuditError(f"expected arguments at places 0, 1, …, got {places}")
        keywords = {k: v for k, v in given.items() if isinstance(k, str)}
        value = call(*(given[k] for k in places), **keywords, **self.fixed)
        return value if self.returns is None else value[self.returns]


def _by_runs(signature: Signature, call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    def f(x: Any, positions: Any) -> Any:
        after = (slice(None),) * (-1 - signature.axis)
        where = np.asarray(positions).astype(np.int64)
        parts = []
        for start, end in runs(where.tolist()):
            piece = x[(..., slice(start, end), *after)]
            given: dict[Place | None, Any] = {
                signature.x: piece,
                signature.offset: int(where[start]),
            }
            parts.append(signature.answer(call, given))
        return concatenated(parts, signature.axis)

    return f


def runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Slices of neighbouring positions.

    >>> runs([0, 1, 2, 7, 8, 3])
    [(0, 3), (3, 5), (5, 6)]
    """
    breaks = [i for i in range(1, len(positions)) if positions[i] != positions[i - 1] + 1]
    edges = [0, *breaks, len(positions)]
    return list(pairwise(edges))


def concatenated(parts: Sequence[Any], axis: int) -> Any:
    """Along the axis of positions, in the library of the parts."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if hasattr(first, "detach"):
        import torch

        return torch.cat(list(parts), dim=axis)
    if isinstance(first, np.ndarray):
        return np.concatenate(list(parts), axis=axis)
    import jax.numpy as jnp

    return jnp.concatenate(list(parts), axis=axis)


@dataclass(frozen=True)
class BiasSignature:
    """How positions enter a bias: as they are, or as lengths of a whole matrix.

    query, key  places of the positions; or, with `lengths`, of the number of rows and columns (one
                place for both when they are equal)
    heads       the place of the number of heads, and that number
    """

    query: Place = 0
    key: Place | None = 1
    lengths: bool = False
    heads: tuple[Place, int] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    returns: int | None = None

    def bound(self, call: Callable[..., Any]) -> Callable[[Any, Any], Any]:
        """f(query_positions, key_positions)."""
        signature = Signature(self.query, fixed=self.fixed, returns=self.returns)

        def f(t: Any, s: Any) -> Any:
            size = int(max(t.max(), s.max())) + 1
            if self.lengths and size > LONGEST:
                raise AuditError(f"matrices of up to {LONGEST} positions are asked for")
            rows, columns = (LONGEST, LONGEST) if self.lengths else (t, s)
            given: dict[Place | None, Any] = {self.query: rows}
            if self.key is not None:
                given[self.key] = columns
            if self.heads is not None:
                given[self.heads[0]] = self.heads[1]
            value = signature.answer(call, given)
            return _entries(value, t, s) if self.lengths else value

        return f


LONGEST = 1025
"""Rows and columns of a whole matrix."""


def _entries(value: Any, t: Any, s: Any) -> Any:
    """Rows t and columns s; a single row serves every query, and heads may be in front."""
    value = value[..., s]
    if value.shape[-2] == 1:
        return value + 0 * t[:, None]
    return value[..., t, :]
