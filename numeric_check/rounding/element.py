"""A number of a running text: its exact value, and how far rounding may have moved it.

    |v̂ − v| ≤ relative(|u|)·|v| + error(|u|) + tiny       for all |u| ≤ reach

v is the exact value for the constants that the text contains, a function of u = position −
reference that is linear in the input x. `relative` is kept apart because the last rounding of a
result is relative to the result itself, not to the sum of what was added up. `tiny` is what
underflow may lose of numbers that carry the input, which can be arbitrarily small; that of tables
is part of `error`, and is none where a table is known to stay in the normal range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from flint import fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.coefficient import Coefficient
from numeric_check.rounding.dependence import Dependence
from numeric_check.rounding.formats import contains, holds, relative_error_of_library
from numeric_check.rounding.majorant import (
    LINEAR,
    NO_INPUT,
    ONE,
    POSITION,
    REFERENCE,
    ZERO,
    Majorant,
    Number,
    Size,
    Term,
    Value,
    Wave,
    ratio,
)
from numeric_check.text_proof.exact_element import LeavesTheRing

if TYPE_CHECKING:
    from numeric_check.rounding.cells import Cell

EXACT_POSITIONS = "float64"
"""Positions and references are numbers of this format."""

KEEPS_SUBNORMALS = ("float64", "float16")
"""Formats whose arithmetic is taken to have gradual underflow; the others may flush to zero."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """See the module.

    fits     a format that is known to hold the number, if any
    depends  of a text of several axes: what the number is off the ray (see `linear_forms`)
    """

    value: Value
    error: Majorant = field(default_factory=dict)
    relative: upward.Polynomial = upward.NOTHING
    tiny: float = 0.0
    fits: str | None = None
    depends: Dependence | None = None

    @property
    def constant(self) -> fmpq | None:
        """The number, when it is an exact constant."""
        if self.error or self.relative or self.tiny or not self.value.keys() <= {ONE}:
            return None
        found = self.value.get(ONE, fmpq(0))
        return found if isinstance(found, fmpq) else None

    @property
    def carries_input(self) -> bool:
        """Whether the number depends on x."""
        terms = (*self.value, *self.error)
        return bool(self.tiny) or any(term.input > NO_INPUT for term in terms)

    def absolute(self) -> Majorant:
        """relative·|v| + error as one majorant."""
        own = majorant.by_polynomial(majorant.of_value(self.value), self.relative)
        return majorant.add(self.error, own)

    def __neg__(self) -> Rounded:
        depends = None if self.depends is None else -self.depends
        value = {term: -c for term, c in self.value.items()}
        return replace(self, value=value, depends=depends)


def number(x: object) -> Rounded:
    """A constant, exactly."""
    q = exact_number(x)
    return Rounded({ONE: q} if q != 0 else {})


def unknown(index: int, dtype: str) -> Rounded:
    """Entry `index` of the input, a number of its dtype."""
    return Rounded({Term(index, 0, ZERO, None): fmpq(1)}, fits=dtype)


def position() -> Rounded:
    """t."""
    return Rounded({Term(POSITION, 0, ZERO, None): fmpq(1)}, fits=EXACT_POSITIONS)


def reference() -> Rounded:
    """c."""
    return Rounded({Term(REFERENCE, 0, ZERO, None): fmpq(1)}, fits=EXACT_POSITIONS)


def displacement() -> Rounded:
    """u itself, for a function that takes no reference."""
    return Rounded({LINEAR: fmpq(1)}, fits=EXACT_POSITIONS)


@dataclass(frozen=True)
class Model:
    """Arithmetic with every rounding, for |u|, |t| and |c| at most `reach`.

    integers  t and c are integers: a multiple m·u^k that the format holds is not rounded
    later     u = t − c is not negative, and no text asks for the sign of anything else
    cell      answers comparisons of squares u²D, where D has parameters
    shares    elements of arrays are few shared objects (see `distinct`)
    in_basis  the first product of the input with a matrix is one with a basis
    apart     constants are not added: those of a text may cancel where others do not
    """

    reach: float
    integers: bool = False
    later: bool = False
    cell: Cell | None = None
    stages: list[list[Rounded]] = field(default_factory=list)
    shares: bool = False
    in_basis: bool = True
    apart: bool = False

    def new_stage(self, products: Any) -> Any:
        """The product of the input with a basis becomes an input of its own.

        Its rows are kept in `stages`, so that what follows is bounded relative to the coordinates
        that it reads. A product without the input, or after the first, stays as it is.
        """
        rows: list[Rounded] = list(products.ravel())
        if self.stages or not self.in_basis:
            return products
        if not any(term.input > NO_INPUT for row in rows for term in row.value):
            return products
        self.stages.append(rows)
        result = products.copy()
        for index, row in enumerate(rows):
            result.ravel()[index] = unknown(index, row.fits or "float64")
        return result

    def is_not_negative(self, a: object) -> bool:
        """Whether this is m·u with m > 0, rounded or not: rounding keeps the sign of u."""
        if not self.later or not isinstance(a, Rounded) or not a.value.keys() <= {LINEAR}:
            return False
        slope = a.value.get(LINEAR, fmpq(0))
        return isinstance(slope, fmpq) and slope > 0 and not a.carries_input

    # -- sizes ------------------------------------------------------------------------------------

    def size(self, a: Rounded) -> Size:
        """A bound of |v̂|, apart from underflow."""
        exact = majorant.size(majorant.of_value(a.value), self.reach)
        away = majorant.size(a.absolute(), self.reach)
        return Size(
            upward.plus(exact.constant, away.constant), upward.plus(exact.of_input, away.of_input)
        )

    def largest(self, p: upward.Polynomial) -> float:
        """p at the reach."""
        return upward.value(p, self.reach)

    def grown(self, p: upward.Polynomial) -> float:
        """1 + p there."""
        return upward.plus(1.0, self.largest(p))

    # -- rounding ---------------------------------------------------------------------------------

    def rounded(self, a: Rounded, dtype: str, *, flushes: bool = False) -> Rounded:
        """fl(v̂): one rounding to nearest, unless the format is known to hold the number.

        flushes  results below the normal range may become 0, as for arithmetic; a conversion
                 loses at most the smallest subnormal number
        """
        if a.fits is not None and contains(dtype, a.fits):
            return a
        constant = a.constant
        if constant is not None and holds(dtype, constant):
            return replace(a, fits=dtype)
        if self.integers and self._is_held(a, dtype):
            return replace(a, fits=dtype)
        u = math.inf if self._may_overflow([a], dtype) else FORMATS[dtype].unit_roundoff
        grown = upward.plus(1.0, u)
        error = majorant.scale(a.error, grown)
        relative = upward.add(a.relative, (upward.times(u, self.grown(a.relative)),))
        if any(term.input < NO_INPUT for term in a.value):
            moved = majorant.size(majorant.of_value(a.value), self.reach).constant
            error = majorant.add(error, {ONE: upward.times(self.largest(relative), moved)})
            relative = upward.NOTHING
        whole = Rounded(a.value, error, relative, upward.times(a.tiny, grown), dtype)
        return self._underflown(whole, dtype, flushes=flushes)

    def _may_overflow(self, parts: Sequence[Rounded], dtype: str) -> bool:
        """Whether a sum of sizes and errors may leave the range of a format.

        For ‖x‖ ≤ 1 and |u| ≤ reach. The reach keeps the map within the dtype of x, but a text may
        use a shorter one. What grows with parameters is in range where the maps are, which is a
        condition of a bound over a box.
        """
        format_, total = FORMATS[dtype], 0.0
        for part in parts:
            sized: dict[Term, float] = {}
            for term, c in part.value.items():
                window = self._window(term, c)
                if window is None:
                    sized[term] = 1.0 if _is_small(term, c) else upward.above(c)
                elif window_exponent(format_) < window:
                    return True
            away = majorant.by_polynomial(sized, part.relative)
            for term, weight in part.error.items():
                if not isinstance(term.rate, Coefficient):
                    away = majorant.add(away, {term: weight})
                elif window_exponent(format_) < term.rate.box.window:
                    return True
            size = majorant.size(majorant.add(sized, away), self.reach, later=self.later)
            total = upward.plus(total, upward.plus(size.constant, size.of_input))
        return not total <= format_.largest

    def _window(self, term: Term, c: Number) -> float | None:
        """The exponent within which parameters keep what is in range where maps are, or None."""
        if isinstance(term.rate, Coefficient):
            return term.rate.box.window
        if term.over is not None:
            return None if self.cell is None else self.cell.box.window
        return c.box.window if isinstance(c, Coefficient) and term.input > NO_INPUT else None

    def _is_held(self, a: Rounded, dtype: str) -> bool:
        """Whether an exact m·u^k, for every integer |u| ≤ reach, is a number of the format."""
        if a.error or a.relative or a.tiny or len(a.value) != 1:
            return False
        ((term, c),) = a.value.items()
        if term.input > NO_INPUT or term.rate != ZERO or term.wave is not None:
            return False
        if not isinstance(c, fmpq):
            return False
        power = 1 if term.input < NO_INPUT else term.power
        largest = int(self.reach) ** power
        numerator, denominator = abs(int(c.p)), int(c.q)
        odd = numerator >> ((numerator & -numerator).bit_length() - 1)
        # c·n has no more digits than odd·|n|, and the format spans from c to c·largest
        digits = odd * largest <= 2 ** FORMATS[dtype].precision
        top = fmpq(1 << ((numerator * largest).bit_length() - 1), denominator)
        return digits and holds(dtype, c) and holds(dtype, top)

    def _underflown(self, a: Rounded, dtype: str, *, flushes: bool) -> Rounded:
        """float64 keeps subnormal numbers; arithmetic in float32 and bfloat16 may flush them."""
        if a.constant == 0:
            return a
        format_ = FORMATS[dtype]
        kept = not flushes or dtype in KEEPS_SUBNORMALS
        lost = format_.smallest if kept else format_.smallest_normal
        if a.carries_input:
            return replace(a, tiny=upward.plus(a.tiny, lost))
        least = majorant.least(a.value, self.reach, integers=self.integers)
        if least > 2.0 * format_.smallest_normal:
            return a
        return replace(a, error=majorant.add(a.error, {ONE: lost}))

    # -- arithmetic -------------------------------------------------------------------------------

    def multiply(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â·b̂)."""
        if not (a.value or a.error) or not (b.value or b.error):
            return number(0)
        for factor, other in ((a, b), (b, a)):
            constant = factor.constant
            if constant is not None and _is_power_of_two(constant):
                return self._scaled(other, constant, dtype)
        left, right = self.grown(a.relative), self.grown(b.relative)
        error = majorant.add(
            majorant.scale(majorant.multiply(a.error, majorant.of_value(b.value)), right),
            majorant.scale(majorant.multiply(majorant.of_value(a.value), b.error), left),
        )
        error = majorant.add(error, majorant.multiply(a.error, b.error))
        relative = upward.add(upward.scale(a.relative, right), b.relative)
        tiny = self._tiny_of_product(a, b)
        whole = Rounded(majorant.product(a.value, b.value), error, relative, tiny)
        return self.rounded(whole, dtype, flushes=True)

    def _tiny_of_product(self, a: Rounded, b: Rounded) -> float:
        total = 0.0
        for p, q in ((a, b), (b, a)):
            if p.tiny:
                total = upward.plus(total, upward.times(p.tiny, self.size(q).constant))
        return total

    def _scaled(self, a: Rounded, factor: fmpq, dtype: str) -> Rounded:
        """By a power of two: exact, apart from underflow."""
        size = 1.0 if abs(factor) == 1 else upward.above(factor)
        scaled = Rounded(
            {term: c * factor for term, c in a.value.items()},
            majorant.scale(a.error, size),
            a.relative,
            upward.times(a.tiny, size),
            a.fits,
        )
        if abs(factor) > 1 and a.fits is not None and self._may_overflow([scaled], a.fits):
            fits = None if self._may_overflow([scaled], dtype) else dtype
            scaled = replace(scaled, fits=fits)
        if abs(factor) < 1:
            scaled = self._underflown(scaled, a.fits or dtype, flushes=True)
        return self.rounded(scaled, dtype)

    def add(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â + b̂)."""
        for zero, other in ((a, b), (b, a)):
            if zero.constant == 0:
                return self.rounded(other, dtype)
        self._keep_apart(a, b)
        value = majorant.sum_of(a.value, b.value)
        error = majorant.add(a.absolute(), b.absolute())
        whole = Rounded(value, error, upward.NOTHING, upward.plus(a.tiny, b.tiny))
        return self.rounded(whole, dtype, flushes=True)

    def _keep_apart(self, *parts: Rounded) -> None:
        if self.apart and all(part.value.keys() <= {ONE} for part in parts):
            raise LeavesTheRing("the text adds constants where a shear is read")

    def divide(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â/b̂) by an exact constant. Raises `LeavesTheRing` for any other divisor."""
        divisor = b.constant
        if divisor is None or divisor == 0:
            raise LeavesTheRing("the text divides by what is no constant")
        if _is_power_of_two(divisor):
            return self._scaled(a, 1 / divisor, dtype)
        size = upward.above(1 / divisor)
        whole = Rounded(
            {term: c / divisor for term, c in a.value.items()},
            majorant.scale(a.error, size),
            a.relative,
            upward.times(a.tiny, size),
        )
        return self.rounded(whole, dtype, flushes=True)

    def dot(self, a: list[Rounded], b: list[Rounded], dtype: str) -> Rounded:
        """Σ âᵢb̂ᵢ in any order of summation, with or without fused operations.

        A product of m nonzero terms passes through at most m roundings, whatever the order.
        """
        parts = [
            self.multiply(p, q, dtype)
            for p, q in zip(a, b, strict=True)
            if p.constant != 0 and q.constant != 0
        ]
        return self.sum(parts, dtype)

    def sum(self, parts: list[Rounded], dtype: str) -> Rounded:
        """Σ âᵢ in any order: a term passes through one rounding less than there are terms.

        Partial sums are at most the sum of all sizes, which has to lie in the range of the dtype.
        """
        if len(parts) < 2:
            return parts[0] if parts else number(0)
        self._keep_apart(*parts)
        value: Value = {}
        error: Majorant = {}
        sizes: Majorant = {}
        tiny = 0.0
        for part in parts:
            away = part.absolute()
            value = majorant.sum_of(value, part.value)
            error = majorant.add(error, away)
            sizes = majorant.add(sizes, majorant.add(majorant.of_value(part.value), away))
            tiny = upward.plus(tiny, part.tiny)
        once = upward.plus(1.0, FORMATS[dtype].unit_roundoff)
        growth = upward.plus(upward.power(once, len(parts) - 1), -1.0)
        if self._may_overflow(parts, dtype):
            growth = math.inf
        error = majorant.add(error, majorant.scale(sizes, growth))
        tiny = upward.times(tiny, upward.plus(1.0, growth))
        format_ = FORMATS[dtype]
        once = format_.smallest if dtype in KEEPS_SUBNORMALS else format_.smallest_normal
        lost = upward.times(float(len(parts)), once)
        return Rounded(value, error, upward.NOTHING, upward.plus(tiny, lost), dtype)

    # -- functions --------------------------------------------------------------------------------

    def _argument(self, a: Rounded, name: str) -> tuple[Number, upward.Polynomial]:
        """q and δ(|u|) of an argument q·u that is known to within δ."""
        if not a.value.keys() <= {LINEAR}:
            raise LeavesTheRing(f"the text takes {name} of what is no multiple of the position")
        away: upward.Polynomial = upward.NOTHING
        for given, weight in a.absolute().items():
            term, c = majorant.plain(given, weight)
            if term.input > NO_INPUT or term.rate != ZERO or term.wave is not None:
                raise LeavesTheRing(f"the text takes {name} of what is no multiple of the position")
            part = upward.shift((c,), term.power)
            if term.over is not None:
                part = upward.shift(upward.scale(part, term.over.least), term.over.power)
            away = upward.add(away, part)
        return a.value.get(LINEAR, fmpq(0)), away

    def exp(self, a: Rounded, dtype: str) -> Rounded:
        """fl(e^â): e^{x + δ} = e^x·(1 + (e^δ − 1)), then the library's own error."""
        rate, away = self._argument(a, "exp")
        if rate == 0 and not away:
            return number(1)
        relative = upward.exponential_minus_one(away, self.reach)
        value = {Term(NO_INPUT, 0, ratio(rate), None): fmpq(1)}
        return self._from_library(Rounded(value, {}, relative), dtype)

    def cos(self, a: Rounded, dtype: str) -> Rounded:
        """fl(cos â): |cos(φ + δ) − cos φ| ≤ |sin φ|·δ + |cos φ|·δ²/2."""
        frequency, away = self._argument(a, "cos")
        if frequency == 0 and not away:
            return number(1)
        return self._wave(abs(frequency), "c", fmpq(1), away, dtype)

    def sin(self, a: Rounded, dtype: str) -> Rounded:
        """fl(sin â): |sin(φ + δ) − sin φ| ≤ |cos φ|·δ + |sin φ|·δ²/2."""
        frequency, away = self._argument(a, "sin")
        if frequency == 0 and not away:
            return number(0)
        sign = fmpq(1 if frequency == abs(frequency) else -1)
        return self._wave(abs(frequency), "s", sign, away, dtype)

    def _wave(
        self, frequency: Number, part: str, sign: fmpq, away: upward.Polynomial, dtype: str
    ) -> Rounded:
        own, other = (
            Term(NO_INPUT, 0, ZERO, Wave(ratio(frequency), p))
            for p in (part, "s" if part == "c" else "c")
        )
        half = upward.scale(away, upward.times(0.5, self.largest(away)))
        error = majorant.add(
            majorant.by_polynomial({other: 1.0}, away), majorant.by_polynomial({own: 1.0}, half)
        )
        return self._from_library(Rounded({own: sign}, error), dtype)

    def _from_library(self, a: Rounded, dtype: str) -> Rounded:
        """The result of a library function, within its stated accuracy."""
        own = math.inf if self._may_overflow([a], dtype) else relative_error_of_library(dtype)
        grown = upward.plus(1.0, own)
        relative = upward.add(a.relative, (upward.times(own, self.grown(a.relative)),))
        whole = Rounded(a.value, majorant.scale(a.error, grown), relative, 0.0, dtype)
        return self._underflown(whole, dtype, flushes=False)


def _is_small(term: Term, c: Number) -> bool:
    """Whether this is at most 1, by far the most frequent case."""
    steady = term.input >= NO_INPUT and term.power == 0 and term.rate == ZERO
    return steady and term.over is None and isinstance(c, fmpq) and abs(c) <= 1


def _is_power_of_two(x: fmpq) -> bool:
    numerator, denominator = abs(int(x.p)), int(x.q)
    return bool(
        numerator and not numerator & (numerator - 1) and not denominator & (denominator - 1)
    )
