"""What the commands print for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from symbolic_pe.classification import Classification, ClassifiedCase
from symbolic_pe.cli.abbreviations import Abbreviations
from symbolic_pe.cli.certificates import REFUTATION, refutation_files
from symbolic_pe.cli.claims import claims_text
from symbolic_pe.cli.output import (
    BoundRecord,
    BoundsRecord,
    CheckRecord,
    ErrorRecord,
    RecheckItem,
    RecheckRecord,
)
from symbolic_pe.cli.pipeline import Artefacts
from symbolic_pe.cli.report import agreement_text, box_text, distance_text

SHOWN_BLOCKS = 6
SHOWN_FAILURES = 8
TEXT_MARKS = {
    "proved": "proved by exact execution: relative for all positions and references",
    "refuted": "REFUTED",
    "undecided": "measured only",
}


def classification_text(found: Classification, closed_forms: Sequence[str] = ()) -> str:
    """Families and growth, case by case, with closed forms where they are given."""
    encoding = found.encoding
    heads = len(encoding.heads)
    size = f"dimension {found.dimension}" + (f", {heads} heads" if heads > 1 else "")
    lines = [f"{encoding.name}: {size}, {encoding.verdict.value}"]
    if encoding.parameters:
        declared = ", ".join(f"{n} {t}" for n, t in encoding.parameters.items())
        lines.append(f"parameters: {declared}")
    several = len(found.cases) > 1
    short = Abbreviations(encoding.parameters)
    for index, case in enumerate(found.cases):
        conditions = [short.condition(text) for text in case.conditions]
        body = _case_lines(case, conditions, several=several)
        if closed_forms:
            body.extend(f"    {line}" for line in closed_forms[index].splitlines())
        lines.extend(map(short.within, body))
    if names := short.lines():
        lines.extend(["  where", *(f"  {line}" for line in names)])
    return "\n".join(lines)


def _case_lines(case: ClassifiedCase, conditions: list[str], *, several: bool) -> list[str]:
    title = " and ".join(conditions) or "all positions"
    if case.undecided:
        return [f"  {title}: undecided: {case.undecided}"]
    flag = "  (generic)" if several and case.generic and case.conditions else ""
    flag = "  (possibly empty)" if case.possibly_empty else flag
    lines = [f"  {title}{flag}: {case.growth.causal} for tau >= 0, {case.growth.all} for all tau"]
    for item in case.blocks[:SHOWN_BLOCKS]:
        block = item.block
        times = f"{block.multiplicity} x " if block.multiplicity > 1 else ""
        chain = f", chain length {block.chain_length}" if block.chain_length > 1 else ""
        extras = [
            text
            for text in (
                item.period and f"period {item.period.about or item.period.text}",
                item.half_life and f"half-life {item.half_life.about or item.half_life.text}",
            )
            if text
        ]
        shown = f" ({', '.join(extras)})" if extras else ""
        lines.append(f"    {times}{block.family} {block.label()}{chain}{shown}")
    if len(case.blocks) > SHOWN_BLOCKS:
        lines.append(f"    ... and {len(case.blocks) - SHOWN_BLOCKS} more kinds of block")
    return lines


def errors_text(target: str, errors: dict[str, ErrorRecord], width: int = 6) -> str:
    """Measured errors, one line a dtype; `width` is that of the column of targets."""
    return "\n".join(
        f"  {target:<{width}} {dtype:<9} map {e.map_error:.1e}  "
        f"relative law {e.relative_error:.1e}  (tolerance {e.tolerance:.1e})  {agreement_text(e)}"
        for dtype, e in errors.items()
    )


def bounds_text(target: str, bounds: BoundsRecord) -> str:
    """Rounding bounds and how far they are safe, one line a dtype."""
    if not bounds.dtypes:
        reason = bounds.reason.removeprefix("no rounding bound: ")
        return f"  {target:<6} no rounding bound: {reason}"
    rows = [(dtype, b) for dtype, b in bounds.dtypes.items()]
    rows += [(f"{dtype}, rotate", b) for dtype, b in bounds.rotate.items()]
    rows += [
        (f"{dtype}, {form}", b)
        for form, found in bounds.of_lag.items()
        for dtype, b in found.items()
    ]
    lines = [f"  {target:<6} for {box_text(bounds)}"] if bounds.parameters else []
    lines += [f"  {target:<6} {name:<9} eps = {b.formula}; {safe_text(b)}" for name, b in rows]
    lines += [
        f"  {target:<6} {dtype:<9} bias by coordinates: error of a logit <= {b.formula}; "
        f"<= {b.tolerance:.1e} to |u| = {b.safe_position}"
        for dtype, b in bounds.bias.items()
    ]
    lines += [
        f"  {target:<6} {dtype:<9} recurrent_step, n-th output: eps = {b.formula} to n = {b.limit}"
        for dtype, b in bounds.causal.items()
    ]
    lines += [
        f"  {target:<6} {dtype:<9} chunkwise, after r runs: eps = {b.formula} to r = {b.limit}"
        for dtype, b in bounds.chunkwise.items()
    ]
    return "\n".join(lines)


def safe_text(bound: BoundRecord) -> str:
    """Up to which |u| a dtype keeps its tolerance."""
    allowed = f"eps <= {bound.tolerance:.1e}"
    if bound.safe_position is None:
        return f"nowhere {allowed}"
    suffix = {
        "tolerance": "",
        "range": " (its range ends there)",
        "domain": " (its domain ends there)",
        "horizon": " and beyond",
    }
    return f"{allowed} to |u| = {bound.safe_position}{suffix[bound.safe_limited_by]}"


def build_text(
    artefacts: Artefacts,
    errors: dict[str, dict[str, ErrorRecord]],
    bounds: dict[str, BoundsRecord],
    output: Path,
) -> str:
    """A few lines: what was proved, what was emitted, how accurate it is."""
    lines = [classification_text(artefacts.classification), "claims"]
    lines.append(claims_text(artefacts.proof.claims))
    if artefacts.kernels:
        if artefacts.plan is not None and artefacts.plan.distance:
            lines.append(
                "the kernel has a rational generator within "
                f"{distance_text(artefacts.plan)} of X, entry by entry"
            )
        width = max([6, *map(len, errors)])
        lines.append("texts")
        for target, text in artefacts.texts.items():
            detail = f"; {text.series}" if text.series else ""
            detail = detail if text.verdict == "proved" else f": {text.reason}"
            lines.append(f"  {target:<{width}} {TEXT_MARKS[text.verdict]}{detail}")
        lines.append(
            "measured against ball arithmetic (normwise; positions to "
            f"{artefacts.encoding.domain.max_position})"
        )
        lines.extend(errors_text(target, found, width) for target, found in errors.items())
        lines.append("rounding bounds (every block: |y - A x| <= eps |A| |x|, u = t - reference)")
        lines.extend(bounds_text(target, found) for target, found in bounds.items())
        if artefacts.plan is not None and artefacts.plan.augmentations:
            lines.append(
                "  (of bias and score_mod, u is the lag and eps relative to the sizes of score and "
                "terms)"
            )
    if artefacts.failures:
        refuting = refutation_files(artefacts.refutation)
        kept = f"; the witness is in {output / REFUTATION}" if refuting else ""
        lines.append(f"REFUTED; no kernel was written{kept}:")
        lines.extend(f"  {failure}" for failure in artefacts.failures[:SHOWN_FAILURES])
        return "\n".join(lines) + "\n"
    names = [kernel.filename for kernel in artefacts.kernels]
    lines.append(
        f"wrote to {output}: {', '.join([*names, 'certificate.json', 'report.json'])}, report.md"
    )
    return "\n".join(lines) + "\n"


def check_text(record: CheckRecord) -> str:
    """Verdict of one emitted file."""
    same = {
        "identical": "the text is what its specification emits",
        "differs": "the text is not what its specification emits; judged by what it computes",
    }[record.text]
    lines = [f"{record.file}: {record.verdict} ({same})"]
    lines.append(f"  text {record.text_proof.verdict}: {record.text_proof.reason}")
    lines.extend(f"  {failure}" for failure in record.failures[:SHOWN_FAILURES])
    lines.extend(f"  undecided: {doubt}" for doubt in record.undecided_edits[:SHOWN_FAILURES])
    lines.append(errors_text("", record.errors))
    lines.append(bounds_text("", record.bounds))
    return "\n".join(line for line in lines if line) + "\n"


def recheck_text(record: RecheckRecord) -> str:
    """One line a certificate: what was accepted, or why not."""
    return "".join(f"{item.file}: {_rechecked(item)}\n" for item in record.certificates)


def _rechecked(item: RecheckItem) -> str:
    if not item.accepted:
        return f"REJECTED: {item.reason}"
    counts = Counter(item.claims.values())
    found = ", ".join(f"{counts[word]} {word}" for word in ("proved", "refuted") if counts[word])
    return f"accepted: {found or 'no claims'}"
