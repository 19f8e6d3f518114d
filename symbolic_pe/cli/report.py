"""report.md: classification, closed form, proofs, gauge and measured errors of one build."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from symbolic_pe.algebra.matrix import is_rational, to_fmpq
from symbolic_pe.algebra.scalar import precision
from symbolic_pe.classification import ClassifiedCase, Measure
from symbolic_pe.cli.nearness import snap_lines
from symbolic_pe.cli.output import BoundsRecord, ErrorRecord
from symbolic_pe.cli.pipeline import Artefacts
from symbolic_pe.emit.plan import BlockGroup, KernelPlan, MatrixGroup
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.exponential.closed_form import exponential
from symbolic_pe.exponential.parametric import parametric_exponential
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.snapping import Snapped

ROWS = 12
LIMITS = {"tolerance": "", "range": " (range)", "domain": " (domain)", "horizon": " and beyond"}
"""Why a bound is safe no further."""
EXPANDED_DIMENSION = 4


def report_markdown(
    artefacts: Artefacts,
    errors: dict[str, dict[str, ErrorRecord]],
    bounds: dict[str, BoundsRecord],
    snapped: Sequence[Snapped] = (),
) -> str:
    """The report of a build that wrote kernels, as Markdown."""
    assert artefacts.plan is not None
    encoding = artefacts.encoding
    title = encoding.title or encoding.name
    parts = [
        f"# {encoding.name}: {title}" if title != encoding.name else f"# {encoding.name}",
        _summary(artefacts),
        *(["## Snapped generator", "\n".join(snap_lines(snapped))] if snapped else []),
        "## Classification",
        _classification(artefacts),
        "## Closed form",
        _closed_form(artefacts),
        "## Gauge and layout",
        gauge_text(artefacts.plan),
        "## Claims",
        _claims(artefacts),
        "## Texts",
        _texts(artefacts),
        "## Measured errors",
        _errors(errors),
        "## Rounding bounds",
        _bounds(artefacts, bounds),
        "## Files",
        _files(artefacts),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(artefacts: Artefacts) -> str:
    encoding = artefacts.encoding
    lines = [
        "| | |",
        "|---|---|",
        f"| verdict | {encoding.verdict.value} |",
        f"| channels per head | {encoding.dimension} |",
        f"| heads with their own generator | {len(encoding.heads)} |",
        f"| layout | {encoding.layout} |",
        f"| time | {encoding.clock}, {encoding.domain.time} |",
        f"| claims | {artefacts.proof.outcome.value} |",
    ]
    if encoding.reference:
        lines.append(f"| source | {encoding.reference} |")
    return "\n".join(lines)


def _classification(artefacts: Artefacts) -> str:
    tables = [_case_table(case) for case in artefacts.classification.cases[:ROWS]]
    more = len(artefacts.classification.cases) - ROWS
    if more > 0:
        tables.append(f"… and {more} more cases (see `report.json`).")
    return "\n\n".join(tables)


def _case_table(case: ClassifiedCase) -> str:
    heading = " and ".join(f"`{c}`" for c in case.conditions) or "All positions"
    possibly = " (possibly empty)" if case.possibly_empty else ""
    lines = [
        f"**{heading}**{possibly}: {case.growth.causal} for τ ≥ 0, {case.growth.all} for all τ.",
        "",
        "| family | eigenvalue | chain length | how many | growth on τ ≥ 0 | half-life | period |",
        "|---|---|---|---|---|---|---|",
    ]
    for item in case.blocks[:ROWS]:
        b = item.block
        lines.append(
            f"| {b.family} | `{b.label()}` | {b.chain_length} | {b.multiplicity} | "
            f"`{item.bound}` | {_code(item.half_life)} | {_code(item.period)} |"
        )
    if len(case.blocks) > ROWS:
        lines.append(f"| … and {len(case.blocks) - ROWS} more kinds of block | | | | | | |")
    return "\n".join(lines)


def _code(measure: Measure | None) -> str:
    if measure is None:
        return "–"
    about = f" ≈ {measure.about}" if measure.about else ""
    return f"`{measure.text}`{about}"


def _closed_form(artefacts: Artefacts) -> str:
    assert artefacts.plan is not None
    generator = artefacts.encoding.heads[0].generator
    parts = ["A(τ) = exp(τX). Written with t for τ."]
    if generator.placed is None:
        parts.extend(_expanded(generator))
    for group in artefacts.plan.groups:
        if isinstance(group, MatrixGroup):
            parts.append(_uniform(group))
        elif artefacts.plan.basis is None:
            parts.append(_group(group))
    if artefacts.plan.basis is not None:
        parts.append(
            "The kernel uses A(τ) = P·(⊕ block exponentials)·P⁻¹ with the real Jordan basis P of "
            "the certificate; X·P = P·J is decided exactly."
        )
    for added in artefacts.plan.augmentations[:1]:
        bias = added.bias.compose({"tau": 1})
        parts.append(
            f"Bias: `{bias}`"
            + (" in head 0" if len(artefacts.encoding.heads) > 1 else "")
            + f", realised by {added.coordinates} constant coordinates."
        )
    return "\n\n".join(parts)


def _expanded(generator: Generator) -> list[str]:
    """Entry by entry in small dimensions; in primary form for eigenvalues of degree 3 or more."""
    try:
        closed = exponential(generator)
    except NotYetCovered:
        if not is_rational(generator.matrix):
            form = parametric_exponential(generator.matrix)
            return [f"For all parameters, smooth where cases meet:\n\n```\n{form}\n```"]
        rational = primary_exponential(to_fmpq(generator.matrix))
        return [f"With rational matrices M and real functions phi:\n\n```\n{rational}\n```"]
    if generator.dimension > EXPANDED_DIMENSION:
        return []
    parts = []
    for item in closed.cases:
        heading = " and ".join(item.case.cell.conditions(generator.assumptions))
        parts.append(f"When `{heading}`:" if heading else "For all values:")
        parts.append(_matrix(item.matrix()))
    return parts


def _matrix(rows: object) -> str:
    assert isinstance(rows, tuple)
    lines = [f"A[{i},{j}] = {entry}" for i, row in enumerate(rows) for j, entry in enumerate(row)]
    return "```\n" + "\n".join(lines) + "\n```"


def _uniform(group: MatrixGroup) -> str:
    return (
        "In one formula, right in every case and smooth where cases meet, on channels "
        f"{group.channels[0]} and {group.channels[1]}:\n\n```\n"
        "A(t) = exp(a*t) * (C*I + S*(X - a*I))\n"
        "C = cosh(t*sqrt(D)),  S = sinh(t*sqrt(D))/sqrt(D)\n"
        f"a = {group.centre}\nD = {group.discriminant}\n```"
    )


def _group(group: BlockGroup) -> str:
    count = len(group.slots[0])
    rates, frequencies, shears = (
        vector.rows[0] for vector in (group.rate, group.frequency, group.shear)
    )
    lines = [f"{count} block(s) of kind {group.kind}:"]
    if group.chain_length > 4:
        return lines[0] + f" chain length {group.chain_length}, E = exp(a t) Σ (η t)^k/k! N^k."
    shown = min(count, 3)
    for j in range(shown):
        block = Block(rates[j], frequencies[j], group.chain_length, shears[j])
        channels = ", ".join(str(slot[j]) for slot in group.slots)
        lines.append(f"channels {channels}:\n\n{_matrix(block.exponential())}")
        if group.kind == "constant":
            break
    if shown < count and group.kind != "constant":
        lines.append(f"… and {count - shown} more, with their own constants.")
    return "\n\n".join(lines)


def distance_text(plan: KernelPlan) -> str:
    """An upper bound of the distance, two digits."""
    with precision(64):
        return str((arb(plan.distance) * arb("1.01")).str(2, radius=False))


def gauge_text(plan: KernelPlan) -> str:
    """Which factorisation of A(t − s) the kernel uses."""
    if plan.norm_preserving and plan.basis is None:
        if plan.augmentations:
            return (
                "On the channels of content X is skew, so one map serves both sides there. The "
                "constant coordinates need two, F(t) = A(t)ᵀ and G(s) = A(−s): their X is not skew "
                "in any inner product. The kernel adds the bias instead of the coordinates."
            )
        return (
            "X is skew, so one map serves both sides: F(t) = G(t) = A(−t), gauge M = I. The norm "
            "of queries and keys is preserved."
        )
    near = ""
    if plan.distance:
        near = (
            " Eigenvalues of degree 3 or more, and square roots of long numbers, have no closed "
            "form here: the kernel and its certificate are about a rational generator X̂ with "
            f"|X̂ − X| ≤ {distance_text(plan)} entry by entry, computed exactly."
        )
    first = (
        "Query and key maps are contragredient: F(t) = A(t − c)ᵀ and G(s) = A(c − s) about a "
        "reference position c, which cancels in F(t)ᵀG(s) = A(t − s)."
    )
    if plan.basis is None:
        return first + " Gauge M = I."
    fold = (
        " Gauge M = P⁻¹: queries are multiplied by Pᵀ and keys by P⁻¹ once (fold them into W_q and "
        "W_k), so the maps return Jordan coordinates."
    )
    return first + near + fold


def _claims(artefacts: Artefacts) -> str:
    lines = ["| claim | verdict | statement | how |", "|---|---|---|---|"]
    for claim in artefacts.proof.claims:
        how = claim.witness or claim.reason
        lines.append(
            f"| {claim.name} | **{claim.verdict.value}** | `{claim.statement}` | "
            f"{how.replace('|', chr(92) + '|')} |"
        )
    assert artefacts.certificate is not None
    digest = artefacts.certificate["digest"]
    carried = ", ".join(artefacts.certificate["claims"])
    return "\n".join(lines) + (
        f"\n\nCertificate `{digest}`, which carries {carried}: decided again by the "
        "independent checker (`symbolic-pe recheck certificate.json`)."
    )


def _texts(artefacts: Artefacts) -> str:
    lines = ["| kernel | verdict | what was decided |", "|---|---|---|"]
    for target, text in artefacts.texts.items():
        reason = text.reason.replace("|", chr(92) + "|")
        lines.append(f"| {target} | **{text.verdict}** | {reason} |")
    return "\n".join(lines)


def agreement_text(errors: ErrorRecord) -> str:
    """The verdict, and whether 0 in place of every value would pass as well somewhere."""
    if errors.verdict == "refuted" or errors.tolerance < 1.0:
        return errors.verdict
    return f"{errors.verdict}, but nothing is said of positions where the tolerance exceeds 1"


def _errors(errors: dict[str, dict[str, ErrorRecord]]) -> str:
    lines = [
        "Normwise, against ball arithmetic; a black box is never proved, only consistent.",
        "",
        "| kernel | dtype | error of the maps | error of the relative law | tolerance | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for target, by_dtype in errors.items():
        for dtype, e in by_dtype.items():
            lines.append(
                f"| {target} | {dtype} | {e.map_error:.2e} | {e.relative_error:.2e} | "
                f"{e.tolerance:.2e} | {agreement_text(e)} |"
            )
    lines += ["", "Worst case of each, to reproduce in this directory:", "", "```"]
    lines += [e.reproduce for by_dtype in errors.values() for e in by_dtype.values()]
    return "\n".join([*lines, "```"])


def box_text(bounds: BoundsRecord) -> str:
    """The parameters that bounds hold for."""
    parts = [
        f"{name} in [{low:.4g}, {high:.4g}]" for name, (low, high) in bounds.parameters.items()
    ]
    return ", ".join(parts) + ", wherever the maps stay in range"


def _bounds(artefacts: Artefacts, bounds: dict[str, BoundsRecord]) -> str:
    lines = [
        "For every block A(u) of every head, u = position − reference, and all real |u| up to the "
        "reach: ‖ŷ − A(u)x‖₂ ≤ ε(|u|)·‖A(u)‖₂·‖x‖₂ + η. `safe to` is the largest |u| at which ε "
        "keeps the tolerance; `measured` is the worst measured error over its bound. Of `decay`, u "
        "is the lag and |f − e^{au}| ≤ ε·e^{au} + η; of `bias` and `score_mod` (of a score s) "
        "|f − s − b(u)| ≤ ε·(|s| + |b|₊) + η, |b|₊ the sum of the sizes of the terms of b.",
        "",
        "| kernel | dtype | ε | η | reach | tolerance | safe to | measured |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for target, found in bounds.items():
        rows = [*found.dtypes.items(), *((f"{d}, rotate", b) for d, b in found.rotate.items())]
        rows += [
            (f"{d}, {form}", b) for form, part in found.of_lag.items() for d, b in part.items()
        ]
        for dtype, b in rows:
            safe = "–" if b.safe_position is None else f"{b.safe_position}"
            safe += LIMITS[b.safe_limited_by]
            lines.append(
                f"| {target} | {dtype} | `{b.formula.replace('|', chr(92) + '|')}` | {b.eta:.1e} | "
                f"{int(b.reach)} | {b.tolerance:.2e} | {safe} | {b.measured:.2f} |"
            )
    if any(found.bias for found in bounds.values()):
        lines += [
            "",
            "What the coordinates that realise the bias lose, as an absolute error of a logit, |u| "
            "the larger of the two distances from the reference:",
            "",
            "| kernel | dtype | error | tolerance | safe to | measured |",
            "|---|---|---|---|---|---|",
        ]
        lines += [
            f"| {target} | {dtype} | `{b.formula.replace('|', chr(92) + '|')}` | "
            f"{b.tolerance:.2e} | {b.safe_position} | {b.measured:.2f} |"
            for target, found in bounds.items()
            for dtype, b in found.bias.items()
        ]
    if any(found.causal for found in bounds.values()):
        lines += [
            "",
            "Of causal sums, |ô − oₙ| ≤ ε·Σ |q|ᵀM(t − s)|k|·|v| apart from underflow, M = |A| with "
            "norms of planes, with a basis P for |Pᵀ||q| and |P⁻¹||k|: of the n-th output of "
            "`recurrent_step`, and of those of `chunkwise` after r runs of 64 positions at most. A "
            "state S handed over at c adds |q|ᵀM(t − c)|S| to the sum:",
            "",
            "| kernel | dtype | ε | to | gaps to | measured |",
            "|---|---|---|---|---|---|",
        ]
        sums = [
            (target, f"{dtype}, {form}", variable, b)
            for target, found in bounds.items()
            for form, variable, part in (
                ("recurrent_step", "n", found.causal),
                ("chunkwise", "r", found.chunkwise),
            )
            for dtype, b in part.items()
        ]
        lines += [
            f"| {target} | {name} | `{b.formula}` | {variable} = {b.limit} | {int(b.gap)} | "
            f"{b.measured:.2f} |"
            for target, name, variable, b in sums
        ]
    for target, found in bounds.items():
        held = f" (for {box_text(found)})" if found.parameters else ""
        lines += ["", f"{target}: {found.verdict}{held}; {found.reason}."]
    if artefacts.plan is not None and artefacts.plan.distance:
        lines += ["", "The bounds are about X̂, not X (see Gauge and layout)."]
    return "\n".join(lines)


def _files(artefacts: Artefacts) -> str:
    names = [kernel.filename for kernel in artefacts.kernels]
    return "\n".join(
        f"- `{name}`" for name in [*names, "certificate.json", "report.json", "report.md"]
    )
