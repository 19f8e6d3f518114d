"""What is known about the parameters: intervals for each, signs of polynomials in them.

An `Assumptions` value is one cell of parameter space. `sign_of` answers from it; `assuming`
refines it and returns None when the refinement is empty. Cells made by splitting one sign three
ways are mutually exclusive and together exhaustive by construction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product

from flint import arb, fmpq

from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.linear_feasibility import Inequality, is_feasible
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision
from symbolic_pe.algebra.symbols import is_constant_symbol, is_exponential
from symbolic_pe.errors import NotYetCovered, OutsideTheRing, SpecificationError, Undecided

ASSUMPTIONS = ("real", "positive", "negative", "nonnegative", "nonpositive", "nonzero")
_BETWEEN = re.compile(r"between\s+(-?\d+(?:/\d+|\.\d+)?)\s+and\s+(-?\d+(?:/\d+|\.\d+)?)")
MAX_SAMPLES = 2000
RELATIONS = {1: ">", 0: "=", -1: "<"}


@dataclass(frozen=True)
class Assumptions:
    """One cell: an interval for each parameter, known signs, and solved parameters."""

    declared: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    nonzero: Mapping[str, RationalFunction] = field(default_factory=dict)
    signs: Mapping[str, tuple[RationalFunction, int]] = field(default_factory=dict)
    solved: Mapping[str, Scalar] = field(default_factory=dict)

    @classmethod
    def declare(cls, parameters: Mapping[str, str]) -> Assumptions:
        """From {name: "real" | "positive" | … | "between a and b"}."""
        zero = ZERO
        shapes = {
            "real": Interval(),
            "nonzero": Interval(),
            "positive": Interval(low=zero),
            "negative": Interval(high=zero),
            "nonnegative": Interval(low=zero, low_closed=True),
            "nonpositive": Interval(high=zero, high_closed=True),
        }
        intervals: dict[str, Interval] = {}
        for name, text in parameters.items():
            if match := _BETWEEN.fullmatch(text.strip()):
                low, high = (Scalar.rational(_fraction(g)) for g in match.groups())
                if (high - low).sign() <= 0:
                    raise SpecificationError(
                        f"parameter {name!r}: {text!r} is empty; the first bound must be smaller"
                    )
                intervals[name] = Interval(low, high)
            elif text in shapes:
                intervals[name] = shapes[text]
            else:
                raise SpecificationError(
                    f"parameter {name!r}: expected one of {', '.join(ASSUMPTIONS)} or "
                    f"'between A and B', got {text!r}"
                )
        nonzero = {n: RationalFunction.symbol(n) for n, t in parameters.items() if t == "nonzero"}
        return cls(dict(parameters), intervals, nonzero)

    # -- signs --------------------------------------------------------------------------------

    def sign_of(self, element: RationalFunction) -> int | None:
        """Sign of a rational function on the whole cell: −1, 0, 1, or None when not known."""
        if element.is_zero():
            return 0
        constant, factors = element.factors()
        result = 1 if constant > 0 else -1
        if len(factors) > 1 and (known := self._sign_of_product(factors)) is not None:
            return known * result
        for factor, exponent in factors:
            sign = self._sign_of_factor(factor)
            if sign is None:
                if exponent % 2 == 0 and self.is_nonzero(factor):
                    continue
                return None
            if sign == 0:
                return 0
            result *= sign if exponent % 2 else 1
        return result

    def sign_of_scalar(self, x: Scalar) -> int | None:
        """Sign of a scalar: numbers are decided, sums of like signs too."""
        if not x.parameters():
            return x.sign()
        signs = {self.sign_of(c) for c in x.terms.values()}  # radicals are positive
        if not signs:
            return 0
        return signs.pop() if len(signs) == 1 else None

    def never_vanishes(self, x: Scalar) -> bool:
        """True when a scalar is known not to be 0 anywhere on the cell."""
        if not x.parameters():
            return not x.vanishes()
        if len(x.terms) == 1:
            return self.is_nonzero(next(iter(x.terms.values())))
        return self.sign_of_scalar(x) in (1, -1)

    def is_nonzero(self, element: RationalFunction) -> bool:
        """True when the element is known not to be 0 anywhere on the cell."""
        if str(element) in self.nonzero:
            return True
        _, factors = element.factors()
        return all(str(f) in self.nonzero or self._sign_of_factor(f) in (1, -1) for f, _ in factors)

    def _sign_of_product(self, factors: list[tuple[RationalFunction, int]]) -> int | None:
        """A fact about a product, left over from solving for a parameter."""
        product = RationalFunction(1)
        for factor, exponent in factors:
            product = product * factor if exponent % 2 else product
        fact = self.signs.get(str(product))
        return None if fact is None else fact[1]

    def _sign_of_factor(self, factor: RationalFunction) -> int | None:
        text = str(factor)
        if text in self.signs:
            return self.signs[text][1]
        names = factor.used_names()
        if all(is_constant_symbol(n) for n in names):
            return Scalar({(): factor}).sign()
        if len(names) == 1 and names[0] in self.intervals:
            known = self._sign_in_one_parameter(factor, names[0])
            if known is not None:
                return known
        return self._sign_by_monomials(factor)

    def _sign_in_one_parameter(self, factor: RationalFunction, name: str) -> int | None:
        roots = real_roots(factor, name)
        if roots is None:
            return None
        interval = self.intervals[name]
        result = 1
        for root in roots:
            sign = interval.sign_of_difference(root)
            if sign is None:
                return None
            result *= sign
        return result * _sign_without_roots(factor, name, roots)

    def _sign_by_monomials(self, factor: RationalFunction) -> int | None:
        """The common sign of all terms; terms that may vanish count where one cannot."""
        certain: set[int] = set()
        possible: set[int] = set()
        for monomial, coefficient in factor.numerator_terms():
            sign = 1 if coefficient > 0 else -1
            vanishes = False
            for name, exponent in monomial.items():
                base = self._sign_of_symbol(name)
                if base is None:
                    base = self._weak_sign(name) if exponent % 2 else 1
                    if base is None:
                        return None
                    vanishes = vanishes or name not in self.nonzero
                sign *= base**exponent
            (possible if vanishes else certain).add(sign)
        certain.discard(0)
        if len(certain) == 1 and possible <= certain:
            return certain.pop()
        return None

    def _weak_sign(self, name: str) -> int | None:
        """1 for x ≥ 0, −1 for x ≤ 0, None when both signs occur."""
        interval = self.intervals.get(name)
        if interval is None:
            return None
        if interval.low is not None and interval.low.sign() >= 0:
            return 1
        return -1 if interval.high is not None and interval.high.sign() <= 0 else None

    def _sign_of_symbol(self, name: str) -> int | None:
        if is_constant_symbol(name) or is_exponential(name):
            return 1
        interval = self.intervals.get(name)
        return None if interval is None else interval.sign_of_difference(ZERO)

    # -- refinement ---------------------------------------------------------------------------

    def split(self, factor: RationalFunction) -> Iterator[Assumptions]:
        """Subcells on each of which an irreducible factor has one sign.

        They are mutually exclusive and together exhaustive; empty ones are left out. Call it with
        what `first_split` returns, so that the part factor = 0 can be solved.
        """
        names = factor.used_names()
        if len(names) == 1 and names[0] in self.intervals:
            roots = real_roots(factor, names[0])
            if roots is None:
                raise NotYetCovered(
                    f"cases on the sign of {factor}: a parameter with thresholds of degree 3 or "
                    "more"
                )
            yield from self._split_axis(names[0], roots)
            return
        for sign in (-1, 0, 1):
            if sign == 0 and str(factor) in self.nonzero:
                continue
            part = self._solve(factor) if sign == 0 else self._with_fact(factor, sign)
            part = None if part is None else part._consistent()
            if part is not None and not part.is_empty():
                yield part

    def _split_axis(self, name: str, roots: list[Scalar]) -> Iterator[Assumptions]:
        """Cut the interval of a parameter at ascending points."""
        rest: Interval | None = self.intervals[name]
        for root in roots:
            if rest is None:
                return
            for sign in (-1, 0):
                part = rest.side(root, sign)
                if part is None or (sign == 0 and name in self.nonzero and root.is_zero()):
                    continue
                refined = replace(self, intervals={**self.intervals, name: part})
                done = refined._with_solution(name, root) if sign == 0 else refined._consistent()
                if done is not None:
                    yield done
            rest = rest.side(root, 1)
        if rest is not None:
            last = replace(self, intervals={**self.intervals, name: rest})._consistent()
            if last is not None:
                yield last

    def _solve(self, factor: RationalFunction) -> Assumptions | None:
        """Solve factor = 0 for a parameter that occurs linearly with a non-zero coefficient."""
        for name in self._linear_parameters(factor):
            constant, linear = factor.coefficients_in(name)
            if self.is_nonzero(linear):
                return self._with_solution(name, Scalar({(): -(constant / linear)}))
        raise NotYetCovered(f"the cell {factor} = 0: no parameter in it can be solved for linearly")

    def _linear_parameters(self, factor: RationalFunction) -> list[str]:
        return [
            n
            for n in reversed(factor.used_names())
            if n in self.intervals
            and n not in self.solved
            and factor.degree_in(n) == 1
            and not (self.intervals[n].low_closed or self.intervals[n].high_closed)
        ]

    def first_split(self, factor: RationalFunction) -> RationalFunction:
        """The factor itself, or what must be split before factor = 0 can be solved."""
        if len(factor.used_names()) == 1:
            return factor
        candidates = self._linear_parameters(factor)
        blocking: list[RationalFunction] = []
        for name in candidates:
            _, linear = factor.coefficients_in(name)
            if self.is_nonzero(linear):
                return factor
            blocking.extend(
                f
                for f, _ in linear.factors()[1]
                if self.sign_of(f) is None and not self.is_nonzero(f)
            )
        closed = [
            n
            for n in factor.used_names()
            if n in self.intervals and self.sign_of(RationalFunction.symbol(n)) is None
        ]
        if blocking:
            return self.first_split(min(blocking, key=lambda f: (len(f.used_names()), str(f))))
        return RationalFunction.symbol(closed[0]) if closed else factor

    def _with_solution(self, name: str, value: Scalar) -> Assumptions | None:
        """Record name = value, in everything known so far; None when that contradicts it."""
        try:
            return self._substituted(name, value)
        except ZeroDivisionError:  # a denominator that is known not to vanish would
            return None

    def _substituted(self, name: str, value: Scalar) -> Assumptions | None:
        new = {name: value}
        solved = {n: v.substitute(new) for n, v in self.solved.items()}
        if any(not v.parameters() and not self.intervals[n].contains(v) for n, v in solved.items()):
            return None
        start = replace(self, solved={**solved, name: value}, signs={}, nonzero={})
        refined = start._within(self.intervals[name], value)
        for element in self.nonzero.values():
            image = _single(Scalar({(): element}).substitute(new))
            refined = None if refined is None else refined._with_nonzero(image)
        for element, sign in self.signs.values():
            if refined is None:
                return None
            image = _single(Scalar({(): element}).substitute(new))
            known = refined.sign_of(image)
            if known is None:
                refined = refined._with_fact(image, sign)
            elif known != sign:
                return None
        return refined

    def _with_nonzero(self, element: RationalFunction) -> Assumptions | None:
        """Record that an element does not vanish; None when it is 0."""
        if element.is_zero():
            return None
        factors = {str(f): f for f, _ in element.factors()[1]}
        return replace(self, nonzero={**self.nonzero, **factors})

    def _within(self, interval: Interval, value: Scalar) -> Assumptions | None:
        """The solution stays in the interval of its parameter."""
        if not value.parameters():
            return self if interval.contains(value) else None
        refined: Assumptions | None = self
        for bound, side in ((interval.low, 1), (interval.high, -1)):
            if bound is None or refined is None:
                continue
            difference = _single(value - bound)
            known = refined.sign_of(difference)
            if known is None:
                refined = refined._with_fact(difference, side)
            elif known != side:
                return None
        return refined

    def _with_fact(self, element: RationalFunction, sign: int) -> Assumptions | None:
        """Record a strict sign; factors with even exponents only have to be non-zero."""
        constant, factors = element.factors()
        product, known = RationalFunction(1), sign * (1 if constant > 0 else -1)
        refined: Assumptions | None = self
        for factor, exponent in factors:
            if exponent % 2:
                product = product * factor
            elif refined is not None:
                refined = refined._with_nonzero(factor)
        if refined is None or (product.is_constant() and known < 0):
            return None
        if product.is_constant():
            return refined
        return replace(refined, signs={**refined.signs, str(product): (product, known)})

    def _consistent(self) -> Assumptions | None:
        """Drop facts that the others imply; None when one is contradicted."""
        facts = dict(self.signs)
        for text, (element, sign) in self.signs.items():
            others = {t: f for t, f in facts.items() if t != text}
            known = replace(self, signs=others).sign_of(element)
            if known is None:
                continue
            if known != sign:
                return None
            facts = others
        return replace(self, signs=facts)

    def point_intervals(self) -> dict[str, Scalar]:
        """Parameters whose interval is one point."""
        return {
            n: i.low
            for n, i in self.intervals.items()
            if i.low is not None and i.high is not None and i.low == i.high
        }

    # -- description --------------------------------------------------------------------------

    def conditions(self, beyond: Assumptions | None = None) -> list[str]:
        """The cell as conditions; those already in `beyond` (the declaration) are left out."""
        texts: list[str] = []
        base = beyond.intervals if beyond else {}
        for name, interval in self.intervals.items():
            if name in self.solved and (interval.low is None or interval.low != interval.high):
                continue
            if base.get(name) != interval:
                texts.extend(interval.describe(name))
        for name, value in self.solved.items():
            interval = self.intervals[name]
            if interval.low is None or interval.low != interval.high:
                texts.append(f"{name} = {value}")
        for element, sign in self.signs.values():
            texts.append(f"{element} {RELATIONS[sign]} 0")
        declared = beyond.nonzero if beyond else {}
        for text, element in self.nonzero.items():
            if text not in declared and replace(self, nonzero={}).sign_of(element) is None:
                texts.append(f"{element} != 0")
        return texts

    def is_empty(self) -> bool:
        """True when the facts that are linear in the parameters contradict each other."""
        system = []
        for element, sign in self.signs.values():
            if (inequality := _linear(element, sign)) is not None:
                system.append(inequality)
        for name, interval in self.intervals.items():
            if name not in self.solved:
                system.extend(_bounds(name, interval))
        return is_feasible(system) is False

    def sample(self) -> dict[str, Scalar] | None:
        """A point of the cell, found by trying some; None when none was found."""
        names = [n for n in self.intervals if n not in self.solved]
        choices = [self.intervals[name].samples() for name in names]
        for values in islice(product(*choices), MAX_SAMPLES):
            point = dict(zip(names, values, strict=True))
            try:
                for name, value in self.solved.items():
                    point[name] = value.substitute(point)
            except ZeroDivisionError:
                continue
            if self._holds_at(point):
                return point
        return None

    def _holds_at(self, point: Mapping[str, Scalar]) -> bool:
        try:
            return all(
                Scalar({(): element}).substitute(point).sign() == sign
                for element, sign in self.signs.values()
            ) and all(
                not Scalar({(): element}).substitute(point).is_zero()
                for element in self.nonzero.values()
            )
        except (Undecided, ZeroDivisionError, OutsideTheRing):
            return False


def _single(x: Scalar) -> RationalFunction:
    """The coefficient of a one-term scalar; its radical is positive and has no say in the sign."""
    if x.is_zero():
        return RationalFunction(0)
    if len(x.terms) > 1:
        raise NotYetCovered(f"the sign of {x}, a sum of roots with parameters")
    (element,) = x.terms.values()
    return element


def _linear(element: RationalFunction, sign: int) -> Inequality | None:
    """sign·element > 0 as an inequality, when the element is a linear polynomial."""
    if sign == 0 or not element.is_polynomial():
        return None
    coefficients: dict[str, fmpq] = {}
    constant = fmpq(0)
    for monomial, c in element.numerator_terms():
        if sum(monomial.values()) > 1:
            return None
        if monomial:
            coefficients[next(iter(monomial))] = c * sign
        else:
            constant = c * sign
    return Inequality(coefficients, constant, strict=True)


def _bounds(name: str, interval: Interval) -> Iterator[Inequality]:
    if interval.low is not None and interval.low.is_rational():
        bound = interval.low.rational_value()
        yield Inequality({name: fmpq(1)}, -bound, not interval.low_closed)
    if interval.high is not None and interval.high.is_rational():
        bound = interval.high.rational_value()
        yield Inequality({name: fmpq(-1)}, bound, not interval.high_closed)


def _fraction(text: str) -> fmpq:
    if "." in text:
        whole, digits = text.split(".")
        negative = whole.startswith("-")
        magnitude = fmpq(int(whole.lstrip("-") + digits), 10 ** len(digits))
        return -magnitude if negative else magnitude
    top, _, bottom = text.partition("/")
    return fmpq(int(top), int(bottom or 1))


def real_roots(factor: RationalFunction, name: str) -> list[Scalar] | None:
    """Real roots, ascending, of a univariate irreducible factor of degree at most 2."""
    coefficients = [c.constant() for c in factor.coefficients_in(name)]
    if len(coefficients) == 2:
        return [Scalar.rational(-coefficients[0] / coefficients[1])]
    if len(coefficients) != 3:
        return None
    c, b, a = coefficients
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    root = square_root(Scalar.rational(discriminant))
    half = Scalar.rational(fmpq(1, 2) / a)
    pair = [(Scalar.rational(-b) - root) * half, (Scalar.rational(-b) + root) * half]
    return sorted(pair, key=lambda x: x.to_float())


def _sign_without_roots(factor: RationalFunction, name: str, roots: list[Scalar]) -> int:
    """Sign of factor / Π (x − root): that of its leading coefficient."""
    coefficients = factor.coefficients_in(name)
    return 1 if coefficients[-1].constant() > 0 else -1


def ball_values(point: Mapping[str, Scalar], bits: int) -> dict[str, arb]:
    """A sample point as balls."""
    with precision(bits):
        return {name: value.ball({}) for name, value in point.items()}
