"""What is left undecided when the text of a kernel was edited after it was emitted.

Exact execution sees a text on one shape, one dtype and symbolic values. It decides an edit that
rearranges arithmetic: +, −, ·, /, powers, joining and splitting channels, local names, helper
functions. It decides nothing about what could act otherwise on other input or in floating point: a
comparison, a rounding, a sum over an axis, a size, an exponential or a number that could overflow,
an assignment in place, an index beyond channels and positions, a guard, a cast or a `where` that is
gone. An edit that does one of these, or that touches a function which is not executed exactly, is
therefore reported and not taken as harmless.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Set

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
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
_PLAIN = 1024
"""Numbers between 1/1024 and 1024 move no float out of range."""
_SAMPLED = 15
"""`cross_check` puts more positions than this into one call."""
_OF_ANY_LENGTH = frozenset({"chunkwise"})
"""Executed for some lengths, which says nothing about an edit that depends on the length."""
_CHOICES = (
    ast.If, ast.IfExp, ast.While, ast.For, ast.Assert, ast.Raise, ast.With, ast.Try, ast.Lambda,
    ast.Compare, ast.BoolOp, ast.comprehension, ast.Global, ast.Nonlocal, ast.Delete,
)  # fmt: skip


def same_code(text: str, emitted: str) -> bool:
    """Whether two texts differ in comments, layout and docstrings at most."""
    return ast.dump(_stripped(text)) == ast.dump(_stripped(emitted))


def undecided_edits(text: str, emitted: str, executed: Set[str] | None) -> list[str]:
    """Why exact execution of `executed` does not decide the edit from `emitted` to `text`.

    executed  names of the functions that were executed exactly; what they use is covered as well;
              None where nothing can be, and only the added operations are listed

    Empty when the edit rearranges arithmetic within what was executed.
    """
    new, old = _stripped(text), _stripped(emitted)
    added = Counter(_operations(new))
    added.subtract(Counter(_operations(old, _functions(new))))
    reasons = [f"the edit adds {what}" for what, count in sorted(added.items()) if count > 0]
    removed = Counter(_guards(old))
    removed.subtract(Counter(_guards(new)))
    reasons += [f"the edit removes {what}" for what, count in sorted(removed.items()) if count > 0]
    reasons += _changed_signatures(new, old)
    if executed is None:
        return reasons
    ours, theirs = _definitions(new), _definitions(old)
    covered = _reachable(ours, executed - _OF_ANY_LENGTH)
    unused = ours.keys() - theirs.keys() - _used(new) - {""}
    for name in sorted({*ours, *theirs} - covered - unused):
        if _dumps(ours.get(name, [])) != _dumps(theirs.get(name, [])):
            place = name or "a statement of the module"
            reasons.append(f"the edit changes {place}, which exact execution does not decide")
    return reasons


def _changed_signatures(new: ast.Module, old: ast.Module) -> list[str]:
    """Callers pass arguments by name and rely on defaults: exact execution does neither."""
    ours, theirs = _signatures(new), _signatures(old)
    return [
        f"the edit changes the arguments of {name}, from ({theirs[name]}) to ({found})"
        for name, found in sorted(ours.items())
        if name in theirs and found != theirs[name]
    ]


def _signatures(tree: ast.Module) -> dict[str, str]:
    """The arguments of public functions, and of the methods of classes."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found[node.name] = _signature(node)
        elif isinstance(node, ast.ClassDef):
            methods = (m for m in node.body if isinstance(m, ast.FunctionDef))
            found |= {f"{node.name}.{m.name}": _signature(m) for m in methods}
    return found


def _signature(function: ast.FunctionDef) -> str:
    """Names and defaults; what an argument that is never read would be is nobody's business."""
    read = {n.id for part in function.body for n in ast.walk(part) if isinstance(n, ast.Name)}
    given = copy.deepcopy(function.args)
    plain = [*given.posonlyargs, *given.args]
    first = len(plain) - len(given.defaults)
    unread = ast.Constant(...)
    given.defaults = [
        d if x.arg in read else unread for x, d in zip(plain[first:], given.defaults, strict=True)
    ]
    given.kw_defaults = [
        d if d is None or x.arg in read else unread
        for x, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return ast.unparse(given)


def _stripped(text: str) -> ast.Module:
    """The syntax tree without docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _operations(tree: ast.Module, own: Set[str] | None = None) -> Iterator[str]:
    """Every construct whose effect may depend on more than the values it combines."""
    functions = _functions(tree) if own is None else own
    width = _width(tree)
    shapes = _used_as_shapes(tree)
    for node in ast.walk(tree):
        if isinstance(node, _CHOICES):
            yield f"the condition or loop `{_short(node)}`"
        elif isinstance(node, ast.Subscript) and not _within(node.slice, width):
            yield f"the index `[{_short(node.slice)}]`"
        elif (
            isinstance(node, ast.Attribute)
            and node.attr not in _ELEMENTWISE
            and id(node) not in shapes
        ):
            yield f"the use of `.{node.attr}`"
        elif isinstance(node, ast.AugAssign):
            yield f"the assignment in place `{_short(_without_indices(node, width))}`"
        elif isinstance(node, ast.Constant) and not _is_plain(node.value):
            yield f"the constant {node.value!r}"
        elif isinstance(node, (ast.operator, ast.unaryop)) and not isinstance(node, _ARITHMETIC):
            yield f"the operator {type(node).__name__}"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id not in functions
        ):
            yield f"the call of `{node.func.id}`"


def _width(tree: ast.Module) -> int:
    """The channels per head: what lies beyond this index is no channel."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _bound(node) == ["DIMENSION"]:
            value = node.value
            if isinstance(value, ast.Constant) and type(value.value) is int:
                return value.value
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
    return len(others) <= 2 and all(_is_small(part, min(width, _SAMPLED)) for part in others)


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


def _guards(tree: ast.Module) -> Iterator[str]:
    """What keeps other input out, or in its dtype: exact execution does not miss it."""
    for node in ast.walk(tree):
        if isinstance(node, _CHOICES):
            yield f"the condition or loop `{_short(node)}`"
        elif isinstance(node, ast.Attribute) and node.attr in _DTYPES | _KEPT_APART:
            yield f"a use of `.{node.attr}`"


def _is_plain(value: object) -> bool:
    """Whether a constant is no number, or one that moves no float out of range."""
    if not isinstance(value, (int, float)) or value == 0:
        return not isinstance(value, complex)
    return 1 / _PLAIN <= abs(value) <= _PLAIN


def _short(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        node = node.test
    elif isinstance(node, ast.For):
        node = node.iter
    line = " ".join(ast.unparse(node).split())
    return line if len(line) <= 80 else f"{line[:77]}..."


def _functions(tree: ast.Module) -> frozenset[str]:
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def _definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """Top-level statements by the name they bind; '' for those that bind none."""
    found: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in _bound(node) or [""]:
            found.setdefault(name, []).append(node)
    return found


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    return [
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def _dumps(nodes: list[ast.stmt]) -> list[str]:
    return [ast.dump(node) for node in nodes]


def _used(tree: ast.Module) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _reachable(definitions: dict[str, list[ast.stmt]], roots: Set[str]) -> set[str]:
    """The names that the roots use, directly or not."""
    found: set[str] = set()
    waiting = [name for name in roots if name in definitions]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for statement in definitions[name]:
            used = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
            waiting.extend(sorted(used & definitions.keys()))
    return found


__all__ = ["same_code", "undecided_edits"]
