"""The error of one block of a running text, relative to the exact block.

Within a chain, or a plane, an entry of the majorant of the error is compared with the entry of
A_B that it belongs to. With S = Σ_k (|ηu|^k/k!)·N^k ⊗ I and a plane turned by φ,

    |[[cos φ, sin φ], [sin φ, cos φ]]| has norm |cos φ| + |sin φ| ≤ √2,  ‖S‖·e^{au} = ‖A_B(u)‖,

so an entrywise relative error ρ costs √2·ρ in a plane and ρ elsewhere.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import arb, fmpq

from numeric_check.rounding import majorant, upward
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.majorant import NO_INPUT, Number, Term, Wave, number_of, ratio
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.matrix import ScalarMatrix, transpose
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector
from symbolic_pe.errors import Undecided

MAPS, ROTATE, DECAY = "maps", "rotate", "decay"
OPERATOR = "operator"
"""The matrix A(τ) itself, in float64: row i of a block is what the query map makes of e_i."""
TABLES = "cos_sin"
"""Cosines and sines of the angles at u, plane by plane."""
COLUMNS = "operator, by columns"
"""The side of its bounds where columns of a block are bounded, and not rows."""
WHOLE = -1
"""The group of a bound that is about rows of the whole matrix A(u)."""
BIAS, SCORE = "bias", "score_mod"
OF_LAG = {DECAY: "decay", BIAS: "bias", SCORE: "make_score_mod"}
"""Forms that are functions of the lag u = t − s, with the names that texts give them."""
FORMS = {
    MAPS: {"query": 1, "key": -1},
    ROTATE: {"rotate": 1},
    **{f: {f: 1} for f in (OPERATOR, TABLES, *OF_LAG)},
}
"""The functions of a form, with the sign of u in the map that each applies."""
SIGNS = {side: sign for sides in FORMS.values() for side, sign in sides.items()}
BITS = 160
UNDERFLOW = 2.0**-100
"""What tables and products lose to underflow is below, and every rounding above."""
SQRT2 = upward.up(math.sqrt(2.0))


@dataclass(frozen=True)
class BlockBound:
    """ε and η of one block of one head.

    group, head, block  its place in the plan; the group is `WHOLE` where A(u) is bounded whole
    side                `query`, `key`, or the name of the form
    loose               whether a part of ε is relative to e^{au} and to no entry of the block
    """

    group: int
    head: int
    block: int
    side: str
    relative: Polynomial
    absolute: float
    loose: bool = False


class _Entry(NamedTuple):
    """The exact function of one entry of a block; `size` is a lower bound of its coefficient."""

    term: Term
    size: float
    coefficient: Number


Entries = dict[tuple[int, int], _Entry]
Expected = tuple[int, int, str | None]
"""Power of u, sign, and wave of an entry of A(u)."""


@dataclass
class _Shares:
    """Largest relative errors over the entries of a block, by power of |u|.

    own    in the shape of the entry itself (its own wave)
    turned in the shape of the other entry of the plane
    flat   without a wave, where the entry has one
    loose  the sum of what fits no entry, relative to e^{au} ≤ ‖A_B‖
    """

    own: Polynomial = upward.NOTHING
    turned: Polynomial = upward.NOTHING
    flat: Polynomial = upward.NOTHING
    loose: Polynomial = upward.NOTHING

    def raise_to(self, name: str, power: int, ratio: float) -> None:
        p = upward.shift((ratio,), power)
        known = getattr(self, name)
        total = upward.add(known, p) if name == "loose" else upward.largest(known, p)
        setattr(self, name, total)

    def total(self, factor: float) -> Polynomial:
        """factor·(own + turned) + 2·flat + loose, the factor √2 in a plane and 1 elsewhere."""
        p = upward.scale(upward.add(self.own, self.turned), factor)
        return upward.add(upward.add(p, upward.scale(self.flat, 2.0)), self.loose)


@dataclass
class SideRun:
    """The outputs of one map on rounded elements, (HEADS, d), and what they are to be."""

    plan: KernelPlan
    model: Model
    side: str
    rows: Any
    loose: bool = False

    def block(self, index: int, group: BlockGroup, head: int, b: int) -> BlockBound:
        """ε and η of one block."""
        channels = [slot[b] for slot in group.slots]
        inputs = [head * self.plan.dimension + c for c in channels]
        rows: list[Rounded] = [self.rows[head, c] for c in channels]
        entries = _main_terms(rows, inputs)
        self._verify(group, head, b, entries)
        relative = self._own_error(rows, inputs, entries)
        absolute = self._without_input(rows)
        away = self._constants_away(group, head, b, entries)
        moved = upward.exponential_minus_one((0.0, away), self.model.reach) if away else ()
        grown = upward.plus(1.0, upward.value(moved, self.model.reach))
        relative = upward.add(upward.scale(relative, grown), moved)
        if self.plan.basis is not None:
            largest = _sum_of_sizes(entries.values(), self.model.reach)
            relative, lost = self._after_stage(relative, head, inputs, grown)
            absolute = upward.plus(absolute, upward.times(lost, largest))
        relative = upward.folded(relative, self.model.reach)
        return BlockBound(index, head, b, self.side, relative, absolute, self.loose)

    def _verify(self, group: BlockGroup, head: int, b: int, entries: Entries) -> None:
        """That the exact map of the text is the block of the plan, apart from its constants.

        Entry by entry: y_l = e^{au}·R(−ωu)·Σ_k (ηu)^k/k!·x_{l−k}, for keys with −a, −η and
        x_{l+k}; one rate and one frequency throughout, and signs as in the plan.
        """
        width = 2 if group.pair else 1
        first, shear = entries[0, 0].term, self._shear(entries, width)
        frequency = None if first.wave is None else first.wave.frequency
        for place, (power, sign, part), entry in self._occurring(group, head, b, entries):
            wave = None if frequency is None or part is None else Wave(frequency, part)
            term = entry.term
            same = (power, first.rate, wave) == (term.power, term.rate, term.wave)
            if not same or entry.coefficient != sign * shear**power / math.factorial(power):
                raise LeavesTheRing(f"{place}: another entry in A(u)")

    def _occurring(
        self, group: BlockGroup, head: int, b: int, entries: Entries
    ) -> Iterator[tuple[str, Expected, _Entry]]:
        """Every entry of A(u) that is not 0: its place in words, what it should be, and what is."""
        for i in range(len(group.slots)):
            for j in range(len(group.slots)):
                expected, entry = self._expected(group, head, b, (i, j)), entries.get((i, j))
                if expected is None and entry is None:
                    continue
                place = self._place(group, b, i, j)
                if expected is None or entry is None:
                    raise LeavesTheRing(f"{place}: no such entry in A(u)")
                yield place, expected, entry

    def _place(self, group: BlockGroup, b: int, i: int, j: int) -> str:
        row, column = group.slots[i][b], group.slots[j][b]
        return f"{self.side} map, output channel {row}, input channel {column}"

    def _expected(
        self, group: BlockGroup, head: int, b: int, place: tuple[int, int]
    ) -> Expected | None:
        """What one entry should be; None where A(u) has 0."""
        (row, p), (column, r) = (divmod(x, 2 if group.pair else 1) for x in place)
        power = (row - column) * SIGNS[self.side]
        shear, frequency = (_entry(v, head, b).to_float() for v in (group.shear, group.frequency))
        if power < 0 or (power > 0 and shear == 0.0):
            return None
        sign = -1 if power % 2 and shear * SIGNS[self.side] < 0 else 1
        if frequency == 0.0:
            return (power, sign, None) if p == r else None
        if p == r:
            return power, sign, "c"
        return power, sign * (1 if (frequency > 0) == (p < r) else -1), "s"

    def _without_input(self, rows: Sequence[Rounded]) -> float:
        """Errors that do not depend on x at all."""
        total = 0.0
        for row in rows:
            alone = majorant.size(row.error, self.model.reach).constant
            total = upward.plus(total, upward.plus(row.tiny, alone))
        return total

    def _own_error(
        self, rows: Sequence[Rounded], inputs: Sequence[int], entries: Entries
    ) -> Polynomial:
        shares, last = _Shares(), upward.NOTHING
        self.loose = False
        wavy = False
        for i, row in enumerate(rows):
            last = upward.largest(last, row.relative)
            for term, c in row.error.items():
                if term.input == NO_INPUT:
                    continue
                j = inputs.index(term.input)
                entry = entries.get((i, j))
                if entry is None:
                    self.loose = True
                    size = self._beside(entries[0, 0].term, term, c)
                    shares.raise_to("loose", *_power_and_size(term, size))
                    continue
                wavy = wavy or entry.term.wave is not None
                self._share(shares, term, c, entry)
        return upward.add(shares.total(SQRT2 if wavy else 1.0), last)

    def _beside(self, main: Term, term: Term, c: float) -> float:
        """c, where the rate of a term is that of the block; larger where it is another one."""
        if term.rate == main.rate:
            return c
        difference = number_of(term.rate) - number_of(main.rate)
        exponent = majorant.largest_exponent(ratio(difference), self.model.reach)
        return upward.times(c, upward.exponential(exponent))

    def _share(self, shares: _Shares, term: Term, c: float, entry: _Entry) -> None:
        main, given = entry.term, c
        c = self._beside(main, term, c)
        power = term.power - main.power
        share = majorant.share_of(term, c, entry.coefficient)
        term, c = majorant.plain(term, c)
        if power < 0 or (share is None and entry.size == 0.0):
            self.loose |= given > UNDERFLOW
            shares.raise_to("loose", term.power, c)
            return
        share = upward.up(c / entry.size) if share is None else share
        if term.wave == main.wave or main.wave is None:
            shares.raise_to("own", power, share)
        elif term.wave is not None and term.wave.frequency == main.wave.frequency:
            shares.raise_to("turned", power, share)
        else:
            shares.raise_to("flat", power, share)

    def _constants_away(
        self,
        group: BlockGroup,
        head: int,
        b: int,
        entries: Entries,
    ) -> float:
        """‖X̂ − X‖ on a block: |Δa|, |Δω| as a complex number, and |Δη|."""
        sign = SIGNS[self.side]
        main = entries[0, 0].term
        rate = number_of(main.rate) * sign
        frequency = number_of(main.wave.frequency) if main.wave is not None else fmpq(0)
        with precision(BITS):
            a = _distance(rate, _entry(group.rate, head, b))
            w = _distance(frequency, _entry(group.frequency, head, b), absolute=True)
            away = upward.plus(a, w) if a and w else a or w
            if group.chain_length > 1:
                size = self._shear(entries, 2 if group.pair else 1)
                away = upward.plus(away, _distance(size, _entry(group.shear, head, b), True))
        return away

    def _shear(self, entries: Entries, width: int) -> fmpq:
        """|η̂|, from the entry one link away from the diagonal."""
        place = (width, 0) if self.side != "key" else (0, width)
        entry = entries.get(place)
        return fmpq(0) if entry is None else abs(entry.coefficient)

    def _after_stage(
        self,
        relative: Polynomial,
        head: int,
        inputs: Sequence[int],
        grown: float,
    ) -> tuple[Polynomial, float]:
        """ε·(‖P_B‖ + ε_P) + (‖P̂ − P‖ + ε_P): the rows of the basis come before the block.

        Also what underflow may lose in front of the block.
        """
        reading, moved, tiny = self.through_basis(head, inputs)
        reading, moved = upward.plus(reading, moved), upward.times(grown, moved)
        return upward.add(upward.scale(relative, reading), (moved,)), upward.times(tiny, 2.0)

    def through_basis(self, head: int, inputs: Sequence[int]) -> tuple[float, float, float]:
        """‖P_B‖, ‖P̂_B − P_B‖ + ε_P, and what underflow may lose there."""
        if not self.model.stages or self.plan.basis is None:
            raise LeavesTheRing("the text does not multiply the input by a basis")
        basis, inverse = self.plan.basis[head if len(self.plan.basis) > 1 else 0]
        exact: ScalarMatrix = transpose(basis) if self.side != "key" else inverse
        d = self.plan.dimension
        norm = away = error = tiny = 0.0
        for index in inputs:
            row = self.model.stages[0][index]
            known = {t.input - head * d: c for t, c in row.value.items()}
            with precision(BITS):
                for j, x in enumerate(exact[index - head * d]):
                    ball = x.ball({})
                    norm = _square_sum(norm, upward.above(ball))
                    away = _square_sum(away, upward.above(arb(known.get(j, fmpq(0))) - ball))
            for term, c in row.absolute().items():
                if term.power or term.rate != majorant.ZERO or term.wave is not None:
                    raise LeavesTheRing("the text multiplies by a basis that depends on position")
                error = _square_sum(error, c)
            tiny = upward.plus(tiny, row.tiny)
        norm, away, error = (upward.up(math.sqrt(x)) for x in (norm, away, error))
        return norm, upward.plus(away, error), tiny


def _power_and_size(term: Term, c: float) -> tuple[int, float]:
    whole, size = majorant.plain(term, c)
    return whole.power, size


def _sum_of_sizes(entries: Iterable[_Entry], reach: float) -> float:
    """A bound of the norm of a block over |u| ≤ reach."""
    terms = [majorant.size({e.term: upward.above(e.coefficient)}, reach) for e in entries]
    return functools.reduce(upward.plus, (t.of_input for t in terms), 0.0)


def _square_sum(total: float, x: float) -> float:
    return upward.plus(total, upward.times(x, x))


def _main_terms(rows: Sequence[Rounded], inputs: Sequence[int]) -> Entries:
    """The one term of every entry of a block: (term, size, exact coefficient)."""
    found: Entries = {}
    for i, row in enumerate(rows):
        for term, c in row.value.items():
            if term.input not in inputs:
                raise LeavesTheRing("an output reads the input of another block")
            place = (i, list(inputs).index(term.input))
            if place in found:
                raise LeavesTheRing("an entry of a block is a sum of two functions")
            found[place] = _Entry(term, upward.below(c), c)
    for i in range(len(rows)):
        if (i, i) not in found:
            raise LeavesTheRing("a diagonal entry of a block is 0")
    return found


def _entry(vector: Vector, head: int, b: int) -> Scalar:
    row = vector.rows[head if len(vector.rows) > 1 else 0]
    return row[b if len(row) > 1 else 0]


def _distance(found: fmpq, exact: Scalar, absolute: bool = False) -> float:
    """|found − exact|, or of their magnitudes, as an upper bound."""
    rational = exact.rational_value() if exact.is_rational() else None
    if rational is not None:
        return upward.above(found - (abs(rational) if absolute else rational))
    ball = exact.ball({})
    ball = abs(ball) if absolute else ball
    if not ball.is_finite():
        raise Undecided(f"{exact}: no finite ball")
    return upward.above(arb(found) - ball)


__all__ = [
    "BIAS",
    "COLUMNS",
    "DECAY",
    "FORMS",
    "MAPS",
    "OF_LAG",
    "OPERATOR",
    "ROTATE",
    "SCORE",
    "SIGNS",
    "TABLES",
    "WHOLE",
    "BlockBound",
    "SideRun",
]
