"""Angles as 64-bit fixed-point turns.

A frequency θ becomes the integer F next to 2⁶⁴·θ/2π, and a position t the phase t·F modulo 2⁶⁴,
which 64-bit integers compute without rounding: 2⁶⁴ is one turn, and integers wrap where the circle
closes. So for whole positions phase(s + t) = phase(s) + phase(t), bit for bit, however far they
are, and all rounding is in F, once, and in the final conversion to an angle:

    |angle − θt| ≤ π·2⁻⁶⁴·|t| + a few units of 2⁻⁵³ (of half a turn).
"""

from __future__ import annotations

from flint import arb

from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.errors import SpecificationError, Undecided

BITS_OF_A_TURN = 64
FINAL_ROUNDINGS = 8 * 2.0**-53
"""Of the angle in (−2π, 2π): the sum of the phases, the unit of a turn and their product."""


def fixed_point(frequency: Scalar) -> int:
    """The integer nearest to 2⁶⁴·ω/2π, for |ω| < π.

    >>> from symbolic_pe.algebra.scalar import ONE
    >>> fixed_point(ONE)
    2935890503282001226

    Raises `SpecificationError` for |ω| ≥ π, half a turn at every position or more.
    """
    for bits in (192, 384, 768):
        with precision(bits):
            turns = frequency.ball({}) / (2 * arb.pi())
            if not abs(turns) < arb(1) / 2:
                raise SpecificationError(
                    "angles = turns: expected frequencies below pi (half a turn at each position), "
                    f"got {frequency}; use angles = float64"
                )
            nearest = (turns * arb(2) ** BITS_OF_A_TURN + arb(1) / 2).floor().unique_fmpz()
        if nearest is not None:
            return int(nearest)
    raise Undecided(f"which 64-bit turn is nearest to the frequency {frequency}")


__all__ = ["BITS_OF_A_TURN", "FINAL_ROUNDINGS", "fixed_point"]
