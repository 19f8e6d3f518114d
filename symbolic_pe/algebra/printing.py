"""Exponential polynomials in real form: t^n·exp(a·t)·cos(b·t), t^n·exp(a·t)·sin(b·t)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symbolic_pe.algebra.complex_scalar import C_ZERO, ComplexScalar
from symbolic_pe.algebra.rational_function import grouped
from symbolic_pe.algebra.scalar import ONE, Scalar

if TYPE_CHECKING:
    from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial

TWO = Scalar.rational(2)


def real_form(f: ExponentialPolynomial) -> str:
    """Text of f in the input grammar, conjugate terms joined into cosines and sines."""
    pieces: list[str] = []
    pending = dict(f.terms)
    while pending:
        key = next(iter(pending))
        c = pending.pop(key)
        growth = linear_form(f.variables, [e.re for e in key.exponents])
        powers = [
            name if power == 1 else f"{name}^{power}"
            for name, power in zip(f.variables, key.powers, strict=True)
            if power
        ]
        if growth:
            powers.append(f"exp({growth})")
        frequencies = [e.im for e in key.exponents]
        if all(b.is_zero() for b in frequencies):
            pieces.extend(_parts(c, powers))
            continue
        conjugate = key._replace(exponents=tuple(ComplexScalar(e.re, -e.im) for e in key.exponents))
        other = pending.pop(conjugate, C_ZERO)
        if _prints_negative(next(b for b in frequencies if not b.is_zero())):
            frequencies = [-b for b in frequencies]
            c, other = other, c
        angle = linear_form(f.variables, frequencies)
        difference = c - other
        pieces.extend(_parts(c + other, [*powers, f"cos({angle})"]))
        pieces.extend(
            _parts(ComplexScalar(-difference.im, difference.re), [*powers, f"sin({angle})"])
        )
    return _joined(pieces)


def linear_form(variables: tuple[str, ...], coefficients: list[Scalar]) -> str:
    """Σ cᵢxᵢ as text; empty for 0."""
    return _joined(
        [
            times(c, [name])
            for name, c in zip(variables, coefficients, strict=True)
            if not c.is_zero()
        ],
        empty="",
    )


def times(coefficient: Scalar, factors: list[str]) -> str:
    """c·x·y as text, grouping a sum and leaving out a 1."""
    if not factors:
        return str(coefficient)
    product = "*".join(factors)
    if coefficient == ONE:
        return product
    if coefficient == -ONE:
        return f"-{product}"
    return f"{grouped(str(coefficient), '+-')}*{product}"


def _parts(c: ComplexScalar, factors: list[str]) -> list[str]:
    pieces = []
    if not c.re.is_zero():
        pieces.append(times(c.re, factors))
    if not c.im.is_zero():
        pieces.append(times(c.im, ["I", *factors]))
    return pieces


def _prints_negative(x: Scalar) -> bool:
    return str(x).startswith("-")


def _joined(pieces: list[str], empty: str = "0") -> str:
    if not pieces:
        return empty
    text = pieces[0]
    for piece in pieces[1:]:
        text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
    return text


def assignments(values: Mapping[str, object]) -> str:
    """`a = 1, b = 2`."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())
