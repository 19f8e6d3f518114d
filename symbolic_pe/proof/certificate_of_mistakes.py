"""Certificates of what an entry says beyond its form: further claims, and what is misprinted.

A mis-statement is refuted by the same witnesses as a claim. Of a score it says that it is relative:
two pairs of positions of one lag refute that. A law for every position r says it of a score of
(r, r) that would be one number. Of a number, or a function of the lag, it says that it is another
one: what is right is the bias that constant coordinates realise, and what is stated the bias that
they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.exponential_polynomial import real_constant
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.budget import Budget
from symbolic_pe.decision import Claim, Decision, Outcome
from symbolic_pe.encodings.encoding import Augmentation
from symbolic_pe.encodings.entry import Entry
from symbolic_pe.encodings.realisation import minimal_augmentation
from symbolic_pe.encodings.witnesses import ClaimDecision, Evidenced, FunctionDecision
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.any_form import proof
from symbolic_pe.proof.certificate import accepted, finished, spelled_augmentation
from symbolic_pe.proof.certificate_of_positions import certificate_of
from symbolic_pe.proof.certificate_of_scores import certificate_of_claims
from symbolic_pe.proof.checker import check_certificate
from symbolic_pe.proof.checker.balls import BITS, MAX_BITS
from symbolic_pe.proof.refutation import entry as entry_witness
from symbolic_pe.proof.spelling import Spelling

Json = dict[str, Any]
ENCLOSED_DEGREE = MAX_BITS // (2 * BITS)
"""Of a root whose powers the checker can enclose: of size 2^BITS at most, in units of 2^-BITS."""


def certificate_of_mistake(name: str, decision: Decision) -> Json:
    """The refutation of one mis-statement, as the independent checker accepts it.

    >>> from symbolic_pe.encodings.witnesses import equals
    >>> wrong = equals(Scalar.rational(2), ONE, "the first slope")
    >>> certificate_of_mistake("first-slope", wrong)["refutations"][0]["claim"]
    'augmentation'

    Raises `NotYetCovered` where the decision has no exact numbers, but enclosures only.
    """
    claim = decision.claim if isinstance(decision, ClaimDecision) else None
    if isinstance(claim, Evidenced):
        return certificate_of_claims(name, 1, [claim])
    if isinstance(decision, FunctionDecision):
        added = minimal_augmentation(decision.right).augmentation
        return _of_bias(name, replace(added, bias=decision.stated), decision.lag)
    stated, right = (decision.evidence.get(side) for side in ("stated", "right"))
    if not isinstance(stated, Scalar) or not isinstance(right, Scalar):
        raise NotYetCovered(f"a certificate of {name}: it is refuted by enclosures, not exactly")
    constant = real_constant(ONE)
    added = Augmentation((right,), (ONE,), ((ZERO,),), ((constant,),), constant.scale(stated))
    return _of_bias(name, added, 0)


def _of_bias(name: str, added: Augmentation, lag: int) -> Json:
    """That constant coordinates have a bias which they do not have at a lag."""
    spelling = Spelling(Assumptions(), {}, ENCLOSED_DEGREE)
    one = spelling.real(ONE)
    head = {
        "generator": [],
        "basis": None,
        "exponential": [[0, 0, one]],
        "parts": [],
        "norm": None,
        "augmentation": spelled_augmentation(spelling, added),
    }
    document: Json = {
        "kind": "encoding",
        "name": name,
        "dimension": 1,
        "heads": [head],
        "rates": {},
        "pairing": "contragredient",
    }
    claim = Claim("augmentation", Outcome.REFUTED, "the bias", "", "by its value")
    witness = {"values": {}, "witness": entry_witness(0, 0, 0, str(lag))}
    found = finished(spelling, document, [claim], [claim], [(claim, witness)])
    return accepted(found, check_certificate(found))


def further_certificates(entry: Entry, given: Mapping[str, object]) -> dict[str, Json]:
    """Certificates of what an entry decides beyond the claims of its form, by the claim's name.

    What comes without a score is stated by the certificate of the form already (liere).
    """
    return {name: made() for name, made in _further(entry, given).items()}


def _further(entry: Entry, given: Mapping[str, object]) -> dict[str, Callable[[], Json]]:
    size = entry.form(given).dimension
    return {
        claim.name: partial(certificate_of_claims, f"{entry.name}:{claim.name}", size, [claim])
        for claim in entry.further_claims(given)
        if isinstance(claim, Evidenced)
    }


def certificates_of_entry(
    entry: Entry, given: Mapping[str, object], mistakes: Mapping[str, Decision]
) -> tuple[dict[str, Json], dict[str, str]]:
    """Every certificate of an entry by its name, and why something has none.

    The form is decided under the given settings; `mistakes` are the decisions of mis-statements.
    """
    tried = {entry.name: partial(_of_form, entry, given)}
    further = {**_further(entry, given), **_of_mistakes(entry, mistakes)}
    return _made({**tried, **{f"{entry.name}:{name}": make for name, make in further.items()}})


def _of_form(entry: Entry, given: Mapping[str, object]) -> Json:
    return certificate_of(proof(entry.form(given), Budget.of()))


def certificates_of_mistakes(entry: Entry) -> tuple[dict[str, Json], dict[str, str]]:
    """Refutations of the mis-statements of an entry by name, and why the others have none."""
    return _made(_of_mistakes(entry, {m.name: m.refute() for m in entry.mistakes}))


def _of_mistakes(entry: Entry, mistakes: Mapping[str, Decision]) -> dict[str, Callable[[], Json]]:
    return {
        name: partial(certificate_of_mistake, f"{entry.name}:{name}", decision)
        for name, decision in mistakes.items()
    }


def _made(tried: Mapping[str, Callable[[], Json]]) -> tuple[dict[str, Json], dict[str, str]]:
    """What could be made, and why the rest could not."""
    found: dict[str, Json] = {}
    without: dict[str, str] = {}
    for name, make in tried.items():
        try:
            found[name] = make()
        except NotYetCovered as error:
            without[name] = str(error)
    return found, without
