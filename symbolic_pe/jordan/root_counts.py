"""How many roots of a squarefree real polynomial are real, in pairs, left, neutral or right.

For p = x^d + c_{d−1}x^{d−1} + … + c_0 with coefficients in Q(parameters), squarefree and with
c_0 ≠ 0, five exact facts fix the counts, and each is a sign of a polynomial in the coefficients:

    Newton's sums N_k = Σ λ^k:   signature of (N_{i+j})    = number of real roots        (Hermite)
                                 signature of (N_{i+j+1})  = positive − negative real roots
    u + iωv = p(iω), y = ω²:     signatures of the Hankel matrices of v/u (or u/v) in 1/y give
                                 roots with Re < 0 minus roots with Re > 0            (Hurwitz)
    sign of c_0                  = (−1)^(number of positive roots)
    signs of c_k                 Descartes' rule; all ≥ 0 when no root has Re > 0

A signature is read from leading principal minors; where some vanish, Frobenius' rule for Hankel
matrices applies. Not every sign is needed: outcomes that contradict what is known are struck out,
and the sign asked for next is the one that strikes out most.

Source: Gantmacher, The Theory of Matrices, vol. 2, ch. XV; Basu, Pollack, Roy, Algorithms in Real
Algebraic Geometry, ch. 9.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from symbolic_pe.algebra.rational_function import ZERO, RationalFunction
from symbolic_pe.jordan.cell_algebra import determinant

MAX_COMPLETIONS = 729


@dataclass(frozen=True)
class RootCounts:
    """Distinct roots by kind: real ones by sign, conjugate pairs by the sign of the real part."""

    negative: int
    positive: int
    left: int
    neutral: int
    right: int

    @property
    def real(self) -> int:
        """Number of real roots."""
        return self.negative + self.positive

    @property
    def pairs(self) -> int:
        """Number of conjugate pairs."""
        return self.left + self.neutral + self.right

    def __add__(self, other: RootCounts) -> RootCounts:
        return RootCounts(
            self.negative + other.negative,
            self.positive + other.positive,
            self.left + other.left,
            self.neutral + other.neutral,
            self.right + other.right,
        )

    def signs(self) -> Iterator[tuple[bool, int]]:
        """(is a pair, sign of the real part), in the order in which roots are numbered."""
        yield from ((False, -1) for _ in range(self.negative))
        yield from ((False, 1) for _ in range(self.positive))
        for count, sign in ((self.left, -1), (self.neutral, 0), (self.right, 1)):
            yield from ((True, sign) for _ in range(count))


SignSet = frozenset[int]
Signs = Callable[[RationalFunction], SignSet]
"""The signs that an irreducible factor may have."""


@dataclass(frozen=True)
class SignOf:
    """An element as a constant sign times powers of irreducible factors."""

    constant: int
    factors: tuple[tuple[RationalFunction, int], ...]

    @classmethod
    def of(cls, element: RationalFunction) -> SignOf:
        """Factor an element."""
        if element.is_zero():
            return cls(0, ())
        constant, factors = element.factors()
        return cls(1 if constant > 0 else -1, tuple(factors))

    def values(self, known: Signs) -> SignSet:
        """The signs that the element may have."""
        result: SignSet = frozenset((self.constant,))
        for factor, exponent in self.factors:
            signs = known(factor)
            if exponent % 2 == 0:
                signs = frozenset(s * s for s in signs)
            result = frozenset(a * b for a in result for b in signs)
        return result

    def vanishes(self, known: Signs) -> bool:
        """True when the element is known to be 0."""
        return self.values(known) == {0}


class RootTests:
    """The tests of one polynomial, computed when they are first needed.

    `coefficients` from degree 0 up, monic. `kind` restricts the outcomes: "symmetric" (all roots
    real), "skew" (all roots imaginary) or "" (no restriction).
    """

    def __init__(self, coefficients: Sequence[RationalFunction], kind: str = ""):
        self.coefficients = tuple(coefficients)
        self.degree = len(coefficients) - 1
        self.kind = kind

    # -- the tests ----------------------------------------------------------------------------

    @cached_property
    def coefficient_signs(self) -> tuple[SignOf, ...]:
        """Signs of c_0 … c_d."""
        return tuple(SignOf.of(c) for c in self.coefficients)

    @cached_property
    def newton_sums(self) -> tuple[RationalFunction, ...]:
        """N_0 … N_{2d−1}, by Newton's identities."""
        d, c = self.degree, self.coefficients
        sums = [RationalFunction(d)]
        for k in range(1, 2 * d):
            total = -c[d - k] * RationalFunction(k) if k <= d else ZERO
            for j in range(1, min(k - 1, d) + 1):
                total = total - c[d - j] * sums[k - j]
            if k > d:
                total = total - c[0] * sums[k - d] if k - d > 0 and k - 1 < d else total
            sums.append(total)
        return tuple(sums)

    @cached_property
    def real_minors(self) -> tuple[SignOf, ...]:
        """Leading minors of (N_{i+j}); the last is the discriminant."""
        return _minors(self.newton_sums, self.degree, 0)

    @cached_property
    def signed_minors(self) -> tuple[SignOf, ...]:
        """Leading minors of (N_{i+j+1})."""
        return _minors(self.newton_sums, self.degree, 1)

    @cached_property
    def stability_minors(self) -> tuple[tuple[SignOf, ...], tuple[SignOf, ...]]:
        """Leading minors of the two Hankel matrices of p(iω)."""
        even = [c if i % 2 == 0 else -c for i, c in enumerate(self.coefficients[0::2])]
        odd = [c if i % 2 == 0 else -c for i, c in enumerate(self.coefficients[1::2])]
        if self.degree % 2 == 0:
            top, bottom, sizes = odd, even, (self.degree // 2, self.degree // 2)
        else:
            top, bottom, sizes = even, odd, (self.degree // 2 + 1, self.degree // 2)
        series = _series(top, bottom, self.degree % 2 == 0, 2 * max(sizes))
        return _minors(series, sizes[0], 0), _minors(series, sizes[1], 1)

    # -- outcomes -----------------------------------------------------------------------------

    def outcomes(self, known: Signs) -> list[RootCounts]:
        """The counts that no known sign contradicts."""
        signs = self._signs(known)
        found = [o for o in self._all() if _allowed_by_coefficients(o, signs)]
        if len(found) > 1:
            numbers = _signatures(self.real_minors, known)
            parity = self.real_minors[-1].values(known)
            found = [
                o
                for o in found
                if (-1) ** o.pairs in parity and (numbers is None or o.real in numbers)
            ]
        if len({(o.positive, o.negative) for o in found}) > 1:
            numbers = _signatures(self.signed_minors, known)
            found = [o for o in found if numbers is None or o.positive - o.negative in numbers]
        if len(found) > 1:
            found = self._allowed_by_stability(found, known)
        return found

    def _signs(self, known: Signs) -> tuple[SignSet, ...]:
        return tuple(s.values(known) for s in self.coefficient_signs)

    def _all(self) -> Iterator[RootCounts]:
        d = self.degree
        for pairs in range(d // 2 + 1):
            real = d - 2 * pairs
            if (self.kind == "symmetric" and pairs) or (self.kind == "skew" and real):
                continue
            for positive in range(real + 1):
                for right in range(pairs + 1):
                    for neutral in range(pairs - right + 1):
                        if self.kind == "skew" and neutral < pairs:
                            continue
                        yield RootCounts(
                            real - positive, positive, pairs - right - neutral, neutral, right
                        )

    def _allowed_by_stability(self, found: list[RootCounts], known: Signs) -> list[RootCounts]:
        """Keep what the index of p on the imaginary axis allows; counts with multiplicity."""
        if all(0 not in minors[-1].values(known) for minors in self.stability_minors if minors):
            found = [o for o in found if o.neutral == 0]
        numbers = [_signatures(minors, known) for minors in self.stability_minors]
        if numbers[0] is None or numbers[1] is None:
            return found
        orientation = -1 if self.degree % 2 == 0 else 1
        possible = {orientation * (a + b) for a in numbers[0] for b in numbers[1]}
        return [
            o
            for o in found
            if o.neutral or (o.negative + 2 * o.left) - (o.positive + 2 * o.right) in possible
        ]

    def allows(self, parts: Sequence[tuple[RootCounts, int]], known: Signs) -> bool:
        """Whether this polynomial may be Π g^k with these counts for each squarefree g."""
        total = RootCounts(0, 0, 0, 0, 0)
        distinct = RootCounts(0, 0, 0, 0, 0)
        for counts, multiplicity in parts:
            distinct = distinct + counts
            for _ in range(multiplicity):
                total = total + counts
        if not _allowed_by_coefficients(total, self._signs(known)):
            return False
        roots = distinct.real + 2 * distinct.pairs
        numbers = _signatures(self.real_minors[:roots], known)
        if numbers is not None and distinct.real not in numbers:
            return False
        numbers = _signatures(self.signed_minors[:roots], known)
        if numbers is not None and distinct.positive - distinct.negative not in numbers:
            return False
        if any(0 in minors[-1].values(known) for minors in self.stability_minors if minors):
            return True
        return bool(self._allowed_by_stability([total], known))

    def tests(self, *, stability: bool = True) -> Iterator[SignOf]:
        """Every test, cheapest first; those about real parts of pairs only on demand."""
        yield from self.coefficient_signs
        yield from self.real_minors[::-1]
        yield from self.signed_minors
        for minors in self.stability_minors if stability else ():
            yield from minors


def _allowed_by_coefficients(o: RootCounts, signs: Sequence[SignSet]) -> bool:
    """Sign of the product of the roots, Descartes' rule, and positivity for stable polynomials."""
    if (-1) ** o.positive not in signs[0]:
        return False
    degree = len(signs) - 1
    mirrored = [
        s if (degree - k) % 2 == 0 else frozenset(-x for x in s) for k, s in enumerate(signs)
    ]
    stable = {0, 1} if o.neutral else {1}
    for sequence, count, right in (
        (signs, o.positive, o.positive + o.right),
        (mirrored, o.negative, o.negative + o.left),
    ):
        low, high = _variations(sequence)
        if count > high or (o.pairs == 0 and count < low):
            return False
        if right == 0 and not all(s & stable for s in sequence):
            return False
    return True


@dataclass(frozen=True)
class Question:
    """The factor to split on next, and the sign that its value 0 may be merged with (or 0)."""

    factor: RationalFunction
    merged: int


def next_question(
    tests: Iterable[SignOf], known: Signs, outcomes: Callable[[Signs], Collection[Any]]
) -> Question | None:
    """The factor whose sign strikes out most outcomes; None when none is left to ask."""
    everything = len(outcomes(known))
    best: tuple[int, int, str] | None = None
    chosen: Question | None = None
    seen: set[str] = set()
    for factor in (f for test in tests for f, _ in test.factors):
        text = str(factor)
        options = known(factor)
        if text in seen or len(options) == 1:
            continue
        seen.add(text)
        left = {s: outcomes(_assuming(known, text, frozenset((s,)))) for s in options}
        count = sum(len(left[s]) for s in options if s)
        if count == everything * len(options - {0}):
            count *= 2  # alone it decides nothing: only when all others do no better
        score = (count, len(text), text)
        if best is None or score < best:
            merged = next(
                (s for s in (-1, 1) if len(options) == 3 and set(left[0]) <= set(left[s])), 0
            )
            best, chosen = score, Question(factor, merged)
    return chosen


def _assuming(known: Signs, text: str, signs: SignSet) -> Signs:
    return lambda factor: signs if str(factor) == text else known(factor)


def _variations(signs: Sequence[SignSet]) -> tuple[int, int]:
    """Fewest and most sign changes over all possible signs, zeros left out."""
    ranges: dict[int, tuple[int, int]] = {}
    for options in signs:
        following = dict(ranges) if 0 in options else {}
        for s in options - {0}:
            reached = [(low + (p != s), high + (p != s)) for p, (low, high) in ranges.items()]
            if not ranges:
                reached.append((0, 0))
            if s in following:
                reached.append(following[s])
            following[s] = (min(r[0] for r in reached), max(r[1] for r in reached))
        ranges = following
    return min(r[0] for r in ranges.values()), max(r[1] for r in ranges.values())


def _signatures(minors: Sequence[SignOf], known: Signs) -> set[int] | None:
    """Possible signatures of a regular Hankel matrix; None when too many minors are unknown."""
    options = [minor.values(known) for minor in minors]
    total = 1
    for option in options:
        total *= len(option)
    if total > MAX_COMPLETIONS or (options and options[-1] == {0}):
        return None
    return {signature(signs) for signs in product(*options) if not signs or signs[-1] != 0}


def signature(signs: Sequence[int]) -> int:
    """Signature of a Hankel matrix from the signs of its leading minors, the last not 0.

    Σ over neighbouring non-zero minors D_k, D_l (D_0 = 1): 0 when l − k is even, otherwise
    (−1)^{(l−k)(l−k−1)/2}·sign(D_k D_l).

    >>> signature([1, -1, 1]), signature([0, -1])
    (-1, 0)
    """
    total, last, position = 0, 1, 0
    for k, sign in enumerate(signs, start=1):
        if sign == 0:
            continue
        gap = k - position
        if gap % 2:
            total += (-1) ** (gap * (gap - 1) // 2) * sign * last
        last, position = sign, k
    return total


def _minors(series: Sequence[RationalFunction], size: int, shift: int) -> tuple[SignOf, ...]:
    return tuple(
        SignOf.of(determinant([[series[i + j + shift] for j in range(k)] for i in range(k)]))
        for k in range(1, size + 1)
    )


def _series(
    top: Sequence[RationalFunction],
    bottom: Sequence[RationalFunction],
    proper: bool,
    count: int,
) -> list[RationalFunction]:
    """σ_0, σ_1, … with top/bottom = Σ σ_j y^{−j} (times 1/y when proper).

    `bottom` has degree m and leading coefficient ±1; `top` has degree m − 1 when proper, else m.
    """
    m = len(bottom) - 1
    lead = bottom[m]
    shift = 1 if proper else 0
    result: list[RationalFunction] = []
    for j in range(count):
        index = m - j - shift
        total = top[index] if 0 <= index < len(top) else ZERO
        for k in range(1, min(j, m) + 1):
            total = total - bottom[m - k] * result[j - k]
        result.append(total * lead)
    return result
