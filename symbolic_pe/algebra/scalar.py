"""Exact real numbers and functions of parameters: sums of positive radicals over Q(symbols).

    x = Σ cᵢ · Π a^e,    cᵢ in Q(symbols),  a positive atoms,  e rationals in (0, 1)

Distinct products of fractional powers of distinct primes (and of irreducible polynomials) are
linearly independent over Q(symbols): Besicovitch's theorem and its function-field form. The sum
is therefore a normal form: equal forms are equal numbers. Different forms are different numbers
as long as π, logarithms and exponentials enter within the reach of Lindemann's and Baker's
theorems; beyond, a ball that excludes 0 decides, and otherwise the answer is `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import lcm
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

from symbolic_pe.algebra.rational_function import ONE as K_ONE
from symbolic_pe.algebra.rational_function import RationalFunction, grouped
from symbolic_pe.algebra.symbols import (
    PI,
    Atom,
    exponential_argument,
    is_constant_symbol,
    is_exponential,
    is_logarithm,
    logarithm_argument,
    prime_factors,
    symbol_ball,
)
from symbolic_pe.errors import OutsideTheRing, Undecided

if TYPE_CHECKING:
    from symbolic_pe.algebra.functions import SignKnowledge

Radical = tuple[tuple[Atom, fmpq], ...]

DECISION_PRECISIONS = (64, 256, 1024, 4096)
MAX_DEGREE_TO_INVERT = 128


class Scalar:
    """An element of the ring of radical sums over Q(symbols). Immutable and hashable."""

    __slots__ = ("_text", "terms")

    def __init__(self, terms: Mapping[Radical, RationalFunction]):
        self.terms = {r: c for r, c in terms.items() if not c.is_zero()}
        self._text: str | None = None

    @classmethod
    def rational(cls, value: Any) -> Scalar:
        """A rational number, from int, `fmpq` or Fraction."""
        if hasattr(value, "numerator") and not isinstance(value, fmpq):
            value = fmpq(int(value.numerator), int(value.denominator))
        return cls({(): RationalFunction(fmpq(value))})

    @classmethod
    def symbol(cls, name: str) -> Scalar:
        """A parameter or constant symbol."""
        return cls({(): RationalFunction.symbol(name)})

    @classmethod
    def monomial(cls, factors: Mapping[Atom, fmpq], coefficient: RationalFunction) -> Scalar:
        """c·Π atom^exponent for any rational exponents."""
        radical, scale = _normalised(factors)
        return cls({radical: coefficient * scale})

    # -- arithmetic ---------------------------------------------------------------------------

    def __add__(self, other: Scalar) -> Scalar:
        terms = dict(self.terms)
        for radical, coefficient in other.terms.items():
            terms[radical] = terms[radical] + coefficient if radical in terms else coefficient
        return Scalar(terms)

    def __neg__(self) -> Scalar:
        return Scalar({r: -c for r, c in self.terms.items()})

    def __sub__(self, other: Scalar) -> Scalar:
        return self + (-other)

    def __mul__(self, other: Scalar) -> Scalar:
        terms: dict[Radical, RationalFunction] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                radical, scale = _product(left, right)
                value = a * b if scale is K_ONE else a * b * scale
                terms[radical] = terms[radical] + value if radical in terms else value
        return Scalar(terms)

    def __pow__(self, exponent: int) -> Scalar:
        if exponent < 0:
            return self.inverse() ** (-exponent)
        result, base = ONE, self
        while exponent:
            if exponent & 1:
                result = result * base
            exponent >>= 1
            base = base * base if exponent else base
        return result

    def __truediv__(self, other: Scalar) -> Scalar:
        return self * other.inverse()

    def inverse(self) -> Scalar:
        """1/x, again a radical sum; ZeroDivisionError for 0."""
        if not self.terms:
            raise ZeroDivisionError("division by zero")
        if len(self.terms) == 1:
            ((radical, coefficient),) = self.terms.items()
            return Scalar.monomial({a: -e for a, e in radical}, coefficient.inverse())
        degree = radical_degree(self)
        if degree > MAX_DEGREE_TO_INVERT:
            raise OutsideTheRing(
                f"the inverse of a sum of roots of degree {degree} over the rationals; at most "
                f"{MAX_DEGREE_TO_INVERT} is covered"
            )
        atom = min((a for r in self.terms for a, _ in r), key=lambda a: a.text)
        return _inverse_over(self, atom)

    # -- questions ----------------------------------------------------------------------------

    def is_zero(self) -> bool:
        """True when the normal form is empty: certainly 0. See `vanishes` for the converse."""
        return not self.terms

    def vanishes(self) -> bool:
        """Decide x = 0 (for functions of parameters: identically). Raises `Undecided`."""
        if not self.terms:
            return True
        if self._difference_is_certain():
            return False
        values = self.sample_values()
        for bits in DECISION_PRECISIONS:
            with precision(bits):
                if not self.ball(values).contains(0):
                    return False
        raise Undecided(
            f"whether {self} is 0: it is 0 to {DECISION_PRECISIONS[-1]} bits, and no theorem "
            "decides relations of this kind between π, logarithms and exponentials"
        )

    def _difference_is_certain(self) -> bool:
        constants = {n for n in self.symbols() if is_constant_symbol(n)}
        if not constants:
            return True
        if all(is_exponential(n) for n in constants):
            return True
        if len(constants) == 1:
            return True
        if any(is_exponential(n) for n in constants):
            return False
        return all(
            sum(e for n, e in monomial.items() if n in constants) <= 1
            for coefficient in self.terms.values()
            for monomial, _ in coefficient.numerator_terms()
        ) and all(
            not constants & {n for r in self.terms for a, _ in r for n in a.value.used_names()}
            and not constants & set(c.split()[1].used_names())
            for c in self.terms.values()
        )

    def is_rational(self) -> bool:
        """True for a rational number."""
        return not self.terms or (set(self.terms) == {()} and self.terms[()].is_constant())

    def rational_value(self) -> fmpq:
        """The value of a rational number."""
        if not self.terms:
            return fmpq(0)
        if not self.is_rational():
            raise ValueError(f"expected a rational number, got {self}")
        return self.terms[()].constant()

    def is_base(self) -> bool:
        """True when no radical occurs: an element of Q(symbols)."""
        return set(self.terms) <= {()}

    def base_value(self) -> RationalFunction:
        """The element of Q(symbols)."""
        if not self.is_base():
            raise ValueError(f"expected a rational function, got {self}")
        return self.terms.get((), RationalFunction(0))

    def symbols(self) -> frozenset[str]:
        """Every symbol that occurs."""
        names: set[str] = set()
        for radical, coefficient in self.terms.items():
            names.update(coefficient.used_names())
            for atom, _ in radical:
                names.update(atom.value.used_names())
        return frozenset(names)

    def parameters(self) -> frozenset[str]:
        """The parameters it depends on, also through exp( ) and log( )."""
        found: set[str] = set()
        for name in self.symbols():
            if is_exponential(name):
                found |= exponential_argument(name).parameters()
            elif is_logarithm(name):
                inner = logarithm_argument(name)
                found |= set() if inner.isdigit() else {inner}
            elif name != PI:
                found.add(name)
        return frozenset(found)

    def sign(self) -> int:
        """Sign of a number without parameters: −1, 0 or 1. Raises `Undecided`."""
        if self.parameters():
            raise Undecided(f"the sign of {self}, which depends on {sorted(self.parameters())}")
        if self.vanishes():
            return 0
        for bits in DECISION_PRECISIONS:
            with precision(bits):
                ball = self.ball({})
                if not ball.contains(0):
                    return 1 if ball > 0 else -1
        raise Undecided(f"the sign of {self}")

    def sample_values(self) -> dict[str, arb]:
        """Fixed positive rational values for the parameters, to tell functions apart."""
        return {
            name: arb(fmpq(1009 + 17 * index, 977 + 5 * index * index))
            for index, name in enumerate(sorted(self.parameters()))
        }

    # -- evaluation ---------------------------------------------------------------------------

    def ball(self, values: Mapping[str, arb]) -> arb:
        """Rigorous enclosure at the current precision (see `precision`)."""
        total = arb(0)
        for radical, coefficient in self.terms.items():
            part = _base_ball(coefficient, values)
            for atom, exponent in radical:
                root = _base_ball(atom.value, values).root(int(exponent.q))
                part *= root ** int(exponent.p)
            total += part
        return total

    def to_float(self, values: Mapping[str, arb] | None = None) -> float:
        """The nearest binary64 number (within one unit in the last place of it)."""
        with precision(256):
            return float(self.ball(values or {}))

    def substitute(
        self, values: Mapping[str, Scalar], signs: SignKnowledge | None = None
    ) -> Scalar:
        """Replace parameters by scalars; fractional powers need their base to stay monomial.

        signs  knows the signs of what comes under a root
        """
        from symbolic_pe.algebra.functions import exponential, logarithm, power

        if not set(values) & (self.parameters() | self.symbols()):
            return self

        def image(name: str) -> Scalar:
            if name in values:
                return values[name]
            if is_exponential(name):
                return exponential(exponential_argument(name).substitute(values))
            if is_logarithm(name) and logarithm_argument(name) in values:
                return logarithm(values[logarithm_argument(name)])
            return Scalar.symbol(name)

        def of_base(element: RationalFunction) -> Scalar:
            top, bottom = (with_symbols(part, image) for part in element.split())
            return top / bottom

        total = ZERO
        for radical, coefficient in self.terms.items():
            part = of_base(coefficient)
            for atom, exponent in radical:
                part = part * power(of_base(atom.value), exponent, signs)
            total = total + part
        return total

    # -- equality, text -----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Equality of normal forms."""
        return isinstance(other, Scalar) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        if self._text is None:
            self._text = _print(self)
        return self._text

    def __repr__(self) -> str:
        return f"Scalar({self})"


