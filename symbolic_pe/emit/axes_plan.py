"""What a kernel of several axes computes: planes, frequencies, rates and a basis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    from_fmpq,
    identity,
    is_rational,
    multiply,
    to_fmpq,
    transpose,
)
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.emit.layout import docstring
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.jordan.components import connected_components


@dataclass(frozen=True)
class AxesPlan:
    """What a kernel of several axes computes.

    planes       channels (first, second) that turn together, after the basis
    frequencies  θ of every axis in every plane: (axes, planes)
    rates        a of every axis in every channel: (axes, channels)
    basis        P, or None for the identity
    """

    encoding: SeveralAxes
    planes: tuple[tuple[int, int], ...]
    frequencies: tuple[tuple[Scalar, ...], ...]
    rates: tuple[tuple[Scalar, ...], ...]
    basis: ScalarMatrix | None

    @property
    def turns_only(self) -> bool:
        """True when nothing grows or decays."""
        return all(x.is_zero() for row in self.rates for x in row)


def opening(plan: AxesPlan) -> list[str]:
    """Signature and docstring of the function that does the work, alike for every library."""
    if not plan.turns_only:
        what = "The map of one side, in the dtype of x; angles are float64."
        return ["def _transform(x, position, reference, sign):", docstring(what)]
    what = "F(p)x for x of shape (..., n, DIMENSION) at positions of shape (..., n, AXES)."
    dtypes = "Angles are float64; the result has the dtype of x."
    return ["def transform_query(x, position):", docstring(what, [dtypes])]


def plan_axes(encoding: SeveralAxes) -> AxesPlan:
    """Read planes, frequencies and rates off commuting generators.

    Raises `NotYetCovered` where some part is no plane aI − θJ and no single channel: a shear, or
    more than two channels that stay together in the basis that the encoding gives.
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
        _refuse_shears(encoding.name, matrix)
    frequencies = tuple(tuple(m[first][second] for first, second in planes) for m in matrices)
    rates = tuple(tuple(m[i][i] for i in range(len(m))) for m in matrices)
    return AxesPlan(encoding, tuple(planes), frequencies, rates, encoding.basis)


def _refuse_shears(name: str, matrix: ScalarMatrix) -> None:
    """Every plane has to be aI − θJ: opposite entries off the diagonal, equal ones on it."""
    for i, row in enumerate(matrix):
        for j, x in enumerate(row[:i]):
            coupled = not (x.is_zero() and matrix[j][i].is_zero())
            opposite = (x + matrix[j][i]).is_zero()
            even = (row[i] - matrix[j][j]).is_zero()
            if coupled and not (opposite and even):
                raise NotYetCovered(
                    f"{name}: code for axes that do more than turn and decay: channels {j} and {i} "
                    "are no plane a I - theta J"
                )


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


__all__ = ["AxesPlan", "opening", "plan_axes"]
