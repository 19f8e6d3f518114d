"""A page as plain Markdown with $…$ mathematics, as code forges show it."""

from __future__ import annotations

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
    Resolver,
    Table,
    resolved,
    table_lines,
)

NOTICE = "<!-- written by `{written}`; do not edit -->"


def beside(scheme: str, name: str) -> str | None:
    """Links of a page that stands in `docs/derivations`."""
    targets = {
        "derivation": f"{name}.md",
        "theorem": "../reference/theorems.md",
        "docs": f"../{name}",
    }
    return targets.get(scheme)


def markdown(page: Page, resolve: Resolver = beside) -> str:
    """Title, notice, blocks. Of a picture, its caption: files of figures belong to the book."""
    parts = [f"# {page.title}", NOTICE.format(written=page.written)]
    parts += [_block(block, resolve) for block in page.blocks]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _block(block: Block, resolve: Resolver) -> str:
    match block:
        case Prose(text):
            return resolved(text.strip(), resolve)
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Items(lines):
            return "\n".join(f"- {resolved(line, resolve)}" for line in lines)
        case Table():
            return table_lines(block, lambda text: resolved(text, resolve))
        case Formula(tex):
            return f"$${tex}$$"
        case Code(text, language):
            return f"```{language}\n{text.rstrip()}\n```"
        case Picture(caption=caption):
            return f"*Figure: {caption}*"
        case Folded(blocks=blocks):
            return "\n\n".join(_block(inner, resolve) for inner in blocks)
        case Box():
            return _box(block, resolve)


def _box(box: Box, resolve: Resolver) -> str:
    inner = [_block(block, resolve) for block in box.blocks]
    if box.kind == "theorem":
        return "\n\n".join(inner)
    head = f"**{box.title}**"
    if box.blocks and isinstance(box.blocks[0], Prose):
        inner[0] = f"{head} {inner[0]}"
    else:
        inner.insert(0, head)
    return "\n\n".join(inner)
