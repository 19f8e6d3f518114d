"""The ledger of spectral claims: every row is decided, and the page is current."""

from __future__ import annotations

from pathlib import Path

import pytest
from flint import arb, arb_mat, fmpq

from derivations import CHAPTERS
from derivations.spectral.bases import first_negative
from derivations.spectral.ledger import CLAIMS, NAMES, PAGE, answers, page
from derivations.spectral.tools import (
    P,
    at_quarter_turns,
    cosine,
    eigenvalues,
    equalities,
    number,
    precision,
    refuted,
    sine,
)
from symbolic_pe.decision import Outcome


def test_every_claim_has_a_row_and_every_verdict_is_decided() -> None:
    known = {key: value for key, value in answers().items() if key[0] in "VF"}
    expected = [f"V{k}" for k in range(1, 17)] + [f"F{k}" for k in range(1, 16)]
    assert [c.identifier for c in CLAIMS] == expected
    assert sorted(known) == sorted(expected)
    for identifier, (answer, decided) in known.items():
        outcome = decided.outcome_of(answer.by)
        assert outcome is (Outcome.PROVED if identifier[0] == "V" else Outcome.REFUTED)
        assert outcome is answer.verdict


def test_the_chapter_lists_what_the_ledger_reads() -> None:
    (chapter,) = [c for c in CHAPTERS if c.key == "spectral"]
    assert chapter.modules == tuple(f"spectral.{name}" for name in NAMES)


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    text = page()
    if request.config.getoption("--update-golden"):
        Path(PAGE).write_text(text, encoding="utf-8")
    assert Path(PAGE).read_text(encoding="utf-8") == text


def test_the_tools_can_fail() -> None:
    assert equalities({"1 = 2": (number(1), number(2))}).outcome is Outcome.REFUTED
    assert refuted("nothing", arb(0, 1)).outcome is Outcome.UNDECIDED
    with precision(128):
        pair = eigenvalues(arb_mat([[arb(2), arb(1)], [arb(1), arb(2)]]))
    assert [round(float(x.mid()), 9) for x in pair] == [3, 1]


def test_quarter_turns_are_integers() -> None:
    wave = cosine(e=1, t=-1)
    assert (at_quarter_turns(wave, "e", 6) + cosine(t=1)).vanishes()
    assert (at_quarter_turns(wave, "e", -1) + sine(t=1)).vanishes()
    half = P.cosine("e", number(fmpq(1, 2)))
    with pytest.raises(ValueError, match="not by an integer multiple"):
        at_quarter_turns(half, "e", 1)


def test_windows_by_balls_alone_agree_with_the_search() -> None:
    assert first_negative(16, 10000, 200)[0] == 91
    assert first_negative(16, 10000, 90)[0] is None
