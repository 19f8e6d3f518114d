"""A point where a text and what it should compute differ, found by trying some.

A point proves the difference: values are balls, and the point lies in its cell for certain. Finding
none proves nothing, and then the answer is `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import NoReturn
from zlib import crc32

from flint import arb, fmpq

from numeric_check.laws.positions import parameter_points
from numeric_check.reference_values.exact_number import exact_number, parameter_balls
from numeric_check.text_proof.exact_cases import INPUT
from numeric_check.text_proof.exact_cells import Cell, used_variables
from numeric_check.text_proof.exact_input import Refuted
from numeric_check.text_proof.exact_roots import Parameters
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.interval import Interval
from symbolic_pe.algebra.sampling import holds_at
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered, Undecided

Function = ExponentialPolynomial
BITS = 256
MAX_POINTS = 4000
SPREAD = 7
BEYOND_ROUNDING = 2.0**-36
"""Relative to 1 + |value|: more than constants off by 2⁻⁴⁵ explain at the points that are tried."""
_POSITIONS = tuple(
    fmpq(p, q)
    for p, q in (
        (3, 2), (-1, 1), (1, 1), (-5, 2), (1, 2), (2, 1), (-1, 3), (7, 8), (1, 4), (5, 8), (-3, 4),
        (3, 1), (4, 1), (-7, 1), (1, 16), (12, 1), (50, 1), (9000, 1), (-70000, 1), (0, 1),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Point:
    """Positions and parameters as rational numbers; inputs get values of their own."""

    positions: Mapping[str, fmpq]
    parameters: Mapping[str, fmpq]

    def balls(self, known: Parameters, f: Function) -> dict[str, arb]:
        """Values of the symbols of a function, roots and inputs among them."""
        values = known.balls(parameter_balls(self.parameters))
        for name in _inputs(f):
            values[name] = arb(fmpq(crc32(name.encode()) % 97 + 3, 16))
        return values

    def __str__(self) -> str:
        both = {**self.positions, **self.parameters}
        return ", ".join(f"{name} = {_short(x)}" for name, x in both.items())


@dataclass(frozen=True)
class Search:
    """Points to try for one plan."""

    plan: KernelPlan
    known: Parameters

    @cached_property
    def parameters(self) -> tuple[Mapping[str, fmpq], ...]:
        """Parameter values that differ from each other, then some in every case and beside it."""
        try:
            cases = parameter_points(self.plan, None)
        except (NotYetCovered, Undecided):
            cases = ()
        exact = [{n: exact_number(v) for n, v in point.items()} for point in cases]
        return (*self._spread(), *exact)

    def _spread(self) -> Iterator[Mapping[str, fmpq]]:
        """Admissible points with different values for the parameters, by their intervals alone."""
        intervals = {n: self.known.assumptions.intervals[n].samples() for n in self.plan.parameters}
        for k in range(SPREAD):
            chosen = {
                name: values[(k * (index + 1) + index) % len(values)]
                for index, (name, values) in enumerate(intervals.items())
            }
            rational = all(x.is_rational() for x in chosen.values())
            if rational and holds_at(self.known.assumptions, chosen):
                yield {name: x.rational_value() for name, x in chosen.items()}

    def points(self, cell: Cell, variables: Sequence[str]) -> Iterator[Point]:
        """Points that lie in a cell for certain."""
        choices = product(*[_POSITIONS for _ in variables])
        for values, parameters in islice(
            ((v, p) for v in choices for p in self.parameters), MAX_POINTS
        ):
            point = Point(dict(zip(variables, values, strict=True)), parameters)
            if self.inside(cell, point):
                yield point

    def inside(self, cell: Cell, point: Point) -> bool:
        """Whether a point lies in a cell for certain."""
        with precision(BITS):
            return all(contains(c.interval, self.value(c.form, point)) for c in cell.conditions)

    def value(self, f: Function, point: Point) -> arb:
        """f at a point, at the current precision."""
        place = {v: arb(point.positions.get(v, fmpq(0))) for v in f.variables}
        return f.ball(place, point.balls(self.known, f)).real

    def refute(
        self, what: str, cell: Cell, found: Function, expected: Function, *, exactly: bool = True
    ) -> NoReturn:
        """Raise `Refuted` with a point where two functions differ, else `Undecided`.

        exactly  count every difference, not only one beyond rounding
        """
        self.refute_value(
            what,
            cell,
            found,
            lambda point: self.value(expected, point),
            variables=used_variables(expected),
            exactly=exactly,
        )

    def refute_value(
        self,
        what: str,
        cell: Cell,
        found: Function,
        expected: Callable[[Point], arb],
        *,
        variables: Sequence[str] = (),
        exactly: bool = False,
    ) -> NoReturn:
        """The same against values."""
        known = self.difference(cell, found, expected, variables=variables, exactly=exactly)
        where = f" (where {cell})" if cell.conditions else ""
        if known is not None:
            raise Refuted(f"{what}: {known}{where}")
        raise Undecided(
            f"{what}: the text has {_abridged(found)}{where}; neither a proof nor a point that "
            "refutes it was found"
        )

    def difference(
        self,
        cell: Cell,
        found: Function,
        expected: Callable[[Point], arb],
        *,
        variables: Sequence[str] = (),
        exactly: bool = False,
    ) -> str | None:
        """A point where they differ, as text; None when none was found."""
        forms = [found, *(c.form for c in cell.conditions)]
        names = {*variables, *(v for f in forms for v in used_variables(f))}
        for point in self.points(cell, sorted(names)):
            with precision(BITS):
                x, y = self.value(found, point), expected(point)
                size = arb(0) if exactly else BEYOND_ROUNDING * (1 + abs(y))
                if x.is_finite() and y.is_finite() and abs(x - y) > size:
                    return f"the text has {_decimal(x)}, expected {_decimal(y)}, at {point}"
        return None


def _inputs(f: Function) -> set[str]:
    scalars = [part for c in f.terms.values() for part in (c.re, c.im)]
    return {name for x in scalars for name in x.symbols() if name.startswith(INPUT)}


def contains(interval: Interval, x: arb) -> bool:
    """Whether a ball lies inside for certain."""
    if not x.is_finite():
        return False
    for bound, closed, sign in (
        (interval.low, interval.low_closed, 1),
        (interval.high, interval.high_closed, -1),
    ):
        if bound is None:
            continue
        distance = (x - bound.ball({})) * sign
        if not (distance > 0 or (closed and distance >= 0)):
            return False
    return True


def _short(x: fmpq) -> str:
    text = str(x)
    return text if len(text) <= 12 else repr(float(arb(x)))


def _decimal(x: arb) -> str:
    return "0" if x.contains(0) else str(x.str(12, radius=False))


def _abridged(f: Function) -> str:
    text = str(f)
    return text if len(text) <= 120 else f"{text[:117]}..."


__all__ = ["Point", "Search", "contains"]
