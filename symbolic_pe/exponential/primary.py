"""exp(tX) of any rational matrix, without its eigenvalues: primary decomposition in Q[x]/(μ).

Let μ = Π p^m be the minimal polynomial of X, p irreducible of degree d. For each p let
φ_0 … φ_{d−1} be the solutions of p(d/dt)φ = 0 with φ_c^{(k)}(0) = δ_{kc}; they are real and entire
in t and in the coefficients of p. Let e be the idempotent of p modulo μ, and σ ≡ x modulo p with
p(σ) ≡ 0 modulo p^m (Jordan–Chevalley). Then

    exp(tX) = Σ_p Σ_{j<m} Σ_{c<d}  t^j/j!·φ_c(t)·M_{p,j,c},   M_{p,j,c} = (e·σ^c·(x − σ)^j)(X)

with rational M. No root of p is ever needed; degree 24 is as good as degree 2. The functions
t^j φ_c(t) are linearly independent, so E(0) = I and E′ = XE are finitely many identities:

    Σ_p M_{p,0,0} = I
    X·M_{j,c} = M_{j+1,c} + M_{j,c+1}                    (c < d − 1)
    X·M_{j,d−1} = M_{j+1,d−1} − Σ_b p_b·M_{j,b}

(φ_c′ = φ_{c−1} − p_c·φ_{d−1}), which hold in Q[x]/(μ) already; with μ(X) = 0 they prove the closed
form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

from flint import acb, arb, arb_mat, fmpq, fmpq_mat, fmpq_poly, fmpz_poly

from symbolic_pe.algebra.scalar import precision
from symbolic_pe.jordan.form import polynomial_text
from symbolic_pe.jordan.rational import (
    evaluate_at,
    minimal_polynomial,
    primary_structure,
    semisimple_polynomial,
)

GUARD_BITS = 64


@dataclass(frozen=True)
class PrimaryPart:
    """The part of one factor p: `coefficients[j][c]` is e·σ^c·(x − σ)^j modulo μ.

    Polynomials are `fmpq_poly`, or `Polynomial` over Q(symbols).
    """

    factor: Any
    exponent: int
    coefficients: tuple[tuple[Any, ...], ...]

    @property
    def degree(self) -> int:
        """Degree of p."""
        return int(self.factor.degree())


@dataclass(frozen=True)
class PrimaryExponential:
    """The closed form of exp(tX), compact: polynomials modulo the minimal polynomial."""

    matrix: fmpq_mat
    minimal_polynomial: fmpq_poly
    parts: tuple[PrimaryPart, ...]

    # -- proof --------------------------------------------------------------------------------

    def is_proved(self) -> bool:
        """Decide μ(X) = 0, E(0) = I and E′ = XE, the last two in Q[x]/(μ)."""
        zero = fmpq_mat(self.matrix.nrows(), self.matrix.ncols())
        annihilates = bool(evaluate_at(self.minimal_polynomial, self.matrix) == zero)
        return annihilates and laws_hold(self.minimal_polynomial, self.parts)

    # -- values -------------------------------------------------------------------------------

    def terms(self) -> Iterator[tuple[PrimaryPart, int, int, fmpq_mat]]:
        """(part, j, c, M_{p,j,c}) for every function t^j/j!·φ_c(t)."""
        for part in self.parts:
            for j, row in enumerate(part.coefficients):
                for c, polynomial in enumerate(row):
                    yield part, j, c, evaluate_at(polynomial, self.matrix)

    def ball(self, t: fmpq, bits: int = 128) -> arb_mat:
        """Rigorous enclosure of exp(tX) at a rational t."""
        n = self.matrix.nrows()
        with precision(bits + GUARD_BITS):
            total = arb_mat(n, n)
            for part in self.parts:
                functions = fundamental_solutions(part.factor, arb(t))
                for j, row in enumerate(part.coefficients):
                    weight = arb(t) ** j / factorial(j)
                    for function, polynomial in zip(functions, row, strict=True):
                        total += _as_balls(evaluate_at(polynomial, self.matrix)) * (
                            weight * function
                        )
            return total

    def __str__(self) -> str:
        lines = ["exp(tX) = " + " + ".join(self._term_texts())]
        for index, part in enumerate(self.parts):
            p = polynomial_text(fmpz_poly(part.factor.numer()))
            lines.append(
                f"  phi{index}_c: solutions of p(d/dt) phi = 0 for p = {p}, "
                f"phi_c^(k)(0) = 1 if k = c else 0, k < {part.degree}"
            )
        return "\n".join(lines)

    def _term_texts(self) -> Iterator[str]:
        for index, part in enumerate(self.parts):
            for j in range(part.exponent):
                power = "" if j == 0 else "t*" if j == 1 else f"t^{j}/{factorial(j)}*"
                for c in range(part.degree):
                    yield f"{power}phi{index}_{c}(t)*M{index}_{j}_{c}"


def laws_hold(modulus: Any, parts: Sequence[PrimaryPart]) -> bool:
    """Decide E(0) = I and E′ = xE in K[x]/(modulus)."""
    ring = type(modulus)
    start = ring([0])
    for part in parts:
        start = start + part.coefficients[0][0]
    if start % modulus != ring([1]):
        return False
    x, zero = ring([0, 1]), ring([0])
    return all(
        (x * left - right) % modulus == zero
        for part in parts
        for left, right in _derivative_pairs(part)
    )


def primary_exponential(x: fmpq_mat) -> PrimaryExponential:
    """The closed form of exp(tX) for a rational matrix of any structure.

    >>> companion = fmpq_mat([[0, 0, 2], [1, 0, 0], [0, 1, 0]])
    >>> form = primary_exponential(companion)
    >>> form.is_proved(), len(form.parts)
    (True, 1)
    """
    # FLINT 3.x has wrong minimal polynomials for some large entries; block sizes give it exactly
    primaries = primary_structure(x)
    minimal = minimal_polynomial(primaries)
    parts = tuple(primary_part(minimal, p.factor, p.sizes[0]) for p in primaries)
    return PrimaryExponential(x, minimal, parts)


def primary_part(minimal: Any, p: Any, exponent: int) -> PrimaryPart:
    """The part of a monic factor p of μ with exponent m."""
    ring = type(p)
    local = p**exponent
    cofactor = minimal // local
    _, inverse, _ = (cofactor % local).xgcd(local)
    sigma = semisimple_polynomial(p, exponent)
    nilpotent = (ring([0, 1]) - sigma) % local
    rows = []
    power = ring([1])
    for _ in range(exponent):
        row = []
        entry = power
        for _ in range(p.degree()):
            # e·f ≡ cofactor·(cofactor⁻¹·f mod p^m), of degree < deg μ
            row.append(cofactor * ((inverse * entry) % local))
            entry = (entry * sigma) % local
        rows.append(tuple(row))
        power = (power * nilpotent) % local
    return PrimaryPart(p, exponent, tuple(rows))


def _derivative_pairs(part: PrimaryPart) -> Iterator[tuple[Any, Any]]:
    """(M_{j,c}, X·M_{j,c} as it must be) for every j and c."""
    zero = type(part.factor)([0])
    last = part.degree - 1
    for j, row in enumerate(part.coefficients):
        following = part.coefficients[j + 1] if j + 1 < part.exponent else (zero,) * part.degree
        for c in range(last):
            yield row[c], following[c] + row[c + 1]
        reduced = following[last]
        for b in range(part.degree):
            reduced = reduced - row[b] * part.factor[b]
        yield row[last], reduced


def fundamental_solutions(p: fmpq_poly, t: arb) -> list[arb]:
    """φ_c(t) = Σ_{p(λ)=0} b_c(λ)/p′(λ)·e^{λt}, b_c(λ) = Σ_{i>c} p_i λ^{i−c−1}, as balls."""
    derivative = p.derivative()
    totals = [acb(0) for _ in range(p.degree())]
    for root, _ in fmpz_poly(p.numer()).complex_roots():
        weight = (acb(root) * t).exp() / _at(derivative, root)
        horner = acb(0)
        for c in range(p.degree() - 1, -1, -1):
            horner = horner * root + acb(p[c + 1])
            totals[c] += horner * weight
    return [total.real for total in totals]


def _at(polynomial: fmpq_poly, point: acb) -> acb:
    total = acb(0)
    for c in reversed(polynomial.coeffs()):
        total = total * point + acb(c)
    return total


def _as_balls(x: fmpq_mat) -> arb_mat:
    return arb_mat([[arb(entry) for entry in row] for row in x.tolist()])
