"""Ring elements that stand in for numbers while an emitted text runs.

NumPy applies cos, sin, exp to an object array by calling the method of that name on each element,
and arithmetic by the operators, so a kernel runs on these elements unchanged. Numbers that the text
contains enter as the exact dyadic rationals they are. A comparison with a value that depends on a
position or the input has no answer here: a text that branches on one raises `BranchOnValue`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from flint import fmpq

from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial, Term
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar
from symbolic_pe.errors import KernelError, OutsideTheRing

WHOLE = "floor"
"""Begins the name of a variable that is an integer."""


class BranchOnValue(KernelError):
    """The text asks whether a value is larger, zero or true."""


class LeavesTheRing(KernelError):
    """The text applies an operation that exact elements do not have."""


class Modular:
    """A number that is known up to multiples of a period (see `exact_phase`)."""

    __slots__ = ()


def defers(other: object) -> bool:
    """Whether arithmetic with it is its own: arrays, tensors, and numbers modulo a period."""
    tensor = getattr(type(other), "__array_ufunc__", ...) is None  # as NumPy is told
    return tensor or isinstance(other, (np.ndarray, Modular))


class Exact:
    """An exponential polynomial in the positions, with arithmetic against ordinary numbers."""

    __slots__ = ("function",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, function: ExponentialPolynomial) -> None:
        self.function = function

    @classmethod
    def of(cls, value: Any) -> Exact:
        """A number as an exact constant. Raises `LeavesTheRing` for NaN and infinities."""
        if isinstance(value, Exact):
            return value
        try:
            fraction = Fraction(value.item() if isinstance(value, np.generic) else value)
        except (TypeError, ValueError, OverflowError):
            raise LeavesTheRing(f"the text computes with {value!r}, which is no number") from None
        scalar = Scalar.rational(fmpq(fraction.numerator, fraction.denominator))
        return cls(ExponentialPolynomial.constant(scalar))

    @classmethod
    def position(cls, name: str) -> Exact:
        """A symbolic position."""
        return cls(ExponentialPolynomial.variable(name))

    def __add__(self, other: Any) -> Exact:
        if defers(other):
            return NotImplemented
        return Exact(self.function + Exact.of(other).function)

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return Exact(-self.function)

    def __pos__(self) -> Exact:
        return self

    def __sub__(self, other: Any) -> Exact:
        if defers(other):
            return NotImplemented
        return Exact(self.function - Exact.of(other).function)

    def __rsub__(self, other: Any) -> Exact:
        if defers(other):
            return NotImplemented
        return Exact(Exact.of(other).function - self.function)

    def __mul__(self, other: Any) -> Exact:
        if defers(other):
            return NotImplemented
        right = Exact.of(other)
        if not self.function.terms:
            return self
        if not right.function.terms:
            return right
        return Exact(self.function * right.function)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Exact:
        if defers(other):
            return NotImplemented
        divisor = Exact.of(other).constant()
        if divisor.is_zero():
            raise LeavesTheRing("the text divides by 0")
        return Exact(self.function.scale(divisor.inverse()))

    def __rtruediv__(self, other: Any) -> Exact:
        if defers(other):
            return NotImplemented
        return Exact.of(other) / self

    def __pow__(self, exponent: Any) -> Exact:
        if defers(exponent):
            return NotImplemented
        if not isinstance(exponent, (int, np.integer)) or exponent < 0 or exponent > 64:
            raise LeavesTheRing(f"the text raises to the power {exponent!r}")
        result = Exact.of(1)
        for _ in range(int(exponent)):
            result = result * self
        return result

    def constant(self) -> Scalar:
        """The value of a constant function."""
        total = ZERO
        for key, c in self.function.terms.items():
            if any(key.powers) or not all(e.is_zero() for e in key.exponents) or c.im.terms:
                raise LeavesTheRing("the text divides by, or roots, what depends on a position")
            total = total + c.re
        return total

    def _linear(self, name: str) -> dict[str, Scalar]:
        """Coefficients of a linear form in the positions, as cos, sin and exp need it."""
        found: dict[str, Scalar] = {}
        for key, c in self.function.terms.items():
            if sum(key.powers) != 1 or not all(e.is_zero() for e in key.exponents) or c.im.terms:
                raise LeavesTheRing(
                    f"the text takes {name} of {self.function}, no linear form in the positions"
                )
            found[self.function.variables[key.powers.index(1)]] = c.re
        return found

    def __floor__(self) -> Exact:
        """⌊u⌋ of a linear form: a variable of its own, an integer."""
        self._linear("the whole part")
        return Exact(ExponentialPolynomial.variable(f"{WHOLE}({self.function})"))

    def is_whole(self) -> bool:
        """Whether this is a sum of whole parts with integer coefficients."""
        return all(
            name.startswith(WHOLE) and c.is_rational() and c.rational_value().q == 1
            for name, c in self._linear("an integer").items()
        )

    def cos(self) -> Exact:
        """cos of a linear form."""
        return _of_angle(self._linear("cos"), cosine=True)

    def sin(self) -> Exact:
        """sin of a linear form."""
        return _of_angle(self._linear("sin"), cosine=False)

    def exp(self) -> Exact:
        """exp of a linear form."""
        variables, term = _wave(self._linear("exp"), imaginary=False)
        return Exact(ExponentialPolynomial(variables, {term: ComplexScalar(ONE)}))

    def sqrt(self) -> Exact:
        """√ of a nonnegative number."""
        try:
            return Exact(ExponentialPolynomial.constant(square_root(self.constant())))
        except OutsideTheRing as error:
            raise LeavesTheRing(f"the text computes {error}") from None

    def log(self) -> Exact:
        """No logarithm of a number is kept: it would be no dyadic number."""
        raise LeavesTheRing("the text takes a logarithm of what is no parameter")

    def conjugate(self) -> Exact:
        """Real elements are their own conjugates (matrix products ask)."""
        return self

    def _compare(self, _: object) -> NoReturn:
        raise BranchOnValue("the text compares values that depend on the position or the input")

    def _sign(self, other: Any) -> int:
        """Sign of self − other, where both are numbers of the text."""
        terms = (self - other).function.terms
        if not terms:
            return 0
        for key, c in terms.items():
            constant = not any(key.powers) and all(e.is_zero() for e in key.exponents)
            if constant and len(terms) == 1 and c.im.is_zero() and c.re.is_rational():
                return 1 if c.re.rational_value() > 0 else -1
        self._compare(other)

    def __lt__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign(other) < 0

    def __le__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign(other) <= 0

    def __gt__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign(other) > 0

    def __ge__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign(other) >= 0

    def __eq__(self, other: object) -> bool:
        self._compare(other)

    def __ne__(self, other: object) -> bool:
        self._compare(other)

    def __bool__(self) -> bool:  # noqa: PLE0304 - it never answers
        self._compare(None)

    def __float__(self) -> float:
        raise LeavesTheRing("the text turns a symbolic value into a number")

    def __repr__(self) -> str:
        return f"Exact({self.function})"


def _wave(form: dict[str, Scalar], *, imaginary: bool) -> tuple[tuple[str, ...], Term]:
    """exp(Σ bᵢxᵢ), or exp(i·Σ bᵢxᵢ), as one term."""
    variables = tuple(form) or ("t",)
    rates = tuple(form.get(v, ZERO) for v in variables)
    exponents = tuple(ComplexScalar(ZERO, b) if imaginary else ComplexScalar(b) for b in rates)
    return variables, Term((0,) * len(variables), exponents)


def _of_angle(form: dict[str, Scalar], *, cosine: bool) -> Exact:
    """cos α = (e^{iα} + e^{−iα})/2 and sin α = (e^{iα} − e^{−iα})/(2i) of a linear form α."""
    variables, up = _wave(form, imaginary=True)
    _, down = _wave({v: -b for v, b in form.items()}, imaginary=True)
    if cosine:
        plus = minus = ComplexScalar(HALF)
    else:
        plus, minus = ComplexScalar(ZERO, -HALF), ComplexScalar(ZERO, HALF)
    terms = {up: plus}
    terms[down] = terms[down] + minus if down in terms else minus
    return Exact(ExponentialPolynomial(variables, terms))
