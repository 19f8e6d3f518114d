"""Texts that differ in which array is asked for what all of them share."""

from __future__ import annotations

import ast
from collections import Counter

from numeric_check.kernels.constructs import is_library
from numeric_check.mutation.equivalence.arguments import asked_where_it_is, unread_arguments
from numeric_check.mutation.equivalence.difference import (
    constants_of,
    is_bound,
    is_named,
    is_whole,
    number_of,
)


def same_arrays(text: str, other: str) -> bool:
    """Whether the texts differ at most in which of several arrays is asked for what all share.

    queries, keys and values at positions have one number of axes and one number n of rows, and come
    from one library, as does a state that has to be given; helpers that read nothing of an array
    but its dtype do not see its sign, and where they promote, not their order. The parts of a table
    of angles have one dtype. Where heads differ, x has an axis of heads, one of positions and one
    of channels at least, as does an array made like x.
    """
    return _of_any_array(ast.parse(text)) == _of_any_array(ast.parse(other))


def same_but_devices(text: str, other: str) -> bool:
    """Whether the texts differ at most in which array is asked for its device.

    `.to(a.device)` and `device=a.device` count as one for every a, `.imag.dtype` as `.real.dtype`,
    and an index may be kept anywhere. So does f(a), where f asks a for its library and device and
    no more.
    """
    return _without_devices(ast.parse(text)) == _without_devices(ast.parse(other))


_SUMMED = frozenset({"query", "key", "value"})
"""The arguments of a causal sum that share axes."""
_ROWS = -2
"""The axis of positions."""
_AXES = 3
"""Of heads, positions and channels."""
_TABLE = "table"
"""The argument that is a table of angles."""


