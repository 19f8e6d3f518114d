"""Symbolic vectors, values and positions of every shape, each with a name of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from numeric_check.text_proof.free_flow import COMPONENTS, Form, Free, Lag

Objects = Any
"""An object array."""
Axes = tuple[int, ...]
QUERY, KEY, STATE, VALUE = "q", "k", "S", "v"
TIME, START, LAG = "t", "c", "lag"
"""Positions of rows, where a state was summed, and the time of one step."""
WIDTH = 2
"""Channels of a value: two show a state that is transposed."""


@dataclass(frozen=True)
class Named:
    """Elements and their names: of one shape, but for the components of vectors."""

    names: Objects
    elements: Objects


@dataclass(frozen=True)
class Symbols:
    """With an axis for the heads, where there are several."""

    heads: int
    in_basis: bool

    @property
    def axes(self) -> Axes:
        """The axis of the heads, or none."""
        return () if self.heads == 1 else (self.heads,)

    def vectors(self, kind: str, lead: Axes, rows: Axes) -> Named:
        """Vectors (lead, [HEADS,] rows, components); states are in the basis already."""
        shape = (*lead, *self.axes, *rows)
        make = Free.query if kind == QUERY else Free.key
        plain = self.in_basis and kind != STATE
        names, elements = _empty(shape), _empty((*shape, COMPONENTS))
        for place in np.ndindex(*shape):
            name = (kind, *place)
            names[place] = name
            head = place[len(lead)] if self.heads > 1 else 0
            for c in range(COMPONENTS):
                elements[(*place, c)] = make(head, name, c, plain=plain)
        return Named(names, elements)

    def values(self, lead: Axes, rows: Axes) -> Named:
        """Values (lead, [HEADS,] rows, channels)."""
        shape = (*lead, *self.axes, *rows, WIDTH)
        names, elements = _empty(shape), _empty(shape)
        for place in np.ndindex(*shape):
            name = (VALUE, *place)
            names[place], elements[place] = name, Free.value(name)
        return Named(names, elements)

    def positions(self, kind: str, lead: Axes, rows: Axes) -> Named:
        """Positions (lead, [1,] rows): those of a row serve every head."""
        shape = (*lead, *((1,) if self.axes and lead else ()), *rows)
        names, elements = _empty(shape), _empty(shape)
        for place in np.ndindex(*shape):
            name = "_".join((kind, *map(str, place)))
            names[place], elements[place] = name, Lag.position(name)
        return Named(names, elements)


def never_negative(form: Form) -> bool:
    """Whether Σ cᵢtᵢ ≥ 0 for a start c ≤ t_0 ≤ t_1 ≤ … and a lag ≥ 0, positions of one row.

    A start without axes is one for all rows; positions of two rows have no order.
    By parts: Σ cᵢtᵢ = Σ (cᵢ + cᵢ₊₁ + …)(tᵢ − tᵢ₋₁), so every such sum is ≥ 0 and the whole is 0.
    """
    if any(c < 0 for name, c in form if _kind(name) == LAG):
        return False
    places = [(_kind(name), *_axes(name)) for name, _ in form if _kind(name) != LAG]
    rows = {place[1:-1] for place in places if place[0] == TIME}
    starts = {place[1:] for place in places if place[0] == START}
    if len(rows) > 1 or len(starts) > 1 or not starts <= rows | {()}:
        return False
    ordered = sorted((_order(name), c) for name, c in form if _kind(name) != LAG)
    rest = list(accumulate(c for _, c in reversed(ordered)))
    return not rest or (min(rest) >= 0 and rest[-1] == 0)


def _kind(name: str) -> str:
    return name.partition("_")[0]


def _axes(name: str) -> Axes:
    return tuple(map(int, name.split("_")[1:]))


def _order(name: str) -> int:
    """The start, then the positions of a row."""
    return -1 if _kind(name) == START else _axes(name)[-1]


def _empty(shape: Axes) -> Objects:
    return np.empty(shape, dtype=object)


__all__ = [
    "KEY", "LAG", "QUERY", "START", "STATE", "TIME", "WIDTH", "Axes", "Named", "Symbols",
    "never_negative",
]  # fmt: skip
