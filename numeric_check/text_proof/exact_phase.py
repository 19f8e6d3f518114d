"""Fixed-point turns on exact elements: integers that wrap, read on the circle.

A text may form a phase in 64-bit integers, whose wrapping modulo 2⁶⁴ is wanted: times `TURN` the
phase is an angle, of which only cos and sin are taken. So

    ⌊u⌋        an integer without a name of its own: `Exact.whole_part`, a new variable
    int64(⌊u⌋) a `Phase`: known modulo 2⁶⁴, to which integers and real numbers may be added
    phase·TURN an `Angle`: known modulo 2⁶⁴·TURN, which is one turn

`TURN` is 2π/2⁶⁴ in binary64; its circle differs from that of 2π by 2⁻⁵³ of itself, which is
rounding (`numeric_check.rounding` counts it). Whatever else a text does with a phase or an angle,
such as an exponential, has no meaning modulo a period, and raises `LeavesTheRing`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_element import BranchOnValue, Exact, LeavesTheRing, Modular
from symbolic_pe.emit.turns import BITS_OF_A_TURN

TURN = 2 * math.pi / 2**BITS_OF_A_TURN
INT64 = "int64"


class _Form(Modular):
    """A linear form that is known up to multiples of a period; what is not here has no meaning."""

    __slots__ = ("form",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, form: Exact) -> None:
        self.form = form

    def __eq__(self, other: object) -> bool:
        raise BranchOnValue("the text compares values that depend on the position")

    def __getattr__(self, name: str) -> Any:
        raise LeavesTheRing(f"the text uses {name} of a value that is only known modulo a period")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.form})"


class Angle(_Form):
    """An angle, known modulo one turn."""

    __slots__ = ()

    def cos(self) -> Exact:
        """cos, which does not ask which of the angles it is."""
        return self.form.cos()

    def sin(self) -> Exact:
        """sin, likewise."""
        return self.form.sin()

    def __neg__(self) -> Angle:
        return Angle(-self.form)


class Phase(_Form):
    """A number known modulo 2⁶⁴: a wrapped integer, perhaps with a real number added."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        added = other.form if isinstance(other, Phase) else Exact.of(other)
        return Phase(self.form + added)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + (-other if isinstance(other, Phase) else -Exact.of(other))

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return -self + other

    def __neg__(self) -> Phase:
        return Phase(-self.form)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, (int, np.integer)):
            return Phase(self.form * int(other))
        if isinstance(other, (float, np.floating)) and float(other) == TURN:
            return Angle(self.form * TURN)
        raise LeavesTheRing(
            f"the text multiplies what is known modulo 2^64 by {other!r}, neither an integer nor "
            "2 pi / 2^64"
        )

    __rmul__ = __mul__


def as_integer(x: Any) -> Phase:
    """int64 of a sum of integers, wrapped. Raises `LeavesTheRing` for anything else."""
    if isinstance(x, Phase):
        return x
    element = Exact.of(x)
    if not element.is_whole():
        raise LeavesTheRing(f"the text turns {element.function} into an integer")
    return Phase(element)


__all__ = ["INT64", "TURN", "Angle", "Phase", "as_integer"]
