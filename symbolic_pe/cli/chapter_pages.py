"""The derivations as a book: a page each, and one for every chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from derivations import Chapter
from symbolic_pe.proof.derivation import Decided
from symbolic_pe.render.derivation import Cite, derivation_page
from symbolic_pe.render.myst import myst
from symbolic_pe.render.page import Heading, Items, Page, Prose, Table

FOLDERS = {"derivation": "../derivations/{}.md", "entry": "../catalogue/{}.md", "docs": "../{}"}


def beside(scheme: str, name: str) -> str | None:
    """Links of a generated page that stands one folder below docs/."""
    if scheme == "theorem":
        return "../reference/theorems.md"
    return FOLDERS[scheme].format(name) if scheme in FOLDERS else None


def chapter_files(
    chapters: Sequence[Chapter], decided: Mapping[str, Decided], cite: Cite
) -> dict[str, str]:
    """Index, chapters and derivations, by path."""
    by_chapter = {
        chapter.key: [d for d in decided.values() if d.derivation.chapter == chapter.key]
        for chapter in chapters
    }
    files = {"derivations/index.md": _index(chapters, by_chapter)}
    for number, chapter in enumerate(chapters, start=1):
        files[f"derivations/chapter-{chapter.key}.md"] = _chapter(
            number, chapter, by_chapter[chapter.key]
        )
    for name, found in decided.items():
        files[f"derivations/{name}.md"] = myst(derivation_page(found, cite), beside)
    return files


def _index(chapters: Sequence[Chapter], by_chapter: Mapping[str, Sequence[Decided]]) -> str:
    words = (
        "Every statement here is decided when the book is built: each step by the rule that it "
        "names, each published claim with its verdict, and without its hypotheses each statement "
        "is refuted by numbers that anyone can evaluate. `symbolic-pe explain NAME` prints one of "
        "them, as Markdown, LaTeX or HTML. There are [all statements on one "
        "page](docs:reference/theorem-index.md) and [what is decided of published "
        "claims](docs:reference/claims.md)."
    )
    chapter_blocks = (
        block
        for number, chapter in enumerate(chapters, start=1)
        for block in (
            Heading(f"{number}. [{chapter.title}](chapter-{chapter.key}.md)"),
            Items(tuple(_linked(d) for d in by_chapter[chapter.key])),
        )
    )
    blocks = (Prose(words), *chapter_blocks)
    page = Page("index", "The derivations", "symbolic-pe book", blocks)
    listed = [f"chapter-{c.key}" for c in chapters]
    return myst(page, beside) + _toctree(listed)


def _chapter(number: int, chapter: Chapter, found: Sequence[Decided]) -> str:
    rows = tuple((_linked(d), d.outcome.value) for d in found)
    page = Page(
        f"chapter-{chapter.key}",
        f"{number}. {chapter.title}",
        "symbolic-pe book",
        (Table(("statement", "verdict"), rows),) if rows else (),
    )
    return myst(page, beside) + _toctree([d.derivation.name for d in found])


def _linked(found: Decided) -> str:
    return f"[{found.derivation.title}]({found.derivation.name}.md)"


def _toctree(names: Sequence[str]) -> str:
    return "\n```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"
