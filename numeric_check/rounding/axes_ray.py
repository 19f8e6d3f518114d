"""A kernel of several axes along a ray p = u·n, as one of one axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self, cast

import numpy as np
from flint import fmpq

from numeric_check.kernels.kernel import AnyArray, Kernel
from numeric_check.rounding.array import RoundedArray
from numeric_check.rounding.dependence import Dependence
from numeric_check.rounding.element import Rounded, displacement
from numeric_check.rounding.linear_forms import LinearForms
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.axes import AxesPlan
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.encodings.encoding import Encoding, Head
from symbolic_pe.generators.block import Block, PlacedBlock
from symbolic_pe.generators.generator import Generator


@dataclass(frozen=True)
class RayKernel(Kernel):
    """A kernel of several axes whose position is u·n, with one number u.

    weights    n, powers of two
    reference  whether the maps take one; if not, u itself is given
    edited     whether numbers have to be what they are in emitted texts (see `linear_forms`)
    """

    weights: tuple[int, ...] = ()
    reference: bool = False
    edited: bool = False

    @classmethod
    def of(
        cls, kernel: Kernel, plan: AxesPlan, weights: Sequence[int], *, edited: bool = False
    ) -> Self:
        """The same text along a ray."""
        own = {f.name: getattr(kernel, f.name) for f in fields(Kernel)}
        reference = not plan.turns_only
        return cls(**own, weights=tuple(weights), reference=reference, edited=edited)

    def on_library(
        self, library: Any, lift: Callable[[Any], Any], functions: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The names of the text, with maps of u."""
        if self.edited:
            library.model = LinearForms.of(library.model)
        names = super().on_library(library, lift, functions or {})
        self.change(names, lift)
        maps = {n: self._along(names[n]) for n in ("transform_query", "transform_key")}
        return {**names, **maps}  # functions of the text go on calling those of the text

    def change(self, names: dict[str, Any], lift: Callable[[Any], Any]) -> None:
        """What is to be executed with other constants than the text has."""

    def _along(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(x: Any, position: RoundedArray, *, reference: RoundedArray) -> Any:
            if self.reference:
                c = self.spread(reference, first=len(self.weights))
                return function(x, self.spread(position), reference=c)
            u = np.full(position.shape, displacement(), dtype=object)
            return function(x, self.spread(position.like(u)))

        return called

    def spread(self, value: RoundedArray, *, first: int = 0) -> RoundedArray:
        """Every element times every weight, on a new last axis; exact.

        first  the number of the first coordinate: those of p come before those of the reference
        """
        count = len(self.weights)
        found: Any = np.empty((*value.shape, count), dtype=object)
        for place in np.ndindex(*value.shape):
            element = cast("Rounded", value.data[place])
            for axis, weight in enumerate(self.weights):
                moved = {term: c * fmpq(weight) for term, c in element.value.items()}
                own = Dependence.coordinate(first + axis, 2 * count) if self.edited else None
                found[(*place, axis)] = replace(element, value=moved, depends=own)
        return value.like(found)

    def transform_query(
        self, x: AnyArray, position: AnyArray, *_: float, reference: float = 0.0
    ) -> AnyArray:
        """F(u·n)x."""
        return self._at("transform_query", x, position, reference)

    def transform_key(
        self, x: AnyArray, position: AnyArray, *_: float, reference: float = 0.0
    ) -> AnyArray:
        """G(u·n)x."""
        return self._at("transform_key", x, position, reference)

    def operator_at(self, u: float) -> AnyArray:
        """A(u·n)."""
        return self.call("operator", np.array(self.weights, np.float64) * u)

    def _at(self, name: str, x: AnyArray, position: AnyArray, reference: float) -> AnyArray:
        weights = np.array(self.weights, np.float64)
        places = position[..., None] * weights
        if not reference:
            return self.call(name, x, places)
        if not self.reference:
            return self.call(name, x, (position - reference)[..., None] * weights)
        return self.call(name, x, places, reference * weights)


def combined(column: Sequence[Scalar], weights: Sequence[int]) -> Scalar:
    """Σ nₐxₐ."""
    total = Scalar.rational(0)
    for x, n in zip(column, weights, strict=True):
        total = total + x * Scalar.rational(n)
    return total


def plan_along(plan: AxesPlan, weights: Sequence[int]) -> KernelPlan:
    """The plan of one axis with the generator Σ nₐXₐ."""
    rates = [combined(column, weights) for column in zip(*plan.rates, strict=True)]
    columns = zip(*plan.frequencies, strict=True)
    turning = [
        (plane, frequency)
        for plane, column in zip(plan.planes, columns, strict=True)
        if not (frequency := combined(column, weights)).is_zero()
    ]
    inside = {channel for plane, _ in turning for channel in plane}
    placed = [PlacedBlock(Block(rates[plane[0]], -x), plane) for plane, x in turning]
    placed += [PlacedBlock(Block(rate), (i,)) for i, rate in enumerate(rates) if i not in inside]
    encoding = Encoding(plan.encoding.name, (Head(Generator.from_blocks(placed)),))
    found = plan_kernel(encoding)
    return found if plan.bases is None else replace(found, basis=(plan.bases,))


__all__ = ["RayKernel", "combined", "plan_along"]
