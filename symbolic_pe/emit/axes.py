"""Emit a commuting group, A(p) = exp(Σ pᵢXᵢ), as one file.

    Xᵢ = P·(⊕ⱼ (αᵢⱼI − θᵢⱼJ) + Nᵢ)·P⁻¹,   u = p − reference
    q̃ = exp(Σ uᵢNᵢ)ᵀ e^{Σ uᵢαᵢⱼ} R(Σ uᵢθᵢⱼ) in plane j of Pᵀq,
    k̃ = exp(−Σ uᵢNᵢ) e^{−Σ uᵢαᵢⱼ} R(Σ uᵢθᵢⱼ) in plane j of P⁻¹k

The first and last factor P⁻¹P of a score cancels, so it is left out on both sides (the gauge
M = P⁻¹). Where every αᵢⱼ and Nᵢ is 0 and P is orthogonal, one map serves queries and keys. Where
something grows, positions count from a reference, which has to be near, because one side grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.emit import axes_standard
from symbolic_pe.emit.axes_plan import AxesPlan, plan_axes
from symbolic_pe.emit.axes_text import (
    basis_of_blocks,
    maps,
    number,
    opening,
    shear_loop,
    shear_opening,
    sides,
)
from symbolic_pe.emit.layout import STEP, docstring, fits, table
from symbolic_pe.emit.names import plain
from symbolic_pe.emit.source import EmittedKernel, with_header
from symbolic_pe.emit.targets import numpy, target_named, torch
from symbolic_pe.errors import NotYetCovered

NO_CERTIFICATE = "none: a number of the generators has no form in the published format"


# -- text -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Library:
    """Statements of one array library."""

    imported: str
    table: tuple[str, str]
    arange: Callable[[str], str]
    wide: str
    promoted: str
    where: str
    cast: str
    copy: str
    eye: str
    diagonal: str
    transposed: str


_NUMPY = _Library(
    "import numpy as np",
    numpy.DIALECT.table,
    lambda text: f"np.arange({text})",
    "np.result_type(x.dtype, np.float32)",
    "np.asarray(position, dtype=np.float64)",
    "{name}",
    "{text}.astype({dtype})",
    "turned.copy()",
    "np.eye(DIMENSION)",
    "np.eye(DIMENSION)",
    "{name}.swapaxes(-1, -2)",
)
_TORCH = _Library(
    "import torch",
    torch.DIALECT.table,
    lambda text: f'torch.arange({text}, device="cpu")',
    "torch.promote_types(x.dtype, torch.float32)",
    "position.to(torch.float64)",
    "{name}.to(x.device)",
    "{text}.to({dtype})",
    "turned.clone()",
    "torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)",
    'torch.eye(DIMENSION, dtype=torch.float64, device="cpu")',
    "{name}.transpose(-2, -1)",
)
LIBRARIES = {"numpy": _NUMPY, "torch": _TORCH}


def emit_axes(
    plan: AxesPlan, target: str, *, command: str, certificate: str = NO_CERTIFICATE
) -> EmittedKernel:
    """The file of one target; equal arguments give equal bytes.

    `certificate` is the digest of the certificate that the axes commute.

    Raises `SpecificationError` for an unknown target, `NotYetCovered` for channels that follow no
    rule.
    """
    target_named(target)
    found = plan.encoding
    body = _body(plan, LIBRARIES.get(target))
    return with_header(found, body, target, command, certificate)


def _body(plan: AxesPlan, library: _Library | None) -> str:
    """The text of a library, or for the array API standard."""
    found = plan.encoding
    if library is None:
        imported, constants = axes_standard.IMPORTED, axes_standard.constants(plan)
        transform, operator = axes_standard.transform(plan), axes_standard.operator(plan)
    else:
        prefix = library.imported.split()[-1]
        imported, constants = library.imported, _constants(plan, library)
        transform, operator = _transform(plan, library, prefix), _operator(plan, library)
    names = ", ".join(found.axis_names)
    law = "(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'."
    lines = [
        docstring(
            f"{plain(found.title or found.name)}.",
            [law, f"Axes of positions, in order: {plain(names)}. {sides(plan)}"],
            "",
        ),
        "",
        imported,
        "",
        f"DIMENSION = {found.dimension}",
        "HEADS = 1",
        f"AXES = {len(found.axes)}",
        *([f"TEMPERATURE = {found.temperature.to_float()!r}"] if found.temperature != ONE else []),
        *constants,
        "",
        "",
        *transform,
        "",
        "",
        *maps(plan, axes_standard.TRANSPOSED if library is None else _transposed(library)),
        "",
        "",
        *operator,
        "",
    ]
    long = next((line for line in lines if not fits(line)), None)
    if long is not None:
        raise NotYetCovered(f"{found.name}: a line of code that is too long: {long.strip()!r}")
    return "\n".join(lines)


def _transposed(library: _Library) -> str:
    return library.transposed.format(name="INVERSE_BASIS")


def _constants(plan: AxesPlan, library: _Library) -> list[str]:
    result = _planes(plan, library) if plan.planes else []
    if plan.scales:
        result.append(_rates(plan, library))
    if plan.bases is not None:
        basis, inverse = (basis_of_blocks(m) for m in plan.bases)
        result.append(_matrix("BASIS", basis, library))
        if not plan.one_basis:
            result.append(_matrix("INVERSE_BASIS", inverse, library))
    if plan.shears:
        rows = [row for shear in plan.shears for row in shear]
        if plan.degree > 1:
            result.append(f"DEGREE = {plan.degree}")
        result.append(_matrix("SHEAR", rows, library))
        result.append("SHEAR = SHEAR.reshape(AXES, DIMENSION, DIMENSION)")
    return result


def _matrix(name: str, rows: Sequence[Sequence[Scalar]], library: _Library) -> str:
    head, tail = library.table
    return table(name, head, [[number(x) for x in row] for row in rows], tail)


def _rates(plan: AxesPlan, library: _Library) -> str:
    """(axes, channels): a multiple of the identity where each axis has a channel of its own."""
    head, tail = library.table
    size = len(plan.rates)
    value = plan.rates[0][0]
    if size == len(plan.rates[0]) and all(
        x == (value if i == j else ZERO)
        for i, row in enumerate(plan.rates)
        for j, x in enumerate(row)
    ):
        return f"RATE = {value.to_float()!r} * {library.diagonal}"
    rows = [[number(x) for x in row] for row in plan.rates]
    if size == 1:
        return f"{table('RATE', head, rows, tail)}\nRATE = RATE[None, :]"
    return table("RATE", head, rows, tail)


def _planes(plan: AxesPlan, library: _Library) -> list[str]:
    head, tail = library.table
    rows = [[number(x) for x in row] for row in plan.frequencies]
    if len(rows) == 1:
        frequency = f"{table('FREQUENCY', head, rows, tail)}\nFREQUENCY = FREQUENCY[None, :]"
    else:
        frequency = table("FREQUENCY", head, rows, tail)
    return [
        frequency,
        f"FIRST = {_channels([a for a, _ in plan.planes], library)}",
        f"SECOND = {_channels([b for _, b in plan.planes], library)}",
    ]


def _channels(channels: Sequence[int], library: _Library) -> str:
    """An array of channels: a range where they are regular."""
    steps = {b - a for a, b in pairwise(channels)}
    if len(steps) <= 1:
        step = steps.pop() if steps else 1
        start, stop = channels[0], channels[-1] + step
        if step == 1:
            return library.arange(f"{stop}" if start == 0 else f"{start}, {stop}")
        return library.arange(f"{start}, {stop}, {step}")
    head, tail = library.table
    items = ", ".join(map(str, channels))
    text = f"{head}[{items}]{tail.replace(', dtype=torch.float64', '')}"
    if not fits(f"SECOND = {text}"):
        raise NotYetCovered("channels of planes that follow no rule; give a layout")
    return text


def _transform(plan: AxesPlan, library: _Library, prefix: str) -> list[str]:
    """The function that does the work: the map of both sides, or with a sign the map of one."""

    def cast(text: str, dtype: str) -> str:
        return library.cast.format(text=text, dtype=dtype)

    def where(name: str) -> str:
        return library.where.format(name=name)

    first, second = where("FIRST"), where("SECOND")
    lines = [*opening(plan), f"{STEP}wide = {library.wide}"]
    if plan.planes or plan.bases is not None:
        lines.append(f"{STEP}turned = {cast('x', 'wide')}")
    if plan.bases is not None:
        lines += _into_basis(plan, library, cast)
    moved = "" if plan.turns_only else " - reference"
    lines.append(f"{STEP}elapsed = {library.promoted}{moved}")
    result = "x" if plan.bases is None else "turned"
    if plan.planes:
        result = "result"
        lines += [
            f"{STEP}angle = elapsed @ {where('FREQUENCY')}",
            f"{STEP}cosine = {cast(f'{prefix}.cos(angle)', 'wide')}",
            f"{STEP}sine = {cast(f'{prefix}.sin(angle)', 'wide')}",
            f"{STEP}first, second = turned[..., {first}], turned[..., {second}]",
            f"{STEP}result = {library.copy}",
            f"{STEP}result[..., {first}] = cosine * first - sine * second",
            f"{STEP}result[..., {second}] = sine * first + cosine * second",
        ]
    if plan.scales:
        growth = cast(f"{prefix}.exp(sign * (elapsed @ {where('RATE')}))", "wide")
        lines.append(f"{STEP}result = {growth} * {result}")
        result = "result"
    if plan.shears:
        given = cast("x", "wide") if result == "x" else result
        lines.append(f"{STEP}result = _sheared({given}, {cast('elapsed', 'wide')}, sign)")
        result = "result"
    lines.append(f"{STEP}return {cast(result, 'x.dtype')}")
    return [*lines, *_shearing(plan, library)] if plan.shears else lines


def _into_basis(plan: AxesPlan, library: _Library, cast: Callable[[str, str], str]) -> list[str]:
    """The input in the coordinates of K: Pᵀq or P⁻¹k."""
    assert plan.bases is not None
    basis = library.where.format(name="BASIS")
    lines = []
    if not plan.one_basis and plan.turns_only:
        basis = library.where.format(name="basis")
    elif not plan.one_basis:
        lines.append(f"{STEP}basis = BASIS if sign > 0 else {_transposed(library)}")
        basis = library.where.format(name="basis")
    size = len(basis_of_blocks(plan.bases[0]))
    basis = cast(basis, "wide")
    if size == plan.encoding.dimension:
        return [*lines, f"{STEP}turned = turned @ {basis}"]
    blocks = f"turned.reshape(*x.shape[:-1], {plan.encoding.dimension // size}, {size})"
    return [
        *lines,
        f"{STEP}blocks = {blocks}",
        f"{STEP}turned = (blocks @ {basis}).reshape(x.shape)",
    ]


def _shearing(plan: AxesPlan, library: _Library) -> list[str]:
    undone = library.transposed.format(name="SHEAR")
    shear = library.cast.format(text=library.where.format(name="shear"), dtype="x.dtype")
    return [
        "",
        "",
        *shear_opening(),
        f"{STEP}shear = SHEAR if sign > 0 else -{undone}",
        f"{STEP}shear = {shear}",
        *shear_loop(plan),
    ]


def _operator(plan: AxesPlan, library: _Library) -> list[str]:
    lines = [
        "def operator(lag):",
        docstring("A(p) for one difference p of positions, of shape (AXES,)."),
        f"{STEP}identity = {library.eye}",
    ]
    if plan.bases is None:
        return [
            *lines,
            f"{STEP}rows = transform_key(identity, -lag[None, :])",
            f"{STEP}return rows.T",
        ]
    return [
        *lines,
        f"{STEP}query = transform_query(identity, lag[None, :])",
        f"{STEP}key = transform_key(identity, 0 * lag[None, :])",
        f"{STEP}return query @ key.T",
    ]


__all__ = ["NO_CERTIFICATE", "AxesPlan", "emit_axes", "plan_axes"]
