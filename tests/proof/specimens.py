"""Golden certificates: catalogue entries at small size, examples, and every kind of claim."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from symbolic_pe.budget import Budget
from symbolic_pe.encodings.catalogue import entries, own_kernels
from symbolic_pe.encodings.forms import Specification, from_any_document, read_any_specification
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.proof.any_form import proof
from symbolic_pe.proof.certificate_of_mistakes import further_certificates
from symbolic_pe.proof.certificate_of_positions import certificate_of

Json = Any
ROOT = Path(__file__).resolve().parents[2]
SMALL = {"dim": 4, "rotary_dim": 2, "heads": 2, "terms": 2}
OWN: dict[str, dict[str, object]] = {
    "ntk": {"rotary_dim": 4},
    "dynamic-ntk": {"rotary_dim": 4},
    "partial-rope": {"fraction": "1/2"},
    "m-rope": {"dim": 6, "sections": "1 1 1"},
    "hope-hybrid": {"spatial": 1},
    "t5": {"buckets": 4, "max_distance": 4},
}
"""Where the small sizes contradict other settings of an entry."""


def _matrix(rows: list[list[str]], parameters: Json = None, **fields: Json) -> Specification:
    document: Json = {"generator": {"matrix": rows}, "parameters": parameters or {}}
    return from_any_document({**document, **fields}, "made")


def _step(*rows: list[int | str]) -> Specification:
    return from_any_document({"step": {"matrix": [[str(x) for x in row] for row in rows]}})


HIDDEN_PAIR = [["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]]
HIDDEN_PAIR.append(["-9", "-12", "-10", "-4"])  # the companion of (x^2 + 2x + 3)^2
ASSERTED = ["orthogonality", "bounded-causal", "bounded-all"]
MADE: dict[str, Callable[[], Specification]] = {
    "hidden-real-pair": lambda: _matrix([["0", "2"], ["1", "0"]]),
    "hidden-defective-pair": lambda: _matrix(HIDDEN_PAIR),
    "hidden-cubic": lambda: _matrix([["0", "0", "2"], ["1", "0", "0"], ["0", "1", "0"]]),
    "damped-half": lambda: _matrix([["0", "1"], ["-w^2", "-w"]], {"w": "positive"}),
    "root-of-sum": lambda: _matrix(
        [["0", "-sqrt(1 + w)"], ["sqrt(1 + w)", "0"]], {"w": "positive"}
    ),
    "growing-root": lambda: _matrix([["sqrt(2)", "0"], ["1", "-1"]], claims=ASSERTED),
    "growing-parameter": lambda: _matrix(
        [["1/2", "-w"], ["w", "1/2"]], {"w": "positive"}, claims=ASSERTED
    ),
    "growing-chain": lambda: _matrix([["0", "1"], ["0", "0"]], claims=ASSERTED),
    "one-map": lambda: _matrix([["-1", "-log(2)"], ["pi", "-1"]], encoding={"pairing": "one-map"}),
    "quarter-turn": lambda: _step([0, -1], [1, 0]),
    "negative-chains": lambda: _step([-1, 1, 0, 0], [0, -1, 0, 0], [0, 0, -1, 1], [0, 0, 0, -1]),
    "mixed-step": lambda: _step([-2, 0, 0], [0, -2, 0], [0, 0, 3]),
    "singular-step": lambda: _step([0, 1], [0, 1]),
    "stable-cubic": lambda: _matrix([["0", "1", "0"], ["0", "0", "1"], ["-1", "-2", "-1"]]),
    "turning-quartic": lambda: _matrix(
        [["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"], ["-1", "0", "-4", "0"]]
    ),
    "growing-cubic": lambda: _matrix(
        [["0", "1", "0"], ["0", "0", "1"], ["1", "1", "0"]], claims=ASSERTED
    ),
    "falling-cubic": lambda: _matrix(
        [["0", "1", "0"], ["0", "0", "1"], ["-1", "-2", "-1"]], claims=["bounded-all"]
    ),
    "kerple-power": lambda: entries()["kerple"].form({"kernel": "power", "p": "3/2", "dim": 4}),
    "longrope-start": lambda: entries()["longrope"].form({"start": 4, "dim": 4}),
    "jordan-rope-stabilised": lambda: entries()["jordan-rope"].form({"form": "stabilised"}),
}
FURTHER = ("dynamic-ntk", "gla", "mamba-2", "fox")
"""Entries whose claims beyond those of the form are specimens as well."""


def names() -> tuple[str, ...]:
    """Every specimen; entries that are another one with other numbers are none."""
    examples = sorted(path.stem for path in (ROOT / "examples").glob("*.toml"))
    outside = [name for name, e in entries().items() if isinstance(e.form({}), Outside)]
    further = [f"{name}:{claim}" for name in FURTHER for claim in _further(name)]
    return (*own_kernels(), *outside, *examples, *MADE, *further)


def _further(name: str) -> dict[str, Json]:
    return further_certificates(entries()[name], small(name))


def small(name: str) -> dict[str, object]:
    """Settings under which an entry is small."""
    chosen = {key: value for key, value in SMALL.items() if key in entries()[name].settings}
    return {**chosen, **OWN.get(name, {})}


def specification(name: str) -> Specification:
    """What a specimen is about."""
    if name in MADE:
        return MADE[name]()
    if name in entries():
        return entries()[name].form(small(name))
    return read_any_specification(str(ROOT / "examples" / f"{name}.toml"))


@cache
def text_of(name: str) -> str:
    """The certificate of a specimen."""
    if ":" in name:
        entry, claim = name.split(":")
        return json.dumps(_further(entry)[claim])
    return json.dumps(certificate_of(proof(specification(name), Budget.of())))


def document_of(name: str) -> Json:
    """The same as a new value."""
    return json.loads(text_of(name))
