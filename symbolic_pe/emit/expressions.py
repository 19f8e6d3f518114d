"""Exact scalars and schedule formulas as expression trees, and their text in a target.

Trees are nodes of the standard `ast` module, restricted to numbers, names, + − * / ** and calls of
sqrt, exp, log, cosh, sinh. Nothing here is evaluated as code; `evaluate` computes in binary64 the
way an array library would, so that a formula can be compared with the exact values it stands for.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flint import fmpq

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Radical, Scalar
from symbolic_pe.algebra.symbols import (
    PI,
    exponential_argument,
    is_constant_symbol,
    is_exponential,
    is_logarithm,
    logarithm_argument,
)

Node = ast.expr
FUNCTIONS = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "cosh": math.cosh,
    "sinh": math.sinh,
}
MAX_EXACT = 2**53
_SIMPLE = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?|[A-Za-z_][\w.]*")


class UnsupportedFormula(ValueError):
    """A schedule formula outside what is printed; the numbers are printed instead."""


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
    return isinstance(node, ast.Constant) and _value(node) < 0


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
            result, factor = negate(result), negate(factor)
            if is_number(factor, 1):
                continue
        result = ast.BinOp(result, ast.Mult(), factor)
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


# -- exact scalars ----------------------------------------------------------------------------


def from_scalar(x: Scalar, arguments: Mapping[str, str]) -> Node:
    """A scalar as an expression in its parameters, its polynomials in factored form.

    Factored forms keep small differences accurate: w²z² − w² is printed w**2 * (z + 1) * (z − 1).
    `arguments` gives the names of the parameters in the emitted code.
    """
    if not x.parameters():
        return number(x)
    terms = sorted(
        x.terms.items(), key=lambda item: tuple((a.text, e.p, e.q) for a, e in item[0])
    )
    return total([_term(radical, c, arguments) for radical, c in terms])


def _term(radical: Radical, coefficient: RationalFunction, arguments: Mapping[str, str]) -> Node:
    rational, factors = coefficient.factors()
    constant = Scalar.rational(rational)
    above: list[Node] = []
    below: list[Node] = []
    for factor, exponent in factors:
        if _is_constant(factor):
            constant = constant * Scalar({(): factor}) ** exponent
            continue
        node = power(_polynomial(factor, arguments), ast.Constant(abs(exponent)))
        (above if exponent > 0 else below).append(node)
    for atom, e in radical:
        if _is_constant(atom.value):
            constant = constant * Scalar.monomial({atom: e}, RationalFunction(1))
        elif e == fmpq(1, 2):
            above.append(call("sqrt", _polynomial(atom.value, arguments)))
        else:
            above.append(power(_polynomial(atom.value, arguments), number(Scalar.rational(e))))
    if constant.is_rational() and abs(constant.rational_value().q) < MAX_EXACT:
        value = constant.rational_value()
        top = number(Scalar.rational(fmpq(value.p)))
        if value.q != 1:
            below.insert(0, ast.Constant(int(value.q)))
    else:
        top = number(constant)
    numerator = product([top, *above])
    return ast.BinOp(numerator, ast.Div(), product(below)) if below else numerator


def _polynomial(element: RationalFunction, arguments: Mapping[str, str]) -> Node:
    """A polynomial as a sum of monomials, constants such as π evaluated."""
    parts: list[Node] = []
    for monomial, rational in element.numerator_terms():
        constant = Scalar.rational(rational)
        factors: list[Node] = []
        for name, exponent in monomial.items():
            if is_constant_symbol(name):
                constant = constant * Scalar.symbol(name) ** exponent
            else:
                factors.append(power(_symbol(name, arguments), ast.Constant(exponent)))
        parts.append(product([number(constant), *factors]))
    return total(parts)


def _symbol(name: str, arguments: Mapping[str, str]) -> Node:
    if is_exponential(name):
        return call("exp", from_scalar(exponential_argument(name), arguments))
    if is_logarithm(name):
        return call("log", ast.Name(arguments[logarithm_argument(name)]))
    return ast.Name(arguments[name])


def _is_constant(element: RationalFunction) -> bool:
    return all(is_constant_symbol(n) for n in element.used_names())


# -- schedule formulas ------------------------------------------------------------------------


def from_formula(
    formula: str, constants: Mapping[str, Scalar], arguments: Mapping[str, str]
) -> Node:
    """A formula of the input grammar in the indices j and h, its constants filled in.

    The planner has already read it with the package's own parser and compared it exactly; here
    the same text is only rewritten. Raises `UnsupportedFormula`.
    """
    try:
        tree = ast.parse(formula.replace("^", "**").strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise UnsupportedFormula(formula) from None
    return _translated(tree, constants, arguments)


def _translated(
    node: Node, constants: Mapping[str, Scalar], arguments: Mapping[str, str]
) -> Node:
    def image(part: Node) -> Node:
        return _translated(part, constants, arguments)

    match node:
        case ast.Constant(value=int() | float()):
            return node
        case ast.Name(id="j" | "h" | "pi"):
            return node
        case ast.Name(id=name) if name in constants:
            return from_scalar(constants[name], arguments)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return image(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negate(image(operand))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return power(image(left), image(right))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op):
            return ast.BinOp(image(left), op, image(node.right))
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in FUNCTIONS:
            return call(name, image(argument))
    raise UnsupportedFormula(ast.dump(node))


# -- evaluation -------------------------------------------------------------------------------


def evaluate(node: Node, values: Mapping[str, float]) -> float:
    """The value in binary64 arithmetic, operation by operation."""
    match node:
        case ast.Constant():
            return _value(node)
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
    raise UnsupportedFormula(ast.dump(node))


def _value(node: ast.Constant) -> float:
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


# -- text -------------------------------------------------------------------------------------

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
                text, own = repr(node.value), _NEGATE if _value(node) < 0 else _ATOM
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
                raise UnsupportedFormula(ast.dump(node))
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
