"""Records of what was measured, and the decisions of `check` and `recheck`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from symbolic_pe.cli.claims import claim_record
from symbolic_pe.cli.measured import check_measured, doubts_of_edit, text_record
from symbolic_pe.cli.nearness import snap_records
from symbolic_pe.cli.output import (
    BiasRecord,
    BoundRecord,
    BoundsRecord,
    BuildRecord,
    CausalRecord,
    CheckRecord,
    ErrorRecord,
    RecheckItem,
    RecheckRecord,
    TextRecord,
    classification_record,
)
from symbolic_pe.cli.pipeline import Artefacts, Report
from symbolic_pe.cli.proving.certificates import SUFFIX, is_index
from symbolic_pe.cli.report import gauge_text
from symbolic_pe.emit.source import Header, read_header, split_source
from symbolic_pe.encodings.axes import SeveralAxes
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.forms import from_any_document
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import KernelError, SpecificationError
from symbolic_pe.jordan.snapping import Snapped
from symbolic_pe.production import make_kernels
from symbolic_pe.proof.checker import check_text
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import prove

if TYPE_CHECKING:
    from numeric_check.laws.cross_check import CrossCheck
    from numeric_check.rounding import DtypeBias, DtypeBound, DtypeCausal, KernelBounds

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


def bounds_record(bounds: KernelBounds) -> BoundsRecord:
    """From the value to the published record."""
    verdicts: dict[str, Literal["holds", "refuted", "undecided"]] = {
        "holds": "holds",
        "refuted": "refuted",
        "undecided": "undecided",
    }
    maps, rotate = (
        {dtype: _bound_record(found) for dtype, found in part.items()}
        for part in (bounds.dtypes, bounds.rotate)
    )
    bias = {dtype: _bias_record(found) for dtype, found in bounds.bias.items()}
    of_lag = {
        form: {dtype: _bound_record(found) for dtype, found in part.items()}
        for form, part in bounds.of_lag.items()
    }
    box = {name: list(ends) for name, ends in bounds.box.items()}
    verdict = verdicts[bounds.verdict]
    causal, runs = (
        {dtype: _causal_record(found) for dtype, found in part.items()}
        for part in (bounds.causal, bounds.runs)
    )
    return BoundsRecord(verdict, bounds.reason, maps, rotate, bias, of_lag, box, causal, runs)


def _causal_record(found: DtypeCausal) -> CausalRecord:
    bound = found.bound
    coefficients = [_finite(c) for c in bound.error]
    return CausalRecord(
        bound.formula, coefficients, bound.limit, bound.gap, _finite(found.measured)
    )


def _bias_record(found: DtypeBias) -> BiasRecord:
    bound = found.bound
    return BiasRecord(
        bound.formula,
        [_finite(c) for c in bound.error],
        bound.reach,
        bound.tolerance,
        bound.safe,
        _finite(found.measured),
    )


def _bound_record(found: DtypeBound) -> BoundRecord:
    bound, safe = found.bound, found.safe
    limits: dict[str, Literal["tolerance", "range", "domain", "horizon"]] = {
        "tolerance": "tolerance",
        "range": "range",
        "domain": "domain",
        "horizon": "horizon",
    }
    return BoundRecord(
        bound.formula,
        [_finite(c) for c in bound.relative],
        _finite(bound.absolute),
        bound.reach,
        "domain" if bound.limited_by == "domain" else "range",
        safe.tolerance,
        safe.position,
        limits[safe.limited_by],
        _finite(found.measured.ratio),
        str(found.measured),
    )


def build_record(
    artefacts: Artefacts,
    errors: dict[str, dict[str, ErrorRecord]],
    snapped: Sequence[Snapped] = (),
) -> BuildRecord:
    """The published record of one build."""
    return BuildRecord(
        artefacts.encoding.name,
        artefacts.encoding.verdict.value,
        artefacts.outcome.value,
        classification_record(artefacts.classification, snap_records(snapped)),
        [claim_record(c) for c in artefacts.proof.claims],
        None if artefacts.plan is None else gauge_text(artefacts.plan),
        {kernel.target: kernel.filename for kernel in artefacts.kernels},
        {target: text_record(text) for target, text in artefacts.texts.items()},
        errors,
        {target: bounds_record(bounds) for target, bounds in artefacts.bounds.items()},
        artefacts.failures,
        None if artefacts.certificate is None else artefacts.certificate["digest"],
        None if artefacts.refutation is None else artefacts.refutation["digest"],
    )


def _read(path: Path, limit: int) -> str:
    try:
        if path.exists() and not path.is_file():
            raise SpecificationError(f"{path}: expected a regular file")
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
    again and must have the stated digest, and the text is executed on exact ring elements, with its
    parameters as symbols, compiled, and cross-checked. A matching digest of the body is not asked
    for: it proves nothing, and a rewritten text may be right. Code that differs from what is
    emitted holds when exact execution decides the edit (see `numeric_check.kernels.edited_text`),
    and is `undecided` otherwise: no sample shows what it does elsewhere. Rounding errors are
    bounded and measured to lie inside, and bounds that the header states have to be at least those;
    where an edit makes them larger, it is not known whether what the header states is still true.
    """
    from numeric_check import (
        compile_kernel,
        cross_check,
        prove_text,
        same_code,
    )
    from numeric_check.rounding import judge

    text = _read(path, MAX_KERNEL_BYTES)
    try:
        header = read_header(text)
        described = from_any_document(header.specification)
        if isinstance(described, (Outside, SeveralAxes)):
            return check_measured(path, text, described)
        encoding = (
            described
            if isinstance(described, Encoding)
            else from_document(header.specification)  # says why there is no kernel of it
        )
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
    same = split_source(fresh.text)[1] == split_source(text)[1]
    failures.extend(_false_lines(header, read_header(fresh.text), document["digest"], same=same))
    errors: dict[str, ErrorRecord] = {}
    bounds = BoundsRecord("undecided", "the text was not executed", {}, {}, {})
    found = TextRecord("undecided", "the text was not executed")
    doubts: list[str] = []
    progress(f"proving and cross-checking the {header.target} text")
    try:
        kernel = compile_kernel(text, header.target, module=path.stem)
    except KernelError as error:
        failures.append(f"the text is not a kernel: {error}")
    else:
        decided = prove_text(kernel, plan, operator=True)
        found = text_record(decided)
        if decided.verdict == "refuted":
            failures.append(f"the text is refuted: {decided.reason}")
        measured = cross_check(kernel, plan, calls=True)
        errors = error_records(measured)
        failures.extend(measured.failure_lines())
        judged = judge(kernel, plan)
        bounds = bounds_record(judged)
        failures.extend(judged.failures)
        if not same_code(text, fresh.text):
            doubts = doubts_of_edit(text, fresh, decided)
            if not doubts and not failures:
                progress("bounding the text that is emitted")
                doubts = judged.larger_than(judge(compile_kernel(fresh), plan))
        (failures if same else doubts).extend(judged.false_statements(kernel.header))
    verdict: Literal["holds", "refuted", "undecided"] = "holds"
    if failures or doubts:
        verdict = "refuted" if failures else "undecided"
    return CheckRecord(
        str(path),
        verdict,
        "identical" if same else "differs",
        found,
        [claim_record(c) for c in proof.claims],
        errors,
        bounds,
        failures,
        doubts,
    )


