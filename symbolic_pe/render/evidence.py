"""What a decision found, as blocks of a page: mathematics where the value is mathematics."""

from __future__ import annotations

import re
from collections.abc import Mapping

from symbolic_pe.proof.evidence import is_matrix, plain
from symbolic_pe.render.mathematics import tex
from symbolic_pe.render.page import Block, Folded, Items, Prose

MOST_OPEN = 6
"""Entries that stand open; more are folded."""
WORDS = re.compile(r"[A-Za-z][A-Za-z ,.;:'()-]*")


def evidence_blocks(evidence: Mapping[str, object], witness: str | None) -> tuple[Block, ...]:
    """A list of names with values, folded where it is long, and the witness in the open."""
    lines = tuple(f"{escaped(name.replace('_', ' '))}: {shown(v)}" for name, v in evidence.items())
    blocks: list[Block] = []
    if len(lines) > MOST_OPEN:
        blocks.append(Folded(f"What was computed ({len(lines)} values)", (Items(lines),)))
    elif lines:
        blocks.append(Items(lines))
    if witness:
        blocks.append(Prose(f"*Witness:* {escaped(witness)}."))
    return tuple(blocks)


def shown(value: object) -> str:
    """One value as Markdown: mathematics, words, or code.

    >>> shown(((1, 0), (0, 1)))
    '$\\\\begin{pmatrix} 1 & 0 \\\\\\\\ 0 & 1 \\\\end{pmatrix}$'
    >>> shown("holds"), shown(True), shown("-m; never")
    ('holds', 'yes', '`-m; never`')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{escaped(str(k))} ↦ {shown(v)}" for k, v in value.items())
    found = tex(value)
    if found is not None:
        return f"${found}$"
    if isinstance(value, (list, tuple)) and not is_matrix(value):
        return "; ".join(shown(item) for item in value) or "none"
    return _text(plain(value))


def _text(value: str) -> str:
    if "$" in value or "`" in value or WORDS.fullmatch(value):
        return value
    return f"`{value}`"


def escaped(text: str) -> str:
    """Markdown in which no character of a plain text means anything; $…$ is left as it is.

    >>> escaped("-m*tau, a_1")
    '-m\\\\*tau, a\\\\_1'
    """
    if "$" in text or "`" in text:
        return text
    return re.sub(r"([*_<>\[\]])", r"\\\1", text)
