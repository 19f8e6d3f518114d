"""Certificates of every catalogue entry and example: accepted, true, reproducible, complete.

What `prove` decides is in the certificate, or named there as not certified.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from symbolic_pe.budget import Budget
from symbolic_pe.encodings.catalogue import catalogue, entries
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.forms import from_any_document
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.any_form import proof
from symbolic_pe.proof.certificate import canonical, certificate, certified_encoding
from symbolic_pe.proof.certificate_of_mistakes import further_certificates
from symbolic_pe.proof.certificate_of_positions import certificate_of
from symbolic_pe.proof.certificate_of_scores import certificate_of_claims
from symbolic_pe.proof.checker import check_certificate, check_text
from symbolic_pe.proof.claim import Claim, Outcome
from symbolic_pe.proof.prover import prove
from symbolic_pe.proof.verdicts import RESTS_ON, evidence, prove_outside
from tests.proof.certificate_mutants import places, replaced
from tests.proof.documents import LAWS, Json, digest, judge
from tests.proof.opinion import is_true
from tests.proof.specimens import document_of, names, small, specification, text_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", names())
def test_certificates_are_accepted_and_true(name: str) -> None:
    document = document_of(name)
    result = check_certificate(document)
    assert result.accepted, result.reason
    assert check_text(text_of(name)) == result
    assert document["digest"] == digest(document)
    assert is_true(document)


@pytest.mark.parametrize("name", names())
def test_what_is_decided_is_certified_or_named(name: str) -> None:
    """Every claim of the proof stands in the certificate, with its verdict."""
    document = document_of(name)
    stated = dict(check_certificate(document).claims)
    if ":" in name:
        assert document["uncertified"] == []
        return
    for claim in proof(specification(name), Budget.of()).claims:
        if claim.name in stated:
            assert stated[claim.name] == claim.verdict.value
        else:
            assert claim.name in document["uncertified"] or claim.verdict is Outcome.UNDECIDED
    assert set(document["uncertified"]) <= {"bounded-causal", "bounded-all"}


def test_claims_beyond_the_format_are_named() -> None:
    """Growth like t by a chain without a basis; one odd block at an irrational eigenvalue."""
    rows = [[str(int(j == i + 1)) for j in range(8)] for i in range(7)]
    rows.append(["-1", "0", "-8", "0", "-18", "0", "-8", "0"])  # (x^4 + 4x^2 + 1)^2
    claims = ["bounded-causal"]
    found = certified_encoding(prove(from_document({"matrix": rows, "claims": claims})))
    assert found["claims"] == LAWS
    assert found["uncertified"] == ["bounded-causal"]
    step = from_any_document({"step": {"matrix": [[0, 0, -2], [1, 0, 0], [0, 1, 0]]}})
    document = certificate_of(proof(step, Budget.of()))
    assert (document["refutations"], document["uncertified"]) == ([], ["generator"])


@pytest.mark.parametrize("name", entries())
def test_every_entry_of_the_catalogue_has_a_certificate(name: str) -> None:
    """Every claim on which the verdict rests is in a certificate; nothing is skipped."""
    entry, given = entries()[name], small(name)
    further = further_certificates(entry, given)
    stated: dict[str, str] = {}
    for document in (certificate_of(proof(entry.form(given), Budget.of())), *further.values()):
        assert document["uncertified"] == []
        result = check_text(canonical(document))
        assert result.accepted, result.reason
        stated |= result.claims
    decided = evidence(entry, given)
    assert {claim.name: claim.verdict.value for claim in decided} == stated
    assert all(stated[claim] == outcome.value for claim, outcome in RESTS_ON[entry.verdict].items())


def test_a_claim_without_a_score_has_no_certificate() -> None:
    claim = Claim("relativity", Outcome.REFUTED, "score(t, s)", "", "by hand")
    with pytest.raises(NotYetCovered, match="no claim comes with a score"):
        certificate_of_claims("other", 2, [claim])
    found = Outside("other", Verdict.NOT_INVARIANT, 2, lambda: (claim,), no_function="none")
    with pytest.raises(NotYetCovered):
        certificate_of(prove_outside(found))


def test_an_irrational_power_has_no_certificate_and_the_reason_is_said() -> None:
    form = entries()["kerple"].form({"kernel": "power", "p": "sqrt(2)", "dim": 4})
    with pytest.raises(NotYetCovered, match="rational"):
        certificate_of(proof(form, Budget.of()))


@pytest.mark.parametrize("name", ["fire", "cope", "kerple", "t5", "grape-ap", "sinusoidal"])
def test_another_score_is_not_refuted(name: str) -> None:
    """The lag alone in the place of the score: both pairs score the same, and a group grows so."""
    document = document_of(name)
    assert not judge({**document, "score": "lag", "claims": []}).accepted


def test_certificates_do_not_depend_on_the_hash_seed() -> None:
    chosen = ("rope", "retnet", "jordan-rope", "root-of-sum", "one-map", "mixed-step")
    here = {name: text_of(name) for name in chosen}
    program = (
        "import json\n"
        "from tests.proof.specimens import text_of\n"
        f"print(json.dumps({{name: text_of(name) for name in {chosen}}}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == here


@pytest.mark.parametrize("name", ["rope", "xpos", "jordan-rope", "hidden-real-pair"])
def test_values_in_all_places_together_are_about_another_generator(name: str) -> None:
    """X, J, the rates and what the norm gains doubled state exp(2tX); X, J, rates alone do not."""
    document = document_of(name)
    chosen: dict[str, Json] = {
        "X": lambda at: at[0] == "heads" and at[2] == "generator",
        "rates": lambda at: at[0] == "rates",
    }
    if document["heads"][0]["basis"] is not None:
        chosen["J"] = lambda at: "J" in at
    for part in chosen.values():
        alone = _doubled(document, part)
        assert alone != document
        assert not judge(alone).accepted
    chosen["gain"] = lambda at: "gain" in at and "weights" in at
    if name != "jordan-rope":  # its exponential has the shear as a factor as well
        every = _doubled(document, lambda at: any(part(at) for part in chosen.values()))
        assert judge(every).accepted


def _doubled(document: Json, chosen: Json) -> Json:
    """Every coefficient at the chosen places doubled."""
    for at, value in places(document):
        if isinstance(value, str) and at and chosen(at) and at[-1] == 0:
            document = replaced(document, at, str(2 * Fraction(value)))
    return document


def test_a_kernel_of_a_nearby_generator_is_certified_as_such() -> None:
    """The plan carries X̂; without one, the certificate is about X itself."""
    from symbolic_pe.emit.plan import plan_kernel

    found = from_document({"matrix": [["0", "0", "2"], ["1", "0", "0"], ["0", "1", "0"]]})
    decided, plan = prove(found), plan_kernel(found)
    assert plan.distance
    near, exact = certificate(decided, plan), certified_encoding(decided)
    assert check_certificate(near).accepted
    assert near["heads"][0]["basis"] is not None
    assert exact["heads"][0]["generator"] != near["heads"][0]["generator"]
    assert exact["heads"][0]["parts"][0]["annihilator"] == [[["-2", {}]], [], []]


def test_large_entries_of_the_catalogue() -> None:
    for name, settings in (("rope", {"dim": 128}), ("jordan-rope", {"dim": 64}), ("alibi", {})):
        document = certified_encoding(prove(catalogue(name, settings)))
        assert check_certificate(document).accepted
        assert document["uncertified"] == []
