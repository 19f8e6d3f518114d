"""Rational relations among frequencies, exactly.

Normal forms of numbers are sums over distinct radicals and symbols, which are linearly independent
over Q. So the frequencies are vectors over Q, the dimension of their span is a rank, and two are
proportional when their vectors are. By Kronecker and Weyl the phases (mθ_1, …, mθ_P) fill a torus
of as many dimensions as frequencies and 2π together have over Q, less one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import Undecided

Coordinates = dict[tuple[str, str], fmpq]


@dataclass(frozen=True)
class Relations:
    """What holds over Q between the frequencies θ_1 … θ_P.

    dimension  of their span over Q; P when they are independent
    classes    indices of frequencies that are rational multiples of one another
    period     p and q with θ_{k+p} = q·θ_k for every k, p as small as possible
    """

    count: int
    dimension: int
    classes: tuple[tuple[int, ...], ...]
    period: tuple[int, fmpq] | None


def rational_relations(frequencies: Sequence[Scalar]) -> Relations:
    """Dimension over Q, classes and period of numbers without parameters.

    >>> from symbolic_pe.algebra.functions import power
    >>> ten = Scalar.rational(10)
    >>> found = rational_relations([power(ten, fmpq(-k, 2)) for k in range(4)])
    >>> found.dimension, found.classes, found.period
    (2, ((0, 2), (1, 3)), (2, 1/10))

    Raises `Undecided` for numbers whose relations no theorem decides.
    """
    vectors = [coordinates(x) for x in frequencies]
    keys = sorted({key for vector in vectors for key in vector})
    place = {key: i for i, key in enumerate(keys)}
    matrix = fmpq_mat(len(vectors), max(1, len(keys)))
    for i, vector in enumerate(vectors):
        for key, value in vector.items():
            matrix[i, place[key]] = value
    classes: list[list[int]] = []
    for index, vector in enumerate(vectors):
        for known in classes:
            if _ratio(vectors[known[0]], vector) is not None:
                known.append(index)
                break
        else:
            classes.append([index])
    return Relations(
        len(vectors), matrix.rank(), tuple(tuple(c) for c in classes), _period(vectors)
    )


def coordinates(x: Scalar) -> Coordinates:
    """Coefficients over the independent products of radicals and symbols."""
    found: Coordinates = {}
    for radical, coefficient in x.terms.items():
        name = "*".join(f"{atom.text}^({exponent})" for atom, exponent in radical)
        if coefficient.is_constant():
            found[name, ""] = coefficient.constant()
            continue
        if not coefficient.split()[1].is_constant() or radical:
            raise Undecided(f"rational relations of {x}")
        for monomial, value in coefficient.numerator_terms():
            if sum(monomial.values()) > 1:
                raise Undecided(f"rational relations of {x}")
            symbol = next(iter(monomial), "")
            found[name, symbol] = value
    return found


def _ratio(first: Coordinates, second: Coordinates) -> fmpq | None:
    """q with second = q·first, or None."""
    if first.keys() != second.keys() or not first:
        return None
    ratios = {second[key] / first[key] for key in first}
    return ratios.pop() if len(ratios) == 1 else None


def _period(vectors: Sequence[Coordinates]) -> tuple[int, fmpq] | None:
    for p in range(1, len(vectors) // 2 + 1):
        ratio = _ratio(vectors[0], vectors[p])
        if ratio is not None and all(
            _ratio(vectors[k], vectors[k + p]) == ratio for k in range(len(vectors) - p)
        ):
            return p, ratio
    return None
