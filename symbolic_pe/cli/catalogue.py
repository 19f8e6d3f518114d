"""`symbolic-pe catalogue`: list and filter known encodings, show one, compare two."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symbolic_pe.decision import Decision
    from symbolic_pe.encodings.entry import Entry


@click.group(invoke_without_command=True)
@click.option("--family", help="Only this family.")
@click.option("--verdict", help="Only verdicts containing this text.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def catalogue(
    context: click.Context, family: str | None, verdict: str | None, *, as_json: bool
) -> None:
    """Known encodings with family, verdict and defaults.

    With `show NAME` everything that is known of one, decided now; with `compare A B` what two
    encodings have in common.
    """
    if context.invoked_subcommand is not None:
        return
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.known_encodings import CatalogueRecord, catalogue_text, entry_record
    from symbolic_pe.encodings.catalogue import entries

    chosen = [e for e in entries().values() if _matches(e, family, verdict)]
    record = CatalogueRecord([entry_record(entry) for entry in chosen])
    click.echo(to_text(record) if as_json else catalogue_text(record) + "\n", nl=False)


def _matches(entry: Entry, family: str | None, verdict: str | None) -> bool:
    from symbolic_pe.encodings.encoding import Verdict
    from symbolic_pe.encodings.entry import FAMILIES
    from symbolic_pe.errors import SpecificationError

    if family is not None and family not in FAMILIES:
        raise SpecificationError(f"--family: expected one of {', '.join(FAMILIES)}, got {family!r}")
    if verdict is not None and not any(verdict in v.value for v in Verdict):
        raise SpecificationError(
            f"--verdict: expected a part of one of {'; '.join(v.value for v in Verdict)}, "
            f"got {verdict!r}"
        )
    return (family is None or entry.family == family) and (
        verdict is None or verdict in entry.verdict.value
    )


@catalogue.command()
@click.argument("spec", metavar="NAME[:SETTINGS]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write certificates of its claims and refutations of its mis-statements for recheck, into "
    "a directory of their own: they take the place of those that an earlier run wrote there.",
)
def show(spec: str, *, as_json: bool, output: Path | None) -> None:
    """One entry: definition, verdict with evidence, published values, mis-statements."""
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.known_encodings import shown_entry, shown_text
    from symbolic_pe.encodings.catalogue import entry_named
    from symbolic_pe.encodings.specification import name_and_settings

    name, settings = name_and_settings(spec)
    entry = entry_named(name)
    mistakes = {mistake.name: mistake.refute() for mistake in entry.mistakes}
    record = shown_entry(entry, settings, mistakes)
    if output is not None:
        _write_certificates(output, entry, settings, mistakes)
    click.echo(to_text(record) if as_json else shown_text(record) + "\n", nl=False)
    sys.exit({"proved": 0, "refuted": 1, "undecided": 3}[record.outcome])


def _write_certificates(
    directory: Path,
    entry: Entry,
    settings: Mapping[str, object],
    mistakes: Mapping[str, Decision],
) -> None:
    from symbolic_pe.cli.proving.certificates import Without, write_certificates
    from symbolic_pe.proof.certificate import canonical
    from symbolic_pe.proof.certificate_of_mistakes import certificates_of_entry

    found, without = certificates_of_entry(entry, settings, mistakes)
    texts = [(name, canonical(stated), stated["digest"]) for name, stated in found.items()]
    index = write_certificates(directory, texts, [Without(*item) for item in without.items()])
    for item in index.without:
        click.echo(f"no certificate of {item.spec}: {item.reason}", err=True)
    count = len(index.certificates)
    click.echo(f"wrote {count} certificate{'' if count == 1 else 's'} to {directory}", err=True)


@catalogue.command()
@click.argument("specs", metavar="A B", nargs=2)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(specs: tuple[str, str], *, as_json: bool) -> None:
    """What two encodings have in common, and the blocks in which they differ.

    A and B are specifications: `rope`, `yarn:factor=8`, a file.
    """
    from symbolic_pe.cli.comparison import compared, comparison_text
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.reading import read_any_specification

    forms: Any = tuple(read_any_specification(spec) for spec in specs)
    record = compared(specs, forms)
    click.echo(to_text(record) if as_json else comparison_text(record) + "\n", nl=False)
