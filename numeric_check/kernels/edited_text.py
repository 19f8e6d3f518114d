"""What is left undecided when the text of a kernel was edited after it was emitted.

Exact execution sees a text on one shape, one dtype and symbolic values. It decides an edit that
rearranges arithmetic: +, −, ·, /, powers, joining and splitting channels, local names, helper
functions. It decides nothing about what could act otherwise on other input or in floating point: a
comparison, a rounding, a sum over an axis, a size, an exponential, a power or numbers that could
overflow, a product with 0, an assignment in place, an index beyond channels and positions, another
shape, a cast, a guard or a `where` that is gone, a builtin, a method of a class. An edit that does
one of these, or that touches a function which is not executed exactly, is
therefore reported and not taken as harmless.
"""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Callable, Iterator, Set

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
_PLAIN = 10.0
"""Numbers of together less than 10 binary digits move no float out of range."""
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
    reasons += _changed_signatures(new, old) + _changed_classes(new, old) + _grown(new, old)
    if executed is None:
        return reasons
    ours, theirs = _definitions(new), _definitions(old)
    covered = _reachable(ours, executed - _OF_ANY_LENGTH)
    unused = ours.keys() - theirs.keys() - _used(new) - {"", "__all__"}
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


def _changed_classes(new: ast.Module, old: ast.Module) -> list[str]:
    """Exact execution calls `forward`, and sees nothing else of a class."""
    ours, theirs = _classes(new), _classes(old)
    return [
        f"the edit changes the class {name} outside of `forward`"
        for name in sorted({*ours, *theirs})
        if ours.get(name) != theirs.get(name)
    ]


def _classes(tree: ast.Module) -> dict[str, str]:
    """Every class without the statements of its `forward`."""
    found: dict[str, str] = {}
    for node in ast.walk(copy.deepcopy(tree)):
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == "forward":
                    part.body = [ast.Pass()]
            found[node.name] = found.get(node.name, "") + ast.dump(node)
    return found


def _grown(new: ast.Module, old: ast.Module) -> list[str]:
    """What is small each time, and not when it is repeated: offsets of slices, and numbers."""
    reasons = []
    excess = _weighed(new, _offset) - _weighed(old, _offset)
    if excess > _SAMPLED:
        reasons.append(f"the edit adds indices of together {excess:g}")
    excess = _weighed(new, _digits) - _weighed(old, _digits)
    if excess > _PLAIN:
        reasons.append(f"the edit adds numbers of together {excess:.3g} binary digits")
    return reasons


def _weighed(tree: ast.Module, weight: Callable[[ast.AST], float]) -> float:
    """The sum of weights of nodes in one call, or in a statement of the module, each as often as
    its function is called; infinite for recursion.
    """
    bodies = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    known: dict[str, float] = {}

    def of(name: str, above: tuple[str, ...]) -> float:
        if name in above:
            return math.inf
        if name not in known:
            known[name] = total(bodies[name], (*above, name))
        return known[name]

    def total(node: ast.AST, above: tuple[str, ...]) -> float:
        found = 0.0
        for part in ast.walk(node):
            found += weight(part)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in bodies:
                found += of(part.id, above)
        return found

    aside = [n for n in tree.body if n not in bodies.values()]
    return max([*(of(name, ()) for name in bodies), *(total(n, ()) for n in aside)], default=0.0)


def _offset(node: ast.AST) -> float:
    """The largest number of an index."""
    if not isinstance(node, ast.Subscript):
        return 0.0
    numbers = [n.value for n in ast.walk(node.slice) if isinstance(n, ast.Constant)]
    return max((abs(x) for x in numbers if type(x) is int), default=0)


def _digits(node: ast.AST) -> float:
    """|log₂| of a number."""
    value = node.value if isinstance(node, ast.Constant) else None
    if type(value) not in (int, float) or value == 0 or not math.isfinite(value):  # type: ignore[arg-type]
        return 0.0
    return abs(math.log2(abs(value)))  # type: ignore[arg-type]


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
    yield from _uses_of_builtins(tree)
    yield from _written(tree, width)
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
        elif isinstance(node, ast.Constant) and not _is_plain(node.value):
            yield f"the constant {node.value!r}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            yield f"the power `** {_short(node.right)}`"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            pair = (node.left, node.right)
            if any(map(_is_zero, pair)) and not all(isinstance(x, ast.Constant) for x in pair):
                yield "a product with 0"
        elif isinstance(node, (ast.operator, ast.unaryop)) and not isinstance(
            node, (*_ARITHMETIC, ast.Pow)
        ):
            yield f"the operator {type(node).__name__}"
        elif isinstance(node, ast.Call):
            yield from _call(node, functions)


def _call(node: ast.Call, functions: Set[str]) -> Iterator[str]:
    """Calls of builtins, casts, other shapes, and arguments by name."""
    if isinstance(node.func, ast.Name) and node.func.id not in functions:
        yield f"the call of `{node.func.id}`"
    if isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS | _MOVES:
        given = node.args[1:] if _is_module(node.func.value) else node.args
        kept = [_short(x) for x in given] + [f"{k.arg}={_short(k.value)}" for k in node.keywords]
        yield f"`.{node.func.attr}({', '.join(kept)})`"
    else:
        for keyword in node.keywords:
            if keyword.arg not in _HARMLESS_KEYWORDS:
                yield f"the argument `{keyword.arg}={_short(keyword.value)}`"


def _is_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "torch", "xp", "math")


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


def _written(tree: ast.Module, width: int) -> Iterator[str]:
    """Assignments in place, but those into parts of what the same function has just made."""
    for function in [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Module))]:
        fresh = _made_in(function)
        for node in _own_nodes(function):
            if isinstance(node, ast.AugAssign):
                yield f"the assignment in place `{_short(_without_indices(node, width))}`"
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for part in (x for target in targets for x in ast.walk(target)):
                    if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                        yield f"the assignment to `{_short(part)}`"
                    if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
                        made = isinstance(part.value, ast.Name) and part.value.id in fresh
                        if not made:
                            yield f"the assignment in place `{_short(part)} = …`"


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes below, without those of functions and classes inside."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield child
            yield from _own_nodes(child)


def _made_in(function: ast.AST) -> set[str]:
    """Names that the function binds once, to memory that it makes."""
    if isinstance(function, ast.Module):
        return set()
    stored = [n.id for n in _own_nodes(function) if isinstance(n, ast.Name) and _is_store(n)]
    made = {
        node.targets[0].id
        for node in _own_nodes(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and len(node.targets) == 1
        and _is_fresh(node.value)
    }
    return {name for name in made if stored.count(name) == 1}


def _is_fresh(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    cast = node.func.attr == "astype" and not node.keywords
    return node.func.attr in _FRESH or cast


def _is_store(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


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
    return abs(math.log2(abs(value))) <= _PLAIN if math.isfinite(value) else False


def _short(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        node = node.test
    elif isinstance(node, ast.For):
        node = node.iter
    line = " ".join(ast.unparse(node).split())
    return line if len(line) <= 80 else f"{line[:77]}..."


def _functions(tree: ast.Module) -> frozenset[str]:
    """Names that mean one function of the text, and nothing else anywhere."""
    times = Counter(name for node in ast.walk(tree) for name in _bound_at(node))
    names = (n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    return frozenset(name for name in names if times[name] == 1)


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
