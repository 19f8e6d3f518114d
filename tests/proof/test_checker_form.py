"""The form of documents, their limits, hostile ones, and the size of ordinary ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

import pytest

from symbolic_pe.proof import checker
from symbolic_pe.proof.checker import canonical_digest, check_certificate, check_text
from tests.proof.documents import (
    LAWS,
    ONE,
    ZERO,
    Json,
    accepted,
    alibi,
    axes,
    block,
    encoding,
    head,
    judge,
    norm,
    num,
    one_head,
    plain,
    refused,
    root,
    rotation,
    scalar,
    sealed,
)

# -- form and limits -------------------------------------------------------------------------------


def test_claims_are_stated_once() -> None:
    base = plain(claims=LAWS)
    accepted({**base, "uncertified": ["orthogonality"]})
    refused({**base, "uncertified": ["relativity"]}, "stated twice")
    refused({**base, "claims": [*LAWS, "relativity"]}, "stated twice")
    for field in ("claims", "uncertified"):
        for claim in ("uniqueness", "generator", "commutators", None, 1, ["relativity"]):
            refused({**base, field: [claim]}, f"{field}[0]")


def test_digest_identifies_the_document() -> None:
    document = plain()
    stale = {**document, "name": "other"}
    assert check_certificate(stale).reason.startswith("digest: ")
    assert check_certificate(stale, ignore_digest=True).accepted
    del stale["digest"]
    assert check_certificate(stale).reason == "digest: the field is missing"
    assert check_certificate({**document, "digest": None}).reason.startswith("digest: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "null",
        "[]",
        '{"format": "x", "format": "x"}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1.0}',
        '{"a": 1e3}',
        '{"a": 123456789}',
        '{"a": true}',
        '{"a": "\\ud800"}',
        "[" * 10**6,
        "[" * 40 + "]" * 40,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"a": "' + "x" * 10**6,
    ],
)
def test_hostile_texts_are_refused(text: str) -> None:
    result = check_text(text)
    assert not result.accepted
    assert 0 < len(result.reason) < 300


def test_hostile_objects_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    circular: list[Json] = []
    circular.append(circular)
    doubling: list[Json] = []
    for _ in range(30):
        doubling = [doubling, doubling]
    base = plain()
    for thing in (circular, doubling, {1: 2}, {"a": {1}}, {"a": 1.5}, {"a": b""}, {"a": True}, 3):
        assert not check_certificate(thing).accepted
        for field in base:
            result = check_certificate({**base, field: thing}, ignore_digest=True)
            assert not result.accepted
            assert result.reason.startswith((field, "document", "evidence"))
    assert not check_certificate({**base, 1: 2}).accepted
    monkeypatch.setattr(checker, "MAX_TEXT", 100)
    assert "more than 100 characters" in check_text(json.dumps(base)).reason


def test_the_same_part_many_times_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document in memory may share what its text would repeat."""
    monkeypatch.setattr(checker.form, "MAX_NODES", 5000)
    base = plain()
    accepted(base)
    refused({**base, "heads": base["heads"] * 4000}, "too large")


def expensive() -> Iterator[Json]:
    """Documents that would take long."""
    powers = num((1, "w", 1000), *[(1, f"x{i}", 900) for i in range(30)])
    names = {"w": "positive"} | {f"x{i}": "positive" for i in range(30)}
    many = [[ZERO if i == j else powers for j in range(12)] for i in range(12)]
    item = block(list(range(12)), many, None, [ONE] * 40)
    yield one_head((item, {}), LAWS, parameters=names)
    f = root("f", 1, num(1, *[(1, f"x{i}") for i in range(30)]))
    item = block([0], [[num((1, "f", 1000))]], [[num((1, "x"))]])
    yield one_head((item, {"x": ONE}), LAWS, parameters=names, definitions=[f])
    huge = [[f"1{'0' * 3999}/{'9' * 3999}", {"p": 999}]]
    item = block([0], [[huge]], None, [huge] * 500)
    yield one_head((item, {}), LAWS, definitions=[root("p", 1000, num("1/7"))])
    long = num(*[(1, "w", k) for k in range(1, 400)])
    item = block([0], [[long]], None, [long] * 60)
    yield one_head((item, {}), LAWS, parameters={"w": "positive"})


