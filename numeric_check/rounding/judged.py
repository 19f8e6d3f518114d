"""One kernel judged against its rounding bounds in every dtype."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np

from numeric_check.kernels.kernel import Kernel, parse_header
from numeric_check.kernels.time_limit import time_limit
from numeric_check.reference_values.tolerance import DTYPES
from numeric_check.rounding.bias import BiasBound, bias_bound, measure_bias
from numeric_check.rounding.blocks import (
    BIAS,
    COLUMNS,
    DECAY,
    MAPS,
    OF_LAG,
    OPERATOR,
    ROTATE,
    SCORE,
    TABLES,
    WHOLE,
)
from numeric_check.rounding.bound import KernelBound, offers, rounding_bound
from numeric_check.rounding.causal import (
    CHUNKED,
    STEP,
    CausalBound,
    causal_bound,
    chunkwise_bound,
)
from numeric_check.rounding.formula import stated_formula, stated_number, states_at_least
from numeric_check.rounding.measured import Measurement, measure
from numeric_check.rounding.measured_causal import measure_causal, measure_chunkwise
from numeric_check.rounding.measurement import SLACK
from numeric_check.rounding.parameters import Box, box_text
from numeric_check.rounding.safe import SafePosition, safe_position
from numeric_check.rounding.sum_maps import SumMaps
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.errors import KernelError, NotYetCovered, Undecided

SECONDS = 240.0
MEASURED = ("bfloat16",)
"""Dtypes in which steps are measured: two executions of a few hundred each."""
ASSUMED = (
    "executed on elements that model every rounding; assumed: rounding to nearest, exp, sin and "
    "cos of float64 within one unit in the last place; fused or not, any order of summation"
)
LAW = "||y - A x|| <= eps ||A|| ||x|| + eta for every block A(u), u = position - reference"
OF_LAGS = {
    OPERATOR: "||row i of A' - A|| <= eps ||A|| + eta for every row of a block of operator(u)",
    TABLES: "||(c, s) - (cos w u, sin w u)|| <= eps + eta for every plane of cos_sin, and of "
    "rotary_table",
    DECAY: "|f - e^(a u)| <= eps e^(a u) + eta for decay, u the lag",
    BIAS: "|f - b(u)| <= eps |b|_+ + eta for bias, u the lag, |b|_+ the sum of its terms' sizes",
    SCORE: "|f - s - b(u)| <= eps (|s| + |b|_+) + eta for score_mod of a score s",
}
OF_WHOLE = "||row i of A' - A|| <= eps ||exp(u K)|| + eta for every row of operator(u)"
"""The law of `operator` with a basis, in place of that of its blocks."""
OF_COLUMNS = "||column i of A' - A|| <= eps ||A|| + eta for every column of a block of operator(p)"
"""That of several axes."""
OF_SUMS = (
    "|o - o_n| <= eps (sum |q| M |k| |v| + |q| M |S|) for the n-th recurrent_step, and for "
    "chunkwise after r runs of at most 64 positions, S the state handed over, apart from underflow"
)
HOLDS, REFUTED, UNDECIDED = "holds", "refuted", "undecided"


@dataclass(frozen=True)
class DtypeBound:
    """The bound of one dtype, how far it is safe, and the worst error that was measured."""

    bound: KernelBound
    safe: SafePosition
    measured: Measurement

    @property
    def holds(self) -> bool:
        """Whether the measured error is inside the bound."""
        return self.measured.ratio <= 1.0

    @property
    def stated(self) -> str:
        """The bound as a file states it: coefficients with a margin, rounded up to two digits.

        The margin absorbs that array libraries of other machines round the constants of the text
        otherwise; `understated` tells whether a statement is true here.
        """
        return (
            f"eps = {stated_formula(self.bound.relative, self.bound.dtype)}, "
            f"eta = {stated_number(self.bound.absolute)}, |u| <= {int(self.bound.reach)}"
        )

    def understated(self, statement: str) -> bool:
        """Whether a line of a header states less than this bound, or is none."""
        return not states_at_least(statement, self.bound)


@dataclass(frozen=True)
class DtypeBias:
    """The bound of the coordinates that realise a bias, and the worst measured error over it."""

    bound: BiasBound
    measured: float


@dataclass(frozen=True)
class DtypeCausal:
    """The bound of a causal sum, and the worst measured error over it; in float64 none is."""

    bound: CausalBound
    measured: float


@dataclass(frozen=True)
class KernelBounds:
    """Bounds in every dtype: `holds`, `refuted` by a measurement, or `undecided` (the reason).

    dtypes  of the query and key maps
    rotate  of `rotate`, where the kernel offers it: the form that is stable at any range
    of_lag  of `operator`, `cos_sin`, `decay`, `bias` and `score_mod`, by name and the dtype of the
            result; u is the lag, or the distance from the reference
    bias    of the coordinates that realise a bias
    causal  of the outputs of `recurrent_step` after n steps, and
    runs    of those of `chunkwise` after r runs; empty where they have no bound
    law     what a bound says, as a header states it
    """

    verdict: str
    reason: str
    dtypes: Mapping[str, DtypeBound] = field(default_factory=dict)
    rotate: Mapping[str, DtypeBound] = field(default_factory=dict)
    bias: Mapping[str, DtypeBias] = field(default_factory=dict)
    of_lag: Mapping[str, Mapping[str, DtypeBound]] = field(default_factory=dict)
    causal: Mapping[str, DtypeCausal] = field(default_factory=dict)
    runs: Mapping[str, DtypeCausal] = field(default_factory=dict)
    law: str = LAW

    @property
    def all(self) -> dict[str, DtypeBound]:
        """Every bound by the name that a header gives it: `bfloat16`, `rotate bfloat16`."""
        parts = {ROTATE: self.rotate, **self.of_lag}
        beside = {f"{form} {x}": d for form, found in parts.items() for x, d in found.items()}
        return {**self.dtypes, **beside}

    @property
    def sums(self) -> dict[str, DtypeCausal]:
        """Bounds of causal sums by the name that a header gives them."""
        parts = {STEP: self.causal, CHUNKED: self.runs}
        return {f"{form} {x}": d for form, found in parts.items() for x, d in found.items()}

    @property
    def box(self) -> Box:
        """Where the parameters lie that the bounds hold for."""
        return next((d.bound.box for d in self.all.values()), {})

    @property
    def failures(self) -> list[str]:
        """One line for every measured error beyond its bound."""
        beyond = [d.measured for d in self.all.values() if not d.holds]
        lines = [f"rounding bound: {m}" for m in beyond]
        lines += [
            f"rounding bound: the coordinates that realise the bias ({dtype}) are off by "
            f"{d.measured:.3g} times their bound"
            for dtype, d in self.bias.items()
            if d.measured > 1.0
        ]
        lines += [
            f"rounding bound: {name} is off by {d.measured:.3g} times its bound"
            for name, d in self.sums.items()
            if not d.measured <= 1.0
        ]
        return lines

    def header_lines(self) -> list[str]:
        """The bounds as lines for the header of a file; none where they are undecided."""
        if not self.dtypes:
            return []
        law = "; ".join([self.law, *(self._law_of(form) for form in self.of_lag)])
        law += f"; {OF_SUMS}" if self.sums else ""
        if self.box:
            law += f", for {box_text(self.box)}, wherever the maps stay in range"
        return (
            [f"# error:       {law}"]
            + [f"# {name + ':':<12} {d.stated}" for name, d in self.all.items()]
            + [f"# {name}: {d.bound.stated}" for name, d in self.sums.items()]
        )

    def _law_of(self, form: str) -> str:
        blocks = [b for d in self.of_lag[form].values() for b in d.bound.blocks]
        if any(b.side == COLUMNS for b in blocks):
            return OF_COLUMNS
        return OF_WHOLE if any(b.group == WHOLE for b in blocks) else OF_LAGS[form]

    def false_statements(self, header: Mapping[str, str]) -> list[str]:
        """One line for every bound in a header that is smaller than what was found here.

        Where nothing was found, no statement is borne out.
        """
        known: dict[str, DtypeBound | CausalBound] = {**self.all}
        known.update({name: d.bound for name, d in self.sums.items()})
        stated = [name for name in header if "eps = " in header[name] and name != "error"]
        unknown = [
            f"the header states a bound for {name}, and nothing bears it out: {self.reason}"
            for name in stated
            if name not in known
        ]
        law = next((x for x in self.header_lines()[:1]), "").partition(":")[2].strip()
        if law and header.get("error", law) != law:
            unknown.append(f"the header states the law {header['error']!r}, expected {law!r}")
        return unknown + [
            f"the header states {header[name]!r} for {name}, but the bound of this text is "
            f"{d.stated!r}"
            for name, d in known.items()
            if name in header and d.understated(header[name])
        ]

    def larger_than(self, emitted: KernelBounds) -> list[str]:
        """One line for every bound of the emitted text that this text does not keep."""
        stated = parse_header("\n".join(emitted.header_lines()))
        lines = [
            line.replace("the header states", "the emitted text has")
            for line in self.false_statements(stated)
        ]
        for dtype, d in emitted.bias.items():
            own = self.bias.get(dtype)
            pairs = zip_longest(own.bound.error if own else (), d.bound.error, fillvalue=0.0)
            if own is None or any(a > SLACK * b for a, b in pairs):
                lines.append(f"the coordinates that realise the bias ({dtype}) have larger errors")
        return lines


def judge(kernel: Kernel, plan: KernelPlan, *, dtypes: Sequence[str] = DTYPES) -> KernelBounds:
    """Bound a text in every dtype and measure that its errors lie inside.

    `undecided` with the reason where rounded elements do not cover the text; a kernel never makes
    it raise.
    """
    dtypes = [dtype for dtype in dtypes if dtype in kernel.dtypes]
    found: dict[str, dict[str, DtypeBound]] = {}
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            for form in (MAPS, ROTATE, *OF_LAG):
                offered = [d for d in dtypes if offers(kernel, plan, form, d)]
                for dtype in offered:
                    found.setdefault(form, {})[dtype] = _judged(kernel, plan, dtype, form)
            matrix, unknown_matrix = _beside(kernel, plan, dtypes, OPERATOR)
            tables, unknown_tables = _beside(kernel, plan, dtypes, TABLES)
            bias, missing = _bias(kernel, plan, dtypes)
            maps_of_sums = SumMaps(kernel, plan)
            causal, unknown = _sums(maps_of_sums, dtypes, STEP)
            runs, unknown_runs = _sums(maps_of_sums, dtypes, CHUNKED)
    except (NotYetCovered, Undecided, KernelError) as error:
        return KernelBounds(UNDECIDED, str(error))
    of_lag = {form: found[form] for form in OF_LAG if form in found}
    own = {OPERATOR: matrix, TABLES: tables}
    of_lag = {form: bounds for form, bounds in own.items() if bounds} | of_lag
    reason = ASSUMED + unknown_matrix + unknown_tables + missing + unknown + unknown_runs
    maps, rotate = found.get(MAPS, {}), found.get(ROTATE, {})
    bounds = KernelBounds(HOLDS, reason, maps, rotate, bias, of_lag, causal, runs)
    return replace(bounds, verdict=REFUTED) if bounds.failures else bounds


def _beside(
    kernel: Kernel, plan: KernelPlan, dtypes: Sequence[str], form: str
) -> tuple[dict[str, DtypeBound], str]:
    """Bounds of the matrix A(τ), or of tables, or why there are none."""
    offered = [dtype for dtype in dtypes if offers(kernel, plan, form, dtype)]
    try:
        return {dtype: _judged(kernel, plan, dtype, form) for dtype in offered}, ""
    except NotYetCovered as error:
        return {}, f"; {form} is not bounded: {error}"


def _bias(
    kernel: Kernel, plan: KernelPlan, dtypes: Sequence[str]
) -> tuple[dict[str, DtypeBias], str]:
    """Bounds of the appended coordinates, or why there are none."""
    if not plan.augmentations:
        return {}, ""
    found = {}
    try:
        for dtype in dtypes:
            bound = bias_bound(kernel, plan, dtype)
            found[dtype] = DtypeBias(bound, measure_bias(kernel, plan, bound))
    except NotYetCovered as error:
        return {}, f"; the coordinates that realise the bias are not bounded: {error}"
    return found, ""


OF_FORM = {STEP: (causal_bound, measure_causal), CHUNKED: (chunkwise_bound, measure_chunkwise)}


def _sums(maps: SumMaps, dtypes: Sequence[str], form: str) -> tuple[dict[str, DtypeCausal], str]:
    """Bounds of one form of causal sums, or why there are none."""
    kernel, plan = maps.kernel, maps.plan
    if not kernel.has(form):
        return {}, ""
    bound_of, measure_of = OF_FORM[form]
    found = {}
    try:
        for dtype in dtypes:
            bound = bound_of(kernel, plan, dtype, maps=maps)
            measured = 0.0
            if dtype in MEASURED and not plan.parameters:
                measured = max(
                    measure_of(kernel, plan, bound, handed=handed) for handed in (False, True)
                )
            found[dtype] = DtypeCausal(bound, measured)
    except NotYetCovered as error:
        return {}, f"; {form} is not bounded: {error}"
    return found, ""


def _judged(kernel: Kernel, plan: KernelPlan, dtype: str, form: str) -> DtypeBound:
    bound = rounding_bound(kernel, plan, dtype, form=form)
    return DtypeBound(bound, safe_position(kernel, plan, bound), measure(kernel, plan, bound))


__all__ = ["DtypeBias", "DtypeBound", "DtypeCausal", "KernelBounds", "box_text", "judge"]
