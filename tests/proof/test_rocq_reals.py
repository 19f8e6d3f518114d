"""Numbers as Rocq terms mean the same numbers: terms are evaluated in balls, beside the numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from symbolic_pe.algebra.assumptions import Assumptions
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar, precision
from symbolic_pe.encodings.catalogue import catalogue, own_kernels
from symbolic_pe.proof.rocq.reals import real_term, variable
from symbolic_pe.proof.rocq.syntax import number

BITS = 256
DECLARED = Assumptions.declare({"w": "positive", "tanh": "positive", "z": "real"})
VALUES = {"w": fmpq(3, 2), "tanh": fmpq(7, 5), "z": fmpq(-2, 3)}
FUNCTIONS = {
    "exp": (1, lambda x: x.exp()),
    "ln": (1, lambda x: x.log()),
    "sqrt": (1, lambda x: x.sqrt()),
    "Rpower": (2, lambda x, y: x**y),
}


class Reader:
    """Terms of R_scope by its own precedences: + and −, * and /, opposite, ^, application."""

    def __init__(self, text: str, values: Mapping[str, arb]):
        self.tokens = re.findall(r"\d+|[A-Za-z]\w*|[-+*/^()]", text)
        assert "".join(self.tokens) == text.replace(" ", "")
        self.values, self.at = values, 0

    def take(self, *expected: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in expected:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def sum(self) -> arb:
        total = self.product()
        while operator := self.take("+", "-"):
            part = self.product()
            total = total + part if operator == "+" else total - part
        return total

    def product(self) -> arb:
        total = self.opposite()
        while operator := self.take("*", "/"):
            part = self.opposite()
            total = total * part if operator == "*" else total / part
        return total

    def opposite(self) -> arb:
        return -self.opposite() if self.take("-") else self.power()

    def power(self) -> arb:
        base = self.application()
        return base ** self.power() if self.take("^") else base

    def application(self) -> arb:
        name = self.tokens[self.at]
        if name not in FUNCTIONS:
            return self.atom()
        self.at += 1
        count, function = FUNCTIONS[name]
        return function(*(self.atom() for _ in range(count)))

    def atom(self) -> arb:
        if self.take("("):
            inside = self.sum()
            assert self.take(")")
            return inside
        token, self.at = self.tokens[self.at], self.at + 1
        return arb(int(token)) if token.isdigit() else self.values[token]


def value_of(text: str) -> arb:
    values = {variable(name): arb(x) for name, x in VALUES.items()}
    reader = Reader(text, {**values, "PI": arb.pi()})
    total = reader.sum()
    assert reader.at == len(reader.tokens)
    return total


def close(text: str, x: Scalar) -> bool:
    """Whether the balls of both meet, and are small."""
    with precision(BITS):
        found, known = value_of(text), x.ball({name: arb(v) for name, v in VALUES.items()})
        small = found.rad() <= arb(2) ** (64 - BITS) * (1 + abs(found))
        return bool(small) and found.overlaps(known)


@pytest.mark.parametrize(
    "expression",
    [
        "10000^(-2/128)",
        "500000^(-3/64)",
        "log(2/7)/512",
        "log(31/32)",
        "-2*z*w + 1/2",
        "-(z - w)^3/7",
        "1/(w + 1)",
        "(z^2 - w)/(w*tanh + 2)",
        "-sqrt(2)/3 + 5^(2/3)",
        "sqrt(w)*3 - w^(1/3)/2",
        "sqrt(1 + w)/sqrt(2)",
        "pi*w/3 - pi",
        "exp(w/2) + exp(-z)",
        "cosh(w)*sinh(tanh)",
        "log(w)*z",
        "0",
        "-1",
        "-3/4",
    ],
)
def test_a_term_is_its_number(expression: str) -> None:
    x = parse(expression, DECLARED.declared, DECLARED)
    text = str(real_term(x))
    assert close(text, x), text


@pytest.mark.parametrize("name", list(own_kernels()))
def test_values_of_the_catalogue(name: str) -> None:
    seen = {
        x
        for head in catalogue(name).heads
        for placed in head.generator.placed or ()
        for x in (placed.block.rate, placed.block.frequency, placed.block.shear)
    }
    assert seen
    for x in seen:
        assert close(str(real_term(x)), x), x


@given(st.fractions(max_denominator=1000))
def test_rational_numbers(q: object) -> None:
    value = fmpq(q.numerator, q.denominator)  # type: ignore[attr-defined]
    assert close(str(number(value)), Scalar.rational(value))


def test_a_wrong_sign_would_be_seen() -> None:
    x = parse("log(2/7)/512", (), None)
    assert not close(str(real_term(-x)), x)
