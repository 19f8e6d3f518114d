"""Every encoding of the catalogue on every target and dtype: proof, bound, error, time.

One line says of one kernel in one dtype: what exact execution proves of its text, the rounding
bound, the largest measured error as a share of that bound, and the time of `transform_query` as a
ratio to a copy of the same bytes into new memory by the same library, run in turns. The bounds of
its other functions have lines of their own, and so have biases and tables that are no group.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from numeric_check.kernels.kernel import DTYPE_OF, Kernel, compile_kernel
from numeric_check.rounding import KernelBounds, judge, judge_positions
from numeric_check.text_proof.prove import TextProof, prove_text
from symbolic_pe.emit.plan import KernelPlan, plan_kernel
from symbolic_pe.emit.position_functions import emit_position_function
from symbolic_pe.emit.source import emit
from symbolic_pe.emit.targets import TARGETS
from symbolic_pe.encodings.catalogue import catalogue, catalogue_form, entries, own_kernels
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.errors import KernelError, NotYetCovered, SpecificationError

SEED = 2026
SHAPE = (1, 8, 1024)
LEAST_ROUNDS, MOST_ROUNDS = 5, 101
MAPS = frozenset({"transform_query", "transform_key"})
OTHERS = (
    "The other functions, and biases and tables that are no group:",
    "",
    "| encoding | target | function | dtype | text | bound eps | up to | error/bound |",
    "|---|---|---|---|---|---|---|---:|",
)
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Cell:
    """One kernel in one dtype.

    text      `proved`, `undecided`, `refuted`; `functions` are those that were executed exactly
    bound     ε as a formula, empty where none is derived; it holds up to `reach`
    measured  largest measured error/bound
    ratio     time/time of a copy: the median over rounds, and the quartiles
    note      why something is missing
    """

    encoding: str
    target: str
    dtype: str
    text: str = ""
    functions: tuple[str, ...] = ()
    bound: str = ""
    reach: float = 0.0
    measured: float | None = None
    ratio: float | None = None
    quartiles: tuple[float, float] = (0.0, 0.0)
    note: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the text is refuted, or an error lies outside the bound."""
        return self.text == "refuted" or (self.measured or 0.0) > 1.0


