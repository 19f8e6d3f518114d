"""Which arithmetic a subject shows, and what that arithmetic may lose: named formulas.

A right map that computes its angles with unit roundoff u_a, stores tables and products with u_t and
returns results with u_o is off by at most

    ε(t) = 1.01·(m·u_t + u_o + c·u_a) + u_a·|t|·Σ(ω·(6 + |ln ω|) + 6·|a|)

relative to the norms of what it adds up (`numeric_check.reference_values.tolerance` has the
parts: m roundings on the way to one entry, c the roundings of a table entry). u_t is read off the
results: the image of a unit vector is a table entry, and its significant bits show the format. For
u_a the audit grants float32, not because that is good, but because nearly all published code does
it; `precision` then says from which position on it shows. Positions or frequencies with 8 or 11
bits are not granted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from numeric_check.audit.libraries import Array
from numeric_check.reference_values.tolerance import (
    FIRST_ORDER,
    FORMATS,
    TABLE_ROUNDINGS,
    Format,
    angle_error,
    exponent_error,
    operations,
)

BY_PRECISION = tuple(sorted(FORMATS.values(), key=lambda f: f.precision))


@dataclass(frozen=True)
class Arithmetic:
    """Formats of angles, of tables and products, and of results."""

    angle: Format
    table: Format
    output: Format

    def __str__(self) -> str:
        same = self.table.name == self.output.name
        tables = f"tables in {self.table.name}" + ("" if same else f", results {self.output.name}")
        return f"angles in {self.angle.name}, {tables}"

    def with_angle(self, name: str) -> Arithmetic:
        """The same with another format for angles."""
        return replace(self, angle=FORMATS[name])

    def constant(self, size: int = 2) -> float:
        """The part of ε that does not depend on the position, for a block of `size` channels."""
        inputs = size if size > 2 else 1
        m = operations(pair=True, decays=True, chain_length=max(1, size // 2), inputs=inputs)
        tables = m * self.table.unit_roundoff + TABLE_ROUNDINGS * self.angle.unit_roundoff
        return FIRST_ORDER * (tables + self.output.unit_roundoff)

    def slope(self, frequency: float, rate: float) -> float:
        """What one more position adds to ε: the angle ω·t and the exponent a·t."""
        one = np.ones(1)
        losses = angle_error(frequency * one, one) + exponent_error(rate * one, one)
        return float(losses[0]) * self.angle.unit_roundoff

    def loss(self, frequency: float, rate: float, size: int) -> tuple[float, float]:
        """What `tolerance` allows, as constant + slope·|t|."""
        at = self.tolerance(np.array([0.0, 1.0]), frequency, rate, size)
        return float(at[0]), float(at[1] - at[0])

    def tolerance(
        self, positions: Array, frequency: float = 0.0, rate: float = 0.0, size: int = 2
    ) -> Array:
        """ε at each position, relative to the norm of what is added up."""
        steps = np.abs(np.asarray(positions, dtype=np.float64))
        slope = 0.0 if self.product_is_exact(frequency, rate) else self.slope(frequency, rate)
        result: Array = self.constant(size) + slope * steps
        return result

    def product_is_exact(self, frequency: float, rate: float) -> bool:
        """Whether ω·t has no rounding at all: ω a power of two (usually 1), t an integer."""
        return rate == 0.0 and frequency != 0.0 and abs(np.frexp(abs(frequency))[0]) == 0.5


def significant_bits(values: Array) -> int:
    """The most significant bits that one of the values needs.

    >>> significant_bits(np.array([0.75, 1.0]))
    2
    """
    finite = values[np.isfinite(values) & (values != 0.0)]
    if not finite.size:
        return 1
    whole = np.ldexp(np.frexp(np.abs(finite))[0], 53).astype(np.int64)
    lowest = whole & -whole
    return 53 - int(np.log2(lowest.min()))


def shown_format(values: Array, given: str) -> Format:
    """The coarsest format that holds every value; `given`, the dtype of x, if none does."""
    bits = significant_bits(values)
    for candidate in BY_PRECISION:
        if bits <= candidate.precision:
            return candidate
    return FORMATS[given]


def arithmetic_of(images: Array, given: str, returned: str, angle: str = "float32") -> Arithmetic:
    """The arithmetic that the images of unit vectors show.

    images    entries of F(t), from inputs of dtype `given`, in which products may be formed
    returned  dtype of the results
    """
    output = FORMATS.get(returned, FORMATS[given])
    formats = (shown_format(images, given), output, FORMATS[given])
    return Arithmetic(FORMATS[angle], min(formats, key=lambda f: f.precision), output)
