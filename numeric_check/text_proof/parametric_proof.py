"""The text of a kernel with run-time parameters, executed with the parameters as symbols.

The input is a vector of symbols, the parameters are symbols with what the specification assumes of
them, and every branch of the text is kept with the cell where it is taken. For each head and block
it is decided, on every cell, for all positions, references and admissible parameters, that

    F̂(t + c; c) = F̂(t; 0),  Ĝ(s + c; c) = Ĝ(s; 0)          the reference cancels
    F̂(t)ᵀ = exp(tX̂),  Ĝ(s) = exp(−sX̂)                     with one X̂, a matrix of functions

and that X̂ is within rounding of X, coefficient by coefficient. Where a text sums a series in place
of cosh(t√D) and sinh(t√D)/√D (see `branch_series`), its distance from them is bounded and
stated. A difference is refuted by a point where anyone can evaluate it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.text_proof.branch_exponential import (
    VARIABLE,
    Entries,
    Nearness,
    Rates,
    generator_at_zero,
    is_exponential,
    with_own_discriminant,
)
from numeric_check.text_proof.branch_series import SMALL_REMAINDER, Series, series_of, upper
from numeric_check.text_proof.close_constants import are_close
from numeric_check.text_proof.exact_cases import ExactCases, pieces_of
from numeric_check.text_proof.exact_cells import EVERYWHERE, Cell, Pieces, joined
from numeric_check.text_proof.exact_engine import Engine
from numeric_check.text_proof.exact_input import Refuted, coefficients, in_one, rows, symbols
from numeric_check.text_proof.exact_roots import Parameters
from numeric_check.text_proof.exact_witness import Point, Search
from numeric_check.text_proof.planned_blocks import PlacedRates, planned_blocks
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ZERO
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered, Undecided

Function = ExponentialPolynomial
Matrix = dict[tuple[int, int], Pieces[Function]]
REFERENCE = "c"
SHIFTS = ": at position {0} + c and reference c, against position {0} and reference 0"
AT_THE_END = 1 << 40
"""Positions in steps of 2⁻⁴⁰ come as near to the end of a cell."""
NOTHING = Pieces.of(Function(("t",), {}))


@dataclass(frozen=True)
class Run:
    """One text on exact elements that depend on parameters."""

    engine: Engine
    names: Mapping[str, Any]
    plan: KernelPlan
    known: Parameters

    @classmethod
    def of(cls, engine: Engine, names: Mapping[str, Any], plan: KernelPlan) -> Run:
        """With what the specification assumes of the parameters."""
        assumptions = plan.encoding.heads[0].generator.assumptions
        return cls(engine, names, plan, Parameters(assumptions))

    @cached_property
    def parameters(self) -> tuple[ExactCases, ...]:
        """The arguments after the positions."""
        return tuple(ExactCases.symbol(name, self.known) for name in self.plan.parameters)

    @cached_property
    def search(self) -> Search:
        """Points that refute."""
        return Search(self.plan, self.known)

    @property
    def reference(self) -> ExactCases:
        """A symbolic reference c."""
        return ExactCases.variable(REFERENCE, self.known)

    def moved(self, variable: str) -> tuple[Any, ...]:
        """The position t + c, and the parameters."""
        value = np.empty(1, dtype=object)
        value[0] = ExactCases.variable(variable, self.known) + self.reference
        return self.engine.bring(value), *self.parameters

    def positions(self, *names: str) -> Any:
        """A vector of symbolic positions."""
        values = np.empty(len(names), dtype=object)
        for index, name in enumerate(names):
            values[index] = ExactCases.variable(name, self.known)
        return self.engine.bring(values)

    def input(self, side: str = "") -> Any:
        """A vector of symbols for every head."""
        return self.engine.bring(symbols(self.plan, self.known, side))

    def fetch(self, value: Any) -> Any:
        """The elements of a result."""
        return np.asarray(self.engine.fetch(value), dtype=object)

    def same(
        self,
        what: str,
        found: Pieces[Function],
        expected: Pieces[Function],
        *,
        exactly: bool = True,
    ) -> None:
        """Decide that two functions are the same on every cell.

        exactly  refute by any difference; else only by one beyond rounding
        """
        for cell, (f, g) in joined([found, expected]).pieces:
            if not self.known.vanishes(f - g):
                self.search.refute(what, cell, f, g, exactly=exactly)


@dataclass(frozen=True)
class MapsProof:
    """The maps of every head, and how near the series of the text are."""

    queries: tuple[Matrix, ...]
    keys: tuple[Matrix, ...]
    nearness: Nearness


def decide_maps(run: Run) -> MapsProof:
    """Decide the two maps of every head; raises `Refuted`, `Undecided` or `LeavesTheRing`."""
    if run.plan.basis is not None:
        raise NotYetCovered("exact execution with branches covers kernels without a basis")
    queries = _maps(run, "transform_query", "t")
    keys = _maps(run, "transform_key", "s")
    nearness = Nearness()
    for head, (query, key) in enumerate(zip(queries, keys, strict=True)):
        blocks = list(planned_blocks(run.plan, head))
        for name, matrix in (("transform_query", query), ("transform_key", key)):
            _decide_zeros(run, f"head {head}, {name}", matrix, [b.channels for b in blocks])
        for block in blocks:
            nearness = nearness.joined(_decide_block(run, head, block, query, key))
    return MapsProof(tuple(queries), tuple(keys), nearness)


def _maps(run: Run, name: str, variable: str) -> list[Matrix]:
    """The map of every head at reference 0, after deciding that the reference only shifts.

    F̂(t + c; c) = F̂(t; 0) for all t and c says the same as F̂(t; c) = F̂(t − c; 0), and the text
    forms t + c − c = t, which keeps its polynomials short.
    """
    function = run.names[name]
    given = run.positions(variable), *run.parameters
    plain = rows(run.fetch(function(run.input(), *given)), run.plan)
    moved = function(run.input(), *run.moved(variable), reference=run.reference)
    shifted = rows(run.fetch(moved), run.plan)
    found = []
    for head in range(run.plan.heads):
        matrix: Matrix = {}
        for i in range(run.plan.dimension):
            where = f"head {head}, {name}, output channel {i}"
            f = pieces_of(plain[head][i]).map(lambda f: in_one(f, variable))
            run.same(f"{where}{SHIFTS.format(variable)}", pieces_of(shifted[head][i]), f)
            for j, entry in _entries(f, head, i).items():
                matrix[i, j] = entry
        found.append(matrix)
    return found


def composed(f: Pieces[Function], variable: str, form: Mapping[str, int]) -> Pieces[Function]:
    """f and its cells at another linear form."""

    def image(g: Function) -> Function:
        return in_one(g, variable).compose(form)

    return Pieces(tuple((cell.moved(image), image(g)) for cell, g in f.pieces))


def _entries(f: Pieces[Function], head: int, channel: int) -> dict[int, Pieces[Function]]:
    """The coefficient of every input channel, on the cells of f."""
    parts = f.map(lambda g: coefficients(g, head, channel))
    zero = Function(("t",), {})

    def entry(j: int) -> Pieces[Function]:
        return parts.map(lambda found: found.get(j, zero))

    return {j: entry(j) for j in sorted({j for _, found in parts.pieces for j in found})}


def _decide_zeros(run: Run, what: str, matrix: Matrix, blocks: Sequence[tuple[int, ...]]) -> None:
    """Entries outside the blocks are 0."""
    inside = {(i, j) for channels in blocks for i in channels for j in channels}
    for (i, j), entry in sorted(matrix.items(), key=lambda item: item[0]):
        if (i, j) not in inside:
            run.same(f"{what}, row {i}, column {j}", entry, NOTHING)


# -- blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One map on one block, written as A(t): F̂(t)ᵀ or Ĝ(−t), on every cell."""

    name: str
    block: PlacedRates
    square: Pieces[Entries]

    @property
    def is_query(self) -> bool:
        """Whether it is the map of queries."""
        return self.name == "transform_query"

    def place(self, i: int, j: int) -> str:
        """Where the map has the entry A_ij."""
        row, column = (self.block.channels[k] for k in ((j, i) if self.is_query else (i, j)))
        return f"row {row}, column {column}, position {'t' if self.is_query else '-t'}"


