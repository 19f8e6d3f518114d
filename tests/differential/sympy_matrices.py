"""The recorded matrices of SymPy's tests (tests/data/sympy_matrices.json), by kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
ENTRIES: list[Entry] = json.loads(
    (Path(__file__).parents[1] / "data" / "sympy_matrices.json").read_text()
)["matrices"]


def of_kind(*kinds: str) -> list[Entry]:
    """Entries of these kinds."""
    return [entry for entry in ENTRIES if entry["kind"] in kinds]


def rows_of(entry: Entry, key: str = "rows") -> list[list[str]]:
    """The entries of a matrix as texts."""
    return [row.split() for row in entry[key]]
