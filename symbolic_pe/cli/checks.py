"""Records of what was measured, and the decisions of `check` and `recheck`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symbolic_pe.cli.output import (
    BuildRecord,
    CheckRecord,
    ErrorRecord,
    RecheckItem,
    RecheckRecord,
    claim_record,
    classification_record,
)
from symbolic_pe.cli.pipeline import Artefacts, Report, make_kernels
from symbolic_pe.cli.report import gauge_text
from symbolic_pe.emit.source import read_header
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import KernelError, SpecificationError
from symbolic_pe.proof.checker import check_text
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import prove

if TYPE_CHECKING:
    from numeric_check.cross_check import CrossCheck

MAX_KERNEL_BYTES = 4_000_000
MAX_CERTIFICATE_BYTES = 64_000_000
LARGEST = 1.7976931348623157e308


def error_records(check: CrossCheck) -> dict[str, ErrorRecord]:
    """Measured errors of one kernel, by dtype."""
    return {
        s.dtype: ErrorRecord(
            "consistent" if s.verdict == "consistent" else "refuted",
            _finite(s.map_error),
            _finite(s.relative_error),
            _finite(max(s.map_tolerance, s.relative_tolerance)),
            f"{s.worst.law} at {s.worst.where}",
            s.worst.reproduce,
        )
        for s in check.summaries
    }


def _finite(x: float) -> float:
    """JSON has no infinity; the largest float stands for it."""
    return min(x, LARGEST)


def build_record(artefacts: Artefacts, errors: dict[str, dict[str, ErrorRecord]]) -> BuildRecord:
    """The published record of one build."""
    return BuildRecord(
        artefacts.encoding.name,
        artefacts.encoding.verdict.value,
        artefacts.outcome.value,
        classification_record(artefacts.classification),
        [claim_record(c) for c in artefacts.proof.claims],
        gauge_text(artefacts.plan),
        {kernel.target: kernel.filename for kernel in artefacts.kernels},
        errors,
        artefacts.failures,
        artefacts.certificate["digest"],
    )


def _read(path: Path, limit: int) -> str:
    try:
        if path.stat().st_size > limit:
            raise SpecificationError(f"{path}: expected a file of at most {limit} bytes")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecificationError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise SpecificationError(f"{path}: expected UTF-8 text") from None
    except OSError as error:
        raise SpecificationError(f"{path}: cannot be read: {error.strerror}") from None


def check_file(path: Path, progress: Report) -> CheckRecord:
    """Decide again what an emitted file states, from its header and its text alone.

    The claims of the specification in the header are proved, the certificate it names is made
    again and must have the stated digest, and the text is compiled and cross-checked. A matching
    digest of the body is not asked for: it proves nothing, and a rewritten text may be right.
    """
    from numeric_check import compile_kernel, cross_check

    text = _read(path, MAX_KERNEL_BYTES)
    try:
        header = read_header(text)
        encoding = from_document(header.specification)
    except (KernelError, SpecificationError) as error:
        raise SpecificationError(f"{path}: {error}") from None
    progress("proving")
    proof = prove(encoding)
    plan, document, (fresh,) = make_kernels(encoding, proof, [header.target], "")
    failures = [
        f"{c.name} is refuted: {c.witness or c.reason}"
        for c in proof.claims
        if c.verdict is Outcome.REFUTED
    ]
    if document["digest"] != header.certificate:
        failures.append(
            f"the header names the certificate {header.certificate}, but its specification has "
            f"{document['digest']}"
        )
    errors: dict[str, ErrorRecord] = {}
    progress(f"cross-checking {header.target}")
    try:
        kernel = compile_kernel(text, header.target, module=path.stem)
    except KernelError as error:
        failures.append(f"the text is not a kernel: {error}")
    else:
        measured = cross_check(kernel, plan)
        errors = error_records(measured)
        failures.extend(measured.failure_lines())
    return CheckRecord(
        str(path),
        "refuted" if failures else "holds",
        "identical" if fresh.text.partition('"""')[2] == text.partition('"""')[2] else "differs",
        [claim_record(c) for c in proof.claims],
        errors,
        failures,
    )


def recheck_files(paths: Sequence[Path], *, ignore_digest: bool) -> RecheckRecord:
    """Decide certificates again with the checker that shares no code with the prover."""
    items = []
    for path in paths:
        result = check_text(_read(path, MAX_CERTIFICATE_BYTES), ignore_digest=ignore_digest)
        items.append(RecheckItem(str(path), result.accepted, result.reason, dict(result.claims)))
    return RecheckRecord(items)
