"""Numbers in the format of certificates: roots of high degree, and sums over steps."""

from __future__ import annotations

import pytest
from flint import fmpq

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.expression import parse
from symbolic_pe.budget import Budget
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.score import KEY, LAG, QUERY, STEP, sum_over_steps
from symbolic_pe.encodings.witnesses import equals
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.any_form import proof
from symbolic_pe.proof.certificate_of_mistakes import certificate_of_mistake
from symbolic_pe.proof.certificate_of_positions import certificate_of
from symbolic_pe.proof.spelling import Spelling
from symbolic_pe.proof.spelling_of_scores import ScoreSpelling
from tests.proof.documents import judge


def test_a_root_of_high_degree_is_an_exponential() -> None:
    spelling = Spelling(Assumptions(), {}, 8)
    found = spelling.finish({"x": spelling.real(parse("3*2^(1/9) + 5^(1/8) + 2^(4/9)"))})
    kinds = {d["name"]: (d["kind"], d["degree"], d["of"]) for d in found["definitions"]}
    assert kinds == {
        "log_2": ("log", 1, [["2", {}]]),
        "r2_1_9": ("exp", 1, [["1/9", {"log_2": 1}]]),
        "r2_4_9": ("exp", 1, [["4/9", {"log_2": 1}]]),
        "r5": ("root", 8, [["5", {}]]),
    }
    assert found["x"] == [["3", {"r2_1_9": 1}], ["1", {"r2_4_9": 1}], ["1", {"r5": 1}]]


@pytest.mark.parametrize(("stated", "right"), [("2^(1/5000)", "2^(1/5001)"), ("7^(-3/2048)", "1")])
def test_powers_of_any_degree_are_told_apart(stated: str, right: str) -> None:
    document = certificate_of_mistake("powers", equals(parse(stated), parse(right), "a power"))
    assert judge(document).accepted
    (head,) = document["heads"]
    same = {**head["augmentation"], "bias": head["augmentation"]["query"][0]}
    assert not judge({**document, "heads": [{**head, "augmentation": same}]}).accepted


@pytest.mark.slow
def test_an_encoding_with_roots_of_high_degree() -> None:
    """θⱼ = (10000·2^(256/254))^(−2j/256): roots of 2 of degree 4064."""
    form = entries()["ntk"].form({"dim": 256, "factor": 2})
    document = certificate_of(proof(form, Budget.of()))
    assert judge(document).accepted
    assert {"orthogonality", "bounded-all"} <= set(document["claims"])
    entry, *rest = document["heads"][0]["generator"]
    moved = {**document["heads"][0], "generator": [[*entry[:2], [["2", {}]]], *rest]}
    assert not judge({**document, "heads": [moved]}).accepted


def test_sums_end_at_positions_and_numbers() -> None:
    """Every step that a witness can reach is written, and what may go on is refused."""
    for end, steps in ((QUERY, 3), (KEY + 1, 4), (LAG + fmpq(-1, 2), 2)):
        spelled = ScoreSpelling(Spelling(Assumptions(), {}), 2)
        spelled.number(sum_over_steps(0, end, STEP))
        assert sum(d["kind"] == "at-least" for d in spelled.definitions) == steps
    spelled = ScoreSpelling(Spelling(Assumptions(), {}), 2)
    assert spelled.number(sum_over_steps(0, 5, STEP)) == {(): parse("15")}
    with pytest.raises(NotYetCovered, match="end at a position"):
        spelled.number(sum_over_steps(0, 2 * LAG, STEP))
    with pytest.raises(NotYetCovered, match="begins below 0"):  # it would lose −2 − 1
        spelled.number(sum_over_steps(-2, 5, STEP))
