"""`build`, `emit` and `check` for what has no certificate: several axes, and what is no group.

Claims are decided as everywhere; the emitted text is compared with exact values at positions that
show faults. It is measured, not proved, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from symbolic_pe.emit.axes import LIBRARIES as AXES_LIBRARIES
from symbolic_pe.emit.axes import emit_axes, plan_axes
from symbolic_pe.emit.position_functions import LIBRARIES as FUNCTION_LIBRARIES
from symbolic_pe.emit.position_functions import emit_position_function
from symbolic_pe.emit.source import EmittedKernel, read_header, split_source
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.outside import NotAGroup, Outside
from symbolic_pe.errors import KernelError
from symbolic_pe.proof.several_axes import prove_axes
from symbolic_pe.proof.verdicts import prove_outside

NOT_PROVED = "no text proof: the text is compared with exact values at some positions"
Measured = Outside | SeveralAxes


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
        lines += [f"  {name}: {_line(found)}" for name, found in self.record.checks.items()]
        if self.record.failures:
            lines += ["REFUTED; nothing was written:", *self.record.failures]
        elif self.files:
            lines.append(f"wrote to {output}: {', '.join(self.files)}")
        else:
            lines.append("nothing was written: there is no code of positions alone")
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
    if isinstance(found, SeveralAxes):
        return emit_axes(plan_axes(found), target, command=command)
    return emit_position_function(found, target, command=command)


def measured(found: Measured, text: str | EmittedKernel) -> dict[str, MeasuredRecord]:
    """Agreement with exact values: of every dtype, or in float64. Raises `KernelError`."""
    from numeric_check.laws.axes_kernel import check_axes_kernel
    from numeric_check.laws.position_function import check_position_function

    checks = (
        check_axes_kernel(found, text)
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
    progress("deciding")
    claims = claims_of(found)
    group_refuted = isinstance(found, SeveralAxes) and outcome_of(claims) is Outcome.REFUTED
    kernels: dict[str, EmittedKernel] = {}
    checks: dict[str, MeasuredRecord] = {}
    for target in () if group_refuted else _printable(found, targets):
        kernels[target] = emitted(found, target, f"{command} --target {target}")
        progress(f"comparing the {target} text with exact values")
        for dtype, check in measured(found, kernels[target]).items():
            checks[f"{target} {dtype}"] = check
    failures = [f"{n}: {_line(c)}" for n, c in checks.items() if c.verdict == "refuted"]
    if group_refuted:
        failures += [f"{c.name} is refuted: {c.witness}" for c in claims if c.witness]
    record = MeasuredBuildRecord(
        found.name,
        found.verdict.value,
        outcome_of(claims).value,
        [claim_record(c) for c in claims],
        {target: kernel.filename for target, kernel in kernels.items()},
        checks,
        failures,
    )
    files = {kernel.filename: kernel.text for kernel in kernels.values()}
    if files:
        files["report.json"] = to_text(record)
    return MeasuredArtefacts(_heading(found), claims, {} if failures else files, record)


def _printable(found: Measured, targets: Sequence[str]) -> list[str]:
    if isinstance(found, SeveralAxes):
        return [t for t in targets if t in AXES_LIBRARIES]
    return [] if found.function is None else [t for t in targets if t in FUNCTION_LIBRARIES]


def _heading(found: Measured) -> str:
    if isinstance(found, SeveralAxes):
        return axes_text(prove_axes(found))
    return outside_text(prove_outside(found))


def check_measured(path: Path, text: str, found: Measured) -> CheckRecord:
    """Decide again what an emitted text without certificate states."""
    header = read_header(text)
    failures: list[str] = []
    doubts: list[str] = []
    same = False
    reason = NOT_PROVED
    fresh = _fresh(lambda: emitted(found, header.target, ""))
    if fresh is None:
        failures.append(f"{found.name} has no text for {header.target}")
    else:
        same = split_source(fresh.text)[1] == split_source(text)[1]
        if same and header.body_digest != fresh.body_digest:
            failures.append("the header states another digest than that of the body below it")
    try:
        checks = measured(found, text)
    except KernelError as error:
        failures.append(f"the text is no such function: {error}")
    else:
        reason = "; ".join([NOT_PROVED, *(f"{n}: {_line(c)}" for n, c in checks.items())])
        failures.extend(f"{n}: {_line(c)}" for n, c in checks.items() if c.verdict == "refuted")
        if not same and not failures:
            doubts.append("the edited text is measured only")
    return CheckRecord(
        str(path),
        "refuted" if failures else "undecided" if doubts else "holds",
        "identical" if same else "differs",
        TextRecord("refuted" if failures else "undecided", reason),
        [claim_record(c) for c in claims_of(found)],
        {},
        BoundsRecord("undecided", "no rounding bound: measured only", {}, {}, {}),
        failures,
        doubts,
    )


def _fresh(make: Callable[[], EmittedKernel]) -> EmittedKernel | None:
    try:
        return make()
    except NotAGroup:
        return None
