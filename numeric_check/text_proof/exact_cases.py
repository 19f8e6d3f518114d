"""Exact elements that depend on parameters and differ from cell to cell.

They have the arithmetic of `Exact`, with parameters as symbols, and two things besides: a
comparison answers with the cells where it is true, and `where` keeps both branches. So a text that
branches element by element is executed on all its branches at once. Whatever asks for one answer
(`if`, `max` of several values) still raises `BranchOnValue`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from flint import fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.text_proof.exact_cells import Cell, Pieces, split
from numeric_check.text_proof.exact_element import BranchOnValue, Exact, LeavesTheRing, defers
from numeric_check.text_proof.exact_roots import Parameters
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.functions import exponential, logarithm, power
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import OutsideTheRing

Function = ExponentialPolynomial
INPUT = "x."
"""Begins the names of the symbols of an input: no parameter has such a name."""


class ExactCases(Exact):
    """One exponential polynomial on each cell of a partition."""

    __slots__ = ("known", "pieces")
    __hash__ = None

    def __init__(self, pieces: Pieces[Function], known: Parameters) -> None:
        self.pieces = pieces
        self.known = known

    @classmethod
    def symbol(cls, name: str, known: Parameters) -> ExactCases:
        """A parameter, or a channel of an input."""
        return cls(Pieces.of(Function.constant(Scalar.symbol(name))), known)

    @classmethod
    def variable(cls, name: str, known: Parameters) -> ExactCases:
        """A symbolic position."""
        return cls(Pieces.of(Function.variable(name)), known)

    @property
    def function(self) -> Function:  # type: ignore[override]
        """The function, where it is the same everywhere."""
        if len(self.pieces.pieces) != 1:
            raise BranchOnValue("the text compares values that depend on the position or the input")
        return self.pieces.pieces[0][1]

    def _with(
        self, other: Any, operation: Callable[[Function, Function], Function]
    ) -> ExactCases | Any:
        if defers(other):
            return NotImplemented
        return ExactCases(self.pieces.with_other(pieces_of(other), operation), self.known)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __neg__(self) -> ExactCases:
        return ExactCases(self.pieces.map(lambda f: -f), self.known)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, _product)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, self._quotient)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: self._quotient(b, a))

    def _quotient(self, f: Function, divisor: Function) -> Function:
        constant = Exact(divisor).constant()
        if constant.is_zero():
            raise LeavesTheRing("the text divides by 0")
        if has_input(constant) or not self.known.never_vanishes(constant):
            raise LeavesTheRing(f"the text divides by {constant}, which may be 0")
        return f.scale(constant.inverse())

    def __pow__(self, exponent: Any) -> Any:
        if defers(exponent):
            return NotImplemented
        if isinstance(exponent, ExactCases) and self.known.atoms is not None:
            return self._with(exponent, self.known.atoms.power)
        if isinstance(exponent, (float, np.floating)) and not float(exponent).is_integer():
            return self._each(lambda f: self._fractional_power(f, exact_number(exponent)))
        if isinstance(exponent, (int, np.integer)) and exponent < 0:
            return 1 / self ** -int(exponent)
        return self._each(lambda f: (Exact(f) ** exponent).function)

    def _fractional_power(self, f: Function, exponent: fmpq) -> Function:
        """A positive product of parameters to the dyadic power that the text names."""
        return _of_constant(f, lambda x: power(x, exponent, self.known.assumptions))

    def _each(self, image: Callable[[Function], Function]) -> ExactCases:
        return ExactCases(self.pieces.map(image), self.known)

    def cos(self) -> ExactCases:
        """cos of a linear form in the positions."""
        return self._each(lambda f: _free_of_input(Exact(f).cos().function))

    def sin(self) -> ExactCases:
        """sin of a linear form in the positions."""
        return self._each(lambda f: _free_of_input(Exact(f).sin().function))

    def exp(self) -> ExactCases:
        """exp of a linear form in the positions plus a function of the parameters."""
        return self._each(_exponential)

    def log(self) -> ExactCases:
        """ln of a positive product of parameters, or of anything where such are followed."""
        if self.known.atoms is not None:
            return self._each(self.known.atoms.log)
        return self._each(lambda f: _of_constant(f, lambda x: logarithm(x, self.known.assumptions)))

    def log1p(self) -> ExactCases:
        """ln(1 + f)."""
        found: ExactCases = (self + 1).log()
        return found

    def __abs__(self) -> ExactCases:
        def turned(cell: Cell, f: Function) -> Pieces[Function]:
            return _positive(f, closed=True).map(lambda positive: f if positive else -f)

        return ExactCases(self.pieces.bound(turned), self.known)

    def whole_values(self) -> Pieces[int]:
        """The integer that this is on every cell. Raises `LeavesTheRing` where it is none."""
        return self.pieces.map(lambda f: whole(Exact(f)))

    def sqrt(self) -> ExactCases:
        """√ of what is known to be nonnegative on its cell."""

        def root(cell: Cell, f: Function) -> Pieces[Function]:
            value = _of_constant(f, lambda x: self.known.root(x, cell))
            return Pieces(((cell, value),))

        return ExactCases(self.pieces.bound(root), self.known)

    def _compared(self, other: Any, sign: int, *, closed: bool) -> Any:
        """sign·(self − other) > 0, or ≥ 0."""
        if defers(other):
            return NotImplemented
        difference = self - other if sign > 0 else other - self
        return Truth(difference.pieces.bound(lambda _, f: _positive(f, closed=closed)), self.known)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, 1, closed=False)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, 1, closed=True)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, -1, closed=False)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, -1, closed=True)

    def __repr__(self) -> str:
        shown = "; ".join(f"{f} where {cell}" for cell, f in self.pieces.pieces)
        return f"ExactCases({shown})"


@dataclass(frozen=True, eq=False)
class Truth:
    """True on some cells, false on the others: what a comparison answers."""

    pieces: Pieces[bool]
    known: Parameters

    def __or__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a or b)

    __ror__ = __or__

    def __and__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a and b)

    __rand__ = __and__

    def __invert__(self) -> Truth:
        return Truth(self.pieces.map(lambda a: not a), self.known)

    def _with(self, other: Any, operation: Callable[[bool, bool], bool]) -> Any:
        if defers(other):
            return NotImplemented
        right = other.pieces if isinstance(other, Truth) else Pieces.of(bool(other))
        return Truth(self.pieces.with_other(right, operation), self.known)

    @property
    def number(self) -> ExactCases:
        """1 where it is true, 0 where it is not."""
        one, zero = (Function.constant(Scalar.rational(x)) for x in (1, 0))
        return ExactCases(self.pieces.map(lambda true: one if true else zero), self.known)

    def __add__(self, other: Any) -> Any:
        return self.number + (other.number if isinstance(other, Truth) else other)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        return self.number * (other.number if isinstance(other, Truth) else other)

    __rmul__ = __mul__

    def __bool__(self) -> NoReturn:
        raise BranchOnValue("the text compares values that depend on the position or the input")


def whole(x: Exact) -> int:
    """The integer that a constant is. Raises `LeavesTheRing` for anything else."""
    value = x.constant()
    if not value.is_rational() or value.rational_value().q != 1:
        raise LeavesTheRing(f"the text turns {x.function} into an integer")
    return int(value.rational_value().p)


def pieces_of(value: Any) -> Pieces[Function]:
    """The cases of any element or number."""
    if isinstance(value, Truth):
        return value.number.pieces
    if isinstance(value, ExactCases):
        return value.pieces
    return Pieces.of(Exact.of(value).function)


def has_input(x: Scalar) -> bool:
    """Whether a symbol of an input occurs."""
    return any(name.startswith(INPUT) for name in x.symbols())


def _product(a: Function, b: Function) -> Function:
    if not a.terms:
        return a
    return a * b if b.terms else b


def _positive(f: Function, *, closed: bool) -> Pieces[bool]:
    """Where f > 0, for a polynomial in positions and parameters."""
    for key, c in f.terms.items():
        if has_input(c.re) or not c.im.is_zero() or not all(e.is_zero() for e in key.exponents):
            raise BranchOnValue(f"the text compares {f} with a number")
    return split(f, fmpq(0), closed=closed)


def _of_constant(f: Function, image: Callable[[Scalar], Scalar]) -> Function:
    constant = Exact(f).constant()
    if has_input(constant):
        raise LeavesTheRing("the text takes a root or logarithm of the input")
    try:
        return Function.constant(image(constant))
    except OutsideTheRing as error:
        raise LeavesTheRing(f"the text computes {error}") from None


def _exponential(f: Function) -> Function:
    """exp of a linear form plus a constant."""
    constant: dict[Term, ComplexScalar] = {}
    linear: dict[Term, ComplexScalar] = {}
    for key, c in f.terms.items():
        plain = not any(key.powers) and all(e.is_zero() for e in key.exponents)
        (constant if plain else linear)[key] = c
    wave = _free_of_input(Exact(Function(f.variables, linear)).exp().function)
    if not constant:
        return wave
    factor = _of_constant(Function(f.variables, constant), exponential)
    return wave.scale(Exact(factor).constant())


def _free_of_input(f: Function) -> Function:
    for key in f.terms:
        if any(has_input(part) for e in key.exponents for part in (e.re, e.im)):
            raise LeavesTheRing("the text takes cos, sin or exp of the input")
    return f


__all__ = ["INPUT", "ExactCases", "Truth", "has_input", "pieces_of", "whole"]
