"""One map of a text, run on rounded elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.rounding.blocks import OPERATOR, ROTATE
from numeric_check.rounding.cells import ELSEWHERE
from numeric_check.rounding.element import (
    Model,
    Rounded,
    displacement,
    number,
    position,
    reference,
    unknown,
)
from numeric_check.rounding.library import LIBRARIES, RoundingLibrary
from numeric_check.rounding.majorant import NO_INPUT
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.emit.plan import KernelPlan


def run_side(
    kernel: Kernel, plan: KernelPlan, dtype: str, side: str, model: Model, *arguments: Any
) -> Any:
    """The outputs of one map as rounded elements, (HEADS, d + k).

    Arguments are values of the parameters, or elements that stand for them.
    """
    if side == OPERATOR:
        return run_operator(kernel, plan, model, *arguments)
    library = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    t, c = given_places(library)
    if side == ROTATE:
        t = library.array_of(_filled((1,), displacement()), "float64")
    name = ROTATE if side == ROTATE else f"transform_{side}"
    named = {} if side == ROTATE else {"reference": c}
    given = given_inputs(library, plan, dtype), t
    result = names[name](*given, *brought(library, arguments), **named)
    if result.dtype.name != dtype:
        raise LeavesTheRing(f"{name} of {dtype} returns {result.dtype.name}")
    return rows_of(result, plan, name)


def run_operator(kernel: Kernel, plan: KernelPlan, model: Model, *arguments: Any) -> Any:
    """The rows of A(τ) = F(τ)ᵀ, (HEADS, d): F(τ)x for one x in the place of every unit vector.

    The text forms F(τ) of the rows of the identity; a row of unknown numbers stands for each of
    them, so a bound for all x of norm 1 is one for every row.
    """
    if plan.basis is not None:
        raise LeavesTheRing("with a basis the operator is a product of two maps")
    d = plan.dimension
    whole = operator_entries(kernel, plan, model, unknown_row(d), *arguments)
    if not all(x is y for rows in whole for row in rows for x, y in zip(rows[0], row, strict=True)):
        raise LeavesTheRing("the text does not treat the rows of the identity alike")
    rows = np.empty((plan.heads, d), dtype=object)
    for head, j in np.ndindex(*rows.shape):
        rows[head, j] = _of_head(whole[head, 0, j], head * d)
    return rows


def unknown_row(size: int) -> Any:
    """Unknown numbers in the place of any row of the identity."""
    row = np.empty(size, dtype=object)
    row[:] = [unknown(j, "float64") for j in range(size)]
    return row


def lag_of(library: RoundingLibrary) -> Any:
    """The lag u, of shape ()."""
    return library.array_of(_filled((), displacement()), "float64")


def operator_entries(
    kernel: Kernel,
    plan: KernelPlan,
    model: Model,
    identity: Any,
    *arguments: Any,
    lag: Callable[[RoundingLibrary], Any] = lag_of,
) -> Any:
    """What `operator` returns, (HEADS, d, d) elements.

    identity  what stands for the identity matrix, or for each of its rows
    """
    library = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    library.identity = identity
    result = names[OPERATOR](lag(library), *brought(library, arguments))
    d = plan.dimension
    shape = (d, d) if plan.heads == 1 else (plan.heads, d, d)
    if result.dtype.name != "float64" or result.shape != shape:
        raise LeavesTheRing(f"operator returns {result.dtype.name} of shape {result.shape}")
    return np.asarray(result.data, dtype=object).reshape(plan.heads, d, d)


def _of_head(x: Any, first: int) -> Any:
    """The same with inputs that are those of a head."""
    if x is ELSEWHERE:
        return x
    element = x if isinstance(x, Rounded) else number(x)
    if not first:
        return element

    def moved(terms: Mapping[Any, Any]) -> dict[Any, Any]:
        return {
            t._replace(input=t.input + first) if t.input > NO_INPUT else t: c
            for t, c in terms.items()
        }

    return replace(element, value=moved(element.value), error=moved(element.error))


def given_inputs(library: RoundingLibrary, plan: KernelPlan, dtype: str) -> Any:
    """An input of its own for every channel of every head: (…, 1, d) in a dtype."""
    d = plan.dimension
    lead = (1,) if plan.heads == 1 else (plan.heads, 1)
    x = np.empty((*lead, d), dtype=object)
    for index in range(plan.heads * d):
        x.reshape(-1)[index] = unknown(index, dtype)
    return library.array_of(x, dtype)


def given_places(library: RoundingLibrary) -> tuple[Any, Any]:
    """t, of shape (1,), and c, of shape ()."""
    t, c = _filled((1,), position()), _filled((), reference())
    return library.array_of(t, "float64"), library.array_of(c, "float64")


def rows_of(result: Any, plan: KernelPlan, name: str) -> Any:
    """The elements of a result, (HEADS, d + k). Raises `LeavesTheRing` for another shape."""
    lead = (1,) if plan.heads == 1 else (plan.heads, 1)
    rows = np.asarray(result.data, dtype=object)
    if rows.shape[:-1] != lead or rows.shape[-1] < plan.dimension:
        raise LeavesTheRing(f"{name} returns the shape {rows.shape}")
    return rows.reshape(plan.heads, -1)


def _filled(shape: tuple[int, ...], element: Rounded) -> Any:
    data = np.empty(shape, dtype=object)
    data[...] = element
    return data


def brought(library: RoundingLibrary, arguments: Sequence[Any]) -> list[Any]:
    """Values as they are, elements as arrays without axes."""
    return [library.brought(a) if isinstance(a, Rounded) else a for a in arguments]


__all__ = [
    "brought",
    "given_inputs",
    "given_places",
    "lag_of",
    "operator_entries",
    "rows_of",
    "run_operator",
    "run_side",
    "unknown_row",
]
