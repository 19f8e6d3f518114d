"""The error of a 2×2 block with parameters, relative to its exact map, cell by cell.

With N = X − aI, N² = D·I, A(u) = e^{au}(C·I + S·N) and r = √|D|,

    ‖A‖ ≥ e^{au}·max(1, |C|),   |S|·‖N‖·e^{au} ≤ 2‖A‖,   and where D > 0  ‖A‖ ≥ e^{au + r|u|}

since det(A/e^{au}) = 1 and C is half its trace. So an error c·|u|^p·e^{au} of an entry is relative
to ‖A‖ as it stands, and one that has S in it (sin ru/r, e^{±ru}/r or u·sin(ru)/(ru)) counts 2/‖N‖
at most, and without the quotient 2r/‖N‖: nothing is lost where N is far from normal. An error with
cos(ru)/r has no such excuse: there the angle is off, and ‖A‖ may be e^{au} while ‖N‖/r is large.

That the text computes A is decided exactly: its coefficients are those of C, S and N, as functions
of the parameters. Where u²D is small, C and S are polynomials, compared with the series.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from flint import fmpq

from numeric_check.rounding import majorant, upward
from numeric_check.rounding.blocks import SIGNS, BlockBound
from numeric_check.rounding.cells import BLUR, GROWING, NEAR, TURNING, USUAL, Cell
from numeric_check.rounding.coefficient import Box, Coefficient, exact_scalar
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.majorant import (
    NO_INPUT,
    Number,
    Ratio,
    Root,
    Term,
    Wave,
    number_of,
    ratio,
)
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.algebra.scalar import ZERO as NOTHING
from symbolic_pe.emit.plan import MatrixGroup

SERIES = 14
"""Terms of cosh √q and sinh √q/√q that a text's polynomials are compared with."""
CLOSE = 2.0**-40
"""For what rounding of a float may take away."""


class _Kind(NamedTuple):
    """What errors of a block are sorted by."""

    power: int
    sine: bool
    over: Root | None


