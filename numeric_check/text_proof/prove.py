"""The emitted text itself, executed on exact ring elements and decided.

Running the text of a kernel with a symbolic position t, a symbolic reference c and a vector of
symbols as input gives the query map F̂ and the key map Ĝ as matrices of exponential polynomials, for
exactly the constants that the text contains. They are decided to be F̂(t)ᵀ = P̂·exp(tK) and
Ĝ(s) = exp(−sK)·Q̂ (`plain_maps`), and therefore F̂(t)ᵀĜ(s) = P̂·exp((t − s)K)·Q̂ for all real t, s,
c: relative, without sampling. Texts with run-time parameters, and texts that branch on positions,
are decided by `parametric_proof` instead, kernels of several axes by `axes_proof`, biases and
tables of encodings that are no group by `position_proof`. Of the other functions, tables are
decided in `exact_tables`, causal sums in `causal_proof` and `exact_forms`, the rest in
`exact_functions`. What is decided holds in exact arithmetic, for the branches that the text takes
on shapes and dtypes; rounding is bounded in `rounding` and measured by `cross_check`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from numeric_check.kernels.kernel import Kernel
from numeric_check.kernels.time_limit import time_limit
from numeric_check.text_proof.axes_proof import decide_axes
from numeric_check.text_proof.branch_exponential import Nearness
from numeric_check.text_proof.branch_series import upper
from numeric_check.text_proof.causal_proof import decide_causal
from numeric_check.text_proof.exact_cells import Pieces
from numeric_check.text_proof.exact_element import BranchOnValue
from numeric_check.text_proof.exact_engine import ENGINES
from numeric_check.text_proof.exact_forms import Forms
from numeric_check.text_proof.exact_functions import decide_functions, decide_operator
from numeric_check.text_proof.exact_input import DOES_NOT_RUN, Refuted, is_decided
from numeric_check.text_proof.exact_tables import decide_tables, decide_turn
from numeric_check.text_proof.parametric_proof import Run, decide_maps
from numeric_check.text_proof.plain_maps import decide_plain_maps
from numeric_check.text_proof.position_proof import decide_position_function
from symbolic_pe.emit.axes import AxesPlan
from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.encodings.outside import PositionFunction
from symbolic_pe.errors import SymbolicPEError

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"
MAPS = ("transform_query", "transform_key")
AXES = (
    "the query and key maps are P exp(sum p_a K_a) and exp(-sum p_a K_a) Q for the constants in "
    "the text, and the K_a commute, hence relative for all real positions and references; K_a, P, "
    "Q are within rounding of the exact ones"
)
SECONDS = 120.0
"""Longest time that one text may take on exact elements."""


@dataclass(frozen=True)
class TextProof:
    """What exact execution decided of a text, and where it fails.

    executed  the functions of the text that were decided; the others are measured
    series    how near the series of the text are to their functions; empty where it sums none
    """

    verdict: str
    reason: str
    executed: frozenset[str] = frozenset()
    series: str = ""


@dataclass(frozen=True)
class _Decided:
    """What was executed, how near the maps are to exponentials, and which sizes of forms were."""

    executed: frozenset[str]
    nearness: Nearness = field(default_factory=Nearness)
    forms: str = ""


def prove_text(
    kernel: Kernel, plan: KernelPlan | AxesPlan | PositionFunction, *, operator: bool = False
) -> TextProof:
    """Decide that the maps of a text are relative and are those of the plan.

    operator  also decide `operator(t) = F̂(t)ᵀĜ(0)`, where it runs on exact elements; with several
              axes it always is

    Of a bias or table of positions it is decided that it is its closed form. `undecided` with the
    reason for texts that use operations the exact elements do not have. A function beside the maps
    that does not run on them is left out of `executed`.
    """
    if kernel.target not in ENGINES:
        return TextProof(UNDECIDED, f"no exact execution of texts for {kernel.target}")
    series = ""
    try:
        with time_limit(SECONDS):
            if not isinstance(plan, KernelPlan):
                _decide_numbers(kernel, plan)
            if isinstance(plan, PositionFunction):
                executed, decided = frozenset({plan.kind}), decide_position_function(kernel, plan)
            elif isinstance(plan, AxesPlan):
                executed, decided = _decide_axes(kernel, plan), AXES
            else:
                found = _decide(kernel, plan, operator=operator)
                executed, series = found.executed, _series(found.nearness)
                words = (_what_was_decided(plan, found.nearness), series)
                decided = found.forms + "; ".join(text for text in words if text)
    except Refuted as difference:
        return TextProof(REFUTED, str(difference))
    except SymbolicPEError as error:
        return TextProof(UNDECIDED, str(error))
    except DOES_NOT_RUN as error:
        return TextProof(UNDECIDED, f"the text does not run on exact elements: {error}")
    reason = f"{_what_was_executed(kernel, executed)}: {decided}"
    return TextProof(PROVED, reason, executed, series)


def _decide_numbers(kernel: Kernel, plan: AxesPlan | PositionFunction) -> None:
    """The numbers that a text states; raises `Refuted`."""
    expected = {"HEADS": 1}
    if isinstance(plan, AxesPlan):
        expected |= {"DIMENSION": plan.encoding.dimension, "AXES": len(plan.encoding.axes)}
    elif plan.dimension:
        expected["DIMENSION"] = plan.dimension
    for name, number in expected.items():
        found = kernel.raw(name) if kernel.has_number(name) else None
        if found != number:
            raise Refuted(f"{name}: the text states {found!r}, the encoding has {number}")


def _decide_axes(kernel: Kernel, plan: AxesPlan) -> frozenset[str]:
    """The functions that were decided of a kernel of several axes."""
    engine = ENGINES[kernel.target]
    names = kernel.on_library(engine.library, engine.lift, engine.functions)
    return decide_axes(engine, names, plan).executed


def _what_was_executed(kernel: Kernel, executed: frozenset[str]) -> str:
    measured = [name for name in kernel.offered if name not in executed]
    rest = f"; measured: {', '.join(measured)}" if measured else ""
    return f"executed on exact ring elements ({', '.join(sorted(executed))}{rest})"


def _what_was_decided(plan: KernelPlan, nearness: Nearness) -> str:
    if not plan.parameters:
        return (
            "the query and key maps are P exp(tK) and exp(-sK) Q for the constants in the text, "
            "hence relative for all real positions and references; K, P, Q are within rounding of "
            "the exact ones"
        )
    maps = (
        "the query and key maps are exp(tX) and exp(-sX) for the constants in the text and all "
        f"admissible {', '.join(plan.parameters)}, hence relative for all real positions and "
        "references; X is within rounding of the exact one, coefficient by coefficient"
    )
    if not nearness.own_discriminant:
        return maps
    return (
        f"{maps}; up to rounding, since the constants of the discriminant D are rounded apart from "
        "those of X: the maps are e^(at)(C I + S (X - aI)) exactly, with C = cosh(t sqrt D) and "
        "S = sinh(t sqrt D)/sqrt D, and D is within rounding of (X - aI)^2"
    )


def _series(nearness: Nearness) -> str:
    remainder = nearness.remainder
    if remainder is None:
        return ""
    return (
        f"where |u^2 D| <= {remainder.argument:g} (u = position - reference, D the discriminant of "
        "X), series stand for "
        f"C = cosh(u sqrt D) within {upper(remainder.even)} and S = sinh(u sqrt D)/sqrt D within "
        f"{upper(remainder.odd)} |u|"
    )


def _decide(kernel: Kernel, plan: KernelPlan, *, operator: bool) -> _Decided:
    engine = ENGINES[kernel.target]
    names = kernel.on_library(engine.library, engine.lift, engine.functions)
    run = Run.of(engine, names, plan)
    try:
        if plan.parameters:
            decided = _decide_cases(kernel, run, operator=operator)
        else:
            decided = _decide_plain(kernel, run, operator=operator)
    except BranchOnValue:
        if plan.parameters or plan.basis is not None:
            raise
        decided = _decide_cases(kernel, run, operator=operator)
    others = decide_functions(run, kernel.module_classes)
    return replace(decided, executed=decided.executed | others)


def _decide_cases(kernel: Kernel, run: Run, *, operator: bool) -> _Decided:
    """The maps as functions of parameters, on every branch of the text."""
    executed = set(MAPS)
    maps = decide_maps(run)
    lefts = [{(j, i): f for (i, j), f in query.items()} for query in maps.queries]
    if operator and decide_operator(run, lefts):
        executed.add("operator")
    causal = decide_causal(kernel, run, ())
    return _Decided(frozenset(executed) | causal.executed, maps.nearness, causal.summary)


def _decide_plain(kernel: Kernel, run: Run, *, operator: bool) -> _Decided:
    """The maps without parameters and branches."""
    executed = set(MAPS)
    maps = decide_plain_maps(run, kernel.text)
    queries = [m.query for m in maps]
    executed |= decide_turn(run, queries)
    executed |= decide_tables(run, queries, kernel.table_classes)
    pieces = [{place: Pieces.of(f) for place, f in m.operator.items()} for m in maps]
    if operator and decide_operator(run, pieces):
        executed.add("operator")
    causal = decide_causal(kernel, run, maps)
    forms = Forms.of(run, maps)
    if (
        (forms.is_small or not causal.executed)
        and forms.runs_step
        and is_decided(forms.decide_step)
    ):
        executed.add("recurrent_step")
    chunks = (forms.is_small or not causal.summary) and is_decided(forms.decide_chunks)
    summary = causal.summary or (forms.summary() if chunks else "")
    return _Decided(frozenset(executed) | causal.executed, forms=summary)


__all__ = ["TextProof", "prove_text"]
