"""Independent checker of certificates: decides again everything a certificate states.

The document is defined in ``docs/reference/certificate.md``.  This module shares no code with the
prover; it needs the standard library only and computes with exact integers and rationals.

What is trusted
---------------
* Python's ``int``, ``fractions.Fraction``, ``json`` and ``hashlib``; and this file.
* Four theorems.

  1. E(0) = I and E' = X·E determine E = exp(tX) (uniqueness of a linear equation).
  2. exp(tX) is orthogonal for every t exactly when Xᵀ = −X (differentiate A(t)ᵀ·A(t) = I at 0).
  3. X·P = P·J and P·Q = I give exp(tX) = P·exp(tJ)·Q (square matrices: P·Q = I is Q·P = I).
  4. Radicals of distinct primes are independent over the rationals (Besicovitch); 1, π and the
     logarithms of primes over the algebraic numbers (Baker).  Only refutations rest on these.

Why acceptance is sound
-----------------------
A number is a sum of monomials in *atoms*.  All arithmetic is in the ring of such sums, where the
only rewriting is p^(1+e) → p·p^e for a prime p, r² → v for ``{"square": v}`` and f → v for
``{"equals": v}``.  Each is an equality of numbers, so forms that become equal are equal numbers,
and a difference that becomes the empty sum is zero.  Forms that stay different may still be equal
numbers; then nothing is accepted ("undecided").  Merging the terms of an exponential polynomial
by equal exponents is of the same kind: it can miss an equality, never invent one.

A definition is a hypothesis where it mentions parameters ("r is not 0", "f is positive"); the
checker lists those hypotheses, and refuses a definition that contradicts them outright.

Every multiplication is charged to a budget, so a hostile document ends in a refusal.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import comb, floor, gcd, isqrt
from typing import NamedTuple, TypeVar

__all__ = [
    "FORMAT",
    "CertificateError",
    "CheckResult",
    "canonical_digest",
    "check_certificate",
    "check_text",
]

FORMAT = "symbolic-pe-certificate/1"

MAX_TEXT = 64 * 1024 * 1024  # characters of a document
MAX_NODES = 8_000_000  # values in a document
MAX_DEPTH = 32  # nesting; a valid document needs 12
MAX_DIMENSION = 4096
MAX_HEADS = 4096
MAX_DEFINITIONS = 256
MAX_DIGITS = 4000  # of a numerator or a denominator, below Python's own limit of 4300
MAX_EXPONENT = 10**6  # numerator and denominator of the exponent of an atom
MAX_POWER = 256  # k in t^k, and the exponent of a pattern variable
MAX_WORK = 10_000_000  # products of small coefficients; about a microsecond or two each
MAX_PRIME = 3_317_044_064_679_887_385_961_981  # the Miller-Rabin test below decides up to here
PRECISIONS = (64, 128, 256, 512, 1024)  # bits tried when enclosures decide a sign
GUARD = 64  # extra bits inside a series; its error stays far below 2^GUARD units

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"

_NAME = re.compile(r"[a-z][a-z0-9-]{0,199}")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_PATTERN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")
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
RESERVED = frozenset({"pi", "log", "exp"})

T = TypeVar("T")
Monomial = tuple[tuple[str, Fraction], ...]  # (atom, exponent), sorted by atom
Interval = tuple[int, int]  # lo/2^bits <= x <= hi/2^bits


class CertificateError(ValueError):
    """The document is not a well-formed certificate; the message names the field."""


class WorkLimitError(CertificateError):
    """Deciding the document would take more arithmetic than ``MAX_WORK``."""


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one document.

    ``accepted`` is true exactly when the document is well formed, its exponentials, bases and
    augmentation are right, and every claim is proved.  ``reason`` says what failed and where.
    ``claims`` lists (claim, "proved" | "refuted" | "undecided").  ``hypotheses`` lists what the
    definitions assume of the parameters.
    """

    accepted: bool
    reason: str
    claims: tuple[tuple[str, str], ...] = ()
    hypotheses: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """Status of one statement, with the place and the difference when it is not proved."""

    status: str
    detail: str = ""


HOLDS = Outcome(PROVED)


