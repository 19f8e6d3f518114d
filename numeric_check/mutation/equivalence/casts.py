"""Texts without their casts."""

from __future__ import annotations

import ast

from numeric_check.kernels.constructs import is_library
from numeric_check.mutation.equivalence.difference import is_named


def without_casts(text: str) -> str:
    """The tree of a text, casts left out, and statements that only cast a name."""
    return ast.dump(_Casts().visit(ast.parse(text)))


_PROMOTIONS = frozenset({"result_type", "promote_types"})


class _Casts(ast.NodeTransformer):
    """Leaves out casts, promotions of dtypes, and which dtype has a name: what stays is cast."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        if node.func.attr in ("asarray", "as_tensor", "tensor") and node.args:
            return node.args[0]
        if node.func.attr in _PROMOTIONS:
            return ast.Constant("a dtype")
        if node.func.attr == "astype" and is_library(node.func.value) and node.args:
            return node.args[0]
        if node.func.attr in ("to", "astype") and not is_library(node.func.value):
            return node.func.value
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Name) and is_named(node.value, target.id):
            return ast.Pass()
        if isinstance(node.value, ast.Attribute) and node.value.attr == "dtype":
            node.value = ast.Constant("a dtype")
        return node


__all__ = ["without_casts"]
