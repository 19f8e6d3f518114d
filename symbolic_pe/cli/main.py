"""The front door: `symbolic-pe`."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symbolic_pe.budget import DEFAULT_SECONDS, SHARE_OF_SEARCH, Budget
from symbolic_pe.cli.bench import bench
from symbolic_pe.cli.book import book
from symbolic_pe.cli.catalogue import catalogue
from symbolic_pe.cli.explain import explain
from symbolic_pe.cli.guard import Guard, guarded
from symbolic_pe.cli.proving.command import prove
from symbolic_pe.cli.wording import SPEC_HELP, progress
from symbolic_pe.errors import NotYetCovered, SymbolicPEError, Undecided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.jordan.snapping import Snapped
    from symbolic_pe.proof.claim import Claim, Outcome

EXIT_OK, EXIT_REFUTED, EXIT_MISUSE, EXIT_UNDECIDED = 0, 1, 2, 3
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
"""What shells report for Ctrl-C: nothing was decided."""

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
            raise
        click.echo(
            f"internal error ({type(error).__name__}): {error}\n"
            "This is a defect of symbolic-pe. Set SYMBOLIC_PE_DEBUG=1 to see where.",
            err=True,
        )
        sys.exit(EXIT_INTERNAL)


def exit_code(outcome: Outcome) -> int:
    """0 proved, 1 refuted, 3 undecided."""
    return {"proved": EXIT_OK, "refuted": EXIT_REFUTED, "undecided": EXIT_UNDECIDED}[outcome.value]


def _start_budget(context: click.Context, _: click.Parameter, seconds: float) -> Budget:
    if not math.isfinite(seconds):
        raise click.BadParameter("expected a number of seconds, such as 30")
    guard = context.find_object(Guard)
    if guard is not None:
        guard.allow(seconds)
    return Budget.of(seconds, SHARE_OF_SEARCH)


def _release() -> None:
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


def _command_line(spec: str, structure: str | None = None, within: str | None = None) -> str:
    parts = [shlex.quote(spec)]
    if structure is not None:
        parts += ["--snap", structure]
    if within is not None:
        parts += ["--snap-within", shlex.quote(within)]
    return f"symbolic-pe build {' '.join(parts)}"


def _snap_options(command: Callable[..., None]) -> Callable[..., None]:
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


def _snapped(
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


# -- commands ---------------------------------------------------------------------------------


@cli.command(help=f"Everything: classify, prove, emit, compile and cross-check.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Directory for the results; created, or files of the same names replaced.",
)
@click.option("--target", "targets", multiple=True, help="numpy, torch or array-api; repeatable.")
@_snap_options
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@budget_option
def build(
    spec: str,
    *,
    output: Path,
    targets: tuple[str, ...],
    structure: str | None,
    within: str | None,
    as_json: bool,
    budget: Budget,
) -> None:
    """Build verified code for one encoding."""
    from symbolic_pe.cli.certificates import refutation_files
    from symbolic_pe.cli.checks import build_record, error_records
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.measured import build_measured
    from symbolic_pe.cli.nearness import snap_lines
    from symbolic_pe.cli.pipeline import build as run
    from symbolic_pe.cli.pipeline import choose_targets
    from symbolic_pe.cli.reading import read_any_specification, read_specification
    from symbolic_pe.cli.report import report_markdown
    from symbolic_pe.cli.text import build_text
    from symbolic_pe.encodings.axes import SeveralAxes
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.encodings.outside import Outside
    from symbolic_pe.proof.certificate import canonical
    from symbolic_pe.proof.claim import Outcome
    from symbolic_pe.whole_files import write_files

    found = read_any_specification(spec)
    if isinstance(found, (Outside, SeveralAxes)):
        made = build_measured(found, choose_targets(targets), _command_line(spec), progress)
        write_files(output, made.files)
        click.echo(to_text(made.record) if as_json else made.text(output), nl=False)
        sys.exit(exit_code(made.outcome))
    encoding = found if isinstance(found, Encoding) else read_specification(spec)
    encoding, changes = _snapped(encoding, structure, within)
    artefacts = run(
        encoding,
        choose_targets(targets),
        _command_line(spec, structure, within),
        progress,
        budget=budget,
        exact_done=_release,
    )
    errors = {target: error_records(check) for target, check in artefacts.checks.items()}
    record = build_record(artefacts, errors, changes)
    if artefacts.outcome is not Outcome.REFUTED and artefacts.certificate is not None:
        files = {kernel.filename: kernel.text for kernel in artefacts.kernels}
        files["certificate.json"] = canonical(artefacts.certificate) + "\n"
        files["report.json"] = to_text(record)
        files["report.md"] = report_markdown(artefacts, errors, record.bounds, changes)
        write_files(output, files)
    elif refuting := refutation_files(artefacts.refutation):
        write_files(output, refuting)
    text = "".join(f"{line}\n" for line in snap_lines(changes))
    text += build_text(artefacts, errors, record.bounds, output)
    click.echo(to_text(record) if as_json else text, nl=False)
    sys.exit(exit_code(artefacts.outcome))


@cli.command(help=f"Real Jordan blocks, families and growth.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option(
    "--nearness",
    "asked",
    is_flag=True,
    help="How near each eigenvalue is to a multiple one (default for arrays).",
)
@click.option("--closed-form", is_flag=True, help="Also exp(tX) in closed form, case by case.")
@_snap_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@budget_option
def classify(
    spec: str,
    *,
    asked: bool,
    closed_form: bool,
    structure: str | None,
    within: str | None,
    as_json: bool,
    budget: Budget,
) -> None:
    """Classify one encoding."""
    from symbolic_pe.arrays import is_array_spec
    from symbolic_pe.cli.dispatch import classification
    from symbolic_pe.cli.json_text import to_text
    from symbolic_pe.cli.nearness import nearness_of
    from symbolic_pe.cli.reading import read_any_specification
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.errors import SpecificationError

    found = read_any_specification(spec)
    changes: tuple[Snapped, ...] = ()
    near = None
    if isinstance(found, Encoding):
        found, changes = _snapped(found, structure, within)
        if asked or is_array_spec(spec):
            near = nearness_of(found, progress, asked=asked)
    elif asked or closed_form or structure is not None:
        raise SpecificationError(
            "--nearness, --snap and --closed-form are about one generator; this specification "
            "gives a step or axes"
        )
    shown = classification(found, budget, changes, near, closed_form=closed_form)
    click.echo(to_text(shown.record()) if as_json else shown.text() + "\n", nl=False)
    sys.exit(EXIT_UNDECIDED if shown.undecided else EXIT_OK)


def _refuse_refuted(claims: Sequence[Claim]) -> None:
    refuted = next((c for c in claims if c.verdict.value == "refuted"), None)
    if refuted is not None:
        click.echo(f"not emitted: {refuted.name} is refuted: {refuted.witness}", err=True)
        sys.exit(EXIT_REFUTED)


@cli.command(help=f"Print the kernel for one target.\n\n{SPEC_HELP}")
@click.argument("spec")
@click.option("--target", default="numpy", show_default=True, help="numpy, torch or array-api.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to a file instead.")
@click.option(
    "--gappa",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write its rounding bounds as scripts that Gappa checks.",
)
@budget_option
def emit(
    spec: str, *, target: str, output: Path | None, gappa: Path | None, budget: Budget
) -> None:
    """Emit source text (proved, not cross-checked; see build)."""
    from symbolic_pe.cli.measured import claims_of, emitted
    from symbolic_pe.cli.reading import read_any_specification, read_specification
    from symbolic_pe.emit.targets import target_named
    from symbolic_pe.encodings.axes import SeveralAxes
    from symbolic_pe.encodings.encoding import Encoding
    from symbolic_pe.encodings.outside import Outside
    from symbolic_pe.production import make_kernels
    from symbolic_pe.proof.prover import prove as run
    from symbolic_pe.whole_files import write_files

    target_named(target)
    found = read_any_specification(spec)
    if isinstance(found, (Outside, SeveralAxes)):
        if isinstance(found, SeveralAxes):
            _refuse_refuted(claims_of(found))
        kernel = emitted(found, target, f"{_command_line(spec)} --target {target}")
        if gappa is not None:
            raise NotYetCovered("scripts for Gappa are of kernels of one generator")
    else:
        encoding = found if isinstance(found, Encoding) else read_specification(spec)
        proof = run(encoding, budget)
        _refuse_refuted(proof.claims)
        plan, _, (kernel,) = make_kernels(encoding, proof, [target], _command_line(spec))
        if gappa is not None:
            from symbolic_pe.cli.gappa import write_scripts

            click.echo(write_scripts(kernel, plan, gappa), nl=False, err=True)
    if output is None:
        click.echo(kernel.text, nl=False)
    else:
        write_files(output.parent, {output.name: kernel.text})


@cli.command()
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


@cli.command()
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


@cli.command()
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


@cli.command(epilog="Try:\n\n\b\n  symbolic-pe audit examples/rope_with_a_fault.py:rotary")
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


@cli.command(help=f"Symbol, spectrum and window of the positional kernel.\n\n{SPEC_HELP}")
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

    _release()
    click.echo(run_spectrum(Request(spec, **asked), budget, progress, as_json=as_json), nl=False)


cli.add_command(bench)
cli.add_command(book)
cli.add_command(catalogue)
cli.add_command(prove)
cli.add_command(explain)


@cli.command()
@click.argument("name")
def schema(name: str) -> None:
    """Print the JSON schema of one command's --json output."""
    from symbolic_pe.cli.output import SCHEMAS, schema_text
    from symbolic_pe.errors import SpecificationError

    if name not in SCHEMAS:
        raise SpecificationError(f"unknown schema {name!r}; expected one of {', '.join(SCHEMAS)}")
    click.echo(schema_text(name), nl=False)


if __name__ == "__main__":
    main()
