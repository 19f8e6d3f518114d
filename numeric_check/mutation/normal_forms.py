"""Normal forms of syntax trees: texts that have one in common do the same."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from numeric_check.mutation.difference import MODULES, constants_of, names_in, number_of


def same_functions(text: str, other: str) -> bool:
    """Whether the texts are equal when functions count as one that are equal or hand on their
    arguments, and names that a function is given and does not read count as one.
    """
    return _in_one_name(ast.parse(text)) == _in_one_name(ast.parse(other))


def same_identities(text: str, other: str) -> bool:
    """Whether the texts are equal by an identity of the libraries that holds bit for bit.

    cos is even; `ones_like` and `zeros_like` read a shape; `maximum`, `minimum`, products, sums and
    the promotion of two dtypes are symmetric, as are two axes that change places; the kinds that
    `isdtype` is asked for are a set. A slice begins at 0; the whole of an axis beside `...` may
    stand on either side of it. `stack` and `hstack` join numbers alike. Memory viewed twice is
    what it is viewed as last; numbers without a common bit are joined by `|`, `^` and `+` alike.
    `...` or `:` at the end of an index of a stack of arrays with axes picks what is there anyway.
    `clip` of the array API has no upper end unless one is given (NumPy's wants one before 2.1).
    """
    return _by_identities(ast.parse(text)) == _by_identities(ast.parse(other))


def same_arrays(text: str, other: str) -> bool:
    """Whether the texts differ at most in which of several arrays is asked for what all share.

    queries, keys and values of a causal sum have one number of axes and one number n of positions,
    and come from one library; helpers that read nothing of an array but its dtype do not see its
    sign, and where they promote, not their order.
    """
    return _of_any_array(ast.parse(text)) == _of_any_array(ast.parse(other))


def same_but_devices(text: str, other: str) -> bool:
    """Whether the texts differ at most in which array is asked for its device.

    `.to(a.device)` and `device=a.device` count as one for every a, `.imag.dtype` as `.real.dtype`,
    and an index may be kept anywhere.
    """
    return _without_devices(ast.parse(text)) == _without_devices(ast.parse(other))


_SUMMED = frozenset({"query", "key", "value"})
"""The arguments of a causal sum that share axes."""
_ROWS = -2
"""The axis of positions."""


class _Shared(ast.NodeTransformer):
    """Writes one name for every array that is asked for what it shares with others."""

    def __init__(self, of_dtypes: frozenset[str]) -> None:
        self._of_dtypes = of_dtypes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if {a.arg for a in node.args.args} >= _SUMMED:
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and part.attr == "ndim":
                    _rename(part.value)
                elif isinstance(part, ast.Subscript) and _is_rows(part):
                    assert isinstance(part.value, ast.Attribute)
                    _rename(part.value.value)
                elif isinstance(part, ast.Call) and _is_named(part.func, "array_namespace"):
                    for argument in part.args:
                        _rename(argument, _SUMMED | {"state"})
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
        if node.attr == "dtype" and isinstance(asked, ast.Call) and len(asked.args) == 1:
            asked.args = [_without_sign(asked.args[0])]
        return node


def _rename(node: ast.AST, alike: frozenset[str] = _SUMMED) -> None:
    if isinstance(node, ast.Name) and node.id in alike:
        node.id = "key"


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


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
    return ast.dump(_Shared(_promoting(tree)).visit(tree))


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
    """Whether every use of an array is of its dtype, or hands all of them to `array_namespace`."""
    each = {
        n.target.id
        for n in ast.walk(function)
        if isinstance(n, (ast.For, ast.comprehension))
        and isinstance(n.target, ast.Name)
        and _is_named(n.iter, arrays)
    }
    allowed: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in ("dtype", "is_floating_point"):
            inner = node.value
            if isinstance(inner, ast.Call) and len(inner.args) == 1:  # asarray(x).dtype
                inner = _without_sign(inner.args[0])
            allowed.add(id(inner))
    return all(
        id(n) in allowed
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in each
    )


def _in_one_name(tree: ast.Module) -> str:
    names, unread, signs = _representatives(tree), _unread(tree), _unread(tree, but_sign=True)
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


def _unread(tree: ast.Module, *, but_sign: bool = False) -> Mapping[str, tuple[int, ...]]:
    """The places of the arguments that a function of the module never names.

    With `but_sign`, those also that it compares with 0 and no more. A function whose name means
    something else somewhere is left out.
    """
    hidden = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    hidden |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_bound(n)}
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in hidden:
            inside = [n for statement in node.body for n in ast.walk(statement)]
            aside = {id(n.left) for n in inside if but_sign and _is_of_sign(n)}  # type: ignore[attr-defined]
            named = {n.id for n in inside if isinstance(n, ast.Name) and id(n) not in aside}
            places = enumerate(a.arg for a in (*node.args.posonlyargs, *node.args.args))
            found[node.name] = tuple(i for i, name in places if name not in named)
    return found


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_of_sign(node: ast.AST) -> bool:
    """x > 0 or x < 0."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    against = node.comparators[0]
    zero = isinstance(against, ast.Constant) and against.value == 0
    return zero and isinstance(node.ops[0], (ast.Gt, ast.Lt))


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


_EVEN = frozenset({"cos", "ones_like", "zeros_like"})
_SYMMETRIC = frozenset({
    "maximum", "minimum", "promote_types", "result_type", "multiply", "mul", "add",
})  # fmt: skip


_AXES = frozenset({"swapaxes", "transpose"})


class _Identities(ast.NodeTransformer):
    """Writes one of the two sides of every identity."""

    def __init__(self) -> None:
        self._stacks: frozenset[str] = frozenset()

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
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or not node.args:
            return node
        first = node.args[0]
        if node.func.attr in _EVEN and isinstance(first, ast.UnaryOp):
            node.args[0] = first.operand if isinstance(first.op, ast.USub) else first
        if node.func.attr in _SYMMETRIC and len(node.args) == 2:
            node.args.sort(key=ast.dump)
        if node.func.attr in _AXES and len(node.args) >= 2:
            node.args[-2:] = sorted(node.args[-2:], key=ast.dump)
        if node.func.attr == "clip" and _is_named(node.func.value, "xp"):
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

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        self.generic_visit(node)
        step = node.step.value if isinstance(node.step, ast.Constant) else 1
        forwards = isinstance(node.step, ast.Constant | None) and isinstance(step, int) and step > 0
        if isinstance(node.lower, ast.Constant) and node.lower.value == 0 and forwards:
            node.lower = None
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        self.generic_visit(node)
        if any(_is_whole(x) for x in node.elts):
            node.elts = _whole_axes_last(node.elts)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Mult, ast.Add)):
            node.left, node.right = sorted((node.left, node.right), key=ast.dump)
        if isinstance(node.op, (ast.BitXor, ast.Add)) and not _mask(node.left) & _mask(node.right):
            node.op = ast.BitOr()
        if isinstance(node.op, ast.BitOr):
            node.left, node.right = sorted((node.left, node.right), key=ast.dump)
        return node


