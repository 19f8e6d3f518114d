"""What the text of a kernel may contain. Decided on its syntax tree, before anything runs.

A kernel is array arithmetic, so everything is refused that is not named here: statements,
imports, builtins, attributes. What is named cannot reach files, processes, pickles or frames.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symbolic_pe.errors import KernelError

MAX_CHARACTERS = 8 * 2**20
MAX_NODES = 2_000_000
MAX_INTEGER = 2**64
MAX_STRING = 20_000

_NODES: tuple[type[ast.AST], ...] = (
    ast.Module, ast.Import, ast.ImportFrom, ast.alias,
    ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.arguments, ast.arg, ast.Return,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.Global,
    ast.If, ast.IfExp, ast.For, ast.With, ast.withitem, ast.Raise, ast.Assert,
    ast.Pass, ast.Continue, ast.Break, ast.Expr,
    ast.Call, ast.keyword, ast.Attribute, ast.Name, ast.Constant, ast.Starred,
    ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
    ast.JoinedStr, ast.FormattedValue, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip

_BUILTINS = (
    "abs all any bool complex dict divmod enumerate filter float frozenset int isinstance iter "
    "len list map max min next object property range reversed round set slice sorted "
    "staticmethod str sum super tuple zip "
    "ArithmeticError AssertionError Exception IndexError KeyError NotImplementedError "
    "OverflowError RuntimeError TypeError ValueError"
)
_TYPING_NAMES = (
    "Annotated Any Callable Final Iterable Literal Mapping Optional Sequence TypeAlias Union "
    "TYPE_CHECKING"
)
_NEVER_NAMES = (
    "eval exec compile open getattr setattr delattr hasattr globals locals vars dir input "
    "breakpoint memoryview type help exit quit"
)
_SHARED = (
    "abs absolute add all allclose amax amin any arange argmax argmin argsort array asarray "
    "atleast_1d atleast_2d bool bool_ broadcast_to cat clip complex complex128 complex64 "
    "concat concatenate conj copysign cos cosh cumsum deg2rad diag diagonal diff divide dot "
    "dtype e einsum empty empty_like equal errstate exp exp2 expand_dims expm1 eye finfo flip "
    "float16 float32 float64 floor floor_divide fmod full full_like greater greater_equal "
    "half hypot iinfo imag inf int16 int32 int64 int8 integer isfinite isinf isnan less "
    "less_equal linspace log log10 log1p log2 logical_and logical_not logical_or matmul "
    "maximum mean meshgrid min minimum mod moveaxis multiply nan nan_to_num ndarray ndim "
    "negative newaxis nonzero ones ones_like outer pi power prod product ravel real "
    "reciprocal remainder repeat reshape result_type rint roll round sign signbit sin sinc "
    "sinh size sqrt square squeeze stack subtract sum swapaxes take clamp take_along_axis tan tanh "
    "tensordot tile trace transpose tril triu true_divide trunc uint16 uint32 uint64 uint8 "
    "unique vstack hstack where zeros zeros_like max broadcast_shapes broadcast_arrays "
    "broadcast_tensors promote_types can_cast issubdtype floating number inexact generic "
    "double single longdouble float_ identity kron isin split unstack ascontiguousarray "
    "permute_dims vecdot "
)
_METHODS = (
    "T mT kind std var median mode shape astype copy item tolist flatten view fill itemsize nbytes "
    "append extend items keys values get index count join startswith endswith lower upper strip "
    "setdefault update bit_length is_integer"
)
_MATH = "comb exp factorial fsum gcd isclose isqrt lcm log pow prod tau"
_TORCH = (
    "nn Module functional Tensor Parameter ParameterList ModuleList Buffer Identity Linear "
    "Sequential tensor as_tensor from_numpy is_floating_point is_complex is_tensor device cpu "
    "bfloat16 bool dtype long int float double no_grad inference_mode autocast enabled "
    "register_buffer register_parameter to type type_as expand expand_as unsqueeze unbind chunk "
    "narrow select index_select gather scatter masked_fill dim numel contiguous permute detach "
    "clone new_zeros new_ones new_empty new_tensor new_full requires_grad requires_grad_ "
    "requires_grad polar view_as_complex view_as_real rsqrt addcmul lerp movedim is_contiguous "
    "persistent is_cuda get_default_dtype softmax linear pad normalize bmm einsum block_diag "
    "matrix_power pow neg scalar_tensor forward extra_repr train Size vander cosine sgn "
    "flatten unflatten layout parameters buffers"
)
SAFE_BUILTINS = frozenset(_BUILTINS.split())
_NEVER = frozenset(_NEVER_NAMES.split())
ATTRIBUTES = frozenset(" ".join((_SHARED, _METHODS, _MATH, _TORCH)).split())

_MODULES: Mapping[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "collections.abc": frozenset(("Callable", "Iterable", "Iterator", "Mapping", "Sequence")),
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "typing": frozenset(_TYPING_NAMES.split()),
    "numpy": ATTRIBUTES,
    "torch": ATTRIBUTES,
    "torch.nn": ATTRIBUTES,
    "torch.nn.functional": ATTRIBUTES,
}
LIBRARIES = frozenset({"numpy", "torch"})


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
            if not any(hasattr(o, name) for o in library_objects):
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
        if node.level or module not in _MODULES or module.split(".")[0] in others:
            return f"import from {'.' * node.level}{module}"
        allowed = _MODULES[module]
        for alias in node.names:
            if alias.name not in allowed:
                return f"import of {alias.name} from {module}"
            if alias.asname and (reason := _name_objection(alias.asname)):
                return reason
        return None
    for alias in node.names:
        if alias.name not in _MODULES or alias.name.split(".")[0] in others:
            return f"import of {alias.name}"
        if alias.name in ("typing", "collections.abc", "__future__"):
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
    if name.startswith("__") or name in _NEVER:
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
