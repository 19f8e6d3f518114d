"""The text of a kernel, executed on rounded elements: a bound of its error for every position.

For each block B of the plan, with exact matrix A_B(u), its inputs x_B, and u = position −
reference,

    ‖ŷ_B − y_B‖₂ ≤ ε_B(|u|)·‖A_B(u)‖₂·‖x_B‖₂ + η_B       for all real |u| ≤ reach.

y_B is the exact map of the encoding, not of the constants X̂ in the text: since X̂ − X = Δ is of
the same block form, it commutes with X and ‖exp(uX̂) − exp(uX)‖ ≤ ‖exp(uX)‖·(e^{|u|·‖Δ‖} − 1). With
a basis, x_B is the whole input and ε_B carries the norm of the rows of the basis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.laws.decay_laws import without_decay
from numeric_check.reference_values.tolerance import DTYPES, FORMATS, window_exponent
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import (
    BIAS,
    DECAY,
    FORMS,
    MAPS,
    OF_LAG,
    OPERATOR,
    ROTATE,
    SCORE,
    TABLES,
    BlockBound,
    SideRun,
)
from numeric_check.rounding.box_bounds import parameter, range_at, side_bounds_over
from numeric_check.rounding.coefficient import Box as CoefficientBox
from numeric_check.rounding.decay import decay_bounds, only_decays
from numeric_check.rounding.element import Model
from numeric_check.rounding.formula import formula
from numeric_check.rounding.lag_forms import bias_terms, lag_bounds, served_lag
from numeric_check.rounding.library import LIBRARIES
from numeric_check.rounding.operator_basis import spread_of, whole_bounds
from numeric_check.rounding.parameters import (
    Asked,
    Box,
    admitted,
    box_text,
    exact_values,
    intervals_of,
    plan_at,
    points_of,
)
from numeric_check.rounding.running import run_side
from numeric_check.rounding.tables import table_bounds
from numeric_check.rounding.upward import Polynomial
from symbolic_pe.algebra.matrix import transpose
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup, Vector
from symbolic_pe.emit.terms import RealTerm
from symbolic_pe.errors import KernelError, NotYetCovered, SpecificationError

SECONDS = 120.0
COVERS_NO_MORE = (
    KernelError,
    SpecificationError,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    NameError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
)
"""What a text raises on rounded elements, by a fault of its own or as they do not cover it."""


@dataclass(frozen=True)
class KernelBound:
    """The bound of every block of a kernel for one dtype of x.

    reach       largest |position − reference| that it holds for
    limited_by  `domain`, or `range` where the maps would leave the range of the dtype before
    relative    ε, coefficient by coefficient the largest over the blocks
    absolute    η, the largest over the blocks
    form        `maps` (query and key), `rotate`, whose exact map has no decay, `operator`, every
                row of a block of A(u), or with a basis of A(u) itself, relative to ‖exp(uK)‖,
                `cos_sin`, the pairs of a table, or
                `decay`, `bias` and `score_mod`, functions of the lag u
    parameters  the values of the parameters that it holds for
    box         where they lie instead: it holds for all values in there, as far as the maps stay
                in the range of the dtype (`box_bounds.range_at`)
    """

    dtype: str
    reach: float
    limited_by: str
    relative: Polynomial
    absolute: float
    blocks: tuple[BlockBound, ...]
    form: str = MAPS
    parameters: Mapping[str, float] = field(default_factory=dict)
    box: Box = field(default_factory=dict)

    def epsilon(self, u: float) -> float:
        """ε at |u|. Raises `SpecificationError` beyond the reach."""
        if abs(u) > self.reach:
            raise SpecificationError(
                f"|position - reference|: expected at most {self.reach:g} for {self.dtype}, got "
                f"{abs(u):g}; bound the kernel with a larger reach"
            )
        return upward.value(self.relative, abs(u))

    @property
    def formula(self) -> str:
        """ε as text, coefficients rounded upwards."""
        return formula(self.relative, self.dtype)


def rounding_bound(
    kernel: Kernel,
    plan: KernelPlan,
    dtype: str,
    *,
    reach: float | None = None,
    form: str = MAPS,
    parameters: Mapping[str, Asked] | None = None,
) -> KernelBound:
    """Bound the rounding errors of one form: both maps, or one of the other functions.

    The text is executed once a side on elements that model every rounding of the dtypes that it
    names; so an edit that changes a dtype changes the bound. `reach` is the largest |position −
    reference|, by default the largest position of the domain; it is cut where the maps would
    overflow or underflow in this dtype. Positions, references and their differences are real
    numbers of float64, at most `reach` in magnitude. A kernel with run-time parameters is bounded
    at the values in `parameters`, or over intervals (low, high) of them; by default over the box
    that is declared, as far as ±`WIDEST` where no bound is declared.

    Assumed: rounding to nearest; exp, sin and cos within `LIBRARY_ULPS`; any order of summation,
    products fused with sums or not.

    >>> from numeric_check.kernels.kernel import compile_kernel
    >>> from symbolic_pe.emit.plan import plan_kernel
    >>> from symbolic_pe.encodings.catalogue import catalogue
    >>> from symbolic_pe.production import emit
    >>> encoding = catalogue("decay", {"dim": 2})
    >>> found = rounding_bound(compile_kernel(emit(encoding)), plan_kernel(encoding), "bfloat16")
    >>> found.formula.startswith("1.001*2^-8 + ")
    True

    Raises `SpecificationError` for an unknown dtype and for parameters that are not admitted,
    `NotYetCovered` for texts with operations that rounded elements do not have, and for those
    whose numbers may leave the range of a format that they are computed in.
    """
    if dtype not in DTYPES:
        raise SpecificationError(f"dtype: expected one of {', '.join(DTYPES)}, got {dtype!r}")
    if form not in FORMS:
        raise SpecificationError(f"form: expected one of {', '.join(FORMS)}, got {form!r}")
    if not offers(kernel, plan, form, dtype):
        why = {
            BIAS: "where an encoding has an additive bias",
            OPERATOR: "in float64",
            SCORE: "by texts for torch, where an encoding has an additive bias",
            TABLES: "where every block turns, at frequencies without parameters",
        }
        common = "where every block decays at one rate a head"
        of_numpy = "" if kernel.target == "torch" else f"; texts for {kernel.target} return float64"
        raise NotYetCovered(f"{form} is offered {why.get(form, common)}{of_numpy}")
    if form == ROTATE:
        plan = without_decay(plan)
    if kernel.target not in LIBRARIES:
        raise NotYetCovered(
            f"rounding bounds cover kernels for {', '.join(LIBRARIES)}, got {kernel.target}"
        )
    limit = float(plan.encoding.domain.max_position) if reach is None else float(reach)
    if not limit > 0 or not math.isfinite(limit):
        raise SpecificationError(f"reach: expected a positive number, got {reach}")
    asked = _Asked.of(kernel, plan, intervals_of(plan, parameters), dtype, form)
    blocks: list[BlockBound] = []
    try:
        served = asked.served(limit)
        with time_limit(SECONDS), np.errstate(all="ignore"):  # bounds may become infinite
            blocks = asked.blocks(served)
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no rounding bound: {error}") from None
    box = asked.box if asked.values is None else {}
    found = joined(blocks, dtype, served, limit, form, over=box)
    return replace(found, parameters=asked.values or {}, box=box)


def joined(
    blocks: Sequence[BlockBound],
    dtype: str,
    reach: float,
    limit: float,
    form: str = MAPS,
    *,
    over: Box | None = None,
) -> KernelBound:
    """The bound of a kernel, from those of its blocks for |u| ≤ reach, of the `limit` asked for.

    over  the box of the parameters, for the message

    Raises `NotYetCovered` where ε or η is not finite.
    """
    relative: Polynomial = upward.NOTHING
    for b in blocks:
        relative = upward.largest(relative, b.relative)
    absolute = max((b.absolute for b in blocks), default=0.0)
    if not all(map(math.isfinite, (*relative, absolute))):
        where = f" for {box_text(over)}: declare narrower parameters" if over else ""
        raise NotYetCovered(
            "no finite bound, numbers of the text may leave the range of a format that it "
            f"computes in{where}"
        )
    cut = "domain" if reach == limit else "range"
    return KernelBound(dtype, reach, cut, relative, absolute, tuple(blocks), form)


@dataclass(frozen=True)
class _Asked:
    """A form of a kernel in a dtype, with its parameters in a box, or at a point (`values`)."""

    kernel: Kernel
    plan: KernelPlan
    box: Box
    dtype: str
    form: str
    values: Mapping[str, float] | None

    @classmethod
    def of(cls, kernel: Kernel, plan: KernelPlan, box: Box, dtype: str, form: str) -> _Asked:
        values = points_of(box)
        if values:
            admitted(plan, values)
        return cls(kernel, plan, box, dtype, form, values)

    @property
    def symbolic(self) -> bool:
        """Whether parameters enter as symbols: over a box, or where the text branches on them."""
        matrices = any(isinstance(g, MatrixGroup) for g in self.plan.groups)
        return self.values is None or (matrices and self.form in (MAPS, OPERATOR))

    @property
    def terms(self) -> Sequence[Sequence[RealTerm]]:
        """The declared bias of every head."""
        return bias_terms(self.plan, exact_values(self.values or {}))

    def served(self, limit: float) -> float:
        """The largest |u| ≤ limit for which the form stays in the range of the dtype."""
        if self.form in (BIAS, SCORE):
            causal = self.plan.encoding.domain.causal
            return served_lag(self.terms, self.dtype, limit, (causal, self._symbols))
        if self.form == TABLES:
            return limit
        if self.symbolic:
            return range_at(self.plan, self.values, self.dtype, limit)
        plan = plan_at(self.plan, self.values or {})
        if self.form == DECAY and only_decays(plan):
            return limit
        if self.form == OPERATOR and plan.basis is not None:
            return served_reach(plan, self.dtype, limit, spread=spread_of(plan))
        return served_reach(plan, self.dtype, limit)

    @property
    def _symbols(self) -> CoefficientBox:
        box = self.box if self.values is None else {}
        return CoefficientBox.of(box, window_exponent(FORMATS[self.dtype]))

    def blocks(self, reach: float) -> list[BlockBound]:
        """ε and η of every block, or of every head."""
        kernel, values, names = self.kernel, self.values, self.plan.parameters
        if self.form in (BIAS, SCORE):
            symbols = self._symbols
            given = [values[n] if values is not None else parameter(n, symbols) for n in names]
            asked = self.dtype, self.form
            return lag_bounds((kernel, given), self.plan, asked, reach, (self.terms, symbols))
        if self.form == TABLES:
            return table_bounds(kernel, self.plan, self.dtype, reach)
        found: list[BlockBound] = []
        if self.symbolic:
            for side in FORMS[self.form]:
                asked = self.dtype, side
                found += side_bounds_over(kernel, self.plan, asked, reach, self.box)
            return found
        numbers = values or {}
        plan = plan_at(self.plan, numbers)
        if self.form == DECAY:
            return decay_bounds(kernel, plan, self.dtype, reach)
        if self.form == OPERATOR and plan.basis is not None:
            return whole_bounds(kernel, plan, reach)
        arguments = [numbers[n] for n in names]
        for side in FORMS[self.form]:
            found += _side_bounds((kernel, arguments), plan, self.dtype, side, reach)
        return found


def offers(kernel: Kernel, plan: KernelPlan, form: str, dtype: str) -> bool:
    """Whether a kernel has a form with results in a dtype."""
    if form == MAPS:
        return True
    if form == OPERATOR:
        return dtype == "float64" and kernel.has(OPERATOR)
    if form == TABLES:
        return kernel.has(TABLES) and not plan.parameters
    of_dtype = kernel.target == "torch" or dtype == "float64" or form == ROTATE
    has = bool(plan.augmentations) if form in (BIAS, SCORE) else plan.uniform_decay is not None
    return has and of_dtype and kernel.has(OF_LAG.get(form, form))


def served_reach(
    plan: KernelPlan,
    dtype: str,
    limit: float,
    *,
    shear: float = 0.0,
    length: int = 1,
    spread: float = 0.0,
) -> float:
    """The largest |u| ≤ limit for which nothing overflows in a dtype (see `in_served_window`).

    shear, length  of chains that come after all blocks
    spread         ln of what products with the basis may make of entries, where it is more than
                   one product with P or P⁻¹
    """
    window = window_exponent(FORMATS[dtype])
    if plan.basis is not None:
        rows = [row for p, q in plan.basis for m in (transpose(p), q) for row in m]
        sizes = (sum(abs(x.to_float()) for x in row) for row in rows)
        spread = max(spread, *(math.log(max(1.0, size)) for size in sizes))
    reach = limit
    for group in plan.groups:
        assert isinstance(group, BlockGroup)
        rate, own = (_largest(v) for v in (group.rate, group.shear))
        chains = ((own, group.chain_length), (shear, length))
        if rate == 0.0 and all(n == 1 or eta == 0.0 for eta, n in chains):
            continue
        low, high = 0.0, reach
        if _growth(rate, chains, high) + spread < window:
            continue
        for _ in range(80):
            middle = (low + high) / 2
            inside = _growth(rate, chains, middle) + spread < window
            low, high = (middle, high) if inside else (low, middle)
        reach = low
    return reach


def _largest(vector: Vector) -> float:
    return max(abs(x.to_float()) for x in {x for row in vector.rows for x in row})


def _growth(rate: float, chains: Sequence[tuple[float, int]], u: float) -> float:
    """ln of e^{|a|u}·Π Σ_k |ηu|^k/k! over k < n."""
    total = rate * u
    for eta, length in chains:
        total += math.log(sum((eta * u) ** k / math.factorial(k) for k in range(length)))
    return total


# -- running the text ---------------------------------------------------------------------------


def _side_bounds(
    called: tuple[Kernel, Sequence[float]], plan: KernelPlan, dtype: str, side: str, reach: float
) -> list[BlockBound]:
    kernel, arguments = called
    model = Model(reach, shares=side == OPERATOR)
    rows = run_side(kernel, plan, dtype, side, model, *arguments)[:, : plan.dimension]
    side_run = SideRun(plan, model, side, rows)
    return [
        side_run.block(index, _block_group(group), head, b)
        for index, group in enumerate(plan.groups)
        for head in range(plan.heads)
        for b in range(len(_block_group(group).slots[0]))
    ]


def _block_group(group: Any) -> BlockGroup:
    assert isinstance(group, BlockGroup)
    return group


__all__ = ["BlockBound", "KernelBound", "joined", "offers", "rounding_bound", "served_reach"]
