"""Powers, roots, exponentials and logarithms that stay inside the ring of radical sums."""

from __future__ import annotations

from typing import Protocol

from flint import fmpq, fmpz

from symbolic_pe.algebra.rational_function import ONE as K_ONE
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import HALF, ZERO, Radical, Scalar
from symbolic_pe.algebra.symbols import (
    Atom,
    exponential_argument,
    exponential_symbol,
    is_exponential,
    is_logarithm,
    logarithm_argument,
    prime_factors,
)
from symbolic_pe.errors import OutsideTheRing


class SignKnowledge(Protocol):
    """Whoever knows the signs of polynomials in the parameters."""

    def sign_of(self, element: RationalFunction) -> int | None:
        """−1, 0, 1, or None when it is not known."""
        ...

    def never_vanishes(self, x: Scalar) -> bool:
        """True when x is known not to be 0 for any admissible parameters."""
        ...


class ConstantsOnly:
    """Knows the signs of numbers only."""

    def sign_of(self, element: RationalFunction) -> int | None:
        """Sign of an element without parameters."""
        scalar = Scalar({(): element})
        return None if scalar.parameters() else scalar.sign()

    def never_vanishes(self, x: Scalar) -> bool:
        """Decided for numbers; False for whatever has parameters."""
        return not x.parameters() and not x.vanishes()


def power(base: Scalar, exponent: fmpq, signs: SignKnowledge | None = None) -> Scalar:
    """base^exponent for rational exponents; a fractional one needs a base known to be ≥ 0.

    >>> str(power(Scalar.rational(10000), fmpq(-1, 64)))
    '10^(-1/16)'
    """
    if exponent.q == 1:
        return base ** int(exponent.p)
    if exponent.q == 2 and base.is_rational() and base.rational_value() > 0:
        root = _rational_square_root(base.rational_value())
        if root is not None:  # spares the factorisation
            return Scalar.rational(root) ** int(exponent.p)
    if base.is_zero():
        if exponent < 0:
            raise ZeroDivisionError("0 to a negative power")
        return ZERO
    if len(base.terms) > 1:
        return _power_of_sum(base, exponent)
    ((radical, coefficient),) = base.terms.items()
    factors: dict[Atom, fmpq] = {a: e * exponent for a, e in radical}
    for atom, e in _positive_factors(coefficient, signs or ConstantsOnly()):
        factors[atom] = factors.get(atom, fmpq(0)) + e * exponent
    return Scalar.monomial(factors, K_ONE)


def _positive_factors(element: RationalFunction, signs: SignKnowledge) -> list[tuple[Atom, fmpq]]:
    """Write a positive element as a product of positive atoms."""
    constant, parts = element.factors()
    overall = 1 if constant > 0 else -1
    factors = [(a, fmpq(e)) for a, e in prime_factors(abs(constant))]
    for factor, exponent in parts:
        sign = signs.sign_of(factor)
        if sign is None or sign == 0:
            raise OutsideTheRing(
                f"a root of {element} needs the sign of {factor}, which is not known from the "
                "assumptions; declare the parameters so that it is"
            )
        atom = Atom.of(factor if sign > 0 else -factor)
        overall *= 1 if sign > 0 or exponent % 2 == 0 else -1
        factors.append((atom, fmpq(exponent)))
    if overall < 0:
        raise OutsideTheRing(f"a root of {element}, which is negative; generators are real")
    return factors


def _power_of_sum(base: Scalar, exponent: fmpq) -> Scalar:
    if exponent.q == 2:
        root = _denested(base)
        if root is not None:
            return root ** int(exponent.p)
    raise OutsideTheRing(
        f"a fractional power of the sum {base}; only sums whose square root denests over Q are "
        "covered (write the number in its simplest form)"
    )


