"""The roots of an irreducible integer polynomial p in a certified order, never expanded.

Real roots come first, ascending, then one root of each conjugate pair by real part, then imaginary
part. Balls are refined until they separate; where real parts are equal they never do, and equality
is decided. Shift p so that its roots z sum to 0. Twice a real part is z + z̄, a root of

    s(x) = Π_{a<b} (x − z_a − z_b).

  * z + z̄ = 0 makes −z = z̄ a root, so the irreducible p is even, p(x) = q(x²), and as many pairs
    are purely imaginary as q has negative roots.
  * When s, without its factor x^k, has no double root modulo a prime, it has none over Q: the
    other real parts are all different, and refining ends.
  * Otherwise g = s/gcd(s, s′) is monotone on a small enough interval around one of its roots; two
    real parts whose doubles lie in one such interval are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import factorial
from typing import Any

from flint import acb, arb, fmpq, fmpq_poly, fmpz_poly, nmod_poly

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.errors import Undecided
from symbolic_pe.jordan.form import ImplicitEigenvalue

START_BITS = 128
MAX_BITS = 1 << 17
"""Roots whose parts still overlap at this precision are given up, not guessed."""
MAX_WORK = 1 << 26
"""Budget of one isolation of all roots, bits times the square of the degree: a few seconds."""
MAX_TIE_DEGREE = 32
"""Degree up to which the polynomial of sums is computed over Q (its degree is quadratic in it)."""
PRIMES = ((1 << 31) - 1, (1 << 61) - 1, (1 << 62) - 57)


@dataclass(frozen=True)
class _Roots:
    """Enclosures at one precision; `upper` holds the roots above the real axis."""

    real: list[Any]
    upper: list[Any]


def implicit_eigenvalues(factor: fmpq_poly) -> list[ImplicitEigenvalue]:
    """The roots of an irreducible p of degree ≥ 2, numbered, signs of real parts decided.

    >>> [str(r) for r in implicit_eigenvalues(fmpq_poly([1, 0, 0, 0, 1]))]
    ['root(x^4 + 1, 0)', 'root(x^4 + 1, 1)']

    Raises `Undecided` when an order is not decided within the budget.
    """
    polynomial = fmpz_poly(factor.numer())
    centre, shifted = depressed(polynomial)
    neutral = _neutral_pairs(shifted)
    ties: _Ties | None = None
    bits, most = START_BITS, min(MAX_BITS, MAX_WORK // polynomial.degree() ** 2)
    while bits <= most:
        with precision(bits):
            found = _enclose(polynomial)
            central = [arb(centre).overlaps(z.real) for z in found.upper]
            if sum(central) == neutral:
                order = _ordered(found.upper, central, ties.equal if ties else _unknown)
                signs = _signs(found, central, centre)
                if order is not None and signs is not None:
                    return _numbered(polynomial, found, order, signs)
        if ties is None and bits > START_BITS:
            ties = _Ties(centre, shifted)
        bits *= 2
    raise Undecided(
        f"the order of the roots of an irreducible polynomial of degree {polynomial.degree()}: "
        f"parts of two of them agree to {bits // 2} bits"
    )


def _numbered(
    polynomial: fmpz_poly, found: _Roots, order: list[int], signs: dict[int, int]
) -> list[ImplicitEigenvalue]:
    result: list[ImplicitEigenvalue] = []
    for root in sorted(found.real, key=lambda r: _exact_middle(r.real)):
        sign = 1 if root.real > 0 else -1
        result.append(ImplicitEigenvalue(polynomial, len(result), root, sign, False))
    for k in order:
        result.append(ImplicitEigenvalue(polynomial, len(result), found.upper[k], signs[k], True))
    return result


def _enclose(polynomial: fmpz_poly) -> _Roots:
    """Disjoint balls; FLINT marks real roots by an imaginary part that is exactly 0."""
    roots = [acb(root) for root, _ in polynomial.complex_roots()]
    real = [r for r in roots if r.imag == 0]
    upper = [r for r in roots if r.imag != 0 and r.imag > 0]
    return _Roots(real, upper)


def _signs(found: _Roots, central: list[bool], centre: fmpq) -> dict[int, int] | None:
    """Signs of the real parts of the pairs; None when a ball still contains 0."""
    if any(r.real.contains(0) for r in found.real):
        return None
    signs = {}
    for k, root in enumerate(found.upper):
        if central[k]:
            signs[k] = (centre > 0) - (centre < 0)
        elif root.real.contains(0):
            return None
        else:
            signs[k] = 1 if root.real > 0 else -1
    return signs


# -- order of the pairs -----------------------------------------------------------------------


def _ordered(
    upper: list[Any], central: list[bool], equal: Callable[[list[Any]], bool]
) -> list[int] | None:
    """Indices by real part, then imaginary part; None when it is not decided at this precision."""
    by_real = sorted(range(len(upper)), key=lambda k: _exact_middle(upper[k].real))
    clusters: list[list[int]] = []
    for k in by_real:
        if clusters and not upper[clusters[-1][-1]].real < upper[k].real:
            clusters[-1].append(k)
        else:
            clusters.append([k])
    # A ball that reaches over its neighbour could still meet a later one.
    for first, second in pairwise(clusters):
        if not all(upper[a].real < upper[b].real for a in first for b in second):
            return None
    order: list[int] = []
    for cluster in clusters:
        if len(cluster) > 1:
            tied = all(central[k] for k in cluster) or equal([upper[k].real for k in cluster])
            cluster.sort(key=lambda k: _exact_middle(upper[k].imag))
            apart = all(upper[a].imag < upper[b].imag for a, b in pairwise(cluster))
            if not (tied and apart):
                return None
        order.extend(cluster)
    return order


def _unknown(_: list[Any]) -> bool:
    return False


def _exact_middle(x: arb) -> fmpq:
    return x.mid().fmpq()


class _Ties:
    """Decides that real parts are equal, where more precision cannot."""

    def __init__(self, centre: fmpq, shifted: fmpq_poly) -> None:
        self._centre = centre
        self._sums: fmpq_poly | None = None
        if sums_are_distinct(shifted):
            return
        if shifted.degree() > MAX_TIE_DEGREE:
            raise Undecided(
                f"the order of the roots of an irreducible polynomial of degree "
                f"{shifted.degree()} with equal real parts; at most degree {MAX_TIE_DEGREE}"
            )
        sums = polynomial_of_sums(shifted)
        self._sums = sums // sums.gcd(sums.derivative())

    def equal(self, real_parts: list[Any]) -> bool:
        """True when the doubled real parts, about the centre, lie where g is monotone."""
        if self._sums is None:
            return False
        hull = real_parts[0]
        for part in real_parts[1:]:
            hull = hull.union(part)
        slope = arb(0)
        for c in reversed(self._sums.derivative().coeffs()):
            slope = slope * (2 * (hull - arb(self._centre))) + arb(c)
        return not slope.contains(0)


# -- what decides ties ------------------------------------------------------------------------


def depressed(polynomial: fmpz_poly) -> tuple[fmpq, fmpq_poly]:
    """The mean c of the roots, and the monic polynomial of their differences z − c."""
    p = fmpq_poly(polynomial)
    p = p / p.leading_coefficient()
    centre = -p[p.degree() - 1] / p.degree()
    return centre, p(fmpq_poly([centre, 1]))


def _neutral_pairs(shifted: fmpq_poly) -> int:
    """How many pairs are purely imaginary: negative roots of q when p(x) = q(x²)."""
    coefficients = shifted.coeffs()
    if any(c != 0 for c in coefficients[1::2]):
        return 0
    halved = fmpq_poly(coefficients[0::2]).numer()
    return sum(1 for r, _ in halved.complex_roots() if r.imag == 0 and r.real < 0)


def sums_are_distinct(shifted: fmpq_poly) -> bool:
    """True proves that no two of the sums z_a + z_b (a < b) are equal unless both are 0."""
    for prime in PRIMES:
        if shifted.denom() % prime == 0:
            continue
        p = nmod_poly([int(c) for c in shifted.numer().coeffs()], prime)
        sums = _sums_modulo(p / p.leading_coefficient(), prime)
        # Two equal sums over Q would be equal modulo the prime as well.
        if sums.gcd(sums.derivative()).degree() == 0:
            return True
    return False


def polynomial_of_sums(p: fmpq_poly) -> fmpq_poly:
    """s(x) = Π_{a<b} (x − z_a − z_b) for monic p = Π (x − z_a), from sums of powers.

    >>> polynomial_of_sums(fmpq_poly([-6, 11, -6, 1]))  # 1 + 2, 1 + 3, 2 + 3
    x^3 + (-12)*x^2 + 47*x + (-60)

    With P_k = Σ z_a^k and E(y) = Σ P_k·y^k/k!, the sums have (E(y)² − E(2y))/2 in the place of E.
    """
    n = p.degree()
    degree = n * (n - 1) // 2
    powers = _power_sums(p, degree)
    single = fmpq_poly([c / factorial(k) for k, c in enumerate(powers)])
    pairs = (single.mul_low(single, degree + 1) - single(fmpq_poly([0, 2]))) / 2
    sums = [pairs[k] * factorial(k) for k in range(degree + 1)]
    # Newton's identities: k·e_k + Σ_{0<i≤k} S_i·e_{k−i} = 0
    reverse = [fmpq(1)]
    for k in range(1, degree + 1):
        total = sum((sums[i] * reverse[k - i] for i in range(1, k + 1)), fmpq(0))
        reverse.append(-total / k)
    return fmpq_poly(reverse[::-1])


def _power_sums(p: fmpq_poly, last: int) -> list[fmpq]:
    """P_0 … P_last of the roots of monic p, by the recurrence that p gives."""
    n = p.degree()
    powers = [fmpq(n)]
    for k in range(1, last + 1):
        total = sum((p[n - i] * powers[k - i] for i in range(1, min(k, n + 1))), fmpq(0))
        powers.append(-total - (k * p[n - k] if k <= n else 0))
    return powers


def _sums_modulo(p: nmod_poly, prime: int) -> nmod_poly:
    """s modulo a prime above its degree, without its factor x^k."""
    n = p.degree()
    degree = n * (n - 1) // 2
    length = degree + 1
    quotient = (
        p.derivative().reverse(n - 1).mul_low(p.reverse(n).inverse_series_trunc(length), length)
    )
    weights = _inverse_factorials(length, prime)
    powers = [int(quotient[k]) for k in range(length)]
    single = nmod_poly([c * w % prime for c, w in zip(powers, weights, strict=True)], prime)
    double = single(nmod_poly([0, 2], prime))
    pairs = (single.mul_low(single, length) - double) / 2
    logarithm, factor = [0], 1
    for k in range(1, length):
        logarithm.append(-int(pairs[k]) * factor % prime)
        factor = factor * k % prime
    reverse = _exponential_series(nmod_poly(logarithm, prime), length)
    # the degree of the reversed polynomial drops by the number of sums that are 0
    return reverse.reverse(reverse.degree())


def _inverse_factorials(length: int, prime: int) -> list[int]:
    total = 1
    for k in range(1, length):
        total = total * k % prime
    inverse = [pow(total, -1, prime)]
    for k in range(length - 1, 0, -1):
        inverse.append(inverse[-1] * k % prime)
    return inverse[::-1]


def _exponential_series(h: nmod_poly, length: int) -> nmod_poly:
    """exp(h) modulo y^length for h(0) = 0, by Newton's iteration on log g = h."""
    g, reached = nmod_poly([1], h.modulus()), 1
    while reached < length:
        reached = min(2 * reached, length)
        logarithm = g.derivative().mul_low(g.inverse_series_trunc(reached), reached).integral()
        g = g.mul_low(1 + h - logarithm, reached)
    return g
