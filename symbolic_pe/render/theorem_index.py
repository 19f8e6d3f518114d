"""The list of all theorems: statement, where each proof lives, what it assumes."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.proof.derivation import Decided, Rule
from symbolic_pe.proof.rocq.theorems import checked_theorem
from symbolic_pe.render.page import Block, Heading, Items, Page, Prose
from symbolic_pe.render.titles import words_of

INTRODUCTION = """\
Each theorem is a derivation: its steps are decided when the tests run, its negative twins are
refuted, and where it says so the kernel of Rocq checks the statement for every size
([theorems checked by Rocq](docs:reference/theorems.md)). *Needs* are the hypotheses; *taken as
known* are theorems of the literature that are not proved here. Claims of others that are decided
on the way have [their own page](docs:reference/claims.md)."""


def theorem_index(chapters: Sequence[tuple[str, Sequence[Decided]]]) -> Page:
    """A section for each chapter, an entry for each theorem in reading order."""
    blocks: list[Block] = [Prose(INTRODUCTION)]
    for title, decided in chapters:
        blocks.append(Heading(title))
        for one in decided:
            blocks += _entry(one)
    written = "pytest tests/derivations --update-golden"
    return Page("theorem-index", "All theorems", written, tuple(blocks))


def _entry(decided: Decided) -> list[Block]:
    d = decided.derivation
    rules = {step.rule.value for step in d.steps if step.rule is not Rule.ROCQ}
    lines = [
        f"Proof: [{d.name}](derivation:{d.name}), {decided.outcome.value}, "
        f"{len(d.steps)} steps by {', '.join(sorted(rules)) or 'citation'}",
    ]
    if d.rocq:
        names = ", ".join(f"[`{name}`](theorem:{name})" for name in d.rocq)
        lines.append(f"In Rocq: {names}; axioms: {_axioms(d.rocq)}")
    lines.append(f"Needs: {'; '.join(d.hypotheses)}")
    if d.assumes:
        lines.append(f"Taken as known: {'; '.join(d.assumes)}")
    if d.twins:
        failing = ", ".join(words_of(twin.name) for twin in d.twins)
        lines.append(f"Fails without them: {failing}")
    return [Heading(d.title, 3), Prose(d.statement), Items(tuple(lines))]


def _axioms(names: Sequence[str]) -> str:
    used = {axiom for name in names for axiom in checked_theorem(name).axioms}
    return ", ".join(f"`{axiom.rpartition('.')[2]}`" for axiom in sorted(used)) or "none"
