"""Evidence of a decision: the values that were computed, as one canonical text each.

A page shows the value itself (a matrix as a matrix); records and digests hold its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A value that says itself how a page writes it.

    plain  text for records and terminals
    tex    LaTeX for pages, without dollar signs
    """

    plain: str
    tex: str

    def __str__(self) -> str:
        return self.plain


def is_matrix(value: object) -> bool:
    """Whether a value is rows of equal length, at least one, none of them a text."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(row, (list, tuple)) and row for row in value)
        and len({len(row) for row in value}) == 1
    )


def plain(value: object) -> str:
    """The text of a value; rows and lists in brackets, whatever type holds them.

    >>> plain(((1, 2), (3, 4)))
    '[[1, 2], [3, 4]]'
    >>> plain({"a": (1,)})
    '{a: [1]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(plain(item) for item in value) + "]"
    return str(value)
