"""Exact scalars and schedule formulas as expression trees of the emitted code."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from flint import fmpq

from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import Radical, Scalar
from symbolic_pe.algebra.symbols import (
    exponential_argument,
    is_constant_symbol,
    is_exponential,
    is_logarithm,
    logarithm_argument,
)
from symbolic_pe.emit.trees import (
    FUNCTIONS,
    Node,
    UnsupportedExpression,
    call,
    negate,
    number,
    power,
    product,
    total,
)

# -- exact scalars ----------------------------------------------------------------------------


def from_scalar(x: Scalar, arguments: Mapping[str, str]) -> Node:
    """A scalar as an expression in its parameters, its polynomials in factored form.

    Factored forms keep small differences accurate: w²z² − w² is printed w**2 * (z + 1) * (z − 1).
    `arguments` gives the names of the parameters in the emitted code.
    """
    if not x.parameters():
        return number(x)
    terms = sorted(x.terms.items(), key=lambda item: tuple((a.text, e.p, e.q) for a, e in item[0]))
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
    return _scaled(constant, above, below)


def _scaled(constant: Scalar, above: list[Node], below: list[Node]) -> Node:
    """constant·Π above / Π below, a rational constant shared between the two."""
    denominators = list(below)
    top = number(constant)
    if constant.is_rational() and not isinstance(top, ast.Constant):
        value = constant.rational_value()
        top = ast.Constant(int(value.p))
        denominators.insert(0, ast.Constant(int(value.q)))
    numerator = product([top, *above])
    if not denominators:
        return numerator
    return ast.BinOp(numerator, ast.Div(), product(denominators))


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
        parts.append(_scaled(constant, factors, []))
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
    the same text is only rewritten. Raises `UnsupportedExpression`.
    """
    try:
        tree = ast.parse(formula.replace("^", "**").strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise UnsupportedExpression(formula) from None
    return _translated(tree, constants, arguments)


def _translated(node: Node, constants: Mapping[str, Scalar], arguments: Mapping[str, str]) -> Node:
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
    raise UnsupportedExpression(ast.dump(node))
