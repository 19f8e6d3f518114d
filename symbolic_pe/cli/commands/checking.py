"""`check`, `recheck` and `schema`: what was written is decided again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from symbolic_pe.cli.exits import EXIT_OK, EXIT_REFUTED, EXIT_UNDECIDED
from symbolic_pe.cli.wording import progress


@click.command()
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (one object for one FILE).")
def check(files: tuple[Path, ...], as_json: bool) -> None:
    """Decide again what an emitted FILE states: its spec, its laws, its certificate."""
    from symbolic_pe.cli.checks import check_file
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.text import check_text

    records = [check_file(file, progress) for file in files]
    if as_json:
        click.echo(to_text(records[0] if len(records) == 1 else {"checks": records}), nl=False)
    else:
        click.echo("".join(check_text(record) for record in records), nl=False)
    codes = {"holds": EXIT_OK, "refuted": EXIT_REFUTED, "undecided": EXIT_UNDECIDED}
    found = [codes[record.verdict] for record in records]
    sys.exit(EXIT_REFUTED if EXIT_REFUTED in found else max(found))


@click.command()
@click.argument(
    "certificates", metavar="CERT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--ignore-digest", is_flag=True, help="Judge the mathematics alone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def recheck(certificates: tuple[Path, ...], ignore_digest: bool, as_json: bool) -> None:
    """Decide certificates again with the independent checker."""
    from symbolic_pe.cli.checks import recheck_files
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.text import recheck_text

    record = recheck_files(certificates, ignore_digest=ignore_digest)
    click.echo(to_text(record) if as_json else recheck_text(record), nl=False)
    sys.exit(EXIT_OK if all(c.accepted for c in record.certificates) else EXIT_REFUTED)


@click.command()
@click.argument("name")
def schema(name: str) -> None:
    """Print the JSON schema of one command's --json output."""
    from symbolic_pe.cli.output import SCHEMAS, schema_text
    from symbolic_pe.errors import SpecificationError

    if name not in SCHEMAS:
        raise SpecificationError(f"unknown schema {name!r}; expected one of {', '.join(SCHEMAS)}")
    click.echo(schema_text(name), nl=False)
