"""Independent checker of certificates: decides again everything that a certificate states.

The document is defined in `docs/reference/certificate.md`. This package shares no code with the
prover; it needs Python's standard library only and computes with exact integers and rationals. Read
`balls`, `numbers`, `matrices`, `form`, `groups`, `score` and this file, in this order.

What is trusted: Python, these files, and

1. E(0) = I and E' = XE determine E(t) = exp(tX) (uniqueness for a linear equation), and with it
   exp((s + t)X) = exp(sX)·exp(tX), and F(t)ᵀG(s) = A(t − s) for F(t) = A(t)ᵀ and G(s) = A(−s);
2. exp(tX) is orthogonal for every t exactly when Xᵀ = −X (differentiate at t = 0), which is also
   when F(t) = A(−t) and G(s) = A(−s) have F(t)ᵀG(s) = A(t − s);
3. X·P = P·J and P·Q = I give exp(tX) = P·exp(tJ)·Q;
4. p(X)·D = 0 gives exp(tX)·D = Σ φ_c(t)·X^c·D with the fundamental solutions φ_c of p(d/dt)φ = 0;
5. z' = Jz with zᵀPz that never grows, for a positive definite P, has bounded solutions (Lyapunov);
   it has an unbounded one where zᵀPz grows without bound, whatever P is (Chetaev);
6. exp(Σ pᵢXᵢ) is a homomorphism in p exactly when the Xᵢ commute (differentiate at p = 0);
7. a real matrix D without eigenvalues in (−∞, 0] has a real logarithm that commutes with all that
   D commutes with; a monic polynomial whose coefficients alternate in sign has no zero there; and
   a matrix with a real logarithm has an even number of Jordan blocks of each size at each negative
   eigenvalue (Culver);
8. b(n) = qᵀBⁿk for n = 0, 1, 2, … with an invertible B is constant if it is constant from some n on
   (its recurrence runs backwards), and if b(n)/(n^e·(log n)^l) tends to a number that is not 0,
   then l = 0 and e is one of 0, 1, 2, … (terms of the largest modulus do not cancel).

A statement that is not shown is not accepted, be it false or beyond this checker. A refutation is a
statement as well: its witness is evaluated, and shows that both sides differ. Arithmetic is charged
to a budget, so that a hostile document ends in a refusal.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symbolic_pe.proof.checker.balls import CertificateError, exact, require
from symbolic_pe.proof.checker.form import CLAIMS, FORMAT, Reader
from symbolic_pe.proof.checker.groups import Axes, Encoding, Statement, Step, Vanishing
from symbolic_pe.proof.checker.numbers import Field
from symbolic_pe.proof.checker.score import Score

__all__ = ["FORMAT", "CheckResult", "canonical_digest", "check_certificate", "check_text"]

MAX_TEXT = 32 * 1024 * 1024  # characters of a document
PROVED, REFUTED, NOT_SHOWN = "proved", "refuted", "not shown"
KINDS = {"encoding": Encoding, "axes": Axes, "maps": Axes, "step": Step, "score": Score}


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one document.

    `accepted` is true exactly when the document is well formed and all that it states is shown;
    else `reason` says what failed and where. `claims` lists (claim, "proved" | "refuted" |
    "not shown"); "refuted" is shown as well, by a witness.
    """

    accepted: bool
    reason: str
    claims: tuple[tuple[str, str], ...] = ()


