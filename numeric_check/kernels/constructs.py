"""Constructs of a text whose effect may depend on more than the values that they combine.

Two texts are compared by counting them: what one has more often than the other was added.
"""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Set

NAMED = frozenset({"np", "torch", "math"})
"""Names of libraries in emitted texts; those for the array API ask an array for theirs, `xp`."""
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub, ast.UAdd)
_ELEMENTWISE = frozenset({
    "cos", "sin", "add", "subtract", "multiply", "divide", "negative",
    "stack", "concatenate", "cat", "reshape", "flatten", "unsqueeze", "expand_dims", "newaxis",
    "swapaxes", "transpose", "asarray", "array", "as_tensor", "astype", "to", "copy", "clone",
    "empty_like", "zeros_like", "dtype", "device", "float64",
})  # fmt: skip
"""Attributes whose value at one place depends on no other place, and on no size."""
_SHAPED = frozenset({"reshape", "empty", "zeros", "broadcast_to", "expand"})
"""Calls that use a shape as a shape."""
_DTYPES = frozenset({"float64", "result_type", "promote_types", "to", "astype"})
"""What decides in which dtype and on which device a text computes."""
_KEPT_APART = frozenset({"where", "maximum", "minimum", "clamp", "clip"})
"""What keeps arguments harmless where another branch is taken: gradients and range need it."""
_CASTS = frozenset({
    "astype", "to", "asarray", "as_tensor", "array", "tensor", "result_type", "promote_types",
})  # fmt: skip
_MOVES = frozenset({"reshape", "flatten", "unflatten", "view", "swapaxes", "transpose", "permute"})
"""What can bring entries of different positions together."""
_HARMLESS_KEYWORDS = frozenset({"axis", "dim"})
_FRESH = frozenset({"empty", "empty_like", "zeros", "zeros_like", "copy", "clone"})
"""What makes memory that nothing else knows."""
PLAIN = 10.0
"""Numbers of together less than 10 binary digits move no float out of range."""
SAMPLED = 15
"""`cross_check` puts more positions than this into one call."""
_CHOICES = (
    ast.If, ast.IfExp, ast.While, ast.For, ast.Assert, ast.Raise, ast.With, ast.Try, ast.Lambda,
    ast.Compare, ast.BoolOp, ast.comprehension, ast.Global, ast.Nonlocal, ast.Delete,
)  # fmt: skip


def operations(tree: ast.Module, own: Set[str] | None = None) -> Iterator[str]:
    """Every construct whose effect may depend on more than the values it combines."""
    functions = functions_of(tree) if own is None else own
    width = _width(tree)
    shapes = _used_as_shapes(tree)
    yield from _uses_of_builtins(tree)
    for scope in (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Module))):
        yield from _written(scope, width)
        bound = _bound_once(scope)
        for node in _own_nodes(scope):
            if isinstance(node, ast.Call):
                yield from _call(node, functions, bound)
    for node in ast.walk(tree):
        if isinstance(node, _CHOICES):
            yield f"the condition or loop `{_line(node)}`"
        elif isinstance(node, ast.Subscript) and not _within(node.slice, width):
            yield f"the index `[{_line(node.slice)}]`"
        elif (
            isinstance(node, ast.Attribute)
            and node.attr not in _ELEMENTWISE
            and id(node) not in shapes
        ):
            yield f"the use of `.{node.attr}`"
        elif isinstance(node, ast.Constant) and not _is_plain(node.value):
            yield f"the constant {node.value!r}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            yield f"the power `** {_line(node.right)}`"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            pair = (node.left, node.right)
            if any(map(_is_zero, pair)) and not all(isinstance(x, ast.Constant) for x in pair):
                yield "a product with 0"
        elif isinstance(node, (ast.operator, ast.unaryop)) and not isinstance(
            node, (*_ARITHMETIC, ast.Pow)
        ):
            yield f"the operator {type(node).__name__}"


def _call(node: ast.Call, functions: Set[str], bound: Mapping[str, ast.expr]) -> Iterator[str]:
    """Calls of builtins, casts, other shapes, and arguments by name.

    A local name stands for what it is bound to: `compute` may be called otherwise.
    """
    if isinstance(node.func, ast.Name) and node.func.id not in functions:
        yield f"the call of `{node.func.id}`"

    def line(x: ast.expr) -> str:
        return _line(bound.get(x.id, x) if isinstance(x, ast.Name) else x)

    named = [(k.arg, f"{k.arg}={line(k.value)}") for k in node.keywords]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS | _MOVES:
        given = node.args[1:] if is_library(node.func.value) else node.args
        kept = [*map(line, given), *(text for _, text in named)]
        yield f"`.{node.func.attr}({', '.join(kept)})`"
    else:
        yield from (f"the argument `{x}`" for name, x in named if name not in _HARMLESS_KEYWORDS)


def is_library(node: ast.AST) -> bool:
    """Whether a node names a library: `np`, `torch`, `math` or `xp`."""
    return isinstance(node, ast.Name) and node.id in (*NAMED, "xp")