class precision:
    """`with precision(bits):` evaluate balls at this precision; restored on leaving."""

    def __init__(self, bits: int):
        self._bits = bits

    def __enter__(self) -> None:
        self._saved, ctx.prec = ctx.prec, self._bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._saved


def _base_ball(element: RationalFunction, values: Mapping[str, arb]) -> arb:
    if element.is_constant():
        return arb(element.constant())
    top, bottom = (_polynomial_ball(part, values) for part in element.split())
    return top / bottom


def _polynomial_ball(element: RationalFunction, values: Mapping[str, arb]) -> arb:
    total = arb(0)
    for monomial, coefficient in element.numerator_terms():
        part = arb(coefficient)
        for name, exponent in monomial.items():
            part *= symbol_ball(name, values) ** exponent
        total += part
    return total


def with_symbols_replaced(element: RationalFunction, values: Mapping[str, Scalar]) -> Scalar:
    """A rational function with some symbols, exponentials among them, replaced by name."""

    def image(name: str) -> Scalar:
        return values[name] if name in values else Scalar.symbol(name)

    top, bottom = (with_symbols(part, image) for part in element.split())
    return top / bottom


def with_symbols(element: RationalFunction, image: Callable[[str], Scalar]) -> Scalar:
    """A polynomial with every symbol replaced by its image."""
    total = ZERO
    for monomial, coefficient in element.numerator_terms():
        part = Scalar.rational(coefficient)
        for name, exponent in monomial.items():
            part = part * image(name) ** exponent
        total = total + part
    return total


