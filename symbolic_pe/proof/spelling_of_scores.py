"""Scores as certificates write them: numbers in positions and in what is defined by positions.

A number is a polynomial in atoms; a function of an expression becomes a definition of its own:

    power     (y^1/n)^m for y^{m/n}                 choice      x₀ + Σ (xᵢ − xᵢ₋₁)·[index >= i]
    sin       cos(y − π/2)                          range       Σ_n x(n)·[n >= first]·[last >= n]

Sums over steps are written from step 0 up to the last one that is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar
from symbolic_pe.encodings.score import Score
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.spelling import POSITIONS, Spelled, Spelling

Monomial = tuple[tuple[str, int], ...]
Number = dict[Monomial, Scalar]
Json = dict[str, Any]
MAX_TERMS = 4096
MINUS = Scalar.rational(-1)


@dataclass
class ScoreSpelling:
    """The definitions of one score, in order; equal ones once."""

    spelling: Spelling
    horizon: int
    definitions: list[Json] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def number(self, score: Score, step: int | None = None) -> Number:
        """A score as a number, at a step of the innermost sum.

        Raises `NotYetCovered` for powers that are not rational and for too many terms.
        """
        if score.value is not None:
            return _constant(score.value)
        name, parts = score.operation, score.parts
        if name == "step":
            return _constant(Scalar.rational(step or 0))
        if not parts:
            return {((name, 1),): ONE}
        if name == "range":
            return self._range(parts[0], parts[1], parts[2], step)
        if name == "choice":
            return self._choice(self.number(parts[0], step), parts[1:], step)
        values = [self.number(part, step) for part in parts]
        if name == "sum":
            return _sum(values)
        if name == "product":
            result = _constant(ONE)
            for value in values:
                result = _product(result, value)
            return result
        if name == "power":
            return self._power(values[0], parts[1])
        if name == "at-least":
            return self._at_least(values[0], values[1])
        if name == "sin":
            quarter = Scalar.symbol("pi") * HALF
            return self._defined("cos", _sum([values[0], _constant(-quarter)]))
        return self._defined(name, values[0])

    def spelled(self, number: Number) -> Spelled:
        """A number in the format."""
        return self.spelling.sum([(c, dict(m)) for m, c in number.items()])

    def _defined(self, kind: str, of: Number, degree: int = 1, power: int = 1) -> Number:
        """The power of a function of a number, which is defined where it is new."""
        spelled = self.spelled(of)
        key = f"{kind} {degree} {spelled}"
        if key not in self.known:
            self.known[key] = self.spelling.fresh(f"y{len(self.known) + 1}")
            item = {"name": self.known[key], "kind": kind, "degree": degree, "of": spelled}
            self.definitions.append(item)
        return {((self.known[key], power),): ONE}

    def _power(self, x: Number, exponent: Score) -> Number:
        if exponent.value is None or not exponent.value.is_rational():
            raise NotYetCovered("a certificate of a power that is not rational")
        e = fmpq(exponent.value.rational_value())
        if e.q != 1 or e < 0:
            return self._defined("root", x, int(e.q), int(e.p))
        result = _constant(ONE)
        for _ in range(int(e)):
            result = _product(result, x)
        return result

    def _at_least(self, x: Number, y: Number) -> Number:
        """1 where x >= y, else 0; a comparison of rational numbers is made here."""
        gap = _sum([x, _product(_constant(MINUS), y)])
        if set(gap) <= {()} and (constant := gap.get((), ZERO)).is_rational():
            return _constant(ONE) if constant.rational_value() >= 0 else {}
        return self._defined("at-least", gap)

    def _choice(self, index: Number, values: tuple[Score, ...], step: int | None) -> Number:
        if set(index) <= {()}:
            return self.number(values[int(index.get((), ZERO).rational_value().p)], step)
        found = [self.number(value, step) for value in values]
        terms = [found[0]]
        for i in range(1, len(found)):
            rise = _sum([found[i], _product(_constant(MINUS), found[i - 1])])
            terms.append(_product(rise, self._at_least(index, _constant(Scalar.rational(i)))))
        return _sum(terms)

    def _range(self, first: Score, last: Score, body: Score, step: int | None) -> Number:
        start, end = self.number(first, step), self.number(last, step)
        if self._end(start)[1] < 0:
            raise NotYetCovered("a certificate of a sum that begins below 0")
        terms = []
        moves, shift = self._end(end)
        for n in range(shift + (self.horizon if moves else 0) + 1):
            at = _constant(Scalar.rational(n))
            inside = _product(self._at_least(at, start), self._at_least(end, at))
            terms.append(_product(inside, self.number(body, n)))
        return _sum(terms)

    def _end(self, end: Number) -> tuple[bool, int]:
        """Whether it is a position + c, and ⌊c⌋ for the rational c: an end of a sum over steps."""
        shift = end.get((), ZERO)
        rest = {m: c for m, c in end.items() if m}
        if not shift.is_rational() or rest not in ({}, *({((p, 1),): ONE} for p in POSITIONS)):
            raise NotYetCovered("a certificate of a sum that does not end at a position")
        return bool(rest), int(shift.rational_value().floor())


def _constant(x: Scalar) -> Number:
    return {} if x.is_zero() else {(): x}


def _sum(numbers: Iterable[Number]) -> Number:
    total: Number = {}
    for number in numbers:
        for m, c in number.items():
            total[m] = total[m] + c if m in total else c
    return {m: c for m, c in total.items() if not c.is_zero()}


def _product(a: Number, b: Number) -> Number:
    total: Number = {}
    for left, c in a.items():
        for right, d in b.items():
            powers = dict(left)
            for atom, e in right:
                powers[atom] = powers.get(atom, 0) + e
            m = tuple(sorted((atom, e) for atom, e in powers.items() if e))
            total[m] = total[m] + c * d if m in total else c * d
    if len(total) > MAX_TERMS:
        raise NotYetCovered("a certificate of a score with so many terms")
    return {m: c for m, c in total.items() if not c.is_zero()}
