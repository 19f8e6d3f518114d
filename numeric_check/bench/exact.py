"""The exact core beside SymPy on a fixed suite of matrices, in one run.

The suite (`data/matrix_suite.json`) has hidden rotations, nilpotent and complex Jordan blocks,
mixed structures, quadratic and higher irreducible factors, dense and skew integer matrices, and
matrices with parameters; `truth` lists irreducible factors (coefficients from degree 0 up) with
block sizes. Times are process CPU seconds, each case in a child process whose CPU time is capped.
Where a peer was stopped, larger members of that family are left out.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from flint import fmpq, fmpq_mat

from numeric_check.bench import sympy_peer
from numeric_check.bench.limited import Stopped, limited
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import NotYetCovered, Undecided
from symbolic_pe.exponential.closed_form import CaseExponential, ComponentExponential
from symbolic_pe.exponential.parametric import parametric_exponential
from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form
from symbolic_pe.jordan.form import RealJordanForm
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.prover import prove

Seconds = float | str
REPEATS = 3
RESOLUTION = 0.05
"""Seconds of CPU that a measurement has to take to be read off the clock."""
LONG = 2.0
"""Seconds from which one measurement is enough."""
OURS = ("structure", "closed form", "proof")
BESIDE = {
    "jordan_form": "structure",
    "exp": "closed form",
    "matrix_exp": "closed form",
    "homomorphism": "proof",
}
"""Operations of SymPy with what is compared with them here."""


def suite() -> list[dict[str, Any]]:
    """The matrices of the suite; `parameters` declares the symbols of parametric ones."""
    text = files("numeric_check.bench").joinpath("data/matrix_suite.json").read_text()
    entries: list[dict[str, Any]] = json.loads(text)
    for entry in entries:
        entry["parameters"] = {s: _assumption(s, entry["assume"] or "") for s in entry["syms"]}
    return entries


def _assumption(symbol: str, stated: str) -> str:
    """What the suite states of a symbol, in the words of a specification.

    Conditions that only keep other tools away from confluence (a!=b, generic) are dropped: here
    every case is answered.
    """
    pieces = [piece.strip() for piece in stated.split(",")]
    if f"0<{symbol}<1" in pieces:
        return "between 0 and 1"
    if f"{symbol}>0" in pieces:
        return "positive"
    return "nonzero" if "nonzero" in pieces else "real"


# -- the table --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One matrix with the seconds of each operation, or the word for what happened instead."""

    entry: dict[str, Any]
    ours: dict[str, Seconds]
    theirs: dict[str, Seconds]


