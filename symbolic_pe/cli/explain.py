"""Derivations by name, for `symbolic-pe explain`."""

from __future__ import annotations

import difflib

from symbolic_pe.errors import SpecificationError


def explain(name: str) -> str:
    """The derivation as Markdown, decided now. Raises `SpecificationError` for unknown names."""
    from derivations import derivations
    from symbolic_pe.proof.derivation import decide
    from symbolic_pe.render.derivation import derivation_page
    from symbolic_pe.render.markdown import markdown

    known = {d.name: d for d in derivations()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecificationError(f"unknown derivation {name!r}{hint} (known: {', '.join(known)})")
    return markdown(derivation_page(decide(known[name]), figures=False))
