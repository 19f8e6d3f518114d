"""Where two syntax trees differ, and whether the place can matter: decided on the trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from math import lcm

_MODULES = frozenset({"np", "torch", "math"})
Pair = tuple[ast.expr, ast.expr]


def constant_differences(text: str, other: str) -> list[Pair]:
    """The expressions of constants around the place that differs, the largest first.

    An expression of constants is made of literals, of the constants of the module, and of functions
    of the libraries.
    """
    ours, theirs = ast.parse(text), ast.parse(other)
    constants = _constants(theirs) | _MODULES
    return [
        (a, b)
        for a, b in _path(ours, theirs)
        if isinstance(a, ast.expr)
        and isinstance(b, ast.expr)
        and all(_names(x) <= constants and _is_plain(x) for x in (a, b))
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
            names = _names(a) | _names(b)
            if len(names) == 1 and _is_arithmetic(a) and _is_arithmetic(b):
                values = _values(theirs, function.name, next(iter(names)), frozenset())
                if values:
                    return all(_value(a, names, v) == _value(b, names, v) for v in values)
    return False


def same_remainders(text: str, other: str) -> bool:
    """Whether what differs is if a whole number has a remainder, and both have one at once.

    The elements of `any` and `all` are asked that; remainders repeat, so one period decides.
    """
    for a, b in _path(ast.parse(text), ast.parse(other)):
        if isinstance(a, ast.GeneratorExp) and isinstance(b, ast.GeneratorExp):
            names = _names(a.elt) | _names(b.elt)
            rest = ast.dump(a.generators[0]) == ast.dump(b.generators[0])
            if rest and len(names) == 1 and _is_remainder(a.elt) and _is_remainder(b.elt):
                period = lcm(*(_modulus(x) for x in (a.elt, b.elt)))
                pairs = ((_value(a.elt, names, v), _value(b.elt, names, v)) for v in range(period))
                return all(bool(x) == bool(y) for x, y in pairs)
    return False


def same_functions(text: str, other: str) -> bool:
    """Whether the texts are equal when functions count as one that are equal or hand on their
    arguments, and names that a function is given and does not read count as one.
    """
    return _in_one_name(ast.parse(text)) == _in_one_name(ast.parse(other))


def same_but_devices(text: str, other: str) -> bool:
    """Whether the texts differ at most in which array is asked for its device.

    `.to(a.device)` and `device=a.device` count as one for every a, `.imag.dtype` as `.real.dtype`,
    and an index may be kept anywhere.
    """
    return _without_devices(ast.parse(text)) == _without_devices(ast.parse(other))


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


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _constants(tree: ast.Module) -> frozenset[str]:
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
    kinds = (
        ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.operator,
        ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context,
    )  # fmt: skip
    return all(isinstance(n, kinds) for n in ast.walk(node))


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


def _value(node: ast.expr, names: Set[str], value: object) -> object:
    """An arithmetic expression at one value of its one name."""
    code = compile(ast.Expression(node), "<expression>", "eval")
    try:
        return eval(code, {"__builtins__": {}}, dict.fromkeys(names, value))
    except ArithmeticError as error:
        return type(error)


def _values(
    tree: ast.Module, function: str, argument: str, asked: frozenset[tuple[str, str]]
) -> set[object]:
    """The numbers that an argument is given by all calls; empty where one gives something else."""
    if (function, argument) in asked or not function.startswith("_"):
        return set()
    found: set[object] = set()
    for caller in (n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))):
        for call in _calls(caller, function):
            given = _given(tree, call, function, argument)
            if given is None:
                return set()
            number = _number(given)
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
    definition = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    names = [a.arg for a in definition.args.args]
    if argument not in names or any(isinstance(n, ast.Starred) for n in call.args):
        return None
    rebound = any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == argument
        for n in ast.walk(definition)
    )
    place = names.index(argument)
    return call.args[place] if place < len(call.args) and not rebound else None


def _number(node: ast.expr) -> float | int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, (int, float)) else None


# -- normal forms ---------------------------------------------------------------------------------


def _in_one_name(tree: ast.Module) -> str:
    names, unread = _representatives(tree), _unread(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for place in unread.get(node.func.id, ()):
                if place < len(node.args) and isinstance(node.args[place], ast.Name):
                    node.args[place] = ast.Constant(None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return ast.dump(tree)


def _unread(tree: ast.Module) -> Mapping[str, tuple[int, ...]]:
    """The places of the arguments that a function of the module never names."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            named = frozenset[str]().union(*(_names(statement) for statement in node.body))
            places = enumerate(a.arg for a in node.args.args)
            found[node.name] = tuple(i for i, name in places if name not in named)
    return found


def _representatives(tree: ast.Module) -> Mapping[str, str]:
    """For each function the one that stands for it: of equal arguments and body, docstrings aside,
    or the one that it hands all its arguments to.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            mark = ast.dump(node.args) + "".join(ast.dump(statement) for statement in body)
            found[node.name] = _handed_to(node, body) or first.setdefault(mark, node.name)
    return found


def _handed_to(node: ast.FunctionDef, body: list[ast.stmt]) -> str | None:
    """The function that gets exactly the arguments of this one."""
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return None
    call = body[0].value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return None
    given = [a.id for a in call.args if isinstance(a, ast.Name)]
    plain = len(given) == len(call.args) and not node.args.kwonlyargs
    return call.func.id if plain and given == [a.arg for a in node.args.args] else None


class _Devices(ast.NodeTransformer):
    """Writes one name for every array that is asked for its device."""

    def __init__(self, constants: frozenset[str]) -> None:
        self._constants = constants

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "device" and isinstance(node.value, ast.Name):
            return ast.Attribute(ast.Name("array", ast.Load()), "device", node.ctx)
        if node.attr == "dtype" and isinstance(node.value, ast.Attribute):
            inner = node.value
            if inner.attr == "imag":
                return ast.Attribute(
                    ast.Attribute(inner.value, "real", inner.ctx), "dtype", node.ctx
                )
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.slice = _Indices(self._constants).visit(node.slice)
        return node


class _Indices(ast.NodeTransformer):
    """Leaves out where an index is brought to a device."""

    def __init__(self, constants: frozenset[str]) -> None:
        self._constants = constants

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr != "to":
            return node
        kept = function.value
        if isinstance(kept, ast.Name) and kept.id in self._constants:
            return kept
        return node


def _without_devices(tree: ast.Module) -> str:
    return ast.dump(_Devices(_constants(tree)).visit(tree))


__all__ = [
    "constant_differences",
    "same_at_every_call",
    "same_but_devices",
    "same_functions",
    "same_remainders",
]
