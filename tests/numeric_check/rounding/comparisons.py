"""What tests of bounds share: smaller bounds, and the bounds of a text and of an edited one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding import CausalBound, KernelBound, measure, rounding_bound
from numeric_check.rounding.measurement import Measurement
from symbolic_pe.emit.plan import KernelPlan
from tests.numeric_check.rounding.test_bound import kernel_of, planned

Measure = Callable[[Kernel, KernelPlan, KernelBound], Measurement]


def smaller(bound: KernelBound, factor: float) -> KernelBound:
    """ε by a factor, as a whole and of every block."""

    def less(p: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(c / factor for c in p)

    blocks = tuple(replace(b, relative=less(b.relative)) for b in bound.blocks)
    return replace(bound, relative=less(bound.relative), blocks=blocks)


def smaller_sums(bound: CausalBound, factor: float) -> CausalBound:
    """The error of causal sums by a factor."""
    return replace(bound, error=tuple(c / factor for c in bound.error))


def bounds_of_an_edit(
    name: str, edit: tuple[str, str], dtype: str, form: str, measured: Measure = measure
) -> tuple[KernelBound, KernelBound]:
    """The bounds of a text and of an edited one, whose errors leave the one and not the other."""
    plan, faulty = planned(name), kernel_of(name, "numpy", edit)
    known = rounding_bound(kernel_of(name, "numpy"), plan, dtype, form=form)
    found = rounding_bound(faulty, plan, dtype, form=form)
    assert measured(faulty, plan, known).ratio > 1.0
    assert measured(faulty, plan, found).ratio <= 1.0
    return known, found
