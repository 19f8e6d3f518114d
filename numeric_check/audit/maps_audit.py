"""Every question about a pair of maps, in the order of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numeric_check.audit import questions
from numeric_check.audit.context import Context
from numeric_check.audit.exact import exact_maps
from numeric_check.audit.finding import AuditReport, Finding, Verdict
from numeric_check.audit.gathering import Gathered, gather
from numeric_check.audit.planes import Spectrum
from numeric_check.audit.probes import generator as generators
from numeric_check.audit.probes import history, transforms
from numeric_check.audit.probes.distinctness import distinct
from numeric_check.audit.probes.group import group_law, initial
from numeric_check.audit.probes.linearity import linearity
from numeric_check.audit.probes.outside import outside
from numeric_check.audit.probes.precision import precision
from numeric_check.audit.probes.range import served_range
from numeric_check.audit.probes.relativity import dependence, relativity
from numeric_check.audit.probes.slots import alone, paths
from numeric_check.audit.recognition import Recognised, recognise
from numeric_check.audit.recovery import Recovered
from numeric_check.audit.subject import FORMS, MapSubject
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.errors import AuditError

Progress = Callable[[str], None]


def audit_maps(
    subject: MapSubject,
    declared: Encoding | None = None,
    *,
    spec: str = "",
    gain: float | None = None,
    strict: bool = False,
    deep: bool = False,
    clock: bool = False,
    progress: Progress = lambda _: None,
) -> AuditReport:
    """Ask everything about a query map and a key map.

    declared  the encoding that it should be, spec its text
    gain      the c² that F(t)ᵀG(t) = c²I should have
    strict    layouts and orientations must be the declared ones
    deep      also torch.compile and export, which take long
    clock     positions are real numbers that may be learned

    Raises `AuditError` when the subject cannot be called at positions 0, 1, 2.
    """
    progress("measuring")
    gathered = gather(subject)
    recovered, planes = gathered.recovered, gathered.planes
    context = context_of(gathered, declared, gain, strict=strict, deep=deep, clock=clock)
    recognised = recognise(recovered, planes)
    findings = laws(context, planes, recognised, spec)
    progress("history")
    findings += calls(context)
    progress("precision")
    findings += accuracy(context, planes, recognised)
    progress("gradients and transforms")
    findings += transforms.asked_of(context)
    return AuditReport(
        subject.name, _summary(recovered, recognised, findings), tuple(findings),
        _conditions(context),
    )  # fmt: skip


def laws(context: Context, planes: Spectrum, recognised: Recognised, spec: str) -> list[Finding]:
    """What is asked of F(t) and G(s) themselves."""
    findings = [
        linearity(context),
        dependence(context),
        relativity(context),
        initial(context),
        group_law(context),
        generators.generator(context, planes, recognised),
        generators.layout(context, planes),
        generators.rounding_of_frequencies(context, recognised),
    ]
    if context.declared is not None:
        findings.append(generators.against_if_it_fits(context, planes, recognised, spec))
    return findings


def calls(context: Context) -> list[Finding]:
    """What is asked of how the maps are called."""
    findings = [_asked(question, probe, context) for question, probe in history.PROBES]
    return findings + paths(context)


def paths_of_axis(context: Context) -> list[Finding]:
    """What calls may do to one coordinate alone, while text, all of them equal, is right."""
    return [_asked(questions.PREFILL, alone, context), *paths(context)]


def accuracy(context: Context, planes: Spectrum, recognised: Recognised) -> list[Finding]:
    """What is asked of every dtype."""
    exact = exact_maps(context, planes, recognised)
    precise = precision(context, exact)
    findings = [*precise, *distinct(context), served_range(context)]
    return [*findings, *outside(context, exact, precise)]


def _asked(asked: questions.Question, probe: history.Probe, context: Context) -> Finding:
    try:
        return probe(context)
    except AuditError as error:
        return asked.undecided(str(error))


def context_of(
    found: Gathered,
    declared: Encoding | None = None,
    gain: float | None = None,
    *,
    strict: bool = False,
    deep: bool = False,
    clock: bool = False,
) -> Context:
    """What every question receives."""
    return Context(
        found.subject, found.measured, found.recovered, declared, gain, strict, deep, clock,
        found.scans, found.swept, found.explanation,
    )  # fmt: skip


def _summary(recovered: Recovered, recognised: Recognised, findings: Sequence[Finding]) -> str:
    refuted = [f.question for f in findings if f.verdict is Verdict.REFUTED]
    fits = recovered.fits and "relative" not in refuted
    what = recognised.text if fits else "no positional encoding of the form exp(tX)"
    return what


def _conditions(context: Context) -> dict[str, object]:
    subject, measured = context.subject, context.measured
    return {
        "kind": "maps",
        "library": subject.library.name,
        "dimension": subject.dimension,
        "x": FORMS[subject.form],
        "one_map": subject.one_map,
        "positions_shape": "(1, n)" if subject.batched else "(n,)",
        "position_dtype": subject.position_dtype,
        **({"outputs": list(subject.outputs)} if subject.outputs else {}),
        "positions": [0, measured.reach],
        "measured_positions": len(measured.positions),
        "scanned_positions": context.scan.length,
        "swept_positions": 0 if context.swept is None else context.swept.last + 1,
        "every_few": [[s.step, (s.length - 1) * s.step] for s in context.scans[1:]],
        "refused": measured.refused,
        "arithmetic": str(context.recovered.arithmetic),
    }
