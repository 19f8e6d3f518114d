"""Values of parameters, and boxes that they lie in: what a rounding bound is about.

Rounding depends on the numbers that enter it, so a bound of a kernel with parameters holds for the
values, or the box of values, that it names. They are binary64 numbers, taken exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from numeric_check.reference_values.exact_number import exact_number
from symbolic_pe.algebra.sampling import holds_at
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector
from symbolic_pe.errors import NotYetCovered, SpecificationError


def admitted(plan: KernelPlan, parameters: Mapping[str, float]) -> None:
    """Raises `SpecificationError` for values that are not admitted."""
    values = exact_values(parameters)
    for head in plan.encoding.heads:
        if not holds_at(head.generator.assumptions, values):
            declared = ", ".join(f"{n} {text}" for n, text in plan.encoding.parameters.items())
            raise SpecificationError(f"parameters: expected {declared}, got {dict(parameters)}")


def plan_at(plan: KernelPlan, parameters: Mapping[str, float]) -> KernelPlan:
    """The plan with numbers for its parameters.

    Raises `NotYetCovered` for parametric 2×2 blocks, which stay what they are.
    """
    if not parameters:
        return plan
    values = exact_values(parameters)
    groups = []
    for group in plan.groups:
        if not isinstance(group, BlockGroup):
            raise NotYetCovered("a parametric 2×2 block is no block of numbers")
        parts = (_vector_at(v, values) for v in (group.rate, group.frequency, group.shear))
        rate, frequency, shear = parts
        groups.append(replace(group, rate=rate, frequency=frequency, shear=shear))
    return replace(plan, groups=tuple(groups), parameters=())


Asked = float | tuple[float, float]
"""A value of a parameter, or the interval that it lies in."""
WIDEST = 4.0
"""How far a parameter goes that is declared without a bound; frequencies beyond π are others."""
Box = dict[str, tuple[float, float]]


def declared_box(plan: KernelPlan) -> Box:
    """Where each parameter lies: as declared, and within ±`WIDEST` where no bound is declared."""
    found: Box = {}
    for name in plan.parameters:
        low, high = -WIDEST, WIDEST
        for head in plan.encoding.heads:
            interval = head.generator.assumptions.intervals.get(name)
            if interval is not None and interval.low is not None:
                low = math.nextafter(interval.low.to_float(), -math.inf)
                low = 0.0 if interval.low.is_zero() else low
            if interval is not None and interval.high is not None:
                high = math.nextafter(interval.high.to_float(), math.inf)
                high = 0.0 if interval.high.is_zero() else high
        if low >= high:  # declared beyond ±WIDEST
            low, high = (low, low + WIDEST) if low > 0 else (high - WIDEST, high)
        found[name] = (low, high)
    return found


def intervals_of(plan: KernelPlan, parameters: Mapping[str, Asked] | None) -> Box:
    """The box that is asked for: numbers, pairs of numbers, or that of the declarations.

    Raises `SpecificationError` for values that are missing, unknown or no numbers.
    """
    if parameters is None:
        return declared_box(plan)
    if set(parameters) != set(plan.parameters):
        raise SpecificationError(
            f"parameters: expected values for {', '.join(plan.parameters) or 'none'}, got "
            f"{', '.join(sorted(parameters)) or 'none'}"
        )
    found: Box = {}
    for name, given in parameters.items():
        low, high = given if isinstance(given, tuple) else (given, given)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise SpecificationError(
                f"parameters: {name}: expected a finite number or a pair (low, high), got {given!r}"
            )
        found[name] = (float(low), float(high))
    return found


def points_of(box: Box) -> dict[str, float] | None:
    """The values, where the box is a point."""
    return {n: a for n, (a, _) in box.items()} if all(a == b for a, b in box.values()) else None


FRACTIONS = ((0.5, 0.5), (1.0, 1.0), (0.25, 0.625), (0.03125, 0.75), (0.75, 0.25), (0.0, 0.4375))
"""Places between the ends, for every other parameter each: 0.625 of (−4, 4) is 1."""


def points_in(plan: KernelPlan, box: Box) -> list[dict[str, float]]:
    """Some points of a box that are admitted, at least one."""
    found = []
    for pair in FRACTIONS:
        point = {
            name: low + (high - low) * pair[i % 2]
            for i, (name, (low, high)) in enumerate(sorted(box.items()))
        }
        try:
            admitted(plan, point)
        except SpecificationError:
            continue
        found.append(point)
    if not found:
        raise NotYetCovered(f"parameters: no admitted values were found in {box}")
    return found


def exact_values(parameters: Mapping[str, float]) -> dict[str, Scalar]:
    """The binary64 numbers as exact ones."""
    return {name: Scalar.rational(exact_number(x)) for name, x in parameters.items()}


def _vector_at(vector: Vector, values: Mapping[str, Scalar]) -> Vector:
    return Vector(tuple(tuple(x.substitute(values) for x in row) for row in vector.rows))


def box_text(box: Box) -> str:
    """`w in [0, 4], z in [-4, 4]`."""
    return ", ".join(f"{name} in [{low:.4g}, {high:.4g}]" for name, (low, high) in box.items())


__all__ = [
    "Asked",
    "Box",
    "admitted",
    "declared_box",
    "exact_values",
    "intervals_of",
    "plan_at",
    "points_of",
]
