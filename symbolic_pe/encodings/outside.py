"""Encodings that are no group: what they compute, what shows it, and the code that remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flint import arb

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Claim
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.errors import SymbolicPEError

FUNCTION_KINDS = ("bias", "table")


@dataclass(frozen=True)
class PositionFunction:
    """One function of positions as code, where no group kernel exists.

    kind        `bias`: b(t, s), (queries, keys) or (heads, queries, keys), added to logits;
                `table`: one row for each position, (positions, width)
    equation    what it computes, as text for the docstring
    statements  (name, expression) in order, and
    result      the expression that is returned; both are Python over arrays, with the functions of
                `emit.position_functions.FUNCTIONS` and the names that are there: constants, learned
                arrays, and `query`, `key`, `lag` of shapes (queries, 1), (1, keys), (queries, keys)
                for a bias, `position` of shape (positions, 1) for a table
    reference   the exact value: (t, s, head) for a bias, (position, column) for a table
    constants   NAME → exact numbers, written into the file as binary64
    learned     name → shape and meaning of an array that is an argument
    samples     name → the numbers of that array for which `reference` holds (nested sequences)
    length      it serves the positions 0 … length − 1 only; None for all of them
    both_directions  a bias that is meant for keys after the query too
    """

    kind: str
    equation: str
    statements: tuple[tuple[str, str], ...]
    result: str
    reference: Callable[[int, int, int], arb] | Callable[[int, int], arb] = field(compare=False)
    constants: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    learned: Mapping[str, str] = field(default_factory=dict)
    samples: Mapping[str, Sequence[object]] = field(default_factory=dict)
    length: int | None = None
    both_directions: bool = False

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


class NotAGroup(SymbolicPEError):
    """What was asked needs one generator, and the encoding has none; carries the encoding."""

    refutes = True

    def __init__(self, found: Outside) -> None:
        super().__init__(
            f"{found.name}: {found.verdict.value}, so it has no generator; what shows it: "
            f"symbolic-pe prove {found.name}"
        )
        self.found = found