def _is_zero(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_zero(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 0


def _uses_of_builtins(tree: ast.Module) -> Iterator[str]:
    """Names that the text binds nowhere, where they are not called at once."""
    bound = {name for node in ast.walk(tree) for name in _bound_at(node)}
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound and id(node) not in called:
            yield f"the use of `{node.id}`"


def _written(scope: ast.FunctionDef | ast.Module, width: int) -> Iterator[str]:
    """Assignments in place, but those into parts of what the same function has just made."""
    fresh = {name for name, value in _bound_once(scope).items() if _is_fresh(value)}
    for node in _own_nodes(scope):
        if isinstance(node, ast.AugAssign):
            yield f"the assignment in place `{_line(_without_indices(node, width))}`"
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield f"the assignment to `{_line(node)}`"
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and not (isinstance(node.value, ast.Name) and node.value.id in fresh)
        ):
            yield f"the assignment in place `{_line(node)} = …`"


def _own_nodes(scope: ast.FunctionDef | ast.Module) -> Iterator[ast.AST]:
    """The nodes below, without the bodies of the functions inside, and without its arguments."""
    waiting: list[ast.AST] = list(scope.body)
    while waiting:
        node = waiting.pop()
        yield node
        inside = ast.iter_child_nodes(node)
        if isinstance(node, ast.FunctionDef):
            inside = iter([node.args, *node.decorator_list])
        waiting.extend(inside)


def _bound_once(scope: ast.FunctionDef | ast.Module) -> dict[str, ast.expr]:
    """Names that one statement of a function binds, and what to; those of a module live on."""
    if isinstance(scope, ast.Module):
        return {}
    names = [x for node in _own_nodes(scope) for x in _bound_at(node)]
    names += [a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg)]
    return {
        node.targets[0].id: node.value
        for node in _own_nodes(scope)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and names.count(node.targets[0].id) == 1
    }


def _is_fresh(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    cast = node.func.attr == "astype" and not node.keywords
    return node.func.attr in _FRESH or cast


def _bound_at(node: ast.AST) -> Iterator[str]:
    """The names that a node gives a meaning."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def _width(tree: ast.Module) -> int:
    """The channels per head: what lies beyond this index is no channel."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            names, value = [x for n in ast.walk(node) for x in _bound_at(n)], node.value
            if names == ["DIMENSION"] and isinstance(value, ast.Constant):
                return value.value if type(value.value) is int else 0
    return 0


def _within(index: ast.expr, width: int) -> bool:
    """Whether an index is `...` and up to two parts, of numbers up to the channels of a head.

    So it acts on channels or positions only, and samples have more positions than that: they show
    what it does there.
    """
    parts = index.elts if isinstance(index, ast.Tuple) else []
    new_axes = [part for part in parts if _is_new_axis(part)]
    first = parts[0] if parts else None
    if not isinstance(first, ast.Constant) or first.value is not Ellipsis:
        return False
    others = [part for part in parts[1:] if part not in new_axes]
    return len(others) <= 2 and all(_is_small(part, min(width, SAMPLED)) for part in others)


def _without_indices(node: ast.AST, width: int) -> ast.AST:
    """The same with `...` for every index that samples show: all of them give views."""
    plain = copy.deepcopy(node)
    for part in ast.walk(plain):
        if isinstance(part, ast.Subscript) and _within(part.slice, width):
            part.slice = ast.Constant(...)
    return plain


def _is_new_axis(part: ast.expr) -> bool:
    if isinstance(part, ast.Attribute):
        return part.attr == "newaxis"
    return isinstance(part, ast.Constant) and part.value is None


def _is_small(part: ast.expr, limit: int) -> bool:
    for node in ast.walk(part):
        if isinstance(node, ast.Constant):
            if type(node.value) is not int or node.value > limit:
                return False
        elif not isinstance(node, (ast.Slice, ast.UnaryOp, ast.USub)):
            return False
    return True


def _used_as_shapes(tree: ast.Module) -> set[int]:
    """The calls that want a shape, and the nodes `x.shape` handed whole to them."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in _SHAPED:
            arguments = [a for a in node.args if isinstance(a, ast.Attribute)]
            found |= {id(a) for a in arguments if a.attr == "shape"} | {id(node.func)}
    return found


def guards(tree: ast.Module) -> Iterator[str]:
    """What keeps other input out, or in its dtype: exact execution does not miss it."""
    for node in ast.walk(tree):
        if isinstance(node, _CHOICES):
            yield f"the condition or loop `{_line(node)}`"
        elif isinstance(node, ast.Attribute) and node.attr in _DTYPES | _KEPT_APART:
            yield f"a use of `.{node.attr}`"


def _is_plain(value: object) -> bool:
    """Whether a constant is no number, or one that moves no float out of range."""
    if not isinstance(value, (int, float)) or value == 0:
        return not isinstance(value, complex)
    return abs(math.log2(abs(value))) <= PLAIN if math.isfinite(value) else False


def _line(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        node = node.test
    elif isinstance(node, ast.For):
        node = node.iter
    return " ".join(ast.unparse(node).split())


def functions_of(tree: ast.Module) -> frozenset[str]:
    """Names that mean one function of the text, and nothing else anywhere."""
    times = Counter(name for node in ast.walk(tree) for name in _bound_at(node))
    names = (n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    return frozenset(name for name in names if times[name] == 1)


__all__ = ["NAMED", "PLAIN", "SAMPLED", "functions_of", "guards", "is_library", "operations"]
