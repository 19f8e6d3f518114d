"""The exact query and key maps of a plan, per block, as NumPy arrays with 106 bits.

    F(t) = A(u)ᵀ, u = t − c        G(s) = A(−v), v = s − c        (times Pᵀ and Q with a basis)

Every factor (cos ωτ, sin ωτ, e^{aτ}(ητ)^k/k!, entries of a basis) is a ball whose radius is
proved small; factors are multiplied in double-double. So dimension 128 with many heads costs a
few milliseconds per position, and no error is larger than `VALUE_ERROR` times the majorant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from numeric_check.reference_values.double_double import Array, DoubleDouble, contract, multiply
from numeric_check.reference_values.entire import TwoByTwo
from numeric_check.reference_values.exact_number import parameter_balls
from numeric_check.reference_values.term_sizes import size_of_terms
from numeric_check.reference_values.tolerance import (
    TABLE_ROUNDINGS,
    angle_error,
    entire_error,
    exponent_error,
)
from symbolic_pe.algebra.matrix import ScalarMatrix, transpose
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup, Vector
from symbolic_pe.errors import Undecided

_Value = TypeVar("_Value")
Indices = npt.NDArray[np.intp]

BITS = (192, 384, 768, 1536)
"""Precisions tried in turn for every factor."""

FACTOR_BITS = 100
"""A factor is accepted when its radius is below 2⁻¹⁰⁰ of its size (of 1, for cos and sin)."""

VALUE_ERROR = 2.0**-90
"""Relative to the majorant: a few factors, products and sums of 2⁻¹⁰⁰ each."""


@dataclass(frozen=True)
class BlockArray:
    """Exact blocks of one group at several displacements.

    rows      (B, S) output coordinates of each block
    columns   (B, C) input channels of each block
    value     (H, n, B, S, C), H = 1 when all heads agree
    majorant  (H, n, B, S, C), what a kernel adds up (see `tolerance`)
    loss      (H, n, B), κ in units of 2⁻⁵³
    growth    (H, n, B), logarithm of a majorant of the block at both signs of the displacement
    """

    group: BlockGroup | MatrixGroup
    rows: Indices
    columns: Indices
    value: DoubleDouble
    majorant: Array
    loss: Array
    growth: Array

    def transposed(self) -> BlockArray:
        """The same blocks transposed (coordinates of rows and columns agree)."""
        return BlockArray(
            self.group,
            self.rows,
            self.columns,
            self.value.transpose_last(),
            self.majorant.swapaxes(-1, -2),
            self.loss,
            self.growth,
        )

    def with_flat_planes(self) -> BlockArray:
        """Every 2 × 2 cell of the majorant replaced by its norm in all four places.

        An error δ of the angle changes cos φ by δ·|sin φ|, however small cos φ is. Normwise that is
        nothing new, but between two bases single entries count.
        """
        if not (isinstance(self.group, BlockGroup) and self.group.pair):
            return self
        n = self.group.chain_length
        cells = self.majorant.reshape(*self.majorant.shape[:-2], n, 2, n, 2)
        norms = np.hypot(cells[..., :1, :, :1], cells[..., :1, :, 1:])
        flat = np.broadcast_to(norms, cells.shape).reshape(self.majorant.shape)
        return replace(self, majorant=flat)


@dataclass(frozen=True)
class Whole:
    """A whole matrix: value and majorant (H, n, d, d), loss and growth by row (H, n, d)."""

    value: DoubleDouble
    majorant: Array
    loss: Array
    growth: Array


class ExactMap:
    """Exact maps of one plan at one point of its parameters."""

    def __init__(
        self,
        plan: KernelPlan,
        parameters: Mapping[str, float] | None = None,
        *,
        keeps: bool = False,
    ) -> None:
        self.plan, self.keeps = plan, keeps
        self.parameters = dict(parameters or {})
        self._constants: dict[tuple[Scalar, int], arb] = {}
        self._remembered: dict[tuple[int, int, int], DoubleDouble] = {}
        self._rows: dict[tuple[int, int], list[arb]] = {}
        self._values: dict[tuple[int, str], Array] = {}
        self._made: dict[Hashable, Any] = {}
        self._components: dict[int, TwoByTwo] = {}
        self._bases = [(self._matrix(transpose(p)), self._matrix(q)) for p, q in plan.basis or ()]

    # -- public -------------------------------------------------------------------------------

    def remembered(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """What `make` returned when this key was first asked for, if values are kept."""
        if not self.keeps:
            return make()
        if key not in self._made:
            self._made[key] = make()
        known: _Value = self._made[key]
        return known

    def exponential(self, lags: Sequence[fmpq]) -> tuple[BlockArray, ...]:
        """E(τ) = exp(τJ), group by group."""
        return self.remembered(("exponential", *map(str, lags)), lambda: self._exponential(lags))

    def _exponential(self, lags: Sequence[fmpq]) -> tuple[BlockArray, ...]:
        return tuple(
            self._block_group(g, lags) if isinstance(g, BlockGroup) else self._two_by_two(g, lags)
            for g in self.plan.groups
        )

    def query(self, displacements: Sequence[fmpq]) -> tuple[BlockArray, ...]:
        """A(u)ᵀ, or exp(uJ)ᵀ·Pᵀ with a basis."""
        blocks = tuple(b.transposed() for b in self.exponential(displacements))
        return tuple(self._after_basis(b, side=0) for b in blocks) if self._bases else blocks

    def key(self, displacements: Sequence[fmpq]) -> tuple[BlockArray, ...]:
        """A(−v), or exp(−vJ)·Q with a basis."""
        blocks = self.exponential([-v for v in displacements])
        return tuple(self._after_basis(b, side=1) for b in blocks) if self._bases else blocks

    def operator(self, lags: Sequence[fmpq]) -> Whole:
        """A(τ) whole."""
        blocks = self.exponential(lags)
        whole = self.whole(blocks, len(lags))
        if not self._bases:
            return whole
        left = _stack([p.transpose_last() for p, _ in self._bases])
        right = _stack([q for _, q in self._bases])
        value = contract(contract(left[:, None], whole.value), right[:, None])
        sizes = [np.abs(x.high)[:, None] for x in (left, right)]
        flat = self.whole([b.with_flat_planes() for b in blocks], len(lags)).majorant
        spread = np.log1p(sum(x.sum(axis=(-1, -2)) for x in sizes))[..., None]
        everywhere = value.high.shape[:3]
        return Whole(
            value,
            sizes[0] @ flat @ sizes[1],
            np.broadcast_to(whole.loss.max(axis=-1, keepdims=True), everywhere),
            np.broadcast_to(whole.growth.max(axis=-1, keepdims=True) + spread, everywhere),
        )

    def whole(self, blocks: Sequence[BlockArray], n: int) -> Whole:
        """Blocks put in their places: rows are outputs, columns are channels of x."""
        heads = max(len(self._bases), *(b.value.high.shape[0] for b in blocks))
        d = self.plan.dimension
        value = DoubleDouble(np.zeros((heads, n, d, d)), np.zeros((heads, n, d, d)))
        majorant, loss, growth = (np.zeros((heads, n, d, d)), *np.zeros((2, heads, n, d)))
        for b in blocks:
            place = (..., b.rows[:, :, None], b.columns[:, None, :])
            value.high[place], value.low[place] = b.value.high, b.value.low
            majorant[place] = b.majorant
            loss[..., b.rows] = b.loss[..., None]
            growth[..., b.rows] = b.growth[..., None]
        return Whole(value, majorant, loss, growth)

    def roundings_inputs(self) -> int:
        """Channels that a dot product with the basis runs over; 1 without a basis."""
        if not self._bases:
            return 1
        return max(int(np.count_nonzero(m.high, axis=-1).max()) for b in self._bases for m in b)

    # -- balls --------------------------------------------------------------------------------

    def scalar(self, x: Scalar) -> float:
        """A scalar at the parameter values, as a float."""
        with precision(BITS[0]):
            return float(x.ball(parameter_balls(self.parameters)))

    def _accurate(self, x: Scalar) -> arb:
        """A scalar to `FACTOR_BITS`."""
        for bits in BITS:
            with precision(bits):
                ball = self._constant(x, bits)
            if ball.is_exact() or ball.rel_accuracy_bits() >= FACTOR_BITS:
                return ball
        raise Undecided(f"{x}: not to {FACTOR_BITS} bits with {BITS[-1]} bits")

    def _matrix(self, rows: ScalarMatrix) -> DoubleDouble:
        balls = [self._accurate(x) for row in rows for x in row]
        return DoubleDouble.from_balls(balls, (len(rows), len(rows[0])))

    # -- blocks -------------------------------------------------------------------------------

    def _block_group(self, group: BlockGroup, lags: Sequence[fmpq]) -> BlockArray:
        heads = max(len(v.rows) for v in (group.rate, group.frequency, group.shear))
        blocks, n = len(group.slots[0]), len(lags)
        weights = self._weights(group, lags, heads)
        width = 2 if group.pair else 1
        size = group.chain_length * width
        shape = (heads, n, blocks, size, size)
        value = DoubleDouble(np.zeros(shape), np.zeros(shape))
        cells = self._cells(group, lags) if group.pair else None
        for k, weight in enumerate(weights):
            entry = weight[..., None, None]
            if cells is not None:
                entry = cells if weight is _ONE else multiply(entry, cells)
            for link in range(group.chain_length - k):
                rows = slice(link * width, (link + 1) * width)
                columns = slice((link + k) * width, (link + k + 1) * width)
                value.high[..., rows, columns] = entry.high
                value.low[..., rows, columns] = entry.low
        slots = np.array(group.slots, dtype=np.intp).T
        rates = self._floats(group.rate)
        tau = np.array([float(arb(x)) for x in lags])[None, :, None]
        sizes = [self._sizes(v)[:, None] for v in (group.frequency, group.rate)]
        loss = angle_error(sizes[0], tau) + exponent_error(sizes[1].max(-1, keepdims=True), tau)
        if group.kind != "constant":
            loss = loss + TABLE_ROUNDINGS
        growth = np.abs(rates[:, None] * tau) + _polynomial_growth(
            self._floats(group.shear)[:, None] * tau, group.chain_length
        )
        everywhere = (heads, n, blocks)
        return BlockArray(
            group,
            slots,
            slots,
            value,
            np.abs(value.high),
            np.broadcast_to(loss, everywhere),
            np.broadcast_to(growth, everywhere),
        )

    def _weights(self, group: BlockGroup, lags: Sequence[fmpq], heads: int) -> list[DoubleDouble]:
        """e^{aτ}(ητ)^k/k! for each k, (H, n, B); the constant 1 where a = 0 and k = 0."""
        if group.rate.is_zero and group.chain_length == 1:
            return [_ONE]
        rates, shears = _rows(group.rate, heads), _rows(group.shear, heads)
        pairs = [list(zip(*rows, strict=True)) for rows in zip(rates, shears, strict=True)]
        distinct = {
            pair: i for i, pair in enumerate(dict.fromkeys(p for row in pairs for p in row))
        }
        place = np.array([[distinct[pair] for pair in row] for row in pairs])
        result = []
        for k in range(group.chain_length):
            balls = [self._weight(pair, k, lag) for pair in distinct for lag in lags]
            known = DoubleDouble.from_balls(balls, (len(distinct), len(lags)))
            high, low = (np.moveaxis(x[place], -1, 1) for x in (known.high, known.low))
            result.append(DoubleDouble(high, low))
        return result

    def _weight(self, pair: tuple[Scalar, Scalar], k: int, lag: fmpq) -> arb:
        rate, shear = pair
        for bits in BITS:
            with precision(bits):
                tau = arb(lag)
                ball = (self._constant(shear, bits) * tau) ** k / factorial(k) if k else arb(1)
                if not rate.is_zero():
                    ball = ball * (self._constant(rate, bits) * tau).exp()
            if ball.is_exact() or ball.rel_accuracy_bits() >= FACTOR_BITS:
                return ball
        raise Undecided(f"exp({rate}*{lag})*({shear}*{lag})^{k}: not to {FACTOR_BITS} bits")

    def _constant(self, x: Scalar, bits: int) -> arb:
        """A scalar at one precision, remembered."""
        known = self._constants.get((x, bits))
        if known is None:
            known = self._constants[x, bits] = x.ball(parameter_balls(self.parameters))
        return known

    def _cells(self, group: BlockGroup, lags: Sequence[fmpq]) -> DoubleDouble:
        """R(ωτ), (H, n, B, 2, 2); cos and sin are evaluated at |τ| only."""
        rows = group.frequency.rows
        shape = (2, len(rows), len(lags), len(rows[0]))
        waves = DoubleDouble(np.empty(shape), np.empty(shape))
        for h, row in enumerate(rows):
            for i, lag in enumerate(lags):
                known = self._waves(row, abs(lag))
                waves.high[:, h, i], waves.low[:, h, i] = known.high, known.low
        signs = np.array([1.0 if lag >= 0 else -1.0 for lag in lags])[:, None]
        cosine = waves[0]
        sine = DoubleDouble(signs * waves.high[1], signs * waves.low[1])
        order = [cosine, -sine, sine, cosine]
        cell = (*shape[1:], 2, 2)
        return DoubleDouble(
            np.stack([x.high for x in order], axis=-1).reshape(cell),
            np.stack([x.low for x in order], axis=-1).reshape(cell),
        )

    def _waves(self, row: tuple[Scalar, ...], lag: fmpq) -> DoubleDouble:
        """cos ωτ and sin ωτ for a row of frequencies, (2, B), remembered."""
        key = (id(row), int(lag.p), int(lag.q))
        known = self._remembered.get(key)
        if known is None:
            pairs = [self._cosine_sine(i, row, lag) for i in range(len(row))]
            balls = [pair[part] for part in (0, 1) for pair in pairs]
            known = self._remembered[key] = DoubleDouble.from_balls(balls, (2, len(row)))
        return known

    def _cosine_sine(self, index: int, row: tuple[Scalar, ...], lag: fmpq) -> tuple[arb, arb]:
        for bits in BITS:
            with precision(bits):
                sine, cosine = (self._frequencies(row, bits)[index] * arb(lag)).sin_cos()
                accurate = min(x.rel_one_accuracy_bits() for x in (sine, cosine))
            if accurate >= FACTOR_BITS or lag == 0:
                return cosine, sine
        raise Undecided(f"cos and sin of ({row[index]})*{lag}: not to {FACTOR_BITS} bits")

    def _frequencies(self, row: tuple[Scalar, ...], bits: int) -> list[arb]:
        """A row of frequencies at one precision, remembered."""
        key = (id(row), bits)
        known = self._rows.get(key)
        if known is None:
            balls = parameter_balls(self.parameters)
            known = self._rows[key] = [x.ball(balls) for x in row]
        return known

    def _two_by_two(self, group: MatrixGroup, lags: Sequence[fmpq]) -> BlockArray:
        component = self._components.get(id(group))
        if component is None:
            component = self._components[id(group)] = TwoByTwo.of(group, self.parameters)
        n = len(lags)
        balls = [x for lag in lags for x in component.entries(lag)]
        value = DoubleDouble.from_balls(balls, (1, n, 1, 2, 2))
        tau = np.array([float(arb(x)) for x in lags])
        slots = np.array([group.channels], dtype=np.intp)
        loss = entire_error(
            np.array(component.centre_size),
            np.array(component.discriminant_scale),
            component.reach(tau),
            tau,
        )
        return BlockArray(
            group,
            slots,
            slots,
            value,
            component.majorant(tau).reshape(1, n, 1, 2, 2),
            loss.reshape(1, n, 1),
            component.growth(tau).reshape(1, n, 1),
        )

    def _floats(self, vector: Vector) -> Array:
        """Values as floats, remembered; the plan keeps the vector alive."""
        return self._evaluated(vector, "value", self.scalar)

    def _sizes(self, vector: Vector) -> Array:
        """Sizes of the terms that are added up to each value, likewise."""
        balls = parameter_balls(self.parameters)
        return self._evaluated(vector, "size", lambda x: size_of_terms(x, balls))

    def _evaluated(self, vector: Vector, what: str, of: Callable[[Scalar], float]) -> Array:
        known = self._values.get((id(vector), what))
        if known is None:
            with precision(BITS[0]):
                each = {x: of(x) for x in {x for row in vector.rows for x in row}}
            known = np.array([[each[x] for x in row] for row in vector.rows])
            self._values[id(vector), what] = known
        return known

    def _after_basis(self, block: BlockArray, side: int) -> BlockArray:
        """Rows of each block times Pᵀ (side 0) or Q (side 1), which read every channel."""
        change = _stack([basis[side] for basis in self._bases])[:, block.rows][:, None]
        value = contract(block.value, change)
        size = np.abs(change.high)
        rows, width = block.rows.shape[0], change.high.shape[-1]
        return BlockArray(
            block.group,
            block.rows,
            np.broadcast_to(np.arange(width, dtype=np.intp), (rows, width)),
            value,
            block.majorant @ size,
            np.broadcast_to(block.loss, value.high.shape[:3]),
            block.growth + np.log(np.maximum(size.sum(axis=-1).max(axis=-1), 1.0)),
        )


_ONE = DoubleDouble(np.ones(()), np.zeros(()))


def _rows(vector: Vector, heads: int) -> tuple[tuple[Scalar, ...], ...]:
    return vector.rows if len(vector.rows) == heads else vector.rows * heads


def _polynomial_growth(x: Array, chain_length: int) -> Array:
    """ln Σ_k |x|^k/k!, k below the chain length."""
    total = np.ones_like(x)
    for k in range(1, chain_length):
        total = total + np.abs(x) ** k / factorial(k)
    logarithm: Array = np.log(total)
    return logarithm


def _stack(parts: Sequence[DoubleDouble]) -> DoubleDouble:
    return DoubleDouble(np.stack([p.high for p in parts]), np.stack([p.low for p in parts]))
