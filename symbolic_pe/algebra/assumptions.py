"""What is known about the parameters: intervals for each, signs of polynomials in them.

An `Assumptions` value is one cell of parameter space. `sign_of` answers from it; `with_sign`,
`with_equation` and their like refine it and return None when the refinement contradicts itself.
Cutting a cell into parts that cover it is the business of `splitting`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from flint import fmpq

from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.rational_function import RationalFunction, monomial_element
from symbolic_pe.algebra.scalar import ZERO, Scalar, with_symbols_replaced
from symbolic_pe.algebra.symbols import (
    exponential_argument,
    is_constant_symbol,
    is_exponential,
)
from symbolic_pe.errors import NotYetCovered, OutsideTheRing, SpecificationError

ASSUMPTIONS = ("real", "positive", "negative", "nonnegative", "nonpositive", "nonzero")
_BETWEEN = re.compile(r"between\s+(-?\d+(?:/\d+|\.\d+)?)\s+and\s+(-?\d+(?:/\d+|\.\d+)?)")
MAX_TERMS_TO_SOLVE = 12
"""An equation with more terms is recorded as it is: solving it would swell everything else."""
RELATIONS = {1: ">", 0: "=", -1: "<"}


@dataclass(frozen=True)
class Assumptions:
    """One cell: an interval for each parameter, known signs, and solved parameters.

    A sign 0 in `signs` is an equation that no parameter in it could be solved for. `weak` holds
    elements with sign·element ≥ 0, `not_all_zero` lists of which at least one does not vanish,
    `constants` the values of symbols that stand for real algebraic numbers, `definitions` those of
    symbols that stand for positive functions of the parameters.
    """

    declared: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    nonzero: Mapping[str, RationalFunction] = field(default_factory=dict)
    signs: Mapping[str, tuple[RationalFunction, int]] = field(default_factory=dict)
    solved: Mapping[str, Scalar] = field(default_factory=dict)
    weak: Mapping[str, tuple[RationalFunction, int]] = field(default_factory=dict)
    not_all_zero: Mapping[str, tuple[RationalFunction, ...]] = field(default_factory=dict)
    constants: Mapping[str, Scalar] = field(default_factory=dict)
    definitions: Mapping[str, Scalar] = field(default_factory=dict)

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
        if self._vanishes_by_an_equation(factors):
            return 0
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

    def possible_signs(self, factor: RationalFunction) -> frozenset[int]:
        """The signs that an irreducible factor may have on the cell, as far as is known."""
        known = self.sign_of(factor)
        if known is not None:
            return frozenset((known,))
        signs = {-1, 0, 1}
        if self.is_nonzero(factor):
            signs.discard(0)
        if weak := self.weak_sign_of(factor):
            signs.discard(-weak)
        return frozenset(signs)

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

    def _vanishes_by_an_equation(self, factors: list[tuple[RationalFunction, int]]) -> bool:
        """True when the factors contain all those of an equation of the cell."""
        present = {str(f) for f, exponent in factors if exponent > 0}
        return any(
            sign == 0 and all(str(f) in present for f, _ in equation.factors()[1])
            for equation, sign in self.signs.values()
        )

    def with_constants(self, values: Mapping[str, Scalar]) -> Assumptions:
        """With symbols that stand for real algebraic numbers."""
        return replace(self, constants={**self.constants, **values})

    def value(self, element: RationalFunction) -> Scalar:
        """An element with the constants of the cell put in."""
        x = Scalar({(): element})
        return x.substitute(self.constants) if self.constants else x

    def equations(self) -> list[RationalFunction]:
        """Polynomials that vanish on the cell and were not solved for a parameter."""
        return [element for element, sign in self.signs.values() if sign == 0]

    def _sign_of_product(self, factors: list[tuple[RationalFunction, int]]) -> int | None:
        """A fact about a product, left over from solving for a parameter."""
        product = RationalFunction(1)
        for factor, exponent in factors:
            if exponent % 2:
                product = product * factor
            elif not self.is_nonzero(factor):
                return None
        fact = self.signs.get(str(product))
        return None if fact is None or fact[1] == 0 else fact[1]

    def _sign_of_factor(self, factor: RationalFunction) -> int | None:
        text = str(factor)
        if text in self.signs:
            return self.signs[text][1]
        names = factor.used_names()
        if all(n in self.constants or is_constant_symbol(n) for n in names):
            return self.value(factor).sign()
        if len(names) == 1 and names[0] in self.intervals:
            known = self._sign_in_one_parameter(factor, names[0])
            if known is not None:
                return known
        known = self.sign_by_monomials(factor)
        if known is None and (found := self._semidefinite(factor)) is not None:
            strict = self.sign_of(found[1]) == -1
            return found[0] if strict else None
        return known

    def _sign_in_one_parameter(self, factor: RationalFunction, name: str) -> int | None:
        roots = real_roots(factor, name)
        if roots is None:
            return self.intervals[name].sign_of_polynomial(
                [c.constant() for c in factor.coefficients_in(name)]
            )
        interval = self.intervals[name]
        result = 1
        for root in roots:
            sign = interval.sign_of_difference(root)
            if sign is None:
                return None
            result *= sign
        return result * sign_without_roots(factor, name)

    def sign_by_monomials(self, factor: RationalFunction) -> int | None:
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

    def weak_sign_of(self, factor: RationalFunction) -> int | None:
        """1 when no term of the factor is negative anywhere on the cell, −1 when none is positive.

        None when neither is known.
        """
        if str(factor) in self.weak:
            return self.weak[str(factor)][1]
        names = factor.used_names()
        if len(names) == 1 and names[0] in self.intervals:
            return self._weak_sign_in_one_parameter(factor, names[0])
        by_terms = self.weak_sign_by_monomials(factor)
        if by_terms is None and (found := self._semidefinite(factor)) is not None:
            return found[0]
        return by_terms

    def _weak_sign_in_one_parameter(self, factor: RationalFunction, name: str) -> int | None:
        roots = real_roots(factor, name)
        if roots is None:
            return self.weak_sign_by_monomials(factor)
        result = sign_without_roots(factor, name)
        for root in roots:
            side = self.intervals[name].weak_sign_of_difference(root)
            if side is None:
                return self.weak_sign_by_monomials(factor)
            result *= side
        return result

    def weak_sign_by_monomials(self, factor: RationalFunction) -> int | None:
        """1 or −1 when no term has the other sign, else None."""
        signs = set()
        for monomial, coefficient in factor.numerator_terms():
            sign = 1 if coefficient > 0 else -1
            for name, exponent in monomial.items():
                if exponent % 2 == 0:
                    continue
                base = self._sign_of_symbol(name) or self._weak_sign(name)
                if base is None:
                    return None
                sign *= base
            signs.add(sign)
        return signs.pop() if len(signs) == 1 else None

    def zeros_of_semidefinite(self, factor: RationalFunction) -> list[RationalFunction]:
        """What vanishes where a factor of one weak sign does; empty when that is not known."""
        if self.weak_sign_by_monomials(factor) is not None:
            return [monomial_element(m, c) for m, c in factor.numerator_terms()]
        found = self._semidefinite(factor)
        return [] if found is None else [found[1], found[2]]

    def _semidefinite(
        self, factor: RationalFunction
    ) -> tuple[int, RationalFunction, RationalFunction] | None:
        """A·v² + B·v + C with A of one sign and B² − 4AC ≤ 0: (sign, B² − 4AC, 2Av + B).

        It vanishes exactly where the last two do.
        """
        if factor.size() > MAX_TERMS_TO_SOLVE:
            return None
        for name in factor.used_names():
            if name not in self.intervals or factor.degree_in(name) != 2:
                continue
            c, b, a = factor.coefficients_in(name)
            lead = self.sign_of(a)
            if lead not in (1, -1):
                continue
            discriminant = b * b - RationalFunction(4) * a * c
            if discriminant.size() < factor.size() and self.is_at_most_zero(discriminant):
                slope = RationalFunction(2) * a * RationalFunction.symbol(name) + b
                return lead, discriminant, slope
        return None

    def is_at_most_zero(self, element: RationalFunction) -> bool:
        """True when the element is known to be ≤ 0 on the whole cell."""
        constant, factors = element.factors()
        odd = [f for f, exponent in factors if exponent % 2]
        if not odd:
            return element.is_zero() or constant < 0
        if len(odd) > 1:
            return False
        sign = self.sign_of(odd[0])
        weak = sign if sign in (1, -1) else self.weak_sign_of(odd[0])
        return weak is not None and (weak > 0) == (constant < 0)

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
        if name in self.constants:
            return self.constants[name].sign()
        interval = self.intervals.get(name)
        return None if interval is None else interval.sign_of_difference(ZERO)

    # -- refinement ---------------------------------------------------------------------------

    def with_weak_sign(self, element: RationalFunction, sign: int) -> Assumptions | None:
        """Record sign·element ≥ 0."""
        known = self.sign_of(element)
        if known is not None:
            return None if known == -sign else self
        constant, _ = element.factors()
        scaled = element / RationalFunction(constant)
        direction = sign if constant > 0 else -sign
        if self.is_nonzero(scaled):
            return self.with_sign(scaled, direction)
        opposite = self.weak.get(str(scaled))
        if opposite is not None and opposite[1] != direction:
            return self.with_equation(scaled)
        return replace(self, weak={**self.weak, str(scaled): (scaled, direction)})

    def put_in(self, name: str, root: Scalar, factor: RationalFunction) -> Assumptions | None:
        """The cell where a parameter is a root of a factor, put in where that stays in the ring."""
        try:
            return self.with_solution(name, root)
        except (NotYetCovered, OutsideTheRing):  # sums of roots, exponentials of exponentials
            return self.with_equation(factor)

    def solved_for(self, factor: RationalFunction) -> Assumptions | None:
        """Solve factor = 0 for a parameter that occurs linearly with a non-zero coefficient.

        Where there is none, the equation itself is recorded.
        """
        for name in self.linear_parameters(factor):
            constant, linear = factor.coefficients_in(name)
            if self.is_nonzero(linear):
                return self.put_in(name, Scalar({(): -(constant / linear)}), factor)
        return self.with_equation(factor)

    def with_equation(self, element: RationalFunction) -> Assumptions | None:
        """Record element = 0; factors that cannot vanish are left out."""
        product = RationalFunction(1)
        for factor, exponent in element.factors()[1]:
            if exponent > 0 and not self.is_nonzero(factor):
                product = product * factor
        if product.is_constant():
            return None
        return replace(self, signs={**self.signs, str(product): (product, 0)})

    def relevant(self, elements: Sequence[RationalFunction]) -> list[RationalFunction]:
        """Products of the factors that may vanish, simplest first, without multiples of others."""
        reduced: dict[str, tuple[frozenset[str], RationalFunction]] = {}
        for element in elements:
            if self.sign_of(element) == 0:
                continue
            product, found = RationalFunction(1), set()
            for factor, exponent in element.factors()[1]:
                if exponent > 0 and not self.is_nonzero(factor):
                    product = product * factor
                    found.add(str(factor))
            reduced.setdefault(str(product), (frozenset(found), product))
        kept: list[tuple[frozenset[str], RationalFunction]] = []
        for texts, product in sorted(
            reduced.values(), key=lambda item: (len(item[0]), item[1].size(), str(item[1]))
        ):
            if not any(known <= texts for known, _ in kept):
                kept.append((texts, product))
        return [product for _, product in kept]

    def all_vanish(self, elements: Sequence[RationalFunction]) -> bool | None:
        """Whether all elements are 0 (True), some is not (False) on the whole cell, or None."""
        undecided = False
        for element in elements:
            if element.is_zero() or self.sign_of(element) == 0:
                continue
            if self.is_nonzero(element):
                return False
            undecided = True
        if not undecided:
            return True
        texts = {str(x) for x in self.relevant(elements)}
        if any(all(str(x) in texts for x in fact) for fact in self.not_all_zero.values()):
            return False
        return None

    def with_some_nonzero(self, elements: Sequence[RationalFunction]) -> Assumptions | None:
        """Record that of several elements one does not vanish."""
        if len(elements) == 1:
            return self.with_nonzero(elements[0])
        key = ", ".join(map(str, elements))
        return replace(self, not_all_zero={**self.not_all_zero, key: tuple(elements)})

    def linear_parameters(self, factor: RationalFunction) -> list[str]:
        """Parameters that occur linearly in a factor and are not solved for yet.

        A parameter under an exponential is none: it would be put into its own exponential.
        """
        exponents = {
            n
            for symbol in (*factor.used_names(), *self.definitions)
            if is_exponential(symbol)
            for n in exponential_argument(symbol).parameters()
        }
        return [
            n
            for n in reversed(factor.used_names())
            if n in self.intervals
            and n not in self.solved
            and n not in exponents
            and factor.degree_in(n) == 1
        ]

    def with_solution(self, name: str, value: Scalar) -> Assumptions | None:
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
        start = replace(
            self, solved={**solved, name: value}, signs={}, nonzero={}, weak={}, not_all_zero={}
        )
        refined = start._within(self.intervals[name], value)
        for element in self.nonzero.values():
            image = _single(Scalar({(): element}).substitute(new))
            refined = None if refined is None else refined.with_nonzero(image)
        for element, sign in self.signs.values():
            if refined is None:
                return None
            if sign == 0:
                continue
            image = _single(Scalar({(): element}).substitute(new))
            known = refined.sign_of(image)
            if known is None:
                refined = refined.with_sign(image, sign)
            elif known != sign:
                return None
        for element, sign in self.weak.values():
            if refined is None:
                return None
            image = _single(Scalar({(): element}).substitute(new))
            refined = refined.with_weak_sign(image, sign)
        for elements in self.not_all_zero.values():
            if refined is None:
                return None
            refined = refined._with_some_of([zeros_of_image(x, new) for x in elements])
        for element in self.equations():
            refined = None if refined is None else refined._with_equation_solved(element)
        return refined

    def _with_equation_solved(self, element: RationalFunction) -> Assumptions | None:
        """Record element = 0 after a substitution; solved for a parameter where one can be."""
        image = zeros_of_image(element, self.solved)
        known = self.sign_of(image)
        if known is not None:
            return self if known == 0 else None
        vanishing = [f for f, e in image.factors()[1] if e > 0 and not self.is_nonzero(f)]
        if len(vanishing) != 1:
            return self.with_equation(image)
        (factor,) = vanishing
        names = factor.used_names()
        if len(names) == 1 and (roots := real_roots(factor, names[0])) is not None:
            inside = [r for r in roots if self.intervals[names[0]].contains(r)]
            if not inside:
                return None
            if len(inside) == 1:
                return self.at_point(names[0], inside[0], factor)
            return self.with_equation(factor)
        return self.solved_for(factor)

    def at_point(self, name: str, value: Scalar, factor: RationalFunction) -> Assumptions | None:
        """The part of the cell where one parameter has a given value, a root of a factor."""
        point = Interval(value, value, True, True)
        part = replace(self, intervals={**self.intervals, name: point})
        return part.put_in(name, value, factor)

    def _with_some_of(self, elements: Sequence[RationalFunction]) -> Assumptions | None:
        """Record that some element does not vanish; None when all of them do."""
        known = self.all_vanish(elements)
        if known is False:
            return self
        return None if known else self.with_some_nonzero(self.relevant(elements))

    def with_nonzero(self, element: RationalFunction) -> Assumptions | None:
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
        for bound, closed, side in (
            (interval.low, interval.low_closed, 1),
            (interval.high, interval.high_closed, -1),
        ):
            if bound is None or refined is None:
                continue
            difference = _single(value - bound)
            known = refined.sign_of(difference)
            if known is None and closed:
                refined = refined.with_weak_sign(difference, side)
            elif known is None:
                refined = refined.with_sign(difference, side)
            elif known != side and not (closed and known == 0):
                return None
        return refined

    def with_sign(self, element: RationalFunction, sign: int) -> Assumptions | None:
        """Record a sign; where it is strict, even factors only have to be non-zero."""
        if sign == 0:
            return self.with_equation(element)
        constant, factors = element.factors()
        product, known = RationalFunction(1), sign * (1 if constant > 0 else -1)
        refined: Assumptions | None = self
        for factor, exponent in factors:
            strict = self.sign_of(factor)
            if strict == 0:
                return None
            if exponent % 2 == 0:
                refined = None if refined is None else refined.with_nonzero(factor)
            elif strict is None:
                product = product * factor
            else:
                known *= strict
        if refined is None or (product.is_constant() and known < 0):
            return None
        if product.is_constant():
            return refined
        return replace(refined, signs={**refined.signs, str(product): (product, known)})

    def consistent(self) -> Assumptions | None:
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
        result: Assumptions | None = replace(self, signs=facts, weak={}, not_all_zero={})
        for element, sign in self.weak.values():
            result = None if result is None else result.with_weak_sign(element, sign)
        for elements in self.not_all_zero.values():
            result = None if result is None else result._with_some_of(elements)
        return result

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
            positive = interval == Interval(low=ZERO)
            if base.get(name) != interval and not (positive and name in self.definitions):
                texts.extend(interval.describe(name))
        for name, value in self.solved.items():
            interval = self.intervals[name]
            point = interval.low is not None and interval.low == interval.high
            if not point and not self._says_nothing(name, value):
                texts.append(f"{name} = {value}")
        for element, sign in self.signs.values():
            texts.append(f"{element} {RELATIONS[sign]} 0")
        texts.extend(f"{element} {RELATIONS[sign]}= 0" for element, sign in self.weak.values())
        declared = beyond.nonzero if beyond else {}
        for text, element in self.nonzero.items():
            if text not in declared and replace(self, nonzero={}).sign_of(element) is None:
                texts.append(f"{element} != 0")
        texts.extend(f"not all of {text} are 0" for text in self.not_all_zero)
        return texts

    def _says_nothing(self, name: str, value: Scalar) -> bool:
        """True for what a definition already says, such as w = sqrt(w)^2."""
        if not self.definitions or not value.is_base():
            return False
        image = with_symbols_replaced(value.base_value(), self.definitions)
        return image == Scalar.symbol(name)


def _single(x: Scalar) -> RationalFunction:
    """The coefficient of a one-term scalar; its radical is positive and has no say in the sign."""
    if x.is_zero():
        return RationalFunction(0)
    if not x.parameters():
        return RationalFunction(x.sign())
    if len(x.terms) > 1:
        raise NotYetCovered(f"the sign of {x}, a sum of roots with parameters")
    (element,) = x.terms.values()
    return element


def zeros_of_image(element: RationalFunction, values: Mapping[str, Scalar]) -> RationalFunction:
    """The numerator of an element after substitution; positive radicals have no say in zeros."""
    return _single(Scalar({(): element}).substitute(values)) if values else element


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


def sign_without_roots(factor: RationalFunction, name: str) -> int:
    """Sign of factor / Π (x − root): that of its leading coefficient."""
    coefficients = factor.coefficients_in(name)
    return 1 if coefficients[-1].constant() > 0 else -1
