"""Refutations of encodings: a witness is evaluated, and has to show that the claim is false."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.proof.documents import (
    LAWS,
    ONE,
    SQRT2,
    ZERO,
    Json,
    accepted,
    alibi,
    block,
    chain,
    encoding,
    entries,
    form,
    head,
    judge,
    num,
    one_head,
    refused,
    refutation,
    root,
    rotation,
    scalar,
    squares,
)


def misquoted(lag: str = "3", values: Json = None, **fields: Json) -> Json:
    """[−m, 1] and [1, 0] give −m, not −m·τ."""
    given = refutation(
        "augmentation",
        {"kind": "entry", "index": 0, "row": 0, "column": 0, "time": lag},
        {"m": "2"} if values is None else values,
    )
    document = alibi(claims=LAWS, refutations=[given])
    document["heads"][0]["augmentation"] |= {"query": [num((-1, "m")), ONE], "key": [ONE, ZERO]}
    document["heads"][0]["augmentation"]["orbit"]["table"] = [ONE, ZERO]
    return {**document, **fields}


def test_a_bias_is_refuted_by_numbers() -> None:
    result = judge(misquoted())
    assert result.accepted
    assert ("augmentation", "refuted") in result.claims
    refused(misquoted("1"), "may be 0")
    accepted(misquoted("-7/2", {"m": "1/3"}))
    for values in ({}, {"m": "0"}, {"m": "-1"}, {"m": "1", "w": "1"}, {"w": "1"}, {"m": 1}):
        refused(misquoted(values=values))
    right = alibi(claims=LAWS, refutations=misquoted()["refutations"])
    refused(right, "augmentation is not shown", "may be 0")
    refused({**misquoted(), "claims": [*LAWS, "augmentation"]}, "stated twice")


def test_a_bias_with_waves_is_refuted_by_enclosures() -> None:
    """cos(√2·τ) claimed, cos(τ) realised: 1 at 0, different at 1."""
    item, rates = rotation(1)
    wave = num((Fraction(1, 2), "z"), (Fraction(1, 2), "z", -1))
    added = {
        "query": [ONE, ZERO],
        "key": [ONE, ZERO],
        "bias": wave,
        "orbit": {
            "generator": entries(item["generator"]),
            "table": [row[0] for row in item["exponential"]],
        },
    }
    for lag, right in (("1", True), ("0", False), ("1000000", False)):
        witness = {"kind": "entry", "index": 0, "row": 0, "column": 0, "time": lag}
        document = encoding(
            [{**head(scalar(ZERO)[0]), "augmentation": added}],
            LAWS,
            definitions=[SQRT2],
            rates={**rates, "z": num((1, "r", "i"))},
            refutations=[refutation("augmentation", witness)],
        )
        assert judge(document).accepted == right
    refused(document, "an exponential of what is too large")  # an exponential of what is too large


def test_a_point_puts_values_into_definitions() -> None:
    """f = √(1 + w) − 2 is 0 at w = 3, which is not seen to differ from 0; at w = 2 it differs."""
    f = root("f", 2, num(1, (1, "w")))
    for value, right in (("3", False), ("2", True), ("300000001/100000000", True), ("-2", False)):
        witness = {"kind": "entry", "index": 0, "row": 0, "column": 0, "time": "0"}
        given = refutation("orthogonality", witness, {"w": value})
        fields: Json = {"parameters": {"w": "positive"}, "definitions": [f]}
        document = one_head(scalar(num((1, "f"), -2)), [], refutations=[given], **fields)
        assert judge(document).accepted == right


def test_an_entry_that_is_not_zero() -> None:
    def made(claim: str, pairing: str, made_of: tuple[Json, Json], **place: Json) -> Json:
        witness = {"kind": "entry", "index": 0, "row": 0, "column": 0, "time": "0", **place}
        return one_head(made_of, [], pairing=pairing, refutations=[refutation(claim, witness)])

    decay = scalar(num(-1))
    accepted(made("orthogonality", "contragredient", decay))
    accepted(made("relativity", "one-map", decay))
    refused(made("relativity", "contragredient", decay), "no such matrix")
    refused(made("orthogonality", "one-map", rotation(1)), "may be 0")
    refused(made("orthogonality", "one-map", rotation(1), column=1), "may be 0")
    refused(made("orthogonality", "one-map", decay, index=1), "no such matrix")
    refused(made("orthogonality", "one-map", decay, row=1))


def squared(*terms: tuple[Json, list[Json]]) -> Json:
    """Σ w·(vᵀz)² from (w, v)."""
    found = [(num(w), [[i, num(x)] for i, x in enumerate(v) if x]) for w, v in terms]
    return squares(*found)


def grows(made: tuple[Json, Json], claim: str, stated: Json, vector: Json, index: int = 0) -> bool:
    witness = {
        "kind": "growing-form",
        "head": index,
        "form": stated,
        "vector": [num(x) for x in vector],
    }
    return judge(one_head(made, LAWS, refutations=[refutation(claim, witness)])).accepted


@pytest.mark.parametrize(
    ("made", "claim", "rate", "of", "gain", "vector", "right"),
    [
        # V = z² with V' = 2λV
        (scalar(ONE), "bounded-causal", 2, [(1, [1])], [], [1], True),
        (scalar(ONE), "bounded-all", 2, [(1, [1])], [], [-3], True),
        (scalar(ONE), "bounded-causal", 2, [(-1, [1])], [], [1], False),
        (scalar(ONE), "bounded-causal", 2, [(1, [1])], [], [0], False),
        (scalar(ONE), "bounded-causal", 1, [(1, [1])], [], [1], False),
        (scalar(ONE), "bounded-causal", 1, [(1, [1])], [(1, [1])], [1], True),
        (scalar(ONE), "bounded-causal", 3, [(1, [1])], [(-1, [1])], [1], False),
        (scalar(num(-1)), "bounded-causal", -2, [(1, [1])], [], [1], False),
        (scalar(num(-1)), "bounded-all", -2, [(1, [1])], [], [1], True),
        # V = |z|² is constant
        (rotation(1), "bounded-all", 0, [(1, [1, 0]), (1, [0, 1])], [], [1, 0], False),
        # V = xy with V' = y², which is constant: x' = y
        (chain(ZERO), "bounded-causal", 0, "xy", [(1, [0, 1])], [0, 1], True),
        (chain(ZERO), "bounded-all", 0, "xy", [(1, [0, 1])], [5, -1], True),
        (chain(ZERO), "bounded-all", 0, "xy", [(1, [0, 1])], [1, 0], False),
        (chain(ZERO), "bounded-all", 0, "xy", [(2, [0, 1])], [0, 1], False),
        (chain(ZERO), "bounded-all", 0, [(1, [1, 0])], [(1, [1, 1]), (-1, [1, -1])], [0, 1], False),
        (chain(num(-1)), "bounded-all", -2, "xy", [(1, [0, 1])], [-1, -1], False),
        (chain(num(-1)), "bounded-all", -2, [(1, [0, 1])], [], [0, 1], True),
        (chain(num(-1)), "bounded-causal", -2, [(1, [0, 1])], [], [0, 1], False),
    ],
)
def test_forms_of_vectors(  # noqa: PLR0917
    made: tuple[Json, Json],
    claim: str,
    rate: int,
    of: Json,
    gain: Json,
    vector: Json,
    right: bool,
) -> None:
    terms = [("1/4", [1, 1]), ("-1/4", [1, -1])] if of == "xy" else of
    assert grows(made, claim, form(num(rate), squared(*terms), squared(*gain)), vector) == right


def test_forms_that_grow() -> None:
    """V = x² − y² for X = diag(1, −1): V' = 2x² + 2y² = V + x² + 3y², and V = 1 at (1, 0)."""
    item = block([0, 1], [[ONE, ZERO], [ZERO, num(-1)]], None, [num(-1), ZERO])

    def diagonal(x: int, y: int) -> Json:
        return squared((x, [1]), (y, [0, 1]))

    def judged(
        rate: int,
        squares_: Json,
        gain: Json,
        vector: Json = (1, 0),
        claim: str = "bounded-causal",
        **fields: int,
    ) -> bool:
        return grows((item, {}), claim, form(num(rate), squares_, gain), vector, **fields)

    right = (1, diagonal(1, -1), diagonal(1, 3))
    backwards = (-1, diagonal(-1, 1), diagonal(-3, -1), (0, 1))
    assert judged(*right)
    assert judged(*right, claim="bounded-all")
    assert judged(*backwards, claim="bounded-all")
    assert not judged(*backwards)
    assert judged(2, diagonal(1, -1), diagonal(0, 4))
    assert not judged(0, diagonal(1, -1), diagonal(2, 2))
    assert not judged(3, diagonal(1, -1), diagonal(-1, 5))
    assert not judged(3, diagonal(1, -1), diagonal(1, 3))
    assert not judged(1, diagonal(1, -1), diagonal(1, 0))
    assert not judged(1, diagonal(1, 0), diagonal(1, 3))
    assert not judged(*right, vector=(0, 1))
    assert not judged(*right, vector=(1, 1))
    assert not judged(*right, index=1)
    assert not judged(1, squared((1, [1]), (-1, [0, 0, 1])), diagonal(1, 3))


def test_witnesses_belong_to_their_claims() -> None:
    witness = misquoted()["refutations"][0]["witness"]
    for claim in ("closed-form", "bounded-all", "homomorphism", "inverses"):
        document = misquoted(claims=[], refutations=[refutation(claim, witness, {"m": "2"})])
        refused(document, "no witness" if claim != "inverses" else "refutations[0].claim")
    other = {"kind": "null-vector", "vector": [ONE]}
    document = misquoted(refutations=[refutation("augmentation", other, {"m": "2"})])
    refused(document, "refutations[0].witness.kind")
