"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from symbolic_pe.budget import DEFAULT_SECONDS, SHARE_OF_SEARCH, Budget
from symbolic_pe.cli.guard import Guard

if TYPE_CHECKING:
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.jordan.snapping import Snapped


def _start_budget(context: click.Context, _: click.Parameter, seconds: float) -> Budget:
    if not math.isfinite(seconds):
        raise click.BadParameter("expected a number of seconds, such as 30")
    guard = context.find_object(Guard)
    if guard is not None:
        guard.allow(seconds)
    return Budget.of(seconds, SHARE_OF_SEARCH)


def release_guard() -> None:
    """No hard limit from here on: what follows is measuring."""
    guard = click.get_current_context().find_object(Guard)
    if guard is not None:
        guard.release()


budget_option = click.option(
    "--budget",
    type=click.FloatRange(min=0.0, max=86400.0),
    default=DEFAULT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    callback=_start_budget,
    help="Time for exact decisions; what is not reached comes back undecided.",
)


def snap_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--snap STRUCTURE` and `--snap-within EPS`."""
    within = click.option(
        "--snap-within",
        "within",
        metavar="EPS",
        help="For --snap defective: merge eigenvalues that meet within this spectral distance.",
    )
    structure = click.option(
        "--snap",
        "structure",
        metavar="STRUCTURE",
        help="Replace X by a matrix that is skew, symmetric, neutral or defective.",
    )
    return structure(within(command))


def snapped_encoding(
    encoding: Encoding, structure: str | None, within: str | None
) -> tuple[Encoding, tuple[Snapped, ...]]:
    """The encoding as asked for, and what was changed to get it."""
    from symbolic_pe.cli.nearness import snap_distance
    from symbolic_pe.encodings.snapped import snapped
    from symbolic_pe.errors import SpecificationError

    if structure is None:
        if within is not None:
            raise SpecificationError("--snap-within belongs to --snap defective")
        return encoding, ()
    return snapped(encoding, structure, snap_distance(within))
