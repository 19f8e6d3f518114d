"""Where two syntax trees differ, and whether the place can matter: decided at that place."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from math import lcm
from typing import Any

from numeric_check.kernels.constructs import NAMED

OPERATIONS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
Pair = tuple[ast.expr, ast.expr]


def constant_differences(text: str, other: str) -> list[Pair]:
    """The expressions of constants around the place that differs, the largest first.

    An expression of constants is made of literals, of the constants of the module, and of functions
    of the libraries.
    """
    ours, theirs = ast.parse(text), ast.parse(other)
    constants = constants_of(theirs) | NAMED
    return [
        (a, b)
        for a, b in _path(ours, theirs)
        if isinstance(a, ast.expr)
        and isinstance(b, ast.expr)
        and all(names_in(x) <= constants and _is_plain(x) for x in (a, b))
    ]


def same_at_every_call(text: str, other: str) -> bool:
    """Whether what differs depends on one argument only, and agrees for all values it is given.

    Every call of that function in the text gives a number, or an argument of which the same holds.
    """
    ours, theirs = ast.parse(text), ast.parse(other)
    function: ast.FunctionDef | None = None
    for a, b in _path(ours, theirs):
        if isinstance(b, ast.FunctionDef):
            function = b
        elif isinstance(a, ast.expr) and isinstance(b, ast.expr) and function is not None:
            names = names_in(a) | names_in(b)
            if len(names) == 1 and _is_arithmetic(a) and _is_arithmetic(b):
                values = _values(theirs, function.name, next(iter(names)), frozenset())
                if values:  # 2 and 2.0 are two values: one is an index, the other is none
                    return all(repr(_value(a, v)) == repr(_value(b, v)) for v in values)
    return False


def same_remainders(text: str, other: str) -> bool:
    """Whether what differs is if a whole number has a remainder, and both have one at once.

    The elements of `any` and `all` are asked that; remainders repeat, so one period decides.
    """
    asked = False
    for a, b in _path(ast.parse(text), ast.parse(other)):
        if isinstance(b, ast.Call):
            asked = is_named(b.func, "any") or is_named(b.func, "all")
        elif asked and isinstance(a, ast.GeneratorExp) and isinstance(b, ast.GeneratorExp):
            names = names_in(a.elt) | names_in(b.elt)
            rest = list(map(ast.dump, a.generators)) == list(map(ast.dump, b.generators))
            if rest and len(names) == 1 and _is_remainder(a.elt) and _is_remainder(b.elt):
                period = lcm(*(_modulus(x) for x in (a.elt, b.elt)))
                pairs = ((_value(a.elt, v), _value(b.elt, v)) for v in range(period))
                return all(bool(x) == bool(y) for x, y in pairs)
    return False


def differing_function(text: str, other: str) -> str:
    """The name of the one function in which the texts differ; empty where there is none."""
    names = [
        b.name
        for _, b in _path(ast.parse(text), ast.parse(other))
        if isinstance(b, ast.FunctionDef)
    ]
    return names[0] if names else ""


def differing_calls(text: str, other: str) -> frozenset[str]:
    """The methods and library functions whose arguments hold the place that differs."""
    calls = (b for _, b in _path(ast.parse(text), ast.parse(other)) if isinstance(b, ast.Call))
    return frozenset(c.func.attr for c in calls if isinstance(c.func, ast.Attribute))


def _path(a: ast.AST, b: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The nodes from the roots down to the one place where the trees differ."""
    yield a, b
    if type(a) is not type(b):
        return
    different = []
    for name in a._fields:
        x, y = getattr(a, name, None), getattr(b, name, None)
        if isinstance(x, list) and isinstance(y, list):
            if len(x) != len(y):
                return
            pairs = list(zip(x, y, strict=True))
        else:
            pairs = [(x, y)]
        for left, right in pairs:
            if isinstance(left, ast.AST) and isinstance(right, ast.AST):
                if ast.dump(left) != ast.dump(right):
                    different.append((left, right))
            elif left != right:
                return
    if len(different) == 1:
        yield from _path(*different[0])


def is_named(node: ast.AST, name: str) -> bool:
    """Whether a node is this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_bound(node: ast.AST) -> bool:
    """Whether a name is given a meaning there."""
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def is_whole(node: ast.expr) -> bool:
    """`:` in an index."""
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


def names_in(node: ast.AST) -> frozenset[str]:
    """The names below a node."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def constants_of(tree: ast.Module) -> frozenset[str]:
    """Names that the module binds, to what is not a function."""
    return frozenset(
        n.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for n in ast.walk(target)
        if isinstance(n, ast.Name)
    )


