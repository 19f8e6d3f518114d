"""What the text of a kernel may contain. Decided on its syntax tree, before anything runs.

A kernel is array arithmetic, so everything is refused that is not named here: statements,
imports, builtins, attributes. What is named cannot reach files, processes, pickles or frames.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from numeric_check.kernels.vocabulary import ATTRIBUTES, LIBRARIES, MODULES, NEVER, SAFE_BUILTINS
from symbolic_pe.errors import KernelError

MAX_CHARACTERS = 8 * 2**20
MAX_NODES = 2_000_000
MAX_INTEGER = 2**64
MAX_STRING = 20_000

_NODES: tuple[type[ast.AST], ...] = (
    ast.Module, ast.Import, ast.ImportFrom, ast.alias,
    ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.arguments, ast.arg, ast.Return,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr,
    ast.If, ast.IfExp, ast.For, ast.With, ast.withitem, ast.Raise, ast.Assert,
    ast.Pass, ast.Continue, ast.Break, ast.Expr,
    ast.Call, ast.keyword, ast.Attribute, ast.Name, ast.Constant, ast.Starred,
    ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
    ast.JoinedStr, ast.FormattedValue, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


_INTROSPECTION = frozenset(
    name
    for kind in (
        types.AsyncGeneratorType,
        types.BuiltinFunctionType,
        types.CodeType,
        types.CoroutineType,
        types.FrameType,
        types.FunctionType,
        types.GeneratorType,
        types.MethodType,
        types.ModuleType,
        types.TracebackType,
        BaseException,
        AttributeError,
        ImportError,
        OSError,
        property,
        type,
    )
    for name in dir(kind)
)
"""What would lead from a function, generator or error to its frames and globals."""


@dataclass(frozen=True)
class _Own:
    """What the text makes itself.

    attributes   names of its methods and of attributes of its objects
    names        names that it binds, which hide a builtin of that name
    initialised  the nodes `self.x` on the left of an assignment in some `__init__`
    """

    attributes: frozenset[str]
    names: frozenset[str]
    initialised: frozenset[int]


def check_text(text: str, library: str, library_objects: Sequence[object]) -> ast.Module:
    """Parse a text and refuse whatever is not array arithmetic.

    `library` is `numpy` or `torch`, the one the text may import; `library_objects` are the
    objects whose attributes a class of the text may not shadow. Raises `KernelError` with the
    line.
    """
    if len(text) > MAX_CHARACTERS:
        raise KernelError(f"the text has {len(text)} characters; expected at most {MAX_CHARACTERS}")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise KernelError(f"line {error.lineno}: not Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise KernelError(f"the text cannot be parsed: {type(error).__name__}") from None
    own = _Own(
        frozenset(_own_attributes(tree, library_objects)),
        frozenset(_bound_names(tree)),
        frozenset(id(node) for node in _initialised_attributes(tree)),
    )
    for count, node in enumerate(ast.walk(tree)):
        if count >= MAX_NODES:
            raise KernelError(f"the text has more than {MAX_NODES} syntax nodes")
        reason = _objection(node, library, own)
        if reason:
            raise KernelError(
                f"line {getattr(node, 'lineno', '?')}: {reason}; a kernel is array arithmetic, "
                "and text that does anything else is not run"
            )
    return tree


def _own_attributes(tree: ast.Module, library_objects: Sequence[object]) -> Iterator[str]:
    """Names that a text makes itself: methods and attributes of its classes.

    A name that anything of a library has is left out, or naming it would open the library's.
    """
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ClassDef):
            names = [name for member in node.body for name in _member_names(member)]
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names = [node.attr]
        elif isinstance(node, ast.Call) and _is_registration(node.func):
            names = [str(a.value) for a in node.args[:1] if isinstance(a, ast.Constant)]
        for name in names:
            known = name in _INTROSPECTION or any(hasattr(o, name) for o in library_objects)
            if not known:
                yield name


def _bound_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _initialised_attributes(tree: ast.Module) -> Iterator[ast.Attribute]:
    """`self.x = …` in an `__init__`, which only the making of an object can call."""
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.ClassDef):
            continue
        for method in owner.body:
            if not (isinstance(method, ast.FunctionDef) and method.name == "__init__"):
                continue
            first = [a.arg for a in method.args.args[:1]]
            inner = list(ast.walk(method))
            rebound = any(
                isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in first
                for n in inner
            )
            nested = sum(isinstance(n, (ast.FunctionDef, ast.Lambda)) for n in inner) > 1
            if rebound or nested:
                continue
            for node in inner:
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store)
                    and isinstance(node.value, ast.Name)
                    and node.value.id in first
                ):
                    yield node


def _member_names(member: ast.stmt) -> list[str]:
    """Names that one statement in the body of a class defines."""
    if isinstance(member, ast.FunctionDef):
        return [member.name]
    targets: list[ast.expr] = []
    if isinstance(member, ast.AnnAssign):
        targets = [member.target]
    elif isinstance(member, ast.Assign):
        targets = member.targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _is_registration(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in (
        "register_buffer",
        "register_parameter",
    )


def _objection(node: ast.AST, library: str, own: _Own) -> str | None:
    """Why this node is refused, or None."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return f"{type(node).__name__.lower()} {', '.join(node.names)}, state between calls,"
    if not isinstance(node, _NODES):
        return f"{type(node).__name__} is not part of a kernel"
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return _import_objection(node, library)
    if isinstance(node, ast.Attribute):
        return _attribute_objection(node, own)
    if isinstance(node, ast.Name):
        return _name_objection(node.id, own)
    if isinstance(node, ast.FunctionDef):
        return _function_objection(node)
    if isinstance(node, ast.ClassDef):
        if node.keywords or len(node.bases) > 1 or node.decorator_list:
            return f"class {node.name}: expected at most one base, no keywords, no decorators"
        return _name_objection(node.name)
    if isinstance(node, ast.arg):
        return _name_objection(node.arg, own)
    if isinstance(node, ast.Constant):
        return _constant_objection(node.value)
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        return "a format specification"
    return None


