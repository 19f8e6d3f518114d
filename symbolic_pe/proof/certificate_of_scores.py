"""Certificates of what is no group: a score that is stated and evaluated, or matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.decision import Claim, Outcome
from symbolic_pe.encodings.score import Score
from symbolic_pe.encodings.witnesses import Evidenced
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.certificate import accepted, finished
from symbolic_pe.proof.checker import check_certificate
from symbolic_pe.proof.checker.form import CLAIMS
from symbolic_pe.proof.spelling import Spelling
from symbolic_pe.proof.spelling_of_scores import ScoreSpelling

Json = dict[str, Any]


def certificate_of_claims(name: str, dimension: int, claims: Sequence[Claim]) -> Json:
    """The certificate of claims about one score, about maps of steps, or about several axes.

    A claim that has no such evidence is listed as not certified.

    Raises `NotYetCovered` where no claim has evidence, or a number no form in the format.
    """
    kept = [claim for claim in claims if isinstance(claim, Evidenced)]
    decided = [claim for claim in kept if claim.verdict is not Outcome.UNDECIDED]
    if not decided:
        raise NotYetCovered(
            f"a certificate of {name}: no claim comes with a score or with matrices"
        )
    spelling = Spelling(Assumptions(), {})
    subject = decided[0].subject
    document: Json = {"name": name, "dimension": dimension}
    if isinstance(subject, Score):
        orbit = next((_orbit(spelling, c) for c in decided if c.name == "orbit"), None)
        scores = ScoreSpelling(spelling, _horizon(decided))
        document |= {
            "kind": "score",
            "score": scores.spelled(scores.number(subject)),
            "positions": scores.definitions,
            "orbit": orbit,
            "rates": {},
        }
    else:
        kind = "maps" if decided[0].name in CLAIMS["maps"] else "axes"
        matrices = [spelling.entries(matrix) for matrix in subject]
        document |= {"kind": kind, kind: matrices, "dimension": len(subject[0])}
    witnesses = [
        (claim, {"values": {}, "witness": dict(claim.data)})
        for claim in decided
        if claim.verdict is Outcome.REFUTED
    ]
    found = finished(spelling, document, claims, decided, witnesses)
    return accepted(found, check_certificate(found))


def _orbit(spelling: Spelling, claim: Evidenced) -> Json:
    """A table and the generator that moves it."""
    table = [spelling.function(f) for f in claim.data["table"]]  # type: ignore[attr-defined]
    return {"generator": spelling.entries(claim.data["generator"]), "table": table}  # type: ignore[arg-type]


def _horizon(claims: Sequence[Evidenced]) -> int:
    """The last position that a witness looks at."""
    pairs = [claim.data.get(side, ()) for claim in claims for side in ("first", "second")]
    return max((int(t) for pair in pairs for t in pair), default=0)  # type: ignore[attr-defined]
