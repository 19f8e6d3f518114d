"""What several commands say, and how."""

from __future__ import annotations

import sys

import click

SPEC_HELP = (
    "SPEC is a catalogue name with settings (rope:dim=128,layout=half), a .toml file, a .json "
    "file with a matrix, a model's config.json, or an array (m.npy, w.npz:name, "
    "w.safetensors:name)."
)


def progress(message: str) -> None:
    """Progress for a person; silent in a pipe."""
    if sys.stderr.isatty():
        click.echo(f"  {message} ...", err=True)
