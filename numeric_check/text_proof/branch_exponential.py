"""Whether a matrix of functions, given on cells, is exp(tX̂) for one X̂ and all parameters.

On a cell where the text computes exponentials and waves, L = exp(tX̂) is decided by L(0) = I and
L′ = L·X̂, with roots of the discriminant as symbols. A 2×2 block may take its discriminant D̂ apart
from the entries of X̂; then it is decided that

    L = e^{ât}(C·I + S·(X̂ − âI)),   C = cosh(t√D̂),   S = sinh(t√D̂)/√D̂,   â = tr X̂/2

with D̂ within rounding of (X̂ − âI)². Where the text sums series for C and S see `branch_series`.
"""

from __future__ import annotations

from dataclasses import dataclass

from numeric_check.text_proof.close_constants import are_close
from numeric_check.text_proof.exact_element import LeavesTheRing
from numeric_check.text_proof.exact_roots import Parameters
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import HALF, ONE, ZERO, Scalar

Function = ExponentialPolynomial
Entries = tuple[tuple[Function, ...], ...]
Rates = tuple[tuple[Scalar, ...], ...]
VARIABLE = "t"


@dataclass(frozen=True)
class Remainder:
    """On |u²D| ≤ ρ: |C − Ĉ| ≤ even and |S − Ŝ| ≤ |u|·odd, upper bounds."""

    argument: float
    even: float
    odd: float


@dataclass(frozen=True)
class Nearness:
    """How near a text is to exp(tX̂): exactly that without a remainder and without an own D̂.

    own_discriminant  D̂ is within rounding of (X̂ − âI)² and not equal to it
    """

    remainder: Remainder | None = None
    own_discriminant: bool = False

    def joined(self, other: Nearness) -> Nearness:
        """The worse of two."""
        a, b = self.remainder, other.remainder
        worse = a or b
        if a is not None and b is not None:
            worse = Remainder(max(a.argument, b.argument), max(a.even, b.even), max(a.odd, b.odd))
        return Nearness(worse, self.own_discriminant or other.own_discriminant)


def generator_at_zero(known: Parameters, entries: Entries) -> Rates:
    """X̂ = L′(0), free of roots; raises `LeavesTheRing` otherwise."""
    return tuple(tuple(_slope(known, f) for f in row) for row in entries)


def _slope(known: Parameters, f: Function) -> Scalar:
    value = known.function(f.derivative(VARIABLE)).at_zero()
    re, im = known.scalar(value.re), known.scalar(value.im)
    if not im.is_zero() or any(name in known.roots for name in re.symbols()):
        raise LeavesTheRing(f"the derivative at the reference is {re}")
    return re


def is_exponential(known: Parameters, entries: Entries, rates: Rates) -> bool:
    """Decide L(0) = I and L′ = L·X̂; False when it is not shown."""
    n = len(rates)
    for i in range(n):
        for j in range(n):
            start = entries[i][j].at_zero()
            difference = ComplexScalar(start.re - (ONE if i == j else ZERO), start.im)
            if not known.vanishes(Function.constant(difference)):
                return False
            total = entries[i][j].derivative(VARIABLE)
            for k in range(n):
                if not rates[k][j].is_zero():
                    total = total - entries[i][k].scale(rates[k][j])
            if not known.vanishes(total):
                return False
    return True


def with_own_discriminant(known: Parameters, entries: Entries, rates: Rates) -> bool:
    """Decide L = e^{ât}(C·I + S·(X̂ − âI)) for the D̂ whose root the text took; 2×2.

    D̂ is not (X̂ − âI)² itself, or `is_exponential` had decided it.
    """
    centre, rest = centre_and_rest(rates)
    for name, square in known.roots.items():
        root = Scalar.symbol(name)
        for sign in (1, -1):
            discriminant = Scalar({(): square}) * Scalar.rational(sign)
            if not are_close(discriminant, square_of(rest)):
                continue
            c, s = _waves(root, growing=sign > 0)
            growth = Function.exponential(VARIABLE, ComplexScalar(centre))
            if is_combination(known, entries, rest, growth * c, growth * s):
                return True
    return False


def _waves(root: Scalar, *, growing: bool) -> tuple[Function, Function]:
    """cosh(rt) and sinh(rt)/r, or cos(rt) and sin(rt)/r."""
    if not growing:
        c, s = Function.cosine(VARIABLE, root), Function.sine(VARIABLE, root)
    else:
        up, down = (Function.exponential(VARIABLE, ComplexScalar(x)) for x in (root, -root))
        c, s = (up + down).scale(HALF), (up - down).scale(HALF)
    return c, s.scale(root.inverse())


def is_combination(
    known: Parameters, entries: Entries, deviation: Rates, even: Function, odd: Function
) -> bool:
    """Decide L = even·I + odd·N."""
    zero = Function((VARIABLE,), {})
    return all(
        known.vanishes(entries[i][j] - odd.scale(deviation[i][j]) - (even if i == j else zero))
        for i in range(2)
        for j in range(2)
    )


def centre_and_rest(rates: Rates) -> tuple[Scalar, Rates]:
    """â = tr X̂/2 and X̂ − âI."""
    centre = HALF * (rates[0][0] + rates[1][1])
    shifted = tuple(
        tuple(x - centre if i == j else x for j, x in enumerate(row)) for i, row in enumerate(rates)
    )
    return centre, shifted


def square_of(deviation: Rates) -> Scalar:
    """D of N² = D·I for a matrix N of trace 0."""
    return deviation[0][0] * deviation[0][0] + deviation[0][1] * deviation[1][0]


__all__ = [
    "VARIABLE",
    "Entries",
    "Nearness",
    "Rates",
    "Remainder",
    "centre_and_rest",
    "generator_at_zero",
    "is_combination",
    "is_exponential",
    "square_of",
    "with_own_discriminant",
]
