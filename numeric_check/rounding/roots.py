"""Division by roots and by parameters, and the root of a discriminant, on rounded elements."""

from __future__ import annotations

from numeric_check.rounding import majorant, upward
from numeric_check.rounding.cells import ELSEWHERE, Elsewhere
from numeric_check.rounding.element import Model, Rounded, number
from numeric_check.rounding.majorant import NO_INPUT, ONE, ZERO, Number, Root, Term
from numeric_check.text_proof.exact_element import LeavesTheRing

HALF = 0.5


def divide(model: Model, a: Rounded, b: Rounded, dtype: str) -> Rounded:
    """fl(â/b̂) by an exact constant, and where the text is executed cell by cell by more."""
    if b.constant is None and model.cell is not None:
        return _divided(model, a, b, dtype)
    return model.divide(a, b, dtype)


def _divided(model: Model, a: Rounded, b: Rounded, dtype: str) -> Rounded:
    """By m·r, or by an exact function of parameters that keeps away from 0."""
    assert model.cell is not None
    divisor = b.value.get(ONE)
    if b.value.keys() != {ONE} or divisor is None or b.tiny:
        raise LeavesTheRing("the text divides by what is no constant")
    over, factor = model.cell.as_root(divisor)
    if over is None and upward.below(divisor) == 0.0:
        raise LeavesTheRing("the text divides by a parameter that may be 0")
    relative = _relative_of_divisor(model, b, over, factor)
    size = upward.above(1 / factor)
    own = upward.add(a.relative, upward.scale(relative, model.grown(a.relative)))
    value = {over_root(term, over): c / factor for term, c in a.value.items()}
    away = {over_root(term, over): upward.times(c, size) for term, c in a.error.items()}
    error = majorant.add(away, majorant.by_polynomial(away, relative))
    inverse = majorant.size({Term(NO_INPUT, 0, ZERO, None, over): size}, model.reach).constant
    tiny = upward.times(a.tiny, upward.times(inverse, model.grown(relative)))
    return model.rounded(Rounded(value, error, own, tiny), dtype, flushes=True)


def _relative_of_divisor(
    model: Model, b: Rounded, over: Root | None, factor: Number
) -> upward.Polynomial:
    """|b/b̂ − 1| ≤ ρ/(1 − ρ), ρ relative to b."""
    size = upward.above(1 / factor)
    found = b.relative
    for given, weight in b.error.items():
        term, c = majorant.plain(given, weight)
        if term.input > NO_INPUT or term.rate != ZERO or term.wave is not None:
            raise LeavesTheRing("the text divides by what is no constant")
        part = upward.shift((upward.times(c, size),), term.power)
        for root in (term.over, over):
            if root is not None:
                part = upward.shift(upward.scale(part, root.least), root.power)
        found = upward.add(found, part)
    largest = model.largest(found)
    if largest > HALF:
        raise LeavesTheRing("the text divides by a number that may be far off")
    return upward.scale(found, upward.up(1.0 / (1.0 - largest)))


def sqrt(model: Model, a: Rounded, dtype: str) -> Rounded | Elsewhere:
    """fl(√â), correctly rounded: of 1, or of a discriminant in its cell.

    Another positive number stands in for the discriminant of another cell, and is not read here.

    |√x̂ − √x| ≤ √x·ρ/(1 + √(1 − ρ)) + δ/√x̂ for x̂ = x(1 + ρ) + δ.
    """
    if a.constant == 1:
        return number(1)
    c = a.value.get(ONE)
    if model.cell is None or a.value.keys() != {ONE} or c is None or a.tiny:
        raise LeavesTheRing("the text takes the root of what is no discriminant")
    try:
        symbol, root = model.cell.root(c)
    except LeavesTheRing:
        if a.constant is not None and a.constant > 0:
            return ELSEWHERE
        raise
    if model.largest(a.relative) > HALF:
        raise LeavesTheRing("the text takes the root of a number that may be far off")
    error: dict[Term, float] = {}
    for given, weight in a.error.items():
        term, away = majorant.plain(given, weight)
        if term.input > NO_INPUT or term.rate != ZERO or term.wave is not None:
            raise LeavesTheRing("the text takes the root of what is no discriminant")
        place = over_root(term, root)
        error[place] = upward.plus(error.get(place, 0.0), upward.times(away, 1.5))
    relative = upward.scale(a.relative, upward.times(0.5, model.grown(a.relative)))
    return model.rounded(Rounded({ONE: symbol}, error, relative), dtype)


def over_root(term: Term, root: Root | None) -> Term:
    """A term divided by a root. Raises `LeavesTheRing` where it is divided by one already."""
    if root is None:
        return term
    if term.over is not None:
        raise LeavesTheRing("the text divides by two roots")
    return term._replace(over=root)


__all__ = ["divide", "sqrt"]
