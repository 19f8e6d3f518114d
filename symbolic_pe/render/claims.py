"""The table of published claims with the verdict on each, from the answers of derivations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symbolic_pe.proof.derivation import Answer, Decided, Step, Twin
from symbolic_pe.proof.published import ClaimTable, PublishedClaim
from symbolic_pe.render.page import Block, Heading, Page, Prose, Table
from symbolic_pe.render.titles import words_of

HEAD = ("", "claim", "verdict", "decided by", "what holds")
OPEN = "not decided"
WRITTEN = "pytest tests/derivations --update-golden"
Found = tuple[Decided, Answer]
INTRODUCTION = """\
Every claim in our own words, with what was decided of it as it stands and the step of the
derivation that decides it. Where a claim has several readings each of them has its line; where it
is decided in parts, each part stands below it as it was decided."""


def claims_page(tables: Sequence[ClaimTable], decided: Sequence[Decided]) -> Page:
    """A section for each source, a row for each claim and answer."""
    answers: dict[str, list[Found]] = {}
    for one in decided:
        for answer in one.derivation.answers:
            answers.setdefault(answer.claim, []).append((one, answer))
    blocks: list[Block] = [Prose(INTRODUCTION)]
    for table in tables:
        rows = [row for claim in table.claims for row in _rows(claim, answers)]
        blocks += [Heading(table.title), Prose(table.source), Table(HEAD, tuple(rows))]
    return Page("claims", "Published claims", WRITTEN, tuple(blocks))


def _rows(claim: PublishedClaim, answers: Mapping[str, Sequence[Found]]) -> list[tuple[str, ...]]:
    """The claim with its own answers; below it the finer statements with theirs."""
    text = f"{claim.text} ({claim.where})" if claim.where else claim.text
    own = [(text if i == 0 else "", found) for i, found in enumerate(answers.get(claim.key, []))]
    parts = [(_statement(found), found) for key in claim.parts for found in answers.get(key, [])]
    rows = [_row(claim.key, shown, found) for shown, found in own]
    if not own:
        rows.append((claim.key, text, "in parts" if parts else OPEN, "", ""))
    return rows + [_row("", shown, found) for shown, found in parts]


def _row(key: str, text: str, found: Found) -> tuple[str, ...]:
    decided, answer = found
    d = decided.derivation
    by = f"[{d.title}](derivation:{d.name}), {words_of(answer.by)}"
    return key, text, decided.outcome_of(answer.by).value, by, answer.remark


def _statement(found: Found) -> str:
    """What the step or twin that decides it states."""
    decided, answer = found
    d = decided.derivation
    parts: tuple[Step | Twin, ...] = (*d.steps, *d.twins)
    return next(part.statement for part in parts if part.name == answer.by)
