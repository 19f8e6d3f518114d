"""A page as one HTML file that needs nothing else: MathML, inline SVG, a few lines of style."""

from __future__ import annotations

from html import escape
from typing import Any

from symbolic_pe.errors import SpecificationError
from symbolic_pe.render.page import (
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
    Table,
    resolved,
)
from symbolic_pe.render.prose import reader

STYLE = """
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5;
  font-family: system-ui, sans-serif; }
section.theorem, section.step, section.refuted, section.undecided {
  border-left: .2rem solid #3b9a57; padding-left: 1rem; margin: 1.2rem 0; }
section.theorem { border-color: #2f87c0; }
section.refuted { border-color: #cf4a5c; }
section.undecided { border-color: #d9772b; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border-bottom: 1px solid #8886; padding: .2rem .6rem; text-align: left; }
pre { overflow-x: auto; background: #8881; padding: .6rem; }
math[display=block] { overflow-x: auto; padding: .3rem 0; }
figcaption { text-align: center; font-size: .9em; }
""".strip()


def html(page: Page) -> str:
    """The whole document; references become their texts.

    Raises `SpecificationError` when markdown-it or latex2mathml is not installed.
    """
    writer = _Writer()
    body = "\n".join(writer.block(block) for block in page.blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(page.title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
        f"<h1>{writer.inline(page.title)}</h1>\n{body}\n"
        f"<footer><p><small>Written by <code>{escape(page.written)}</code>.</small></p></footer>\n"
        "</body>\n</html>\n"
    )


def mathml(tex: str, display: bool) -> str:
    """LaTeX as MathML. Raises `SpecificationError` when latex2mathml is not installed."""
    try:
        from latex2mathml.converter import convert
    except ImportError:
        raise SpecificationError(
            "formulas in HTML are made with latex2mathml: pip install 'symbolic-pe[docs]'"
        ) from None
    return str(convert(tex, display="block" if display else "inline"))


class _Writer:
    def __init__(self) -> None:
        self._reader: Any = reader(mathml)

    def inline(self, text: str) -> str:
        """One line."""
        return str(self._reader.renderInline(_texts(text)))

    def block(self, block: Block) -> str:
        """One block with all inside it."""
        match block:
            case Prose(text):
                return str(self._reader.render(_texts(text)).strip())
            case Heading(text, level):
                return f"<h{level}>{self.inline(text)}</h{level}>"
            case Items(lines):
                items = "\n".join(f"<li>{self.inline(line)}</li>" for line in lines)
                return f"<ul>\n{items}\n</ul>"
            case Table(head, rows):
                written = [self._row(row, "td") for row in rows]
                if any(head):
                    written.insert(0, self._row(head, "th"))
                return "<table>\n" + "\n".join(written) + "\n</table>"
            case Formula(tex):
                return mathml(tex, display=True)
            case Code(text):
                return f"<pre><code>{escape(text.rstrip())}</code></pre>"
            case Picture(caption=caption, svg=svg):
                described = self.inline(caption)
                return f"<figure>\n{svg}<figcaption>{described}</figcaption>\n</figure>"
            case Folded(summary, blocks):
                inner = "\n".join(map(self.block, blocks))
                return f"<details><summary>{escape(summary)}</summary>\n{inner}\n</details>"
            case Box(kind, title, blocks):
                inner = "\n".join(map(self.block, blocks))
                name = title or ("Theorem" if kind == "theorem" else "")
                bold = f"<p><strong>{self.inline(name)}</strong></p>\n" if name else ""
                return f'<section class="{kind}">\n{bold}{inner}\n</section>'

    def _row(self, cells: tuple[str, ...], tag: str) -> str:
        written = "".join(f"<{tag}>{self.inline(cell)}</{tag}>" for cell in cells)
        return f"<tr>{written}</tr>"


def _texts(text: str) -> str:
    return resolved(text.strip(), lambda scheme, name: None)
