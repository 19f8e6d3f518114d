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
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.laws.decay_laws import without_decay
from numeric_check.reference_values.tolerance import DTYPES, FORMATS, window_exponent
from numeric_check.rounding import upward
from numeric_check.rounding.blocks import DECAY, FORMS, MAPS, ROTATE, BlockBound, SideRun
from numeric_check.rounding.decay import decay_bounds, only_decays
from numeric_check.rounding.element import (
    Model,
    displacement,
    position,
    reference,
    unknown,
)
from numeric_check.rounding.formula import formula
from numeric_check.rounding.library import LIBRARIES
from numeric_check.rounding.parameters import plan_at
from numeric_check.rounding.upward import Polynomial
from numeric_check.text_proof.exact_element import LeavesTheRing
from symbolic_pe.algebra.matrix import transpose
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, Vector
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
    form        `maps` (query and key), `rotate`, whose exact map has no decay, or `decay` itself,
                a function of the lag u
    parameters  the values of the parameters that it holds for
    """

    dtype: str
    reach: float
    limited_by: str
    relative: Polynomial
    absolute: float
    blocks: tuple[BlockBound, ...]
    form: str = MAPS
    parameters: Mapping[str, float] = field(default_factory=dict)

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
    parameters: Mapping[str, float] | None = None,
) -> KernelBound:
    """Bound the rounding errors of `transform_query` and `transform_key`, `rotate`, or `decay`.

    The text is executed once a side on elements that model every rounding of the dtypes that it
    names; so an edit that changes a dtype changes the bound. `reach` is the largest |position −
    reference|, by default the largest position of the domain; it is cut where the maps would
    overflow or underflow in this dtype. Positions, references and their differences are real
    numbers of float64, at most `reach` in magnitude. A kernel with run-time parameters is bounded
    at the values in `parameters`.

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
    `NotYetCovered` for kernels with run-time parameters and no values for them, for parametric 2×2
    blocks, and for texts with operations that rounded elements do not have.
    """
    if dtype not in DTYPES:
        raise SpecificationError(f"dtype: expected one of {', '.join(DTYPES)}, got {dtype!r}")
    if form not in FORMS:
        raise SpecificationError(f"form: expected one of {', '.join(FORMS)}, got {form!r}")
    if form != MAPS and (plan.uniform_decay is None or not kernel.has(form)):
        raise NotYetCovered(f"{form} is offered where every block decays at one rate a head")
    if form == ROTATE:
        plan = without_decay(plan)
    if plan.parameters and parameters is None:
        raise NotYetCovered(
            "rounding bounds of kernels with run-time parameters need values for them"
        )
    values = dict(parameters or {})
    arguments = tuple(values[name] for name in plan.parameters if name in values)
    plan = plan_at(plan, values)
    if kernel.target not in LIBRARIES:
        raise NotYetCovered(
            f"rounding bounds cover kernels for {', '.join(LIBRARIES)}, got {kernel.target}"
        )
    limit = float(plan.encoding.domain.max_position) if reach is None else float(reach)
    if not limit > 0 or not math.isfinite(limit):
        raise SpecificationError(f"reach: expected a positive number, got {reach}")
    falls = form == DECAY and only_decays(plan)
    served = limit if falls else served_reach(plan, dtype, limit)
    blocks: list[BlockBound] = []
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):  # bounds may become infinite
            if form == DECAY:
                blocks = decay_bounds(kernel, plan, dtype, served)
            for side in FORMS[form] if form != DECAY else ():
                blocks += _side_bounds((kernel, arguments), plan, dtype, side, served)
    except COVERS_NO_MORE as error:
        raise NotYetCovered(f"no rounding bound: {error}") from None
    relative: Polynomial = upward.NOTHING
    for b in blocks:
        relative = upward.largest(relative, b.relative)
    absolute = max((b.absolute for b in blocks), default=0.0)
    cut = "domain" if served == limit else "range"
    return KernelBound(dtype, served, cut, relative, absolute, tuple(blocks), form, values)


def served_reach(plan: KernelPlan, dtype: str, limit: float) -> float:
    """The largest |u| ≤ limit for which nothing overflows in a dtype (see `in_served_window`)."""
    window = window_exponent(FORMATS[dtype])
    spread = 0.0
    if plan.basis is not None:
        rows = [row for p, q in plan.basis for m in (transpose(p), q) for row in m]
        spread = max(math.log(max(1.0, sum(abs(x.to_float()) for x in row))) for row in rows)
    reach = limit
    for group in plan.groups:
        assert isinstance(group, BlockGroup)
        rate, shear = (_largest(v) for v in (group.rate, group.shear))
        if rate == 0.0 and (group.chain_length == 1 or shear == 0.0):
            continue
        low, high = 0.0, reach
        if _growth(rate, shear, group.chain_length, high) + spread < window:
            continue
        for _ in range(80):
            middle = (low + high) / 2
            inside = _growth(rate, shear, group.chain_length, middle) + spread < window
            low, high = (middle, high) if inside else (low, middle)
        reach = low
    return reach


def _largest(vector: Vector) -> float:
    return max(abs(x.to_float()) for x in {x for row in vector.rows for x in row})


def _growth(rate: float, shear: float, length: int, u: float) -> float:
    """ln of e^{|a|u}·Σ_k |ηu|^k/k!."""
    terms = [(shear * u) ** k / math.factorial(k) for k in range(length)]
    return rate * u + math.log(sum(terms))


# -- running the text ---------------------------------------------------------------------------


def _side_bounds(
    called: tuple[Kernel, Sequence[float]], plan: KernelPlan, dtype: str, side: str, reach: float
) -> list[BlockBound]:
    kernel, arguments = called
    model = Model(reach)
    rows = run_side(kernel, plan, dtype, side, model, *arguments)[:, : plan.dimension]
    side_run = SideRun(plan, model, side, rows)
    return [
        side_run.block(index, _block_group(group), head, b)
        for index, group in enumerate(plan.groups)
        for head in range(plan.heads)
        for b in range(len(_block_group(group).slots[0]))
    ]


def run_side(
    kernel: Kernel, plan: KernelPlan, dtype: str, side: str, model: Model, *arguments: float
) -> Any:
    """The outputs of one map as rounded elements, (HEADS, d + k)."""
    library = LIBRARIES[kernel.target](model)
    names = kernel.on_library(library, library.lift, library.functions)
    d = plan.dimension
    lead = (1,) if plan.heads == 1 else (plan.heads, 1)
    x = np.empty((*lead, d), dtype=object)
    for index in range(plan.heads * d):
        x.reshape(-1)[index] = unknown(index, dtype)
    t, c = np.empty(1, dtype=object), np.empty((), dtype=object)
    t[0], c[()] = displacement() if side == ROTATE else position(), reference()
    name = ROTATE if side == ROTATE else f"transform_{side}"
    named = {} if side == ROTATE else {"reference": library.array_of(c, "float64")}
    given = library.array_of(x, dtype), library.array_of(t, "float64")
    result = names[name](*given, *arguments, **named)
    if result.dtype.name != dtype:
        raise LeavesTheRing(f"{name} of {dtype} returns {result.dtype.name}")
    rows = np.asarray(result.data, dtype=object)
    if rows.shape[:-1] != lead or rows.shape[-1] < d:
        raise LeavesTheRing(f"{name} returns the shape {rows.shape}")
    return rows.reshape(plan.heads, -1)


def _block_group(group: Any) -> BlockGroup:
    assert isinstance(group, BlockGroup)
    return group


__all__ = ["BlockBound", "KernelBound", "rounding_bound", "served_reach"]
