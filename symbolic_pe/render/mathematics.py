"""LaTeX for exact values: one printer over the grammar in which all of them print themselves.

Numbers, functions of t and eigenvalues print as `-1/32*t + exp(a*t)*cos(w*t)`. That text is read
into a syntax tree (Python's, with ^ for powers; nothing is evaluated) and written as LaTeX.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from symbolic_pe.proof.evidence import Shown, is_matrix

LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi pi rho sigma tau phi chi "
    "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
GREEK = frozenset(LETTERS.split())
FUNCTIONS = frozenset(("cos", "sin", "tan", "cosh", "sinh", "tanh", "log", "max", "min"))
LONGEST = 2000
"""Characters of a text that is still written as mathematics; longer ones stay as they are."""
SUM, PRODUCT, UNARY, POWER, ATOM = range(5)
NAME = re.compile(r"([A-Za-z]+)_?([0-9A-Za-z]*)")
SUBSCRIPTED = re.compile(r"([A-Za-z])([0-9]+)")


class _NoFormula(Exception):
    """The text is not in the grammar."""


def formula(text: str) -> str | None:
    r"""A printed value as LaTeX, or None where it is not in the grammar.

    >>> formula("-1/32*t + exp(-a*t)*cos(w1*t)")
    '-\\frac{1}{32} t + e^{-a t} \\cos(w_{1} t)'
    >>> formula("10^(-1/16)*I")
    '10^{-1/16} i'
    >>> formula("holds; for m = 0") is None
    True
    """
    if len(text) > LONGEST or "**" in text:
        return None
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
        return _write(tree.body, small=False)[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError, _NoFormula):
        return None


def tex(value: object) -> str | None:
    """Any value of evidence as LaTeX: `Shown`, matrices, values in the grammar; else None."""
    if isinstance(value, Shown):
        return value.tex
    if isinstance(value, bool):
        return None
    if is_matrix(value):
        assert isinstance(value, (list, tuple))
        return matrix(value)
    if isinstance(value, (list, tuple)):
        items = [tex(item) for item in value]
        if not items or any(item is None for item in items):
            return None
        return r"\left(" + ",\\; ".join(item for item in items if item) + r"\right)"
    return formula(str(value))


def matrix(rows: Sequence[Sequence[object]]) -> str | None:
    r"""Rows as a LaTeX matrix; None where an entry is no formula.

    >>> matrix([[0, 1], ["t/2", 0]])
    '\\begin{pmatrix} 0 & 1 \\\\ \\tfrac{t}{2} & 0 \\end{pmatrix}'
    """
    written = [[tex(entry) for entry in row] for row in rows]
    if any(entry is None for row in written for entry in row):
        return None
    lines = r" \\ ".join(
        " & ".join(str(entry).replace(r"\frac", r"\tfrac") for entry in row) for row in written
    )
    return rf"\begin{{pmatrix}} {lines} \end{{pmatrix}}"


def _write(node: ast.expr, *, small: bool) -> tuple[str, int]:
    """LaTeX and how tightly it binds; `small` writes quotients on one line, as in exponents."""
    match node:
        case ast.Constant(value=int() | float()):
            return str(node.value), ATOM
        case ast.Name(id=name):
            return _name(name), ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "-" + _within(operand, PRODUCT, small=small), SUM
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            first, second = (_within(part, SUM, small=small) for part in (left, right))
            if second.startswith("-"):
                second = f"({second})"
            return f"{first} + {second}", SUM
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            first = _within(left, SUM, small=small)
            return f"{first} - {_within(right, PRODUCT, small=small)}", SUM
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _product(left, right, small=small)
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return _quotient(left, right, small=small)
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            exponent = _write(right, small=True)[0]
            return f"{_within(left, ATOM, small=small)}^{{{exponent}}}", POWER
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if arguments:
            return _call(name, arguments, small=small)
    raise _NoFormula


def _within(node: ast.expr, binding: int, *, small: bool) -> str:
    text, found = _write(node, small=small)
    return text if found >= binding else rf"({text})"


def _product(left: ast.expr, right: ast.expr, *, small: bool) -> tuple[str, int]:
    first_factor, others = _first_factor(left)
    if small and isinstance(first_factor, ast.BinOp):
        return _write(_moved_above(first_factor, [*others, right]), small=True)
    negative = isinstance(left, ast.UnaryOp) or _is_negative(left)
    first = _write(left, small=small)[0] if negative else _within(left, PRODUCT, small=small)
    second = _within(right, PRODUCT, small=small)
    if second.startswith("-"):
        second = f"({second})"
    dot = r" \cdot " if second[:1].isdigit() else " "
    return f"{first}{dot}{second}", SUM if negative else PRODUCT


def _first_factor(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """The first factor of a product, where it is a quotient, and the others."""
    others: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        others.insert(0, node.right)
        node = node.left
    quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    return (node if quotient else ast.Name("")), others


def _moved_above(quotient: ast.BinOp, factors: list[ast.expr]) -> ast.expr:
    """(a/b)·c as a·c/b: on one line, `a/b c` would be read as a/(bc)."""
    top, negative = quotient.left, isinstance(quotient.left, ast.UnaryOp)
    if isinstance(top, ast.UnaryOp):
        top = top.operand
    if not (isinstance(top, ast.Constant) and top.value == 1):
        factors = [top, *factors]
    product = factors[0]
    for factor in factors[1:]:
        product = ast.BinOp(product, ast.Mult(), factor)
    if negative:
        product = ast.UnaryOp(ast.USub(), product)
    return ast.BinOp(product, ast.Div(), quotient.right)


def _is_negative(node: ast.expr) -> bool:
    """Whether a product begins with a minus, which then stands before all of it."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        node = node.left
    return isinstance(node, ast.UnaryOp)


