"""Encodings that are no group: what they compute, what shows it, and the code that remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from flint import arb, fmpq

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Claim
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.errors import SymbolicPEError

FUNCTION_KINDS = ("bias", "table")
Given = Mapping[str, Any]
"""The constants and learned arrays of a closed form, by name: nested sequences of numbers."""


class Arithmetic(Protocol):
    """What a closed form needs beside +, −, ·, /, ** and the methods log, cos, sin of its numbers.

    Numbers are balls, or exact elements in place of them: a closed form is written once for both.
    """

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        """`first` where a comparison holds, else `second`."""
        ...

    def maximum(self, first: Any, second: Any) -> Any:
        """The larger of two."""
        ...

    def pick(self, row: Sequence[Any], index: Any) -> Any:
        """The entry of a row at a whole number."""
        ...


class Balls:
    """Arithmetic on balls, at the current precision.

    >>> BALLS.pick([arb(2), arb(3)], arb(1))
    3.00000000000000
    """

    def where(self, condition: bool, first: arb, second: arb) -> arb:
        """`first` where the condition holds, else `second`."""
        return first if condition else second

    def maximum(self, first: Any, second: Any) -> arb:
        """The larger of two."""
        return arb(first).max(arb(second))

    def pick(self, row: Sequence[Any], index: Any) -> Any:
        """The entry of a row at a whole number."""
        return row[int(arb(index).unique_fmpz())]


BALLS = Balls()


@dataclass(frozen=True)
class PositionFunction:
    """One function of positions as code, where no group kernel exists.

    kind         `bias`: b(t, s), (queries, keys) or (heads, queries, keys), added to logits;
                 `table`: one row for each position, (positions, width)
    equation     what it computes, as text for the docstring
    statements   (name, expression) in order, and
    result       the expression that is returned; both are Python over arrays, with the functions of
                 `emit.position_functions.FUNCTIONS` and the names that are there: constants,
                 learned arrays, and `query`, `key`, `lag` of shapes (queries, 1), (1, keys),
                 (queries, keys) for a bias, `position` of shape (positions, 1) for a table
    closed_form  its definition, written for one entry: (arithmetic, given, t, s, head) for a bias,
                 (arithmetic, given, position, column) for a table; `given` has the constants and
                 the learned arrays by name, as nested sequences of numbers
    constants    NAME → exact numbers, written into the file as binary64
    learned      name → shape and meaning of an array that is an argument
    samples      name → numbers for that array (nested sequences)
    length       it serves the positions 0 … length − 1 only; None for all of them
    both_directions  a bias that is meant for keys after the query too
    dimension    channels of the encoding, set by `Outside`
    count        heads of a bias with these samples (0: its shape has no heads), columns of a table
    """

    kind: str
    equation: str
    statements: tuple[tuple[str, str], ...]
    result: str
    closed_form: Callable[..., Any] = field(compare=False)
    count: int
    constants: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    learned: Mapping[str, str] = field(default_factory=dict)
    samples: Mapping[str, Sequence[object]] = field(default_factory=dict)
    length: int | None = None
    both_directions: bool = False
    dimension: int = 0

    def __post_init__(self) -> None:
        if self.kind not in FUNCTION_KINDS:
            raise ValueError(
                f"kind: expected one of {', '.join(FUNCTION_KINDS)}, got {self.kind!r}"
            )
        if set(self.learned) != set(self.samples):
            raise ValueError(
                f"samples: expected numbers for each of {sorted(self.learned)}, got "
                f"{sorted(self.samples)}"
            )

    def reference(self, *place: int) -> arb:
        """The exact value at (t, s, head) or (position, column) for the samples, in a ball."""
        *positions, index = place
        return self.value(*(fmpq(x) for x in positions), index=index, learned=self.samples)

    def value(self, *positions: fmpq, index: int, learned: Mapping[str, object]) -> arb:
        """The exact value at any positions and learned numbers, at the current precision."""
        given = {name: [x.ball({}) for x in row] for name, row in self.constants.items()}
        given |= {name: _balls(numbers) for name, numbers in learned.items()}
        found: arb = arb(self.closed_form(BALLS, given, *(arb(x) for x in positions), index))
        return found


def _balls(numbers: object) -> Any:
    if isinstance(numbers, (list, tuple)):
        return [_balls(x) for x in numbers]
    return arb(numbers)


@dataclass(frozen=True)
class Outside:
    """A positional encoding that no one-parameter group realises.

    claims       decides what the verdict says, with exact numbers; see `encodings.witnesses`
    function     code that remains: a bias or a table of positions
    no_function  why there is none, where there is none
    """

    name: str
    verdict: Verdict
    dimension: int
    claims: Callable[[], tuple[Claim, ...]] = field(compare=False)
    function: PositionFunction | None = None
    no_function: str = ""
    title: str = ""
    reference: str = ""
    specification: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.function is None) == (not self.no_function):
            raise ValueError(f"{self.name}: expected a function, or the reason why there is none")
        if self.function is not None and self.function.dimension != self.dimension:
            own = replace(self.function, dimension=self.dimension)
            object.__setattr__(self, "function", own)


class NotAGroup(SymbolicPEError):
    """What was asked needs one generator, and the encoding has none; carries the encoding."""

    refutes = True

    def __init__(self, found: Outside) -> None:
        super().__init__(
            f"{found.name}: {found.verdict.value}, so it has no generator; what shows it: "
            f"symbolic-pe prove {found.name}"
        )
        self.found = found