@dataclass(frozen=True)
class Beside:
    """The bound of another function of a kernel in one dtype, or of a bias or a table.

    text      `proved`, `undecided`, `refuted`
    bound     ε as a formula, up to `reach`: `abs(u) <= 1048576`, `n <= 85701, gaps <= 40`
    measured  largest measured error/bound; None where none was measured
    note      why there is no bound
    """

    encoding: str
    target: str
    function: str
    dtype: str
    text: str = ""
    bound: str = ""
    reach: str = ""
    measured: float | None = None
    note: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the text is refuted, or an error lies outside the bound."""
        return self.text == "refuted" or (self.measured or 0.0) > 1.0


@dataclass(frozen=True)
class Peer:
    """A form of RoPE, of this package or another, as `bench kernels` measures it."""

    form: str
    layout: str
    dtype: str
    ratio: float | None
    error: float
    note: str = ""


@dataclass(frozen=True)
class Survey:
    """All lines, with what they were measured on."""

    shape: tuple[int, int, int]
    cells: tuple[Cell, ...]
    peers: tuple[Peer, ...] = ()
    conditions: str = field(default="")
    beside: tuple[Beside, ...] = ()

    @property
    def refuted(self) -> list[Cell | Beside]:
        """The lines that do not hold."""
        lines: list[Cell | Beside] = [*self.cells, *self.beside]
        return [line for line in lines if line.refuted]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "conditions": self.conditions,
            "shape": list(self.shape),
            "cells": [asdict(c) for c in self.cells],
            "beside": [asdict(b) for b in self.beside],
            "peers": [asdict(p) for p in self.peers],
        }


def survey(
    names: Sequence[str] = (),
    *,
    targets: Sequence[str] = (),
    shape: tuple[int, int, int] = SHAPE,
    budget: float = 0.3,
    progress: Progress = lambda _: None,
) -> Survey:
    """Prove, bound, measure and time; `budget` is the time of the timings of one line, in seconds.

    shape  batch, heads and positions; channels are those of the encoding, and heads as well where
           it has its own

    Raises `SpecificationError` for an unknown encoding or target.
    """
    known = entries()
    unknown = [f"encoding {n!r}" for n in names if n not in known]
    unknown += [f"target {t!r}" for t in targets if t not in TARGETS]
    if unknown:
        raise SpecificationError(
            f"unknown {', '.join(unknown)}; expected encodings of {', '.join(known)} "
            f"and targets of {', '.join(TARGETS)}"
        )
    cells: list[Cell] = []
    beside: list[Beside] = []
    for name in names or (*own_kernels(), *_without_a_group()):
        found = catalogue_form(name, {})
        for target in targets or TARGETS:
            progress(f"{name} for {target}")
            if isinstance(found, Outside):
                beside.append(_of_positions(found, target))
                continue
            more, others = _cells(name, target, shape, budget)
            cells += more
            beside += others
    peers = tuple(_peers(shape, budget, progress)) if not names or "rope" in names else ()
    return Survey(shape, tuple(cells), peers, _conditions(budget), tuple(beside))


def _without_a_group() -> list[str]:
    """Names of what is no group and has code."""
    found = {name: entry.form({}) for name, entry in entries().items()}
    return [n for n, form in found.items() if isinstance(form, Outside) and form.function]


def _cells(
    name: str, target: str, shape: tuple[int, int, int], budget: float
) -> tuple[list[Cell], list[Beside]]:
    if importlib.util.find_spec(TARGETS[target].library) is None:
        return [Cell(name, target, "", note=f"{TARGETS[target].library} is not installed")], []
    plan = plan_kernel(catalogue(name, {}))
    try:
        emitted = emit(plan, target, command="symbolic-pe bench catalogue", certificate_digest="")
        kernel = compile_kernel(emitted)
    except (NotYetCovered, SpecificationError, KernelError) as error:
        return [Cell(name, target, "", note=f"not emitted: {error}")], []
    text, bounds = prove_text(kernel, plan, operator=True), judge(kernel, plan)
    cells = []
    for dtype in kernel.dtypes:
        ratios = _timing(kernel, plan, dtype, shape, budget)
        cells.append(_cell((name, target, dtype), (text, bounds), ratios))
    return cells, list(_beside(name, target, text, bounds))


def _beside(name: str, target: str, text: TextProof, bounds: KernelBounds) -> Iterator[Beside]:
    """The bounds of everything but the maps."""
    of_lag = {"rotate": bounds.rotate, **bounds.of_lag}
    for function, found in of_lag.items():
        proved = text.verdict if _is_decided(function, text) else "undecided"
        for dtype, d in found.items():
            place = (name, target, function, dtype, proved)
            yield Beside(
                *place, d.bound.formula, f"abs(u) <= {d.bound.reach:.0f}", d.measured.ratio
            )
    for function, sums in (("recurrent_step", bounds.causal), ("chunkwise", bounds.runs)):
        proved = text.verdict if _is_decided(function, text) else "undecided"
        for dtype, s in sums.items():
            reach = f"{s.bound.variable} <= {s.bound.limit}, gaps <= {s.bound.gap:.0f}"
            place = (name, target, function, dtype, proved)
            yield Beside(*place, s.bound.formula, reach, s.measured or None)


def _is_decided(function: str, text: TextProof) -> bool:
    return {"score_mod": "make_score_mod"}.get(function, function) in text.executed


def _of_positions(found: Outside, target: str) -> Beside:
    """A bias or a table that is no group."""
    function = found.function
    kind = "" if function is None else function.kind
    place = (found.name, target, kind, "float64")
    if function is None:
        return Beside(*place, note=found.no_function)
    if importlib.util.find_spec(TARGETS[target].library) is None:
        return Beside(*place, note=f"{TARGETS[target].library} is not installed")
    emitted = emit_position_function(found, target, command="symbolic-pe bench catalogue")
    kernel = compile_kernel(emitted, required=("DIMENSION", "HEADS", kind))
    text, bounds = prove_text(kernel, function), judge_positions(kernel, function)
    notes = [] if text.verdict == "proved" else [text.reason]
    bound = bounds.dtypes.get("float64")
    if bound is None:
        return Beside(*place, text.verdict, note="; ".join([*notes, bounds.reason]))
    reach = f"abs(u) <= {bound.bound.reach:.0f}"
    measured = bound.measured.ratio
    return Beside(*place, text.verdict, bound.bound.formula, reach, measured, "; ".join(notes))


def _cell(
    key: tuple[str, str, str], found: tuple[TextProof, KernelBounds], ratios: Sequence[float]
) -> Cell:
    text, bounds = found
    notes = [] if text.verdict == "proved" else [text.reason]
    bound = bounds.dtypes.get(key[2])
    if bound is None:
        notes.append(bounds.reason)
    quarter = len(ratios) // 4
    return Cell(
        *key,
        text=text.verdict,
        functions=tuple(sorted(text.executed)),
        bound="" if bound is None else bound.bound.formula,
        reach=0.0 if bound is None else bound.bound.reach,
        measured=None if bound is None else bound.measured.ratio,
        ratio=statistics.median(ratios),
        quartiles=(ratios[quarter], ratios[-1 - quarter]),
        note="; ".join(notes),
    )


# -- time -----------------------------------------------------------------------------------------


def _timing(
    kernel: Kernel, plan: KernelPlan, dtype: str, shape: tuple[int, int, int], budget: float
) -> list[float]:
    """Sorted ratios of the time of transform_query to that of a copy, round by round."""
    batch, heads, positions = shape
    sizes = (batch, plan.heads if plan.heads > 1 else heads, positions, plan.dimension)
    drawn = np.random.default_rng(SEED).standard_normal(sizes, dtype=np.float32)
    x = kernel.bring(drawn.astype(DTYPE_OF[dtype]))
    place = kernel.bring(np.arange(positions))
    values = [0.5] * len(plan.parameters)
    function = kernel.raw("transform_query")
    copy = x.clone if kernel.library == "torch" else x.copy
    run = _single_threaded if kernel.library == "torch" else _plainly
    with np.errstate(all="ignore"):
        return run(lambda: sorted(_ratios(lambda: function(x, place, *values), copy, budget)))


def _plainly(measure: Callable[[], list[float]]) -> list[float]:
    return measure()


def _single_threaded(measure: Callable[[], list[float]]) -> list[float]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return measure()
    finally:
        torch.set_num_threads(threads)


def _ratios(call: Callable[[], Any], copy: Callable[[], Any], budget: float) -> Iterator[float]:
    """Rounds of both in turn until the budget is spent; process CPU time."""
    calls, copies = _repeated(call), _repeated(copy)
    stop = time.monotonic() + budget
    for round_number in range(MOST_ROUNDS):
        if round_number >= LEAST_ROUNDS and time.monotonic() > stop:
            break
        yield calls() / copies()


def _repeated(call: Callable[[], Any]) -> Callable[[], float]:
    """Seconds of one call, the mean over about two milliseconds of them."""
    started = time.process_time()
    call()
    repetitions = max(1, round(2e-3 / max(time.process_time() - started, 1e-6)))

    def run() -> float:
        begun = time.process_time()
        for _ in range(repetitions):
            call()
        return max(time.process_time() - begun, 1e-9) / repetitions

    return run


def _peers(shape: tuple[int, int, int], budget: float, progress: Progress) -> Iterator[Peer]:
    """RoPE in every form of `bench kernels`, eager; none without PyTorch."""
    if importlib.util.find_spec("torch") is None:
        return
    from numeric_check.bench.measure import Request, measured_rows

    channels = plan_kernel(catalogue("rope", {})).dimension
    for dtype in ("float32", "bfloat16"):
        progress(f"peers of RoPE in {dtype}")
        request = Request((*shape, channels), dtype, False, 20 * budget, ("eager",))
        with tempfile.TemporaryDirectory() as directory:
            for row in measured_rows(request, Path(directory)):
                form = f"{row.name} ({row.memory})" if row.memory else row.name
                yield Peer(form, row.layout, dtype, row.ratio, row.error, row.note)


def _conditions(budget: float) -> str:
    versions = [f"NumPy {np.__version__}"]
    if importlib.util.find_spec("torch") is not None:
        import torch

        versions.append(f"torch {torch.__version__}")
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{', '.join(versions)}; one thread, process CPU time, {budget:g} s of rounds a line"
    )


# -- Markdown -------------------------------------------------------------------------------------


def markdown(found: Survey) -> str:
    """One table of the catalogue, one of RoPE beside its peers, and why cells are empty."""
    batch, heads, positions = found.shape
    lines = [
        f"x of shape ({batch}, {heads}, {positions}, d), with the heads of the encoding where it "
        f"has its own. {found.conditions}.",
        "",
        "| encoding | target | dtype | text | bound eps | up to abs(u) | error/bound | time/copy |",
        "|---|---|---|---|---|---:|---:|---:|",
        *(_line(c) for c in found.cells if c.dtype),
    ]
    notes = dict.fromkeys(f"- {c.encoding}, {c.target}: {c.note}" for c in found.cells if c.note)
    lines += ["", *notes] if notes else []
    if found.beside:
        lines += ["", *OTHERS, *(_line_beside(b) for b in found.beside if not b.note)]
        unknown = [b for b in found.beside if b.note]
        notes = dict.fromkeys(f"- {b.encoding}, {b.target}: {b.note}" for b in unknown)
        lines += ["", *notes] if notes else []
    if found.peers:
        lines += ["", "RoPE in other forms, eager, as `symbolic-pe bench kernels` measures them:"]
        lines += ["", "| form | layout | dtype | time/copy | error |", "|---|---|---|---:|---:|"]
        lines += [_peer(p) for p in found.peers if p.ratio is not None]
        missing = [p for p in found.peers if p.ratio is None]
        notes = dict.fromkeys(f"- {p.form}: not measured ({p.note})" for p in missing)
        lines += ["", *notes] if notes else []
    return "\n".join(lines) + "\n"


def _line(cell: Cell) -> str:
    text = cell.text
    if cell.functions:
        others = [name for name in cell.functions if name not in MAPS]
        text += f": {', '.join(['maps', *others])}"
    low, high = cell.quartiles
    cells = [
        cell.encoding,
        cell.target,
        cell.dtype,
        text,
        f"`{cell.bound}`".replace("|", "\\|") if cell.bound else "–",
        f"{cell.reach:.0f}" if cell.bound else "–",
        "–" if cell.measured is None else f"{cell.measured:.2f}",
        "–" if cell.ratio is None else f"{cell.ratio:.2f} ({low:.2f}–{high:.2f})",
    ]
    return "| " + " | ".join(cells) + " |"


def _line_beside(beside: Beside) -> str:
    formula = beside.bound.replace("|", "\\|")
    measured = "–" if beside.measured is None else f"{beside.measured:.2f}"
    cells = [beside.encoding, beside.target, beside.function, beside.dtype, beside.text]
    return "| " + " | ".join([*cells, f"`{formula}`", beside.reach, measured]) + " |"


def _peer(peer: Peer) -> str:
    cells = (peer.form, peer.layout, peer.dtype, f"{peer.ratio:.2f}", f"{peer.error:.0e}")
    return "| " + " | ".join(cells) + " |"


__all__ = ["SHAPE", "Cell", "Peer", "Survey", "markdown", "survey"]
