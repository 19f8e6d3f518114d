"""What differs between array libraries in the text of an expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symbolic_pe.emit.trees import Node, is_number


@dataclass(frozen=True)
class Dialect:
    """One array library.

    array, scalar  prefixes of functions of arrays and of numbers (`np`, `math`)
    axis           keyword for an axis
    table          head and tail of a constant array of binary64 numbers
    channels       the same for channel numbers
    index          (count, floating) → text of 0 … count − 1
    inline         indices stand inside formulas instead of having a name
    use            (constant, like) → text of the constant where the array `like` lives
    cast           text → text in the compute dtype
    number         text of a number among stacked arrays
    waves          the call of `_waves` where x is at hand; None where there is no such function
    whole          text → text as 64-bit integers, which wrap; None where there are none
    exact          (parameter, like) → text of it in float64 where the array `like` lives; None
                   where no parameters are printed
    listed         constants are lists of Python numbers, as no library is known at import
    """

    array: str
    scalar: str
    axis: str
    table: tuple[str, str]
    channels: tuple[str, str]
    index: Callable[[int, bool], str]
    inline: bool
    use: Callable[[str, str], str]
    cast: Callable[[str], str]
    number: Callable[[str], str]
    waves: str | None = None
    whole: Callable[[str], str] | None = None
    exact: Callable[[str, str], str] | None = None
    listed: bool = False


@dataclass(frozen=True)
class Operand:
    """An expression to use, after these statements."""

    node: Node
    statements: tuple[str, ...] = ()

    @property
    def is_zero(self) -> bool:
        """True for the constant 0."""
        return is_number(self.node, 0)

    @property
    def is_one(self) -> bool:
        """True for the constant 1."""
        return is_number(self.node, 1)
