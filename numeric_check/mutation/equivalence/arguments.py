"""What the functions of a module do with their arguments."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping

from numeric_check.mutation.equivalence.difference import is_bound, is_named


def unread_arguments(
    tree: ast.Module, aside: Callable[[ast.AST], ast.AST | None] = lambda _: None
) -> Mapping[str, tuple[int, ...]]:
    """The places of the arguments that a function of the module never names.

    `aside` tells which part of a node does not count.
    """
    found = {}
    for node in functions_of(tree):
        inside = [n for statement in node.body for n in ast.walk(statement)]
        skipped = {id(aside(n)) for n in inside}
        named = {n.id for n in inside if isinstance(n, ast.Name) and id(n) not in skipped}
        places = enumerate(a.arg for a in (*node.args.posonlyargs, *node.args.args))
        found[node.name] = tuple(i for i, name in places if name not in named)
    return found


def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    """Those of the module that their names mean everywhere, as they are written."""
    nodes = list(ast.walk(tree))
    hidden = {n.arg for n in nodes if isinstance(n, ast.arg)}
    hidden |= {n.id for n in nodes if is_bound(n)}  # type: ignore[attr-defined]
    defined = Counter(n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
    return [
        n
        for n in tree.body
        if isinstance(n, ast.FunctionDef)
        and n.name not in hidden
        and defined[n.name] == 1
        and not n.decorator_list
    ]


def compared_with_zero(node: ast.AST) -> ast.AST | None:
    """x, of x > 0 or x < 0."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    against = node.comparators[0]
    zero = isinstance(against, ast.Constant) and against.value == 0
    return node.left if zero and isinstance(node.ops[0], (ast.Gt, ast.Lt)) else None


def asked_where_it_is(node: ast.AST) -> ast.AST | None:
    """x, of `array_namespace(x)`, `device(x)` or `x.device`."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "device" else None
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    asks = any(is_named(node.func, name) for name in ("array_namespace", "device"))
    return node.args[0] if asks else None


def asked_what_it_is(node: ast.AST) -> ast.AST | None:
    """The same, and x of `x.dtype`."""
    dtype = isinstance(node, ast.Attribute) and node.attr == "dtype"
    return node.value if dtype else asked_where_it_is(node)  # type: ignore[attr-defined]


__all__ = [
    "asked_what_it_is",
    "asked_where_it_is",
    "compared_with_zero",
    "functions_of",
    "unread_arguments",
]
