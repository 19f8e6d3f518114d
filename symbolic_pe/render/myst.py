"""A page as MyST Markdown for the book: theorem boxes, folds, inline figures, citations."""

from __future__ import annotations

import re
from html import escape

from symbolic_pe.render.page import (
    REFERENCE,
    Block,
    Box,
    Code,
    Folded,
    Formula,
    Heading,
    Items,
    Page,
    Picture,
    Prose,
    Resolver,
    Table,
    table_lines,
)

OUTER_FENCE = 8
"""Colons of an outermost box; each box inside another has one less."""


def myst(page: Page, resolve: Resolver) -> str:
    """The page; references to sources become citations, those to code roles of Python."""
    writer = _Writer(page, resolve)
    parts = [f"% written by `{page.written}`; do not edit", f"# {page.title}"]
    parts += [writer.block(block, OUTER_FENCE) for block in page.blocks]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


class _Writer:
    def __init__(self, page: Page, resolve: Resolver) -> None:
        self._page = page
        self._resolve = resolve

    def block(self, block: Block, fence: int) -> str:
        """One block; boxes in it have shorter fences."""
        match block:
            case Prose(text):
                return self._text(text.strip())
            case Heading(text, level):
                return f"{'#' * level} {self._text(text)}"
            case Items(lines):
                return "\n".join(f"- {self._text(line)}" for line in lines)
            case Table():
                return table_lines(block, self._text)
            case Formula(tex):
                return f"$$\n{tex}\n$$"
            case Code(text, language):
                return f"```{language}\n{text.rstrip()}\n```"
            case Picture():
                return self._picture(block)
            case Folded(summary, blocks):
                inner = "\n\n".join(self.block(b, fence - 1) for b in blocks)
                opened = _html(f'<details class="folded"><summary>{escape(summary)}</summary><div>')
                return f"{opened}\n\n{inner}\n\n{_html('</div></details>')}"
            case Box():
                return self._box(block, fence)

    def _box(self, box: Box, fence: int) -> str:
        colons = ":" * fence
        if box.kind == "theorem":
            head = f"{colons}{{prf:theorem}} {self._text(box.title)}".rstrip()
            head += f"\n:label: {box.label}" if box.label else ""
        else:
            head = f"{colons}{{admonition}} {self._text(box.title)}\n:class: {box.kind}"
            head += f"\n:name: {self._page.name}--{box.label}" if box.label else ""
        inner = "\n\n".join(self.block(block, fence - 1) for block in box.blocks)
        return f"{head}\n\n{inner}\n{colons}"

    def _picture(self, picture: Picture) -> str:
        svg = picture.svg[picture.svg.index("<svg") :].strip()
        figure = _html(f'<figure class="drawn" id="figure-{escape(picture.name)}">\n{svg}')
        caption = f"{self._text(picture.caption)}"
        return f"{figure}\n\n:::{{container}} caption\n{caption}\n:::\n\n{_html('</figure>')}"

    def _text(self, text: str) -> str:
        return REFERENCE.sub(self._reference, text)

    def _reference(self, match: re.Match[str]) -> str:
        shown, scheme, name = match.groups()
        if scheme == "source":
            return f"{{cite}}`{name}`"
        if scheme == "code":
            return f"{{py:obj}}`{name}`"
        target = self._resolve(scheme, name)
        return shown if target is None else f"[{shown}]({target})"


def _html(text: str) -> str:
    """Raw HTML; the fence is longer than any of backticks inside."""
    return f"````{{raw}} html\n{text}\n````"
