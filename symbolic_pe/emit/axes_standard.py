"""Kernels of several axes for the array API standard, which assigns to no indices.

Channel i is turned with its partner in the plane, each with a frequency of its own, θ and −θ:

    yᵢ = cos(Σ pₐfₐᵢ)·xᵢ + sin(Σ pₐfₐᵢ)·x_partner(i)
"""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.algebra.scalar import ZERO, Scalar
from symbolic_pe.emit.axes_plan import AxesPlan
from symbolic_pe.emit.axes_text import (
    basis_of_blocks,
    number,
    opening,
    shear_loop,
    shear_opening,
)
from symbolic_pe.emit.layout import STEP, docstring, table

IMPORTED = "from array_api_compat import array_namespace, device"


def constants(plan: AxesPlan) -> list[str]:
    """Lists of Python numbers: no library is known at import."""
    found = []
    if plan.planes:
        rows = [_signed(plan, row) for row in plan.frequencies]
        found.append(_matrix("FREQUENCY", rows))
        found.append(table("PARTNER", "", [[str(x) for x in _partners(plan)]], ""))
    if plan.scales:
        found.append(_rates(plan))
    if plan.bases is not None:
        found.append(_matrix("BASIS", basis_of_blocks(plan.bases[0])))
        if not plan.one_basis:
            found.append(_matrix("INVERSE_BASIS", basis_of_blocks(plan.bases[1])))
    if plan.shears:
        if plan.degree > 1:
            found.append(f"DEGREE = {plan.degree}")
        found.append(_matrix("SHEAR", [row for shear in plan.shears for row in shear]))
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
    texts = [[number(x) for x in row] for row in rows]
    text = table(name, "", texts, "")
    return text if len(rows) > 1 else f"{text}\n{name} = [{name}]"


def _rates(plan: AxesPlan) -> str:
    value = plan.rates[0][0]
    n = len(plan.rates)
    own = all(
        x == (value if i == j else ZERO)
        for i, row in enumerate(plan.rates)
        for j, x in enumerate(row)
    )
    if own and n == plan.encoding.dimension and n > 1:
        entry = f"{number(value)} * (i == j)"
        return f"RATE = [[{entry} for j in range(AXES)] for i in range(AXES)]"
    return _matrix("RATE", plan.rates)


def transform(plan: AxesPlan) -> list[str]:
    """The function that does the work."""
    lines = [
        *opening(plan),
        f"{STEP}xp = array_namespace(x)",
        f"{STEP}wide = xp.result_type(x.dtype, xp.float32)",
        f"{STEP}result = xp.astype(x, wide)",
    ]
    if plan.bases is not None:
        lines += _into_basis(plan)
    lines.append(
        f"{STEP}elapsed = xp.asarray(position, dtype=xp.float64, device=device(x))"
        + ("" if plan.turns_only else " - reference")
    )
    if plan.planes:
        lines += [
            f"{STEP}angle = elapsed @ _values(FREQUENCY, x)",
            f"{STEP}cosine = xp.astype(xp.cos(angle), wide)",
            f"{STEP}sine = xp.astype(xp.sin(angle), wide)",
            f"{STEP}partner = xp.asarray(PARTNER, device=device(x))",
            f"{STEP}result = cosine * result + sine * xp.take(result, partner, axis=-1)",
        ]
    if plan.scales:
        lines += [
            f"{STEP}growth = xp.exp(sign * (elapsed @ _values(RATE, x)))",
            f"{STEP}result = xp.astype(growth, wide) * result",
        ]
    if plan.shears:
        lines.append(f"{STEP}result = _sheared(result, xp.astype(elapsed, wide), sign)")
    lines.append(f"{STEP}return xp.astype(result, x.dtype)")
    if plan.shears:
        lines += [
            "",
            "",
            *shear_opening(),
            f"{STEP}xp = array_namespace(x)",
            f"{STEP}shear = xp.astype(_values(SHEAR, x), x.dtype)",
            f"{STEP}shear = xp.reshape(shear, (AXES, DIMENSION, DIMENSION))",
            f"{STEP}shear = shear if sign > 0 else -xp.matrix_transpose(shear)",
            *shear_loop(plan),
        ]
    return [
        *lines,
        "",
        "",
        "def _values(numbers, x):",
        docstring("Numbers in float64, where x is."),
        f"{STEP}xp = array_namespace(x)",
        f"{STEP}return xp.asarray(numbers, dtype=xp.float64, device=device(x))",
    ]


TRANSPOSED = "[list(row) for row in zip(*INVERSE_BASIS)]"
"""Of a list of rows."""


def _into_basis(plan: AxesPlan) -> list[str]:
    """The input in the coordinates of K: Pᵀq or P⁻¹k."""
    assert plan.bases is not None
    lines, basis = [], "BASIS"
    if not plan.one_basis:
        basis = "basis"
        if not plan.turns_only:
            lines.append(f"{STEP}basis = BASIS if sign > 0 else {TRANSPOSED}")
    product = f"xp.astype(_values({basis}, x), wide)"
    size, dimension = len(basis_of_blocks(plan.bases[0])), plan.encoding.dimension
    if size == dimension:
        return [*lines, f"{STEP}result = result @ {product}"]
    return [
        *lines,
        f"{STEP}blocks = xp.reshape(result, (*x.shape[:-1], {dimension // size}, {size}))",
        f"{STEP}result = xp.reshape(blocks @ {product}, x.shape)",
    ]


def operator(plan: AxesPlan) -> list[str]:
    """A(p)."""
    lines = [
        "def operator(lag):",
        docstring("A(p) for one difference p of positions, of shape (AXES,)."),
        f"{STEP}xp = array_namespace(lag)",
        f"{STEP}identity = xp.eye(DIMENSION, dtype=xp.float64, device=device(lag))",
    ]
    if plan.bases is None:
        return [
            *lines,
            f"{STEP}rows = transform_key(identity, -xp.expand_dims(lag, axis=0))",
            f"{STEP}return xp.matrix_transpose(rows)",
        ]
    return [
        *lines,
        f"{STEP}position = xp.expand_dims(lag, axis=0)",
        f"{STEP}query = transform_query(identity, position)",
        f"{STEP}key = transform_key(identity, 0 * position)",
        f"{STEP}return query @ xp.matrix_transpose(key)",
    ]


__all__ = ["IMPORTED", "TRANSPOSED", "constants", "operator", "transform"]
