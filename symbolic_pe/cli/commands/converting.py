"""`convert`: weights from one rotary layout to another."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from symbolic_pe.cli.exits import exit_code
from symbolic_pe.cli.wording import progress


@click.command()
@click.argument("path", metavar="INPUT", type=click.Path(path_type=Path))
@click.option("--from", "source", required=True, help="half, interleaved, or planes '0 2,1 3'.")
@click.option("--to", "target", required=True, help="The layout of the output, likewise.")
@click.option("--head-dim", type=click.IntRange(2), help="Channels of a head.")
@click.option("--rotary-dim", type=click.IntRange(2), help="How many of them turn (default: all).")
@click.option(
    "--rotary-start",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The first channel that turns.",
)
@click.option("--heads", type=click.IntRange(1), help="Query heads; checked, needed for --fused.")
@click.option("--kv-heads", type=click.IntRange(1), help="Key heads; checked.")
@click.option(
    "--tensor",
    "tensors",
    multiple=True,
    metavar="NAME[=KIND]",
    help="Permute these and no others; KIND is q, k, qkv, q_norm or k_norm. Globs; repeatable.",
)
@click.option(
    "--keep", multiple=True, metavar="NAME", help="Leave these as they are. Globs; repeatable."
)
@click.option(
    "--fused", metavar="ORDER", help="Rows of fused matrices: q,k,v, or group:q,k,v per key head."
)
@click.option("--list", "--dry-run", "listing", is_flag=True, help="Show all of it, write nothing.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A file, or a folder for a folder."
)
@click.option("--in-place", is_flag=True, help="Replace the input file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def convert(
    path: Path,
    *,
    source: str,
    target: str,
    head_dim: int | None,
    rotary_dim: int | None,
    rotary_start: int,
    heads: int | None,
    kv_heads: int | None,
    tensors: tuple[str, ...],
    keep: tuple[str, ...],
    fused: str | None,
    listing: bool,
    output: Path | None,
    in_place: bool,
    as_json: bool,
) -> None:
    """Permute W_q and W_k from one rotary layout to another, proved to keep scores.

    INPUT is a .safetensors, .npz or .npy file, or a folder with model.safetensors.index.json.
    """
    from symbolic_pe.checkpoints.config import Sizes
    from symbolic_pe.cli.conversion import conversion_record, conversion_text, prepare, write
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.errors import SpecificationError
    from symbolic_pe.proof.claim import Outcome

    if sum((listing, output is not None, in_place)) != 1:
        raise SpecificationError("give one of --list, -o OUTPUT and --in-place")
    if in_place and path.is_dir():
        raise SpecificationError("--in-place is for one file; write a folder to another with -o")
    found = prepare(
        path,
        (source, target),
        Sizes(head_dim, rotary_dim, heads, kv_heads),
        rotary_start=rotary_start,
        tensors=tensors,
        keep=keep,
        fused=fused,
    )
    written = path if in_place else output
    if found.outcome is not Outcome.PROVED:
        written = None
    if written is not None:
        progress(f"writing {written}")
        write(found, written, in_place=in_place)
    record = conversion_record(found, written)
    click.echo(to_text(record) if as_json else conversion_text(found, written), nl=False)
    sys.exit(exit_code(found.outcome))
