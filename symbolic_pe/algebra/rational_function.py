"""The base field K = Q(symbols): quotients of polynomials in named symbols, in lowest terms.

A symbol is a parameter (`w`) or a transcendental constant (`pi`, `log(2)`, `exp(q)`); here they
are only names. Polynomials are `flint.fmpq_mpoly`; an element without symbols is an `fmpq`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

Rational = fmpq


@cache
def _context(names: tuple[str, ...]) -> fmpq_mpoly_ctx:
    return fmpq_mpoly_ctx.get(names, Ordering.degrevlex)


class RationalFunction:
    """An element of Q(symbols), reduced, its denominator with leading coefficient 1.

    Two elements are equal exactly when their canonical texts are.
    """

    __slots__ = ("_factors", "_text", "_used", "denominator", "names", "numerator")

    def __init__(self, numerator: Any, denominator: Any = None, names: tuple[str, ...] = ()):
        self.names = names
        self._text: str | None = None
        self._used: tuple[str, ...] | None = None
        self._factors: tuple[fmpq, list[tuple[RationalFunction, int]]] | None = None
        if not names:
            self.numerator = fmpq(numerator) if denominator is None else numerator / denominator
            self.denominator = _ONE
            return
        if denominator is None:
            denominator = _context(names).constant(1)
        elif not denominator.is_one():
            divisor = numerator.gcd(denominator)
            if not divisor.is_one():
                numerator, denominator = numerator / divisor, denominator / divisor
            lead = denominator.leading_coefficient()
            if lead != 1:
                numerator, denominator = numerator / lead, denominator / lead
        self.numerator = numerator
        self.denominator = denominator
        if numerator.is_constant() and denominator.is_constant():
            self.names = ()
            self.numerator = _constant_of(numerator) / _constant_of(denominator)
            self.denominator = _ONE

    @classmethod
    def symbol(cls, name: str) -> RationalFunction:
        """The symbol itself."""
        return cls(_context((name,)).gens()[0], None, (name,))

    # -- arithmetic ---------------------------------------------------------------------------

    def _lifted(self, names: tuple[str, ...]) -> tuple[Any, Any]:
        if self.names == names:
            return self.numerator, self.denominator
        context = _context(names)
        if not self.names:
            return context.constant(self.numerator), context.constant(1)
        return (
            self.numerator.project_to_context(context),
            self.denominator.project_to_context(context),
        )

    def _common(self, other: RationalFunction) -> tuple[tuple[str, ...], Any, Any, Any, Any]:
        if self.names == other.names:
            return self.names, self.numerator, self.denominator, other.numerator, other.denominator
        names = tuple(sorted({*self.names, *other.names}))
        return (names, *self._lifted(names), *other._lifted(names))

    def __add__(self, other: RationalFunction) -> RationalFunction:
        if not self.names and not other.names:
            return RationalFunction(self.numerator + other.numerator)
        names, a, b, c, d = self._common(other)
        if b.is_one() and d.is_one():
            return RationalFunction(a + c, None, names)
        return RationalFunction(a * d + c * b, b * d, names)

    def __neg__(self) -> RationalFunction:
        if not self.names:
            return RationalFunction(-self.numerator)
        return RationalFunction(-self.numerator, self.denominator, self.names)

    def __sub__(self, other: RationalFunction) -> RationalFunction:
        return self + (-other)

    def __mul__(self, other: RationalFunction) -> RationalFunction:
        if not self.names and not other.names:
            return RationalFunction(self.numerator * other.numerator)
        names, a, b, c, d = self._common(other)
        if b.is_one() and d.is_one():
            return RationalFunction(a * c, None, names)
        return RationalFunction(a * c, b * d, names)

    def inverse(self) -> RationalFunction:
        """1/x; ZeroDivisionError for 0."""
        if self.is_zero():
            raise ZeroDivisionError("division by zero")
        if not self.names:
            return RationalFunction(1 / self.numerator)
        return RationalFunction(self.denominator, self.numerator, self.names)

    def __truediv__(self, other: RationalFunction) -> RationalFunction:
        return self * other.inverse()

    def __pow__(self, exponent: int) -> RationalFunction:
        if exponent < 0:
            return self.inverse() ** (-exponent)
        if not self.names:
            return RationalFunction(self.numerator**exponent)
        return RationalFunction(self.numerator**exponent, self.denominator**exponent, self.names)

    # -- questions ----------------------------------------------------------------------------

    def is_zero(self) -> bool:
        """True for 0; decided, since the form is canonical."""
        return not self.names and self.numerator == 0

    def is_constant(self) -> bool:
        """True when no symbol occurs."""
        return not self.names

    def constant(self) -> fmpq:
        """The rational value of a constant."""
        if self.names:
            raise ValueError(f"expected a rational constant, got {self}")
        return self.numerator

    def is_polynomial(self) -> bool:
        """True when the denominator is 1."""
        return not self.names or self.denominator.is_one()

    def used_names(self) -> tuple[str, ...]:
        """The symbols that occur, sorted."""
        if self._used is None:
            self._used = self._occurring()
        return self._used

    def _occurring(self) -> tuple[str, ...]:
        if not self.names:
            return ()
        used = [False] * len(self.names)
        for polynomial in (self.numerator, self.denominator):
            for index, degree in enumerate(polynomial.degrees()):
                used[index] = used[index] or degree > 0
        return tuple(n for n, u in zip(self.names, used, strict=True) if u)

    def degree_in(self, name: str) -> int:
        """Degree of the numerator in one symbol."""
        if name not in self.names:
            return 0
        return int(self.numerator.degrees()[self.names.index(name)])

    def factors(self) -> tuple[fmpq, list[tuple[RationalFunction, int]]]:
        """Constant and irreducible polynomial factors with (possibly negative) exponents.

        x = c · Π fᵢ^eᵢ, each fᵢ irreducible over Q with leading coefficient 1.
        """
        if self._factors is None:
            self._factors = self._factored()
        return self._factors

    def _factored(self) -> tuple[fmpq, list[tuple[RationalFunction, int]]]:
        if not self.names:
            return self.numerator, []
        constant = fmpq(1)
        found: list[tuple[RationalFunction, int]] = []
        for polynomial, sign in ((self.numerator, 1), (self.denominator, -1)):
            content, parts = polynomial.factor()
            constant *= fmpq(content) ** sign
            for factor, exponent in parts:
                lead = factor.leading_coefficient()
                constant *= fmpq(lead) ** (sign * int(exponent))
                found.append(
                    (RationalFunction(factor / lead, None, self.names), sign * int(exponent))
                )
        found.sort(key=lambda item: str(item[0]))
        return constant, found

    def split(self) -> tuple[RationalFunction, RationalFunction]:
        """Numerator and denominator as elements."""
        if not self.names:
            return RationalFunction(self.numerator.p), RationalFunction(self.numerator.q)
        return (
            RationalFunction(self.numerator, None, self.names),
            RationalFunction(self.denominator, None, self.names),
        )

    def numerator_terms(self) -> Iterator[tuple[dict[str, int], fmpq]]:
        """Monomials of the numerator, as {symbol: exponent}, with their coefficients."""
        if not self.names:
            if self.numerator != 0:
                yield {}, self.numerator
            return
        for exponents, coefficient in self.numerator.to_dict().items():
            yield (
                {n: int(e) for n, e in zip(self.names, exponents, strict=True) if e},
                fmpq(coefficient),
            )

    def coefficients_in(self, name: str) -> list[RationalFunction]:
        """Coefficients of a polynomial in one symbol, from degree 0 up."""
        result = [ZERO] * (self.degree_in(name) + 1)
        for monomial, coefficient in self.numerator_terms():
            power = monomial.pop(name, 0)
            result[power] = result[power] + monomial_element(monomial, coefficient)
        return result

    def derivative(self, name: str) -> RationalFunction:
        """Derivative of a polynomial with respect to one symbol."""
        if name not in self.names:
            return ZERO
        return RationalFunction(self.numerator.derivative(name), None, self.names)

    def resultant(self, other: RationalFunction, name: str) -> RationalFunction:
        """Resultant of two polynomials with respect to one symbol."""
        names, a, _, b, _ = self._common(other)
        return RationalFunction(a.resultant(b, name), None, names)

    def at(self, values: Mapping[str, fmpq]) -> fmpq:
        """The value at rational values of all symbols used; ZeroDivisionError at a pole."""
        if not self.names:
            return self.numerator
        point = [values.get(name, _ONE) for name in self.names]  # some names may not occur
        return fmpq(self.numerator(*point)) / fmpq(self.denominator(*point))

    def specialised(self, values: Mapping[str, fmpq]) -> RationalFunction:
        """The numerator with rational values for some symbols."""
        if not self.names:
            return self
        here = {name: value for name, value in values.items() if name in self.names}
        return RationalFunction(self.numerator.subs(here), None, self.names)

    def size(self) -> int:
        """Number of terms of numerator and denominator."""
        return 1 if not self.names else len(self.numerator) + len(self.denominator)

    def discriminant(self, name: str) -> RationalFunction:
        """Discriminant of a polynomial with respect to one symbol."""
        return RationalFunction(self.numerator.discriminant(name), None, self.names)

    # -- equality, text -----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RationalFunction) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        if self._text is None:
            self._text = self._print()
        return self._text

    def __repr__(self) -> str:
        return f"RationalFunction({self})"

    def _print(self) -> str:
        if not self.names:
            return str(self.numerator)
        top = _print_polynomial(self.numerator, self.names)
        if self.denominator.is_one():
            return top
        bottom = _print_polynomial(self.denominator, self.names)
        return f"{grouped(top, '+-')}/{grouped(bottom, '+-*/')}"


def _constant_of(polynomial: Any) -> fmpq:
    if not isinstance(polynomial, fmpq_mpoly):
        return fmpq(polynomial)
    return fmpq(0) if polynomial.is_zero() else fmpq(polynomial.coeffs()[0])


def monomial_element(monomial: Mapping[str, int], coefficient: fmpq) -> RationalFunction:
    """The element c·Π symbol^exponent."""
    result = RationalFunction(coefficient)
    for name, exponent in monomial.items():
        result = result * RationalFunction.symbol(name) ** exponent
    return result


def grouped(text: str, operators: str) -> str:
    """Parentheses around a text with one of the operators at its top level, past its sign."""
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and index > 0 and char in operators:
            return f"({text})"
    return text


def _print_polynomial(polynomial: Any, names: tuple[str, ...]) -> str:
    pieces: list[str] = []
    for exponents, coefficient in zip(polynomial.monoms(), polynomial.coeffs(), strict=True):
        factors = [
            name if exponent == 1 else f"{name}^{exponent}"
            for name, exponent in zip(names, exponents, strict=True)
            if exponent
        ]
        magnitude = abs(coefficient)
        if magnitude != 1 or not factors:
            factors.insert(0, str(magnitude))
        pieces.append(("-" if coefficient < 0 else "+") + "*".join(factors))
    text = "".join(f" {piece[0]} {piece[1:]}" for piece in pieces).strip()
    if not text:
        return "0"
    return text[2:] if text.startswith("+ ") else text.replace("- ", "-", 1)


_ONE = fmpq(1)
ZERO = RationalFunction(0)
ONE = RationalFunction(1)
