"""Mutants of certificates: one place of a golden certificate altered, in every way of a list.

A mutant gets a digest of its own, so that no digest can tell it. The checker then refuses it as
malformed, or does not show it, or accepts it; what it accepts has to be true by the second opinion.
"""

from __future__ import annotations

import ast
import copy
import io
import random
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from symbolic_pe.proof import checker
from symbolic_pe.proof.certificate import digest
from symbolic_pe.proof.checker import CheckResult, check_certificate
from symbolic_pe.proof.checker.form import CLAIMS
from symbolic_pe.proof.checker.numbers import ASSUMPTIONS
from tests.proof.opinion import is_true
from tests.proof.specimens import document_of, names

Json = Any
Place = tuple[str | int, ...]
CHECKER = Path(checker.__file__).parent
KINDS = ("number", "integer", "text", "order", "missing", "repeated", "name", "type", "claim")
TEXTS = ("", "NaN", "Infinity", "1.5", "1e3", "2/4", "-0", "٣", "x", "√-1", "9" * 5000)
NAMES = ("i", "t", "w", "x1", "x2", "r2", "pi", "unknown")


class Mutant(NamedTuple):
    """An altered document, the place and the kind of the alteration."""

    kind: str
    place: Place
    document: Json


def places(node: Json, at: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Every value of a document with its place, containers first."""
    yield at, node
    if isinstance(node, list | dict):
        for key, item in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(item, (*at, key))


def replaced(node: Json, at: Place, value: Json) -> Json:
    """A copy of the document with another value in one place; the rest is shared."""
    if not at:
        return value
    new = copy.copy(node)
    new[at[0]] = replaced(node[at[0]], at[1:], value)
    return new


def mutants(document: Json) -> Iterator[Mutant]:
    """Every alteration of one place, and of the claims; the digest is left out of both."""
    content = {key: value for key, value in document.items() if key != "digest"}
    known = _names(content)
    for at, value in places(content):
        for kind, other in _others(value, known):
            if other != value or type(other) is not type(value):
                yield _made(kind, at, replaced(content, at, other))
    for kind, at, mutant in _claims(content):
        yield _made(kind, at, mutant)


def _made(kind: str, at: Place, document: Json) -> Mutant:
    if isinstance(document, dict):
        try:
            document = {**document, "digest": digest(document)}
        except (TypeError, ValueError):
            document = {**document, "digest": "sha256:" + 64 * "0"}
    return Mutant(kind, at, document)


def _names(document: Json) -> tuple[str, ...]:
    defined = [item["name"] for item in document["definitions"]]
    return (*document["parameters"], *document.get("rates", {}), *defined, *NAMES)


def _others(value: Json, known: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
    others: tuple[Json, ...] = (None, [], {}, "1", 1, True, 0.5)
    for other in others:
        if type(other) is not type(value):
            yield "type", other
    if isinstance(value, str):
        yield from _texts(value, known)
    elif isinstance(value, int) and not isinstance(value, bool):
        for n in (value + 1, value - 1, -value, 2 * value, 4095, 4096, 10**30):
            yield "integer", n
    elif isinstance(value, list):
        yield from _lists(value)
    elif isinstance(value, dict):
        yield from _objects(value, known)


def _texts(value: str, known: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
    try:
        n = Fraction(value)
    except ValueError:
        words = (
            *ASSUMPTIONS,
            *(claim for claims in CLAIMS.values() for claim in claims),
            "one-map",
            "contragredient",
            "root",
            "log",
        )
        words += ("pi", "encoding", "axes", "step", "entry", "growing-form", "pairs", "growth")
        words += ("tail", "score", "maps", "query", "key", "lag", "at-least", "cos")
        for text in (*words, *known, value.upper(), value + "x", ""):
            yield "text", text
        return
    for other in (-n, n + 1, n - 1, 2 * n, n / 2, 1 - n, n + Fraction(1, 10**30), Fraction(0)):
        yield "number", str(other)
    for text in TEXTS:
        yield "text", text


def _lists(value: Json) -> Iterator[tuple[str, Json]]:
    for i in range(len(value)):
        yield "missing", value[:i] + value[i + 1 :]
        yield "repeated", [*value[: i + 1], *value[i:]]
        for j in range(i + 1, min(len(value), i + 4)):
            swapped = list(value)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield "order", swapped
    yield "order", value[::-1]
    if len(value) > 1 and all(isinstance(row, list) and len(row) == len(value) for row in value):
        yield "order", [list(column) for column in zip(*value, strict=True)]


def _objects(value: Json, known: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
    for key in value:
        rest = {k: v for k, v in value.items() if k != key}
        yield "missing", rest
        for name in (*known, key + "x"):
            if name not in value:
                yield "name", {**rest, name: value[key]}
        for other in value:
            if other != key:
                yield "order", {**value, key: value[other], other: value[key]}
    yield "name", {**value, "extra": 1}
    if not value:
        yield from (("name", {name: 1}) for name in known)


def _claims(document: Json) -> Iterator[tuple[str, Place, Json]]:
    """A claim added, taken back, or moved from one list to another; a refutation turned around."""
    every = CLAIMS[document["kind"]]
    stated = {item["claim"] for item in document["refutations"]}
    for claim in every:
        for field_ in ("claims", "uncertified"):
            if claim not in document[field_]:
                yield "claim", (field_,), {**document, field_: [*document[field_], claim]}
                rest = {
                    name: [c for c in document[name] if c != claim]
                    for name in ("claims", "uncertified")
                }
                kept = [item for item in document["refutations"] if item["claim"] != claim]
                moved = {**document, **rest, "refutations": kept}
                yield "claim", (field_,), {**moved, field_: [*rest[field_], claim]}
        for item in document["refutations"]:
            if claim not in stated:
                others = [c for c in document["claims"] if c != claim]
                more = [*document["refutations"], {**item, "claim": claim}]
                yield "claim", ("refutations",), {**document, "claims": others, "refutations": more}
    if "pairing" in document:
        other = {"one-map": "contragredient", "contragredient": "one-map"}[document["pairing"]]
        yield "claim", ("pairing",), {**document, "pairing": other}


# -- the campaign --------------------------------------------------------------------------------


@dataclass
class Tally:
    """What became of the mutants of one certificate, by kind."""

    name: str
    malformed: Counter[str] = field(default_factory=Counter)
    not_shown: Counter[str] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    survivors: list[Mutant] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """How many mutants."""
        counts = (self.malformed, self.not_shown, self.true)
        return sum(sum(c.values()) for c in counts) + len(self.survivors)


def judged(mutant: Mutant, tally: Tally) -> CheckResult:
    """Decide one mutant and count it."""
    result = check_certificate(mutant.document)
    if result.accepted:
        if is_true(mutant.document):
            tally.true[mutant.kind] += 1
            tally.reasons[reason_of(mutant)] += 1
        else:
            tally.survivors.append(mutant)
    elif result.claims:
        tally.not_shown[mutant.kind] += 1
    else:
        tally.malformed[mutant.kind] += 1
    return result


REASONS = (
    (r"name", "the name of an encoding states nothing"),
    (r"claims|uncertified|refutations|pairing", "a claim less, or one more that holds"),
    (r"refutations\..*", "another witness against the same claim"),
    (r"parameters.*", "an assumption that suffices too, or of a parameter that nothing uses"),
    (r"definitions.*|rates", "a definition or a rate that nothing uses, or the same number"),
    (r"heads\.norm.*", "another norm that does not grow"),
    (r"(heads\.)?augmentation.*", "another bias that is refuted, or none"),
    (r"score.*|positions.*", "another score of which the same holds"),
    (r"maps.*", "other maps of which the same holds"),
    (r"orbit.*", "an orbit that nothing uses, or another one"),
    (r"axes.*|dimension", "other axes of which the same holds"),
    (r"heads.*", "a head more or less, or coordinates that are given otherwise"),
    (r"step.*|inverse|logarithm.*", "another step, or other evidence for it, that serves as well"),
)
ORDER = "another order of entries, terms, rows or heads"
UNEXPLAINED = "unexplained"


def reason_of(mutant: Mutant) -> str:
    """Why an altered document can be true all the same, by the place of the alteration."""
    if mutant.kind == "order":
        return ORDER
    path = ".".join(part for part in mutant.place if isinstance(part, str))
    return next((text for form, text in REASONS if re.fullmatch(form, path)), UNEXPLAINED)


def campaign(chosen: Iterable[str] | None = None, sample: int | None = None) -> Iterator[Tally]:
    """Every mutant of every golden certificate, or a sample of each, drawn by its name."""
    for name in names() if chosen is None else chosen:
        tally = Tally(name)
        every: Iterable[Mutant] = mutants(document_of(name))
        if sample is not None:
            pool = list(every)
            every = random.Random(name).sample(pool, min(sample, len(pool)))
        for mutant in every:
            judged(mutant, tally)
        yield tally


def code_lines(source: str) -> int:
    """Lines that are neither blank, nor of comments, nor of docstrings."""
    described: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            described.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - described)


NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}


def size_of_the_checker() -> str:
    """What a reviewer has to read."""
    sources = [path.read_text("utf-8") for path in sorted(CHECKER.glob("*.py"))]
    code, lines = sum(map(code_lines, sources)), sum(len(x.splitlines()) for x in sources)
    return (
        f"The checker has {len(sources)} modules with {code} lines of code; {lines} with their "
        "comments, docstrings and blank lines."
    )


def markdown(tallies: Iterable[Tally]) -> str:
    """The tables of a page: by certificate, by alteration, and by place of the true ones."""
    found = list(tallies)
    counts: list[tuple[Any, ...]] = [
        (
            tally.name,
            tally.total,
            sum(tally.malformed.values()),
            sum(tally.not_shown.values()),
            sum(tally.true.values()),
            len(tally.survivors),
        )
        for tally in found
    ]
    totals = ("all", *(sum(row[i] for row in counts) for i in range(1, 6)))
    lines = [
        size_of_the_checker(),
        "",
        f"{len(found)} certificates, {totals[1]} mutants, {totals[5]} survivors.",
        "",
        "| certificate | mutants | malformed | not shown | accepted and true | survivors |",
        "|---|---:|---:|---:|---:|---:|",
        *(f"| {' | '.join(map(str, row))} |" for row in [*counts, totals]),
        "",
        "| alteration | malformed | not shown | accepted and true |",
        "|---|---:|---:|---:|",
    ]
    for kind in KINDS:
        row = [
            sum(getattr(t, name)[kind] for t in found)
            for name in ("malformed", "not_shown", "true")
        ]
        lines.append(f"| {kind} | {' | '.join(map(str, row))} |")
    why: Counter[str] = Counter()
    for tally in found:
        why.update(tally.reasons)
    lines += ["", "| what an accepted mutant states | mutants |", "|---|---:|"]
    lines += [f"| {text} | {n} |" for text, n in sorted(why.items(), key=lambda x: (-x[1], x[0]))]
    for tally in found:
        lines += [f"- survivor of {tally.name}: {m.kind} at {m.place}" for m in tally.survivors]
    return "\n".join(lines) + "\n"
