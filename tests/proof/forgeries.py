"""Certificates altered in several places that belong together, as a forger would.

A claim is moved and its witness altered, a definition is renamed where it stands and where it is
used, so that it takes the place of another, and numbers without a meaning are defined and used.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from symbolic_pe.proof.checker.form import CLAIMS
from tests.proof.certificate_mutants import places
from tests.proof.documents import Json, define, num, root

EXPONENTS = (1, -1, 2, -2)
DEFINED = (
    define("z0", "log", num(1)),
    define("z1", "log", num(2)),
    define("s0", "at-least", num(-1)),
    define("s1", "at-least", num()),
    define("c0", "cos", num()),
    define("e0", "exp", num()),
    root("h0", 2, num(4)),
    root("h1", 2, num()),
)
BOUNDS = ("0", "1", "-1", "2", "1/2", "7/2")


def forgeries(document: Json, seed: int, count: int) -> Iterator[Json]:
    """So many documents with two to four alterations each, drawn by a seed."""
    rng = random.Random(seed)
    for _ in range(count):
        forged = copy.deepcopy(document)
        for _ in range(rng.choice((2, 2, 3, 4))):
            rng.choice(ALTERATIONS)(forged, rng)
        if forged != document:
            yield forged


def _monomials(document: Json) -> list[dict[str, int]]:
    """The {atom: exponent} of every term of every number."""
    values = (value for at, value in places(document) if at and at[-1] == 1)
    return [v for v in values if isinstance(v, dict) and all(type(e) is int for e in v.values())]


def _numbers(document: Json) -> list[Json]:
    """Every list of terms that is not empty."""
    return [
        value
        for _, value in places(document)
        if isinstance(value, list)
        and value
        and all(isinstance(x, list) and len(x) == 2 and isinstance(x[1], dict) for x in value)
    ]


def _lists(document: Json) -> list[Json]:
    """The lists of definitions."""
    return [document[name] for name in ("definitions", "positions") if name in document]


def _atoms(document: Json) -> list[str]:
    defined = [item["name"] for items in _lists(document) for item in items]
    return [*document["parameters"], *document.get("rates", {}), *defined, "i", "t", "lag", "query"]


def _rename(document: Json, rng: random.Random) -> None:
    """A definition, and some of its uses, by a name that may be another's."""
    items = [item for items in _lists(document) for item in items]
    if not items:
        return
    item, new, share = rng.choice(items), rng.choice([*_atoms(document), "fresh"]), rng.random()
    old = item["name"]
    if rng.random() < 0.7:
        item["name"] = new
    for monomial in _monomials(document):
        if old in monomial and new not in monomial and rng.random() < share:
            monomial[new] = monomial.pop(old)


def _define(document: Json, rng: random.Random) -> None:
    """Another number, used as a factor or a divisor."""
    item = copy.deepcopy(rng.choice(DEFINED))
    items = rng.choice(_lists(document))
    monomials = _monomials(document)
    if item["name"] not in _atoms(document):
        items.insert(rng.choice((0, 0, len(items))), item)
    for monomial in rng.sample(monomials, min(rng.choice((1, 1, 2)), len(monomials))):
        monomial[item["name"]] = rng.choice(EXPONENTS)


def _redefine(document: Json, rng: random.Random) -> None:
    """A definition of another kind, or of another number."""
    items, numbers = [x for items in _lists(document) for x in items], _numbers(document)
    if items and numbers:
        item = rng.choice(items)
        item["of"] = copy.deepcopy(rng.choice(numbers))
        item["kind"] = rng.choice(("root", "log", "exp", "cos", "at-least", item["kind"]))


def _exchange(document: Json, rng: random.Random) -> None:
    """Two numbers, each in the place of the other."""
    numbers = _numbers(document)
    if numbers:
        first, second = rng.choice(numbers), rng.choice(numbers)
        kept = copy.deepcopy(first)
        first[:], second[:] = copy.deepcopy(second), kept


def _change(document: Json, rng: random.Random) -> None:
    """A coefficient, or a factor of a term."""
    numbers = _numbers(document)
    if numbers:
        term = rng.choice(rng.choice(numbers))
        c = Fraction(term[0])
        term[0] = str(rng.choice((-c, c + 1, c - 1, 2 * c, c / 2)))
        if rng.random() < 0.3:
            term[1][rng.choice(_atoms(document))] = rng.choice(EXPONENTS)


def _move(document: Json, rng: random.Random) -> None:
    """A claim to the proved or the refuted ones, with a witness of another."""
    claim = rng.choice(list(CLAIMS[document["kind"]]))
    witnesses = [item["witness"] for item in document["refutations"]]
    for name in ("claims", "uncertified"):
        document[name] = [c for c in document[name] if c != claim]
    document["refutations"] = [x for x in document["refutations"] if x["claim"] != claim]
    kinds = CLAIMS[document["kind"]][claim]
    if not kinds or rng.random() < 0.3:
        document["claims"].append(claim)
        return
    kind = rng.choice(kinds)
    known = [copy.deepcopy(w) for w in witnesses if w["kind"] == kind]
    made = WITNESSES[kind](rng) if kind in WITNESSES else None
    witness = rng.choice([*known, *([] if made is None else [made])] or [None])
    if witness is not None:
        values = {name: rng.choice(BOUNDS) for name in document["parameters"]}
        document["refutations"].append({"claim": claim, "values": values, "witness": witness})


WITNESSES: dict[str, Callable[[random.Random], Any]] = {
    "entry": lambda rng: {
        **{name: rng.randrange(3) for name in ("index", "row", "column")},
        "kind": "entry",
        "time": rng.choice(BOUNDS),
    },
    "pairs": lambda rng: {
        "kind": "pairs",
        "first": ["1", "0"],
        "second": rng.choice([["2", "1"], ["7/2", "5/2"], ["1", "0"], ["3", "1"]]),
    },
    "tail": lambda rng: {"kind": "tail", "lag": rng.randrange(4), "start": rng.randrange(200)},
    "growth": lambda _: {"kind": "growth"},
}
ALTERATIONS = (_rename, _define, _redefine, _exchange, _change, _move, _move)
