"""The front door: `symbolic-pe`, its commands, and how a run of one ends."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence

import click

from symbolic_pe.cli.bench import bench
from symbolic_pe.cli.book import book
from symbolic_pe.cli.catalogue import catalogue
from symbolic_pe.cli.commands.auditing import audit
from symbolic_pe.cli.commands.building import build, classify, emit
from symbolic_pe.cli.commands.checking import check, recheck, schema
from symbolic_pe.cli.commands.converting import convert
from symbolic_pe.cli.commands.spectra import spectrum
from symbolic_pe.cli.exits import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_MISUSE,
    EXIT_OK,
    EXIT_REFUTED,
    EXIT_UNDECIDED,
)
from symbolic_pe.cli.explain import explain
from symbolic_pe.cli.guard import Guard, guarded
from symbolic_pe.cli.proving.command import prove
from symbolic_pe.errors import NotYetCovered, SymbolicPEError, Undecided

EPILOG = "Try:  symbolic-pe build rope:dim=128 --target numpy -o rope-kernel"


class _Group(click.Group):
    """Turns every expected error into one message and an exit code."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (NotYetCovered, Undecided) as error:
            click.echo(f"undecided: {error}", err=True)
            ctx.exit(EXIT_UNDECIDED)
        except SymbolicPEError as error:
            refuted = error.refutes
            click.echo(f"{'refuted' if refuted else 'error'}: {error}", err=True)
            ctx.exit(EXIT_REFUTED if refuted else EXIT_MISUSE)
        except (RecursionError, MemoryError):
            click.echo("error: the input is too large or too deeply nested", err=True)
            ctx.exit(EXIT_MISUSE)
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            ctx.exit(EXIT_INTERRUPTED)


@click.group(cls=_Group, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="symbolic-pe")
def cli() -> None:
    """Verified positional encodings: classify, prove, emit and cross-check."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the console script; the work is done in a guarded child."""
    status = guarded(lambda guard: _run(arguments, guard))
    if status is None:
        _run(arguments, None)
    sys.exit(status)


def _run(arguments: Sequence[str] | None, guard: Guard | None) -> None:
    """Run one command and end the process, whatever happens."""
    code: object = EXIT_INTERNAL
    try:
        _command(arguments, guard)
        code = EXIT_OK
    except SystemExit as ending:
        code = ending.code
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        if guard is not None:
            if "joblib" in sys.modules:  # ends its workers and removes its folders at exit
                atexit._run_exitfuncs()
            os._exit(code if isinstance(code, int) else EXIT_OK if code is None else 1)
    sys.exit(code if isinstance(code, int) else None)


def _command(arguments: Sequence[str] | None, guard: Guard | None) -> None:
    try:
        cli.main(
            args=list(arguments) if arguments is not None else None,
            prog_name="symbolic-pe",
            obj=guard,
        )
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_OK)
    except Exception as error:
        if os.environ.get("SYMBOLIC_PE_DEBUG"):
            traceback.print_exc()  # the process ends before Python would
        else:
            click.echo(
                f"internal error ({type(error).__name__}): {error}\n"
                "This is a defect of symbolic-pe. Set SYMBOLIC_PE_DEBUG=1 to see where.",
                err=True,
            )
        sys.exit(EXIT_INTERNAL)


for _each in (
    audit, bench, book, build, catalogue, check, classify, convert, emit, explain, prove, recheck,
    schema, spectrum,
):  # fmt: skip
    cli.add_command(_each)


if __name__ == "__main__":
    main()
