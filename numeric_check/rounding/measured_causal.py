"""Errors of causal sums measured against their bounds, over positions with many gaps.

Compared with the sum in float64 from the exact rates, frequencies and shears, block by block, by
code that the text has no part in; `ALLOWED` of the sum of sizes is left for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding.causal import (
    CHUNK,
    CHUNKED,
    STEP,
    CausalBound,
)
from numeric_check.text_proof.causal_cases import runs_of
from symbolic_pe.algebra.matrix import transpose
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import NotYetCovered

STEPS, CHANNELS, SEED = 150, 3, 2026
ALLOWED = 2.0**-36
"""Above what steps in float64 lose over gaps of thousands, and far below 2⁻²⁴."""
GAPS = (1.0, 1.0, 1.0, 0.25, 3.0, 17.0)


def measure_causal(
    kernel: Kernel, plan: KernelPlan, bound: CausalBound, values: Sequence[float] = ()
) -> float:
    """The largest error of `recurrent_step` over its bound.

    Raises `NotYetCovered` for float64, which nothing here is more exact than.
    """
    given = _Given.of(plan, bound, 0.5 * bound.gap)
    kind = np.float32 if bound.dtype != "float64" else np.float64
    state = kernel.bring(np.zeros((*given.value.shape[1:], plan.dimension), kind))
    outputs = []
    for i, gap in enumerate(given.gaps):
        now = [kernel.bring(x[i]) for x in (given.query, given.key, given.value)]
        output, state = kernel.raw(STEP)(state, *now, float(gap), *values)
        outputs.append(kernel.fetch(output).astype(np.float64))
    return _worst(given, plan, outputs, [bound.at(n) for n in range(1, STEPS + 1)])


def measure_chunkwise(
    kernel: Kernel, plan: KernelPlan, bound: CausalBound, values: Sequence[float] = ()
) -> float:
    """The same of `chunkwise`."""
    given = _Given.of(plan, bound, bound.gap / (2.0 * CHUNK))
    arrays = (np.moveaxis(x, 0, -2) for x in (given.query, given.key, given.value))
    places = kernel.bring(given.positions)
    outputs, _ = kernel.raw(CHUNKED)(*(kernel.bring(x) for x in arrays), places, *values)
    found = np.moveaxis(kernel.fetch(outputs).astype(np.float64), -2, 0)
    runs = runs_of(STEPS, CHUNK, uniform=plan.uniform_decay is not None)
    before = [r for r, length in enumerate(runs) for _ in range(length)]
    return _worst(given, plan, found, [bound.at(r) for r in before])


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


def _worst(given: _Given, plan: KernelPlan, found: Any, allowed: Sequence[float]) -> float:
    """The largest distance of outputs from the sum, over what is allowed of the sum of sizes."""
    groups = _groups(plan)
    shape = (plan.heads, CHANNELS)
    states = [np.zeros((*shape, *_links(g)), complex) for g in groups]
    sizes = [np.zeros((*shape, *_links(g))) for g in groups]
    worst, heads = 0.0, plan.heads
    for n, gap in enumerate(given.gaps):
        rows = (x[n].astype(np.float64) for x in (given.query, given.key, given.value))
        q, k, v = (x.reshape(heads, -1) for x in rows)
        total, exact = np.zeros(shape), np.zeros(shape)
        for index, group in enumerate(groups):
            flow, move = _moved(plan, group, float(gap))
            states[index] = np.einsum("hbij,hvjb->hvib", flow, states[index])
            sizes[index] = np.einsum("hbij,hvjb->hvib", move, sizes[index])
            one, other = (_links_of(group, _in_basis(plan, x, s)) for x, s in ((q, 1), (k, -1)))
            states[index] += v[:, :, None, None] * other[:, None]
            exact += np.einsum("hib,hvib->hv", one.conj(), states[index]).real
            one, other = (_norms(group, _in_basis(plan, x, s, abs)) for x, s in ((q, 1), (k, -1)))
            sizes[index] += np.abs(v)[:, :, None, None] * other[:, None]
            total += np.einsum("hib,hvib->hv", one, sizes[index])
        error = np.abs(found[n].reshape(shape) - exact)
        with np.errstate(all="ignore"):
            ratio = np.where(error == 0.0, 0.0, error / ((allowed[n] + ALLOWED) * total))
        worst = max(worst, float(np.where(np.isnan(ratio), np.inf, ratio).max()))
    return worst


def _in_basis(
    plan: KernelPlan, x: Any, side: int, size: Callable[[Any], Any] = lambda entry: entry
) -> Any:
    """Pᵀx or P⁻¹x for every head, with absolute values throughout where `size` takes them."""
    if plan.basis is None:
        return size(x)
    rows = []
    for head, vector in enumerate(x):
        basis, inverse = plan.basis[head if len(plan.basis) > 1 else 0]
        matrix = transpose(basis) if side > 0 else inverse
        rows.append(size(np.array([[c.to_float() for c in row] for row in matrix])) @ size(vector))
    return np.stack(rows)


def _groups(plan: KernelPlan) -> list[BlockGroup]:
    return [g for g in plan.groups if isinstance(g, BlockGroup)]


def _links(group: BlockGroup) -> tuple[int, int]:
    return group.chain_length, len(group.slots[0])


def _links_of(group: BlockGroup, x: Any) -> Any:
    """(HEADS, links, blocks): planes as complex numbers, channels as real ones."""
    parts = np.stack([x[:, list(slot)] for slot in group.slots], axis=1)
    return parts[:, 0::2] + 1j * parts[:, 1::2] if group.pair else parts.astype(complex)


def _norms(group: BlockGroup, x: Any) -> Any:
    """The norms of planes, and channels as they are, of numbers that are not negative."""
    return np.abs(_links_of(group, x))


def _moved(plan: KernelPlan, group: BlockGroup, gap: float) -> tuple[Any, Any]:
    """e^{(a + iω)·gap}·(η·gap)^{j − i}/(j − i)! for (HEADS, blocks), as A moves keys; and sizes."""
    n, blocks = _links(group)
    flow = np.zeros((plan.heads, blocks, n, n), complex)
    for head in range(plan.heads):
        for b in range(blocks):
            a, w, eta = (
                (row[b] if len(row) > 1 else row[0]).to_float()
                for v in (group.rate, group.frequency, group.shear)
                for row in (v.rows[head if len(v.rows) > 1 else 0],)
            )
            whole = np.exp(complex(a, w) * gap)
            for k in range(n):
                flow[head, b] += np.eye(n, k=k) * whole * (eta * gap) ** k / math.factorial(k)
    return flow, np.abs(flow)


__all__ = ["measure_causal", "measure_chunkwise"]