def _product(left: Radical, right: Radical) -> tuple[Radical, RationalFunction]:
    if not left:
        return right, K_ONE
    if not right:
        return left, K_ONE
    exponents = dict(left)
    for atom, exponent in right:
        exponents[atom] = exponents[atom] + exponent if atom in exponents else exponent
    return _normalised(exponents)


def _normalised(factors: Mapping[Atom, fmpq]) -> tuple[Radical, RationalFunction]:
    """Fractional parts as a radical, integer parts as an element of the base field."""
    scale = K_ONE
    radical: list[tuple[Atom, fmpq]] = []
    for atom, exponent in factors.items():
        whole = int(exponent.floor())
        rest = exponent - whole
        if whole:
            scale = scale * atom.value**whole
        if rest != 0:
            radical.append((atom, rest))
    radical.sort(key=lambda item: item[0].text)
    return tuple(radical), scale


def radical_degree(x: Scalar) -> int:
    """Degree of the field that the radicals of x generate, at most."""
    orders: dict[Atom, int] = {}
    for radical in x.terms:
        for atom, exponent in radical:
            known = orders.get(atom, 1)
            orders[atom] = lcm(known, int(exponent.q))
    degree = 1
    for order in orders.values():
        degree *= order
    return degree


def _inverse_over(x: Scalar, atom: Atom) -> Scalar:
    """Invert x as a polynomial in y = atom^(1/N), modulo y^N − atom, by Euclid."""
    order = 1
    for radical in x.terms:
        for a, e in radical:
            if a == atom:
                order = lcm(order, int(e.q))
    polynomial = [ZERO] * order
    for radical, coefficient in x.terms.items():
        rest = tuple((a, e) for a, e in radical if a != atom)
        degree = next((int(e * order) for a, e in radical if a == atom), 0)
        polynomial[degree] = polynomial[degree] + Scalar({rest: coefficient})
    modulus = [-Scalar({(): atom.value})] + [ZERO] * (order - 1) + [ONE]
    inverse = _polynomial_inverse(polynomial, modulus)
    total = ZERO
    for degree, part in enumerate(inverse):
        total = total + part * Scalar.monomial({atom: fmpq(degree, order)}, K_ONE)
    return total