# --- numbers ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Number:
    """Σ c·Π atom^e: distinct monomials with non-zero rational coefficients, sorted."""

    terms: tuple[tuple[Monomial, Fraction], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __neg__(self) -> Number:
        return Number(tuple((monomial, -c) for monomial, c in self.terms))

    def atoms(self) -> set[str]:
        """Every atom that occurs."""
        return {atom for monomial, _ in self.terms for atom, _ in monomial}

    def __str__(self) -> str:
        text = " + ".join(
            "*".join([_rational_text(c), *(f"{a}^({_rational_text(e)})" for a, e in monomial)])
            for monomial, c in self.terms[:6]
        )
        return _shorten(text or "0")


@dataclass(frozen=True)
class Complex:
    """re + i·im."""

    re: Number
    im: Number

    def __bool__(self) -> bool:
        return bool(self.re) or bool(self.im)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __str__(self) -> str:
        return f"({self.re}) + i*({self.im})"


def _rational(value: int | Fraction) -> Number:
    return Number((((), Fraction(value)),)) if value else Number()


ZERO, ONE = Number(), _rational(1)


def _number(total: Mapping[Monomial, Fraction]) -> Number:
    if len(total) == 1:
        return Number(tuple((m, c) for m, c in total.items() if c))
    return Number(tuple(sorted((m, c) for m, c in total.items() if c)))


def _monomial(exponents: Mapping[str, Fraction]) -> tuple[Fraction, Monomial]:
    """Π atom^e as c·monomial: p^e = p^⌊e⌋·p^(e−⌊e⌋) for every prime p, exponents 0 dropped."""
    factor = Fraction(1)
    kept: list[tuple[str, Fraction]] = []
    for atom in sorted(exponents):
        e = exponents[atom]
        if atom[0].isdigit() and not 0 < e < 1:
            whole = floor(e)
            factor *= Fraction(int(atom)) ** whole
            e -= whole
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


def _rational_text(c: Fraction) -> str:
    return str(c) if _bits(c) < 2000 else f"<rational of {_bits(c)} bits>"


def _shorten(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


# --- enclosures: x = (lo, hi) means lo/2^bits <= x <= hi/2^bits --------------------------------


def _series(numerator: int, denominator: int, bits: int, sign: int) -> int:
    """2^bits·Σ_j sign^j·y^(2j+1)/(2j+1) with y = numerator/denominator <= 1/3, by floors.

    atanh y for sign = 1, arctan y for sign = −1.  Each term is short by less than 3 and the tail
    by less than 3, so the error is below 3·(terms + 1) < 2^20 for every precision used here.
    """
    power = (numerator << bits) // denominator
    total, j = 0, 0
    while power:
        term = power // (2 * j + 1)
        total += term if sign > 0 or j % 2 == 0 else -term
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
    """log p = k·log 2 + 2·atanh((m−1)/(m+1)) with p = 2^k·m and 1 <= m < 2; log 2 = 2·atanh 1/3."""
    w, k = bits + GUARD, p.bit_length() - 1
    rest = _series(p - 2**k, p + 2**k, w, 1) if p != 2**k else 0
    return _outward(2 * k * _series(1, 3, w, 1) + 2 * rest)


def _root_floor(n: int, q: int) -> int:
    """⌊n^(1/q)⌋ by bisection."""
    low, high = 0, 1 << (n.bit_length() // q + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**q <= n else (low, middle)
    return low


def _root(x: Interval, q: int, bits: int) -> Interval:
    """x^(1/q): square roots while q is even, then one odd root."""
    lo, hi = x
    while q % 2 == 0:
        lo, hi, q = isqrt(lo << bits), isqrt(hi << bits) + 1, q // 2
    if q > 1:
        shift = bits * (q - 1)
        lo, hi = _root_floor(lo << shift, q), _root_floor(hi << shift, q) + 1
    return lo, hi


def _product(x: Interval, y: Interval, bits: int) -> Interval:
    """x·y for non-negative enclosures."""
    return x[0] * y[0] >> bits, -(-x[1] * y[1] >> bits)


def _enclosed_power(x: Interval, e: Fraction, bits: int) -> Interval | None:
    """x^e for a positive enclosure; None where the exponent is out of reach."""
    n, q = abs(e.numerator), e.denominator
    odd = q // (q & -q)
    if n > 4096 or q > 2**20 or odd * bits > 2**17 or x[0] <= 0:
        return None
    if e < 0:
        x = (1 << 2 * bits) // x[1], -(-(1 << 2 * bits) // x[0])
    x = _root(x, q, bits)
    result = (1 << bits, 1 << bits)
    while n:
        if n & 1:
            result = _product(result, x, bits)
        x, n = _product(x, x, bits), n >> 1
    return result


# --- declarations ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Definition:
    """r with r² = value (``kind`` "square"), or f = value > 0 (``kind`` "equals")."""

    kind: str
    value: Number


@dataclass(frozen=True)
class Scope:
    """The names that a number may use: parameters, kinds of definitions, pattern variables."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    variables: frozenset[str] = frozenset()

    def check(self, atom: str, e: Fraction, where: str) -> None:
        """Refuse an unknown atom, or an exponent that has no meaning for it."""
        if atom in self.variables or self.kinds.get(atom) == "square":
            ok = e.denominator == 1 and abs(e) <= MAX_POWER
            rule = f"an integer of size at most {MAX_POWER}"
        elif atom in self.parameters:
            assumption = self.parameters[atom]
            invertible = 0 not in ASSUMPTIONS[assumption]
            ok = (e.denominator == 1 or assumption == "positive") and (e > 0 or invertible)
            rule = f"one that is meaningful for a {assumption} parameter"
        elif _PRIME.fullmatch(atom):
            ok = 0 < e < 1 and _is_prime(int(atom))
            rule = "in (0, 1), on a prime"
        else:
            ok = self._is_positive_atom(atom)
            rule = "on a declared name, a prime, pi, log(prime) or exp(monomial)"
        if not ok:
            raise CertificateError(
                f"{where}: expected an exponent {rule}; got {_show(atom)} to the power {e}"
            )

    def _is_positive_atom(self, atom: str) -> bool:
        if atom == "pi" or self.kinds.get(atom) == "equals":
            return True
        if match := _LOGARITHM.fullmatch(atom):
            return _is_prime(int(match[1]))
        if match := _EXPONENTIAL.fullmatch(atom):
            return all(
                word in ("pi", "log") or word in self.parameters or self.kinds.get(word) == "equals"
                for word in _WORD.findall(match[1])
            )
        return False


@lru_cache(maxsize=4096)
def _is_prime(n: int) -> bool:
    """Miller-Rabin with the first thirteen primes as bases: a proof for n < MAX_PRIME."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    if n < 2 or n >= MAX_PRIME:
        return False
    if any(n % p == 0 for p in bases):
        return n in bases
    r = (n - 1 & 1 - n).bit_length() - 1
    d = n - 1 >> r
    for base in bases:
        x = pow(base, d, n)
        if x in (1, n - 1):
            continue
        if not any((x := x * x % n) == n - 1 for _ in range(r - 1)):
            return False
    return True


# --- arithmetic, zero test, signs --------------------------------------------------------------


class Algebra:
    """Arithmetic of numbers under one set of declarations, with a budget of work.

    ``order`` lists the definitions so that each comes before those its value mentions.
    """

    def __init__(
        self,
        parameters: Mapping[str, str],
        definitions: Mapping[str, Definition],
        order: Sequence[str],
    ) -> None:
        self.parameters = parameters
        self.definitions = definitions
        self.order = order
        self.work = 0

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
                    factor, monomial = _join(left, right)
                    value = c * d if factor is None else c * d * factor
                    previous = total.get(monomial)
                    if previous is None:
                        self.spend(1 + (_bits(c) * _bits(d) >> 14))
                        total[monomial] = value
                    else:
                        self.spend(1 + (_bits(c) * _bits(d) + _bits(previous) * _bits(value) >> 14))
                        total[monomial] = previous + value
        return _number(total)

    def add(self, *numbers: Number) -> Number:
        """The sum."""
        return self.dot((number, ONE) for number in numbers)

    def complex_dot(self, pairs: Iterable[tuple[Complex, Complex]]) -> Complex:
        """Σ a·b over the pairs (a, b), with i² = −1."""
        real: list[tuple[Number, Number]] = []
        imaginary: list[tuple[Number, Number]] = []
        for a, b in pairs:
            real += [(a.re, b.re), (-a.im, b.im)]
            imaginary += [(a.re, b.im), (a.im, b.re)]
        return Complex(self.dot(real), self.dot(imaginary))

    def power(self, base: Number, exponent: int) -> Number:
        """base^exponent; a negative exponent needs a base of one term."""
        if exponent < 0:
            ((monomial, c),) = base.terms
            factor, inverse = _monomial({atom: -e for atom, e in monomial})
            base, exponent = Number(((inverse, factor / c),)), -exponent
        result = ONE
        while exponent:
            if exponent & 1:
                result = self.dot([(result, base)])
            exponent >>= 1
            if exponent:
                base = self.dot([(base, base)])
        return result

    def substitute(self, number: Number, values: Mapping[str, Number]) -> Number:
        """The number with every variable replaced by its value."""
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
        """Whether the number vanishes by the rules of this ring (then it is zero)."""
        if not number or self.definitions.keys().isdisjoint(number.atoms()):
            return not number
        for name in self.order:
            number = self._eliminate(number, name)
        return not number

    def is_zero_complex(self, value: Complex) -> bool:
        """Whether both parts vanish."""
        return self.is_zero(value.re) and self.is_zero(value.im)

    def _eliminate(self, number: Number, name: str) -> Number:
        """A multiple of the number by a power of the (non-zero) value v of a definition.

        f^e = v^⌊e⌋·f^(e−⌊e⌋), and r^e = v^⌊e/2⌋·r^(e−2⌊e/2⌋); the lowest power of v is cleared.
        """
        if name not in number.atoms():
            return number
        definition = self.definitions[name]
        step = 2 if definition.kind == "square" else 1
        groups: dict[int, list[tuple[Monomial, Fraction]]] = {}
        for monomial, c in number.terms:
            e = dict(monomial).get(name, Fraction(0))
            whole = floor(e / step)
            rest = e - step * whole
            kept = tuple((a, rest if a == name else x) for a, x in monomial if a != name or rest)
            groups.setdefault(whole, []).append((kept, c))
        result = ZERO
        for whole in range(max(groups), min(groups) - 1, -1):  # Horner's rule in v
            self.spend(1)
            group = Number(tuple(sorted(groups.get(whole, ()))))
            result = self.dot([(result, definition.value), (group, ONE)])
        return result

    # signs

    def is_real(self, number: Number) -> bool:
        """Whether the number is known to be real; only r with r² = v can be imaginary."""
        for monomial, _ in number.terms:
            for atom, e in monomial:
                definition = self.definitions.get(atom)
                if definition is None or definition.kind == "equals":
                    continue
                if not self.is_real(definition.value):
                    return False
                if e % 2 and self.sign(definition.value) != POSITIVE:
                    return False
        return True

    def sign(self, number: Number) -> Signs:
        """A set of signs that certainly contains the sign of the number, as small as is known."""
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
        return self._enclosed_sign(number)

    def _monomial_sign(self, monomial: Monomial, c: Fraction) -> Signs:
        result = POSITIVE if c > 0 else NEGATIVE
        for atom, e in monomial:
            definition = self.definitions.get(atom)
            if definition is not None and definition.kind == "square":
                whole, odd = divmod(e, 2)
                signs = NONZERO if odd else _sign_power(self.sign(definition.value) - {0}, whole)
            elif atom in self.parameters:
                signs = _sign_power(ASSUMPTIONS[self.parameters[atom]], e)
            else:
                signs = POSITIVE
            result = frozenset(x * y for x in result for y in signs)
        return result

    def _enclosed_sign(self, number: Number) -> Signs:
        for bits in PRECISIONS:
            interval = self.enclose(number, bits)
            if interval is None:
                return ANY_SIGN
            if interval[0] > 0:
                return POSITIVE
            if interval[1] < 0:
                return NEGATIVE
        return ANY_SIGN

    def enclose(self, number: Number, bits: int) -> Interval | None:
        """An enclosure of a constant; None where an atom has no enclosure."""
        low = high = 0
        for monomial, c in number.terms:
            part: Interval = (1 << bits, 1 << bits)
            for atom, e in monomial:
                self.spend(bits)
                base = self._enclose_atom(atom, bits)
                power = _enclosed_power(base, e, bits) if base and base[0] > 0 else None
                if power is None:
                    return None
                part = _product(part, power, bits)
            ends = sorted((part[0] * c.numerator, part[1] * c.numerator))
            self.spend(1 + (part[1].bit_length() * _bits(c) >> 14))
            low += ends[0] // c.denominator
            high -= -ends[1] // c.denominator
        return low, high

    def _enclose_atom(self, atom: str, bits: int) -> Interval | None:
        if atom[0].isdigit():
            return int(atom) << bits, int(atom) << bits
        if atom == "pi":
            return _pi(bits)
        if match := _LOGARITHM.fullmatch(atom):
            return _log(int(match[1]), bits)
        definition = self.definitions.get(atom)
        if definition is not None and definition.kind == "equals":
            return self.enclose(definition.value, bits)
        return None

    def mentions_parameter(self, number: Number) -> bool:
        """Whether the number depends on a parameter, through definitions and exp(...) too."""
        for atom in number.atoms():
            if atom in self.definitions:
                if self.mentions_parameter(self.definitions[atom].value):
                    return True
            elif not self.parameters.keys().isdisjoint(_WORD.findall(atom)):
                return True
        return False

    def independent(self, numbers: Iterable[Number]) -> bool:
        """Whether distinct forms over these atoms are known to be distinct numbers.

        True for radicals of primes and free parameters with one transcendental constant among
        π and log p, or with any of these entering linearly (Baker).
        """
        seen: set[str] = set()
        linear = True
        for number in numbers:
            for monomial, _ in number.terms:
                names = [(a, e) for a, e in monomial if not (a[0].isdigit() or self._is_free(a))]
                if any(a != "pi" and not _LOGARITHM.fullmatch(a) for a, _ in names):
                    return False
                linear = linear and len(names) <= 1 and all(e == 1 for _, e in names)
                seen.update(a for a, _ in names)
        return linear or len(seen) <= 1

    def _is_free(self, atom: str) -> bool:
        return (
            atom not in self.definitions and _IDENTIFIER.fullmatch(atom) and atom != "pi" or False
        )


def _sign_power(signs: Signs, e: Fraction | int) -> Signs:
    """Signs of x^e for x with one of the signs (fractional powers occur for positive x only)."""
    return signs if e % 2 else frozenset(s * s for s in signs)


# --- exponential polynomials and matrices ------------------------------------------------------

# Exponents live in a table of their block; (k, index) names the function t^k·exp(table[index]·t).
ExpPoly = Mapping[tuple[int, int], Complex]
NumberMatrix = tuple[tuple[Number, ...], ...]
Functions = tuple[tuple[ExpPoly, ...], ...]


@dataclass(frozen=True)
class Block:
    """A generator X with its stated exponential E(t); ``exponents`` is the table of E."""

    variables: frozenset[str]
    inverted: frozenset[str]  # variables that occur with a negative exponent
    generator: NumberMatrix
    exponential: Functions
    exponents: tuple[Complex, ...]

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.generator)


@dataclass(frozen=True)
class Placed:
    """A pattern at coordinates, its variables replaced by values."""

    pattern: str
    coordinates: tuple[int, ...]
    values: Mapping[str, Number]


@dataclass(frozen=True)
class Basis:
    """X·P = P·J and P·Q = I."""

    matrix: NumberMatrix
    p: NumberMatrix
    q: NumberMatrix


@dataclass(frozen=True)
class Head:
    """The blocks of one head and its basis, if any."""

    blocks: tuple[Placed, ...]
    basis: Basis | None


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
    augmentation: tuple[Augmentation, ...] | None
    claims: tuple[str, ...]
    hypotheses: tuple[str, ...]


class ExponentTable:
    """Distinct exponents in order of appearance; equality is the zero test of the algebra."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.items: list[Complex] = []
        self._index: dict[Complex, int] = {}

    def index(self, exponent: Complex) -> int:
        """The position of the exponent, which is added when new."""
        found = self._index.get(exponent)
        if found is None:
            found = self._search(exponent)
            if found == len(self.items):
                self.items.append(exponent)
            self._index[exponent] = found
        return found

    def _search(self, exponent: Complex) -> int:
        add, zero = self.algebra.add, self.algebra.is_zero
        if self.algebra.definitions:  # otherwise distinct forms stay distinct
            for i, other in enumerate(self.items):
                if zero(add(exponent.re, -other.re)) and zero(add(exponent.im, -other.im)):
                    return i
        return len(self.items)


# --- reading -----------------------------------------------------------------------------------


def _show(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 1000:
        return "a huge integer"
    if isinstance(value, (str, int)):
        return _shorten(ascii(value), 60)
    return type(value).__name__


def _fail(where: str, expected: str, got: object) -> CertificateError:
    return CertificateError(f"{where}: expected {expected}; got {_show(got)}")


def _mapping(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _fail(where, "an object", value)
    return value


def _fields(value: object, where: str, names: Sequence[str]) -> list[object]:
    """The values of exactly the named fields."""
    mapping = _mapping(value, where)
    for name in names:
        if name not in mapping:
            raise CertificateError(f"{where}: field {name!r} is missing")
    if len(mapping) > len(names):
        unknown = min(mapping.keys() - set(names))
        raise CertificateError(f"{where}: unknown field {_show(unknown)}")
    return [mapping[name] for name in names]


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _fail(where, "a list", value)
    return value


def _integer(value: object, where: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _fail(where, f"an integer from {low} to {high}", value)
    return value


def _string(value: object, where: str, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise _fail(where, f"a text of the form {pattern.pattern}", value)
    return value


def _read_rational(value: object, where: str) -> Fraction:
    """A non-zero rational in its canonical spelling."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None or max(map(len, match.groups(""))) > MAX_DIGITS:
        raise _fail(where, f'a rational such as "-7/2" of at most {MAX_DIGITS} digits', value)
    numerator, denominator = int(match[1]), int(match[2] or 1)
    if numerator == 0 or match[2] == "1" or gcd(numerator, denominator) != 1:
        raise _fail(where, "a non-zero rational in lowest terms", value)
    return Fraction(numerator, denominator)


def _read_exponent(value: object, where: str) -> Fraction:
    e = _read_rational(value, where)
    if max(abs(e.numerator), e.denominator) > MAX_EXPONENT:
        raise _fail(where, f"an exponent with parts of at most {MAX_EXPONENT}", value)
    return e


def _read_number(value: object, where: str, scope: Scope) -> Number:
    """Σ c·Π atom^e from ``[["c", {"atom": "e"}], ...]``."""
    total: dict[Monomial, Fraction] = {}
    for term in _list(value, where):
        if not isinstance(term, list) or len(term) != 2:
            raise _fail(where, 'terms ["coefficient", {"atom": "exponent"}]', term)
        exponents = {}
        for atom, text in _mapping(term[1], where).items():
            exponents[atom] = _read_exponent(text, where)
            scope.check(atom, exponents[atom], where)
        monomial = tuple(sorted(exponents.items()))
        if monomial in total:
            raise CertificateError(f"{where}: a monomial is repeated")
        total[monomial] = _read_rational(term[0], where)
    return _number(total)


def _read_complex(value: object, where: str, scope: Scope) -> Complex:
    parts = _list(value, where)
    if len(parts) != 2:
        raise _fail(where, "a pair [re, im]", value)
    return Complex(_read_number(parts[0], where, scope), _read_number(parts[1], where, scope))


def _read_function(value: object, where: str, scope: Scope, table: ExponentTable) -> ExpPoly:
    """Σ c·t^k·exp(l·t) from ``[[c, k, l], ...]``."""
    result: dict[tuple[int, int], Complex] = {}
    for term in _list(value, where):
        if not isinstance(term, list) or len(term) != 3:
            raise _fail(where, "terms [coefficient, k, exponent]", term)
        coefficient = _read_complex(term[0], where, scope)
        if table.algebra.is_zero_complex(coefficient):
            raise CertificateError(f"{where}: a coefficient is 0")
        k = _integer(term[1], where, 0, MAX_POWER)
        key = k, table.index(_read_complex(term[2], where, scope))
        if key in result:
            raise CertificateError(f"{where}: a term with equal (k, exponent) is repeated")
        result[key] = coefficient
    return result


def _read_matrix(
    value: object, where: str, size: int | None, entry: Callable[[object, str], T]
) -> tuple[tuple[T, ...], ...]:
    """A square matrix, as a list of rows."""
    rows = _list(value, where)
    size = len(rows) if size is None else size
    if not 1 <= size <= MAX_DIMENSION or len(rows) != size:
        raise CertificateError(f"{where}: expected {size or 'some'} rows; got {len(rows)}")
    result = []
    for i, row in enumerate(rows):
        items = _list(row, f"{where}[{i}]")
        if len(items) != size:
            raise CertificateError(f"{where}[{i}]: expected {size} entries; got {len(items)}")
        result.append(tuple(entry(item, f"{where}[{i}][{j}]") for j, item in enumerate(items)))
    return tuple(result)


def _read_block(
    generator: object, exponential: object, where: str, scope: Scope, table: ExponentTable
) -> Block:
    def number(value: object, place: str) -> Number:
        return _read_number(value, place, scope)

    def function(value: object, place: str) -> ExpPoly:
        return _read_function(value, place, scope, table)

    x = _read_matrix(generator, f"{where}.generator", None, number)
    e = _read_matrix(exponential, f"{where}.exponential", len(x), function)
    parts = [c for row in e for f in row for c in f.values()] + table.items
    numbers = [n for row in x for n in row] + [n for c in parts for n in (c.re, c.im)]
    inverted = {
        a for n in numbers for m, _ in n.terms for a, e in m if e < 0 and a in scope.variables
    }
    return Block(scope.variables, frozenset(inverted), x, e, tuple(table.items))


def _read_names(value: object, where: str, taken: set[str]) -> list[str]:
    """Identifiers that collide with nothing declared before; ``taken`` grows."""
    names = []
    for item in _list(value, where):
        name = _string(item, where, _IDENTIFIER)
        if name in taken or name in RESERVED:
            raise CertificateError(f"{where}: the name {name!r} is already taken")
        taken.add(name)
        names.append(name)
    return names


def _read_declarations(
    parameters: object, definitions: object, taken: set[str]
) -> tuple[Algebra, Scope, tuple[str, ...]]:
    assumptions: dict[str, str] = {}
    stated = _mapping(parameters, "parameters")
    for name in _read_names(list(stated), "parameters", taken):
        assumption = stated[name]
        if not isinstance(assumption, str) or assumption not in ASSUMPTIONS:
            raise _fail(f"parameters.{name}", f"one of {', '.join(ASSUMPTIONS)}", assumption)
        assumptions[name] = assumption
    stated = _mapping(definitions, "definitions")
    if len(stated) > MAX_DEFINITIONS:
        raise CertificateError(f"definitions: more than {MAX_DEFINITIONS}")
    bodies: dict[str, tuple[str, object]] = {}
    for name in _read_names(list(stated), "definitions", taken):
        body = _mapping(stated[name], f"definitions.{name}")
        if len(body) != 1 or not body.keys() <= {"square", "equals"}:
            raise CertificateError(f"definitions.{name}: expected one of 'square', 'equals'")
        bodies[name] = next(iter(body.items()))
    scope = Scope(assumptions, {name: kind for name, (kind, _) in bodies.items()})
    known = {
        name: Definition(kind, _read_number(value, f"definitions.{name}", scope))
        for name, (kind, value) in bodies.items()
    }
    algebra = Algebra(assumptions, known, _definition_order(known))
    return algebra, scope, _check_definitions(algebra)


def _definition_order(known: Mapping[str, Definition]) -> tuple[str, ...]:
    """Every definition before those that its value mentions; a circle is refused."""
    mentions = {
        name: {
            other
            for atom in definition.value.atoms()
            for other in (_WORD.findall(atom) if atom.startswith("exp(") else [atom])
            if other in known
        }
        for name, definition in known.items()
    }
    done: list[str] = []
    while len(done) < len(known):
        ready = [n for n in known if n not in done and mentions[n] <= set(done)]
        if not ready:
            raise CertificateError("definitions: they refer to each other in a circle")
        done += ready
    return tuple(reversed(done))


def _check_definitions(algebra: Algebra) -> tuple[str, ...]:
    """Hypotheses of the definitions, in words; those that cannot hold are refused."""
    hypotheses = []
    for name in reversed(algebra.order):
        definition = algebra.definitions[name]
        value, square = definition.value, definition.kind == "square"
        needed, word = (NONZERO, "not 0") if square else (POSITIVE, "positive")
        signs = algebra.sign(value)
        if signs <= needed:
            continue
        if not signs & needed or not algebra.mentions_parameter(value):
            raise CertificateError(f"definitions.{name}: its value must be {word}: {value}")
        hypotheses.append(f"{name}{'^2' if square else ''} = {value} is {word}")
    return tuple(hypotheses)


def _read_pattern(
    value: object, where: str, algebra: Algebra, scope: Scope, taken: set[str]
) -> Block:
    names, generator, exponential = _fields(value, where, ("variables", "generator", "exponential"))
    variables = _read_names(names, f"{where}.variables", set(taken))
    inner = Scope(scope.parameters, scope.kinds, frozenset(variables))
    return _read_block(generator, exponential, where, inner, ExponentTable(algebra))


def _read_placed(
    value: object, where: str, patterns: Mapping[str, Block], algebra: Algebra, scope: Scope
) -> Placed:
    name, places, stated = _fields(value, where, ("pattern", "coordinates", "values"))
    if not isinstance(name, str) or name not in patterns:
        raise _fail(f"{where}.pattern", "the name of a pattern", name)
    block = patterns[name]
    coordinates = tuple(
        _integer(c, f"{where}.coordinates", 0, MAX_DIMENSION - 1)
        for c in _list(places, f"{where}.coordinates")
    )
    if len(coordinates) != block.size:
        raise CertificateError(
            f"{where}.coordinates: pattern {name!r} has {block.size} rows, not {len(coordinates)}"
        )
    variables = sorted(block.variables)
    numbers = _fields(stated, f"{where}.values", variables)
    values = {
        variable: _read_number(number, f"{where}.values.{variable}", scope)
        for variable, number in zip(variables, numbers, strict=True)
    }
    for variable in block.inverted:
        if not _is_invertible(values[variable], algebra):
            raise CertificateError(
                f"{where}.values.{variable}: the pattern divides by it, so it must be one term "
                f"that is not 0; got {values[variable]}"
            )
    return Placed(name, coordinates, values)


def _is_invertible(number: Number, algebra: Algebra) -> bool:
    """Whether the number is one term, of atoms that are not 0."""
    return len(number.terms) == 1 and all(
        0 not in ASSUMPTIONS[algebra.parameters[atom]]
        for atom in number.atoms()
        if atom in algebra.parameters
    )


def _read_head(
    value: object,
    where: str,
    dimension: int,
    patterns: Mapping[str, Block],
    algebra: Algebra,
    scope: Scope,
) -> Head:
    stated, basis = _fields(value, where, ("blocks", "basis"))
    blocks = tuple(
        _read_placed(item, f"{where}.blocks[{i}]", patterns, algebra, scope)
        for i, item in enumerate(_list(stated, f"{where}.blocks"))
    )
    if sorted(c for block in blocks for c in block.coordinates) != list(range(dimension)):
        raise CertificateError(
            f"{where}.blocks: the coordinates are not a permutation of 0 .. {dimension - 1}"
        )
    if basis is None:
        return Head(blocks, None)
    names = ("matrix", "P", "Q")
    x, p, q = (
        _read_matrix(
            item, f"{where}.basis.{name}", dimension, lambda v, w: _read_number(v, w, scope)
        )
        for name, item in zip(names, _fields(basis, f"{where}.basis", names), strict=True)
    )
    return Head(blocks, Basis(x, p, q))


def _read_augmentation(value: object, where: str, algebra: Algebra, scope: Scope) -> Augmentation:
    names = ("query", "key", "generator", "exponential", "bias")
    query, key, generator, exponential, bias = _fields(value, where, names)
    table = ExponentTable(algebra)
    stated_bias = _read_function(bias, f"{where}.bias", scope, table)
    block = _read_block(generator, exponential, where, scope, table)
    vectors = []
    for name, vector in (("query", query), ("key", key)):
        place = f"{where}.{name}"
        vectors.append(tuple(_read_number(v, place, scope) for v in _list(vector, place)))
        if len(vectors[-1]) != block.size:
            raise CertificateError(f"{place}: expected {block.size} numbers")
    return Augmentation(vectors[0], vectors[1], block, stated_bias)


_PAIRINGS = {("A(t)^T", "A(-s)"): False, ("A(-t)", "A(-s)"): True}  # is it one map?
_FIELDS = (
    "format", "name", "dimension", "parameters", "definitions", "patterns", "heads", "pairing",
    "augmentation", "claims",
)  # fmt: skip


def _read_certificate(document: dict[str, object]) -> tuple[Certificate, Algebra]:
    content = {name: value for name, value in document.items() if name != "digest"}
    fields = dict(zip(_FIELDS, _fields(content, "document", _FIELDS), strict=True))
    if fields["format"] != FORMAT:
        raise _fail("format", repr(FORMAT), fields["format"])
    _string(fields["name"], "name", _NAME)
    dimension = _integer(fields["dimension"], "dimension", 1, MAX_DIMENSION)
    taken: set[str] = set()
    algebra, scope, hypotheses = _read_declarations(
        fields["parameters"], fields["definitions"], taken
    )
    patterns = {
        _string(name, "patterns", _PATTERN_NAME): _read_pattern(
            value, f"patterns.{name}", algebra, scope, taken
        )
        for name, value in _mapping(fields["patterns"], "patterns").items()
    }
    stated_heads = _list(fields["heads"], "heads")
    if not 1 <= len(stated_heads) <= MAX_HEADS:
        raise CertificateError(f"heads: expected 1 to {MAX_HEADS} heads; got {len(stated_heads)}")
    heads = tuple(
        _read_head(head, f"heads[{h}]", dimension, patterns, algebra, scope)
        for h, head in enumerate(stated_heads)
    )
    unused = patterns.keys() - {block.pattern for head in heads for block in head.blocks}
    if unused:
        raise CertificateError(f"patterns.{min(unused)}: no head uses it")
    query, key = _fields(fields["pairing"], "pairing", ("query", "key"))
    if not isinstance(query, str) or not isinstance(key, str) or (query, key) not in _PAIRINGS:
        raise CertificateError(f"pairing: unknown pair ({_show(query)}, {_show(key)})")
    augmentation = None
    if fields["augmentation"] is not None:
        items = _list(fields["augmentation"], "augmentation")
        if len(items) != len(heads):
            raise CertificateError("augmentation: expected one item per head")
        augmentation = tuple(
            _read_augmentation(item, f"augmentation[{h}]", algebra, scope)
            for h, item in enumerate(items)
        )
    claims = _read_claims(fields["claims"], augmentation is not None)
    certificate = Certificate(
        dimension, patterns, heads, _PAIRINGS[query, key], augmentation, claims, hypotheses
    )
    return certificate, algebra


def _read_claims(value: object, augmented: bool) -> tuple[str, ...]:
    claims: list[str] = []
    for item in _list(value, "claims"):
        if not isinstance(item, str) or item not in _CLAIMS:
            raise _fail("claims", f"one of {', '.join(_CLAIMS)}", item)
        if item in claims:
            raise CertificateError(f"claims: {item!r} is repeated")
        if item == "augmentation" and not augmented:
            raise CertificateError("claims: 'augmentation' is claimed but none is stated")
        claims.append(item)
    return tuple(claims)


# --- deciding ----------------------------------------------------------------------------------


class Decider:
    """Decides the statements of one certificate; every method returns an ``Outcome``."""

    def __init__(self, certificate: Certificate, algebra: Algebra) -> None:
        self.certificate = certificate
        self.algebra = algebra
        self._growth: dict[tuple[object, ...], Outcome] = {}

    def _blocks(self) -> list[tuple[str, Block]]:
        """Every block whose exponential is stated: patterns, then augmentations."""
        found = [(f"patterns.{name}", block) for name, block in self.certificate.patterns.items()]
        for h, item in enumerate(self.certificate.augmentation or ()):
            found.append((f"augmentation[{h}]", item.block))
        return found

    def _zero(self, difference: Number, witnesses: Iterable[Number], place: str) -> Outcome:
        """Proved when the difference vanishes; refuted only when it certainly does not."""
        if self.algebra.is_zero(difference):
            return HOLDS
        certain = self.algebra.independent([difference, *witnesses])
        return Outcome(REFUTED if certain else UNDECIDED, f"{place} differ by {difference}")

    def _zero_function(
        self, parts: Mapping[tuple[int, ...], Complex], exponents: Sequence[Complex], place: str
    ) -> Outcome:
        """Decide Σ parts[key]·(function named by key) = 0; the functions are independent."""
        for key, value in parts.items():
            if self.algebra.is_zero_complex(value):
                continue
            witnesses = [n for c in exponents for n in (c.re, c.im)]
            names = " ".join(
                f"{variable}^{key[2 * i]} e^({exponents[key[2 * i + 1]]}){variable}"
                for i, variable in enumerate("ts"[: len(key) // 2])
            )
            where = f"{place}: coefficients of {_shorten(names)}"
            for part in (value.re, value.im):
                outcome = self._zero(part, witnesses, where)
                if outcome != HOLDS:
                    return outcome
        return HOLDS

    def initial_condition(self) -> Outcome:
        """E(0) = I for every block."""
        return _all(
            self._zero_complex(
                self._total([c for (k, _), c in f.items() if k == 0], negate_one=i == j),
                f"{where}.exponential: E(0) and I at entry ({i}, {j})",
            )
            for where, block in self._blocks()
            for i, row in enumerate(block.exponential)
            for j, f in enumerate(row)
        )

    def _zero_complex(self, value: Complex, place: str) -> Outcome:
        return _all(self._zero(part, (), place) for part in (value.re, value.im))

    def _total(self, values: Sequence[Complex], negate_one: bool = False) -> Complex:
        one = [-ONE] if negate_one else []
        add = self.algebra.add
        return Complex(add(*(c.re for c in values), *one), add(*(c.im for c in values)))

    def derivative(self) -> Outcome:
        """E' = X·E for every block, with (c·t^k·e^{lt})' = c·l·t^k·e^{lt} + c·k·t^{k−1}·e^{lt}."""
        return _all(
            self._zero_function(
                self._derivative_defect(block, i, j),
                block.exponents,
                f"{where}.exponential: E' and X*E at entry ({i}, {j})",
            )
            for where, block in self._blocks()
            for i in range(block.size)
            for j in range(block.size)
        )

    def _derivative_defect(self, block: Block, i: int, j: int) -> dict[tuple[int, ...], Complex]:
        """(E' − X·E)_ij."""
        products = _Products()
        for (k, l), c in block.exponential[i][j].items():
            products.add((k, l), c, block.exponents[l])
            if k:
                products.add((k - 1, l), c, Complex(_rational(k), ZERO))
        for x, row in zip(block.generator[i], block.exponential, strict=True):
            if x:
                for key, c in row[j].items():
                    products.add(key, Complex(-x, ZERO), c)
        return products.sums(self.algebra)

    def homomorphism(self) -> Outcome:
        """E(t)·E(s) = E(t + s) for every pattern."""
        return self._group_law(1)

    def _group_law(self, sign: int) -> Outcome:
        """E(t)·E(σs) = E(t + σs) for every pattern, in two variables, with σ = ±1."""
        return _all(
            self._zero_function(
                self._group_defect(block, i, j, sign),
                block.exponents,
                f"patterns.{name}: E(t)*E({'-' * (sign < 0)}s) and the sum law at ({i}, {j})",
            )
            for name, block in self.certificate.patterns.items()
            for i in range(block.size)
            for j in range(block.size)
        )

    def _group_defect(
        self, block: Block, i: int, j: int, sign: int
    ) -> dict[tuple[int, ...], Complex]:
        """(E(t)·E(σs) − E(t + σs))_ij; key (a, l, b, m) names t^a·e^{lt}·s^b·e^{σms}.

        (t + σs)^k·e^{l(t+σs)} = Σ_b C(k, b)·σ^b·t^{k−b}·e^{lt}·s^b·e^{σls}.
        """
        products = _Products()
        for f, row in zip(block.exponential[i], block.exponential, strict=True):
            for (a, l), c in f.items():
                for (b, m), d in row[j].items():
                    products.add((a, l, b, m), c, d if sign**b > 0 else -d)
        for (k, l), c in block.exponential[i][j].items():
            for b in range(k + 1):
                factor = Complex(_rational(-comb(k, b) * sign**b), ZERO)
                products.add((k - b, l, b, l), c, factor)
        return products.sums(self.algebra)

    def relativity(self) -> Outcome:
        """F(t)ᵀ·G(s) = A(t − s).

        Contragredient pair: A(t)·A(−s), that is E(t)·E(−s) = E(t − s) for every pattern.
        One map: A(−t)ᵀ·A(−s); as A(−t)ᵀ = A(t) for every t exactly when X is skew, both the law
        above and orthogonality are decided.
        """
        law = self._group_law(-1)
        if law == HOLDS and self.certificate.one_map:
            return self.orthogonality()
        return law

    def orthogonality(self) -> Outcome:
        """A(t)ᵀ·A(t) = I for every t, which holds exactly when Xᵀ = −X, per head."""
        skew = {
            name: self._skew(block.generator, {}, "") == HOLDS
            for name, block in self.certificate.patterns.items()
        }
        return _all(
            self._skew(x, values, place)
            for h, head in enumerate(self.certificate.heads)
            for x, values, place in self._generators(h, head, skew)
        )

    def _generators(
        self, h: int, head: Head, skew: Mapping[str, bool]
    ) -> Iterable[tuple[NumberMatrix, Mapping[str, Number], str]]:
        """The matrices of a head that have to be skew; patterns that are skew as such are left."""
        if head.basis is not None:
            yield head.basis.matrix, {}, f"heads[{h}].basis.matrix"
            return
        for i, block in enumerate(head.blocks):
            if not skew[block.pattern]:
                x = self.certificate.patterns[block.pattern].generator
                yield x, block.values, f"heads[{h}].blocks[{i}]"

    def _skew(self, x: NumberMatrix, values: Mapping[str, Number], place: str) -> Outcome:
        return _all(
            self._zero(
                self.algebra.substitute(self.algebra.add(x[i][j], x[j][i]), values),
                (),
                f"{place}: not orthogonal; X and -X^T at entry ({i}, {j})",
            )
            for i in range(len(x))
            for j in range(i + 1)
        )

    def basis(self) -> Outcome:
        """X·P = P·J and P·Q = I for every head with a basis."""
        return _all(
            outcome
            for h, head in enumerate(self.certificate.heads)
            if head.basis is not None
            for outcome in self._basis(head, head.basis, f"heads[{h}].basis")
        )

    def _basis(self, head: Head, basis: Basis, where: str) -> Iterable[Outcome]:
        assembled = self._assemble(head)
        unit = tuple(
            tuple(ONE if i == j else ZERO for j in range(len(basis.p))) for i in range(len(basis.p))
        )
        for left, right, other, name in (
            (basis.matrix, basis.p, self._multiply(basis.p, assembled), "X*P and P*J"),
            (basis.p, basis.q, unit, "P*Q and I"),
        ):
            product = self._multiply(left, right)
            for i, row in enumerate(product):
                for j, entry in enumerate(row):
                    difference = self.algebra.add(entry, -other[i][j])
                    yield self._zero(difference, (), f"{where}: {name} at entry ({i}, {j})")

    def _assemble(self, head: Head) -> NumberMatrix:
        """J: every block's generator at its coordinates."""
        n = self.certificate.dimension
        rows = [[ZERO] * n for _ in range(n)]
        for block in head.blocks:
            x = self.certificate.patterns[block.pattern].generator
            for i, row in zip(block.coordinates, x, strict=True):
                for j, entry in zip(block.coordinates, row, strict=True):
                    rows[i][j] = self.algebra.substitute(entry, block.values)
        return tuple(tuple(row) for row in rows)

    def _multiply(self, a: NumberMatrix, b: NumberMatrix) -> NumberMatrix:
        columns = list(zip(*b, strict=True))
        self.algebra.spend(len(a) ** 2)
        return tuple(
            tuple(
                self.algebra.dot((x, y) for x, y in zip(row, column, strict=True) if x and y)
                for column in columns
            )
            for row in a
        )

    def closed_form(self) -> Outcome:
        """Initial condition, derivative law and bases: A(t) = P·E(t)·Q = exp(tX)."""
        return _all(f() for f in (self.initial_condition, self.derivative, self.basis))

    def bounded_causal(self) -> Outcome:
        """Every term of every block has Re l < 0, or Re l <= 0 with k = 0: bounded for t >= 0."""
        return self._bounded(everywhere=False)

    def bounded_all(self) -> Outcome:
        """Every term of every block has Re l = 0 and k = 0: bounded for all t."""
        return self._bounded(everywhere=True)

    def _bounded(self, everywhere: bool) -> Outcome:
        return _all(
            self._block_growth(placed, everywhere, f"heads[{h}].blocks[{i}]")
            for h, head in enumerate(self.certificate.heads)
            for i, placed in enumerate(head.blocks)
        )

    def _block_growth(self, placed: Placed, everywhere: bool, where: str) -> Outcome:
        key = (everywhere, placed.pattern, *placed.values.items())
        if key not in self._growth:
            self._growth[key] = self._decide_growth(placed, everywhere)
        outcome = self._growth[key]
        return outcome if outcome == HOLDS else Outcome(outcome.status, where + outcome.detail)

    def _decide_growth(self, placed: Placed, everywhere: bool) -> Outcome:
        algebra, block = self.algebra, self.certificate.patterns[placed.pattern]

        def value(c: Complex) -> Complex:
            put = algebra.substitute
            return Complex(put(c.re, placed.values), put(c.im, placed.values))

        table = ExponentTable(algebra)
        moved = [table.index(value(l)) for l in block.exponents]
        for f in (f for row in block.exponential for f in row):
            merged: dict[tuple[int, int], list[Complex]] = {}
            for (k, l), c in f.items():
                merged.setdefault((k, moved[l]), []).append(value(c))
            for (k, l), parts in merged.items():
                status = self._term_growth(k, table.items[l], everywhere)
                if status == PROVED:
                    continue
                total = self._total(parts)
                if algebra.is_zero_complex(total):
                    continue
                forms = [n for c in [*table.items, total] for n in (c.re, c.im)]
                status = status if algebra.independent(forms) else UNDECIDED
                return Outcome(status, f": a term t^{k} exp(l t) with Re l = {table.items[l].re}")
        return HOLDS

    def _term_growth(self, k: int, exponent: Complex, everywhere: bool) -> str:
        """Whether t^k·exp(l·t) stays bounded, if it occurs."""
        algebra = self.algebra
        if not (algebra.is_real(exponent.re) and algebra.is_real(exponent.im)):
            return UNDECIDED  # then the stated real part need not be the real part
        signs = algebra.sign(exponent.re)
        if signs == ZERO_SIGN:
            return PROVED if k == 0 else REFUTED
        if everywhere:
            return REFUTED if 0 not in signs else UNDECIDED
        if signs == NEGATIVE or (signs == NONPOSITIVE and k == 0):
            return PROVED
        return REFUTED if signs == POSITIVE else UNDECIDED

    def augmentation(self) -> Outcome:
        """Σ query_i·E_ij(τ)·key_j = bias(τ) for every head."""
        return _all(
            self._zero_function(
                self._augmentation_defect(item),
                item.block.exponents,
                f"augmentation[{h}]: query*E*key and bias",
            )
            for h, item in enumerate(self.certificate.augmentation or ())
        )

    def _augmentation_defect(self, item: Augmentation) -> dict[tuple[int, ...], Complex]:
        products = _Products()
        for q, row in zip(item.query, item.block.exponential, strict=True):
            for f, k in zip(row, item.key, strict=True):
                weight = self.algebra.dot([(q, k)])
                for key, c in f.items():
                    products.add(key, c, Complex(weight, ZERO))
        for key, c in item.bias.items():
            products.add(key, c, Complex(-ONE, ZERO))
        return products.sums(self.algebra)


class _Products:
    """Collects products of coefficients under the function that they multiply."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[int, ...], list[tuple[Complex, Complex]]] = {}

    def add(self, key: tuple[int, ...], a: Complex, b: Complex) -> None:
        """Add a·b to the coefficient of the function named by the key."""
        self._pairs.setdefault(key, []).append((a, b))

    def sums(self, algebra: Algebra) -> dict[tuple[int, ...], Complex]:
        """The coefficients."""
        return {key: algebra.complex_dot(pairs) for key, pairs in self._pairs.items()}


def _all(outcomes: Iterable[Outcome]) -> Outcome:
    """Refuted if one is refuted, else undecided if one is; stops at the first refutation."""
    result = HOLDS
    for outcome in outcomes:
        if outcome.status == REFUTED:
            return outcome
        if result == HOLDS:
            result = outcome
    return result


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
# The document has no meaning unless these hold, whatever it claims.
_CONSISTENCY: tuple[Callable[[Decider], Outcome], ...] = (
    Decider.closed_form,
    Decider.augmentation,
)


# --- the public functions ----------------------------------------------------------------------


def canonical_digest(document: object) -> str:
    """``"sha256:"`` + SHA-256 of the document without its ``digest`` field, in canonical form.

    Canonical form: UTF-8 JSON, keys sorted, no white space, ``ensure_ascii=False``.
    Raises ``CertificateError`` when the document is not an object that JSON can express.

    >>> canonical_digest({"digest": "ignored"}) == canonical_digest({})
    True
    """
    _measure(document)
    content = {k: v for k, v in _mapping(document, "document").items() if k != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise CertificateError("document: a text is not valid Unicode") from None
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _measure(document: object) -> None:
    """Refuse what is too deep or too large, and every type that a certificate never has."""
    level: list[object] = [document]
    nodes = depth = 0
    while level:
        nodes += len(level)
        depth += 1
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            raise CertificateError("document: nested too deeply, or too large")
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                if not all(isinstance(key, str) for key in value):
                    raise CertificateError("document: a key is not a text")
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, int) and not isinstance(value, bool):
                if abs(value) > MAX_EXPONENT:
                    raise CertificateError("document: an integer is too large")
            elif value is not None and not isinstance(value, str):
                raise _fail("document", "objects, lists, texts, integers and null", value)
            if len(below) > MAX_NODES:
                raise CertificateError("document: too large")
        level = below


def check_certificate(document: object, *, ignore_digest: bool = False) -> CheckResult:
    """Decide a certificate again, from its data alone.

    Accepted exactly when the document is well formed, every exponential satisfies E(0) = I and
    E' = X·E, every basis X·P = P·J and P·Q = I, every augmentation its bias, and each claim is
    proved.  ``ignore_digest`` judges the mathematics alone.  Never raises on any JSON value.

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


def _check_digest(document: dict[str, object]) -> None:
    if "digest" not in document:
        raise CertificateError("digest: the document has none")
    expected = canonical_digest(document)
    if document["digest"] != expected:
        raise CertificateError(f"digest: the document's is {expected}, another one is stated")


def _decide(certificate: Certificate, algebra: Algebra) -> CheckResult:
    decider = Decider(certificate, algebra)
    known: dict[Callable[[Decider], Outcome], Outcome] = {}

    def outcome(decide: Callable[[Decider], Outcome]) -> Outcome:
        if decide not in known:
            try:
                known[decide] = decide(decider)
            except WorkLimitError as error:
                known[decide] = Outcome(UNDECIDED, str(error))
        return known[decide]

    failures = [f"{o.detail} ({o.status})" for o in map(outcome, _CONSISTENCY) if o != HOLDS]
    claims = []
    for claim in certificate.claims:
        decided = outcome(_CLAIMS[claim])
        claims.append((claim, decided.status))
        if decided != HOLDS:
            failures.append(f"claim {claim!r} is {decided.status}: {decided.detail}")
    reason = failures[0] if failures else f"all {len(claims)} claims decided again"
    return CheckResult(not failures, reason, tuple(claims), certificate.hypotheses)


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
        return int(literal) if len(literal) <= 7 else refuse(literal)

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