def table(budget: float, progress: Callable[[str], None]) -> str:
    """The suite as a Markdown table with medians per size class."""
    rows = list(measure(suite(), budget, progress))
    lines = [
        f"{len(rows)} matrices. {_solved(rows)} "
        f"SymPy was stopped after {budget:g} s of CPU for each operation. {_machine()}",
        "",
        "| matrix | n | structure | closed form | proof | SymPy jordan_form "
        "| SymPy (X t).exp() | SymPy matrix_exp | SymPy simplify |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [_cell(row.ours[k]) for k in OURS]
        cells += [_cell(row.theirs[peer]) for peer in sympy_peer.OPERATIONS]
        lines.append(f"| {row.entry['name']} | {row.entry['n']} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_medians(rows)]) + "\n"


def measure(
    entries: list[dict[str, Any]], budget: float, progress: Callable[[str], None]
) -> Iterator[Row]:
    """Rows one after the other."""
    stopped: dict[tuple[str, str], int] = {}
    for entry in entries:
        progress(entry["name"])
        ours = {name: _limited(prepare, entry, name, budget) for name in OURS}
        theirs = {peer: _peer(entry, peer, budget, stopped) for peer in sympy_peer.OPERATIONS}
        yield Row(entry, ours, theirs)


def _solved(rows: list[Row]) -> str:
    parts = []
    for name in OURS:
        count = sum(isinstance(row.ours[name], float) for row in rows)
        parts.append(f"{name} {count}")
    for peer in sympy_peer.OPERATIONS:
        count = sum(isinstance(row.theirs[peer], float) for row in rows)
        parts.append(f"SymPy {peer} {count}")
    return f"Solved: {', '.join(parts)}."


def _machine() -> str:
    return (
        f"Python {platform.python_version()}, python-flint {version('python-flint')}, "
        f"SymPy {version('sympy')}, {os.cpu_count()} cores, shared."
    )


def _medians(rows: list[Row]) -> list[str]:
    """Ratios where both solved; how often only this package did, and the median it needed."""
    lines = [
        "| SymPy operation | size | both solved | median ratio | only here | median here |",
        "|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        for peer in sympy_peer.OPERATIONS:
            groups.setdefault((peer, _size_class(row.entry["n"])), []).append(row)
    for (peer, size), members in sorted(groups.items()):
        ratios, alone = [], []
        for row in members:
            mine, theirs = row.ours[BESIDE[peer]], row.theirs[peer]
            if isinstance(mine, float) and isinstance(theirs, float):
                ratios.append(theirs / mine)
            elif isinstance(mine, float) and theirs != "not run":
                alone.append(mine)
        ratio = f"{statistics.median(ratios):,.0f}" if ratios else "–"
        here = _cell(statistics.median(alone)) if alone else "–"
        lines.append(f"| {peer} | {size} | {len(ratios)} | {ratio} | {len(alone)} | {here} |")
    return lines


def _size_class(n: int) -> str:
    return "n <= 4" if n <= 4 else "n <= 8" if n <= 8 else "n > 8"


def _cell(seconds: Seconds) -> str:
    if isinstance(seconds, str):
        return seconds
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"


# -- one case ---------------------------------------------------------------------------------


def _limited(
    run: Callable[[dict[str, Any], str], Callable[[], Seconds]],
    entry: dict[str, Any],
    name: str,
    budget: float,
) -> Seconds:
    try:
        seconds: Seconds = limited(run, entry, name, budget)
    except Stopped:
        return f"> {budget:g} s"
    return seconds


def _peer(
    entry: dict[str, Any], peer: str, budget: float, stopped: dict[tuple[str, str], int]
) -> Seconds:
    """Left out where a matrix of the family that is no larger was stopped."""
    needs = ("matrix_exp",) if peer == "homomorphism" else ()
    for operation in (peer, *needs):
        if entry["n"] >= stopped.get((entry["cls"], operation), entry["n"] + 1):
            return "not run"
    seconds = _limited(sympy_peer.prepare, entry, peer, budget)
    if isinstance(seconds, str) and seconds.startswith(">"):
        stopped[entry["cls"], peer] = entry["n"]
    return seconds


def prepare(entry: dict[str, Any], name: str) -> Callable[[], Seconds]:
    """One of our operations on one matrix, as something that measures itself."""
    generator = Generator.from_matrix(entry["A"], entry["parameters"])
    operations = _parametric(entry, generator) if entry["syms"] else _rational(entry, generator)

    def measured() -> Seconds:
        try:
            return _best(operations[name])
        except (NotYetCovered, Undecided):
            return "undecided"

    return measured


def _rational(entry: dict[str, Any], generator: Generator) -> dict[str, Callable[[], object]]:
    x = _matrix(entry)
    form = primary_exponential(x)

    def decide() -> None:
        if not form.is_proved():
            raise AssertionError(f"{entry['name']}: not proved")

    return {
        "structure": lambda: real_jordan_form(generator),
        "closed form": lambda: primary_exponential(x),
        "proof": decide,
    }


def _parametric(entry: dict[str, Any], generator: Generator) -> dict[str, Callable[[], object]]:
    """All cases; the proof includes the classification."""
    document = {"matrix": entry["A"], "parameters": entry["parameters"]}
    known: list[RealJordanForm] = []

    def decide() -> None:
        if prove(from_document(document)).outcome is not Outcome.PROVED:
            raise Undecided(entry["name"])

    def close() -> None:
        if not known:
            known.append(real_jordan_form(generator))
        for case in known[0].cases:
            if case.components is None:
                parametric_exponential(generator.substitute(case.cell.solved).matrix, case.cell)
            else:
                parts = tuple(ComponentExponential(f) for f in case.components)
                CaseExponential(case, parts).matrix()

    return {
        "structure": lambda: real_jordan_form(generator),
        "closed form": close,
        "proof": decide,
    }


def _matrix(entry: dict[str, Any]) -> fmpq_mat:
    return fmpq_mat(
        [[fmpq(*map(int, (x + "/1").split("/")[:2])) for x in row] for row in entry["A"]]
    )


def _best(run: Callable[[], object]) -> float:
    """The least of a few means: what the machine does besides only ever adds.

    A mean is over as many runs as fill `RESOLUTION`, because CPU clocks tick slowly.
    """
    count, total = 1, _seconds(run, 1)
    while total < RESOLUTION:
        count *= 2
        total = _seconds(run, count)
    means = [total / count]
    if total < LONG:
        means += [_seconds(run, count) / count for _ in range(REPEATS - 1)]
    return min(means)


def _seconds(run: Callable[[], object], count: int) -> float:
    started = time.process_time()
    for _ in range(count):
        run()
    return time.process_time() - started
