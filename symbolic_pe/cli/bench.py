"""`symbolic-pe bench`: what is measured side by side, in bulk, or for a whole catalogue."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from symbolic_pe.errors import SpecificationError

EXIT_REFUTED = 1
_page = click.option(
    "--page",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Put the table into this page, between its marks, instead of printing it.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _progress(message: str) -> None:
    """Progress for a person; silent in a pipe."""
    if sys.stderr.isatty():
        click.echo(f"  {message} ...", err=True)


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
        _deliver(name, tables()[name](budget, _progress), page)

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
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--sample", type=click.IntRange(1), help="Draw so many mutants of each file.")
@click.option("--processes", type=click.IntRange(1), help="By default one for each core.")
@_page
@_json
def mutants(
    files: tuple[Path, ...],
    sample: int | None,
    processes: int | None,
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
    from symbolic_pe.cli.output import to_text

    if page is not None and as_json:
        raise SpecificationError("give one of --page and --json")
    _check_page("mutants", page)
    found = list(campaign(specimens(files), sample=sample, processes=processes, progress=_progress))
    text = to_text(record(found)) if as_json else markdown(found, sample=sample)
    _deliver("mutants", text, page)
    sys.exit(EXIT_REFUTED if any(r.survivors for r in found) else 0)
