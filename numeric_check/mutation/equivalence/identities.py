"""Identities of the libraries that hold bit for bit."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from numeric_check.kernels.constructs import is_library
from numeric_check.mutation.equivalence.difference import is_bound, is_named, is_whole


def same_identities(text: str, other: str) -> bool:
    """Whether the texts are equal by an identity of the libraries that holds bit for bit.

    cos is even; `ones_like` and `zeros_like` read a shape; `maximum`, `minimum`, products, sums and
    the promotion of two dtypes are symmetric, as are two axes that change places; the kinds that
    `isdtype` is asked for are a set. A slice begins at 0; the whole of an axis beside `...` may
    stand on either side of it. `stack` and `hstack` join numbers alike. Memory viewed twice is
    what it is viewed as last; numbers without a common bit are joined by `|`, `^` and `+` alike,
    and -n has the last bit of n.
    `...` or `:` at the end of an index of a stack of arrays with axes picks what is there anyway,
    as does `...` beside `:` alone.
    `clip` of the array API has no upper end unless one is given (NumPy's wants one before 2.1).
    Functions are those of the libraries, without named arguments but `out`.
    """
    return _by_identities(ast.parse(text)) == _by_identities(ast.parse(other))


_EVEN = frozenset({"cos", "ones_like", "zeros_like"})
_SYMMETRIC = frozenset({
    "maximum", "minimum", "promote_types", "result_type", "multiply", "mul", "add",
})  # fmt: skip
_AXES = frozenset({"swapaxes", "transpose"})
"""Of two axes; NumPy's `transpose` is a permutation of all."""


class _Identities(ast.NodeTransformer):
    """Writes one of the two sides of every identity."""

    def __init__(self, tree: ast.Module) -> None:
        self._stacks: frozenset[str] = frozenset()
        self._parts = _names_of_parts(tree)
        self._numpy = any(is_named(n, "np") for n in ast.walk(tree))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._stacks = self._stacks, _names_of_stacks(node)
        self.generic_visit(node)
        self._stacks = outer
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        index = node.slice
        stacked = isinstance(node.value, ast.Name) and node.value.id in self._stacks
        pair = isinstance(index, ast.Tuple) and len(index.elts) == 2
        if stacked and pair and _is_rest(index.elts[1]):  # type: ignore[attr-defined]
            node.slice = index.elts[0]  # type: ignore[attr-defined]
        elif pair and all(_is_rest(x) for x in index.elts):  # type: ignore[attr-defined]
            whole = [x for x in index.elts if is_whole(x)]  # type: ignore[attr-defined]
            index.elts = whole if len(whole) == 1 else index.elts  # type: ignore[attr-defined]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or not node.args:
            return node
        first = node.args[0]
        library = is_library(node.func.value) and {k.arg for k in node.keywords} <= {"out"}
        if library and node.func.attr in _EVEN and isinstance(first, ast.UnaryOp):
            node.args[0] = first.operand if isinstance(first.op, ast.USub) else first
        if library and node.func.attr in _SYMMETRIC and len(node.args) == 2:
            node.args.sort(key=ast.dump)
        if self._exchanges_axes(node):
            node.args[-2:] = sorted(node.args[-2:], key=ast.dump)
        if node.func.attr == "clip" and is_named(node.func.value, "xp"):
            node.args = node.args[:-1] if _is_none(node.args[-1]) else node.args
        if node.func.attr == "isdtype" and isinstance(node.args[-1], ast.Tuple):
            node.args[-1].elts.sort(key=ast.dump)
        if node.func.attr in ("stack", "hstack") and _joins_numbers(node):
            node.func.attr = "stack"
        if node.func.attr == "view" and _bytes_of(first):
            inner = node.func.value
            if _is_view(inner) and 0 < _bytes_of(inner.args[0]) <= _bytes_of(first):  # type: ignore[attr-defined]
                node.func.value = inner.func.value  # type: ignore[attr-defined]
        return node

    def _exchanges_axes(self, node: ast.Call) -> bool:
        """`torch.transpose(x, a, b)` or `x.transpose(a, b)`."""
        assert isinstance(node.func, ast.Attribute)
        if node.func.attr not in _AXES or (node.func.attr == "transpose" and self._numpy):
            return False
        given = len(node.args) - is_library(node.func.value)
        return given == 2 and not node.keywords

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        self.generic_visit(node)
        step = node.step.value if isinstance(node.step, ast.Constant) else 1
        forwards = isinstance(node.step, ast.Constant | None) and isinstance(step, int) and step > 0
        if isinstance(node.lower, ast.Constant) and repr(node.lower.value) == "0" and forwards:
            node.lower = None
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        self.generic_visit(node)
        if any(is_whole(x) for x in node.elts):
            node.elts = _whole_axes_last(node.elts)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Mult, ast.Add)) and not _joins_parts(node, self._parts):
            node.left, node.right = sorted((node.left, node.right), key=ast.dump)
        if isinstance(node.op, (ast.BitXor, ast.Add)) and not _mask(node.left) & _mask(node.right):
            node.op = ast.BitOr()
        if isinstance(node.op, ast.BitOr):
            node.left, node.right = sorted((node.left, node.right), key=ast.dump)
        if isinstance(node.left, ast.UnaryOp) and _is_last_bit(node):
            node.left = node.left.operand
        return node


def _joins_parts(node: ast.BinOp, names: frozenset[str]) -> bool:
    """`a + b` of tuples, lists or strings, which keeps their order."""
    return any(_has_parts(x, names) for x in (node.left, node.right))


