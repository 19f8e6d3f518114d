"""A page as data: blocks in reading order, which printers write as Markdown, MyST, LaTeX or HTML.

Texts are Markdown with $…$ mathematics. A link whose target is `scheme:name` (`derivation:alibi`,
`entry:rope`, `source:press2021`, `theorem:Gauge.relativity`, `code:symbolic_pe.prove`) is
a reference that each printer resolves in its own way; `docs:path` is a page of the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

REFERENCE = re.compile(r"\[([^\[\]]+)\]\((derivation|entry|source|theorem|code|docs):([^()\s]+)\)")


@dataclass(frozen=True)
class Prose:
    """Paragraphs, lists and displayed formulas, as Markdown."""

    text: str


@dataclass(frozen=True)
class Heading:
    """A heading below the title; level 2 is a section."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Items:
    """A list of one-line texts."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Cells are one-line Markdown; `|` inside them is escaped by the printers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Formula:
    """A displayed formula, LaTeX without dollar signs."""

    tex: str


@dataclass(frozen=True)
class Code:
    """A text that is shown as it is."""

    text: str
    language: str = "text"


@dataclass(frozen=True)
class Picture:
    """A figure: SVG text that stands in the page itself, with its caption."""

    name: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Folded:
    """Blocks that a reader unfolds; printers without folding show them."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Box:
    """Blocks that belong together: `theorem`, `step`, `refuted`.

    label  by which links find it on its page
    """

    kind: str
    title: str
    blocks: tuple[Block, ...]
    label: str = ""


Block = Prose | Heading | Items | Table | Formula | Code | Picture | Folded | Box


@dataclass(frozen=True)
class Page:
    """One page.

    name     file stem
    written  the command that writes it, for the notice in its head
    """

    name: str
    title: str
    written: str
    blocks: tuple[Block, ...]


Resolver = Callable[[str, str], str | None]
"""From scheme and name of a reference to a link target; None leaves the text without a link."""


def resolved(text: str, resolve: Resolver) -> str:
    """Replace references by links, or by their text alone.

    >>> resolved("see [RoPE](entry:rope)", lambda scheme, name: f"../catalogue/{name}.md")
    'see [RoPE](../catalogue/rope.md)'
    >>> resolved("see [RoPE](entry:rope)", lambda scheme, name: None)
    'see RoPE'
    """

    def link(match: re.Match[str]) -> str:
        target = resolve(match[2], match[3])
        return match[1] if target is None else f"[{match[1]}]({target})"

    return REFERENCE.sub(link, text)


def cell(text: str) -> str:
    """One line of Markdown as a cell of a table.

    >>> cell("$|x|$ and\\nmore")
    '$\\\\|x\\\\|$ and more'
    """
    return " ".join(text.split()).replace("|", r"\|")


def table_lines(table: Table, text: Callable[[str], str] = str) -> str:
    """A table in Markdown."""
    rows: Sequence[Sequence[str]] = [table.head, ["---"] * len(table.head), *table.rows]
    lines = [
        "|" + "|".join(row) + "|"
        if index == 1
        else "| " + " | ".join(cell(text(item)) for item in row) + " |"
        for index, row in enumerate(rows)
    ]
    return "\n".join(lines)
