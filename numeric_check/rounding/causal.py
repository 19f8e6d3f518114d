"""How far the outputs of `recurrent_step` and `chunkwise` may be off.

o_n = Σ_{s ≤ n} (q_nᵀA(t_n − t_s)k_s) v_s. With M(τ) = |A|(τ), in which every plane counts with its
norm and every shear with its size, M(τ)M(τ′) = M(τ + τ′), so relative errors of steps multiply:

    |ô_n − o_n| ≤ ε·Σ_{s ≤ n} |q_n|ᵀM(t_n − t_s)|k_s|·|v_s|

channel by channel of v, apart from what underflow loses, for all gaps up to the reach of the map.
With a basis M is that of K, and |Pᵀ||q| and |P⁻¹||k| stand in the place of |q| and |k|. Of a
parametric 2×2 block the norm counts, and M is e^{μτ} (see `sum_maps`). A state S that is handed
over at c adds S·A(t_n − c)ᵀq_n to the output, and |S|·M(t_n − c)ᵀ|q_n| to the sum of sizes: it is
taken as it is, a number of the compute dtype or of a shorter one. One that is itself the result of
n steps, or r runs, is off by what it was off there, and n and r go on from it.

    recurrent_step  ε = c₀ + c₁·n,  n ≤ limit
    chunkwise       ε = c₀ + c₁·r,  r ≤ limit the runs before that of position n, of `CHUNK`
                    positions at most, or as many as asked for: c₀ grows with them, c₁ does not; the
                    gaps are those within a run and to the position before it

The text is executed with its map replaced by one that is off by what `sum_maps` found, on elements
of which only the error relative to the sum of magnitudes is known (`sums`). That the text computes
the sum is decided elsewhere (`text_proof.causal_proof`); here it is decided that the state enters
linearly, so that one step, or one run of each length, tells all of them. 1 + error of the new state
is the largest of some c·(1 + δ)^k in the error δ of the state before, k = 0, 1, 2, …, hence convex
in logarithms: that its slope is at most 1 far out decides that it is at most 1 before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.reference_values.tolerance import FORMATS
from numeric_check.rounding import upward
from numeric_check.rounding.bound import COVERS_NO_MORE
from numeric_check.rounding.formula import MARGIN, STATED_DIGITS, coefficients, formula
from numeric_check.rounding.parameters import Asked, Box
from numeric_check.rounding.sum_maps import MapErrors, SumMaps
from numeric_check.rounding.sum_text import CHUNKED, STEP, SumText
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import NotYetCovered

SECONDS = 60.0
CHUNK = 64
"""Positions that are taken at once at most, unless the caller of `chunkwise` says otherwise."""
LONGEST = 512
"""The longest run that is bounded: it is executed, with a square of as many elements."""
MASKED = (1, 2, 37)
"""Lengths that are executed beside the longest one, where a run may have any: a shorter run is a
longer one with keys, values and queries that are 0, which are not rounded."""
VARIABLE = {STEP: "n", CHUNKED: "r"}
STATED = re.compile(
    r"eps = (?P<eps>[^,]{1,200}), (?P<variable>[nr]) <= (?P<limit>\d{1,17}), "
    r"gaps <= (?P<gap>\d{1,17})"
)
SMALL = 2.0**-6
"""n·c₁ for which (1 + c₁)ⁿ is below 1 + n·c₁·(1 + 2⁻⁶)."""
FLOATS = 2.0**-40
"""What rounding upwards may add to a ratio of errors."""
Step = Callable[[float], tuple[float, float]]
T = TypeVar("T")


@dataclass(frozen=True)
class CausalBound:
    """The bound of one dtype.

    error  (c₀, c₁); limit: the largest n, or r; gap: the largest distance of two positions
    box    where parameters lie
    form   `recurrent_step` or `chunkwise`
    chunk  the positions that a run of `chunkwise` has at most
    """

    dtype: str
    error: upward.Polynomial
    limit: int
    gap: float
    box: Box = field(default_factory=dict)
    form: str = STEP
    chunk: int = CHUNK

    @property
    def unit(self) -> float:
        """One rounding of a step."""
        return FORMATS[compute_dtype(self.dtype)].unit_roundoff

    @property
    def variable(self) -> str:
        """What ε is a function of: `n` positions, or `r` runs before."""
        return VARIABLE[self.form]

    def at(self, index: int) -> float:
        """ε of the output after so many positions, or runs."""
        return upward.value(self.error, float(index))

    @property
    def formula(self) -> str:
        """ε as text."""
        return formula(self.error, self.dtype, unit=self.unit).replace("|u|", self.variable)

    @property
    def stated(self) -> str:
        """ε as a file states it, with a margin."""
        larger = upward.scale(self.error, MARGIN)
        text = formula(larger, self.dtype, digits=STATED_DIGITS, unit=self.unit)
        text = text.replace("|u|", self.variable)
        return f"eps = {text}, {self.variable} <= {self.limit}, gaps <= {int(self.gap)}"

    def understated(self, statement: str) -> bool:
        """Whether a line of a header states less than this bound, or is none."""
        match = STATED.fullmatch(statement.strip())
        if match is None or match["variable"] != self.variable:
            return True
        found = coefficients(match["eps"].replace(f"*{self.variable}", "*|u|")) or {}
        further = int(match["limit"]) > MARGIN * self.limit or int(match["gap"]) > self.gap
        return further or any(c > found.get(k, 0.0) for k, c in enumerate(self.error))


def compute_dtype(dtype: str) -> str:
    """What a step computes in: float32 at least."""
    return dtype if dtype == "float64" else "float32"


def causal_bound(
    kernel: Kernel,
    plan: KernelPlan,
    dtype: str,
    *,
    maps: SumMaps | None = None,
    parameters: Mapping[str, Asked] | None = None,
) -> CausalBound:
    """Bound the outputs of `recurrent_step` of query, key and value of a dtype.

    maps        where errors of maps are kept that are asked for again
    parameters  values or intervals of them, in place of the box that is declared

    Raises `NotYetCovered` for kernels without it, and for texts that are not covered.
    """
    known = maps or SumMaps(kernel, plan, parameters)
    text = _text(kernel, plan, dtype, STEP, known.of_steps)

    def bound() -> CausalBound:
        kept, read = text.step(0.0)
        _decide_linear(text.step)
        slope = upward.times(kept, (1.0 + SMALL) * (1.0 + read))
        errors = text.errors
        return CausalBound(dtype, (read, slope), int(SMALL / slope), errors.reach, errors.box)

    return _covered(bound)


def chunkwise_bound(
    kernel: Kernel,
    plan: KernelPlan,
    dtype: str,
    *,
    chunk: int = CHUNK,
    maps: SumMaps | None = None,
    parameters: Mapping[str, Asked] | None = None,
) -> CausalBound:
    """Bound the outputs of `chunkwise` for runs of at most `chunk` positions.

    From no state, or from one that is handed over in the compute dtype or a shorter one.

    chunk       at most `LONGEST`; the bound of `CHUNK` serves shorter runs
    maps        where errors of maps are kept that are asked for again
    parameters  values or intervals of them, in place of the box that is declared

    Every length is executed: it costs as many elements as an attention matrix where lags are
    masked. Raises `NotYetCovered` as `causal_bound` does, for texts that round positions before
    they are subtracted, and for longer runs.
    """
    if not 1 <= chunk <= LONGEST:
        raise NotYetCovered(f"runs of {chunk} positions; they are bounded from 1 to {LONGEST}")
    longest = max(chunk, CHUNK)
    known = maps or SumMaps(kernel, plan, parameters)
    text = _text(kernel, plan, dtype, CHUNKED, known.of_runs)

    def bound() -> CausalBound:
        lengths = _lengths(longest, masked=plan.takes_chunks_whole)
        alone = [text.run(length, longest, state) for length in lengths for state in (None, 0.0)]
        first, read = (max(found) for found in zip(*alone, strict=True))
        kept = 0.0
        for length in lengths:

            def run(before: float, length: int = length) -> tuple[float, float]:
                return text.run(length, longest, before)

            state, output = run(first)
            _decide_linear(run)
            read = max(read, output)
            kept = max(kept, (state - first) / (1.0 + first))
        kept = upward.plus(kept, 4.0 * math.ulp(first + kept))  # roundings of this quotient
        slope = upward.times(kept, (1.0 + SMALL) * (1.0 + read))
        limit = max(0, int((SMALL - first) / slope))
        errors = text.errors
        return CausalBound(dtype, (read, slope), limit, errors.reach, errors.box, CHUNKED, longest)

    return _covered(bound)


def _lengths(longest: int, *, masked: bool) -> list[int]:
    """Those that are executed for all that a run may have."""
    if masked:
        return [*MASKED, longest]
    return [1 << k for k in range(longest.bit_length())]


def _text(
    kernel: Kernel,
    plan: KernelPlan,
    dtype: str,
    form: str,
    errors: Callable[[str], MapErrors],
) -> SumText:
    if not kernel.has(form):
        raise NotYetCovered(f"the kernel has no {form}")
    inner = compute_dtype(dtype)
    return SumText(kernel, plan, dtype, inner, _covered(lambda: errors(inner)))


def _covered(found: Callable[[], T]) -> T:
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            return found()
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no bound of causal sums: {error}") from None


def _decide_linear(step: Step) -> None:
    """That 1 + error grows at most like 1 + δ for δ ≤ `SMALL`: see the module."""
    ratio = (1.0 + 2.0 * SMALL) / (1.0 + SMALL)
    for near, far in zip(step(SMALL), step(2.0 * SMALL), strict=True):
        if 1.0 + far > (1.0 + near) * ratio * (1.0 + FLOATS):
            raise LeavesTheRing("the state does not enter linearly")


__all__ = ["CHUNK", "CHUNKED", "STEP", "CausalBound", "causal_bound", "chunkwise_bound"]