def _decide_block(run: Run, head: int, block: PlacedRates, query: Matrix, key: Matrix) -> Nearness:
    """F̂ᵀ = exp(tX̂) and Ĝ(−t) = exp(tX̂) on every cell, X̂ within rounding of X."""
    sides = (
        _side("transform_query", block, query, "t", 1),
        _side("transform_key", block, key, "s", -1),
    )
    rates = _rates(run, head, block, sides[0].square)
    nearness = Nearness()
    for side in sides:
        for cell, entries in side.square.pieces:
            found = _decide_cell(run, head, side, (cell, entries), rates)
            nearness = nearness.joined(found)
    return nearness


def _side(name: str, block: PlacedRates, matrix: Matrix, variable: str, sign: int) -> Side:
    n = len(block.channels)
    flat = [
        matrix.get((j, i) if sign > 0 else (i, j), NOTHING)
        for i in block.channels
        for j in block.channels
    ]
    parts = joined([composed(over(f, variable), variable, {"t": sign}) for f in flat])
    square = parts.map(lambda entries: tuple(entries[n * i : n * i + n] for i in range(n)))
    return Side(name, block, square)


def over(f: Pieces[Function], variable: str) -> Pieces[Function]:
    """f as a function of one variable; raises `Refuted` where another position occurs."""
    return f.map(lambda g: in_one(g, variable) if g.terms else Function((variable,), {}))


