"""Exponential polynomials in real form, and families of them of one shape.

A real term is c·u^n·e^{au}·cos(bu) or …·sin(bu). Functions of one shape differ only in c, a and b,
so that a family of them (over heads, and over coordinates) is one array expression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbolic_pe.algebra.complex_scalar import C_ZERO, ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.emit.trees import is_negative, number
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.errors import NotYetCovered

Rows = tuple[tuple[Scalar, ...], ...]
Shape = tuple[int, bool, str]


@dataclass(frozen=True)
class RealTerm:
    """c·u^power·e^{rate·u}·wave(frequency·u), wave one of "", "cos", "sin"."""

    power: int
    rate: Scalar
    frequency: Scalar
    wave: str
    coefficient: Scalar

    @property
    def shape(self) -> Shape:
        """What is the same for every member of a family."""
        return self.power, not self.rate.is_zero(), self.wave


@dataclass(frozen=True)
class TermFamily:
    """One term for every head (row) and member (column)."""

    power: int
    wave: str
    coefficient: Rows
    rate: Rows
    frequency: Rows


def real_terms(f: ExponentialPolynomial) -> list[RealTerm]:
    """The terms of a real function of one variable, sorted by shape."""
    found: list[RealTerm] = []
    pending = dict(f.terms)
    while pending:
        key = next(iter(pending))
        c = pending.pop(key)
        (power,), (exponent,) = key
        if exponent.im.is_zero():
            found.append(RealTerm(power, exponent.re, ZERO, "", _real(c)))
            continue
        mirrored = ComplexScalar(exponent.re, -exponent.im)
        other = pending.pop(key._replace(exponents=(mirrored,)), C_ZERO)
        frequency = exponent.im
        if _negative(frequency):
            frequency, c, other = -frequency, other, c
        difference = c - other
        parts = {"cos": c + other, "sin": ComplexScalar(-difference.im, difference.re)}
        found.extend(
            RealTerm(power, exponent.re, frequency, wave, _real(part))
            for wave, part in parts.items()
            if not part.is_zero()
        )
    return sorted(found, key=lambda term: term.shape)


def _negative(x: Scalar) -> bool:
    return str(x).startswith("-") if x.parameters() else is_negative(number(x))


def _real(c: ComplexScalar) -> Scalar:
    if not c.im.is_zero():
        raise NotYetCovered("an additive bias that is not real")
    return c.re


def family(members: Sequence[Sequence[Sequence[RealTerm]]]) -> tuple[TermFamily, ...]:
    """Join functions of one shape: `members[h][i]` lists the terms of member i for head h."""

    def rows(index: int, field: str) -> Rows:
        return tuple(tuple(getattr(terms[index], field) for terms in row) for row in members)

    first = members[0][0]
    return tuple(
        TermFamily(
            term.power,
            term.wave,
            rows(i, "coefficient"),
            rows(i, "rate"),
            rows(i, "frequency"),
        )
        for i, term in enumerate(first)
    )


def bias_families(augmentations: Sequence[Augmentation]) -> list[TermFamily]:
    """bias(τ) as a sum over families: terms of one shape become the members of one family."""
    heads = [real_terms(a.bias) for a in augmentations]
    shapes = [[t.shape for t in terms] for terms in heads]
    _same(shapes, "biases")
    found: list[TermFamily] = []
    for shape in dict.fromkeys(shapes[0]):
        indices = [i for i, s in enumerate(shapes[0]) if s == shape]
        found.extend(family([[[terms[i]] for i in indices] for terms in heads]))
    return found


@dataclass(frozen=True)
class Coordinates:
    """Added coordinates of one shape: the functions that the query and the key carry there."""

    members: int
    query: tuple[TermFamily, ...]
    key: tuple[TermFamily, ...]


def coordinate_families(augmentations: Sequence[Augmentation]) -> list[Coordinates]:
    """The added coordinates qₐᵀ exp(uY) and exp(−vY)kₐ, grouped by shape.

    Grouping may reorder the coordinates; query and key are reordered alike.
    """
    query = [[real_terms(f) for f in _query_coordinates(a)] for a in augmentations]
    key = [[real_terms(f) for f in _key_coordinates(a)] for a in augmentations]
    shapes = [
        [
            (tuple(t.shape for t in q), tuple(t.shape for t in k))
            for q, k in zip(query_row, key_row, strict=True)
        ]
        for query_row, key_row in zip(query, key, strict=True)
    ]
    _same(shapes, "constant coordinates")
    found: list[Coordinates] = []
    for shape in dict.fromkeys(shapes[0]):
        indices = [i for i, s in enumerate(shapes[0]) if s == shape]
        found.append(
            Coordinates(
                len(indices),
                family([[row[i] for i in indices] for row in query]),
                family([[row[i] for i in indices] for row in key]),
            )
        )
    return found


def _same(shapes: Sequence[object], what: str) -> None:
    if any(s != shapes[0] for s in shapes):
        raise NotYetCovered(f"heads whose {what} differ in form; give them one form")


def _query_coordinates(a: Augmentation) -> list[ExponentialPolynomial]:
    """qₐᵀ exp(uY)."""
    columns = zip(*a.exponential, strict=True)
    return [_combination(a.query, list(column)) for column in columns]


def _key_coordinates(a: Augmentation) -> list[ExponentialPolynomial]:
    """exp(−vY)kₐ."""
    (variable,) = a.exponential[0][0].variables
    return [_combination(a.key, list(row)).compose({variable: -1}) for row in a.exponential]


def _combination(
    weights: Sequence[Scalar], functions: Sequence[ExponentialPolynomial]
) -> ExponentialPolynomial:
    result = ExponentialPolynomial(functions[0].variables, {})
    for weight, f in zip(weights, functions, strict=True):
        if not weight.is_zero():
            result = result + f.scale(weight)
    return result
