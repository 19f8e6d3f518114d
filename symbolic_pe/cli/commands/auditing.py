"""`audit`: encodings that other people wrote."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from symbolic_pe.cli.wording import progress


@click.command(epilog="Try:\n\n\b\n  symbolic-pe audit examples/rope_with_a_fault.py:rotary")
@click.argument("subject", metavar="MODULE:ATTRIBUTE", required=False)
@click.option("--key", metavar="MODULE:ATTRIBUTE", help="The map of keys, where it is another.")
@click.option(
    "--adapter",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A .py or .toml file that says how the subject is called.",
)
@click.option(
    "--kind",
    type=click.Choice(["maps", "score", "bias", "table"]),
    default="maps",
    show_default=True,
    help="What the callable is: f(x, positions), f(q, k, t, s), f(t, s) or f(positions).",
)
@click.option("--against", metavar="SPEC", help="What it should be; compared up to equivalence.")
@click.option("--strict", is_flag=True, help="Layout and orientation must be those of SPEC.")
@click.option("--gain", type=float, help="c^2, by which scores should be multiplied.")
@click.option(
    "--causal", is_flag=True, help="Judge a score or bias for keys before the query only."
)
@click.option("--dim", "dimension", type=click.IntRange(1, 1024), help="Channels of x.")
@click.option(
    "--axes",
    type=click.IntRange(1, 8),
    default=1,
    help="Coordinates of a position; a SPEC with axes sets it as well.",
)
@click.option("--library", help="numpy, torch or jax; found when not given.")
@click.option("--deep", is_flag=True, help="Also torch.compile and export, which take long.")
@click.option(
    "--clock", is_flag=True, help="Positions are real numbers, learned perhaps: judge that too."
)
@click.option("--known", is_flag=True, help="Audit every known package that is installed.")
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    help="With --known: put the table into this page, between its marks.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Also write report and pictures here."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def audit(
    subject: str | None,
    *,
    adapter: Path | None,
    against: str | None,
    known: bool,
    page: Path | None,
    output: Path | None,
    as_json: bool,
    **stated: Any,
) -> None:
    """Which encoding is the code that you have, and where does it break?

    MODULE:ATTRIBUTE (or FILE.py:ATTRIBUTE) names a callable f(x, positions) with x (..., n, d) and
    positions (n,). It is imported and called: audit runs the code that you name.
    """
    from symbolic_pe.cli.audit import Request, run_audit

    request = Request(subject, adapter, against, stated, known=known, page=page)
    text, code = run_audit(request, output, progress, as_json=as_json)
    click.echo(text, nl=False)
    sys.exit(code)
