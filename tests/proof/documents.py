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
            "format": "symbolic-pe-certificate/3",
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
    """One block with one kind of evidence."""
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
    """One head; X as its entries, by default those that the blocks give."""
    assembled = [
        [i, j, x]
        for item in blocks
        for i, row in zip(item["at"], item["generator"], strict=True)
        for j, x in zip(item["at"], row, strict=True)
        if x
    ]
    stated = assembled if generator is None else generator
    return {"generator": stated, "basis": basis, "blocks": list(blocks), "norm": norm}


def encoding(heads: list[Json], claims: list[str], **fields: Json) -> Json:
    """A certificate of one generator for each head."""
    size = sum(len(item["at"]) for item in heads[0]["blocks"])
    defaults: Json = {
        "heads": heads,
        "rates": {},
        "pairing": "contragredient",
        "augmentation": None,
    }
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


def logarithm(annihilator: list[Json], turn: Json, multiplier: int = 0) -> Json:
    """Why a real logarithm exists."""
    return {
        "annihilator": [num(c) for c in annihilator],
        "multiplier": multiplier,
        "turn": entries(_numbers(turn)),
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
    squares = [{"weight": weight, "row": row} for weight, row in loss]
    return {"weights": weights, "basis": basis, "loss": squares}


def score(expression: Json, claims: list[str], **fields: Json) -> Json:
    """A certificate of a score."""
    given = {"score": expression, "rates": {}, "orbit": None, **fields}
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
        "generator": [[ZERO, ONE], [ZERO, ZERO]],
        "exponential": [[ONE, num((1, "t"))], [ZERO, ONE]],
        "bias": num((-1, "m", "t")) if bias is None else bias,
    }
    given = {"parameters": {"m": "positive"}, "augmentation": [added], **fields}
    claims = given.pop("claims", [*LAWS, "augmentation"])
    return encoding([head(scalar(ZERO)[0])], claims, **given)
