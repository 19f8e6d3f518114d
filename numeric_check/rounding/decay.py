"""How far `decay(t, s)` may be off, for every lag and in each dtype.

On a causal domain decay is e^{a·lag} for lag = t − s ≥ 0, and else 0: the sign of a difference
survives its rounding, so that 0 is exact, and for the rest the text is executed with lag ≥ 0:

    |decay − e^{a·lag}| ≤ ε(lag)·e^{a·lag} + η       for all real 0 ≤ lag ≤ reach.

Of other domains the bound is about |lag| ≤ reach. The result is in the dtype that is asked for;
NumPy texts return float64 only.
"""

from __future__ import annotations

import numpy as np
from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import DECAY, BlockBound
from numeric_check.rounding.element import Model, Rounded, position, reference
from numeric_check.rounding.formats import DType
from numeric_check.rounding.library import LIBRARIES, RoundingLibrary
from numeric_check.rounding.majorant import NO_INPUT, ONE, number_of
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.scalar import ZERO, Scalar, precision
from symbolic_pe.emit.plan import KernelPlan

BITS = 192


def decay_bounds(kernel: Kernel, plan: KernelPlan, dtype: str, reach: float) -> list[BlockBound]:
    """ε and η of every head. Raises `LeavesTheRing` for what has no bound here."""
    assert plan.uniform_decay is not None
    model = Model(reach, later=plan.encoding.domain.causal)
    library: RoundingLibrary = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    t, s = np.empty(1, dtype=object), np.empty(1, dtype=object)
    t[0], s[0] = position(), reference()
    named = {"dtype": DType(dtype)} if kernel.target == "torch" else {}
    result = names["decay"](*(library.array_of(x, "float64") for x in (t, s)), **named)
    if result.dtype.name != dtype:
        raise LeavesTheRing(f"decay returns {result.dtype.name}")
    found = np.asarray(result.data, dtype=object).reshape(-1)
    if len(found) != plan.heads:
        raise LeavesTheRing(f"decay returns the shape {result.shape}")
    return [
        _of_head(head, element, rate, reach)
        for head, (element, rate) in enumerate(zip(found, plan.uniform_decay, strict=True))
    ]


def _of_head(head: int, found: Rounded, rate: Scalar, reach: float) -> BlockBound:
    """What is relative to the exponential, what is not, and that its rate is not the exact one."""
    ((term, c),) = found.value.items()
    if c != 1 or term.input != NO_INPUT or term.power or term.wave is not None:
        raise LeavesTheRing("decay is no exponential of the lag")
    relative, absolute = found.relative, found.tiny
    for own, size in found.error.items():
        if own == term._replace(power=own.power):
            relative = upward.add(relative, upward.shift((size,), own.power))
        elif own == ONE:
            absolute = upward.plus(absolute, size)
        else:
            raise LeavesTheRing("decay is off by what no bound is about")
    with precision(BITS):
        away = upward.above(arb(number_of(term.rate)) - rate.ball({}))
    moved = upward.exponential_minus_one((0.0, away), reach) if away else upward.NOTHING
    grown = upward.plus(1.0, upward.value(moved, reach))
    whole = upward.folded(upward.add(upward.scale(relative, grown), moved), reach)
    return BlockBound(0, head, 0, DECAY, whole, absolute)


def only_decays(plan: KernelPlan) -> bool:
    """Whether no value is above 1: a causal domain and no growth."""
    rates = plan.uniform_decay or ()
    return plan.encoding.domain.causal and all((ZERO - a).sign() >= 0 for a in rates)


def exact_decay(rate: Scalar, lag: fmpq) -> arb:
    """e^{a·lag} in a ball."""
    return (rate.ball({}) * arb(lag)).exp()


__all__ = ["decay_bounds", "exact_decay", "only_decays"]
