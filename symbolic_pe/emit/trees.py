"""Expression trees: numbers, names, + − * / ** and calls of sqrt, exp, log, cosh, sinh.

They are nodes of the standard `ast` module. Nothing here is evaluated as code; `evaluate` computes
in binary64 the way an array library would, so that a formula can be compared with the exact values
it stands for.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from flint import fmpq

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.algebra.symbols import PI

Node = ast.expr
FUNCTIONS = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "cosh": math.cosh,
    "sinh": math.sinh,
}
MAX_EXACT = 2**53


class UnsupportedExpression(ValueError):
    """A tree or formula outside what is printed."""


# -- construction -----------------------------------------------------------------------------


def number(x: Scalar) -> Node:
    """A number without parameters: integers and short decimals exactly, p/q, else binary64.

    >>> ast.unparse(number(Scalar.rational(fmpq(-3, 4))))
    '-0.75'
    """
    if x.is_rational():
        value = x.rational_value()
        p, q = int(value.p), int(value.q)
        if q == 1 and abs(p) < MAX_EXACT:
            return ast.Constant(p)
        if abs(p) < MAX_EXACT and q < MAX_EXACT:
            short = repr(p / q)
            if len(short) <= 8 and fmpq(*(p / q).as_integer_ratio()) == value:
                return ast.Constant(p / q)
            if len(str(p)) + len(str(q)) <= 12:
                return ast.BinOp(ast.Constant(p), ast.Div(), ast.Constant(q))
    return ast.Constant(x.to_float())


def is_negative(node: Node) -> bool:
    """True when the text begins with a minus."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        node = node.left
    if isinstance(node, ast.UnaryOp):
        return True
    return isinstance(node, ast.Constant) and value_of(node) < 0


def negate(node: Node) -> Node:
    """−x, the sign taken off or put on the first factor."""
    if isinstance(node, ast.Constant):
        value = node.value
        assert isinstance(value, int | float)
        return ast.Constant(-value)
    if isinstance(node, ast.UnaryOp):
        return node.operand
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        left = negate(node.left)
        if isinstance(node.op, ast.Mult) and is_number(left, 1):
            return node.right
        return ast.BinOp(left, node.op, node.right)
    return ast.UnaryOp(ast.USub(), node)


def is_number(node: Node, value: int) -> bool:
    """True for this constant."""
    return isinstance(node, ast.Constant) and node.value == value


def product(factors: Sequence[Node]) -> Node:
    """x·y·z, leaving out ones and moving a −1 into a sign; 1 for none."""
    kept = [f for f in factors if not is_number(f, 1)]
    if not kept:
        return ast.Constant(1)
    if is_number(kept[0], -1) and len(kept) > 1:
        return negate(product(kept[1:]))
    result = kept[0]
    for factor in kept[1:]:
        if is_negative(factor):
            result = negate(result)
        size = negate(factor) if is_negative(factor) else factor
        result = result if is_number(size, 1) else ast.BinOp(result, ast.Mult(), size)
    return result


def total(parts: Sequence[Node]) -> Node:
    """x + y − z; 0 for none."""
    if not parts:
        return ast.Constant(0)
    result = parts[0]
    for part in parts[1:]:
        if is_negative(part):
            result = ast.BinOp(result, ast.Sub(), negate(part))
        else:
            result = ast.BinOp(result, ast.Add(), part)
    return result


def call(function: str, argument: Node) -> Node:
    """f(x) for a function of `FUNCTIONS`."""
    return ast.Call(ast.Name(function), [argument], [])


def power(base: Node, exponent: Node) -> Node:
    """x**y; x for y = 1, with integer bases written as floats."""
    if is_number(exponent, 1):
        return base
    if isinstance(base, ast.Constant) and isinstance(base.value, int):
        base = ast.Constant(float(base.value))
    return ast.BinOp(base, ast.Pow(), exponent)


# -- evaluation -------------------------------------------------------------------------------


def evaluate(node: Node, values: Mapping[str, float]) -> float:
    """The value in binary64 arithmetic, operation by operation."""
    match node:
        case ast.Constant():
            return value_of(node)
        case ast.Name(id="pi"):
            return math.pi
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(operand=operand):
            return -evaluate(operand, values)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return FUNCTIONS[name](evaluate(argument, values))
        case ast.BinOp(left=left, op=op, right=right):
            a, b = evaluate(left, values), evaluate(right, values)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
                case ast.Pow():
                    return float(a**b)
    raise UnsupportedExpression(ast.dump(node))


def value_of(node: ast.Constant) -> float:
    """The value of a number."""
    assert isinstance(node.value, int | float)
    return float(node.value)


def names_in(node: Node) -> set[str]:
    """Names that occur, functions and π excepted."""
    functions = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    return {
        n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and id(n) not in functions and n.id != PI
    }
