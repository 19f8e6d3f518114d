"""How long a person waits: whole commands in fresh processes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

COMMANDS = {
    "--help": ["--help"],
    "classify rope": ["classify", "rope"],
    "prove rope xpos alibi": ["prove", "rope", "xpos", "alibi"],
    "build rope:dim=128 (numpy)": ["build", "rope:dim=128", "--target", "numpy", "-o", "{out}"],
}
REPEATS = 5


def table(budget: float, progress: Callable[[str], None]) -> str:
    """Median and best wall-clock seconds of each command; `budget` caps one run."""
    lines = ["| command | median s | best s |", "|---|---|---|"]
    with tempfile.TemporaryDirectory() as out:
        for name, arguments in COMMANDS.items():
            progress(name)
            times = [_seconds(arguments, out, budget) for _ in range(REPEATS)]
            lines.append(f"| `{name}` | {statistics.median(times):.2f} | {min(times):.2f} |")
    return "\n".join(lines) + "\n"


def _seconds(arguments: list[str], out: str, budget: float) -> float:
    filled = [a.format(out=out) for a in arguments]
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "symbolic_pe.cli.main", *filled],
        check=True,
        capture_output=True,
        timeout=max(budget, 60.0),
    )
    return time.perf_counter() - started
