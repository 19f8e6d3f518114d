"""Every text that differs from a kernel in one place: a changed syntax tree, spliced into the text.

A mutant replaces the source of one node of the syntax tree, so it is one edit of the file as it is
written, and its difference is a line that a person can repeat.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from numeric_check.mutation.operators import OPERATORS, Operator
from numeric_check.mutation.scope import Scope, scopes
from symbolic_pe.errors import KernelError

SEED = 2026


@dataclass(frozen=True)
class Mutant:
    """One changed text.

    operator  the name of the operator that made it
    line      where it differs, from 1
    before    that line of the original, without indentation; of several lines, joined by spaces
    after     the same place in the changed text
    """

    operator: str
    line: int
    before: str
    after: str
    text: str

    @property
    def difference(self) -> str:
        """One line that repeats the edit: the place, what stood there, what stands there now."""
        return f"line {self.line}: `{self.before}` becomes `{self.after}`"


def mutants(
    text: str, operators: Sequence[Operator] = OPERATORS, *, sample: int | None = None
) -> tuple[Mutant, ...]:
    """The mutants of a text in the order of the file, all or `sample` drawn ones.

    No two have the same syntax tree, and none that of the text. The same are drawn each time.
    Raises `KernelError` for a text that is not Python.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise KernelError(f"line {error.lineno}: not Python: {error.msg}") from None
    edits = list(_edits(text, tree, operators))
    order = list(range(len(edits)))
    if sample is not None:
        Random(SEED).shuffle(order)
    seen = {_fingerprint(tree)}
    chosen: list[int] = []
    for place in order:
        if sample is not None and len(chosen) >= sample:
            break
        changed = _parsed(edits[place].text)
        mark = None if changed is None else _fingerprint(changed)
        if mark is not None and mark not in seen:
            seen.add(mark)
            chosen.append(place)
    return tuple(edits[place] for place in sorted(chosen))


def _edits(text: str, tree: ast.Module, operators: Sequence[Operator]) -> Iterator[Mutant]:
    """What the operators make of every node, equal trees and broken texts included."""
    source = _Source(text)
    for node, scope in _sites(tree):
        for operator in operators:
            for replacement in operator.variants(node, scope):
                yield source.replaced(node, operator.name, replacement)


def _fingerprint(tree: ast.Module) -> bytes:
    return hashlib.sha256(ast.dump(tree).encode()).digest()


def _parsed(text: str) -> ast.Module | None:
    """The tree of a mutant; None for text that is not Python, which is no kernel at all."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _sites(tree: ast.Module) -> Iterator[tuple[ast.AST, Scope]]:
    """Every node that has a place in the text, with the names around it, in the order of the file.

    Imports, docstrings and the parts of formatted messages are left alone.
    """
    found = [
        (node, scope)
        for node, scope in scopes(tree)
        if hasattr(node, "lineno") and not isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    return iter(sorted(found, key=lambda x: (x[0].lineno, x[0].col_offset)))  # type: ignore[attr-defined]


class _Source:
    """A text addressed as the syntax tree does: lines from 1, columns in bytes."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode("utf-8")
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def replaced(self, node: ast.AST, operator: str, replacement: str) -> Mutant:
        """The text with the source of one node replaced."""
        begin = self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        first = self._bytes.rindex(b"\n", 0, begin) + 1 if b"\n" in self._bytes[:begin] else 0
        last = self._bytes.find(b"\n", end)
        last = len(self._bytes) if last < 0 else last
        new = replacement.encode("utf-8")
        return Mutant(
            operator,
            node.lineno,  # type: ignore[attr-defined]
            _joined(self._bytes[first:last]),
            _joined(self._bytes[first:begin] + new + self._bytes[end:last]),
            (self._bytes[:begin] + new + self._bytes[end:]).decode("utf-8"),
        )


def _joined(piece: bytes) -> str:
    return " ".join(piece.decode("utf-8").split())


__all__ = ["Mutant", "mutants"]
