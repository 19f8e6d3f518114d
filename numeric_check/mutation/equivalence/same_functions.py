"""Texts that are equal when functions that do the same count as one."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from numeric_check.mutation.equivalence.arguments import (
    asked_what_it_is,
    compared_with_zero,
    functions_of,
    unread_arguments,
)
from numeric_check.mutation.equivalence.difference import names_in, number_of


def same_functions(text: str, other: str) -> bool:
    """Whether the texts are equal when functions count as one that are equal or hand on their
    arguments, and names that a function is given and does not read count as one, as do x and −x
    where it asks for no more than its library, device and dtype.

    A function that is defined twice, decorated, or whose name means something else somewhere is
    only equal to itself.
    """
    return _in_one_name(ast.parse(text)) == _in_one_name(ast.parse(other))


def _in_one_name(tree: ast.Module) -> str:
    names, unread = _representatives(tree), unread_arguments(tree)
    signs, arrays = (
        unread_arguments(tree, compared_with_zero),
        unread_arguments(tree, asked_what_it_is),
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if any(isinstance(x, ast.Starred) for x in node.args):
                continue
            for place in unread.get(node.func.id, ()):
                if place < len(node.args) and isinstance(node.args[place], ast.Name):
                    node.args[place] = ast.Constant(None)
            for place in signs.get(node.func.id, ()):
                value = number_of(node.args[place]) if place < len(node.args) else None
                if value is not None:
                    node.args[place] = ast.Constant((value > 0) - (value < 0))
            for place in arrays.get(node.func.id, ()):
                given = node.args[place] if place < len(node.args) else None
                if isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.USub):
                    node.args[place] = given.operand
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.FunctionDef):
            _forget_unread_defaults(node)
    return ast.dump(tree)


def _forget_unread_defaults(node: ast.FunctionDef) -> None:
    """A default that nothing reads may be any number."""
    read = frozenset[str]().union(*(names_in(statement) for statement in node.body))
    arguments = node.args.args[len(node.args.args) - len(node.args.defaults) :]
    for place, argument in enumerate(arguments):
        if argument.arg not in read:
            node.args.defaults[place] = ast.Constant(None)


def _representatives(tree: ast.Module) -> Mapping[str, str]:
    """For each function the one that stands for it: of equal arguments and body, docstrings aside,
    or the one that it hands all its arguments to.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    functions = functions_of(tree)
    names = {node.name for node in functions}
    for node in functions:
        body = node.body[1:] if ast.get_docstring(node) else node.body
        mark = ast.dump(node.args) + "".join(ast.dump(statement) for statement in body)
        other = _handed_to(node, body)
        same = first.setdefault(mark, node.name)
        found[node.name] = other if other in names else same
    return found


def _handed_to(node: ast.FunctionDef, body: list[ast.stmt]) -> str:
    """The function that gets exactly the arguments of this one, which has no defaults; or none."""
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return ""
    call = body[0].value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return ""
    given = [a.id for a in call.args if isinstance(a, ast.Name)]
    own, names = node.args, [a.arg for a in node.args.args]
    more = own.posonlyargs or own.kwonlyargs or own.vararg or own.kwarg or own.defaults
    plain = len(given) == len(call.args) and not more
    return call.func.id if plain and given == names else ""


__all__ = ["same_functions"]