def _rates(run: Run, head: int, block: PlacedRates, square: Pieces[Entries]) -> Rates:
    """X̂ of the cell that holds the reference, within rounding of X."""
    at_reference = [entries for cell, entries in square.pieces if _holds_reference(cell)]
    found = generator_at_zero(run.known, (at_reference or [square.pieces[0][1]])[0])
    for i, row in enumerate(found):
        for j, x in enumerate(row):
            if not are_close(x, block.rates[i][j]):
                place = f"row {block.channels[i]}, column {block.channels[j]}"
                run.search.refute(
                    f"head {head}: generator, {place}",
                    EVERYWHERE,
                    Function.constant(x),
                    Function.constant(block.rates[i][j]),
                )
    return found


def _holds_reference(cell: Cell) -> bool:
    """Whether every condition holds at position 0, for all parameters."""
    return all(
        all(any(key.powers) for key in c.form.terms) and c.interval.contains(ZERO)
        for c in cell.conditions
    )


def _decide_cell(
    run: Run, head: int, side: Side, piece: tuple[Cell, Entries], rates: Rates
) -> Nearness:
    """One piece of one map, and how near it is to the exponential."""
    known, (cell, entries) = run.known, piece
    if is_exponential(known, entries, rates):
        return Nearness()
    what = f"head {head}, {side.name}"
    series = None
    if len(rates) == 2:
        if with_own_discriminant(known, entries, rates):
            return Nearness(own_discriminant=True)
        series = series_of(known, cell, entries, rates)
        nearness = Nearness() if series is None else series.nearness
        remainder = nearness.remainder
        if remainder and max(remainder.even, remainder.odd) <= SMALL_REMAINDER:
            return nearness
    _refute_cell(run, what, side, piece)
    if series is not None and remainder is not None:
        _refute_series(run, what, cell, series)
        raise Undecided(
            f"{what}: the series of the text meet cosh(u sqrt D) within {upper(remainder.even)} "
            f"and sinh(u sqrt D)/sqrt D within {upper(remainder.odd)} |u| where {cell}; expected "
            f"{SMALL_REMAINDER:.1e}"
        )
    raise Undecided(f"{what}: neither a proof nor a point that refutes it was found where {cell}")


def _refute_cell(run: Run, what: str, side: Side, piece: tuple[Cell, Entries]) -> None:
    """Raise `Refuted` with a point where an entry is not that of exp(tX), when one is found."""
    cell, entries = piece
    for i, row in enumerate(entries):
        for j, f in enumerate(row):

            def expected(point: Point, i: int = i, j: int = j) -> arb:
                values = {name: arb(x) for name, x in point.parameters.items()}
                return side.block.exponential(arb(point.positions["t"]), values)[i][j]

            found = run.search.difference(cell, f, expected, variables=("t",))
            if found is not None:
                raise Refuted(f"{what}, {side.place(i, j)}: {found} (where {cell})")


def _refute_series(run: Run, what: str, cell: Cell, series: Series) -> None:
    """Raise `Refuted` with a point near the end of a cell where a series misses its function."""
    for parameters in run.search.parameters:
        size = run.search.value(
            Function.constant(series.discriminant, (VARIABLE,)), Point({}, parameters)
        )
        if size.contains(0):
            continue
        steps = (arb(series.argument) / abs(size)).sqrt() * AT_THE_END
        u = fmpq(int(float(steps.lower())), AT_THE_END)
        point = Point({VARIABLE: u}, parameters)
        apart = series.apart(size * arb(u) ** 2)
        if apart > SMALL_REMAINDER and run.search.inside(cell, point):
            raise Refuted(
                f"{what}: at {point}, the series of the text miss cosh(u sqrt D) or "
                f"sinh(u sqrt D)/(u sqrt D) by {apart:.1e}; expected {SMALL_REMAINDER:.1e}"
            )


__all__ = ["SHIFTS", "MapsProof", "Matrix", "Run", "decide_maps", "over"]