def _has_parts(x: ast.expr, names: frozenset[str]) -> bool:
    """Whether this is a tuple, list or string, as far as the text shows; some names are bound to
    such.
    """
    if isinstance(x, ast.BinOp):
        return _joins_parts(x, names)
    if isinstance(x, ast.IfExp):
        return _has_parts(x.body, names) or _has_parts(x.orelse, names)
    return (
        isinstance(x, (ast.Tuple, ast.List, ast.ListComp, ast.JoinedStr))
        or (isinstance(x, ast.Name) and x.id in names)
        or (isinstance(x, ast.Constant) and isinstance(x.value, str))
        or (isinstance(x, ast.Call) and any(is_named(x.func, f) for f in _MAKE_PARTS))
        or _is_shape(x)
        or (isinstance(x, ast.Subscript) and isinstance(x.slice, ast.Slice) and _is_shape(x.value))
    )


_MAKE_PARTS = ("tuple", "list", "sorted", "str")


def _names_of_parts(tree: ast.Module) -> frozenset[str]:
    """Names that are bound to tuples, lists or strings somewhere in the text."""
    bound = [
        (name.id, value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name, value in _pairs(target, node.value)
        if isinstance(name, ast.Name)
    ]
    found: frozenset[str] = frozenset()
    while True:
        more = found | {name for name, value in bound if _has_parts(value, found)}
        if more == found:
            return found
        found = more


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is bound to what, in `a, b = c, d` one by one, and `*rest` to a list."""
    if not isinstance(target, ast.Tuple):
        return [(target, value)]
    values: list[ast.expr] = [value] * len(target.elts)
    if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
        values = value.elts
    elif isinstance(value, ast.GeneratorExp):
        values = [value.elt] * len(target.elts)
    starred = [(x.value, ast.List([])) for x in target.elts if isinstance(x, ast.Starred)]
    return [*zip(target.elts, values, strict=True), *starred]


def _is_shape(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _names_of_stacks(function: ast.FunctionDef) -> frozenset[str]:
    """Names bound once, to `stack(…)`, or in one statement to several of them."""
    found: dict[str, ast.expr] = {}
    nodes = list(ast.walk(function))
    times = Counter(n.arg for n in nodes if isinstance(n, ast.arg))
    times += Counter(n.id for n in nodes if is_bound(n))  # type: ignore[attr-defined]
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name) and times[name.id] == 1:
                    found[name.id] = node.value
    return frozenset(name for name, value in found.items() if _is_stacked(value, found))


def _is_stacked(value: ast.expr, known: Mapping[str, ast.expr]) -> bool:
    if isinstance(value, ast.Name) and value.id in known:
        value = known[value.id]
    if isinstance(value, ast.GeneratorExp):
        value = value.elt
    stacked = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
    return stacked and value.func.attr == "stack"  # type: ignore[attr-defined]


def _is_rest(part: ast.expr) -> bool:
    """`...`, or `:`."""
    return is_whole(part) or (isinstance(part, ast.Constant) and part.value is ...)


_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4, "int32": 4, "float64": 8, "int64": 8}


def _bytes_of(dtype: ast.AST) -> int:
    """Of `torch.float32`, 4; 0 for what is no dtype by name."""
    return _BYTES.get(dtype.attr, 0) if isinstance(dtype, ast.Attribute) else 0


def _is_view(node: ast.AST) -> bool:
    """`….view(dtype)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "view"
        and len(node.args) == 1
    )


def _mask(node: ast.expr) -> int:
    """The bits that `… & constant` may have; all for anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        try:
            return int(ast.literal_eval(node.right))
        except (ValueError, TypeError):
            return -1
    return -1


def _is_last_bit(node: ast.BinOp) -> bool:
    """`-(n >> k) & 1`: n is whole, since bool has no shift that keeps it."""
    shifted = isinstance(node.left, ast.UnaryOp) and isinstance(node.left.op, ast.USub)
    shifted = shifted and isinstance(node.left.operand, ast.BinOp)  # type: ignore[attr-defined]
    shifted = shifted and isinstance(node.left.operand.op, ast.RShift)  # type: ignore[attr-defined]
    one = isinstance(node.right, ast.Constant) and repr(node.right.value) == "1"
    return isinstance(node.op, ast.BitAnd) and shifted and one


def _joins_numbers(node: ast.Call) -> bool:
    """`stack([…])` with a number among its tensors: all have no axes, or it fails."""
    joined = node.args[0] if len(node.args) == 1 and not node.keywords else None
    return isinstance(joined, ast.List) and any(
        isinstance(x, ast.Call)
        and isinstance(x.func, ast.Attribute)
        and x.func.attr == "new_tensor"
        and len(x.args) == 1
        and isinstance(x.args[0], ast.Constant)
        for x in joined.elts
    )


def _whole_axes_last(parts: list[ast.expr]) -> list[ast.expr]:
    """`:` before `...` moved behind it: both keep axes as they are."""
    dots = [i for i, x in enumerate(parts) if isinstance(x, ast.Constant) and x.value is ...]
    if len(dots) != 1:
        return parts
    place = dots[0]
    first = place
    while first and is_whole(parts[first - 1]):
        first -= 1
    return [*parts[:first], parts[place], *parts[first:place], *parts[place + 1 :]]


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _by_identities(tree: ast.Module) -> str:
    return ast.dump(_Identities(tree).visit(tree))


__all__ = ["same_identities"]