@dataclass
class MatrixRun:
    """The outputs of one map in one cell, (d,) rounded elements."""

    box: Box
    cell: Cell
    model: Model
    side: str
    rows: Sequence[Rounded]
    entries: dict[_Kind, dict[tuple[int, int], float]] = field(default_factory=dict)

    def block(self, index: int, group: MatrixGroup) -> BlockBound:
        """ε and η of one block in this cell."""
        rows = [self.rows[c] for c in group.channels]
        rate = ratio(_number(group.centre, self.box) * SIGNS[self.side])
        moved = self._verify(group, rows, rate)
        relative, absolute = upward.NOTHING, 0.0
        self.entries.clear()
        for i, row in enumerate(rows):
            relative = upward.largest(relative, row.relative)
            absolute = upward.plus(absolute, row.tiny)
            for term, c in row.error.items():
                if term.input == NO_INPUT:
                    lost = majorant.size({term: c}, self.model.reach).constant
                    absolute = upward.plus(absolute, lost)
                else:
                    self._sort((i, group.channels.index(term.input)), term, c, rate)
        least = self._least_norm(group)
        for kind, matrix in self.entries.items():
            norm = upward.up(math.sqrt(_sum(upward.times(c, c) for c in matrix.values())))
            relative = upward.add(relative, self._counted(kind, norm, least))
        relative = upward.folded(upward.add(relative, moved), self.model.reach)
        return BlockBound(index, 0, 0, self.side, relative, absolute)

    # -- what the map is --------------------------------------------------------------------------

    def _verify(self, group: MatrixGroup, rows: Sequence[Rounded], rate: Ratio) -> Polynomial:
        """That every entry is the exact one; returns what the series are off."""
        sign = SIGNS[self.side]
        off = 0.0
        for i, row in enumerate(rows):
            for j, channel in enumerate(group.channels):
                found = {t: c for t, c in row.value.items() if t.input == channel}
                for term, c in self._expected(group, (i, j), sign, channel).items():
                    own = found.pop(term, fmpq(0))
                    away = upward.above(own - c)
                    if self.cell.kind != NEAR and away:
                        raise LeavesTheRing(_another(group, i, j))
                    off = max(off, away)
                if any(upward.above(c) for c in found.values()):
                    raise LeavesTheRing(_another(group, i, j))
            if any(t.input not in group.channels for t in row.value):
                raise LeavesTheRing("an output reads the input of another block")
        if self.cell.kind != NEAR:
            return upward.NOTHING
        norm = _sum(upward.above(_number(x, self.box)) for row in group.matrix for x in row)
        rest = upward.times(self._rest, upward.plus(1.0, upward.times(2.0, norm)))
        return (2.0 * upward.plus(off, rest), 2.0 * upward.plus(off, rest))

    def _expected(
        self, group: MatrixGroup, place: tuple[int, int], sign: int, channel: int
    ) -> dict[Term, Number]:
        (i, j), box = place, self.box
        rate = sign * _number(group.centre, box)
        row, column = (j, i) if sign > 0 else (i, j)
        entry = group.matrix[row][column] - (group.centre if i == j else NOTHING)
        n = sign * _number(entry, box)
        one = fmpq(1 if i == j else 0)
        if self.cell.kind == NEAR:
            even, odd = self._series
            parts = {
                Term(channel, 0, ratio(rate), None): one * even,
                Term(channel, 1, ratio(rate), None): n * odd,
            }
        else:
            r, root = self.cell.own_root
            over = n if root is not None else n / r
            parts = {}
            if self.cell.kind == TURNING:
                frequency = ratio(r)
                parts[Term(channel, 0, ratio(rate), Wave(frequency, "c"))] = one
                parts[Term(channel, 0, ratio(rate), Wave(frequency, "s"), root)] = over
            else:
                for way in (1, -1):
                    power = ratio(rate + way * r)
                    for below, c in ((None, one / 2), (root, over * fmpq(way, 2))):
                        term = Term(channel, 0, power, None, below)
                        parts[term] = parts.get(term, fmpq(0)) + c
        return {t: c for t, c in parts.items() if c != 0}

    @cached_property
    def _series(self) -> tuple[Number, Number]:
        """C and S/u as polynomials in q."""
        q = exact_scalar(self.cell.square)
        even, odd = ONE, ONE
        for k in range(1, SERIES):
            even = even + q**k * _factorial(2 * k)
            odd = odd + q**k * _factorial(2 * k + 1)
        return _number(even, self.box), _number(odd, self.box)

    @cached_property
    def _rest(self) -> float:
        """The terms of C that are left out: below q^n/(2n)!·e^{√q}; those of S/u are smaller."""
        q = upward.times(self.cell.threshold, 1.0 + BLUR)
        size = upward.times(upward.power(q, SERIES), upward.exponential(math.sqrt(q) * (1 + CLOSE)))
        return upward.times(size, upward.up(1.0 / math.factorial(2 * SERIES)))

    # -- what errors count ------------------------------------------------------------------------

    def _sort(self, place: tuple[int, int], term: Term, c: float, rate: Ratio) -> None:
        """What a table lost to underflow has no e^{au}: it is compared with the least of it."""
        term, c = majorant.plain(term, c)
        if term.rate not in self._rates(rate):
            difference = ratio(number_of(term.rate) - number_of(rate))
            exponent = majorant.largest_exponent(difference, self.model.reach)
            c = upward.times(c, upward.exponential(exponent))
        kind = _Kind(term.power, term.wave == self._sine, term.over)
        matrix = self.entries.setdefault(kind, {})
        matrix[place] = upward.plus(matrix.get(place, 0.0), c)

    def _rates(self, rate: Ratio) -> tuple[Ratio, ...]:
        """Those of exponentials that ‖A‖ is above."""
        if self.cell.kind != GROWING:
            return (rate,)
        r, _ = self.cell.own_root
        return (rate, *(ratio(number_of(rate) + way * r) for way in (1, -1)))

    @property
    def _sine(self) -> Wave | None:
        """The wave of S, where it has one."""
        if self.cell.kind != TURNING:
            return None
        return Wave(ratio(self.cell.own_root[0]), "s")

    def _counted(self, kind: _Kind, norm: float, least: float) -> Polynomial:
        """c·|u|^p relative to ‖A‖."""
        shares: list[Polynomial] = []
        part = {TURNING: float(kind.sine), GROWING: self._sinh}.get(self.cell.kind, 0.0)
        if kind.over is not None:
            plain = upward.shift((upward.times(norm, kind.over.least),), kind.power)
            shares.append(upward.shift(plain, kind.over.power))
            root = 1.0
        else:
            shares.append(upward.shift((norm,), kind.power))
            root = upward.above(self.cell.own_root[0]) if part else 0.0
            if self.cell.kind == NEAR and kind.power and least and self._sinc > 0.0:
                small = upward.up(norm * 2.0 / self._sinc / least)
                shares.append(upward.shift((small,), kind.power - 1))
        if part and least:
            small = upward.up(upward.times(norm, root) * 2.0 / part / least)
            shares.append(upward.shift((small,), kind.power))
        return min(shares, key=lambda p: (len(p), upward.value(p, self.model.reach)))

    @cached_property
    def _sinh(self) -> float:
        """|sinh x| is at least this part of e^{|x|} where x² is beyond the threshold."""
        x = math.sqrt(0.9 * self.cell.thresholds.get(GROWING, USUAL))
        return -math.expm1(-2.0 * x) / 2.0 * (1.0 - CLOSE)

    @cached_property
    def _sinc(self) -> float:
        """|sin x/x|, and |sinh x/x|, are at least this where x² is small: 1 − x²/6."""
        return (1.0 - self.cell.threshold * (1.0 + BLUR) / 6.0) * (1.0 - CLOSE)

    def _least_norm(self, group: MatrixGroup) -> float:
        """A lower bound of ‖X − aI‖ over the box: the largest entry."""
        (a, b), (c, _) = group.matrix
        entries = (a - group.centre, b, c)
        return max(upward.below(_number(x, self.box)) for x in entries)


def _number(x: Scalar, box: Box) -> Number:
    found = x.rational_value() if x.is_rational() else None
    return found if found is not None else Coefficient(x, box)


def _factorial(n: int) -> Scalar:
    return Scalar.rational(fmpq(1, math.factorial(n)))


def _sum(parts: Iterable[float]) -> float:
    total = 0.0
    for x in parts:
        total = upward.plus(total, x)
    return total


def _another(group: MatrixGroup, i: int, j: int) -> str:
    row, column = group.channels[i], group.channels[j]
    return f"output channel {row}, input channel {column}: another entry in A(u)"


__all__ = ["MatrixRun"]
