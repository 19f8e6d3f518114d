"""Emitted RoPE beside other packages, as a ratio to copying the same bytes.

A form that returns new memory is compared with a copy that does, and one that writes into given
memory with a copy into given memory, by the same array library. Large blocks of new memory cost
page faults under the default settings of glibc's allocator, and none when it keeps freed memory
("warm heap"); both are measured, each in a process of its own.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numeric_check.bench.measure import Request, Row
from symbolic_pe.errors import KernelError

PREFILL, DECODE = (1, 32, 4096, 128), (1, 32, 1, 128)
DTYPES = ("float32", "bfloat16")
DEFAULT, WARM = "default heap", "warm heap"
ENVIRONMENT: Mapping[str, Mapping[str, str]] = {
    DEFAULT: {},
    WARM: {
        "MALLOC_MMAP_THRESHOLD_": str(2**33),  # no block is mapped and unmapped on its own
        "MALLOC_TRIM_THRESHOLD_": str(2**34),  # and the heap is not given back
    },
}
PACKAGES = (
    "torch", "numpy", "transformers", "rotary-embedding-torch", "x-transformers", "torchtune",
)  # fmt: skip
Progress = Callable[[str], None]
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class _Column:
    """One measured setting."""

    heap: str
    request: Request


def table(budget: float, progress: Progress) -> str:
    """All settings as Markdown tables; `budget` is the time for timings of one setting.

    Raises `KernelError` without PyTorch.
    """
    if importlib.util.find_spec("torch") is None:
        raise KernelError("the kernels are measured with PyTorch; install symbolic-pe[torch]")
    load = _load()
    settings = list(_settings(budget))
    found: dict[_Column, dict[Key, Row]] = {}
    about: Mapping[str, Any] = {}
    notes: dict[str, None] = {}  # in order, each once
    for heap in ENVIRONMENT:
        for record in _answers([c.request for c in settings if c.heap == heap], heap, progress):
            about = record.get("about", about)
            if "row" not in record:
                continue
            row, column = Row(**record["row"]), _Column(heap, Request.of(record["request"]))
            if row.ratio is None:
                words = (row.name, row.layout, row.mode, column.request.dtype)
                notes[f"- {' '.join(w for w in words if w)}: not measured ({row.note})"] = None
            else:
                key = (row.name, row.layout, row.mode, row.memory)
                found.setdefault(column, {})[key] = row
    parts = [_conditions(about, load, budget), *_tables(found, settings), "\n".join(notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _settings(budget: float) -> Iterator[_Column]:
    for heap in ENVIRONMENT:
        for dtype in DTYPES:
            yield _Column(heap, Request(PREFILL, dtype, False, budget))
    for dtype in DTYPES:
        yield _Column(WARM, Request(PREFILL, dtype, True, budget))
    for dtype in DTYPES:
        yield _Column(DEFAULT, Request(DECODE, dtype, False, budget))


def _answers(
    requests: Sequence[Request], heap: str, progress: Progress
) -> Iterator[Mapping[str, Any]]:
    """Records of a process with this state of the allocator; raises `KernelError` if it fails."""
    command = [sys.executable, "-m", "numeric_check.bench.measure"]
    command.append(json.dumps([asdict(r) for r in requests]))
    root = str(Path(__file__).parents[2])  # the child imports what this process imports
    paths = os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH")) if p)
    environment = {**os.environ, **ENVIRONMENT[heap], "PYTHONPATH": paths}
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        ) as child,
    ):
        assert child.stdout is not None
        try:
            for line in child.stdout:
                record = json.loads(line)
                if "progress" in record:
                    progress(f"{heap}: {record['progress']}")
                else:
                    yield record
            failed = child.wait() != 0
        finally:
            child.kill()
        if failed:
            errors.seek(0)
            last = (errors.read().strip() or "it was stopped").splitlines()[-1]
            raise KernelError(f"measuring with the {heap} failed: {last}")


# -- Markdown -----------------------------------------------------------------------------------


def _conditions(about: Mapping[str, Any], load: str, budget: float) -> str:
    versions = ", ".join(f"{name} {v}" for name in PACKAGES if (v := _version(name)) is not None)
    pinned = about.get("pinned")
    where = "not pinned to a core" if pinned is None else "pinned to one core"
    return (
        f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}. "
        f"One thread, {where}; load average {load} at the start and {_load()} at the end. Times "
        "are process CPU time. Forms and copies take turns in random order; a cell is the "
        "shortest time over the shortest time of a copy, then the median over rounds of (time of "
        "the form / time of a copy in the same round), and in brackets the quartiles; "
        f"{budget:g} seconds of rounds for each column. *fresh*: the result is new "
        "memory, compared with a copy into new memory (`clone`, `np.copy`); *given*: written into "
        "memory that exists, compared with such a copy (`copy_`, `np.copyto`). Shapes are (batch, "
        "heads, positions, channels)."
    )


def _tables(found: Mapping[_Column, Mapping[Key, Row]], settings: list[_Column]) -> Iterator[str]:
    prefill = [c for c in settings if c.request.shape == PREFILL and not c.request.backward]
    backward = [c for c in settings if c.request.backward]
    decode = [c for c in settings if c.request.shape == DECODE]
    yield f"### Prefill, forward: {PREFILL}"
    heads = [f"{c.request.dtype}, {c.heap}" for c in prefill]
    yield _grid(found, prefill, [*heads, "float32 error"], _ratio, _error)
    yield f"### Prefill, backward: {PREFILL}, warm heap"
    yield (
        "The backward pass alone, as a ratio to a copy, and to the forward pass of the same form."
    )
    heads = [x for c in backward for x in (c.request.dtype, f"{c.request.dtype}, to forward")]
    yield _grid(found, backward, heads, _with_forward(found, prefill), None)
    yield f"### Decode: {DECODE}"
    yield "Microseconds of one call, and the ratio to a copy."
    yield _grid(found, decode, [c.request.dtype for c in decode], _microseconds, None)


Cell = Callable[[_Column, Key, Row | None], list[str]]


def _grid(
    found: Mapping[_Column, Mapping[Key, Row]],
    columns: Sequence[_Column],
    heads: Sequence[str],
    cell: Cell,
    last: Callable[[Row | None], str] | None,
) -> str:
    keys = dict.fromkeys(k for c in columns for k in found.get(c, {}))
    lines = [
        "| form | layout | mode | memory | " + " | ".join(heads) + " |",
        "|---" * (4 + len(heads)) + "|",
    ]
    for key in keys:
        cells = [x for c in columns for x in cell(c, key, found.get(c, {}).get(key))]
        if last is not None:
            cells.append(last(found.get(columns[0], {}).get(key)))
        lines.append("| " + " | ".join([*key, *cells]) + " |")
    return "\n".join(lines)


def _ratio(_: _Column, __: Key, row: Row | None) -> list[str]:
    if row is None or row.ratio is None:
        return ["–"]
    return [f"{row.least:.2f}, {row.ratio:.2f} ({row.low:.2f}–{row.high:.2f})"]


def _microseconds(_: _Column, __: Key, row: Row | None) -> list[str]:
    if row is None or row.ratio is None:
        return ["–"]
    return [f"{row.microseconds:.1f} µs, {row.ratio:.1f}"]


def _error(row: Row | None) -> str:
    return "–" if row is None else f"{row.error:.0e}"


def _with_forward(found: Mapping[_Column, Mapping[Key, Row]], forward: Sequence[_Column]) -> Cell:
    def cell(column: _Column, key: Key, row: Row | None) -> list[str]:
        same = next(
            (c for c in forward
             if c.heap == column.heap and c.request.dtype == column.request.dtype), None
        )  # fmt: skip
        before = None if same is None else found.get(same, {}).get(key)
        if row is None or row.ratio is None:
            return ["–", "–"]
        if before is None or before.ratio is None:
            return [*_ratio(column, key, row), "–"]
        return [*_ratio(column, key, row), f"{row.ratio / before.ratio:.2f}"]

    return cell


def _load() -> str:
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):
        return "unknown"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
