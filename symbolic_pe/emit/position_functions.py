"""Emit what is no group: a bias or a table of positions, as one function of a file.

The expressions of a `PositionFunction` are Python over arrays with functions by bare name. They are
parsed, every name in them is known, and they are printed for a library; nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from symbolic_pe.emit.dialect import Dialect
from symbolic_pe.emit.layout import STEP, docstring, fits, table
from symbolic_pe.emit.names import plain
from symbolic_pe.emit.source import EmittedKernel, with_header
from symbolic_pe.emit.targets import numpy, target_named, torch
from symbolic_pe.emit.trees import UnsupportedExpression
from symbolic_pe.encodings.outside import NotAGroup, Outside, PositionFunction
from symbolic_pe.errors import NotYetCovered

FUNCTIONS = (
    "exp", "log", "sqrt", "cos", "sin", "abs", "floor", "clip", "where", "minimum", "maximum",
    "sum", "concat", "stack", "integer",
)  # fmt: skip
"""`sum` is over the last axis, `concat` and `stack` take a list and an axis, `integer` rounds down
numbers that are not negative, `clip` takes two bounds of which one may be None."""
NO_CERTIFICATE = "none: it is no group; check decides the text against its closed form"
_NODES = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant, ast.Subscript,
    ast.Slice, ast.Tuple, ast.List, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_POWER = re.compile(r"(?<![\w.\])])([A-Za-z_]\w*|\d[\d.]*) \*\* (-?(?:\w+|\d[\d.]*))(?![\w.(\[])")


@dataclass(frozen=True)
class _Library:
    """What differs between libraries here."""

    dialect: Dialect
    promoted: str
    whole: str
    joined: str


LIBRARIES: Mapping[str, _Library] = {
    "numpy": _Library(numpy.DIALECT, "{}.astype(np.float64)", "astype(np.int64)", "concatenate"),
    "torch": _Library(torch.DIALECT, "{}.to(torch.float64)", "to(torch.int64)", "cat"),
}


def emit_position_function(found: Outside, target: str, *, command: str) -> EmittedKernel:
    """The file of one target; `command` is what writes it again. Equal arguments give equal bytes.

    Raises `NotAGroup` where there is no such code, `NotYetCovered` for a target that prints
    kernels of groups only.
    """
    target_named(target)
    if found.function is None:
        raise NotAGroup(found)
    if target not in LIBRARIES:
        raise NotYetCovered(
            f"{found.name}: a {found.function.kind} of positions for {target}; use "
            f"{' or '.join(LIBRARIES)}"
        )
    body = _body(found, found.function, LIBRARIES[target])
    return with_header(found, body, target, command, NO_CERTIFICATE)


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
    modules = "import numpy as np" if dialect.array == "np" else "import torch"
    what = f"{plain(found.title or found.name)}: {found.verdict.value}."
    title = docstring(what, [plain(function.equation)], "")
    return "\n".join(
        [
            title,
            "",
            modules,
            "",
            f"DIMENSION = {found.dimension}",
            "HEADS = 1",
            *constants,
            "",
            "",
            f"def {function.kind}({', '.join([*places, *function.learned])}):",
            docstring(_shape(function), [f"{n}: {plain(t)}" for n, t in function.learned.items()]),
            *lines,
            "",
        ]
    )


def _shape(function: PositionFunction) -> str:
    if function.kind == "bias":
        return "The bias of all pairs of positions, in float64: (..., queries, keys)."
    return "One row for each position, in float64: (positions, width)."


def _positions(kind: str, library: _Library) -> list[str]:
    """Positions in float64, with the axes that make them broadcast."""
    if kind == "table":
        return [f"{STEP}position = {library.promoted.format('position')}[:, None]"]
    return [
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
            inner = ast.unparse(ast.fix_missing_locations(arguments[0]))
            return ast.parse(f"({inner}).{self.library.whole}", mode="eval").body
        if name == "sum":
            arguments.append(ast.Constant(-1))
        name = self.library.joined if name == "concat" else name
        return ast.Call(ast.Attribute(ast.Name(array), name), arguments, [])
