"""Every derivation decides what it states, and its page is current."""

from __future__ import annotations

from pathlib import Path

import pytest

import derivations
from derivations import CHAPTERS
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.derivation import Derivation, decide
from symbolic_pe.render.derivation import derivation_page
from symbolic_pe.render.markdown import markdown

EVERY = derivations.derivations()


def test_every_file_stands_in_one_chapter() -> None:
    folder = Path(derivations.__file__).parent
    files = {
        ".".join(p.relative_to(folder).with_suffix("").parts)
        for p in folder.rglob("*.py")
        if p.name != "__init__.py" and "DERIVATION = " in p.read_text(encoding="utf-8")
    }
    listed = [module for chapter in CHAPTERS for module in chapter.modules]
    assert sorted(listed) == sorted(files)
    assert len({d.name for d in EVERY}) == len(EVERY)


@pytest.mark.parametrize("derivation", EVERY, ids=lambda d: d.name)
def test_it_stands_where_it_says_and_uses_what_came_before(derivation: Derivation) -> None:
    assert derivation.chapter in {c.key for c in CHAPTERS}
    before = {d.name for d in EVERY[: EVERY.index(derivation)]}
    assert set(derivation.uses) <= before


@pytest.mark.parametrize("derivation", EVERY, ids=lambda d: d.name)
def test_it_is_decided_and_its_page_is_current(
    derivation: Derivation, request: pytest.FixtureRequest
) -> None:
    decided = decide(derivation)
    assert decided.outcome is Outcome.PROVED, [
        (d.outcome, d.witness) for d in (*decided.steps, *decided.twins)
    ]
    for answer in derivation.answers:
        assert decided.outcome_of(answer.by) is answer.verdict
    path = Path(f"docs/derivations/{derivation.name}.md")
    page = markdown(derivation_page(decided, figures=False))
    if request.config.getoption("--update-golden"):
        path.write_text(page, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == page
