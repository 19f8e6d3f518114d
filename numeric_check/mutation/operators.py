"""Mutation operators: each names one kind of slip and spells what it makes of a node."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Protocol, TypeVar

from numeric_check.mutation.scope import Scope
from numeric_check.mutation.tables import (
    ARITHMETIC,
    COMPARISONS,
    DTYPES,
    FUNCTIONS,
    NOT_COMMUTATIVE,
    STRINGS,
)

_Node = TypeVar("_Node", bound=ast.AST)


class Operator(Protocol):
    """One kind of slip."""

    @property
    def name(self) -> str:
        """How tables and reports call it."""
        ...

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """Source texts that take the place of the node."""
        ...


def _spelled(node: ast.AST) -> str:
    text = ast.unparse(node)
    plain = isinstance(
        node, (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.Tuple, ast.List)
    )
    return text if plain or not isinstance(node, ast.expr) else f"({text})"


def _with(node: _Node, **fields: object) -> _Node:
    """A copy with some fields replaced."""
    made = deepcopy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _swapped(items: Sequence[_Node]) -> Iterator[list[_Node]]:
    """Two neighbours change places."""
    for i in range(len(items) - 1):
        yield [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


def _dropped(items: Sequence[_Node]) -> Iterator[list[_Node]]:
    """One is left out."""
    for i in range(len(items)):
        yield [*items[:i], *items[i + 1 :]]


@dataclass(frozen=True)
class Arithmetic:
    """Another operator, one operand alone, or the operands of a difference exchanged."""

    name: str = "operator"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For a binary operation."""
        if not isinstance(node, ast.BinOp):
            return
        for kind in ARITHMETIC.get(type(node.op), ()):
            yield _spelled(_with(node, op=kind()))
        yield _spelled(node.left)
        yield _spelled(node.right)
        if isinstance(node.op, NOT_COMMUTATIVE):
            yield _spelled(_with(node, left=node.right, right=node.left))


@dataclass(frozen=True)
class Sign:
    """A sign left out, or put before an operand."""

    name: str = "sign"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For unary operations, operands of binary ones, and arguments."""
        if isinstance(node, ast.UnaryOp):
            yield _spelled(node.operand)
        elif (isinstance(node, ast.expr) and isinstance(scope.parent, ast.BinOp)) or (
            isinstance(node, ast.Name) and self._is_argument(node, scope.parent)
        ):
            yield _spelled(ast.UnaryOp(ast.USub(), node))

    @staticmethod
    def _is_argument(node: ast.Name, parent: ast.AST) -> bool:
        return isinstance(parent, ast.Call) and node in parent.args


@dataclass(frozen=True)
class Comparison:
    """Another comparison, or its negation; a condition that always or never holds."""

    name: str = "comparison"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For comparisons, connectives and conditions."""
        if isinstance(node, ast.Compare):
            for i, op in enumerate(node.ops):
                for kind in COMPARISONS[type(op)]:
                    yield _spelled(_with(node, ops=[*node.ops[:i], kind(), *node.ops[i + 1 :]]))
            if len(node.ops) > 1:
                for side in (slice(None, -1), slice(1, None)):
                    operands = [node.left, *node.comparators]
                    kept = operands[side]
                    yield _spelled(ast.Compare(kept[0], node.ops[side], kept[1:]))
        if isinstance(node, ast.BoolOp):
            yield _spelled(_with(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or()))
            for values in _dropped(node.values):
                yield _spelled(values[0] if len(values) == 1 else _with(node, values=values))
        if isinstance(scope.parent, (ast.If, ast.IfExp)) and node is scope.parent.test:
            yield from ("True", "False")


