"""Edits within the formulas of a 2×2 block with parameters.

`_even_and_odd` works number by number: no shape, no index, no dtype. What it computes is therefore
known when it is executed on one number of each branch, exactly and on balls.
"""

from __future__ import annotations

import ast

from numeric_check.mutation.equivalence.difference import differing_function

BRANCHES = "_even_and_odd"
_BY_NUMBER = frozenset({
    "abs", "cos", "exp", "float64", "full_like", "logical_or", "new_tensor", "ones_like", "sin",
    "sqrt", "where", "zeros_like",
})  # fmt: skip
_BY_SHAPE = (ast.Subscript, ast.MatMult, ast.Starred, ast.keyword, ast.While, ast.Lambda)


def same_but_branches(text: str, other: str) -> bool:
    """Whether the texts differ in `_even_and_odd` alone, which works number by number in both."""
    if differing_function(text, other) != BRANCHES:
        return False
    return _by_number(text) and _by_number(other)


def _by_number(text: str) -> bool:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == BRANCHES:
            inside = list(ast.walk(node))
            return not any(isinstance(n, _BY_SHAPE) for n in inside) and all(
                n.attr in _BY_NUMBER for n in inside if isinstance(n, ast.Attribute)
            )
    return False


__all__ = ["BRANCHES", "same_but_branches"]