def _trim(p: list[Scalar]) -> list[Scalar]:
    while p and p[-1].is_zero():
        p = p[:-1]
    return p


def _polynomial_inverse(p: list[Scalar], modulus: list[Scalar]) -> list[Scalar]:
    """u with u·p ≡ 1 modulo the irreducible modulus (coefficients from degree 0 up)."""
    r0, r1 = modulus, _trim(p)
    u0: list[Scalar] = []
    u1: list[Scalar] = [ONE]
    while len(r1) > 1:
        quotient = [ZERO] * (len(r0) - len(r1) + 1)
        lead = r1[-1].inverse()
        while len(r0) >= len(r1):
            shift = len(r0) - len(r1)
            factor = r0[-1] * lead
            quotient[shift] = factor
            r0 = _trim(
                [c - factor * r1[i - shift] if i >= shift else c for i, c in enumerate(r0)][:-1]
            )
        product = [ZERO] * (len(quotient) + len(u1) - 1)
        for i, a in enumerate(quotient):
            for j, b in enumerate(u1):
                product[i + j] = product[i + j] + a * b
        width = max(len(product), len(u0))
        padded0 = u0 + [ZERO] * (width - len(u0))
        padded1 = product + [ZERO] * (width - len(product))
        r0, r1, u0, u1 = r1, r0, u1, _trim([a - b for a, b in zip(padded0, padded1, strict=True)])
    constant = r1[0].inverse()
    return [c * constant for c in u1]


# -- printing ---------------------------------------------------------------------------------


def _print(x: Scalar) -> str:
    if not x.terms:
        return "0"
    pieces = [
        _print_term(radical, coefficient)
        for radical, coefficient in sorted(
            x.terms.items(), key=lambda item: tuple((a.text, e.p, e.q) for a, e in item[0])
        )
    ]
    text = pieces[0]
    for piece in pieces[1:]:
        text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
    return text


def _print_term(radical: Radical, coefficient: RationalFunction) -> str:
    if not radical:
        return str(coefficient)
    if coefficient.is_constant():
        return _print_radical_number(radical, coefficient.constant())
    square, others = _roots_of(radical)
    roots = [*others, *([f"sqrt({square})"] if square != K_ONE else [])]
    below = coefficient * square
    if square != K_ONE and len(str(below.split()[1])) < len(str(coefficient.split()[1])):
        numerator = "*".join([grouped(str(below), "+-"), *others])
        return f"{numerator}/sqrt({square})"
    return "*".join([grouped(str(coefficient), "+-"), *roots])


def _roots_of(radical: Radical) -> tuple[RationalFunction, list[str]]:
    """Square roots joined into one, √(1 − z)·√(1 + z) = √(1 − z²), and the other powers."""
    square, others = K_ONE, []
    for atom, exponent in radical:
        if exponent == fmpq(1, 2):
            square = square * atom.value
        else:
            others.append(_print_power(atom.text, exponent))
    return square, others


def _print_radical_number(radical: Radical, value: fmpq) -> str:
    """c·Π a^e; beyond square roots the primes of c are merged, so 10^(-1/16) prints as itself."""
    exponents = {atom.text: exponent for atom, exponent in radical}
    rest = abs(value)
    if any(exponent.q > 2 for exponent in exponents.values()):
        for atom, power in prime_factors(rest):
            if atom.text in exponents:
                exponents[atom.text] += power
                rest /= atom.value.constant() ** power
    groups: dict[tuple[int, int], list[str]] = {}
    for text, exponent in exponents.items():
        groups.setdefault((int(exponent.p), int(exponent.q)), []).append(text)
    factors: list[str] = []
    for (p, q), atoms in sorted(groups.items(), key=lambda item: item[1]):
        base = 1
        for number in (a for a in atoms if a.isdigit()):
            base *= int(number)
        if base != 1:
            factors.append(_print_power(str(base), fmpq(p, q)))
        factors.extend(_print_power(a, fmpq(p, q)) for a in atoms if not a.isdigit())
    if rest != 1:
        factors.insert(0, str(rest))
    return ("-" if value < 0 else "") + "*".join(factors)


def _print_power(base: str, exponent: fmpq) -> str:
    grouped = base if base.isalnum() or (base.endswith(")") and "(" in base[:5]) else f"({base})"
    if exponent == fmpq(1, 2):
        return f"sqrt({base})"
    return f"{grouped}^({exponent})"


ZERO = Scalar({})
ONE = Scalar.rational(1)
HALF = Scalar.rational(fmpq(1, 2))
