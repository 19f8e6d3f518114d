"""Benchmarks: side by side in one run, printed as Markdown. Never part of a timed test."""

from __future__ import annotations

from collections.abc import Callable

Table = Callable[[float, Callable[[str], None]], str]


def tables() -> dict[str, Table]:
    """Every table by name; each takes a budget in seconds and a progress report."""
    from numeric_check.bench import exact, kernels, startup

    return {"startup": startup.table, "exact": exact.table, "kernels": kernels.table}
