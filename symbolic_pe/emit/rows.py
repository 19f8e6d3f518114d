"""Values over heads (rows) and members (columns): what they have in common."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.trees import Node, evaluate, names_in

Rows = tuple[tuple[Scalar, ...], ...]

# A formula is printed when binary64 arithmetic gives its exact values to 8 units in the last
# place: what a correctly rounded power base**x loses when x is rounded and |x·ln base| < 14.
FORMULA_TOLERANCE = 8 * 2.0**-52


def collapsed(rows: Rows) -> Rows:
    """One column when all members agree, one row when all heads agree."""
    if all(x == row[0] for row in rows for x in row):
        rows = tuple(row[:1] for row in rows)
    return rows[:1] if all(row == rows[0] for row in rows) else rows


def single(rows: Rows) -> Scalar | None:
    """The one value, when there is one."""
    return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else None


def negative(rows: Rows) -> Rows:
    """−x for every value."""
    return tuple(tuple(-x for x in row) for row in rows)


def has_parameters(rows: Rows) -> bool:
    """True when a value depends on a parameter."""
    return any(x.parameters() for row in rows for x in row)


def ratio(rows: Rows, known: Rows) -> Scalar | None:
    """The rational r ≠ 0 with rows = r·known."""
    if len(rows) != len(known) or len(rows[0]) != len(known[0]):
        return None
    pairs = [(x, y) for a, b in zip(rows, known, strict=True) for x, y in zip(a, b, strict=True)]
    leaders = [x / y for x, y in pairs if not y.is_zero()]
    if not leaders or leaders[0].is_zero() or not leaders[0].is_rational():
        return None
    return leaders[0] if all(x == leaders[0] * y for x, y in pairs) else None


def common_factor(rows: Rows) -> tuple[Scalar, Rows] | None:
    """f, and numbers r with rows = r·f."""
    leader = next(x for row in rows for x in row if x.parameters())
    if len(leader.terms) == 1:
        (coefficient,) = leader.terms.values()
        constant, _ = coefficient.factors()
        leader = leader * Scalar.rational(fmpq(1) / constant)
    ratios = tuple(tuple(x / leader for x in row) for row in rows)
    return None if has_parameters(ratios) else (leader, ratios)


def evaluates_to(node: Node, rows: Rows, arguments: Mapping[str, str]) -> bool:
    """Compare a formula, in binary64 arithmetic, with the exact values it stands for."""
    sample = {p: fmpq(1009 + 17 * i, 977 + 5 * i) for i, p in enumerate(sorted(arguments))}
    exact = {p: arb(value) for p, value in sample.items()}
    known = {arguments[p]: int(v.p) / int(v.q) for p, v in sample.items()}
    for h, row in enumerate(rows):
        for j, x in enumerate(row):
            expected = x.to_float(exact)
            try:
                value = evaluate(node, {**known, "j": float(j), "h": float(h)})
            except (ArithmeticError, ValueError, TypeError, KeyError):
                return False
            if not abs(value - expected) <= FORMULA_TOLERANCE * abs(expected):
                return False
    return True


def needs_float_indices(node: Node) -> bool:
    """Integer indices would stay integers, or be the base of a power."""
    parts = list(ast.walk(node))
    powers = [n for n in parts if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]
    if any(names_in(n.left) for n in powers):
        return True
    divides = any(isinstance(n, ast.Div) for n in parts)
    return not (divides or powers or any(isinstance(n, ast.Call) for n in parts))


def affine(rows: Sequence[Sequence[int]], row_index: str, column_index: str) -> str | None:
    """start + a·row + b·column as text, for several rows of channels."""
    start = rows[0][0]
    a = rows[1][0] - start if len(rows) > 1 else 0
    b = rows[0][1] - start if len(rows[0]) > 1 else 0
    if a <= 0 or b < 0:
        return None
    if any(c != start + a * i + b * j for i, row in enumerate(rows) for j, c in enumerate(row)):
        return None
    steps = [(a, row_index), (b, column_index)]
    parts = [text if step == 1 else f"{step} * {text}" for step, text in steps if step]
    return " + ".join([str(start), *parts] if start else parts)
