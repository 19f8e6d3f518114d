"""Lines about rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from numeric_check.audit.reproduce.writing import Writer, imports, shell
from numeric_check.audit.subject import TableSubject


def rows_of_table(subject: TableSubject, positions: Sequence[int], column: int | None) -> str:
    """Print rows of a table, or their entries in one column."""
    writer = Writer(subject.library.name)
    at = writer.array(str(list(positions)), subject.position_dtype)
    where = "" if column is None else f"[..., {column}]"
    return shell(f"{writer.head}; {imports(subject)}; print(f({at}){where})")


def step_of_table(subject: TableSubject, fitted: int, position: int, column: int) -> str:
    """Print what the best M of the first rows makes of row t, and what row t + 1 has."""
    writer = Writer(subject.library.name)
    at = writer.array(f"range({max(fitted, position + 1)})", subject.position_dtype)
    head = writer.head if subject.library.name == "numpy" else f"{writer.head}; import numpy as np"
    fit = f"M = np.linalg.lstsq(T[:{fitted - 1}], T[1:{fitted}])[0]"
    shown = f"(T[{position - 1}] @ M)[{column}], T[{position}, {column}]"
    table = f"T = np.array(f({at}), dtype='float64').reshape({max(fitted, position + 1)}, -1)"
    return shell(f"{head}; {imports(subject)}; {table}; {fit}; print({shown})")


def row_in_call(subject: TableSubject, length: int, position: int) -> str:
    """Print how far a row among others is from it alone."""
    writer = Writer(subject.library.name)
    every = writer.array(f"range({length})", subject.position_dtype)
    one = writer.array(f"[{position}]", subject.position_dtype)
    shown = f"abs(f({every})[..., {position}, :] - f({one})[..., 0, :]).max()"
    return shell(f"{writer.head}; {imports(subject)}; print({shown})")
