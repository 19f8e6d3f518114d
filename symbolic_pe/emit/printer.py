"""Text of expression trees, spaced as `ruff format` spaces it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from symbolic_pe.algebra.symbols import PI
from symbolic_pe.emit.trees import Node, UnsupportedExpression, names_in, value_of

_SIMPLE = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?|[A-Za-z_][\w.]*")
_ADD, _MULTIPLY, _NEGATE, _POWER, _ATOM = range(1, 6)


@dataclass(frozen=True)
class Printer:
    """Text of a tree, spaced as `ruff format` spaces it.

    array    prefix of functions of arrays (`np`)
    scalar   prefix of functions of numbers, and of pi (`math`)
    names    what to print for a name, when it is not the name itself
    """

    array: str
    scalar: str
    names: Mapping[str, str] = field(default_factory=dict)

    def text(self, node: Node, level: int = 0) -> str:
        """The expression, in parentheses when its precedence is below `level`.

        >>> tree = ast.parse("-10000.0**(-2*j/128)", mode="eval").body
        >>> Printer("np", "np", {"j": "np.arange(64)"}).text(tree)
        '-(10000.0 ** (-2 * np.arange(64) / 128))'
        """
        match node:
            case ast.Constant():
                text, own = repr(node.value), _NEGATE if value_of(node) < 0 else _ATOM
            case ast.Name(id=name):
                text, own = self.names.get(name, f"{self.scalar}.pi" if name == PI else name), _ATOM
            case ast.UnaryOp(operand=operand):
                text, own = f"-{self.text(operand, _ATOM)}", _NEGATE
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                prefix = self.array if names_in(argument) else self.scalar
                text, own = f"{prefix}.{name}({self.text(argument)})", _ATOM
            case ast.BinOp():
                text, own = self._operation(node)
            case _:
                raise UnsupportedExpression(ast.dump(node))
        return f"({text})" if own < level else text

    def _operation(self, node: ast.BinOp) -> tuple[str, int]:
        match node.op:
            case ast.Add():
                return f"{self.text(node.left, _ADD)} + {self.text(node.right, _MULTIPLY)}", _ADD
            case ast.Sub():
                return f"{self.text(node.left, _ADD)} - {self.text(node.right, _MULTIPLY)}", _ADD
            case ast.Mult():
                left, right = self.text(node.left, _MULTIPLY), self.text(node.right, _POWER)
                return f"{left} * {right}", _MULTIPLY
            case ast.Div():
                left, right = self.text(node.left, _MULTIPLY), self.text(node.right, _POWER)
                return f"{left} / {right}", _MULTIPLY
        base = self.text(node.left, _ATOM)
        literal = isinstance(node.right, ast.Constant)
        exponent = self.text(node.right, _NEGATE if literal else _ATOM)
        hugged = _is_simple(base) and _is_simple(exponent)
        return (f"{base}**{exponent}" if hugged else f"{base} ** {exponent}"), _POWER


def _is_simple(operand: str) -> bool:
    """Numbers, names and attributes, which `ruff format` writes next to `**`."""
    return _SIMPLE.fullmatch(operand) is not None
