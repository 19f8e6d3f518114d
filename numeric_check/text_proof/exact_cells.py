"""Cells of positions and parameters, and values that differ from cell to cell.

A text that asks whether a value is larger than a number has one meaning where it is and another
where it is not. A cell is a set {form ∈ interval, …}; `Pieces` holds one value for each cell of a
partition of all positions and parameters, so that every branch of the text is kept and none is
chosen. Cells may be empty: then what is proved there is true of nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from flint import fmpq

from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.scalar import Scalar

MAX_PIECES = 64
"""A text that branches into more cases than this is not followed."""
MAX_STEPS = 1024
"""The same where all cases are intervals of one form, as the steps of a table of buckets are."""

Function = ExponentialPolynomial
_Bound = tuple[Scalar | None, bool]
T = TypeVar("T")
S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True)
class Condition:
    """form ∈ interval."""

    form: Function
    interval: Interval

    @cached_property
    def text(self) -> str:
        """The form, printed."""
        return str(self.form)


@dataclass(frozen=True)
class Cell:
    """All conditions at once, in the order of their texts; none is everything."""

    conditions: tuple[Condition, ...] = ()

    def meet(self, other: Cell) -> Cell | None:
        """The intersection, or None when one condition contradicts another."""
        if not other.conditions or self is other:
            return self
        if len(self.conditions) == len(other.conditions) == 1:
            (mine,), (theirs,) = self.conditions, other.conditions
            if mine.form is theirs.form or mine.form == theirs.form:
                part = _common(mine.interval, theirs.interval)
                return None if part is None else Cell((Condition(mine.form, part),))
        found = {c.form: c for c in self.conditions}
        for condition in other.conditions:
            known = found.get(condition.form)
            if known is None:
                found[condition.form] = condition
                continue
            both = _common(known.interval, condition.interval)
            if both is None:
                return None
            found[condition.form] = Condition(known.form, both)
        return Cell(tuple(sorted(found.values(), key=lambda condition: condition.text)))

    def moved(self, image: Callable[[Function], Function]) -> Cell:
        """The cell with every form replaced."""
        cell: Cell | None = Cell()
        for condition in self.conditions:
            part = _cell_of(image(condition.form), condition.interval)
            cell = None if cell is None else cell.meet(part)
        if cell is None:
            raise LeavesTheRing("conditions of the text contradict each other")
        return cell

    def __str__(self) -> str:
        return " and ".join(t for c in self.conditions for t in c.interval.describe(c.text))


EVERYWHERE = Cell()


@dataclass(frozen=True)
class Pieces(Generic[T]):
    """One value for each cell of a partition."""

    pieces: tuple[tuple[Cell, T], ...]

    @classmethod
    def of(cls, value: T) -> Pieces[T]:
        """The same value everywhere."""
        return cls(((EVERYWHERE, value),))

    def map(self, image: Callable[[T], S]) -> Pieces[S]:
        """The image of every value."""
        return Pieces(tuple((cell, image(value)) for cell, value in self.pieces))

    def bound(self, image: Callable[[Cell, T], Pieces[S]]) -> Pieces[S]:
        """Every cell split further."""
        found = [
            (both, result)
            for cell, value in self.pieces
            for part, result in image(cell, value).pieces
            if (both := cell.meet(part)) is not None
        ]
        return Pieces(_not_too_many(found))

    def with_other(self, other: Pieces[S], combine: Callable[[T, S], R]) -> Pieces[R]:
        """Values of two partitions combined on the common cells."""
        found = [
            (both, combine(a, b))
            for cell, a in self.pieces
            for part, b in other.pieces
            if (both := cell.meet(part)) is not None
        ]
        return Pieces(_not_too_many(found))


def _not_too_many(found: list[tuple[Cell, T]]) -> tuple[tuple[Cell, T], ...]:
    if len(found) > MAX_PIECES and not (len(found) <= MAX_STEPS and _is_one_line(found)):
        raise LeavesTheRing(f"the text branches into more than {MAX_PIECES} cases")
    return tuple(found)


def _is_one_line(found: list[tuple[Cell, T]]) -> bool:
    return len({c.form for cell, _ in found for c in cell.conditions}) == 1


def split(form: Function, bound: fmpq, *, closed: bool) -> Pieces[bool]:
    """form > bound (≥ when closed) as true and false on the two sides.

    The form is taken without its rational constant and with a leading sign, so that one hyperplane
    has one name. A constant form is decided.
    """
    form, constant = _without_constant(form)
    bound = bound - constant
    if not form.terms:
        return Pieces.of(bool(bound < 0 or (closed and bound == 0)))
    at = Scalar.rational(bound)
    above = Interval(low=at, low_closed=closed)
    below = Interval(high=at, high_closed=not closed)
    return Pieces(((_cell_of(form, above), True), (_cell_of(form, below), False)))


def joined(parts: list[Pieces[Any]]) -> Pieces[tuple[Any, ...]]:
    """Several partitions as one of tuples."""
    total: Pieces[tuple[Any, ...]] = Pieces.of(())
    for part in parts:
        total = total.with_other(part, lambda known, value: (*known, value))
    return total


def canonical(f: Function) -> Function:
    """The same function over the variables that occur, in alphabetical order."""
    variables = used_variables(f) or f.variables[:1]
    places = [f.variables.index(v) for v in variables]
    return Function(
        variables,
        {
            Term(tuple(k.powers[i] for i in places), tuple(k.exponents[i] for i in places)): c
            for k, c in f.terms.items()
        },
    )


def used_variables(f: Function) -> tuple[str, ...]:
    """The variables that occur, in alphabetical order."""
    return tuple(
        sorted(
            v
            for i, v in enumerate(f.variables)
            if any(key.powers[i] or not key.exponents[i].is_zero() for key in f.terms)
        )
    )


def _cell_of(form: Function, interval: Interval) -> Cell:
    form = canonical(form)
    if _leads_with_minus(form):
        form, interval = -form, _mirrored(interval)
    return Cell((Condition(form, interval),))


def _leads_with_minus(form: Function) -> bool:
    if not form.terms:
        return False
    coefficient = form.terms[max(form.terms, key=lambda key: key.powers)].re
    if not coefficient.terms:
        return False
    first = min(coefficient.terms, key=lambda radical: tuple(a.text for a, _ in radical))
    _, weight = next(coefficient.terms[first].numerator_terms())
    return bool(weight < 0)


def _mirrored(interval: Interval) -> Interval:
    low = None if interval.high is None else -interval.high
    high = None if interval.low is None else -interval.low
    return Interval(low, high, interval.high_closed, interval.low_closed)


def _without_constant(form: Function) -> tuple[Function, fmpq]:
    """The form and its constant, when that is a rational number."""
    constant = fmpq(0)
    terms = dict(form.terms)
    for key, c in form.terms.items():
        plain = not any(key.powers) and all(e.is_zero() for e in key.exponents)
        if plain and c.im.is_zero() and c.re.is_rational():
            constant = c.re.rational_value()
            del terms[key]
    return Function(form.variables, terms), constant


def _common(a: Interval, b: Interval) -> Interval | None:
    if all(x is None or x.is_rational() for x in (a.low, a.high, b.low, b.high)):
        return _common_of_rationals(a, b)
    part: Interval | None = a
    for bound, closed, sign in ((b.low, b.low_closed, 1), (b.high, b.high_closed, -1)):
        if bound is None or part is None:
            continue
        part = part.closed_side(bound, sign) if closed else part.side(bound, sign)
    return part


def _common_of_rationals(a: Interval, b: Interval) -> Interval | None:
    """The same by rational arithmetic alone: tables of buckets have many cells."""
    low = _later((a.low, a.low_closed), (b.low, b.low_closed), 1)
    high = _later((a.high, a.high_closed), (b.high, b.high_closed), -1)
    if low[0] is not None and high[0] is not None:
        width = high[0].rational_value() - low[0].rational_value()
        if width < 0 or (width == 0 and not (low[1] and high[1])):
            return None
    return Interval(low[0], high[0], low[1], high[1])


def _later(a: _Bound, b: _Bound, sign: int) -> _Bound:
    """The bound that leaves less, of lower bounds (sign 1) or upper ones."""
    if a[0] is None or b[0] is None:
        return b if a[0] is None else a
    difference = sign * (a[0].rational_value() - b[0].rational_value())
    if difference == 0:
        return a[0], a[1] and b[1]
    return a if difference > 0 else b


__all__ = [
    "EVERYWHERE",
    "Cell",
    "Condition",
    "Pieces",
    "canonical",
    "joined",
    "split",
    "used_variables",
]
