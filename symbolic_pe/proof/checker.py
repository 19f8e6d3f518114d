"""Independent checker of certificates: decides again everything that a certificate states.

The document is defined in ``docs/reference/certificate.md``.  This module shares no code with the
prover; it needs the standard library only and computes with exact integers and rationals.

What is trusted: Python's ``int`` and standard library, this file, and

1. E(0) = I and E' = X·E determine E(t) = exp(tX) (uniqueness for a linear equation);
2. exp(tX) is orthogonal for every t exactly when Xᵀ = −X (differentiate AᵀA = I at t = 0);
3. X·P = P·J and P·Q = I give exp(tX) = P·exp(tJ)·Q (for square matrices, P·Q = I is Q·P = I);
4. for refutations only: radicals of distinct primes are independent over the rationals
   (Besicovitch); 1, π and logarithms of primes over the algebraic numbers (Baker).

Why acceptance is sound: a number is a sum of monomials in *atoms*, and the only rewriting is
p^(1+e) → p·p^e for a prime p, i² → −1, r² → v for ``{"square": v}``, f → v for ``{"equals": v}``,
besides multiplication by powers of such v, which are not 0.  Each is an equality of numbers, so a
difference that becomes the empty sum is zero.  Forms that stay different may still be equal
numbers; then nothing is accepted.  Merging the terms of an exponential polynomial by equal
exponents is of the same kind: it may miss an equality, it never invents one.  An identity that
holds in the variables of a pattern holds for every value of them.

A definition is a hypothesis where it mentions parameters ("r is not 0", "f is positive"); these
are listed in the result, and a definition that cannot hold is refused.  Arithmetic is charged to a
budget, so that a hostile document ends in a refusal.  Read the file from top to bottom: numbers,
enclosures, algebra, data, reading, deciding, public functions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from graphlib import CycleError, TopologicalSorter
from math import comb, floor, gcd, isqrt
from typing import NamedTuple

__all__ = [
    "FORMAT",
    "CertificateError",
    "CheckResult",
    "canonical_digest",
    "check_certificate",
    "check_text",
]

FORMAT = "symbolic-pe-certificate/1"

MAX_TEXT = 32 * 1024 * 1024  # characters of a document
MAX_NODES = 5_000_000  # values in a document
MAX_DEPTH = 32  # nesting; the format needs 12
MAX_DIMENSION = 4096
MAX_HEADS = 4096
MAX_DEFINITIONS = 64
MAX_DIGITS = 4000  # of a numerator or a denominator, below Python's own limit of 4300
MAX_EXPONENT = 10**6  # numerator and denominator of the exponent of an atom
MAX_POWER = 256  # k in t^k, and the exponents of variables and of r
MAX_GRAIN = 256  # bits of the denominator of an exponent that arises
MAX_WORK = 20_000_000  # products of small coefficients, at about two microseconds each
MAX_PRIME = 3_317_044_064_679_887_385_961_981  # the Miller-Rabin test below decides up to here
PRECISIONS = (64, 128, 256, 512, 1024)  # bits that are tried when enclosures decide a sign
GUARD = 64  # extra bits inside a series, whose error stays far below 2^GUARD units

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"

_ENCODING_NAME = re.compile(r"[a-z][a-z0-9-]{0,199}")
_PATTERN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_RATIONAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?")
_PRIME = re.compile(r"[1-9][0-9]{0,24}")
_LOGARITHM = re.compile(r"log\(([1-9][0-9]{0,24})\)")
_EXPONENTIAL = re.compile(r"exp\(([A-Za-z0-9_+*/^(). -]{1,200})\)")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Signs = frozenset[int]
POSITIVE, NEGATIVE, ZERO_SIGN = frozenset({1}), frozenset({-1}), frozenset({0})
NONNEGATIVE, NONPOSITIVE = frozenset({0, 1}), frozenset({-1, 0})
NONZERO, ANY_SIGN = frozenset({-1, 1}), frozenset({-1, 0, 1})
ASSUMPTIONS: Mapping[str, Signs] = {
    "real": ANY_SIGN,
    "positive": POSITIVE,
    "negative": NEGATIVE,
    "nonnegative": NONNEGATIVE,
    "nonpositive": NONPOSITIVE,
    "nonzero": NONZERO,
}
SQUARE, EQUALS, VARIABLE = "square", "equals", "variable"
Names = Mapping[str, str]  # declared name -> its assumption, SQUARE, EQUALS or VARIABLE

Monomial = tuple[tuple[str, Fraction], ...]  # (atom, exponent), sorted by atom
Interval = tuple[int, int]  # (lo, hi) with lo/2^bits <= x <= hi/2^bits


class CertificateError(ValueError):
    """The document is not a well-formed certificate; the message names the field."""


class WorkLimitError(CertificateError):
    """Deciding the document would take more arithmetic than ``MAX_WORK``."""


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one document.

    ``accepted`` is true exactly when the document is well formed, its exponentials, generators and
    augmentation are right, and every claim is proved.  ``reason`` says what failed and where.
    ``claims`` lists (claim, "proved" | "refuted" | "undecided").  ``hypotheses`` lists what the
    definitions assume of the parameters.
    """

    accepted: bool
    reason: str
    claims: tuple[tuple[str, str], ...] = ()
    hypotheses: tuple[str, ...] = ()


# --- numbers ---------------------------------------------------------------------------------

I_ATOM = "√-1"  # the imaginary unit; a document cannot spell it