def _denested(x: Scalar) -> Scalar | None:
    """√(a + b√r) = √u ± √v with u, v = (a ± √(a² − b²r))/2, when these are rational and ≥ 0."""
    if len(x.terms) != 2 or () not in x.terms or not all(c.is_constant() for c in x.terms.values()):
        return None
    (radical,) = (r for r in x.terms if r)
    a, b = x.terms[()].constant(), x.terms[radical]
    second = Scalar({radical: b})
    square = second * second
    if not square.is_rational():
        return None
    discriminant = a * a - square.rational_value()
    root = _rational_square_root(discriminant)
    if root is None:
        return None
    u, v = (a + root) / 2, (a - root) / 2
    if u < 0 or v < 0:
        raise OutsideTheRing(f"a square root of {x}, which is negative; generators are real")
    sign = 1 if b.constant() > 0 else -1
    return power(Scalar.rational(u), fmpq(1, 2)) + Scalar.rational(sign) * power(
        Scalar.rational(v), fmpq(1, 2)
    )


def _rational_square_root(x: fmpq) -> fmpq | None:
    if x < 0:
        return None
    p, q = fmpz(x.p).isqrt(), fmpz(x.q).isqrt()
    return fmpq(p, q) if p * p == x.p and q * q == x.q else None


def square_root(x: Scalar, signs: SignKnowledge | None = None) -> Scalar:
    """√x for x known to be non-negative."""
    return power(x, fmpq(1, 2), signs)


def exponential(x: Scalar) -> Scalar:
    """e^x: Σ cᵢmᵢ becomes Π exp(mᵢ)^cᵢ, and e^(c·log p) becomes p^c."""
    factors: dict[Atom, fmpq] = {}
    for radical, coefficient in x.terms.items():
        if not coefficient.is_polynomial():
            raise OutsideTheRing(f"exp of the fraction {coefficient}; name it as a parameter")
        for monomial, c in coefficient.numerator_terms():
            atom = _exponential_atom(radical, monomial)
            factors[atom] = factors.get(atom, fmpq(0)) + c
    return Scalar.monomial(factors, K_ONE)


def _exponential_atom(radical: Radical, monomial: dict[str, int]) -> Atom:
    names = list(monomial)
    if not radical and len(names) == 1 and monomial[names[0]] == 1 and is_logarithm(names[0]):
        inner = logarithm_argument(names[0])
        base = RationalFunction(int(inner)) if inner.isdigit() else RationalFunction.symbol(inner)
        return Atom.of(base)
    argument = Scalar({radical: K_ONE})
    for name, exponent in monomial.items():
        argument = argument * Scalar.symbol(name) ** exponent
    return Atom.of(RationalFunction.symbol(exponential_symbol(argument)))


def logarithm(x: Scalar, signs: SignKnowledge | None = None) -> Scalar:
    """ln x for a positive product: Σ e·ln(atom)."""
    if len(x.terms) != 1:
        raise OutsideTheRing(f"the logarithm of {x}; only positive products are covered")
    ((radical, coefficient),) = x.terms.items()
    total = ZERO
    for atom, exponent in [
        *radical,
        *_positive_factors(coefficient, signs or ConstantsOnly()),
    ]:
        total = total + Scalar.rational(exponent) * _logarithm_of_atom(atom)
    return total


def _logarithm_of_atom(atom: Atom) -> Scalar:
    if is_exponential(atom.text):
        return exponential_argument(atom.text)
    if atom.text.replace("_", "a").isalnum() and atom.text != "pi":
        return Scalar.symbol(f"log({atom.text})")
    raise OutsideTheRing(f"the logarithm of {atom.text}; name it as a parameter")


def hyperbolic_cosine(x: Scalar) -> Scalar:
    """cosh x = (e^x + e^−x)/2."""
    return HALF * (exponential(x) + exponential(-x))


def hyperbolic_sine(x: Scalar) -> Scalar:
    """sinh x = (e^x − e^−x)/2."""
    return HALF * (exponential(x) - exponential(-x))
