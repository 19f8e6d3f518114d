"""A decided derivation as a page: theorem, proof step by step, where it fails, what rests on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.derivation import RULES, Decided, Decision, Step, Twin
from symbolic_pe.render.evidence import evidence_blocks
from symbolic_pe.render.page import Block, Box, Heading, Items, Page, Picture, Prose, Table
from symbolic_pe.render.titles import title_of

Cite = Callable[[str], str | None]
"""From the text of a source to its key in the bibliography."""

OWN_PACKAGES = ("symbolic_pe.", "numeric_check.", "derivations.")


def derivation_page(
    decided: Decided, cite: Cite = lambda source: None, *, figures: bool = True
) -> Page:
    """The page; `figures` draws them, which takes a library that the exact part does not need."""
    d = decided.derivation
    blocks: list[Block] = [_theorem(decided)]
    blocks += [Prose(d.prose)] if d.prose.strip() else []
    if figures:
        blocks += [Picture(f.name, f.caption, f.draw()) for f in d.figures]
    blocks.append(Heading("Proof"))
    steps = zip(d.steps, decided.steps, strict=True)
    blocks += [_step(i, step, decision) for i, (step, decision) in enumerate(steps, start=1)]
    if d.twins:
        blocks.append(Heading("Where it fails"))
        blocks += [_twin(t, decision) for t, decision in zip(d.twins, decided.twins, strict=True)]
    blocks += _answers(decided)
    blocks += _links(decided, cite)
    blocks.append(
        Prose(f"Verdict: **{decided.outcome.value}**. Digest `{decided.digest()}`."),
    )
    asked = f"derivation:{d.name}" if d.name in entries() else d.name
    return Page(d.name, d.title, f"symbolic-pe explain {asked}", tuple(blocks))


def _theorem(decided: Decided) -> Box:
    """The statement, and what it is stated under."""
    d = decided.derivation
    blocks: list[Block] = [Prose(d.statement)]
    if d.hypotheses:
        blocks += [Prose("**Hypotheses**"), Items(d.hypotheses)]
    if d.assumes:
        blocks += [Prose("**Taken as known**"), Items(d.assumes)]
    return Box("theorem", "", tuple(blocks), d.name)


def _step(index: int, step: Step, decision: Decision) -> Box:
    """Statement, why, and by which rule it was decided."""
    blocks: list[Block] = [Prose(step.statement)]
    if step.why.strip():
        blocks.append(Prose(step.why))
    said = f"*{decision.outcome.value.capitalize()}* by {step.rule.value}: {RULES[step.rule]}."
    blocks.append(Prose(said))
    blocks += evidence_blocks(decision.evidence, decision.witness)
    return Box("step", f"{index}. {title_of(step.name)}.", tuple(blocks), step.name)


def _twin(twin: Twin, decision: Decision) -> Box:
    kind = "refuted" if decision.outcome is Outcome.REFUTED else "undecided"
    without = twin.without.strip().rstrip(".")
    blocks: list[Block] = [
        Prose(f"*{decision.outcome.value.capitalize()} without {_lowered(without)}.*"),
        Prose(twin.statement),
        *evidence_blocks(decision.evidence, decision.witness),
    ]
    return Box(kind, f"{title_of(twin.name)}.", tuple(blocks), twin.name)


def _lowered(text: str) -> str:
    """The first letter small, unless it begins a name or a formula."""
    return text[0].lower() + text[1:] if text[:1].isalpha() and text[1:2].islower() else text


def _answers(decided: Decided) -> Iterator[Block]:
    d = decided.derivation
    if d.answers:
        yield Heading("Published claims")
        yield Table(
            ("claim", "verdict", "decided by", "remark"),
            tuple((a.claim, a.verdict.value, title_of(a.by), a.remark) for a in d.answers),
        )


def _links(decided: Decided, cite: Cite) -> Iterator[Block]:
    d = decided.derivation
    lists = {
        "Builds on": tuple(f"[{name}](derivation:{name})" for name in d.uses),
        "Machine-checked": tuple(f"[`{name}`](theorem:{name})" for name in d.rocq),
        "What rests on it": tuple(map(_code, d.justifies)),
        "Sources": tuple(_source(text, cite) for text in d.sources),
    }
    for title, lines in lists.items():
        if lines:
            yield Heading(title)
            yield Items(lines)


def _code(name: str) -> str:
    """A catalogue entry or an object of the package as a reference, anything else as it is."""
    if name in entries():
        return f"[`{name}`](entry:{name})"
    if name.startswith(OWN_PACKAGES) and all(part.isidentifier() for part in name.split(".")):
        return f"[`{name}`](code:{name})"
    return f"`{name}`"


def _source(text: str, cite: Cite) -> str:
    key = cite(text)
    return text if key is None else f"{text} [{key}](source:{key})"
