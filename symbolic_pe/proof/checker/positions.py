"""What certificates of several axes, of maps and of steps state, and how it is decided.

A function raises `CertificateError` unless the statement in its first line is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import comb
from typing import Any

from symbolic_pe.proof.checker.encoding import (
    Matrix,
    Statement,
    commutator,
    equation,
    not_zero,
    nothing,
    polynomial,
    some_not_zero,
    total,
    unit,
    vanishes,
)
from symbolic_pe.proof.checker.form import CLAIMS
from symbolic_pe.proof.checker.numbers import ONE, ZERO, Field, atoms, negative, require, whole

MAX_MULTIPLIER = 512


def axes(numbers: Field, document: Mapping[str, Any]) -> Statement:
    """A(p) = exp(Σ pᵢXᵢ) is a homomorphism exactly when the Xᵢ commute (differentiate at 0).

    Of maps it is stated that their products in order compose, by associativity, and that they
    commute or do not.
    """
    matrices = document[document["kind"]]
    require(len(matrices) > 0, "axes, maps: expected at least one")

    def commute() -> None:
        """XᵢXⱼ = XⱼXᵢ for all i, j."""
        for (i, x), (j, y) in combinations(enumerate(matrices), 2):
            where = f"{document['kind']} {i} and {j} do not commute"
            vanishes(numbers, commutator(numbers, x, y), where)

    def entry(point: Field, _: str, witness: Any) -> None:
        """An entry of XᵢXⱼ − XⱼXᵢ is not 0."""
        i, j = witness["first"], witness["second"]
        require(max(i, j) < len(matrices), "there is no such axis or map")
        not_zero(point, commutator(point, matrices[i], matrices[j]), witness)

    claims: dict[str, Callable[[], None]] = dict.fromkeys(CLAIMS[document["kind"]], commute)
    claims |= dict.fromkeys(("initial-condition", "composition"), nothing)
    return Statement(nothing, claims, {"entry": entry})


def step(numbers: Field, document: Mapping[str, Any]) -> Statement:
    """A(n) = Bⁿ; a stated inverse is one, and a stated logarithm exists."""
    b, inverse, logarithm = document["step"], document["inverse"], document["logarithm"]
    one = unit(document["dimension"])

    def evidence() -> None:
        """B·C = I for the inverse C, and what `_logarithm_exists` says."""
        if inverse is not None:
            vanishes(numbers, total(numbers, (1, b, inverse), (-1, one, one)), "inverse: BC = I")
        if logarithm is not None:
            require(inverse is not None, "inverse: exp(X) has one")
            _logarithm_exists(numbers, b, logarithm)

    def null(point: Field, _: str, witness: Any) -> None:
        """Bv = 0 for a v that is not 0: B has no inverse, as every exp(X) has."""
        some_not_zero(point, witness["vector"])
        equation(point, b, witness["vector"], ZERO, [ZERO] * len(one))

    def odd(point: Field, _: str, witness: Any) -> None:
        """A negative eigenvalue has an odd number of Jordan blocks of one size (Culver)."""
        k = witness["size"]
        require(witness["eigenvalue"] < 0 < k <= len(one), "no negative eigenvalue, or no size")
        shift = unit(len(one), whole(witness["eigenvalue"]))
        shifted = total(point, (1, b, one), (-1, shift, one))
        require(not any(atoms(x) for row in shifted for x in row.values()), "B is not rational")
        power, ranks = one, []
        for _i in range(k + 2):
            ranks.append(rank({j: x[0][1] for j, x in row.items()} for row in power))
            power = total(point, (1, power, shifted))
        blocks = ranks[k - 1] - 2 * ranks[k] + ranks[k + 1]
        require(blocks % 2 == 1, f"there are {blocks} blocks of size {k}")

    claims: dict[str, Callable[[], None]] = {
        "initial-condition": nothing,
        "homomorphism": nothing,
        "inverses": partial(require, inverse is not None, "none is stated"),
        "generator": partial(require, logarithm is not None, "no logarithm is stated"),
    }
    return Statement(evidence, claims, {"null-vector": null, "odd-blocks": odd})


def _logarithm_exists(numbers: Field, b: Matrix, logarithm: Mapping[str, Any]) -> None:
    """KB = BK, K³ = −K, and p(B)(I + K²) = 0 for a polynomial p without zeros on (−∞, 0].

    I + K² and −K² are projections with the sum I that commute with B. Where the first is the
    identity, B has no eigenvalue in (−∞, 0], and a real logarithm. Where the second is, K² = −1, so
    that B is a complex matrix; it is invertible and has a complex logarithm: a real matrix.
    p has no zero at x <= 0 when the signs of the coefficients of (1 − x)^N·p(x) alternate.
    """
    k, one = logarithm["turn"], unit(len(b))
    vanishes(numbers, commutator(numbers, k, b), "logarithm.turn: KB = BK")
    square = total(numbers, (1, k, k))
    vanishes(numbers, total(numbers, (1, square, k), (1, k, one)), "logarithm.turn: K^3 = -K")
    value = polynomial(numbers, logarithm["annihilator"], b)
    rest = total(numbers, (1, value, one), (1, value, square))
    vanishes(numbers, rest, "logarithm.annihilator: p(B)(I + K^2) = 0")
    p, n = (*logarithm["annihilator"], ONE), logarithm["multiplier"]
    require(n <= MAX_MULTIPLIER, "logarithm.multiplier: too large")
    for degree in range(len(p) + n):
        powers = range(max(0, degree - n), min(degree + 1, len(p)))
        c = numbers.dot([(p[j], whole((-1) ** j * comb(n, degree - j))) for j in powers])
        signs = numbers.sign(c if len(p) % 2 else negative(c))
        require(signs == {1}, f"logarithm.annihilator: the sign of coefficient {degree}")


def rank(rows: Iterable[Mapping[int, Fraction]]) -> int:
    """The rank of a rational matrix, by elimination."""
    found: dict[int, Mapping[int, Fraction]] = {}  # pivot column -> row that starts there with 1
    for given in rows:
        row = dict(given)
        while row:
            pivot = min(row)
            first = row[pivot]
            if pivot not in found:
                found[pivot] = {j: x / first for j, x in row.items()}
                break
            for j, x in found[pivot].items():
                row[j] = row.get(j, Fraction(0)) - first * x
            row = {j: x for j, x in row.items() if x}
    return len(found)
