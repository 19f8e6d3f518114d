"""The story of an encoding as a page: definition, verdict, proof, closed form, pictures, code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symbolic_pe.budget import Budget
from symbolic_pe.cli.axes_sections import axes_sections
from symbolic_pe.cli.function_portraits import function_portraits
from symbolic_pe.cli.generator_sections import generator_sections
from symbolic_pe.cli.known_encodings import code_of
from symbolic_pe.cli.measured import emitted
from symbolic_pe.cli.portraits import axes_portraits
from symbolic_pe.cli.step import step_text
from symbolic_pe.decision import Claim, Outcome, outcome_of
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.forms import IntegerPositions, Outside, SeveralAxes, Specification
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.integer_positions import prove_step
from symbolic_pe.proof.prover import jordan_forms, prove
from symbolic_pe.proof.several_axes import prove_axes
from symbolic_pe.proof.verdicts import verdict_outcome
from symbolic_pe.render.evidence import escaped, evidence_blocks
from symbolic_pe.render.page import (
    Block,
    Box,
    Code,
    Folded,
    Heading,
    Items,
    Page,
    Picture,
    Prose,
    Table,
)
from symbolic_pe.render.titles import title_of


@dataclass(frozen=True)
class Related:
    """A derivation on which the encoding rests: its name and title."""

    name: str
    title: str


@dataclass(frozen=True)
class _Decided:
    """The claims of a form, and the sections of a page that follow from them."""

    claims: tuple[Claim, ...]
    sections: tuple[Block, ...]


def entry_page(
    entry: Entry,
    given: Mapping[str, object],
    related: Sequence[Related] = (),
    *,
    citation: str | None = None,
    figures: bool = True,
    budget: Budget | None = None,
) -> Page:
    """The page of a catalogue entry with some settings given, the others as published.

    Raises `SpecificationError` for settings that it does not have.
    """
    form = entry.form(given)
    settings = ",".join(f"{name}={value}" for name, value in given.items())
    spec = f"{entry.name}:{settings}" if settings else entry.name
    decided = _decided(form, spec, budget or Budget.of(), figures=figures)
    claims = (*decided.claims, *entry.further_claims(given))
    outcome = verdict_outcome(form.verdict, claims)
    cited = "" if citation is None else f" [{citation}](source:{citation})"
    facts = Table(
        ("", ""),
        (
            ("name", f"`{spec}`"),
            ("family", entry.family),
            ("verdict", f"**{form.verdict.value}**: {outcome.value}"),
            ("code", code_of(form)),
            ("source", escaped(entry.reference) + cited),
        ),
    )
    blocks = (
        facts,
        Heading("Definition"),
        Prose(entry.definition),
        Prose(f"**Generator.** {entry.generator}"),
        Prose(f"**Stability.** {entry.stability}"),
        *_claims(claims),
        *_related(related),
        *decided.sections,
        *_values(entry),
        *_mistakes(entry),
        *_settings(entry),
    )
    return Page(entry.name, f"{entry.name}: {entry.title}", f"symbolic-pe explain {spec}", blocks)


def specification_page(
    found: Specification, spec: str, budget: Budget, *, figures: bool = True
) -> Page:
    """The page of any specification."""
    decided = _decided(found, spec, budget, figures=figures)
    blocks = (*_claims(decided.claims), *decided.sections)
    return Page(found.name, found.title or found.name, f"symbolic-pe explain {spec}", blocks)


def _decided(found: Specification, spec: str, budget: Budget, *, figures: bool) -> _Decided:
    """Each kind of specification with the prover that belongs to it."""
    if isinstance(found, IntegerPositions):
        step = prove_step(found)
        return _Decided(step.claims, (Heading("Classification"), Code(step_text(step))))
    if isinstance(found, SeveralAxes):
        axes = prove_axes(found)
        refuted = outcome_of(axes.claims) is Outcome.REFUTED
        code = () if refuted else tuple(_code(found, spec))
        drawn = axes_portraits(found) if figures else ()
        decided = (*axes_sections(axes), *_pictures(drawn), *code)
        return _Decided(axes.claims, decided)
    if isinstance(found, Outside):
        drawn = function_portraits(found) if figures else ()
        return _Decided(found.claims(), (*_pictures(drawn), *_code(found, spec)))
    forms = jordan_forms(found, budget)
    proof = prove(found, budget, forms)
    rest = generator_sections(found, spec, proof, forms, figures=figures)
    return _Decided(proof.claims, tuple(rest))


def _pictures(drawn: Sequence[Picture]) -> tuple[Block, ...]:
    return (Heading("Pictures"), *drawn) if drawn else ()


def _code(found: Outside | SeveralAxes, spec: str) -> Iterator[Block]:
    """The code of several axes, or of what is no group: a bias, a table or a map."""
    yield Heading("Code")
    if isinstance(found, Outside) and found.function is None:
        yield Prose(f"None: {found.no_function}.")
        return
    try:
        kernel = emitted(found, "numpy", f"symbolic-pe build {spec} --target numpy")
    except NotYetCovered as error:
        yield Prose(f"No kernel: {error}.")
        return
    if isinstance(found, Outside) and found.function is not None:
        yield Prose(f"A {found.function.kind} of positions: `{found.function.equation}`.")
    yield Code(f"symbolic-pe build {spec} -o {found.name}-kernel", "shell")
    yield Folded(kernel.filename, (Code(kernel.text, "python"),))


# -- what was decided -------------------------------------------------------------------------


def _claims(claims: Sequence[Claim]) -> Iterator[Block]:
    yield Heading("What was decided")
    yield Table(
        ("claim", "verdict", "statement", "how"),
        tuple(
            (c.name, c.verdict.value, f"`{c.statement}`", escaped(c.witness or c.reason))
            for c in claims
        ),
    )


def _related(related: Sequence[Related]) -> Iterator[Block]:
    if related:
        yield Prose("The mathematics of it, step by step:")
        yield Items(tuple(f"[{r.title}](derivation:{r.name})" for r in related))


def _values(entry: Entry) -> Iterator[Block]:
    """Printed numbers beside computed ones."""
    yield Heading("Known numbers")
    yield Prose(
        "Printed ones where a source prints them, else worked out by hand from the definition."
    )
    rows = []
    for value in entry.values:
        decision = value.check(entry)
        computed = decision.evidence.get("computed", "")
        settings = ", ".join(f"{k}={v}" for k, v in value.settings.items())
        rows.append(
            (
                escaped(value.what) + (f" (`{settings}`)" if settings else ""),
                f"`{value.printed}`",
                f"`{computed}`",
                "agrees" if decision.outcome is Outcome.PROVED else decision.outcome.value,
            )
        )
    yield Table(("number", "known", "computed", "verdict"), tuple(rows))


def _mistakes(entry: Entry) -> Iterator[Block]:
    """What is stated wrongly in print or in code, each with its witness."""
    if entry.mistakes:
        yield Heading("Published mistakes")
    for mistake in entry.mistakes:
        decision = mistake.refute()
        kind = "refuted" if decision.outcome is Outcome.REFUTED else "undecided"
        title = title_of(mistake.name)
        blocks = (
            Prose(f"*Stated:* {mistake.claim} ({mistake.where})."),
            *evidence_blocks(decision.evidence, decision.witness),
            Prose(f"*Right:* {mistake.right}."),
        )
        yield Box(kind, f"{title}: {decision.outcome.value}", blocks, mistake.name)


def _settings(entry: Entry) -> Iterator[Block]:
    if entry.settings:
        yield Heading("Settings")
        yield Table(
            ("setting", "default", "meaning"),
            tuple(
                (f"`{name}`", f"`{s.default}`" if s.default else "–", escaped(s.meaning))
                for name, s in entry.settings.items()
            ),
        )
