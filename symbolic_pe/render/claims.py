"""The table of published claims with the verdict on each, from the answers of derivations."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic_pe.proof.derivation import Answer, Decided
from symbolic_pe.proof.published import ClaimTable, PublishedClaim
from symbolic_pe.render.page import Block, Heading, Page, Prose, Table

HEAD = ("", "claim", "verdict", "decided by", "what holds")
OPEN = "not decided"
INTRODUCTION = """\
Every claim in our own words, with what was decided of it as it stands and the step of the
derivation that decides it. Where a claim has several readings each of them has its line."""


def claims_page(tables: Sequence[ClaimTable], decided: Sequence[Decided]) -> Page:
    """A section for each source, a row for each claim and answer."""
    answers: dict[str, list[tuple[Decided, Answer]]] = {}
    for one in decided:
        for answer in one.derivation.answers:
            answers.setdefault(answer.claim, []).append((one, answer))
    blocks: list[Block] = [Prose(INTRODUCTION)]
    for table in tables:
        rows = [row for claim in table.claims for row in _rows(claim, answers.get(claim.key, []))]
        blocks += [Heading(table.title), Prose(table.source), Table(HEAD, tuple(rows))]
    return Page(
        "claims", "Published claims", "pytest tests/derivations --update-golden", tuple(blocks)
    )


def _rows(
    claim: PublishedClaim, answers: Sequence[tuple[Decided, Answer]]
) -> list[tuple[str, ...]]:
    text = f"{claim.text} ({claim.where})" if claim.where else claim.text
    if not answers:
        return [(claim.key, text, OPEN, "", "")]
    rows: list[tuple[str, ...]] = []
    for index, (decided, answer) in enumerate(answers):
        d = decided.derivation
        by = f"[{d.title}](derivation:{d.name}), {answer.by.replace('-', ' ')}"
        outcome = decided.outcome_of(answer.by).value
        rows.append((claim.key, text if index == 0 else "", outcome, by, answer.remark))
    return rows
