"""What is decided of functions, values and citations, with witnesses."""

from __future__ import annotations

import pytest

from symbolic_pe.algebra.exponential_polynomial import ExponentialPolynomial
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.errors import Undecided
from symbolic_pe.proof.claim import Outcome
from symbolic_pe.proof.decisions import (
    all_of,
    cited,
    none_of,
    same_function,
    same_functions,
    same_matrix,
    same_value,
)
from symbolic_pe.proof.derivation import Decision, Derivation, Rule, Step, Twin, decide, holds

LAG = ExponentialPolynomial.variable("t")
PROVED, REFUTED, UNDECIDED = Outcome.PROVED, Outcome.REFUTED, Outcome.UNDECIDED


def test_functions_and_values() -> None:
    assert same_function(LAG + LAG, LAG.scale(Scalar.rational(2))).outcome is PROVED
    apart = same_function(LAG, LAG * LAG)
    assert (apart.outcome, apart.witness) == (REFUTED, "at t = 3: claimed 3, found 9")
    second = same_functions(((LAG, LAG),), ((LAG, -LAG),))
    assert second.outcome is REFUTED
    assert second.evidence["entry"] == "row 0, column 1"
    assert same_value(ONE, ONE, "one").outcome is PROVED
    assert same_value(ONE, ZERO, "one").witness == "one: claimed 1, found 0"
    assert same_matrix(((ONE, ZERO),), ((ONE, ONE),), "row").witness == (
        "row, row 0, column 1: claimed 0, found 1"
    )


def test_parts_together() -> None:
    yes, no, open_ = holds(True), holds(False, "no"), Decision(UNDECIDED, {"reason": "why"})
    assert all_of({"a": yes, "b": yes}).outcome is PROVED
    assert all_of({"a": yes, "b": open_, "c": no}).witness == "c: no"
    assert all_of({"a": yes, "b": open_}).outcome is UNDECIDED
    assert none_of({"a": no, "b": no}).witness == "a: no; the others likewise"
    assert none_of({"a": no, "b": yes}).outcome is PROVED
    assert none_of({"a": no, "b": open_}).outcome is UNDECIDED


def test_a_citation_names_a_theorem_that_states_it() -> None:
    law = "forall s t : R, E (s + t) =[n] times n (E s) (E t)"
    found = cited("Laws.group_law", law)
    assert found.outcome is PROVED
    assert str(found.evidence["axioms"]).startswith("sig_forall_dec")
    assert cited("Laws.group_law", law.replace("s + t", "s - t")).outcome is UNDECIDED
    assert cited("Laws.no_such_law").outcome is UNDECIDED


def undecided() -> Decision:
    raise Undecided("whether this is so")


@pytest.mark.parametrize(
    ("step", "twin", "outcome"),
    [
        (holds(True), holds(False, "no"), PROVED),
        (holds(False, "no"), holds(False, "no"), REFUTED),
        (holds(True), holds(True), UNDECIDED),
        (None, holds(False, "no"), UNDECIDED),
        (holds(True), None, UNDECIDED),
    ],
)
def test_a_derivation_is_what_its_parts_are(
    step: Decision | None, twin: Decision | None, outcome: Outcome
) -> None:
    def part(decision: Decision | None) -> Decision:
        return undecided() if decision is None else decision

    decided = decide(
        Derivation(
            name="example",
            title="Example",
            chapter="none",
            statement="A statement.",
            hypotheses=("one",),
            steps=(Step("step", "It holds.", Rule.EVALUATION, lambda: part(step)),),
            twins=(Twin("twin", "one", "It fails.", lambda: part(twin)),),
            sources=(),
        )
    )
    assert decided.outcome is outcome
    if step is None:
        assert decided.steps[0].evidence["reason"] == "whether this is so"