class _Shared(ast.NodeTransformer):
    """Writes one name for every array that is asked for what it shares with others."""

    def __init__(self, tree: ast.Module) -> None:
        self._of_dtypes = _promoting(tree)
        self._heads = _heads_differ(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        own = node.args.args
        required = {a.arg for a in own[: len(own) - len(node.args.defaults)]}
        if required >= _SUMMED:
            rows = "position" in required  # one step has none, and other axes there
            for part in ast.walk(node):
                if rows and isinstance(part, ast.Attribute) and part.attr == "ndim":
                    _rename(part.value)
                elif rows and isinstance(part, ast.Subscript) and _is_rows(part):
                    assert isinstance(part.value, ast.Attribute)
                    _rename(part.value.value)
                elif isinstance(part, ast.Call) and is_named(part.func, "array_namespace"):
                    for argument in part.args:
                        _rename(argument, _SUMMED | (required & {"state"}))
        _rename_parts_of_tables(node)
        if self._heads:
            _join_whole_axes(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._of_dtypes:
            plain = [_without_sign(x) for x in node.args]
            node.args = [x for _, x in sorted({ast.dump(x): x for x in plain}.items())]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        asked = node.value
        if node.attr == "dtype" and _is_of_library(asked):
            assert isinstance(asked, ast.Call)
            asked.args = [_without_sign(asked.args[0])]
        return node


def _is_of_library(node: ast.expr) -> bool:
    """`np.asarray(x)`, whatever the function."""
    called = isinstance(node, ast.Call) and len(node.args) == 1
    function = node.func if isinstance(node, ast.Call) else node
    return called and isinstance(function, ast.Attribute) and is_library(function.value)


def _rename(node: ast.AST, alike: frozenset[str] = _SUMMED, name: str = "key") -> None:
    if isinstance(node, ast.Name) and node.id in alike:
        node.id = name


def _rename_parts_of_tables(function: ast.FunctionDef) -> None:
    """`cosine, sine = table`, and the dtype of either."""
    parts = frozenset(
        name.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and is_named(node.value, _TABLE)
        for name in ast.walk(node.targets[0])
        if isinstance(name, ast.Name)
    )
    bound = Counter(n.id for n in ast.walk(function) if is_bound(n))  # type: ignore[attr-defined]
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            _rename(node.value, frozenset(x for x in parts if bound[x] == 1), _TABLE)


def _heads_differ(tree: ast.Module) -> bool:
    """`HEADS` is a number, and not 1."""
    values = [
        n.value for n in tree.body if isinstance(n, ast.Assign) and is_named(n.targets[0], "HEADS")
    ]
    counts = [number_of(value) for value in values]
    return len(counts) == 1 and counts[0] not in (None, 1)


def _join_whole_axes(function: ast.FunctionDef) -> None:
    """`y[:, :]`, `y[..., :]` and `y[:]` are all of y, made once as `empty_like(x)`."""
    if "x" not in {a.arg for a in function.args.args}:
        return
    bound = Counter(n.id for n in ast.walk(function) if is_bound(n))  # type: ignore[attr-defined]
    like = {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "empty_like"
        and [ast.unparse(x) for x in node.value.args] == ["x"]
    }
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in like
            and bound[node.value.id] == 1
            and _is_all(node.slice)
        ):
            node.slice = ast.Constant(...)


def _is_all(index: ast.expr) -> bool:
    """Whether an index is made of `:`, for axes that there are, and of `...` at most once."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    whole = sum(is_whole(x) for x in parts)
    rest = [x for x in parts if not is_whole(x)]
    dots = all(isinstance(x, ast.Constant) and x.value is ... for x in rest)
    return dots and len(rest) <= 1 and whole <= _AXES


def _is_rows(node: ast.Subscript) -> bool:
    """`x.shape[-2]`."""
    value = node.value
    if not isinstance(value, ast.Attribute) or value.attr != "shape":
        return False
    try:
        return bool(ast.literal_eval(node.slice) == _ROWS)
    except ValueError:
        return False


def _without_sign(node: ast.expr) -> ast.expr:
    return node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node


def _of_any_array(tree: ast.Module) -> str:
    return ast.dump(_Shared(tree).visit(tree))


def _promoting(tree: ast.Module) -> frozenset[str]:
    """Functions of any number of arrays `*xs` that read the dtype of each and nothing else."""
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and node.args.vararg is not None
        and not node.args.args
        and _reads_dtypes(node, node.args.vararg.arg)
    )


def _reads_dtypes(function: ast.FunctionDef, arrays: str) -> bool:
    """Whether every use of an array is of its dtype, or hands all of them to `array_namespace`.

    Nothing may be picked out of a list, as the first dtype.
    """
    if any(isinstance(n, ast.Subscript) for n in ast.walk(function)):
        return False
    each = {
        n.target.id
        for n in ast.walk(function)
        if isinstance(n, (ast.For, ast.comprehension))
        and isinstance(n.target, ast.Name)
        and is_named(n.iter, arrays)
    }
    allowed: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)):
            allowed.add(id(node.iter))
        if isinstance(node, ast.Call) and is_named(node.func, "array_namespace"):
            allowed |= {id(x.value) for x in node.args if isinstance(x, ast.Starred)}
        if isinstance(node, ast.Attribute) and node.attr in ("dtype", "is_floating_point"):
            inner = node.value
            if isinstance(inner, ast.Call) and len(inner.args) == 1:  # asarray(x).dtype
                inner = _without_sign(inner.args[0])
            allowed.add(id(inner))
    return all(
        id(n) in allowed
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in each | {arrays}
    )


class _Devices(ast.NodeTransformer):
    """Writes one name for every array that is asked for its device."""

    def __init__(self, tree: ast.Module) -> None:
        self._constants = constants_of(tree)
        self._asking = unread_arguments(tree, asked_where_it_is)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if not any(isinstance(x, ast.Starred) for x in node.args):
            for place in self._asking.get(name, ()):
                if place < len(node.args) and isinstance(node.args[place], ast.Name):
                    node.args[place] = ast.Name("array", ast.Load())
        return node

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
    return ast.dump(_Devices(tree).visit(tree))


__all__ = ["same_arrays", "same_but_devices"]