@dataclass(frozen=True)
class Constant:
    """A number that is off by one, by its sign, by a millionth; another truth value or string."""

    name: str = "constant"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For literals."""
        if isinstance(node, ast.JoinedStr):
            yield "'message'"
        if not isinstance(node, ast.Constant):
            return
        value = node.value
        if isinstance(value, bool):
            yield repr(not value)
        elif isinstance(value, int):
            yield from (str(value + 1), f"({value - 1})", f"({-value})")
        elif isinstance(value, float):
            off = (value + 1.0, -value, value * (1.0 + 1e-6)) if value else (1.0,)
            yield from (f"({x!r})" if x < 0 else repr(x) for x in off)
        elif isinstance(value, str):
            yield from map(repr, STRINGS.get(value, ()))
            if value.islower() and len(value) < 4 and value not in STRINGS:
                yield from (repr("".join(x)) for x in _dropped_letters(value))
        elif value is Ellipsis:
            yield from (":", "0") if isinstance(scope.parent, (ast.Subscript, ast.Tuple)) else ()


def _dropped_letters(text: str) -> Iterator[str]:
    for i in range(len(text)):
        yield text[:i] + text[i + 1 :]


@dataclass(frozen=True)
class Index:
    """A bound or step left out, an index left out, neighbouring entries exchanged."""

    name: str = "index"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For slices, subscripts, tuples and lists."""
        if isinstance(node, ast.Slice):
            for part in ("lower", "upper", "step"):
                if getattr(node, part) is not None:
                    yield ast.unparse(_with(node, **{part: None}))
            for part in ("lower", "upper"):
                if getattr(node, part) is None:
                    yield ast.unparse(_with(node, **{part: ast.Constant(1)}))
        elif isinstance(node, ast.Subscript):
            yield _spelled(node.value)
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            yield from (self._spelled(node, x, scope) for x in _swapped(node.elts))
            yield from (self._spelled(node, x, scope) for x in _dropped(node.elts))
        elif isinstance(node, ast.Tuple):
            yield from (ast.unparse(_with(node, elts=x)) for x in _swapped(node.elts))

    @staticmethod
    def _spelled(node: ast.Tuple | ast.List, items: list[ast.expr], scope: Scope) -> str:
        inner = ", ".join(ast.unparse(x) for x in items)
        if isinstance(node, ast.List):
            return f"[{inner}]"
        if isinstance(scope.parent, ast.Subscript) and items:
            return f"{inner}," if len(items) == 1 else inner
        return f"({inner},)" if len(items) == 1 else f"({inner})"


@dataclass(frozen=True)
class Name:
    """One name for another: dtypes, functions of the library, functions, constants and variables
    of the text.
    """

    name: str = "name"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For names and attributes that are read."""
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            for other in FUNCTIONS.get(node.attr, ()):
                yield _spelled(_with(node, attr=other))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._others(node.id, scope)

    @staticmethod
    def _others(name: str, scope: Scope) -> Iterator[str]:
        if name in scope.locals:
            yield _next(name, scope.locals)
        elif name in scope.constants:
            yield _next(name, scope.constants)
        elif name in scope.functions:
            alike = [f for f, n in scope.functions.items() if n == scope.functions[name]]
            yield _next(name, alike)
        else:
            yield from FUNCTIONS.get(name, ())


def _next(name: str, names: Sequence[str]) -> str:
    """The name after this one, around the corner."""
    return names[(names.index(name) + 1) % len(names)]


@dataclass(frozen=True)
class Dtype:
    """Another dtype."""

    name: str = "dtype"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For attributes that name one."""
        if isinstance(node, ast.Attribute):
            for kinds in DTYPES:
                if node.attr in kinds:
                    yield from (_spelled(_with(node, attr=k)) for k in kinds if k != node.attr)


@dataclass(frozen=True)
class Call:
    """A call left out, an argument or keyword left out, neighbouring arguments exchanged."""

    name: str = "call"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For calls."""
        if not isinstance(node, ast.Call):
            return
        if isinstance(node.func, ast.Attribute) and not self._is_library(node.func.value):
            yield _spelled(node.func.value)
        if node.args and not isinstance(node.args[0], ast.Starred):
            yield _spelled(node.args[0])
        yield from (_spelled(_with(node, args=x)) for x in _swapped(node.args))
        yield from (_spelled(_with(node, args=x)) for x in _dropped(node.args))
        yield from (_spelled(_with(node, keywords=x)) for x in _dropped(node.keywords))

    @staticmethod
    def _is_library(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in ("np", "torch", "xp", "nn", "math")


@dataclass(frozen=True)
class Statement:
    """A statement left out."""

    name: str = "statement"

    def variants(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        """For everything that stands alone on a line, and for branches."""
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Return, ast.If)):
            yield "pass"


OPERATORS: tuple[Operator, ...] = (
    Arithmetic(), Sign(), Comparison(), Constant(), Index(), Name(), Dtype(), Call(), Statement(),
)  # fmt: skip
NAMES: Mapping[str, Operator] = {operator.name: operator for operator in OPERATORS}

__all__ = ["NAMES", "OPERATORS", "Operator"]
