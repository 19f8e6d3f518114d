"""No altered certificate is accepted unless it is true: a sample, and all of them as slow tests."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from symbolic_pe.proof.checker import check_certificate, check_text
from tests.proof.certificate_mutants import (
    KINDS,
    UNEXPLAINED,
    campaign,
    code_lines,
    markdown,
    mutants,
    places,
    replaced,
    size_of_the_checker,
)
from tests.proof.documents import sealed
from tests.proof.forgeries import forgeries
from tests.proof.opinion import is_true
from tests.proof.specimens import document_of, names

SAMPLE = 60
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "certificate-mutants.md"


@pytest.mark.parametrize("name", names())
def test_a_sample_of_the_mutants(name: str) -> None:
    (tally,) = campaign([name], sample=SAMPLE)
    assert tally.survivors == []
    assert UNEXPLAINED not in tally.reasons
    assert tally.total == SAMPLE
    assert sum(tally.malformed.values()) + sum(tally.not_shown.values()) > SAMPLE // 2


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_mutant(name: str) -> None:
    (tally,) = campaign([name])
    assert tally.survivors == []
    assert UNEXPLAINED not in tally.reasons
    assert tally.total > 1000
    assert set(tally.malformed | tally.not_shown | tally.true) == set(KINDS)


@pytest.mark.parametrize("name", ["rope", "alibi-misquoted", "mixed-step"])
def test_documents_altered_in_many_places(name: str) -> None:
    """Several alterations at once never crash the checker, as values or as texts."""
    import json

    document, rng = document_of(name), random.Random(name)
    single = [m.document for m in mutants(document) if isinstance(m.document, dict)]
    for _ in range(150):
        first, second = rng.choice(single), rng.choice(single)
        at, value = rng.choice([x for x in places(second) if x[0]])
        try:
            mutant = replaced(first, at, value)
        except (KeyError, IndexError, TypeError):
            continue
        result = check_certificate(mutant, ignore_digest=True)
        assert result.reason
        try:
            text = json.dumps(mutant)
        except (TypeError, ValueError):
            continue
        assert check_text(text, ignore_digest=True).accepted == result.accepted


FORGED = (
    *("nope", "alibi", "alibi-misquoted", "fox", "kerple", "kerple-power", "t5", "fire"),
    *("sinusoidal", "path", "damped-half", "growing-chain", "axial", "not-commuting"),
)


@pytest.mark.parametrize("name", FORGED)
def test_no_forgery_is_accepted_unless_it_is_true(name: str) -> None:
    """Alterations that belong together, where each alone would be refused."""
    judged = 0
    for forged in forgeries(document_of(name), 1, 25):
        result = check_certificate(forged, ignore_digest=True)
        assert not result.accepted or is_true(forged)
        judged += bool(result.claims)
    assert judged > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGED)
def test_many_forgeries(name: str) -> None:
    for forged in forgeries(document_of(name), 2, 1000):
        assert not check_certificate(forged, ignore_digest=True).accepted or is_true(forged)


def test_mutants_differ_from_their_certificate() -> None:
    document = document_of("rope")
    found = list(mutants(document))
    assert all(mutant.document != document for mutant in found)
    assert {mutant.kind for mutant in found} == set(KINDS)
    assert all(
        m.document == sealed(m.document) for m in found[::50] if isinstance(m.document, dict)
    )


def test_the_page_reports_no_survivors() -> None:
    """The table is made by `make certificate-mutants`."""
    text = PAGE.read_text(encoding="utf-8")
    assert re.search(r"\d+ certificates, \d+ mutants, 0 survivors\.", text)
    for name in names():
        assert f"| {name} |" in text
    (tally,) = campaign(["nope"], sample=5)
    assert "nope" in markdown([tally])


def test_the_page_states_the_size_of_the_checker() -> None:
    """A checker that was altered has to face its mutants again."""
    assert size_of_the_checker() in PAGE.read_text(encoding="utf-8")
    assert code_lines('"""Text\n\nof a module."""\n\n# why\nx = (\n    1,\n)\n') == 3
