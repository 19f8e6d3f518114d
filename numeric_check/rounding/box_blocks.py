"""The error of one block whose constants have parameters in a box, relative to the exact block.

As in `blocks`, with one difference: constants are functions of the parameters, so an entry of A_B
may vanish somewhere in the box, and what is off there is then compared with e^{au} alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from numeric_check.rounding import upward
from numeric_check.rounding.blocks import SIGNS, Entries, Expected, SideRun
from numeric_check.rounding.coefficient import Box, exact_scalar
from numeric_check.rounding.majorant import Number, number_of
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.emit.plan import BlockGroup, Vector


@dataclass
class BoxRun(SideRun):
    """`SideRun` over a box."""

    box: Box | None = None

    def _verify(self, group: BlockGroup, head: int, b: int, entries: Entries) -> None:
        """Entry by entry, power, sign and wave; constants are compared in `_constants_away`."""
        first = entries[0, 0].term
        frequency, shear = self._frequency(group, head, b, entries), self._link(group, entries)
        for place, (power, sign, part), entry in self._occurring(group, head, b, entries):
            wave = entry.term.wave
            same = (
                entry.term.power == power
                and entry.term.rate == first.rate
                and entry.term.over is None
                and (wave is None) == (part is None)
                and (wave is None or (wave.part == part and wave.frequency == frequency[0]))
            )
            coefficient = Scalar.rational(sign * (frequency[1] if part == "s" else 1))
            for k in range(1, power + 1):
                coefficient = coefficient * shear / Scalar.rational(k)
            if not same or exact_scalar(entry.coefficient) != coefficient:
                raise LeavesTheRing(f"{place}: another entry in A(u)")

    def _expected(
        self, group: BlockGroup, head: int, b: int, place: tuple[int, int]
    ) -> Expected | None:
        """The same as of numbers, but the sign is that without the shear."""
        (row, p), (column, r) = (divmod(x, 2 if group.pair else 1) for x in place)
        power = (row - column) * SIGNS[self.side]
        if power < 0 or (power > 0 and _of(group.shear, head, b).is_zero()):
            return None
        if _of(group.frequency, head, b).is_zero():
            return (power, 1, None) if p == r else None
        if p == r:
            return power, 1, "c"
        return power, 1 if p < r else -1, "s"

    def _frequency(
        self, group: BlockGroup, head: int, b: int, entries: Entries
    ) -> tuple[object, int]:
        """The frequency of the text, and whether it is that of the plan or its negative."""
        wave = entries[0, 0].term.wave
        if wave is None:
            return None, 1
        same, opposite = self._sides(number_of(wave.frequency), _of(group.frequency, head, b))
        return wave.frequency, 1 if same <= opposite else -1

    def _sides(self, found: Number, exact: Scalar) -> tuple[float, float]:
        assert self.box is not None
        given = exact_scalar(found)
        ways = (given - exact, given + exact)
        same, opposite = (0.0 if x.is_zero() else upward.above(self.box.ball(x)) for x in ways)
        return same, opposite

    def _link(self, group: BlockGroup, entries: Entries) -> Scalar:
        """The coefficient of u one link away from the diagonal."""
        width = 2 if group.pair else 1
        entry = entries.get((width, 0) if self.side != "key" else (0, width))
        return ONE - ONE if entry is None else exact_scalar(entry.coefficient)

    def _constants_away(self, group: BlockGroup, head: int, b: int, entries: Entries) -> float:
        """‖X̂ − X‖ on a block, the largest over the box."""
        sign = Scalar.rational(SIGNS[self.side])
        main = entries[0, 0].term
        rate = number_of(main.rate)
        away, _ = self._sides(rate, sign * _of(group.rate, head, b))
        if main.wave is not None:
            ways = self._sides(number_of(main.wave.frequency), _of(group.frequency, head, b))
            away = upward.plus(away, min(ways))
        if group.chain_length > 1:
            assert self.box is not None
            difference = self._link(group, entries) - sign * _of(group.shear, head, b)
            if not difference.is_zero():
                away = upward.plus(away, upward.above(self.box.ball(difference)))
        return away


def _of(vector: Vector, head: int, b: int) -> Scalar:
    row = vector.rows[head if len(vector.rows) > 1 else 0]
    return row[b if len(row) > 1 else 0]


__all__ = ["BoxRun"]
