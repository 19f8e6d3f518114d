"""How far the map of a text is off, where causal sums use it: relative to |A| of the coordinates.

Without a basis these are the bounds of the maps, for a parametric 2×2 block X as well: there

    ‖A(τ)‖₂ ≤ e^{μτ} for τ ≥ 0,   μ = λ_max((X + Xᵀ)/2), the logarithmic norm,

is the least multiple of one that multiplies like A and is above its norm, as μ is the slope of ‖A‖
at 0 (Dahlquist 1958). With a basis A(τ) = P·exp(τK)·P⁻¹ the text first
changes the coordinates, and then moves vectors by exp(τK). The first is off by ε of |Pᵀ||q| and
|P⁻¹||k|, entry by entry, which takes the place of |q| and |k|; the second is a map without a basis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flint import arb, fmpq

from numeric_check.kernels.kernel import Kernel
from numeric_check.laws.decay_laws import without_decay
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import ROTATE, BlockBound, SideRun
from numeric_check.rounding.bound import rounding_bound, served_reach
from numeric_check.rounding.box_bounds import cells_over, parameter
from numeric_check.rounding.element import Model, Rounded
from numeric_check.rounding.formats import contains
from numeric_check.rounding.library import LIBRARIES
from numeric_check.rounding.majorant import NO_INPUT, ZERO, Term
from numeric_check.rounding.parameters import Asked, Box, declared_box, points_in
from numeric_check.rounding.running import brought, given_inputs, given_places, rows_of
from numeric_check.rounding.sums import both
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.matrix import transpose
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup
from symbolic_pe.errors import NotYetCovered

BITS = 160
NEAR_GAP = 64.0
"""Gaps that sums with parametric 2×2 blocks are bounded for: their bounds grow like |u|² at worst,
and what is lost in the largest gap counts at every step."""
SIDES = {1: "query", -1: "key", 0: ROTATE}


@dataclass(frozen=True)
class MapErrors:
    """ε of the maps of one compute dtype, for all lags up to the reach.

    moved  for the sides 1 (query), −1 (key) and 0 (without the common decay)
    into   of the change of coordinates, for the sides 1 and −1; empty without a basis
    box    where parameters lie
    """

    reach: float
    moved: Mapping[int, float]
    into: Mapping[int, float] = field(default_factory=dict)
    box: Box = field(default_factory=dict)


@dataclass
class SumMaps:
    """The errors of the maps of one text, found once a compute dtype.

    parameters  values or intervals of them, in place of the box that is declared
    """

    kernel: Kernel
    plan: KernelPlan
    parameters: Mapping[str, Asked] | None = None
    steps: dict[str, MapErrors] = field(default_factory=dict)
    runs: dict[str, MapErrors] = field(default_factory=dict)

    def of_steps(self, inner: str) -> MapErrors:
        """Those that a step uses; see `map_errors`."""
        if inner not in self.steps:
            self.steps[inner] = map_errors(self.kernel, self.plan, inner, self.parameters)
        return self.steps[inner]

    def of_runs(self, inner: str) -> MapErrors:
        """Those that a run uses; see `chunk_errors`."""
        if inner not in self.runs:
            self.runs[inner] = chunk_errors(self.kernel, self.plan, self.of_steps(inner), inner)
        return self.runs[inner]


def map_errors(
    kernel: Kernel, plan: KernelPlan, inner: str, parameters: Mapping[str, Asked] | None = None
) -> MapErrors:
    """The errors of the maps that a step uses. Raises what `rounding_bound` raises."""
    if plan.basis is not None:
        return _in_basis(kernel, plan, inner)
    furthest = float(plan.encoding.domain.max_position)
    reach = min(NEAR_GAP, furthest) if _has_matrices(plan) else None
    maps = rounding_bound(kernel, plan, inner, reach=reach, parameters=parameters)
    moved = {side: _largest(plan, maps.blocks, name, maps.reach) for side, name in SIDES.items()}
    box = maps.box or {name: (x, x) for name, x in maps.parameters.items()}
    return MapErrors(maps.reach, moved, {}, box)


def _has_matrices(plan: KernelPlan) -> bool:
    return any(isinstance(g, MatrixGroup) for g in plan.groups)


def chunk_errors(kernel: Kernel, plan: KernelPlan, found: MapErrors, inner: str) -> MapErrors:
    """The same, for a text that moves across positions, and with the side without decay.

    Raises `LeavesTheRing` where a position is rounded before it is subtracted: then an error would
    grow with the position and not with the lag.
    """
    values = points_in(plan, found.box)[0] if found.box else {}
    arguments: list[Any] = [values[name] for name in plan.parameters]
    name = "_transform" if plan.basis is None else "_move"
    bare = replace(plan, basis=None)
    cells = cells_over(plan, found.box, inner) if _has_matrices(plan) else [None]
    for cell in cells:
        if cell is not None:
            arguments = [parameter(name, cell.box) for name in plan.parameters]
        for side in (1, -1):
            model = _Lags(found.reach, cell=cell)
            _run(kernel, bare, (name, inner, side), model, arguments)
    if plan.uniform_decay is None:
        return found
    moved = {**found.moved, 0: _without_decay(kernel, plan, inner, found.reach)}
    return replace(found, moved=moved)


def _without_decay(kernel: Kernel, plan: KernelPlan, inner: str, reach: float) -> float:
    turning = without_decay(plan)
    if all(_stands_still(group) for group in turning.groups):
        return 0.0
    blocks = _moved_blocks(kernel, turning, ("_transform", inner, 0), _Lags(reach))
    return _largest(turning, blocks, ROTATE, reach)


def _stands_still(group: Any) -> bool:
    return isinstance(group, BlockGroup) and group.frequency.is_zero and group.shear.is_zero


def _largest(plan: KernelPlan, blocks: Sequence[BlockBound], side: str, reach: float) -> float:
    own = [b for b in blocks if b.side == side]
    for b in own:
        group = plan.groups[b.group]
        if b.loose and isinstance(group, BlockGroup) and group.chain_length > 1:
            raise NotYetCovered("an error of a chain is relative to no entry of it")
    return max((upward.value(b.relative, reach) for b in own), default=0.0)


# -- in the coordinates of a basis ----------------------------------------------------------------


def _in_basis(kernel: Kernel, plan: KernelPlan, inner: str) -> MapErrors:
    if plan.parameters:
        raise NotYetCovered("causal sums with a basis and parameters")
    if not kernel.has("_move"):
        raise LeavesTheRing("the text has no map in the coordinates of its basis")
    bare = replace(plan, basis=None)
    reach = served_reach(bare, inner, float(plan.encoding.domain.max_position))
    moved = {}
    for side, name in ((1, "query"), (-1, "key")):
        blocks = _moved_blocks(kernel, bare, ("_move", inner, side), _Lags(reach))
        moved[side] = _largest(bare, blocks, name, reach)
    into = {side: _into(kernel, plan, inner, side) for side in (1, -1)}
    return MapErrors(reach, moved, into, declared_box(plan))


def _into(kernel: Kernel, plan: KernelPlan, inner: str, side: int) -> float:
    """ε of Pᵀq, or of P⁻¹k, relative to the matrix and the vector in absolute values."""
    model = Model(1.0)
    rows = _run(kernel, plan, ("_transform", inner, side), model, (), still=True)
    if len(model.stages) != 1:
        raise LeavesTheRing("the text does not multiply the input by a basis")
    assert plan.basis is not None
    worst, d = 0.0, plan.dimension
    for place, row in enumerate(model.stages[0]):
        head = place // d
        basis, inverse = plan.basis[head if len(plan.basis) > 1 else 0]
        exact = (transpose(basis) if side > 0 else inverse)[place % d]
        after: Rounded = rows[head, place % d]
        own = {Term(place, 0, ZERO, None): fmpq(1)}
        if after.value != own or after.error:
            raise LeavesTheRing("the text moves what it changes the coordinates of")
        share = _share(row, [x.ball({}) for x in exact], head * d)
        worst = max(worst, both(share, upward.value(after.relative, 0.0)))
    return worst


def _share(row: Rounded, exact: Sequence[arb], first: int) -> float:
    """The largest |error| of an entry over the exact entry; an entry that is 0 has to be 0."""
    found = [arb(0)] * len(exact)
    errors = [0.0] * len(exact)
    for term, c in row.value.items():
        found[_column(term, first)] = arb(c)
    for term, c in row.absolute().items():
        j = _column(term, first)
        errors[j] = upward.plus(errors[j], c)
    worst = 0.0
    with precision(BITS):
        for ball, computed, error in zip(exact, found, errors, strict=True):
            away = upward.plus(upward.above(computed - ball), error)
            if ball.contains(0):
                if not (ball.is_exact() and away == 0.0):
                    raise LeavesTheRing("an entry of the basis is 0, and the text has another")
                continue
            least = upward.down(upward.down(float(abs(ball).lower())))
            worst = max(worst, upward.up(away / least))
    return worst


def _column(term: Term, first: int) -> int:
    if term.input <= NO_INPUT or term.power or term.wave is not None:
        raise LeavesTheRing("the text multiplies by a basis that depends on position")
    return term.input - first


# -- running --------------------------------------------------------------------------------------


class _Lags(Model):
    """Positions may be anything: they are only ever subtracted."""

    def rounded(self, a: Rounded, dtype: str, *, flushes: bool = False) -> Rounded:
        """As always, but for positions before they are subtracted."""
        if any(t.input < NO_INPUT for t in a.value) and not (
            a.fits is not None and contains(dtype, a.fits)
        ):
            raise LeavesTheRing("the text rounds positions before it subtracts the reference")
        return super().rounded(a, dtype, flushes=flushes)


def _moved_blocks(
    kernel: Kernel, plan: KernelPlan, called: tuple[str, str, int], model: Model
) -> list[BlockBound]:
    rows = _run(kernel, plan, called, model, ())
    run = SideRun(plan, model, SIDES[called[2]], rows)
    found = []
    for index, group in enumerate(plan.groups):
        assert isinstance(group, BlockGroup)
        for head in range(plan.heads):
            found += [run.block(index, group, head, b) for b in range(len(group.slots[0]))]
    return found


def _run(
    kernel: Kernel,
    plan: KernelPlan,
    called: tuple[str, str, int],
    model: Model,
    arguments: Sequence[Any],
    *,
    still: bool = False,
) -> Any:
    """What a map of the text returns, (HEADS, d); at position and reference 0.0 where it is still.

    called  its name, the dtype, and the side
    """
    name, dtype, side = called
    library = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    if name not in names:
        raise LeavesTheRing(f"the text has no {name}")
    sides = () if name == "_move" and not takes_side(names[name]) else (side,)
    places = (0.0, 0.0) if still else given_places(library)
    given = brought(library, arguments)
    result = names[name](given_inputs(library, plan, dtype), *places, *sides, *given)
    if result.dtype.name != dtype:
        raise LeavesTheRing(f"{name} of {dtype} returns {result.dtype.name}")
    return rows_of(result, plan, name)


def takes_side(move: Any) -> bool:
    """Whether a map in the coordinates of a basis differs between query and key."""
    return bool(move.__code__.co_argcount > len(("x", "position", "reference")))


__all__ = ["MapErrors", "SumMaps", "chunk_errors", "map_errors", "takes_side"]
