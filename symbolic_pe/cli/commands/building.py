"""`build`, `classify` and `emit`: from a specification to verified code."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symbolic_pe.budget import Budget
from symbolic_pe.cli.exits import EXIT_OK, EXIT_REFUTED, EXIT_UNDECIDED, exit_code
from symbolic_pe.cli.options import budget_option, release_guard, snap_options, snapped_encoding
from symbolic_pe.cli.wording import SPEC_HELP, progress
from symbolic_pe.errors import NotYetCovered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symbolic_pe.jordan.snapping import Snapped
    from symbolic_pe.proof.claim import Claim


def _command_line(spec: str, structure: str | None = None, within: str | None = None) -> str:
    parts = [shlex.quote(spec)]
    if structure is not None:
        parts += ["--snap", structure]
    if within is not None:
        parts += ["--snap-within", shlex.quote(within)]
    return f"symbolic-pe build {' '.join(parts)}"


@click.command(help=f"Everything: classify, prove, emit, compile and cross-check.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Directory for the results; created, or files of the same names replaced.",
)
@click.option("--target", "targets", multiple=True, help="numpy, torch or array-api; repeatable.")
@snap_options
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@budget_option
def build(
    spec: str,
    *,
    output: Path,
    targets: tuple[str, ...],
    structure: str | None,
    within: str | None,
    as_json: bool,
    budget: Budget,
) -> None:
    """Build verified code for one encoding."""
    from symbolic_pe.cli.certificates import refutation_files
    from symbolic_pe.cli.checks import build_record, error_records
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.measured import build_measured
    from symbolic_pe.cli.nearness import snap_lines
    from symbolic_pe.cli.pipeline import build as run
    from symbolic_pe.cli.pipeline import choose_targets
    from symbolic_pe.cli.reading import read_any_specification, read_specification
    from symbolic_pe.cli.report import report_markdown
    from symbolic_pe.cli.text import build_text
    from symbolic_pe.encodings.axes import SeveralAxes
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.encodings.outside import Outside
    from symbolic_pe.proof.certificate import canonical
    from symbolic_pe.proof.claim import Outcome
    from symbolic_pe.whole_files import write_files

    found = read_any_specification(spec)
    if isinstance(found, (Outside, SeveralAxes)):
        made = build_measured(found, choose_targets(targets), _command_line(spec), progress)
        write_files(output, made.files)
        click.echo(to_text(made.record) if as_json else made.text(output), nl=False)
        sys.exit(exit_code(made.outcome))
    encoding = found if isinstance(found, Encoding) else read_specification(spec)
    encoding, changes = snapped_encoding(encoding, structure, within)
    artefacts = run(
        encoding,
        choose_targets(targets),
        _command_line(spec, structure, within),
        progress,
        budget=budget,
        exact_done=release_guard,
    )
    errors = {target: error_records(check) for target, check in artefacts.checks.items()}
    record = build_record(artefacts, errors, changes)
    if artefacts.outcome is not Outcome.REFUTED and artefacts.certificate is not None:
        files = {kernel.filename: kernel.text for kernel in artefacts.kernels}
        files["certificate.json"] = canonical(artefacts.certificate) + "\n"
        files["report.json"] = to_text(record)
        files["report.md"] = report_markdown(artefacts, errors, record.bounds, changes)
        write_files(output, files)
    elif refuting := refutation_files(artefacts.refutation):
        write_files(output, refuting)
    text = "".join(f"{line}\n" for line in snap_lines(changes))
    text += build_text(artefacts, errors, record.bounds, output)
    click.echo(to_text(record) if as_json else text, nl=False)
    sys.exit(exit_code(artefacts.outcome))


@click.command(help=f"Real Jordan blocks, families and growth.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option(
    "--nearness",
    "asked",
    is_flag=True,
    help="How near each eigenvalue is to a multiple one (default for arrays).",
)
@click.option("--closed-form", is_flag=True, help="Also exp(tX) in closed form, case by case.")
@snap_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@budget_option
def classify(
    spec: str,
    *,
    asked: bool,
    closed_form: bool,
    structure: str | None,
    within: str | None,
    as_json: bool,
    budget: Budget,
) -> None:
    """Classify one encoding."""
    from symbolic_pe.arrays import is_array_spec
    from symbolic_pe.cli.dispatch import classification
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.nearness import nearness_of
    from symbolic_pe.cli.reading import read_any_specification
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.errors import SpecificationError

    found = read_any_specification(spec)
    changes: tuple[Snapped, ...] = ()
    near = None
    if isinstance(found, Encoding):
        found, changes = snapped_encoding(found, structure, within)
        if asked or is_array_spec(spec):
            near = nearness_of(found, progress, asked=asked)
    elif asked or closed_form or structure is not None:
        raise SpecificationError(
            "--nearness, --snap and --closed-form are about one generator; this specification "
            "gives a step or axes"
        )
    shown = classification(found, budget, changes, near, closed_form=closed_form)
    click.echo(to_text(shown.record()) if as_json else shown.text() + "\n", nl=False)
    sys.exit(EXIT_UNDECIDED if shown.undecided else EXIT_OK)


def _refuse_refuted(claims: Sequence[Claim]) -> None:
    refuted = next((c for c in claims if c.verdict.value == "refuted"), None)
    if refuted is not None:
        click.echo(f"not emitted: {refuted.name} is refuted: {refuted.witness}", err=True)
        sys.exit(EXIT_REFUTED)


@click.command(help=f"Print the kernel for one target.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option("--target", default="numpy", show_default=True, help="numpy, torch or array-api.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to a file instead.")
@click.option(
    "--gappa",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write its rounding bounds as scripts that Gappa checks.",
)
@budget_option
def emit(
    spec: str, *, target: str, output: Path | None, gappa: Path | None, budget: Budget
) -> None:
    """Emit source text (proved, not cross-checked; see build)."""
    from symbolic_pe.cli.measured import claims_of, emitted
    from symbolic_pe.cli.reading import read_any_specification, read_specification
    from symbolic_pe.emit.targets import target_named
    from symbolic_pe.encodings.axes import SeveralAxes
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.encodings.outside import Outside
    from symbolic_pe.production import make_kernels
    from symbolic_pe.proof.prover import prove as run
    from symbolic_pe.whole_files import write_files

    target_named(target)
    found = read_any_specification(spec)
    if isinstance(found, (Outside, SeveralAxes)):
        if isinstance(found, SeveralAxes):
            _refuse_refuted(claims_of(found))
        kernel = emitted(found, target, f"{_command_line(spec)} --target {target}")
        if gappa is not None:
            raise NotYetCovered("scripts for Gappa are of kernels of one generator")
    else:
        encoding = found if isinstance(found, Encoding) else read_specification(spec)
        proof = run(encoding, budget)
        _refuse_refuted(proof.claims)
        plan, _, (kernel,) = make_kernels(encoding, proof, [target], _command_line(spec))
        if gappa is not None:
            from symbolic_pe.cli.gappa import write_scripts

            click.echo(write_scripts(kernel, plan, gappa), nl=False, err=True)
    if output is None:
        click.echo(kernel.text, nl=False)
    else:
        write_files(output.parent, {output.name: kernel.text})
