"""Numbers, their zero test and their signs.

A number is Σ c·Π atom^e with rational c and whole e. An atom is a real parameter, a defined real
number, or i; in functions also the variable t, and exponentials exp(l·t). The only rewriting is
g^n → v for a definition g^n = v, and i² → −1, besides multiplication by powers of such v, which are
positive. Each is an equality of numbers, so a number that becomes the empty sum is 0. One that does
not may still be 0; then nothing is accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from symbolic_pe.proof.checker.balls import (
    BITS,
    MAX_ARGUMENT,
    Ball,
    exact,
    exp,
    log,
    pi,
    power,
)

MAX_WORK = 6_000_000  # products of small coefficients, at two or three microseconds each
MAX_BITS = 2**17  # of a power that is enclosed
MAX_EXPONENT = 1024  # of an atom, and the degree of a root
IMAGINARY, TIME = "i", "t"

Monomial = tuple[tuple[str, int], ...]  # (atom, exponent), sorted by atom
Number = tuple[tuple[Monomial, Fraction], ...]  # (monomial, coefficient that is not 0), sorted
Signs = frozenset[int]
ZERO: Number = ()
ONE: Number = (((), Fraction(1)),)
ASSUMPTIONS: Mapping[str, Signs] = {
    "real": frozenset({-1, 0, 1}),
    "positive": frozenset({1}),
    "negative": frozenset({-1}),
    "nonnegative": frozenset({0, 1}),
    "nonpositive": frozenset({-1, 0}),
    "nonzero": frozenset({-1, 1}),
}


class CertificateError(ValueError):
    """The document is no certificate, or states something that is not shown; says where."""


def require(holds: bool, message: str) -> None:
    """Refuse what is not so."""
    if not holds:
        raise CertificateError(message)


def whole(value: int | Fraction) -> Number:
    """A rational number."""
    return (((), Fraction(value)),) if value else ZERO


def negative(number: Number) -> Number:
    """−number."""
    return tuple((monomial, -c) for monomial, c in number)


def atoms(number: Number) -> set[str]:
    """Every atom that occurs."""
    return {atom for monomial, _ in number for atom, _ in monomial}


def sign_of(x: Fraction | int) -> int:
    """1, 0 or −1."""
    return (x > 0) - (x < 0)


def _cost(x: Fraction, power: int = 1) -> int:
    """What arithmetic with x^power costs: gcd takes the square of the length."""
    bits = abs(power) * (x.numerator.bit_length() + x.denominator.bit_length())
    return (bits >> 8) ** 2 >> 4


class Field:
    """Arithmetic of numbers in declared parameters and definitions, with a budget of work.

    `rates` has the l of exponentials exp(l·t); `values` puts rational numbers in the place of
    parameters.
    """

    def __init__(
        self,
        parameters: Mapping[str, str],
        rates: Mapping[str, Number],
        values: Mapping[str, Fraction],
    ) -> None:
        self.rates = rates
        self.signs = {name: ASSUMPTIONS[word] for name, word in parameters.items()}
        self.balls: dict[str, Ball | None] = {IMAGINARY: Ball(0, 1 << BITS)}
        self.defined: dict[str, tuple[str, int, Number]] = {}
        self.at_once = {IMAGINARY: (2, Fraction(-1))}  # g -> (n, v) with g^n = v, v rational
        self.later: list[tuple[str, int, Number]] = []  # (g, n, v) with g^n = v, as defined
        self.known: dict[Number, Signs] = {}  # what `sign` has answered
        self.work = 0
        for name, value in values.items():
            require(sign_of(value) in self.signs[name], f"{name} = {value} is not as assumed")
            self.signs[name] = frozenset({sign_of(value)})
            self.at_once[name] = 1, value

    def define(self, name: str, kind: str, degree: int, of: Number) -> None:
        """Add a real number: g > 0 with g^degree = of; or log(of), exp(of), π."""
        where = f"definitions: {name}"
        new = name not in self.signs and name not in self.rates and name not in (IMAGINARY, TIME)
        require(new, f"{where} is already taken")
        require(atoms(of) <= self.signs.keys(), f"{where} is of what is not defined before it")
        degrees = range(1, MAX_EXPONENT + 1 if kind == "root" else 2)
        require(degree in degrees, f"{where} has no degree {degree}")
        require(kind != "pi" or not of, f"{where} is of nothing")
        of = self.normal(of)
        positive = kind in ("exp", "pi") or self.sign(of) == {1}
        require(positive, f"{where} is of a number that is not shown to be positive")
        self.defined[name] = kind, degree, of
        self.signs[name] = ASSUMPTIONS["positive"]
        if kind == "log":  # it increases, and log 1 = 0
            self.signs[name] = self.sign(self.dot([(of, ONE), (negative(ONE), ONE)]))
        elif kind == "root" and not atoms(of):
            self.at_once[name] = degree, of[0][1]
        elif kind == "root":
            self.later.append((name, degree, of))

    def admits(self, word: str, atom: str, exponent: int) -> bool:
        """Whether atom^exponent has a meaning in such a number, and is how it is spelled."""
        if atom == IMAGINARY:
            return word != "real" and exponent == 1
        if atom == TIME or atom in self.rates:
            return word == "function" and (exponent > 0 or atom != TIME)
        if atom in self.at_once:
            return 0 < exponent < self.at_once[atom][0]
        return atom in self.signs and (exponent > 0 or 0 not in self.signs[atom])

    def spend(self, amount: int) -> None:
        """Charge the budget."""
        self.work += amount
        require(self.work <= MAX_WORK, f"the work limit of {MAX_WORK} is reached: too large")

    def dot(self, pairs: Iterable[tuple[Number, Number]]) -> Number:
        """Σ a·b over the pairs (a, b), in normal form."""
        total: dict[Monomial, Fraction] = {}
        for a, b in pairs:
            for left, c in a:
                for right, d in b:
                    monomial = left or right
                    if left and right:
                        merged = dict(left)
                        for atom, e in right:
                            merged[atom] = merged.get(atom, 0) + e
                        monomial = tuple(sorted(x for x in merged.items() if x[1]))
                    value = total.get(monomial)
                    value = c * d if value is None else value + c * d
                    total[monomial] = value
                    self.spend(2 + len(monomial) + _cost(value))
        result: dict[Monomial, Fraction] = {}
        for monomial, c in total.items():
            factor, kept = self._normal(monomial)
            value = c if factor is None else c * factor
            result[kept] = result[kept] + value if kept in result else value
        return tuple(sorted((m, c) for m, c in result.items() if c))

    def normal(self, number: Number) -> Number:
        """The number in normal form, with the values of parameters put in."""
        return self.dot([(number, ONE)])

    def _normal(self, monomial: Monomial) -> tuple[Fraction | None, Monomial]:
        """g^e = v^⌊e/n⌋·g^(e mod n) wherever v is rational; None stands for the factor 1."""
        factor, kept = None, []
        for atom, e in monomial:
            require(abs(e) <= 16 * MAX_EXPONENT, "an exponent becomes too large")
            degree, value = self.at_once.get(atom, (0, Fraction(1)))
            times, rest = divmod(e, degree) if degree else (0, e)
            if times:
                self.spend(_cost(value, times))
                factor = (1 if factor is None else factor) * value**times
            if rest:
                kept.append((atom, rest))
        return factor, tuple(kept)

    def at_zero(self, f: Number) -> Number:
        """f(0), by t = 0 and exp(l·0) = 1."""
        kept = [(m, c) for m, c in f if all(atom != TIME for atom, _ in m)]
        terms = [(tuple(x for x in m if x[0] not in self.rates), c) for m, c in kept]
        return self.dot([((term,), ONE) for term in terms])

    def derivative(self, f: Number) -> Number:
        """f', by t' = 1, exp(l·t)' = l·exp(l·t), and the product rule."""
        pairs: list[tuple[Number, Number]] = []
        for monomial, c in f:
            for atom, e in monomial:
                if atom == TIME:
                    rest = tuple((a, k - (a == TIME)) for a, k in monomial)
                    pairs.append((((tuple(x for x in rest if x[1]), c * e),), ONE))
                elif atom in self.rates:
                    pairs.append((((monomial, c * e),), self.rates[atom]))
        return self.dot(pairs)

    def is_zero(self, number: Number) -> bool:
        """Whether the number vanishes by the rules above; then it is 0.

        Each g with g^n = v is eliminated, the last one first: the number is multiplied by a power
        of v, so that none is negative, and g^e becomes v^⌊e/n⌋·g^(e mod n) by Horner's rule.
        """
        for name, degree, value in reversed(self.later):
            groups: dict[int, list[tuple[Number, Number]]] = defaultdict(list)
            for monomial, c in number:
                times, rest = divmod(dict(monomial).get(name, 0), degree)
                kept = [(a, rest if a == name else e) for a, e in monomial]
                groups[times].append((((tuple(x for x in kept if x[1]), c),), ONE))
            number = ZERO
            for times in range(max(groups, default=0), min(groups, default=0) - 1, -1):
                self.spend(1)
                number = self.dot([(number, value), *groups.get(times, ())])
        return not number

    def sign(self, number: Number) -> Signs:
        """A set of signs that certainly contains that of a real number."""
        if number not in self.known:
            self.known[number] = self._sign(number)
        return self.known[number]

    def _sign(self, number: Number) -> Signs:
        if self.is_zero(number):
            return frozenset({0})
        found = []
        for monomial, c in number:
            signs = frozenset({sign_of(c)})
            for atom, e in monomial:
                signs = frozenset(x * y ** abs(e) for x in signs for y in self.signs[atom])
            found.append(signs)
        union = frozenset().union(*found)
        if not {-1, 1} <= union:
            return union - {0} if any(0 not in signs for signs in found) else union
        ball = self.ball(number)
        if ball is None or ball.ends[0] <= 0 <= ball.ends[1]:
            return union if len(found) == 1 else ASSUMPTIONS["real"]
        return frozenset({sign_of(ball.re)})

    def ball(self, number: Number, t: Fraction | None = None) -> Ball | None:
        """An enclosure, of a function at t; None where an atom has none, or one is too large."""
        total = exact(0)
        for monomial, c in number:
            part = exact(c)
            for atom, e in monomial:
                self.spend(64 * abs(e).bit_length())
                factor = self._power(atom, e, t)
                if factor is None:
                    return None
                part = part * factor
            total = total + part
        return total

    def _power(self, atom: str, e: int, t: Fraction | None) -> Ball | None:
        if atom == TIME and t is not None:
            return exact(t**e)
        if atom in self.rates and t is not None:
            rate = self.ball(self.dot([(self.rates[atom], whole(t * e))]))
            return None if rate is None or rate.size > MAX_ARGUMENT << BITS else exp(rate)
        if atom in self.defined and atom not in self.balls:
            kind, degree, of = self.defined[atom]
            value = self.ball(of)
            self.spend(1000)
            self.balls[atom] = None if value is None else _image(kind, degree, value)
        base = self.balls.get(atom)
        if base is None or (e < 0 and base.ends[0] <= 0):
            return None
        return None if base.size.bit_length() * abs(e) > MAX_BITS else power(base, e)


def _image(kind: str, degree: int, value: Ball) -> Ball | None:
    """The root, logarithm or exponential of the value, or π; None where it has no enclosure."""
    if kind == "pi":
        return pi()
    if kind == "exp":
        return None if value.size > MAX_ARGUMENT << BITS else exp(value)
    if value.ends[0] <= 0 or value.size.bit_length() > MAX_BITS:
        return None
    return log(value) if kind == "log" else exp(log(value) * exact(Fraction(1, degree)))
