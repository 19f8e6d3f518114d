"""Derivations by name, for `symbolic-pe explain`."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from symbolic_pe.errors import SpecificationError


def pages() -> dict[str, Callable[[], str]]:
    """Every derivation that can be explained."""
    from derivations import alibi_augmentation

    return {"alibi-augmentation": alibi_augmentation.page}


def explain(name: str) -> str:
    """The derivation as Markdown, decided now. Raises `SpecificationError` for unknown names."""
    known = pages()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecificationError(f"unknown derivation {name!r}{hint} (known: {', '.join(known)})")
    return known[name]()
