"""`build`, `emit` and `check` for several axes, and for what is no group.

Claims are decided as everywhere. The emitted text is executed on exact elements and decided, and
compared with exact values at positions that show faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from symbolic_pe.cli.axes import axes_text
from symbolic_pe.cli.claims import claim_record
from symbolic_pe.cli.json_text import to_text
from symbolic_pe.cli.known_encodings import outside_text
from symbolic_pe.cli.output import (
    BoundsRecord,
    CheckRecord,
    MeasuredBuildRecord,
    MeasuredRecord,
    TextRecord,
)
from symbolic_pe.cli.pipeline import Report
from symbolic_pe.decision import Claim, Outcome, outcome_of
from symbolic_pe.emit.axes import emit_axes, plan_axes
from symbolic_pe.emit.axes_text import distance_text
from symbolic_pe.emit.position_functions import emit_position_function
from symbolic_pe.emit.source import EmittedKernel, read_header, split_source, with_header_lines
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.outside import NotAGroup, Outside
from symbolic_pe.errors import KernelError, NotYetCovered, Undecided
from symbolic_pe.proof.certificate import Json, canonical
from symbolic_pe.proof.certificate_of_positions import certificate_of
from symbolic_pe.proof.several_axes import prove_axes
from symbolic_pe.proof.verdicts import prove_outside

if TYPE_CHECKING:
    from numeric_check.kernels.kernel import Kernel
    from numeric_check.rounding import KernelBounds
    from numeric_check.text_proof.prove import TextProof

Measured = Outside | SeveralAxes
Answer = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class MeasuredArtefacts:
    """What was decided, what is to be written, and how exact it is."""

    heading: str
    claims: tuple[Claim, ...]
    files: Mapping[str, str]
    record: MeasuredBuildRecord

    @property
    def outcome(self) -> Outcome:
        """Refuted when a claim is, or when a text is not exact."""
        return Outcome.REFUTED if self.record.failures else outcome_of(self.claims)

    def text(self, output: Path) -> str:
        """For people."""
        lines = [self.heading]
        if self.record.distance:
            lines.append(
                "the kernels have commuting generators with a rational basis, within "
                f"{self.record.distance} of the axes, entry by entry"
            )
        lines += [f"  {name} text {t.verdict}: {t.reason}" for name, t in self.record.texts.items()]
        lines += [f"  {name}: {_line(found)}" for name, found in self.record.checks.items()]
        lines += [
            f"  {target} {dtype}: error at most {b.formula}, |u| <= {b.reach:g}"
            for target, found in self.record.bounds.items()
            for dtype, b in found.dtypes.items()
        ]
        if self.record.failures:
            lines += ["REFUTED; nothing was written:", *self.record.failures]
        elif self.files:
            lines.append(f"wrote to {output}: {', '.join(self.files)}")
        else:
            lines.append("nothing was written: neither code of positions alone nor a certificate")
        return "\n".join(lines) + "\n"


def _line(found: MeasuredRecord) -> str:
    return (
        f"{found.verdict}: error {found.error:.1e}, tolerance {found.tolerance:.1e}, {found.where}"
    )


def claims_of(found: Measured) -> tuple[Claim, ...]:
    """The claims of several axes, or of what is no group."""
    return prove_axes(found).claims if isinstance(found, SeveralAxes) else found.claims()


def emitted(found: Measured, target: str, command: str) -> EmittedKernel:
    """The text for one target.

    Raises `NotYetCovered` for what cannot be printed, `NotAGroup` where there is nothing to print.
    """
    document = certificate(found)
    named = {} if document is None else {"certificate": document["digest"]}
    if isinstance(found, SeveralAxes):
        return emit_axes(plan_axes(found), target, command=command, **named)
    return emit_position_function(found, target, command=command, **named)


def certificate(found: Measured) -> Json | None:
    """Commuting axes, or why it is no group, for the independent checker; None without a form."""
    try:
        proof = prove_axes(found) if isinstance(found, SeveralAxes) else prove_outside(found)
        return certificate_of(proof)
    except (NotYetCovered, Undecided):
        return None


def proved(found: Measured, kernel: Kernel) -> TextProof:
    """What exact execution decides of a text."""
    from numeric_check.text_proof.prove import TextProof, prove_text

    if isinstance(found, SeveralAxes):
        return prove_text(kernel, plan_axes(found))
    if found.function is None:
        return TextProof("undecided", found.no_function)
    return prove_text(kernel, found.function)


def bounded(found: Measured, kernel: Kernel) -> KernelBounds:
    """Rounding bounds of a text, with the measured errors inside them."""
    from numeric_check.rounding import KernelBounds, judge_axes, judge_positions

    if isinstance(found, SeveralAxes):
        return judge_axes(kernel, plan_axes(found))
    if found.function is None:
        return KernelBounds("undecided", found.no_function)
    return judge_positions(kernel, found.function)


def compiled(found: Measured, text: str | EmittedKernel, module: str = "kernel") -> Kernel:
    """The text, read and executed. Raises `KernelError` for one that is no such function."""
    from numeric_check.kernels.kernel import compile_kernel
    from numeric_check.laws.axes_kernel import REQUIRED

    if isinstance(found, SeveralAxes):
        return compile_kernel(text, module=module, required=REQUIRED)
    kind = "" if found.function is None else found.function.kind
    return compile_kernel(text, module=module, required=("DIMENSION", "HEADS", kind))


def measured(found: Measured, text: str | EmittedKernel) -> dict[str, MeasuredRecord]:
    """Agreement with exact values: of every dtype, or in float64. Raises `KernelError`."""
    from numeric_check.laws.axes_kernel import check_axes_kernel
    from numeric_check.laws.position_function import check_position_function

    checks = (
        check_axes_kernel(plan_axes(found), text)
        if isinstance(found, SeveralAxes)
        else [check_position_function(found, text)]
    )
    return {c.dtype: MeasuredRecord(c.verdict, c.error, c.tolerance, c.where) for c in checks}


def build_measured(
    found: Measured, targets: Sequence[str], command: str, progress: Report
) -> MeasuredArtefacts:
    """Decide the claims, emit, and compare with exact values.

    Several axes that do not commute are refuted, and nothing is emitted.
    """
    from symbolic_pe.cli.checks import bounds_record

    progress("deciding")
    claims = claims_of(found)
    group_refuted = isinstance(found, SeveralAxes) and outcome_of(claims) is Outcome.REFUTED
    kernels: dict[str, EmittedKernel] = {}
    texts: dict[str, TextRecord] = {}
    checks: dict[str, MeasuredRecord] = {}
    bounds: dict[str, KernelBounds] = {}
    for target in () if group_refuted else _printable(found, targets):
        kernels[target] = emitted(found, target, f"{command} --target {target}")
        progress(f"proving the {target} text")
        kernel = compiled(found, kernels[target])
        texts[target] = text_record(proved(found, kernel))
        progress(f"bounding the rounding errors of the {target} text")
        bounds[target] = bounded(found, kernel)
        progress(f"comparing the {target} text with exact values")
        for dtype, check in measured(found, kernels[target]).items():
            checks[f"{target} {dtype}"] = check
    failures = [f"{n} text: {t.reason}" for n, t in texts.items() if t.verdict == "refuted"]
    failures += [f"{n}: {_line(c)}" for n, c in checks.items() if c.verdict == "refuted"]
    failures += [f"{n}: {line}" for n, b in bounds.items() for line in b.failures]
    if group_refuted:
        failures += [f"{c.name} is refuted: {c.witness}" for c in claims if c.witness]
    document = None if group_refuted else certificate(found)
    record = MeasuredBuildRecord(
        found.name,
        found.verdict.value,
        outcome_of(claims).value,
        [claim_record(c) for c in claims],
        {target: kernel.filename for target, kernel in kernels.items()},
        texts,
        checks,
        {target: bounds_record(b) for target, b in bounds.items()},
        failures,
        None if document is None else document["digest"],
        _distance(found) if kernels else None,
    )
    files = {
        kernel.filename: with_header_lines(kernel, bounds[target].header_lines()).text
        for target, kernel in kernels.items()
    }
    if document is not None:
        files["certificate.json"] = canonical(document) + "\n"
    if files:
        files["report.json"] = to_text(record)
    return MeasuredArtefacts(_heading(found), claims, {} if failures else files, record)


def _printable(found: Measured, targets: Sequence[str]) -> list[str]:
    nothing = isinstance(found, Outside) and found.function is None
    return [] if nothing else list(targets)


def _distance(found: Measured) -> str | None:
    """How far the generators of the kernels are from the axes, where they are not the same."""
    return distance_text(plan_axes(found)) if isinstance(found, SeveralAxes) else None


def _heading(found: Measured) -> str:
    if isinstance(found, SeveralAxes):
        return axes_text(prove_axes(found))
    return outside_text(prove_outside(found))


def check_measured(path: Path, text: str, found: Measured) -> CheckRecord:
    """Decide again what an emitted text states: its laws, its certificate, the text itself.

    An edited text holds when exact execution decides the edit, and is `undecided` otherwise. Bounds
    that its header states have to be at least those that are found.
    """
    from numeric_check import same_code
    from symbolic_pe.cli.checks import bounds_record

    header = read_header(text)
    failures: list[str] = []
    doubts: list[str] = []
    same = False
    decided = TextRecord("undecided", "the text was not executed")
    bounds = BoundsRecord("undecided", "the text was not executed", {}, {}, {})
    fresh = _fresh(lambda: emitted(found, header.target, ""))
    if fresh is None:
        failures.append(f"{found.name} has no text for {header.target}")
    else:
        same = split_source(fresh.text)[1] == split_source(text)[1]
        if same and header.body_digest != fresh.body_digest:
            failures.append("the header states another digest than that of the body below it")
        expected = read_header(fresh.text).certificate
        if header.certificate != expected:
            failures.append(
                f"the header names the certificate {header.certificate}, but its specification "
                f"has {expected}; emit the file again"
            )
    try:
        kernel = compiled(found, text, path.stem)
        proof = proved(found, kernel)
        checks = measured(found, text)
    except KernelError as error:
        failures.append(f"the text is no such function: {error}")
    else:
        lines = {n: _line(c) for n, c in checks.items()}
        decided = text_record(proof)
        if proof.verdict == "refuted":
            failures.append(f"the text is refuted: {proof.reason}")
        failures.extend(f"{n}: {lines[n]}" for n, c in checks.items() if c.verdict == "refuted")
        decided = TextRecord(
            decided.verdict, "; ".join([proof.reason, *(f"{n}: {x}" for n, x in lines.items())])
        )
        if fresh is not None and not same:
            doubts = doubts_of_edit(text, fresh, proof)
        judged = bounded(found, kernel)
        edited = fresh is not None and not same_code(text, fresh.text)
        if fresh is not None and edited and not doubts and not failures:
            doubts = judged.larger_than(bounded(found, compiled(found, fresh)))
        bounds = bounds_record(judged)
        failures.extend(judged.failures)
        (failures if same else doubts).extend(judged.false_statements(kernel.header))
    return CheckRecord(
        str(path),
        "refuted" if failures else "undecided" if doubts else "holds",
        "identical" if same else "differs",
        decided,
        [claim_record(c) for c in claims_of(found)],
        {},
        bounds,
        failures,
        doubts,
    )


def doubts_of_edit(text: str, fresh: EmittedKernel, proof: TextProof) -> list[str]:
    """What exact execution does not decide of an edit."""
    from numeric_check import same_code, undecided_edits

    if same_code(text, fresh.text):
        return []
    found = undecided_edits(text, fresh.text, proof.executed if proof.verdict == "proved" else None)
    if proof.verdict == "undecided":
        found.append(f"the edited text is measured only: {proof.reason}")
    return found


def text_record(text: TextProof) -> TextRecord:
    """From the value to the published record."""
    verdicts: dict[str, Answer] = {x: x for x in get_args(Answer)}
    return TextRecord(verdicts[text.verdict], text.reason)


def _fresh(make: Callable[[], EmittedKernel]) -> EmittedKernel | None:
    try:
        return make()
    except NotAGroup:
        return None
