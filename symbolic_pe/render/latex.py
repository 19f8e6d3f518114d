"""A page as a LaTeX document: amsmath, one theorem, lists and tables; for lualatex or xelatex."""

from __future__ import annotations

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

PREAMBLE = r"""
\documentclass{article}
\usepackage{amsmath, amssymb, amsthm, longtable, array, fontspec, fvextra}
\newtheorem*{theorem}{Theorem}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
""".strip()
SECTIONS = {2: "section*", 3: "subsection*", 4: "subsubsection*"}
OPENINGS = {
    "paragraph_open": "",
    "paragraph_close": "\n\n",
    "bullet_list_open": "\\begin{itemize}\n",
    "bullet_list_close": "\\end{itemize}\n\n",
    "ordered_list_open": "\\begin{enumerate}\n",
    "ordered_list_close": "\\end{enumerate}\n\n",
    "list_item_open": "\\item ",
    "list_item_close": "",
    "blockquote_open": "\\begin{quote}\n",
    "blockquote_close": "\\end{quote}\n\n",
    "em_open": "\\emph{",
    "em_close": "}",
    "strong_open": "\\textbf{",
    "strong_close": "}",
    "link_open": "",
    "link_close": "",
    "softbreak": "\n",
    "hardbreak": "\\\\\n",
}


def latex(page: Page) -> str:
    """The whole document; of a picture, its caption.

    Raises `SpecificationError` when markdown-it or pylatexenc is not installed.
    """
    writer = _Writer()
    body = "\n\n".join(writer.block(block).strip() for block in page.blocks)
    title = writer.inline(page.title)
    notice = f"% written by `{page.written} --format latex`"
    return (
        f"{notice}\n{PREAMBLE}\n\\title{{{title}}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n\n{body}\n\n\\end{{document}}\n"
    )


def escaped(text: str) -> str:
    """Text with what TeX would read as commands written out.

    >>> escaped("50% of a_1 ≤ 2")
    '50\\\\% of a\\\\_1 \\\\ensuremath{\\\\leq} 2'
    """
    try:
        from pylatexenc.latexencode import unicode_to_latex
    except ImportError:
        raise SpecificationError(
            "texts in LaTeX are made with pylatexenc: pip install 'symbolic-pe[docs]'"
        ) from None
    return str(unicode_to_latex(text, unknown_char_policy="keep", unknown_char_warning=False))


class _Writer:
    def __init__(self) -> None:
        self._reader: Any = reader()

    def inline(self, text: str) -> str:
        """One line."""
        return "".join(map(self._token, self._reader.parseInline(_texts(text))))

    def block(self, block: Block) -> str:
        """One block with all inside it."""
        match block:
            case Prose(text):
                return "".join(map(self._token, self._reader.parse(_texts(text))))
            case Heading(text, level):
                return f"\\{SECTIONS.get(level, 'paragraph')}{{{self.inline(text)}}}"
            case Items(lines):
                items = "\n".join(f"\\item {self.inline(line)}" for line in lines)
                return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
            case Table():
                return self._table(block)
            case Formula(tex):
                return f"\\[\n{tex}\n\\]"
            case Code(text):
                return _verbatim(text)
            case Picture(caption=caption):
                return f"\\emph{{Figure: {self.inline(caption)}}}"
            case Folded(blocks=blocks):
                return "\n\n".join(map(self.block, blocks))
            case Box(kind, title, blocks):
                inner = "\n\n".join(self.block(b).strip() for b in blocks)
                if kind == "theorem":
                    return f"\\begin{{theorem}}\n{inner}\n\\end{{theorem}}"
                return f"\\textbf{{{self.inline(title)}}} {inner}"

    def _table(self, table: Table) -> str:
        columns = len(table.head)
        width = f"p{{\\dimexpr\\linewidth/{columns}-2\\tabcolsep\\relax}}"
        rows = [" & ".join(map(self.inline, row)) + r" \\" for row in table.rows]
        if any(table.head):
            head = " & ".join(f"\\textbf{{{self.inline(h)}}}" for h in table.head)
            rows.insert(0, head + r" \\ \hline")
        body = "\n".join(rows)
        return f"\\begin{{longtable}}{{{width * columns}}}\n{body}\n\\end{{longtable}}"

    def _token(self, token: Any) -> str:
        if token.type in OPENINGS:
            return OPENINGS[token.type]
        match token.type:
            case "inline":
                return "".join(map(self._token, token.children))
            case "text":
                return escaped(token.content)
            case "code_inline":
                return f"\\texttt{{{escaped(token.content)}}}"
            case "math_inline":
                return f"${token.content}$"
            case "math_inline_double" | "math_block" | "math_block_label":
                return f"\\[\n{token.content.strip()}\n\\]\n"
            case "fence" | "code_block":
                return _verbatim(token.content) + "\n"
        raise SpecificationError(f"no LaTeX for {token.type} in a text; write it as blocks")


def _texts(text: str) -> str:
    return resolved(text.strip(), lambda scheme, name: None)


def _verbatim(text: str) -> str:
    return f"\\begin{{Verbatim}}[breaklines]\n{text.rstrip()}\n\\end{{Verbatim}}"