def _import_objection(node: ast.Import | ast.ImportFrom, library: str) -> str | None:
    others = LIBRARIES - {library}
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level or module not in MODULES or module.split(".")[0] in others:
            return f"import from {'.' * node.level}{module}"
        allowed = MODULES[module]
        for alias in node.names:
            if alias.name not in allowed:
                return f"import of {alias.name} from {module}"
            if alias.asname and (reason := _name_objection(alias.asname)):
                return reason
        return None
    for alias in node.names:
        if alias.name not in MODULES or alias.name.split(".")[0] in others:
            return f"import of {alias.name}"
        if alias.name in ("typing", "collections.abc", "__future__", "array_api_compat"):
            return f"import {alias.name} as a whole; import names from it"
        if alias.asname and (reason := _name_objection(alias.asname)):
            return reason
    return None


def _attribute_objection(node: ast.Attribute, own: _Own) -> str | None:
    name = node.attr
    if not isinstance(node.ctx, ast.Load) and id(node) not in own.initialised:
        return f"setting the attribute {name}, which could change a library,"
    if name == "__init__" and _is_super(node.value) and isinstance(node.ctx, ast.Load):
        return None
    if name.startswith("_") and (name.startswith("__") or name not in own.attributes):
        return f"the attribute {name}"
    if name in ATTRIBUTES or name in own.attributes:
        return None
    return f"the attribute {name}"


def _is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
    )


def _name_objection(name: str, own: _Own | None = None) -> str | None:
    if name == "__all__":
        return None
    if name.startswith("__") or name in NEVER:
        return f"the name {name}"
    bound = own is not None and name in own.names
    if hasattr(builtins, name) and name not in SAFE_BUILTINS and not bound:
        return f"the name {name}"
    return None


def _function_objection(node: ast.FunctionDef) -> str | None:
    if node.name == "__init__":
        return None
    for decorator in node.decorator_list:
        if not (isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "property")):
            return f"a decorator of {node.name}"
    return _name_objection(node.name)


def _constant_objection(value: object) -> str | None:
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "an integer above 2^64"
    if isinstance(value, bytes):
        return "a bytes literal"
    if isinstance(value, str) and len(value) > MAX_STRING:
        return f"a string of more than {MAX_STRING} characters"
    return None


def restricted_builtins() -> dict[str, object]:
    """The builtins that the text runs with.

    `__import__` is the real one: the text cannot name it, its import statements were checked, and
    array libraries import their own parts late, through the builtins of whoever called them.
    """
    return {
        **{name: getattr(builtins, name) for name in SAFE_BUILTINS},
        "__build_class__": builtins.__build_class__,
        "__import__": builtins.__import__,
    }