def _names_of_stacks(function: ast.FunctionDef) -> frozenset[str]:
    """Names bound to `stack(…)`, or in one statement to several of them."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name):
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
    return _is_whole(part) or (isinstance(part, ast.Constant) and part.value is ...)


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


def _is_whole(node: ast.expr) -> bool:
    """`:` in an index."""
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


def _whole_axes_last(parts: list[ast.expr]) -> list[ast.expr]:
    """`:` before `...` moved behind it: both keep axes as they are."""
    dots = [i for i, x in enumerate(parts) if isinstance(x, ast.Constant) and x.value is ...]
    if len(dots) != 1:
        return parts
    place = dots[0]
    first = place
    while first and _is_whole(parts[first - 1]):
        first -= 1
    return [*parts[:first], parts[place], *parts[first:place], *parts[place + 1 :]]


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _by_identities(tree: ast.Module) -> str:
    return ast.dump(_Identities().visit(tree))


_PROMOTIONS = frozenset({"result_type", "promote_types"})


class _Casts(ast.NodeTransformer):
    """Leaves out casts and promotions of dtypes: what stays is what is cast."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        if node.func.attr in ("asarray", "as_tensor", "tensor") and node.args:
            return node.args[0]
        if node.func.attr in _PROMOTIONS:
            return ast.Constant("a dtype")
        if node.func.attr == "astype" and _is_library(node.func.value) and node.args:
            return node.args[0]
        if node.func.attr in ("to", "astype") and not _is_library(node.func.value):
            return node.func.value
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Name) and _is_named(node.value, target.id):
            return ast.Pass()
        return node


def _is_library(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in (*MODULES, "xp")


def without_casts(text: str) -> str:
    """The tree of a text, casts left out, and statements that only cast a name."""
    return ast.dump(_Casts().visit(ast.parse(text)))


def _without_devices(tree: ast.Module) -> str:
    return ast.dump(_Devices(constants_of(tree)).visit(tree))


__all__ = [
    "same_arrays",
    "same_but_devices",
    "same_functions",
    "same_identities",
    "without_casts",
]
