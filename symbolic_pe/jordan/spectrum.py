"""The eigenvalues of a rational matrix as disjoint balls, each with its exact block sizes."""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb, fmpq_mat, fmpz_poly

from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.jordan.form import ImplicitEigenvalue, StructureBlock
from symbolic_pe.jordan.rational import eigenvalues_of, primary_structure

MAX_BITS = 4096


@dataclass(frozen=True)
class SpectralPoint:
    """One real eigenvalue, or the one of a conjugate pair with positive imaginary part.

    sizes   lengths of its Jordan chains, largest first
    value   a ball that contains it and no other eigenvalue
    """

    block: StructureBlock
    sizes: tuple[int, ...]
    value: acb

    @property
    def is_pair(self) -> bool:
        """True for a conjugate pair."""
        return self.block.is_pair

    @property
    def multiplicity(self) -> int:
        """Algebraic multiplicity."""
        return sum(self.sizes)

    @property
    def label(self) -> str:
        """The eigenvalue as text."""
        return self.block.label()

    @property
    def about(self) -> str:
        """Its first digits."""
        real = "0" if self.block.real_part_sign == 0 else self.value.real.str(8, radius=False)
        return f"{real} + {self.value.imag.str(8, radius=False)}*I" if self.is_pair else real


@dataclass(frozen=True)
class Spectrum:
    """All eigenvalues of a rational matrix; `bits` is a precision that resolves them well."""

    points: tuple[SpectralPoint, ...]
    bits: int

    def everywhere(self) -> list[tuple[acb, int]]:
        """Every eigenvalue, both of a pair, with the index of its point."""
        found = []
        for index, point in enumerate(self.points):
            found.append((point.value, index))
            if point.is_pair:
                found.append((point.value.conjugate(), index))
        return found


def spectrum(x: fmpq_mat) -> Spectrum:
    """Exact eigenvalues and block sizes; balls are refined until gaps are well resolved.

    >>> [p.label for p in spectrum(fmpq_mat([[0, 2], [1, 0]])).points]
    ['sqrt(2)', '-sqrt(2)']
    """
    primaries = primary_structure(x)
    bits = 128
    while True:
        with precision(bits):
            points = [
                SpectralPoint(
                    StructureBlock(value, imaginary, max(primary.sizes), 1, sign),
                    primary.sizes,
                    _ball(value, imaginary),
                )
                for primary in primaries
                for value, imaginary, sign in eigenvalues_of(primary.factor)
            ]
            found = Spectrum(tuple(points), bits)
            needed = _bits_needed(found)
        if needed <= bits or bits >= MAX_BITS:
            return found
        bits = min(needed, MAX_BITS)


def _bits_needed(found: Spectrum) -> int:
    """64 guard bits, and four times the bits of the smallest gap relative to the spectrum.

    Next to a defective matrix resolvents grow like 1/gap², and their squares are formed.
    """
    values = [value for value, _ in found.everywhere()]
    if len(values) < 2:
        return 64
    size = max(abs(z).upper() for z in values)
    gap = min(abs(a - b).lower() for i, a in enumerate(values) for b in values[:i])
    if gap == 0:
        return 2 * found.bits
    ratio = (size / gap).upper()
    return 96 + 4 * max(0, exponent_of(ratio))


def exponent_of(x: arb) -> int:
    """e with 2^(e−1) <= x < 2^e for the midpoint x."""
    mantissa, exponent = x.mid().man_exp()
    return int(mantissa).bit_length() + int(exponent)


def _ball(value: Scalar | ImplicitEigenvalue, imaginary: Scalar) -> acb:
    if isinstance(value, Scalar):
        return acb(value.ball({}), imaginary.ball({}))
    roots = [root for root, _ in fmpz_poly(value.polynomial).complex_roots()]
    (root,) = [root for root in roots if root.overlaps(value.enclosure)]
    return root
