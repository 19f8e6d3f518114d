"""A bias or a table of positions, executed on exact elements and decided.

The positions and the learned numbers are symbols, and so is every function of them that leaves the
ring (`exact_atoms`). Of two queries and three keys, or of two positions, it is decided for every
entry and on every cell that the text is the closed form of its encoding,

    b̂(t, s) = b(t, s) for all real t ≥ s (all real t, s where both directions are meant),
    p̂(n) = p(n) for all real n,

for all learned numbers and for the constants that the text contains, which have to be within
rounding of the exact ones; one that binary64 holds has to be exactly itself, so that the first lag
of a bucket is decided and not approximated. A table of a declared length is decided position by
position. A difference is refuted by a point where anyone can evaluate it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.text_proof.close_constants import is_close
from numeric_check.text_proof.exact_atoms import Atoms, value_of
from numeric_check.text_proof.exact_cases import ExactCases, Truth, pieces_of
from numeric_check.text_proof.exact_cells import Cell, Pieces, joined
from numeric_check.text_proof.exact_choice import choose, larger, taken
from numeric_check.text_proof.exact_element import Exact, LeavesTheRing
from numeric_check.text_proof.exact_engine import ENGINES, Engine
from numeric_check.text_proof.exact_input import Refuted
from numeric_check.text_proof.exact_roots import Parameters
from numeric_check.text_proof.exact_witness import contains
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.encodings.outside import PositionFunction
from symbolic_pe.errors import KernelError, Undecided

Function = ExponentialPolynomial
QUERIES, KEYS, ROWS = ("t0", "t1"), ("s0", "s1", "s2"), ("n0", "n1")
BITS = 256
BEYOND_ROUNDING = 2.0**-36
"""Relative to 1 + |value|: more than constants off by 2⁻⁴⁵ explain at the points that are tried."""
TRIED = tuple(
    fmpq(p, q)
    for p, q in (
        (0, 1), (1, 1), (2, 1), (7, 1), (15, 1), (16, 1), (17, 1), (40, 1), (100, 1), (511, 1),
        (513, 1), (4096, 1), (1, 2), (5, 3), (-1, 1), (-9, 1), (-20, 1), (-3, 2), (-300, 1),
    )
)  # fmt: skip
DRAWN = 6
"""Sets of learned numbers that are tried."""
MANY = 4096
"""Learned numbers that a point does not name."""


def decide_position_function(kernel: Kernel, function: PositionFunction) -> str:
    """What was decided of a text, in words; raises `Refuted`, or what the text raises."""
    engine = ENGINES[kernel.target]
    run = _Run(engine, kernel, function, Parameters(atoms=Atoms()))
    run.decide()
    return run.words


class _ExactArithmetic:
    """What closed forms need, on exact elements."""

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        """`first` where the condition holds, else `second`."""
        return choose(condition, first, second)

    def maximum(self, first: Any, second: Any) -> Any:
        """The larger of two."""
        return larger(first, second)[()]

    def pick(self, row: Sequence[Any], index: Any) -> Any:
        """The entry of a row at an exact whole number."""
        entries = np.empty(len(row), dtype=object)
        entries[:] = row
        place = np.empty((), dtype=object)
        place[()] = index if isinstance(index, (Exact, Truth)) else Exact.of(index)
        return taken(entries, place)[()]


@dataclass(frozen=True)
class _Run:
    engine: Engine
    kernel: Kernel
    function: PositionFunction
    known: Parameters

    # -- what is given ----------------------------------------------------------------------------

    @cached_property
    def constants(self) -> dict[str, list[fmpq]]:
        """The constants that the text contains, within rounding of the exact ones."""
        return {
            name: self._constants(name, self._held(name), exact)
            for name, exact in self.function.constants.items()
        }

    def _held(self, name: str) -> Any:
        """An array, or a list of numbers, that the text keeps by this name."""
        array = self.kernel.constants().get(name)
        if array is not None:
            return self.kernel.fetch(array)
        try:
            value = self.kernel.raw(name)
        except KernelError:
            return None
        numbers = isinstance(value, list) and all(isinstance(x, (int, float)) for x in value)
        return value if numbers else None

    def _constants(self, name: str, held: Any, exact: Sequence[Scalar]) -> list[fmpq]:
        """Those of this name; the exact ones in binary64, where the text has none of this shape."""
        numbers = [exact_number(x.to_float()) for x in exact]
        if held is None:
            return numbers
        flat = np.asarray(held).reshape(-1)
        if len(flat) != len(exact):
            return numbers
        found = [exact_number(x) for x in flat.tolist()]
        with precision(BITS):
            balls = [x.ball({}) for x in exact]
            largest = max((abs(b) for b in balls), key=float)
            for i, (value, x, ball) in enumerate(zip(found, exact, balls, strict=True)):
                held_exactly = x.is_rational() and x.rational_value() == numbers[i]
                same = value == numbers[i] if held_exactly else is_close(arb(value), ball, largest)
                if not same:
                    raise Refuted(
                        f"constant {name}[{i}]: the text has {float(arb(value))!r}, the encoding "
                        f"{float(ball)!r}"
                    )
        return found

    @cached_property
    def learned(self) -> dict[str, Any]:
        """A symbol for every learned number, in the shapes of the samples."""
        return {name: _symbols(name, x, self.known) for name, x in self.function.samples.items()}

    @cached_property
    def given(self) -> dict[str, Any]:
        """What the closed form is given."""
        constants = {n: [Exact.of(_ratio(x)) for x in row] for n, row in self.constants.items()}
        return {**constants, **self.learned}

    def _called(self, *positions: Sequence[Any]) -> Any:
        """What the text returns at positions."""
        names = self.kernel.on_library(self.engine.library, self.engine.lift, self.engine.functions)
        arrays = [self.engine.bring(_vector(x)) for x in positions]
        arrays += [self.engine.bring(_array(self.learned[name])) for name in self.function.learned]
        found = self.engine.fetch(names[self.function.kind](*arrays))
        return np.asarray(found, dtype=object)

    # -- deciding ---------------------------------------------------------------------------------

    def decide(self) -> None:
        """Every entry on every cell."""
        if self.function.kind == "bias":
            self._decide_bias()
        elif self.function.length is None:
            self._decide_table([ExactCases.variable(n, self.known) for n in ROWS], ROWS)
        else:
            rows = range(self.function.length)
            self._decide_table([Exact.of(n) for n in rows], [str(n) for n in rows])

    def _decide_bias(self) -> None:
        queries, keys = (
            [ExactCases.variable(x, self.known) for x in names] for names in (QUERIES, KEYS)
        )
        shape = (len(queries), len(keys))
        heads = self.function.count
        expected = (heads, *shape) if heads else shape
        found = self._called(queries, keys)
        if found.shape != expected:
            raise Refuted(f"bias returns the shape {found.shape}, expected {expected}")
        found = found.reshape(-1, *shape)
        for head, i, j in np.ndindex(*found.shape):
            what = f"bias, head {head}, query {i}, key {j}"
            t, s = queries[i], keys[j]
            lag = t - s
            exact = self._closed_form(t, s, head)
            if self.function.both_directions:
                self._same(what, found[head, i, j], exact, (QUERIES[i], KEYS[j], head))
            else:  # what it is before the key is nobody's business
                zero = Exact.of(0)
                value, exact = (choose(lag >= 0, x, zero) for x in (found[head, i, j], exact))
                self._same(what, value, exact, (QUERIES[i], KEYS[j], head))

    def _decide_table(self, positions: Sequence[Any], names: Sequence[str]) -> None:
        found = self._called(positions)
        expected = (len(positions), self.function.count)
        if found.shape != expected:
            raise Refuted(f"table returns the shape {found.shape}, expected {expected}")
        for i, column in np.ndindex(*found.shape):
            exact = self._closed_form(positions[i], column)
            what = f"table, position {names[i]}, column {column}"
            self._same(what, found[i, column], exact, (names[i], column))

    def _closed_form(self, *place: Any) -> Any:
        return self.function.closed_form(_ExactArithmetic(), self.given, *place)

    def _same(self, what: str, found: Any, expected: Any, place: tuple[Any, ...]) -> None:
        pieces = pieces_of(found)
        try:
            parts = joined([pieces, pieces_of(expected)]).pieces
        except LeavesTheRing as error:  # other conditions than those of the encoding
            for cell, _ in pieces.pieces:
                self._refute(what, cell, pieces, place)
            raise Undecided(f"{what}: {error}") from None
        for cell, (f, g) in parts:
            if not self.known.vanishes(f - g):
                self._refute(what, cell, pieces, place)
                raise Undecided(
                    f"{what}: neither a proof nor a point that refutes it was found"
                    + (f" (where {cell})" if cell.conditions else "")
                )

    # -- refuting ---------------------------------------------------------------------------------

    def _refute(
        self, what: str, near: Cell, pieces: Pieces[Function], place: tuple[Any, ...]
    ) -> None:
        """Raise `Refuted` with a point where the text differs, when one is found.

        near  a cell whose bounds are tried first
        """
        *names, index = place
        for positions, drawn in self._points(names, near):
            if not self._is_served(names, positions):
                continue
            with precision(BITS):
                x, cell = self._value(pieces, positions, drawn)
                at = [positions[n] if n in positions else fmpq(int(n)) for n in names]
                learned = {
                    name: _filled(name, numbers, drawn)
                    for name, numbers in self.function.samples.items()
                }
                y = self.function.value(*at, index=index, learned=learned)
                finite = x is not None and x.is_finite() and y.is_finite()
                if finite and abs(x - y) > BEYOND_ROUNDING * (1 + abs(y)):
                    point = ", ".join(f"{n} = {p}" for n, p in {**positions, **drawn}.items())
                    where = f" (where {cell})" if cell.conditions else ""
                    raise Refuted(
                        f"{what}: the text has {_decimal(x)}, expected {_decimal(y)}, "
                        f"at {_short(point)}{where}"
                    )

    def _is_served(self, names: Sequence[str], positions: Mapping[str, fmpq]) -> bool:
        """Whether the encoding says anything of a pair."""
        if self.function.kind == "table" or self.function.both_directions:
            return True
        query, key = (positions[n] for n in names)
        return bool(query >= key)

    def _value(
        self, pieces: Pieces[Function], positions: Mapping[str, fmpq], drawn: Mapping[str, fmpq]
    ) -> tuple[arb | None, Cell]:
        """The value of the text at a point that lies in one of its cells for certain."""
        assert self.known.atoms is not None
        values = self.known.atoms.balls(positions, {n: arb(x) for n, x in drawn.items()})
        balls = {n: arb(x) for n, x in positions.items()}
        for cell, f in pieces.pieces:
            inside = (
                contains(c.interval, value_of(c.form, balls, values)) for c in cell.conditions
            )
            if all(inside):
                return value_of(f, balls, values), cell
        return None, Cell()

    def _points(
        self, names: Sequence[str], near: Cell
    ) -> Iterator[tuple[dict[str, fmpq], dict[str, fmpq]]]:
        """Positions, and learned numbers that are positive, or of either sign."""
        symbols = [n for x in self.learned.values() for n in _names_of(x)]
        free = [n for n in names if not n.isdigit()]
        steps = _steps(near)
        places: list[tuple[fmpq, ...]] = [(x,) * len(free) for x in steps] if len(free) < 2 else []
        if len(free) == 2:
            places = [(s + x, s) for x in steps for s in (fmpq(0), fmpq(3, 2), fmpq(600))]
        places += list(product(TRIED, repeat=len(free)))
        for k, values in product(range(DRAWN), places):
            positive = all("positive" in text for text in self.function.learned.values())
            drawn = {}
            for name in symbols if len(symbols) < MANY else []:
                size = fmpq(crc32(f"{k} {name}".encode()) % 61 + 3, 16)
                drawn[name] = size if positive or crc32(name.encode()) % 2 == k % 2 else -size
            yield dict(zip(free, values, strict=True)), drawn

    # -- words ------------------------------------------------------------------------------------

    @property
    def words(self) -> str:
        """What was decided."""
        if self.function.length is not None:
            where = f"the positions 0 ... {self.function.length - 1}, one by one"
        elif self.function.kind == "table":
            where = "all real positions"
        elif self.function.both_directions:
            where = "all real positions t, s"
        else:
            where = "all real positions t >= s"
        learned = ", ".join(self.function.learned)
        numbers = f" and all {learned}" if learned else ""
        constants = ", ".join(self.function.constants)
        rounding = (
            f"; {constants} within rounding of the exact numbers, and equal where binary64 holds "
            "them"
            if constants
            else ""
        )
        return (
            f"the text is the closed form of the encoding for {where}{numbers}, where that is "
            f"defined{rounding}"
        )


def _ratio(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def _symbols(name: str, numbers: object, known: Parameters) -> Any:
    if isinstance(numbers, (list, tuple)):
        return [_symbols(f"{name}[{i}]", x, known) for i, x in enumerate(numbers)]
    return ExactCases.symbol(name, known)


def _filled(name: str, numbers: object, drawn: Mapping[str, fmpq]) -> Any:
    if isinstance(numbers, (list, tuple)):
        return [_filled(f"{name}[{i}]", x, drawn) for i, x in enumerate(numbers)]
    return drawn.get(name, fmpq(0))


def _names_of(x: Any) -> list[str]:
    if isinstance(x, list):
        return [n for item in x for n in _names_of(item)]
    return sorted(x.function.terms[next(iter(x.function.terms))].re.symbols())


def _array(nested: Any) -> Any:
    """Nested lists of elements as an object array."""
    shape = []
    level = nested
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0]
    found = np.empty(tuple(shape), dtype=object)
    for place in np.ndindex(*shape):
        item = nested
        for i in place:
            item = item[i]
        found[place] = item
    return found


def _vector(elements: Sequence[Any]) -> Any:
    found = np.empty(len(elements), dtype=object)
    found[:] = elements
    return found


def _steps(cell: Cell) -> list[fmpq]:
    """Bounds of a cell and numbers between and beside them."""
    found: list[fmpq] = []
    for condition in cell.conditions:
        bounds = [
            x.rational_value()
            for x in (condition.interval.low, condition.interval.high)
            if x is not None and x.is_rational()
        ]
        found += [*bounds, *(x + d for x in bounds for d in (fmpq(1, 2), fmpq(-1, 2)))]
        if len(bounds) == 2:
            found.append((bounds[0] + bounds[1]) / 2)
    return [*found, *(-x for x in found)]


def _decimal(x: arb) -> str:
    return "0" if x.contains(0) else str(x.str(12, radius=False))


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:197]}..."


__all__ = ["decide_position_function"]
