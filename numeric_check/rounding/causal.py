"""How far the outputs of `recurrent_step` may be off after n steps.

o_n = Σ_{s ≤ n} (q_nᵀA(t_n − t_s)k_s) v_s. With M(τ) = |A|(τ), in which every plane counts with its
norm and every shear with its size, M(τ)M(τ′) = M(τ + τ′), so relative errors of steps multiply:

    |ô_n − o_n| ≤ ε(n)·Σ_{s ≤ n} |q_n|ᵀM(t_n − t_s)|k_s|·|v_s|,    ε(n) = c₀ + c₁·n,    n ≤ limit

channel by channel of v, apart from what underflow loses, for all gaps up to the reach of the map.

The text of the step is executed with its map replaced by one that is off by what `rounding_bound`
found, on elements of which only the error relative to the sum of magnitudes is known. Of a product
errors multiply, of a sum the larger one counts, and every rounding of the text adds its own. That
the text computes the sum is decided elsewhere (`text_proof.causal_proof`); here it is decided that
the state enters linearly, so that one step tells all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import fmpq

from numeric_check.kernels.kernel import DTYPE_OF, Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding import upward
from numeric_check.rounding.bound import COVERS_NO_MORE, rounding_bound
from numeric_check.rounding.element import Model, Rounded, displacement, number
from numeric_check.rounding.formula import MARGIN, STATED_DIGITS, coefficients, formula
from numeric_check.rounding.library import LIBRARIES, RoundingLibrary
from numeric_check.rounding.majorant import ZERO, Term
from numeric_check.rounding.parameters import Box
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import BlockGroup, KernelPlan
from symbolic_pe.errors import NotYetCovered

STEP = "recurrent_step"
SECONDS = 20.0
UNIT = {Term(0, 0, ZERO, None): fmpq(1)}
"""The value of every element: nothing but its error is known."""
STATED = re.compile(
    r"eps = (?P<eps>[^,]{1,200}), n <= (?P<limit>\d{1,17}), gaps <= (?P<gap>\d{1,17})"
)
SMALL = 2.0**-6
"""n·c₁ for which (1 + c₁)ⁿ is below 1 + n·c₁·(1 + 2⁻⁶)."""
PROBE = 2.0**-20
STEPS, CHANNELS, SEED = 150, 3, 2026


@dataclass(frozen=True)
class CausalBound:
    """The bound of one dtype.

    error  (c₀, c₁); limit: the largest n; gap: the largest distance of two positions
    box    where parameters lie
    """

    dtype: str
    error: upward.Polynomial
    limit: int
    gap: float
    box: Box = field(default_factory=dict)

    @property
    def unit(self) -> float:
        """One rounding of a step."""
        return FORMATS[compute_dtype(self.dtype)].unit_roundoff

    @property
    def formula(self) -> str:
        """ε as text, in n."""
        return formula(self.error, self.dtype, unit=self.unit).replace("|u|", "n")

    @property
    def stated(self) -> str:
        """ε as a file states it, with a margin."""
        larger = upward.scale(self.error, MARGIN)
        text = formula(larger, self.dtype, digits=STATED_DIGITS, unit=self.unit)
        return f"eps = {text.replace('|u|', 'n')}, n <= {self.limit}, gaps <= {int(self.gap)}"

    def understated(self, statement: str) -> bool:
        """Whether a line of a header states less than this bound, or is none."""
        match = STATED.fullmatch(statement.strip())
        if match is None:
            return True
        found = coefficients(match["eps"].replace("*n", "*|u|")) or {}
        further = int(match["limit"]) > MARGIN * self.limit or int(match["gap"]) > self.gap
        return further or any(c > found.get(k, 0.0) for k, c in enumerate(self.error))


def compute_dtype(dtype: str) -> str:
    """What a step computes in: float32 at least."""
    return dtype if dtype == "float64" else "float32"


def causal_bound(kernel: Kernel, plan: KernelPlan, dtype: str) -> CausalBound:
    """Bound the outputs of `recurrent_step` of query, key and value of a dtype.

    Raises `NotYetCovered` for kernels without it, with a basis or with parametric 2×2 blocks, and
    for texts that are not covered.
    """
    if not kernel.has(STEP):
        raise NotYetCovered(f"the kernel has no {STEP}")
    if plan.basis is not None or not all(isinstance(g, BlockGroup) for g in plan.groups):
        raise NotYetCovered("causal sums are bounded without a basis and without 2×2 blocks")
    inner = compute_dtype(dtype)
    maps = rounding_bound(kernel, plan, inner)
    if any(b.loose and _length(plan, b.group) > 1 for b in maps.blocks):
        raise NotYetCovered("an error of a chain is relative to no entry of it")
    off = {
        side: max(upward.value(b.relative, maps.reach) for b in maps.blocks if b.side == side)
        for side in ("query", "key")
    }
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            kept, read = _one_step(kernel, plan, (dtype, inner), off, 0.0)
            for found, known in zip(
                _one_step(kernel, plan, (dtype, inner), off, PROBE), (kept, read), strict=True
            ):
                if found > (1.0 + PROBE) * (1.0 + known) * (1.0 + 2.0**-50) - 1.0:
                    raise LeavesTheRing("the state does not enter linearly")
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no bound of causal sums: {error}") from None
    slope = upward.times(kept, (1.0 + SMALL) * (1.0 + read))
    limit = int(SMALL / slope)
    return CausalBound(dtype, (read, slope), limit, maps.reach, maps.box)


def _length(plan: KernelPlan, index: int) -> int:
    group = plan.groups[index]
    assert isinstance(group, BlockGroup)
    return group.chain_length


class SumModel(Model):
    """Arithmetic of errors relative to sums of magnitudes."""

    def rounded(self, a: Rounded, dtype: str, *, flushes: bool = False) -> Rounded:
        """(1 + ε)(1 + u) − 1, unless the format holds the number."""
        if a.constant is not None or super().rounded(a, dtype, flushes=flushes) is a:
            return a
        return known_to(_once_more(_error(a), dtype), dtype)

    def multiply(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """(1 + ε)(1 + ε′)(1 + u) − 1."""
        if 0 in (a.constant, b.constant):
            return number(0)
        return known_to(_once_more(_both(_error(a), _error(b)), dtype), dtype)

    def add(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """The larger one, once more."""
        if a.constant == 0:
            return self.rounded(b, dtype)
        if b.constant == 0:
            return self.rounded(a, dtype)
        return known_to(_once_more(max(_error(a), _error(b)), dtype), dtype)

    def sum(self, parts: list[Rounded], dtype: str) -> Rounded:
        """The largest one, through all sums but one: DIMENSION of them, whatever is given."""
        total = max((_error(x) for x in parts), default=0.0)
        for _ in range(max(1, len(parts)) - 1):
            total = _once_more(total, dtype)
        return known_to(total, dtype)

    def exp(self, a: Rounded, dtype: str) -> Rounded:
        """Exponentials are those of the map."""
        raise LeavesTheRing("the step takes an exponential beside its map")

    cos = sin = exp
    divide = add


def known_to(error: float, dtype: str) -> Rounded:
    """A number of a format that is off by ε of the sum of its magnitudes."""
    return Rounded(UNIT, {}, (error,) if error else (), 0.0, dtype)


def _error(a: Rounded) -> float:
    return upward.value(a.relative, 0.0)


def _both(a: float, b: float) -> float:
    return upward.plus(upward.plus(a, b), upward.times(a, b))


def _once_more(a: float, dtype: str) -> float:
    return _both(a, FORMATS[dtype].unit_roundoff)


def _one_step(
    kernel: Kernel,
    plan: KernelPlan,
    dtypes: tuple[str, str],
    off: Mapping[str, float],
    before: float,
) -> tuple[float, float]:
    """Errors of the new state and of the output, for a state that is off by `before`."""
    dtype, inner = dtypes
    model = SumModel(1.0)
    library: RoundingLibrary = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    if "_transform" not in names:
        raise LeavesTheRing("the text has no map of its own")
    sides = {1: off["query"], -1: off["key"]}

    def moved(x: Any, _: Any, reference: Any, side: int, *__: Any) -> Any:
        if side not in sides:
            raise LeavesTheRing("the step takes a part of the map")
        data = np.empty(x.shape, dtype=object)
        for place in np.ndindex(x.shape):
            data[place] = known_to(_both(_error(x.data[place]), sides[side]), x.dtype.name)
        return x.like(data)

    names["_transform"] = moved
    lead = (plan.heads,) if plan.heads > 1 else ()
    d = plan.dimension

    def given(shape: tuple[int, ...], name: str, error: float = 0.0) -> Any:
        data = np.empty(shape, dtype=object)
        data[...] = known_to(error, name)
        return library.array_of(data, name)

    cell = np.empty((), dtype=object)
    cell[()] = displacement()
    parameters = [library.array_of(cell, "float64") for _ in plan.parameters]
    output, state = names[STEP](
        given((*lead, 1, d), inner, before),
        given((*lead, d), dtype),
        given((*lead, d), dtype),
        given((*lead, 1), dtype),
        library.array_of(cell, "float64"),
        *parameters,
    )
    if (output.dtype.name, state.dtype.name) != (dtype, inner):
        raise LeavesTheRing(f"{STEP} returns {output.dtype.name} and {state.dtype.name}")
    if output.shape != (*lead, 1) or state.shape != (*lead, 1, d):
        raise LeavesTheRing(f"{STEP} returns the shapes {output.shape} and {state.shape}")
    return _largest(state), _largest(output)


def _largest(x: Any) -> float:
    return max(_error(e) for e in x.data.flat)


# -- measured -------------------------------------------------------------------------------------


def measure_causal(
    kernel: Kernel, plan: KernelPlan, bound: CausalBound, values: Sequence[float] = ()
) -> float:
    """The largest error over its bound in a run of steps with gaps of many sizes.

    Compared with the same text in float64, whose own bound is allowed as well.
    """
    if bound.dtype == "float64":
        raise NotYetCovered("steps in float64 are not compared with what is more exact")
    own = causal_bound(kernel, plan, "float64")
    drawn = np.random.default_rng(SEED)
    lead = (plan.heads,) if plan.heads > 1 else ()
    gaps = np.concatenate([[0.0], np.resize([1.0, 1.0, 1.0, 0.25, 3.0, 17.0], STEPS - 1)])
    gaps = np.minimum(gaps, 0.5 * bound.gap)
    state = [np.zeros((*lead, CHANNELS, plan.dimension), x) for x in (np.float32, np.float64)]
    sizes = [np.zeros((plan.heads, CHANNELS, *_links(g))) for g in _groups(plan)]
    worst = 0.0
    for n, gap in enumerate(gaps, start=1):
        shapes = ((*lead, plan.dimension), (*lead, plan.dimension), (*lead, CHANNELS))
        given = [drawn.standard_normal(s).astype(DTYPE_OF[bound.dtype]) for s in shapes]
        outputs = []
        for i, wide in enumerate((given, [x.astype(np.float64) for x in given])):
            arrays = [kernel.bring(x) for x in (state[i], *wide)]
            found = kernel.raw(STEP)(*arrays, float(gap), *values)
            outputs.append(kernel.fetch(found[0]).astype(np.float64))
            state[i] = kernel.fetch(found[1])
        query, key, value = (x.astype(np.float64).reshape(plan.heads, -1) for x in given)
        total = np.zeros((plan.heads, CHANNELS))
        for index, group in enumerate(_groups(plan)):
            move = _majorant(plan, group, float(gap))
            q, k = (_norms(group, x) for x in (query, key))
            sizes[index] = np.einsum("hbij,hvjb->hvib", move, sizes[index])
            sizes[index] += np.abs(value)[:, :, None, None] * k[:, None]
            total += np.einsum("hib,hvib->hv", q, sizes[index])
        error = np.abs(outputs[0] - outputs[1]).reshape(plan.heads, CHANNELS)
        allowed = (upward.value(bound.error, n) + upward.value(own.error, n)) * total
        worst = max(worst, float((error / allowed).max()))
    return worst


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
                    move[head, b, i, j] = math.exp(a * gap) * weight if i >= j else 0.0
    return move


__all__ = ["STEP", "CausalBound", "causal_bound", "measure_causal"]
