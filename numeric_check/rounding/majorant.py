"""Exact values and error bounds as sums over a small set of functions of u.

A `Term` names the function |u|^power·e^{rate·u}·wave times an input; a value maps terms to exact
coefficients (with u^power in place of |u|^power), a majorant to upper bounds. The special inputs
POSITION and REFERENCE are t and c before the text has formed u = t − c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from flint import fmpq

from numeric_check.rounding import upward
from numeric_check.rounding.coefficient import Coefficient
from numeric_check.text_proof.exact_element import LeavesTheRing

NO_INPUT, POSITION, REFERENCE = -1, -2, -3
Number: TypeAlias = "fmpq | Coefficient"
Ratio: TypeAlias = "tuple[int, int] | Coefficient"
"""A rational number as numerator and denominator, which hash faster than `fmpq`."""
ZERO: Ratio = (0, 1)
NONE = fmpq(0)
MAX_POWER = 64


def ratio(x: Number) -> Ratio:
    """In lowest terms."""
    return x if isinstance(x, Coefficient) else (int(x.p), int(x.q))


def number_of(x: Ratio) -> Number:
    """The opposite."""
    return x if isinstance(x, Coefficient) else fmpq(*x)


class Wave(NamedTuple):
    """cos (`c`) or sin (`s`) of frequency·u, with a positive frequency."""

    frequency: Ratio
    part: str


class Root(NamedTuple):
    """r = √|D| of a parametric block; 1/r is at most `least`·|u|^`power` (see `cells`)."""

    name: str
    least: float
    power: int


class Term(NamedTuple):
    """input·|u|^power·e^{rate·u}·wave/over·|factor|, with a root or 1 for `over`.

    factor  only in majorants: a coefficient that vanishes somewhere in the box of the parameters,
            kept as it is, so that what is relative to it stays so
    """

    input: int
    power: int
    rate: Ratio
    wave: Wave | None
    over: Root | None = None
    factor: Coefficient | None = None


ONE = Term(NO_INPUT, 0, ZERO, None)
LINEAR = Term(NO_INPUT, 1, ZERO, None)
Value = Mapping[Term, Number]
Majorant = Mapping[Term, float]


@dataclass(frozen=True)
class Size:
    """Upper bounds over |u| ≤ reach: of the part without input, and of the factor of ‖x‖."""

    constant: float = 0.0
    of_input: float = 0.0


def product(a: Value, b: Value) -> Value:
    """The exact product. Raises `LeavesTheRing` for x·x and for products of two waves."""
    result: dict[Term, Number] = {}
    for p, c in a.items():
        for q, d in b.items():
            term = _joined(p, q)
            if p.wave is not None and q.wave is not None:
                raise LeavesTheRing("the text multiplies two waves")
            result[term] = result.get(term, NONE) + c * d
    return {t: c for t, c in result.items() if c != 0}


def _joined(p: Term, q: Term) -> Term:
    if min(p.input, q.input) < NO_INPUT:
        other = q if p.input < NO_INPUT else p
        if other != ONE:
            raise LeavesTheRing("the text multiplies a position before the reference is subtracted")
        return p if p.input < NO_INPUT else q
    if NO_INPUT not in (p.input, q.input):
        raise LeavesTheRing("the text multiplies the input by itself")
    power = p.power + q.power
    if power > MAX_POWER:
        raise LeavesTheRing(f"the text forms a power of the position above {MAX_POWER}")
    wave = p.wave if q.wave is None else q.wave if p.wave is None else None
    if p.over is not None and q.over is not None:
        raise LeavesTheRing("the text divides by two roots")
    rate, over = _added(p.rate, q.rate), p.over or q.over
    factor = p.factor or q.factor
    if p.factor is not None and q.factor is not None:
        factor = abs(p.factor * q.factor)
    return Term(max(p.input, q.input), power, rate, wave, over, factor)


def _added(a: Ratio, b: Ratio) -> Ratio:
    if ZERO in (a, b):
        return b if a == ZERO else a
    return ratio(number_of(a) + number_of(b))


def sum_of(a: Value, b: Value) -> Value:
    """The exact sum, with t − c written as u."""
    result = dict(a)
    for term, c in b.items():
        result[term] = result.get(term, NONE) + c
    t = Term(POSITION, 0, ZERO, None)
    c = Term(REFERENCE, 0, ZERO, None)
    if t in result and result[t] == -result.get(c, NONE):
        result[LINEAR] = result.get(LINEAR, NONE) + result.pop(t)
        del result[c]
    return {term: x for term, x in result.items() if x != 0}


def of_value(value: Value) -> Majorant:
    """|coefficients|; those that vanish somewhere as factors."""
    result: dict[Term, float] = {}
    for term, c in value.items():
        if isinstance(c, Coefficient) and c.box.factors and upward.below(c) == 0.0:
            result[term._replace(factor=abs(c))] = 1.0
        else:
            result[term] = upward.above(c)
    return result


def plain(term: Term, c: float) -> tuple[Term, float]:
    """A term of a majorant without its factor."""
    if term.factor is None:
        return term, c
    return term._replace(factor=None), upward.times(c, upward.above(term.factor))


def share_of(term: Term, c: float, coefficient: Number) -> float | None:
    """c·|factor| relative to a coefficient that is a multiple of the factor; else None."""
    if term.factor is None or not isinstance(coefficient, Coefficient):
        return None
    ratio_ = coefficient / term.factor
    return None if isinstance(ratio_, Coefficient) else upward.up(c / upward.below(ratio_))


def add(a: Majorant, b: Majorant) -> Majorant:
    """a + b."""
    if not a or not b:
        return a or b
    result = dict(a)
    for term, c in b.items():
        result[term] = upward.plus(result.get(term, 0.0), c)
    return result


def scale(a: Majorant, c: float) -> Majorant:
    """c·a."""
    if c == 1.0:
        return a
    return {term: upward.times(x, c) for term, x in a.items()} if c else {}


def multiply(a: Majorant, b: Majorant) -> Majorant:
    """a·b; a product of two waves is bounded by 1."""
    result: dict[Term, float] = {}
    for p, c in a.items():
        for q, d in b.items():
            term = _joined(p, q)
            result[term] = upward.plus(result.get(term, 0.0), upward.times(c, d))
    return result


def by_polynomial(a: Majorant, p: upward.Polynomial) -> Majorant:
    """a·p(|u|)."""
    result: dict[Term, float] = {}
    for term, c in a.items():
        for k, d in enumerate(p):
            if d:
                raised = term._replace(power=term.power + k)
                result[raised] = upward.plus(result.get(raised, 0.0), upward.times(c, d))
    return result


def size(a: Majorant, reach: float, *, later: bool = False) -> Size:
    """Bounds over |u| ≤ reach; waves, and unit vectors, are at most 1.

    later  u is not negative, so that e^{rate·u} with a negative rate is at most 1
    """
    constant = of_input = 0.0
    for given, weight in a.items():
        term, c = plain(given, weight)
        bound = upward.times(c, upward.power(reach, term.power))
        if term.rate != ZERO and not (later and _is_negative(term.rate)):
            bound = upward.times(bound, upward.exponential(largest_exponent(term.rate, reach)))
        if term.over is not None:
            inverse = upward.times(term.over.least, upward.power(reach, term.over.power))
            bound = upward.times(bound, inverse)
        if term.input < NO_INPUT:
            bound = upward.times(bound, reach)
        if term.input > NO_INPUT:
            of_input = upward.plus(of_input, bound)
        else:
            constant = upward.plus(constant, bound)
    return Size(constant, of_input)


def _is_negative(rate: Ratio) -> bool:
    if isinstance(rate, Coefficient):
        return bool(rate.ball() <= 0)
    return rate[0] <= 0


def largest_exponent(rate: Ratio, reach: float) -> float:
    """|rate·u| over |u| ≤ reach; with parameters, what the range of the dtype allows."""
    own = upward.times(upward.above(number_of(rate)), reach)
    return min(own, rate.box.window) if isinstance(rate, Coefficient) else own


def least(a: Value, reach: float, *, integers: bool = False) -> float:
    """A lower bound of |a| over |u| ≤ reach, for c·e^{rate·u} alone; otherwise 0.

    integers  u is an integer: of c·u^k the values other than 0 are meant, which are at least |c|
    """
    if len(a) != 1:
        return 0.0
    ((term, c),) = a.items()
    if term.input > NO_INPUT or term.wave is not None or term.over is not None:
        return 0.0
    multiple = term.power > 0 or term.input < NO_INPUT
    if multiple and not (integers and term.rate == ZERO):
        return 0.0
    largest = upward.exponential(largest_exponent(term.rate, reach))
    return max(0.0, upward.below(c) / largest * (1.0 - 2.0**-50))
