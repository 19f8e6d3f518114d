"""Emit a commuting group of rotations, A(p) = exp(Σ pᵢXᵢ), as one file.

    Xᵢ = P·(⊕ⱼ −θᵢⱼJ)·Pᵀ,   q̃ = R(Σ pᵢθᵢⱼ) in plane j of Pᵀq,   k̃ likewise

P is orthogonal, the identity for most; the last P cancels in scores, so it is left out on both
sides (the gauge M = Pᵀ). One map serves queries and keys because every Xᵢ is skew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    identity,
    is_rational,
    multiply,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.scalar import ONE, Scalar
from symbolic_pe.emit.layout import STEP, docstring, fits, table
from symbolic_pe.emit.names import plain
from symbolic_pe.emit.source import EmittedKernel, with_header
from symbolic_pe.emit.targets import numpy, target_named, torch
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.components import connected_components

NO_CERTIFICATE = "none: commuting is decided by prove, the text is measured"


@dataclass(frozen=True)
class AxesPlan:
    """What a kernel of several axes computes.

    planes       channels (first, second) that turn together, after the basis
    frequencies  θ of every axis in every plane: (axes, planes)
    basis        P, or None for the identity
    """

    encoding: SeveralAxes
    planes: tuple[tuple[int, int], ...]
    frequencies: tuple[tuple[Scalar, ...], ...]
    basis: ScalarMatrix | None


def plan_axes(encoding: SeveralAxes) -> AxesPlan:
    """Read planes and frequencies off commuting skew generators.

    Raises `NotYetCovered` where some part is no plane that turns: a decay, a shear, or more than
    two channels that stay together in the basis that the encoding gives.
    """
    if encoding.assumptions.declared:
        raise NotYetCovered(f"{encoding.name}: code for several axes with parameters")
    matrices = [_in_basis(g.matrix, encoding.basis) for g in encoding.axes]
    planes = []
    for channels in connected_components(_joined(matrices)):
        if len(channels) > 2:
            raise NotYetCovered(
                f"{encoding.name}: code for the {len(channels)} channels {list(channels)} that "
                "the axes turn together; code is emitted for planes, and for one axis or one "
                "direction given as [generator]"
            )
        if len(channels) == 2:
            planes.append((channels[0], channels[1]))
    for matrix in matrices:
        for i, row in enumerate(matrix):
            for j, x in enumerate(row[: i + 1]):
                if not (x + matrix[j][i]).is_zero():
                    raise NotYetCovered(
                        f"{encoding.name}: code for axes that do more than turn: X + X^T has the "
                        f"entry {x + matrix[j][i]} at row {i}, column {j}"
                    )
    frequencies = tuple(tuple(m[first][second] for first, second in planes) for m in matrices)
    return AxesPlan(encoding, tuple(planes), frequencies, encoding.basis)


def _in_basis(x: ScalarMatrix, basis: ScalarMatrix | None) -> ScalarMatrix:
    """PᵀXP, with PᵀP = I decided."""
    if basis is None:
        return x
    if is_rational(x) and is_rational(basis):
        p = to_fmpq(basis)
        if from_fmpq(p.transpose() * p) == identity(len(basis)):
            return from_fmpq(p.transpose() * to_fmpq(x) * p)
    turned = multiply(multiply(transpose(basis), x), basis)
    if multiply(transpose(basis), basis) != identity(len(basis)):
        raise NotYetCovered("a basis that is not orthogonal")
    return turned


def _joined(matrices: Sequence[ScalarMatrix]) -> ScalarMatrix:
    """A matrix that is 0 exactly where all are."""
    n = len(matrices[0])
    return tuple(
        tuple(
            next((m[i][j] for m in matrices if not m[i][j].is_zero()), matrices[0][i][j])
            for j in range(n)
        )
        for i in range(n)
    )


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


_NUMPY = _Library(
    "import numpy as np",
    numpy.DIALECT.table,
    lambda text: f"np.arange({text})",
    "np.float64 if x.dtype == np.float64 else np.float32",
    "np.asarray(position, dtype=np.float64)",
    "{name}",
    "{text}.astype({dtype})",
    "turned.copy()",
    "np.eye(DIMENSION)",
)
_TORCH = _Library(
    "import torch",
    torch.DIALECT.table,
    lambda text: f'torch.arange({text}, device="cpu")',
    "torch.float64 if x.dtype == torch.float64 else torch.float32",
    "position.to(torch.float64)",
    "{name}.to(x.device)",
    "{text}.to({dtype})",
    "turned.clone()",
    "torch.eye(DIMENSION, dtype=torch.float64, device=lag.device)",
)
LIBRARIES = {"numpy": _NUMPY, "torch": _TORCH}


def emit_axes(plan: AxesPlan, target: str, *, command: str) -> EmittedKernel:
    """The file of one target; equal arguments give equal bytes.

    Raises `NotYetCovered` for a target that prints kernels of one generator only.
    """
    target_named(target)
    found = plan.encoding
    if target not in LIBRARIES:
        raise NotYetCovered(
            f"{found.name}: several axes for {target}; use {' or '.join(LIBRARIES)}"
        )
    body = _body(plan, LIBRARIES[target])
    return with_header(found, body, target, command, NO_CERTIFICATE)


def _body(plan: AxesPlan, library: _Library) -> str:
    found = plan.encoding
    names = ", ".join(found.axis_names)
    prefix = library.imported.split()[-1]
    law = "(F(p)q)^T (G(p')k) = q^T A(p - p') k, A(p) = exp(sum p_i X_i), for all p and p'."
    lines = [
        docstring(
            f"{plain(found.title or found.name)}.",
            [law, f"Axes of positions, in order: {plain(names)}. Both sides have one map."],
            "",
        ),
        "",
        library.imported,
        "",
        f"DIMENSION = {found.dimension}",
        "HEADS = 1",
        f"AXES = {len(found.axes)}",
        *([f"TEMPERATURE = {found.temperature.to_float()!r}"] if found.temperature != ONE else []),
        *_constants(plan, library),
        "",
        "",
        *_transform(plan, library, prefix),
        "",
        "",
        *_key(),
        "",
        "",
        *_operator(plan, library, prefix),
        "",
    ]
    long = next((line for line in lines if not fits(line)), None)
    if long is not None:
        raise NotYetCovered(f"{found.name}: a line of code that is too long: {long.strip()!r}")
    return "\n".join(lines)


def _constants(plan: AxesPlan, library: _Library) -> list[str]:
    head, tail = library.table
    rows = [[repr(x.to_float()) for x in row] for row in plan.frequencies]
    if len(rows) == 1:
        frequency = f"{table('FREQUENCY', head, rows, tail)}\nFREQUENCY = FREQUENCY[None, :]"
    else:
        frequency = table("FREQUENCY", head, rows, tail)
    result = [
        frequency,
        f"FIRST = {_channels([a for a, _ in plan.planes], library)}",
        f"SECOND = {_channels([b for _, b in plan.planes], library)}",
    ]
    if plan.basis is not None:
        entries = [[repr(x.to_float()) for x in row] for row in plan.basis]
        result.append(table("BASIS", head, entries, tail))
    return result


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
    def cast(text: str, dtype: str) -> str:
        return library.cast.format(text=text, dtype=dtype)

    frequency, first, second = (
        library.where.format(name=n) for n in ("FREQUENCY", "FIRST", "SECOND")
    )
    lines = [
        "def transform_query(x, position):",
        docstring(
            "F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES).",
            ["Angles are float64; the result has the dtype of x."],
        ),
        f"{STEP}wide = {library.wide}",
        f"{STEP}turned = {cast('x', 'wide')}",
    ]
    if plan.basis is not None:
        basis = cast(library.where.format(name="BASIS"), "wide")
        lines.append(f"{STEP}turned = turned @ {basis}")
    result = library.copy
    return [
        *lines,
        f"{STEP}angle = {library.promoted} @ {frequency}",
        f"{STEP}cosine = {cast(f'{prefix}.cos(angle)', 'wide')}",
        f"{STEP}sine = {cast(f'{prefix}.sin(angle)', 'wide')}",
        f"{STEP}first, second = turned[..., {first}], turned[..., {second}]",
        f"{STEP}result = {result}",
        f"{STEP}result[..., {first}] = cosine * first - sine * second",
        f"{STEP}result[..., {second}] = sine * first + cosine * second",
        f"{STEP}return {cast('result', 'x.dtype')}",
    ]


def _key() -> list[str]:
    return [
        "def transform_key(x, position):",
        docstring("G(p)x: the map of queries, because every generator is skew."),
        f"{STEP}return transform_query(x, position)",
    ]


def _operator(plan: AxesPlan, library: _Library, prefix: str) -> list[str]:
    transposed = "rows.T"
    lines = [
        "def operator(lag):",
        docstring("A(p) for one difference p of positions, of shape (AXES,)."),
        f"{STEP}identity = {library.eye}",
        f"{STEP}rows = transform_key(identity, -lag[None, :])",
    ]
    if plan.basis is None:
        return [*lines, f"{STEP}return {transposed}"]
    where = "BASIS" if prefix == "np" else "BASIS.to(lag.device)"
    return [*lines, f"{STEP}return {where} @ {transposed}"]
