"""Measure a compiled kernel against the exact mathematics of its plan, law by law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from numeric_check.kernels.kernel import Kernel, describe
from numeric_check.kernels.time_limit import OutOfTime, time_limit
from numeric_check.laws.bias_laws import check_added_coordinates, check_bias_function
from numeric_check.laws.comparing import Twice
from numeric_check.laws.cos_sin_law import check_cos_sin
from numeric_check.laws.decay_laws import check_decay_form
from numeric_check.laws.form_laws import check_forms, check_forms_quickly
from numeric_check.laws.gradient_laws import check_gradients
from numeric_check.laws.guard_laws import check_defaults, check_guards
from numeric_check.laws.input_laws import check_inputs
from numeric_check.laws.map_laws import Measured, measure_map, probes
from numeric_check.laws.mask_law import check_mask_mod
from numeric_check.laws.module_laws import check_module
from numeric_check.laws.operator_laws import check_operator
from numeric_check.laws.positions import Batch, batches, parameter_points
from numeric_check.laws.precision_laws import check_precision
from numeric_check.laws.relative_law import check_relativity
from numeric_check.laws.result import (
    CrossCheck,
    DtypeSummary,
    Evidence,
    FirstRefutation,
    LawResult,
    Ledger,
    StoppingLedger,
    Where,
)
from numeric_check.laws.score_law import check_score_mod
from numeric_check.laws.state_laws import check_batch, check_history
from numeric_check.laws.structure_laws import Sample, take_sample
from numeric_check.laws.subject import MAPS, MapCall, Subject
from numeric_check.laws.surrounding_laws import check_surroundings
from numeric_check.laws.table_laws import check_given_memory
from numeric_check.laws.words_law import check_words
from numeric_check.reference_values.double_double import Array
from numeric_check.reference_values.exact_map import BlockArray, ExactMap
from numeric_check.reference_values.tolerance import DTYPES
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import KernelError, SpecificationError

Found = tuple[tuple[LawResult, ...], tuple[DtypeSummary, ...]]

MAX_POSITIONS = 160
ENTRY_BUDGET = 2**22
"""Entries of the exact maps of one side that are held at once; it limits the positions."""

DEFAULT_SEED = 2026
SIDES = tuple(MAPS)
CALLING = (
    check_guards,
    check_defaults,
    check_inputs,
    check_precision,
    check_surroundings,
    check_words,
)
"""Laws about how a kernel may be called, whatever its parameters."""
SECONDS = 120.0
"""How long one kernel may be measured: a text that never returns is refuted."""


def cross_check(
    kernel: Kernel,
    encoding_or_plan: Encoding | KernelPlan,
    *,
    dtypes: Sequence[str] = DTYPES,
    parameters: Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
    seed: int = DEFAULT_SEED,
    calls: bool = False,
) -> CrossCheck:
    """Every law of `docs/reference/kernel.md`, for each dtype of the library, worst case kept.

    A law is `refuted` by one number beyond its tolerance (see `tolerance`) inside the served
    window, by NaN or infinity there, or by an exception; otherwise it is `consistent`, which is
    not a proof. A measurement that takes longer than `SECONDS` refutes `runs`. A kernel with
    parameters is tried inside each case of its generator, on the boundaries where a parameter is
    determined, and beside them, unless `parameters` are given.

    With `calls`, also the laws about how a file of this package may be called (`CALLING`, and
    `gradient`), which a kernel written by hand need not keep.

    Raises `SpecificationError` for an unknown dtype. A kernel never makes it raise.
    """
    unknown = [name for name in dtypes if name not in DTYPES]
    if unknown or not dtypes:
        raise SpecificationError(f"dtypes: expected some of {', '.join(DTYPES)}, got {dtypes}")
    dtypes = [name for name in dtypes if name in kernel.dtypes]
    if not dtypes:
        raise SpecificationError(
            f"dtypes: a {kernel.target} text on {kernel.library} has {', '.join(kernel.dtypes)}"
        )
    plan = (
        encoding_or_plan
        if isinstance(encoding_or_plan, KernelPlan)
        else plan_kernel(encoding_or_plan)
    )
    given = [parameters] if isinstance(parameters, Mapping) else parameters
    points = parameter_points(plan, given)
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):  # beyond the window all may overflow
            ledger = Ledger()
            _measure(kernel, plan, points, tuple(dtypes), seed, ledger=ledger, calls=calls)
            results, summaries = _summarised(ledger, tuple(dtypes))
    except OutOfTime as error:
        results, summaries = _out_of_time(kernel, plan, points, tuple(dtypes), str(error))
    return CrossCheck(kernel.target, plan.encoding.name, results, summaries, points)


def _measure(
    kernel: Kernel,
    plan: KernelPlan,
    points: tuple[Mapping[str, float], ...],
    dtypes: tuple[str, ...],
    seed: int,
    *,
    ledger: Ledger,
    calls: bool,
) -> None:
    if _has_stated_size(kernel, plan, ledger):
        for number, point in enumerate(points):
            subject = Subject(kernel, plan, ExactMap(plan, point), point, dtypes, ledger, seed)
            _check_point(subject)
            if calls:
                _check_calls(subject, once=number == _telling(points))


class Screen:
    """`cross_check` for many kernels of one plan, ending with the first refutation of each.

    Exact values are computed once, so that a wrong kernel is refuted in milliseconds.
    """

    def __init__(self, plan: KernelPlan) -> None:
        self.plan = plan
        self.points = [(p, ExactMap(plan, p, keeps=True)) for p in parameter_points(plan, None)]

    def first_refutation(self, kernel: Kernel, *, quick: bool, seconds: float) -> str | None:
        """The law that is refuted first, with its dtype; None where nothing is refuted.

        With `quick`, a few calls in float64 alone at each point of the parameters.
        """
        dtypes = DTYPES[:1] if quick else kernel.dtypes
        ledger = StoppingLedger()
        try:
            with time_limit(seconds), np.errstate(all="ignore"):
                _has_stated_size(kernel, self.plan, ledger)
                for number, (point, exact) in enumerate(self.points):
                    subject = Subject(kernel, self.plan, exact, point, dtypes, ledger, DEFAULT_SEED)
                    if quick:
                        _check_quickly(subject)
                    else:
                        _check_calls(subject, once=number == _telling(self.points))
                        _check_point(subject)
        except OutOfTime:
            return "runs (float64)"
        except FirstRefutation as found:
            return str(found)
        return None


def _check_quickly(subject: Subject) -> None:
    """Some of the laws, with few calls."""
    for side in SIDES:
        take_sample(subject, side, subject.dtypes[0])
    batch = batches(subject.plan, subject.largest_rate, subject.seed, 16)[0]
    query = subject.exact.query(batch.displacements)
    key = subject.exact.key(batch.displacements)
    _check_batch(subject, batch, subject.dtypes[0], (query, key), probes(subject))
    for check in (check_operator, check_bias_function, check_module, check_forms_quickly):
        check(subject)


def _summarised(ledger: Ledger, dtypes: tuple[str, ...]) -> Found:
    results = ledger.results()
    summaries = [
        ledger.summary(dtype, results) for dtype in dtypes if any(r.dtype == dtype for r in results)
    ]
    return results, tuple(summaries)


def _out_of_time(
    kernel: Kernel,
    plan: KernelPlan,
    points: tuple[Mapping[str, float], ...],
    dtypes: tuple[str, ...],
    reason: str,
) -> Found:
    """Law `runs` alone: what was measured before may need the kernel again for its evidence."""
    ledger = Ledger()
    subject = Subject(kernel, plan, ExactMap(plan, points[0]), points[0], dtypes, ledger, 0)
    for dtype in dtypes:
        call = MapCall("query", (1,), 0.0, dtype)
        evidence = Evidence(Where(note=f"some call: {reason}"), subject.repeated(call))
        ledger.record("runs", dtype, float("inf"), 0.0, lambda e=evidence: e)  # type: ignore[misc]
    return _summarised(ledger, dtypes)


def _has_stated_size(kernel: Kernel, plan: KernelPlan, ledger: Ledger) -> bool:
    """DIMENSION and HEADS are those of the plan."""
    for name, found, expected in (
        ("DIMENSION", kernel.dimension, plan.dimension),
        ("HEADS", kernel.heads, plan.heads),
    ):
        if found != expected:
            note = f"{name} is {found}, the encoding has {expected}"
            line = f'python -c "import {kernel.module} as k; print(k.{name}, {expected})"'
            evidence = Evidence(Where(note=note), line)
            ledger.record("runs", "float64", float("inf"), 0.0, lambda e=evidence: e)  # type: ignore[misc]
            return False
    return True


def _telling(points: Sequence[object]) -> int:
    """The point for what is measured once: the first is of whole numbers, which no cast changes."""
    return min(1, len(points) - 1)


def _check_calls(subject: Subject, *, once: bool) -> None:
    """Laws about calling; those that do not look at parameters at one point alone, with `once`."""
    for check in (check_gradients, *(CALLING if once else ())):
        try:
            check(subject)
        except FirstRefutation:
            raise
        except Exception as error:
            Twice(subject, "runs", subject.dtypes[0]).refute(f"raised {describe(error)}")


def _check_point(subject: Subject) -> None:
    samples = _structure(subject)
    vectors = probes(subject)
    for batch in batches(subject.plan, subject.largest_rate, subject.seed, _budget(subject)):
        query = subject.exact.query(batch.displacements)
        key = subject.exact.key(batch.displacements)
        for dtype in subject.dtypes:
            _check_batch(subject, batch, dtype, (query, key), vectors)
    check_operator(subject)
    check_bias_function(subject)
    check_score_mod(subject)
    check_mask_mod(subject)
    check_decay_form(subject)
    check_forms(subject)
    check_module(subject)
    _history(subject, samples)


def _structure(subject: Subject) -> list[Sample]:
    found = [take_sample(subject, side, dtype) for dtype in subject.dtypes for side in SIDES]
    samples = [s for s in found if s is not None]
    for sample in samples:
        check_batch(subject, sample)
        check_given_memory(subject, sample)
        check_cos_sin(subject, sample)
    return samples


def _check_batch(
    subject: Subject,
    batch: Batch,
    dtype: str,
    exact: tuple[tuple[BlockArray, ...], tuple[BlockArray, ...]],
    vectors: Array,
) -> None:
    measured: list[Measured] = []
    for side, blocks in zip(SIDES, exact, strict=True):
        call = MapCall(side, batch.positions, batch.reference, dtype)
        found = measure_map(subject, call, blocks, vectors)
        if found is not None:
            measured.append(found)
    if len(measured) == len(SIDES):
        query, key = measured
        check_relativity(subject, batch, dtype, query, key)
        check_added_coordinates(subject, batch, dtype, query, key)


def _history(subject: Subject, samples: Sequence[Sample]) -> None:
    """Low precision first in the fresh copy: what it remembers would spoil the others."""
    try:
        fresh = subject.kernel.fresh()
    except KernelError:
        fresh = None
    for sample in reversed(samples):
        check_history(subject, sample, fresh)


def _budget(subject: Subject) -> int:
    """How many positions fit: entries of one position are d·C for every head."""
    columns = subject.dimension if subject.plan.basis is not None else 8
    entries = subject.dimension * columns * subject.heads
    return max(16, min(MAX_POSITIONS, ENTRY_BUDGET // entries))


__all__ = ["CrossCheck", "Screen", "cross_check"]