def _is_plain(node: ast.AST) -> bool:
    return not any(isinstance(n, (ast.comprehension, ast.Lambda)) for n in ast.walk(node))


def _is_arithmetic(node: ast.AST) -> bool:
    kinds = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)
    return all(
        isinstance(n, (*kinds, *OPERATIONS, ast.boolop, ast.expr_context)) for n in ast.walk(node)
    )


def _is_remainder(node: ast.AST) -> bool:
    kinds = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Mod, ast.USub, ast.expr_context)
    return all(isinstance(n, kinds) for n in ast.walk(node)) and _modulus(node) > 0


def _modulus(node: ast.AST) -> int:
    """Of `a % n`, |n|; 0 for anything else."""
    if isinstance(node, ast.BinOp):
        right = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
        if (
            isinstance(right, ast.Constant)
            and isinstance(right.value, int)
            and not _mod_in(node.left)
        ):
            return abs(right.value)
    return 0


def _mod_in(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Mod) for n in ast.walk(node))


def _value(node: ast.expr, value: object) -> object:
    """An arithmetic expression at one value of its one name; the kind of error, if it has none."""
    try:
        return _at(node, value)
    except ArithmeticError as error:
        return type(error)


def _at(node: ast.expr, value: Any) -> Any:
    if isinstance(node, ast.Name):
        return value
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](_at(node.left, value), _at(node.right, value))
    if isinstance(node, ast.UnaryOp):
        return OPERATIONS[type(node.op)](_at(node.operand, value))
    if isinstance(node, ast.Compare):
        sides = [_at(x, value) for x in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides[:-1], sides[1:], strict=True)
        return all(OPERATIONS[type(op)](a, b) for op, a, b in pairs)
    assert isinstance(node, ast.BoolOp)
    parts = [bool(_at(x, value)) for x in node.values]
    return all(parts) if isinstance(node.op, ast.And) else any(parts)


def _values(
    tree: ast.Module, function: str, argument: str, asked: frozenset[tuple[str, str]]
) -> set[object]:
    """The numbers that an argument is given by all calls; empty where one gives something else.

    Empty as well for a function that is handed on instead of called.
    """
    if (function, argument) in asked or not function.startswith("_"):
        return set()
    named = sum(is_named(n, function) for n in ast.walk(tree))
    if named != len(_calls(tree, function)):
        return set()
    found: set[object] = set()
    for caller in tree.body:
        for call in _calls(caller, function):
            given = _given(tree, call, function, argument)
            if given is None:
                return set()
            number = number_of(given)
            if number is not None:
                found.add(number)
            elif isinstance(given, ast.Name) and isinstance(caller, ast.FunctionDef):
                key = asked | {(function, argument)}
                if (caller.name, given.id) == (function, argument):
                    continue
                deeper = _values(tree, caller.name, given.id, key)
                if not deeper:
                    return set()
                found |= deeper
            else:
                return set()
    return found


def _calls(node: ast.AST, function: str) -> list[ast.Call]:
    found = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return [n for n in found if isinstance(n.func, ast.Name) and n.func.id == function]


def _given(tree: ast.Module, call: ast.Call, function: str, argument: str) -> ast.expr | None:
    definitions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    definitions = [n for n in definitions if n.name == function]
    if len(definitions) != 1 or definitions[0] not in tree.body:
        return None
    definition = definitions[0]
    names = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)]
    inside = [n.arg for n in ast.walk(definition) if isinstance(n, ast.arg)]
    if argument not in names or inside.count(argument) > 1:
        return None
    if any(isinstance(n, ast.Starred) for n in call.args):
        return None
    rebound = any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == argument
        for n in ast.walk(definition)
    )
    place = names.index(argument)
    return call.args[place] if place < len(call.args) and not rebound else None


def number_of(node: ast.expr) -> float | int | None:
    """The number that is written there; None where there is none."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, (int, float)) else None


__all__ = [
    "constant_differences",
    "constants_of",
    "differing_calls",
    "differing_function",
    "is_bound",
    "is_named",
    "is_whole",
    "names_in",
    "number_of",
    "same_at_every_call",
    "same_remainders",
]
