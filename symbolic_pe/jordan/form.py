"""Values: the real Jordan form of one generator on one cell of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import acb, fmpz_poly

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.matrix import ScalarMatrix
from symbolic_pe.algebra.printing import times
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.families import Growth, family_name, growth_of

UNDECIDED = "undecided"
LONGEST_LABEL = 100
"""Characters of an exact eigenvalue that a line for people shows."""


@dataclass(frozen=True)
class ImplicitEigenvalue:
    """Root number k of an irreducible integer polynomial, never expanded.

    The degree is 3 or more, or 2 with a discriminant of more digits than are factored.

    Roots are numbered: real ones ascending, then one of each conjugate pair (positive imaginary
    part) by real part, then imaginary part.
    """

    polynomial: fmpz_poly
    index: int
    enclosure: acb
    real_part_sign: int
    is_pair: bool

    def __str__(self) -> str:
        return f"root({polynomial_text(self.polynomial)}, {self.index})"

    @property
    def about(self) -> str:
        """Six digits of the value, and which root it is; the exact name may fill pages."""
        real = "0" if self.real_part_sign == 0 else self.enclosure.real.str(6, radius=False)
        text = f"{real} + {self.enclosure.imag.str(6, radius=False)}*I" if self.is_pair else real
        degree = self.polynomial.degree()
        return f"{text} (root {self.index} of an irreducible polynomial of degree {degree})"


@dataclass(frozen=True)
class ParametricEigenvalue:
    """Root number k of a polynomial of degree ≥ 3 whose coefficients have parameters.

    Numbered as implicit eigenvalues are; the count of roots of each kind is constant on a cell.
    """

    polynomial: str
    index: int
    real_part_sign: int
    is_pair: bool

    def __str__(self) -> str:
        return f"root({self.polynomial}, {self.index})"


Unexpanded = ImplicitEigenvalue | ParametricEigenvalue


@dataclass(frozen=True)
class StructureBlock:
    """One real Jordan block up to equality, with how often it occurs."""

    eigenvalue: Scalar | Unexpanded
    imaginary_part: Scalar
    chain_length: int
    multiplicity: int
    real_part_sign: int

    @property
    def is_pair(self) -> bool:
        """True for a conjugate pair."""
        if isinstance(self.eigenvalue, Unexpanded):
            return self.eigenvalue.is_pair
        return not self.imaginary_part.is_zero()

    @property
    def family(self) -> str:
        """Name of the family."""
        return family_name(
            pair=self.is_pair,
            real_part_sign=self.real_part_sign,
            chain_length=self.chain_length,
        )

    def label(self) -> str:
        """The eigenvalue for people: exact, or by its digits where the exact name is long."""
        text = self.texts()["eigenvalue"]
        if isinstance(self.eigenvalue, ImplicitEigenvalue) and len(text) > LONGEST_LABEL:
            return self.eigenvalue.about
        return text

    def texts(self) -> dict[str, str]:
        """Eigenvalue, real and imaginary part as text."""
        value = self.eigenvalue
        if isinstance(value, Unexpanded):
            if not value.is_pair:
                return {"eigenvalue": str(value), "real_part": str(value), "imaginary_part": "0"}
            real = "0" if value.real_part_sign == 0 else f"re({value})"
            return {
                "eigenvalue": str(value),
                "real_part": real,
                "imaginary_part": f"im({value})",
            }
        b = self.imaginary_part
        text = str(value)
        if not b.is_zero():
            imaginary = times(b, ["I"])
            joined = f"{value} + {imaginary}".replace("+ -", "- ")
            text = imaginary if value.is_zero() else joined
        return {"eigenvalue": text, "real_part": str(value), "imaginary_part": str(b)}


@dataclass(frozen=True)
class ComponentForm:
    """X restricted to some coordinates: X·P = P·J with J = ⊕ blocks, P·Q = I."""

    coordinates: tuple[int, ...]
    matrix: ScalarMatrix
    blocks: tuple[Block, ...]
    basis: ScalarMatrix
    inverse_basis: ScalarMatrix


@dataclass(frozen=True)
class JordanCase:
    """One cell of the parameters with its real Jordan form.

    `components` is None where the basis is not computed (implicit eigenvalues); the
    structure is exact all the same. `undecided` says why a cell has no structure.
    """

    cell: Assumptions
    structure: tuple[StructureBlock, ...]
    components: tuple[ComponentForm, ...] | None
    possibly_empty: bool = False
    undecided: str = ""

    @property
    def is_generic(self) -> bool:
        """True for a cell given by strict inequalities alone: full dimension, no equation."""
        return not (self.cell.solved or self.cell.equations() or self.cell.point_intervals())

    @property
    def growth(self) -> Growth:
        """Growth of ‖exp(τX)‖."""
        if self.undecided:
            return Growth(UNDECIDED, UNDECIDED)
        return growth_of([(b.real_part_sign, b.chain_length) for b in self.structure])


@dataclass(frozen=True)
class RealJordanForm:
    """The complete case tree: cells are mutually exclusive and together exhaustive."""

    dimension: int
    cases: tuple[JordanCase, ...]

    @property
    def undecided(self) -> str:
        """Why some cell has no structure; empty when every cell has."""
        return next((case.undecided for case in self.cases if case.undecided), "")


def polynomial_text(polynomial: Any) -> str:
    """An integer polynomial in x, leading term first."""
    pieces = []
    coefficients = polynomial.coeffs()
    for degree in range(len(coefficients) - 1, -1, -1):
        c = coefficients[degree]
        if c == 0:
            continue
        power = "" if degree == 0 else "x" if degree == 1 else f"x^{degree}"
        magnitude = str(abs(c)) if abs(c) != 1 or not power else ""
        joined = "*".join(part for part in (magnitude, power) if part)
        pieces.append((" - " if c < 0 else " + ") + joined)
    text = "".join(pieces)
    return text[3:] if text.startswith(" + ") else "-" + text[3:]
