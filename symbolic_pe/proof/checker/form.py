"""The form of a certificate: one table, and a strict reader that walks it.

`[x]` is a list of x, `<x,y>` a list of just these, `{x}` an object whose keys are names, `#x` a
matrix as a list of [row, column, x], `x?` is x or null, `=x|y` a choice of texts. Every other word
is a line of the table, which lists the fields of an object, all of them needed and no other
allowed, or a leaf.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symbolic_pe.proof.checker.balls import CertificateError, require
from symbolic_pe.proof.checker.numbers import ASSUMPTIONS, MAX_EXPONENT, Number

FORMAT = "symbolic-pe-certificate/4"
MAX_NODES = 3_000_000  # values in a document
MAX_INDEX = 4095
LINES = f"""
certificate:  format=={FORMAT} kind==encoding|axes|step|maps|score name=text dimension=index
              parameters={{assumption}} definitions=[definition]
              claims=[claim] uncertified=[claim] refutations=[refutation] digest=text
encoding:     heads=[head] rates={{complex}} pairing==contragredient|one-map
axes:         axes=[#real]
step:         step=#real inverse=#real? logarithm=logarithm?
maps:         maps=[#real]
score:        positions=[definition] score=value rates={{complex}} orbit=orbit?
definition:   name=name kind==root|log|exp|cos|pi|at-least degree=index of=value
head:         generator=#real basis=basis? exponential=#function parts=[part] norm=form?
              augmentation=augmentation?
basis:        P=#real J=#real Q=#real
part:         at=[index] annihilator=[real]
augmentation: query=[real] key=[real] bias=function orbit=orbit
orbit:        generator=#real table=[function]
form:         rate=real form=squares gain=squares
squares:      weights=[real] rows=#real
logarithm:    turn=#real annihilator=[real]
refutation:   claim=claim values={{bound}} witness=witness
entry:        kind==entry index=index row=index column=index time=bound
growing-form: kind==growing-form head=index form=form vector=[real]
null-vector:  kind==null-vector vector=[real]
odd-blocks:   kind==odd-blocks eigenvalue=real sizes=[index] rest=#real resolvent=#real
              S=#real T=#real
pairs:        kind==pairs first=<bound,bound> second=<bound,bound>
growth:       kind==growth
tail:         kind==tail lag=index start=index
"""
TABLE: Mapping[str, Mapping[str, str]] = {
    word: dict(field.split("=", 1) for field in fields.split())
    for word, fields in re.findall(r"^(\S+): +(.*(?:\n +.*)*)", LINES, re.MULTILINE)
}
LAWS = "initial-condition", "derivative", "homomorphism", "relativity", "closed-form"
SAME_LAG = "relativity", "index-time", "one-length"
CLAIMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # claim -> kinds of witnesses against it
    "encoding": {
        **dict.fromkeys(LAWS, ()),
        **dict.fromkeys(("relativity", "orthogonality", "augmentation"), ("entry",)),
        **dict.fromkeys(("bounded-causal", "bounded-all"), ("growing-form",)),
    },
    "axes": {
        "initial-condition": (),
        **dict.fromkeys(("commutators", "homomorphism", "relativity"), ("entry",)),
    },
    "step": {
        **dict.fromkeys(("initial-condition", "homomorphism"), ()),
        **{"inverses": ("null-vector",), "generator": ("null-vector", "odd-blocks")},
    },
    "maps": {"composition": (), "commuting-steps": ("entry",)},
    "score": {
        **dict.fromkeys(SAME_LAG, ("pairs",)),
        **{"invariance": (), "realisation": ("growth", "tail"), "orbit": ()},
    },
}
NUMBERS = "real", "complex", "function", "value"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
TEXT = re.compile(r"[a-z][a-z0-9:-]{0,199}")
COEFFICIENT, BOUND = (
    re.compile(rf"-?[0-9]{{1,{digits}}}(/[0-9]{{1,{digits}}})?") for digits in (4000, 200)
)


def expect(holds: bool, where: str, expected: str, got: object) -> None:
    """Refuse a value of another form."""
    if not holds:
        short = isinstance(got, str) or (isinstance(got, int) and abs(got) < 10**30)
        shown = ascii(got)[:60] if short else type(got).__name__
        raise CertificateError(f"{where}: expected {expected}; got {shown}")


class Reader:
    """Reads JSON values. `uses` collects (kind of number, atom, exponent)."""

    def __init__(self) -> None:
        self.uses: dict[tuple[str, str, int], str] = {}
        self.nodes = 0
        self.choices = {"assumption": "=" + "|".join(ASSUMPTIONS)}

    def document(self, value: object) -> dict[str, Any]:
        """A certificate of any kind."""
        fields, mapping = TABLE["certificate"], _object(value, "document")
        self.read(fields["format"], mapping.get("format"), "format")
        kind = self.read(fields["kind"], mapping.get("kind"), "kind")
        self.choices["claim"] = "=" + "|".join(CLAIMS[kind])
        witnesses = {witness for kinds in CLAIMS[kind].values() for witness in kinds}
        self.choices["kind"] = "=" + "|".join(sorted(witnesses))
        read = self._fields({**fields, **TABLE[kind]}, mapping, "")
        require(read["dimension"] > 0, "dimension: expected at least 1")
        return read

    def read(self, word: str, value: Any, where: str) -> Any:
        """A value of the form that the word names."""
        self.nodes += 1
        require(self.nodes <= MAX_NODES, f"{where}: the document is too large")
        word = self.choices.get(word, word)
        if word.endswith("?"):
            return None if value is None else self.read(word[:-1], value, where)
        if word[0] == "=":
            choices = word[1:].split("|")
            known = isinstance(value, str) and value in choices
            expect(known, where, f"one of {', '.join(choices)}", value)
            return value
        if word[0] == "[":
            items = enumerate(_list(value, where))
            return tuple(self.read(word[1:-1], x, f"{where}[{i}]") for i, x in items)
        if word[0] == "<":
            words = word[1:-1].split(",")
            pairs = zip(words, _list(value, where, len(words)), strict=True)
            return tuple(self.read(*pair, where) for pair in pairs)
        if word[0] == "{":
            names = [self.text(name, where, NAME) for name in _object(value, where)]
            return {name: self.read(word[1:-1], value[name], f"{where}.{name}") for name in names}
        if word[0] == "#":
            triples = self.read(f"[<index,index,{word[1:]}>]", value, where)
            entries = {(i, j): x for i, j, x in triples if x}
            require(len(entries) == len(triples), f"{where}: an entry is repeated, or is 0")
            return entries
        if word in NUMBERS:
            return self._number(word, value, where)
        if word in TABLE:
            return self._fields(TABLE[word], _object(value, where), where)
        return getattr(self, word)(value, where)

    def _fields(self, fields: Mapping[str, str], value: Any, where: str) -> dict[str, Any]:
        place = f"{where}." if where else ""
        for name in fields:
            require(name in value, f"{place}{name}: the field is missing")
        for name in value:
            require(name in fields, f"{where or 'document'}: unknown field {ascii(name)[:60]}")
        return {name: self.read(word, value[name], place + name) for name, word in fields.items()}

    # -- leaves -------------------------------------------------------------------------------

    def witness(self, value: Any, where: str) -> Any:
        """The fields that its kind has."""
        kind = self.read("kind", _object(value, where).get("kind"), f"{where}.kind")
        return self.read(kind, value, where)

    def text(self, value: Any, where: str, form: re.Pattern[str] = TEXT) -> str:
        """A short text."""
        right = isinstance(value, str) and form.fullmatch(value) is not None
        expect(right, where, f"a text of the form {form.pattern}", value)
        return str(value)

    def name(self, value: Any, where: str) -> str:
        """The name of a parameter or a definition."""
        return self.text(value, where, NAME)

    def index(self, value: Any, where: str, low: int = 0, high: int = MAX_INDEX) -> int:
        """A small whole number."""
        right = type(value) is int and low <= value <= high
        expect(right, where, f"an integer from {low} to {high}", value)
        return int(value)

    def exponent(self, value: Any, where: str) -> int:
        """A whole number of either sign."""
        return self.index(value, where, -MAX_EXPONENT, MAX_EXPONENT)

    def bound(self, value: Any, where: str, form: re.Pattern[str] = BOUND) -> Fraction:
        """A rational of few digits, in lowest terms."""
        text = self.text(value, where, form)
        try:
            found = Fraction(text)
        except (ValueError, ZeroDivisionError):  # of more digits than Python was told to read
            found = Fraction(0)
        expect(str(found) == text, where, "a rational in lowest terms", value)
        return found

    def coefficient(self, value: Any, where: str) -> Fraction:
        """A rational of many digits."""
        return self.bound(value, where, COEFFICIENT)

    def _number(self, word: str, value: Any, where: str) -> Number:
        """Σ c·Π atom^e from [["c", {"atom": e}], ...]."""
        terms = self.read("[<coefficient,{exponent}>]", value, where)
        number = {tuple(sorted(m.items())): c for c, m in terms if c and all(m.values())}
        require(len(number) == len(terms), f"{where}: a term is repeated, or has a 0")
        if word != "value":  # the atoms of which are looked at in the order of definitions
            self.uses |= {(word, *power): where for monomial in number for power in monomial}
        return tuple(sorted(number.items()))


def _object(value: Any, where: str) -> dict[str, Any]:
    right = isinstance(value, dict) and all(isinstance(name, str) for name in value)
    expect(right, where, "an object", value)
    return dict(value)


def _list(value: Any, where: str, length: int | None = None) -> list[Any]:
    right = isinstance(value, list) and length in (None, len(value))
    expect(right, where, "a list" if length is None else f"a list of {length} items", value)
    return list(value)
