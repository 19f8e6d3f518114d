"""Rounding bounds of kernels of several axes that shear, along rays p = u·n.

    ŷ for exp(Σ pₐ(Dₐ + Nₐ)) against y, where |pₐ| ≤ |nₐu|:   ‖A_B(p)‖ ≥ e^{Σ pₐαₐ}

since every eigenvalue of the block B has that size. So errors are bounded relative to the
exponential alone, as Σ_k ε_k|u|^k. Nothing of the result is lost where signs cancel: the text is
executed with sign(nₐ)·|Nₐ| in place of Nₐ (SHEAR of the text), entry by entry, and that the exact
result is then a sum without cancelling is decided. On the way numbers that are free of the position
are not added, as entries of two axes could cancel there. What the constants are off by is bounded
with

    ‖exp(Σ pₐN̂ₐ) − exp(Σ pₐNₐ)‖ ≤ Σ_k ((ν + δ)^k − ν^k)|u|^k/k!,  ν = Σ|nₐ|‖Nₐ‖, δ = Σ|nₐ|‖N̂ₐ − Nₐ‖.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from flint import arb, arb_mat, fmpq

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.rounding import majorant, upward
from numeric_check.rounding.axes_ray import RayKernel, plan_along
from numeric_check.rounding.blocks import FORMS, MAPS, SIGNS, BlockBound, SideRun
from numeric_check.rounding.bound import COVERS_NO_MORE, SECONDS, KernelBound, joined, served_reach
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.majorant import NO_INPUT, Term, Wave, ratio
from numeric_check.rounding.measurement import SLACK, Measurement, ratio_of, standard_positions
from numeric_check.rounding.running import run_side
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.axes_proof import generator_of
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.axes import AxesPlan
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.components import connected_components

BITS = 320
VECTORS = 4
SEED = 2026
Place = tuple[int, int]
Rates = Sequence[Mapping[Place, fmpq]]


class ShearedKernel(RayKernel):
    """The same text with sign(nₐ)·|Nₐ| in place of Nₐ, for bounds alone."""

    def change(self, names: dict[str, Any], lift: Callable[[Any], Any]) -> None:
        """Another SHEAR. Raises `LeavesTheRing` where the text has none."""
        found: Any = self._namespace.get("SHEAR")
        plain = found.detach().numpy() if hasattr(found, "detach") else np.asarray(found)
        size = len(self.weights)
        if plain.dtype != np.float64 or plain.size % size:
            raise LeavesTheRing("the text has no SHEAR of the axes, with numbers of float64")
        signs = np.repeat(np.sign(self.weights), plain.size // size).reshape(plain.shape)
        shears = signs * np.abs(plain)
        names["SHEAR"] = shears.tolist() if isinstance(found, list) else lift(shears)


@dataclass(frozen=True)
class ShearedRay:
    """One ray: the text along it, what turns and decays there, and Kₐ of the text."""

    kernel: RayKernel
    sheared: ShearedKernel
    axes: AxesPlan
    plan: KernelPlan
    rates: Rates

    @classmethod
    def of(cls, kernel: Kernel, plan: AxesPlan, weights: Sequence[int], rates: Rates) -> Self:
        """Along n."""
        plain = RayKernel.of(kernel, plan, weights)
        sheared = ShearedKernel.of(kernel, plan, weights)
        return cls(plain, sheared, plan, plan_along(plan, weights), rates)

    # -- constants ------------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> list[tuple[int, ...]]:
        """Coordinates that planes or shears join."""
        n = self.axes.encoding.dimension
        joined = [[Scalar.rational(0)] * n for _ in range(n)]
        for axis in range(len(self.rates)):
            for (i, j), x in generator_of(self.axes, axis).items():
                if i != j and x.terms:
                    joined[i][j] = x
        return connected_components(tuple(map(tuple, joined)))

    @cached_property
    def _partners(self) -> dict[int, int]:
        pairs = self.axes.planes
        return dict(pairs) | {second: first for first, second in pairs}

    def _is_shear(self, place: Place) -> bool:
        i, j = place
        return i != j and self._partners.get(i) != j

    @cached_property
    def shears(self) -> dict[Place, fmpq]:
        """M = Σ |nₐ||N̂ₐ|, entry by entry."""
        total: dict[Place, fmpq] = {}
        for rate, weight in zip(self.rates, self.kernel.weights, strict=True):
            for place, x in rate.items():
                if self._is_shear(place):
                    total[place] = total.get(place, fmpq(0)) + abs(x) * abs(weight)
        return total

    def _sum(self, place: Place) -> fmpq:
        weighted = zip(self.rates, self.kernel.weights, strict=True)
        return sum((rate.get(place, fmpq(0)) * n for rate, n in weighted), fmpq(0))

    def _sizes(self, block: Sequence[int]) -> tuple[float, float, float]:
        """ν, δ and how far rates and frequencies are off, on one block."""
        size = away = apart = 0.0
        with precision(BITS):
            for axis, (rate, weight) in enumerate(
                zip(self.rates, self.kernel.weights, strict=True)
            ):
                exact = generator_of(self.axes, axis)
                own = off = turned = scaled = 0.0
                for place in {*rate, *exact}:
                    if place[0] not in block:
                        continue
                    x = exact[place].ball({}) if place in exact else arb(0)
                    distance = upward.above(arb(rate.get(place, fmpq(0))) - x)
                    if self._is_shear(place):
                        own = _with_square(own, upward.above(x))
                        off = _with_square(off, distance)
                    elif place[0] == place[1]:
                        scaled = max(scaled, distance)
                    else:
                        turned = max(turned, distance)
                n = float(abs(weight))
                size = upward.plus(size, upward.times(n, upward.up(math.sqrt(own))))
                away = upward.plus(away, upward.times(n, upward.up(math.sqrt(off))))
                apart = upward.plus(apart, upward.times(n, upward.plus(scaled, turned)))
        return size, away, apart

    # -- the bound ------------------------------------------------------------------------------

    def bound(self, dtype: str, reach: float | None = None) -> KernelBound:
        """The bound of the maps for |pₐ − cₐ| ≤ |u|."""
        limit = float(self.plan.encoding.domain.max_position) if reach is None else float(reach)
        largest = max(self._sizes(block)[0] for block in self.blocks)
        length = self.axes.degree + 1
        served = served_reach(self.plan, dtype, limit, shear=largest, length=length)
        found: list[BlockBound] = []
        try:
            with time_limit(SECONDS), np.errstate(all="ignore"):
                for side in FORMS[MAPS]:
                    found += self._side(dtype, side, served)
        except COVERS_NO_MORE as error:
            raise NotYetCovered(f"no rounding bound: {error}") from None
        return joined(found, dtype, served, limit)

    def _side(self, dtype: str, side: str, reach: float) -> Iterator[BlockBound]:
        model = Model(reach, in_basis=self.axes.bases is not None, apart=True)
        d = self.axes.encoding.dimension
        rows: list[Rounded] = list(run_side(self.sheared, self.plan, dtype, side, model)[0, :d])
        self._decide(side, rows)
        run = SideRun(self.plan, model, side, np.array([rows], dtype=object))
        for index, block in enumerate(self.blocks):
            yield self._block(run, index, block)

    def _decide(self, side: str, rows: Sequence[Rounded]) -> None:
        """That the exact rows are exp(uM)ᵀ (query) or exp(−uM) (key) of turned and scaled ones."""
        turned = [self._turned(side, i) for i in range(len(rows))]
        power: dict[Place, fmpq] = {(i, i): fmpq(1) for i in range(len(rows))}
        expected: list[dict[Term, Any]] = [{} for _ in rows]
        for k in range(self.axes.degree + 1):
            sign = SIGNS[side] ** k
            for (i, j), x in power.items():
                row, read = (j, i) if side == "query" else (i, j)
                for term, c in turned[read].items():
                    raised = term._replace(power=k)
                    expected[row][raised] = expected[row].get(raised, fmpq(0)) + sign * c * x
            power = _product(power, self.shears, k + 1)
        for i, found in enumerate(rows):
            if dict(found.value) != {t: c for t, c in expected[i].items() if c != 0}:
                raise LeavesTheRing(f"{side} map, output channel {i}: another function of u")

    def _turned(self, side: str, i: int) -> dict[Term, fmpq]:
        """Row i of exp(uD̂)ᵀ or exp(−uD̂)."""
        rate = ratio(self._sum((i, i)) * SIGNS[side])
        partner = self._partners.get(i)
        if partner is None:
            return {Term(i, 0, rate, None): fmpq(1)}
        frequency = self._sum((i, partner))  # θ in the first row of αI − θJ, −θ in the second
        if frequency == 0:
            return {Term(i, 0, rate, None): fmpq(1)}
        sign = fmpq(-1 if frequency > 0 else 1)
        size = ratio(abs(frequency))
        return {
            Term(i, 0, rate, Wave(size, "c")): fmpq(1),
            Term(partner, 0, rate, Wave(size, "s")): sign,
        }

    def _block(self, run: SideRun, index: int, block: Sequence[int]) -> BlockBound:
        reach, rows = run.model.reach, [run.rows[0, i] for i in block]
        own, last, absolute = self._own(run, block, rows)
        size, off, apart = self._sizes(block)
        moved = upward.exponential_minus_one((0.0, apart), reach)
        whole, grown = self._polynomial(size, off)
        difference = upward.add(upward.product(moved, whole), grown)
        relative = upward.scale(own, upward.plus(1.0, upward.value(moved, reach)))
        relative = upward.add(relative, difference)
        relative = upward.add(relative, upward.add(last, upward.product(last, difference)))
        if self.axes.bases is not None:
            reading, shifted, tiny = run.through_basis(0, block)
            relative = upward.scale(relative, upward.plus(reading, shifted))
            beside = upward.scale(upward.add((1.0,), difference), shifted)
            relative = upward.add(relative, beside)
            exponent = max(
                majorant.largest_exponent(ratio(self._sum((i, i))), reach) for i in block
            )
            largest = upward.times(upward.exponential(exponent), upward.value(whole, reach))
            lost = upward.times(upward.times(tiny, 2.0), upward.times(largest, 2.0))
            absolute = upward.plus(absolute, lost)
        return BlockBound(index, 0, 0, run.side, upward.folded(relative, reach), absolute, True)

    def _own(
        self, run: SideRun, block: Sequence[int], rows: Sequence[Rounded]
    ) -> tuple[Polynomial, Polynomial, float]:
        """Errors relative to e^{Σ pₐαₐ}, those relative to the result itself, and absolute ones."""
        reach = run.model.reach
        last: Polynomial = upward.NOTHING
        squares: dict[int, float] = {}
        absolute = 0.0
        for i, row in zip(block, rows, strict=True):
            last = upward.largest(last, row.relative)
            alone = majorant.size(row.error, reach).constant
            absolute = upward.plus(absolute, upward.plus(row.tiny, alone))
            entries: dict[tuple[int, int], float] = {}
            for given, weight in row.error.items():
                term, c = majorant.plain(given, weight)
                if term.input == NO_INPUT:
                    continue
                difference = majorant.number_of(term.rate) - self._sum((i, i)) * SIGNS[run.side]
                if difference != 0:
                    exponent = majorant.largest_exponent(ratio(difference), reach)
                    c = upward.times(c, upward.exponential(exponent))
                place = (term.power, term.input)
                entries[place] = upward.plus(entries.get(place, 0.0), c)
            for (power, _), c in entries.items():
                squares[power] = _with_square(squares.get(power, 0.0), c)
        own: Polynomial = upward.NOTHING
        for power, square in squares.items():
            own = upward.add(own, upward.shift((upward.up(math.sqrt(square)),), power))
        return own, last, absolute

    def _polynomial(self, size: float, off: float) -> tuple[Polynomial, Polynomial]:
        """Σ (ν + δ)^k|u|^k/k!, and Σ ((ν + δ)^k − ν^k)|u|^k/k!."""
        whole, grown = [], []
        with precision(BITS):
            for k in range(self.axes.degree + 1):
                below = math.factorial(k)
                high, low = (arb(size) + arb(off)) ** k / below, arb(size) ** k / below
                whole.append(upward.above(high))
                grown.append(upward.above(high - low) if k else 0.0)
        return tuple(whole), tuple(grown)

    # -- measured -------------------------------------------------------------------------------

    def measured(self, kernel: RayKernel, bound: KernelBound) -> Measurement:
        """The worst error of a text against the bound, along the ray, over standard positions."""
        d, dtype = self.axes.encoding.dimension, bound.dtype
        drawn = np.random.default_rng(SEED).standard_normal((VECTORS, d))
        vectors = drawn.astype(DTYPE_OF[dtype]).astype(np.float64)
        known = {(b.side, b.group): b for b in bound.blocks}
        places = standard_positions(bound.reach)
        worst: Measurement | None = None
        for side in FORMS[MAPS]:
            given = np.broadcast_to(vectors[:, None], (VECTORS, len(places), d))
            position = np.array(places, np.float64)
            function = kernel.transform_query if side == "query" else kernel.transform_key
            images = function(given.astype(DTYPE_OF[dtype]), position).astype(np.float64)
            for n, u in enumerate(places):
                exact, sizes = self._exact(side, u, vectors)
                for index, block in enumerate(self.blocks):
                    b = known[side, index]
                    epsilon = upward.value(b.relative, abs(float(u)))
                    for v in range(VECTORS):
                        error = _distance(images[v, n], exact[v], block)
                        x = vectors[v] if self.axes.bases is not None else vectors[v][list(block)]
                        limit = epsilon * sizes[index] * float(np.linalg.norm(x)) * SLACK
                        limit += b.absolute
                        own = float(ratio_of(error, limit))
                        if worst is None or own > worst.ratio:
                            worst = Measurement(
                                own, error, limit, side, dtype, float(u), 0.0, 0, index, 0,
                                tuple(vectors[v]),
                            )  # fmt: skip
        assert worst is not None
        return worst

    def _exact(self, side: str, u: float, vectors: Any) -> tuple[list[list[arb]], list[float]]:
        """Exact images of the vectors, and ‖A_B‖ of every block."""
        d = self.axes.encoding.dimension
        with precision(BITS):
            along = [arb(exact_number(u)) * n for n in self.kernel.weights]
            rows = [[arb(0)] * d for _ in range(d)]
            for axis, p in enumerate(along):
                for (i, j), x in generator_of(self.axes, axis).items():
                    rows[i][j] += p * SIGNS[side] * x.ball({})
            exponential = arb_mat(rows).exp()
            matrix = exponential.transpose() if side == "query" else exponential
            sizes = [
                float(np.linalg.norm([[float(matrix[i, j]) for j in b] for i in b], ord=2))
                for b in self.blocks
            ]
            if self.axes.bases is not None:
                basis, inverse = self.axes.bases
                applied = list(zip(*basis, strict=True)) if side == "query" else inverse
                matrix = matrix * arb_mat([[x.ball({}) for x in row] for row in applied])
            images = []
            for x in vectors:
                column = matrix * arb_mat([[arb(float(value))] for value in x])
                images.append([column[i, 0] for i in range(d)])
        return images, sizes


def _with_square(total: float, x: float) -> float:
    return upward.plus(total, upward.times(x, x))


def _product(a: Mapping[Place, fmpq], b: Mapping[Place, fmpq], over: int) -> dict[Place, fmpq]:
    """A·B/n."""
    found: dict[Place, fmpq] = {}
    for (i, k), x in a.items():
        for (m, j), y in b.items():
            if m == k:
                found[i, j] = found.get((i, j), fmpq(0)) + x * y / over
    return found


def _distance(image: Any, exact: Sequence[arb], block: Sequence[int]) -> float:
    if not np.isfinite(image[list(block)]).all():
        return math.inf
    with precision(BITS):
        apart = [abs(arb(float(image[i])) - exact[i]) for i in block]
        return math.hypot(*(float(x.mid()) for x in apart))


__all__ = ["ShearedKernel", "ShearedRay"]
