"""The form of a certificate: one table, and a strict reader that walks it.

`[x]` is a list of x, `<x,y>` a list of just these, `{x}` an object whose keys are names, `x?` is x
or null, `=x|y` a choice of texts. Every other word is a line of the table, which lists the fields
of an object, all of them needed and no other allowed, or a leaf. An expression is a variable, a
number, or a list of an operation and the expressions that it is applied to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd
from typing import Any

from symbolic_pe.proof.checker.numbers import (
    ASSUMPTIONS,
    MAX_EXPONENT,
    CertificateError,
    Monomial,
    Number,
    require,
)

FORMAT = "symbolic-pe-certificate/3"
MAX_NODES = 3_000_000  # values in a document
MAX_DIGITS, MAX_BOUND_DIGITS = 4000, 200  # of a numerator or denominator
MAX_INDEX = 4095
MAX_DEPTH = 32  # of an expression
LINES = f"""
certificate:  format=={FORMAT} kind==encoding|axes|step|maps|score name=text dimension=index
              parameters={{assumption}} definitions=[definition]
              claims=[claim] uncertified=[claim] refutations=[refutation] digest=text
encoding:     heads=[head] rates={{complex}} pairing==contragredient|one-map
              augmentation=[augmentation]?
axes:         axes=[entries]
step:         step=entries inverse=entries? logarithm=logarithm?
maps:         maps=[entries]
score:        score=expression rates={{complex}} orbit=orbit?
orbit:        generator=matrix table=[function]
definition:   name=name kind==root|log|exp|pi degree=index of=real
head:         generator=entries basis=basis? blocks=[block] norm=norm?
basis:        P=matrix Q=matrix
norm:         weights=[real] basis=[[<index,real>]]? loss=[square]
square:       weight=real row=[<index,real>]
block:        at=[index] generator=matrix exponential=functions? annihilator=[real]?
augmentation: query=[real] key=[real] generator=matrix exponential=functions bias=function
logarithm:    annihilator=[real] multiplier=index turn=entries
refutation:   claim=claim values={{bound}} witness=witness
lag:            kind==lag head=index lag=bound
entry:          kind==entry first=index second=index row=index column=index
growing-vector: kind==growing-vector head=index eigenvalue=complex vector=[complex] chain=[complex]?
growing-form:   kind==growing-form head=index rate=bound form=[square] gain=[square] vector=[real]
null-vector:    kind==null-vector vector=[complex]
odd-blocks:     kind==odd-blocks eigenvalue=bound size=index
pairs:          kind==pairs first=<bound,bound> second=<bound,bound>
growth:         kind==growth
tail:           kind==tail lag=index start=index
"""
TABLE: Mapping[str, Mapping[str, str]] = {
    word: dict(field.split("=", 1) for field in fields.split())
    for word, fields in re.findall(r"^(\S+): +(.*(?:\n +.*)*)", LINES, re.MULTILINE)
}
LAWS = "initial-condition", "derivative", "homomorphism", "relativity", "closed-form"
BOUNDED = "bounded-causal", "bounded-all"
AXES_LAWS = "commutators", "homomorphism", "relativity"
SAME_LAG = "relativity", "index-time", "one-length"
CLAIMS: Mapping[str, tuple[str, ...]] = {
    "encoding": (*LAWS, "orthogonality", *BOUNDED, "augmentation"),
    "axes": ("initial-condition", *AXES_LAWS),
    "step": ("initial-condition", "homomorphism", "inverses", "generator"),
    "maps": ("composition", "commuting-steps"),
    "score": ("invariance", *SAME_LAG, "realisation", "orbit"),
}
WITNESSES: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # kind of witness -> refuted claims
    "encoding": {
        "lag": ("augmentation",),
        "entry": ("orthogonality", "relativity"),
        "growing-vector": BOUNDED,
        "growing-form": BOUNDED,
    },
    "axes": {"entry": AXES_LAWS},
    "step": {"null-vector": ("inverses", "generator"), "odd-blocks": ("generator",)},
    "maps": {"entry": ("commuting-steps",)},
    "score": {"pairs": SAME_LAG, "growth": ("realisation",), "tail": ("realisation",)},
}
VARIABLES = "query", "key", "lag", "step"
OPERATIONS: Mapping[str, int | None] = {  # how many expressions it is applied to
    **{"sum": None, "product": None, "choice": None, "range": 3, "power": 2, "at-least": 2},
    **{"exp": 1, "log": 1, "sin": 1, "cos": 1},
}
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
TEXT = re.compile(r"[a-z][a-z0-9:-]{0,199}")
RATIONAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?")

Row = Mapping[int, Number]  # column -> entry that is not 0


def expect(holds: bool, where: str, expected: str, got: object) -> None:
    """Refuse a value of another form."""
    if not holds:
        shown = ascii(got)[:60] if isinstance(got, str | int) else type(got).__name__
        raise CertificateError(f"{where}: expected {expected}; got {shown}")


class Reader:
    """Reads JSON values. `uses` collects (kind of number, atom, exponent)."""

    def __init__(self) -> None:
        self.uses: dict[tuple[str, str, int], str] = {}
        self.nodes = self.size = 0
        self.choices = {"assumption": "=" + "|".join(ASSUMPTIONS)}

    def document(self, value: object) -> dict[str, Any]:
        """A certificate of any kind."""
        fields, mapping = TABLE["certificate"], _object(value, "document")
        self.read(fields["format"], mapping.get("format"), "format")
        kind = self.read(fields["kind"], mapping.get("kind"), "kind")
        self.size = self.read("index", mapping.get("dimension"), "dimension")
        require(self.size > 0, "dimension: expected at least 1")
        self.choices["claim"] = "=" + "|".join(CLAIMS[kind])
        self.choices["kind"] = "=" + "|".join(WITNESSES[kind])
        return self._fields({**fields, **TABLE[kind]}, mapping, "")

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
            return tuple(self._each(word[1:-1], _list(value, where), where))
        if word[0] == "<":
            words = word[1:-1].split(",")
            pairs = zip(words, _list(value, where, len(words)), strict=True)
            return tuple(self.read(*pair, where) for pair in pairs)
        if word[0] == "{":
            names = [self.name(name, where) for name in _object(value, where)]
            return {name: self.read(word[1:-1], value[name], f"{where}.{name}") for name in names}
        if word in TABLE:
            return self._fields(TABLE[word], _object(value, where), where)
        return getattr(self, word)(value, where)

    def _each(self, word: str, values: Iterable[Any], where: str) -> list[Any]:
        return [self.read(word, x, f"{where}[{i}]") for i, x in enumerate(values)]

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

    def index(self, value: Any, where: str) -> int:
        """A small whole number."""
        right = type(value) is int and 0 <= value <= MAX_INDEX
        expect(right, where, f"an integer from 0 to {MAX_INDEX}", value)
        return int(value)

    def bound(self, value: Any, where: str) -> Fraction:
        """A rational of few digits."""
        return _rational(value, where, MAX_BOUND_DIGITS)

    def real(self, value: Any, where: str, word: str = "real") -> Number:
        """Σ c·Π atom^e from [["c", {"atom": e}], ...]."""
        total: dict[Monomial, Fraction] = {}
        for c, monomial in self._each("<coefficient,exponents>", _list(value, where), where):
            require(monomial not in total, f"{where}: a term is repeated")
            self.uses |= {(word, *power): where for power in monomial}
            total[monomial] = c
        return tuple(sorted(total.items()))

    def complex(self, value: Any, where: str) -> Number:
        """A number that may have i."""
        return self.real(value, where, "complex")

    def function(self, value: Any, where: str) -> Number:
        """A number that may have i, t and exponentials."""
        return self.real(value, where, "function")

    def expression(self, value: Any, where: str, depth: int = 0) -> Any:
        """A variable, a number, or (operation, expressions ...)."""
        self.nodes += 1
        if isinstance(value, str):
            return self.read("=" + "|".join(VARIABLES), value, where)
        if not _list(value, where) or isinstance(value[0], list):
            return self.real(value, where)
        require(depth < MAX_DEPTH, f"{where}: nested too deeply")
        name, *rest = value
        self.read("=" + "|".join(OPERATIONS), name, where)
        right = OPERATIONS[name] in (None, len(rest)) and rest
        expect(bool(right), where, "an operation with its expressions", name)
        return (
            name,
            *(self.expression(x, f"{where}[{i}]", depth + 1) for i, x in enumerate(rest)),
        )

    def coefficient(self, value: Any, where: str) -> Fraction:
        """A rational that is not 0."""
        c = _rational(value, where, MAX_DIGITS)
        require(c != 0, f"{where}: a coefficient is 0")
        return c

    def exponents(self, value: Any, where: str) -> Monomial:
        """Π atom^e."""
        for atom, e in _object(value, where).items():
            self.name(atom, where)
            right = type(e) is int and 0 < abs(e) <= MAX_EXPONENT
            expect(right, where, f"an exponent that is not 0, up to {MAX_EXPONENT}", e)
        return tuple(sorted(value.items()))

    def matrix(self, value: Any, where: str, word: str = "real") -> tuple[Row, ...]:
        """A square matrix from its rows."""
        rows = [_list(row, where, len(value)) for row in _list(value, where)]
        read = [self._each(word, row, f"{where}[{i}]") for i, row in enumerate(rows)]
        return tuple({j: x for j, x in enumerate(row) if x} for row in read)

    def functions(self, value: Any, where: str) -> tuple[Row, ...]:
        """A square matrix of functions."""
        return self.matrix(value, where, "function")

    def entries(self, value: Any, where: str) -> tuple[Row, ...]:
        """A square matrix from its entries [row, column, number] that are not 0."""
        self.nodes += self.size
        rows: list[dict[int, Number]] = [{} for _ in range(self.size)]
        for i, j, x in self._each("<index,index,real>", _list(value, where), where):
            require(max(i, j) < self.size, f"{where}: [{i}, {j}] is outside the matrix")
            require(j not in rows[i] and x != (), f"{where}: [{i}, {j}] is repeated, or is 0")
            rows[i][j] = x
        return tuple(rows)


def _object(value: Any, where: str) -> dict[str, Any]:
    right = isinstance(value, dict) and all(isinstance(name, str) for name in value)
    expect(right, where, "an object", value)
    return dict(value)


def _list(value: Any, where: str, length: int | None = None) -> list[Any]:
    right = isinstance(value, list) and length in (None, len(value))
    expect(right, where, "a list" if length is None else f"a list of {length} items", value)
    return list(value)


def _rational(value: Any, where: str, digits: int) -> Fraction:
    """A rational in its canonical spelling."""
    match = RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None or max(map(len, match.groups(""))) > digits:
        raise CertificateError(f'{where}: expected a rational like "-7/2" of up to {digits} digits')
    try:
        numerator, denominator = int(match[1]), int(match[2] or 1)
    except ValueError:  # Python was told to convert even fewer digits
        raise CertificateError(f"{where}: a rational has too many digits") from None
    lowest = gcd(numerator, denominator) == 1 and match[2] != "1" and match[0] != "-0"
    require(lowest, f"{where}: expected a rational in lowest terms")
    return Fraction(numerator, denominator)
