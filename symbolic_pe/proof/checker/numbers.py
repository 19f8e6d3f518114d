"""Numbers, their zero test and their signs.

A number is Σ c·Π atom^e with rational c and whole e. An atom is a real parameter, a defined real
number, or i; in functions also the variable t, and exponentials exp(l·t). The only rewriting is
g^n → v for a definition g^n = v, and i² → −1, besides multiplication by powers of such v, which are
positive. Each is an equality of numbers, so a number that becomes the empty sum is 0. One that does
not may still be 0; then nothing is accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from symbolic_pe.proof.checker import balls
from symbolic_pe.proof.checker.balls import BITS, Ball, CertificateError, exact, require

MAX_WORK = 6_000_000  # products of small coefficients, at two or three microseconds each
MAX_EXPONENT = 1024  # of an atom, and the degree of a root
IMAGINARY, TIME = "i", "t"

Monomial = tuple[tuple[str, int], ...]  # (atom, exponent), sorted by atom
Number = tuple[tuple[Monomial, Fraction], ...]  # (monomial, coefficient that is not 0), sorted
Signs = frozenset[int]
ZERO: Number = ()
ONE: Number = (((), Fraction(1)),)
FUNCTIONS: Mapping[str, Callable[[Ball], Ball]] = {
    **{"exp": balls.exp, "log": balls.log, "cos": balls.cos, "pi": lambda _: balls.pi()}
}
ASSUMPTIONS: Mapping[str, Signs] = {
    "real": frozenset({-1, 0, 1}),
    "positive": frozenset({1}),
    "negative": frozenset({-1}),
    "nonnegative": frozenset({0, 1}),
    "nonpositive": frozenset({-1, 0}),
    "nonzero": frozenset({-1, 1}),
}


def whole(value: int | Fraction) -> Number:
    """A rational number."""
    return (((), Fraction(value)),) if value else ZERO


def sign_of(x: Fraction | int) -> int:
    """1, 0 or −1."""
    return (x > 0) - (x < 0)


def _cost(x: Fraction, power: int = 1) -> int:
    """What arithmetic with x^power costs: gcd takes the square of the length."""
    bits = abs(power) * (x.numerator.bit_length() + x.denominator.bit_length())
    return (bits >> 8) ** 2 >> 4


class Field:
    """Arithmetic of the numbers that a document declares, with a budget of work.

    `values` puts rational numbers in the place of parameters.
    """

    def __init__(self, declared: Mapping[str, Any], values: Mapping[str, Fraction]) -> None:
        parameters, definitions = declared["parameters"], declared["definitions"]
        self.values = values
        self.rates: Mapping[str, Number] = declared.get("rates", {})  # the l of exp(l·t)
        self.signs = {name: ASSUMPTIONS[word] for name, word in parameters.items()}
        self.reduced = {IMAGINARY: (2, Fraction(-1))}  # g -> (n, v) with g^n = v, v rational
        self.roots: list[tuple[str, int, Number]] = []  # (g, n, v) with g^n = v, as defined
        self.defined: dict[str, tuple[str, int, Number]] = {}
        self.balls = {IMAGINARY: Ball(0, 1 << BITS)}
        self.products: dict[tuple[Monomial, Monomial], tuple[Fraction, Monomial]] = {}
        self.work = 0
        names = [IMAGINARY, TIME, *parameters, *self.rates, *(d["name"] for d in definitions)]
        require(len({*names}) == len(names), "parameters, rates, definitions: a name is taken")
        for name, value in values.items():
            require(sign_of(value) in self.signs[name], f"{name} = {value} is not as assumed")
            self.signs[name] = frozenset({sign_of(value)})
            self.reduced[name] = 1, value
        for item in definitions:
            self._define(item["name"], item["kind"], item["degree"], item["of"])

    def _define(self, name: str, kind: str, degree: int, of: Number) -> None:
        """Add a real number.

        g > 0 with g^degree = of; log(of), exp(of), cos(of), π; 1 if of >= 0, else 0.
        """
        where = f"definitions: {name}"
        known = all(self.admits("real", *power) for monomial, _ in of for power in monomial)
        require(known, f"{where} is of what has no meaning, or is not defined before it")
        require(0 < degree <= MAX_EXPONENT, f"{where} has no degree {degree}")
        of = self.normal(of)
        signs = self.sign(of) if kind in ("root", "log", "at-least") else ASSUMPTIONS["positive"]
        self.defined[name] = kind, degree, of
        if kind == "at-least":
            value = int(-1 not in signs)
            require(value == 1 or signs == {-1}, f"{where} is of a number of either sign")
            self.reduced[name], self.signs[name] = (1, Fraction(value)), frozenset({value})
            return
        require(signs == {1}, f"{where} is of a number that is not shown to be positive")
        self.signs[name] = ASSUMPTIONS["real" if kind == "cos" else "positive"]
        if kind == "log":  # it increases, and log 1 = 0
            self.signs[name] = self.sign(self.dot([(of, ONE), (ONE, whole(-1))]))
        elif kind == "root" and len(of) == 1 and not of[0][0]:
            self.reduced[name] = degree, of[0][1]
        elif kind == "root":
            self.roots.append((name, degree, of))

    def admits(self, word: str, atom: str, exponent: int) -> bool:
        """Whether atom^exponent has a meaning in such a number."""
        if atom == IMAGINARY:
            return word != "real"
        if atom == TIME or atom in self.rates:
            return word == "function" and (exponent > 0 or atom != TIME)
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
                    factor, monomial = self._product(left, right)
                    term = c * d if factor == 1 else c * d * factor
                    total[monomial] = total[monomial] + term if monomial in total else term
                    self.spend(2 + len(monomial) + _cost(total[monomial]))
        return tuple(sorted((m, c) for m, c in total.items() if c))

    def _product(self, left: Monomial, right: Monomial) -> tuple[Fraction, Monomial]:
        """(c, m) with left·right = c·m, by g^e = v^⌊e/n⌋·g^(e mod n) wherever v is rational."""
        if (left, right) not in self.products:
            powers, factor = defaultdict(int, left), Fraction(1)
            for atom, e in right:
                powers[atom] += e
            for atom, e in powers.items():
                require(abs(e) <= 16 * MAX_EXPONENT, "an exponent becomes too large")
                if atom in self.reduced:
                    degree, value = self.reduced[atom]
                    times, powers[atom] = divmod(e, degree)
                    self.spend(_cost(value, times))
                    require(value != 0 or times >= 0, f"a division by {atom} = 0")
                    factor *= value**times
            kept = tuple(sorted(x for x in powers.items() if x[1]))
            self.products[left, right] = factor, kept
        return self.products[left, right]

    def normal(self, number: Number) -> Number:
        """The number in normal form, with the values of parameters put in."""
        return self.dot([(number, ONE)])

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
                if atom in self.rates:
                    pairs.append((((monomial, c * e),), self.rates[atom]))
                elif atom == TIME:
                    pairs.append((((monomial, c * e),), ((((TIME, -1),), Fraction(1)),)))
        return self.dot(pairs)

    def is_zero(self, number: Number) -> bool:
        """Whether the number vanishes by the rules above; then it is 0.

        Each g with g^n = v is eliminated, the last one first: the number is multiplied by a power
        of v, so that none is negative, and g^e becomes v^⌊e/n⌋·g^(e mod n) by Horner's rule.
        """
        for name, degree, value in reversed(self.roots):
            groups: defaultdict[int, list[tuple[Number, Number]]] = defaultdict(list)
            for monomial, c in number:
                times, rest = divmod(dict(monomial).get(name, 0), degree)
                kept = [(a, rest if a == name else e) for a, e in monomial]
                groups[times].append((((tuple(x for x in kept if x[1]), c),), ONE))
            number = ZERO
            for times in range(max(groups, default=0), min(groups, default=0) - 1, -1):
                self.spend(1)
                number = self.dot([(number, value), *groups[times]])
        return not number

    def sign(self, number: Number) -> Signs:
        """A set of signs that certainly contains that of a real number."""
        number = self.normal(number)
        if self.is_zero(number):
            return frozenset({0})
        terms = []
        for monomial, c in number:
            signs = {sign_of(c)}
            for atom, e in monomial:
                signs = {x * y ** abs(e) for x in signs for y in self.signs[atom]}
            terms.append(signs)
        union = frozenset[int]().union(*terms)
        if not {-1, 1} <= union:
            return union - {0} if any(0 not in signs for signs in terms) else union
        try:
            ball = self.ball(number)
        except CertificateError:
            ball = exact(0)
        if ball.avoids(exact(0)):
            return frozenset({sign_of(ball.re)})
        return union if len(terms) == 1 else ASSUMPTIONS["real"]

    def ball(self, number: Number, t: Fraction = Fraction(0)) -> Ball:
        """An enclosure, of a function at t."""
        total = exact(0)
        for monomial, c in number:
            part = exact(c)
            for atom, e in monomial:
                self.spend(64 * abs(e).bit_length())
                part = part * self._power(atom, e, t)
            total = total + part
        return total

    def _power(self, atom: str, e: int, t: Fraction) -> Ball:
        if atom == TIME:
            self.spend(_cost(t, e))
            return exact(t**e)
        if atom in self.rates:
            return balls.exp(self.ball(self.dot([(self.rates[atom], whole(t * e))])))
        if atom not in self.balls:
            require(atom in self.defined, f"the parameter {atom} has no enclosure")
            kind, degree, of = self.defined[atom]
            self.spend(1000)
            x = self.ball(of)
            root = kind == "root"
            image = balls.power(x, Fraction(1, degree)) if root else FUNCTIONS[kind](x)
            self.balls[atom] = image
        return balls.power(self.balls[atom], e)
