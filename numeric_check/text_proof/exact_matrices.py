"""Matrices of exact functions and of rationals, by the places of entries that are not 0."""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq, fmpq_mat

from numeric_check.text_proof.exact_input import Refuted
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar

Function = ExponentialPolynomial
Place = tuple[int, int]
Matrix = Mapping[Place, Function]
Constants = Mapping[Place, fmpq]


def at_zero(matrix: Matrix) -> Constants:
    """The values at 0, which are rational."""
    values = {place: f.at_zero().re.rational_value() for place, f in matrix.items()}
    return {place: x for place, x in values.items() if x != 0}


def derivative(matrix: Matrix, variable: str) -> Matrix:
    """Entry by entry."""
    return {place: f.derivative(variable) for place, f in matrix.items()}


def transposed(matrix: Matrix) -> Matrix:
    """Rows and columns exchanged."""
    return {(j, i): f for (i, j), f in matrix.items()}


def times(matrix: Matrix, x: Constants) -> Matrix:
    """F·X for a rational X."""
    rows: dict[int, list[tuple[int, Scalar]]] = {}
    for (k, j), c in x.items():
        rows.setdefault(k, []).append((j, Scalar.rational(c)))
    found: dict[Place, Function] = {}
    for (i, k), f in matrix.items():
        for j, c in rows.get(k, ()):
            part = f.scale(c)
            found[i, j] = found[i, j] + part if (i, j) in found else part
    return found


def inverse(x: Constants, size: int) -> Constants | None:
    """X⁻¹; None where there is none."""
    dense = _dense(x, size)
    return None if dense.det() == 0 else _sparse(dense.inv())


def product(a: Constants, b: Constants, size: int) -> Constants:
    """A·B."""
    return _sparse(_dense(a, size) * _dense(b, size))


def _dense(x: Constants, size: int) -> fmpq_mat:
    dense = fmpq_mat(size, size)
    for place, c in x.items():
        dense[place] = c
    return dense


def _sparse(x: fmpq_mat) -> Constants:
    entries = ((i, j, x[i, j]) for i in range(x.nrows()) for j in range(x.ncols()))
    return {(i, j): c for i, j, c in entries if c != 0}


def is_identity(x: Constants, size: int) -> bool:
    """Whether X = I."""
    return x == {(i, i): 1 for i in range(size)}


def equal(a: Matrix, b: Matrix, law: str) -> None:
    """Decide a = b entry by entry; raises `Refuted` naming the law and the place."""
    for place in sorted({*a, *b}):
        f, g = a.get(place), b.get(place)
        difference = f - g if f is not None and g is not None else f if f is not None else g
        if difference is not None and not difference.vanishes():
            raise Refuted(f"{law} fails at row {place[0]}, column {place[1]}: {f} against {g}")


__all__ = [
    "Constants",
    "Matrix",
    "at_zero",
    "derivative",
    "equal",
    "inverse",
    "is_identity",
    "product",
    "times",
    "transposed",
]
