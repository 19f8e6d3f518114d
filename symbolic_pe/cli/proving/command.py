"""The command `prove`: what is asked, in what manner, and where the answers go."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symbolic_pe.budget import DEFAULT_SECONDS
from symbolic_pe.cli.exits import EXIT_INTERNAL, EXIT_REFUTED, EXIT_UNDECIDED
from symbolic_pe.cli.guard import Guard
from symbolic_pe.cli.wording import SPEC_HELP

if TYPE_CHECKING:
    from symbolic_pe.cli.proving.records import Judged
    from symbolic_pe.cli.proving.sources import Sources
    from symbolic_pe.cli.proving.store import Store

EXIT_CODES = {"proved": 0, "refuted": 1, "error": 2, "undecided": 3}
HELP = f"""Decide the claims of encodings: one, several, or all of a directory.

{SPEC_HELP} A directory is searched for *.toml, config.json, *.json with a matrix, and arrays.

Exit codes: 0 all proved, 1 something refuted, 3 something undecided and nothing refuted, 2 a
specification is bad (the others are judged all the same).
"""


@dataclass(frozen=True)
class Request:
    """Everything that the command line says."""

    specs: tuple[str, ...]
    exclude: tuple[str, ...]
    jobs: int
    budget: float
    cache: Path | None
    no_cache: bool
    again: bool
    output: Path | None
    rocq: Path | None
    junit: Path | None
    junit_undecided: str
    as_json: bool
    verbose: bool


@click.command(help=HELP)
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Leave out files and directories with such a name or path; repeatable.",
)
@click.option(
    "--jobs",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Processes at a time (default: all cores).",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0.0, max=86400.0),
    default=DEFAULT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    callback=lambda _context, _parameter, seconds: _finite(seconds),
    help="Time for the exact decisions of each SPEC; what is not reached comes back undecided.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where verdicts are remembered (default: $XDG_CACHE_HOME/symbolic-pe).",
)
@click.option("--no-cache", is_flag=True, help="Decide everything, remember nothing.")
@click.option("--again", is_flag=True, help="Decide also what is remembered, and compare.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the certificates, which recheck decides independently.",
)
@click.option(
    "--rocq",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write what is proved as Rocq files that coqc checks.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write JUnit XML, one test case a claim.",
)
@click.option(
    "--junit-undecided",
    type=click.Choice(["skipped", "failure"]),
    default="skipped",
    show_default=True,
    help="How JUnit XML tells an undecided claim.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (one object for one SPEC).")
@click.option(
    "-v", "--verbose", is_flag=True, help="Every claim, what was left alone, what was remembered."
)
@click.pass_context
def prove(context: click.Context, /, **given: object) -> None:
    """Prove or refute."""
    request = Request(**given)  # type: ignore[arg-type]  # click has checked the types
    sys.exit(run(request, limited=context.find_object(Guard) is not None))


def _finite(seconds: float) -> float:
    if not math.isfinite(seconds):
        raise click.BadParameter("expected a number of seconds, such as 30")
    return seconds


def run(request: Request, *, limited: bool) -> int:
    """Decide, write, print; the exit code. Raises `SymbolicPEError` where nothing can be written.

    `limited` has every specification decided in a child process that ends in time.
    """
    from symbolic_pe.cli.proving import campaign
    from symbolic_pe.cli.proving.keys import Options
    from symbolic_pe.cli.proving.sources import sources

    asked = sources(request.specs, request.exclude)
    found = campaign.run(
        asked.found,
        Options(request.budget, rocq=request.rocq is not None),
        store := _store(request),
        campaign.Manner(request.jobs, limited, request.again),
    )
    judged = [(s.label, j) for s, j in zip(asked.found, found.judged, strict=True)]
    _print(request, judged, asked)
    for _, verdict in judged:
        if verdict.error:
            click.echo(f"error: {verdict.error}", err=True)
        elif verdict.undecided and not asked.searched:
            click.echo(f"undecided: {verdict.undecided}", err=True)
    for label in found.differing:
        click.echo(f"refuted: {label}: the remembered verdict is not the one decided now", err=True)
    if store.fault:
        click.echo(f"verdicts are not remembered: {store.fault}", err=True)
    if request.verbose:
        damaged = f", {len(store.damaged)} damaged entries decided again" if store.damaged else ""
        click.echo(f"{len(found.remembered)} of {len(judged)} remembered{damaged}", err=True)
    exported = _write(request, judged)
    return _exit_code(judged, differing=bool(found.differing), exported=exported)


def _store(request: Request) -> Store:
    from symbolic_pe.cli.proving.store import Store, default_directory

    if request.no_cache:
        return Store(None)
    if request.cache is not None:
        return Store(request.cache, required=True)
    return Store(default_directory())


def _print(request: Request, judged: Sequence[tuple[str, Judged]], asked: Sources) -> None:
    from symbolic_pe.cli.claims import ProofRecord
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.proving import records
    from symbolic_pe.cli.proving.texts import claims_of_each, listing

    counts = records.totals([j for _, j in judged])
    if request.as_json and asked.several:
        record = records.ProvedManyRecord(
            records.worst(counts),
            counts,
            [records.specification_record(label, j) for label, j in judged],
            [records.LeftAloneRecord(item.label, item.reason) for item in asked.left_alone],
        )
        click.echo(to_text(record), nl=False)
    elif request.as_json:
        for _, found in judged:
            if found.claims:
                click.echo(to_text(ProofRecord(found.name, found.claims)), nl=False)
    elif asked.searched:
        click.echo(listing(judged, counts, asked.left_alone, verbose=request.verbose), nl=False)
    else:
        click.echo(claims_of_each(judged), nl=False)


def _write(request: Request, judged: Sequence[tuple[str, Judged]]) -> bool:
    """Every file that was asked for; whether the export to Rocq is complete."""
    quiet = request.as_json
    if request.output is not None:
        from symbolic_pe.cli.proving.certificates import write_judged

        index = write_judged(request.output, judged)
        count = len(index.certificates)
        click.echo(
            f"wrote {count} certificate{'' if count == 1 else 's'} to {request.output}", err=quiet
        )
        if request.verbose or len(judged) == 1:
            for label, found in judged:
                if found.no_certificate:
                    click.echo(f"no certificate of {label}: {found.no_certificate}", err=True)
    if request.junit is not None:
        from symbolic_pe.cli.proving.junit import junit_text
        from symbolic_pe.whole_files import write_files

        text = junit_text(judged, "failure" if request.junit_undecided == "failure" else "skipped")
        write_files(request.junit.parent, {request.junit.name: text})
    if request.rocq is None:
        return True
    left_out = [(label, found.no_rocq) for label, found in judged if found.no_rocq]
    for _, reason in left_out:
        click.echo(f"undecided: not exported: {reason}", err=True)
    files = [found.rocq for _, found in judged if found.rocq is not None]
    if files:
        from symbolic_pe.cli.rocq import export_text, write_export
        from symbolic_pe.proof.rocq.project import project

        export = project(files)
        write_export(export, request.rocq)
        click.echo(export_text(export, request.rocq), err=quiet)
    return not left_out


def _exit_code(judged: Sequence[tuple[str, Judged]], *, differing: bool, exported: bool) -> int:
    """An internal error first, then bad input, refuted, undecided."""
    from symbolic_pe.cli.proving.records import totals, worst

    if any(found.internal for _, found in judged):
        return EXIT_INTERNAL
    code = EXIT_CODES[worst(totals([found for _, found in judged]))]
    if code == 0 and not exported:
        code = EXIT_UNDECIDED
    return EXIT_REFUTED if differing and code in (0, EXIT_UNDECIDED) else code
