"""Kernels of several axes for the array API standard, which assigns to no indices.

Channel i is turned with its partner in the plane, each with a frequency of its own, θ and −θ:

    yᵢ = cos(Σ pₐfₐᵢ)·xᵢ + sin(Σ pₐfₐᵢ)·x_partner(i)
"""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.emit.axes_plan import AxesPlan, opening
from symbolic_pe.emit.layout import STEP, docstring, table

IMPORTED = "from array_api_compat import array_namespace, device"


def constants(plan: AxesPlan) -> list[str]:
    """Lists of Python numbers: no library is known at import."""
    found = []
    if plan.planes:
        rows = [_signed(plan, row) for row in plan.frequencies]
        found.append(_matrix("FREQUENCY", rows))
        found.append(table("PARTNER", "", [[str(x) for x in _partners(plan)]], ""))
    if not plan.turns_only:
        found.append(_rates(plan))
    if plan.basis is not None:
        found.append(_matrix("BASIS", plan.basis))
    return found


def _signed(plan: AxesPlan, frequencies: Sequence[Scalar]) -> list[Scalar]:
    """−θ on the first channel of a plane and θ on the second."""
    row = [ZERO] * plan.encoding.dimension
    for (first, second), x in zip(plan.planes, frequencies, strict=True):
        row[first], row[second] = -x, x
    return row


def _partners(plan: AxesPlan) -> list[int]:
    found = list(range(plan.encoding.dimension))
    for first, second in plan.planes:
        found[first], found[second] = second, first
    return found


def _matrix(name: str, rows: Sequence[Sequence[Scalar]]) -> str:
    texts = [[_number(x) for x in row] for row in rows]
    text = table(name, "", texts, "")
    return text if len(rows) > 1 else f"{text}\n{name} = [{name}]"


def _number(x: Scalar) -> str:
    return repr(x.to_float() or 0.0)


def _rates(plan: AxesPlan) -> str:
    value = plan.rates[0][0]
    n = len(plan.rates)
    own = all(
        x == (value if i == j else ZERO)
        for i, row in enumerate(plan.rates)
        for j, x in enumerate(row)
    )
    if own and n == plan.encoding.dimension and n > 1:
        entry = f"{_number(value)} * (i == j)"
        return f"RATE = [[{entry} for j in range(AXES)] for i in range(AXES)]"
    return _matrix("RATE", plan.rates)


def transform(plan: AxesPlan) -> list[str]:
    """The function that does the work."""
    alone = plan.turns_only
    lines = [
        *opening(plan),
        f"{STEP}xp = array_namespace(x)",
        f"{STEP}wide = xp.result_type(x.dtype, xp.float32)",
        f"{STEP}result = xp.astype(x, wide)",
    ]
    if plan.basis is not None:
        lines.append(f"{STEP}result = result @ xp.astype(_values(BASIS, x), wide)")
    lines.append(
        f"{STEP}elapsed = xp.asarray(position, dtype=xp.float64, device=device(x))"
        + ("" if alone else " - reference")
    )
    if plan.planes:
        lines += [
            f"{STEP}angle = elapsed @ _values(FREQUENCY, x)",
            f"{STEP}cosine = xp.astype(xp.cos(angle), wide)",
            f"{STEP}sine = xp.astype(xp.sin(angle), wide)",
            f"{STEP}partner = xp.asarray(PARTNER, device=device(x))",
            f"{STEP}result = cosine * result + sine * xp.take(result, partner, axis=-1)",
        ]
    if not alone:
        lines += [
            f"{STEP}growth = xp.exp(sign * (elapsed @ _values(RATE, x)))",
            f"{STEP}result = xp.astype(growth, wide) * result",
        ]
    return [
        *lines,
        f"{STEP}return xp.astype(result, x.dtype)",
        "",
        "",
        "def _values(numbers, x):",
        docstring("Numbers in float64, where x is."),
        f"{STEP}xp = array_namespace(x)",
        f"{STEP}return xp.asarray(numbers, dtype=xp.float64, device=device(x))",
    ]


def operator(plan: AxesPlan) -> list[str]:
    """A(p)."""
    rows = "xp.matrix_transpose(rows)"
    product = rows if plan.basis is None else f"_values(BASIS, lag) @ {rows}"
    return [
        "def operator(lag):",
        docstring("A(p) for one difference p of positions, of shape (AXES,)."),
        f"{STEP}xp = array_namespace(lag)",
        f"{STEP}identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))",
        f"{STEP}rows = transform_key(identity, -xp.expand_dims(lag, axis=0))",
        f"{STEP}return {product}",
    ]


__all__ = ["IMPORTED", "constants", "operator", "transform"]
