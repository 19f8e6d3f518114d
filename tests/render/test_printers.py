"""One page, four printers: what each must say, and what none of them may let through."""

from __future__ import annotations

import re
import sys

import pytest

from symbolic_pe.errors import SpecificationError
from symbolic_pe.render.html import html
from symbolic_pe.render.latex import latex
from symbolic_pe.render.markdown import markdown
from symbolic_pe.render.myst import myst
from symbolic_pe.render.page import (
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
)
from symbolic_pe.render.titles import title_of

SVG = '<svg viewBox="0 0 1 1" role="img">\n <path d="M 0 0"/>\n</svg>\n'
PAGE = Page(
    "sample",
    "50% of a_1 & more",
    "symbolic-pe explain sample",
    (
        Box(
            "theorem",
            "",
            (Prose("Let $a_1 < b$.\n\n$$a = b$$"), Items(("one, see [RoPE](entry:rope)",))),
            "sample",
        ),
        Heading("Proof"),
        Box("step", "1. First.", (Prose("*Proved*."), Folded("all", (Formula("x^2"),))), "first"),
        Table(("claim", "how"), (("`|x|`", "a|b, by [Su](source:su2021)"),)),
        Code("def f():\n    return '<b>'", "python"),
        Picture("drawn", "A $\\tau$ axis.", SVG),
        Prose("See [prove](code:symbolic_pe.proof.prover.prove). <b>no tag</b>"),
    ),
)


def links(scheme: str, name: str) -> str | None:
    return f"../catalogue/{name}.md" if scheme == "entry" else None


def test_markdown() -> None:
    text = markdown(PAGE, links)
    assert "<!-- written by `symbolic-pe explain sample`; do not edit -->" in text
    assert "- one, see [RoPE](../catalogue/rope.md)" in text
    assert "**1. First.** *Proved*." in text
    assert r"| `\|x\|` | a\|b, by Su |" in text
    assert "*Figure: A $\\tau$ axis.*" in text


def test_myst_fences_close_inside_out() -> None:
    text = myst(PAGE, links)
    assert "{cite}`su2021`" in text
    assert "{py:obj}`symbolic_pe.proof.prover.prove`" in text
    assert SVG.strip() in text
    assert "{prf:theorem}\n:label: sample" in text
    assert ":name: sample--first" in text
    opened: list[str] = []
    for fence, rest in re.findall(r"^(:{3,})(.*)$", text, re.M):
        if rest:
            assert not opened or len(fence) < len(opened[-1])
            opened.append(fence)
        else:
            assert fence == opened.pop()
    assert opened == []


def test_latex_is_balanced_and_escaped() -> None:
    text = latex(PAGE)
    assert r"\title{50\% of a\_1 \& more}" in text
    assert "Let $a_1 < b$." in text
    assert r"\texttt{|x|} & a|b, by Su \\" in text
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    prose = re.sub(r"\\begin\{Verbatim\}.*?\\end\{Verbatim\}", "", text, flags=re.S)
    bare = re.sub(r"\\[{}]", "", prose)
    assert bare.count("{") == bare.count("}")


def test_html_is_one_file_without_scripts_or_links_out() -> None:
    text = html(PAGE)
    assert "<script" not in text
    assert not re.search(r"(src|href)=", text)
    assert "<math" in text
    assert SVG in text
    assert "&lt;b&gt;no tag&lt;/b&gt;" in text
    assert "return &#x27;&lt;b&gt;&#x27;" in text
    assert '<section class="step">' in text


def test_a_text_that_no_printer_knows_is_refused() -> None:
    strange = Page("x", "x", "x", (Prose("# a heading inside a text"),))
    with pytest.raises(SpecificationError, match="heading_open"):
        latex(strange)


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    with pytest.raises(SpecificationError, match=r"symbolic-pe\[docs\]"):
        latex(PAGE)
    assert markdown(PAGE).startswith("# 50%")


@pytest.mark.parametrize(
    ("name", "title"),
    [("as-quoted", "As quoted"), ("alibi", "ALiBi"), ("m-rope-repeated", "M-RoPE repeated"),
     ("every-power-is-alibi", "Every power is ALiBi"), ("xpos-scale-base", "xPos scale base")],
)  # fmt: skip
def test_titles_spell_names_as_people_do(name: str, title: str) -> None:
    assert title_of(name) == title
