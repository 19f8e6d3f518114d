"""Arithmetic of upper bounds: nonnegative floats rounded upwards, and polynomials of them.

Every function returns a number that is at least the exact result for the arguments as given, so a
chain of them stays an upper bound. A polynomial Σ c_p·|u|^p is the tuple (c₀, c₁, …).
"""

from __future__ import annotations

import math
from itertools import zip_longest

from flint import arb, fmpq

from numeric_check.rounding.coefficient import Coefficient
from symbolic_pe.errors import Undecided

Polynomial = tuple[float, ...]
NOTHING: Polynomial = ()


def up(x: float) -> float:
    """The next float, so that one rounding to nearest is covered; 0 stays 0."""
    return math.nextafter(x, math.inf) if x else 0.0


def plus(a: float, b: float) -> float:
    """a + b rounded upwards."""
    return up(a + b) if a and b else a or b


def times(a: float, b: float) -> float:
    """a·b rounded upwards; 0·∞ = 0, since 0 is an exact zero here."""
    if not a or not b:
        return 0.0
    return up(a * b) or math.ulp(0.0)


def above(x: fmpq | arb | Coefficient) -> float:
    """A float that is at least |x|. Raises `Undecided` for a ball without a finite bound."""
    if isinstance(x, fmpq):
        return _above_ratio(abs(int(x.p)), int(x.q))
    if isinstance(x, Coefficient):
        x = x.ball()
    largest = abs(x).upper()
    if not largest.is_finite():
        raise Undecided(f"expected a number with a finite bound, got the ball {x}")
    return up(up(abs(float(largest))))


def below(x: fmpq | Coefficient) -> float:
    """A float that is at most |x|, wherever the parameters lie."""
    if isinstance(x, Coefficient):
        return max(0.0, down(down(float(abs(x.ball()).lower()))))
    return down(down(above(x)))  # two steps below the upper bound pass the rounded quotient


def down(x: float) -> float:
    """The float before, at least 0."""
    return math.nextafter(x, 0.0)


def _above_ratio(numerator: int, denominator: int) -> float:
    try:
        return up(numerator / denominator) if numerator else 0.0
    except OverflowError:
        return math.inf


def add(p: Polynomial, q: Polynomial) -> Polynomial:
    """p + q."""
    return tuple(plus(a, b) for a, b in zip_longest(p, q, fillvalue=0.0))


def scale(p: Polynomial, c: float) -> Polynomial:
    """c·p."""
    return tuple(times(a, c) for a in p) if c else NOTHING


def shift(p: Polynomial, power: int) -> Polynomial:
    """p·|u|^power."""
    return (0.0,) * power + p if p else NOTHING


def product(p: Polynomial, q: Polynomial) -> Polynomial:
    """p·q."""
    total: Polynomial = NOTHING
    for k, c in enumerate(p):
        total = add(total, shift(scale(q, c), k))
    return total


def largest(p: Polynomial, q: Polynomial) -> Polynomial:
    """Coefficient by coefficient the larger one, which is above both."""
    return tuple(max(a, b) for a, b in zip_longest(p, q, fillvalue=0.0))


def value(p: Polynomial, u: float) -> float:
    """p at |u|."""
    total = 0.0
    for c in reversed(p):
        total = plus(times(total, u), c)
    return total


def power(x: float, n: int) -> float:
    """xⁿ."""
    total = 1.0
    for _ in range(n):
        total = times(total, x)
    return total


def exponential(x: float) -> float:
    """eˣ; ∞ beyond the range. The library's exp is trusted to two units in the last place."""
    try:
        return up(up(up(math.exp(x))))
    except OverflowError:
        return math.inf


def exponential_minus_one(p: Polynomial, reach: float) -> Polynomial:
    """A polynomial above e^p − 1 for |u| ≤ reach: p·(e^s − 1)/s with s = p(reach)."""
    s = value(p, reach)
    if not s:
        return NOTHING
    try:
        factor = up(up(up(math.expm1(s))) / s)
    except OverflowError:
        factor = math.inf
    return scale(p, max(1.0, factor))


def folded(p: Polynomial, reach: float) -> Polynomial:
    """A polynomial above p for |u| ≤ reach, without the higher powers that hardly count.

    c·|u|^k ≤ (c·reach^{k−j})·|u|^j with j ≥ 1, taken for the largest j whose coefficient it changes
    by less than a 64th.
    """
    found = list(p)
    for k in range(len(p) - 1, 1, -1):
        for j in range(k - 1, 0, -1):
            lifted = times(found[k], power(reach, k - j))
            if lifted * 64.0 <= found[j]:
                found[j], found[k] = plus(found[j], lifted), 0.0
                break
    while found and not found[-1]:
        found.pop()
    return tuple(found)
