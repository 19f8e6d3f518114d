"""The maps of a text without run-time parameters, executed on exact elements and decided.

With L(t) = F̂(t)ᵀ at c = 0 it is decided that

    F̂(t; c) = F̂(t − c; 0),  Ĝ(s; c) = Ĝ(s − c; 0)          the reference cancels
    L′ = L·K,   K = L(0)⁻¹L′(0)                              so L(t) = P̂·exp(tK),  P̂ = L(0)
    Ĝ′ = −K·Ĝ                                                so Ĝ(s) = exp(−sK)·Q̂, Q̂ = Ĝ(0)

and that every entry of K, P̂, Q̂ is within rounding of that of the plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpq

from numeric_check.reference_values.exact_number import exact_number
from numeric_check.text_proof.close_constants import is_close
from numeric_check.text_proof.exact_element import Exact
from numeric_check.text_proof.exact_input import Refuted, coefficients, in_one, rows, symbols
from numeric_check.text_proof.exact_matrices import (
    Constants,
    Matrix,
    at_zero,
    derivative,
    equal,
    inverse,
    is_identity,
    product,
    times,
    transposed,
)
from numeric_check.text_proof.parametric_proof import Run
from numeric_check.text_proof.planned_blocks import planned_blocks
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.emit.plan import KernelPlan

Function = ExponentialPolynomial


@dataclass(frozen=True)
class PlainMap:
    """Both maps of one head at reference 0: F̂ in t and Ĝ in s, and the constants K, P̂, Q̂."""

    query: Matrix
    key: Matrix
    rate: Constants
    start: Constants
    end: Constants
    size: int

    @cached_property
    def exponential(self) -> Matrix:
        """exp(tK) = P̂⁻¹F̂(t)ᵀ."""
        left = transposed(self.query)
        if is_identity(self.start, self.size):
            return left
        undone = inverse(self.start, self.size)
        assert undone is not None
        return transposed(times(transposed(left), {(j, i): c for (i, j), c in undone.items()}))

    @property
    def operator(self) -> Matrix:
        """F̂(t)ᵀĜ(0)."""
        return times(transposed(self.query), self.end)


def decide_plain_maps(run: Run, text: str) -> tuple[PlainMap, ...]:
    """The maps of every head; raises `Refuted`, or what the text raises that does not run."""
    query, key = run.names["transform_query"], run.names["transform_key"]
    queries, keys = maps_of(run, query, "t"), maps_of(run, key, "s")
    if run.engine.scatter is not None and ".stride()" in text:
        scattered = replace(run, engine=replace(run.engine, bring=run.engine.scatter))
        for name, function, variable, expected in (
            ("transform_query", query, "t", queries),
            ("transform_key", key, "s", keys),
        ):
            what = f"{name} of scattered memory: as of memory without gaps"
            decide_same(scattered, function, variable, expected, what)
    return tuple(
        _decided(run.plan, h, *maps) for h, maps in enumerate(zip(queries, keys, strict=True))
    )


def _decided(plan: KernelPlan, head: int, query: Matrix, key: Matrix) -> PlainMap:
    left = transposed(query)
    start, end = at_zero(left), at_zero(key)
    slope = at_zero(derivative(left, "t"))
    undone = inverse(start, plan.dimension)
    if undone is None:
        raise Refuted(f"head {head}: transform_query at the reference is not invertible")
    rate = slope if is_identity(start, plan.dimension) else product(undone, slope, plan.dimension)
    equal(derivative(left, "t"), times(left, rate), f"transform_query, head {head}: L' = L K")
    falling = {(j, i): -x for (i, j), x in rate.items()}
    equal(
        derivative(key, "s"),
        transposed(times(transposed(key), falling)),
        f"transform_key, head {head}: G' = -K G",
    )
    _compare(plan, head, rate, start, end)
    return PlainMap(query, key, rate, start, end, plan.dimension)


def maps_of(run: Run, function: Callable[..., Any], variable: str) -> list[Matrix]:
    """The map of every head at reference 0, after deciding that the reference only shifts.

    The input is a vector of symbols, so linearity is decided on the way.
    """
    engine, plan = run.engine, run.plan
    x = symbols(plan)
    position = engine.bring(np.array([Exact.position(variable)], dtype=object))
    reference = Exact.position("c")
    plain = _functions(engine.fetch(function(engine.bring(x), position)), plan)
    moved = function(engine.bring(x), position, reference=reference)
    shifted = _functions(engine.fetch(moved), plan)
    found: list[Matrix] = []
    for head in range(plan.heads):
        matrix: dict[tuple[int, int], Function] = {}
        for i in range(plan.dimension):
            f = in_one(plain[head][i], variable)
            expected = f.compose({variable: 1, "c": -1})
            if not (shifted[head][i] - expected).vanishes():
                raise Refuted(
                    f"head {head}, output channel {i}: the reference does not only shift the "
                    f"position: {shifted[head][i]} against {expected}"
                )
            for j, entry in coefficients(f, head, i).items():
                matrix[i, j] = entry
        found.append(matrix)
    return found


def decide_same(
    run: Run,
    function: Callable[..., Any],
    variable: str,
    expected: Sequence[Matrix],
    what: str,
) -> None:
    """That a function is a map that is known already."""
    for head, (one, other) in enumerate(
        zip(maps_of(run, function, variable), expected, strict=True)
    ):
        equal(one, other, f"{what}, head {head}")


def _functions(result: Any, plan: KernelPlan) -> list[list[Function]]:
    return [[Exact.of(value).function for value in row] for row in rows(result, plan)]


# -- constants ----------------------------------------------------------------------------------


def _compare(
    plan: KernelPlan, head: int, rate: Constants, start: Constants, end: Constants
) -> None:
    """K, P̂, Q̂ of the text against those of the plan."""
    d = plan.dimension
    unit = {(i, i): Scalar.rational(1) for i in range(d)}
    p = q = unit
    if plan.basis is not None:
        basis, undone = plan.basis[head if len(plan.basis) > 1 else 0]
        p = {(i, j): x for i, row in enumerate(basis) for j, x in enumerate(row) if x.terms}
        q = {(i, j): x for i, row in enumerate(undone) for j, x in enumerate(row) if x.terms}
    generator = _generator(plan, head)
    decide_close(rate, generator, f"head {head}: generator")
    if plan.encoding.angles == "turns":
        _decide_words(rate, generator, f"head {head}: frequency")
    decide_close(start, p, f"head {head}: query map at the reference")
    decide_close(end, q, f"head {head}: key map at the reference")


WORDS = 1 << 64
TURN = exact_number(2.0 * math.pi)
NEAREST = 0.5 + 2.0**-30
"""Words are the nearest ones, as far as their own rounding is known."""


def _generator(plan: KernelPlan, head: int) -> dict[tuple[int, int], Scalar]:
    """K of the plan, in the coordinates that the maps return."""
    return {
        (i, j): x
        for block in planned_blocks(plan, head)
        for i, row in zip(block.channels, block.rates, strict=True)
        for j, x in zip(block.channels, row, strict=True)
        if x.terms
    }


def decide_close(found: Constants, exact: Mapping[tuple[int, int], Scalar], what: str) -> None:
    """That every constant is within rounding of the exact one; raises `Refuted` with the place."""
    with precision(128):
        balls = {place: x.ball({}) for place, x in exact.items()}
        largest = max((abs(b) for b in balls.values()), key=float, default=arb(0))
        for place in sorted({*found, *balls}):
            value, expected = arb(found.get(place, 0)), balls.get(place, arb(0))
            if not is_close(value, expected, largest):
                raise Refuted(
                    f"{what}, row {place[0]}, column {place[1]}: the text has {float(value)!r}, "
                    f"the encoding {float(expected)!r}"
                )


def _decide_words(found: Constants, exact: Mapping[tuple[int, int], Scalar], what: str) -> None:
    """That every frequency is the nearest word, a multiple of 2⁻⁶⁴ turns; raises `Refuted`.

    A text multiplies turns by 2π rounded to float64; what is no whole word then is left alone.
    """
    with precision(128):
        for (i, j), x in sorted(exact.items()):
            word = found.get((i, j), fmpq(0)) * WORDS / TURN
            nearest = x.ball({}) * WORDS / (2 * arb.pi())
            if word.q == 1 and not abs(arb(word) - nearest) <= NEAREST:
                raise Refuted(
                    f"{what}, row {i}, column {j}: the text has {word}/2^64 turns, the encoding "
                    f"{nearest.str(25, radius=False)}/2^64"
                )


__all__ = ["PlainMap", "decide_close", "decide_plain_maps", "decide_same", "maps_of"]
