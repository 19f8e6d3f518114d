"""The door to SymPy: expressions come in exactly and go out exactly. SymPy decides nothing here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.functions import (
    exponential,
    hyperbolic_cosine,
    hyperbolic_sine,
    logarithm,
    power,
)
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.algebra.symbols import (
    exponential_argument,
    is_exponential,
    is_logarithm,
    logarithm_argument,
)
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.generator import Generator, check_square

if TYPE_CHECKING:
    from types import ModuleType


def from_sympy(matrix: Any, parameters: Mapping[str, str] | None = None) -> Generator:
    """A generator from a SymPy matrix.

    Free symbols become parameters; what SymPy assumes of them (positive, negative, nonnegative,
    nonzero, real) is taken over unless `parameters` says otherwise.

    Raises `SpecificationError` for floats, complex entries and functions outside the grammar.
    """
    import sympy

    declared = dict(parameters or {})
    for symbol in sorted(matrix.free_symbols, key=str):
        declared.setdefault(str(symbol), _assumption(symbol))
    assumptions = Assumptions.declare(declared)
    rows = matrix.tolist()
    check_square([len(row) for row in rows])
    entries = tuple(tuple(_scalar(x, assumptions, sympy) for x in row) for row in rows)
    return Generator(len(entries), None, entries, assumptions)


def _assumption(symbol: Any) -> str:
    for name in ("positive", "negative", "nonnegative", "nonpositive", "nonzero"):
        if getattr(symbol, f"is_{name}"):
            return name
    return "real"


def _scalar(x: Any, assumptions: Assumptions, sympy: ModuleType) -> Scalar:
    if x.is_Rational:
        return Scalar.rational(fmpq(int(x.p), int(x.q)))
    if x.is_Symbol:
        return Scalar.symbol(str(x))
    if x == sympy.pi:
        return Scalar.symbol("pi")
    if x == sympy.E:
        return exponential(ONE)
    if x.is_Add:
        total = ZERO
        for part in x.args:
            total = total + _scalar(part, assumptions, sympy)
        return total
    if x.is_Mul:
        product = ONE
        for part in x.args:
            product = product * _scalar(part, assumptions, sympy)
        return product
    if x.is_Pow and x.exp.is_Rational and x.base != sympy.E:
        exponent = fmpq(int(x.exp.p), int(x.exp.q))
        base = _scalar(x.base, assumptions, sympy)
        if exponent < 0 and not assumptions.never_vanishes(base):
            raise SpecificationError(
                f"division by {base}, which may be 0 for admissible parameters; give the symbols "
                "assumptions (nonzero, positive) so that it is not"
            )
        return power(base, exponent, assumptions)
    functions = {
        sympy.exp: exponential,
        sympy.cosh: hyperbolic_cosine,
        sympy.sinh: hyperbolic_sine,
    }
    if x.func in functions:
        return functions[x.func](_scalar(x.args[0], assumptions, sympy))
    if x.func == sympy.log:
        return logarithm(_scalar(x.args[0], assumptions, sympy), assumptions)
    raise SpecificationError(
        f"expected exact real numbers built with + - * / powers, exp, log, cosh, sinh and symbols, "
        f"got {x} ({type(x).__name__})"
    )


def to_sympy(value: Any) -> Any:
    """A scalar, exponential polynomial, generator or matrix of either, as SymPy objects.

    Parameters become real symbols of the same name, `t` and `s` real symbols.
    """
    import sympy

    if isinstance(value, Generator):
        return sympy.Matrix([[_from_scalar(x, sympy) for x in row] for row in value.matrix])
    if isinstance(value, Scalar):
        return _from_scalar(value, sympy)
    if isinstance(value, ExponentialPolynomial):
        return _from_function(value, sympy)
    if isinstance(value, tuple):
        return sympy.Matrix([[to_sympy(x) for x in row] for row in value])
    raise TypeError(
        "expected a Generator, Scalar, ExponentialPolynomial or a matrix of them, got "
        f"{type(value).__name__}"
    )


def _from_scalar(x: Scalar, sympy: ModuleType) -> Any:
    total = sympy.Integer(0)
    for radical, coefficient in x.terms.items():
        part = _from_base(coefficient, sympy)
        for atom, exponent in radical:
            part *= _from_base(atom.value, sympy) ** sympy.Rational(
                int(exponent.p), int(exponent.q)
            )
        total += part
    return total


def _from_base(element: RationalFunction, sympy: ModuleType) -> Any:
    top, bottom = (_from_polynomial(part, sympy) for part in element.split())
    return top / bottom


def _from_polynomial(element: RationalFunction, sympy: ModuleType) -> Any:
    total = sympy.Integer(0)
    for monomial, c in element.numerator_terms():
        part = sympy.Rational(int(c.p), int(c.q))
        for name, exponent in monomial.items():
            part *= _from_symbol(name, sympy) ** exponent
        total += part
    return total


def _from_symbol(name: str, sympy: ModuleType) -> Any:
    if name == "pi":
        return sympy.pi
    if is_exponential(name):
        return sympy.exp(_from_scalar(exponential_argument(name), sympy))
    if is_logarithm(name):
        inner = logarithm_argument(name)
        return sympy.log(
            sympy.Integer(inner) if inner.isdigit() else sympy.Symbol(inner, real=True)
        )
    return sympy.Symbol(name, real=True)


def _from_function(f: ExponentialPolynomial, sympy: ModuleType) -> Any:
    """Real form: conjugate pairs are joined, so that no I is left for a real function."""
    total = sympy.Integer(0)
    pending = dict(f.terms)
    while pending:
        key = next(iter(pending))
        c = pending.pop(key)
        monomial = sympy.Integer(1)
        growth = angle = sympy.Integer(0)
        for name, exponent, rate in zip(f.variables, key.powers, key.exponents, strict=True):
            x = sympy.Symbol(name, real=True)
            monomial *= x**exponent
            growth += _from_scalar(rate.re, sympy) * x
            angle += _from_scalar(rate.im, sympy) * x
        factor = monomial * sympy.exp(growth)
        if all(e.im.is_zero() for e in key.exponents):
            total += _from_complex(c, sympy) * factor
            continue
        conjugate = key._replace(exponents=tuple(ComplexScalar(e.re, -e.im) for e in key.exponents))
        other = pending.pop(conjugate, ComplexScalar(ZERO))
        total += factor * (
            _from_complex(c + other, sympy) * sympy.cos(angle)
            + sympy.I * _from_complex(c - other, sympy) * sympy.sin(angle)
        )
    return total


def _from_complex(z: ComplexScalar, sympy: ModuleType) -> Any:
    return _from_scalar(z.re, sympy) + sympy.I * _from_scalar(z.im, sympy)