def canonical_digest(document: Mapping[str, object]) -> str:
    """`"sha256:"` + SHA-256 of the document without its `digest` field, in canonical form.

    Canonical form: UTF-8 JSON, keys sorted, no white space, `ensure_ascii=False`.

    >>> canonical_digest({"digest": "ignored"}) == canonical_digest({})
    True
    """
    content = {k: v for k, v in document.items() if k != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def check_certificate(document: object, *, ignore_digest: bool = False) -> CheckResult:
    """Decide a certificate again, from its data alone; does not raise on any JSON value.

    `ignore_digest` judges the mathematics alone.

    >>> check_certificate([]).reason
    'document: expected an object; got list'
    """
    reader = Reader()
    try:
        read = reader.document(document)
        if not ignore_digest:
            expected = canonical_digest(document)  # type: ignore[arg-type]
            require(read["digest"] == expected, f"digest: the document's is {expected}")
        field = Field(read, {})
        for (word, atom, e), where in reader.uses.items():
            require(field.admits(word, atom, e), f"{where}: {atom}^{e} has no meaning")
        stated = KINDS[read["kind"]](field, read)
        decisions = list(_decisions(read, stated))
    except CertificateError as error:
        return CheckResult(False, str(error))
    failed, found = "", []
    for name, verdict, decide in [("evidence", PROVED, stated.evidence), *decisions]:
        try:
            for where, matrix in decide():
                matrix.vanishes(where)
            found.append((name, verdict))
        except CertificateError as error:
            found.append((name, NOT_SHOWN))
            failed = failed or f"{name} is not shown: {error}"
    shown = found[0][1] == PROVED
    claims = tuple((name, verdict if shown else NOT_SHOWN) for name, verdict in found[1:])
    return CheckResult(not failed, failed or "decided again", claims)


def _decisions(
    read: Mapping[str, Any], stated: Statement
) -> Iterator[tuple[str, str, Callable[[], Vanishing]]]:
    """(name, verdict) and what has to vanish; every claim may be stated once."""
    refuted = [item["claim"] for item in read["refutations"]]
    names = [*read["claims"], *read["uncertified"], *refuted]
    require(len(set(names)) == len(names), "claims: one of them is stated twice")
    for name in read["claims"]:
        require(name in stated.claims, f"claims: {name} can be refuted only")
        yield name, PROVED, stated.claims[name]
    for i, item in enumerate(read["refutations"]):
        kind, name = item["witness"]["kind"], item["claim"]
        fits = kind in CLAIMS[read["kind"]][name]
        require(fits, f"refutations[{i}]: {kind} is no witness against {name}")
        yield name, REFUTED, lambda item=item: _refuted(read, item)  # type: ignore[misc]


def _refuted(read: Mapping[str, Any], item: Mapping[str, Any]) -> Vanishing:
    """The witness shows that the claim is false at its point.

    An `entry` of one of the matrices that would have to vanish is not 0, at a time.
    """
    require(item["values"].keys() == read["parameters"].keys(), "not a value for each parameter")
    field, claim, witness = Field(read, item["values"]), item["claim"], item["witness"]
    stated = KINDS[read["kind"]](field, read)
    if witness["kind"] != "entry":
        yield from stated.witnesses[witness["kind"]](claim, witness)
        return
    laws = [matrix for _, matrix in stated.claims[claim]()]
    require(witness["index"] < len(laws), f"{claim} has no such matrix")
    entry = laws[witness["index"]].entries.get((witness["row"], witness["column"]), ())
    require(field.ball(field.normal(entry), witness["time"]).avoids(exact(0)), "it may be 0")


def check_text(text: str, *, ignore_digest: bool = False) -> CheckResult:
    """`check_certificate` on a JSON text, read strictly.

    Repeated keys, floats, NaN, huge integers and oversized or deeply nested texts are refused.

    >>> check_text('{"a": 1, "a": 1}').reason
    "document: the key 'a' is repeated"
    """

    def integer(literal: str) -> int:
        require(re.fullmatch("-?[0-9]{1,7}", literal) is not None, f"document: {literal[:30]}")
        return int(literal)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        for key, count in Counter(key for key, _ in pairs).items():
            require(count == 1, f"document: the key {ascii(key)[:60]} is repeated")
        return dict(pairs)

    numbers = dict.fromkeys(("parse_float", "parse_int", "parse_constant"), integer)
    try:
        require(len(text) <= MAX_TEXT, f"document: more than {MAX_TEXT} characters")
        document = json.loads(text, object_pairs_hook=unique, **numbers)  # type: ignore[arg-type]
    except CertificateError as error:
        return CheckResult(False, str(error))
    except (RecursionError, ValueError) as error:
        return CheckResult(False, f"document: not JSON, or nested too deeply: {error}")
    return check_certificate(document, ignore_digest=ignore_digest)
