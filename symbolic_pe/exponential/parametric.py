"""exp(tX) of a parametric matrix, in K[x] modulo its characteristic polynomial, K = Q(parameters).

On one cell of the parameters χ = Π f^m; the exponents are lowered while Π f^m still annihilates X.
Factors that are coprime on the whole cell give primary
parts of their own (see `primary`); factors that may share a root there, or whose own roots may
coincide, stay together as one p = Π f^m with exponent 1:

    exp(tX) = Σ_c φ_c(t)·e(X)·X^c,    φ_c the solutions of p(d/dt)φ = 0 with φ_c^{(k)}(0) = δ_{kc}.

These φ are entire in t and in the coefficients of p, so the formula runs smoothly through every
confluence of roots. With all factors together, p = χ and e = 1: one formula for all parameters,
without any denominator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.functions import square_root
from symbolic_pe.algebra.matrix import ScalarMatrix, apply
from symbolic_pe.algebra.polynomial import Polynomial
from symbolic_pe.algebra.rational_function import RationalFunction, grouped
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.errors import OutsideTheRing
from symbolic_pe.exponential.primary import PrimaryPart, laws_hold, primary_part
from symbolic_pe.jordan.adjunction import Adjunction
from symbolic_pe.jordan.cell_algebra import (
    KMatrix,
    characteristic_polynomial,
    discriminant,
    evaluate,
    factors,
    monic,
    polynomial_text,
    product,
    resultant,
)


@dataclass(frozen=True)
class ParametricExponential:
    """Primary parts of exp(tX) modulo an annihilating polynomial over Q(symbols), on one cell."""

    matrix: KMatrix
    modulus: Polynomial
    parts: tuple[PrimaryPart, ...]
    cell: Assumptions | None
    radicals: Mapping[str, Scalar]

    def is_proved(self) -> bool:
        """Decide that the modulus annihilates X, E(0) = I and E′ = XE."""
        value = evaluate(self.modulus.coeffs(), self.matrix)
        annihilates = all(x.is_zero() for row in value for x in row)
        return annihilates and laws_hold(self.modulus, self.parts)

    def __str__(self) -> str:
        lines = ["exp(tX) = " + " + ".join(self._terms())]
        for index, part in enumerate(self.parts):
            lines.extend(f"  {line}" for line in self._functions(index, part.factor))
        for index, part in enumerate(self.parts):
            if not self._is_one_sum_of_powers():
                for j, row in enumerate(part.coefficients):
                    for c, polynomial in enumerate(row):
                        lines.append(f"  M{index}_{j}_{c} = {self._at_x(polynomial)}")
        return "\n".join(lines)

    def _is_one_sum_of_powers(self) -> bool:
        return len(self.parts) == 1 and self.parts[0].exponent == 1

    def _value(self, element: RationalFunction) -> Scalar:
        """An element with its radicals put back."""
        return Scalar({(): element}).substitute(self.radicals)

    def _functions(self, index: int, p: Polynomial) -> list[str]:
        """φ_c in closed form for degree 1 and 2, by their equation beyond."""
        name = f"phi{index}"
        if p.degree() == 1:
            return [f"{name}_0(t) = {_exponential(self._value(-p[0])) or '1'}"]
        if p.degree() > 2:
            return [
                f"{name}_c: solutions of p(d/dt) phi = 0 for p = "
                f"{polynomial_text(p, self.radicals)}, "
                f"phi_c^(k)(0) = 1 if k = c else 0, k < {p.degree()}"
            ]
        centre = -p[1] / RationalFunction(2)
        discriminant = centre * centre - p[0]
        sign = self.cell.sign_of(discriminant) if self.cell else None
        root = _root_text(self._value(-discriminant if sign == -1 else discriminant))
        c, s = {
            -1: (f"cos({root}*t)", f"sin({root}*t)/{root}"),
            0: ("1", "t"),
            1: (f"cosh({root}*t)", f"sinh({root}*t)/{root}"),
            None: (f"cosh({root}*t)", f"sinh({root}*t)/{root}"),
        }[sign]
        growth = _exponential(self._value(centre))
        scale = f"{growth}*" if growth else ""
        shift = "" if centre.is_zero() else f" - ({self._value(centre)})*{name}_1(t)"
        lines = [f"{name}_1(t) = {scale}{s}", f"{name}_0(t) = {scale}{c}{shift}"]
        if sign is None:
            lines.append(
                "(entire in D, the number under the root: for D < 0 read cos(t*sqrt(-D)) and "
                "sin(t*sqrt(-D))/sqrt(-D), at D = 0 read 1 and t)"
            )
        return lines

    def _at_x(self, polynomial: Polynomial) -> str:
        """A polynomial in the matrix X, written out."""
        pieces = []
        for power, c in enumerate(polynomial.coeffs()):
            value = self._value(c)
            if not value.is_zero():
                monomial = "I" if power == 0 else "X" if power == 1 else f"X^{power}"
                pieces.append(monomial if str(value) == "1" else f"({value})*{monomial}")
        return " + ".join(pieces) or "0"

    def _terms(self) -> list[str]:
        if self._is_one_sum_of_powers():
            degree = self.parts[0].degree
            powers = ["I", "X", *(f"X^{c}" for c in range(2, degree))]
            return [f"phi0_{c}(t)*{power}" for c, power in enumerate(powers[:degree])]
        texts: list[str] = []
        for index, part in enumerate(self.parts):
            for j in range(part.exponent):
                power = "" if j == 0 else "t*" if j == 1 else f"t^{j}/{factorial(j)}*"
                texts.extend(
                    f"{power}phi{index}_{c}(t)*M{index}_{j}_{c}" for c in range(part.degree)
                )
        return texts


def _root_text(x: Scalar) -> str:
    """√x, denested where that is possible."""
    try:
        return grouped(str(square_root(x)), "+-*/") if not x.parameters() else f"sqrt({x})"
    except OutsideTheRing:
        return f"sqrt({x})"


def _exponential(rate: Scalar) -> str:
    """e^{rate·t} as text; empty for rate 0."""
    if rate.is_zero():
        return ""
    text = str(rate)
    return f"exp({text}*t)" if grouped(text, "+-") == text else f"exp(({text})*t)"


def parametric_exponential(
    matrix: ScalarMatrix, cell: Assumptions | None = None
) -> ParametricExponential:
    """The closed form on one cell, or, without a cell, the one for all parameters.

    >>> from symbolic_pe.generators.generator import Generator
    >>> x = Generator.from_matrix([["0", "1"], ["-p", "-q"]], {"p": "real", "q": "real"}).matrix
    >>> form = parametric_exponential(x)
    >>> form.is_proved()
    True
    >>> print(str(form).splitlines()[0])
    exp(tX) = phi0_0(t)*I + phi0_1(t)*X
    """
    here = apply(lambda x: x.substitute(cell.solved, cell), matrix) if cell else matrix
    adjoined = Adjunction.of(here)
    base = [[adjoined.base(x) for x in row] for row in here]
    coefficients = characteristic_polynomial(base)
    modulus = Polynomial(coefficients)
    if cell is None:
        return ParametricExponential(
            base, modulus, (primary_part(modulus, modulus, 1),), None, adjoined.values
        )
    found = _annihilating(base, factors(coefficients))
    modulus = Polynomial([1])
    for factor, exponent in found:
        modulus = modulus * monic(factor) ** exponent
    parts = [primary_part(modulus, p, exponent) for p, exponent in _coprime_groups(cell, found)]
    return ParametricExponential(base, modulus, tuple(parts), cell, adjoined.values)


def _annihilating(
    matrix: KMatrix, found: Sequence[tuple[RationalFunction, int]]
) -> list[tuple[RationalFunction, int]]:
    """The factors of χ with the least exponents for which Π f^k still annihilates X."""
    exponents = [m for _, m in found]
    for index, (factor, multiplicity) in enumerate(found):
        if multiplicity == 1:
            continue
        others = Polynomial([1])
        for i, (other, _) in enumerate(found):
            if i != index:
                others = others * monic(other) ** exponents[i]
        power = evaluate(others.coeffs(), matrix)
        image = evaluate(monic(factor).coeffs(), matrix)
        for exponent in range(1, multiplicity):
            power = product(power, image)
            if all(x.is_zero() for row in power for x in row):
                exponents[index] = exponent
                break
    return [(factor, k) for (factor, _), k in zip(found, exponents, strict=True)]


def _coprime_groups(
    cell: Assumptions, found: Sequence[tuple[RationalFunction, int]]
) -> list[tuple[Polynomial, int]]:
    """(p, exponent): factors joined with all that may share a root with them on the cell."""
    groups: list[list[tuple[Polynomial, int]]] = []
    for factor, multiplicity in found:
        p = monic(factor)
        near = [g for g in groups if any(not _coprime(cell, p, q) for q, _ in g)]
        merged = [(p, multiplicity), *(item for g in near for item in g)]
        groups = [g for g in groups if all(g is not other for other in near)] + [merged]
    result = []
    for group in groups:
        (p, m), *rest = group
        if not rest and (m == 1 or p.degree() == 1 or cell.is_nonzero(discriminant(p))):
            result.append((p, m))
            continue
        whole = Polynomial([1])
        for q, multiplicity in group:
            whole = whole * q**multiplicity
        result.append((whole, 1))
    return result


def _coprime(cell: Assumptions, p: Polynomial, q: Polynomial) -> bool:
    return cell.is_nonzero(resultant(p, q))
