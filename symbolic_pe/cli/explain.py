"""`symbolic-pe explain`: one derivation, or the story of one encoding, as a page."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symbolic_pe.budget import Budget
from symbolic_pe.errors import SpecificationError

if TYPE_CHECKING:
    from symbolic_pe.render.page import Page

FORMATS = ("markdown", "latex", "html")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="markdown",
    show_default=True,
    help="latex is a document for lualatex or xelatex; html is one file that needs nothing else.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to a file instead.")
def explain(name: str | None, form: str, output: Path | None) -> None:
    """A derivation or an encoding as a page, every verdict decided now.

    NAME is any SPEC (a catalogue name with settings, or a file) or a derivation; where both have
    the name, `derivation:NAME` is the derivation. Without NAME, all of them are listed.
    """
    from symbolic_pe.whole_files import write_files

    text = listing() if name is None else printed(page_named(name, figures=form == "html"), form)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_files(output.parent, {output.name: text})


def page_named(name: str, *, figures: bool = False) -> Page:
    """The page of a derivation, of a catalogue entry, or of a specification.

    Raises `SpecificationError` for what is none of them, with the nearest known name.
    """
    from derivations import derivations
    from symbolic_pe.cli.reading import read_any_specification
    from symbolic_pe.cli.story import Related, entry_page, specification_page
    from symbolic_pe.encodings.catalogue import entries
    from symbolic_pe.encodings.specification import name_and_settings
    from symbolic_pe.proof.derivation import decide
    from symbolic_pe.render.derivation import derivation_page

    known = {d.name: d for d in derivations()}
    catalogue = entries()
    if name.partition(":")[0] in catalogue:
        entry, settings = name_and_settings(name)
        related = [Related(d.name, d.title) for d in known.values() if entry in d.justifies]
        return entry_page(catalogue[entry], settings, related, figures=figures)
    if (asked := name.removeprefix("derivation:")) in known:
        return derivation_page(decide(known[asked]), figures=figures)
    if "." in name:
        found = read_any_specification(name)
        return specification_page(found, name, Budget.of(), figures=figures)
    near = difflib.get_close_matches(name, [*known, *catalogue], n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise SpecificationError(
        f"{name!r} is no derivation and no encoding{hint}; `symbolic-pe explain` lists both"
    )


def printed(page: Page, form: str) -> str:
    """The page in one of `FORMATS`."""
    if form == "latex":
        from symbolic_pe.render.latex import latex

        return latex(page)
    if form == "html":
        from symbolic_pe.render.html import html

        return html(page)
    from symbolic_pe.render.markdown import markdown

    return markdown(page)


def listing() -> str:
    """Derivations by chapter, then the catalogue."""
    from derivations import CHAPTERS, derivations
    from symbolic_pe.encodings.catalogue import entries

    found = derivations()
    taken = entries()
    names = {d.name: f"derivation:{d.name}" if d.name in taken else d.name for d in found}
    width = max(map(len, [*names.values(), *taken]))
    lines = []
    for chapter in CHAPTERS:
        lines.append(chapter.title)
        lines += [
            f"  {names[d.name]:<{width}}  {d.title}" for d in found if d.chapter == chapter.key
        ]
    lines.append("Encodings")
    lines += [f"  {e.name:<{width}}  {e.title}" for e in taken.values()]
    return "\n".join(lines) + "\n"
