"""`symbolic-pe book`: every page of the documentation that is generated, into a copy of `docs/`."""

from __future__ import annotations

from pathlib import Path

import click

from symbolic_pe.errors import SpecificationError


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
def book(directory: Path) -> None:
    """Write the generated pages of the documentation into DIRECTORY, a copy of docs/.

    Derivations, catalogue, pictures and reference; every verdict is decided now. `make docs` makes
    the site of it.
    """
    from symbolic_pe.whole_files import write_files

    if not (directory / "references.bib").is_file():
        raise SpecificationError(
            f"{directory}: expected a copy of docs/ with references.bib; see `make docs`"
        )
    folders: dict[Path, dict[str, str]] = {}
    for path, text in book_files(directory).items():
        target = directory / path
        folders.setdefault(target.parent, {})[target.name] = text
    for folder, files in folders.items():
        write_files(folder, files)
    click.echo(f"{sum(map(len, folders.values()))} pages written to {directory}", err=True)


def book_files(docs: Path) -> dict[str, str]:
    """Every generated page by its path below docs/."""
    from derivations import CHAPTERS, derivations
    from symbolic_pe.cli.bibliography import read_bibliography
    from symbolic_pe.cli.catalogue_pages import catalogue_files
    from symbolic_pe.cli.chapter_pages import chapter_files
    from symbolic_pe.cli.interface_pages import command_page, python_pages
    from symbolic_pe.cli.main import cli
    from symbolic_pe.proof.derivation import decide

    cite = read_bibliography(docs / "references.bib").key
    decided = {d.name: decide(d) for d in derivations()}
    return {
        **chapter_files(CHAPTERS, decided, cite),
        **catalogue_files(decided.values(), cite),
        **python_pages(),
        "reference/command-line.md": command_page(cli),
    }
