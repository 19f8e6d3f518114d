"""How far a right kernel may be from the exact map: named formulas, never literals.

Everything is normwise per block. For one block with exact matrix E (rows: the coordinates of the
block, columns: what it reads) and a majorant M ≥ |E| of what the kernel adds up,

    ‖ŷ − y‖₂ ≤ (m·u_c + u_o + κ·2⁻⁵³)·‖M|x|‖₂ + η

    m    roundings in the compute dtype on the way to one entry (`operations`)
    u_c  unit roundoff of the compute dtype: float64 for float64 input, else float32
    u_o  unit roundoff of the output dtype, when the result is rounded to it once more
    κ    relative error of the float64 tables, in units of 2⁻⁵³: what angles and exponents lose
         (`angle_error`, `exponent_error`, `entire_error`)
    η    what underflow may lose (`underflow`)

Where every entry of E is one product (rotations, decays, chains) M = |E|, so that for a unit
vector x the factor ‖M|x|‖ is ‖y‖. First order in u: the dropped terms are below m²u² and are
covered by `FIRST_ORDER`.

Assumed of the kernel's library: exp, sin, cos and products are within one unit in the last place
in float64, and sin, cos reduce their argument exactly (true of NumPy and PyTorch on CPUs).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numeric_check.reference_values.double_double import Array

FIRST_ORDER = 1.01
"""Factor for the terms of second order: (1 + u)^m − 1 ≤ 1.01·m·u for m·u ≤ 0.02."""

FREQUENCY_ROUNDINGS = 6.0
"""Half-units lost in ω·u: the constants of the formula for ω (2), its power (2), the difference
position − reference (1), the product (1)."""

RATE_ROUNDINGS = 6.0
"""The same for a·u."""

TABLE_ROUNDINGS = 6.0
"""Half-units lost after the angle is known: cos or sin (2), exp (2), their product and the
polynomial weight (2)."""

ENTRY_ROUNDINGS = 8.0
"""Half-units lost in forming one entry of a parametric 2×2 matrix, or its discriminant relative
to the sum of the magnitudes of its two terms."""

RANGE_MARGIN = math.log(32.0)
"""Distance that the served window keeps from overflow, in the exponent: room for a sum over the
slots of a block of inputs of magnitude up to 4."""


@dataclass(frozen=True)
class Format:
    """A floating-point format: significand bits p (unit roundoff 2⁻ᵖ) and range."""

    name: str
    precision: int
    largest: float
    smallest_normal: float
    smallest: float
    compute: str

    @property
    def unit_roundoff(self) -> float:
        """u = 2⁻ᵖ: relative error of rounding to nearest."""
        return 2.0**-self.precision


FORMATS = {
    "float64": Format(
        "float64", 53, float.fromhex("0x1.fffffffffffffp1023"), 2.0**-1022, 2.0**-1074, "float64"
    ),
    "float32": Format(
        "float32", 24, float.fromhex("0x1.fffffep127"), 2.0**-126, 2.0**-149, "float32"
    ),
    "bfloat16": Format("bfloat16", 8, float.fromhex("0x1.fep127"), 2.0**-126, 2.0**-133, "float32"),
    "float16": Format("float16", 11, 65504.0, 2.0**-14, 2.0**-24, "float32"),
}
DTYPES = tuple(FORMATS)


def operations(
    *, pair: bool, decays: bool, chain_length: int, parametric: bool = False, inputs: int = 1
) -> int:
    """Roundings m on the way to one entry, in the compute dtype.

    table 1, product 1, and: sum of two products in a plane +1; a separate factor e^{au} +2 (its
    table and product); a chain of length n: +4(n − 1) + 1 by Horner's rule, each step of which
    rounds a weight, its quotient, a product and a sum (summing the terms takes fewer); a basis
    with dot products over `inputs` > 1 channels: its rounding and sums +(inputs + 1); a
    parametric 2×2 matrix counts as a plane.
    """
    m = 2 + (1 if pair or parametric else 0) + (2 if decays else 0)
    m += 4 * (chain_length - 1) + 1 if chain_length > 1 else 0
    return m + (inputs + 1 if inputs > 1 else 0)


def split_tolerance(format_: Format, roundings: int) -> tuple[float, float]:
    """m·u_c, relative to ‖M|x|‖, and u_o, relative to ‖y‖ itself: the sharper form."""
    compute = FORMATS[format_.compute]
    output = 0.0 if format_.compute == format_.name else format_.unit_roundoff
    return FIRST_ORDER * roundings * compute.unit_roundoff, FIRST_ORDER * output


def relative_tolerance(format_: Format, roundings: int) -> float:
    """m·u_c + u_o, the part of ε that does not depend on the displacement."""
    return sum(split_tolerance(format_, roundings))


def underflow(format_: Format, roundings: int) -> float:
    """η: each rounding may lose a subnormal of the compute dtype, the last one of the output's.

    A smallest normal per rounding in the compute dtype covers machines that flush to zero.
    """
    compute = FORMATS[format_.compute]
    return roundings * compute.smallest_normal + format_.smallest


def angle_error(frequency: Array, displacement: Array) -> Array:
    """κ of the angle ω·u, in units of 2⁻⁵³: |ωu|·(6 + |ln ω|).

    R(θ + δ) − R(θ) has norm ≤ |δ|. The frequency may come from base^(−2j/d), whose float64
    exponent −(2j/d)·ln base is rounded before it is raised: a relative error |ln ω|·2⁻⁵³ of ω.
    """
    magnitude = np.abs(frequency)
    logarithm = np.abs(np.log(np.where(magnitude > 0, magnitude, 1.0)))
    result: Array = magnitude * np.abs(displacement) * (FREQUENCY_ROUNDINGS + logarithm)
    return result


def exponent_error(largest_rate: Array, displacement: Array) -> Array:
    """κ of the exponent a·u: 6·max|a|·|u|.

    e^{x + δ} − e^x = e^x·δ. Rates come from logarithms of numbers near 1, whose error is relative
    to the largest of them, not to each; hence the maximum over the group.
    """
    return RATE_ROUNDINGS * np.abs(largest_rate * displacement)


def entire_error(
    centre: Array, discriminant_scale: Array, reach: Array, displacement: Array
) -> Array:
    """κ for a parametric 2×2 component exp(uX) = e^{au}(C·I + S·(X − aI)).

    The exponent a·u as above; the discriminant D = h² + x₀₁x₁₀ has an absolute error of at most
    8·2⁻⁵³·m² with m² = (|x₀₀| + |x₁₁|)²/4 + |x₀₁x₁₀| (`discriminant_scale`), and dC/dD = u·S/2,
    |S| ≤ s̄·cosh(u√D₊) with s̄ = min(|u|, 1/√|D|) (`reach`), the same factor bounding dS/dD.
    """
    scale = 1.0 + discriminant_scale * np.abs(displacement) * reach
    result: Array = exponent_error(centre, displacement) + ENTRY_ROUNDINGS * scale
    return result


def in_served_window(growth: Array, format_: Format) -> npt.NDArray[np.bool_]:
    """|u|·max|a| (and the polynomial and basis that go with it) < ln(max of the dtype) − margin.

    `growth` is the logarithm of a majorant of the block at u and −u. Inside, nothing overflows,
    and since the window is symmetric nothing underflows either.
    """
    inside: npt.NDArray[np.bool_] = growth < window_exponent(format_)
    return inside


def window_exponent(format_: Format) -> float:
    """ln(max of the dtype) − margin: 85 for float32 and bfloat16, 7.6 for float16."""
    return math.log(format_.largest) - RANGE_MARGIN


def product_tolerance(
    left_norm: Array, left_error: Array, right_norm: Array, right_error: Array
) -> Array:
    """|x̂·ŷ − x·y| ≤ ‖x‖·δ_y + δ_x·‖y‖ + δ_x·δ_y, for the relative identity."""
    return left_norm * right_error + left_error * right_norm + left_error * right_error
