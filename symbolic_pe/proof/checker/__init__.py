"""Independent checker of certificates: decides again everything that a certificate states.

The document is defined in `docs/reference/certificate.md`. This package shares no code with the
prover; it needs Python's standard library only and computes with exact integers and rationals. Read
`balls`, `numbers`, `form`, `encoding`, `positions`, `score` and this file, in this order.

What is trusted: Python, these files, and

1. E(0) = I and E' = XE determine E(t) = exp(tX) (uniqueness for a linear equation), and with it
   exp((s + t)X) = exp(sX)·exp(tX), and F(t)ᵀG(s) = A(t − s) for F(t) = A(t)ᵀ and G(s) = A(−s);
2. exp(tX) is orthogonal for every t exactly when Xᵀ = −X (differentiate at t = 0), which is also
   when F(t) = A(−t) and G(s) = A(−s) have F(t)ᵀG(s) = A(t − s);
3. X·P = P·J and P·Q = I give exp(tX) = P·exp(tJ)·Q;
4. χ(X) = 0 gives exp(tX) = Σ φ_c(t)·X^c with the fundamental solutions φ_c of χ(d/dt)φ = 0;
5. z' = Jz with zᵀPz that never grows, for a positive definite P, has bounded solutions (Lyapunov);
6. exp(Σ pᵢXᵢ) is a homomorphism in p exactly when the Xᵢ commute (differentiate at p = 0);
7. a real matrix without eigenvalues in (−∞, 0] has a real logarithm, and an invertible complex
   matrix a complex one; a matrix with a real logarithm has an even number of Jordan blocks of each
   size at each negative eigenvalue (Culver);
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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symbolic_pe.proof.checker.encoding import Statement, encoding
from symbolic_pe.proof.checker.form import FORMAT, WITNESSES, Reader
from symbolic_pe.proof.checker.numbers import (
    IMAGINARY,
    TIME,
    CertificateError,
    Field,
    require,
)
from symbolic_pe.proof.checker.positions import axes, step
from symbolic_pe.proof.checker.score import score

__all__ = [
    "FORMAT",
    "CertificateError",
    "CheckResult",
    "canonical_digest",
    "check_certificate",
    "check_text",
]

MAX_TEXT = 32 * 1024 * 1024  # characters of a document
PROVED, REFUTED, NOT_SHOWN = "proved", "refuted", "not shown"
KINDS = {"encoding": encoding, "axes": axes, "maps": axes, "step": step, "score": score}


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
        numbers = _numbers(read, {})
        for (word, atom, e), where in reader.uses.items():
            require(numbers.admits(word, atom, e), f"{where}: {atom}^{e} has no meaning")
        stated = KINDS[read["kind"]](numbers, read)
        statements = dict(_statements(read, stated))
    except CertificateError as error:
        return CheckResult(False, str(error))
    failed, claims = "", {"evidence": PROVED}
    for (name, verdict), decide in statements.items():
        try:
            decide()
            claims[name] = verdict if claims["evidence"] == PROVED else NOT_SHOWN
        except CertificateError as error:
            claims[name] = NOT_SHOWN
            failed = failed or f"{name} is not shown: {error}"
    del claims["evidence"]
    return CheckResult(not failed, failed or "decided again", tuple(claims.items()))


def _numbers(read: Mapping[str, Any], values: Mapping[str, Fraction]) -> Field:
    """The declared numbers, with values of the parameters at a point."""
    rates = read.get("rates", {})
    names = [IMAGINARY, TIME, *read["parameters"], *rates]
    require(len(set(names)) == len(names), "parameters, rates: a name is already taken")
    numbers = Field(read["parameters"], rates, values)
    for item in read["definitions"]:
        numbers.define(item["name"], item["kind"], item["degree"], item["of"])
    return numbers


def _statements(
    read: Mapping[str, Any], stated: Statement
) -> Iterator[tuple[tuple[str, str], Callable[[], None]]]:
    """(name, verdict) and how to decide it; every claim may be stated once."""
    refuted = [item["claim"] for item in read["refutations"]]
    names = [*read["claims"], *read["uncertified"], *refuted]
    require(len(set(names)) == len(names), "claims: one of them is stated twice")
    yield ("evidence", PROVED), stated.evidence
    for name in read["claims"]:
        yield (name, PROVED), stated.claims[name]
    for i, item in enumerate(read["refutations"]):
        kind, name = item["witness"]["kind"], item["claim"]
        fits = name in WITNESSES[read["kind"]][kind]
        require(fits, f"refutations[{i}]: {kind} is no witness against {name}")
        yield (name, REFUTED), lambda item=item: _refute(read, stated, item)  # type: ignore[misc]


def _refute(read: Mapping[str, Any], stated: Statement, item: Mapping[str, Any]) -> None:
    """The witness shows at its point that both sides of the claim differ."""
    require(item["values"].keys() == read["parameters"].keys(), "not a value for each parameter")
    point = _numbers(read, item["values"])
    stated.witnesses[item["witness"]["kind"]](point, item["claim"], item["witness"])


def check_text(text: str, *, ignore_digest: bool = False) -> CheckResult:
    """`check_certificate` on a JSON text, read strictly.

    Repeated keys, floats, NaN, huge integers and oversized or deeply nested texts are refused.

    >>> check_text('{"a": 1, "a": 1}').reason
    "document: the key 'a' is repeated"
    """
    try:
        document = _parse(text)
    except CertificateError as error:
        return CheckResult(False, str(error))
    return check_certificate(document, ignore_digest=ignore_digest)


def _parse(text: str) -> object:
    require(len(text) <= MAX_TEXT, f"document: more than {MAX_TEXT} characters")

    def integer(literal: str) -> object:
        require(re.fullmatch("-?[0-9]{1,7}", literal) is not None, f"document: {literal[:30]}")
        return int(literal)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result: dict[str, object] = {}
        for key, value in pairs:
            require(key not in result, f"document: the key {ascii(key)[:60]} is repeated")
            result[key] = value
        return result

    try:
        return json.loads(
            text,
            parse_float=integer,
            parse_int=integer,
            parse_constant=integer,
            object_pairs_hook=unique,
        )
    except RecursionError:
        raise CertificateError("document: nested too deeply") from None
    except json.JSONDecodeError as error:
        raise CertificateError(f"document: not JSON: {error}") from None
