"""Errors of causal sums measured against their bounds, over positions with many gaps.

Compared with the sum in float64 from the exact rates, frequencies and shears, block by block, by
code that the text has no part in; `ALLOWED` of the sum of sizes is left for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.reference_values.exact_number import exact_number
from numeric_check.reference_values.tolerance import FORMATS, window_exponent
from numeric_check.rounding.causal import (
    CHUNKED,
    STEP,
    CausalBound,
)
from numeric_check.text_proof.causal_cases import runs_of
from symbolic_pe.algebra.matrix import transpose
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup
from symbolic_pe.errors import NotYetCovered

STEPS, CHANNELS, SEED = 150, 3, 2026
ALLOWED = 2.0**-36
"""Above what steps in float64 lose over gaps of thousands, and far below 2⁻²⁴."""
GAPS = (1.0, 1.0, 1.0, 0.25, 3.0, 17.0)
EARLIER = 8.0
"""The size of a state that is handed over, as that of many steps."""
BITS = 128
Values = Mapping[str, arb]


def measure_causal(
    kernel: Kernel,
    plan: KernelPlan,
    bound: CausalBound,
    values: Sequence[float] = (),
    *,
    handed: bool = False,
) -> float:
    """The largest error of `recurrent_step` over its bound, from zeros or a state handed over.

    Raises `NotYetCovered` for float64, which nothing here is more exact than.
    """
    known = _known(plan, values)
    given = _Given.of(plan, bound, 0.5 * bound.gap, known, handed=handed)
    state = kernel.bring(given.state)
    outputs = []
    for i, gap in enumerate(given.gaps):
        now = [kernel.bring(x[i]) for x in (given.query, given.key, given.value)]
        output, state = kernel.raw(STEP)(state, *now, float(gap), *values)
        outputs.append(kernel.fetch(output).astype(np.float64))
    return _worst(given, (plan, known), outputs, [bound.at(n) for n in range(1, STEPS + 1)])


def measure_chunkwise(
    kernel: Kernel,
    plan: KernelPlan,
    bound: CausalBound,
    values: Sequence[float] = (),
    *,
    handed: bool = False,
) -> float:
    """The same of `chunkwise`, in runs of as many positions as the bound is about."""
    known = _known(plan, values)
    given = _Given.of(plan, bound, bound.gap / (2.0 * bound.chunk), known, handed=handed)
    arrays = (np.moveaxis(x, 0, -2) for x in (given.query, given.key, given.value))
    places = kernel.bring(given.positions)
    named: dict[str, Any] = {"chunk": bound.chunk}
    if handed:
        named |= {"state": kernel.bring(given.state), "start": kernel.bring(np.zeros(()))}
    outputs, _ = kernel.raw(CHUNKED)(*(kernel.bring(x) for x in arrays), places, *values, **named)
    found = np.moveaxis(kernel.fetch(outputs).astype(np.float64), -2, 0)
    runs = runs_of(len(found), bound.chunk, whole=plan.takes_chunks_whole)
    before = [r for r, length in enumerate(runs) for _ in range(length)]
    return _worst(given, (plan, known), found, [bound.at(r) for r in before])


def _known(plan: KernelPlan, values: Sequence[float]) -> Values:
    with precision(BITS):
        pairs = zip(plan.parameters, values, strict=True)
        return {name: arb(exact_number(x)) for name, x in pairs}


@dataclass(frozen=True)
class _Given:
    """What is given at every position: arrays with the positions first, in the dtype of a bound.

    state  what was summed before, at position 0: zeros, or much more than what comes later
    """

    query: Any
    key: Any
    value: Any
    gaps: Any
    state: Any

    @classmethod
    def of(
        cls,
        plan: KernelPlan,
        bound: CausalBound,
        furthest: float,
        values: Values,
        *,
        handed: bool = False,
    ) -> _Given:
        if bound.dtype == "float64":
            raise NotYetCovered("sums in float64 are not compared with what is more exact")
        drawn = np.random.default_rng(SEED)
        lead = (plan.heads,) if plan.heads > 1 else ()
        steps = max(STEPS, 2 * bound.chunk + 22) if bound.form == CHUNKED else STEPS
        shapes = [(steps, *lead, n) for n in (plan.dimension, plan.dimension, CHANNELS)]
        query, key, value = (drawn.standard_normal(s).astype(DTYPE_OF[bound.dtype]) for s in shapes)
        furthest = min(furthest, _within_range(plan, bound.dtype, values) / steps)
        gaps = np.concatenate([[GAPS[-1] if handed else 0.0], np.resize(GAPS, steps - 1)])
        state = np.zeros((*lead, CHANNELS, plan.dimension), np.float32)
        if handed:
            state += np.asarray(EARLIER * drawn.standard_normal(state.shape), np.float32)
        return cls(query, key, value, np.minimum(gaps, furthest), state)

    @property
    def positions(self) -> Any:
        """Where the gaps lead to."""
        return np.cumsum(self.gaps)


def _within_range(plan: KernelPlan, dtype: str, values: Values) -> float:
    """How far together nothing that grows leaves the range of a dtype."""
    rates = [0.0]
    for g in plan.groups:
        if isinstance(g, BlockGroup):
            rates += [x.to_float(values) for row in g.rate.rows for x in row]
        else:
            rates.append(logarithmic_norm(g, values))
    fastest = max(rates)
    window = 0.5 * window_exponent(FORMATS[dtype])
    return window / fastest if fastest > 0 else math.inf


def _worst(
    given: _Given, about: tuple[KernelPlan, Values], found: Any, allowed: Sequence[float]
) -> float:
    """The largest distance of outputs from the sum, over what is allowed of the sum of sizes."""
    (plan, values), heads = about, about[0].heads
    shape = (heads, CHANNELS)
    flows = {gap: [_moved(plan, g, gap, values) for g in plan.groups] for gap in {*given.gaps}}
    before = given.state.astype(np.float64).reshape(heads * CHANNELS, plan.dimension)
    states, sizes = (
        [x.reshape(*shape, *x.shape[1:]) for x in first]
        for first in (
            [_links_of(g, before) for g in plan.groups],
            [_norms(g, np.abs(before)) for g in plan.groups],
        )
    )
    worst = 0.0
    for n, gap in enumerate(given.gaps):
        rows = (x[n].astype(np.float64) for x in (given.query, given.key, given.value))
        q, k, v = (x.reshape(heads, -1) for x in rows)
        total, exact = np.zeros(shape), np.zeros(shape)
        for index, group in enumerate(plan.groups):
            flow, move = flows[gap][index]
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


def _links_of(group: BlockGroup | MatrixGroup, x: Any) -> Any:
    """(HEADS, links, blocks): planes as complex numbers, channels as real ones."""
    if isinstance(group, MatrixGroup):
        return x[:, list(group.channels), None].astype(complex)
    parts = np.stack([x[:, list(slot)] for slot in group.slots], axis=1)
    return parts[:, 0::2] + 1j * parts[:, 1::2] if group.pair else parts.astype(complex)


def _norms(group: BlockGroup | MatrixGroup, x: Any) -> Any:
    """The norms of planes and of 2×2 blocks, and channels as they are, of numbers from 0 on."""
    links = np.abs(_links_of(group, x))
    return np.hypot.reduce(links, axis=1)[:, None] if isinstance(group, MatrixGroup) else links


def _moved(
    plan: KernelPlan, group: BlockGroup | MatrixGroup, gap: float, values: Values
) -> tuple[Any, Any]:
    """A(gap) as it moves keys, (HEADS, blocks, links, links), and M(gap).

    Of a chain e^{(a + iω)·gap}·(η·gap)^{j − i}/(j − i)!, and sizes; of a parametric block
    exp(gap·X), and e^{μ·gap}.
    """
    if isinstance(group, MatrixGroup):
        with precision(BITS):
            power = arb_mat([[x.ball(values) * arb(gap) for x in row] for row in group.matrix])
            whole = np.array([[float(x) for x in row] for row in power.exp().tolist()])
        size = math.exp(logarithmic_norm(group, values) * gap)
        return whole[None, None].astype(complex), np.full((1, 1, 1, 1), size)
    n, blocks = group.chain_length, len(group.slots[0])
    flow = np.zeros((plan.heads, blocks, n, n), complex)
    for head in range(plan.heads):
        for b in range(blocks):
            a, w, eta = (
                (row[b] if len(row) > 1 else row[0]).to_float(values)
                for v in (group.rate, group.frequency, group.shear)
                for row in (v.rows[head if len(v.rows) > 1 else 0],)
            )
            factor = np.exp(complex(a, w) * gap)
            for k in range(n):
                flow[head, b] += np.eye(n, k=k) * factor * (eta * gap) ** k / math.factorial(k)
    return flow, np.abs(flow)


def logarithmic_norm(group: MatrixGroup, values: Values) -> float:
    """μ, the larger eigenvalue of (X + Xᵀ)/2."""
    (a, b), (c, d) = ([x.to_float(values) for x in row] for row in group.matrix)
    return (a + d) / 2 + math.hypot((a - d) / 2, (b + c) / 2)


__all__ = ["logarithmic_norm", "measure_causal", "measure_chunkwise"]
