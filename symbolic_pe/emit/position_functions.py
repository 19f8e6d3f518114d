"""Emit what is no group: a bias or a table of positions, as one function of a file.

The expressions of a `PositionFunction` are Python over arrays with functions by bare name. They are
parsed, every name in them is known, and they are printed for a library; nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symbolic_pe.emit.dialect import Dialect
from symbolic_pe.emit.layout import STEP, docstring, fits, table
from symbolic_pe.emit.names import plain
from symbolic_pe.emit.source import EmittedKernel, with_header
from symbolic_pe.emit.targets import array_api, numpy, target_named, torch
from symbolic_pe.emit.trees import UnsupportedExpression
from symbolic_pe.encodings.outside import NotAGroup, Outside, PositionFunction

FUNCTIONS = (
    "exp", "log", "sqrt", "cos", "sin", "abs", "floor", "clip", "where", "minimum", "maximum",
    "sum", "concat", "stack", "integer",
)  # fmt: skip
"""`sum` is over the last axis, `concat` and `stack` take a list and an axis, `integer` rounds down
numbers that are not negative, `clip` takes two bounds of which one may be None."""
NO_CERTIFICATE = "none: what shows that it is no group has no form in the published format"
_NODES = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant, ast.Subscript,
    ast.Slice, ast.Tuple, ast.List, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_POWER = re.compile(r"(?<![\w.\])])([A-Za-z_]\w*|\d[\d.]*) \*\* (-?(?:\w+|\d[\d.]*))(?![\w.(\[])")


@dataclass(frozen=True)
class _Library:
    """What differs between libraries here.

    promoted  a position in float64, whole  a value in int64
    standard  the array API: axes are keywords, truth values are not summed, and entries are taken
    """

    dialect: Dialect
    imported: str
    promoted: str
    whole: str
    joined: str
    standard: bool = False


LIBRARIES: Mapping[str, _Library] = {
    "numpy": _Library(
        numpy.DIALECT,
        "import numpy as np",
        "{}.astype(np.float64)",
        "({}).astype(np.int64)",
        "concatenate",
    ),
    "torch": _Library(
        torch.DIALECT, "import torch", "{}.to(torch.float64)", "({}).to(torch.int64)", "cat"
    ),
    "array-api": _Library(
        array_api.DIALECT,
        "from array_api_compat import array_namespace",
        "xp.astype({}, xp.float64)",
        "xp.astype({}, xp.int64)",
        "concat",
        standard=True,
    ),
}
VALUES = '''

def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))
'''
PICKED = '''

def _picked(values, index, axis):
    """The entries of one axis at whole numbers, in the place of that axis."""
    xp = array_namespace(values)
    flat = xp.take(values, xp.reshape(index, (-1,)), axis=axis)
    shape = (*values.shape[:axis], *index.shape, *values.shape[axis + 1 :])
    return xp.reshape(flat, shape)
'''


def emit_position_function(
    found: Outside, target: str, *, command: str, certificate: str = NO_CERTIFICATE
) -> EmittedKernel:
    """The file of one target; `command` is what writes it again. Equal arguments give equal bytes.

    certificate  digest of what shows that it is no group; the text is decided by its closed form

    Raises `NotAGroup` where there is no such code, `SpecificationError` for an unknown target.
    """
    target_named(target)
    if found.function is None:
        raise NotAGroup(found)
    body = _body(found, found.function, LIBRARIES[target])
    return with_header(found, body, target, command, certificate)


def _body(found: Outside, function: PositionFunction, library: _Library) -> str:
    dialect = library.dialect
    head, tail = dialect.table
    constants = [
        table(name, head, [[repr(x.to_float()) for x in numbers]], tail)
        for name, numbers in function.constants.items()
    ]
    places = ("query_position", "key_position") if function.kind == "bias" else ("position",)
    lines = _positions(function.kind, library)
    available = {"query", "key", "lag"} if function.kind == "bias" else {"position"}
    like = "lag" if function.kind == "bias" else "position"
    printer = _Expressions(library, {n: dialect.use(n, like) for n in function.constants})
    printer.known |= available | set(function.learned)
    for name, text in function.statements:
        lines.append(f"{STEP}{name} = {printer.text(text)}")
        printer.known.add(name)
    lines.append(f"{STEP}return {printer.text(function.result)}")
    long = next((line for line in lines if not fits(line)), None)
    if long is not None:
        raise UnsupportedExpression(f"{found.name}: split the statement {long.strip()!r}")
    what = f"{plain(found.title or found.name)}: {found.verdict.value}."
    title = docstring(what, [plain(function.equation)], "")
    return "\n".join(
        [
            title,
            "",
            _imported(lines, library),
            "",
            f"DIMENSION = {found.dimension}",
            "HEADS = 1",
            *constants,
            "",
            "",
            f"def {function.kind}({', '.join([*places, *function.learned])}):",
            docstring(_shape(function), [f"{n}: {plain(t)}" for n, t in function.learned.items()]),
            *lines,
            *_helpers(lines, library),
            "",
        ]
    )


def _helpers(lines: Sequence[str], library: _Library) -> list[str]:
    """Functions that the lines call, for the array API."""
    used = [text for name, text in (("_values(", VALUES), ("_picked(", PICKED))
            if library.standard and any(name in line for line in lines)]  # fmt: skip
    return [text.removesuffix("\n") for text in used]


def _imported(lines: Sequence[str], library: _Library) -> str:
    """The import, with `device` where a helper asks for it."""
    needed = any("device(" in text for text in _helpers(lines, library))
    return f"{library.imported}, device" if needed else library.imported


def _shape(function: PositionFunction) -> str:
    if function.kind == "bias":
        return "The bias of all pairs of positions, in float64: (..., queries, keys)."
    return "One row for each position, in float64: (positions, width)."


def _positions(kind: str, library: _Library) -> list[str]:
    """Positions in float64, with the axes that make them broadcast."""
    first = "position" if kind == "table" else "query_position"
    space = [f"{STEP}xp = array_namespace({first})"] if library.standard else []
    if kind == "table":
        return [*space, f"{STEP}position = {library.promoted.format('position')}[:, None]"]
    return [
        *space,
        f"{STEP}query = {library.promoted.format('query_position')}[:, None]",
        f"{STEP}key = {library.promoted.format('key_position')}[None, :]",
        f"{STEP}lag = query - key",
    ]


@dataclass
class _Expressions(ast.NodeTransformer):
    """Prints expressions for one library; raises `UnsupportedExpression` for unknown names."""

    library: _Library
    constants: Mapping[str, str]
    known: set[str] = field(default_factory=set)

    def text(self, expression: str) -> str:
        """The expression, spaced as `ruff format` does."""
        tree = ast.parse(expression, mode="eval").body
        strange = next((n for n in ast.walk(tree) if not isinstance(n, _NODES)), None)
        if strange is not None:
            raise UnsupportedExpression(f"{type(strange).__name__} in {expression!r}")
        printed = ast.unparse(ast.fix_missing_locations(self.visit(tree)))
        return _POWER.sub(r"\1**\2", printed)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A constant where the arrays are, or a name that is known."""
        if node.id in self.constants:
            return ast.parse(self.constants[node.id], mode="eval").body
        if node.id == "pi":
            return ast.parse(f"{self.library.dialect.array}.pi", mode="eval").body
        if node.id not in self.known:
            raise UnsupportedExpression(f"the name {node.id!r} is not known here")
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A function of `FUNCTIONS` of the library."""
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
            raise UnsupportedExpression(f"the call {ast.unparse(node)}")
        arguments = [self.visit(x) for x in node.args]
        name, array = node.func.id, self.library.dialect.array
        if name == "integer":
            return self._whole(arguments[0])
        if name == "sum":
            if self.library.standard and isinstance(node.args[0], ast.Compare):
                arguments[0] = self._whole(arguments[0])
            arguments.append(ast.Constant(-1))
        keywords = []
        if self.library.standard and name in ("sum", "concat", "stack"):
            keywords = [ast.keyword("axis", arguments.pop())]
        name = self.library.joined if name == "concat" else name
        return ast.Call(ast.Attribute(ast.Name(array), name), arguments, keywords)

    def _whole(self, value: ast.expr) -> ast.expr:
        inner = ast.unparse(ast.fix_missing_locations(value))
        return ast.parse(self.library.whole.format(inner), mode="eval").body

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Entries at whole numbers, which the standard takes along one axis."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        names = [i for i, part in enumerate(parts) if isinstance(part, ast.Name)]
        if not self.library.standard or not names:
            self.generic_visit(node)
            return node
        array, index = self.visit(node.value), self.visit(parts[names[0]])
        return ast.Call(ast.Name("_picked"), [array, index, ast.Constant(names[0])], [])
