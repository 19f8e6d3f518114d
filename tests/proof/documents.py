"""Certificates made by hand, independently of the prover."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

from symbolic_pe.proof.checker import CheckResult, check_certificate

Json = Any
LAWS = ["initial-condition", "derivative", "homomorphism", "relativity", "closed-form"]


def num(*terms: Json) -> Json:
    """``num(3)``, ``num((-1, "a"), ("1/2", "r", -1))``: coefficient, atoms, exponents if not 1."""
    result = []
    for term in terms:
        c, *rest = term if isinstance(term, tuple) else (term,)
        atoms: dict[str, int] = {}
        while rest:
            atom = rest.pop(0)
            atoms[atom] = rest.pop(0) if rest and isinstance(rest[0], int) else 1
        if Fraction(c):
            result.append([str(Fraction(c)), atoms])
    return result


ONE, ZERO = num(1), num()


def digest(document: Json) -> str:
    """The published rule, written once more."""
    content = {k: v for k, v in document.items() if k != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def sealed(document: Json) -> Json:
    """The document with its digest."""
    return {**document, "digest": digest(document)}


def judge(document: Json) -> CheckResult:
    """The verdict on the document with a digest of its own."""
    return check_certificate(sealed(document))


def _document(kind: str, dimension: int, claims: list[str], **fields: Json) -> Json:
    return sealed(
        {
            "format": "symbolic-pe-certificate/4",
            "kind": kind,
            "name": "golden",
            "dimension": dimension,
            "parameters": {},
            "definitions": [],
            "claims": claims,
            "uncertified": [],
            "refutations": [],
            **fields,
        }
    )


def block(
    at: list[int], generator: Json, exponential: Json = None, annihilator: Json = None
) -> Json:
    """One block of a head, with one kind of evidence; `head` puts blocks together."""
    return {
        "at": at,
        "generator": generator,
        "exponential": exponential,
        "annihilator": annihilator,
    }


def entries(rows: Json) -> Json:
    """A matrix by its entries that are not 0."""
    return [[i, j, x] for i, row in enumerate(rows) for j, x in enumerate(row) if x]


def head(*blocks: Json, generator: Json = None, basis: Json = None, norm: Json = None) -> Json:
    """One head; X as its entries, by default those that the blocks give; the basis as rows."""
    parts = [b for b in blocks if b["annihilator"] is not None]
    stated = _assembled(blocks, "generator")
    if basis is not None:
        basis = {"P": entries(basis["P"]), "J": stated, "Q": entries(basis["Q"])}
    return {
        "generator": stated if generator is None else generator,
        "basis": basis,
        "exponential": _assembled([b for b in blocks if b["exponential"]], "exponential"),
        "parts": [{"at": b["at"], "annihilator": b["annihilator"]} for b in parts],
        "norm": norm,
        "augmentation": None,
    }


def _assembled(blocks: Json, name: str) -> Json:
    return [
        [i, j, x]
        for item in blocks
        for i, row in zip(item["at"], item[name], strict=True)
        for j, x in zip(item["at"], row, strict=True)
        if x
    ]


def encoding(heads: list[Json], claims: list[str], **fields: Json) -> Json:
    """A certificate of one generator for each head."""
    size = fields.pop("size", 0)
    for item in heads:
        places = [place for entry in item["exponential"] for place in entry[:2]]
        places += [i for part in item["parts"] for i in part["at"]]
        size = max(size, *(1 + place for place in places), 1) if places else max(size, 1)
    defaults: Json = {"heads": heads, "rates": {}, "pairing": "contragredient"}
    return _document("encoding", size, claims, **{**defaults, **fields})


def axes(generators: list[Json], dimension: int, claims: list[str], **fields: Json) -> Json:
    """A certificate of several axes."""
    return _document("axes", dimension, claims, axes=generators, **fields)


def step(rows: Json, claims: list[str], **fields: Json) -> Json:
    """A certificate of a step; `inverse` as rows."""
    inverse = fields.pop("inverse", None)
    stated = None if inverse is None else entries(_numbers(inverse))
    defaults: Json = {"inverse": stated, "logarithm": None}
    given = {**defaults, **fields}
    return _document("step", len(rows), claims, step=entries(_numbers(rows)), **given)


def _numbers(rows: Json) -> Json:
    return [[num(x) for x in row] for row in rows]


def logarithm(annihilator: list[Json], turn: Json) -> Json:
    """Why a real logarithm exists: M and p with p(M²B) = 0."""
    return {
        "turn": entries(_numbers(turn)),
        "annihilator": [num(c) for c in annihilator],
    }


def define(name: str, kind: str, of: Json, degree: int = 1) -> Json:
    """A definition."""
    return {"name": name, "kind": kind, "degree": degree, "of": of}


def root(name: str, degree: int, of: Json) -> Json:
    """name^degree = of."""
    return define(name, "root", of, degree)


SQRT2 = root("r", 2, num(2))
LOG2 = define("l", "log", num(2))
PI = define("pi", "pi", ZERO)


def norm(weights: list[Json], *loss: tuple[Json, Json], basis: Json = None) -> Json:
    """P from weights, and a basis where it is not diagonal; the loss as (weight, row)."""
    rows = [[i, i, ONE] for i in range(len(weights))]
    rows += [[i, j, x] for i, row in enumerate(basis or []) for j, x in row]
    gain = [([[str(-Fraction(c)), atoms] for c, atoms in w], row) for w, row in loss]
    return form(ZERO, {"weights": weights, "rows": rows}, squares(*gain))


def form(rate: Json, squared: Json, gain: Json) -> Json:
    """PX + XᵀP = rate·P + gain."""
    return {"rate": rate, "form": squared, "gain": gain}


def squares(*weighted: tuple[Json, Json]) -> Json:
    """Σ w·vvᵀ from (weight, row)."""
    return {
        "weights": [weight for weight, _ in weighted],
        "rows": [[k, i, x] for k, (_, row) in enumerate(weighted) for i, x in row],
    }


def score(b: Json, claims: list[str], *positions: Json, **fields: Json) -> Json:
    """A certificate of a score, with what is defined by positions."""
    given = {"score": b, "positions": list(positions), "rates": {}, "orbit": None, **fields}
    return _document("score", 4, claims, **given)


def maps(matrices: list[Json], dimension: int, claims: list[str], **fields: Json) -> Json:
    """A certificate of maps of steps, by their entries."""
    return _document("maps", dimension, claims, maps=matrices, **fields)


def refutation(claim: str, witness: Json, values: Json = None) -> Json:
    """A witness at a point."""
    return {"claim": claim, "values": values or {}, "witness": witness}


# -- blocks that many documents have -------------------------------------------------------------


def scalar(rate: Json, name: str = "x", at: int = 0) -> tuple[Json, Json]:
    """(block, rates) of exp(rate·t)."""
    if not rate:
        return block([at], [[rate]], [[ONE]]), {}
    return block([at], [[rate]], [[num((1, name))]]), {name: rate}


def rotation(frequency: str | int, atom: str | None = None, at: Json = (0, 1)) -> tuple[Json, Json]:
    """(block, rates) of a plane that turns by frequency·atom."""
    factors = () if atom is None else (atom,)
    b, minus = num((frequency, *factors)), num((-Fraction(frequency), *factors))
    half = Fraction(1, 2)
    cos = num((half, "x"), (half, "y"))
    sin = num((-half, "x", "i"), (half, "y", "i"))
    less = num((half, "x", "i"), (-half, "y", "i"))
    rates = {
        "x": num((frequency, *factors, "i")),
        "y": num((-Fraction(frequency), *factors, "i")),
    }
    return block(list(at), [[ZERO, minus], [b, ZERO]], [[cos, less], [sin, cos]]), rates


def chain(rate: Json) -> tuple[Json, Json]:
    """(block, rates) of [[a, 1], [0, a]]."""
    growth = num((1, "x")) if rate else ONE
    sheared = num((1, "x", "t")) if rate else num((1, "t"))
    e = [[growth, sheared], [ZERO, growth]]
    return block([0, 1], [[rate, ONE], [ZERO, rate]], e), {"x": rate} if rate else {}


def alibi(bias: Json = None, **fields: Json) -> Json:
    """A = I and the bias −m·t, by the vectors [−m, 0] and [0, 1]."""
    added = {
        "query": [num((-1, "m")), ZERO],
        "key": [ZERO, ONE],
        "bias": num((-1, "m", "t")) if bias is None else bias,
        "orbit": {"generator": [[0, 1, ONE]], "table": [num((1, "t")), ONE]},
    }
    given = {"parameters": {"m": "positive"}, **fields}
    claims = given.pop("claims", [*LAWS, "augmentation"])
    made = {**head(scalar(ZERO)[0]), "augmentation": added}
    return encoding([made], claims, **given)


# -- verdicts ------------------------------------------------------------------------------------


def one_head(made: tuple[Json, Json], claims: list[str], **fields: Json) -> Json:
    """An encoding of one block."""
    item, rates = made
    parts = {key: fields.pop(key) for key in ("generator", "basis", "norm") if key in fields}
    return encoding([head(item, **parts)], claims, **{"rates": rates, **fields})


def plain(**fields: Json) -> Json:
    """A plane that turns by √2·t; every claim holds."""
    claims = [*LAWS, "orthogonality", "bounded-causal", "bounded-all"]
    given = {"definitions": [SQRT2], "pairing": "one-map", "norm": norm([ONE, ONE]), **fields}
    return one_head(rotation(1, "r"), given.pop("claims", claims), **given)


def refused(document: Json, *parts: str) -> None:
    """The checker refuses the document, and its reason has the parts."""
    result = judge(document)
    assert not result.accepted
    for part in parts:
        assert part in result.reason, result.reason


def accepted(document: Json) -> None:
    """The checker accepts the document."""
    result = judge(document)
    assert result.accepted, result.reason
