"""A symbolic input for the functions of a text, and what they return as matrices.

The input is a vector of symbols x[h][j], so that linearity in it is decided and not assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric_check.text_proof.exact_cases import INPUT, ExactCases
from numeric_check.text_proof.exact_element import Exact
from numeric_check.text_proof.exact_roots import Parameters
from symbolic_pe.algebra.complex_scalar import ComplexScalar
from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.rational_function import ZERO as ZERO_ELEMENT
from symbolic_pe.algebra.rational_function import RationalFunction
from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import SymbolicPEError

Function = ExponentialPolynomial
DOES_NOT_RUN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    SystemError,
    TypeError,
    ValueError,
)
"""What code of a text may raise on elements that are no numbers; NumPy's product of objects turns
what they raise into a `SystemError`."""


class Refuted(Exception):
    """A decided difference; the message says where and what."""


def is_decided(decide: Callable[[], None]) -> bool:
    """Whether a part of a text runs on exact elements and is decided there: else it is measured.

    Raises `Refuted` for a difference.
    """
    try:
        decide()
    except (*DOES_NOT_RUN, SymbolicPEError):
        return False
    return True


def symbols(plan: KernelPlan, known: Parameters | None = None, side: str = "") -> Any:
    """The input x[h][j], a symbol of its own for every head and channel.

    With `known` the elements may depend on parameters; `side` tells several inputs apart.
    """
    lead = (1,) if plan.heads == 1 else (plan.heads, 1)
    x = np.empty((*lead, plan.dimension), dtype=object)
    flat = x.reshape(plan.heads, plan.dimension)
    for head in range(plan.heads):
        for j in range(plan.dimension):
            name = f"{_prefix(head, side)}{j}"
            plain = Exact(ExponentialPolynomial.constant(Scalar.symbol(name)))
            flat[head, j] = plain if known is None else ExactCases.symbol(name, known)
    return x


def _prefix(head: int, side: str = "") -> str:
    return f"{INPUT}{side}{head}."


def rows(result: Any, plan: KernelPlan) -> list[list[Any]]:
    """The content channels of every head, as they were returned."""
    found = np.asarray(result, dtype=object)
    expected = (1,) if plan.heads == 1 else (plan.heads, 1)
    if found.shape[:-1] != expected or found.shape[-1] < plan.dimension:
        raise Refuted(f"the map returns the shape {found.shape}")
    return [list(row) for row in found.reshape(plan.heads, -1)[:, : plan.dimension]]


def coefficients(f: Function, head: int, channel: int, *, of: str = "head") -> dict[int, Function]:
    """f = Σ_j f_j·x_j: the entries f_j, after deciding that f is linear in the input.

    of  what the symbols of the input are counted by: `head`, or `row` of positions
    """
    parts: dict[int, dict[Any, ComplexScalar]] = {}
    for key, c in f.terms.items():
        for j, value in _linear_parts(c, head, channel, of).items():
            parts.setdefault(j, {})[key] = value
    return {j: ExponentialPolynomial(f.variables, terms) for j, terms in parts.items()}


def _linear_parts(c: ComplexScalar, head: int, channel: int, of: str) -> dict[int, ComplexScalar]:
    found: dict[int, list[Scalar]] = {}
    for index, part in enumerate((c.re, c.im)):
        for radical, element in part.terms.items():
            for name, weight in _weights(element, f"{of} {head}", channel).items():
                if not name.startswith(_prefix(head)):
                    raise Refuted(f"{of} {head}, output channel {channel} reads another {of}")
                slot = found.setdefault(int(name[len(_prefix(head)) :]), [ZERO, ZERO])
                slot[index] = slot[index] + Scalar({radical: weight})
    return {j: ComplexScalar(*values) for j, values in found.items()}


def _weights(element: RationalFunction, of: str, channel: int) -> dict[str, RationalFunction]:
    """p_j of p = Σ_j p_j·x_j: the derivatives, when they are free of x and give p."""
    above, below = element.split()
    names = [name for name in element.used_names() if name.startswith(INPUT)]
    weights = {name: above.derivative(name) for name in names}
    whole = ZERO_ELEMENT
    for name, weight in weights.items():
        whole = whole + weight * RationalFunction.symbol(name)
    mixed = any(n.startswith(INPUT) for w in (*weights.values(), below) for n in w.used_names())
    if mixed or not (whole - above).is_zero():
        raise Refuted(f"{of}, output channel {channel} is not linear in the input")
    return {name: weight / below for name, weight in weights.items()}


def in_one(f: Function, variable: str) -> Function:
    """The same function with exactly one variable."""
    if f.variables == (variable,):
        return f
    total = ExponentialPolynomial((variable,), {})
    lifted = f + total
    for key, c in lifted.terms.items():
        place = lifted.variables.index(variable)
        others = [i for i in range(len(lifted.variables)) if i != place]
        if any(key.powers[i] or not key.exponents[i].is_zero() for i in others):
            raise Refuted(f"the map depends on more than its position: {f}")
        term = type(key)((key.powers[place],), (key.exponents[place],))
        total = total + ExponentialPolynomial((variable,), {term: c})
    return total


__all__ = [
    "DOES_NOT_RUN",
    "Refuted",
    "coefficients",
    "in_one",
    "is_decided",
    "rows",
    "symbols",
]
