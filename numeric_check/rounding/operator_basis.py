"""The error of A(u) as a text with a basis forms it: F(u) of every unit vector times G(0) of all.

A(u) = P·exp(uK)·P⁻¹ is no block of anything, but a sum of functions f of u, as many as K has, with
a matrix C_f each: f = |u|^k·e^{au}, turned or not, and C_f from the columns of P and the rows of
P⁻¹ of a block. So every entry of the product that the text computes is executed, its terms are
those of A(u) but for their constants, and what is off is sorted by the functions. With
e^{au} ≤ ‖exp(uK)‖ for the rates of K, and |ηu|^k/k!·e^{au} ≤ ‖exp(uK)‖ for its chains,

    ‖(row i of Â) − (row i of A(u))‖₂ ≤ ε(|u|)·‖exp(uK)‖₂ + η      for all real |u| ≤ reach and i,

where ε has |Ĉ_f − C_f|, and |C_f|·|u|^k(e^{|u|δ} − 1) for rates and frequencies that are off by
δ. ‖exp(uK)‖ is at most ‖P⁻¹‖‖P‖ times ‖A(u)‖.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.blocks import BITS, OPERATOR, WHOLE, BlockBound
from numeric_check.rounding.element import KEEPS_SUBNORMALS, Model, Rounded, number
from numeric_check.rounding.majorant import NO_INPUT, ZERO, Number, Ratio, Term, number_of
from numeric_check.rounding.running import operator_entries
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector

CLOSE = 2.0**-40
"""How far constants of the text may be off, relative to 1 + their size."""
FLOATS = 1.0 + 2.0**-30
"""Covers the roundings of sums and norms of coefficients."""
Matrix = np.ndarray[Any, np.dtype[np.float64]]


def spread_of(plan: KernelPlan) -> float:
    """ln of what the products with P and P⁻¹ may make of entries of exp(uK)."""
    worst = 0.0
    for p, q in plan.basis or ():
        sizes = (sum(abs(x.to_float()) for row in m for x in row) for m in (p, q))
        worst = max(worst, sum(math.log(max(1.0, size)) for size in sizes))
    return worst


def whole_bounds(kernel: Kernel, plan: KernelPlan, reach: float) -> list[BlockBound]:
    """ε and η of the rows of A(u), head by head.

    Raises `LeavesTheRing` where the text computes another matrix.
    """
    model = _Products(reach, in_basis=False)
    identity = np.eye(plan.dimension).astype(object)
    entries = operator_entries(kernel, plan, model, identity)
    with precision(BITS):
        return [_Head(plan, head, reach).bound(entries[head]) for head in range(plan.heads)]


# -- running the text ---------------------------------------------------------------------------


class _Sizes(NamedTuple):
    """A factor of many products, with its terms in floats."""

    element: Rounded
    sizes: Mapping[Term, float]
    away: Mapping[Term, float]


@dataclass(frozen=True)
class _Products(Model):
    """The same arithmetic, with sums of products by constants taken at once."""

    known: dict[int, _Sizes] = field(default_factory=dict)

    def _of(self, x: Rounded) -> _Sizes:
        if id(x) not in self.known:
            self.known[id(x)] = _Sizes(x, majorant.of_value(x.value), x.absolute())
        return self.known[id(x)]

    def dot(self, a: list[Rounded], b: list[Rounded], dtype: str) -> Rounded:
        """Σ âᵢb̂ᵢ in any order: of n products, each passes through n roundings at most."""
        parts: list[tuple[Rounded, fmpq]] = []
        for p, q in zip(a, b, strict=True):
            left, right = p.constant, q.constant
            if left == 0 or right == 0:
                continue
            if right is not None:
                parts.append((p, right))
            elif left is not None:
                parts.append((q, left))
            else:
                return super().dot(a, b, dtype)
        if len(parts) < 2:
            return super().dot(a, b, dtype)
        value: dict[Term, Number] = {}
        error: dict[Term, float] = {}
        sizes: dict[Term, float] = {}
        tiny = 0.0
        for x, c in parts:
            factor, size = self._of(x), upward.above(c)
            for term, v in x.value.items():
                value[term] = value.get(term, majorant.NONE) + v * c
            for total, own in ((sizes, factor.sizes), (error, factor.away)):
                for term, s in own.items():
                    total[term] = upward.plus(total.get(term, 0.0), upward.times(s, size))
            tiny = upward.plus(tiny, upward.times(x.tiny, size))
        count = len(parts)
        once = upward.plus(1.0, FORMATS[dtype].unit_roundoff)
        growth = upward.plus(upward.power(once, count), -1.0)
        whole = majorant.add(sizes, error)
        if self._may_overflow([Rounded({}, whole)], dtype):
            growth = math.inf
        rounded = majorant.scale(whole, growth)
        format_ = FORMATS[dtype]
        least = format_.smallest if dtype in KEEPS_SUBNORMALS else format_.smallest_normal
        lost = upward.times(2.0 * count, least)
        tiny = upward.times(upward.plus(tiny, lost), upward.plus(1.0, growth))
        exact = {term: c for term, c in value.items() if c != 0}
        return Rounded(exact, majorant.add(error, rounded), upward.NOTHING, tiny, dtype)


# -- what A(u) is -------------------------------------------------------------------------------


class _Shape(NamedTuple):
    """|u|^power·e^{rate·u}, turned with a frequency (two entries: cos and sin) or not."""

    power: int
    rate: Scalar
    frequency: Ratio | None = None


class _Function(NamedTuple):
    """A function of A(u) with its matrix; `part` is its wave."""

    power: int
    rate: Scalar
    frequency: Scalar
    part: str
    matrix: arb_mat


Known = tuple[int, Ratio, "Ratio | None", str]
"""A function of the text: power, rate, frequency and wave."""


@dataclass
class _Head:
    """The matrix of one head."""

    plan: KernelPlan
    head: int
    reach: float
    off: dict[_Shape, dict[str, Matrix]] = field(default_factory=dict)

    def bound(self, entries: Any) -> BlockBound:
        """ε and η of its rows."""
        functions = list(self._functions())
        self._compare(functions, _coefficients(entries))
        absolute = self._errors(functions, entries)
        relative = self._relative(functions)
        return BlockBound(WHOLE, self.head, 0, OPERATOR, relative, absolute)

    def _functions(self) -> Iterator[_Function]:
        assert self.plan.basis is not None
        pair = self.plan.basis[self.head if len(self.plan.basis) > 1 else 0]
        basis, inverse = ([[x.ball({}) for x in row] for row in m] for m in pair)
        for group in self.plan.groups:
            if not isinstance(group, BlockGroup):
                raise LeavesTheRing("a parametric block in a basis")
            for b in range(len(group.slots[0])):
                channels = [slot[b] for slot in group.slots]
                columns = arb_mat([[row[c] for c in channels] for row in basis])
                rows = arb_mat([inverse[c] for c in channels])
                rate, frequency, shear = (
                    self._of(v, b) for v in (group.rate, group.frequency, group.shear)
                )
                for k in range(1 if shear.is_zero() else group.chain_length):
                    weight = shear.ball({}) ** k / math.factorial(k)
                    for part in ("",) if frequency.is_zero() else ("c", "s"):
                        inner = _link(len(channels), 2 if group.pair else 1, (k, part))
                        if part == "s" and frequency.to_float() < 0:
                            inner = -inner
                        matrix = columns * (inner * weight) * rows
                        yield _Function(k, rate, frequency, part, matrix)

    def _of(self, vector: Vector, b: int) -> Scalar:
        row = vector.rows[self.head if len(vector.rows) > 1 else 0]
        return row[b if len(row) > 1 else 0]

    # -- constants ------------------------------------------------------------------------------

    def _compare(
        self, functions: Sequence[_Function], found: Mapping[Known, dict[tuple[int, int], fmpq]]
    ) -> None:
        """|Ĉ − C| of every function of the text, and what rates and frequencies are off."""
        d = self.plan.dimension
        left = {key: _as_matrix(entries, d) for key, entries in found.items()}
        homes: dict[Known, _Shape] = {}
        size = sum(_row_norm(_above(f.matrix)) for f in functions)
        for f in functions:
            same = [k for k in left if (k[0], k[3]) == (f.power, f.part)]
            if not same:
                raise LeavesTheRing("a function of A(u) is missing in the text")
            key = min(same, key=lambda k: _apart(f, k))
            away = _distance(f, key)
            if away > CLOSE * (1.0 + abs(f.rate.to_float()) + abs(f.frequency.to_float())):
                raise LeavesTheRing("the text has a rate or a frequency of its own")
            left[key] = left[key] - f.matrix
            homes[key] = _Shape(f.power, f.rate, key[2])
            moved = upward.exponential_minus_one((0.0, away), self.reach)
            for power, c in enumerate(moved):
                if c:
                    self._add(_Shape(f.power + power, f.rate), "", c * _above(f.matrix))
        for key, rest in left.items():
            difference = _above(rest)
            if key not in homes or _row_norm(difference) > CLOSE * (1.0 + size):
                raise LeavesTheRing("the text computes another matrix than A(u)")
            grown = self._grown(key[1], homes[key].rate)
            self._add(homes[key], key[3], grown * difference)

    def _grown(self, rate: Ratio, exact: Scalar) -> float:
        """e^{|r̂ − r|·reach}."""
        away = upward.above(arb(number_of(rate)) - exact.ball({}))
        return upward.exponential(upward.times(away, self.reach))

    def _add(self, shape: _Shape, part: str, sizes: Matrix) -> None:
        parts = self.off.setdefault(shape, {})
        parts[part] = parts.get(part, 0.0) + sizes

    # -- roundings ------------------------------------------------------------------------------

    def _errors(self, functions: Sequence[_Function], entries: Any) -> float:
        """Sorts what the entries are off by; returns what is no function of K, absolutely."""
        d = self.plan.dimension
        rates = {f.rate: f.rate.to_float() for f in functions}
        homes: dict[Ratio, Scalar | None] = {}
        sizes: dict[tuple[_Shape, str], Matrix] = {}
        alone = np.zeros((d, d))
        for i, j in np.ndindex(d, d):
            element = entries[i, j]
            element = element if isinstance(element, Rounded) else number(element)
            alone[i, j] += element.tiny
            for term, c in element.absolute().items():
                if term.input != NO_INPUT or term.over is not None:
                    raise LeavesTheRing("an entry of the operator depends on more than the lag")
                if term.rate not in homes:
                    homes[term.rate] = _nearest(term.rate, rates)
                home = homes[term.rate]
                if home is None:
                    if term.rate != ZERO or term.wave is not None:
                        raise LeavesTheRing("the text is off by what is no function of A(u)")
                    alone[i, j] += upward.times(c, upward.power(self.reach, term.power))
                    continue
                grown = upward.times(c, self._grown(term.rate, home))
                wave = term.wave
                shape = _Shape(term.power, home, None if wave is None else wave.frequency)
                place = shape, "" if wave is None else wave.part
                sizes.setdefault(place, np.zeros((d, d)))[i, j] += grown
        for (shape, part), matrix in sizes.items():
            self._add(shape, part, matrix)
        return _row_norm(alone)

    def _relative(self, functions: Sequence[_Function]) -> Polynomial:
        """All of it relative to ‖exp(uK)‖: entries are added before the norm of a row is taken."""
        chains = self._chains(functions)
        by_power: dict[int, Matrix] = {}
        for shape, parts in self.off.items():
            whole = np.hypot.reduce(list(parts.values()))  # |a·cos + b·sin| ≤ √(a² + b²)
            k, share = max(x for x in chains[shape.rate] if x[0] <= shape.power)
            power = shape.power - k
            by_power[power] = by_power.get(power, 0.0) + share * whole
        relative: Polynomial = upward.NOTHING
        for power, matrix in by_power.items():
            relative = upward.add(relative, upward.shift((_row_norm(matrix),), power))
        return upward.folded(relative, self.reach)

    def _chains(self, functions: Sequence[_Function]) -> dict[Scalar, list[tuple[int, float]]]:
        """(k, k!/|η|^k) of blocks with a rate: |u|^k·e^{au} is at most that much of ‖exp(uK)‖."""
        found: dict[Scalar, list[tuple[int, float]]] = {f.rate: [(0, 1.0)] for f in functions}
        for group in self.plan.groups:
            assert isinstance(group, BlockGroup)
            for b in range(len(group.slots[0])):
                rate, shear = self._of(group.rate, b), self._of(group.shear, b)
                for k in range(1, 1 if shear.is_zero() else group.chain_length):
                    share = upward.above(math.factorial(k) / abs(shear.ball({})) ** k)
                    found[rate].append((k, share))
        return found


def _link(size: int, width: int, which: tuple[int, str]) -> arb_mat:
    """Ones k links above the diagonal, or J there: the places of a function in a block."""
    k, part = which
    matrix = arb_mat(size, size)
    for row in range(size - k * width):
        link, p = divmod(row, width)
        if part != "s":
            matrix[row, row + k * width] = arb(1)
        else:
            matrix[row, (link + k) * width + 1 - p] = arb(-1 if p == 0 else 1)
    return matrix


def _coefficients(entries: Any) -> dict[Known, dict[tuple[int, int], fmpq]]:
    """The exact values of the entries by their functions."""
    found: dict[Known, dict[tuple[int, int], fmpq]] = {}
    for place in np.ndindex(*entries.shape):
        element = entries[place]
        value = element.value if isinstance(element, Rounded) else number(element).value
        for term, c in value.items():
            if term.input != NO_INPUT or term.over is not None or not isinstance(c, fmpq):
                raise LeavesTheRing("an entry of the operator depends on more than the lag")
            wave = term.wave
            key = (term.power, term.rate, *((None, "") if wave is None else wave))
            found.setdefault(key, {})[place] = c
    return found


def _as_matrix(entries: Mapping[tuple[int, int], fmpq], d: int) -> arb_mat:
    matrix = arb_mat(d, d)
    for (i, j), c in entries.items():
        matrix[i, j] = arb(c)
    return matrix


def _apart(f: _Function, key: Known) -> float:
    frequency = 0.0 if key[2] is None else _float(key[2])
    away = abs(f.rate.to_float() - _float(key[1]))
    return away + abs(abs(f.frequency.to_float()) - frequency)


def _distance(f: _Function, key: Known) -> float:
    """|â − a| + |ω̂ − ω|."""
    rate = upward.above(arb(number_of(key[1])) - f.rate.ball({}))
    if key[2] is None:
        return rate
    turned = upward.above(arb(number_of(key[2])) - abs(f.frequency.ball({})))
    return upward.plus(rate, turned) if rate and turned else rate or turned


def _nearest(rate: Ratio, rates: Mapping[Scalar, float]) -> Scalar | None:
    """The rate of K next to one of the text, unless none is near."""
    own = _float(rate)
    home = min(rates, key=lambda x: abs(rates[x] - own))
    return home if abs(rates[home] - own) <= CLOSE * (1.0 + abs(own)) else None


def _float(x: Ratio) -> float:
    found = number_of(x)
    assert isinstance(found, fmpq)
    return int(found.p) / int(found.q)


def _above(matrix: arb_mat) -> Matrix:
    """Upper bounds of the sizes of entries."""
    rows, columns = matrix.nrows(), matrix.ncols()
    return np.array([[upward.above(matrix[i, j]) for j in range(columns)] for i in range(rows)])


def _row_norm(sizes: Matrix) -> float:
    """The largest norm of a row."""
    return upward.up(float(np.hypot.reduce(sizes, axis=1).max()) * FLOATS)


__all__ = ["spread_of", "whole_bounds"]
