"""What is left undecided when the text of a kernel was edited after it was emitted.

Exact execution sees a text on one shape, one dtype and symbolic values. It decides an edit that
rearranges arithmetic: +, −, ·, /, joining and splitting channels, local names, helper
functions. It decides nothing about what could act otherwise on other input or in floating point: a
comparison, a rounding, a sum over an axis, a size, an exponential, a power or numbers that could
overflow, a product with 0, an assignment in place, an index beyond channels and positions, another
shape, a cast, a guard or a `where` that is gone, a builtin, a method of a class (`constructs`). An
edit that does one of these, or that touches a function which is not executed exactly, is therefore
reported and not taken as harmless.
"""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Callable, Set

from numeric_check.kernels.constructs import PLAIN, SAMPLED, functions_of, guards, operations

_LONG = 110
"""Longest line about one construct."""
_OF_ANY_LENGTH = frozenset({"chunkwise"})
"""Executed for some lengths, which says nothing about an edit that depends on the length."""


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
    added = Counter(operations(new))
    added.subtract(Counter(operations(old, functions_of(new))))
    reasons = [f"the edit adds {_shown(what)}" for what, n in sorted(added.items()) if n > 0]
    removed = Counter(guards(old))
    removed.subtract(Counter(guards(new)))
    reasons += [f"the edit removes {_shown(what)}" for what, n in sorted(removed.items()) if n > 0]
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


def _shown(what: str) -> str:
    return what if len(what) <= _LONG else f"{what[: _LONG - 3]}..."


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
    if excess > SAMPLED:
        reasons.append(f"the edit adds indices of together {excess:g}")
    excess = _weighed(new, _digits) - _weighed(old, _digits)
    if excess > PLAIN:
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
