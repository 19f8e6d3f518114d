"""Planes of bfloat16 as words of 32 bits: what a text does with bits, and what it means.

A compiler that has no complex numbers, and loads no neighbours apart, still joins operations on
words. So a text splits a word into two float32 numbers by moving bits, and joins two numbers by
rounding their bits. These three functions are known here, and mean

    _split(x)               the two channels of every plane of x, cast to float32
    _joined(first, second)  both stacked again, cast to bfloat16

which a test decides for all 2³² numbers. Where a text has them as they stand, exact execution takes
the meaning; an edit of them is measured only.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

KNOWN = """
def _split(x):
    words = _dense(x).view(torch.float32).view(torch.int32)
    return (words << 16).view(torch.float32), (words & -0x10000).view(torch.float32)


def _joined(first, second):
    words = _nearest(first) >> 16 & 0xFFFF | _nearest(second) & -0x10000
    return words.view(torch.bfloat16)


def _nearest(value):
    bits = value.view(torch.int32)
    nan = 0x7F800000 - (bits & 0x7FFFFFFF) >> 31
    return bits + 0x7FFF + (bits >> 16 & 1) | nan
"""
"""The functions that are known; docstrings may differ."""
SPLIT, JOINED, NEAREST, TURN_WORDS = "_split", "_joined", "_nearest", "turn_words"
NAMES = frozenset({SPLIT, JOINED, NEAREST})


def knows_words(text: str) -> bool:
    """Whether a text has the three functions as they are known."""
    return _functions(text) == _functions(KNOWN)


def meaning_of_words(names: Mapping[str, Any], library: Any) -> dict[str, Any]:
    """The meaning in the operations of a library; `names` are those of the text."""

    def split(x: Any) -> tuple[Any, Any]:
        pairs = names["_dense"](x).to(library.float32).unflatten(-1, (-1, 2))
        return pairs[..., 0], pairs[..., 1]

    def joined(first: Any, second: Any) -> Any:
        return library.stack((first, second), dim=-1).flatten(-2).to(library.bfloat16)

    return {SPLIT: split, JOINED: joined}


@lru_cache(maxsize=8)
def _functions(text: str) -> tuple[str, ...]:
    return tuple(
        ast.dump(_without_docstring(node))
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name in NAMES
    )


def _without_docstring(node: ast.FunctionDef) -> ast.FunctionDef:
    if ast.get_docstring(node, clean=False):
        node.body = node.body[1:]
    return node


__all__ = [
    "JOINED",
    "KNOWN",
    "NAMES",
    "NEAREST",
    "SPLIT",
    "TURN_WORDS",
    "knows_words",
    "meaning_of_words",
]