def _false_lines(header: Header, fresh: Header, certificate: str, *, same: bool) -> Iterator[str]:
    """What the header says and what is not so; bounds aside."""
    if certificate != header.certificate:
        yield (
            f"the header names the certificate {header.certificate}, but its specification has "
            f"{certificate}; emit the file again"
        )
    if header.title != fresh.title:
        yield f"the first line names {header.title!r}, but the specification is {fresh.title!r}"
    if same and header.body_digest != fresh.body_digest:
        yield "the header states another digest than that of the body below it"


def recheck_files(paths: Sequence[Path], *, ignore_digest: bool) -> RecheckRecord:
    """Decide certificates again with the checker that shares no code with the prover.

    The index that `prove -o` writes beside them is no certificate, and is passed over. Raises
    `SpecificationError` where nothing else was given.
    """
    items = []
    for path in paths:
        text = _read(path, MAX_CERTIFICATE_BYTES)
        if is_index(text):
            continue
        result = check_text(text, ignore_digest=ignore_digest)
        items.append(RecheckItem(str(path), result.accepted, result.reason, dict(result.claims)))
    if not items:
        raise SpecificationError(
            f"{paths[0]}: expected a certificate, got the index of a directory; its certificates "
            f"are the files *{SUFFIX} beside it"
        )
    return RecheckRecord(items)
