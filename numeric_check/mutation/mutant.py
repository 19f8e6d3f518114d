"""Every text that differs from a kernel in one place: a changed syntax tree, spliced into the text.

A mutant replaces the source of one node of the syntax tree, so it is one edit of the file as it is
written, and its difference is a line that a person can repeat.
"""

from __future__ import annotations

import ast
import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from numeric_check.mutation.operators import OPERATORS, Operator
from numeric_check.mutation.scope import Scope, scopes
from symbolic_pe.errors import KernelError

SEED = 2026
_Edit = tuple[ast.AST, str, str]  # the node, the name of the operator, what stands in its place


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
    source = _Source(text, tree)
    edits = list(_edits(tree, operators))
    order = list(range(len(edits)))
    if sample is not None:
        Random(SEED).shuffle(order)
    seen = {(place, _fingerprint(part)) for place, part in enumerate(source.statements)}
    chosen: list[int] = []
    for number in order:
        if sample is not None and len(chosen) >= sample:
            break
        node, _, replacement = edits[number]
        place, changed = source.statement(node, replacement)
        mark = place, _fingerprint(changed)
        if mark[1] is not None and mark not in seen:
            seen.add(mark)
            chosen.append(number)
    return tuple(source.replaced(*edits[number]) for number in sorted(chosen))


def _edits(tree: ast.Module, operators: Sequence[Operator]) -> Iterator[_Edit]:
    """What the operators make of every node, equal trees and broken texts included."""
    for node, scope in _sites(tree):
        for operator in operators:
            for replacement in operator.variants(node, scope):
                yield node, operator.name, replacement


def _fingerprint(statement: str) -> bytes | None:
    """Of the syntax tree; None for text that is not Python, which is no kernel at all."""
    try:
        return hashlib.sha256(ast.dump(ast.parse(statement)).encode()).digest()
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
    """A text addressed as the syntax tree does: lines from 1, columns in bytes.

    One edit is within one statement of the module, so that mutants with the same syntax tree are
    found by that of the statement.
    """

    def __init__(self, text: str, tree: ast.Module) -> None:
        self._bytes = text.encode("utf-8")
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._ends = [self._place(s.end_lineno, s.end_col_offset) for s in tree.body]

    def _place(self, line: int | None, column: int | None) -> int:
        assert line is not None
        assert column is not None
        return self._starts[line - 1] + column

    def _span(self, node: ast.AST) -> tuple[int, int]:
        begin = self._place(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self._place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return begin, end

    def _statement(self, number: int) -> tuple[int, int]:
        """From the end of the statement before, so that decorators belong to it."""
        begin = self._ends[number - 1] if number else 0
        while self._bytes[begin : begin + 1] in (b" ", b"\t", b";"):  # two on one line
            begin += 1
        return begin, self._ends[number]

    @property
    def statements(self) -> list[str]:
        """The text in as many parts as the module has statements."""
        spans = map(self._statement, range(len(self._ends)))
        return [self._bytes[begin:end].decode("utf-8") for begin, end in spans]

    def statement(self, node: ast.AST, replacement: str) -> tuple[int, str]:
        """The number of the statement around a node, and its text with the node replaced."""
        begin, end = self._span(node)
        number = bisect_left(self._ends, end)
        first, last = self._statement(number)
        new = replacement.encode("utf-8")
        return number, (self._bytes[first:begin] + new + self._bytes[end:last]).decode("utf-8")

    def replaced(self, node: ast.AST, operator: str, replacement: str) -> Mutant:
        """The text with the source of one node replaced."""
        begin, end = self._span(node)
        first = self._bytes.rfind(b"\n", 0, begin) + 1
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
