"""A plan at given values of its parameters: what a rounding bound is about.

Rounding depends on the numbers that enter it, so a bound of a kernel with parameters holds for the
values that it names. They are binary64 numbers, taken exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from numeric_check.reference_values.exact_number import exact_number
from symbolic_pe.algebra.sampling import holds_at
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector
from symbolic_pe.errors import NotYetCovered, SpecificationError


def plan_at(plan: KernelPlan, parameters: Mapping[str, float]) -> KernelPlan:
    """The plan with numbers for its parameters.

    Raises `SpecificationError` for values that are missing, unknown or not admitted, and
    `NotYetCovered` for parametric 2×2 blocks and for biases, whose coordinates have no bound here.
    """
    if set(parameters) != set(plan.parameters):
        raise SpecificationError(
            f"parameters: expected values for {', '.join(plan.parameters) or 'none'}, got "
            f"{', '.join(sorted(parameters)) or 'none'}"
        )
    if not parameters:
        return plan
    values = exact_values(parameters)
    for head in plan.encoding.heads:
        if not holds_at(head.generator.assumptions, values):
            declared = ", ".join(f"{n} {text}" for n, text in plan.encoding.parameters.items())
            raise SpecificationError(f"parameters: expected {declared}, got {dict(parameters)}")
    groups = []
    for group in plan.groups:
        if not isinstance(group, BlockGroup):
            raise NotYetCovered("rounding bounds do not cover parametric 2×2 blocks")
        parts = (_vector_at(v, values) for v in (group.rate, group.frequency, group.shear))
        rate, frequency, shear = parts
        groups.append(replace(group, rate=rate, frequency=frequency, shear=shear))
    return replace(plan, groups=tuple(groups), parameters=())


def exact_values(parameters: Mapping[str, float]) -> dict[str, Scalar]:
    """The binary64 numbers as exact ones."""
    return {name: Scalar.rational(exact_number(x)) for name, x in parameters.items()}


def _vector_at(vector: Vector, values: Mapping[str, Scalar]) -> Vector:
    return Vector(tuple(tuple(x.substitute(values) for x in row) for row in vector.rows))


__all__ = ["exact_values", "plan_at"]
