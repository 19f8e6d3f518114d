"""`build` and `check` for encodings that are no group: their bias or table of positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symbolic_pe.cli.claims import claim_record
from symbolic_pe.cli.json_text import to_text
from symbolic_pe.cli.known_encodings import outside_text
from symbolic_pe.cli.output import (
    BoundsRecord,
    CheckRecord,
    FunctionCheckRecord,
    OutsideBuildRecord,
    TextRecord,
)
from symbolic_pe.cli.pipeline import Report
from symbolic_pe.decision import Outcome, outcome_of
from symbolic_pe.emit.position_functions import LIBRARIES, emit_position_function
from symbolic_pe.emit.source import read_header, split_source
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.errors import KernelError
from symbolic_pe.proof.verdicts import OutsideProof, prove_outside

NOT_PROVED = "no text proof: a function of positions is compared with exact values at some of them"


@dataclass(frozen=True)
class OutsideArtefacts:
    """What was decided, what is to be written, and how exact it is."""

    proof: OutsideProof
    files: Mapping[str, str]
    record: OutsideBuildRecord
    lines: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """That of the claims, of which one says that it is a group."""
        return Outcome.REFUTED if self.record.failures else outcome_of(self.proof.claims)

    def text(self, output: Path) -> str:
        """For people."""
        lines = [outside_text(self.proof), *self.lines]
        if self.record.failures:
            lines += ["REFUTED; nothing was written:", *self.record.failures]
        elif self.files:
            lines.append(f"wrote to {output}: {', '.join(self.files)}")
        else:
            lines.append("nothing to write: there is no code of positions alone")
        return "\n".join(lines) + "\n"


def build_outside(
    found: Outside, targets: Sequence[str], command: str, progress: Report
) -> OutsideArtefacts:
    """Decide the claims, emit the function of positions, and compare it with exact values."""
    from numeric_check.position_function import check_position_function

    progress("deciding")
    proof = prove_outside(found)
    kernels, checks, lines, failures = {}, {}, [], []
    if found.function is not None:
        for target in (t for t in targets if t in LIBRARIES):
            kernel = emit_position_function(found, target, command=f"{command} --target {target}")
            progress(f"comparing the {target} text with exact values")
            check = check_position_function(found, kernel)
            kernels[target] = kernel
            checks[target] = FunctionCheckRecord(
                check.verdict, check.error, check.tolerance, check.where
            )
            lines.append(f"  {check.line()}")
            if check.verdict == "refuted":
                failures.append(check.line())
    record = OutsideBuildRecord(
        found.name,
        found.verdict.value,
        outcome_of(proof.claims).value,
        [claim_record(c) for c in proof.claims],
        {target: kernel.filename for target, kernel in kernels.items()},
        checks,
        failures,
    )
    files = {kernel.filename: kernel.text for kernel in kernels.values()}
    if files:
        files["report.json"] = to_text(record)
    return OutsideArtefacts(proof, {} if failures else files, record, tuple(lines))


def check_outside(path: Path, text: str, found: Outside) -> CheckRecord:
    """Decide again what an emitted function of positions states."""
    from numeric_check.position_function import check_position_function

    header = read_header(text)
    fresh = emit_position_function(found, header.target, command="")
    same = split_source(fresh.text)[1] == split_source(text)[1]
    failures, doubts = [], []
    reason = NOT_PROVED
    if same and header.body_digest != fresh.body_digest:
        failures.append("the header states another digest than that of the body below it")
    try:
        measured = check_position_function(found, text)
    except KernelError as error:
        failures.append(f"the text is not a function of positions: {error}")
    else:
        reason = f"{NOT_PROVED}: {measured.line()}"
        if measured.verdict == "refuted":
            failures.append(measured.line())
        elif not same:
            doubts.append("the edited text is measured only")
    return CheckRecord(
        str(path),
        "refuted" if failures else "undecided" if doubts else "holds",
        "identical" if same else "differs",
        TextRecord("refuted" if failures else "undecided", reason),
        [claim_record(c) for c in prove_outside(found).claims],
        {},
        BoundsRecord("undecided", "no rounding bound: measured only", {}, {}, {}),
        failures,
        doubts,
    )
