"""How numbers of an edited text of several axes depend on the position, off the rays as well.

A run along a ray p = u·n sees the numbers of that ray alone: p₁ − p₂ is 0 along (1, 1), and a
product with p₁ + p₂ vanishes along (1, −1) too. So every number has with it what it is at any
position and reference:

    a linear form Σ wₐpₐ + Σ vₐcₐ, or cosines and sines of one form, or exp of one

and products of two such numbers, sums of functions of two forms, sums with an exp and products of
a form with the input are refused, as is a form that vanishes along the ray alone. Then what is lost
is, term by term, a convex function of the position: a rounding loses ρ·|Σ wₐpₐ|, a function of a
form that is off by δ a convex increasing function of δ, and what comes to a result is a sum of
these, relative to one function. So over a box it is largest at a corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from flint import fmpq

from numeric_check.rounding.dependence import EXP, LINEAR, WAVE, Dependence
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.majorant import ONE
from numeric_check.text_proof.exact_element import LeavesTheRing


@dataclass(frozen=True)
class LinearForms(Model):
    """The same arithmetic, where numbers are as the module says. Raises `LeavesTheRing`."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """In place of another model; what that one notes down is the same."""
        return cls(**{f.name: getattr(model, f.name) for f in fields(Model)})

    def rounded(self, a: Rounded, dtype: str, *, flushes: bool = False) -> Rounded:
        """fl(v̂)."""
        return _with(super().rounded(a, dtype, flushes=flushes), a.depends)

    def multiply(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â·b̂), of which one may depend on the position."""
        if a.depends is not None and b.depends is not None:
            raise LeavesTheRing("an edited text multiplies two numbers that depend on the position")
        result, depends, factor = super().multiply(a, b, dtype), a.depends or b.depends, b
        if a.depends is None:
            factor = a
        if depends is None or factor.constant == 0:
            return result
        if depends.kind == LINEAR:
            depends = depends.times(_constant(factor))
        return _with(result, depends)

    def divide(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â/b̂) by a constant."""
        result = super().divide(a, b, dtype)
        depends = None if a.depends is None else a.depends.times(1 / _constant(b))
        return _with(result, depends)

    def add(self, a: Rounded, b: Rounded, dtype: str) -> Rounded:
        """fl(â + b̂)."""
        return _with(super().add(a, b, dtype), _joined((a, b)))

    def sum(self, parts: list[Rounded], dtype: str) -> Rounded:
        """Σ âᵢ in any order."""
        return _with(super().sum(parts, dtype), _joined(parts))

    def exp(self, a: Rounded, dtype: str) -> Rounded:
        """fl(e^â)."""
        return _with(super().exp(a, dtype), _function(EXP, a))

    def cos(self, a: Rounded, dtype: str) -> Rounded:
        """fl(cos â)."""
        return _with(super().cos(a, dtype), _function(WAVE, a))

    def sin(self, a: Rounded, dtype: str) -> Rounded:
        """fl(sin â)."""
        return _with(super().sin(a, dtype), _function(WAVE, a))

    def new_stage(self, products: Any) -> Any:
        """The product of the input with a basis, before anything depends on the position."""
        found = super().new_stage(products)
        if found is not products and any(row.depends is not None for row in products.ravel()):
            raise LeavesTheRing("an edited text multiplies by a basis after the position")
        return found


def _constant(x: Rounded) -> fmpq:
    """The exact value of a number that depends on nothing."""
    found = x.value.get(ONE, fmpq(0))
    if not x.value.keys() <= {ONE} or not isinstance(found, fmpq):
        raise LeavesTheRing("an edited text multiplies a position by what is no constant")
    return found


def _joined(parts: Sequence[Rounded]) -> Dependence | None:
    """Of a sum; what is exactly 0 does not count."""
    others = [x for x in parts if x.depends is not None or x.constant != 0]
    found = [x.depends for x in others if x.depends is not None]
    if not found:
        return None
    if len(others) > 1 and any(x.kind == EXP for x in found):
        raise LeavesTheRing("an edited text adds to an exponential of the position")
    total = found[0]
    for x in found[1:]:
        total = total.plus(x)
    return total


def _function(kind: str, a: Rounded) -> Dependence | None:
    if a.depends is None:
        return None
    if a.depends.kind != LINEAR:
        raise LeavesTheRing(f"an edited text takes a function of {a.depends.kind}")
    return replace(a.depends, kind=kind)


def _with(x: Rounded, depends: Dependence | None) -> Rounded:
    """The number with what it depends on. Raises `LeavesTheRing` where it is lost along the ray."""
    if depends is None:
        return x
    if depends.kind == LINEAR and any(depends.form) and not (x.value or x.error):
        raise LeavesTheRing("a number of an edited text vanishes along a ray, but not elsewhere")
    return replace(x, depends=depends)


__all__ = ["LinearForms"]