def large() -> Iterator[Json]:
    """Documents whose text is short for the work that they ask for."""
    yield axes([[]] * 2000, 4000, ["commutators"])
    item = block([0], [[ZERO]], None, [ZERO] * 500_000)
    yield one_head((item, {}), LAWS)
    names = [root(f"f{i}", 2, num(2)) for i in range(20_000)]
    yield one_head(scalar(ONE), LAWS, definitions=names, generator=[])
    digits = num(f"{10**3999 + 7}/{10**3998 + 9}")
    item = block([0], [[digits]], None, [digits] * 3000)
    yield one_head((item, {}), LAWS, generator=[[0, 0, digits]])
    blocks = [scalar(ZERO, "x", i)[0] for i in range(4000)]
    claims = [*LAWS, "orthogonality", "bounded-all"]
    yield encoding([head(*blocks, norm=norm([ONE] * 4000))] * 8, claims, pairing="one-map")


def test_large_documents_end_soon() -> None:
    """With the limits as they are."""
    for document in large():
        result = judge(document)
        assert result.accepted or "too large" in result.reason or "E' = JE" in result.reason


def test_claims_are_judged_one_by_one() -> None:
    """A claim that is not shown leaves the others; evidence that is not shown leaves none."""
    document = plain(claims=["bounded-causal", "orthogonality"], norm=None)
    assert judge(document).claims == (("bounded-causal", "not shown"), ("orthogonality", "proved"))
    document["heads"][0]["exponential"][0][2] = ONE
    assert {verdict for _, verdict in judge(document).claims} == {"not shown"}
    wrong = alibi()
    wrong["heads"][0]["augmentation"]["orbit"]["table"][0] = num((2, "t"))
    assert ("augmentation", "not shown") in judge(wrong).claims


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker.numbers, "MAX_WORK", 100_000)
    for document in expensive():
        refused(document, "work limit")


def test_limits_of_declarations() -> None:
    base = plain()
    for field, bad in (
        ("dimension", 5000),
        ("dimension", 0),
        ("dimension", "2"),
        ("name", "Upper"),
        ("name", "name\n"),
        ("name", ""),
        ("parameters", {"2": "real"}),
        ("parameters", {"w": "imaginary"}),
        ("parameters", []),
        ("definitions", {}),
        ("heads", []),
        ("heads", {}),
        ("pairing", "both"),
        ("pairing", None),
        ("augmentation", []),
        ("refutations", None),
        ("format", "symbolic-pe-certificate/2"),
        ("kind", "step"),
    ):
        result = judge({**base, field: bad})
        assert not result.accepted
        assert result.claims == ()
        assert field in result.reason or "unknown field" in result.reason or field == "kind"
    refused({**base, "comment": "unknown"}, "unknown field 'comment'")
    for field in base:
        without = {key: value for key, value in base.items() if key != field}
        assert not check_certificate(without, ignore_digest=True).accepted


# -- size ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("planes", "heads"), [(32, 1), (64, 16)])
def test_certificates_of_ordinary_size_are_accepted(planes: int, heads: int) -> None:
    """RoPE by one root of 10 and its powers."""
    rates: Json = {}
    blocks: list[Json] = []
    for j in range(planes):
        whole, rest = divmod(-4 * j, planes)
        item, found = rotation(1, "g", (j, j + planes))
        factor = {"g": rest} if rest else {}
        text = json.dumps([item, found])
        text = text.replace('"x"', f'"x{j}"').replace('"y"', f'"y{j}"')
        item, found = json.loads(text)
        scale = Fraction(10) ** whole
        for rows in (item["generator"], list(found.values())):
            _rescale(rows, scale, factor)
        rates |= found
        blocks.append(item)
    made = head(*blocks, norm=norm([ONE] * (2 * planes)))
    claims = [*LAWS, "orthogonality", "bounded-causal", "bounded-all"]
    fields: Json = {"definitions": [root("g", planes, num(10))], "pairing": "one-map"}
    accepted(encoding([made] * heads, claims, rates=rates, **fields))


def _rescale(node: Json, scale: Fraction, factor: dict[str, int]) -> None:
    """Every ±g as ±scale·g^rest."""
    for item in node:
        if isinstance(item, list) and len(item) == 2 and isinstance(item[1], dict):
            item[0] = str(Fraction(item[0]) * scale)
            item[1].pop("g")
            item[1].update(factor)
        elif isinstance(item, list):
            _rescale(item, scale, factor)


def test_sealed_documents_have_the_published_digest() -> None:
    assert sealed({"b": 1, "a": "é"})["digest"] == canonical_digest({"a": "é", "b": 1})
