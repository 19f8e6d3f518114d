"""Scores as expressions in positions: what a certificate states, and anyone can evaluate.

    b(t, s), t ≥ s ≥ 0, from numbers, the query's position t, the key's s, their lag t − s

An expression is evaluated by balls here, and written into certificates of what is no group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import TypeAlias, cast

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import Scalar

Number: TypeAlias = "Scalar | fmpq | int"


@dataclass(frozen=True)
class Score:
    """A variable, a number, or an operation on expressions.

    >>> log(1 + 2 * LAG)(5, 2).str(6, radius=False)
    '1.94591'
    >>> choice(at_least(QUERY, 4), 10, QUERY)(5, 2).str(3, radius=False)
    '5.00'
    """

    operation: str
    parts: tuple[Score, ...] = ()
    value: Scalar | None = None

    def __call__(self, t: int, s: int) -> arb:
        """b(t, s) at the current precision."""
        return self._at({"query": t, "key": s, "lag": t - s})

    def __add__(self, other: Score | Number) -> Score:
        return Score("sum", (self, number(other)))

    def __radd__(self, other: Number) -> Score:
        return number(other) + self

    def __mul__(self, other: Score | Number) -> Score:
        return Score("product", (self, number(other)))

    def __rmul__(self, other: Number) -> Score:
        return number(other) * self

    def __sub__(self, other: Score | Number) -> Score:
        return self + -1 * number(other)

    def __truediv__(self, other: Score | Number) -> Score:
        return self * power(number(other), -1)

    def _at(self, at: Mapping[str, int]) -> arb:
        if self.value is not None:
            return self.value.ball({})
        if not self.parts:
            return arb(at[self.operation])
        if self.operation == "range":
            first, last = (_whole(x._at(at)) for x in self.parts[:2])
            steps = ({**at, "step": n} for n in range(first, last + 1))
            return sum((self.parts[2]._at(step) for step in steps), arb(0))
        if self.operation == "choice":
            return self.parts[1 + _whole(self.parts[0]._at(at))]._at(at)
        values = [x._at(at) for x in self.parts]
        if self.operation in ("sum", "product"):
            return reduce(add if self.operation == "sum" else mul, values)
        if self.operation == "power":
            return values[0] ** values[1]
        if self.operation == "at-least":
            return _at_least(*values)
        return cast("arb", getattr(values[0], self.operation)())

    def numbers(self) -> Iterator[Scalar]:
        """Every number in it."""
        if self.value is not None:
            yield self.value
        for part in self.parts:
            yield from part.numbers()


def _whole(x: arb) -> int:
    return int(x.unique_fmpz())


def _at_least(x: arb, y: arb) -> arb:
    if not (x >= y or x < y):
        raise ValueError(f"expected balls that tell which number is larger, got {x} and {y}")
    return arb(int(x >= y))


def number(x: Score | Number) -> Score:
    """A constant."""
    if isinstance(x, Score):
        return x
    return Score("number", (), x if isinstance(x, Scalar) else Scalar.rational(x))


def _function(name: str, *parts: Score | Number) -> Score:
    return Score(name, tuple(number(part) for part in parts))


QUERY, KEY, LAG, STEP = (Score(name) for name in ("query", "key", "lag", "step"))


def exp(x: Score) -> Score:
    """The exponential."""
    return _function("exp", x)


def log(x: Score) -> Score:
    """The natural logarithm."""
    return _function("log", x)


def sin(x: Score) -> Score:
    """The sine."""
    return _function("sin", x)


def cos(x: Score) -> Score:
    """The cosine."""
    return _function("cos", x)


def power(x: Score, exponent: Number) -> Score:
    """x^exponent."""
    return _function("power", x, exponent)


def at_least(x: Score, y: Score | Number) -> Score:
    """1 where x >= y, else 0."""
    return _function("at-least", x, y)


def choice(index: Score, *values: Score | Number) -> Score:
    """values[index]."""
    return _function("choice", index, *values)


def sum_over_steps(first: Score | Number, last: Score | Number, body: Score) -> Score:
    """The sum of `body` over STEP = first, first + 1, …, last."""
    return _function("range", first, last, body)


def total(*parts: Score | Number) -> Score:
    """The sum of several."""
    return _function("sum", *parts)
