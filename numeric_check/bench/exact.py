"""The exact core beside SymPy on a fixed suite of matrices, in one run.

The suite (`data/matrix_suite.json`) has hidden rotations, nilpotent and complex Jordan blocks,
mixed structures, quadratic and higher irreducible factors, dense and skew integer matrices;
`truth` lists irreducible factors (coefficients from degree 0 up) with block sizes. Times are
process CPU seconds. SymPy runs in a child process that is stopped at the budget; larger members of
a family are left out once a smaller one was stopped.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import time
from collections.abc import Callable
from importlib.resources import files
from multiprocessing.connection import Connection
from typing import Any

from flint import fmpq, fmpq_mat

from symbolic_pe.exponential.primary import primary_exponential
from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.classify import real_jordan_form

Seconds = float | str
REPEATS = 3
PEERS = ("jordan_form", "exp", "matrix_exp", "homomorphism")


def suite() -> list[dict[str, Any]]:
    """The matrices of the suite; `syms` lists the symbols of parametric ones."""
    text = files("numeric_check.bench").joinpath("data/matrix_suite.json").read_text()
    entries: list[dict[str, Any]] = json.loads(text)
    return entries


def table(budget: float, progress: Callable[[str], None]) -> str:
    """The suite as a Markdown table with medians per size class."""
    lines = [
        "| matrix | n | real Jordan form | closed form | proof | SymPy jordan_form "
        "| SymPy (X t).exp() | SymPy matrix_exp | SymPy simplify |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    ratios: dict[tuple[str, str], list[float]] = {}
    stopped: set[tuple[str, str]] = set()
    for entry in suite():
        if entry["syms"]:
            continue
        progress(entry["name"])
        ours = _ours(entry)
        theirs = {peer: _peer(entry, peer, budget, stopped) for peer in PEERS}
        for peer, mine in (
            ("jordan_form", "jordan"),
            ("exp", "closed"),
            ("matrix_exp", "closed"),
            ("homomorphism", "proof"),
        ):
            seconds = theirs[peer]
            if isinstance(seconds, float):
                ratios.setdefault((peer, _size_class(entry["n"])), []).append(seconds / ours[mine])
        cells = [_cell(ours[k]) for k in ("jordan", "closed", "proof")]
        cells += [_cell(theirs[peer]) for peer in PEERS]
        lines.append(f"| {entry['name']} | {entry['n']} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_medians(ratios)]) + "\n"


def _medians(ratios: dict[tuple[str, str], list[float]]) -> list[str]:
    lines = ["| SymPy operation | size | cases both solved | median ratio |", "|---|---|---|---|"]
    for (peer, size), values in sorted(ratios.items()):
        lines.append(f"| {peer} | {size} | {len(values)} | {statistics.median(values):,.0f} |")
    return lines


def _size_class(n: int) -> str:
    return "n <= 4" if n <= 4 else "n <= 8" if n <= 8 else "n > 8"


def _cell(seconds: Seconds) -> str:
    if isinstance(seconds, str):
        return seconds
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _matrix(entry: dict[str, Any]) -> fmpq_mat:
    return fmpq_mat(
        [[fmpq(*map(int, (x + "/1").split("/")[:2])) for x in row] for row in entry["A"]]
    )


def _ours(entry: dict[str, Any]) -> dict[str, float]:
    generator = Generator.from_matrix(entry["A"])
    x = _matrix(entry)
    form = primary_exponential(x)

    def prove() -> None:
        if not form.is_proved():
            raise AssertionError(f"{entry['name']}: not proved")

    return {
        "jordan": _best(lambda: real_jordan_form(generator)),
        "closed": _best(lambda: primary_exponential(x)),
        "proof": _best(prove),
    }


def _best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return max(min(times), 1e-6)


def _peer(
    entry: dict[str, Any], peer: str, budget: float, stopped: set[tuple[str, str]]
) -> Seconds:
    if (entry["cls"], peer) in stopped:
        return "not run"
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=_sympy, args=(there, entry["A"], peer))
    child.start()
    result: Seconds = f"> {budget:g} s"
    if here.poll(budget + 5.0):
        try:
            result = here.recv()
        except EOFError:
            result = "died"
    else:
        stopped.add((entry["cls"], peer))
    child.kill()
    child.join()
    if isinstance(result, float) and result > budget:
        stopped.add((entry["cls"], peer))
    return result


def _sympy(connection: Connection, rows: list[list[str]], peer: str) -> None:
    import sympy
    from sympy.solvers.ode.systems import matrix_exp

    t, s = sympy.symbols("t s", real=True)
    matrix = sympy.Matrix([[sympy.Rational(x) for x in row] for row in rows])
    operations: dict[str, Callable[[], object]] = {
        "jordan_form": matrix.jordan_form,
        "exp": (matrix * t).exp,
        "matrix_exp": lambda: matrix_exp(matrix, t),
    }
    try:
        if peer == "homomorphism":
            e = matrix_exp(matrix, t)
            started = time.process_time()
            difference = e.subs(t, s) * e - e.subs(t, s + t)
            proved = difference.applyfunc(sympy.simplify).is_zero_matrix
            seconds = time.process_time() - started
            connection.send(seconds if proved else "not proved")
        else:
            started = time.process_time()
            operations[peer]()
            connection.send(time.process_time() - started)
    except Exception as error:
        connection.send(type(error).__name__)
