"""Encodings that are no group: what they compute, what shows it, and the code that remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flint import arb

from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Claim
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.errors import SymbolicPEError

FUNCTION_KINDS = ("bias", "table", "map")


@dataclass(frozen=True)
class PositionFunction:
    """One function of positions as code, where no group kernel exists.

    kind        `bias` (added to logits), `table` (rows for positions) or `map` (applied to q and k)
    arguments   name → shape and meaning; positions and lags first, learned arrays after them
    constants   name → exact numbers, written into the file as binary64
    statements  (name, expression) in order; an expression is Python over the names above with the
                functions of `emit.position_functions`
    result      the expression that is returned
    equation    the same in text, for the docstring
    reference   the exact value at exact positions (and given learned numbers), entry by entry:
                emitted code is compared with it
    samples     learned arrays to compare at, by name; nested lists of rationals
    """

    kind: str
    arguments: Mapping[str, str]
    statements: tuple[tuple[str, str], ...]
    result: str
    equation: str
    reference: Callable[..., arb] = field(compare=False)
    constants: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    samples: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in FUNCTION_KINDS:
            raise ValueError(
                f"kind: expected one of {', '.join(FUNCTION_KINDS)}, got {self.kind!r}"
            )


@dataclass(frozen=True)
class Outside:
    """A positional encoding that no one-parameter group realises.

    claims       decides what the verdict says, with exact numbers; see `encodings.witnesses`
    function     code that remains: a bias, a table or a map of positions
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
