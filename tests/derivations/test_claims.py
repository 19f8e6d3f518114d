"""Every published claim has an answer, and the pages of claims and of theorems are current."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import derivations
from derivations import CHAPTERS
from derivations.claims import MISPRINTS, TABLES
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.derivation import Decided, Rule, decide
from symbolic_pe.proof.published import ClaimTable, PublishedClaim
from symbolic_pe.proof.rocq.theorems import THEOREMS, theorems_page
from symbolic_pe.render.claims import OPEN, claims_page
from symbolic_pe.render.markdown import markdown
from symbolic_pe.render.page import Page
from symbolic_pe.render.theorem_index import theorem_index
from tests.proof.test_rocq_theory import golden

CLAIMS = [claim for table in TABLES for claim in table.claims]
KEYS = {claim.key for claim in CLAIMS}


@cache
def decided() -> tuple[Decided, ...]:
    return tuple(decide(d) for d in derivations.derivations())


def answered() -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for d in derivations.derivations():
        for answer in d.answers:
            found.setdefault(answer.claim, []).append(answer.verdict)
    return found


def test_every_claim_has_an_answer() -> None:
    found = set(answered())
    assert not {c.key for c in CLAIMS if not found & {c.key, *c.parts}}
    assert {part for c in CLAIMS for part in c.parts} <= found
    assert {f"S1.{n}" for n in range(1, 13)} <= set(answered())
    assert {f"8.1-{n}" for n in range(1, 23)} <= set(answered())


def test_answers_name_claims_of_the_tables() -> None:
    unknown = {key for key in answered() if key not in KEYS and key[0] in "S8"}
    assert unknown == set()


def test_every_misprint_is_refuted() -> None:
    for claim in MISPRINTS.claims:
        assert set(answered()[claim.key]) == {Outcome.REFUTED}, claim.key


def test_the_misquoted_vectors_and_the_exhaustion_are_refuted() -> None:
    assert answered()["S1.9"] == [Outcome.REFUTED]
    assert set(answered()["S1.11"]) == {Outcome.REFUTED, Outcome.PROVED}


def current(page: Page | str, path: str, request: pytest.FixtureRequest) -> None:
    text = page if isinstance(page, str) else markdown(page, beside)
    file = Path(path)
    if request.config.getoption("--update-golden"):
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text


def beside(scheme: str, name: str) -> str | None:
    """Links of a page that stands in docs/reference."""
    targets = {
        "derivation": f"../derivations/{name}.md",
        "theorem": "theorems.md",
        "docs": f"../{name}",
    }
    return targets.get(scheme)


def test_the_page_of_claims_is_current(request: pytest.FixtureRequest) -> None:
    current(claims_page(TABLES, decided()), "docs/reference/claims.md", request)


def test_the_index_of_theorems_is_current(request: pytest.FixtureRequest) -> None:
    by_chapter = [
        (c.title, [d for d in decided() if d.derivation.chapter == c.key]) for c in CHAPTERS
    ]
    current(theorem_index(by_chapter), "docs/reference/theorem-index.md", request)


def test_the_page_of_rocq_theorems_names_the_derivations(request: pytest.FixtureRequest) -> None:
    stated: dict[str, list[str]] = {}
    for d in derivations.derivations():
        for name in d.rocq:
            stated.setdefault(name, []).append(d.name)
    current(theorems_page(golden(), stated), "docs/reference/theorems.md", request)


def test_derivations_name_theorems_that_exist_and_list_those_they_cite() -> None:
    known = {t.qualified for t in THEOREMS}
    for one in decided():
        assert set(one.derivation.rocq) <= known, one.derivation.name
        for step, decision in zip(one.derivation.steps, one.steps, strict=True):
            if step.rule is Rule.ROCQ:
                cited = str(decision.evidence["theorem"]).split("`")[1]
                assert cited in one.derivation.rocq, (one.derivation.name, step.name)


def test_a_claim_without_answer_is_shown_as_open() -> None:
    table = ClaimTable("Title", "Source.", (PublishedClaim("X1", "Nobody decided this.", "here"),))
    page = markdown(claims_page([table], []))
    assert f"| X1 | Nobody decided this. (here) | {OPEN} |" in page
