"""Errors of a kernel measured against its bound, and a search for inputs that come near it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from flint import fmpq

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.laws.comparison import column_norms
from numeric_check.laws.decay_laws import without_decay
from numeric_check.laws.result import Ledger
from numeric_check.laws.subject import MapCall, Subject, position_array
from numeric_check.reference_values.double_double import Array, DoubleDouble, contract
from numeric_check.reference_values.exact_map import BlockArray, ExactMap
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding.blocks import FORMS, OF_LAG, OPERATOR, ROTATE, SIGNS, TABLES
from numeric_check.rounding.bound import KernelBound
from numeric_check.rounding.box_bounds import range_at
from numeric_check.rounding.measured_lag import measured_lag
from numeric_check.rounding.measured_operator import measured_whole
from numeric_check.rounding.measurement import (
    SLACK,
    STEP,
    Measurement,
    Number,
    ratio_of,
    standard_positions,
)
from numeric_check.rounding.parameters import points_in
from numeric_check.rounding.tables import measured_tables
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError

VECTORS = 6
SEED = 2026


class Bench:
    """Errors of both maps of one kernel against one bound."""

    def __init__(self, kernel: Kernel, plan: KernelPlan, bound: KernelBound) -> None:
        if bound.form == ROTATE:
            plan = without_decay(plan)
        self.plan, self.bound, self.kernel = plan, bound, kernel
        values = bound.parameters
        self.exact = ExactMap(plan, values)
        self.subject = Subject(kernel, plan, self.exact, values, (bound.dtype,), Ledger(), SEED)
        self._known = {(b.side, b.group, b.head, b.block): b for b in bound.blocks}

    def worst(
        self, positions: Sequence[Number], vectors: Array, *, reference: float = 0.0
    ) -> list[Measurement]:
        """The worst place of every vector (rows; rounded to the dtype), both sides together.

        Raises `KernelError` when a map fails.
        """
        rounded = vectors.astype(DTYPE_OF[self.bound.dtype]).astype(np.float64)
        found: list[Measurement | None] = [None] * len(rounded)
        for side in FORMS[self.bound.form]:
            for vector, candidate in enumerate(self._side(side, positions, rounded, reference)):
                known = found[vector]
                if known is None or candidate.ratio > known.ratio:
                    found[vector] = candidate
        return [m for m in found if m is not None]

    def _side(
        self, side: str, positions: Sequence[Number], vectors: Array, reference: float
    ) -> list[Measurement]:
        images = self._images(side, positions, vectors, reference)
        c = exact_number(reference)
        u = [exact_number(t) - c for t in positions]
        maps = self.exact.key(u) if side == "key" else self.exact.query(u)
        sign = SIGNS[side]
        norms = [_norms(e) for e in self.exact.exponential([sign * x for x in u])]
        worst: list[Measurement | None] = [None] * len(vectors)
        for index, (block, norm) in enumerate(zip(maps, norms, strict=True)):
            error, limit = self._against((side, index), block, (norm, u), (vectors, images))
            ratio = ratio_of(error, limit)
            for v in range(len(vectors)):
                part = ratio[..., v]
                head, n, b = np.unravel_index(int(np.argmax(part)), part.shape)
                place = (head, n, b, v)
                known = worst[v]
                if known is None or part[head, n, b] > known.ratio:
                    worst[v] = Measurement(
                        float(ratio[place]),
                        float(error[place]),
                        float(limit[place]),
                        side,
                        self.bound.dtype,
                        float(positions[int(n)]),
                        reference,
                        int(head),
                        index,
                        int(b),
                        tuple(vectors[v]),
                    )
        return [m for m in worst if m is not None]

    def _images(
        self, side: str, positions: Sequence[Number], vectors: Array, reference: float
    ) -> Array:
        """What the kernel returns, (vectors, HEADS, n, d) in float64."""
        if side == OPERATOR:
            return self._rows(positions, vectors)
        if side != ROTATE:
            call = MapCall(side, tuple(positions), reference, self.bound.dtype)
            images = self.subject.map(call, vectors)
            if images is None:
                raise KernelError(f"{call.name} fails: {self.subject.ledger.results()[0]}")
            return images
        shape = (len(vectors), self.plan.heads, len(positions), self.plan.dimension)
        x = np.broadcast_to(vectors[:, None, None, :], shape).astype(DTYPE_OF[self.bound.dtype])
        x = x[:, 0] if self.plan.heads == 1 else x
        found: Array = self.kernel.rotate(x, position_array(positions)).astype(np.float64)
        return found.reshape(shape)

    def _rows(self, positions: Sequence[Number], vectors: Array) -> Array:
        """xᵀA(τ) for unit vectors x, which are rows of the operator."""
        values = [self.bound.parameters[name] for name in self.plan.parameters]
        rows = [int(np.argmax(x)) for x in vectors]
        found = []
        for t in positions:
            matrix = self.kernel.operator(float(t), *values)
            found.append(matrix.reshape(self.plan.heads, self.plan.dimension, -1)[:, rows])
        return np.stack(found).astype(np.float64).transpose(2, 1, 0, 3)

    def _against(
        self,
        place: tuple[str, int],
        block: BlockArray,
        factors: tuple[Array, Sequence[fmpq]],
        data: tuple[Array, Array],
    ) -> tuple[Array, Array]:
        """‖ŷ − y‖ and ε·‖A‖·‖x‖ + η, each (H, n, B, vectors)."""
        (norm, u), (vectors, images) = factors, data
        x = np.moveaxis(vectors[:, block.columns], 0, -1)
        exact = contract(block.value, DoubleDouble(x, np.zeros_like(x)))
        measured = np.moveaxis(images[..., block.rows], 0, -1)
        error = column_norms(exact.subtracted_from(measured))
        sizes = column_norms(x)
        displacement = np.abs([float(int(t.p) / int(t.q)) for t in u])
        heads, count = self.plan.heads, block.rows.shape[0]
        relative = np.zeros((heads, len(u), count))
        absolute = np.zeros((heads, 1, count))
        for head in range(heads):
            for b in range(count):
                known = self._known[(*place, head, b)]
                polynomial = np.array(known.relative[::-1] or (0.0,))
                relative[head, :, b] = np.polyval(polynomial, displacement)
                absolute[head, 0, b] = known.absolute
        main = (relative * norm * SLACK)[..., None] * sizes
        limit = main + absolute[..., None]
        return np.broadcast_to(error, limit.shape), limit


def _norms(block: BlockArray) -> Array:
    """‖A_B‖₂ for every head, displacement and block."""
    result: Array = np.linalg.norm(block.value.high, ord=2, axis=(-2, -1))
    return result


def measure(kernel: Kernel, plan: KernelPlan, bound: KernelBound) -> Measurement:
    """The worst error against the bound, over `standard_positions` and two references.

    Over a box, the worst at some points of it.
    """
    if bound.box:
        return max(
            (_measured_at(kernel, plan, bound, values) for values in points_in(plan, bound.box)),
            key=lambda m: m.ratio,
        )
    if bound.form in OF_LAG:
        return measured_lag(kernel, plan, bound)
    if bound.form == TABLES:
        return measured_tables(kernel, plan, bound.dtype, bound.blocks, bound.reach)
    if bound.form == OPERATOR and plan.basis is not None:
        return measured_whole(kernel, plan, bound)
    bench = Bench(kernel, plan, bound)
    if bound.form == OPERATOR:
        chosen = sorted(set(np.linspace(0, plan.dimension - 1, VECTORS).astype(int)))
        units = np.eye(plan.dimension)[chosen]
        found = bench.worst(standard_positions(bound.reach)[::STEP], units)
        return max(found, key=lambda m: m.ratio)
    drawn = np.random.default_rng(SEED).standard_normal((VECTORS, plan.dimension))
    found = bench.worst(standard_positions(bound.reach), drawn)
    if bound.form == ROTATE:
        return max(found, key=lambda m: m.ratio)
    for c in (min(7.0, 0.5 * bound.reach), 0.3 * bound.reach):
        offsets = [o for o in (0, 1, -1, 0.25 * bound.reach) if abs(o) <= bound.reach]
        near = [c + o for o in offsets if abs(c + o) <= bound.reach]
        found += bench.worst(near, drawn[:2], reference=float(c))
    return max(found, key=lambda m: m.ratio)


def _measured_at(
    kernel: Kernel, plan: KernelPlan, bound: KernelBound, values: dict[str, float]
) -> Measurement:
    reach = bound.reach
    if bound.form not in OF_LAG:
        reach = range_at(plan, values, bound.dtype, bound.reach)
    return measure(kernel, plan, replace(bound, parameters=values, box={}, reach=reach))


def search(
    kernel: Kernel,
    plan: KernelPlan,
    bound: KernelBound,
    *,
    positions: Sequence[Number],
    rounds: int = 12,
    seed: int = SEED,
) -> Measurement:
    """Climb towards the largest error/bound: random inputs, then small changes of the best.

    The inputs and the position of the best are moved by a factor, an offset, or a few units in
    the last place; what is better stays. The result is a lower bound of what the kernel does.
    """
    bench = Bench(kernel, plan, bound)
    generator = np.random.default_rng(seed)
    random = Random(seed)
    best = max(
        bench.worst(positions, generator.standard_normal((256, plan.dimension))),
        key=lambda m: m.ratio,
    )
    for _ in range(rounds):
        here = np.array(best.vector)
        step = 10.0 ** generator.uniform(-3.0, 0.0, (128, 1))
        tried = here * (1.0 + step * generator.standard_normal((128, plan.dimension)))
        near = [best.position, *_neighbours(best.position, bound.reach, random)]
        candidate = max(bench.worst(near, tried), key=lambda m: m.ratio)
        best = max(best, candidate, key=lambda m: m.ratio)
    return best


def _neighbours(position: float, reach: float, random: Random) -> list[Number]:
    found: list[Any] = []
    for _ in range(8):
        found.append(position * random.uniform(0.5, 1.5) + random.uniform(-8.0, 8.0))
        found.append(position + random.randint(-64, 64))
    return [t for t in found if abs(t) <= reach]


__all__ = ["Bench", "Measurement", "measure", "search", "standard_positions"]
