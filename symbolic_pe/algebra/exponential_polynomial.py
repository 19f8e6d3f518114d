"""The ring of exponential polynomials and its decided zero test.

    f(t, s, …) = Σ c · t^i s^j … · exp(λt + μs + …)

Coefficients and exponents are complex scalars. Products add exponents, derivatives and shifts
stay inside, and the functions t^i s^j exp(λt + μs) with distinct (i, j, λ, μ) are linearly
independent over the constants. So f = 0 exactly when every coefficient is 0: equality is equality
of normal forms, a decision and not a search. (Independence: a Vandermonde argument on the distinct
exponents, and the independence of powers.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

from flint import acb, arb

from symbolic_pe.algebra.complex_scalar import C_ONE, C_ZERO, ComplexScalar
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar


class Term(NamedTuple):
    """The function Π xᵢ^powerᵢ · exp(Σ exponentᵢ·xᵢ)."""

    powers: tuple[int, ...]
    exponents: tuple[ComplexScalar, ...]


class ExponentialPolynomial:
    """An element of the ring in the named variables; immutable.

    >>> t = ExponentialPolynomial.variable("t")
    >>> e = ExponentialPolynomial.exponential("t", ComplexScalar(Scalar.rational(2)))
    >>> str((t * e).derivative("t"))
    '2*t*exp(2*t) + exp(2*t)'
    """

    __slots__ = ("terms", "variables")

    def __init__(self, variables: tuple[str, ...], terms: Mapping[Term, ComplexScalar]):
        self.variables = variables
        self.terms = {key: c for key, c in terms.items() if not c.is_zero()}

    # -- constructors -------------------------------------------------------------------------

    @classmethod
    def constant(
        cls, value: Scalar | ComplexScalar, variables: tuple[str, ...] = ("t",)
    ) -> ExponentialPolynomial:
        """A constant function."""
        coefficient = value if isinstance(value, ComplexScalar) else ComplexScalar(value)
        width = len(variables)
        return cls(variables, {Term((0,) * width, (C_ZERO,) * width): coefficient})

    @classmethod
    def variable(cls, name: str) -> ExponentialPolynomial:
        """The function x."""
        return cls((name,), {Term((1,), (C_ZERO,)): C_ONE})

    @classmethod
    def exponential(cls, name: str, rate: ComplexScalar) -> ExponentialPolynomial:
        """exp(rate·x)."""
        return cls((name,), {Term((0,), (rate,)): C_ONE})

    @classmethod
    def cosine(cls, name: str, frequency: Scalar) -> ExponentialPolynomial:
        """cos(b·x) = (e^{ibx} + e^{−ibx})/2."""
        return _pair(name, frequency, ComplexScalar(HALF), ComplexScalar(HALF))

    @classmethod
    def sine(cls, name: str, frequency: Scalar) -> ExponentialPolynomial:
        """sin(b·x) = (e^{ibx} − e^{−ibx})/(2i)."""
        return _pair(name, frequency, ComplexScalar(ZERO, -HALF), ComplexScalar(ZERO, HALF))

    # -- ring ---------------------------------------------------------------------------------

    def _over(self, variables: tuple[str, ...]) -> ExponentialPolynomial:
        if self.variables == variables:
            return self
        place = {v: i for i, v in enumerate(self.variables)}

        def widen(key: Term) -> Term:
            return Term(
                tuple(key.powers[place[v]] if v in place else 0 for v in variables),
                tuple(key.exponents[place[v]] if v in place else C_ZERO for v in variables),
            )

        return ExponentialPolynomial(variables, {widen(k): c for k, c in self.terms.items()})

    def _aligned(
        self, other: ExponentialPolynomial
    ) -> tuple[ExponentialPolynomial, ExponentialPolynomial]:
        if self.variables == other.variables:
            return self, other
        variables = tuple(dict.fromkeys((*self.variables, *other.variables)))
        return self._over(variables), other._over(variables)

    def __add__(self, other: ExponentialPolynomial) -> ExponentialPolynomial:
        left, right = self._aligned(other)
        terms = dict(left.terms)
        for key, coefficient in right.terms.items():
            terms[key] = terms[key] + coefficient if key in terms else coefficient
        return ExponentialPolynomial(left.variables, terms)

    def __neg__(self) -> ExponentialPolynomial:
        return ExponentialPolynomial(self.variables, {k: -c for k, c in self.terms.items()})

    def __sub__(self, other: ExponentialPolynomial) -> ExponentialPolynomial:
        return self + (-other)

    def __mul__(self, other: ExponentialPolynomial) -> ExponentialPolynomial:
        left, right = self._aligned(other)
        terms: dict[Term, ComplexScalar] = {}
        for a, x in left.terms.items():
            for b, y in right.terms.items():
                key = Term(
                    tuple(i + j for i, j in zip(a.powers, b.powers, strict=True)),
                    tuple(m + n for m, n in zip(a.exponents, b.exponents, strict=True)),
                )
                value = x * y
                terms[key] = terms[key] + value if key in terms else value
        return ExponentialPolynomial(left.variables, terms)

    def scale(self, factor: Scalar) -> ExponentialPolynomial:
        """c·f for a real scalar c."""
        multiplier = ComplexScalar(factor)
        return ExponentialPolynomial(
            self.variables, {k: c * multiplier for k, c in self.terms.items()}
        )

    # -- calculus -----------------------------------------------------------------------------

    def derivative(self, variable: str) -> ExponentialPolynomial:
        """∂f/∂x: (t^k e^{λt})′ = k·t^{k−1}e^{λt} + λ·t^k e^{λt}."""
        index = self.variables.index(variable)
        terms: dict[Term, ComplexScalar] = {}
        for key, c in self.terms.items():
            rate = key.exponents[index]
            if not rate.is_zero():
                terms[key] = terms.get(key, C_ZERO) + c * rate
            if (k := key.powers[index]) > 0:
                powers = tuple(p - (i == index) for i, p in enumerate(key.powers))
                lower = Term(powers, key.exponents)
                factor = ComplexScalar(Scalar.rational(k))
                terms[lower] = terms.get(lower, C_ZERO) + c * factor
        return ExponentialPolynomial(self.variables, terms)

    def at_zero(self) -> ComplexScalar:
        """f(0, 0, …)."""
        total = C_ZERO
        for key, c in self.terms.items():
            if not any(key.powers):
                total = total + c
        return total

    def compose(self, form: Mapping[str, int]) -> ExponentialPolynomial:
        """f(n₁x₁ + n₂x₂ + …) for f in one variable, with integers nᵢ.

        `compose({"t": 1, "s": -1})` is f(t − s).
        """
        if len(self.variables) != 1:
            raise ValueError("expected a function of one variable")
        variables = tuple(form)
        total = ExponentialPolynomial(variables, {})
        for key, c in self.terms.items():
            (power,), (rate,) = key
            exponents = tuple(
                ComplexScalar(rate.re * Scalar.rational(n), rate.im * Scalar.rational(n))
                for n in form.values()
            )
            terms: dict[Term, ComplexScalar] = {}
            for powers, weight in _multinomial(power, tuple(form.values())):
                terms[Term(powers, exponents)] = c * ComplexScalar(Scalar.rational(weight))
            total = total + ExponentialPolynomial(variables, terms)
        return total

    def substitute(self, values: Mapping[str, Scalar]) -> ExponentialPolynomial:
        """Replace parameters inside coefficients and exponents."""

        def image(z: ComplexScalar) -> ComplexScalar:
            return ComplexScalar(z.re.substitute(values), z.im.substitute(values))

        terms: dict[Term, ComplexScalar] = {}
        for key, c in self.terms.items():
            new = Term(key.powers, tuple(image(e) for e in key.exponents))
            terms[new] = terms.get(new, C_ZERO) + image(c)
        return ExponentialPolynomial(self.variables, terms)

    # -- decision -----------------------------------------------------------------------------

    def is_zero_form(self) -> bool:
        """True when the normal form is empty: certainly the zero function."""
        return not self.terms

    def vanishes(self) -> bool:
        """Decide f = 0. Raises `Undecided` when an exponent or coefficient relation is unknown."""
        if not self.terms:
            return True
        if all(not c.vanishes() for c in self.terms.values()) and self._exponents_are_distinct():
            return False
        return self.merged().is_zero_form()

    def _exponents_are_distinct(self) -> bool:
        distinct = list(dict.fromkeys(key.exponents for key in self.terms))
        return not any(_equal(a, b) for a, b in combinations(distinct, 2))

    def merged(self) -> ExponentialPolynomial:
        """The same function with distinct exponents and coefficients that are not 0.

        Raises `Undecided` when a relation between exponents or coefficients is unknown.
        """
        representatives: list[tuple[ComplexScalar, ...]] = []
        terms: dict[Term, ComplexScalar] = {}
        for key, c in self.terms.items():
            for known in representatives:
                if _equal(known, key.exponents):
                    break
            else:
                known = key.exponents
                representatives.append(known)
            merged = Term(key.powers, known)
            terms[merged] = terms.get(merged, C_ZERO) + c
        return ExponentialPolynomial(
            self.variables, {k: c for k, c in terms.items() if not c.vanishes()}
        )

    # -- evaluation, text ---------------------------------------------------------------------

    def ball(self, point: Mapping[str, arb], values: Mapping[str, arb] | None = None) -> acb:
        """Rigorous enclosure of f at a point, at the current precision."""
        known = values or {}
        total = acb(0)
        for key, c in self.terms.items():
            exponent = acb(0)
            factor = acb(c.re.ball(known), c.im.ball(known))
            for variable, power, rate in zip(
                self.variables, key.powers, key.exponents, strict=True
            ):
                x = point[variable]
                factor *= acb(x) ** power if power else 1
                if not rate.is_zero():
                    exponent += acb(rate.re.ball(known), rate.im.ball(known)) * x
            total += factor * exponent.exp()
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExponentialPolynomial):
            return False
        left, right = self._aligned(other)
        return left.terms == right.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        from symbolic_pe.algebra.printing import real_form

        return real_form(self)

    def __repr__(self) -> str:
        return f"ExponentialPolynomial({self})"


def _pair(
    name: str, frequency: Scalar, plus: ComplexScalar, minus: ComplexScalar
) -> ExponentialPolynomial:
    if frequency.is_zero():
        return ExponentialPolynomial.constant(plus + minus, (name,))
    return ExponentialPolynomial(
        (name,),
        {
            Term((0,), (ComplexScalar(ZERO, frequency),)): plus,
            Term((0,), (ComplexScalar(ZERO, -frequency),)): minus,
        },
    )


def _equal(a: Sequence[ComplexScalar], b: Sequence[ComplexScalar]) -> bool:
    return all((x - y).vanishes() for x, y in zip(a, b, strict=True))


def _multinomial(power: int, weights: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """Terms of (n₁x₁ + n₂x₂ + …)^power as (powers, integer coefficient)."""
    if len(weights) == 1:
        return [((power,), weights[0] ** power)]
    return [
        ((k, *rest), comb(power, k) * weights[0] ** k * weight)
        for k in range(power, -1, -1)
        for rest, weight in _multinomial(power - k, weights[1:])
    ]


def real_constant(value: Scalar = ONE, variable: str = "t") -> ExponentialPolynomial:
    """A real constant as a function of one variable."""
    return ExponentialPolynomial.constant(value, (variable,))
