"""Errors of causal sums measured against their bounds, in a run of positions with many gaps.

Compared with the same text in float64, whose own bound is allowed as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding import upward
from numeric_check.rounding.causal import (
    CHUNK,
    CHUNKED,
    STEP,
    CausalBound,
    causal_bound,
    chunkwise_bound,
)
from numeric_check.text_proof.causal_cases import runs_of
from symbolic_pe.algebra.matrix import transpose
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import NotYetCovered

STEPS, CHANNELS, SEED = 150, 3, 2026
GAPS = (1.0, 1.0, 1.0, 0.25, 3.0, 17.0)


def measure_causal(
    kernel: Kernel, plan: KernelPlan, bound: CausalBound, values: Sequence[float] = ()
) -> float:
    """The largest error of `recurrent_step` over its bound.

    Raises `NotYetCovered` for float64, which nothing here is more exact than.
    """
    given = _Given.of(plan, bound, 0.5 * bound.gap)
    found = [_stepped(kernel, given.in_dtype(w), given.gaps, values) for w in (False, True)]
    own = causal_bound(kernel, plan, "float64")
    indices = range(1, STEPS + 1)
    return _worst(given, plan, found, [_allowed(bound, n) + _allowed(own, n) for n in indices])


def measure_chunkwise(
    kernel: Kernel, plan: KernelPlan, bound: CausalBound, values: Sequence[float] = ()
) -> float:
    """The same of `chunkwise`."""
    given = _Given.of(plan, bound, bound.gap / (2.0 * CHUNK))
    found = []
    for w in (False, True):
        arrays = (kernel.bring(np.moveaxis(x, 0, -2)) for x in given.in_dtype(w))
        outputs, _ = kernel.raw(CHUNKED)(*arrays, kernel.bring(given.positions), *values)
        found.append(np.moveaxis(kernel.fetch(outputs).astype(np.float64), -2, 0))
    own = chunkwise_bound(kernel, plan, "float64")
    runs = runs_of(STEPS, CHUNK, uniform=plan.uniform_decay is not None)
    before = [r for r, length in enumerate(runs) for _ in range(length)]
    return _worst(given, plan, found, [_allowed(bound, r) + _allowed(own, r) for r in before])


@dataclass(frozen=True)
class _Given:
    """What is given at every position: arrays with the positions first, in the dtype of a bound."""

    query: Any
    key: Any
    value: Any
    gaps: Any

    @classmethod
    def of(cls, plan: KernelPlan, bound: CausalBound, furthest: float) -> _Given:
        if bound.dtype == "float64":
            raise NotYetCovered("sums in float64 are not compared with what is more exact")
        drawn = np.random.default_rng(SEED)
        lead = (plan.heads,) if plan.heads > 1 else ()
        shapes = [(STEPS, *lead, n) for n in (plan.dimension, plan.dimension, CHANNELS)]
        query, key, value = (drawn.standard_normal(s).astype(DTYPE_OF[bound.dtype]) for s in shapes)
        furthest = min(furthest, _within_range(plan, bound.dtype))
        gaps = np.concatenate([[0.0], np.resize(GAPS, STEPS - 1)])
        return cls(query, key, value, np.minimum(gaps, furthest))

    def in_dtype(self, wide: bool) -> list[Any]:
        """Query, key and value, or the same numbers in float64."""
        arrays = [self.query, self.key, self.value]
        return [x.astype(np.float64) for x in arrays] if wide else arrays

    @property
    def positions(self) -> Any:
        """Where the gaps lead to."""
        return np.cumsum(self.gaps)


def _within_range(plan: KernelPlan, dtype: str) -> float:
    """A gap at which nothing that grows leaves the range of a dtype in all steps together."""
    rates = (x.to_float() for g in _groups(plan) for row in g.rate.rows for x in row)
    fastest = max(rates, default=0.0)
    window = 0.5 * window_exponent(FORMATS[dtype])
    return window / (fastest * STEPS) if fastest > 0 else math.inf


def _stepped(kernel: Kernel, arrays: Sequence[Any], gaps: Any, values: Sequence[float]) -> Any:
    """The outputs of one step after the other, in float64."""
    query, _, value = arrays
    kind = np.result_type(np.float32, *(np.float32 if x.dtype.kind == "V" else x.dtype
                                        for x in arrays))  # fmt: skip
    state = kernel.bring(np.zeros((*value.shape[1:], query.shape[-1]), kind))
    outputs = []
    for i, gap in enumerate(gaps):
        now = [kernel.bring(x[i]) for x in arrays]
        output, state = kernel.raw(STEP)(state, *now, float(gap), *values)
        outputs.append(kernel.fetch(output).astype(np.float64))
    return np.stack(outputs)


def _allowed(bound: CausalBound, index: int) -> float:
    return upward.value(bound.error, index)


def _worst(
    given: _Given, plan: KernelPlan, found: Sequence[Any], allowed: Sequence[float]
) -> float:
    """The largest distance of two runs of outputs over what is allowed of the sum of sizes."""
    query, key, value = given.in_dtype(True)
    groups = _groups(plan)
    sizes = [np.zeros((plan.heads, CHANNELS, *_links(g))) for g in groups]
    worst = 0.0
    for n, gap in enumerate(given.gaps):
        now = (x[n].reshape(plan.heads, -1) for x in (query, key, value))
        q, k, v = (np.abs(x) for x in now)
        q, k = _in_basis(plan, q, 1), _in_basis(plan, k, -1)
        total = np.zeros((plan.heads, CHANNELS))
        for index, group in enumerate(groups):
            move = _majorant(plan, group, float(gap))
            sizes[index] = np.einsum("hbij,hvjb->hvib", move, sizes[index])
            sizes[index] += v[:, :, None, None] * _norms(group, k)[:, None]
            total += np.einsum("hib,hvib->hv", _norms(group, q), sizes[index])
        error = np.abs(found[0][n] - found[1][n]).reshape(plan.heads, CHANNELS)
        with np.errstate(all="ignore"):
            ratio = np.where(error == 0.0, 0.0, error / (allowed[n] * total))
        worst = max(worst, float(np.where(np.isnan(ratio), np.inf, ratio).max()))
    return worst


def _in_basis(plan: KernelPlan, x: Any, side: int) -> Any:
    """|Pᵀ|x or |P⁻¹|x for every head; x where there is no basis."""
    if plan.basis is None:
        return x
    rows = []
    for head, vector in enumerate(x):
        basis, inverse = plan.basis[head if len(plan.basis) > 1 else 0]
        matrix = transpose(basis) if side > 0 else inverse
        rows.append(np.array([[abs(c.to_float()) for c in row] for row in matrix]) @ vector)
    return np.stack(rows)


def _groups(plan: KernelPlan) -> list[BlockGroup]:
    return [g for g in plan.groups if isinstance(g, BlockGroup)]


def _links(group: BlockGroup) -> tuple[int, int]:
    return group.chain_length, len(group.slots[0])


def _norms(group: BlockGroup, x: Any) -> Any:
    """(HEADS, links, blocks): the norms of planes, or sizes of channels."""
    parts = np.stack([x[:, list(slot)] for slot in group.slots], axis=1)
    if not group.pair:
        return np.abs(parts)
    return np.hypot(parts[:, 0::2], parts[:, 1::2])


def _majorant(plan: KernelPlan, group: BlockGroup, gap: float) -> Any:
    """e^{a·gap}·(|η|·gap)^{j − i}/(j − i)! for (HEADS, blocks), what `_transform` does to keys."""
    n, blocks = _links(group)
    move = np.zeros((plan.heads, blocks, n, n))
    for head in range(plan.heads):
        for b in range(blocks):
            rate, shear = (
                v.rows[head if len(v.rows) > 1 else 0] for v in (group.rate, group.shear)
            )
            a, eta = (row[b if len(row) > 1 else 0].to_float() for row in (rate, shear))
            for i in range(n):
                for j in range(n):
                    k = abs(j - i)
                    weight = (abs(eta) * gap) ** k / math.factorial(k)
                    move[head, b, i, j] = math.exp(a * gap) * weight if j >= i else 0.0
    return move


__all__ = ["measure_causal", "measure_chunkwise"]
