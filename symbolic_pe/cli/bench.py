"""`symbolic-pe bench`: what is measured side by side, in bulk, or for a whole catalogue."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from symbolic_pe.cli.exits import EXIT_REFUTED
from symbolic_pe.cli.wording import progress
from symbolic_pe.errors import SpecificationError

_page = click.option(
    "--page",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Put the table into this page, between its marks, instead of printing it.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _deliver(name: str, text: str, page: Path | None) -> None:
    from symbolic_pe.cli.pages import write_section

    if page is None:
        click.echo(text, nl=False)
    else:
        write_section(page, name, text)


def _check_page(name: str, page: Path | None) -> None:
    """Before minutes are spent."""
    from symbolic_pe.cli.pages import check_section

    if page is not None:
        check_section(page, name)


@click.group()
def bench() -> None:
    """Measure side by side in one run; prints a Markdown table."""


def _table_command(name: str, help_text: str) -> Callable[..., None]:
    def run(budget: float, page: Path | None) -> None:
        from numeric_check.bench import tables

        _check_page(name, page)
        _deliver(name, tables()[name](budget, progress), page)

    run.__doc__ = help_text
    option = click.option(
        "--budget",
        default=20.0,
        show_default=True,
        type=click.FloatRange(min=0.0, min_open=True),
        help="Seconds a peer may take per case; for kernels, seconds for each column.",
    )
    return bench.command(name)(option(_page(run)))


_table_command("startup", "Time of the first answer.")
_table_command("exact", "The exact core beside SymPy.")
_table_command("kernels", "Emitted RoPE beside other packages, as a ratio to a copy.")


@bench.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--target", "targets", multiple=True, help="Only this target; repeatable.")
@click.option(
    "--shape",
    default="1,8,1024",
    show_default=True,
    metavar="BATCH,HEADS,POSITIONS",
    help="Of x; the channels are those of the encoding.",
)
@click.option(
    "--budget",
    default=0.3,
    show_default=True,
    type=click.FloatRange(min=0.0, min_open=True),
    help="Seconds of timings of one line.",
)
@_page
@_json
def catalogue(
    names: tuple[str, ...],
    *,
    targets: tuple[str, ...],
    shape: str,
    budget: float,
    page: Path | None,
    as_json: bool,
) -> None:
    """Every catalogue encoding, target and dtype: proof, bound, measured error, time.

    Exit code 1 when a text is refuted or an error lies outside its bound.
    """
    from numeric_check.bench.catalogue import markdown, survey
    from symbolic_pe.cli.json_text import to_text

    if page is not None and as_json:
        raise SpecificationError("give one of --page and --json")
    _check_page("catalogue", page)
    found = survey(names, targets=targets, shape=_sizes(shape), budget=budget, progress=progress)
    text = to_text(found.to_dict()) if as_json else markdown(found)
    _deliver("catalogue", text, page)
    sys.exit(EXIT_REFUTED if found.refuted else 0)


def _sizes(text: str) -> tuple[int, int, int]:
    """Three positive integers."""
    parts = [p.strip() for p in text.split(",")]
    if len(parts) != 3 or not all(p.isdecimal() and 0 < int(p) <= 2**20 for p in parts):
        raise SpecificationError(
            f"--shape: expected BATCH,HEADS,POSITIONS, three whole numbers from 1 to 1048576 such "
            f"as 1,8,1024, got {text!r}"
        )
    batch, heads, positions = map(int, parts)
    return batch, heads, positions


@bench.command()
@click.option("--task", "tasks", multiple=True, help="distance or count; repeatable.")
@click.option("--encoding", "encodings", multiple=True, help="Only this encoding; repeatable.")
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True)
@click.option("--steps", type=click.IntRange(1), default=300, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="-1 for one on each core.")
@click.option(
    "--runs",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="One file for each run; runs that are there are not repeated.",
)
@_page
def tasks(
    tasks: tuple[str, ...],
    *,
    encodings: tuple[str, ...],
    seeds: int,
    steps: int,
    jobs: int,
    runs: Path,
    page: Path | None,
) -> None:
    """Train small models on a position-sensitive and a position-agnostic task with known ceilings.

    Needs torch (symbolic-pe[torch]). The same seed gives the same run.
    """
    try:
        from numeric_check.spectrum.tasks.models import ENCODINGS
        from numeric_check.spectrum.tasks.report import markdown
        from numeric_check.spectrum.tasks.training import run_all, settings
    except ImportError as error:
        raise SpecificationError(f"bench tasks needs symbolic-pe[torch]: {error}") from None
    from numeric_check.spectrum.tasks.generators import TASKS

    _check_page("tasks", page)
    wanted = settings(tasks or tuple(TASKS), encodings or tuple(ENCODINGS), seeds, steps=steps)
    found = run_all(wanted, runs, jobs=jobs, progress=progress)
    _deliver("tasks", markdown(found), page)


@bench.command()
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--sample", type=click.IntRange(1), help="Draw so many mutants of each file.")
@click.option("--processes", type=click.IntRange(1), help="By default one for each core.")
@click.option(
    "--runs",
    type=click.Path(file_okay=False, path_type=Path),
    help="One file for each kernel; those that are there are not decided again.",
)
@_page
@_json
def mutants(
    files: tuple[Path, ...],
    *,
    sample: int | None,
    processes: int | None,
    runs: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """Change emitted FILEs in one place, everywhere, and decide every change.

    A mutant is refuted (no kernel, a law of the cross-check, exact execution, a rounding bound),
    decided to be equivalent, or survives. Exit code 1 when one survives.
    """
    from numeric_check.mutation.campaign import campaign
    from numeric_check.mutation.specimens import specimens
    from numeric_check.mutation.table import markdown, record
    from symbolic_pe.cli.json_text import to_text

    if page is not None and as_json:
        raise SpecificationError("give one of --page and --json")
    _check_page("mutants", page)
    found = list(
        campaign(specimens(files), sample=sample, processes=processes, runs=runs, progress=progress)
    )
    text = to_text(record(found)) if as_json else markdown(found, sample=sample)
    _deliver("mutants", text, page)
    sys.exit(EXIT_REFUTED if any(r.survivors for r in found) else 0)
