"""Laying out code in lines of at most 88 characters, exactly as `ruff format` would."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

from symbolic_pe.emit.printer import Printer
from symbolic_pe.emit.trees import Node

WIDTH = 88
STEP = "    "
_SOLID = re.compile(r"\(\w+( [−+]|,) \w+\)")  # (t − s) and (0, 1) are not broken over lines


def fits(line: str) -> bool:
    """True when no line of the text is too long."""
    return all(len(part) <= WIDTH for part in line.split("\n"))


def arguments(head: str, items: Sequence[str], tail: str = "", indent: str = "") -> str:
    """A call or signature: one line, else the items on one line, else one item a line.

    >>> arguments("f(", ["x", "y"], ")")
    'f(x, y)'
    """
    line = f"{indent}{head}{', '.join(items)}{tail}"
    if fits(line):
        return line
    inner = f"{indent}{STEP}{', '.join(items)}"
    if fits(inner):
        return f"{indent}{head}\n{inner}\n{indent}{tail}"
    return _one_a_line(head, items, tail, indent)


def display(head: str, items: Sequence[str], tail: str = "", indent: str = "") -> str:
    """A tuple or list: one line, else one item a line."""
    comma = "," if len(items) == 1 and head.endswith("(") else ""
    line = f"{indent}{head}{', '.join(items)}{comma}{tail}"
    return line if fits(line) else _one_a_line(head, items, tail, indent)


def call_on_list(head: str, items: Sequence[str], indent: str = "") -> str:
    """`head([x, y])`: one line, else the list on one line, else one item a line."""
    line = f"{indent}{head}([{', '.join(items)}])"
    if fits(line):
        return line
    inner = display("[", items, "]", indent + STEP)
    return f"{indent}{head}(\n{inner}\n{indent})"


def _one_a_line(head: str, items: Sequence[str], tail: str, indent: str) -> str:
    body = "".join(f"{indent}{STEP}{item},\n" for item in items)
    return f"{indent}{head}\n{body}{indent}{tail}"


def table(name: str, head: str, rows: Sequence[Sequence[str]], tail: str) -> str:
    """A constant array: one line when it fits, else filled lines that formatters leave alone.

    One row is a vector, several are a matrix.

    >>> table("A", "np.array(", [["1.0", "2.0"]], ")")
    'A = np.array([1.0, 2.0])'
    """
    nested = len(rows) > 1
    lists = [f"[{', '.join(row)}]" for row in rows]
    line = f"{name} = {head}{_bracketed(lists) if nested else lists[0]}{tail}"
    if fits(line):
        return line
    inside, _, after = tail.partition(")")
    inner = f"{STEP}{_bracketed(lists) if nested else lists[0]}{inside}"
    if head and fits(inner):
        if after:
            return f"{table(name, head, rows, inside + ')')}\n{name} = {name}{after}"
        return f"{name} = {head}\n{inner}\n)"
    lines: list[str] = []
    for row, short in zip(rows, lists, strict=True):
        if nested and fits(f"{STEP}{short},"):
            lines.append(f"{STEP}{short},")
            continue
        filled = _filled(row, STEP * 2 if nested else STEP)
        lines.extend([f"{STEP}[", *filled, f"{STEP}],"] if nested else filled)
    return "\n".join(["# fmt: off", f"{name} = {head}[", *lines, f"]{tail}", "# fmt: on"])


def _filled(items: Sequence[str], indent: str) -> list[str]:
    return textwrap.wrap(
        ", ".join(items) + ",",
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _bracketed(items: Sequence[str]) -> str:
    return f"[{', '.join(items)}]"


def assignment(name: str, node: Node, printer: Printer, indent: str = STEP) -> list[str]:
    """`name = expression`; a long expression is taken apart into several statements."""
    line = f"{indent}{name} = {printer.text(node)}"
    if fits(line) or not isinstance(node, ast.BinOp):
        return [line]
    lines = assignment(name, node.left, printer, indent)
    right: Node = node.right
    shown = f"{indent}{name} = {printer.text(ast.BinOp(ast.Name(name), node.op, right))}"
    if not fits(shown):
        part = f"{name}_part"
        lines.extend(assignment(part, right, printer, indent))
        step = ast.BinOp(ast.Name(name), node.op, ast.Name(part))
        shown = f"{indent}{name} = {printer.text(step)}"
    return [*lines, shown]


def paragraph(text: str, indent: str = "", hanging: str | None = None) -> list[str]:
    """Text filled to the width; `hanging` indents the lines after the first.

    A null character is a space at which the text is not broken.
    """
    kept = _SOLID.sub(lambda m: m[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        kept,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]


def docstring(first: str, rest: Sequence[str] = (), indent: str = STEP) -> str:
    """A docstring: one line when it fits, else paragraphs filled to the width."""
    line = f'{indent}"""{first}"""'
    if not rest and fits(line):
        return line
    paragraphs = ["\n".join(paragraph(f'"""{first}', indent))]
    paragraphs.extend("\n".join(paragraph(text, indent)) for text in rest)
    return "\n\n".join(paragraphs) + f'\n{indent}"""'