def _quotient(left: ast.expr, right: ast.expr, *, small: bool) -> tuple[str, int]:
    sign, top = "", left
    if isinstance(left, ast.UnaryOp):
        sign, top = "-", left.operand
    binding = SUM if sign or _is_negative(top) else PRODUCT
    if small:
        lonely = _is_negative(top)
        above = _write(top, small=True)[0] if lonely else _within(top, PRODUCT, small=True)
        return f"{sign}{above}/{_within(right, POWER, small=True)}", binding
    return rf"{sign}\frac{{{_write(top, small=True)[0]}}}{{{_write(right, small=True)[0]}}}", (
        binding
    )


def _call(name: str, arguments: list[ast.expr], *, small: bool) -> tuple[str, int]:
    if name == "exp" and len(arguments) == 1:
        return f"e^{{{_write(arguments[0], small=True)[0]}}}", POWER
    if name == "sqrt" and len(arguments) == 1:
        return rf"\sqrt{{{_write(arguments[0], small=small)[0]}}}", ATOM
    inner = ", ".join(_write(argument, small=small)[0] for argument in arguments)
    known = rf"\{name}" if name in FUNCTIONS else rf"\operatorname{{{_plain_name(name)}}}"
    return f"{known}({inner})", PRODUCT if name in FUNCTIONS else ATOM


def _name(name: str) -> str:
    if name == "I":
        return "i"
    found = SUBSCRIPTED.fullmatch(name) or NAME.fullmatch(name)
    if found is None:
        raise _NoFormula
    head, below = found.groups()
    if head in GREEK:
        head = rf"\{head}"
    elif len(head) > 1:
        head = rf"\mathrm{{{head}}}"
    if not below:
        return head
    if below in GREEK:
        below = rf"\{below}"
    elif len(below) > 1 and not below.isdigit():
        below = rf"\mathrm{{{below}}}"
    return f"{head}_{{{below}}}"


def _plain_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise _NoFormula
    return name.replace("_", r"\_")
