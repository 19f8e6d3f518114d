"""`spectrum`: what an encoding does to logits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from symbolic_pe.budget import Budget
from symbolic_pe.cli.options import budget_option, release_guard
from symbolic_pe.cli.wording import SPEC_HELP, progress


@click.command(help=f"Symbol, spectrum and window of the positional kernel.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option(
    "--length",
    type=click.IntRange(2),
    default=4096,
    show_default=True,
    metavar="N",
    help="Number of positions.",
)
@click.option(
    "--lags",
    type=click.IntRange(1, 1 << 32),
    default=1 << 20,
    show_default=True,
    help="How far to look for a negative lag.",
)
@click.option(
    "--weights",
    metavar="LIST|FILE",
    help="One number >= 0 for each block: 1,0.5,... or a .npy file.",
)
@click.option(
    "--search",
    metavar="LOW:HIGH",
    help="Bases for which every lag below --window is positive, as certified intervals.",
)
@click.option("--window", type=click.IntRange(2, 1 << 24), help="For --search: lags to be served.")
@click.option(
    "--figure",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also draw it as SVG (needs matplotlib).",
)
@click.option(
    "--queries",
    metavar="FILE",
    help="Measured queries (heads, n, d) before the encoding: .npy, or .safetensors:NAME.",
)
@click.option("--keys", metavar="FILE", help="Measured keys, likewise.")
@click.option("--full", is_flag=True, help="Measured heads see every key; by default, causal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@budget_option
def spectrum(spec: str, *, as_json: bool, budget: Budget, **asked: Any) -> None:
    """What an encoding does to the spectrum of logits, with a verdict on each published claim."""
    from symbolic_pe.cli.spectrum import Request, run_spectrum

    release_guard()
    click.echo(run_spectrum(Request(spec, **asked), budget, progress, as_json=as_json), nl=False)