@dataclass(frozen=True)
class Number:
    """Σ c·Π atom^e: distinct monomials with non-zero rational coefficients, sorted.

    A complex number is of the same kind, with the atom i = ``I_ATOM`` to the power 0 or 1.
    """

    terms: tuple[tuple[Monomial, Fraction], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __neg__(self) -> Number:
        return Number(tuple((monomial, -c) for monomial, c in self.terms))

    def atoms(self) -> set[str]:
        """Every atom that occurs."""
        return {atom for monomial, _ in self.terms for atom, _ in monomial}

    def size(self) -> int:
        """How much a walk over the terms costs."""
        return sum(1 + len(monomial) for monomial, _ in self.terms)

    def part(self, imaginary: bool) -> Number:
        """Im or Re, as far as every other atom is real."""
        chosen = (x for x in self.terms if imaginary == any(a == I_ATOM for a, _ in x[0]))
        return Number(tuple((tuple(x for x in m if x[0] != I_ATOM), c) for m, c in chosen))

    def __str__(self) -> str:
        texts = [
            "*".join([_rational_text(c), *(a if e == 1 else f"{a}^({e})" for a, e in monomial)])
            for monomial, c in self.terms[:6]
        ]
        return _shorten(" + ".join(texts) or "0")


def _rational_text(c: Fraction) -> str:
    return str(c) if _bits(c) < 2000 else f"<rational of {_bits(c)} bits>"


def _shorten(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _whole(value: int) -> Number:
    return Number((((), Fraction(value)),))


ZERO, ONE = Number(), _whole(1)


def _number(total: Mapping[Monomial, Fraction]) -> Number:
    return Number(tuple(sorted((m, c) for m, c in total.items() if c)))


def _monomial(exponents: Mapping[str, Fraction]) -> tuple[Fraction, Monomial]:
    """Π atom^e as c·monomial: p^e = p^⌊e⌋·p^(e−⌊e⌋), i^e = (−1)^⌊e/2⌋·i^(e mod 2)."""
    factor = Fraction(1)
    kept: list[tuple[str, Fraction]] = []
    for atom in sorted(exponents):
        e = exponents[atom]
        if atom == I_ATOM:
            half, e = divmod(e, 2)
            factor *= (-1) ** half
        elif atom[0].isdigit() and not 0 < e < 1:
            whole, e = divmod(e, 1)
            factor *= Fraction(int(atom)) ** whole
        if e.denominator.bit_length() > MAX_GRAIN:
            raise WorkLimitError("an exponent becomes too fine a fraction")
        if e:
            kept.append((atom, e))
    return factor, tuple(kept)


def _join(left: Monomial, right: Monomial) -> tuple[Fraction | None, Monomial]:
    """The product of two monomials as factor·monomial; None stands for the factor 1."""
    if not left or not right:
        return None, left or right
    exponents = dict(left)
    for atom, e in right:
        exponents[atom] = exponents[atom] + e if atom in exponents else e
    return _monomial(exponents)


def _bits(c: Fraction) -> int:
    return c.numerator.bit_length() + c.denominator.bit_length()


@lru_cache(maxsize=4096)
def _is_prime(n: int) -> bool:
    """Miller-Rabin with the first thirteen primes as bases, which is a proof for n < MAX_PRIME."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    if n < 2 or n >= MAX_PRIME:
        return False
    if any(n % p == 0 for p in bases):
        return n in bases
    r = ((n - 1) & (1 - n)).bit_length() - 1  # n − 1 = 2^r·odd
    for base in bases:
        x = pow(base, (n - 1) >> r, n)
        passes = x in (1, n - 1)
        for _ in range(r - 1):
            x = x * x % n
            passes = passes or x == n - 1
        if not passes:
            return False
    return True


# --- enclosures: (lo, hi) stands for lo/2^bits <= x <= hi/2^bits --------------------------------


def _series(numerator: int, denominator: int, bits: int, sign: int) -> int:
    """2^bits·Σ_j sign^j·y^(2j+1)/(2j+1), y = numerator/denominator in [0, 1/3], by floors.

    It is atanh y for sign = 1 and arctan y for sign = −1.  Every term is short by less than 3 and
    the tail is less than 3, so the error is below 3·(terms + 1) < 2^12 at the precisions used.
    """
    power = (numerator << bits) // denominator
    total, j = 0, 0
    while power:
        total += sign**j * (power // (2 * j + 1))
        power = power * numerator**2 // denominator**2
        j += 1
    return total


def _outward(scaled: int) -> Interval:
    """From an approximation with GUARD extra bits to an enclosure without them."""
    return (scaled >> GUARD) - 1, (scaled >> GUARD) + 2


def _pi(bits: int) -> Interval:
    """π = 16·arctan(1/5) − 4·arctan(1/239) (Machin)."""
    w = bits + GUARD
    return _outward(16 * _series(1, 5, w, -1) - 4 * _series(1, 239, w, -1))


def _log(p: int, bits: int) -> Interval:
    """log p = 2k·atanh(1/3) + 2·atanh((m−1)/(m+1)), p = 2^k·m with 1 <= m < 2."""
    w, k = bits + GUARD, p.bit_length() - 1
    return _outward(2 * k * _series(1, 3, w, 1) + 2 * _series(p - 2**k, p + 2**k, w, 1))


def _root_floor(n: int, q: int) -> int:
    """⌊n^(1/q)⌋ by bisection."""
    low, high = 0, 1 << (n.bit_length() // q + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**q <= n else (low, middle)
    return low


def _product(x: Interval, y: Interval, bits: int) -> Interval:
    """x·y for non-negative enclosures."""
    return x[0] * y[0] >> bits, -(-x[1] * y[1] >> bits)


def _enclosed_power(x: Interval, e: Fraction, bits: int) -> Interval:
    """x^e for a positive enclosure: inverse, square roots, one odd root, then a power."""
    lo, hi = x if e > 0 else ((1 << 2 * bits) // x[1], -(-(1 << 2 * bits) // x[0]))
    n, q = abs(e.numerator), e.denominator
    while q % 2 == 0:
        lo, hi, q = isqrt(lo << bits), isqrt(hi << bits) + 1, q // 2
    if q > 1:
        shift = bits * (q - 1)
        lo, hi = _root_floor(lo << shift, q), _root_floor(hi << shift, q) + 1
    x, result = (lo, hi), (1 << bits, 1 << bits)
    while n:
        if n & 1:
            result = _product(result, x, bits)
        x, n = _product(x, x, bits), n >> 1
    return result


# --- algebra: arithmetic, zero test, signs ------------------------------------------------------


class Algebra:
    """Arithmetic of numbers under one set of declarations, with a budget of work.

    ``definitions`` has the value v of every r with r² = v (its name is of the kind SQUARE) and of
    every f = v > 0 (EQUALS); ``order`` lists them, each before those that its value mentions.
    """

    def __init__(
        self, names: Names, definitions: Mapping[str, Number], order: Sequence[str]
    ) -> None:
        self.names = names
        self.definitions = definitions
        self.order = order
        self.work = 0
        self.real: dict[str, bool] = {}  # is the value of the definition known to be real?
        self.signs: dict[str, Signs] = {}  # possible signs of the value of the definition
        self._sign: dict[Number, Signs] = {}  # what ``sign`` has answered
        for name in reversed(order):
            self.real[name] = self.is_real(definitions[name])
            self.signs[name] = self.sign(definitions[name])

    def spend(self, amount: int) -> None:
        """Charge the budget; raise ``WorkLimitError`` when it is used up."""
        self.work += amount
        if self.work > MAX_WORK:
            raise WorkLimitError(f"work limit of {MAX_WORK} reached: the document is too large")

    def dot(self, pairs: Iterable[tuple[Number, Number]]) -> Number:
        """Σ a·b over the pairs (a, b)."""
        total: dict[Monomial, Fraction] = {}
        for a, b in pairs:
            for left, c in a.terms:
                for right, d in b.terms:
                    cost = 1 + (_bits(c) * _bits(d) >> 18)
                    factor, monomial = _join(left, right)
                    value = c * d if factor is None else c * d * factor
                    previous = total.get(monomial)
                    if previous is None:
                        total[monomial] = value
                        cost += 2 + 3 * len(monomial)  # for memory as well as for time
                    else:
                        total[monomial] = previous + value
                        cost += len(monomial) + (_bits(previous) * _bits(value) >> 18)
                    self.spend(cost)
        return _number(total)

    def add(self, *numbers: Number) -> Number:
        """The sum."""
        return self.dot((number, ONE) for number in numbers)

    def power(self, base: Number, exponent: int) -> Number:
        """base^exponent; a negative exponent needs a base of one term."""
        if exponent < 0:
            ((monomial, c),) = base.terms
            factor, inverse = _monomial({atom: -e for atom, e in monomial})
            base, exponent = Number(((inverse, factor / c),)), -exponent
        result = ONE
        for _ in range(exponent):
            result = self.dot([(result, base)])
        return result

    def substitute(self, number: Number, values: Mapping[str, Number]) -> Number:
        """The number with every variable replaced by its value."""
        self.spend(number.size())
        if values.keys().isdisjoint(number.atoms()):
            return number
        pieces = []
        for monomial, c in number.terms:
            piece = Number(((tuple(x for x in monomial if x[0] not in values), c),))
            for atom, e in monomial:
                if atom in values:
                    piece = self.dot([(piece, self.power(values[atom], int(e)))])
            pieces.append(piece)
        return self.add(*pieces)

    def is_zero(self, number: Number) -> bool:
        """Whether the number vanishes by the rules of this ring; then it is zero."""
        if not number or self.definitions.keys().isdisjoint(number.atoms()):
            return not number
        for name in self.order:
            self.spend(number.size())
            number = self._eliminate(number, name)
        return not number

    def _eliminate(self, number: Number, name: str) -> Number:
        """The number times a power of the value v (which is not 0) of one definition, reduced.

        f^e = v^⌊e⌋·f^(e−⌊e⌋), and r^e = v^⌊e/2⌋·r^(e−2⌊e/2⌋); the lowest power of v is cleared.
        """
        if name not in number.atoms():
            return number
        step = 2 if self.names[name] == SQUARE else 1
        groups: dict[int, list[tuple[Monomial, Fraction]]] = defaultdict(list)
        for monomial, c in number.terms:
            e = dict(monomial).get(name, Fraction(0))
            whole = floor(e / step)
            rest = e - step * whole
            kept = ((a, rest if a == name else x) for a, x in monomial if a != name or rest)
            groups[whole].append((tuple(kept), c))
        result = ZERO
        for whole in range(max(groups), min(groups) - 1, -1):  # Horner's rule in v
            self.spend(1)
            group = Number(tuple(sorted(groups.get(whole, ()))))
            result = self.dot([(result, self.definitions[name]), (group, ONE)])
        return result

    def locate(self, table: list[Number], exponent: Number) -> int:
        """The position of a number in a table of distinct ones; it is appended when new."""
        self.spend(1 + len(table) * (1 + exponent.size()))
        if exponent in table:
            return table.index(exponent)
        for i, other in enumerate(table if self.definitions else ()):
            if self.is_zero(self.add(exponent, -other)):
                return i
        table.append(exponent)
        return len(table) - 1

    def is_real(self, number: Number) -> bool:
        """Whether the number is known to be real; besides i, only r with r² = v may not be."""
        for monomial, _ in number.terms:
            for atom, e in monomial:
                if atom == I_ATOM:
                    return False
                positive = self.names.get(atom) != SQUARE or self.signs[atom] == POSITIVE
                if not self.real.get(atom, True) or (e % 2 and not positive):
                    return False
        return True

    def sign(self, number: Number) -> Signs:
        """A set of signs that certainly contains the number's, as small as is known.

        The number is free of variables.
        """
        if number not in self._sign:
            self._sign[number] = self._decide_sign(number)
        return self._sign[number]

    def real_part_sign(self, number: Number) -> Signs:
        """Like ``sign`` for Re; any sign where the other part may be imaginary too."""
        if not self.is_real(number.part(imaginary=True)):
            return ANY_SIGN
        return self.sign(number.part(imaginary=False))

    def _decide_sign(self, number: Number) -> Signs:
        if not self.is_real(number):
            return ANY_SIGN
        if self.is_zero(number):
            return ZERO_SIGN
        signs = [self._monomial_sign(monomial, c) for monomial, c in number.terms]
        for half, strict in ((NONNEGATIVE, POSITIVE), (NONPOSITIVE, NEGATIVE)):
            if all(s <= half for s in signs):
                return strict if strict in signs else half
        if len(signs) == 1:
            return signs[0]
        for bits in PRECISIONS:
            interval = self.enclose(number, bits)
            if interval is None:
                break
            if interval[0] > 0 or interval[1] < 0:
                return POSITIVE if interval[0] > 0 else NEGATIVE
        return ANY_SIGN

    def _monomial_sign(self, monomial: Monomial, c: Fraction) -> Signs:
        result = POSITIVE if c > 0 else NEGATIVE
        for atom, e in monomial:
            kind = self.names.get(atom)
            if kind == SQUARE:  # r is not 0, so v is not
                whole, odd = divmod(e, 2)
                signs = NONZERO if odd else _sign_power(self.signs[atom] - {0}, whole)
            else:
                signs = _sign_power(ASSUMPTIONS.get(kind or "positive", POSITIVE), e)
            result = frozenset(x * y for x in result for y in signs)
        return result

    def enclose(self, number: Number, bits: int) -> Interval | None:
        """An enclosure of a constant; None where an atom has none, or an exponent is too large."""
        low = high = 0
        for monomial, c in number.terms:
            part: Interval = (1 << bits, 1 << bits)
            for atom, e in monomial:
                base = self._enclose_atom(atom, bits)
                odd = e.denominator // (e.denominator & -e.denominator)
                if base is None or base[0] <= 0:
                    return None
                if max(odd, abs(e.numerator)) * base[1].bit_length() > 2**17:
                    return None
                self.spend(bits + (bits * bits * odd >> 8))
                part = _product(part, _enclosed_power(base, e, bits), bits)
            ends = sorted((part[0] * c.numerator, part[1] * c.numerator))
            self.spend(1 + (part[1].bit_length() * _bits(c) >> 18))
            low += ends[0] // c.denominator
            high += -(-ends[1] // c.denominator)
        return low, high

    def _enclose_atom(self, atom: str, bits: int) -> Interval | None:
        self.spend(bits)
        if atom[0].isdigit():
            return int(atom) << bits, int(atom) << bits
        if atom == "pi":
            return _pi(bits)
        if match := _LOGARITHM.fullmatch(atom):
            return _log(int(match[1]), bits)
        if self.names.get(atom) == EQUALS:
            return self.enclose(self.definitions[atom], bits)
        return None

    def independent(self, numbers: Iterable[Number]) -> bool:
        """Whether distinct forms over these atoms are known to be distinct numbers.

        True for i, radicals of primes and free names with powers of one transcendental constant
        among π and log p, or with all of these constants, entering linearly (Baker).
        """
        seen: set[str] = set()
        linear = True
        for number in numbers:
            self.spend(number.size())
            for monomial, _ in number.terms:
                constants = [(a, e) for a, e in monomial if not self._is_algebraic(a)]
                if any(a != "pi" and not _LOGARITHM.fullmatch(a) for a, _ in constants):
                    return False
                linear = linear and len(constants) <= 1 and all(e == 1 for _, e in constants)
                seen.update(a for a, _ in constants)
        return linear or len(seen) <= 1

    def _is_algebraic(self, atom: str) -> bool:
        """Whether the atom is i, a prime, a parameter or a variable."""
        if atom == I_ATOM or atom[0].isdigit():
            return True
        return atom != "pi" and atom not in self.definitions and bool(_IDENTIFIER.fullmatch(atom))


def _sign_power(signs: Signs, e: Fraction | int) -> Signs:
    """Signs of x^e for x with one of the signs; fractional powers occur for positive x only."""
    return signs if e % 2 else frozenset(s * s for s in signs)


# --- data: what a well-formed document says -----------------------------------------------------

Matrix = Sequence[Mapping[int, Number]]  # every row: column -> entry that is not 0
# Exponents live in a table of their block: key (k, n) names the function t^k·exp(table[n]·t).
ExpPoly = Mapping[tuple[int, int], Number]


@dataclass(frozen=True)
class Block:
    """A generator X with its stated exponential E(t); ``exponents`` is the table of E."""

    variables: tuple[str, ...]
    inverted: frozenset[str]  # variables that occur with a negative exponent
    generator: Matrix
    exponential: Sequence[Mapping[int, ExpPoly]]
    exponents: tuple[Number, ...]


@dataclass(frozen=True)
class Placed:
    """A pattern at coordinates, its variables replaced by values."""

    pattern: str
    coordinates: tuple[int, ...]
    values: Mapping[str, Number]


@dataclass(frozen=True)
class Head:
    """The stated generator X (entries by row and column), and why exp(tX) is what it is."""

    generator: Mapping[tuple[int, int], Number]
    blocks: tuple[Placed, ...]
    basis: tuple[Matrix, Matrix] | None


@dataclass(frozen=True)
class Augmentation:
    """Σ query_i·E_ij(τ)·key_j = bias(τ)."""

    query: tuple[Number, ...]
    key: tuple[Number, ...]
    block: Block
    bias: ExpPoly


@dataclass(frozen=True)
class Certificate:
    """A well-formed document; nothing in it is decided yet."""

    dimension: int
    patterns: Mapping[str, Block]
    heads: tuple[Head, ...]
    one_map: bool
    augmentation: tuple[Augmentation, ...]
    claims: tuple[str, ...]
    hypotheses: Mapping[str, str]


# --- reading -----------------------------------------------------------------------------------


def _show(value: object) -> str:
    return _shorten(ascii(value), 60) if isinstance(value, (str, int)) else type(value).__name__


def _fail(where: str, expected: str, got: object) -> CertificateError:
    return CertificateError(f"{where}: expected {expected}; got {_show(got)}")


def _mapping(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _fail(where, "an object", value)
    return value


def _fields(value: object, where: str, *names: str) -> list[object]:
    """The values of exactly the named fields."""
    mapping = _mapping(value, where)
    for name in names:
        if name not in mapping:
            raise CertificateError(f"{where}: field {name!r} is missing")
    if len(mapping) > len(names):
        raise CertificateError(f"{where}: unknown field {_show(min(mapping.keys() - set(names)))}")
    return [mapping[name] for name in names]


def _list(value: object, where: str, length: int | None = None) -> list[object]:
    if not isinstance(value, list):
        raise _fail(where, "a list", value)
    if length is not None and len(value) != length:
        raise CertificateError(f"{where}: expected {length} items; got {len(value)}")
    return value


def _integer(value: object, where: str, low: int, high: int) -> int:
    if not isinstance(value, int) or not low <= value <= high:
        raise _fail(where, f"an integer from {low} to {high}", value)
    return value


def _string(value: object, where: str, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise _fail(where, f"a text of the form {pattern.pattern}", value)
    return value


def _choice(value: object, where: str, choices: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise _fail(where, f"one of {_shorten(', '.join(choices))}", value)
    return value


def _rational(value: object, where: str) -> Fraction:
    """A non-zero rational in its canonical spelling."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None or max(map(len, match.groups(""))) > MAX_DIGITS:
        raise _fail(where, f'a rational such as "-7/2" of at most {MAX_DIGITS} digits', value)
    try:
        numerator, denominator = int(match[1]), int(match[2] or 1)
    except ValueError:  # Python was told to convert even fewer digits
        raise _fail(where, "a rational with fewer digits", value) from None
    if numerator == 0 or match[2] == "1" or gcd(numerator, denominator) != 1:
        raise _fail(where, "a non-zero rational in lowest terms", value)
    return Fraction(numerator, denominator)


def _new_names(value: Iterable[object], where: str, taken: Iterable[str]) -> list[str]:
    """Identifiers that collide with nothing and with each other."""
    seen = {"pi", "log", "exp", *taken}
    names = []
    for item in value:
        name = _string(item, where, _IDENTIFIER)
        if name in seen:
            raise CertificateError(f"{where}: the name {name!r} is already taken")
        seen.add(name)
        names.append(name)
    return names


def _check_atom(atom: str, e: Fraction, where: str, names: Names) -> None:
    """Refuse an unknown atom, and an exponent that has no meaning for it."""
    kind = names.get(atom, "")
    if kind in (VARIABLE, SQUARE):
        ok, rule = e.denominator == 1 and abs(e) <= MAX_POWER, f"an integer up to {MAX_POWER}"
    elif kind in ASSUMPTIONS:
        ok = (e.denominator == 1 or kind == "positive") and (e > 0 or 0 not in ASSUMPTIONS[kind])
        rule = f"one that is meaningful for a {kind} parameter"
    elif _PRIME.fullmatch(atom):
        ok, rule = 0 < e < 1 and _is_prime(int(atom)), "in (0, 1), on a prime"
    else:
        ok = kind == EQUALS or _is_positive_constant(atom, names)
        rule = "on a declared name, a prime, pi, log(prime) or exp(monomial)"
    if not ok or max(abs(e.numerator), e.denominator) > MAX_EXPONENT:
        got = f"{_show(atom)} to the power {_shorten(_rational_text(e), 30)}"
        raise CertificateError(f"{where}: expected an exponent {rule}; got {got}")


def _is_positive_constant(atom: str, names: Names) -> bool:
    if match := _LOGARITHM.fullmatch(atom):
        return _is_prime(int(match[1]))
    if match := _EXPONENTIAL.fullmatch(atom):  # of names that are certainly real
        words = set(_WORD.findall(match[1])) - {"pi", "log"}
        return all(names.get(word) in (*ASSUMPTIONS, EQUALS) for word in words)
    return atom == "pi"


@dataclass(frozen=True)
class Reader:
    """Reads numbers and what is made of them, in the declared names."""

    names: Names
    algebra: Algebra

    def number(self, value: object, where: str) -> Number:
        """Σ c·Π atom^e from ``[["c", {"atom": "e"}], ...]``."""
        total: dict[Monomial, Fraction] = {}
        for term in _list(value, where):
            coefficient, stated = _list(term, where, 2)
            exponents = {}
            for atom, text in _mapping(stated, where).items():
                exponents[atom] = _rational(text, where)
                _check_atom(atom, exponents[atom], where, self.names)
            monomial = tuple(sorted(exponents.items()))
            if monomial in total:
                raise CertificateError(f"{where}: a monomial is repeated")
            total[monomial] = _rational(coefficient, where)
        return _number(total)

    def complex(self, value: object, where: str) -> Number:
        """re + i·im from ``[re, im]``."""
        re_part, im_part = (self.number(x, where) for x in _list(value, where, 2))
        turned = {tuple(sorted([*m, (I_ATOM, Fraction(1))])): c for m, c in im_part.terms}
        return _number(dict(re_part.terms) | turned) if turned else re_part

    def function(self, value: object, where: str, table: list[Number]) -> ExpPoly:
        """Σ c·t^k·exp(l·t) from ``[[c, k, l], ...]``; the exponents l go to the table."""
        result: dict[tuple[int, int], Number] = {}
        for term in _list(value, where):
            stated, degree, exponent = _list(term, where, 3)
            coefficient = self.complex(stated, where)
            if self.algebra.is_zero(coefficient):
                raise CertificateError(f"{where}: a coefficient is 0")
            k = _integer(degree, where, 0, MAX_POWER)
            key = k, self.algebra.locate(table, self.complex(exponent, where))
            if key in result:
                raise CertificateError(f"{where}: a term with equal (k, exponent) is repeated")
            result[key] = coefficient
        return result

    def vector(self, value: object, where: str, size: int) -> tuple[Number, ...]:
        """A list of numbers."""
        return tuple(self.number(item, where) for item in _list(value, where, size))

    def matrix(self, value: object, where: str, size: int) -> Matrix:
        """A square matrix of numbers, as a list of rows."""
        rows = enumerate(_list(value, where, size))
        vectors = (self.vector(row, f"{where}[{i}]", size) for i, row in rows)
        return [{j: number for j, number in enumerate(vector) if number} for vector in vectors]

    def block(
        self, generator: object, exponential: object, where: str, table: list[Number]
    ) -> Block:
        """A generator and its exponential, whose exponents go to the table."""
        size = len(_list(generator, f"{where}.generator"))
        if not 1 <= size <= MAX_DIMENSION:
            raise CertificateError(f"{where}.generator: expected 1 to {MAX_DIMENSION} rows")
        x = self.matrix(generator, f"{where}.generator", size)
        e = []
        for i, row in enumerate(_list(exponential, f"{where}.exponential", size)):
            place = f"{where}.exponential[{i}]"
            functions = (self.function(f, place, table) for f in _list(row, place, size))
            e.append({j: f for j, f in enumerate(functions) if f})
        variables = tuple(sorted(name for name, kind in self.names.items() if kind == VARIABLE))
        numbers = [n for row in x for n in row.values()]
        numbers += [c for row in e for f in row.values() for c in f.values()]
        powers = {power for n in numbers + table for m, _ in n.terms for power in m}
        inverted = frozenset(atom for atom, e in powers if atom in variables and e < 0)
        return Block(variables, inverted, x, e, tuple(table))

    def pattern(self, value: object, where: str) -> Block:
        """A block in variables of its own."""
        fields = ("variables", "generator", "exponential")
        stated, generator, exponential = _fields(value, where, *fields)
        place = f"{where}.variables"
        self.algebra.spend(len(self.names))
        variables = _new_names(_list(stated, place), place, self.names)
        inner = Reader({**self.names, **dict.fromkeys(variables, VARIABLE)}, self.algebra)
        return inner.block(generator, exponential, where, [])

    def placed(self, value: object, where: str, patterns: Mapping[str, Block]) -> Placed:
        """A pattern with coordinates and values."""
        stated, places, numbers = _fields(value, where, "pattern", "coordinates", "values")
        name = _choice(stated, f"{where}.pattern", patterns)
        block, place = patterns[name], f"{where}.coordinates"
        coordinates = tuple(
            _integer(c, place, 0, MAX_DIMENSION - 1)
            for c in _list(places, place, len(block.generator))
        )
        place = f"{where}.values"
        stated_values = _fields(numbers, place, *block.variables)
        values = {
            variable: self.number(number, f"{place}.{variable}")
            for variable, number in zip(block.variables, stated_values, strict=True)
        }
        for variable in block.inverted:
            number = values[variable]
            kinds = (self.names.get(atom, "") for atom in number.atoms())
            if len(number.terms) != 1 or any(0 in ASSUMPTIONS.get(kind, ()) for kind in kinds):
                raise CertificateError(
                    f"{place}.{variable}: the pattern divides by it, so one term that is certainly "
                    f"not 0 was expected; got {number}"
                )
        return Placed(name, coordinates, values)

    def head(
        self, value: object, where: str, dimension: int, patterns: Mapping[str, Block]
    ) -> Head:
        """A generator, blocks that fill 0 … dimension − 1, and a basis."""
        entries, stated, basis = _fields(value, where, "generator", "blocks", "basis")
        generator = self.entries(entries, f"{where}.generator", dimension)
        items = enumerate(_list(stated, f"{where}.blocks"))
        blocks = tuple(self.placed(x, f"{where}.blocks[{i}]", patterns) for i, x in items)
        if sorted(c for block in blocks for c in block.coordinates) != list(range(dimension)):
            raise CertificateError(
                f"{where}.blocks: the coordinates are not a permutation of 0 .. {dimension - 1}"
            )
        if basis is None:
            return Head(generator, blocks, None)
        p, q = _fields(basis, f"{where}.basis", "P", "Q")
        left = self.matrix(p, f"{where}.basis.P", dimension)
        right = self.matrix(q, f"{where}.basis.Q", dimension)
        return Head(generator, blocks, (left, right))

    def entries(
        self, value: object, where: str, dimension: int
    ) -> Mapping[tuple[int, int], Number]:
        """A matrix as ``[[row, column, number], ...]``, entries that are 0 left out."""
        found: dict[tuple[int, int], Number] = {}
        for item in _list(value, where):
            *place, number = _list(item, where, 3)
            i, j = (_integer(x, where, 0, dimension - 1) for x in place)
            if (i, j) in found:
                raise CertificateError(f"{where}: entry [{i}, {j}] is repeated")
            found[i, j] = self.number(number, where)
            if self.algebra.is_zero(found[i, j]):
                raise CertificateError(f"{where}: entry [{i}, {j}] is 0; leave it out")
        return found

    def augmentation(self, value: object, where: str) -> Augmentation:
        """A bias realised by constant coordinates."""
        fields = ("query", "key", "generator", "exponential", "bias")
        query, key, generator, exponential, bias = _fields(value, where, *fields)
        table: list[Number] = []
        stated_bias = self.function(bias, f"{where}.bias", table)
        block = self.block(generator, exponential, where, table)
        size = len(block.generator)
        q, k = self.vector(query, f"{where}.query", size), self.vector(key, f"{where}.key", size)
        return Augmentation(q, k, block, stated_bias)


def _read_declarations(parameters: object, definitions: object) -> tuple[Reader, Mapping[str, str]]:
    """A reader of the declared names, and the hypotheses of the definitions in words."""
    stated = _mapping(parameters, "parameters")
    names = {
        name: _choice(stated[name], f"parameters.{name}", ASSUMPTIONS)
        for name in _new_names(stated, "parameters", ())
    }
    stated = _mapping(definitions, "definitions")
    if len(stated) > MAX_DEFINITIONS:
        raise CertificateError(f"definitions: more than {MAX_DEFINITIONS}")
    bodies: dict[str, object] = {}
    for name in _new_names(stated, "definitions", names):
        body = _mapping(stated[name], f"definitions.{name}")
        if body.keys() not in ({SQUARE}, {EQUALS}):
            raise _fail(f"definitions.{name}", "one field, 'square' or 'equals'", body)
        ((names[name], bodies[name]),) = body.items()
    plain = Reader(names, Algebra(names, {}, ()))
    known = {name: plain.number(value, f"definitions.{name}") for name, value in bodies.items()}
    mentioned = {
        name: sorted({w for atom in value.atoms() for w in _WORD.findall(atom) if w in names})
        for name, value in known.items()
    }
    try:
        order = [name for name in TopologicalSorter(mentioned).static_order() if name in known]
    except CycleError:
        raise CertificateError("definitions: they refer to each other in a circle") from None
    algebra = Algebra(names, known, order[::-1])
    return Reader(names, algebra), _check_definitions(algebra, mentioned)


def _check_definitions(
    algebra: Algebra, mentioned: Mapping[str, Sequence[str]]
) -> Mapping[str, str]:
    """What does not follow from the assumptions, in words, by definition.

    An ``equals`` value has to be positive whenever the assumptions hold.  A ``square`` value may be
    0 somewhere if it is not 0 everywhere: see ``_refuse_conditional``.  ``mentioned`` lists the
    parameters and definitions in each value.
    """
    hypotheses: dict[str, str] = {}
    free: dict[str, bool] = {}  # does the definition depend on a parameter?
    for name in reversed(algebra.order):
        free[name] = any(free.get(other, True) for other in mentioned[name])
        kind, value = algebra.names[name], algebra.definitions[name]
        needed, word = (NONZERO, "not 0") if kind == SQUARE else (POSITIVE, "positive")
        signs = algebra.signs[name]
        if signs <= needed:
            continue
        if kind == EQUALS or not free[name] or not signs & needed:
            raise CertificateError(
                f"definitions.{name}: its value must be {word} by the assumptions; got {value}"
            )
        hypotheses[name] = f"{name}^2 = {value} is {word}"
    return hypotheses


def _refuse_conditional(
    names: Container[str], heads: Sequence[Head], augmentation: Sequence[Augmentation]
) -> None:
    """A root that may be 0 belongs into exponentials only.

    A pattern's E(t) = exp(tX) is an identity where r is not 0; X does not mention r and exp(tX) is
    continuous in X, so what follows for A(t) = exp(tX) holds where r is 0 too.  A basis, a value or
    a generator that mentions r would mean nothing there.
    """
    for h, head in enumerate(heads):
        numbers = [*head.generator.values(), *(v for b in head.blocks for v in b.values.values())]
        numbers += [x for matrix in head.basis or () for row in matrix for x in row.values()]
        if any(atom in names for number in numbers for atom in number.atoms()):
            raise CertificateError(
                f"heads[{h}]: a root that may be 0 stands outside an exponential"
            )
    for h, item in enumerate(augmentation):
        numbers = [
            *item.query,
            *item.key,
            *(x for row in item.block.generator for x in row.values()),
        ]
        if any(atom in names for number in numbers for atom in number.atoms()):
            raise CertificateError(f"augmentation[{h}]: a root that may be 0 stands in it")


_FIELDS = (
    *("format", "name", "dimension", "parameters", "definitions"),
    *("patterns", "heads", "pairing", "augmentation", "claims"),
)
_PAIRINGS = {"A(t)^T, A(-s)": False, "A(-t), A(-s)": True}  # is it one map for both sides?


def _read_certificate(document: Mapping[str, object]) -> tuple[Certificate, Algebra]:
    content = {name: value for name, value in document.items() if name != "digest"}
    stated = dict(zip(_FIELDS, _fields(content, "document", *_FIELDS), strict=True))
    _choice(stated["format"], "format", (FORMAT,))
    _string(stated["name"], "name", _ENCODING_NAME)
    dimension = _integer(stated["dimension"], "dimension", 1, MAX_DIMENSION)
    reader, hypotheses = _read_declarations(stated["parameters"], stated["definitions"])
    patterns: dict[str, Block] = {}
    for name, value in _mapping(stated["patterns"], "patterns").items():
        _string(name, "patterns", _PATTERN_NAME)
        patterns[name] = reader.pattern(value, f"patterns.{name}")
    items = _list(stated["heads"], "heads")
    if not 1 <= len(items) <= MAX_HEADS:
        raise CertificateError(f"heads: expected 1 to {MAX_HEADS} heads; got {len(items)}")
    heads = tuple(
        reader.head(head, f"heads[{h}]", dimension, patterns) for h, head in enumerate(items)
    )
    unused = patterns.keys() - {block.pattern for head in heads for block in head.blocks}
    if unused:
        raise CertificateError(f"patterns.{min(unused)}: no head uses it")
    sides = _fields(stated["pairing"], "pairing", "query", "key")
    pairing = _choice(", ".join(map(str, sides)), "pairing", _PAIRINGS)
    augmentation: tuple[Augmentation, ...] = ()
    if stated["augmentation"] is not None:
        items = _list(stated["augmentation"], "augmentation", len(heads))
        augmentation = tuple(
            reader.augmentation(item, f"augmentation[{h}]") for h, item in enumerate(items)
        )
    claims = tuple(_choice(x, "claims", _CLAIMS) for x in _list(stated["claims"], "claims"))
    if len(set(claims)) < len(claims):
        raise CertificateError("claims: one of them is repeated")
    if "augmentation" in claims and not augmentation:
        raise CertificateError("claims: 'augmentation' is claimed but none is stated")
    _refuse_conditional(hypotheses, heads, augmentation)
    certificate = Certificate(
        dimension, patterns, heads, _PAIRINGS[pairing], augmentation, claims, hypotheses
    )
    return certificate, reader.algebra


# --- deciding ----------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """Status of one statement, with the place and the difference when it is not proved."""

    status: str
    detail: str = ""


HOLDS = Outcome(PROVED)
# Key (column, k, n, ...) collects the pairs whose products add up to the coefficient of the
# function t^k·exp(table[n]·t)... in that column of one row; key (column,) stands for a number.
Products = Mapping[tuple[int, ...], list[tuple[Number, Number]]]


def _all(outcomes: Iterable[Outcome]) -> Outcome:
    """The first refutation, else the first that is undecided, else ``HOLDS``."""
    result = HOLDS
    for outcome in outcomes:
        if outcome.status == REFUTED:
            return outcome
        result = outcome if result == HOLDS else result
    return result


class Decider:
    """Decides the statements of one certificate."""

    def __init__(self, certificate: Certificate, algebra: Algebra) -> None:
        self.certificate = certificate
        self.algebra = algebra
        self.patterns = {f"patterns.{name}": x for name, x in certificate.patterns.items()}
        added = {f"augmentation[{h}]": x.block for h, x in enumerate(certificate.augmentation)}
        self.blocks = self.patterns | added
        self._growth: dict[tuple[object, ...], Outcome] = {}

    def _vanish(self, products: Products, place: str, exponents: Sequence[Number] = ()) -> Outcome:
        """Decide that every coefficient is 0; refuted only if it is certainly not."""
        return _all(
            self._vanishes(self.algebra.dot(pairs), key, place, exponents)
            for key, pairs in products.items()
        )

    def _vanishes(
        self, value: Number, key: tuple[int, ...], place: str, exponents: Sequence[Number]
    ) -> Outcome:
        if self.algebra.is_zero(value):
            return HOLDS
        certain = self.algebra.independent([value, *(exponents if len(key) > 1 else ())])
        function = " ".join(
            f"{x}^{key[n]} exp(({exponents[key[n + 1]]}) {x})"
            for x, n in (("t", 1), ("s", 3))
            if n < len(key)
        )
        where = f"{place}, column {key[0]}" + (f", coefficient of {function}" if function else "")
        return Outcome(REFUTED if certain else UNDECIDED, f"{where}: difference {value}")

    def _law(
        self,
        law: str,
        blocks: Mapping[str, Block],
        defects: Callable[[Block], Iterator[Products]],
    ) -> Outcome:
        """Decide that the defects of a law vanish, row by row, for some blocks."""
        return _all(
            self._vanish(products, f"{where}.exponential: {law} at row {i}", block.exponents)
            for where, block in blocks.items()
            for i, products in enumerate(defects(block))
        )

    def initial_condition(self) -> Outcome:
        """E(0) = I for every block."""
        return self._law("E(0) = I", self.blocks, self._initial_defects)

    def _initial_defects(self, block: Block) -> Iterator[Products]:
        for i, row in enumerate(block.exponential):
            products: Products = defaultdict(list, {(i,): [(-ONE, ONE)]})
            for j, f in row.items():
                for (k, _), c in f.items():
                    if k == 0:
                        products[j,].append((c, ONE))
            yield products

    def derivative(self) -> Outcome:
        """E' = X·E for every block."""
        return self._law("E' = X*E", self.blocks, self._derivative_defects)

    def _derivative_defects(self, block: Block) -> Iterator[Products]:
        """Rows of E' − X·E, with (c·t^k·e^{lt})' = c·l·t^k·e^{lt} + c·k·t^{k−1}·e^{lt}."""
        e = block.exponential
        for row, x_row in zip(e, block.generator, strict=True):
            products: Products = defaultdict(list)
            for j, f in row.items():
                for (k, n), c in f.items():
                    products[j, k, n].append((c, block.exponents[n]))
                    if k:
                        products[j, k - 1, n].append((c, _whole(k)))
            for h, x in x_row.items():
                for j, f in e[h].items():
                    self.algebra.spend(len(f))
                    for (k, n), c in f.items():
                        products[j, k, n].append((-x, c))
            yield products

    def homomorphism(self) -> Outcome:
        """E(t)·E(s) = E(t + s) for every pattern, in two variables."""
        defects = partial(self._group_defects, sign=1)
        return self._law("E(t)E(s) = E(t + s)", self.patterns, defects)

    def _group_defects(self, block: Block, sign: int) -> Iterator[Products]:
        """Rows of E(t)·E(σs) − E(t + σs); key (j, a, m, b, n) names t^a·e^{mt}·s^b·e^{σns}.

        (t + σs)^k·e^{m(t+σs)} = Σ_b C(k, b)·σ^b·t^{k−b}·e^{mt}·s^b·e^{σms}.
        """
        e = block.exponential
        for row in e:
            products: Products = defaultdict(list)
            for h, f in row.items():
                for j, g in e[h].items():
                    self.algebra.spend(4 * len(f) * len(g))  # as much for memory as for time
                    for (a, m), c in f.items():
                        for (b, n), d in g.items():
                            products[j, a, m, b, n].append((c, d if sign**b > 0 else -d))
            for j, f in row.items():
                for (k, m), c in f.items():
                    self.algebra.spend(k)
                    for b in range(k + 1):
                        factor = _whole(-comb(k, b) * sign**b)
                        products[j, k - b, m, b, m].append((c, factor))
            yield products

    def relativity(self) -> Outcome:
        """F(t)ᵀ·G(s) = A(t − s).

        Contragredient pair: A(t)·A(−s), that is E(t)·E(−s) = E(t − s) for every pattern, in two
        variables.  One map: A(−t)ᵀ·A(−s); A(−t)ᵀ = A(t) for every t exactly when X is skew, so the
        same law and orthogonality are decided.
        """
        defects = partial(self._group_defects, sign=-1)
        law = self._law("E(t)E(-s) = E(t - s)", self.patterns, defects)
        return _all((law, self.orthogonality())) if self.certificate.one_map else law

    def orthogonality(self) -> Outcome:
        """A(t)ᵀ·A(t) = I for every t, which holds exactly when Xᵀ = −X, for every head."""
        return _all(
            self._vanishes(
                self.algebra.add(number, head.generator.get((j, i), ZERO)),
                (j,),
                f"heads[{h}].generator: X^T = -X (orthogonality) at row {i}",
                (),
            )
            for h, head in enumerate(self.certificate.heads)
            for (i, j), number in head.generator.items()
        )

    def similarity(self) -> Outcome:
        """X·P = P·J and P·Q = I for every head, with P = Q = I where no basis is given."""
        return _all(
            self._vanish(products, f"heads[{h}]: {place}")
            for h, head in enumerate(self.certificate.heads)
            for products, place in self._similarity_defects(head)
        )

    def _similarity_defects(self, head: Head) -> Iterator[tuple[Products, str]]:
        """Rows of X·P − P·J and of P·Q − I."""
        size = range(self.certificate.dimension)
        x: list[dict[int, Number]] = [{} for _ in size]
        for (i, j), number in head.generator.items():
            x[i][j] = number
        unit = [{i: ONE} for i in size]
        p, q = head.basis or (unit, unit)
        jordan = self._assemble(head)
        for i in size:
            products: Products = defaultdict(list)
            self._multiply(x[i], p, products)
            self._multiply({h: -a for h, a in p[i].items()}, jordan, products)
            yield products, f"X*P = P*J at row {i}"
            products = defaultdict(list, {(i,): [(-ONE, ONE)]})
            self._multiply(p[i], q, products)
            yield products, f"P*Q = I at row {i}"

    def _multiply(self, row: Mapping[int, Number], matrix: Matrix, products: Products) -> None:
        """Add row·matrix to the products."""
        for h, a in row.items():
            self.algebra.spend(len(matrix[h]))
            for j, b in matrix[h].items():
                products[j,].append((a, b))

    def _assemble(self, head: Head) -> Matrix:
        """J, every block's generator at its coordinates and values."""
        rows: list[dict[int, Number]] = [{} for _ in range(self.certificate.dimension)]
        for block in head.blocks:
            generator = self.certificate.patterns[block.pattern].generator
            for i, row in zip(block.coordinates, generator, strict=True):
                for j, entry in row.items():
                    rows[i][block.coordinates[j]] = self.algebra.substitute(entry, block.values)
        return rows

    def closed_form(self) -> Outcome:
        """Initial condition, derivative law and similarity: A(t) = P·E(t)·Q = exp(tX)."""
        return _all(law() for law in (self.initial_condition, self.derivative, self.similarity))

    def bounded_causal(self) -> Outcome:
        """Every term of every block has Re l < 0, or Re l <= 0 with k = 0: bounded for t >= 0."""
        return self._bounded(everywhere=False)

    def bounded_all(self) -> Outcome:
        """Every term of every block has Re l = 0 and k = 0: bounded for every t."""
        return self._bounded(everywhere=True)

    def _bounded(self, everywhere: bool) -> Outcome:
        return _all(
            self._block_growth(placed, everywhere, f"heads[{h}].blocks[{i}]")
            for h, head in enumerate(self.certificate.heads)
            for i, placed in enumerate(head.blocks)
        )

    def _block_growth(self, placed: Placed, everywhere: bool, where: str) -> Outcome:
        """The outcome for one block, decided once for each pattern and values."""
        key = (everywhere, placed.pattern, *placed.values.items())
        if key not in self._growth:
            self._growth[key] = _all(self._term_outcomes(placed, everywhere))
        outcome = self._growth[key]
        return outcome if outcome == HOLDS else Outcome(outcome.status, where + outcome.detail)

    def _term_outcomes(self, placed: Placed, everywhere: bool) -> Iterator[Outcome]:
        """Growth of every term of E at the block's values that does not vanish there."""
        algebra, block = self.algebra, self.certificate.patterns[placed.pattern]
        conditional = self.certificate.hypotheses
        numbers = [c for row in block.exponential for f in row.values() for c in f.values()]
        if any(atom in conditional for n in [*numbers, *block.exponents] for atom in n.atoms()):
            yield Outcome(UNDECIDED, ": growth where a root of its exponential is 0")
            return
        table: list[Number] = []
        moved = [
            algebra.locate(table, algebra.substitute(n, placed.values)) for n in block.exponents
        ]
        signs = [algebra.real_part_sign(n) for n in table]
        for f in (f for row in block.exponential for f in row.values()):
            merged = defaultdict(list)
            for (k, n), c in f.items():
                merged[k, moved[n]].append(algebra.substitute(c, placed.values))
            for (k, n), parts in merged.items():
                status = _term_growth(k, signs[n], everywhere)
                if status == PROVED:
                    continue
                total = algebra.add(*parts)
                if algebra.is_zero(total):
                    continue
                if not algebra.independent([total, *table]):
                    status = UNDECIDED
                yield Outcome(status, f": growth of its term t^{k} exp(({table[n]}) t)")

    def augmentation(self) -> Outcome:
        """Σ query_i·E_ij(τ)·key_j = bias(τ) for every head."""
        return _all(
            self._vanish(
                self._augmentation_defect(item),
                f"augmentation[{h}]: query*E*key = bias",
                item.block.exponents,
            )
            for h, item in enumerate(self.certificate.augmentation)
        )

    def _augmentation_defect(self, item: Augmentation) -> Products:
        products: Products = defaultdict(list)
        for q, row in zip(item.query, item.block.exponential, strict=True):
            for j, f in row.items():
                weight = self.algebra.dot([(q, item.key[j])])
                for (k, n), c in f.items():
                    products[0, k, n].append((weight, c))
        for (k, n), c in item.bias.items():
            products[0, k, n].append((-ONE, c))
        return products


def _term_growth(k: int, signs: Signs, everywhere: bool) -> str:
    """Whether t^k·exp(l·t) stays bounded, if it occurs, from the possible signs of Re l."""
    if signs == ZERO_SIGN:
        return PROVED if k == 0 else REFUTED
    if everywhere:
        return UNDECIDED if 0 in signs else REFUTED
    if signs == NEGATIVE or (signs == NONPOSITIVE and k == 0):
        return PROVED
    return REFUTED if signs == POSITIVE else UNDECIDED


_CLAIMS: Mapping[str, Callable[[Decider], Outcome]] = {
    "initial-condition": Decider.initial_condition,
    "derivative": Decider.derivative,
    "homomorphism": Decider.homomorphism,
    "relativity": Decider.relativity,
    "closed-form": Decider.closed_form,
    "orthogonality": Decider.orthogonality,
    "bounded-causal": Decider.bounded_causal,
    "bounded-all": Decider.bounded_all,
    "augmentation": Decider.augmentation,
}
_CONSISTENCY = ("closed-form", "augmentation")  # decided whatever the document claims


# --- the public functions ----------------------------------------------------------------------


def canonical_digest(document: object) -> str:
    """``"sha256:"`` + SHA-256 of the document without its ``digest`` field, in canonical form.

    Canonical form: UTF-8 JSON, keys sorted, no white space, ``ensure_ascii=False``.
    Raises ``CertificateError`` for what cannot be a certificate.

    >>> canonical_digest({"digest": "ignored"}) == canonical_digest({})
    True
    """
    _measure(document)
    return _digest(_mapping(document, "document"))


def _digest(document: Mapping[str, object]) -> str:
    content = {k: v for k, v in document.items() if k != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    try:
        return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
    except UnicodeEncodeError:
        raise CertificateError("document: a text is not valid Unicode") from None


def _measure(document: object) -> None:
    """Refuse what is too deep or too large, and every type that a certificate never has."""
    level: list[object] = [document]
    nodes = 0
    for _ in range(MAX_DEPTH):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                if not all(isinstance(key, str) for key in value):
                    raise CertificateError("document: a key is not a text")
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
            elif isinstance(value, bool) or not isinstance(value, (str, int, type(None))):
                raise _fail("document", "objects, lists, texts, integers and null", value)
            elif isinstance(value, int) and abs(value) > MAX_EXPONENT:
                raise CertificateError("document: an integer is too large")
            if nodes + len(below) > MAX_NODES:
                raise CertificateError("document: too large")
        if not below:
            return
        nodes, level = nodes + len(below), below
    raise CertificateError("document: nested too deeply")


def check_certificate(document: object, *, ignore_digest: bool = False) -> CheckResult:
    """Decide a certificate again, from its data alone.

    Accepted exactly when the document is well formed, every exponential satisfies E(0) = I and
    E' = X·E, every generator X·P = P·J with P·Q = I, every augmentation its bias, and each claim
    is proved.  ``ignore_digest`` judges the mathematics alone.  Does not raise on any JSON value.

    >>> check_certificate({}).reason
    'digest: the document has none'
    """
    try:
        _measure(document)
        mapping = _mapping(document, "document")
        if not ignore_digest:
            _check_digest(mapping)
        certificate, algebra = _read_certificate(mapping)
    except CertificateError as error:
        return CheckResult(False, str(error))
    return _decide(certificate, algebra)


def _check_digest(document: Mapping[str, object]) -> None:
    if "digest" not in document:
        raise CertificateError("digest: the document has none")
    expected = _digest(document)
    if document["digest"] != expected:
        raise CertificateError(f"digest: the document's is {expected}, another one is stated")


def _decide(certificate: Certificate, algebra: Algebra) -> CheckResult:
    decider = Decider(certificate, algebra)
    outcomes: dict[str, Outcome] = {}
    for claim in dict.fromkeys((*_CONSISTENCY, *certificate.claims)):
        try:
            outcomes[claim] = _CLAIMS[claim](decider)
        except WorkLimitError as error:
            outcomes[claim] = Outcome(UNDECIDED, str(error))
    failed = [(claim, outcome) for claim, outcome in outcomes.items() if outcome != HOLDS]
    reason = f"{len(certificate.claims)} claims decided again"
    if failed:
        claim, outcome = failed[0]
        reason = f"{claim} is {outcome.status}: {outcome.detail}"
    claims = tuple((claim, outcomes[claim].status) for claim in certificate.claims)
    return CheckResult(not failed, reason, claims, tuple(certificate.hypotheses.values()))


def check_text(text: str, *, ignore_digest: bool = False) -> CheckResult:
    """``check_certificate`` on a JSON text, read strictly.

    Repeated keys, floats, NaN, huge integers and oversized or deeply nested texts are refused.

    >>> check_text('{"a": 1, "a": 1}').reason
    "document: the key 'a' is repeated"
    """
    try:
        document = _parse(text)
    except CertificateError as error:
        return CheckResult(False, str(error))
    return check_certificate(document, ignore_digest=ignore_digest)


def _parse(text: str) -> object:
    if len(text) > MAX_TEXT or text.count("[") + text.count("{") + text.count(",") > MAX_NODES:
        raise CertificateError("document: too large")

    def refuse(literal: str) -> object:
        raise CertificateError(f"document: the number {_shorten(literal, 30)} is not allowed")

    def integer(literal: str) -> object:
        return int(literal) if len(literal) <= 8 else refuse(literal)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result: dict[str, object] = {}
        for key, value in pairs:
            if key in result:
                raise CertificateError(f"document: the key {_show(key)} is repeated")
            result[key] = value
        return result

    try:
        return json.loads(
            text,
            parse_float=refuse,
            parse_int=integer,
            parse_constant=refuse,
            object_pairs_hook=unique,
        )
    except RecursionError:
        raise CertificateError("document: nested too deeply") from None
    except json.JSONDecodeError as error:
        raise CertificateError(f"document: not JSON: {error}") from None
