"""What names a place in a text can use: what mutants that mix up names need to know."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    """The surroundings of one node.

    parent     the node above
    arguments  names of the arguments of the function around it
    locals     names bound in that function, arguments included, in the order of the text
    constants  names that the module binds to numbers and arrays
    functions  names of the functions of the module, with the number of their arguments
    raised     whether the node belongs to what is raised
    """

    parent: ast.AST
    locals: tuple[str, ...]
    constants: tuple[str, ...]
    functions: Mapping[str, int]
    raised: bool = False


def scopes(tree: ast.Module) -> Iterator[tuple[ast.AST, Scope]]:
    """Every node with its surroundings, except docstrings and the inside of formatted strings."""
    constants = tuple(
        dict.fromkeys(n for node in tree.body if isinstance(node, ast.Assign) for n in bound(node))
    )
    functions = {
        node.name: len(node.args.args) for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    yield from _below(tree, Scope(tree, (), constants, functions))


def _below(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    inner = scope.locals
    if isinstance(node, ast.FunctionDef):
        arguments = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
        inner = tuple(dict.fromkeys([*inner, *arguments, *bound(node)]))
    raised = scope.raised or isinstance(node, ast.Raise)
    around = Scope(node, inner, scope.constants, scope.functions, raised)
    for child in ast.iter_child_nodes(node):
        if is_docstring(child):
            continue
        yield child, around
        if not isinstance(child, ast.JoinedStr):
            yield from _below(child, around)


def bound(node: ast.AST) -> list[str]:
    """Names that are assigned to below a node, in the order of the text."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: (n.lineno, n.col_offset))))


def is_docstring(node: ast.AST) -> bool:
    """A statement that is nothing but a string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
